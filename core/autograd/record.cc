// SPDX-License-Identifier: Apache-2.0
// core/autograd/record.cc: one node for one recorded call.
#include "core/autograd/engine.h"
#include "core/dispatch/select.h"

namespace tenon::autograd {

using dispatch::Given;
using dispatch::Invocation;
using dispatch::Operand;

namespace {

bool differentiable(const Invocation& call, const registry::VjpRule* rule, uint32_t index) {
  const Operand& operand = call.operands[index];
  if (!operand.tensor || !tensor::is_float(operand.tensor->dtype())) return false;
  if (!requires_grad(*operand.tensor)) return false;
  return !rule || !(rule->desc.non_differentiable >> call.input_of(index) & 1);
}

Saved save(Tensor& tensor) {
  Saved saved;
  saved.kept = true;
  saved.tensor = Ref(tensor.alias());
  saved.version = tensor.storage->version.load(std::memory_order_relaxed);
  return saved;
}

}  // namespace

std::string rule_too_old(const registry::VjpRule& rule, const registry::Schema& schema,
                         std::span<const uint32_t> begin, std::span<const tenon_value> attrs) {
  const tenon_vjp_desc& desc = rule.desc;
  if (desc.n_inputs >= schema.inputs.size() && desc.n_attrs >= schema.attrs.size()) return "";
  // An aux output that the rule does not know has no gradient; the others have theirs all the same.
  return dispatch::built_before(schema, {desc.n_inputs, desc.n_attrs, 0},
                                dispatch::usage_of(schema, begin, attrs, 0));
}

const registry::VjpRule* rule_of(const Invocation& call, std::string* too_old) {
  const registry::RuleSet* set = call.op.rules.load(std::memory_order_acquire);
  if (!set) return nullptr;
  for (const registry::VjpRule* rule : set->rules) {
    std::string words = rule_too_old(*rule, call.schema, {call.begin.data(), call.begin.size()},
                                     {call.attrs.data(), call.attrs.size()});
    if (words.empty()) return rule;
    if (too_old && too_old->empty()) *too_old = rule->plugin->id + " " + words;
  }
  return nullptr;
}

bool wants_recording(const Invocation& call) {
  if (!call.cx.grad_enabled()) return false;
  bool float_output = false;
  for (const tenon_meta& meta : call.outputs) {
    float_output = float_output || tensor::is_float(meta.dtype);
  }
  if (!float_output) {
    // An op that only writes its operands still must not do so behind a gradient's back.
    bool mutates = false;
    for (const auto& param : call.schema.inputs) mutates = mutates || param.mutated;
    if (!mutates) return false;
  }
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    if (differentiable(call, call.rule, i)) return true;
  }
  return false;
}

SignatureRef make_signature(const Invocation& call) {
  SignatureRef made(new Signature);
  Signature& of = *made;
  of.op = &call.op;
  of.rule = call.rule;
  of.attrs = dispatch::ValueStore({call.attrs.data(), call.attrs.size()});
  of.input_begin.assign(call.begin.begin(), call.begin.end());
  of.output_metas.assign(call.outputs.begin(), call.outputs.end());
  of.operands.resize(call.operands.size());
  of.input_metas.resize(call.operands.size());
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    OperandRole& role = of.operands[i];
    role.input = call.input_of(i);
    role.follows = differentiable(call, call.rule, i);
    if (call.operands[i].tensor) of.input_metas[i] = tensor::meta_of(*call.operands[i].tensor);
    if (!role.follows || !of.rule || role.input >= of.rule->desc.n_inputs) continue;
    const tenon_vjp_need& need = of.rule->desc.needs[role.input];
    of.needs.inputs |= need.inputs;
    of.needs.outputs |= need.outputs;
    of.needs.input_metas |= need.input_metas;
    of.needs.output_metas |= need.output_metas;
  }
  for (size_t i = 0; i < of.output_metas.size(); ++i) {
    const bool kept = !call.schema.outputs[i].aux || (of.needs.outputs >> i & 1);
    if (kept && tensor::is_float(of.output_metas[i].dtype)) of.linked |= uint64_t{1} << i;
  }
  for (OperandRole& role : of.operands) role.saved = (of.needs.inputs >> role.input & 1) != 0;
  return made;
}

void Recording::begin(Context& context, Signature& of, std::span<const Given> operands) {
  node_ = create_node(*context.graph, of);
  Node& node = *node_;
  node.scope = context.scope_path();
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandRole& role = of.operands[i];
    Tensor* const tensor = operands[i].tensor;
    if (role.follows) node.edges[i] = edge_to(*tensor, *context.graph);
    if (!role.saved) continue;
    if (tensor) {
      node.saved_inputs[i] = save(*tensor);
    } else {
      node.saved_inputs[i].kept = true;
      node.saved_inputs[i].number = *operands[i].number;
    }
  }
}

void Recording::reserve(std::span<Tensor* const> outputs) {
  if (!node_) return;
  Node& node = *node_;
  const Signature& of = *node.of;
  // Backwards, so that end() meets them in order.
  for (size_t i = outputs.size(); i-- > 0;) {
    if (!outputs[i]) continue;
    if (of.needs.outputs >> i & 1) node.saved_outputs[i] = save(*outputs[i]);
    if (!(of.linked >> i & 1)) continue;
    Link* const link = create_link(*node.graph);
    link->next_dropped = links_;
    links_ = link;
  }
}

void Recording::end(std::span<Tensor* const> outputs, bool is_view) noexcept {
  if (!node_) return;
  Node& node = *node_;
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i]) continue;
    Saved& saved = node.saved_outputs[i];
    if (saved.kept) saved.version = outputs[i]->storage->version.load(std::memory_order_relaxed);
    if (!(node.of->linked >> i & 1)) continue;
    Link* const link = std::exchange(links_, links_->next_dropped);
    link->next_dropped = nullptr;
    attach(*outputs[i], node, i, is_view, link);
  }
}

Recording::~Recording() {
  while (links_) delete std::exchange(links_, links_->next_dropped);
  if (node_) release_node(node_);
}

}  // namespace tenon::autograd
