// SPDX-License-Identifier: Apache-2.0
// core/plan/stale.cc: whether all that a plan has taken over is as it was, so that it may still
// run. Each change that it can see counts in one word, so that a run compares two: see
// Owner::changes.
#include <span>

#include "core/plan/plan.h"

namespace tenon::plan {

namespace {

constexpr const char* kAgain = "capture the step again, or set it back";

[[noreturn]] void refuse(const std::string& name, const std::string& then, const std::string& now) {
  fail(TENON_E_STATE,
       "the plan was captured with " + name + " = " + then + ", which is " + now + " now", name,
       then, now, kAgain);
}

std::string pin_text(const std::string& pin) { return pin.empty() ? "none" : pin; }

}  // namespace

// Before the first launch, so that a plan never stops half-way for this.
void Plan::check_registry() {
  const uint64_t now = runtime->registry.epoch();
  for (const Launch& launch : launches) {
    const bool op_is_active = !launch.op->plugin->is_deactivated();
    const registry::Plugin& plugin = op_is_active ? *launch.kernel->plugin : *launch.op->plugin;
    if (!plugin.is_deactivated()) continue;
    fail_with(TENON_E_PLUGIN, launch.op->name, plugin.id,
              "the plan launches " + launch.op->name + " of plugin " + plugin.id +
                  ", which was deactivated",
              {}, "active plugins", plugin.id, "capture the step again");
  }
  for (const auto& [op, pin] : pins) {
    const std::string pinned = runtime->pin_of(op->index);
    if (pinned != pin) refuse("the pinned plugin of " + op->name, pin_text(pin), pin_text(pinned));
  }
  epoch = now;
}

void Plan::check_changes() {
  const uint64_t now = runtime->changes.load(std::memory_order_acquire);
  check_taken();
  check_moves();
  check_uses(uses.size());
  changes = now;
}

// A number that was set back is as good as one that never changed.
void Plan::check_taken() {
  for (Taken& each : taken) {
    if (each.source->changes() == each.changes) continue;
    uint64_t seen = 0;
    const Frozen::Values now = each.source->get(seen);
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i].second != each.values[i].second) {
        refuse(now[i].first, each.values[i].second, now[i].second);
      }
    }
    each.changes = seen;
  }
}

void Plan::check_moves() const {
  for (const Storage* storage : storages) {
    if (!storage->left.load(std::memory_order_relaxed)) continue;
    fail(TENON_E_STATE,
         "the plan was captured with tensors on " + storage->memory->name() +
             " that a layer has moved to another device since",
         "plan", "the layer on " + storage->memory->name(), "on another device",
         "capture the step again");
  }
}

// An input that requires no gradient any more gets none; one that does now would get none either.
void Plan::check_uses(size_t count) const {
  for (const LeafUse& use : std::span(uses).first(count)) {
    const bool is_input = use.input != LeafState::kNoInput;
    const Tensor& leaf = is_input ? *inputs[use.input].tensor : *use.leaf;
    const auto name = [&] {
      return is_input ? "input " + std::to_string(use.input) : "the leaf " + tensor::describe(leaf);
    };
    const bool wanted = tape::requires_grad(leaf);
    if (use.looked && wanted != use.wanted && (wanted || !is_input)) {
      refuse("requires_grad of " + name(), use.wanted ? "true" : "false",
             wanted ? "true" : "false");
    }
    if (!use.led || tape::hooks_of(leaf).empty()) continue;
    fail(TENON_E_STATE,
         "a hook was begun on the gradient of " + name() +
             " after the capture, and the plan would not call it",
         "the gradient of " + name(), "no hook", "a hook",
         "end the hook, or run the step without a plan");
  }
}

// Kernels of canonical arithmetic may serve the fast policy, but not the reverse.
void Plan::check_arithmetic(const Context& context) const {
  if (context.arithmetic != TENON_ARITHMETIC_CANONICAL) return;
  refuse("the arithmetic policy of the context", "fast", "canonical");
}

void Plan::check_default_device(Context& context) const {
  const Device& now = context.default_device();
  if (&now == default_device) return;
  refuse("the default device of the context", default_device->name(), now.name());
}

// Two inputs may be the same memory if both are only read.
void Plan::check_inputs() {
  check_uses(n_input_uses);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].written) continue;
    const Range range = range_of(*inputs[i].tensor);
    for (size_t j = 0; j < inputs.size(); ++j) {
      if (i == j || !range.meets(range_of(*inputs[j].tensor))) continue;
      refuse_shared(j, "input " + std::to_string(i) + ", which the plan writes", *inputs[j].tensor);
    }
  }
  inputs_checked_ = true;
}

}  // namespace tenon::plan
