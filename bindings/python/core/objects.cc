// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/objects.cc: objects of kinds (an optimizer, a schedule, a layer) and plans,
// as capsules that the Python part of the package wraps.
#include <tenon/ext/draft/groups.h>
#include <tenon/ext/draft/layers.h>
#include <tenon/ext/draft/training.h>
#include <tenon/kinds.h>

#include <deque>

#include "bindings/python/core/handles.h"

namespace tenon::python {

namespace {

using Schedule = Handle<tenon_schedule, tenon_schedule_release, "schedule">;
using Layer = Handle<tenon_layer, tenon_layer_release, "layer">;
using Plan = Handle<tenon_plan, tenon_plan_release, "plan">;

// ---- optimizers ---------------------------------------------------------------------------------

// create_optimizer(name, params, options)
PyObject* create_optimizer(PyObject*, PyObject* arguments) {
  Text name;
  PyObject* list = nullptr;
  PyObject* given = nullptr;
  std::vector<tenon_tensor*> params;
  Options options;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "s#OO", &name.data, &name.length, &list, &given) ||
      !read_tensors(name.data, "params", list, false, params) || !options.read(name.data, given)) {
    return nullptr;
  }
  tenon_optimizer* optimizer = nullptr;
  const tenon_status status = tenon_optimizer_create(
      context, name.data, name.size(), params.data(), static_cast<uint32_t>(params.size()),
      options.names.data(), options.values.data(), options.count(), &optimizer);
  return status == TENON_OK ? Optimizer::make(optimizer) : fail(context, status);
}

// What one group needs while the optimizer is created.
struct Group {
  std::vector<tenon_tensor*> params;
  Options options;
};

// Pairs (params, options). False with an exception set.
bool read_groups(const char* name, PyObject* list, std::deque<Group>& groups) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* params = nullptr;
    PyObject* given = nullptr;
    Group& group = groups.emplace_back();
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "OO", &params, &given) ||
        !read_tensors(name, "params", params, false, group.params) ||
        !group.options.read(name, given)) {
      return false;
    }
  }
  return true;
}

// create_optimizer_groups(name, [(params, options), ...], options)
PyObject* create_optimizer_groups(PyObject*, PyObject* arguments) {
  Text name;
  PyObject* list = nullptr;
  PyObject* given = nullptr;
  std::deque<Group> groups;
  Options options;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "s#O!O", &name.data, &name.length, &PyList_Type, &list,
                        &given) ||
      !read_groups(name.data, list, groups) || !options.read(name.data, given)) {
    return nullptr;
  }
  std::vector<tenon_optimizer_group> structs;
  for (const Group& each : groups) {
    structs.push_back({sizeof(tenon_optimizer_group), 0, each.params.data(),
                       each.options.names.data(), each.options.values.data(),
                       static_cast<uint32_t>(each.params.size()), each.options.count()});
  }
  std::vector<const tenon_optimizer_group*> pointers;
  for (const tenon_optimizer_group& each : structs) pointers.push_back(&each);
  tenon_optimizer* optimizer = nullptr;
  const tenon_status status = tenon_optimizer_create_groups(
      context, name.data, name.size(), pointers.data(), static_cast<uint32_t>(pointers.size()),
      options.names.data(), options.values.data(), options.count(), &optimizer);
  return status == TENON_OK ? Optimizer::make(optimizer) : fail(context, status);
}

// run_optimizer(optimizer, flags)
PyObject* run_optimizer(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  unsigned flags = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OI", &capsule, &flags)) return nullptr;
  tenon_optimizer* optimizer = Optimizer::get(capsule);
  if (!optimizer) return nullptr;
  return done(context, run(context, Work::Medium,
                           [&] { return tenon_optimizer_run(context, optimizer, flags); }));
}

// get_hyper(optimizer, name, group); group -1 means all
PyObject* get_hyper(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  Text name;
  int group = -1;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "Os#i", &capsule, &name.data, &name.length, &group)) {
    return nullptr;
  }
  tenon_optimizer* optimizer = Optimizer::get(capsule);
  if (!optimizer) return nullptr;
  tenon_value value{};
  const tenon_status status =
      group < 0 ? tenon_optimizer_get(context, optimizer, name.data, name.size(), &value)
                : tenon_optimizer_get_group(context, optimizer, static_cast<uint32_t>(group),
                                            name.data, name.size(), &value);
  return status == TENON_OK ? number_object(value) : fail(context, status);
}

