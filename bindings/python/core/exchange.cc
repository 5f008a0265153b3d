// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/exchange.cc: another library's tensors as operands and results of ops, on
// the same memory and without a capsule for each: for calls that come from that library.
//
// Without the library's table of C functions (dlpack.h) its own functions make the capsules, which
// is slower and means the same.
#include <cstddef>
#include <cstdio>
#include <iterator>

#include "bindings/python/core/exchange.h"

namespace tenon::python {

using namespace dlpack;

PyTypeObject* exchanged_type;

namespace {

PyTypeObject* exchange_type;

// Which operand of which op a tensor is, for messages; borrowed.
struct Place {
  const char* op;
  const char* operand;
};

// ---- theirs as ours -----------------------------------------------------------------------------

// The last user of the memory is gone, in whatever thread.
void drop_object(void* object) {
  if (!may_hold()) return;
  const Held held;
  Py_DECREF(static_cast<PyObject*>(object));
}

PyObject* refuse_device(const Array& array, const Place& place) {
  char found[48];
  std::snprintf(found, sizeof found, "DLPack's device type %d, number %d", array.device_type,
                array.device_id);
  return refuse("DEVICE", place.op, place.operand, "a tensor in host memory", found,
                "copy it there first: x.cpu()");
}

// NULL with an exception set for a dtype that Tenon has not.
const DtypeInfo* dtype_of(const Array& array, PyObject* object, const Place& place) {
  const DtypeInfo* info =
      array.lanes == 1 ? find_dtype_info(TENON_DTYPE_MAKE(array.code, array.bits)) : nullptr;
  if (info) return info;
  const Ref dtype(PyObject_GetAttrString(object, "dtype"));
  const Ref words(dtype ? PyObject_Str(dtype.get()) : nullptr);
  const char* text = words ? PyUnicode_AsUTF8(words.get()) : nullptr;
  if (text) {
    refuse("DTYPE", place.op, place.operand,
           "bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32 or float64", text,
           "convert it first: x.to(torch.float32)");
  }
  return nullptr;
}

PyObject* take_by_table(const ExchangeObject* exchange, PyObject* object, const Place& place) {
  Array array{};
  if (exchange->table->get_array(object, &array) < 0) return nullptr;
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  if (array.device_type != Array::kHost) return refuse_device(array, place);
  const DtypeInfo* dtype = dtype_of(array, object, place);
  if (!dtype) return nullptr;
  void* data = array.data ? static_cast<char*>(array.data) + array.byte_offset : nullptr;
  tenon_tensor* tensor = nullptr;
  const tenon_status status =
      tenon_tensor_create_external(context, dtype->dtype, array.rank, array.shape, array.strides,
                                   data, 0, drop_object, object, &tensor);
  if (status != TENON_OK) return fail(context, status);
  Py_INCREF(object);
  return wrap(tensor);
}

PyObject* take_by_capsule(const ExchangeObject* exchange, PyObject* object) {
  const Ref capsule(PyObject_CallOneArg(exchange->to_capsule, object));
  return capsule ? tensor_of_capsule(capsule.get(), 0) : nullptr;
}

// A tensor on the same memory, which keeps `object`.
PyObject* take_object(const ExchangeObject* exchange, PyObject* object, const Place& place) {
  return exchange->table ? take_by_table(exchange, object, place)
                         : take_by_capsule(exchange, object);
}

// ---- ours as theirs -----------------------------------------------------------------------------

// What may leave, one more owner: without history and, unless it goes `as_it_is`, row-major on
// memory that is Tenon's own, so that no result is a view of an operand. NULL with an exception
// set.
tenon_tensor* leaving(tenon_context* context, tenon_tensor* tensor, bool as_it_is) {
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  tenon_status status = tenon_tensor_get_info(context, tensor, &info);
  const bool plain =
      (info.flags & TENON_TENSOR_CONTIGUOUS) && !(info.flags & TENON_TENSOR_EXTERNAL);
  tenon_tensor* made = tensor;
  if (status == TENON_OK && (info.flags & TENON_TENSOR_REQUIRES_GRAD)) {
    status = tenon_tensor_create_detached(context, tensor, &made);
  } else {
    tenon_tensor_retain(tensor);
  }
  if (status == TENON_OK && !plain && !as_it_is) {
    tenon_tensor* const shared = made;
    status = tenon_tensor_create_clone(context, shared, TENON_CLONE_ROW_MAJOR, &made);
    tenon_tensor_release(shared);
  }
  if (status == TENON_OK) return made;
  fail(context, status);
  return nullptr;
}

PyObject* give_object(const ExchangeObject* exchange, PyObject* tensor, bool as_it_is) {
  tenon_context* context = context_of_thread();
  if (!context || refuse_in_capture(context, "a tensor of another library")) return nullptr;
  tenon_tensor* given = leaving(context, as_tensor(tensor)->handle, as_it_is);
  if (!given) return nullptr;
  void* managed = nullptr;
  const tenon_status status = tenon_tensor_get_dlpack(context, given, &managed);
  tenon_tensor_release(given);
  if (status != TENON_OK) return fail(context, status);
  if (exchange->table) {
    void* made = nullptr;
    const int failed = exchange->table->make_object(static_cast<Versioned*>(managed), &made);
    return failed ? nullptr : static_cast<PyObject*>(made);
  }
  const Ref capsule(capsule_of(static_cast<Versioned*>(managed)));
  return capsule ? PyObject_CallOneArg(exchange->from_capsule, capsule.get()) : nullptr;
}

// ---- one call -----------------------------------------------------------------------------------

// A list or tuple of tensors and None as a list; anything else as it is.
PyObject* take_list(const ExchangeObject* exchange, PyObject* given, const Place& place) {
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(given);
  bool any = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    any = any || is_theirs(exchange, PySequence_Fast_GET_ITEM(given, i));
  }
  if (!any) return Py_NewRef(given);
  Ref made(PyList_New(count));
  for (Py_ssize_t i = 0; made && i < count; ++i) {
    const Ref item(Py_NewRef(PySequence_Fast_GET_ITEM(given, i)));
    PyObject* taken = is_theirs(exchange, item.get()) ? take_object(exchange, item.get(), place)
                                                      : Py_NewRef(item.get());
    if (!taken) return nullptr;
    PyList_SET_ITEM(made.get(), i, taken);
  }
  return made.release();
}

// An argument as the op understands it.
PyObject* take_argument(const ExchangeObject* exchange, PyObject* given, const Place& place) {
  if (is_theirs(exchange, given)) return take_object(exchange, given, place);
  if (PyList_Check(given) || PyTuple_Check(given)) return take_list(exchange, given, place);
  if (Py_TYPE(given) != exchange->dtype_kind) return Py_NewRef(given);
  PyObject* known = PyDict_GetItemWithError(exchange->dtypes, given);
  if (known || PyErr_Occurred()) return Py_XNewRef(known);
  return refuse_type(place.op, place.operand, "a dtype that Tenon has", given, "");
}

PyObject* give_results(const ExchangeObject* exchange, PyObject* results) {
  if (is_tensor(results)) return give_object(exchange, results, false);
  if (!PyTuple_Check(results)) return Py_NewRef(results);
  const Py_ssize_t count = PyTuple_GET_SIZE(results);
  Ref made(PyTuple_New(count));
  for (Py_ssize_t i = 0; made && i < count; ++i) {
    PyObject* given = give_object(exchange, PyTuple_GET_ITEM(results, i), false);
    if (!given) return nullptr;
    PyTuple_SET_ITEM(made.get(), i, given);
  }
  return made.release();
}

Place place_of(const ExchangedOp* self, PyObject* name_of_op, Py_ssize_t index, PyObject* named) {
  PyObject* name = named;
  if (!name && index < PyTuple_GET_SIZE(self->names)) name = PyTuple_GET_ITEM(self->names, index);
  return {PyUnicode_AsUTF8(name_of_op), name ? PyUnicode_AsUTF8(name) : ""};
}

}  // namespace

