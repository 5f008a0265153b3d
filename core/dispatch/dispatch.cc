// SPDX-License-Identifier: Apache-2.0
// core/dispatch/dispatch.cc: the way of one op call.
#include "core/dispatch/dispatch.h"

#include <algorithm>
#include <cstring>

#include "core/autograd/engine.h"
#include "core/dispatch/call.h"
#include "core/dispatch/launch.h"
#include "core/dispatch/route.h"
#include "core/dispatch/select.h"
#include "core/dispatch/values.h"

namespace tenon::dispatch {

namespace {

using autograd::Recording;

// One bar around the op, above the kernels and copies it launches.
class OpSpan {
 public:
  OpSpan(Context& context, const registry::Op& op) : recorder_(context.runtime->trace), op_(op) {
    if (recorder_.active()) start_ = trace::now_ns();
  }
  ~OpSpan() {
    if (start_) recorder_.add_complete(op_.name, "op", start_, trace::now_ns() - start_, 0, "");
  }
  OpSpan(const OpSpan&) = delete;
  OpSpan& operator=(const OpSpan&) = delete;

 private:
  trace::Recorder& recorder_;
  const registry::Op& op_;
  uint64_t start_ = 0;
};

std::string output_name(const Invocation& call, size_t index) {
  const std::string& name = call.schema.outputs[index].name;
  if (!name.empty()) return name;
  return call.schema.outputs.size() == 1 ? "out" : "out" + std::to_string(index);
}

void check_output_count(const Invocation& call, size_t given) {
  const size_t least = static_cast<size_t>(call.schema.plain_outputs());
  const size_t most = call.schema.outputs.size();
  if (given >= least && given <= most) return;
  throw Error{.status = TENON_E_ARGUMENT,
              .message = call.op.name + ": wrong number of outputs",
              .op = call.op.name,
              .expected = least == most ? std::to_string(most)
                                        : std::to_string(least) + " to " + std::to_string(most),
              .found = std::to_string(given)};
}

[[noreturn]] void fail_output(const Invocation& call, size_t index, tenon_status status,
                              const std::string& message, const std::string& expected,
                              const std::string& found, const std::string& hint = {}) {
  throw Error{.status = status,
              .message = call.op.name + ": output \"" + output_name(call, index) + "\" " + message,
              .op = call.op.name,
              .operand = output_name(call, index),
              .expected = expected,
              .found = found,
              .hint = hint};
}

void check_given_output(const Invocation& call, size_t index, const Tensor& out) {
  const tenon_meta& meta = call.outputs[index];
  const DimSpan shape(meta.shape, static_cast<size_t>(meta.rank));
  if (!std::equal(shape.begin(), shape.end(), out.shape().begin(), out.shape().end())) {
    fail_output(call, index, TENON_E_SHAPE, "has the wrong shape", tensor::describe(meta),
                tensor::describe(out), "outputs are never resized");
  }
  if (out.dtype() != meta.dtype) {
    fail_output(call, index, TENON_E_DTYPE, "has the wrong dtype", tensor::describe(meta),
                tensor::describe(out));
  }
  if (&out.device() != call.output_device) {
    fail_output(call, index, TENON_E_DEVICE, "is on another device", call.output_device->name(),
                out.device().name());
  }
  if (out.storage->read_only) {
    fail_output(call, index, TENON_E_ALIAS, "is read-only", "memory that may be written",
                "read-only memory");
  }
  if (tensor::overlaps_itself(out.shape(), out.strides())) {
    fail_output(call, index, TENON_E_ALIAS, "overlaps itself", "one address for each element",
                "strides " + tensor::dims_text(out.strides()) + " for shape " +
                    tensor::dims_text(out.shape()));
  }
}

void check_mutated(const Invocation& call, bool recording) {
  for (uint32_t input = 0; input < call.n_inputs(); ++input) {
    if (!call.schema.inputs[input].mutated) continue;
    for (uint32_t i = call.begin[input]; i < call.begin[input + 1]; ++i) {
      const Tensor& tensor = *call.operands[i].tensor;
      if (tensor.storage->read_only) {
        fail_operand(call, input, TENON_E_ALIAS, "is written, and is read-only",
                     "memory that may be written", "read-only memory");
      }
      if (tensor::overlaps_itself(tensor.shape(), tensor.strides())) {
        fail_operand(call, input, TENON_E_ALIAS, "is written, and overlaps itself",
                     "one address for each element",
                     "strides " + tensor::dims_text(tensor.strides()) + " for shape " +
                         tensor::dims_text(tensor.shape()));
      }
      // Without a rule, what the operand becomes would be lost to the gradient.
      if (recording && (!call.rule || autograd::requires_grad(tensor))) {
        fail_operand(call, input, TENON_E_GRAD, "is written while it requires a gradient",
                     "a tensor without gradient", tensor::describe(tensor),
                     "wrap the call in tenon_grad_begin(TENON_GRAD_DISABLED)");
      }
    }
  }
}

// Is `out` the very tensor of an operand?
bool is_in_place(const Invocation& call, const Tensor& out) {
  for (const Operand& operand : call.operands) {
    if (operand.tensor == &out) return true;
  }
  return false;
}

// Rules for outputs while a gradient is wanted, or while they have a gradient themselves.
void check_grad_outputs(const Invocation& call, std::span<Tensor* const> outputs, bool recording) {
  if (!call.cx.grad_enabled()) return;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& out = *outputs[i];
    const bool flows = autograd::requires_grad(out);
    if (flows && autograd::is_leaf(out)) {
      fail_output(call, i, TENON_E_GRAD, "is a leaf that requires a gradient",
                  "a tensor that is not a leaf, or no gradient mode", tensor::describe(out),
                  "wrap the write in tenon_grad_begin(TENON_GRAD_DISABLED)");
    }
    const autograd::Link* link = out.link.load(std::memory_order_acquire);
    if (flows && link->is_view) {
      fail_output(call, i, TENON_E_GRAD, "is a view that a gradient flows through",
                  "a tensor with memory of its own", tensor::describe(out),
                  "write to a copy, or detach it");
    }
    if ((recording || flows) && !is_in_place(call, out)) {
      fail_output(call, i, TENON_E_GRAD, "is given while an input wants a gradient",
                  "a returned output, or one of the inputs (in place)", tensor::describe(out),
                  "use tenon_op_call, or disable gradients");
    }
  }
}

// The alias a view op stands for, or NULL where it needs a copy.
Tensor* try_view(Invocation& call) {
  if (!call.op.desc.view || call.operands.empty() || !call.operands[0].tensor) return nullptr;
  Tensor& base = *call.operands[0].tensor;
  const InputBlock inputs(call);
  Call window(call.cx, CallState::Infer, call.op.plugin, &call.op);
  tenon_view_result result{};
  window.run("view", [&](tenon_call* handed) {
    return call.op.desc.view(handed, &inputs.launch(), &result);
  });
  if (result.copy_needed) return nullptr;
  const tenon_meta& meta = call.outputs[0];
  const DimSpan shape(result.shape, static_cast<size_t>(std::clamp(result.rank, 0, 8)));
  int64_t low = 0;
  int64_t high = 0;
  const bool fits =
      result.rank == meta.rank && std::equal(shape.begin(), shape.end(), meta.shape) &&
      (!tensor::extent(shape, {result.strides, shape.size()}, low, high) ||
       (base.offset + result.offset + low >= 0 &&
        static_cast<uint64_t>(base.offset + result.offset + high + 1) * base.element_size() <=
            base.storage->bytes));
  if (!fits) {
    throw Error{.status = TENON_E_PLUGIN,
                .message = call.op.name +
                           ": its view rule leaves the storage or differs from its "
                           "shape rule",
                .op = call.op.name,
                .plugin = call.op.plugin->id};
  }
  base.storage->retain();
  return Tensor::create(base.storage, base.dtype(), shape, result.strides,
                        base.offset + result.offset);
}

// The op in terms of others; fills outputs that are NULL and wanted, copies into those that are
// not NULL.
void compose(Invocation& call, std::span<Tensor*> outputs) {
  Call window(call.cx, CallState::Compose, call.op.plugin, &call.op);
  window.composed.resize(call.n_outputs());
  Small<tenon_value, 8> inputs;
  std::vector<std::vector<tenon_tensor*>> lists;
  for (uint32_t input = 0; input < call.n_inputs(); ++input) {
    tenon_value value{};
    if (call.schema.inputs[input].list) {
      auto& list = lists.emplace_back();
      for (uint32_t i = call.begin[input]; i < call.begin[input + 1]; ++i) {
        list.push_back(tensor::handle(call.operands[i].tensor));
      }
      value.tag = TENON_VALUE_TENSOR_LIST;
      value.count = static_cast<uint32_t>(list.size());
      value.as.tensors = list.data();
    } else if (call.count(input) == 1) {
      const Operand& operand = call.operands[call.begin[input]];
      value = operand.tensor ? tensor_value(*operand.tensor) : operand.number;
    }
    inputs.push_back(value);
  }
  window.run("compose", [&](tenon_call* handed) {
    return call.op.desc.compose(handed, inputs.data(), call.n_inputs(), call.attrs.data(),
                                static_cast<uint32_t>(call.attrs.size()));
  });
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Ref& made = window.composed[i];
    if (!made && call.schema.outputs[i].aux && !(call.wanted >> i & 1)) continue;
    const tenon_meta& meta = call.outputs[i];
    const DimSpan shape(meta.shape, static_cast<size_t>(meta.rank));
    if (!made || made->dtype() != meta.dtype || &made->device() != call.device ||
        !std::equal(shape.begin(), shape.end(), made->shape().begin(), made->shape().end())) {
      throw Error{.status = TENON_E_PLUGIN,
                  .message = call.op.name + ": its composition gave the wrong output",
                  .op = call.op.name,
                  .operand = output_name(call, i),
                  .expected = tensor::describe(meta),
                  .found = made ? tensor::describe(*made) : "nothing",
                  .plugin = call.op.plugin->id};
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    Ref& made = window.composed[i];
    if (!outputs[i]) {
      if (call.wanted >> i & 1) outputs[i] = made.take();
      continue;
    }
    copy_into(call.cx, *made, *outputs[i]);
    outputs[i]->storage->written(&call.op, call.cx.scope_path());
    const autograd::Link* link = made->link.load(std::memory_order_acquire);
    if (link && link->node) {
      autograd::attach(*outputs[i], *link->node, link->output, false);
    }
  }
}

void prepare_call(Invocation& call, std::span<const tenon_value> inputs,
                  std::span<const tenon_value> attrs) {
  bind(call, inputs, attrs);
  call.device->require_alive();
  // Backward rules may live in plugins that nothing has needed so far.
  if (call.cx.opened_kind != call.device->id.kind) {
    call.cx.runtime->plugins.open_for_device(call.device->id.kind);
    call.cx.opened_kind = call.device->id.kind;
  }
  promote(call);
  unify_shapes(call);
  infer(call);
  if (call.cx.grad_enabled()) call.rule = autograd::rule_of(call);
}

// A new tensor's elements on another device, or on the same one: always a copy, so that whether a
// later write shows in the operand never depends on where it was.
void transfer(Invocation& call, Tensor& output) {
  const Operand& operand = call.operands[0];
  if (!operand.tensor) {
    const Ref number(full(call.cx, *call.output_device, output.dtype(), {}, operand.number));
    return copy_into(call.cx, *number, output);
  }
  if (call.cx.capture && call.device != call.output_device) {
    throw Error{.status = TENON_E_CAPTURE,
                .message = call.op.name + ": a copy between devices cannot be captured",
                .op = call.op.name,
                .expected = "one device",
                .found = call.device->name() + " to " + call.output_device->name(),
                .hint = "move data before tenon_capture_begin or after tenon_capture_end"};
  }
  copy_into(call.cx, *operand.tensor, output);
}

void run_or_compose(Invocation& call, std::span<Tensor*> outputs) {
  if (call.op.has(TENON_OP_TRANSFER)) return transfer(call, *outputs[0]);
  std::string declined;
  if (execute(call, outputs, declined)) return;
  if (!call.op.desc.compose) fail_no_kernel(call, declined);
  compose(call, outputs);
}

std::vector<Ref> allocate_outputs(const Invocation& call, uint64_t wanted) {
  std::vector<Ref> outputs(call.n_outputs());
  for (uint32_t i = 0; i < call.n_outputs(); ++i) {
    if (!(wanted >> i & 1)) continue;
    const tenon_meta& meta = call.outputs[i];
    outputs[i] = Ref(Tensor::create(*call.output_device, meta.dtype,
                                    {meta.shape, static_cast<size_t>(meta.rank)}));
  }
  return outputs;
}

std::vector<Tensor*> pointers(const std::vector<Ref>& refs) {
  std::vector<Tensor*> out;
  for (const Ref& ref : refs) out.push_back(ref.get());
  return out;
}

}  // namespace

