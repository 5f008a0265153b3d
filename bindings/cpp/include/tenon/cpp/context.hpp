// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/context.hpp: runtimes and contexts, and which of them a thread's calls use.
//
// Every call uses the context of its thread: the innermost tenon::Use that is alive, else the
// thread's own, made when it is first needed, in the one runtime that the process shares. Both end:
// what destructors and exit handlers call after that is an error, not undefined.
#ifndef TENON_CPP_CONTEXT_HPP
#define TENON_CPP_CONTEXT_HPP

#include <tenon/ext/draft/checks.h>
#include <tenon/ext/draft/memory.h>
#include <tenon/cpp/error.hpp>

#include <atomic>
#include <exception>
#include <initializer_list>
#include <string_view>

namespace tenon {

namespace detail {

// A tenon_runtime. The one thing that parts of a process which were compiled apart share, whatever
// they hide: so there is one runtime for all of them.
[[gnu::visibility("default")]] inline constinit std::atomic<void*> shared_runtime{nullptr};

// That of `shared_runtime` which this part has made, and whether it has closed it.
inline constinit std::atomic<void*> made_runtime{nullptr};
inline constinit std::atomic<bool> closed_runtime{false};

}  // namespace detail

// ---- Runtimes -----------------------------------------------------------------------------------

// What a runtime is made with; all empty is a good default.
struct RuntimeOptions {
  std::vector<std::string> plugin_paths{};  // folders that hold plugin folders, searched first
  std::vector<std::string> exclude{};       // ids of plugins to leave out
  int threads = 0;                          // compute threads; 0: as many as the process may use
  std::uint32_t policy = TENON_POLICY_OWNED;
  std::uint64_t memory_limit = 0;  // bytes per device; 0: none
  std::string check{};             // check modes: "layout,finite,threads,launch,handles"
  std::string allowlist{};         // lock file of TENON_POLICY_ALLOWLIST
  std::uint32_t flags = 0;         // TENON_RUNTIME_*
};

// Plugins, devices, threads and memory. Tensors outlive it with their data.
// threads  any
class Runtime {
 public:
  explicit Runtime(const RuntimeOptions& options = {})
      : owned_(create(options)), handle_(owned_.get()) {}

  // A runtime that others have made, in C or in another language, and release.
  static Runtime borrow(tenon_runtime* handle) { return Runtime(handle, nullptr); }

  // The one that this process shares: all threads without a tenon::Use, whatever part of the
  // program they run. Made at its first use, unless `share` has named another.
  static Runtime shared() {
    void* found = detail::shared_runtime.load(std::memory_order_acquire);
    return borrow(found ? static_cast<tenon_runtime*>(found) : make_shared_runtime());
  }

  // Shares this runtime from now on, which must outlive the last use of it; for a program that
  // wants options of its own, or that others have given a runtime.
  // errors   TENON_E_STATE (another one is shared already)
  void share() const {
    void* found = nullptr;
    if (!detail::shared_runtime.compare_exchange_strong(found, handle_) && found != handle_) {
      detail::refuse(TENON_E_STATE, "Runtime::share", "runtime", "none that is shared already",
                     "another one", "share a runtime before the first call");
    }
  }

  tenon_runtime* handle() const noexcept { return handle_; }

 private:
  using Owned = detail::Owned<tenon_runtime, tenon_runtime_release>;

  Runtime(tenon_runtime* handle, std::nullptr_t) : handle_(handle) {}

  // Two threads that come at once make one each, of which the second is given up.
  [[gnu::cold, gnu::noinline]] static tenon_runtime* make_shared_runtime() {
    // Plugins may have ended, too: none is opened again.
    if (detail::closed_runtime.load()) {
      detail::refuse(TENON_E_STATE, "Runtime::shared", "runtime", "the one of the process",
                     "it has ended, with the program",
                     "call before main returns, or share a runtime that lives longer");
    }
    static const struct Last {  // closes it at the end of the program
      ~Last() {
        void* mine = detail::made_runtime.load();
        if (mine && detail::shared_runtime.compare_exchange_strong(mine, nullptr)) {
          detail::closed_runtime.store(true);
          tenon_runtime_release(static_cast<tenon_runtime*>(mine));
        }
      }
    } last;
    (void)last;
    Owned fresh = create({});
    void* found = nullptr;
    if (!detail::shared_runtime.compare_exchange_strong(found, fresh.get())) {
      return static_cast<tenon_runtime*>(found);
    }
    detail::made_runtime.store(fresh.get());
    return fresh.release();
  }

