// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/conv.cc: convolution, out[n,o,p] = bias[o] + sum over (c,t) of weight[o,c,t]
// x[n,c,place(p,t)], where place p stride - before + t dilation lies in the image.
//
// The canonical arithmetic of plugins/ops/window/conv.cc: acc = fma(weight, x, acc) from 0,
// channels and then taps ascending, a tap in the padding adds nothing; then + 0, + bias.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/conv.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/slots.h"
#include "conv/call-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

enum Slot : uint32_t { kX, kWeight, kBias };

int64_t count_of(const sdk::Args& args, uint32_t slot) {
  return args.given(slot) ? sdk::count_of(args.shape(slot)) : 0;
}

void conv(const sdk::Launch& l) {
  const OneSweep sweep{conv::forward_sweep(l)};
  for_type(l.out().dtype, [&]<class T>(T) {
    run_call(l, sweep,
             CallOperands<T>{l.data<const T>(kX), l.data<const T>(kWeight),
                             l.given(kBias) ? l.data<const T>(kBias) : nullptr, l.out_data<T>(),
                             count_of(l, kWeight), count_of(l, kBias)});
  });
}

uint64_t workspace(const sdk::Args& args) {
  return bytes_of(args.out().dtype, OneSweep{conv::forward_sweep(args)}, count_of(args, kWeight),
                  count_of(args, kBias));
}

constexpr tenon_slot_rule slots[] = {backends::any_in(), sdk::contiguous_in(), sdk::contiguous_in(),
                                     backends::any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.conv", slots, sdk::kFloats, sdk::kConvAttributes, sdk::launch_fn<conv>,
           {.workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> conv_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(conv) = {.chosen_kernels = TENON_CPU_CHOOSE(conv_kernels)};
#endif
