// SPDX-License-Identifier: Apache-2.0
// core/api/plan_api.cc: public functions of captures and plans.
#include "core/plan/recorder.h"

#include "core/api/guard.h"

using namespace tenon;
using namespace tenon::api;

namespace {

// The capture ended, or failed; either way it is over.
Keep take_capture(Context& context) noexcept {
  context.capture = nullptr;
  return std::move(context.capturing);
}

plan::Plan& require_plan(const Context& context, tenon_plan* handle) {
  plan::Plan& plan = *require_slot<plan::PlanSlab>(handle, "plan").plan;
  if (plan.runtime != context.runtime) fail(TENON_E_RUNTIME, "the plan belongs to another runtime");
  return plan;
}

}  // namespace

tenon_status tenon_capture_begin(tenon_context* context, tenon_tensor* const* inputs,
                                 uint32_t n_inputs) {
  return guard(context, [&](Context& cx) {
    if (cx.capturing) fail(TENON_E_STATE, "a step is being captured already");
    refuse_in_callback(cx, "beginning a capture");
    cx.capturing.reset(new plan::Recorder(cx, hold_tensors(cx, inputs, n_inputs, "inputs")));
    cx.capture = cx.capturing.get();
  });
}

tenon_status tenon_capture_end(tenon_context* context, tenon_plan** out_plan) {
  return guard_out(context, out_plan, "out_plan", [&](Context& cx) {
    if (!cx.capturing) fail_unbegun("tenon_capture");
    refuse_in_callback(cx, "ending a capture");
    // Before anything ends: without memory the capture goes on.
    plan::Recorder& recorder = static_cast<plan::Recorder&>(*cx.capturing);
    recorder.settle(cx);
    plan::PlanSlot* slot = plan::PlanSlab::instance().create();
    const Keep ended = take_capture(cx);
    try {
      slot->plan = recorder.finish(cx).release();
    } catch (...) {
      plan::PlanSlab::instance().destroy(slot);
      throw;
    }
    return static_cast<tenon_plan*>(plan::PlanSlab::to_handle(slot));
  });
}

tenon_status tenon_plan_run(tenon_context* context, tenon_plan* plan) {
  return guard(context, [&](Context& cx) {
    refuse_in_capture(cx, "running a plan");
    require_plan(cx, plan).run(cx);
  });
}

tenon_status tenon_plan_set(tenon_context* context, tenon_plan* plan, uint32_t index,
                            tenon_tensor* tensor) {
  return guard(context, [&](Context& cx) {
    plan::Plan& target = require_plan(cx, plan);
    target.set(index, require_tensor(cx, tensor, "tensor"));
  });
}

tenon_status tenon_plan_get_text(tenon_context* context, tenon_plan* plan, tenon_text** out_text) {
  return guard_out(context, out_text, "out_text", [&](Context& cx) {
    return make_text([&] { return require_plan(cx, plan).text(); });
  });
}

void tenon_plan_release(tenon_plan* handle) {
  plan::PlanSlot* slot = plan::PlanSlab::from_handle(handle);
  if (!slot) return;
  plan::Plan* plan = slot->plan;
  plan::PlanSlab::instance().destroy(slot);
  delete plan;
}
