// SPDX-License-Identifier: Apache-2.0
// core/plan/replay.cc: runs the launches of a plan.
#include "core/launch/launch.h"
#include "core/plan/plan.h"

namespace tenon::plan {

namespace {

// Check modes, traces and the log of ops look at single launches.
bool is_watched(const Context& context) {
  return context.runtime->config.checks != 0 || context.checks != 0 ||
         context.runtime->trace.active();
}

// What the launch was given when it was captured, and the random state of now.
[[gnu::always_inline]] inline void set_up(CallbackScope& call, const Context& context,
                                          const Launch& launch) {
  call.scratch = launch.scratch;
  call.scratch_bytes = launch.scratch_bytes;
  call.has_rng = launch.random;
  if (!launch.random) return;
  call.rng_state = launch.rng;
  call.rng_state.key = context.seed;
  call.rng_state.stream += context.stream;
}

}  // namespace

void Plan::run(Context& context) {
  if (brackets.empty()) return run_whole(context);
  run_in(context, 0);
}

// In this bracket and those after it.
void Plan::run_in(Context& context, size_t bracket) {
  if (bracket == brackets.size()) return run_whole(context);
  brackets[bracket]->begin(context);
  try {
    run_in(context, bracket + 1);
  } catch (...) {
    brackets[bracket]->end(context, true);
    throw;
  }
  brackets[bracket]->end(context, false);
}

void Plan::run_whole(Context& context) {
  if (running.exchange(true, std::memory_order_acquire)) {
    fail(TENON_E_STATE, "the plan is being run by another context", {}, {}, {},
         "one context runs a plan at a time; capture one plan per context");
  }
  const base::Lowered at_end{running};
  check_current(context);
  if (!temporaries->are_bound(context)) {
    temporaries->bind(context);
    temporaries->point_launches(false);
    if (graph_) graph_->outdate();
  }
  begin_leaves(context);
  // A launch that fails has written, and so have those before it: versions move all the same.
  struct Written {
    Plan& plan;
    Context& context;
    ~Written() {
      for (const auto& [storage, op] : plan.written)
        storage->written(&op->name, context.scope_path());
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
  if (context.runtime->config.checks & kCheckPlan) {
    run_compared(context);
  } else if (!run_as_graph(context)) {
    run_launches(context);
  }
  context.counter += counters;
  end_leaves(context);
}

void Plan::run_launches(Context& context) {
  if (is_watched(context)) {
    run_watched(context);
  } else {
    run_image(context);
  }
}

void Plan::run_watched(Context& context) {
  uint64_t position = 0;
  for (Launch& launch : launches) {
    context.check_interrupt();
    run_launch(context, launch, ++position);
  }
}

void Plan::make_image() {
  std::vector<Step> image;
  image.reserve(launches.size());
  for (const Launch& each : launches) {
    image.push_back({.run = each.kernel->desc.launch,
                     .arguments = &each.launch,
                     .plugin = each.kernel->plugin,
                     .op = each.op,
                     .device = each.device,
                     .launch = &each});
  }
  image_ = std::move(image);
}

// One call, used again: nothing checks what a kernel does with it.
void Plan::run_image(Context& context) {
  if (image_.empty()) make_image();
  CallbackScope call(context, CallbackState::Launch, nullptr, nullptr);
  for (const Step& step : image_) {
    context.check_interrupt();
    if (step.plugin->is_deactivated()) fail_deactivated(*step.plugin, step.op->name);
    call.plugin = step.plugin;
    call.self = step.plugin->self;
    call.op = step.op;
    call.stream = step.device->stream;
    set_up(call, context, *step.launch);
    ++context.launches;
    tenon_status status = TENON_OK;
    {
      const Enqueueing entry(*step.device, step.op->name.c_str(), context.sequence, context.id);
      status = call.enter_unwatched(
          "kernel", [&step](tenon_call* handed) { return step.run(handed, step.arguments); });
    }
    if (status == TENON_OK && call.is_clean()) continue;
    const CallbackScope::Cleaned cleaned(call);
    launch::check_launch(call, status, *step.device, context.sequence);
  }
}

bool Plan::run_as_graph(Context& context) {
  if (is_watched(context)) return false;
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
  CallbackScope call(context, CallbackState::Launch, launch.kernel->plugin, launch.op);
  call.stream = launch.device->stream;
  set_up(call, context, launch);
  launch::run(call, {.op = *launch.op,
                     .kernel = *launch.kernel,
                     .device = *launch.device,
                     .arguments = launch.launch,
                     .items = {},
                     .scope = *launch.scope,
                     .plan_run = runs,
                     .position = position});
}

}  // namespace tenon::plan