// set_hyper(optimizer, name, number, group); group -1 means all
PyObject* set_hyper(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* number = nullptr;
  Text name;
  int group = -1;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "Os#Oi", &capsule, &name.data, &name.length, &number, &group)) {
    return nullptr;
  }
  tenon_optimizer* optimizer = Optimizer::get(capsule);
  tenon_value value{};
  const Converted converted = optimizer ? number_value(number, value) : Converted::Failed;
  if (converted == Converted::No) {
    return refuse_type("optimizer", name.data, "a number", number, "");
  }
  if (converted == Converted::Failed) return refuse_large("optimizer", name.data);
  return done(context,
              group < 0
                  ? tenon_optimizer_set(context, optimizer, name.data, name.size(), &value)
                  : tenon_optimizer_set_group(context, optimizer, static_cast<uint32_t>(group),
                                              name.data, name.size(), &value));
}

// get_optimizer_state(optimizer, index, name): a tensor, or None before the first step
PyObject* get_optimizer_state(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  unsigned index = 0;
  Text name;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "OIs#", &capsule, &index, &name.data, &name.length)) {
    return nullptr;
  }
  tenon_optimizer* optimizer = Optimizer::get(capsule);
  if (!optimizer) return nullptr;
  tenon_tensor* found = nullptr;
  const tenon_status status =
      tenon_optimizer_get_state(context, optimizer, index, name.data, name.size(), &found);
  return status == TENON_OK ? wrap_borrowed(found) : fail(context, status);
}

// set_optimizer_state(optimizer, index, name, tensor)
PyObject* set_optimizer_state(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* tensor = nullptr;
  unsigned index = 0;
  Text name;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "OIs#O", &capsule, &index, &name.data, &name.length, &tensor)) {
    return nullptr;
  }
  tenon_optimizer* optimizer = Optimizer::get(capsule);
  if (!optimizer || !tensor_argument(tensor, name.data)) return nullptr;
  return done(context, tenon_optimizer_set_state(context, optimizer, index, name.data, name.size(),
                                                 as_tensor(tensor)->handle));
}

// ---- schedule -----------------------------------------------------------------------------------

// create_schedule(name, base_value, options)
PyObject* create_schedule(PyObject*, PyObject* arguments) {
  Text name;
  double base = 0;
  PyObject* given = nullptr;
  Options options;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "s#dO", &name.data, &name.length, &base, &given) ||
      !options.read(name.data, given)) {
    return nullptr;
  }
  tenon_schedule* schedule = nullptr;
  const tenon_status status =
      tenon_schedule_create(context, name.data, name.size(), base, options.names.data(),
                            options.values.data(), options.count(), &schedule);
  return status == TENON_OK ? Schedule::make(schedule) : fail(context, status);
}

// run_schedule(schedule, metric): the next step's value
PyObject* run_schedule(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* measured = nullptr;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OO", &capsule, &measured)) return nullptr;
  tenon_schedule* schedule = Schedule::get(capsule);
  const double metric = !schedule || measured == Py_None ? 0 : PyFloat_AsDouble(measured);
  if (!schedule || PyErr_Occurred()) return nullptr;
  double value = 0;
  const tenon_status status =
      tenon_schedule_run(context, schedule, measured == Py_None ? nullptr : &metric, &value);
  return status == TENON_OK ? PyFloat_FromDouble(value) : fail(context, status);
}

// get_schedule_state(schedule, name), set_schedule_state(schedule, name, value)
PyObject* get_schedule_state(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  Text name;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "Os#", &capsule, &name.data, &name.length)) {
    return nullptr;
  }
  tenon_schedule* schedule = Schedule::get(capsule);
  if (!schedule) return nullptr;
  double value = 0;
  const tenon_status status =
      tenon_schedule_get_state(context, schedule, name.data, name.size(), &value);
  return status == TENON_OK ? PyFloat_FromDouble(value) : fail(context, status);
}

PyObject* set_schedule_state(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  Text name;
  double value = 0;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "Os#d", &capsule, &name.data, &name.length, &value)) {
    return nullptr;
  }
  tenon_schedule* schedule = Schedule::get(capsule);
  if (!schedule) return nullptr;
  return done(context, tenon_schedule_set_state(context, schedule, name.data, name.size(), value));
}

// ---- layers -------------------------------------------------------------------------------------

