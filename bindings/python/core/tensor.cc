// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/tensor.cc: tenon.Tensor: a Python object around one tensor handle.
//
// Objects of dead tensors are kept for new ones: results of small ops come and go all the time.
// Python's garbage collector looks only at tensors with hooks: no other refers to Python. The type
// is open to setattr, so that tenon/_tensor.py can add the methods that are written in Python.
#include <tenon/ext/draft/ownership.h>

#include <array>
#include <cstddef>

#include "bindings/python/core/values.h"

namespace tenon::python {

namespace {

// ---- life ---------------------------------------------------------------------------------------

std::array<TensorObject*, 256> unused;
size_t n_unused = 0;

void deallocate(PyObject* self) {
  TensorObject* tensor = as_tensor(self);
  if (tensor->weak_references) PyObject_ClearWeakRefs(self);
  while (tensor->hooks) [[unlikely]] hide_hook(tensor->hooks);
  tenon_tensor_release(tensor->handle);
  PyTypeObject* type = Py_TYPE(self);
  if (n_unused < unused.size()) {
    unused[n_unused++] = tensor;
  } else {
    PyObject_GC_Del(self);
  }
  Py_DECREF(type);
}

// What hooks refer to is reached through the tensor if it goes with this object, and with layers
// whose objects lead to this one. Otherwise Tenon holds them for somebody who is not seen here.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!as_tensor(self)->hooks) return 0;
  if (!tenon_tensor_is_held_by(as_tensor(self)->handle, as_tensor(self)->layers)) return 0;
  for (const HookObject* hook = as_tensor(self)->hooks; hook; hook = hook->next) {
    Py_VISIT(hook->function);
  }
  return 0;
}

// ---- what it is ---------------------------------------------------------------------------------

// The view of `self`; false with an exception set.
bool get_view(PyObject* self, tenon_view& view) {
  tenon_context* context = context_of_thread();
  return context && python::get_view(context, as_tensor(self)->handle, view);
}

bool get_info(PyObject* self, tenon_tensor_info& info) {
  tenon_context* context = context_of_thread();
  if (!context) return false;
  info.struct_size = sizeof info;
  const tenon_status status = tenon_tensor_get_info(context, as_tensor(self)->handle, &info);
  if (status != TENON_OK) fail(context, status);
  return status == TENON_OK;
}

PyObject* get_shape(PyObject* self, void*) {
  tenon_view view{};
  return get_view(self, view) ? tuple_of(view.shape, view.rank) : nullptr;
}

PyObject* get_strides(PyObject* self, void*) {
  tenon_view view{};
  return get_view(self, view) ? tuple_of(view.strides, view.rank) : nullptr;
}

PyObject* get_rank(PyObject* self, void*) {
  tenon_view view{};
  return get_view(self, view) ? PyLong_FromLong(view.rank) : nullptr;
}

// A number that may be called, since there is a method of that name elsewhere (tenon/_called.py).
PyObject* called(PyObject* make, PyObject* number) {
  const Ref owned(number);
  return owned ? PyObject_CallOneArg(make, owned.get()) : nullptr;
}

PyObject* get_size(PyObject* self, void*) {
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  return called(state.hooks.make_size, PyLong_FromLongLong(elements_of(context, as_tensor(self))));
}

PyObject* get_dtype(PyObject* self, void*) {
  tenon_view view{};
  return get_view(self, view) ? Py_XNewRef(dtype_object(view.dtype)) : nullptr;
}

// (kind, index) as the runtime numbers them; tenon/_tensor.py knows the kinds' names.
PyObject* get_device_numbers(PyObject* self, void*) {
  tenon_view view{};
  return get_view(self, view) ? Py_BuildValue("Ii", view.device.kind, view.device.index) : nullptr;
}

// Tells tensors apart, if several objects stand for one.
PyObject* get_handle(PyObject* self, void*) { return PyLong_FromVoidPtr(as_tensor(self)->handle); }

PyObject* get_address(PyObject* self, void*) {
  tenon_view view{};
  return get_view(self, view) ? called(state.hooks.make_address, PyLong_FromVoidPtr(view.data))
                              : nullptr;
}

// `bit` of tenon_tensor_info.flags, as a bool.
template <uint32_t bit>
PyObject* get_flag(PyObject* self, void*) {
  tenon_tensor_info info{};
  return get_info(self, info) ? PyBool_FromLong((info.flags & bit) != 0) : nullptr;
}

PyObject* get_contiguous(PyObject* self, void*) {
  return called(state.hooks.make_truth, get_flag<TENON_TENSOR_CONTIGUOUS>(self, nullptr));
}

PyObject* get_version(PyObject* self, void*) {
  tenon_tensor_info info{};
  return get_info(self, info) ? PyLong_FromUnsignedLongLong(info.version) : nullptr;
}

PyObject* get_storage(PyObject* self, void*) {
  tenon_tensor_info info{};
  return get_info(self, info) ? PyLong_FromUnsignedLongLong(info.storage) : nullptr;
}

PyObject* get_node(PyObject* self, void*) {
  tenon_tensor_info info{};
  return get_info(self, info) ? PyUnicode_FromString(info.node) : nullptr;
}

int set_requires_grad(PyObject* self, PyObject* wanted, void*) {
  tenon_context* context = context_of_thread();
  const int required = context && wanted ? PyObject_IsTrue(wanted) : -1;
  if (required < 0) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "requires_grad cannot be deleted");
    return -1;
  }
  const tenon_status status = tenon_tensor_set_requires_grad(context, as_tensor(self)->handle,
                                                             static_cast<uint32_t>(required));
  if (status != TENON_OK) fail(context, status);
  return status == TENON_OK ? 0 : -1;
}

