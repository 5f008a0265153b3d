// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/runtime.cc: one runtime for the process, made at its first use, one context
// for each thread, and calls that run without the GIL.
//
// A thread's context lies in its thread-state dictionary and goes with the thread. The runtime goes
// after the interpreter, when no Python object can ask for it any more.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <tenon/ext/draft/checks.h>
#include <tenon/ext/draft/memory.h>
#include <tenon/ext/draft/op_log.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "bindings/python/core/foreign.h"

namespace tenon::python {

State state;

namespace {

constexpr const char* kContextKey = "tenon.context";

// ---- the runtime --------------------------------------------------------------------------------

// What `tenon._runtime.options()` says, with the memory that tenon_runtime_options points to.
struct Options {
  tenon_runtime_options options{};
  std::vector<std::string> paths;
  std::vector<std::string> exclude;
  std::vector<tenon_string> path_strings;
  std::vector<tenon_string> exclude_strings;
  std::string check;
  std::string allowlist;
};

bool read_texts(PyObject* dictionary, const char* name, std::vector<std::string>& out) {
  PyObject* list = PyDict_GetItemString(dictionary, name);
  if (!list) return true;
  const Ref items(PySequence_Fast(list, "a list of texts is needed"));
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    const char* text = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(items.get(), i));
    if (!text) return false;
    out.emplace_back(text);
  }
  return true;
}

bool read_text(PyObject* dictionary, const char* name, std::string& out) {
  PyObject* text = PyDict_GetItemString(dictionary, name);
  if (!text) return true;
  const char* bytes = PyUnicode_AsUTF8(text);
  if (bytes) out = bytes;
  return bytes != nullptr;
}

template <class Number>
bool read_number(PyObject* dictionary, const char* name, Number& out) {
  PyObject* number = PyDict_GetItemString(dictionary, name);
  if (!number) return true;
  const long long value = PyLong_AsLongLong(number);
  if (value == -1 && PyErr_Occurred()) return false;
  out = static_cast<Number>(value);
  return true;
}

std::vector<tenon_string> strings_of(const std::vector<std::string>& texts) {
  std::vector<tenon_string> strings;
  for (const std::string& text : texts) strings.push_back({text.data(), text.size()});
  return strings;
}

bool read_options(Options& out) {
  const Ref given(PyObject_CallNoArgs(state.hooks.runtime_options));
  if (!given) return false;
  tenon_runtime_options& options = out.options;
  if (!read_texts(given.get(), "paths", out.paths) ||
      !read_texts(given.get(), "exclude", out.exclude) ||
      !read_text(given.get(), "check", out.check) ||
      !read_text(given.get(), "allowlist", out.allowlist) ||
      !read_number(given.get(), "policy", options.policy) ||
      !read_number(given.get(), "threads", options.threads) ||
      !read_number(given.get(), "memory_limit", options.memory_limit)) {
    return false;
  }
  out.path_strings = strings_of(out.paths);
  out.exclude_strings = strings_of(out.exclude);
  options.struct_size = sizeof options;
  options.paths = out.path_strings.data();
  options.n_paths = static_cast<uint32_t>(out.path_strings.size());
  options.exclude = out.exclude_strings.data();
  options.n_exclude = static_cast<uint32_t>(out.exclude_strings.size());
  options.check = {out.check.data(), out.check.size()};
  options.allowlist = {out.allowlist.data(), out.allowlist.size()};
  return true;
}

// Contexts of threads that were running when the interpreter ended: these go on until the process
// does, and what they use stays.
bool outlived = false;

bool ended = false;  // the interpreter has

void release_runtime() {
  ended = true;
  if (!release_foreign_contexts() || outlived) return;
  tenon_runtime_release(state.runtime);
  state.runtime = nullptr;
}

bool make_runtime() {
  Options options;
  try {
    if (!read_options(options)) return false;
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return false;
  }
  tenon_diag diag{};
  const tenon_status status = tenon_runtime_create(&options.options, &diag, &state.runtime);
  if (status != TENON_OK) {
    fail_without_context(status, diag.message);
    return false;
  }
  Py_AtExit(release_runtime);
  return true;
}

// ---- contexts -----------------------------------------------------------------------------------

void release_context(PyObject* capsule) {
  auto* context = static_cast<tenon_context*>(PyCapsule_GetPointer(capsule, kContextKey));
  // A thread that ends drops its own; the end of the interpreter drops those that are left.
  if (PyCapsule_GetContext(capsule) != reinterpret_cast<void*>(pthread_self())) {
    outlived = true;
    return;
  }
  if (context == state.context) {
    state.thread = nullptr;
    state.context = nullptr;
  }
  forget_captures(context);
  tenon_context_release(context);
}

