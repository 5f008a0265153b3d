// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/foreign.cc: calls that come from another library's threads.
#include "bindings/python/core/foreign.h"

#include <atomic>
#include <utility>

namespace tenon::python {

namespace {

std::atomic<int> alive{0};

// Goes with the thread. One that outlives the interpreter keeps its context, as the runtime stays.
struct OfThread {
  tenon_context* context = nullptr;
  std::string raised;

  OfThread() = default;
  OfThread(const OfThread&) = delete;
  OfThread& operator=(const OfThread&) = delete;
  ~OfThread() {
    if (!has_ended()) drop();
  }

  void drop() {
    if (!context) return;
    tenon_context_release(std::exchange(context, nullptr));
    alive.fetch_sub(1);
  }
};
thread_local OfThread of_thread;

// The exception that is set, as one line; it is set no more.
std::string taken_words() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Ref held_type(type);
  const Ref held_value(value);
  const Ref held_traceback(traceback);
  const Ref words(value ? PyObject_Str(value) : nullptr);
  const char* text = words ? PyUnicode_AsUTF8(words.get()) : nullptr;
  PyErr_Clear();
  const std::string name = type ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "exception";
  return text && *text ? name + ": " + text : name;
}

// Under the GIL: the runtime is there after it.
bool start(std::string& problem) {
  if (!state.runtime && !context_of_thread()) problem = taken_words();
  return state.runtime != nullptr;
}

}  // namespace

tenon_context* foreign_context(std::string& problem) {
  if (of_thread.context) return of_thread.context;
  if (!may_hold()) {
    problem = "the Python interpreter has ended";
    return nullptr;
  }
  const Held held;
  if (!start(problem)) return nullptr;
  tenon_diag diag{};
  tenon_context* made = nullptr;
  if (tenon_context_create(state.runtime, &diag, &made) != TENON_OK) {
    problem = diag.message;
    return nullptr;
  }
  seed_new_thread(made);
  alive.fetch_add(1);
  return of_thread.context = made;
}

void note_raised() { of_thread.raised = taken_words(); }

std::string take_raised() {
  if (PyGILState_GetThisThreadState() && may_hold()) {
    const Held held;
    if (PyErr_Occurred()) note_raised();
  }
  return std::exchange(of_thread.raised, std::string());
}

bool release_foreign_contexts() {
  of_thread.drop();
  return alive.load() == 0;
}

}  // namespace tenon::python
