// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/dlpack.cc: sharing memory through DLPack, in both directions.
//
// Capsules are of two kinds: "dltensor_versioned", since DLPack 1.0, holds what Tenon itself
// speaks; "dltensor", of before, is put around that, or inside it.
#include "bindings/python/core/dlpack.h"

#include <memory>

namespace tenon::python {

using namespace dlpack;

namespace {

// A capsule that nobody has taken: its struct is still the capsule's.
template <class Managed>
void drop_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, Managed::kName)) return;
  drop(static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::kName)));
}

// Takes the struct over.
template <class Managed>
PyObject* make_capsule(Managed* managed) {
  PyObject* capsule = PyCapsule_New(managed, Managed::kName, drop_capsule<Managed>);
  if (!capsule) drop(managed);
  return capsule;
}

// ---- tensors as capsules ------------------------------------------------------------------------

void drop_outer(Unversioned* self) {
  drop(static_cast<Versioned*>(self->owner));
  delete self;
}

// to_dlpack(tensor, versioned, copied): a capsule
PyObject* to_dlpack(PyObject*, PyObject* arguments) {
  PyObject* tensor = nullptr;
  int versioned = 0;
  int copied = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "Opp", &tensor, &versioned, &copied)) return nullptr;
  if (!is_tensor(tensor)) return refuse_type("to_dlpack", "x", "a tensor", tensor, "");
  if (refuse_in_capture(context, "to_dlpack")) return nullptr;
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  void* made = nullptr;
  tenon_status status = tenon_tensor_get_info(context, as_tensor(tensor)->handle, &info);
  if (status == TENON_OK) {
    status = tenon_tensor_get_dlpack(context, as_tensor(tensor)->handle, &made);
  }
  if (status != TENON_OK) return fail(context, status);
  auto* managed = static_cast<Versioned*>(made);
  if (copied) managed->flags |= Versioned::kCopied;
  if (versioned) {
    // As buffers do; of strides of zero alone, which show what they are, C makes no mark.
    if (info.flags & TENON_TENSOR_READ_ONLY) managed->flags |= Versioned::kReadOnly;
    return make_capsule(managed);
  }
  if (managed->flags & Versioned::kReadOnly) {
    drop(managed);
    PyErr_SetString(PyExc_BufferError,
                    "Tenon: __dlpack__: x is read-only: expected a tensor that may be written, as "
                    "DLPack before 1.0, which JAX and tvm-ffi ask for, has no mark for others\n"
                    "  hint: share a copy, x.clone(), or ask with max_version=(1, 0)");
    return nullptr;
  }
  auto* outer = new (std::nothrow) Unversioned{managed->array, managed, drop_outer};
  if (outer) return make_capsule(outer);
  drop(managed);
  return PyErr_NoMemory();
}

// ---- capsules as tensors ------------------------------------------------------------------------

void drop_inner(Versioned* self) {
  drop(static_cast<Unversioned*>(self->owner));
  delete self;
}

// What marks a capsule as taken; the tensor of `status` OK.
PyObject* taken(tenon_context* context, tenon_status status, tenon_tensor* tensor,
                PyObject* capsule, const char* used_name) {
  // Tenon has taken a struct of a major version that it does not know over, too.
  const bool is_taken = status == TENON_OK || status == TENON_E_UNSUPPORTED;
  if (is_taken && PyCapsule_SetName(capsule, used_name) < 0) return nullptr;
  return status == TENON_OK ? wrap(tensor) : fail(context, status);
}

}  // namespace

PyObject* capsule_of(Versioned* managed) { return make_capsule(managed); }

PyObject* tensor_of_capsule(PyObject* capsule, uint64_t old_flags) {
  tenon_tensor* tensor = nullptr;
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  if (PyCapsule_IsValid(capsule, Versioned::kName)) {
    void* managed = PyCapsule_GetPointer(capsule, Versioned::kName);
    const tenon_status status = tenon_tensor_create_dlpack(context, managed, &tensor);
    return taken(context, status, tensor, capsule, Versioned::kUsedName);
  }
  if (!PyCapsule_IsValid(capsule, Unversioned::kName)) {
    return refuse_type("from_dlpack", "x",
                       "a capsule \"dltensor_versioned\" or \"dltensor\", not yet taken", capsule,
                       "each capsule is taken once: ask x.__dlpack__() for another");
  }
  auto* outer = static_cast<Unversioned*>(PyCapsule_GetPointer(capsule, Unversioned::kName));
  auto* inner = new (std::nothrow) Versioned{1, 0, outer, drop_inner, old_flags, outer->array};
  if (!inner) return PyErr_NoMemory();
  const tenon_status status = tenon_tensor_create_dlpack(context, inner, &tensor);
  if (status != TENON_OK) delete inner;
  return taken(context, status, tensor, capsule, Unversioned::kUsedName);
}

namespace {

// from_dlpack(capsule): a tensor
PyObject* from_dlpack(PyObject*, PyObject* capsule) {
  return tensor_of_capsule(capsule, Versioned::kReadOnly);
}

}  // namespace

PyMethodDef dlpack_methods[] = {
    {"to_dlpack", to_dlpack, METH_VARARGS, "to_dlpack(tensor, versioned, copied): a capsule."},
    {"from_dlpack", from_dlpack, METH_O,
     "from_dlpack(capsule): a tensor, read-only if the capsule is of before DLPack 1.0."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