PyObject* get_grad(PyObject* self, void*) {
  tenon_context* context = context_of_thread();
  tenon_tensor* grad = nullptr;
  if (!context) return nullptr;
  const tenon_status status = tenon_tensor_get_grad(context, as_tensor(self)->handle, &grad);
  return status == TENON_OK ? wrap_borrowed(grad) : fail(context, status);
}

int set_grad(PyObject* self, PyObject* grad, void*) {
  tenon_context* context = context_of_thread();
  if (!context) return -1;
  const bool none = !grad || grad == Py_None;
  if (!none && !is_tensor(grad)) {
    refuse_type("grad", "grad", "a tensor or None", grad, "");
    return -1;
  }
  const tenon_status status = tenon_tensor_set_grad(context, as_tensor(self)->handle,
                                                    none ? nullptr : as_tensor(grad)->handle);
  if (status != TENON_OK) fail(context, status);
  return status == TENON_OK ? 0 : -1;
}

// ---- values -------------------------------------------------------------------------------------

bool get_value(PyObject* self, tenon_value& value) {
  tenon_context* context = context_of_thread();
  if (!context) return false;
  const tenon_status status = tenon_tensor_get_item(context, as_tensor(self)->handle, &value);
  if (status != TENON_OK) fail(context, status);
  return status == TENON_OK;
}

PyObject* item(PyObject* self, PyObject*) {
  tenon_value value{};
  return get_value(self, value) ? number_object(value) : nullptr;
}

int is_true(PyObject* self) {
  tenon_value value{};
  if (!get_value(self, value)) return -1;
  return value.tag == TENON_VALUE_F64 ? value.as.f64 != 0 : value.as.i64 != 0;
}

PyObject* to_float(PyObject* self) {
  const Ref number(item(self, nullptr));
  return number ? PyNumber_Float(number.get()) : nullptr;
}

PyObject* to_int(PyObject* self) {
  const Ref number(item(self, nullptr));
  return number ? PyNumber_Long(number.get()) : nullptr;
}

PyObject* to_index(PyObject* self) {
  tenon_value value{};
  if (!get_value(self, value)) return nullptr;
  if (value.tag == TENON_VALUE_I64) return PyLong_FromLongLong(value.as.i64);
  return refuse("type", "index", "x", "an integer", "a tensor of another dtype", "");
}

