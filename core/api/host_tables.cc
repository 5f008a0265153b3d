// SPDX-License-Identifier: Apache-2.0
// core/api/host_tables.cc: what plugins may ask of the host. Nothing throws across: each function
// stores its failure in the call and returns a status.
#include "core/api/host_tables.h"

#include <tenon/ext/draft/dynamic.h>

#include <atomic>
#include <cstring>
#include <mutex>

#include "core/api/host_guard.h"
#include "core/backward/vjp.h"
#include "core/dispatch/call_cache.h"
#include "core/dispatch/dispatch.h"
#include "core/inspect/print.h"
#include "core/runtime/callback.h"
#include "core/runtime/context.h"

namespace tenon::host {
namespace {

using tensor::Ref;

const registry::Op& require_op(const CallbackScope& call, const tenon_op* handle) {
  const auto* op = base::Slab<registry::Op, kOpKind>::from_handle(handle);
  if (!op || op->runtime != call.context->runtime) {
    fail(TENON_E_HANDLE, "a plugin passed no live op handle");
  }
  return *op;
}

// ---- tenon.host.call/1

[[gnu::cold]] tenon_status host_fail(tenon_call* window, tenon_status status, const char* message,
                                     uint64_t length) {
  host_guard(window, "fail", [&](CallbackScope& call) {
    call.fail(Error{.status = status, .message = text_of(message, length)});
  });
  return status;
}

[[gnu::cold]] tenon_status host_fail_detail(tenon_call* window, tenon_status status,
                                            const char* message, const char* operand,
                                            const char* expected, const char* found,
                                            const char* hint) {
  host_guard(window, "fail_detail", [&](CallbackScope& call) {
    call.fail(Error{.status = status,
                    .message = text_of(message, TENON_NUL),
                    .operand = text_of(operand, TENON_NUL),
                    .expected = text_of(expected, TENON_NUL),
                    .found = text_of(found, TENON_NUL),
                    .hint = text_of(hint, TENON_NUL)});
  });
  return status;
}

[[gnu::cold]] void host_log(tenon_call* window, uint32_t level, const char* message,
                            uint64_t length) {
  host_guard(window, "log", [&](CallbackScope& call) {
    call.context->runtime->log(level, call.plugin ? call.plugin->id : "", text_of(message, length));
  });
}

// ---- tenon.host.dispatch/1

const tenon_op* host_find(tenon_call* window, const char* name, uint64_t length) {
  const tenon_op* found = nullptr;
  host_guard(window, "dispatch.find", [&](CallbackScope& call) {
    require_pointer(name, "an op's name");
    const std::string_view text(name, length == TENON_NUL ? std::strlen(name) : length);
    Context& context = *call.context;
    registry::Op& op = dispatch::call_cache_of(context).names.find(text, *context.runtime);
    found = static_cast<const tenon_op*>(base::Slab<registry::Op, kOpKind>::to_handle(&op));
  });
  return found;
}

tenon_status host_op_call(tenon_call* window, const tenon_op* op, const tenon_value* inputs,
                          uint32_t n_inputs, const tenon_value* attrs, uint32_t n_attrs,
                          tenon_tensor** out_outputs, uint32_t n_outputs) {
  return host_guard(window, "dispatch.call", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Vjp, CallbackState::Compose}, "an op");
    if (n_outputs != 0) require_pointer(out_outputs, "outputs");
    Small<Tensor*, 4> outputs(n_outputs, nullptr);
    call.owned.reserve(call.owned.size() + n_outputs);
    dispatch::call(*call.context, require_op(call, op), values(inputs, n_inputs, "inputs"),
                   values(attrs, n_attrs, "attributes"), {outputs.data(), outputs.size()});
    for (uint32_t i = 0; i < n_outputs; ++i) {
      if (outputs[i]) call.owned.emplace_back(outputs[i]);
      out_outputs[i] = tensor::handle(outputs[i]);
    }
  });
}