tenon_context* make_context(PyObject* dictionary) {
  if (!state.runtime && !make_runtime()) return nullptr;
  tenon_diag diag{};
  tenon_context* context = nullptr;
  const tenon_status status = tenon_context_create(state.runtime, &diag, &context);
  if (status != TENON_OK) {
    fail_without_context(status, diag.message);
    return nullptr;
  }
  const Ref capsule(PyCapsule_New(context, kContextKey, release_context));
  if (!capsule) {
    tenon_context_release(context);
    return nullptr;
  }
  seed_new_thread(context);
  PyCapsule_SetContext(capsule.get(), reinterpret_cast<void*>(pthread_self()));
  return PyDict_SetItemString(dictionary, kContextKey, capsule.get()) < 0 ? nullptr : context;
}

}  // namespace

bool has_ended() { return ended; }
bool may_hold() { return !ended && (Py_IsInitialized() || PyGILState_Check()); }

bool has_context() {
  PyObject* dictionary = PyThreadState_GetDict();
  return dictionary && PyDict_GetItemString(dictionary, kContextKey);
}

tenon_context* find_context() {
  PyObject* dictionary = PyThreadState_GetDict();
  if (!dictionary) {
    PyErr_SetString(PyExc_RuntimeError, "Tenon: this thread has no Python thread state");
    return nullptr;
  }
  PyObject* capsule = PyDict_GetItemString(dictionary, kContextKey);
  tenon_context* context =
      capsule ? static_cast<tenon_context*>(PyCapsule_GetPointer(capsule, kContextKey))
              : make_context(dictionary);
  if (context) {
    state.thread = PyThreadState_Get();
    state.context = context;
  }
  return context;
}

// ---- Ctrl-C -------------------------------------------------------------------------------------

namespace {

// The context of the main thread while a long call runs in it.
std::atomic<tenon_context*> watched{nullptr};
std::atomic<bool> interrupted{false};
struct sigaction python_action;

// Python's own handler only takes a note, which is read once the call has returned.
void on_interrupt(int number) {
  if (tenon_context* context = watched.load()) {
    interrupted.store(true);
    tenon_context_interrupt(context);
  }
  python_action.sa_handler(number);
}

bool in_main_thread() { return syscall(SYS_gettid) == getpid(); }

bool watch(tenon_context* context) {
  if (watched.load() || !in_main_thread()) return false;
  if (sigaction(SIGINT, nullptr, &python_action) != 0 || (python_action.sa_flags & SA_SIGINFO) ||
      python_action.sa_handler == SIG_DFL || python_action.sa_handler == SIG_IGN) {
    return false;  // nobody would turn the signal into an exception
  }
  struct sigaction ours = python_action;
  ours.sa_handler = on_interrupt;
  interrupted.store(false);
  watched.store(context);
  return sigaction(SIGINT, &ours, nullptr) == 0;
}

void unwatch() {
  watched.store(nullptr);
  sigaction(SIGINT, &python_action, nullptr);
}

}  // namespace

Released::Released(tenon_context* context, Work work)
    : thread_(nullptr), watched_(work == Work::Long && watch(context) ? context : nullptr) {
  thread_ = PyEval_SaveThread();
}

namespace {

// Runs `take`, which takes the GIL. An interpreter that has ended ends other threads there, up to
// Python 3.13 by unwinding them: our frames would give back objects without the GIL, and callers
// that may not throw would end the process. Such a thread stands still instead.
template <class Take>
auto take_gil(Take take) {
  try {
    return take();
  } catch (...) {
    while (true) pause();
  }
}

}  // namespace

Released::~Released() {
  take_gil([this] { PyEval_RestoreThread(thread_); });
  if (watched_) unwatch();
}

Held::Held() : fresh_(!PyGILState_GetThisThreadState()), state_(take_gil(PyGILState_Ensure)) {}

Held::~Held() {
  if (fresh_ && PyErr_Occurred()) note_raised();
  PyGILState_Release(state_);
}

Lent::Lent(tenon_context* context) {
  if (state.thread == PyThreadState_Get() && state.context == context) return;
  PyObject* dictionary = PyThreadState_GetDict();
  PyObject* own = dictionary ? PyDict_GetItemString(dictionary, kContextKey) : nullptr;
  if (own && PyCapsule_GetPointer(own, kContextKey) == context) return;
  before_ = Ref(Py_XNewRef(own));
  const Ref capsule(dictionary ? PyCapsule_New(context, kContextKey, nullptr) : nullptr);
  good_ = capsule && PyDict_SetItemString(dictionary, kContextKey, capsule.get()) == 0;
  exchanged_ = good_;
  state.thread = nullptr;
}

