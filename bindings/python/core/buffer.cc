// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/buffer.cc: Python's buffer protocol, in both directions, and copies out of
// buffers.
//
// Who writes through a shared buffer is not seen by Tenon: the tensor's version does not move.
#include <cstring>
#include <memory>

#include "bindings/python/core/core.h"

namespace tenon::python {

namespace {

// ---- tensors as buffers -------------------------------------------------------------------------

int refuse_buffer(Py_buffer* view, const char* why) {
  view->obj = nullptr;
  PyErr_SetString(PyExc_BufferError, why);
  return -1;
}

// Why the memory of `self` cannot be lent with these flags; NULL if it can.
const char* find_problem(const tenon_tensor_info& info, const DtypeInfo* dtype, int flags) {
  if (!(info.flags & TENON_TENSOR_HOST)) {
    return "Tenon: the tensor is not in host memory: copy it there first, x.to(\"cpu\")";
  }
  if (info.flags & TENON_TENSOR_REQUIRES_GRAD) {
    return "Tenon: the tensor requires a gradient, which would not see what others do: "
           "x.detach() first";
  }
  if (!dtype || !*dtype->format) {
    return "Tenon: buffers have no such dtype: cast it first, x.astype(tenon.float32)";
  }
  if ((flags & PyBUF_WRITABLE) && (info.flags & TENON_TENSOR_READ_ONLY)) {
    return "Tenon: the tensor is read-only";
  }
  const bool strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  const bool row_major = (info.flags & TENON_TENSOR_CONTIGUOUS) != 0;
  if (!row_major && (!strided || (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS)) {
    return "Tenon: the tensor is not row-major, and the receiver takes no strides: "
           "x.contiguous() first";
  }
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS) {
    return "Tenon: tensors are lent row-major or with strides, not column-major";
  }
  return nullptr;
}

}  // namespace

int get_buffer(PyObject* self, Py_buffer* out, int flags) {
  out->obj = nullptr;
  tenon_context* context = context_of_thread();
  if (!context || refuse_in_capture(context, "buffer")) return -1;
  tenon_view view{};
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  tenon_status status = tenon_tensor_get_view(context, as_tensor(self)->handle, &view);
  if (status == TENON_OK) status = tenon_tensor_get_info(context, as_tensor(self)->handle, &info);
  if (status != TENON_OK) {
    fail(context, status);
    return -1;
  }
  const DtypeInfo* dtype = find_dtype_info(view.dtype);
  if (const char* problem = find_problem(info, dtype, flags)) return refuse_buffer(out, problem);
  auto* numbers = PyMem_New(Py_ssize_t, static_cast<size_t>(2 * view.rank + 1));
  if (!numbers) return refuse_buffer(out, "Tenon: no memory");
  for (int32_t i = 0; i < view.rank; ++i) {
    numbers[i] = view.shape[i];
    numbers[view.rank + i] = view.strides[i] * dtype->bytes;
  }
  static char nothing = 0;  // what an empty tensor points to
  out->buf = view.data ? view.data : &nothing;
  out->obj = Py_NewRef(self);
  out->itemsize = dtype->bytes;
  out->len = info.elements * dtype->bytes;
  out->readonly = (info.flags & TENON_TENSOR_READ_ONLY) != 0;
  out->ndim = view.rank;
  out->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(dtype->format) : nullptr;
  out->shape = (flags & PyBUF_ND) ? numbers : nullptr;
  out->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? numbers + view.rank : nullptr;
  out->suboffsets = nullptr;
  out->internal = numbers;
  return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { PyMem_Free(view->internal); }

namespace {

// ---- buffers as tensors -------------------------------------------------------------------------

// A buffer that has been asked for, given back when nobody has taken it.
struct Borrowed {
  Py_buffer view{};
  bool held = false;

  ~Borrowed() {
    if (held) PyBuffer_Release(&view);
  }
};

// What Tenon needs to know of a buffer.
struct Layout {
  const DtypeInfo* dtype = nullptr;
  int64_t shape[TENON_MAX_RANK];
  int64_t strides[TENON_MAX_RANK];  // in elements
  bool even = true;                 // all strides are whole elements
};

bool read_layout(const Py_buffer& view, Layout& out) {
  const char* format = view.format ? view.format : "B";
  out.dtype = find_format(format, view.itemsize);
  if (!out.dtype) {
    refuse("type", "tensor", "data", "bool, integers of 8 to 64 bits or floats of 16 to 64", format,
           "elements of another format have to be converted first");
    return false;
  }
  if (view.ndim > TENON_MAX_RANK) {
    refuse("value", "tensor", "data", "at most 8 dimensions", "more", "");
    return false;
  }
  int64_t step = 1;
  for (int i = view.ndim - 1; i >= 0; --i) {
    out.shape[i] = view.shape[i];
    out.strides[i] = step;
    step *= view.shape[i];
    if (!view.strides) continue;  // row-major; ctypes says it so, even when asked for strides
    out.strides[i] = view.strides[i] / view.itemsize;
    out.even = out.even && view.strides[i] % view.itemsize == 0;
  }
  return true;
}

// copy_buffer(object): a tensor of its own with the buffer's contents.
PyObject* copy_buffer(PyObject*, PyObject* object) {
  tenon_context* context = context_of_thread();
  Borrowed borrowed;
  Layout layout;
  if (!context || PyObject_GetBuffer(object, &borrowed.view, PyBUF_FULL_RO) < 0) return nullptr;
  borrowed.held = true;
  const Py_buffer& view = borrowed.view;
  if (!read_layout(view, layout)) return nullptr;
  const void* data = view.buf;
  std::unique_ptr<void, void (*)(void*)> row_major(nullptr, PyMem_Free);
  if (!PyBuffer_IsContiguous(&view, 'C')) {
    row_major.reset(PyMem_Malloc(static_cast<size_t>(view.len) + 1));
    if (!row_major) return PyErr_NoMemory();
    if (PyBuffer_ToContiguous(row_major.get(), const_cast<Py_buffer*>(&view), view.len, 'C') < 0) {
      return nullptr;
    }
    data = row_major.get();
  }
  tenon_tensor* tensor = nullptr;
  const tenon_status status =
      tenon_tensor_create_from(context, layout.dtype->dtype, nullptr, view.ndim, layout.shape, data,
                               static_cast<uint64_t>(view.len), &tensor);
  return status == TENON_OK ? wrap(tensor) : fail(context, status);
}

// Gives a shared buffer back, from any thread, while there is an interpreter to give it to.
void give_back(void* user) {
  if (!may_hold()) return;
  const Held held;
  auto* view = static_cast<Py_buffer*>(user);
  PyBuffer_Release(view);
  delete view;
}

// share_buffer(object): a tensor on the buffer's own memory, which stays alive as long as it.
PyObject* share_buffer(PyObject*, PyObject* object) {
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  auto borrowed = std::make_unique<Borrowed>();
  if (PyObject_GetBuffer(object, &borrowed->view, PyBUF_FULL) < 0) {
    PyErr_Clear();  // perhaps it can be read
    if (PyObject_GetBuffer(object, &borrowed->view, PyBUF_FULL_RO) < 0) return nullptr;
  }
  borrowed->held = true;
  const Py_buffer& view = borrowed->view;
  Layout layout;
  if (!read_layout(view, layout)) return nullptr;
  if (!layout.even) {
    return refuse("value", "asarray", "data", "strides of whole elements", "others",
                  "tenon.tensor(...) copies it");
  }
  auto* kept = new Py_buffer(view);
  tenon_tensor* tensor = nullptr;
  const tenon_status status = tenon_tensor_create_external(
      context, layout.dtype->dtype, view.ndim, layout.shape, layout.strides, view.buf,
      view.readonly ? TENON_VIEW_READ_ONLY : 0, give_back, kept, &tensor);
  if (status != TENON_OK) {
    delete kept;
    return fail(context, status);
  }
  borrowed->held = false;
  return wrap(tensor);
}

// ---- copies of values ---------------------------------------------------------------------------

// get_bytes(tensor): the values in row-major order, from any device.
PyObject* get_bytes(PyObject*, PyObject* tensor) {
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  if (!is_tensor(tensor)) return refuse_type("get_bytes", "x", "a tensor", tensor, "");
  tenon_view view{};
  tenon_status status = tenon_tensor_get_view(context, as_tensor(tensor)->handle, &view);
  if (status != TENON_OK) return fail(context, status);
  const DtypeInfo* dtype = find_dtype_info(view.dtype);
  const int64_t bytes = elements_of(context, as_tensor(tensor)) * (dtype ? dtype->bytes : 0);
  Ref out(PyBytes_FromStringAndSize(nullptr, bytes));
  if (!out) return nullptr;
  char* data = PyBytes_AS_STRING(out.get());
  status = run(context, Work::Medium, [&] {
    return tenon_tensor_get_data(context, as_tensor(tensor)->handle, data,
                                 static_cast<uint64_t>(bytes));
  });
  return status == TENON_OK ? out.release() : fail(context, status);
}

// from_bytes(bytes, dtype, shape): a tensor of its own with these values in row-major order.
PyObject* from_bytes(PyObject*, PyObject* arguments) {
  tenon_context* context = context_of_thread();
  Py_buffer bytes{};
  PyObject* dtype = nullptr;
  PyObject* shape = nullptr;
  if (!context || !PyArg_ParseTuple(arguments, "y*OO!", &bytes, &dtype, &PyTuple_Type, &shape)) {
    return nullptr;
  }
  Borrowed borrowed{bytes, true};
  int64_t lengths[TENON_MAX_RANK];
  const Py_ssize_t rank = PyTuple_GET_SIZE(shape);
  for (Py_ssize_t i = 0; i < rank && i < TENON_MAX_RANK; ++i) {
    lengths[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i));
  }
  const tenon_dtype type = PyErr_Occurred() ? 0 : dtype_from(dtype);
  if (!type) return nullptr;
  tenon_tensor* tensor = nullptr;
  const tenon_status status =
      tenon_tensor_create_from(context, type, nullptr, static_cast<int32_t>(rank), lengths,
                               bytes.buf, static_cast<uint64_t>(bytes.len), &tensor);
  return status == TENON_OK ? wrap(tensor) : fail(context, status);
}

}  // namespace

PyMethodDef buffer_methods[] = {
    {"copy_buffer", copy_buffer, METH_O, "copy_buffer(object): a tensor with its contents."},
    {"share_buffer", guarded<share_buffer>, METH_O,
     "share_buffer(object): a tensor on its memory."},
    {"get_bytes", get_bytes, METH_O, "get_bytes(tensor): its values, row-major."},
    {"from_bytes", from_bytes, METH_VARARGS, "from_bytes(bytes, dtype, shape): a tensor."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
