// SPDX-License-Identifier: Apache-2.0
// core/runtime/thread_checks.cc: who may call the host, from which thread, and for how long.
#include "core/runtime/thread_checks.h"

#include <utility>

namespace tenon {

CheckedWindow& ThreadChecks::open(CallbackScope& owner, void* self, const char* callback,
                                  const std::string& plugin, const std::string& op) {
  const std::lock_guard lock(mutex_);
  CheckedWindow* window = nullptr;
  if (windows_.size() < kWindows) {
    window = &windows_.emplace_back(tables_);
  } else {
    // Callbacks nest only a few levels deep: an ended one is found at once.
    do {
      window = &windows_[next_++ % windows_.size()];
    } while (window->owner);
  }
  window->self = self;
  window->owner = &owner;
  window->checks = this;
  window->thread = std::this_thread::get_id();
  window->parallel.store(false, std::memory_order_relaxed);
  window->callback = callback;
  window->plugin = plugin;
  window->op = op;
  window->violation = nullptr;
  return *window;
}

std::unique_ptr<Error> ThreadChecks::close(CheckedWindow& window) noexcept {
  const std::lock_guard lock(mutex_);
  window.owner = nullptr;
  return window.violation ? std::move(window.violation) : std::move(late_);
}

std::unique_ptr<Error> ThreadChecks::take_late() noexcept {
  const std::lock_guard lock(mutex_);
  return std::move(late_);
}

void ThreadChecks::note(CheckedWindow& window, const char* function, const std::string& how,
                        const std::string& expected) {
  std::unique_ptr<Error>& place = window.owner ? window.violation : late_;
  if (place) return;
  place = std::make_unique<Error>(Error{
      .status = TENON_E_CHECK,
      .message = "plugin " + window.plugin + ": its " + window.callback +
                 (window.op.empty() ? "" : " of " + window.op) + " called " + function + " " + how,
      .op = window.op,
      .operand = window.callback,
      .expected = expected,
      .found = std::string(function) + " " + how,
      .plugin = window.plugin,
      .hint = "tenon/plugin.h says which callback may call what"});
}

bool ThreadChecks::admit(Window& window, const char* function) {
  const std::lock_guard lock(mutex_);
  CheckedWindow& checked = static_cast<CheckedWindow&>(window);
  if (!checked.owner) {
    note(checked, function, "after it had returned", "no use of a tenon_call after its callback");
    return false;
  }
  if (checked.parallel.load(std::memory_order_relaxed)) {
    note(checked, function, "from inside of parallel_for",
         "functions run in parallel do not call the host");
    return false;
  }
  if (checked.thread != std::this_thread::get_id()) {
    note(checked, function, "from another thread than the one it runs on",
         "calls from the callback's own thread");
    return false;
  }
  return true;
}

void ThreadChecks::note_state(Window& window, const char* function, std::string_view state) {
  const std::lock_guard lock(mutex_);
  note(static_cast<CheckedWindow&>(window), function, "in state " + std::string(state),
       "a function that state " + std::string(state) + " allows");
}

void ThreadChecks::note_reentry(CheckedWindow& window, const char* function) {
  const std::lock_guard lock(mutex_);
  note(window, function, "of tenon.h, which is for programs", "functions of tenon_host");
}

}  // namespace tenon
