// SPDX-License-Identifier: Apache-2.0
// core/dispatch/explain.cc: what a call would do, as JSON. Nothing is cast, allocated or launched:
// only the op's own rules about metadata run.
#include <nlohmann/json.hpp>

#include "core/autograd/engine.h"
#include "core/dispatch/call.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/select.h"
#include "core/dispatch/values.h"

namespace tenon::dispatch {

namespace {

using nlohmann::ordered_json;
using registry::Kernel;

ordered_json inputs_json(const Invocation& call) {
  ordered_json list = ordered_json::array();
  for (uint32_t input = 0; input < call.n_inputs(); ++input) {
    const registry::Param& param = call.schema.inputs[input];
    std::string value;
    for (uint32_t i = call.begin[input]; i < call.begin[input + 1]; ++i) {
      const Operand& operand = call.operands[i];
      if (!value.empty()) value += ", ";
      value += operand.tensor ? tensor::describe(*operand.tensor) : value_text(operand.number);
    }
    if (param.list) {
      value.insert(0, "[").append("]");
    } else if (value.empty()) {
      value = "none";
    }
    list.push_back({{"name", param.name}, {"value", value}});
  }
  return list;
}

ordered_json attrs_json(const Invocation& call) {
  ordered_json object = ordered_json::object();
  for (size_t i = 0; i < call.attrs.size(); ++i) {
    object[call.schema.attrs[i].name] = value_text(call.attrs[i]);
  }
  return object;
}

ordered_json dtypes_json(const Invocation& call) {
  ordered_json object = ordered_json::object();
  for (size_t i = 0; i < call.types.size(); ++i) {
    object[call.schema.variables[i].name] = tensor::name_of(call.types[i]);
  }
  return object;
}

ordered_json casts_json(const Invocation& call) {
  ordered_json list = ordered_json::array();
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    const Tensor* tensor = call.operands[i].tensor;
    const registry::Param& param = call.schema.inputs[call.input_of(i)];
    const tenon_dtype dtype = call.type_of(param.type);
    if (!tensor || tensor->dtype() == dtype) continue;
    list.push_back({{"input", param.name},
                    {"from", tensor::name_of(tensor->dtype())},
                    {"to", tensor::name_of(dtype)}});
  }
  return list;
}

ordered_json outputs_json(const Invocation& call) {
  ordered_json list = ordered_json::array();
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const tenon_meta& meta = call.outputs[i];
    ordered_json shape = ordered_json::array();
    for (int32_t d = 0; d < meta.rank; ++d) shape.push_back(meta.shape[d]);
    const registry::Output& output = call.schema.outputs[i];
    list.push_back({{"name", output.name},
                    {"shape", shape},
                    {"dtype", tensor::name_of(meta.dtype)},
                    {"aux", output.aux}});
  }
  return list;
}

std::vector<std::string> flag_words(const Kernel& kernel) {
  std::vector<std::string> words;
  const uint32_t flags = kernel.desc.flags;
  if (flags & TENON_KERNEL_CAPTURE_SAFE) words.emplace_back("capture-safe");
  if (flags & TENON_KERNEL_CANONICAL) words.emplace_back("canonical");
  if (flags & TENON_KERNEL_NO_HOST_SYNC) words.emplace_back("no host sync");
  if (flags & TENON_KERNEL_INDEX_64) words.emplace_back("64-bit index");
  if (kernel.desc.predicate) words.emplace_back("predicate");
  return words;
}

ordered_json kernel_json(const Invocation& call, const Kernel& kernel) {
  return {{"plugin", kernel.plugin->id},
          {"device", call.cx.runtime->registry.name_of(kernel.device_kind)},
          {"priority", kernel.desc.priority},
          {"flags", flag_words(kernel)}};
}

