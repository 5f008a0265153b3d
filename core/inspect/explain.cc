// SPDX-License-Identifier: Apache-2.0
// core/inspect/explain.cc: what a call would do, as JSON. Nothing is cast, allocated or launched:
// only the op's own rules about metadata run.
#include "core/inspect/explain.h"

#include <tenon/ext/draft/bits.h>
#include <tenon/ext/draft/narrow.h>

#include <algorithm>

#include "core/base/words.h"
#include "core/dispatch/gradients.h"
#include "core/dispatch/infer.h"
#include "core/dispatch/operands.h"
#include "core/dispatch/select.h"
#include "core/json/writer.h"
#include "core/registry/values.h"
#include "core/runtime/callback.h"

namespace tenon::inspect {

using dispatch::Invocation;
using dispatch::Judged;
using dispatch::kCompositionPin;
using dispatch::kernel_inputs;
using dispatch::Operand;
using registry::value_text;
using tensor::Tensor;

namespace {

using json::Writer;
using registry::Kernel;

void write_inputs(Writer& out, const Invocation& call) {
  out.objects("inputs", call.n_inputs(), [&](uint32_t input) {
    const registry::Param& param = call.schema.inputs[input];
    const std::span operands(call.operands.data() + call.begin[input], call.count(input));
    std::string value = base::joined(operands, ", ", [](const Operand& operand) {
      return operand.tensor ? tensor::describe(*operand.tensor) : value_text(*operand.number);
    });
    if (param.list) {
      value.insert(0, "[").append("]");
    } else if (value.empty()) {
      value = "none";
    }
    out.member("name", param.name);
    out.member("value", value);
  });
}

void write_attrs(Writer& out, const Invocation& call) {
  out.begin_object();
  for (size_t i = 0; i < call.attrs.size(); ++i) {
    out.member(call.schema.attrs[i].name, value_text(call.attrs[i]));
  }
  out.end_object();
}

void write_dtypes(Writer& out, const Invocation& call) {
  out.begin_object();
  for (size_t i = 0; i < call.types.size(); ++i) {
    out.member(call.schema.variables[i].name, tensor::name_of(call.types[i]));
  }
  out.end_object();
}

// `narrow`: without those of operands that what runs takes as they are.
void write_casts(Writer& out, const Invocation& call, bool narrow) {
  out.begin_list();
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    const Tensor* tensor = call.operands[i].tensor;
    const registry::Param& param = call.schema.inputs[call.input_of(i)];
    const tenon_dtype dtype = call.type_of(param.type);
    if (!tensor || tensor->dtype() == dtype || (narrow && is_narrow(call, i))) continue;
    out.begin_object();
    out.member("input", param.name);
    out.member("from", tensor::name_of(tensor->dtype()));
    out.member("to", tensor::name_of(dtype));
    out.end_object();
  }
  out.end_list();
}

void write_outputs(Writer& out, const Invocation& call) {
  out.objects("outputs", call.outputs.size(), [&](size_t i) {
    const tenon_meta& meta = call.outputs[i];
    const registry::Output& output = call.schema.outputs[i];
    out.member("name", output.name);
    out.member("shape", tensor::shape_of(meta));
    out.member("dtype", tensor::name_of(meta.dtype));
    out.member("aux", output.aux);
  });
}

std::vector<std::string_view> flag_words(const Kernel& kernel) {
  std::vector<std::string_view> words;
  const uint32_t flags = kernel.desc.flags;
  if (flags & TENON_KERNEL_CAPTURE_SAFE) words.emplace_back("capture-safe");
  if (flags & TENON_KERNEL_CANONICAL) words.emplace_back("canonical");
  if (flags & TENON_KERNEL_INDEX_64) words.emplace_back("64-bit index");
  if (kernel.desc.predicate) words.emplace_back("predicate");
  return words;
}

// The members of an object.
void write_kernel(Writer& out, const Invocation& call, const Kernel& kernel) {
  out.member("plugin", kernel.plugin->id);
  out.member("device", call.cx.runtime->registry.name_of(kernel.device_kind));
  out.member("priority", kernel.desc.priority);
  out.member("flags", flag_words(kernel));
}

// Outputs that the kernel was built before; a call that asks for one of them passes it over.
std::vector<std::string_view> lacking_outputs(const Invocation& call, const Kernel& kernel) {
  std::vector<std::string_view> names;
  const uint32_t known = kernel.desc.n_slots - kernel_inputs(kernel.desc);
  for (uint32_t i = known; i < call.n_outputs(); ++i) names.push_back(call.schema.outputs[i].name);
  return names;
}

// Is the device's own plugin the only one there is for an op that libraries compute?
bool wants_library(const Invocation& call, std::span<const Judged> judged) {
  const auto of_device = [&call](const auto& candidate) {
    return candidate.kernel->plugin == call.device->backend->plugin;
  };
  return call.op.has(TENON_OP_LIBRARY_BITS) && !judged.empty() &&
         std::ranges::all_of(judged, of_device);
}

// The op's report, a library that is missing, and why a pin has no effect on this call.
std::vector<std::string> report_of(const Invocation& call, std::span<const Judged> judged) {
  std::vector<std::string> list = call.cx.runtime->registry.report_of(call.op);
  if (wants_library(call, judged)) {
    list.push_back("no plugin with a library's kernels for this op is there: those of " +
                   judged.front().kernel->plugin->id + " are for small operands");
  }
  const std::string pin = pinned_plugin(call);
  if (pin.empty() || (pin == kCompositionPin && call.op.desc.compose)) return list;
  bool listed = false;
  for (const Judged& each : judged) {
    if (each.kernel->plugin->id != pin) continue;
    if (each.reason.empty()) return list;
    listed = true;
  }
  list.push_back(pin + " is pinned, but " +
                 (pin == kCompositionPin ? "the op has none"
                  : listed               ? "its kernels cannot run this call"
                                         : "has no kernel for this op"));
  return list;
}

// `kernel`: the best that may run, or NULL.
void write_choice(Writer& out, const Invocation& call, const registry::VjpRule* rule,
                  const Kernel* kernel) {
  const bool composes = call.op.desc.compose != nullptr;
  tenon_view_result alias{};
  // A composition comes first or last.  NOLINTNEXTLINE(bugprone-branch-clone)
  if (composes && !rule && wants_recording(call)) {
    out.value("composition");  // recorded in place of a kernel, so that a gradient flows
  } else if (call.op.has(TENON_OP_TRANSFER)) {
    out.value("transfer");
  } else if (is_view(call, alias)) {
    out.value("view");
  } else if (kernel) {
    out.begin_object();
    write_kernel(out, call, *kernel);
    out.end_object();
  } else if (composes) {
    out.value("composition");
  } else {
    out.value(nullptr);
  }
}

// Are operands that may be widened to i64 left as they are? `kernel` as write_choice's.
bool takes_narrow(const Invocation& call, const Kernel* kernel) {
  if (call.op.desc.view || wants_recording(call)) return false;
  return kernel ? dispatch::takes_narrow(call, *kernel) : call.op.has(TENON_OP_NARROW);
}

void write_candidates(Writer& out, const Invocation& call, std::span<const Judged> judged) {
  out.objects("candidates", judged, [&](const Judged& each) {
    write_kernel(out, call, *each.kernel);
    out.member("lacks_outputs", lacking_outputs(call, *each.kernel));
    out.member("reason", each.reason);
  });
}

void write_backward(Writer& out, const registry::Op& op, const registry::VjpRule* rule,
                    const std::string& too_old) {
  out.begin_object();
  out.name("plugin");
  if (rule) {
    out.value(rule->plugin->id);
  } else {
    out.value(nullptr);
  }
  out.member("compose", op.desc.compose != nullptr);
  out.member("reason", too_old);
  out.end_object();
}

}  // namespace