tenon_status host_op_call_into(tenon_call* window, const tenon_op* op, const tenon_value* inputs,
                               uint32_t n_inputs, const tenon_value* attrs, uint32_t n_attrs,
                               tenon_tensor* const* outputs, uint32_t n_outputs) {
  return host_guard(window, "dispatch.call_into", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Vjp, CallbackState::Compose}, "an op");
    if (n_outputs != 0) require_pointer(outputs, "outputs");
    Small<Tensor*, 4> targets;
    for (uint32_t i = 0; i < n_outputs; ++i) {
      targets.push_back(&require_tensor(call, outputs[i], "output"));
    }
    dispatch::call_into(*call.context, require_op(call, op), values(inputs, n_inputs, "inputs"),
                        values(attrs, n_attrs, "attributes"), {targets.data(), targets.size()});
  });
}

tenon_status host_meta(tenon_call* window, const tenon_tensor* tensor, tenon_meta* out_meta) {
  return host_guard(window, "dispatch.meta", [&](CallbackScope& call) {
    require_pointer(out_meta, "out_meta");
    *out_meta = tensor::meta_of(require_tensor(call, tensor, "tensor"));
  });
}

tenon_status host_set_output(tenon_call* window, uint32_t index, tenon_tensor* tensor) {
  return host_guard(window, "dispatch.set_output", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Compose}, "set_output");
    if (index >= call.composed.size()) {
      fail(TENON_E_ARGUMENT, "a composition sets output " + std::to_string(index) + " of " +
                                 std::to_string(call.composed.size()));
    }
    call.composed[index] = Ref::shared(&require_tensor(call, tensor, "output"));
  });
}

// ---- tenon.host.numbers/1

tenon_status host_read_number(tenon_call* window, const tenon_tensor* tensor, int64_t* out_number) {
  return host_guard(window, "numbers.read", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Compose}, "reading a number");
    require_pointer(out_number, "out_number");
    if (!call.op || !call.op->has(TENON_OP_DYNAMIC_OUT)) {
      fail(TENON_E_STATE, "a composition reads a number, and is not of an op flagged DYNAMIC_OUT");
    }
    const tenon_value value = inspect::item(*call.context, require_tensor(call, tensor, "tensor"));
    if (value.tag == TENON_VALUE_F64) {
      fail(TENON_E_DTYPE, "numbers.read: the tensor holds a float", {}, "an integer or a bool");
    }
    *out_number = value.as.i64;
  });
}

// ---- tenon.host.vjp/1

backward::VjpFrame& frame(CallbackScope& call) {
  require_state(call, {CallbackState::Vjp}, "a backward rule's function");
  return static_cast<backward::VjpFrame&>(*call.subject);
}

uint32_t vjp_wants(tenon_call* window, uint32_t index) {
  uint32_t wants = 0;
  host_guard(window, "vjp.wants",
             [&](CallbackScope& call) { wants = frame(call).wants(index) ? 1 : 0; });
  return wants;
}

// Gives what `get` finds in the backward rule's frame.
template <class Out, class Get>
[[gnu::always_inline]] inline tenon_status give(tenon_call* window, const char* function, Out* out,
                                                const char* name, const Get& get) {
  return host_guard(window, function, [&](CallbackScope& call) {
    require_pointer(out, name);
    *out = get(frame(call));
  });
}

tenon_status vjp_input(tenon_call* window, uint32_t index, tenon_value* out_value) {
  return give(window, "vjp.get_input", out_value, "out_value",
              [&](backward::VjpFrame& of) { return of.input(index); });
}

tenon_status vjp_output(tenon_call* window, uint32_t index, tenon_value* out_value) {
  return give(window, "vjp.get_output", out_value, "out_value",
              [&](backward::VjpFrame& of) { return of.output(index); });
}

tenon_status vjp_input_meta(tenon_call* window, uint32_t index, uint32_t item,
                            tenon_meta* out_meta) {
  return give(window, "vjp.get_input_meta", out_meta, "out_meta",
              [&](backward::VjpFrame& of) { return of.input_meta(index, item); });
}

tenon_status vjp_output_meta(tenon_call* window, uint32_t index, tenon_meta* out_meta) {
  return give(window, "vjp.get_output_meta", out_meta, "out_meta",
              [&](backward::VjpFrame& of) { return of.output_meta(index); });
}

