// SPDX-License-Identifier: Apache-2.0
// core/plan/recorder.cc: what is launched between the two ends of a capture becomes a plan.
#include <algorithm>

#include "core/plan/plan.h"

namespace tenon::plan {

using dispatch::Block;
using dispatch::Item;

Recorder::Recorder(Context& context, std::vector<Ref> inputs)
    : plan_(std::make_unique<Plan>(*context.runtime)), start_counter_(context.counter) {
  for (Ref& tensor : inputs) {
    Plan::Input input;
    input.meta = tensor::meta_of(*tensor);
    std::copy_n(tensor->strides_, tensor->view.rank, input.strides.begin());
    input.data = tensor->view.data;
    hold(*tensor->storage);
    for (size_t i = 0; i < plan_->inputs.size(); ++i) {
      if (range_of(*tensor).meets(range_of(*plan_->inputs[i].tensor))) {
        // Whatever reads there reads both: after an exchange one of them would be wrong.
        refuse_shared(plan_->inputs.size(), "input " + std::to_string(i), *tensor);
      }
    }
    input.tensor = std::move(tensor);
    plan_->inputs.push_back(std::move(input));
  }
}

void Recorder::admit(const registry::Op& op, const registry::Kernel& kernel) {
  if (kernel.desc.flags & TENON_KERNEL_CAPTURE_SAFE) return;
  Error error{.status = TENON_E_CAPTURE,
              .message = op.name + ": its kernel of " + kernel.plugin->id +
                         " is not capture-safe, so the step cannot be replayed",
              .op = op.name,
              .expected = "a kernel with TENON_KERNEL_CAPTURE_SAFE",
              .found = kernel.plugin->id,
              .plugin = kernel.plugin->id,
              .hint = "pin another plugin's kernel, or run this op outside the capture"};
  if (!failure_) failure_ = std::make_unique<Error>(error);
  throw error;
}

bool Recorder::holds(const Storage& storage) const {
  const auto& held = plan_->storages;
  // Recent storages come first in a step; most are found within a few steps back.
  return std::find(held.rbegin(), held.rend(), &storage) != held.rend();
}

void Recorder::hold(Storage& storage) {
  if (holds(storage)) return;
  plan_->storages.push_back(&storage);
  storage.retain();
}

void Recorder::bind_inputs(Launch& launch, const Block& block) {
  for (Plan::Input& input : plan_->inputs) {
    const Range declared = range_of(*input.tensor);
    for (size_t i = 0; i < block.items.size(); ++i) {
      const Tensor* tensor = block.items[i].tensor;
      if (!tensor || tensor->storage != input.tensor->storage) continue;
      const Range used = range_of(tensor->device(), launch.views[i]);
      if (!used.meets(declared)) continue;
      if (used.begin < declared.begin || declared.end < used.end) {
        failure_ = std::make_unique<Error>(
            Error{.status = TENON_E_CAPTURE,
                  .message = launch.op->name + ": an operand shares only a part of its memory "
                                               "with a declared input, which cannot be exchanged",
                  .op = launch.op->name,
                  .expected = "memory inside of the input, or outside",
                  .found = tensor::describe(*tensor),
                  .hint = "declare a copy as the input"});
        throw Error(*failure_);
      }
      const int64_t offset =
          static_cast<char*>(launch.views[i].data) - static_cast<char*>(input.data);
      input.patches.push_back({&launch, i, offset});
      if (block.items[i].role != TENON_SLOT_IN) input.written = true;
    }
  }
}

void Recorder::add(const registry::Op& op, const registry::Kernel& kernel, Device& device,
                   const Block& block, std::shared_ptr<const dispatch::Prepared> prepared,
                   uint64_t scratch_bytes, const tenon_rng* rng, const std::string* scope) {
  Launch& launch = plan_->launches.emplace_back(op, kernel, device, block);
  // A call that fails for want of memory has not taken place: no replay may run half of it.
  struct Undo {
    Plan& plan;
    bool armed = true;
    ~Undo() {
      if (!armed) return;
      for (Plan::Input& input : plan.inputs) {
        std::erase_if(input.patches,
                      [&](const Plan::Patch& p) { return p.launch == &plan.launches.back(); });
      }
      plan.launches.pop_back();
    }
  } undo{*plan_};
  launch.prepared = std::move(prepared);
  launch.launch.prepared = launch.prepared ? launch.prepared->object : nullptr;
  launch.scratch_bytes = scratch_bytes;
  launch.scope = scope;
  Plan::DeviceState& state = plan_->state_of(device);
  if (scratch_bytes > state.scratch.capacity) {
    const memory::Block larger = device.allocate(scratch_bytes);
    if (state.scratch.data) device.release(state.scratch);
    state.scratch = larger;
  }
  if (rng) {
    launch.random = true;
    launch.rng = *rng;
    launch.rng.offset -= start_counter_;
    if (device.host_memory()) {
      launch.rng.device_base = &plan_->host_counter;
    } else {
      if (!state.counter.data) state.counter = device.allocate(sizeof(uint64_t));
      launch.rng.device_base = static_cast<const uint64_t*>(state.counter.data);
    }
  }
  for (const Item& item : block.items) {
    if (!item.tensor) continue;
    Storage* storage = item.tensor->storage;
    hold(*storage);
    if (item.role == TENON_SLOT_IN) continue;
    auto& written = plan_->written;
    const auto known = std::find_if(written.rbegin(), written.rend(),
                                    [&](const auto& entry) { return entry.first == storage; });
    if (known == written.rend()) {
      written.emplace_back(storage, &op);
    } else {
      known->second = &op;
    }
  }
  bind_inputs(launch, block);
  undo.armed = false;
}

void Recorder::depend_on(const std::shared_ptr<const Frozen>& source) {
  for (const Plan::Taken& known : plan_->taken) {
    if (known.source == source) return;
  }
  Plan::Taken taken{source, 0, {}};
  taken.values = source->get(taken.changes);
  plan_->taken.push_back(std::move(taken));
}

bool Recorder::is_exchanged(const Launch& launch, size_t view) const {
  const auto is_this = [&](const Plan::Patch& patch) {
    return patch.launch == &launch && patch.view == view;
  };
  return std::any_of(plan_->inputs.begin(), plan_->inputs.end(), [&](const Plan::Input& input) {
    return std::any_of(input.patches.begin(), input.patches.end(), is_this);
  });
}

void Recorder::settle(Context& context) {
  if (!failure_) settle_leaves(context);
  std::vector<Range>& writes = plan_->writes;
  writes.clear();
  for (const Launch& launch : plan_->launches) {
    for (uint32_t slot = 0; slot < launch.launch.n_slots; ++slot) {
      if (launch.kernel->desc.slots[slot].role == TENON_SLOT_IN) continue;
      for (uint32_t i = launch.slot_begin[slot]; i < launch.slot_begin[slot + 1]; ++i) {
        if (is_exchanged(launch, i)) continue;
        const Range range = range_of(*launch.device, launch.views[i]);
        const bool known = std::any_of(writes.rbegin(), writes.rend(), [&](const Range& each) {
          return each.memory == range.memory && each.begin <= range.begin && range.end <= each.end;
        });
        if (!known) writes.push_back(range);
      }
    }
  }
}

std::unique_ptr<Plan> Recorder::finish(Context& context) {
  if (failure_) throw Error(*failure_);
  for (LeafState& state : plan_->leaves) state.made = state.given = Ref();
  plan_->counters = context.counter - start_counter_;
  return std::move(plan_);
}

}  // namespace tenon::plan
