// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/dtype.cc: dtypes as Python objects, one for each, compared by identity.
#include <array>
#include <cstring>

#include "bindings/python/core/core.h"

namespace tenon::python {

namespace {

constexpr std::array<DtypeInfo, 10> kDtypes = {{
    {TENON_DTYPE_BOOL, "bool", "bool", "?", 1},
    {TENON_DTYPE_U8, "uint8", "u8", "B", 1},
    {TENON_DTYPE_I8, "int8", "i8", "b", 1},
    {TENON_DTYPE_I16, "int16", "i16", "h", 2},
    {TENON_DTYPE_I32, "int32", "i32", "i", 4},
    {TENON_DTYPE_I64, "int64", "i64", "q", 8},
    {TENON_DTYPE_F16, "float16", "f16", "e", 2},
    {TENON_DTYPE_BF16, "bfloat16", "bf16", "", 2},
    {TENON_DTYPE_F32, "float32", "f32", "f", 4},
    {TENON_DTYPE_F64, "float64", "f64", "d", 8},
}};

struct DtypeObject {
  PyObject_HEAD const DtypeInfo* info;
};

std::array<PyObject*, kDtypes.size()> objects;

const DtypeInfo& info_of(PyObject* self) { return *reinterpret_cast<DtypeObject*>(self)->info; }

PyObject* represent(PyObject* self) { return PyUnicode_FromFormat("tenon.%s", info_of(self).name); }

PyObject* get_name(PyObject* self, void*) { return PyUnicode_FromString(info_of(self).name); }

PyObject* get_item_size(PyObject* self, void*) { return PyLong_FromLong(info_of(self).bytes); }

PyObject* is_floating_point(PyObject* self, void*) {
  const tenon_dtype code = info_of(self).dtype & 0xff;
  return PyBool_FromLong(code == 2 || code == 4);
}

// The name under which `tenon` holds it: that is all a pickle needs.
PyObject* reduce(PyObject* self, PyObject*) { return get_name(self, nullptr); }

PyGetSetDef attributes[] = {
    {"name", get_name, nullptr, "The name, also NumPy's.", nullptr},
    {"itemsize", get_item_size, nullptr, "Bytes of one element.", nullptr},
    {"is_floating_point", is_floating_point, nullptr, "Is it a float of any size?", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_repr, reinterpret_cast<void*>(represent)},
                       {Py_tp_getset, attributes},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char*>("The type of a tensor's elements.")},
                       {0, nullptr}};

PyType_Spec spec = {"tenon.Dtype", sizeof(DtypeObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

const DtypeInfo* find_dtype_info(tenon_dtype dtype) {
  for (const DtypeInfo& info : kDtypes) {
    if (info.dtype == dtype) return &info;
  }
  return nullptr;
}

const DtypeInfo* find_format(const char* format, Py_ssize_t bytes) {
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  // The C types whose size depends on the machine.
  const char letter = *format == 'l' || *format == 'n' ? (bytes == 8 ? 'q' : 'i') : *format;
  if (!letter || format[1]) return nullptr;
  for (const DtypeInfo& info : kDtypes) {
    if (info.format[0] == letter && info.bytes == bytes) return &info;
  }
  return nullptr;
}

PyObject* dtype_object(tenon_dtype dtype) {
  for (size_t i = 0; i < kDtypes.size(); ++i) {
    if (kDtypes[i].dtype == dtype) return objects[i];
  }
  return PyErr_Format(PyExc_TypeError, "Tenon's Python module does not know the dtype 0x%x", dtype);
}

tenon_dtype dtype_from(PyObject* object) {
  if (Py_TYPE(object) == state.dtype_type) return info_of(object).dtype;
  if (PyUnicode_Check(object)) {
    const char* name = PyUnicode_AsUTF8(object);
    if (!name) return 0;
    for (const DtypeInfo& info : kDtypes) {
      if (!std::strcmp(name, info.name) || !std::strcmp(name, info.schema)) return info.dtype;
    }
  }
  const Ref found(PyObject_CallOneArg(state.hooks.find_dtype, object));
  return found && Py_TYPE(found.get()) == state.dtype_type ? info_of(found.get()).dtype : 0;
}

namespace {

PyObject* as_dtype(PyObject*, PyObject* given) {
  const tenon_dtype dtype = dtype_from(given);
  return dtype ? Py_XNewRef(dtype_object(dtype)) : nullptr;
}

PyMethodDef dtype_methods[] = {
    {"as_dtype", as_dtype, METH_O, "as_dtype(given): the Dtype that it names."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_dtypes(PyObject* module) {
  if (PyModule_AddFunctions(module, dtype_methods) < 0) return false;
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  if (!type) return false;
  state.dtype_type = reinterpret_cast<PyTypeObject*>(type);
  if (PyModule_AddObjectRef(module, "Dtype", type) < 0) return false;
  for (size_t i = 0; i < kDtypes.size(); ++i) {
    auto* object = PyObject_New(DtypeObject, state.dtype_type);
    if (!object) return false;
    object->info = &kDtypes[i];
    objects[i] = reinterpret_cast<PyObject*>(object);
    if (PyModule_AddObjectRef(module, kDtypes[i].name, objects[i]) < 0) return false;
  }
  return true;
}

}  // namespace tenon::python
