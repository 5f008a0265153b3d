// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/reduce.cc: sum, count_nonzero, mean, max, min over axes.

#include "kernels/reduction.h"

namespace tenon::ref {
namespace {

enum Attribute : uint32_t { kAxes, kKeepdims, kAttributes };

Reduction reduction(const sdk::Launch& l) {
  return reduce_axes(l.view(0), l.out(), axes_attribute(l, kAxes), l.attrs.flag(kKeepdims));
}

void sum(const sdk::Launch& l) {
  const Reduction r = reduction(l);
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    r.for_each([&](char* out, const sdk::Strided& in) {
      sdk::store(out, sdk::narrow<sdk::WideNumber<T>>(wide_sum<T>(r.reduced.sizes(), in)));
    });
  });
}

void count(const sdk::Launch& l) {
  const Reduction r = reduction(l);
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    r.for_each([&](char* out, const sdk::Strided& in) {
      int64_t found = 0;
      sdk::walk<1>(r.reduced.sizes(), {in}, [&](const sdk::Run<1>& run) {
        for (int64_t i = 0; i < run.count; ++i) {
          found += sdk::convert<sdk::Bool>(sdk::load<T>(run.data[0] + i * run.step[0])) ? 1 : 0;
        }
      });
      sdk::store(out, found);
    });
  });
}

// The mean of no elements is NaN.
void mean(const sdk::Launch& l) {
  const Reduction r = reduction(l);
  const auto count = static_cast<double>(r.count());
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    r.for_each([&](char* out, const sdk::Strided& in) {
      sdk::store(out, sdk::narrow<T>(wide_sum<T>(r.reduced.sizes(), in) / count));
    });
  });
}

struct Larger {
  bool operator()(auto a, auto b) const { return b < a; }
};
struct Smaller {
  bool operator()(auto a, auto b) const { return a < b; }
};

// NaN wins; of equal values (also -0 and +0) the first is taken. Never called for no elements.
template <class Wins>
void extreme(const sdk::Launch& l) {
  const Reduction r = reduction(l);
  sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
    r.for_each([&](char* out, const sdk::Strided& in) {
      T best = sdk::load<T>(in.data);
      sdk::walk<1>(r.reduced.sizes(), {in}, [&](const sdk::Run<1>& run) {
        for (int64_t i = 0; i < run.count; ++i) {
          const T x = sdk::load<T>(run.data[0] + i * run.step[0]);
          if (Wins()(x, best) || x != x) best = x;
        }
      });
      sdk::store(out, best);
    });
  });
}

constexpr tenon_kernel_desc reducer(std::string_view op, std::span<const tenon_dtype> rows,
                                    LaunchFn launch,
                                    std::span<const tenon_slot_rule> slots = kMapSlots) {
  return kernel(op, slots, rows, kAttributes, launch, {.flags = kOracle});
}

constexpr tenon_kernel_desc kernels[] = {
    reducer("tenon.sum", sdk::kWideNumbers, sdk::launch_fn<sum>, kWideningSlots),
    kernel("tenon.count_nonzero", kMapSlots, sdk::kAllDtypes, kAttributes, sdk::launch_fn<count>),
    reducer("tenon.mean", sdk::kFloats, sdk::launch_fn<mean>),
    reducer("tenon.max", sdk::kAllDtypes, sdk::launch_fn<extreme<Larger>>),
    reducer("tenon.min", sdk::kAllDtypes, sdk::launch_fn<extreme<Smaller>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(reduce) = {.kernels = tenon::ref::kernels};