// create_layer(name, device, options): device None, or (kind, index)
PyObject* create_layer(PyObject*, PyObject* arguments) {
  Text name;
  PyObject* place = nullptr;
  PyObject* given = nullptr;
  tenon_device device{};
  Options options;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "s#OO", &name.data, &name.length, &place, &given) ||
      (place != Py_None && !PyArg_ParseTuple(place, "Ii", &device.kind, &device.index)) ||
      !options.read(name.data, given)) {
    return nullptr;
  }
  tenon_layer* layer = nullptr;
  const tenon_status status =
      tenon_layer_create(context, name.data, name.size(), place == Py_None ? nullptr : &device,
                         options.names.data(), options.values.data(), options.count(), &layer);
  return status == TENON_OK ? Layer::make(layer) : fail(context, status);
}

// add_child(layer, name, child)
PyObject* add_child(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* child_capsule = nullptr;
  Text name;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "Os#O", &capsule, &name.data, &name.length, &child_capsule)) {
    return nullptr;
  }
  tenon_layer* layer = Layer::get(capsule);
  tenon_layer* child = layer ? Layer::get(child_capsule) : nullptr;
  if (!child) return nullptr;
  return done(context, tenon_layer_set_child(context, layer, name.data, name.size(), child));
}

// set_training(layer, training)
PyObject* set_training(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  int training = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "Op", &capsule, &training)) return nullptr;
  tenon_layer* layer = Layer::get(capsule);
  if (!layer) return nullptr;
  return done(context, tenon_layer_set_training(context, layer, static_cast<uint32_t>(training)));
}

// move_layer(layer, device): device (kind, index)
PyObject* move_layer(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  tenon_device device{};
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "O(Ii)", &capsule, &device.kind, &device.index)) {
    return nullptr;
  }
  tenon_layer* layer = Layer::get(capsule);
  if (!layer) return nullptr;
  return done(context, run(context, Work::Long,
                           [&] { return tenon_layer_set_device(context, layer, &device); }));
}

// set_layer_cache(layer, batch, positions)
PyObject* set_layer_cache(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  long long batch = 0, positions = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OLL", &capsule, &batch, &positions)) return nullptr;
  tenon_layer* layer = Layer::get(capsule);
  if (!layer) return nullptr;
  return done(context, run(context, Work::Long, [&] {
                return tenon_layer_set_cache(context, layer, batch, positions);
              }));
}

// crop_layer_cache(layer, count)
PyObject* crop_layer_cache(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  long long count = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OL", &capsule, &count)) return nullptr;
  tenon_layer* layer = Layer::get(capsule);
  if (!layer) return nullptr;
  return done(context, tenon_layer_crop_cache(context, layer, count));
}

// call_layer(layer, inputs, n_outputs): a list of tensors
PyObject* call_layer(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* list = nullptr;
  unsigned n_outputs = 0;
  std::vector<tenon_tensor*> inputs;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OOI", &capsule, &list, &n_outputs) ||
      !read_tensors("layer", "inputs", list, true, inputs)) {
    return nullptr;
  }
  tenon_layer* layer = Layer::get(capsule);
  if (!layer) return nullptr;
  std::vector<tenon_value> values(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    values[i].tag = inputs[i] ? TENON_VALUE_TENSOR : TENON_VALUE_NONE;
    values[i].as.tensor = inputs[i];
  }
  std::vector<tenon_tensor*> outputs(n_outputs);
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_layer_call(context, layer, values.data(), static_cast<uint32_t>(values.size()),
                            outputs.data(), n_outputs);
  });
  return status == TENON_OK ? list_of(outputs) : fail(context, status);
}

// layer_tensors(layer): [(name, is_buffer, tensor), ...]
PyObject* layer_tensors(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_layer* layer = context ? Layer::get(capsule) : nullptr;
  Ref list(layer ? PyList_New(0) : nullptr);
  for (uint32_t i = 0; list; ++i) {
    const char* name = nullptr;
    uint32_t flags = 0;
    tenon_tensor* tensor = nullptr;
    const tenon_status status = tenon_layer_get_tensor(context, layer, i, &name, &flags, &tensor);
    if (status == TENON_E_NOT_FOUND) break;
    if (status != TENON_OK) return fail(context, status);
    const Ref entry(Py_BuildValue("sNN", name, PyBool_FromLong((flags & TENON_LAYER_BUFFER) != 0),
                                  wrap_borrowed(tensor)));
    if (!entry || PyList_Append(list.get(), entry.get()) < 0) return nullptr;
  }
  return list.release();
}

// share_layer_tensor(layer, name, tensor)
PyObject* share_layer_tensor(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* tensor = nullptr;
  Text name;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "Os#O", &capsule, &name.data, &name.length, &tensor)) {
    return nullptr;
  }
  tenon_layer* layer = Layer::get(capsule);
  if (!layer || !tensor_argument(tensor, name.data)) return nullptr;
  return done(context, tenon_layer_share_tensor(context, layer, name.data, name.size(),
                                                as_tensor(tensor)->handle));
}

