// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/op.cc: an op of the registry as a callable. Its schema, read once by
// tenon/_schema.py, says how arguments become operands and attributes (op_call.cc).
#include "bindings/python/core/op.h"

#include <cstddef>
#include <new>
#include <vector>

namespace tenon::python {

PyObject* out_name;

namespace {

// ---- making one ---------------------------------------------------------------------------------

// A tuple whose items have these names, too. It is pickled as a tuple: it has no place of its own
// in a module.
bool make_results(OpObject* op, PyObject* names) {
  op->n_outputs = static_cast<unsigned>(PyTuple_GET_SIZE(names));
  if (op->n_outputs < 2) return true;
  std::vector<PyStructSequence_Field> fields;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    fields.push_back({PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i)), nullptr});
    if (!fields.back().name) return false;
  }
  fields.push_back({nullptr, nullptr});
  PyStructSequence_Desc desc = {"tenon.Results", "The outputs of an op, by place and by name.",
                                fields.data(), static_cast<int>(op->n_outputs)};
  op->results = PyStructSequence_NewType(&desc);
  PyObject* type = reinterpret_cast<PyObject*>(op->results);
  // The first also keeps the names, which the type only points to.
  return type && PyObject_SetAttrString(type, "__match_args__", names) == 0 &&
         PyObject_SetAttrString(type, "__reduce__", state.hooks.reduce_results) == 0;
}

// An interned name and two numbers of `place`.
template <class Entry, class... Number>
bool take_entry(std::vector<Entry>& out, PyObject* tuple, const char* format, Number... fields) {
  PyObject* name = nullptr;
  if (!PyArg_ParseTuple(tuple, format, &name, fields...)) return false;
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  out.push_back({});
  out.back().name = name;
  return true;
}

// Reads what tenon/_schema.py says: ((name, is_list, variable, dtype, promotes), ...),
// ((name, kind, count), ...), ((synonym, index), ...), how many attributes need no name, names of
// outputs, signature.
bool take_description(OpObject* op, PyObject* description) {
  PyObject* inputs = nullptr;
  PyObject* attributes = nullptr;
  PyObject* synonyms = nullptr;
  PyObject* outputs = nullptr;
  if (!PyArg_ParseTuple(description, "O!O!O!IO!O", &PyTuple_Type, &inputs, &PyTuple_Type,
                        &attributes, &PyTuple_Type, &synonyms, &op->n_positional, &PyTuple_Type,
                        &outputs, &op->signature)) {
    op->signature = nullptr;
    return false;
  }
  Py_INCREF(op->signature);
  if (!make_results(op, outputs)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(synonyms); ++i) {
    int index = 0;
    if (!take_entry(*op->synonyms, PyTuple_GET_ITEM(synonyms, i), "Ui", &index)) return false;
    op->synonyms->back().index = index;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); ++i) {
    int list = 0;
    int variable = 0;
    int promotes = 0;
    PyObject* dtype = nullptr;
    if (!take_entry(*op->inputs, PyTuple_GET_ITEM(inputs, i), "UpiOp", &list, &variable, &dtype,
                    &promotes)) {
      return false;
    }
    Input& input = op->inputs->back();
    input.list = list != 0;
    input.variable = variable;
    input.dtype = dtype == Py_None ? TENON_DTYPE_NONE : dtype_from(dtype);
    input.promotes = promotes != 0;
    if (dtype != Py_None && input.dtype == TENON_DTYPE_NONE) return false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(attributes); ++i) {
    int kind = 0;
    int count = 0;
    PyObject* entry = PyTuple_GET_ITEM(attributes, i);
    if (!take_entry(*op->attributes, entry, "Uii", &kind, &count)) return false;
    op->attributes->back().kind = static_cast<Kind>(kind);
    op->attributes->back().count = count;
  }
  return true;
}

bool take_info(tenon_context* context, OpObject* op) {
  tenon_op_info info{};
  info.struct_size = sizeof info;
  const tenon_status status = tenon_op_get_info(context, op->op, &info);
  if (status != TENON_OK) {
    fail(context, status);
    return false;
  }
  op->revision = info.revision;
  op->name = PyUnicode_FromString(info.name);
  op->plugin = PyUnicode_FromString(info.plugin);
  op->schema = PyUnicode_FromString(info.schema);
  op->doc = PyUnicode_FromFormat("%s\n\n%s", info.schema, info.doc);
  if (!op->name || !op->plugin || !op->schema || !op->doc) return false;
  const Ref description(
      PyObject_CallFunction(state.hooks.describe_schema, "OI", op->name, op->revision));
  return description && take_description(op, description.get());
}