  static Owned create(const RuntimeOptions& given) {
    const auto strings_of = [](const std::vector<std::string>& texts) {
      std::vector<tenon_string> strings;
      strings.reserve(texts.size());
      for (const std::string& text : texts) strings.push_back({text.data(), text.size()});
      return strings;
    };
    const std::vector<tenon_string> paths = strings_of(given.plugin_paths);
    const std::vector<tenon_string> exclude = strings_of(given.exclude);
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.flags = given.flags;
    options.paths = paths.data();
    options.n_paths = static_cast<std::uint32_t>(paths.size());
    options.exclude = exclude.data();
    options.n_exclude = static_cast<std::uint32_t>(exclude.size());
    options.policy = given.policy;
    options.threads = given.threads;
    options.memory_limit = given.memory_limit;
    options.check = {given.check.data(), given.check.size()};
    options.allowlist = {given.allowlist.data(), given.allowlist.size()};
    tenon_diag diag{};
    tenon_runtime* made = nullptr;
    const tenon_status status = tenon_runtime_create(&options, &diag, &made);
    if (status != TENON_OK) detail::raise(status, diag.message);
    return Owned(made);
  }

  Owned owned_;
  tenon_runtime* handle_;
};

// ---- Contexts -----------------------------------------------------------------------------------

namespace detail {

// How many ops <tenon/ops.hpp> may have.
inline constexpr std::uint32_t kMaxOps = 1024;

// An op of <tenon/ops.hpp>.
struct OpName {
  std::uint32_t place;
  std::uint32_t revision;
  const char* name;
};

// A context with the ops that were found through it. Scopes share it: they may end after the
// context, whose handle then is refused.
struct State : std::enable_shared_from_this<State> {
  tenon_context* handle = nullptr;
  bool of_ended_thread = false;  // no call is to use it again
  std::exception_ptr thrown;     // by a function of the program that the library has called
  const tenon_op* ops[kMaxOps] = {};

  const tenon_op* find(OpName which) {
    const tenon_op* found = ops[which.place];
    return found ? found : look_up(which);
  }
  void check(tenon_status status) {
    if (status != TENON_OK) [[unlikely]]
      fail(status);
  }

 private:
  [[noreturn, gnu::cold, gnu::noinline]] void fail(tenon_status status) {
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
    raise(handle, status);
  }
  [[gnu::cold, gnu::noinline]] const tenon_op* look_up(OpName which) {
    check(tenon_op_find(handle, which.name, TENON_NUL, which.revision, &ops[which.place]));
    return ops[which.place];
  }
};

inline constinit thread_local State* innermost = nullptr;

State& make_state_of_thread();

// The context that this thread's calls use.
inline State& state() {
  State* found = innermost;
  return found ? *found : make_state_of_thread();
}

}  // namespace detail

// What the calls of one thread share: random numbers, gradient modes, the graph, the default
// device, the last error.
// threads  used by one at a time
class Context {
 public:
  explicit Context(const Runtime& runtime = Runtime::shared())
      : state_(std::make_shared<detail::State>()) {
    tenon_diag diag{};
    tenon_context* made = nullptr;
    const tenon_status status = tenon_context_create(runtime.handle(), &diag, &made);
    if (status != TENON_OK) detail::raise(status, diag.message);
    owned_.reset(made);
    state_->handle = made;
  }

  // A context that others have made, in C or in another language, and release.
  static Context borrow(tenon_context* handle) { return Context(handle, nullptr); }

  tenon_context* handle() const noexcept { return state_ ? state_->handle : nullptr; }
  // errors   TENON_E_STATE (it was moved from)
  detail::State& state() const {
    if (!state_) {
      detail::refuse(TENON_E_STATE, "Context", "context", "one that is there",
                     "one that was moved from", "use the one that it was moved to");
    }
    return *state_;
  }

  // Ends the call that runs in this context, or its next one, with TENON_E_INTERRUPTED. Any thread.
  void interrupt() const { tenon_context_interrupt(handle()); }

 private:
  Context(tenon_context* handle, std::nullptr_t) : state_(std::make_shared<detail::State>()) {
    state_->handle = handle;
  }