// ---- plans --------------------------------------------------------------------------------------

// Contexts that capture a step. The core sees values that are read through it; here it is asked for
// memory that others read.
std::vector<tenon_context*> capturing;

// begin_capture(inputs)
PyObject* begin_capture(PyObject*, PyObject* list) {
  std::vector<tenon_tensor*> inputs;
  tenon_context* context = context_of_thread();
  if (!context || !read_tensors("capture", "inputs", list, false, inputs)) return nullptr;
  capturing.reserve(capturing.size() + 1);
  const tenon_status status =
      tenon_capture_begin(context, data_or_null(inputs), static_cast<uint32_t>(inputs.size()));
  if (status == TENON_OK) capturing.push_back(context);
  return done(context, status);
}

// end_capture(): a plan
PyObject* end_capture(PyObject*, PyObject*) {
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  tenon_plan* plan = nullptr;
  forget_captures(context);  // it ends, even if it cannot be replayed
  const tenon_status status = tenon_capture_end(context, &plan);
  return status == TENON_OK ? Plan::make(plan) : fail(context, status);
}

// run_plan(plan)
PyObject* run_plan(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_plan* plan = context ? Plan::get(capsule) : nullptr;
  if (!plan) return nullptr;
  return done(context, run(context, Work::Long, [&] { return tenon_plan_run(context, plan); }));
}

// set_plan_input(plan, index, tensor)
PyObject* set_plan_input(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* tensor = nullptr;
  unsigned index = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OIO", &capsule, &index, &tensor)) return nullptr;
  tenon_plan* plan = Plan::get(capsule);
  if (!plan || !tensor_argument(tensor, "capture")) return nullptr;
  return done(context, tenon_plan_set(context, plan, index, as_tensor(tensor)->handle));
}

// plan_text(plan)
PyObject* plan_text(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_plan* plan = context ? Plan::get(capsule) : nullptr;
  if (!plan) return nullptr;
  tenon_text* text = nullptr;
  const tenon_status status = tenon_plan_get_text(context, plan, &text);
  return status == TENON_OK ? text_object(text) : fail(context, status);
}

}  // namespace

void forget_captures(tenon_context* context) { std::erase(capturing, context); }

bool refuse_in_capture(tenon_context* context, const char* what, const char* hint) {
  if (std::find(capturing.begin(), capturing.end(), context) == capturing.end()) return false;
  refuse("CAPTURE", what, "x", "a call before or after the captured step", "one inside", hint);
  return true;
}

PyMethodDef object_methods[] = {
    {"create_optimizer", guarded<create_optimizer>, METH_VARARGS, nullptr},
    {"create_optimizer_groups", guarded<create_optimizer_groups>, METH_VARARGS, nullptr},
    {"run_optimizer", run_optimizer, METH_VARARGS, nullptr},
    {"get_hyper", get_hyper, METH_VARARGS, nullptr},
    {"set_hyper", set_hyper, METH_VARARGS, nullptr},
    {"get_optimizer_state", get_optimizer_state, METH_VARARGS, nullptr},
    {"set_optimizer_state", set_optimizer_state, METH_VARARGS, nullptr},
    {"create_schedule", guarded<create_schedule>, METH_VARARGS, nullptr},
    {"run_schedule", run_schedule, METH_VARARGS, nullptr},
    {"get_schedule_state", get_schedule_state, METH_VARARGS, nullptr},
    {"set_schedule_state", set_schedule_state, METH_VARARGS, nullptr},
    {"create_layer", guarded<create_layer>, METH_VARARGS, nullptr},
    {"add_child", add_child, METH_VARARGS, nullptr},
    {"set_training", set_training, METH_VARARGS, nullptr},
    {"move_layer", move_layer, METH_VARARGS, nullptr},
    {"set_layer_cache", set_layer_cache, METH_VARARGS, nullptr},
    {"crop_layer_cache", crop_layer_cache, METH_VARARGS, nullptr},
    {"call_layer", guarded<call_layer>, METH_VARARGS, nullptr},
    {"layer_tensors", layer_tensors, METH_O, nullptr},
    {"share_layer_tensor", share_layer_tensor, METH_VARARGS, nullptr},
    {"begin_capture", guarded<begin_capture>, METH_O, nullptr},
    {"end_capture", end_capture, METH_NOARGS, nullptr},
    {"run_plan", run_plan, METH_O, nullptr},
    {"set_plan_input", set_plan_input, METH_VARARGS, nullptr},
    {"plan_text", plan_text, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
