// SPDX-License-Identifier: Apache-2.0
// core/launch/launch.cc: runs one kernel: prepare, scratch, launch, trace, capture.
#include "core/launch/launch.h"

#include <cstdio>
#include <new>
#include <optional>

#include "core/base/words.h"
#include "core/launch/finite.h"
#include "core/launch/layout_check.h"
#include "core/launch/op_log.h"
#include "core/launch/prepare.h"

namespace tenon::launch {

namespace {

// Empty if there is no memory for it: the kernel has run, and its call must not fail for this.
std::string operands_text(std::span<const Item> items) noexcept {
  try {
    const auto text = [](const Item& item) {
      return tensor::dtype_text(item.dtype) + tensor::dims_text(item.dims());
    };
    return "{\"operands\":\"" + base::joined(items, " ", text) + "\"}";
  } catch (const std::bad_alloc&) {
    return {};
  }
}

// What a trace shows of a launch.
std::string arguments_text(const Launching& launching) noexcept {
  return launching.plan_run != 0 ? "{\"plan\":true}" : operands_text(launching.items);
}

}  // namespace

void check_launch(CallbackScope& call, tenon_status status, Device& device, uint64_t sequence) {
  // Whatever the kernel has made of it.
  if (call.stopped) call.context->check_interrupt();
  if (status == TENON_E_DEVICE_LOST && !device.host_memory()) {
    const std::string none;
    char number[32];
    std::snprintf(number, sizeof number, " #%llu", static_cast<unsigned long long>(sequence));
    device.note_lost(call.failure ? call.failure->message : none, call.op->name.c_str(), number);
    device.require_alive();
  }
  call.check(status, "kernel");
}

void run(CallbackScope& call, const Launching& launching) {
  Context& context = *call.context;
  const auto& [op, kernel, device, arguments, items, scope, computes, plan_run, position] =
      launching;
  std::optional<FiniteJudge> judge;
  if (computes && context.checks & kCheckFinite) judge.emplace(context, launching);
  trace::Recorder& trace = context.runtime->trace;
  const bool traced = trace.active();
  const bool logged = (context.checks & kLogOps) != 0;
  const uint64_t start = traced || logged ? trace::now_ns() : 0;
  ++context.launches;
  tenon_status status = TENON_OK;
  if (context.checks & kCheckLayout && device.host_memory()) {
    status = launch_guarded(call, kernel, arguments);
  } else {
    const Enqueueing entry(device, op.name.c_str(), context.sequence, context.id);
    status = call.enter("kernel", [&launching](tenon_call* handed) {
      return launching.kernel.desc.launch(handed, &launching.arguments);
    });
  }
  if (logged) {
    log_launch(context, scope, op, kernel, arguments, trace::now_ns() - start);
  }
  if (traced) {
    trace.add_complete(op.name, kernel.plugin->id, start, trace::now_ns() - start,
                       trace::thread_row(), arguments_text(launching));
  }
  // A kernel that failed half-way has written: versions move all the same.
  for (const Item& item : items) {
    if (writes(item.role) && item.tensor) item.tensor->storage->written(&op.name, &scope);
  }
  check_launch(call, status, device, context.sequence);
  if (context.checks & kCheckLaunch) device.wait(context.id);
  if (judge) judge->judge();
}

void run_kernel(Context& context, const registry::Op& op, const registry::Kernel& kernel,
                Device& device, Block& block, const tenon_rng* rng, Needs* needs, bool computes) {
  Capture* const capture = capture_of(context);
  if (capture) capture->admit(op, kernel);
  const std::shared_ptr<const Prepared> prepared = prepare(context, op, kernel, device, block);
  block.launch.prepared = prepared ? prepared->object : nullptr;
  const uint64_t scratch_bytes = workspace(context, op, kernel, block);
  const Scratch scratch(device, scratch_bytes);
  if (needs) *needs = {prepared, scratch_bytes};
  CallbackScope call(context, CallbackState::Launch, kernel.plugin, &op);
  call.scratch = scratch.block.data;
  call.scratch_bytes = scratch_bytes;
  call.stream = device.stream;
  call.may_stop = block.may_stop;
  if (rng) {
    call.has_rng = true;
    call.rng_state = *rng;
  }
  const std::string* const scope = context.scope_path();
  run(call, {op,
             kernel,
             device,
             block.launch,
             {block.items.data(), block.items.size()},
             *scope,
             computes});
  if (capture) {
    capture->add(op, kernel, device, block, prepared, scratch_bytes, rng, scope);
  }
}

}  // namespace tenon::launch
