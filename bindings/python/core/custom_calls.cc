// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/custom_calls.cc: shape rule, composition, kernel and backward rule of an op
// that is written in Python. tenon/_custom.py gives each the form that users write.
//
// A composition and a rule are lent the context of the call, so that what they do is recorded,
// captured and traced. A kernel sees copies: what it keeps does no harm.
#include <tenon/ext/draft/lending.h>

#include <cstring>

#include "bindings/python/core/custom.h"
#include "bindings/python/core/values.h"

namespace tenon::python {

namespace {

Custom& custom_of(const tenon_call* call) { return *static_cast<Custom*>(call->self); }

// An exception is set, or else Python is at its end.
tenon_status fail_call(tenon_call* call) {
  static constexpr char words[] = "its Python function has raised";
  return call->base->fail(call, TENON_E_STATE, words, sizeof words - 1);
}

// ---- what a function is given -------------------------------------------------------------------

// A list of what make(i) returns; NULL if one of it is.
template <class Make>
PyObject* list_from(uint32_t count, Make make) {
  Ref list(PyList_New(count));
  for (uint32_t i = 0; list && i < count; ++i) {
    PyObject* object = make(i);
    if (!object) return nullptr;
    PyList_SET_ITEM(list.get(), i, object);
  }
  return list.release();
}

PyObject* value_object(const tenon_value& value) {
  switch (value.tag) {
    case TENON_VALUE_TENSOR:
      return wrap_borrowed(value.as.tensor);
    case TENON_VALUE_TENSOR_LIST:
      return list_from(value.count, [&](uint32_t i) { return wrap_borrowed(value.as.tensors[i]); });
    case TENON_VALUE_INT_LIST:
      return list_from(value.count,
                       [&](uint32_t i) { return PyLong_FromLongLong(value.as.ints[i]); });
    case TENON_VALUE_STRING:
      return PyUnicode_DecodeUTF8(value.as.string, static_cast<Py_ssize_t>(value.count), "replace");
    case TENON_VALUE_DTYPE:
      return Py_XNewRef(dtype_object(value.as.dtype));
    case TENON_VALUE_NONE:
      Py_RETURN_NONE;
    default:
      return number_object(value);
  }
}

// A tuple of what make(i) returns; NULL if one of it is.
template <class Make>
PyObject* tuple_from(uint32_t count, Make make) {
  Ref tuple(PyTuple_New(count));
  for (uint32_t i = 0; tuple && i < count; ++i) {
    PyObject* object = make(i);
    if (!object) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, object);
  }
  return tuple.release();
}

PyObject* tuple_of_values(const tenon_value* values, uint32_t count) {
  return tuple_from(count, [&](uint32_t i) { return value_object(values[i]); });
}

// One entry for each input slot of a launch, made of its views: one, None, or a list.
template <class Make>
PyObject* inputs_of(const tenon_launch& args, PyObject* lists, Make make) {
  return tuple_from(args.n_inputs, [&](uint32_t slot) -> PyObject* {
    const uint32_t begin = args.slot_begin[slot];
    const uint32_t count = args.slot_begin[slot + 1] - begin;
    if (PyTuple_GET_ITEM(lists, slot) == Py_True) {
      return tuple_from(count, [&](uint32_t i) { return make(args.views[begin + i]); });
    }
    return count == 0 ? Py_NewRef(Py_None) : make(args.views[begin]);
  });
}

PyObject* shape_object(const tenon_view& view) { return tuple_of(view.shape, view.rank); }

int64_t bytes_of(const tenon_view& view) {
  int64_t bytes = find_dtype_info(view.dtype)->bytes;
  for (int32_t i = 0; i < view.rank; ++i) bytes *= view.shape[i];
  return bytes;
}

// (bytearray, dtype, shape)
PyObject* copied(const tenon_view& view) {
  return Py_BuildValue("(NON)",
                       PyByteArray_FromStringAndSize(static_cast<const char*>(view.data),
                                                     static_cast<Py_ssize_t>(bytes_of(view))),
                       dtype_object(view.dtype), shape_object(view));
}

// Which inputs are lists: the Python side knows the schema.
PyObject* lists_of(PyObject* function) { return PyObject_GetAttrString(function, "lists"); }

// ---- what a function returns --------------------------------------------------------------------

// As tuples of numbers, into `metas`.
bool take_shapes(PyObject* shapes, tenon_meta* metas, uint32_t count) {
  if (!PyTuple_Check(shapes) || PyTuple_GET_SIZE(shapes) != count) {
    PyErr_SetString(PyExc_TypeError, "a shape rule gives a tuple of shapes");
    return false;
  }
  for (uint32_t i = 0; i < count; ++i) {
    PyObject* shape = PyTuple_GET_ITEM(shapes, i);
    const Py_ssize_t rank = PyTuple_Check(shape) ? PyTuple_GET_SIZE(shape) : -1;
    if (rank < 0 || rank > TENON_MAX_RANK) {
      PyErr_SetString(PyExc_TypeError, "a shape is a tuple of at most 8 lengths");
      return false;
    }
    metas[i].rank = static_cast<int32_t>(rank);
    for (Py_ssize_t at = 0; at < rank; ++at) {
      metas[i].shape[at] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, at));
    }
  }
  return !PyErr_Occurred();
}

