// SPDX-License-Identifier: Apache-2.0
// sdk/verify/report/matrix.cc: see matrix.h. What a cell needs is said here a second time, apart
// from the checks that fill it: a check that forgets an op is found.
#include "report/matrix.h"

#include <algorithm>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "case/both_ways.h"
#include "kinds/checks.h"

namespace tenon::verify {
namespace {

// What the calls of an op are like.
struct Traits {
  bool calls = false, errors = false;
  bool floats = false;    // a call with a float operand that writes none of its operands
  bool in_place = false;  // an operand like the only output
  bool capture_safe = false;
  bool pair = false;         // two operands that can share memory
  std::set<Layout> layouts;  // of operands and outputs
  size_t operands = 0;       // tensors of the call that has most
};

void look_at_outputs(Traits& traits, const Entry& op, const SampleCall& call, const Json& answer,
                     bool host) {
  const Json& outputs = answer.at("outputs");
  for (size_t i = 0; i < call.n_plain_outputs && i < outputs.size(); ++i) {
    const Shape shape = outputs[i].at("shape").get<Shape>();
    for (const Layout layout : layouts_for(shape, false, host)) traits.layouts.insert(layout);
    for (size_t k = 0; call.n_plain_outputs == 1 && k < call.arrays.size(); ++k) {
      const bool like = call.arrays[k].shape == shape && !call.mutated[k] &&
                        outputs[i].at("dtype") == dtype_name(call.arrays[k].dtype);
      traits.in_place = traits.in_place || (like && !op.has_flag("transfer"));
    }
  }
}

void look_at_call(Traits& traits, const SampleCall& call, bool host) {
  traits.operands = std::max(traits.operands, call.arrays.size());
  for (size_t i = 0; i < call.arrays.size(); ++i) {
    for (const Layout layout : layouts_for(call.arrays[i].shape, !call.mutated[i], host)) {
      traits.layouts.insert(layout);
    }
    const bool is_float = sdk::is_float(call.arrays[i].dtype);
    traits.floats = traits.floats || (is_float && !call.mutates());
    for (size_t k = 0; k < i && !call.mutates(); ++k) {
      const bool same = call.arrays[i].dtype == call.arrays[k].dtype;
      traits.pair = traits.pair || (same && call.arrays[i].shape == call.arrays[k].shape);
    }
  }
}

Traits traits_of(Subject& subject, const Entry& op, const std::string& backend) {
  Traits traits;
  const tenon_device device = subject.device(backend);
  const bool host = subject.is_host_memory(backend);
  for (const SampleText& sample : op.samples) {
    if (sample.expect != TENON_OK) {
      traits.errors = true;
      continue;
    }
    const auto call = make_call(op, sample, "", "", sdk::kDrawSeed);
    if (!call) continue;
    traits.calls = true;
    look_at_call(traits, *call, host);
    const Json answer = explained(subject.session(), *call, device);
    if (!answer.is_object()) continue;
    look_at_outputs(traits, op, *call, answer, host && !op.has_flag("transfer"));
    const Json& chosen = answer.at("chosen");
    const bool safe = chosen.is_object() &&
                      chosen.at("flags").dump().find("\"capture-safe\"") != std::string::npos;
    traits.capture_safe = traits.capture_safe || safe;
  }
  return traits;
}

constexpr const char* kEffect = "an op with an effect may give other results each time";

// Empty: there must be cases. Reasons that begin with "only" leave it open.
std::string why_no(Form form, const Entry& op, const Traits& traits, bool own_kernel) {
  const bool rule = op.has_vjp;
  switch (form) {
    case Form::Declared:
      return op.defined || own_kernel ? "" : "the plugin has neither the op nor a kernel";
    case Form::Error:
      return traits.errors ? "" : "it has no error sample";
    case Form::Trace:
    case Form::Resume:
      return "only optimizers are traced";
    default:
      break;
  }
  if (!traits.calls) return "it has no sample that succeeds";
  if (op.has_flag("effect") && form != Form::Strict) return kEffect;
  switch (form) {
    case Form::InPlace:
      return traits.in_place ? "" : "no operand is like the only output";
    case Form::Recorded:
      return traits.floats ? "" : "no float operand, or operands are written";
    case Form::Replayed:
      return traits.capture_safe ? "" : "only kernels that are safe to capture are replayed";
    case Form::Composed:
      return op.composes && own_kernel ? "only where the composition runs"
                                       : "no kernel beside a composition";
    case Form::Gradient:
    case Form::Backward:
      if (!rule) return "it has no backward rule";
      return traits.floats ? "" : "no float operand, or operands are written";
    case Form::Poisoned:
      return "only where the rule leaves out a tensor that can be overwritten";
    case Form::Twice:
      return "only where the rule's own ops have rules";
    case Form::Memory:
      return "";
    case Form::Huge:
      return "only kernels that claim 64-bit indices, with operands of one byte an element";
    default:
      return "";
  }
}

std::string why_no(Layout layout, const Entry& op, const Traits& traits, bool host) {
  if (op.has_flag("effect")) return kEffect;
  if (traits.layouts.count(layout) != 0) return "";
  if (layout == Layout::Unaligned && !host) return "only host memory has odd addresses";
  if (layout == Layout::Aliased) {
    return traits.pair ? "" : "only operands that are alike, or like the output, share memory";
  }
  if (layout == Layout::Huge) return "only in the form huge";
  return "no tensor of its samples has a shape for it";
}

void fail_empty(PluginResult& result, const Group& group, const std::string& what) {
  const std::string place = group.backend.empty() ? "" : " on " + group.backend;
  result.failures.add({group.name(), std::string(causes::kNoCases.name), "",
                       "no case of " + what + " was run" + place +
                           ", although its samples and declarations allow some"});
}

}  // namespace

Json facts_of(Subject& subject, const Entry& op, const std::string& backend) {
  Json samples = Json::array();
  for (const SampleText& sample : op.samples) samples.push_back(sample.text);
  const Traits traits = traits_of(subject, op, backend);
  const bool own_kernel = op.own_kernel(subject.id(), backend) != nullptr;
  Json forms = Json::object();
  for (size_t i = 0; i < kFormCount; ++i) {
    const auto form = static_cast<Form>(i);
    forms[std::string(name_of(form))] = why_no(form, op, traits, own_kernel);
  }
  Json layouts = Json::object();
  for (size_t i = 0; i < kLayoutCount; ++i) {
    const auto layout = static_cast<Layout>(i);
    layouts[std::string(name_of(layout))] =
        why_no(layout, op, traits, subject.is_host_memory(backend));
  }
  Json facts = json_of(Group{op.name, backend, "", ""});
  facts.update({{"operands", traits.operands},
                {"samples", samples},
                {"forms", forms},
                {"layouts", layouts}});
  return facts;
}

int level_of(Form form) {
  switch (form) {
    case Form::Memory:
    case Form::Huge:
      return kSoak;
    case Form::Twice:
      return kMatrix;
    case Form::InPlace:
    case Form::Recorded:
    case Form::Replayed:
    case Form::Guarded:
    case Form::Repeated:
    case Form::Threads:
    case Form::Backward:
    case Form::Poisoned:
    case Form::Trace:
    case Form::Resume:
      return kValues;
    default:
      return kSmoke;
  }
}

void look_for_empty_cells(PluginResult& result, int level) {
  for (const GroupResult& group : result.groups) {
    // What could not be run at all has said so.
    const std::pair unusable{group.group.name(), std::string(causes::kUnusable.name)};
    if (group.cut || result.failures.counts().count(unusable) != 0) continue;
    const Tally& tally = group.tally;
    if (tally.cases == 0) {
      fail_empty(result, group.group, "any kind");
      continue;
    }
    if (group.group.op.empty()) {
      const std::optional<Form> form = form_due(group.group.topic);
      if (!form) continue;
      const std::string name(name_of(*form));
      const bool due = level >= level_of(*form);
      if (due && tally.forms.count(name) == 0) fail_empty(result, group.group, "form " + name);
      continue;
    }
    for (const auto& [name, why] : group.facts.at("forms").items()) {
      const bool due = why.get<std::string>().empty() && level_of(*form_named(name)) <= level;
      if (due && tally.forms.count(name) == 0) fail_empty(result, group.group, "form " + name);
    }
    for (const auto& [name, why] : group.facts.at("layouts").items()) {
      const bool due = why.get<std::string>().empty() &&
                       (level >= kValues || *layout_named(name) != Layout::Aliased);
      if (due && tally.layouts.count(name) == 0) fail_empty(result, group.group, "layout " + name);
    }
  }
}

}  // namespace tenon::verify
