// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/op.cc: an op of the registry as a callable. Its schema, read once by
// tenon/_schema.py, says how arguments become operands and attributes.
#include <cstddef>
#include <new>
#include <string>
#include <vector>

#include "bindings/python/core/values.h"

namespace tenon::python {

namespace {

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

OpObject* as_op(PyObject* object) { return reinterpret_cast<OpObject*>(object); }

PyObject* out_name;  // "out", interned

// What a list of tensors counts for: looking at each is not worth the time.
constexpr int64_t kUncounted = INT64_C(1) << 20;

// ---- one call -----------------------------------------------------------------------------------

struct Call {
  tenon_context* context;
  const OpObject* op;
  PyObject* out = nullptr;  // borrowed
  int64_t elements = 0;
  uint32_t n_inputs = 0;
  uint32_t n_attributes = 0;
  tenon_value inputs[TENON_MAX_SLOTS];
  tenon_value attributes[TENON_MAX_SLOTS];
  // Inputs whose dtypes depend on the others': lists of numbers, and of other things. Their
  // values are tensors without a handle until then.
  std::vector<std::pair<uint32_t, PyObject*>> waiting;
  Memory memory;

  bool set_input(uint32_t index, PyObject* object);
  bool keep_input(uint32_t index, Ref made);
  bool set_waiting(uint32_t index, PyObject* object);
  bool set_all_waiting();
  bool see(Beside& beside, uint32_t index, const Input& input) const;
  bool set_attribute(uint32_t index, PyObject* object);
  bool set_argument(uint32_t index, PyObject* object);
  bool set_named(PyObject* name, PyObject* object);
  Work work() const;
  bool refuse_operand(uint32_t index, PyObject* object) const;
  bool refuse_attribute(uint32_t index, PyObject* object) const;
};

// Absent values up to `index`.
void fill(tenon_value* values, uint32_t& count, uint32_t index) {
  while (count <= index) values[count++] = tenon_value{};
}

const char* text_of(PyObject* text) { return PyUnicode_AsUTF8(text); }

bool Call::refuse_operand(uint32_t index, PyObject* object) const {
  if (PyErr_Occurred()) return false;
  const Input& input = (*op->inputs)[index];
  refuse_type(text_of(op->name), text_of(input.name),
              input.list ? "a list of tensors" : "a tensor or a number", object,
              input.list ? "" : "tenon.tensor(...) makes a tensor of lists and arrays");
  return false;
}

bool Call::set_input(uint32_t index, PyObject* object) {
  fill(inputs, n_inputs, index);
  tenon_value& value = inputs[index];
  const bool list = (*op->inputs)[index].list;
  if (is_tensor(object) && !list) [[likely]] {
    value.tag = TENON_VALUE_TENSOR;
    value.as.tensor = as_tensor(object)->handle;
    elements += elements_of(context, as_tensor(object));
    return true;
  }
  if (object == Py_None) return true;
  Converted converted = list ? tensors_value(object, memory, value) : number_value(object, value);
  if (list && converted == Converted::Yes) elements = kUncounted;
  if (converted == Converted::No && (PyList_Check(object) || PyTuple_Check(object))) {
    value.tag = TENON_VALUE_TENSOR;
    value.as.tensor = nullptr;
    waiting.emplace_back(index, object);
    return true;
  }
  if (converted == Converted::No) {
    Ref made = list ? Ref() : tensor_beside(object, {});
    return made ? keep_input(index, std::move(made)) : refuse_operand(index, object);
  }
  if (converted == Converted::Failed) {
    refuse_large(text_of(op->name), text_of((*op->inputs)[index].name));
  }
  return converted == Converted::Yes;
}

// The tensors that input `index` is, as something beside `input`. False with an exception set.
bool Call::see(Beside& beside, uint32_t index, const Input& input) const {
  const tenon_value& value = inputs[index];
  const bool counts = input.variable >= 0 && input.variable == (*op->inputs)[index].variable;
  if (value.tag == TENON_VALUE_TENSOR && value.as.tensor) {
    return beside.see(context, value.as.tensor, counts);
  }
  if (value.tag != TENON_VALUE_TENSOR_LIST) return true;
  for (uint32_t i = 0; i < value.count; ++i) {
    if (!beside.see(context, value.as.tensors[i], counts)) return false;
  }
  return true;
}

bool Call::keep_input(uint32_t index, Ref made) {
  PyObject* object = made.get();
  memory.keep(std::move(made));
  return set_input(index, object);
}

bool Call::set_waiting(uint32_t index, PyObject* object) {
  const Input& input = (*op->inputs)[index];
  Beside beside;
  for (uint32_t i = 0; i < n_inputs; ++i) {
    if (!see(beside, i, input)) return false;
  }
  beside.promotes = input.promotes;
  if (input.dtype != TENON_DTYPE_NONE) beside.dtype = input.dtype;
  Ref made = input.list ? tensors_beside(context, object, beside) : tensor_beside(object, beside);
  return made ? keep_input(index, std::move(made)) : refuse_operand(index, object);
}

// Lists of numbers come last: they take the dtype of all others.
bool Call::set_all_waiting() {
  for (const bool numbers : {false, true}) {
    for (size_t i = 0; i < waiting.size(); ++i) {
      const auto [index, object] = waiting[i];
      if (inputs[index].tag == TENON_VALUE_TENSOR && !inputs[index].as.tensor &&
          (numbers || !holds_numbers(object)) && !set_waiting(index, object)) {
        return false;
      }
    }
  }
  return true;
}

bool Call::refuse_attribute(uint32_t index, PyObject* object) const {
  static constexpr const char* kinds[] = {"an integer", "a number", "True or False",     "a text",
                                          "a number",   "a dtype",  "a list of integers"};
  const Attribute& attribute = (*op->attributes)[index];
  refuse_type(text_of(op->name), text_of(attribute.name), kinds[static_cast<int>(attribute.kind)],
              object, "");
  return false;
}

// An attribute that is a number: of the kind the schema asks for.
Converted number_attribute(Kind kind, PyObject* object, tenon_value& value) {
  const Converted converted = number_value(object, value);
  if (converted != Converted::Yes || kind == Kind::Number) return converted;
  if (kind == Kind::Bool) return value.tag == TENON_VALUE_BOOL ? converted : Converted::No;
  if (value.tag == TENON_VALUE_BOOL) return Converted::No;
  if (kind == Kind::Int) return value.tag == TENON_VALUE_I64 ? converted : Converted::No;
  if (value.tag == TENON_VALUE_I64) {
    value.as.f64 = static_cast<double>(value.as.i64);
    value.tag = TENON_VALUE_F64;
  }
  return converted;
}

bool Call::set_attribute(uint32_t index, PyObject* object) {
  fill(attributes, n_attributes, index);
  if (object == Py_None) return true;
  const Attribute& attribute = (*op->attributes)[index];
  tenon_value& value = attributes[index];
  Converted converted = Converted::No;
  switch (attribute.kind) {
    case Kind::Text:
      converted = text_value(object, value);
      break;
    case Kind::Ints:
      converted = ints_value(object, attribute.count, memory, value);
      break;
    case Kind::Dtype:
      value.tag = TENON_VALUE_DTYPE;
      value.as.dtype = dtype_from(object);
      return value.as.dtype != 0;
    case Kind::Int:
    case Kind::Float:
    case Kind::Bool:
    case Kind::Number:
      converted = number_attribute(attribute.kind, object, value);
      break;
  }
  if (converted == Converted::Failed) refuse_large(text_of(op->name), text_of(attribute.name));
  return converted == Converted::No ? refuse_attribute(index, object) : converted == Converted::Yes;
}

// Position of `name`, whose text is interned in nearly every call; -1 if there is none.
template <class Entry>
int find_name(const std::vector<Entry>& entries, PyObject* name) {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].name == name) return static_cast<int>(i);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    if (PyUnicode_Compare(entries[i].name, name) == 0) return static_cast<int>(i);
  }
  return -1;
}