Lent::~Lent() {
  if (!exchanged_) return;
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);  // of the callback
  PyObject* dictionary = PyThreadState_GetDict();
  if (before_) {
    PyDict_SetItemString(dictionary, kContextKey, before_.get());
  } else {
    PyDict_DelItemString(dictionary, kContextKey);
  }
  PyErr_Restore(type, value, traceback);
  state.thread = nullptr;
}

void drop_late_interrupt(tenon_context* context) {
  if (!interrupted.exchange(false)) return;
  const tenon_op* op = nullptr;
  tenon_tensor* unused = nullptr;
  tenon_value shape{};
  shape.tag = TENON_VALUE_INT_LIST;
  if (tenon_op_find(context, "tenon.full", TENON_NUL, 0, &op) == TENON_OK &&
      tenon_op_call(context, op, nullptr, 0, &shape, 1, &unused, 1) == TENON_OK) {
    tenon_tensor_release(unused);
  }
}

// ---- functions of the module --------------------------------------------------------------------

PyObject* text_object(tenon_text* text) {
  const char* data = nullptr;
  uint64_t length = 0;
  tenon_text_get(text, &data, &length);
  PyObject* object = PyUnicode_DecodeUTF8(data, static_cast<Py_ssize_t>(length), "replace");
  tenon_text_release(text);
  return object;
}

namespace {

PyObject* query(PyObject*, PyObject* topic) {
  tenon_context* context = context_of_thread();
  Py_ssize_t length = 0;
  const char* name = context ? text_argument(topic, "query", "topic", &length) : nullptr;
  if (!name) return nullptr;
  tenon_text* text = nullptr;
  const tenon_status status =
      tenon_runtime_query(context, name, static_cast<uint64_t>(length), &text);
  return status == TENON_OK ? text_object(text) : fail(context, status);
}

PyObject* stats(PyObject*, PyObject*) {
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  tenon_stats counted{};
  counted.struct_size = sizeof counted;
  const tenon_status status = tenon_runtime_get_stats(context, &counted);
  if (status != TENON_OK) return fail(context, status);
  return Py_BuildValue("{s:L,s:L,s:L,s:L,s:K,s:K,s:K,s:K,s:K}", "tensors", counted.tensors,
                       "storages", counted.storages, "nodes", counted.nodes, "plans", counted.plans,
                       "bytes_live", counted.bytes_live, "bytes_peak", counted.bytes_peak,
                       "bytes_reserved", counted.bytes_reserved, "allocations", counted.allocations,
                       "launches", counted.launches);
}

PyObject* release_cache(PyObject*, PyObject*) {
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  uint64_t bytes = 0;
  const tenon_status status = tenon_runtime_release_cache(context, nullptr, &bytes);
  return status == TENON_OK ? PyLong_FromUnsignedLongLong(bytes) : fail(context, status);
}

PyObject* set_threads(PyObject*, PyObject* given) {
  tenon_context* context = context_of_thread();
  const long threads = context ? PyLong_AsLong(given) : -1;
  if (!context || PyErr_Occurred()) return nullptr;
  const auto wanted = static_cast<int32_t>(std::clamp(threads, -1L, long{INT32_MAX}));
  return done(context, tenon_runtime_set_threads(context, wanted));
}

// dtype_info(dtype): flags, bits, digits, the two integer limits, min, max, eps, tiny, subnormal
PyObject* dtype_info(PyObject*, PyObject* given) {
  tenon_context* context = context_of_thread();
  const tenon_dtype dtype = context ? dtype_from(given) : TENON_DTYPE_NONE;
  if (dtype == TENON_DTYPE_NONE) return nullptr;
  tenon_dtype_info info{};
  info.struct_size = sizeof info;
  const tenon_status status = tenon_dtype_get_info(context, dtype, &info);
  if (status != TENON_OK) return fail(context, status);
  return Py_BuildValue("IIILLddddd", info.flags, info.bits, info.digits,
                       static_cast<long long>(info.int_min), static_cast<long long>(info.int_max),
                       info.min, info.max, info.eps, info.tiny, info.tiny_subnormal);
}

PyObject* is_started(PyObject*, PyObject*) { return PyBool_FromLong(state.runtime != nullptr); }

PyObject* find_device(PyObject*, PyObject* arguments) {
  const char* kind = nullptr;
  Py_ssize_t length = 0;
  int index = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "s#i", &kind, &length, &index)) return nullptr;
  tenon_device device{};
  const tenon_status status =
      tenon_device_find(context, kind, static_cast<uint64_t>(length), index, &device);
  return status == TENON_OK ? Py_BuildValue("Ii", device.kind, device.index)
                            : fail(context, status);
}