uint32_t vjp_input_count(tenon_call* window, uint32_t index) {
  uint32_t count = 0;
  host_guard(window, "vjp.get_input_count", [&](CallbackScope& call) {
    const tape::Node& node = frame(call).node;
    if (index + 1 < node.of->input_begin.size()) {
      count = node.of->input_begin[index + 1] - node.of->input_begin[index];
    }
  });
  return count;
}

tenon_status vjp_attr(tenon_call* window, uint32_t index, tenon_value* out_value) {
  return give(window, "vjp.get_attr", out_value, "out_value", [&](backward::VjpFrame& of) {
    const auto attrs = of.node.of->attrs.values();
    return index < attrs.size() ? attrs[index] : tenon_value{};
  });
}

tenon_status vjp_output_grad(tenon_call* window, uint32_t index, tenon_value* out_value) {
  return give(window, "vjp.get_output_grad", out_value, "out_value",
              [&](backward::VjpFrame& of) { return of.output_grad(index); });
}

tenon_status vjp_set_input_grad(tenon_call* window, uint32_t index, uint32_t item,
                                tenon_tensor* grad) {
  return host_guard(window, "vjp.set_input_grad", [&](CallbackScope& call) {
    frame(call).set_grad(index, item, grad ? &require_tensor(call, grad, "gradient") : nullptr);
  });
}

tenon_status vjp_rows(tenon_call* window, uint32_t index, tenon_tensor* indices,
                      tenon_tensor* rows) {
  return host_guard(window, "vjp.accumulate_rows", [&](CallbackScope& call) {
    frame(call).add_rows(index, require_tensor(call, indices, "indices"),
                         require_tensor(call, rows, "values"));
  });
}

// ---- tenon.host.memory/1, threads/1, rng/1

// The call if it launches; else NULL.
CallbackScope* launching(tenon_call* window, const char* function) noexcept {
  CallbackScope* const call = window ? call_of(window, function) : nullptr;
  if (!call || call->state == CallbackState::Launch) return call;
  note_state(window, *call, function);
  return nullptr;
}

void* host_scratch(tenon_call* window, uint64_t* out_bytes) {
  const CallbackScope* const call = launching(window, "memory.scratch");
  if (out_bytes) *out_bytes = call ? call->scratch_bytes : 0;
  return call ? call->scratch : nullptr;
}

void* host_stream(tenon_call* window) {
  const CallbackScope* const call = launching(window, "memory.stream");
  return call ? call->stream : nullptr;
}

// What runs in parallel must not call the host, on the callback's own thread either.
struct InParallel : NoCopy {
  explicit InParallel(tenon_call* handed) {
    Window& given = *static_cast<Window*>(handed);
    if (!given.checks) return;
    window = static_cast<CheckedWindow*>(&given);
    window->parallel.store(true, std::memory_order_relaxed);
  }
  ~InParallel() {
    if (window) window->parallel.store(false, std::memory_order_relaxed);
  }
  CheckedWindow* window = nullptr;
};

// Pieces of parallel work, and the first of them that failed.
struct Pieces {
  const tenon_parallel_fn fn;
  void* const user;
  const std::atomic<bool>* const interrupted;  // NULL: all pieces run
  std::atomic<int64_t> failed{INT64_MAX};      // the lowest piece that did
  std::mutex mutex{};                          // guards `status`, which is that piece's
  tenon_status status = TENON_OK;

  static void run(void* self, int64_t begin, int64_t end, int64_t chunk) {
    auto& pieces = *static_cast<Pieces*>(self);
    if (chunk > pieces.failed.load(std::memory_order_relaxed)) return;
    if (pieces.interrupted && pieces.interrupted->load(std::memory_order_relaxed)) [[unlikely]] {
      return pieces.fail(kStopped, TENON_E_INTERRUPTED);
    }
    const tenon_status status = pieces.fn(pieces.user, begin, end, chunk);
    if (status != TENON_OK) pieces.fail(chunk, status);
  }
  static constexpr int64_t kStopped = -1;  // before every piece
  [[gnu::cold]] void fail(int64_t chunk, tenon_status with) {
    const std::lock_guard lock(mutex);
    if (chunk > failed.load(std::memory_order_relaxed)) return;
    failed.store(chunk, std::memory_order_relaxed);
    status = with;
  }
};