// Of inputs, then of attributes; once each.
bool Call::set_argument(uint32_t index, PyObject* object) {
  const auto n = static_cast<uint32_t>(op->inputs->size());
  const bool is_input = index < n;
  const uint32_t at = is_input ? index : index - n;
  const tenon_value* given = is_input ? inputs : attributes;
  if (at < (is_input ? n_inputs : n_attributes) && given[at].tag != TENON_VALUE_NONE) {
    PyObject* name = is_input ? (*op->inputs)[at].name : (*op->attributes)[at].name;
    refuse("type", text_of(op->name), text_of(name), "one value", "two", "");
    return false;
  }
  return is_input ? set_input(at, object) : set_attribute(at, object);
}

bool Call::set_named(PyObject* name, PyObject* object) {
  const auto n = static_cast<uint32_t>(op->inputs->size());
  if (const int index = find_name(*op->attributes, name); index >= 0) {
    return set_argument(n + static_cast<uint32_t>(index), object);
  }
  if (const int index = find_name(*op->inputs, name); index >= 0) {
    return set_argument(static_cast<uint32_t>(index), object);
  }
  if (PyUnicode_Compare(name, out_name) == 0) {
    out = object == Py_None ? nullptr : object;
    return true;
  }
  if (const int index = find_name(*op->synonyms, name); index >= 0) {
    const auto place = static_cast<size_t>(index);
    return set_argument(static_cast<uint32_t>((*op->synonyms)[place].index), object);
  }
  refuse("keyword", text_of(op->name), text_of(name), text_of(op->signature),
         "an argument of another name", "");
  return false;
}