std::string explain(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
                    std::span<const tenon_value> attrs) {
  require_active(*op.plugin, op.name);
  Invocation call(context, op, nullptr);
  dispatch::bind(call, inputs, attrs);
  promote(call);
  infer(call);

  context.runtime->plugins.open_for_device(call.device->id.kind);  // may bring a backward rule
  std::string too_old;
  const registry::VjpRule* rule = call.rule = rule_of(call, &too_old);
  // Without aux outputs, except for those that the rule would save.
  call.wanted = (uint64_t{1} << call.schema.plain_outputs()) - 1;
  if (wants_recording(call)) {
    call.wanted |= make_signature(call)->needs.outputs;
  }
  const auto judged = judge(call);
  const auto fit = std::ranges::find(judged, std::string(), &Judged::reason);
  const Kernel* const chosen = fit == judged.end() ? nullptr : fit->kernel;
  Writer out;
  out.begin_object();
  out.member("op", op.name);
  out.member("revision", op.desc.revision);
  out.member("plugin", op.plugin->id);
  out.member("schema", op.schema_text);
  write_inputs(out, call);
  out.name("attributes");
  write_attrs(out, call);
  out.name("dtypes");
  write_dtypes(out, call);
  out.name("casts");
  write_casts(out, call, takes_narrow(call, chosen));
  write_outputs(out, call);
  out.member("device", call.device->name());
  out.name("chosen");
  write_choice(out, call, rule, chosen);
  write_candidates(out, call, judged);
  out.name("backward");
  write_backward(out, op, rule, too_old);
  out.member("report", report_of(call, judged));
  out.end_object();
  return out.take();
}

}  // namespace tenon::inspect
