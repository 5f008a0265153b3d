// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/layer_tensor.cc: tenon._core.LayerTensor: what a layer's Python object holds
// for each tensor of the layer.
//
// A hook of a tensor may refer to the layer that has the tensor. Tenon's layer holds the tensor,
// which holds the hook, and Python's garbage collector sees neither. So the layer's object leads to
// the tensor's, which then knows that one of those who hold the tensor is seen: if all are, what
// its hooks refer to is reached through it.
#include "bindings/python/core/handles.h"

#include <structmember.h>

namespace tenon::python {

namespace {

struct LayerTensorObject {
  PyObject_HEAD PyObject* tensor;
};

LayerTensorObject* as_layer_tensor(PyObject* object) {
  return reinterpret_cast<LayerTensorObject*>(object);
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject* tensor = nullptr;
  if (!PyArg_ParseTuple(arguments, "O", &tensor) || !tensor_argument(tensor, "LayerTensor")) {
    return nullptr;
  }
  PyObject* const made = type->tp_alloc(type, 0);
  if (!made) return nullptr;
  as_layer_tensor(made)->tensor = Py_NewRef(tensor);
  ++as_tensor(tensor)->layers;
  return made;
}

void deallocate(PyObject* self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject* const type = Py_TYPE(self);
  if (PyObject* const tensor = as_layer_tensor(self)->tensor) {
    --as_tensor(tensor)->layers;
    Py_DECREF(tensor);
  }
  type->tp_free(self);
  Py_DECREF(type);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_layer_tensor(self)->tensor);
  return 0;
}

PyMemberDef members[] = {
    {"tensor", T_OBJECT, offsetof(LayerTensorObject, tensor), READONLY, "Its object."},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                       {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_members, members},
                       {0, nullptr}};

}  // namespace

bool add_layer_tensor_type(PyObject* module) {
  PyType_Spec spec = {"tenon._core.LayerTensor", sizeof(LayerTensorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  const Ref type(PyType_FromModuleAndSpec(module, &spec, nullptr));
  return type && PyModule_AddObjectRef(module, "LayerTensor", type.get()) == 0;
}

}  // namespace tenon::python