// Copies a buffer of row-major elements into an output.
bool take_bytes(PyObject* object, const tenon_view& view) {
  Py_buffer buffer{};
  if (PyObject_GetBuffer(object, &buffer, PyBUF_CONTIG_RO) < 0) return false;
  const bool fits = buffer.len == bytes_of(view);
  if (fits && buffer.len) std::memcpy(view.data, buffer.buf, static_cast<size_t>(buffer.len));
  PyBuffer_Release(&buffer);
  if (!fits) PyErr_SetString(PyExc_ValueError, "a kernel's result has another size");
  return fits;
}

}  // namespace

// ---- shapes -------------------------------------------------------------------------------------

tenon_status infer_custom(tenon_call* call, const tenon_launch* args, tenon_meta* out_metas,
                          uint32_t n_outputs) {
  if (!Py_IsInitialized()) return fail_call(call);
  const Held held;
  PyObject* function = custom_of(call).shape;
  const Ref lists(lists_of(function));
  const Ref shapes(lists ? inputs_of(*args, lists.get(), shape_object) : nullptr);
  const Ref attributes(shapes ? tuple_of_values(args->attrs, args->n_attrs) : nullptr);
  const Ref made(
      attributes ? PyObject_CallFunctionObjArgs(function, shapes.get(), attributes.get(), nullptr)
                 : nullptr);
  return made && take_shapes(made.get(), out_metas, n_outputs) ? TENON_OK : fail_call(call);
}

// ---- compositions -------------------------------------------------------------------------------

namespace {

struct Composition {
  tenon_call* call;
  Ref inputs;
  Ref attributes;
};

// function(inputs, attributes): a tuple of tensors
tenon_status run_composition(tenon_context* context, void* user) {
  const Composition& now = *static_cast<Composition*>(user);
  const Lent lent(context);
  if (!lent) return TENON_E_STATE;
  const Ref made(PyObject_CallFunctionObjArgs(custom_of(now.call).function, now.inputs.get(),
                                              now.attributes.get(), nullptr));
  if (!made) return TENON_E_STATE;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(made.get()); ++i) {
    const tenon_status status = now.call->dispatch->set_output(
        now.call, static_cast<uint32_t>(i), as_tensor(PyTuple_GET_ITEM(made.get(), i))->handle);
    if (status != TENON_OK) return status;
  }
  return TENON_OK;
}

const tenon_host_lending& lending(const tenon_call* call) {
  return *static_cast<const tenon_host_lending*>(
      call->host->get_interface(call->host, TENON_HOST_LENDING, sizeof TENON_HOST_LENDING - 1));
}

}  // namespace

tenon_status compose_custom(tenon_call* call, const tenon_value* inputs, uint32_t n_inputs,
                            const tenon_value* attrs, uint32_t n_attrs) {
  if (!Py_IsInitialized()) return fail_call(call);
  const Held held;
  Composition now{call, Ref(tuple_of_values(inputs, n_inputs)),
                  Ref(tuple_of_values(attrs, n_attrs))};
  if (!now.inputs || !now.attributes) return fail_call(call);
  return lending(call).lend(call, run_composition, &now);
}

// ---- kernels ------------------------------------------------------------------------------------

