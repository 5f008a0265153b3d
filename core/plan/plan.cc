// SPDX-License-Identifier: Apache-2.0
// core/plan/plan.cc: captured plans: what they hold, what may be set, the gradients of leaves.
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

Plan::Plan(Context& context)
    : runtime(context.runtime), changes(runtime->changes.load()), arithmetic(context.arithmetic) {
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
  if (input.written && tensor.read_only()) {
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
  tensor.storage->planned.store(true, std::memory_order_relaxed);
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
