// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/xla_ffi.h: the structures of XLA's foreign function interface (FFI), through
// which programs that JAX has compiled call libraries. The layouts are those of
// https://github.com/openxla/xla/blob/main/xla/ffi/api/c_api.h, version 0.3;
// tests/outside/jax_layout_test.py compares them with the header that jaxlib brings along.
#ifndef TENON_BINDINGS_PYTHON_XLA_FFI_H
#define TENON_BINDINGS_PYTHON_XLA_FFI_H

#include <cstddef>
#include <cstdint>

namespace tenon::python::xla {

struct Extension {
  static constexpr int32_t kMetadata = 1;  // of `type`

  size_t size;  // of the structure, as of all others that begin with it
  int32_t type;
  Extension* next;
};

struct Version {
  static constexpr int kMajor = 0;
  static constexpr int kMinor = 3;

  size_t size;
  Extension* extensions;
  int major;
  int minor;
};

enum DataType : int32_t {
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU32 = 8,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kBf16 = 16,
};

struct Buffer {
  static constexpr int32_t kType = 1;  // of an argument, and of a result

  size_t size;
  Extension* extensions;
  DataType dtype;
  void* data;  // row-major, as the call asks for it
  int64_t rank;
  int64_t* dims;
};

struct Span {
  const char* data;
  size_t length;
};

struct Array {
  static constexpr int32_t kType = 1;  // of an attribute

  DataType dtype;
  size_t count;
  void* data;
};
constexpr int32_t kTextType = 4;  // of an attribute: a Span

// Arguments, and results.
struct Buffers {
  size_t size;
  Extension* extensions;
  int64_t count;
  int32_t* types;
  void** values;
};

struct Attributes {
  size_t size;
  Extension* extensions;
  int64_t count;
  int32_t* types;
  Span** names;
  void** values;
};

struct Error;  // XLA's

enum ErrorCode : int32_t {
  kCancelled = 1,
  kInvalidArgument = 3,
  kNotFound = 5,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kUnimplemented = 12,
  kInternal = 13,
};

struct ErrorWords {
  size_t size;
  Extension* extensions;
  const char* message;  // copied
  ErrorCode code;
};

// XLA's functions, of which the first is needed.
struct Api {
  size_t size;
  Extension* extensions;
  Version version;
  const void* internal;
  Error* (*create_error)(ErrorWords* words);
};

struct CallFrame {
  static constexpr int32_t kExecute = 3;  // of `stage`

  size_t size;
  Extension* extensions;
  const Api* api;
  void* context;
  int32_t stage;
  Buffers arguments;
  Buffers results;
  Attributes attributes;
  void* future;
};

struct Metadata {
  size_t size;
  Version version;
  uint32_t traits;
};

// What a call that only asks for the handler's version begins with.
struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

}  // namespace tenon::python::xla

#endif  // TENON_BINDINGS_PYTHON_XLA_FFI_H