// function(inputs, attributes, outputs): a tuple of buffers. Inputs are (bytes, dtype, shape), of
// outputs (dtype, shape) is told.
tenon_status launch_custom(tenon_call* call, const tenon_launch* args) {
  if (!Py_IsInitialized()) return fail_call(call);
  const Held held;
  PyObject* function = custom_of(call).function;
  const uint32_t n_outputs = args->n_slots - args->n_inputs;
  const tenon_view* outputs = args->views + args->slot_begin[args->n_inputs];
  const Ref lists(lists_of(function));
  const Ref inputs(lists ? inputs_of(*args, lists.get(), copied) : nullptr);
  const Ref attributes(inputs ? tuple_of_values(args->attrs, args->n_attrs) : nullptr);
  const Ref wanted(attributes ? tuple_from(n_outputs,
                                           [&](uint32_t i) {
                                             return Py_BuildValue("(ON)",
                                                                  dtype_object(outputs[i].dtype),
                                                                  shape_object(outputs[i]));
                                           })
                              : nullptr);
  const Ref made(wanted ? PyObject_CallFunctionObjArgs(function, inputs.get(), attributes.get(),
                                                       wanted.get(), nullptr)
                        : nullptr);
  if (!made) return fail_call(call);
  for (uint32_t i = 0; i < n_outputs; ++i) {
    if (!take_bytes(PyTuple_GET_ITEM(made.get(), i), outputs[i])) return fail_call(call);
  }
  return TENON_OK;
}

// ---- backward rules -----------------------------------------------------------------------------

namespace {

// Saved operands, None for those that are not.
template <class Get>
PyObject* saved_values(tenon_call* call, uint32_t count, uint64_t mask, Get get) {
  return tuple_from(count, [&](uint32_t i) -> PyObject* {
    tenon_value value{};
    if (!(mask >> i & 1)) Py_RETURN_NONE;
    return get(call, i, &value) == TENON_OK ? value_object(value) : nullptr;
  });
}

// A tensor, None, or a tuple of them for a list.
tenon_status give_gradient(tenon_call* call, uint32_t input, PyObject* given) {
  if (given == Py_None) return TENON_OK;
  if (is_tensor(given)) return call->vjp->set_input_grad(call, input, 0, as_tensor(given)->handle);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) {
    PyObject* item = PyTuple_GET_ITEM(given, i);
    if (item == Py_None) continue;
    const tenon_status status =
        call->vjp->set_input_grad(call, input, static_cast<uint32_t>(i), as_tensor(item)->handle);
    if (status != TENON_OK) return status;
  }
  return TENON_OK;
}

// function(gradients, inputs, outputs, attributes, wanted): one gradient for each input
tenon_status run_rule(tenon_context* context, void* user) {
  auto* call = static_cast<tenon_call*>(user);
  const Lent lent(context);
  if (!lent) return TENON_E_STATE;
  const Custom& rule = custom_of(call);
  const tenon_host_vjp& vjp = *call->vjp;
  const Ref gradients(saved_values(call, rule.n_outputs, ~UINT64_C(0), vjp.get_output_grad));
  const Ref inputs(gradients ? saved_values(call, rule.n_inputs, rule.saved_inputs, vjp.get_input)
                             : nullptr);
  const Ref outputs(inputs ? saved_values(call, rule.n_outputs, rule.saved_outputs, vjp.get_output)
                           : nullptr);
  const Ref attributes(outputs ? saved_values(call, rule.n_attributes, ~UINT64_C(0), vjp.get_attr)
                               : nullptr);
  const Ref wanted(attributes
                       ? tuple_from(rule.n_inputs,
                                    [&](uint32_t i) {
                                      return PyLong_FromUnsignedLong(
                                          vjp.wants(call, i) ? vjp.get_input_count(call, i) : 0);
                                    })
                       : nullptr);
  if (!wanted) return TENON_E_STATE;
  const Ref made(PyObject_CallFunctionObjArgs(rule.function, gradients.get(), inputs.get(),
                                              outputs.get(), attributes.get(), wanted.get(),
                                              nullptr));
  if (!made) return TENON_E_STATE;
  for (uint32_t i = 0; i < rule.n_inputs; ++i) {
    const tenon_status status = give_gradient(call, i, PyTuple_GET_ITEM(made.get(), i));
    if (status != TENON_OK) return status;
  }
  return TENON_OK;
}

}  // namespace

tenon_status run_custom_rule(tenon_call* call, void*) {
  if (!Py_IsInitialized()) return fail_call(call);
  const Held held;
  return lending(call).lend(call, run_rule, call);
}

}  // namespace tenon::python