namespace {

// The long way of a call whose like may come again. Without `asked` nothing is learned from it.
class Learner {
 public:
  Learner(Invocation& call, const Asked* asked) : call_(call), asked_(asked) {
    Routes& routes = *call.cx.routes;
    if (!asked || !routes.is_familiar(*asked)) return;
    epoch_ = call.cx.runtime->registry.epoch();
    call.lesson = &lesson_;
  }
  void end() {
    if (call_.lesson) call_.cx.routes->learn(*asked_, call_, lesson_, epoch_);
  }
  void saw_view(const Tensor& view) { lesson_.view = &view; }
  void saw_recording(autograd::Signature& signature) {
    signature.retain();
    lesson_.signature.reset(&signature);
  }

 private:
  Invocation& call_;
  const Asked* asked_;
  Lesson lesson_;
  uint64_t epoch_ = 0;
};

void call_slowly(const Request& request, std::span<Tensor*> outputs, const Asked* asked) {
  const auto [context, op, inputs, attrs, given, n_outputs] = request;
  const OpSpan span(context, op);
  Invocation invocation(context, op);
  Learner learner(invocation, asked);
  prepare_call(invocation, inputs, attrs);
  check_output_count(invocation, outputs.size());
  const bool recording = autograd::wants_recording(invocation);
  check_mutated(invocation, recording);
  invocation.wanted = (uint64_t{1} << outputs.size()) - 1;
  if (recording && !invocation.rule && op.desc.compose) {
    std::vector<Tensor*> made(invocation.n_outputs(), nullptr);
    compose(invocation, made);
    std::copy_n(made.begin(), outputs.size(), outputs.begin());
    return;
  }
  Recording record;
  if (recording) {
    const autograd::SignatureRef signature = autograd::make_signature(invocation);
    record.begin(context, *signature, {invocation.operands.data(), invocation.operands.size()});
    invocation.wanted |= signature->needs.outputs;
    learner.saw_recording(*signature);
  }
  std::vector<Ref> results(invocation.n_outputs());
  if (Tensor* view = invocation.n_outputs() == 1 ? try_view(invocation) : nullptr) {
    results[0] = Ref(view);
    record.reserve({&view, 1});
    record.end({&view, 1}, true);
    learner.saw_view(*view);
  } else {
    results = allocate_outputs(invocation, invocation.wanted);
    std::vector<Tensor*> flat = pointers(results);
    record.reserve(flat);
    autograd::without_grad(context, [&] { run_or_compose(invocation, flat); });
    record.end(flat, false);
  }
  learner.end();
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = results[i].take();
}

void apply_slowly(const Request& request, const Asked* asked) {
  const auto [context, op, inputs, attrs, outputs, n_outputs] = request;
  const OpSpan span(context, op);
  Invocation invocation(context, op);
  Learner learner(invocation, asked);
  prepare_call(invocation, inputs, attrs);
  check_output_count(invocation, outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) check_given_output(invocation, i, *outputs[i]);
  const bool recording = autograd::wants_recording(invocation);
  check_mutated(invocation, recording);
  check_grad_outputs(invocation, outputs, recording);
  std::vector<Tensor*> flat(outputs.begin(), outputs.end());
  flat.resize(invocation.n_outputs(), nullptr);
  const uint64_t given = (uint64_t{1} << outputs.size()) - 1;
  invocation.wanted = given;
  if (recording && !invocation.rule && op.desc.compose) return compose(invocation, flat);
  Recording record;
  std::vector<Ref> extra;
  if (recording) {
    const autograd::SignatureRef signature = autograd::make_signature(invocation);
    record.begin(context, *signature, {invocation.operands.data(), invocation.operands.size()});
    invocation.wanted |= signature->needs.outputs;
    extra = allocate_outputs(invocation, invocation.wanted & ~given);
    for (size_t i = outputs.size(); i < flat.size(); ++i) flat[i] = extra[i].get();
  }
  record.reserve(flat);
  if (Tensor* view = invocation.n_outputs() == 1 ? try_view(invocation) : nullptr) {
    const Ref owned(view);
    copy_into(context, *view, *outputs[0]);
    outputs[0]->storage->written(&op, context.scope_path());
  } else {
    autograd::without_grad(context, [&] { run_or_compose(invocation, flat); });
  }
  record.end(flat, false);
  learner.end();
}

void begin_call(Context& context) {
  ++context.sequence;
  context.check_interrupt();
}

}  // namespace

void call(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
          std::span<const tenon_value> attrs, std::span<Tensor*> outputs) {
  begin_call(context);
  const Request request{context, op, inputs, attrs, {}, outputs.size()};
  if (!may_take_routes(context)) return call_slowly(request, outputs, nullptr);
  Asked asked(request);
  bool usual = false;
  Route* const route = context.routes->find(asked, context.runtime->registry.epoch(), usual);
  if (route && take_route(*route, asked, outputs)) return;
  call_slowly(request, outputs, usual && (!route || route->is_stale()) ? &asked : nullptr);
}

void apply(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
           std::span<const tenon_value> attrs, std::span<Tensor* const> outputs) {
  begin_call(context);
  const Request request{context, op, inputs, attrs, outputs, outputs.size()};
  // Without outputs it could not be told from `call`.
  if (outputs.empty() || !may_take_routes(context)) return apply_slowly(request, nullptr);
  Asked asked(request);
  bool usual = false;
  Route* const route = context.routes->find(asked, context.runtime->registry.epoch(), usual);
  if (route && take_route(*route, asked, {})) return;
  apply_slowly(request, usual && (!route || route->is_stale()) ? &asked : nullptr);
}

}  // namespace tenon::dispatch
