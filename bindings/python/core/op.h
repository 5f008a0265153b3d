// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/op.h: an op as a Python object, for the files that make and call one.
#ifndef TENON_BINDINGS_PYTHON_OP_H
#define TENON_BINDINGS_PYTHON_OP_H

#include <vector>

#include "bindings/python/core/values.h"

namespace tenon::python {

struct Input {
  PyObject* name;  // interned
  bool list;
  int32_t variable;   // of the schema, which dtypes of inputs have in common; -1: it is `dtype`
  tenon_dtype dtype;  // NONE: that of the variable
  bool promotes;      // the variable does
};

enum class Kind { Int, Float, Bool, Text, Number, Dtype, Ints };

struct Attribute {
  PyObject* name;  // interned
  Kind kind;
  int32_t count;  // of Ints: how many there must be, 0 for any number
};

// Another name of an argument, that users of other libraries write.
struct Synonym {
  PyObject* name;  // interned
  int32_t index;   // of inputs, then of attributes
};

struct OpObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  const tenon_op* op;
  PyObject* name;    // "tenon.add"
  PyObject* plugin;  // "tenon.ops"
  PyObject* schema;  // "add(a: T[...], ..."
  PyObject* doc;
  PyObject* signature;  // "(a, b, *, out=None)"
  unsigned revision;
  unsigned n_outputs;  // without those that only a backward wants
  std::vector<Input>* inputs;
  std::vector<Attribute>* attributes;
  std::vector<Synonym>* synonyms;
  unsigned n_positional;  // attributes that may be given without a name
  PyTypeObject* results;  // a tuple with the outputs' names, if there are several
};

inline OpObject* as_op(PyObject* object) { return reinterpret_cast<OpObject*>(object); }

extern PyObject* out_name;  // "out", interned

// ---- op_call.cc ---------------------------------------------------------------------------------

PyObject* call_op(PyObject* self, PyObject* const* arguments, size_t flagged_count,
                  PyObject* names);
// What a call would do, as JSON text; nothing runs.
PyObject* explain_op(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names);

}  // namespace tenon::python

#endif  // TENON_BINDINGS_PYTHON_OP_H