PyObject* make_op(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject* given = nullptr;
  Py_ssize_t length = 0;
  unsigned revision = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "O|I", &given, &revision)) return nullptr;
  const char* name = text_argument(given, "Op", "name", &length);
  if (!name) return nullptr;
  const tenon_op* found = nullptr;
  const tenon_status status =
      tenon_op_find(context, name, static_cast<uint64_t>(length), revision, &found);
  if (status != TENON_OK) return fail(context, status);
  Ref self(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  OpObject* op = as_op(self.get());
  op->vectorcall = call_op;
  op->op = found;
  op->inputs = new (std::nothrow) std::vector<Input>;
  op->attributes = new (std::nothrow) std::vector<Attribute>;
  op->synonyms = new (std::nothrow) std::vector<Synonym>;
  if (!op->inputs || !op->attributes || !op->synonyms) return PyErr_NoMemory();
  return take_info(context, op) ? self.release() : nullptr;
}

template <class Entry>
void drop_entries(std::vector<Entry>* entries) {
  if (!entries) return;
  for (const Entry& entry : *entries) Py_DECREF(entry.name);
  delete entries;
}

void deallocate(PyObject* self) {
  OpObject* op = as_op(self);
  drop_entries(op->inputs);
  drop_entries(op->attributes);
  drop_entries(op->synonyms);
  Py_XDECREF(op->results);
  for (PyObject* each : {op->name, op->plugin, op->schema, op->doc, op->signature}) {
    Py_XDECREF(each);
  }
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// ---- attributes ---------------------------------------------------------------------------------

PyObject* represent(PyObject* self) {
  return PyUnicode_FromFormat("<op %U%U>", as_op(self)->name, as_op(self)->signature);
}

// As a class attribute an op is a method: `x.exp()`.
PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
  return instance ? PyMethod_New(self, instance) : Py_NewRef(self);
}

PyObject* get_short_name(PyObject* self, void*) {
  PyObject* name = as_op(self)->name;
  const Py_ssize_t length = PyUnicode_GET_LENGTH(name);
  const Py_ssize_t dot = PyUnicode_FindChar(name, '.', 0, length, -1);
  return PyUnicode_Substring(name, dot + 1, length);
}

PyObject* get_signature(PyObject* self, void*) {
  return PyObject_CallOneArg(state.hooks.make_signature, self);
}

PyObject* reduce(PyObject* self, PyObject*) {
  const OpObject* op = as_op(self);
  return Py_BuildValue("O(OI)", Py_TYPE(self), op->name, op->revision);
}

PyGetSetDef attributes[] = {{"__name__", get_short_name, nullptr, nullptr, nullptr},
                            {"__qualname__", get_short_name, nullptr, nullptr, nullptr},
                            {"__signature__", get_signature, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpObject, vectorcall), READONLY, nullptr},
    {"__doc__", T_OBJECT, offsetof(OpObject, doc), READONLY, nullptr},
    {"__text_signature__", T_OBJECT, offsetof(OpObject, signature), READONLY, nullptr},
    {"name", T_OBJECT, offsetof(OpObject, name), READONLY, "The full name."},
    {"plugin", T_OBJECT, offsetof(OpObject, plugin), READONLY, "The plugin that defines it."},
    {"schema", T_OBJECT, offsetof(OpObject, schema), READONLY, "What it takes and gives."},
    {"revision", T_UINT, offsetof(OpObject, revision), READONLY, "Of its meaning."},
    {nullptr, 0, 0, 0, nullptr}};

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"_explain", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(explain_op)),
     METH_FASTCALL | METH_KEYWORDS, "_explain(...): what the call would do, as JSON."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make_op)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_repr, reinterpret_cast<void*>(represent)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
                       {Py_tp_getset, attributes},
                       {Py_tp_members, members},
                       {Py_tp_methods, methods},
                       {0, nullptr}};

PyType_Spec spec = {"tenon.Op", sizeof(OpObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};

}  // namespace

bool add_op_type(PyObject* module) {
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  out_name = PyUnicode_InternFromString("out");
  if (!type || !out_name) return false;
  state.op_type = reinterpret_cast<PyTypeObject*>(type);
  return PyModule_AddObjectRef(module, "Op", type) == 0;
}

}  // namespace tenon::python
