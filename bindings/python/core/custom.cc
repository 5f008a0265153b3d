// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/custom.cc: ops, kernels and backward rules that are written in Python, as
// plugins of the process. Each is one plugin, so that each can come and go by itself.
#include "bindings/python/core/custom.h"

#include <cstring>
#include <memory>

#include "bindings/python/core/handles.h"

namespace tenon::python {

namespace {

// What the query function hands out next: it gets no pointer of ours. Guarded by the GIL.
Custom* loading = nullptr;

tenon_string string_of(const std::string& text) { return {text.data(), text.size()}; }

tenon_status init(const tenon_host*, void** out_self, tenon_diag*) {
  *out_self = loading;
  return TENON_OK;
}

void drop_functions(Custom& custom) {
  Py_CLEAR(custom.function);
  Py_CLEAR(custom.shape);
}

// With the runtime, after the interpreter's end; or at once, if the plugin was refused.
void release(void* self) {
  auto* custom = static_cast<Custom*>(self);
  if (loading == custom) return;
  delete custom;
}

const void* get_interface(void* self, const char* id, uint64_t length) {
  const auto* custom = static_cast<Custom*>(self);
  const std::string_view name(id, length == TENON_NUL ? std::strlen(id) : length);
  if (name == "tenon.ops/1" && custom->ops.count) return &custom->ops;
  if (name == "tenon.kernels/1" && custom->kernels.count) return &custom->kernels;
  return name == "tenon.vjps/1" && custom->rules.count ? &custom->rules : nullptr;
}

tenon_status query(const tenon_host* host, tenon_plugin* out, tenon_diag*) {
  out->built_major = TENON_ABI_MAJOR;
  out->built_minor = TENON_ABI_MINOR;
  out->required_minor = TENON_ABI_MINOR;
  out->fingerprint = host->fingerprint;
  out->id = string_of(loading->id);
  out->version = {"0", 1};
  out->license = {"", 0};
  out->init = init;
  out->release = release;
  out->get_interface = get_interface;
  return TENON_OK;
}

using OwnedCustom = std::unique_ptr<Custom>;

PyObject* load(tenon_context* context, OwnedCustom custom) {
  loading = custom.get();
  const tenon_status status = tenon_plugin_load(context, query);
  loading = nullptr;
  if (status == TENON_OK) {
    return PyCapsule_New(custom.release(), "tenon.custom", nullptr);
  }
  drop_functions(*custom);
  return fail(context, status);
}

// load_op(id, name, schema, doc, shape, composition): a capsule. composition may be None.
PyObject* load_op(PyObject*, PyObject* arguments) {
  Text id, name, schema, doc;
  PyObject* shape = nullptr;
  PyObject* composition = nullptr;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "s#s#s#s#OO", &id.data, &id.length, &name.data,
                                    &name.length, &schema.data, &schema.length, &doc.data,
                                    &doc.length, &shape, &composition)) {
    return nullptr;
  }
  auto custom = std::make_unique<Custom>();
  custom->id.assign(id.data, id.size());
  custom->op.assign(name.data, name.size());
  custom->schema.assign(schema.data, schema.size());
  custom->doc.assign(doc.data, doc.size());
  custom->shape = Py_NewRef(shape);
  tenon_op_desc& desc = custom->op_desc;
  desc.struct_size = sizeof desc;
  desc.name = string_of(custom->op);
  desc.schema = string_of(custom->schema);
  desc.doc = string_of(custom->doc);
  desc.revision = 1;
  desc.shape_rule = TENON_SHAPE_CALLBACK;
  desc.infer = infer_custom;
  if (composition != Py_None) {
    custom->function = Py_NewRef(composition);
    desc.compose = compose_custom;
  }
  custom->ops.count = 1;
  return load(context, std::move(custom));
}

// [(dtype, ...), ...], one dtype for each type variable
bool read_rows(PyObject* rows, std::vector<tenon_dtype>& out) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); ++i) {
    PyObject* row = PyList_GET_ITEM(rows, i);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(row); ++k) {
      out.push_back(dtype_from(PyTuple_GET_ITEM(row, k)));
      if (!out.back()) return false;
    }
  }
  return true;
}

