// SPDX-License-Identifier: Apache-2.0
// core/runtime/thread_checks.h: TENON_CHECK=threads, for plugins: every callback gets a window of
// its own, which says afterwards, too, whose it was. Without the mode none of this runs.
#pragma once

#include <tenon/plugin.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/error.h"

namespace tenon {

struct CallbackScope;
class ThreadChecks;

// What a tenon_call* is: the CallbackScope itself, or under TENON_CHECK=threads a CheckedWindow.
struct Window : tenon_call {
  explicit Window(const tenon_call& tables) : tenon_call(tables) {}
  CallbackScope* owner = nullptr;  // NULL once the callback has returned
  ThreadChecks* checks = nullptr;  // NULL: not checked
};

struct CheckedWindow : Window {
  using Window::Window;
  std::thread::id thread;             // that entered the callback
  std::atomic<bool> parallel{false};  // inside parallel_for
  const char* callback = "";          // "kernel", "backward rule", ...
  std::string plugin;
  std::string op;
  std::unique_ptr<Error> violation;  // the first
};

// Of one runtime. Windows are kept and used again in turn, the one that ended longest ago first, so
// that one a plugin has kept is still told from others for a long time.
class ThreadChecks {
 public:
  explicit ThreadChecks(const tenon_call& tables) : tables_(tables) {}

  // owner     the callback the window is for; `self` is its plugin's
  // callback  "kernel", "backward rule", ...
  CheckedWindow& open(CallbackScope& owner, void* self, const char* callback,
                      const std::string& plugin, const std::string& op);
  // The callback has returned; its first violation, or that of a plugin that kept a window.
  std::unique_ptr<Error> close(CheckedWindow& window) noexcept;

  // May `function` be called through this window here and now? If not, the callback fails.
  bool admit(Window& window, const char* function);
  // `function` was called in a state that does not allow it.
  void note_state(Window& window, const char* function, std::string_view state);
  // A plugin called a function of tenon.h from inside the callback.
  void note_reentry(CheckedWindow& window, const char* function);
  // What a window was used for after its end, once.
  std::unique_ptr<Error> take_late() noexcept;

 private:
  static constexpr size_t kWindows = 4096;
  void note(CheckedWindow& window, const char* function, const std::string& how,
            const std::string& expected);

  const tenon_call& tables_;
  std::mutex mutex_;  // guards the rest, and `owner` and `violation` of the windows
  std::deque<CheckedWindow> windows_;
  size_t next_ = 0;
  std::unique_ptr<Error> late_;
};

}  // namespace tenon
