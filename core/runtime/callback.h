// SPDX-License-Identifier: Apache-2.0
// core/runtime/callback.h: one callback of a plugin, and what the tenon_call it gets leads to.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/small.h"
#include "core/registry/plugin.h"
#include "core/runtime/context.h"
#include "core/runtime/thread_checks.h"
#include "core/tensor/tensor.h"

namespace tenon {

enum class CallbackState : uint8_t { Infer, Prepare, Launch, Vjp, Compose, Data };
[[gnu::cold]] std::string_view name_of(CallbackState state);

// Throws if the plugin that offers `name` (an op, a layer, ...) was deactivated: what is held of
// it is of no use then, though another plugin may have a kernel or a rule for it.
void require_active(const registry::Plugin& plugin, const std::string& name);
[[noreturn, gnu::cold]] void fail_deactivated(const registry::Plugin& plugin,
                                              const std::string& name);

// What a callback is about, of a floor above: the backward of a node, a layer.
struct CallbackSubject {
  virtual ~CallbackSubject() = default;
};

// On the stack of whoever runs the callback.
struct CallbackScope : Window, NoCopy {
  CallbackScope(Context& in, CallbackState in_state, registry::Plugin* from,
                const registry::Op* what)
      : Window(in.runtime->call_tables), context(&in), state(in_state), plugin(from), op(what) {
    owner = this;
    if (!from) return;
    self = from->self;
    // Every callback of a plugin runs in one of these, so nothing enters a deactivated one.
    if (from->is_deactivated()) fail_deactivated(*from, what ? what->name : "");
  }

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
  // The first, if nothing checks threads.
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

  // The same for a dataset or layer: if no op has failed, its name begins the words.
  template <class Callback>
  void run_as(const std::string& name, const char* what, Callback&& callback) {
    const tenon_status status = enter(what, std::forward<Callback>(callback));
    if (status != TENON_OK) raise(status, what, name);
  }

  // For a call that is used again: has the callback left no words?
  bool is_clean() const { return !failure && !out_of_memory && !stopped; }
  // Leaves none for the next one.
  struct Cleaned : NoCopy {
    explicit Cleaned(CallbackScope& which) : call(which) {}
    ~Cleaned() {
      call.failure.reset();
      call.out_of_memory = false;
      call.stopped = false;
    }
    CallbackScope& call;
  };

  // Stores the callback's words; the first failure is the cause of later ones.
  [[gnu::cold]] void fail(Error error) noexcept;
  // Throws the stored failure, or one made of `status` if the callback left no words.
  // `of`: whose callback it was, if not an op's.
  [[noreturn, gnu::cold]] void raise(tenon_status status, const char* callback,
                                     const std::string& of = {});
  void check(tenon_status status, const char* callback) {
    if (status != TENON_OK) raise(status, callback);
  }

  Context* context;
  CallbackState state;
  registry::Plugin* plugin;
  const registry::Op* op;  // may be NULL (objects of kinds)
  std::unique_ptr<Error> failure;
  bool out_of_memory = false;
  bool may_stop = false;  // launch: an interrupt ends it between two pieces of parallel work
  bool stopped = false;   // and has
  void* scratch = nullptr;
  uint64_t scratch_bytes = 0;
  void* stream = nullptr;
  bool has_rng = false;
  tenon_rng rng_state{};
  CallbackSubject* subject = nullptr;  // in vjp a node's backward; in infer and compose a layer
  // Tensors made by ops called through this call.
  Small<tensor::Ref, 4> owned;
  std::vector<tensor::Ref> composed;  // compose: the outputs set so far

 private:
  // The window for one callback, until it has returned.
  struct Entered {
    Entered(CallbackScope& call, const char* what);
    [[gnu::cold]] tenon_status leave(tenon_status status) noexcept;
    CallbackScope& call;
    Window* window;
    CheckedWindow* outer = nullptr;  // the context's window before
  };
  // Inside a handler: turns what was thrown into the call's failure.
  [[gnu::cold]] tenon_status caught(const char* what) noexcept;
  [[gnu::cold]] void fail_thrown(const char* what, const std::string& words);
};

}  // namespace tenon
