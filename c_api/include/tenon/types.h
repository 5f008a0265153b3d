// SPDX-License-Identifier: Apache-2.0
// tenon/types.h: the types that programs (tenon.h) and plugins (plugin.h) share.
//
// Rules for everything in here and in the other public headers:
//  - C11 and C++20 read the same layout; it depends on no macro of the user.
//  - No enums, bool, long, size_t, bit-fields or by-value structs; padding is explicit and zero.
//  - Strings are UTF-8, a pointer and a length in bytes. A length of TENON_NUL means "up to the
//    first zero byte".
//  - Frozen structs (tenon_device, tenon_value, tenon_view, tenon_meta, tenon_rng, tenon_launch)
//    never change. Descriptors begin with `struct_size` and `flags` and only grow at their end: a
//    missing tail reads as zero, and zero means the old behaviour. Unknown tail bytes must be zero.
//  - When the callee fills a struct, the caller sets `struct_size` first; the callee writes at
//    most that many bytes and stores how many it wrote.
#ifndef TENON_TYPES_H
#define TENON_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version is stated here and nowhere else.
#define TENON_VERSION_MAJOR 0
#define TENON_VERSION_MINOR 1
#define TENON_VERSION_PATCH 0

// The ABI. Until 1.0 it is a numbered draft: a host loads plugins of its own draft only.
#define TENON_ABI_MAJOR 0
#define TENON_ABI_MINOR 1
#define TENON_ABI_DRAFT 2

// Visibility of exported functions; does not affect any layout.
#if defined(__GNUC__)
#define TENON_EXPORT __attribute__((visibility("default")))
#else
#define TENON_EXPORT
#endif

// As a string length: the string ends at its first zero byte.
#define TENON_NUL UINT64_MAX

// Highest number of dimensions of a tensor, and of operands (slots) and attributes of an op.
#define TENON_MAX_RANK 8
#define TENON_MAX_SLOTS 64

// ---- Status -------------------------------------------------------------------------------------

// 0 is success; every other value is an error. Values are never renumbered.
typedef int32_t tenon_status;
#define TENON_OK ((tenon_status)0)
#define TENON_E_ARGUMENT ((tenon_status)1)      // an argument is NULL, out of range or malformed
#define TENON_E_HANDLE ((tenon_status)2)        // NULL, released, or a handle of another kind
#define TENON_E_RUNTIME ((tenon_status)3)       // objects of different runtimes, or one that closed
#define TENON_E_STATE ((tenon_status)4)         // not allowed now (capture, callback, nesting)
#define TENON_E_SHAPE ((tenon_status)5)         // shapes do not fit
#define TENON_E_DTYPE ((tenon_status)6)         // dtypes do not fit
#define TENON_E_DEVICE ((tenon_status)7)        // devices do not fit, or the device is unknown
#define TENON_E_LAYOUT ((tenon_status)8)        // strides or offset do not fit
#define TENON_E_ALIAS ((tenon_status)9)         // an output overlaps itself or what it must not
#define TENON_E_ATTRIBUTE ((tenon_status)10)    // unknown attribute, wrong type or bad value
#define TENON_E_NOT_FOUND ((tenon_status)11)    // no op, plugin, optimizer, ... of that name
#define TENON_E_NO_KERNEL ((tenon_status)12)    // no kernel and no composition for these operands
#define TENON_E_NO_ROLE ((tenon_status)13)      // no plugin supplies a role the core needs
#define TENON_E_MEMORY ((tenon_status)14)       // memory ran out, or the limit was reached
#define TENON_E_GRAD ((tenon_status)15)         // not differentiable as asked
#define TENON_E_GRAPH_FREED ((tenon_status)16)  // backward a second time without retaining
#define TENON_E_GRAPH_OWNER ((tenon_status)17)  // graph recorded by another context
#define TENON_E_VERSION ((tenon_status)18)      // a saved tensor was overwritten
#define TENON_E_VJP ((tenon_status)19)          // a backward rule broke its declaration
#define TENON_E_CAPTURE ((tenon_status)20)      // not possible while capturing
#define TENON_E_PLAN_SHAPE ((tenon_status)21)   // a plan input of another shape, dtype, device
#define TENON_E_ROWS ((tenon_status)22)         // the gradient is held as rows
#define TENON_E_PLUGIN ((tenon_status)23)       // a plugin was refused or misbehaved
#define TENON_E_SCHEMA ((tenon_status)24)       // a schema text cannot be read
#define TENON_E_IO ((tenon_status)25)           // a file cannot be read or written
#define TENON_E_DATA ((tenon_status)26)         // a file is corrupt, or data out of range
#define TENON_E_CHECK ((tenon_status)27)        // a check mode found a violation
#define TENON_E_INTERRUPTED ((tenon_status)28)  // tenon_context_interrupt was called
#define TENON_E_UNSUPPORTED ((tenon_status)29)  // understood, but not offered here
#define TENON_E_INTERNAL ((tenon_status)30)     // a fault of Tenon itself; please report it
#define TENON_E_DEVICE_LOST ((tenon_status)31)  // the device is gone; only releases work on it
#define TENON_E_TIMEOUT ((tenon_status)32)      // others did not come in time
#define TENON_E_PEER ((tenon_status)33)         // another process is gone, or does otherwise

