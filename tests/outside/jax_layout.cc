// SPDX-License-Identifier: Apache-2.0
// tests/outside/jax_layout.cc: the structures of XLA's foreign function interface as Tenon declares
// them, beside those of jaxlib's own header. jax_layout_test.py compiles it; there is nothing to
// run.
#include <xla/ffi/api/c_api.h>

#include "bindings/python/core/xla_ffi.h"

namespace xla = tenon::python::xla;

#define SAME(ours, our_field, theirs, their_field)                           \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field)); \
  static_assert(sizeof(ours::our_field) == sizeof(theirs::their_field))

SAME(xla::Extension, size, XLA_FFI_Extension_Base, struct_size);
SAME(xla::Extension, type, XLA_FFI_Extension_Base, type);
SAME(xla::Extension, next, XLA_FFI_Extension_Base, next);
static_assert(sizeof(xla::Extension) == sizeof(XLA_FFI_Extension_Base));
static_assert(static_cast<int>(xla::Extension::kMetadata) == XLA_FFI_Extension_Metadata);

SAME(xla::Version, size, XLA_FFI_Api_Version, struct_size);
SAME(xla::Version, extensions, XLA_FFI_Api_Version, extension_start);
SAME(xla::Version, major, XLA_FFI_Api_Version, major_version);
SAME(xla::Version, minor, XLA_FFI_Api_Version, minor_version);
static_assert(sizeof(xla::Version) == sizeof(XLA_FFI_Api_Version));
static_assert(xla::Version::kMajor == XLA_FFI_API_MAJOR);

SAME(xla::Buffer, size, XLA_FFI_Buffer, struct_size);
SAME(xla::Buffer, extensions, XLA_FFI_Buffer, extension_start);
SAME(xla::Buffer, dtype, XLA_FFI_Buffer, dtype);
SAME(xla::Buffer, data, XLA_FFI_Buffer, data);
SAME(xla::Buffer, rank, XLA_FFI_Buffer, rank);
SAME(xla::Buffer, dims, XLA_FFI_Buffer, dims);
static_assert(static_cast<int>(xla::Buffer::kType) == XLA_FFI_ArgType_BUFFER);
static_assert(static_cast<int>(xla::Buffer::kType) == XLA_FFI_RetType_BUFFER);

SAME(xla::Span, data, XLA_FFI_ByteSpan, ptr);
SAME(xla::Span, length, XLA_FFI_ByteSpan, len);
static_assert(sizeof(xla::Span) == sizeof(XLA_FFI_ByteSpan));
static_assert(xla::kTextType == static_cast<int>(XLA_FFI_AttrType_STRING));

SAME(xla::Array, dtype, XLA_FFI_Array, dtype);
SAME(xla::Array, count, XLA_FFI_Array, size);
SAME(xla::Array, data, XLA_FFI_Array, data);
static_assert(static_cast<int>(xla::Array::kType) == XLA_FFI_AttrType_ARRAY);

SAME(xla::Buffers, size, XLA_FFI_Args, struct_size);
SAME(xla::Buffers, extensions, XLA_FFI_Args, extension_start);
SAME(xla::Buffers, count, XLA_FFI_Args, size);
SAME(xla::Buffers, types, XLA_FFI_Args, types);
SAME(xla::Buffers, values, XLA_FFI_Args, args);
static_assert(sizeof(xla::Buffers) == sizeof(XLA_FFI_Args));
SAME(xla::Buffers, count, XLA_FFI_Rets, size);
SAME(xla::Buffers, types, XLA_FFI_Rets, types);
SAME(xla::Buffers, values, XLA_FFI_Rets, rets);
static_assert(sizeof(xla::Buffers) == sizeof(XLA_FFI_Rets));

SAME(xla::Attributes, size, XLA_FFI_Attrs, struct_size);
SAME(xla::Attributes, extensions, XLA_FFI_Attrs, extension_start);
SAME(xla::Attributes, count, XLA_FFI_Attrs, size);
SAME(xla::Attributes, types, XLA_FFI_Attrs, types);
SAME(xla::Attributes, names, XLA_FFI_Attrs, names);
SAME(xla::Attributes, values, XLA_FFI_Attrs, attrs);
static_assert(sizeof(xla::Attributes) == sizeof(XLA_FFI_Attrs));

