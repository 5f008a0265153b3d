// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/conv_input_grad.cc: the adjoint of a convolution in x, dx[n,c,i] = sum over
// (o,t) of dy[n,o,p] weight[o,c,t] where place(p,t) is i.
//
// The canonical arithmetic of plugins/ops/window/conv_input_grad.cc: acc = fma(dy, weight, acc)
// from 0, channels o of the group and then taps ascending; then + 0. With a stride, places of dx
// that have the same remainder are one sweep of windows over dy (geometry.h): no product with a 0
// that stands between elements of dy is ever computed.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/conv_input_grad.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/slots.h"
#include "conv/call-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

enum Slot : uint32_t { kDy, kWeight };
constexpr uint32_t kAttributes = 1 + sdk::kConvAttributes;

void conv_input_grad(const sdk::Launch& l) {
  const conv::Adjoint sweeps(l);
  for_type(l.out().dtype, [&]<class T>(T) {
    run_call(l, sweeps,
             CallOperands<T>{l.data<const T>(kDy), l.data<const T>(kWeight), nullptr,
                             l.out_data<T>(), sdk::count_of(l.shape(kWeight)), 0});
  });
}

uint64_t workspace(const sdk::Args& args) {
  return bytes_of(args.out().dtype, conv::Adjoint(args), sdk::count_of(args.shape(kWeight)), 0);
}

constexpr tenon_slot_rule slots[] = {backends::any_in(), sdk::contiguous_in(), backends::any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.conv_input_grad", slots, sdk::kFloats, kAttributes,
           sdk::launch_fn<conv_input_grad>, {.workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> conv_input_grad_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(conv_input_grad) = {.chosen_kernels = TENON_CPU_CHOOSE(conv_input_grad_kernels)};
#endif
