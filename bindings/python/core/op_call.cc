// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/op_call.cc: one call of an op: arguments become operands and attributes as
// its schema says, lists of numbers last (operands.cc); outputs become tensors.
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "bindings/python/core/op.h"

namespace tenon::python {

namespace {

// What a list of tensors counts for: looking at each is not worth the time.
constexpr int64_t kUncounted = INT64_C(1) << 20;

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

}  // namespace

PyObject* explain_op(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                     PyObject* names) {
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

PyObject* call_op(PyObject* self, PyObject* const* arguments, size_t flagged_count,
                  PyObject* names) {
  try {
    Call call;
    call.op = as_op(self);
    if (!read_arguments(call, arguments, PyVectorcall_NARGS(flagged_count), names)) return nullptr;
    return call.out ? call_into(call) : call_new(call);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

}  // namespace tenon::python