// Outputs that the kernel was built before; a call that asks for one of them passes it over.
ordered_json lacking_json(const Invocation& call, const Kernel& kernel) {
  ordered_json list = ordered_json::array();
  const uint32_t known = kernel.desc.n_slots - kernel_inputs(kernel.desc);
  for (uint32_t i = known; i < call.n_outputs(); ++i) list.push_back(call.schema.outputs[i].name);
  return list;
}

bool is_view(const Invocation& call) {
  if (!call.op.desc.view || call.operands.empty() || !call.operands[0].tensor) return false;
  const InputBlock inputs(call);
  Call window(call.cx, CallState::Infer, call.op.plugin, &call.op);
  tenon_view_result result{};
  window.check(call.op.desc.view(&window, &inputs.launch(), &result), "view");
  return result.copy_needed == 0;
}

// The op's report, and why a pin has no effect on this call.
ordered_json report_json(const Invocation& call,
                         std::span<const std::pair<const Kernel*, std::string>> judged) {
  ordered_json list = call.cx.runtime->registry.report_of(call.op);
  const std::string pin = pinned_plugin(call);
  if (pin.empty() || (pin == kCompositionPin && call.op.desc.compose)) return list;
  bool listed = false;
  for (const auto& [kernel, reason] : judged) {
    if (kernel->plugin->id != pin) continue;
    if (reason.empty()) return list;
    listed = true;
  }
  list.push_back(pin + " is pinned, but " +
                 (pin == kCompositionPin ? "the op has none"
                  : listed               ? "its kernels cannot run this call"
                                         : "has no kernel for this op"));
  return list;
}

}  // namespace

std::string explain(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
                    std::span<const tenon_value> attrs) {
  Invocation call(context, op);
  call.dry = true;
  bind(call, inputs, attrs);
  promote(call);
  unify_shapes(call);
  infer(call);

  context.runtime->plugins.open_for_device(call.device->id.kind);  // may bring a backward rule
  std::string too_old;
  const registry::VjpRule* rule = autograd::rule_of(call, &too_old);
  // Without aux outputs, but for those that the rule would save.
  call.wanted = (uint64_t{1} << call.schema.plain_outputs()) - 1;
  if (autograd::wants_recording(call)) call.wanted |= autograd::needed_outputs(call);
  const auto judged = judge(call);
  const Kernel* chosen = nullptr;
  ordered_json candidates = ordered_json::array();
  for (const auto& [kernel, reason] : judged) {
    if (!chosen && reason.empty()) chosen = kernel;
    ordered_json entry = kernel_json(call, *kernel);
    entry["lacks_outputs"] = lacking_json(call, *kernel);
    entry["reason"] = reason;
    candidates.push_back(std::move(entry));
  }
  const bool composes = op.desc.compose != nullptr;
  ordered_json choice;
  // A composition comes first or last.  NOLINTNEXTLINE(bugprone-branch-clone)
  if (composes && !rule && autograd::wants_recording(call)) {
    choice = "composition";  // recorded in place of a kernel, so that a gradient flows
  } else if (op.has(TENON_OP_TRANSFER)) {
    choice = "transfer";
  } else if (is_view(call)) {
    choice = "view";
  } else if (chosen) {
    choice = kernel_json(call, *chosen);
  } else if (composes) {
    choice = "composition";
  }
  const ordered_json answer = {{"op", op.name},
                               {"revision", op.desc.revision},
                               {"plugin", op.plugin->id},
                               {"schema", op.schema_text},
                               {"inputs", inputs_json(call)},
                               {"attributes", attrs_json(call)},
                               {"dtypes", dtypes_json(call)},
                               {"casts", casts_json(call)},
                               {"outputs", outputs_json(call)},
                               {"device", call.device->name()},
                               {"chosen", choice},
                               {"candidates", candidates},
                               {"backward",
                                {{"plugin", rule ? ordered_json(rule->plugin->id) : ordered_json()},
                                 {"compose", composes},
                                 {"reason", too_old}}},
                               {"report", report_json(call, judged)}};
  return answer.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace tenon::dispatch
