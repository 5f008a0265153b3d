// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/binary.cc: add, sub, mul, div, maximum of f32 and f64.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/binary.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Add {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
};
struct Mul {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Mul(a, b);
  }
};

// Element steps of an operand within a run.
enum class Steps { kOne, kZero, kOther };

template <class T, class F>
void packed(T* out, const T* a, const T* b, int64_t count, F f) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(f(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  }
  if (i == count) return;
  const auto tail = hn::FirstN(d, static_cast<size_t>(count - i));
  hn::BlendedStore(f(hn::MaskedLoad(tail, d, a + i), hn::MaskedLoad(tail, d, b + i)), tail, d,
                   out + i);
}

template <class T, class F>
void run_typed(const sdk::Launch& l) {
  const int64_t count = sdk::count_of(sdk::shape_of(l.out()));
  l.parallel_for(count, sdk::kElementwiseGrain, [&](int64_t begin, int64_t end) {
    packed<T>(l.out_data<T>() + begin, l.data<T>(0) + begin, l.data<T>(1) + begin, end - begin,
              F());
  });
}

template <class F>
void run(const sdk::Launch& l) {
  if (l.out().dtype == TENON_DTYPE_F32) return run_typed<float, F>(l);
  run_typed<double, F>(l);
}

constexpr tenon_slot_rule slots[] = {sdk::contiguous_in(), sdk::contiguous_in(),
                                     sdk::contiguous_out()};
constexpr tenon_dtype rows[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

constexpr tenon_kernel_desc binary(std::string_view op,
                                   tenon_status (*launch)(tenon_call*, const tenon_launch*)) {
  return sdk::kernel({.op = op,
                      .device = kDevice,
                      .slots = slots,
                      .rows = rows,
                      .flags = kCanonical,
                      .priority = kPriority,
                      .launch = launch});
}

constexpr tenon_kernel_desc kernels[] = {
    binary("tenon.add", sdk::launch_fn<run<Add>>),
    binary("tenon.mul", sdk::launch_fn<run<Mul>>),
};

}  // namespace

std::span<const tenon_kernel_desc> binary_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(binary) = {.chosen_kernels = TENON_CPU_CHOOSE(binary_kernels)};
#endif
