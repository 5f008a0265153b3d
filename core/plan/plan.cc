// SPDX-License-Identifier: Apache-2.0
// core/plan/plan.cc: recording and replaying launches.
#include "core/plan/plan.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/dispatch/call.h"
#include "core/dispatch/check.h"
#include "core/dispatch/finite.h"

namespace tenon::plan {

using dispatch::Block;
using dispatch::Item;

namespace {

// The addresses a view touches, as numbers: they need not be the host's. Empty: begin == end.
struct ByteRange {
  intptr_t begin = 0;
  intptr_t end = 0;
};

ByteRange byte_range(const tenon_view& view) {
  const tensor::DimSpan shape(view.shape, static_cast<size_t>(view.rank));
  int64_t low = 0;
  int64_t high = 0;
  const intptr_t start = reinterpret_cast<intptr_t>(view.data);
  if (!tensor::extent(shape, {view.strides, shape.size()}, low, high)) return {start, start};
  const int64_t size = tensor::size_of(view.dtype);
  return {start + low * size, start + (high + 1) * size};
}

// Under TENON_CHECK=layout: the launch as the dispatcher would make it.
tenon_status launch_checked(dispatch::Call& call, const Launch& launch) {
  boost::container::small_vector<Item, 8> items;
  for (uint32_t slot = 0; slot < launch.launch.n_slots; ++slot) {
    for (uint32_t i = launch.slot_begin[slot]; i < launch.slot_begin[slot + 1]; ++i) {
      const tenon_view& view = launch.views[i];
      Item& item = items.emplace_back();
      std::copy_n(view.shape, view.rank, item.shape.begin());
      std::copy_n(view.strides, view.rank, item.strides.begin());
      item.data = view.data;
      item.rank = view.rank;
      item.dtype = view.dtype;
      item.flags = view.flags;
      item.slot = slot;
      item.role = launch.kernel->desc.slots[slot].role;
    }
  }
  Block block(*launch.device, {items.data(), items.size()}, launch.launch.n_slots,
              launch.launch.n_inputs, {launch.launch.attrs, launch.launch.n_attrs},
              launch.launch.user);
  block.launch.prepared = launch.launch.prepared;
  return dispatch::launch_guarded(call, *launch.kernel, block);
}

}  // namespace

Launch::Launch(const registry::Op& what, const registry::Kernel& with, Device& on,
               const Block& block)
    : op(&what),
      kernel(&with),
      device(&on),
      attrs({block.launch.attrs, block.launch.n_attrs}),
      views(block.views.begin(), block.views.end()),
      slot_begin(block.slot_begin.begin(), block.slot_begin.end()) {
  size_t total = 0;
  for (const tenon_view& view : views) total += 2 * static_cast<size_t>(view.rank);
  dims.reserve(total);
  scalars.reserve(views.size());
  for (tenon_view& view : views) {
    const auto copy_dims = [&](const int64_t* from) {
      const int64_t* start = dims.data() + dims.size();
      dims.insert(dims.end(), from, from + view.rank);
      return start;
    };
    view.shape = copy_dims(view.shape);
    view.strides = copy_dims(view.strides);
    if (view.flags & TENON_VIEW_HOST_SCALAR) {
      uint64_t bits = 0;
      std::memcpy(&bits, view.data, tensor::size_of(view.dtype));
      scalars.push_back(bits);
      view.data = &scalars.back();
    }
  }
  launch = block.launch;
  launch.slot_begin = slot_begin.data();
  launch.views = views.data();
  launch.attrs = attrs.values().data();
}

Plan::Plan(Runtime& owner) : runtime(&owner) {
  runtime->retain();
  runtime->plans.fetch_add(1, std::memory_order_relaxed);
}

Plan::~Plan() {
  graph_.reset();
  for (DeviceState& state : devices) {
    if (state.scratch.data) state.device->release(state.scratch);
    if (state.counter.data) state.device->release(state.counter);
  }
  launches.clear();
  inputs.clear();
  for (Storage* storage : storages) storage->release();
  runtime->plans.fetch_sub(1, std::memory_order_relaxed);
  runtime->release();
}

Plan::DeviceState& Plan::state_of(Device& device) {
  for (DeviceState& state : devices) {
    if (state.device == &device) return state;
  }
  devices.push_back({&device, {}, {}});
  return devices.back();
}

Recorder::Recorder(Context& context, std::vector<Ref> inputs)
    : plan_(std::make_unique<Plan>(*context.runtime)), start_counter_(context.counter) {
  for (Ref& tensor : inputs) {
    Plan::Input input;
    input.meta = tensor::meta_of(*tensor);
    std::copy_n(tensor->strides_, tensor->view.rank, input.strides.begin());
    input.data = tensor->view.data;
    hold(*tensor->storage);
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
    const ByteRange declared = byte_range(input.tensor->view);
    for (size_t i = 0; i < block.items.size(); ++i) {
      const Tensor* tensor = block.items[i].tensor;
      if (!tensor || tensor->storage != input.tensor->storage) continue;
      const ByteRange used = byte_range(launch.views[i]);
      if (used.end <= declared.begin || declared.end <= used.begin) continue;
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

std::unique_ptr<Plan> Recorder::finish(Context& context) {
  if (failure_) throw Error(*failure_);
  plan_->counters = context.counter - start_counter_;
  return std::move(plan_);
}

// Before the first launch, so that a plan never stops half-way for this.
void Plan::check_plugins() {
  const uint64_t now = runtime->registry.epoch();
  if (now == epoch) return;
  for (const Launch& launch : launches) {
    if (!launch.kernel->plugin->is_deactivated()) continue;
    throw Error{.status = TENON_E_PLUGIN,
                .message = "the plan launches " + launch.op->name + " of plugin " +
                           launch.kernel->plugin->id + ", which was deactivated",
                .op = launch.op->name,
                .expected = "active plugins",
                .found = launch.kernel->plugin->id,
                .plugin = launch.kernel->plugin->id,
                .hint = "capture the step again"};
  }
  epoch = now;
}

void Plan::run(Context& context) {
  if (running.exchange(true, std::memory_order_acquire)) {
    throw Error{.status = TENON_E_STATE,
                .message = "the plan is being run by another context",
                .hint = "one context runs a plan at a time; capture one plan per context"};
  }
  struct Running {
    std::atomic<bool>& flag;
    ~Running() { flag.store(false, std::memory_order_release); }
  } guard{running};
  check_plugins();
  // A launch that fails has written, and so have those before it: versions move all the same.
  struct Written {
    Plan& plan;
    Context& context;
    ~Written() {
      for (const auto& [storage, op] : plan.written) storage->written(op, context.scope_path());
      for (Input& input : plan.inputs) {
        if (input.written) input.tensor->storage->written(nullptr, context.scope_path());
      }
    }
  } mark{*this, context};
  host_counter = context.counter;
  for (DeviceState& state : devices) {
    if (!state.counter.data) continue;
    state.device->copy_from_host(state.counter.data, &host_counter, sizeof host_counter,
                                 context.id);
  }
  ++runs;
  if (!run_as_graph(context)) run_launches(context);
  context.counter += counters;
}

void Plan::run_launches(Context& context) {
  uint64_t position = 0;
  for (Launch& launch : launches) {
    context.check_interrupt();
    run_launch(context, launch, ++position);
  }
}

// Check modes and traces look at single launches.
bool Plan::run_as_graph(Context& context) {
  if (context.runtime->config.checks != 0 || context.runtime->trace.active()) return false;
  if (!looked_for_graph_) {
    const bool one_device = devices.size() == 1 && !launches.empty();
    if (one_device) graph_ = Graph::find(*devices.front().device);
    looked_for_graph_ = true;
  }
  if (!graph_) return false;
  context.check_interrupt();
  return graph_->run(context, {context.seed, context.stream}, launches.size(), [&] {
    const uint64_t launched = context.launches;  // nothing is, while it is recorded
    run_launches(context);
    context.launches = launched;
  });
}

void Plan::run_launch(Context& context, Launch& launch, uint64_t position) {
  const bool traced = context.runtime->trace.active();
  const uint32_t checks = context.runtime->config.checks;
  dispatch::Call call(context, dispatch::CallState::Launch, launch.kernel->plugin, launch.op);
  call.stream = launch.device->stream;
  if (launch.scratch_bytes) {
    call.scratch = state_of(*launch.device).scratch.data;
    call.scratch_bytes = launch.scratch_bytes;
  }
  if (launch.random) {
    call.has_rng = true;
    call.rng_state = launch.rng;
    call.rng_state.key = context.seed;
    call.rng_state.stream = context.stream;
  }
  std::optional<dispatch::FiniteCheck> finite;
  if (checks & kCheckFinite) {
    finite.emplace(context, *launch.op, *launch.kernel, *launch.device, launch.launch,
                   std::span<const Item>(), *launch.scope, runs, position);
  }
  ++context.launches;
  const uint64_t start = traced ? trace::now_ns() : 0;
  tenon_status status = TENON_OK;
  if (checks & kCheckLayout && launch.device->host_memory()) {
    status = launch_checked(call, launch);
  } else {
    const Enqueueing entry(*launch.device, launch.op->name.c_str(), context.sequence, context.id);
    status = call.enter("kernel", [&](tenon_call* handed) {
      return launch.kernel->desc.launch(handed, &launch.launch);
    });
  }
  if (traced) {
    context.runtime->trace.add_complete(launch.op->name, launch.kernel->plugin->id, start,
                                        trace::now_ns() - start, 0, "{\"plan\":true}");
  }
  dispatch::check_launch(call, status, *launch.device, context.sequence);
  if (checks & kCheckLaunch) launch.device->wait(context.id);
  if (finite) finite->judge();
}

void Plan::set(uint32_t index, Tensor& tensor) {
  if (index >= inputs.size()) {
    throw Error{.status = TENON_E_ARGUMENT,
                .message = "the plan has no input " + std::to_string(index),
                .expected = "an index below " + std::to_string(inputs.size()),
                .found = std::to_string(index)};
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
    throw Error{
        .status = TENON_E_PLAN_SHAPE,
        .message =
            "plan input " + std::to_string(index) + " must be like the tensor it was captured with",
        .operand = "input " + std::to_string(index),
        .expected = tensor::describe(input.meta) + " strides " + tensor::dims_text(strides),
        .found = tensor::describe(tensor) + " strides " + tensor::dims_text(tensor.strides())};
  }
  const uint32_t size = tensor.element_size();
  if (reinterpret_cast<uintptr_t>(tensor.view.data) % size !=
      reinterpret_cast<uintptr_t>(input.data) % size) {
    throw Error{.status = TENON_E_PLAN_SHAPE,
                .message = "plan input " + std::to_string(index) + " has another alignment",
                .operand = "input " + std::to_string(index)};
  }
  if (input.written && tensor.storage->read_only) {
    throw Error{.status = TENON_E_ALIAS,
                .message = "plan input " + std::to_string(index) +
                           " is written by the plan and the tensor is read-only",
                .operand = "input " + std::to_string(index)};
  }
  if (graph_ && input.tensor.get() != &tensor) graph_->outdate();
  input.tensor = Ref::shared(&tensor);
  for (const Patch& patch : input.patches) {
    patch.launch->views[patch.view].data = static_cast<char*>(tensor.view.data) + patch.byte_offset;
  }
}

std::string Plan::text() const {
  std::string out = "plan: " + std::to_string(launches.size()) + " launches, " +
                    std::to_string(storages.size()) + " storages, " +
                    std::to_string(inputs.size()) + " inputs" +
                    (graph_ ? ", " + graph_->state() : "") + "\n";
  size_t number = 0;
  for (const Launch& launch : launches) {
    out +=
        std::to_string(number++) + "  " + launch.op->name + "  " + launch.kernel->plugin->id + " ";
    for (size_t i = 0; i < launch.views.size(); ++i) {
      const tenon_view& view = launch.views[i];
      if (i == launch.slot_begin[launch.launch.n_inputs]) out += " ->";
      out += " " + std::string(tensor::name_of(view.dtype)) +
             tensor::dims_text({view.shape, static_cast<size_t>(view.rank)});
    }
    if (!launch.scope->empty()) out += "  " + *launch.scope;
    out += "\n";
  }
  return out;
}

}  // namespace tenon::plan
