// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/rows_add.cc: rows_add: x[indices[r]] += values[r], r ascending. Every
// addition rounds to the dtype, in order of occurrence, so the result has one meaning.

#include "vectors.h"

#include "kernels/rows_index.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows_add.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

template <class C>
HWY_INLINE void add_packed(C* sum, const C* value, int64_t n) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, sum + i), hn::LoadU(d, value + i)), d, sum + i);
  }
  if (i == n) return;
  const auto some = hn::FirstN(d, static_cast<size_t>(n - i));
  const auto last = hn::Add(hn::MaskedLoad(some, d, sum + i), hn::MaskedLoad(some, d, value + i));
  hn::BlendedStore(last, some, d, sum + i);
}

template <class T>
HWY_NOINLINE void add_run(const sdk::Run<2>& run) {
  using C = Number<T>;
  HWY_ALIGN C room[2][kTile];
  for (int64_t begin = 0; begin < run.count; begin += kTile) {
    const int64_t n = std::min(kTile, run.count - begin);
    char* to = run.data[0] + begin * run.step[0];
    auto* sum = const_cast<C*>(get_numbers<T>(to, run.step[0], n, room[0]));
    add_packed(sum, get_numbers<T>(run.data[1] + begin * run.step[1], run.step[1], n, room[1]), n);
    put_numbers<T>(sum, n, to, run.step[0]);
  }
}

void rows_add(const sdk::Launch& l) {
  const RowsOperands operands(l);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(kX).dtype, [&]<class T>() HWY_ATTR {
    operands.for_each_run(l, [](const sdk::Run<2>& run) HWY_ATTR { add_run<T>(run); });
  });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.rows_add", kRowsSlots, sdk::kFloats, 0, sdk::launch_fn<rows_add>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> rows_add_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(rows_add) = {.chosen_kernels = TENON_CPU_CHOOSE(rows_add_kernels)};
#endif
