// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/abi.hpp: as much of the stable C ABI of tvm-ffi as calling a function takes, with
// the tensor of DLPack. The layouts are those of tvm/ffi/c_api.h and dlpack/dlpack.h, with which
// tests/outside/tvm_ffi_test.py compares them; neither header is needed to build this.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::tvm_ffi::abi {

inline constexpr int32_t kHost = 1;  // Tensor::device_type

struct Tensor {
  void* data;
  int32_t device_type;
  int32_t device_id;
  int32_t rank;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  const int64_t* shape;
  const int64_t* strides;  // in elements
  uint64_t byte_offset;
};

// Any::type of what is passed here, and the first of those that are counted objects.
inline constexpr int32_t kNone = 0;
inline constexpr int32_t kInt = 1;
inline constexpr int32_t kBool = 2;
inline constexpr int32_t kFloat = 3;
inline constexpr int32_t kDtype = 5;
inline constexpr int32_t kTensor = 7;  // borrowed
inline constexpr int32_t kText = 8;    // borrowed, ends at its first zero byte
inline constexpr int32_t kFirstObject = 64;
inline constexpr int32_t kError = 67;

struct Dtype {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Any {
  int32_t type;
  uint32_t zero;
  union {
    int64_t integer;
    double real;
    void* pointer;
    const char* text;
    Dtype dtype;
  };
};

struct Object {
  uint64_t counts;
  int32_t type;
  uint32_t zero;
  void (*deleter)(void* self, int flags);
};

struct Bytes {
  const char* data;
  size_t size;
};

// What an object of type kError begins with.
struct Error {
  Object object;
  Bytes kind;  // "ValueError"
  Bytes message;
};

// What "__tvm_ffi_<name>" is. Not 0: the words are with the library tvm_ffi, see MoveRaised.
using Function = int (*)(void* self, const Any* arguments, int32_t count, Any* result);

// TVMFFIErrorMoveFromRaised: gives the calling thread's error to the caller, or NULL.
using MoveRaised = void (*)(void** out_error);
// TVMFFIObjectDecRef
using Release = int (*)(void* object);

static_assert(sizeof(Tensor) == 48 && offsetof(Tensor, shape) == 24);
static_assert(sizeof(Any) == 16 && sizeof(Object) == 24);

}  // namespace tenon::tvm_ffi::abi
