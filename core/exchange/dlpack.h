// SPDX-License-Identifier: Apache-2.0
// core/exchange/dlpack.h: tensors to and from DLPack 1.x, without copying.
//
// The structs below have the layout that DLPack 1.0 fixed; minor versions only add device types,
// dtypes and flag bits. Source: https://dmlc.github.io/dlpack/latest/c_api.html
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::exchange {

using tensor::Tensor;

namespace dlpack {

inline constexpr uint32_t kMajor = 1;      // the only major version understood
inline constexpr int32_t kHostMemory = 1;  // device type: ordinary memory of the processor
inline constexpr uint64_t kReadOnly = 1;   // bit of Managed::flags

struct Version {
  uint32_t major;
  uint32_t minor;
};

struct Place {
  int32_t device_type;
  int32_t device_id;
};

struct ElementType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Array {
  void* data;
  Place device;
  int32_t rank;
  ElementType dtype;
  int64_t* shape;    // [rank]
  int64_t* strides;  // [rank], in elements; NULL: row-major
  uint64_t byte_offset;
};

// The first three members keep their place in every major version, so that whoever receives one it
// does not understand can still give it back.
struct Managed {
  Version version;
  void* manager;                   // the producer's
  void (*deleter)(Managed* self);  // may be NULL
  uint64_t flags;
  Array array;
};

static_assert(offsetof(Array, device) == sizeof(void*));
static_assert(offsetof(Array, rank) == sizeof(void*) + 8);
static_assert(offsetof(Array, dtype) == sizeof(void*) + 12);
static_assert(offsetof(Array, shape) == sizeof(void*) + 16);
static_assert(offsetof(Array, byte_offset) == 3 * sizeof(void*) + 16);
static_assert(offsetof(Managed, manager) == 8);
static_assert(offsetof(Managed, flags) == 8 + 2 * sizeof(void*));
static_assert(offsetof(Managed, array) == 16 + 2 * sizeof(void*));

}  // namespace dlpack

// A tensor on the memory of `managed`, a dlpack::Managed*, not NULL. It owns `managed` from then
// on: the deleter runs once, when the last user of the storage is gone, on whichever thread that
// is, also after the runtime has closed. errors   TENON_E_UNSUPPORTED (another major version):
// `managed` is gone, its deleter was called.
//          All others leave it with the caller: TENON_E_ARGUMENT, TENON_E_DEVICE (not host memory),
//          TENON_E_DTYPE, TENON_E_SHAPE, TENON_E_LAYOUT, TENON_E_MEMORY, and TENON_E_NOT_FOUND
//          if no plugin offers host memory.
Tensor* from_dlpack(Context& context, void* managed);

// A new dlpack::Managed* of version 1.0 on the tensor's memory, with strides. It keeps the storage
// and the runtime's memory alive until its deleter is called, on any thread.
// errors   TENON_E_GRAD (requires grad), TENON_E_DEVICE (not host memory), TENON_E_MEMORY
void* to_dlpack(Context& context, Tensor& tensor);

}  // namespace tenon::exchange
