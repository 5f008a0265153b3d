// SPDX-License-Identifier: Apache-2.0
// core/runtime/context.h: the context: what one thread of use owns.
#pragma once

#include <tenon/ext/draft/op_log.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/handles.h"
#include "core/base/kept.h"
#include "core/base/slab.h"
#include "core/runtime/runtime.h"

namespace tenon {

class CheckSite;
struct CheckedWindow;

// The last failure, in buffers that survive running out of memory.
struct ErrorRecord {
  ErrorRecord();
  [[gnu::cold]] void store(const Error& error, const std::string& scope_path,
                           uint64_t call_sequence);
  void store_out_of_memory(uint64_t bytes, uint64_t call_sequence) noexcept;

  Error error;
  std::string scope;
  uint64_t sequence = 0;
  uint64_t stored = 0;  // failures so far
  std::vector<const char*> cause_list;
};

// Where the log of ops goes, while `Context::checks` has kLogOps.
struct OpLog {
  bool begun = false;               // by the program
  tenon_op_log_fn print = nullptr;  // NULL: standard error
  void* state = nullptr;
  uint32_t depth = 0;               // ops that run, one in another
  const std::string* op = nullptr;  // the innermost one's name
};

namespace layers {
class OutermostCall;
}

struct Context : NoCopy {
  explicit Context(Runtime& owner);
  ~Context();

  bool grad_enabled() const {
    return grad_modes.empty() || grad_modes.back() == TENON_GRAD_ENABLED;
  }
  bool inference() const {
    return !grad_modes.empty() && grad_modes.back() == TENON_GRAD_INFERENCE;
  }
  Device& default_device();
  // Back to `outer`; whether ops are logged has a begin and an end of its own.
  void restore_checks(uint32_t outer) { checks = (outer & ~kLogOps) | (checks & kLogOps); }
  // Opens a scope in the one that is open; popped from `scopes`.
  void push_scope(const std::string& label);
  // The current scope path; interned, lives as long as the runtime.
  const std::string* scope_path() const { return scopes.empty() ? no_scope : scopes.back(); }
  void check_interrupt() {
    if (interrupted.load(std::memory_order_relaxed)) tell_interrupt();
  }

  Runtime* runtime;
  const uint64_t id;  // no other context of the runtime has it, or had
  tenon_context* handle = nullptr;
  ErrorRecord error;
  std::atomic<bool> busy{false};
  std::atomic<std::thread::id> lent_to{};  // runs a callback of the program's, which may call back
  uint32_t lent_depth = 0;                 // such callbacks that run, one in another
  std::atomic<uint64_t> calls{0};          // public calls that have returned
  std::atomic<bool> waiting{false};        // in the running call, for calls of other contexts
  std::atomic<bool> interrupted{false};
  // TENON_CHECK=threads: the public function that runs, and the innermost callback.
  std::atomic<const char*> function{""};
  std::atomic<CheckedWindow*> window{nullptr};
  std::mutex misuse_mutex;              // guards the two below
  std::unique_ptr<ErrorRecord> misuse;  // a second thread's, which must not write `error`
  bool misuse_untold = false;
  uint32_t checks;                     // CheckMode: the runtime's and those begun here
  std::vector<uint32_t> outer_checks;  // what `checks` was before each begin
  OpLog op_log;
  CheckSite* check_site = nullptr;  // TENON_CHECK=finite: what the launches are part of
  std::vector<uint32_t> grad_modes;
  uint32_t serial_scopes = 0;  // tenon_serial_begin, not ended
  std::vector<const std::string*> scopes;
  const std::string* no_scope;
  layers::OutermostCall* layer_call = nullptr;  // layers/: of the program, while it runs
  Keep graph;                                   // tape/: what was recorded
  uint32_t walks = 0;       // backwards that run, each in a hook of the one before
  Keep capturing;           // plan/: from the begin of a capture to its end
  Kept* capture = nullptr;  // the same; NULL while it is suspended
  Keep arenas;              // plan/: memory that its plans share
  uint64_t seed = 0;
  uint64_t stream = 0;
  uint64_t counter = 0;
  uint32_t arithmetic = TENON_ARITHMETIC_CANONICAL;
  std::optional<tenon_device> device;  // of ops without tensor operands; none: the host's
  uint32_t opened_kind = 0;            // the device kind whose plugins were opened last
  uint64_t sequence = 0;               // op calls so far
  uint64_t launches = 0;
  Keep kernels;     // dispatch/: which kernels may run
  Keep call_cache;  // dispatch/: calls seen before

