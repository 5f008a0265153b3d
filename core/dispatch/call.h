// SPDX-License-Identifier: Apache-2.0
// core/dispatch/call.h: what stands behind the tenon_call a callback receives.
#pragma once

#include <tenon/plugin.h>

#include <boost/container/small_vector.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/api/error.h"
#include "core/dispatch/thread_checks.h"
#include "core/tensor/tensor.h"

namespace tenon {
struct Context;
namespace plugin {
struct Plugin;
}
namespace registry {
struct Op;
}
namespace autograd {
struct VjpFrame;
}
namespace layers {
class Layer;
}
}  // namespace tenon

namespace tenon::dispatch {

enum class CallState : uint8_t { Infer, Prepare, Launch, Vjp, Compose, Data };
std::string_view name_of(CallState state);

// Throws where the plugin that offers `name` (an op, a layer, ...) was deactivated: what is held of
// it is of no use then, though another plugin may have a kernel or a rule for it.
void require_active(const plugin::Plugin& plugin, const std::string& name);

// On the stack of whoever runs the callback.
struct Call : Window {
  Call(Context& in_context, CallState in, plugin::Plugin* from, const registry::Op* what);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Runs one callback of the plugin: callback(tenon_call*) returns its status. What it throws
  // becomes TENON_E_PLUGIN, and under TENON_CHECK=threads what it did to the host TENON_E_CHECK,
  // whatever it returned. `what` names it in words.
  template <class Callback>
  tenon_status enter(const char* what, Callback&& callback) {
    Entered entered(*this, what);
    tenon_status status = TENON_OK;
    try {
      status = callback(static_cast<tenon_call*>(entered.window));
    } catch (...) {
      status = caught(what);
    }
    return entered.window == this ? status : entered.leave(status);
  }
  // The first, where nothing checks threads.
  template <class Callback>
  [[gnu::always_inline]] tenon_status enter_unwatched(const char* what, Callback&& callback) {
    try {
      return callback(static_cast<tenon_call*>(this));
    } catch (...) {
      return caught(what);
    }
  }
  // The same; throws what the callback reported.
  template <class Callback>
  void run(const char* what, Callback&& callback) {
    check(enter(what, std::forward<Callback>(callback)), what);
  }

  // The same for a dataset or layer: where no op has failed, its name begins the words.
  template <class Callback>
  void run_as(const std::string& name, const char* what, Callback&& callback) {
    const tenon_status status = enter(what, std::forward<Callback>(callback));
    if (status != TENON_OK) raise_as(name, status, what);
  }

  // For a call that is used again: has the callback left no words?
  bool is_clean() const { return !failure && !out_of_memory; }
  // Leaves none for the next one.
  struct Cleaned {
    explicit Cleaned(Call& which) : call(which) {}
    ~Cleaned() {
      call.failure.reset();
      call.out_of_memory = false;
    }
    Cleaned(const Cleaned&) = delete;
    Cleaned& operator=(const Cleaned&) = delete;
    Call& call;
  };

  // Stores the callback's words; the first failure is the cause of later ones.
  [[gnu::cold]] void fail(Error error) noexcept;
  // Throws the stored failure, or one made of `status` where the callback left no words.
  [[noreturn, gnu::cold]] void raise(tenon_status status, const char* callback);
  [[noreturn, gnu::cold]] void raise_as(const std::string& name, tenon_status status,
                                        const char* callback);
  void check(tenon_status status, const char* callback) {
    if (status != TENON_OK) raise(status, callback);
  }

  Context* context;
  CallState state;
  plugin::Plugin* plugin;
  const registry::Op* op;  // may be NULL (datasets, schedules, layers)
  std::unique_ptr<Error> failure;
  bool out_of_memory = false;
  void* scratch = nullptr;
  uint64_t scratch_bytes = 0;
  void* stream = nullptr;
  bool has_rng = false;
  tenon_rng rng_state{};
  autograd::VjpFrame* frame = nullptr;  // vjp
  layers::Layer* layer = nullptr;       // describe and forward
  // Tensors made by ops called through this call.
  boost::container::small_vector<tensor::Ref, 4> owned;
  std::vector<tensor::Ref> composed;  // compose: the outputs set so far

 private:
  // The window for one callback, until it has returned.
  struct Entered {
    Entered(Call& call, const char* what);
    tenon_status leave(tenon_status status) noexcept;
    Call& call;
    Window* window;
    CheckedWindow* outer = nullptr;  // the context's window before
  };
  // Inside of a handler: turns what was thrown into the call's failure.
  tenon_status caught(const char* what) noexcept;
  [[gnu::cold]] void fail_thrown(const char* what, const std::string& words);
};

}  // namespace tenon::dispatch
