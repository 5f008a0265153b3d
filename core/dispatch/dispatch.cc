// SPDX-License-Identifier: Apache-2.0
// core/dispatch/dispatch.cc: the way of one op call.
#include "core/dispatch/dispatch.h"

#include <tenon/ext/draft/dynamic.h>
#include <tenon/ext/draft/optimizers.h>

#include <algorithm>

#include "core/dispatch/call_cache.h"
#include "core/dispatch/compose.h"
#include "core/dispatch/execute.h"
#include "core/dispatch/gradients.h"
#include "core/dispatch/infer.h"
#include "core/dispatch/operands.h"
#include "core/dispatch/outputs.h"
#include "core/dispatch/select.h"
#include "core/launch/moves.h"
#include "core/launch/op_log.h"
#include "core/runtime/callback.h"
#include "core/trace/recorder.h"

namespace tenon::dispatch {

namespace {

using launch::copy_into;
using tape::Recording;

// The alias a view op stands for, or NULL if it needs a copy.
Ref try_view(const Invocation& call) {
  tenon_view_result result{};
  if (!is_view(call, result)) return {};
  Tensor& base = *call.operands[0].tensor;
  const tenon_meta& meta = call.outputs[0];
  const DimSpan shape(result.shape, static_cast<size_t>(std::clamp(result.rank, 0, 8)));
  const tensor::Extent reach = tensor::extent(shape, {result.strides, shape.size()});
  const bool fits =
      result.rank == meta.rank && std::equal(shape.begin(), shape.end(), meta.shape) &&
      (reach.empty() ||
       (base.offset + result.offset + reach.low >= 0 &&
        static_cast<uint64_t>(base.offset + result.offset + reach.high + 1) * base.element_size() <=
            base.storage->bytes));
  if (!fits) {
    fail_plugin(call.op.name, call.op.plugin->id,
                "its view rule leaves the storage or differs from its shape rule");
  }
  return tensor::window(base, shape, result.strides, base.offset + result.offset);
}

// What the program may change later, and this call would see.
[[gnu::cold]] void note_call(launch::Capture& capture, const Invocation& call) {
  const auto is_tensor = [](const Operand& operand) { return operand.tensor != nullptr; };
  capture.calls(call.cx, call.op, std::ranges::none_of(call.operands, is_tensor));
  if (!call.cx.grad_enabled()) return;
  for (const Operand& operand : call.operands) {
    if (!operand.tensor || !tensor::is_float(operand.tensor->dtype())) continue;
    if (tape::is_leaf(*operand.tensor)) capture.looks_at(*operand.tensor);
  }
}

void prepare_call(Invocation& call, std::span<const tenon_value> inputs,
                  std::span<const tenon_value> attrs, launch::LoggedOp& logged) {
  require_active(*call.op.plugin, call.op.name);
  bind(call, inputs, attrs);
  if (launch::Capture* const capture = launch::capture_of(call.cx)) note_call(*capture, call);
  logged.begin(call.cx, call.op, inputs, attrs);
  call.device->require_alive();
  // Backward rules may live in plugins that nothing has needed so far.
  if (call.cx.opened_kind != call.device->id.kind) {
    call.cx.runtime->plugins.open_for_device(call.device->id.kind);
    call.cx.opened_kind = call.device->id.kind;
  }
  promote(call);
  infer(call);
  if (call.cx.grad_enabled()) call.rule = rule_of(call);
  // An alias has its operand's dtype, and backward rules see what the schema says.
  if (call.op.desc.view || wants_recording(call)) widen(call);
}

// A new tensor's elements on another device, or on the same one: always a copy, so that whether a
// later write shows in the operand never depends on where it was.
void transfer(Invocation& call, Tensor& output) {
  const Operand& operand = call.operands[0];
  if (!operand.tensor) {
    const Ref number(
        launch::full(call.cx, *call.output_device, output.dtype(), {}, *operand.number));
    return copy_into(call.cx, *number, output);
  }
  if (call.cx.capture && call.device != call.output_device) {
    fail_in(call.op.name, TENON_E_CAPTURE, "a copy between devices cannot be captured", {},
            "one device", call.device->name() + " to " + call.output_device->name(),
            "move data before tenon_capture_begin or after tenon_capture_end");
  }
  copy_into(call.cx, *operand.tensor, output);
}

void run_or_compose(Invocation& call, std::span<Tensor*> outputs,
                    std::vector<Ref>* fresh = nullptr) {
  if (call.op.has(TENON_OP_TRANSFER)) return transfer(call, *outputs[0]);
  std::string declined;
  if (execute(call, outputs, declined)) return;
  if (!call.op.desc.compose) fail_no_kernel(call, declined);
  compose(call, outputs, fresh);
}

std::vector<Ref> allocate_outputs(const Invocation& call, uint64_t wanted) {
  std::vector<Ref> outputs(call.n_outputs());
  for (uint32_t i = 0; i < call.n_outputs(); ++i) {
    if (!(wanted >> i & 1)) continue;
    const tenon_meta& meta = call.outputs[i];
    outputs[i] = Ref(Tensor::create(*call.output_device, meta.dtype, tensor::shape_of(meta)));
  }
  return outputs;
}

// The first calls of a kind: how the second one ran is kept. Nothing is kept without a `key`.
class Resolver {
 public:
  Resolver(Invocation& call, const CallKey* key) : call_(call), key_(key) {
    CallCache& cache = call_cache_of(call.cx);
    if (!key || !cache.has_seen(*key)) return;
    epoch_ = call.cx.runtime->registry.epoch();
    call.resolution = &resolution_;
  }
  void end() {
    if (call_.resolution) call_cache_of(call_.cx).add(*key_, call_, resolution_, epoch_);
  }
  void saw_view(const Tensor& view) { resolution_.view = &view; }
  void saw_recording(tape::Signature& signature) {
    signature.retain();
    resolution_.signature.reset(&signature);
  }

