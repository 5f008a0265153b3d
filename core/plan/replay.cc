// SPDX-License-Identifier: Apache-2.0
// core/plan/replay.cc: runs the launches of a plan.
#include <algorithm>
#include <optional>

#include "core/dispatch/call.h"
#include "core/dispatch/check.h"
#include "core/dispatch/finite.h"
#include "core/plan/plan.h"

namespace tenon::plan {

using dispatch::Block;
using dispatch::Item;

namespace {

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
  check_taken();
  if (!inputs_checked_) check_inputs_apart();
  begin_leaves(context);
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
  end_leaves(context);
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
  const uint32_t checks = context.checks;
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
                                        trace::now_ns() - start, trace::thread_row(),
                                        "{\"plan\":true}");
  }
  dispatch::check_launch(call, status, *launch.device, context.sequence);
  if (checks & kCheckLaunch) launch.device->wait(context.id);
  if (finite) finite->judge();
}

}  // namespace tenon::plan
