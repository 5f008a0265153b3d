// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/dlpack.h: DLPack's structures. The layouts are those of
// https://dmlc.github.io/dlpack/latest/c_api.html
#ifndef TENON_BINDINGS_PYTHON_DLPACK_H
#define TENON_BINDINGS_PYTHON_DLPACK_H

#include <cstddef>

#include "bindings/python/core/core.h"

namespace tenon::python::dlpack {

// DLTensor.
struct Array {
  static constexpr int32_t kHost = 1;  // of `device_type`

  void* data;
  int32_t device_type;
  int32_t device_id;
  int32_t rank;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

struct Versioned {
  static constexpr const char* kName = "dltensor_versioned";
  static constexpr const char* kUsedName = "used_dltensor_versioned";
  static constexpr uint64_t kReadOnly = 1;
  static constexpr uint64_t kCopied = 2;

  uint32_t major;
  uint32_t minor;
  void* owner;
  void (*deleter)(Versioned* self);  // may be NULL
  uint64_t flags;
  Array array;
};

struct Unversioned {
  static constexpr const char* kName = "dltensor";
  static constexpr const char* kUsedName = "used_dltensor";

  Array array;
  void* owner;
  void (*deleter)(Unversioned* self);  // may be NULL
};

// What a library offers to C for its tensors, without capsules: DLPackExchangeAPI, since
// DLPack 1.2. All functions return 0, or -1 with Python's exception set, and hold the GIL.
struct Exchange {
  static constexpr const char* kName = "dlpack_exchange_api";

  uint32_t major;
  uint32_t minor;
  Exchange* before;  // of an older major version
  void* allocate;
  int (*get_managed)(void* object, Versioned** out);
  int (*make_object)(Versioned* taken, void** out_object);
  int (*get_array)(void* object, Array* out);  // borrowed, while the object lives
  void* get_stream;
};

static_assert(offsetof(Array, shape) == sizeof(void*) + 16);
static_assert(offsetof(Versioned, array) == 16 + 2 * sizeof(void*));
static_assert(offsetof(Unversioned, owner) == sizeof(Array));
static_assert(offsetof(Exchange, allocate) == 8 + sizeof(void*));

template <class Managed>
void drop(Managed* managed) {
  if (managed && managed->deleter) managed->deleter(managed);
}

}  // namespace tenon::python::dlpack

namespace tenon::python {

// A tensor on a capsule's memory. A capsule of before DLPack 1.0 says nothing of who may write:
// `old_flags` are Versioned::flags for it.
PyObject* tensor_of_capsule(PyObject* capsule, uint64_t old_flags);
// Takes the struct over.
PyObject* capsule_of(dlpack::Versioned* managed);

}  // namespace tenon::python

#endif  // TENON_BINDINGS_PYTHON_DLPACK_H