// ---- Strings, devices, dtypes -------------------------------------------------------------------

typedef struct tenon_string {
  const char* data;  // UTF-8; NULL only when length is 0
  uint64_t length;   // bytes, or TENON_NUL
} tenon_string;

// A device: its kind (an interned name, see tenon_device_find) and its index of that kind. Frozen.
typedef struct tenon_device {
  uint32_t kind;
  int32_t index;
} tenon_device;

// A dtype in DLPack's terms: code | bits << 8 | lanes << 16.
typedef uint32_t tenon_dtype;
#define TENON_DTYPE_MAKE(code, bits) \
  ((tenon_dtype)((uint32_t)(code) | ((uint32_t)(bits) << 8) | (1u << 16)))
#define TENON_DTYPE_NONE ((tenon_dtype)0)
#define TENON_DTYPE_BOOL TENON_DTYPE_MAKE(6, 8)
#define TENON_DTYPE_U8 TENON_DTYPE_MAKE(1, 8)
#define TENON_DTYPE_I8 TENON_DTYPE_MAKE(0, 8)
#define TENON_DTYPE_I16 TENON_DTYPE_MAKE(0, 16)
#define TENON_DTYPE_I32 TENON_DTYPE_MAKE(0, 32)
#define TENON_DTYPE_I64 TENON_DTYPE_MAKE(0, 64)
#define TENON_DTYPE_F16 TENON_DTYPE_MAKE(2, 16)
#define TENON_DTYPE_BF16 TENON_DTYPE_MAKE(4, 16)
#define TENON_DTYPE_F32 TENON_DTYPE_MAKE(2, 32)
#define TENON_DTYPE_F64 TENON_DTYPE_MAKE(2, 64)

// ---- Objects ------------------------------------------------------------------------------------

// Opaque. A handle carries a kind and a generation in it: NULL, a handle of another kind and a
// released handle are errors, not crashes. Only a forged pointer is undefined.
typedef struct tenon_runtime tenon_runtime;
typedef struct tenon_context tenon_context;
typedef struct tenon_tensor tenon_tensor;
typedef struct tenon_op tenon_op;  // borrowed from the runtime; lives as long as it
typedef struct tenon_plan tenon_plan;
typedef struct tenon_optimizer tenon_optimizer;
typedef struct tenon_dataset tenon_dataset;
typedef struct tenon_text tenon_text;

// ---- Values -------------------------------------------------------------------------------------

// What an input or an attribute holds. Frozen, 16 bytes.
#define TENON_VALUE_NONE 0u         // absent optional input, or "take the default"
#define TENON_VALUE_TENSOR 1u       // tensor
#define TENON_VALUE_TENSOR_LIST 2u  // tensors[count]
#define TENON_VALUE_I64 3u          // i64
#define TENON_VALUE_F64 4u          // f64
#define TENON_VALUE_BOOL 5u         // i64, 0 or 1
#define TENON_VALUE_STRING 6u       // string[count bytes]
#define TENON_VALUE_INT_LIST 7u     // ints[count]
#define TENON_VALUE_DTYPE 8u        // dtype
#define TENON_VALUE_FLOAT_LIST 9u   // floats[count]; of options, no op has such an attribute

typedef struct tenon_value {
  uint32_t tag;
  uint32_t count;
  union {
    int64_t i64;
    double f64;
    tenon_tensor* tensor;
    tenon_tensor* const* tensors;
    const char* string;
    const int64_t* ints;
    const double* floats;
    uint64_t dtype;
  } as;
} tenon_value;

// ---- Views --------------------------------------------------------------------------------------

// What a kernel sees of an operand. Frozen. `data` is the address of element (0, ..., 0), already
// offset; strides count elements and may be zero or negative.
#define TENON_VIEW_HOST_SCALAR \
  1u                             // one number in host memory, whatever the device; rank 0, or
                                 // spread with zero strides over an elementwise op's shape
#define TENON_VIEW_READ_ONLY 2u  // the memory must not be written
typedef struct tenon_view {
  void* data;
  const int64_t* shape;    // [rank]; never NULL for rank > 0
  const int64_t* strides;  // [rank]; never NULL for rank > 0
  int32_t rank;
  tenon_dtype dtype;
  tenon_device device;
  uint32_t flags;
  uint32_t reserved;
} tenon_view;

// Shape, dtype and device without data. Frozen.
typedef struct tenon_meta {
  int64_t shape[TENON_MAX_RANK];
  int32_t rank;
  tenon_dtype dtype;
  tenon_device device;
} tenon_meta;

// ---- Diagnosis without a context ----------------------------------------------------------------

// Caller-allocated, so that even a failed negotiation has words. Zero it before use. Frozen.
typedef struct tenon_diag {
  tenon_status status;
  int32_t length;      // bytes used in message, without the final zero
  char message[1016];  // UTF-8, always zero-terminated
} tenon_diag;

#ifdef __cplusplus
}
#endif

#endif  // TENON_TYPES_H