// An attribute may make the result larger than the operands.
Work Call::work() const {
  const Work work = work_for(elements);
  return work == Work::Short && n_attributes ? Work::Medium : work;
}

// ---- results ------------------------------------------------------------------------------------

PyObject* call_new(Call& call) {
  tenon_tensor* outputs[TENON_MAX_SLOTS];
  const uint32_t count = call.op->n_outputs;
  const tenon_status status = run(call.context, call.work(), [&] {
    return tenon_op_call(call.context, call.op->op, call.inputs, call.n_inputs, call.attributes,
                         call.n_attributes, outputs, count);
  });
  if (status != TENON_OK) return fail(call.context, status);
  if (count == 1) [[likely]]
    return wrap(outputs[0]);
  if (count == 0) Py_RETURN_NONE;
  Ref results(PyStructSequence_New(call.op->results));
  for (uint32_t i = 0; i < count; ++i) {
    PyObject* tensor = wrap(outputs[i]);
    if (results && tensor) PyStructSequence_SET_ITEM(results.get(), i, tensor);
    if (!tensor) results = Ref();
  }
  return results.release();
}

PyObject* call_into(Call& call) {
  tenon_value outputs{};
  tenon_tensor* one = is_tensor(call.out) ? as_tensor(call.out)->handle : nullptr;
  if (one) {
    outputs.as.tensors = &one;
    outputs.count = 1;
  } else {
    const Converted converted = tensors_value(call.out, call.memory, outputs);
    if (converted == Converted::Failed) return nullptr;
    if (converted == Converted::No) {
      return refuse_type(text_of(call.op->name), "out", "a tensor, or a tuple of them", call.out,
                         "");
    }
  }
  const tenon_status status = run(call.context, call.work(), [&] {
    return tenon_op_call_into(call.context, call.op->op, call.inputs, call.n_inputs,
                              call.attributes, call.n_attributes, outputs.as.tensors,
                              outputs.count);
  });
  if (status != TENON_OK) return fail(call.context, status);
  return Py_NewRef(call.out);
}

PyObject* refuse_count(const OpObject* op, Py_ssize_t given) {
  const size_t most = op->inputs->size() + op->n_positional;
  const std::string expected = std::to_string(most) + " without a name";
  const std::string found = std::to_string(given);
  return refuse("type", text_of(op->name), "arguments", expected.c_str(), found.c_str(),
                text_of(op->signature));
}

// Fills the call in; false with an exception set.
bool read_arguments(Call& call, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  const OpObject* op = call.op;
  call.context = context_of_thread();
  if (!call.context) return false;
  const size_t n_inputs = op->inputs->size();
  const auto given = static_cast<size_t>(count);
  if (given > n_inputs + op->n_positional) return refuse_count(op, count) != nullptr;
  for (size_t i = 0; i < given; ++i) {
    const bool good = i < n_inputs
                          ? call.set_input(static_cast<uint32_t>(i), arguments[i])
                          : call.set_attribute(static_cast<uint32_t>(i - n_inputs), arguments[i]);
    if (!good) return false;
  }
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    if (!call.set_named(PyTuple_GET_ITEM(names, i), arguments[count + i])) return false;
  }
  return call.waiting.empty() || call.set_all_waiting();
}

PyObject* call_op(const OpObject* op, PyObject* const* arguments, Py_ssize_t count,
                  PyObject* names) {
  Call call;
  call.op = op;
  if (!read_arguments(call, arguments, count, names)) return nullptr;
  return call.out ? call_into(call) : call_new(call);
}

// What a call would do, as JSON text; nothing runs.
PyObject* explain(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  try {
    Call call;
    call.op = as_op(self);
    if (!read_arguments(call, arguments, count, names)) return nullptr;
    tenon_text* text = nullptr;
    const tenon_status status =
        tenon_op_explain(call.context, call.op->op, call.inputs, call.n_inputs, call.attributes,
                         call.n_attributes, &text);
    return status == TENON_OK ? text_object(text) : fail(call.context, status);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

PyObject* vectorcall(PyObject* self, PyObject* const* arguments, size_t flagged_count,
                     PyObject* names) {
  try {
    return call_op(as_op(self), arguments, PyVectorcall_NARGS(flagged_count), names);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

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
  op->vectorcall = vectorcall;
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
    {"_explain", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(explain)),
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
