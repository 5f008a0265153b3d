// SPDX-License-Identifier: Apache-2.0
// core/plan/recorder.cc: what is launched between the two ends of a capture becomes a plan.
#include "core/plan/recorder.h"

#include <algorithm>

#include "core/backward/rows.h"
#include "core/dispatch/roles.h"
#include "core/launch/moves.h"

namespace tenon::plan {

using launch::Block;
using tape::Link;

Recorder::Recorder(Context& context, std::vector<Ref> inputs)
    : plan_(std::make_unique<Plan>(context)),
      start_counter_(context.counter),
      start_stream_(context.stream),
      start_device_(context.device) {
  for (Ref& tensor : inputs) {
    Plan::Input input;
    input.meta = tensor::meta_of(*tensor);
    std::copy_n(tensor->strides_, tensor->view.rank, input.strides.begin());
    input.data = tensor->view.data;
    buffers_.hold(buffers_.number(*tensor->storage));
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

bool Recorder::holds(const Storage& storage) const { return buffers_.holds(storage); }

// What it overwrites, and nothing has touched before, may be a temporary. The rest is held.
void Recorder::note_buffers(Launch& launch, const Block& block) {
  launch.buffers.assign(block.items.size(), Buffers::kNone);
  for (size_t i = 0; i < block.items.size(); ++i) {
    const Tensor* const tensor = block.items[i].tensor;
    if (!tensor) continue;
    launch.buffers[i] = buffers_.number(*tensor->storage);
    if (tensor->storage->memory != launch.device) buffers_.hold(launch.buffers[i]);
  }
  for (const Use& use : uses_of(launch, buffers_)) {
    if (!buffers_.is_new(use.buffer)) continue;
    if (use.overwrites) {
      buffers_.watch(use.buffer);
    } else {
      buffers_.hold(use.buffer);
    }
  }
}

void Recorder::bind_inputs(Launch& launch, const Block& block) {
  for (Plan::Input& input : plan_->inputs) {
    const Range declared = range_of(*input.tensor);
    for (size_t i = 0; i < block.items.size(); ++i) {
      const Tensor* tensor = block.items[i].tensor;
      if (!tensor || tensor->storage != input.tensor->storage) continue;
      const Range used = range_of(device_of(*tensor), launch.views[i]);
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
                   const Block& block, std::shared_ptr<const launch::Prepared> prepared,
                   uint64_t scratch_bytes, const tenon_rng* rng, const std::string* scope) {
  Launch& launch = plan_->launches.emplace_back(op, kernel, device, block);
  // A call that fails for lack of memory has not taken place: no replay may run half of it.
  struct Undo {
    Plan& plan;
    Buffers& buffers;
    size_t n_buffers;
    bool armed = true;
    ~Undo() {
      if (!armed) return;
      for (Plan::Input& input : plan.inputs) {
        std::erase_if(input.patches,
                      [&](const Plan::Patch& p) { return p.launch == &plan.launches.back(); });
      }
      plan.launches.pop_back();
      buffers.cut(n_buffers);
    }
  } undo{*plan_, buffers_, buffers_.size()};
  launch.prepared = std::move(prepared);
  launch.launch.prepared = launch.prepared ? launch.prepared->object : nullptr;
  launch.scratch_bytes = scratch_bytes;
  launch.scope = scope;
  Plan::DeviceState& state = plan_->state_of(device);
  if (rng) {
    launch.random = true;
    launch.rng = *rng;
    launch.rng.offset -= start_counter_;
    launch.rng.stream -= start_stream_;
    if (device.host_memory()) {
      launch.rng.device_base = &plan_->host_counter;
    } else {
      if (!state.counter.data) state.counter = device.allocate(sizeof(uint64_t));
      launch.rng.device_base = static_cast<const uint64_t*>(state.counter.data);
    }
  }
  note_buffers(launch, block);
  bind_inputs(launch, block);
  undo.armed = false;
}

void Recorder::depend_on(const std::shared_ptr<const Frozen>& source) {
  if (taken_.contains(source.get())) return;
  plan_->taken.push_back({source, 0, {}});
  taken_.insert(source.get());
}

void Recorder::calls(Context& context, const registry::Op& op, bool placed) {
  if (!called_.contains(&op)) {
    plan_->pins.emplace_back(&op, context.runtime->pin_of(op.index));
    called_.insert(&op);
  }
  if (!placed || context.layer_call) return;
  // In a composition or a rule the device is that of operands.
  const std::optional<tenon_device>& now = context.device;
  const bool is_outer = now && start_device_
                            ? now->kind == start_device_->kind && now->index == start_device_->index
                            : !now && !start_device_;
  if (is_outer) plan_->default_device = &context.default_device();
}

// NULL for what the step has made itself.
LeafUse* Recorder::use_of(Tensor& leaf) {
  const auto known = used_.find(&leaf);
  if (known != used_.end()) return &plan_->uses[known->second];
  if (buffers_.is_watched(*leaf.storage)) return nullptr;
  LeafUse use;
  for (size_t i = 0; i < plan_->inputs.size(); ++i) {
    if (plan_->inputs[i].tensor.get() == &leaf) use.input = i;
  }
  use.leaf = Ref::shared(&leaf);
  plan_->uses.push_back(std::move(use));
  used_.emplace(&leaf, plan_->uses.size() - 1);
  return &plan_->uses.back();
}

void Recorder::looks_at(Tensor& leaf) {
  if (LeafUse* const use = use_of(leaf)) use->looked = true;
}

void Recorder::leads_to(Tensor& leaf) {
  if (LeafUse* const use = use_of(leaf)) use->led = true;
}

// As things are at the end: a step that changes some itself leaves them as its next run finds them.
void Recorder::settle_changes() {
  // Nobody can change what only we hold.
  std::erase_if(plan_->uses, [](const LeafUse& use) { return use.leaf->refs.load() == 1; });
  const auto is_input = [](const LeafUse& use) { return use.input != LeafState::kNoInput; };
  const auto others = std::partition(plan_->uses.begin(), plan_->uses.end(), is_input);
  plan_->n_input_uses = static_cast<size_t>(others - plan_->uses.begin());
  used_.clear();
  for (size_t i = 0; i < plan_->uses.size(); ++i) {
    LeafUse& use = plan_->uses[i];
    used_.emplace(use.leaf.get(), i);
    use.wanted = tape::requires_grad(*use.leaf);
  }
  for (Plan::Taken& each : plan_->taken) each.values = each.source->get(each.changes);
}

// Changes at what the plan works on are told to it from now on.
void Recorder::watch_changes() noexcept {
  for (LeafUse& use : plan_->uses) {
    use.leaf->storage->planned.store(true, std::memory_order_relaxed);
    if (use.input != LeafState::kNoInput) use.leaf = Ref();
  }
  for (Storage* storage : plan_->storages) storage->planned.store(true, std::memory_order_relaxed);
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
  if (failure_) return;
  settle_changes();
  settle_leaves(context);
  settle_memory(context);
  settle_writes();
}

// What a check mode looks at is launched, needed or not.
void Recorder::settle_memory(Context& context) {
  Launches& launches = plan_->launches;
  for (Launch& launch : launches) launch.dead = false;
  const AllUses uses = all_uses_of(launches, buffers_);
  std::vector<Life> lives = lives_of(launches, uses, buffers_.size());
  temporary_.assign(buffers_.size(), false);
  for (uint32_t i = 0; i < buffers_.size(); ++i) {
    if (lives[i].first == Life::kNever || buffers_.is_referred(i)) continue;
    temporary_[i] = lives[i].overwritten;
  }
  const uint32_t checks = (context.checks | context.runtime->config.checks) & ~kLogOps;
  if ((checks & ~kCheckPlan) == 0) {
    mark_dead(launches, uses, temporary_);
    lives = lives_of(launches, uses, buffers_.size());
  }
  const uint64_t gap = checks & kCheckPlan ? kCanaryBytes : 0;
  plan_->temporaries = std::make_unique<Temporaries>(launches, buffers_, temporary_, lives, gap);
  plan_->temporaries->bind(context);
  if (checks & kCheckPlan) plan_->temporaries->allocate_apart();
}

void Recorder::settle_writes() {
  std::vector<const registry::Op*> writers(buffers_.size(), nullptr);
  std::vector<Range>& writes = plan_->writes;
  writes.clear();
  for (const Launch& launch : plan_->launches) {
    for (uint32_t slot = 0; slot < launch.launch.n_slots; ++slot) {
      if (launch.kernel->desc.slots[slot].role == TENON_SLOT_IN) continue;
      for (uint32_t i = launch.slot_begin[slot]; i < launch.slot_begin[slot + 1]; ++i) {
        const uint32_t buffer = launch.buffers[i];
        if (buffer == Buffers::kNone || temporary_[buffer]) continue;
        writers[buffer] = launch.op;
        if (is_exchanged(launch, i)) continue;
        const Range range = range_of(*launch.device, launch.views[i]);
        const bool known = std::any_of(writes.rbegin(), writes.rend(), [&](const Range& each) {
          return each.memory == range.memory && each.begin <= range.begin && range.end <= each.end;
        });
        if (!known) writes.push_back(range);
      }
    }
  }
  plan_->storages.reserve(buffers_.size());
  plan_->written.clear();
  for (uint32_t i = 0; i < buffers_.size(); ++i) {
    if (writers[i]) plan_->written.emplace_back(&buffers_.held_storage(i), writers[i]);
  }
}

void refuse_rows(const Tensor& leaf) {
  fail(TENON_E_CAPTURE,
       "the gradient of the leaf " + tensor::describe(leaf) +
           " is held as rows, how many a replay does not know",
       "the gradient of " + tensor::describe(leaf), "a dense gradient, or none", "rows",
       "capture the backward, too: there the gradient is dense");
}

LeafState& Recorder::leaf(Tensor& leaf) {
  for (LeafState& known : plan_->leaves) {
    if (known.leaf.get() == &leaf) return known;
  }
  const Ref& grad = tape::link_of(leaf).grad.dense;
  LeafState state;
  for (size_t i = 0; i < plan_->inputs.size(); ++i) {
    const Tensor& input = *plan_->inputs[i].tensor;
    if (&input == &leaf) state.input = i;
    if (grad && range_of(*grad).meets(range_of(input))) {
      refuse_shared(i, "the gradient of " + tensor::describe(leaf), input);
    }
  }
  state.leaf = Ref::shared(&leaf);
  plan_->leaves.push_back(std::move(state));
  return plan_->leaves.back();
}

void Recorder::expects(Context& context, Tensor& leaf) {
  this->leaf(leaf);
  Link& link = tape::link_of(leaf);
  if (!link.grad.rows.indices) return;
  const CaptureSuspended suspended(context);
  link.grad = {backward::densify(context, tensor::meta_of(leaf), link.grad.rows)};
}

Ref Recorder::zeros_of(Context& context, const Tensor& leaf) const {
  const CaptureSuspended suspended(context);
  return Ref(
      launch::full(context, device_of(leaf), leaf.dtype(), leaf.shape(), registry::int_value(0)));
}

void Recorder::adds(Tensor& leaf, const Link& link, bool rows, const Ref& sum) {
  LeafState& state = this->leaf(leaf);
  const bool rows_alone = !state.met && rows;
  state.needs(link, true);
  if (rows_alone) state.adds_rows_to(sum);
}

void Recorder::made(Tensor& leaf) {
  LeafState& state = this->leaf(leaf);
  Launches& launches = plan_->launches;
  state.makes(tape::link_of(*state.leaf),
              launches.empty() ? launches.end() : std::prev(launches.end()));
}

// What made the gradient makes a part of it instead, which is added to what is there.
void Recorder::accumulate(Context& context, LeafState& state) {
  Tensor& grad = *state.made;
  tensor::Storage& whole = *grad.storage;
  const GradMode off(context, false);
  Ref part(Tensor::create(tensor::Storage::create(device_of(grad), whole.bytes), grad.dtype(),
                          grad.shape(), grad.strides().data(), grad.offset));
  Launches& launches = plan_->launches;
  const auto n_before = static_cast<ptrdiff_t>(launches.size());
  {
    const CaptureSuspended suspended(context);
    launch::fill(context, *part, nothing_to_add(false));
  }
  dispatch::add_into(context, grad, *part);
  {
    // For what no launch writes.
    const CaptureSuspended suspended(context);
    launch::copy_into(context, grad, *part);
  }
  const auto added = std::next(launches.begin(), n_before);
  const auto after = state.maker == launches.end() ? launches.begin() : std::next(state.maker);
  const ptrdiff_t distance =
      static_cast<char*>(part->storage->data) - static_cast<char*>(whole.data);
  const uint32_t from = buffers_.number(whole);
  const uint32_t to = buffers_.number(*part->storage);
  for (auto launch = launches.begin(); launch != after; ++launch) {
    for (size_t i = 0; i < launch->views.size(); ++i) {
      if (launch->buffers[i] != from) continue;
      launch->buffers[i] = to;
      launch->views[i].data = static_cast<char*>(launch->views[i].data) + distance;
    }
  }
  if (after != added) launches.splice(after, launches, added, launches.end());
  state.begin = state.made;
}

void Recorder::settle_leaves(Context& context) {
  std::erase_if(plan_->leaves, [](const LeafState& state) { return !state.met; });
  for (LeafState& state : plan_->leaves) {
    Link& link = tape::link_of(*state.leaf);
    Ref now = tape::gradient_of(&link).dense;
    if (now && now.get() == state.given.get()) continue;
    state.end = std::move(now);
    if (state.made && state.end && !state.begin) accumulate(context, state);
    state.made = Ref();  // else it would be no temporary
    if (!state.end || state.input == LeafState::kNoInput) continue;
    const CaptureSuspended suspended(context);
    state.given = Ref(launch::copy(context, *state.end));
    const std::lock_guard lock(link.mutex);
    link.grad.dense = state.given;
  }
}

std::unique_ptr<Plan> Recorder::finish(Context& context) {
  if (failure_) throw Error(*failure_);
  for (LeafState& state : plan_->leaves) state.given = Ref();
  plan_->counters = context.counter - start_counter_;
  buffers_.give_held(temporary_, plan_->storages);
  watch_changes();
  plan_->temporaries->point_launches(false);
  if (context.runtime->config.checks & kCheckPlan) return std::move(plan_);
  for (Plan::Input& input : plan_->inputs) {
    std::erase_if(input.patches, [](const Plan::Patch& patch) { return patch.launch->dead; });
  }
  std::erase_if(plan_->launches, [](const Launch& launch) { return launch.dead; });
  return std::move(plan_);
}

}  // namespace tenon::plan