SAME(xla::ErrorWords, size, XLA_FFI_Error_Create_Args, struct_size);
SAME(xla::ErrorWords, extensions, XLA_FFI_Error_Create_Args, extension_start);
SAME(xla::ErrorWords, message, XLA_FFI_Error_Create_Args, message);
SAME(xla::ErrorWords, code, XLA_FFI_Error_Create_Args, errc);
static_assert(sizeof(xla::ErrorWords) == sizeof(XLA_FFI_Error_Create_Args));

SAME(xla::Api, size, XLA_FFI_Api, struct_size);
SAME(xla::Api, version, XLA_FFI_Api, api_version);
SAME(xla::Api, internal, XLA_FFI_Api, internal_api);
SAME(xla::Api, create_error, XLA_FFI_Api, XLA_FFI_Error_Create);

SAME(xla::CallFrame, size, XLA_FFI_CallFrame, struct_size);
SAME(xla::CallFrame, extensions, XLA_FFI_CallFrame, extension_start);
SAME(xla::CallFrame, api, XLA_FFI_CallFrame, api);
SAME(xla::CallFrame, context, XLA_FFI_CallFrame, ctx);
SAME(xla::CallFrame, stage, XLA_FFI_CallFrame, stage);
SAME(xla::CallFrame, arguments, XLA_FFI_CallFrame, args);
SAME(xla::CallFrame, results, XLA_FFI_CallFrame, rets);
SAME(xla::CallFrame, attributes, XLA_FFI_CallFrame, attrs);
SAME(xla::CallFrame, future, XLA_FFI_CallFrame, future);

SAME(xla::Metadata, size, XLA_FFI_Metadata, struct_size);
SAME(xla::Metadata, version, XLA_FFI_Metadata, api_version);
SAME(xla::Metadata, traits, XLA_FFI_Metadata, traits);
SAME(xla::MetadataExtension, base, XLA_FFI_Metadata_Extension, extension_base);
SAME(xla::MetadataExtension, metadata, XLA_FFI_Metadata_Extension, metadata);

#define SAME_NUMBER(ours, theirs) \
  static_assert(static_cast<int>(xla::ours) == static_cast<int>(theirs))

SAME_NUMBER(kPred, XLA_FFI_DataType_PRED);
SAME_NUMBER(kS8, XLA_FFI_DataType_S8);
SAME_NUMBER(kS16, XLA_FFI_DataType_S16);
SAME_NUMBER(kS32, XLA_FFI_DataType_S32);
SAME_NUMBER(kS64, XLA_FFI_DataType_S64);
SAME_NUMBER(kU8, XLA_FFI_DataType_U8);
SAME_NUMBER(kU32, XLA_FFI_DataType_U32);
SAME_NUMBER(kF16, XLA_FFI_DataType_F16);
SAME_NUMBER(kF32, XLA_FFI_DataType_F32);
SAME_NUMBER(kF64, XLA_FFI_DataType_F64);
SAME_NUMBER(kBf16, XLA_FFI_DataType_BF16);
SAME_NUMBER(kCancelled, XLA_FFI_Error_Code_CANCELLED);
SAME_NUMBER(kInvalidArgument, XLA_FFI_Error_Code_INVALID_ARGUMENT);
SAME_NUMBER(kNotFound, XLA_FFI_Error_Code_NOT_FOUND);
SAME_NUMBER(kResourceExhausted, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED);
SAME_NUMBER(kFailedPrecondition, XLA_FFI_Error_Code_FAILED_PRECONDITION);
SAME_NUMBER(kUnimplemented, XLA_FFI_Error_Code_UNIMPLEMENTED);
SAME_NUMBER(kInternal, XLA_FFI_Error_Code_INTERNAL);