tenon_status host_parallel_for(tenon_call* window, int64_t n, int64_t grain, tenon_parallel_fn fn,
                               void* user) {
  tenon_status outcome = TENON_OK;
  const tenon_status status = host_guard(window, "threads.parallel_for", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Launch, CallbackState::Data}, "parallel_for");
    Pieces pieces{fn, user, call.may_stop ? &call.context->interrupted : nullptr};
    const InParallel inside(window);
    threads::Pool& pool = call.context->runtime->pool;
    const bool serial = call.context->serial_scopes > 0;
    if (fn == nullptr || !pool.run(n, grain, Pieces::run, &pieces, serial)) {
      fail(TENON_E_ARGUMENT, "parallel_for needs n >= 0, grain >= 1 and a function");
    }
    if (pieces.failed == Pieces::kStopped) call.stopped = true;
    outcome = pieces.status;
  });
  return status == TENON_OK ? outcome : status;
}

tenon_status host_rng(tenon_call* window, tenon_rng* out_rng) {
  return host_guard(window, "rng.get", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Launch}, "rng.get");
    require_pointer(out_rng, "out_rng");
    if (!call.has_rng) fail(TENON_E_STATE, "rng.get was called for an op without TENON_OP_RANDOM");
    *out_rng = call.rng_state;
  });
}

constexpr tenon_host_call kCall = {sizeof(tenon_host_call), 0, host_fail, host_fail_detail,
                                   host_log};
constexpr tenon_host_dispatch kDispatch = {
    sizeof(tenon_host_dispatch), 0,         host_find,      host_op_call,
    host_op_call_into,           host_meta, host_set_output};
constexpr tenon_host_vjp kVjp = {sizeof(tenon_host_vjp),
                                 0,
                                 vjp_wants,
                                 vjp_input,
                                 vjp_output,
                                 vjp_input_meta,
                                 vjp_output_meta,
                                 vjp_input_count,
                                 vjp_attr,
                                 vjp_output_grad,
                                 vjp_set_input_grad,
                                 vjp_rows};
constexpr tenon_host_memory kMemory = {sizeof(tenon_host_memory), 0, host_scratch, host_stream};
constexpr tenon_host_threads kThreads = {sizeof(tenon_host_threads), 0, host_parallel_for};
constexpr tenon_host_rng kRng = {sizeof(tenon_host_rng), 0, host_rng};
constexpr tenon_host_numbers kNumbers = {sizeof(tenon_host_numbers), 0, host_read_number};

const void* get_interface(const tenon_host*, const char* id, uint64_t length) {
  if (!id) return nullptr;
  const std::string_view name(id, length == TENON_NUL ? std::strlen(id) : length);
  if (name == "tenon.host.call/1") return &kCall;
  if (name == "tenon.host.dispatch/1") return &kDispatch;
  if (name == "tenon.host.vjp/1") return &kVjp;
  if (name == "tenon.host.memory/1") return &kMemory;
  if (name == "tenon.host.threads/1") return &kThreads;
  if (name == "tenon.host.rng/1") return &kRng;
  if (name == TENON_HOST_NUMBERS) return &kNumbers;
  return find_host_draft(name);
}

}  // namespace
}  // namespace tenon::host

namespace tenon {

const tenon_host& host_interface() {
  static const tenon_host table = {
      sizeof table,        0,      TENON_ABI_MAJOR, TENON_ABI_MINOR, TENON_FINGERPRINT_BUILT,
      host::get_interface, nullptr};
  return table;
}

const tenon_call& host_call_template() {
  using namespace host;
  static const tenon_call call = {&host_interface(), nullptr,   &kCall, &kDispatch, &kVjp,
                                  &kMemory,          &kThreads, &kRng};
  return call;
}

}  // namespace tenon
