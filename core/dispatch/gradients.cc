// SPDX-License-Identifier: Apache-2.0
// core/dispatch/gradients.cc: which backward rule serves a call, and what the call records.
#include "core/dispatch/gradients.h"

#include <algorithm>

#include "core/dispatch/select.h"

namespace tenon::dispatch {

namespace {

bool differentiable(const Invocation& call, const registry::VjpRule* rule, uint32_t index) {
  const Operand& operand = call.operands[index];
  if (!operand.tensor || !tensor::is_float(operand.tensor->dtype())) return false;
  if (!tape::requires_grad(*operand.tensor)) return false;
  return !rule || !(rule->desc.non_differentiable >> call.input_of(index) & 1);
}

}  // namespace

std::string rule_too_old(const registry::VjpRule& rule, const registry::Schema& schema,
                         std::span<const uint32_t> begin, std::span<const tenon_value> attrs) {
  const tenon_vjp_desc& desc = rule.desc;
  if (desc.n_inputs >= schema.inputs.size() && desc.n_attrs >= schema.attrs.size()) return "";
  // An aux output that the rule does not know has no gradient; the others have theirs all the same.
  return built_before(schema, {desc.n_inputs, desc.n_attrs, 0}, usage_of(schema, begin, attrs, 0));
}

const registry::VjpRule* rule_of(const Invocation& call, std::string* too_old) {
  for (const registry::VjpRule* rule : *call.op.rules.load(std::memory_order_acquire)) {
    std::string words = rule_too_old(*rule, call.schema, {call.begin.data(), call.begin.size()},
                                     {call.attrs.data(), call.attrs.size()});
    if (words.empty()) return rule;
    if (too_old && too_old->empty()) *too_old = rule->plugin->id + " " + words;
  }
  return nullptr;
}

bool wants_recording(const Invocation& call) {
  if (!call.cx.grad_enabled()) return false;
  // An op that only writes its operands still must not do so unseen by backward.
  if (std::ranges::none_of(call.outputs, tensor::is_float, &tenon_meta::dtype) &&
      std::ranges::none_of(call.schema.inputs, &registry::Param::mutated)) {
    return false;
  }
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    if (differentiable(call, call.rule, i)) return true;
  }
  return false;
}

tape::SignatureRef make_signature(const Invocation& call) {
  tape::SignatureRef made(new tape::Signature);
  tape::Signature& of = *made;
  of.op = &call.op;
  of.rule = call.rule;
  of.attrs = registry::ValueStore({call.attrs.data(), call.attrs.size()});
  of.input_begin.assign(call.begin.begin(), call.begin.end());
  of.output_metas.assign(call.outputs.begin(), call.outputs.end());
  of.operands.resize(call.operands.size());
  of.input_metas.resize(call.operands.size());
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    tape::OperandRole& role = of.operands[i];
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
  for (tape::OperandRole& role : of.operands) role.saved = (of.needs.inputs >> role.input & 1) != 0;
  return made;
}

}  // namespace tenon::dispatch