 private:
  [[noreturn]] void tell_interrupt();
};

struct ContextSlot : base::SlotHeader {
  Context* context = nullptr;
};
using ContextSlab = base::Slab<ContextSlot, kContextKind>;

// Turns grad off (or on) for a C++ scope of the core.
class GradMode : NoCopy {
 public:
  GradMode(Context& context, bool enabled) : context_(context) {
    context_.grad_modes.push_back(enabled ? TENON_GRAD_ENABLED : TENON_GRAD_DISABLED);
  }
  ~GradMode() { context_.grad_modes.pop_back(); }

 private:
  Context& context_;
};

// Lets a callback of the program's use the context, in this thread, until the end of the scope.
// Gradient modes, scopes, serial scopes and checks that it has left open end there.
class Lent : NoCopy {
 public:
  explicit Lent(Context& context)
      : context_(context),
        modes_(context.grad_modes),
        scopes_(context.scopes),
        serial_scopes_(context.serial_scopes),
        checks_(context.checks),
        outer_checks_(context.outer_checks) {
    ++context.lent_depth;
    context.lent_to.store(std::this_thread::get_id(), std::memory_order_release);
  }
  ~Lent() {
    context_.lent_to.store({}, std::memory_order_release);
    --context_.lent_depth;
    context_.grad_modes.swap(modes_);
    context_.scopes.swap(scopes_);
    context_.outer_checks.swap(outer_checks_);
    context_.restore_checks(checks_);
    context_.serial_scopes = serial_scopes_;
  }

 private:
  Context& context_;
  std::vector<uint32_t> modes_;
  std::vector<const std::string*> scopes_;
  uint32_t serial_scopes_;
  uint32_t checks_;
  std::vector<uint32_t> outer_checks_;
};

// Another value in a place, until the end of the scope.
template <class T>
class Swapped : NoCopy {
 public:
  // The value is assigned as what it is: made a T first, an optional would be stored in parts and
  // then loaded whole, which stalls a processor.
  template <class Value>
  Swapped(T& place, const Value& value) : place_(place), before_(place) {
    place = value;
  }
  ~Swapped() { place_ = before_; }

 private:
  T& place_;
  const T before_;
};

// Ops without tensor operands make theirs on this device until the end of the scope.
struct DefaultDevice : Swapped<std::optional<tenon_device>> {
  DefaultDevice(Context& context, const tenon_device& device) : Swapped(context.device, device) {}
};

// What launches are part of, for the words of TENON_CHECK=finite. Stands in the context while it
// lives.
class CheckSite : NoCopy {
 public:
  // deferred  launches are not judged one by one; the first that makes a NaN or an infinity is kept
  CheckSite(Context& in, std::string words, bool defers)
      : where(std::move(words)), deferred(defers), current_(in.check_site, this) {}

  const std::string where;  // "in a step of optimizer tenon.sgd"
  const bool deferred;
  std::string maker;  // "tenon.div", the first

 private:
  const Swapped<CheckSite*> current_;
};

// A site, or NULL unless TENON_CHECK=finite is on: then `words`, a function, are not made either.
// A pointer, since GCC clears all of an optional that it leaves empty.
template <class Words>
std::unique_ptr<CheckSite> check_site(Context& context, bool defers, const Words& words) {
  if (!(context.checks & kCheckFinite)) return nullptr;
  return std::make_unique<CheckSite>(context, words(), defers);
}

// Launches inside run, but are not recorded into the plan.
struct CaptureSuspended : Swapped<Kept*> {
  explicit CaptureSuspended(Context& context) : Swapped(context.capture, nullptr) {}
};

}  // namespace tenon