PyObject* text(PyObject* self, uint32_t flags) {
  tenon_context* context = context_of_thread();
  tenon_text* words = nullptr;
  if (!context) return nullptr;
  const tenon_status status =
      tenon_tensor_get_text(context, as_tensor(self)->handle, flags, &words);
  return status == TENON_OK ? text_object(words) : fail(context, status);
}

PyObject* represent(PyObject* self) { return text(self, 0); }

PyObject* info_text(PyObject* self, PyObject*) { return text(self, TENON_TEXT_INFO); }

Py_ssize_t length(PyObject* self) {
  tenon_view view{};
  if (!get_view(self, view)) return -1;
  if (view.rank == 0) {
    refuse("type", "len", "x", "a tensor of rank 1 or more", "rank 0", "x.item() is its number");
    return -1;
  }
  return view.shape[0];
}

// ---- methods ------------------------------------------------------------------------------------

// The ops of the registry are methods, found when they are first used.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* attribute = PyObject_GenericGetAttr(self, name);
  if (attribute || !PyErr_ExceptionMatches(PyExc_AttributeError)) return attribute;
  if (PyUnicode_READ_CHAR(name, 0) == '_') return nullptr;
  PyErr_Clear();
  PyObject* const arguments[] = {self, name};
  return PyObject_Vectorcall(state.hooks.find_method, arguments, 2, nullptr);
}

template <tenon_status (*function)(tenon_context*, tenon_tensor*, tenon_tensor**)>
PyObject* derive(PyObject* self, PyObject*) {
  tenon_context* context = context_of_thread();
  tenon_tensor* derived = nullptr;
  if (!context) return nullptr;
  const tenon_status status = function(context, as_tensor(self)->handle, &derived);
  return status == TENON_OK ? wrap(derived) : fail(context, status);
}

tenon_status clone_preserving(tenon_context* context, tenon_tensor* tensor, tenon_tensor** out) {
  return tenon_tensor_create_clone(context, tensor, TENON_CLONE_PRESERVE, out);
}

PyGetSetDef attributes[] = {
    {"shape", get_shape, nullptr, "Lengths of the dimensions, a tuple.", nullptr},
    {"strides", get_strides, nullptr, "Steps between neighbours, in elements.", nullptr},
    {"ndim", get_rank, nullptr, "How many dimensions there are.", nullptr},
    {"size", get_size, nullptr, "How many elements there are.", nullptr},
    {"dtype", get_dtype, nullptr, "The type of the elements.", nullptr},
    {"_handle", get_handle, nullptr, nullptr, nullptr},
    {"_device_numbers", get_device_numbers, nullptr, nullptr, nullptr},
    {"data_ptr", get_address, nullptr, "The address of element (0, ..., 0).", nullptr},
    {"is_contiguous", get_contiguous, nullptr, "Is it row-major, without gaps?", nullptr},
    {"is_read_only", get_flag<TENON_TENSOR_READ_ONLY>, nullptr, "May it not be written?", nullptr},
    {"is_leaf", get_flag<TENON_TENSOR_LEAF>, nullptr, "Was it made by no recorded op?", nullptr},
    {"requires_grad", get_flag<TENON_TENSOR_REQUIRES_GRAD>, set_requires_grad,
     "Does a gradient flow through it? May be set on leaves.", nullptr},
    {"has_grad_rows", get_flag<TENON_TENSOR_GRAD_ROWS>, nullptr,
     "Is its gradient held as rows? Then `grad_rows()` gives it.", nullptr},
    {"grad", get_grad, set_grad, "The gradient collected so far, or None.", nullptr},
    {"version", get_version, nullptr, "Advanced by every write through Tenon.", nullptr},
    {"storage", get_storage, nullptr, "Equal for tensors that share memory.", nullptr},
    {"node", get_node, nullptr, "The recorded op that made it, or ''.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"item", item, METH_NOARGS, "item()\n--\n\nThe only element, as a Python number."},
    {"info", info_text, METH_NOARGS,
     "info()\n--\n\nThe values with strides, storage, version and statistics, as text."},
    {"_clone_preserving", derive<clone_preserving>, METH_NOARGS, nullptr},
    {"detach", derive<tenon_tensor_create_detached>, METH_NOARGS,
     "detach()\n--\n\nThe same memory without history."},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

const PyType_Slot own_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_repr, reinterpret_cast<void*>(represent)},
    {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_nb_bool, reinterpret_cast<void*>(is_true)},
    {Py_nb_float, reinterpret_cast<void*>(to_float)},
    {Py_nb_int, reinterpret_cast<void*>(to_int)},
    {Py_nb_index, reinterpret_cast<void*>(to_index)},
    {Py_mp_length, reinterpret_cast<void*>(length)},
    {Py_sq_length, reinterpret_cast<void*>(length)},
    {Py_mp_subscript, reinterpret_cast<void*>(get_item)},
    {Py_mp_ass_subscript, reinterpret_cast<void*>(set_item)},
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
    {Py_tp_doc,
     const_cast<char*>("An array of numbers of one dtype on one device. tenon.tensor(...) makes "
                       "one; ops of the registry are its methods.")}};

}  // namespace

