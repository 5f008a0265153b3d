// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/reduce.cu: sum, count_nonzero, mean, sum_to, max, min, argmax, argmin over
// any axes.
//
// How threads share the work: reduce.h. Sums are float for f16, bf16 and f32, double for f64, and
// wrap for integers; f32 sums of a whole tensor read 4 bytes an element and little else. Those of a
// few floats are found in double, so that the mean of equal numbers is that number.
#include <tenon/sdk/plugin/narrow.hpp>

#include "reduce.h"

namespace tenon::cuda::reduce_unit {
namespace {

enum Attribute : uint32_t { kAxes, kKeepdims, kAttributes };

// ---- Sums ---------------------------------------------------------------------------------------

// Of sums that are Ts. Those of integers wrap: 32 bits are enough for those of up to 32.
template <class T>
using Total = std::conditional_t<sdk::is_float_type<T>, Arithmetic<T>,
                                 std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;

// Of Ts, in C, written as an Out.
template <class T, class C, class Out>
struct Sum {
  using In = T;
  struct State {
    C total;
  };
  C divisor;  // 1, or the number of elements of a mean of floats

  __device__ State start() const { return {}; }
  __device__ void add(State& state, T x, int64_t) const { state.total += static_cast<C>(widen(x)); }
  __device__ State operator()(State a, State b) const { return {a.total + b.total}; }
  __device__ void put(State state, void* out, int64_t at) const {
    if constexpr (sdk::is_float_type<T>) state.total /= divisor;
    static_cast<Out*>(out)[at] = cuda::narrow<Out>(static_cast<Total<Out>>(state.total));
  }
};

inline constexpr int64_t kFew = 16;

template <class T, class Out = T>
void add_up(const sdk::Launch& l, const Reduction& r, int64_t divisor) {
  if constexpr (sdk::is_float_type<T>) {
    if (r.count() <= kFew) return reduce(l, r, Sum<T, double, T>{static_cast<double>(divisor)});
  }
  reduce(l, r, Sum<T, Total<Out>, Out>{static_cast<Total<Out>>(divisor)});
}

Reduction over_axes(const sdk::Args& args) {
  return reduce_axes(args, axes_attribute(args, kAxes), args.attrs.flag(kKeepdims), false);
}
Reduction over_axes_in_order(const sdk::Args& args) {
  return reduce_axes(args, axes_attribute(args, kAxes), args.attrs.flag(kKeepdims), true);
}

void sum(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype,
                      [&]<class T>() { add_up<T, sdk::WideNumber<T>>(l, over_axes(l), 1); });
}

// The mean of no elements is NaN.
void mean(const sdk::Launch& l) {
  const Reduction r = over_axes(l);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() { add_up<T>(l, r, r.count()); });
}

Reduction undo_broadcast(const sdk::Args& args) {
  const tenon_view& in = args.view(0);
  return reduction_of(in, args.out(), kept_by_shape(in, args.out()), false);
}

void sum_to(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype,
                                        [&]<class T>() { add_up<T>(l, undo_broadcast(l), 1); });
}

template <class T>
struct Nonzero {
  using In = T;
  struct State {
    uint64_t found;
  };

  __device__ State start() const { return {}; }
  __device__ void add(State& state, T x, int64_t) const {
    if (widen(x) != Arithmetic<T>(0)) ++state.found;
  }
  __device__ State operator()(State a, State b) const { return {a.found + b.found}; }
  __device__ void put(State state, void* out, int64_t at) const {
    static_cast<int64_t*>(out)[at] = static_cast<int64_t>(state.found);
  }
};

void count(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() { reduce(l, over_axes(l), Nonzero<T>()); });
}

// ---- Extremes -----------------------------------------------------------------------------------

// The largest element, or the smallest; NaN wins; of equal ones (also -0 and +0) the first.
template <class T>
struct Extreme {
  using In = T;
  struct State {
    int64_t number;  // -1: of nothing
    Arithmetic<T> best;
  };
  bool least;
  bool place;  // the output is i64: where it is

  __device__ State start() const {
    State state{};
    state.number = -1;
    return state;
  }
  __device__ bool wins(const State& a, const State& b) const {
    if (b.number < 0) return true;
    if (a.number < 0) return false;
    const bool a_is_number = a.best == a.best;
    const bool b_is_number = b.best == b.best;
    if (a_is_number != b_is_number) return b_is_number;
    if (a_is_number && a.best != b.best) return least ? a.best < b.best : b.best < a.best;
    return a.number < b.number;
  }
  __device__ void add(State& state, T x, int64_t number) const {
    State one{};
    one.number = number;
    one.best = widen(x);
    if (wins(one, state)) state = one;
  }
  __device__ State operator()(const State& a, const State& b) const { return wins(a, b) ? a : b; }
  __device__ void put(const State& state, void* out, int64_t at) const {
    if (place) {
      static_cast<int64_t*>(out)[at] = state.number;
    } else {
      static_cast<T*>(out)[at] = cuda::narrow<T>(state.best);
    }
  }
};

template <bool kLeast>
void extreme(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    reduce(l, over_axes_in_order(l), Extreme<T>{kLeast, false});
  });
}

// Without an axis the place is counted in the whole input, row by row.
Reduction over_axis(const sdk::Args& args) {
  return reduce_axes(args, axis_attribute(args, kAxes), args.attrs.flag(kKeepdims), true);
}

template <bool kLeast>
void place(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    reduce(l, over_axis(l), Extreme<T>{kLeast, true});
  });
}

// ---- Descriptors --------------------------------------------------------------------------------

template <Reduction (*Of)(const sdk::Args&)>
uint64_t scratch(const sdk::Args& args) {
  return Of(args).scratch();
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};
constexpr tenon_slot_rule widening_slots[] = {any_in(TENON_SLOT_NARROW), any_out()};

template <Reduction (*Of)(const sdk::Args&)>
constexpr tenon_kernel_desc reducer(std::string_view op, std::span<const tenon_dtype> rows,
                                    LaunchFn launch, uint32_t n_attrs = kAttributes,
                                    std::span<const tenon_slot_rule> slot_rules = slots) {
  return kernel(op, slot_rules, rows, launch,
                {.n_attrs = n_attrs, .workspace = sdk::workspace_fn<scratch<Of>>});
}

constexpr tenon_kernel_desc kernels[] = {
    reducer<over_axes>("tenon.sum", sdk::kWideNumbers, sdk::launch_fn<sum>, kAttributes,
                       widening_slots),
    reducer<over_axes>("tenon.count_nonzero", sdk::kAllDtypes, sdk::launch_fn<count>),
    reducer<over_axes>("tenon.mean", sdk::kFloats, sdk::launch_fn<mean>),
    reducer<undo_broadcast>("tenon.sum_to", sdk::kNumbers, sdk::launch_fn<sum_to>, 1),
    reducer<over_axes_in_order>("tenon.max", sdk::kAllDtypes, sdk::launch_fn<extreme<false>>),
    reducer<over_axes_in_order>("tenon.min", sdk::kAllDtypes, sdk::launch_fn<extreme<true>>),
    reducer<over_axis>("tenon.argmax", sdk::kAllDtypes, sdk::launch_fn<place<false>>),
    reducer<over_axis>("tenon.argmin", sdk::kAllDtypes, sdk::launch_fn<place<true>>),
};

}  // namespace
}  // namespace tenon::cuda::reduce_unit

TENON_UNIT(reduce) = {.kernels = tenon::cuda::reduce_unit::kernels};