PyObject* call_exchanged(const ExchangedOp* self, PyObject* const* arguments, Py_ssize_t positional,
                         PyObject* names) {
  const Py_ssize_t count = positional + (names ? PyTuple_GET_SIZE(names) : 0);
  PyObject* taken[2 * TENON_MAX_SLOTS];
  if (count > static_cast<Py_ssize_t>(std::size(taken))) {
    PyErr_SetString(PyExc_TypeError, "more arguments than an op can have");
    return nullptr;
  }
  const Ref name(PyObject_GetAttrString(self->op, "name"));
  Py_ssize_t done = 0;
  for (; name && done < count; ++done) {
    PyObject* named = done < positional ? nullptr : PyTuple_GET_ITEM(names, done - positional);
    taken[done] =
        take_argument(self->exchange, arguments[done], place_of(self, name.get(), done, named));
    if (!taken[done]) break;
  }
  const bool all = name && done == count;
  const Ref results(
      all ? PyObject_Vectorcall(self->op, taken, static_cast<size_t>(positional), names) : nullptr);
  PyObject* given = results ? give_results(self->exchange, results.get()) : nullptr;
  while (done > 0) Py_DECREF(taken[--done]);
  return given;
}

namespace {

PyObject* vectorcall(PyObject* self, PyObject* const* arguments, size_t flagged_count,
                     PyObject* names) {
  return call_exchanged(as_exchanged(self), arguments, PyVectorcall_NARGS(flagged_count), names);
}

// ---- the types ----------------------------------------------------------------------------------

// Exchange(table or None, kind, dtype kind, dtypes, to_capsule, from_capsule)
PyObject* make_exchange(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject* table = nullptr;
  PyObject* kind = nullptr;
  PyObject* dtype_kind = nullptr;
  PyObject* dtypes = nullptr;
  PyObject* to = nullptr;
  PyObject* from = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO!O!O!OO", &table, &PyType_Type, &kind, &PyType_Type,
                        &dtype_kind, &PyDict_Type, &dtypes, &to, &from)) {
    return nullptr;
  }
  const Exchange* found = nullptr;
  if (table != Py_None) {
    found = static_cast<const Exchange*>(PyCapsule_GetPointer(table, Exchange::kName));
    if (!found) return nullptr;
    while (found && found->major > 1) found = found->before;
  }
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  ExchangeObject* made = as_exchange(self);
  made->table = found;
  made->kind = reinterpret_cast<PyTypeObject*>(Py_NewRef(kind));
  made->dtype_kind = reinterpret_cast<PyTypeObject*>(Py_NewRef(dtype_kind));
  made->dtypes = Py_NewRef(dtypes);
  made->to_capsule = Py_NewRef(to);
  made->from_capsule = Py_NewRef(from);
  return self;
}