PyObject* tuple_of(const int64_t* numbers, int32_t count) {
  Ref tuple(PyTuple_New(count));
  for (int32_t i = 0; tuple && i < count; ++i) {
    PyObject* number = PyLong_FromLongLong(numbers[i]);
    if (!number) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, number);
  }
  return tuple.release();
}

bool get_view(tenon_context* context, tenon_tensor* tensor, tenon_view& view) {
  const tenon_status status = tenon_tensor_get_view(context, tensor, &view);
  if (status != TENON_OK) fail(context, status);
  return status == TENON_OK;
}

PyObject* wrap(tenon_tensor* handle) {
  TensorObject* tensor = nullptr;
  if (n_unused) [[likely]] {
    tensor = unused[--n_unused];
    PyObject_Init(reinterpret_cast<PyObject*>(tensor), state.tensor_type);
  } else {
    tensor = PyObject_GC_New(TensorObject, state.tensor_type);
    if (!tensor) {
      tenon_tensor_release(handle);
      return nullptr;
    }
  }
  tensor->handle = handle;
  tensor->weak_references = nullptr;
  tensor->hooks = nullptr;
  tensor->layers = 0;
  tensor->elements = -1;
  return reinterpret_cast<PyObject*>(tensor);
}

PyObject* wrap_borrowed(tenon_tensor* handle) {
  if (!handle) Py_RETURN_NONE;
  tenon_tensor_retain(handle);
  return wrap(handle);
}

int64_t elements_of(tenon_context* context, TensorObject* tensor) {
  if (tensor->elements >= 0) return tensor->elements;
  tenon_view view{};
  if (tenon_tensor_get_view(context, tensor->handle, &view) != TENON_OK) return 0;
  int64_t elements = 1;
  for (int32_t i = 0; i < view.rank; ++i) elements *= view.shape[i];
  return tensor->elements = elements;
}

void show_hook(TensorObject* tensor, HookObject* hook) {
  if (!tensor->hooks) PyObject_GC_Track(tensor);
  hook->shown_by = tensor;
  hook->next = tensor->hooks;
  tensor->hooks = hook;
}

void hide_hook(HookObject* hook) {
  if (!hook->shown_by) return;
  HookObject** place = &hook->shown_by->hooks;
  while (*place != hook) place = &(*place)->next;
  *place = hook->next;
  // With the last one the collector's interest ends: the object may be kept for another tensor.
  if (!hook->shown_by->hooks) PyObject_GC_UnTrack(hook->shown_by);
  hook->shown_by = nullptr;
}

bool add_tensor_type(PyObject* module) {
  std::vector<PyType_Slot> slots(std::begin(own_slots), std::end(own_slots));
  for (const PyType_Slot* slot = operator_slots; slot->slot; ++slot) slots.push_back(*slot);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"tenon.Tensor", sizeof(TensorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots.data()};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  if (!type) return false;
  state.tensor_type = reinterpret_cast<PyTypeObject*>(type);
  return PyModule_AddObjectRef(module, "Tensor", type) == 0;
}

}  // namespace tenon::python
