// SPDX-License-Identifier: Apache-2.0
// core/autograd/record.cc: one node for one recorded call.
#include "core/autograd/engine.h"
#include "core/dispatch/select.h"

namespace tenon::autograd {

using dispatch::Invocation;
using dispatch::Operand;

namespace {

bool differentiable(const Invocation& call, const registry::VjpRule* rule, uint32_t index) {
  const Operand& operand = call.operands[index];
  if (!operand.tensor || !tensor::is_float(operand.tensor->dtype())) return false;
  if (!requires_grad(*operand.tensor)) return false;
  return !rule || !(rule->desc.non_differentiable >> call.input_of(index) & 1);
}

// The union of what the rule needs for the inputs that want gradients.
tenon_vjp_need needs_of(const Invocation& call, const registry::VjpRule* rule) {
  tenon_vjp_need all{};
  for (uint32_t i = 0; rule && i < call.operands.size(); ++i) {
    const uint32_t input = call.input_of(i);
    if (input >= rule->desc.n_inputs || !differentiable(call, rule, i)) continue;
    const tenon_vjp_need& need = rule->desc.needs[input];
    all.inputs |= need.inputs;
    all.outputs |= need.outputs;
    all.input_metas |= need.input_metas;
    all.output_metas |= need.output_metas;
  }
  return all;
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
  const registry::VjpRule* rule = rule_of(call);
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    if (differentiable(call, rule, i)) return true;
  }
  return false;
}

uint64_t needed_outputs(const Invocation& call) { return needs_of(call, rule_of(call)).outputs; }

void Recording::begin(Invocation& call) {
  const registry::VjpRule* rule = rule_of(call);
  const tenon_vjp_need needs = needs_of(call, rule);
  // Edges first: finding them may throw, and then nothing was recorded.
  std::vector<Edge> edges(call.operands.size());
  struct Undo {
    std::vector<Edge>& edges;
    bool armed = true;
    ~Undo() {
      if (!armed) return;
      for (Edge& edge : edges) {
        if (edge.node) release_node(edge.node);
      }
    }
  } undo{edges};
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    if (differentiable(call, rule, i)) {
      edges[i] = edge_to(*call.operands[i].tensor, *call.cx.graph);
    }
  }
  node_ = create_node(*call.cx.graph);
  undo.armed = false;
  Node* const node = node_;
  node->edges = std::move(edges);
  node->op = &call.op;
  node->rule = rule;
  node->scope = call.cx.scope_path();
  node->attrs = dispatch::ValueStore({call.attrs.data(), call.attrs.size()});
  node->input_begin.assign(call.begin.begin(), call.begin.end());
  node->n_outputs = call.n_outputs();
  node->output_metas.assign(call.outputs.begin(), call.outputs.end());
  node->saved_inputs.resize(call.operands.size());
  node->saved_outputs.resize(call.n_outputs());
  node->input_metas.resize(call.operands.size());
  for (const auto& param : call.schema.inputs) node->input_is_list.push_back(param.list ? 1 : 0);
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    Operand& operand = call.operands[i];
    if (operand.tensor) node->input_metas[i] = tensor::meta_of(*operand.tensor);
    if (!(needs.inputs >> call.input_of(i) & 1)) continue;
    if (operand.tensor) {
      node->saved_inputs[i] = save(*operand.tensor);
    } else {
      node->saved_inputs[i].kept = true;
      node->saved_inputs[i].number = operand.number;
    }
  }
}

void Recording::reserve(const Invocation& call, std::span<Tensor* const> outputs) {
  if (!node_) return;
  Node& node = *node_;
  const tenon_vjp_need needs = needs_of_node(node);
  links_.resize(outputs.size());
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] && needs.outputs >> i & 1) node.saved_outputs[i] = save(*outputs[i]);
    if (!outputs[i] || !tensor::is_float(outputs[i]->dtype())) continue;
    if (call.schema.outputs[i].aux && !node.saved_outputs[i].kept) continue;
    links_[i] = std::make_unique<Link>();
  }
}

void Recording::end(std::span<Tensor* const> outputs, bool is_view) noexcept {
  if (!node_) return;
  Node& node = *node_;
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    Saved& saved = node.saved_outputs[i];
    if (saved.kept) saved.version = outputs[i]->storage->version.load(std::memory_order_relaxed);
    if (links_[i]) attach(*outputs[i], node, i, is_view, std::move(links_[i]));
  }
}

tenon_vjp_need needs_of_node(const Node& node) {
  tenon_vjp_need all{};
  for (uint32_t input = 0; node.rule && input < node.rule->desc.n_inputs; ++input) {
    if (input + 1 >= node.input_begin.size()) break;
    bool wanted = false;
    for (uint32_t i = node.input_begin[input]; i < node.input_begin[input + 1]; ++i) {
      wanted = wanted || node.edges[i].wanted();
    }
    if (!wanted) continue;
    const tenon_vjp_need& need = node.rule->desc.needs[input];
    all.inputs |= need.inputs;
    all.outputs |= need.outputs;
    all.input_metas |= need.input_metas;
    all.output_metas |= need.output_metas;
  }
  return all;
}

}  // namespace tenon::autograd