// load_kernel(id, op, (inputs, outputs, attributes), rows, function): a capsule
PyObject* load_kernel(PyObject*, PyObject* arguments) {
  Text id, op;
  PyObject* rows = nullptr;
  PyObject* function = nullptr;
  auto custom = std::make_unique<Custom>();
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "s#s#(III)O!O", &id.data, &id.length, &op.data, &op.length,
                        &custom->n_inputs, &custom->n_outputs, &custom->n_attributes, &PyList_Type,
                        &rows, &function) ||
      !read_rows(rows, custom->rows)) {
    return nullptr;
  }
  custom->id.assign(id.data, id.size());
  custom->op.assign(op.data, op.size());
  custom->function = Py_NewRef(function);
  custom->slots.resize(custom->n_inputs);
  custom->slots.resize(custom->n_inputs + custom->n_outputs, {TENON_SLOT_OUT, 0, 0, 0});
  const auto n_rows = static_cast<uint32_t>(PyList_GET_SIZE(rows));
  tenon_kernel_desc& desc = custom->kernel_desc;
  desc.struct_size = sizeof desc;
  desc.flags = TENON_KERNEL_CANONICAL | TENON_KERNEL_INDEX_64;
  desc.op = string_of(custom->op);
  desc.device = {"cpu", 3};
  desc.revision = 1;
  desc.slots = custom->slots.data();
  desc.n_slots = custom->n_inputs + custom->n_outputs;
  desc.n_attrs = custom->n_attributes;
  desc.n_rows = n_rows;
  desc.n_variables = n_rows ? static_cast<uint32_t>(custom->rows.size()) / n_rows : 0;
  desc.dtype_rows = custom->rows.data();
  desc.launch = launch_custom;
  custom->kernels.count = 1;
  return load(context, std::move(custom));
}

// load_rule(id, op, (inputs, outputs, attributes), saved_inputs, saved_outputs, twice, function): a
// capsule
PyObject* load_rule(PyObject*, PyObject* arguments) {
  Text id, op;
  PyObject* function = nullptr;
  unsigned long long inputs = 0;
  unsigned long long outputs = 0;
  int twice = 0;
  auto custom = std::make_unique<Custom>();
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "s#s#(III)KKpO", &id.data, &id.length, &op.data,
                                    &op.length, &custom->n_inputs, &custom->n_outputs,
                                    &custom->n_attributes, &inputs, &outputs, &twice, &function)) {
    return nullptr;
  }
  custom->id.assign(id.data, id.size());
  custom->op.assign(op.data, op.size());
  custom->function = Py_NewRef(function);
  custom->saved_inputs = inputs;
  custom->saved_outputs = outputs;
  custom->needs.assign(custom->n_inputs, {inputs, outputs, 0, 0});
  tenon_vjp_desc& desc = custom->rule_desc;
  desc.struct_size = sizeof desc;
  desc.flags = twice ? TENON_VJP_TWICE : 0;
  desc.op = string_of(custom->op);
  desc.revision = 1;
  desc.n_inputs = custom->n_inputs;
  desc.n_outputs = custom->n_outputs;
  desc.n_attrs = custom->n_attributes;
  desc.needs = custom->needs.data();
  desc.vjp = run_custom_rule;
  custom->rules.count = 1;
  return load(context, std::move(custom));
}

// unload_custom(capsule): takes it out of use, once calls of other threads have left it.
PyObject* unload_custom(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  auto* custom = static_cast<Custom*>(PyCapsule_GetPointer(capsule, "tenon.custom"));
  if (!context || !custom) return nullptr;
  const tenon_status status = run(context, Work::Long, [&] {
    return tenon_plugin_deactivate(context, custom->id.data(), custom->id.size());
  });
  if (status != TENON_OK) return fail(context, status);
  drop_functions(*custom);
  Py_RETURN_NONE;
}

}  // namespace

PyMethodDef custom_methods[] = {{"load_op", guarded<load_op>, METH_VARARGS, nullptr},
                                {"load_kernel", guarded<load_kernel>, METH_VARARGS, nullptr},
                                {"load_rule", guarded<load_rule>, METH_VARARGS, nullptr},
                                {"unload_custom", unload_custom, METH_O, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