 private:
  Invocation& call_;
  const CallKey* key_;
  Resolution resolution_;
  uint64_t epoch_ = 0;
};

// Onto what is given, or else onto new tensors, which `outputs` then holds.
[[gnu::cold]] void call_slowly(const Request& request, std::span<Tensor*> outputs,
                               const CallKey* key) {
  const auto [context, op, inputs, attrs, given, n_outputs, fresh] = request;
  const trace::Span span(context.runtime->trace, op.name, "op");
  launch::LoggedOp logged;
  Invocation invocation(context, op, cast);
  Resolver resolver(invocation, key);
  prepare_call(invocation, inputs, attrs, logged);
  check_output_count(invocation, n_outputs);
  const bool dynamic = op.has(TENON_OP_DYNAMIC_OUT);
  for (size_t i = 0; i < given.size() && !dynamic; ++i) {
    check_given_output(invocation, i, *given[i]);
  }
  const bool recording = wants_recording(invocation);
  check_mutated(invocation, recording);
  if (!fresh) check_grad_outputs(invocation, given, recording);
  // All outputs of the schema; NULL if one is not there yet, or not wanted.
  std::vector<Tensor*> flat(given.begin(), given.end());
  flat.resize(invocation.n_outputs(), nullptr);
  invocation.wanted = (uint64_t{1} << n_outputs) - 1;
  const uint64_t there = given.empty() ? 0 : invocation.wanted;
  invocation.may_stop =
      there == 0 && std::ranges::none_of(invocation.schema.inputs, &registry::Param::mutated);
  if (dynamic || (recording && !invocation.rule && op.desc.compose)) {
    if (dynamic) {
      compose_dynamic(invocation, flat, recording);
    } else {
      compose(invocation, flat);
    }
    std::copy_n(flat.begin(), outputs.size(), outputs.begin());
    return;
  }
  Recording record;
  if (recording) {
    const tape::SignatureRef signature = make_signature(invocation);
    record.begin(context, *signature, {invocation.operands.data(), invocation.operands.size()});
    invocation.wanted |= signature->needs.outputs;
    resolver.saw_recording(*signature);
  }
  const Ref view = try_view(invocation);
  const bool is_alias = view && there == 0;
  std::vector<Ref> made =
      is_alias ? std::vector<Ref>{view} : allocate_outputs(invocation, invocation.wanted & ~there);
  for (size_t i = 0; i < flat.size(); ++i) {
    if (made[i]) flat[i] = made[i].get();
  }
  record.reserve(flat);
  if (is_alias) {
    resolver.saw_view(*view);
  } else if (view) {
    copy_into(context, *view, *flat[0]);
    flat[0]->storage->written(&op.name, context.scope_path());
  } else {
    const GradMode off(context, false);
    // What is recorded has saved the outputs already, and given ones somebody has seen.
    run_or_compose(invocation, flat, recording || there != 0 ? nullptr : &made);
  }
  record.end(flat, is_alias);
  resolver.end();
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = made[i].take();
}

// `outputs` are where new ones go; empty where they are given.
[[gnu::always_inline]] inline void run(const Request& request, std::span<Tensor*> outputs) {
  Context& context = request.context;
  ++context.sequence;
  context.check_interrupt();
  if (!may_reuse_calls(context)) return call_slowly(request, outputs, nullptr);
  CallKey key(request);
  const CallCache::Outcome outcome = call_cache_of(context).run(key, outputs);
  if (outcome == CallCache::Outcome::Ran) return;
  // Calls are alike whether an operand is a parameter or not, which such an op has to see.
  const bool kept =
      outcome == CallCache::Outcome::New && !request.op.has(TENON_OP_WRITES_GRADIENTS);
  call_slowly(request, outputs, kept ? &key : nullptr);
}

}  // namespace

void call(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
          std::span<const tenon_value> attrs, std::span<Tensor*> outputs) {
  run({context, op, inputs, attrs, {}, outputs.size()}, outputs);
}

void call_into(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
               std::span<const tenon_value> attrs, std::span<Tensor* const> outputs) {
  run({context, op, inputs, attrs, outputs, outputs.size()}, {});
}

void call_onto(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
               std::span<const tenon_value> attrs, std::span<Tensor* const> outputs) {
  ++context.sequence;
  context.check_interrupt();
  call_slowly({context, op, inputs, attrs, outputs, outputs.size(), true}, {}, nullptr);
}

Tensor* cast(Context& context, Tensor& tensor, tenon_dtype dtype) {
  const tenon_value input = tensor_value(tensor);
  const tenon_value attr = registry::dtype_value(dtype);
  Tensor* out = nullptr;
  const registry::Op& op = context.runtime->plugins.require_role(TENON_ROLE_CAST);
  call(context, op, {&input, 1}, {&attr, 1}, {&out, 1});
  return out;
}

}  // namespace tenon::dispatch
