// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/autograd.cc: backward, gradients, functions of tensors, hooks, pictures.
#include "bindings/python/core/handles.h"

namespace tenon::python {

namespace {

bool check_seeds(const char* what, size_t seeds, size_t roots) {
  if (seeds && seeds != roots) {
    refuse("value", what, "seeds", "one for each root, or None", "another number", "");
    return false;
  }
  return true;
}

// backward(roots, seeds, flags)
PyObject* backward(PyObject*, PyObject* arguments) {
  PyObject* root_list = nullptr;
  PyObject* seed_list = nullptr;
  unsigned flags = 0;
  std::vector<tenon_tensor*> roots;
  std::vector<tenon_tensor*> seeds;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OOI", &root_list, &seed_list, &flags) ||
      !read_tensors("backward", "roots", root_list, false, roots) ||
      !read_tensors("backward", "seeds", seed_list, true, seeds) ||
      !check_seeds("backward", seeds.size(), roots.size())) {
    return nullptr;
  }
  return done(context, run(context, Work::Long, [&] {
                return tenon_backward_run(context, roots.data(), data_or_null(seeds),
                                          static_cast<uint32_t>(roots.size()), flags);
              }));
}

// gradient(roots, seeds, inputs, flags): a list of gradients, None if there is none
PyObject* gradient(PyObject*, PyObject* arguments) {
  PyObject* root_list = nullptr;
  PyObject* seed_list = nullptr;
  PyObject* input_list = nullptr;
  unsigned flags = 0;
  std::vector<tenon_tensor*> roots;
  std::vector<tenon_tensor*> seeds;
  std::vector<tenon_tensor*> inputs;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "OOOI", &root_list, &seed_list, &input_list, &flags) ||
      !read_tensors("grad", "roots", root_list, false, roots) ||
      !read_tensors("grad", "seeds", seed_list, true, seeds) ||
      !read_tensors("grad", "inputs", input_list, false, inputs) ||
      !check_seeds("grad", seeds.size(), roots.size())) {
    return nullptr;
  }
  std::vector<tenon_tensor*> grads(inputs.size());
  const tenon_status status = run(context, Work::Long, [&] {
    return tenon_gradient_call(context, roots.data(), data_or_null(seeds),
                               static_cast<uint32_t>(roots.size()), inputs.data(),
                               static_cast<uint32_t>(inputs.size()), flags, grads.data());
  });
  return status == TENON_OK ? list_of(grads) : fail(context, status);
}

// ---- functions ----------------------------------------------------------------------------------

// One more owner for each of a Python result's tensors: a tensor, or a list of them.
bool give_outputs(PyObject* result, tenon_tensor** out, uint32_t count) {
  std::vector<tenon_tensor*> handles;
  if (is_tensor(result)) {
    handles.push_back(as_tensor(result)->handle);
  } else if (!read_tensors("function", "result", result, false, handles)) {
    return false;
  }
  if (handles.size() != count) {
    refuse("value", "function", "result", "as many tensors as stated", "another number", "");
    return false;
  }
  for (uint32_t i = 0; i < count; ++i) {
    tenon_tensor_retain(handles[i]);
    out[i] = handles[i];
  }
  return true;
}

// Calls the Python function `user`. Its exception stays set and becomes the whole call's.
tenon_status call_function(tenon_context*, tenon_tensor* const* inputs, uint32_t n_inputs,
                           tenon_tensor** outputs, uint32_t n_outputs, void* user) {
  const Held held;
  const Ref arguments(PyTuple_New(n_inputs));
  bool good = static_cast<bool>(arguments);
  for (uint32_t i = 0; good && i < n_inputs; ++i) {
    PyObject* input = wrap_borrowed(inputs[i]);
    good = input != nullptr;
    if (good) PyTuple_SET_ITEM(arguments.get(), i, input);
  }
  const Ref result(good ? PyObject_CallObject(static_cast<PyObject*>(user), arguments.get())
                        : nullptr);
  return result && give_outputs(result.get(), outputs, n_outputs) ? TENON_OK : TENON_E_STATE;
}

// call_with_gradient(function, inputs, n_outputs, seeds, flags): outputs, gradients
PyObject* call_with_gradient(PyObject*, PyObject* arguments) {
  PyObject* function = nullptr;
  PyObject* input_list = nullptr;
  PyObject* seed_list = nullptr;
  unsigned n_outputs = 0;
  unsigned flags = 0;
  std::vector<tenon_tensor*> inputs;
  std::vector<tenon_tensor*> seeds;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "OOIOI", &function, &input_list, &n_outputs, &seed_list,
                        &flags) ||
      !read_tensors("value_and_grad", "inputs", input_list, false, inputs) ||
      !read_tensors("value_and_grad", "seeds", seed_list, true, seeds) ||
      !check_seeds("value_and_grad", seeds.size(), n_outputs)) {
    return nullptr;
  }
  std::vector<tenon_tensor*> outputs(n_outputs);
  std::vector<tenon_tensor*> grads(inputs.size());
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_function_call(context, call_function, function, inputs.data(),
                               static_cast<uint32_t>(inputs.size()), data_or_null(seeds), n_outputs,
                               flags, outputs.data(), grads.data());
  });
  if (status != TENON_OK) return fail(context, status);
  const Ref values(list_of(outputs));
  const Ref gradients(list_of(grads));
  return values && gradients ? PyTuple_Pack(2, values.get(), gradients.get()) : nullptr;
}

