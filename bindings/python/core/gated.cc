// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/gated.cc: the gate in front of calls that another library may record: those
// that it does not record, which are most, stay in C.
#include <cstddef>

#include "bindings/python/core/exchange.h"

namespace tenon::python {

namespace {

// The library's kernel for calls that may be recorded: those that need not be are run at once, all
// others by `other`, which is Python.
struct GatedOp {
  PyObject_HEAD vectorcallfunc vectorcall;
  ExchangedOp* plain;
  PyObject* other;
  PyObject* is_enabled;  // () -> are gradients recorded in this thread?
  PyObject* mask;        // of the key set that each call begins with, what counts
  PyObject* number;      // of what is left if nobody else has a say in the call
};

GatedOp* as_gated(PyObject* object) { return reinterpret_cast<GatedOp*>(object); }

PyObject* requires_grad_name;  // interned
PyObject* raw_repr_name;

// 1, 0, or -1 with an exception set.
int requires_grad(const ExchangeObject* exchange, PyObject* given) {
  if (PyList_Check(given) || PyTuple_Check(given)) {
    int found = 0;
    for (Py_ssize_t i = 0; found == 0 && i < PySequence_Fast_GET_SIZE(given); ++i) {
      const Ref item(Py_NewRef(PySequence_Fast_GET_ITEM(given, i)));
      found = requires_grad(exchange, item.get());
    }
    return found;
  }
  if (!is_theirs(exchange, given)) return 0;
  const Ref answer(PyObject_GetAttr(given, requires_grad_name));
  return answer ? PyObject_IsTrue(answer.get()) : -1;
}

// As above: has nobody else a say?
int is_plain(const GatedOp* self, PyObject* keys) {
  const Ref left(PyNumber_And(keys, self->mask));
  const Ref number(left ? PyObject_CallMethodNoArgs(left.get(), raw_repr_name) : nullptr);
  return number ? PyObject_RichCompareBool(number.get(), self->number, Py_EQ) : -1;
}

PyObject* call_gated(PyObject* object, PyObject* const* arguments, size_t flagged_count,
                     PyObject* names) {
  const GatedOp* self = as_gated(object);
  const Py_ssize_t count = PyVectorcall_NARGS(flagged_count);
  const Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
  int recorded = 0;
  for (Py_ssize_t i = 1; recorded == 0 && i < all; ++i) {
    recorded = requires_grad(self->plain->exchange, arguments[i]);
  }
  if (recorded > 0) {
    const Ref enabled(PyObject_CallNoArgs(self->is_enabled));
    recorded = enabled ? PyObject_IsTrue(enabled.get()) : -1;
  }
  const int plain = recorded == 0 && count > 0 ? is_plain(self, arguments[0]) : 0;
  if (recorded < 0 || plain < 0) return nullptr;
  if (plain) return call_exchanged(self->plain, arguments + 1, count - 1, names);
  return PyObject_Vectorcall(self->other, arguments, static_cast<size_t>(count), names);
}

// GatedOp(exchanged, other, is_enabled, mask, number)
PyObject* make_gated(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject* plain = nullptr;
  PyObject* other = nullptr;
  PyObject* is_enabled = nullptr;
  PyObject* mask = nullptr;
  PyObject* number = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!OOOO", exchanged_type, &plain, &other, &is_enabled, &mask,
                        &number)) {
    return nullptr;
  }
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  GatedOp* made = as_gated(self);
  made->vectorcall = call_gated;
  made->plain = as_exchanged(Py_NewRef(plain));
  made->other = Py_NewRef(other);
  made->is_enabled = Py_NewRef(is_enabled);
  made->mask = Py_NewRef(mask);
  made->number = Py_NewRef(number);
  return self;
}

void drop_gated(PyObject* self) {
  const GatedOp* gated = as_gated(self);
  Py_XDECREF(gated->plain);
  for (PyObject* each : {gated->other, gated->is_enabled, gated->mask, gated->number})
    Py_XDECREF(each);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef gated_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(GatedOp, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot gated_slots[] = {{Py_tp_new, reinterpret_cast<void*>(make_gated)},
                             {Py_tp_dealloc, reinterpret_cast<void*>(drop_gated)},
                             {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                             {Py_tp_members, gated_members},
                             {0, nullptr}};
PyType_Spec gated_spec = {"tenon._core.GatedOp", sizeof(GatedOp), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, gated_slots};

}  // namespace

bool add_gated_type(PyObject* module) {
  requires_grad_name = PyUnicode_InternFromString("requires_grad");
  raw_repr_name = PyUnicode_InternFromString("raw_repr");
  const Ref gated(PyType_FromModuleAndSpec(module, &gated_spec, nullptr));
  return requires_grad_name && raw_repr_name && gated &&
         PyModule_AddObjectRef(module, "GatedOp", gated.get()) == 0;
}

}  // namespace tenon::python