PyObject* set_arithmetic(PyObject*, PyObject* fast) {
  tenon_context* context = context_of_thread();
  const int wanted = context ? PyObject_IsTrue(fast) : -1;
  if (wanted < 0) return nullptr;
  return done(context, tenon_context_set_arithmetic(
                           context, wanted ? TENON_ARITHMETIC_FAST : TENON_ARITHMETIC_CANONICAL));
}

PyObject* begin_scope(PyObject*, PyObject* label) {
  tenon_context* context = context_of_thread();
  Py_ssize_t length = 0;
  const char* text = context ? text_argument(label, "scope", "label", &length) : nullptr;
  if (!text) return nullptr;
  return done(context, tenon_scope_begin(context, text, static_cast<uint64_t>(length)));
}

PyObject* begin_grad_mode(PyObject*, PyObject* mode) {
  tenon_context* context = context_of_thread();
  const unsigned long number = context ? PyLong_AsUnsignedLong(mode) : 0;
  if (!context || PyErr_Occurred()) return nullptr;
  return done(context, tenon_grad_begin(context, static_cast<uint32_t>(number)));
}

// A function of the C API that takes the context alone.
template <tenon_status (*function)(tenon_context*)>
PyObject* with_context(PyObject*, PyObject*) {
  tenon_context* context = context_of_thread();
  return context ? done(context, function(context)) : nullptr;
}

PyObject* begin_finite_check(PyObject*, PyObject*) {
  tenon_context* context = context_of_thread();
  return context ? done(context, tenon_check_begin(context, TENON_CHECK_FINITE)) : nullptr;
}

// An exception of the program's own function cannot leave the op that is told of.
void print_line(void* function, const char* line, uint64_t length) {
  const PyGILState_STATE held = PyGILState_Ensure();
  PyObject* const text =
      PyUnicode_DecodeUTF8(line, static_cast<Py_ssize_t>(length), "backslashreplace");
  PyObject* const done =
      text ? PyObject_CallOneArg(static_cast<PyObject*>(function), text) : nullptr;
  if (!done) PyErr_WriteUnraisable(static_cast<PyObject*>(function));
  Py_XDECREF(done);
  Py_XDECREF(text);
  PyGILState_Release(held);
}

// Borrows the function until end_op_log.
PyObject* begin_op_log(PyObject*, PyObject* function) {
  tenon_context* context = context_of_thread();
  return context ? done(context, tenon_op_log_begin(context, print_line, function)) : nullptr;
}

PyObject* end_trace(PyObject*, PyObject*) {
  tenon_context* context = context_of_thread();
  if (!context) return nullptr;
  tenon_text* text = nullptr;
  const tenon_status status = tenon_trace_end(context, &text);
  return status == TENON_OK ? text_object(text) : fail(context, status);
}

}  // namespace

PyMethodDef runtime_methods[] = {
    {"query", query, METH_O, "query(topic): what the runtime knows of it, as JSON text."},
    {"release_cache", release_cache, METH_NOARGS, "Gives back memory that is kept for reuse."},
    {"stats", stats, METH_NOARGS, "Live objects, memory and launches."},
    {"is_started", is_started, METH_NOARGS, "Has the runtime been made?"},
    {"find_device", find_device, METH_VARARGS, "find_device(kind, index): two numbers."},
    {"set_arithmetic", set_arithmetic, METH_O, "set_arithmetic(fast)"},
    {"begin_scope", begin_scope, METH_O, "begin_scope(label)"},
    {"end_scope", with_context<tenon_scope_end>, METH_NOARGS, "Ends the innermost scope."},
    {"begin_grad_mode", begin_grad_mode, METH_O, "begin_grad_mode(mode)"},
    {"end_grad_mode", with_context<tenon_grad_end>, METH_NOARGS, "Restores the mode before."},
    {"begin_check", begin_finite_check, METH_NOARGS,
     "Looks at what launches write, until end_check."},
    {"end_check", with_context<tenon_check_end>, METH_NOARGS, "Restores the checks before."},
    {"begin_serial", with_context<tenon_serial_begin>, METH_NOARGS,
     "Work of this thread runs on it alone, until end_serial."},
    {"end_serial", with_context<tenon_serial_end>, METH_NOARGS, "Ends begin_serial."},
    {"set_threads", set_threads, METH_O, "set_threads(threads)"},
    {"dtype_info", dtype_info, METH_O, "dtype_info(dtype): what numbers it has."},
    {"begin_op_log", begin_op_log, METH_O,
     "begin_op_log(function): it takes a line for each op and kernel, until end_op_log."},
    {"end_op_log", with_context<tenon_op_log_end>, METH_NOARGS, "Ends begin_op_log."},
    {"begin_trace", with_context<tenon_trace_begin>, METH_NOARGS, "Starts to record calls."},
    {"end_trace", end_trace, METH_NOARGS, "The recording as Chrome's JSON."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
