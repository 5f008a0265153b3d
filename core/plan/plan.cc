// SPDX-License-Identifier: Apache-2.0
// core/plan/plan.cc: captured plans: what they hold, what may be set, whether they may still run.
#include "core/plan/plan.h"

#include <algorithm>

#include "core/backward/rows.h"
#include "core/launch/moves.h"

namespace tenon::plan {

using tape::Link;

Range range_of(const Device& device, const tenon_view& view) {
  return {tensor::addresses_of(view), device.host_memory() ? nullptr : &device};
}

void refuse_shared(size_t index, const std::string& what, const Tensor& tensor) {
  fail(TENON_E_ALIAS, "plan input " + std::to_string(index) + " shares memory with " + what,
       "input " + std::to_string(index), "memory of its own", tensor::describe(tensor),
       "give a copy of it");
}

Plan::Plan(Runtime& owner) : runtime(&owner), moves(owner.moves.load()) {
  runtime->retain();
  runtime->plans.fetch_add(1, std::memory_order_relaxed);
}

Plan::~Plan() {
  graph_.reset();
  for (DeviceState& state : devices) {
    if (state.counter.data) state.device->release(state.counter);
  }
  launches.clear();
  inputs.clear();
  temporaries.reset();
  for (Storage* storage : storages) storage->release();
  runtime->plans.fetch_sub(1, std::memory_order_relaxed);
  runtime->release();
}

Plan::DeviceState& Plan::state_of(Device& device) {
  for (DeviceState& state : devices) {
    if (state.device == &device) return state;
  }
  devices.push_back({&device, {}});
  return devices.back();
}

// Before the first launch, so that a plan never stops half-way for this.
void Plan::check_plugins() {
  const uint64_t now = runtime->registry.epoch();
  if (now == epoch) return;
  for (const Launch& launch : launches) {
    const bool op_is_active = !launch.op->plugin->is_deactivated();
    const registry::Plugin& plugin = op_is_active ? *launch.kernel->plugin : *launch.op->plugin;
    if (!plugin.is_deactivated()) continue;
    fail_with(TENON_E_PLUGIN, launch.op->name, plugin.id,
              "the plan launches " + launch.op->name + " of plugin " + plugin.id +
                  ", which was deactivated",
              {}, "active plugins", plugin.id, "capture the step again");
  }
  epoch = now;
}

// A number that was set back is as good as one that never changed.
void Plan::check_taken() {
  for (Taken& each : taken) {
    if (each.source->changes() == each.changes) continue;
    uint64_t changes = 0;
    const Frozen::Values now = each.source->get(changes);
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i].second == each.values[i].second) continue;
      fail(TENON_E_STATE,
           "the plan was captured with " + now[i].first + " = " + each.values[i].second +
               ", which is " + now[i].second + " now",
           now[i].first, each.values[i].second, now[i].second,
           "capture the step again, or set it back");
    }
    each.changes = changes;
  }
}

void Plan::check_moves() {
  const uint64_t now = runtime->moves.load(std::memory_order_relaxed);
  if (moves == now) return;
  for (const Storage* storage : storages) {
    if (!storage->left.load(std::memory_order_relaxed)) continue;
    fail(TENON_E_STATE,
         "the plan was captured with tensors on " + storage->memory->name() +
             " that a layer has moved to another device since",
         "plan", "the layer on " + storage->memory->name(), "on another device",
         "capture the step again");
  }
  moves = now;
}