  detail::Owned<tenon_context, tenon_context_release> owned_;
  std::shared_ptr<detail::State> state_;
};

// While it is alive, its thread's calls use `context`. Scopes nest.
class [[nodiscard]] Use {
 public:
  explicit Use(const Context& context)
      : state_(context.state().shared_from_this()),
        outer_(detail::innermost ? detail::innermost->shared_from_this() : nullptr) {
    detail::innermost = state_.get();
  }
  ~Use() { detail::innermost = outer_ && !outer_->of_ended_thread ? outer_.get() : nullptr; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::shared_ptr<detail::State> state_;
  std::shared_ptr<detail::State> outer_;
};

namespace detail {

// Whether this thread's own context has come and gone: its destructors may still call.
inline constinit thread_local bool own_ended = false;

struct OwnContext {
  Context context;
  ~OwnContext() {
    State& state = context.state();
    own_ended = state.of_ended_thread = true;
    if (innermost == &state) innermost = nullptr;
  }
};

// Threads draw other numbers than each other: contexts made so get streams in order.
[[gnu::cold, gnu::noinline]] inline State& make_state_of_thread() {
  static std::atomic<std::uint64_t> streams{0};
  if (own_ended) {
    refuse(TENON_E_STATE, "Context", "the thread's own", "one that is there", "one that has ended",
           "the thread or the program is ending: call earlier, or use a context of yours");
  }
  thread_local const OwnContext own{Context()};
  State& state = own.context.state();
  std::uint64_t seed = 0;
  state.check(tenon_context_get_seed(state.handle, &seed, nullptr, nullptr));
  state.check(tenon_context_set_seed(state.handle, seed, streams.fetch_add(1)));
  innermost = &state;
  return state;
}

}  // namespace detail

// ---- Modes of this thread's context -------------------------------------------------------------

// A mode that lasts as long as the object.
template <auto begin, auto end, auto... chosen>
class [[nodiscard]] Mode {
 public:
  Mode() : state_(detail::state().shared_from_this()) {
    state_->check(begin(state_->handle, chosen...));
  }
  ~Mode() { end(state_->handle); }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

 private:
  std::shared_ptr<detail::State> state_;
};

// Nothing is recorded for backward.
using NoGrad = Mode<tenon_grad_begin, tenon_grad_end, TENON_GRAD_DISABLED>;
using EnableGrad = Mode<tenon_grad_begin, tenon_grad_end, TENON_GRAD_ENABLED>;
// Nothing is recorded, and nothing inside can change that.
using Inference = Mode<tenon_grad_begin, tenon_grad_end, TENON_GRAD_INFERENCE>;
// This thread alone computes, with the same bits: for programs with threads of their own.
using Serial = Mode<tenon_serial_begin, tenon_serial_end>;
// The first NaN or infinity that anything writes is a TENON_E_CHECK.
using GuardFinite = Mode<tenon_check_begin, tenon_check_end, TENON_CHECK_FINITE>;

// A label that errors, traces and plan listings show.
class [[nodiscard]] Scope {
 public:
  explicit Scope(std::string_view label) : state_(detail::state().shared_from_this()) {
    state_->check(tenon_scope_begin(state_->handle, label.data(), label.size()));
  }
  ~Scope() { tenon_scope_end(state_->handle); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  std::shared_ptr<detail::State> state_;
};

// Records what runs until `end`, which gives JSON for Perfetto; without `end` it is dropped.
class [[nodiscard]] Profile {
 public:
  Profile() : state_(detail::state().shared_from_this()) {
    state_->check(tenon_trace_begin(state_->handle));
  }
  ~Profile() {
    tenon_text* text = nullptr;
    if (running_ && tenon_trace_end(state_->handle, &text) == TENON_OK) tenon_text_release(text);
  }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  std::string end() {
    tenon_text* text = nullptr;
    state_->check(tenon_trace_end(state_->handle, &text));
    running_ = false;
    return detail::take_text(text);
  }

 private:
  std::shared_ptr<detail::State> state_;
  bool running_ = true;
};

// Starts this thread's random numbers anew. Contexts with other streams draw other numbers.
inline void seed(std::uint64_t number, std::uint64_t stream = 0) {
  detail::State& state = detail::state();
  state.check(tenon_context_set_seed(state.handle, number, stream));
}

// Takes the best kernels, also those with other bits than the canonical ones; or no longer.
inline void set_fast_arithmetic(bool fast) {
  detail::State& state = detail::state();
  state.check(tenon_context_set_arithmetic(
      state.handle, fast ? TENON_ARITHMETIC_FAST : TENON_ARITHMETIC_CANONICAL));
}

// How many compute threads the runtime may use; 0: as many as the process may.
inline void set_threads(int threads) {
  detail::State& state = detail::state();
  state.check(tenon_runtime_set_threads(state.handle, threads));
}

// What the runtime knows, as JSON; topics as of tenon_runtime_query.
inline std::string query(std::string_view topic) {
  detail::State& state = detail::state();
  tenon_text* text = nullptr;
  state.check(tenon_runtime_query(state.handle, topic.data(), topic.size(), &text));
  return detail::take_text(text);
}

// Live objects and memory.
inline tenon_stats stats() {
  detail::State& state = detail::state();
  tenon_stats stats{};
  stats.struct_size = sizeof stats;
  state.check(tenon_runtime_get_stats(state.handle, &stats));
  return stats;
}

// Gives memory that is kept for reuse back; says how many bytes.
inline std::uint64_t release_cache() {
  detail::State& state = detail::state();
  std::uint64_t bytes = 0;
  state.check(tenon_runtime_release_cache(state.handle, nullptr, &bytes));
  return bytes;
}

}  // namespace tenon

#endif  // TENON_CPP_CONTEXT_HPP
