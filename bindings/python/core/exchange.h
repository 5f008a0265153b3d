// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/exchange.h: calls whose operands and results are another library's tensors.
#ifndef TENON_BINDINGS_PYTHON_EXCHANGE_H
#define TENON_BINDINGS_PYTHON_EXCHANGE_H

#include "bindings/python/core/dlpack.h"

namespace tenon::python {

// How the tensors of one library go back and forth.
struct ExchangeObject {
  PyObject_HEAD const dlpack::Exchange* table;  // or NULL
  PyTypeObject* kind;                           // the library's tensors; all may be written
  PyTypeObject* dtype_kind;                     // the library's dtypes
  PyObject* dtypes;                             // {theirs: ours}
  PyObject* to_capsule;
  PyObject* from_capsule;
};

// An op whose operands and results are the library's tensors.
struct ExchangedOp {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* op;
  ExchangeObject* exchange;
  PyObject* names;  // of the op's operands, a tuple
};

inline ExchangeObject* as_exchange(PyObject* object) {
  return reinterpret_cast<ExchangeObject*>(object);
}
inline ExchangedOp* as_exchanged(PyObject* object) {
  return reinterpret_cast<ExchangedOp*>(object);
}

extern PyTypeObject* exchanged_type;

inline bool is_theirs(const ExchangeObject* exchange, PyObject* object) {
  return PyObject_TypeCheck(object, exchange->kind);
}

// The op on the tensors' own memory; new tensors of the library.
PyObject* call_exchanged(const ExchangedOp* self, PyObject* const* arguments, Py_ssize_t positional,
                         PyObject* names);

}  // namespace tenon::python

#endif  // TENON_BINDINGS_PYTHON_EXCHANGE_H