// Two inputs may be the same memory if both are only read.
void Plan::check_inputs_apart() {
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

void Plan::set(uint32_t index, Tensor& tensor) {
  if (index >= inputs.size()) {
    fail(TENON_E_ARGUMENT, "the plan has no input " + std::to_string(index), {},
         "an index below " + std::to_string(inputs.size()), std::to_string(index));
  }
  Input& input = inputs[index];
  const tensor::DimSpan strides(input.strides.data(), static_cast<size_t>(input.meta.rank));
  const tenon_meta given = tensor::meta_of(tensor);
  bool same = given.rank == input.meta.rank && given.dtype == input.meta.dtype &&
              given.device.kind == input.meta.device.kind &&
              given.device.index == input.meta.device.index;
  for (int32_t i = 0; same && i < given.rank; ++i) {
    same = given.shape[i] == input.meta.shape[i] &&
           (given.shape[i] <= 1 || tensor.strides_[i] == input.strides[static_cast<size_t>(i)]);
  }
  if (!same) {
    const std::string expected =
        tensor::describe(input.meta) + " strides " + tensor::dims_text(strides);
    const std::string found =
        tensor::describe(tensor) + " strides " + tensor::dims_text(tensor.strides());
    fail(TENON_E_PLAN_SHAPE,
         "plan input " + std::to_string(index) + " was captured with " + expected +
             " and is given " + found,
         "input " + std::to_string(index), expected, found,
         "capture the step again for tensors of another kind");
  }
  const uint32_t size = tensor.element_size();
  if (reinterpret_cast<uintptr_t>(tensor.view.data) % size !=
      reinterpret_cast<uintptr_t>(input.data) % size) {
    fail(TENON_E_PLAN_SHAPE, "plan input " + std::to_string(index) + " has another alignment",
         "input " + std::to_string(index));
  }
  if (input.written && tensor.storage->read_only) {
    throw Error{.status = TENON_E_ALIAS,
                .message = "plan input " + std::to_string(index) +
                           " is written by the plan and the tensor is read-only",
                .operand = "input " + std::to_string(index)};
  }
  if (input.tensor.get() == &tensor) return;
  const Range range = range_of(tensor);
  if (std::ranges::any_of(writes, [&](const Range& each) { return each.meets(range); })) {
    refuse_shared(index, "what the plan writes: its results, parameters, or what lies between",
                  tensor);
  }
  if (graph_) graph_->outdate();
  inputs_checked_ = false;
  input.tensor = Ref::shared(&tensor);
  for (const Patch& patch : input.patches) {
    patch.launch->views[patch.view].data = static_cast<char*>(tensor.view.data) + patch.byte_offset;
  }
}

namespace {

[[noreturn]] void refuse_gradient(const Tensor& leaf, const char* then, const char* now,
                                  const char* hint) {
  const std::string name = tensor::describe(leaf);
  fail(TENON_E_STATE,
       "the plan was captured when the leaf " + name + " had " + then + ", and now it has " + now,
       "the gradient of " + name, then, now, hint);
}

}  // namespace

Link* Plan::link_of(const LeafState& state) const {
  const Tensor& leaf =
      state.input == LeafState::kNoInput ? *state.leaf : *inputs[state.input].tensor;
  Link* const link = tape::find_link(leaf);
  return link && !link->node && link->requires_grad ? link : nullptr;
}

// Nothing has changed if one of them is not as it has to be.
void Plan::begin_leaves(Context& context) {
  for (const LeafState& state : leaves) {
    if (state.replaced || (state.begin && state.adds)) continue;
    const bool any = tape::gradient_of(link_of(state)).any();
    if (any && !state.begin) {
      refuse_gradient(*state.leaf, "none", "one",
                      "give it up before the run, or capture the step again");
    }
    if (!any && state.begin) {
      refuse_gradient(*state.leaf, "one", "none",
                      "run a backward before the run, or capture the step again");
    }
  }
  for (const LeafState& state : leaves) {
    if (!state.begin) continue;
    const tape::Gradient held = tape::gradient_of(link_of(state));
    if (held.dense.get() == state.begin.get()) continue;
    if (held.dense) {
      launch::copy_into(context, *held.dense, *state.begin);
      continue;
    }
    launch::fill(context, *state.begin, nothing_to_add(state.rows || held.rows.indices));
    if (held.rows.indices) backward::add_rows_into(context, *state.begin, held.rows);
  }
}

void Plan::end_leaves(Context& context) {
  for (const LeafState& state : leaves) {
    Link* const link = link_of(state);
    if (!link) continue;
    // Of an input there may be another next time, and each has its own.
    tape::Gradient end{state.end};
    const bool copies = state.end && state.input != LeafState::kNoInput;
    if (copies) end.dense = Ref(launch::copy(context, *state.end));
    tape::exchange(*link, end);
  }
}

}  // namespace tenon::plan