void drop_exchange(PyObject* self) {
  const ExchangeObject* exchange = as_exchange(self);
  Py_XDECREF(exchange->kind);
  Py_XDECREF(exchange->dtype_kind);
  for (PyObject* each : {exchange->dtypes, exchange->to_capsule, exchange->from_capsule}) {
    Py_XDECREF(each);
  }
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* take(PyObject* self, PyObject* object) {
  if (!is_theirs(as_exchange(self), object)) {
    return refuse_type("take", "x", as_exchange(self)->kind->tp_name, object, "");
  }
  return take_object(as_exchange(self), object, {"take", "x"});
}

PyObject* give(PyObject* self, PyObject* tensor) {
  if (!is_tensor(tensor)) return refuse_type("give", "x", "a tensor", tensor, "");
  return give_object(as_exchange(self), tensor, false);
}

// PyTorch has no negative strides: they are refused before they get there.
PyObject* share(PyObject* self, PyObject* tensor) {
  if (!is_tensor(tensor)) return refuse_type("share", "x", "a tensor", tensor, "");
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  tenon_view view{};
  const tenon_status status = tenon_tensor_get_view(context, as_tensor(tensor)->handle, &view);
  if (status != TENON_OK) return fail(context, status);
  for (int32_t i = 0; i < view.rank; ++i) {
    if (view.strides[i] >= 0) continue;
    const Ref strides(PyObject_GetAttrString(tensor, "strides"));
    const Ref words(strides ? PyObject_Str(strides.get()) : nullptr);
    const char* found = words ? PyUnicode_AsUTF8(words.get()) : nullptr;
    if (!found) return nullptr;
    return refuse("LAYOUT", "share", "x", "strides of 0 and above", found, "x.contiguous()");
  }
  return give_object(as_exchange(self), tensor, true);
}

PyMethodDef exchange_functions[] = {
    {"take", take, METH_O, "take(x): a tensor on the memory of theirs."},
    {"give", give, METH_O, "give(x): theirs, row-major, on memory that is nobody else's."},
    {"share", share, METH_O, "share(x): theirs, on the memory of x."},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef exchange_members[] = {
    {"dtypes", T_OBJECT, offsetof(ExchangeObject, dtypes), READONLY, "{theirs: ours}"},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot exchange_slots[] = {{Py_tp_new, reinterpret_cast<void*>(make_exchange)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(drop_exchange)},
                                {Py_tp_methods, exchange_functions},
                                {Py_tp_members, exchange_members},
                                {0, nullptr}};
PyType_Spec exchange_spec = {"tenon._core.Exchange", sizeof(ExchangeObject), 0, Py_TPFLAGS_DEFAULT,
                             exchange_slots};

// ExchangedOp(op, exchange, names)
PyObject* make_exchanged(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject* op = nullptr;
  PyObject* exchange = nullptr;
  PyObject* names = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!O!O!", state.op_type, &op, exchange_type, &exchange,
                        &PyTuple_Type, &names)) {
    return nullptr;
  }
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  ExchangedOp* made = as_exchanged(self);
  made->vectorcall = vectorcall;
  made->op = Py_NewRef(op);
  made->exchange = as_exchange(Py_NewRef(exchange));
  made->names = Py_NewRef(names);
  return self;
}

void drop_exchanged(PyObject* self) {
  Py_XDECREF(as_exchanged(self)->op);
  Py_XDECREF(as_exchanged(self)->exchange);
  Py_XDECREF(as_exchanged(self)->names);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef exchanged_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ExchangedOp, vectorcall), READONLY, nullptr},
    {"op", T_OBJECT, offsetof(ExchangedOp, op), READONLY, "The op of the registry."},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot exchanged_slots[] = {{Py_tp_new, reinterpret_cast<void*>(make_exchanged)},
                                 {Py_tp_dealloc, reinterpret_cast<void*>(drop_exchanged)},
                                 {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                 {Py_tp_members, exchanged_members},
                                 {0, nullptr}};
PyType_Spec exchanged_spec = {"tenon._core.ExchangedOp", sizeof(ExchangedOp), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, exchanged_slots};

// placeholder(dtype, shape, strides): a tensor without values, for what asks about calls. Its
// memory is an address that nothing may look at.
PyObject* placeholder(PyObject*, PyObject* arguments) {
  PyObject* dtype = nullptr;
  PyObject* shape = nullptr;
  PyObject* strides = nullptr;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OO!O!", &dtype, &PyTuple_Type, &shape,
                                    &PyTuple_Type, &strides)) {
    return nullptr;
  }
  const tenon_dtype known = dtype_from(dtype);
  int64_t numbers[2][TENON_MAX_RANK] = {};
  const Py_ssize_t rank = PyTuple_GET_SIZE(shape);
  if (!known || rank > TENON_MAX_RANK || PyTuple_GET_SIZE(strides) != rank) {
    if (known) PyErr_SetString(PyExc_ValueError, "a rank that Tenon has not");
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < rank; ++i) {
    numbers[0][i] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i));
    numbers[1][i] = PyLong_AsLongLong(PyTuple_GET_ITEM(strides, i));
  }
  if (PyErr_Occurred()) return nullptr;
  static char nowhere[16];
  tenon_tensor* tensor = nullptr;
  const tenon_status status =
      tenon_tensor_create_external(context, known, static_cast<int32_t>(rank), numbers[0],
                                   numbers[1], nowhere, 0, nullptr, nullptr, &tensor);
  return status == TENON_OK ? wrap(tensor) : fail(context, status);
}

}  // namespace

PyMethodDef exchange_methods[] = {
    {"placeholder", placeholder, METH_VARARGS, "placeholder(dtype, shape, strides): no values."},
    {nullptr, nullptr, 0, nullptr}};

bool add_exchange_types(PyObject* module) {
  PyObject* exchange = PyType_FromModuleAndSpec(module, &exchange_spec, nullptr);
  PyObject* exchanged = PyType_FromModuleAndSpec(module, &exchanged_spec, nullptr);
  exchange_type = reinterpret_cast<PyTypeObject*>(exchange);
  exchanged_type = reinterpret_cast<PyTypeObject*>(exchanged);
  return exchange && exchanged && PyModule_AddObjectRef(module, "Exchange", exchange) == 0 &&
         PyModule_AddObjectRef(module, "ExchangedOp", exchanged) == 0;
}

}  // namespace tenon::python
