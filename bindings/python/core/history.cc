// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/history.cc: the history of a run, and its progress line. All of it keeps the
// GIL: an object is used by one thread at a time, and calls are short.
#include <tenon/ext/draft/progress.h>

#include "bindings/python/core/handles.h"

namespace tenon::python {

namespace {

using History = Handle<tenon_history, tenon_history_release, "history">;
using Progress = Handle<tenon_progress, tenon_progress_release, "progress">;

// ---- the history --------------------------------------------------------------------------------

PyObject* create_history(PyObject*, PyObject*) {
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  tenon_history* history = nullptr;
  const tenon_status status = tenon_history_create(context, &history);
  return status == TENON_OK ? History::make(history) : fail(context, status);
}

// add_point(history, name, step, value)
PyObject* add_point(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* count = nullptr;
  PyObject* number = nullptr;
  Text name;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "Os#OO", &capsule, &name.data, &name.length, &count, &number)) {
    return nullptr;
  }
  tenon_history* history = History::get(capsule);
  const int64_t step = history ? PyLong_AsLongLong(count) : 0;
  if (PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return refuse_large("history", "step");
    PyErr_Clear();
    return refuse_type("history", "step", "an integer", count, "");
  }
  const double value = PyFloat_AsDouble(number);
  if (PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return nullptr;
    PyErr_Clear();
    return refuse_type("history", "value", "a number", number, "");
  }
  return done(context, tenon_history_set(context, history, name.data, name.size(), step, value));
}

// history_points(history, name): [(step, value), ...]
PyObject* history_points(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  Text name;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "Os#", &capsule, &name.data, &name.length)) {
    return nullptr;
  }
  tenon_history* history = History::get(capsule);
  Ref list(history ? PyList_New(0) : nullptr);
  for (uint64_t i = 0; list; ++i) {
    int64_t step = 0;
    double value = 0;
    const tenon_status status =
        tenon_history_get(context, history, name.data, name.size(), i, &step, &value);
    // A series has at least one point, so that the first is missing only if the series is.
    if (status == TENON_E_NOT_FOUND && i > 0) break;
    if (status != TENON_OK) return fail(context, status);
    const Ref point(Py_BuildValue("Ld", static_cast<long long>(step), value));
    if (!point || PyList_Append(list.get(), point.get()) < 0) return nullptr;
  }
  return list.release();
}

// write_events(history, folder): folder as bytes
PyObject* write_events(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  Text folder;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "Oy#", &capsule, &folder.data, &folder.length)) {
    return nullptr;
  }
  tenon_history* history = History::get(capsule);
  if (!history) return nullptr;
  return done(context, tenon_history_set_events(context, history, folder.data, folder.size()));
}

// history_text(history, topic)
PyObject* history_text(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  Text topic;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "Os#", &capsule, &topic.data, &topic.length)) {
    return nullptr;
  }
  tenon_history* history = History::get(capsule);
  if (!history) return nullptr;
  tenon_text* text = nullptr;
  const tenon_status status =
      tenon_history_query(context, history, topic.data, topic.size(), &text);
  return status == TENON_OK ? text_object(text) : fail(context, status);
}

// save_history(history, path, title, axis): path as bytes
PyObject* save_history(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  Text path;
  Text title;
  Text axis;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "Oy#s#s#", &capsule, &path.data, &path.length,
                                    &title.data, &title.length, &axis.data, &axis.length)) {
    return nullptr;
  }
  tenon_history* history = History::get(capsule);
  if (!history) return nullptr;
  return done(context, tenon_history_save(context, history, path.data, path.size(), title.data,
                                          title.size(), axis.data, axis.size()));
}

// ---- the line -----------------------------------------------------------------------------------

// create_progress(label, total)
PyObject* create_progress(PyObject*, PyObject* arguments) {
  Text label;
  long long total = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "s#L", &label.data, &label.length, &total)) {
    return nullptr;
  }
  tenon_progress* progress = nullptr;
  const tenon_status status =
      tenon_progress_create(context, label.data, label.size(), total, 0, &progress);
  return status == TENON_OK ? Progress::make(progress) : fail(context, status);
}

// run_progress(progress, done)
PyObject* run_progress(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  long long units = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OL", &capsule, &units)) return nullptr;
  tenon_progress* progress = Progress::get(capsule);
  if (!progress) return nullptr;
  return done(context, tenon_progress_run(context, progress, units, nullptr, 0, 0));
}

}  // namespace

PyMethodDef history_methods[] = {{"create_history", create_history, METH_NOARGS, nullptr},
                                 {"add_point", add_point, METH_VARARGS, nullptr},
                                 {"history_points", history_points, METH_VARARGS, nullptr},
                                 {"write_events", write_events, METH_VARARGS, nullptr},
                                 {"history_text", history_text, METH_VARARGS, nullptr},
                                 {"save_history", save_history, METH_VARARGS, nullptr},
                                 {"create_progress", create_progress, METH_VARARGS, nullptr},
                                 {"run_progress", run_progress, METH_VARARGS, nullptr},
                                 {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