// ---- gradients on their way ---------------------------------------------------------------------

// Shows a gradient to a Python function; what it returns, if anything, takes its place.
tenon_status call_hook(tenon_context*, tenon_tensor* gradient_now, tenon_tensor** out, void* user) {
  const Held held;
  const Ref function(Py_NewRef(static_cast<HookObject*>(user)->function));  // it may end itself
  const Ref shown(wrap_borrowed(gradient_now));
  const Ref result(shown ? PyObject_CallOneArg(function.get(), shown.get()) : nullptr);
  const bool good = result && (result.get() == Py_None || give_outputs(result.get(), out, 1));
  return good ? TENON_OK : TENON_E_STATE;
}

void drop_hook(void* user) {
  auto* hook = static_cast<HookObject*>(user);
  if (may_hold()) {
    const Held held;
    hide_hook(hook);
    Py_DECREF(hook->function);
  } else if (!has_ended()) {
    return;  // an object may still show it to the collector
  }
  delete hook;
}

// begin_hook(tensor, function): a number to end it with
PyObject* begin_hook(PyObject*, PyObject* arguments) {
  PyObject* tensor = nullptr;
  PyObject* function = nullptr;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OO", &tensor, &function) ||
      !tensor_argument(tensor, "add_hook")) {
    return nullptr;
  }
  uint64_t number = 0;
  auto hook = std::make_unique<HookObject>(HookObject{function, nullptr, nullptr});
  const tenon_status status = tenon_hook_begin(context, as_tensor(tensor)->handle, call_hook,
                                               hook.get(), drop_hook, &number);
  if (status != TENON_OK) return fail(context, status);
  Py_INCREF(function);
  show_hook(as_tensor(tensor), hook.release());
  return PyLong_FromUnsignedLongLong(number);
}

PyObject* end_hook(PyObject*, PyObject* arguments) {
  PyObject* tensor = nullptr;
  unsigned long long hook = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OK", &tensor, &hook) ||
      !tensor_argument(tensor, "remove_hook")) {
    return nullptr;
  }
  return done(context, tenon_hook_end(context, as_tensor(tensor)->handle, hook));
}

PyObject* retain_grad(PyObject*, PyObject* arguments) {
  PyObject* tensor = nullptr;
  int wanted = 1;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "Op", &tensor, &wanted) ||
      !tensor_argument(tensor, "retain_grad")) {
    return nullptr;
  }
  return done(context, tenon_tensor_set_retain_grad(context, as_tensor(tensor)->handle,
                                                    static_cast<uint32_t>(wanted)));
}

// grad_rows(tensor): (indices, values), or None
PyObject* grad_rows(PyObject*, PyObject* tensor) {
  tenon_context* context = context_of_thread();
  if (!context || !tensor_argument(tensor, "grad_rows")) return nullptr;
  tenon_tensor* indices = nullptr;
  tenon_tensor* values = nullptr;
  const tenon_status status =
      tenon_tensor_get_grad_rows(context, as_tensor(tensor)->handle, &indices, &values);
  if (status != TENON_OK) return fail(context, status);
  if (!indices) Py_RETURN_NONE;
  const Ref index_tensor(wrap_borrowed(indices));
  const Ref value_tensor(wrap_borrowed(values));
  return index_tensor && value_tensor ? PyTuple_Pack(2, index_tensor.get(), value_tensor.get())
                                      : nullptr;
}

// describe_graph(roots, topic): text
PyObject* describe_graph(PyObject*, PyObject* arguments) {
  PyObject* root_list = nullptr;
  const char* topic = nullptr;
  Py_ssize_t length = 0;
  std::vector<tenon_tensor*> roots;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "Os#", &root_list, &topic, &length) ||
      !read_tensors("draw", "roots", root_list, false, roots)) {
    return nullptr;
  }
  tenon_text* text = nullptr;
  const tenon_status status =
      tenon_graph_query(context, roots.data(), static_cast<uint32_t>(roots.size()), topic,
                        static_cast<uint64_t>(length), &text);
  return status == TENON_OK ? text_object(text) : fail(context, status);
}

}  // namespace

PyMethodDef autograd_methods[] = {
    {"backward", guarded<backward>, METH_VARARGS, "backward(roots, seeds, flags)"},
    {"gradient", guarded<gradient>, METH_VARARGS, "gradient(roots, seeds, inputs, flags): a list."},
    {"call_with_gradient", guarded<call_with_gradient>, METH_VARARGS,
     "call_with_gradient(function, inputs, n_outputs, seeds, flags): two lists."},
    {"begin_hook", guarded<begin_hook>, METH_VARARGS, "begin_hook(tensor, function): a number."},
    {"end_hook", guarded<end_hook>, METH_VARARGS, "end_hook(tensor, number)"},
    {"retain_grad", guarded<retain_grad>, METH_VARARGS, "retain_grad(tensor, wanted)"},
    {"grad_rows", guarded<grad_rows>, METH_O, "grad_rows(tensor): indices and values, or None."},
    {"describe_graph", guarded<describe_graph>, METH_VARARGS,
     "describe_graph(roots, topic): text."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
