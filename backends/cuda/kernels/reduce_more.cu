// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/reduce_more.cu: prod, var, std, norm, logsumexp over any axes.
//
// How threads share the work: reduce.h. In double, whose arithmetic is fast on data-centre cards;
// logsumexp in float for f16, bf16 and f32. Each reads its input once.
#include <tenon/sdk/plugin/narrow.hpp>

#include "lines.h"

namespace tenon::cuda::reduce_more_unit {
namespace {

enum Attribute : uint32_t { kAxes, kKeepdims, kThird };

Reduction over_axes(const sdk::Args& args) {
  return reduce_axes(args, axes_attribute(args, kAxes), args.attrs.flag(kKeepdims), false);
}

uint64_t scratch(const sdk::Args& args) { return over_axes(args).scratch(); }

// ---- Products -----------------------------------------------------------------------------------

template <class T>
struct Product {
  using In = T;
  using Wide = sdk::Wide<T>;
  struct State {
    Wide product;
  };

  __device__ State start() const { return {Wide(1)}; }
  __device__ void add(State& state, T x, int64_t) const {
    state.product *= static_cast<Wide>(widen(x));
  }
  __device__ State operator()(State a, State b) const { return {a.product * b.product}; }
  __device__ void put(State state, void* out, int64_t at) const {
    static_cast<sdk::WideNumber<T>*>(out)[at] = narrow<sdk::WideNumber<T>>(state.product);
  }
};

void prod(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() { reduce(l, over_axes(l), Product<T>()); });
}

// ---- Variance -----------------------------------------------------------------------------------

// sum (x - m)^2, m the mean, of n elements is q - s^2 / n with s = sum (x - p), q = sum (x - p)^2
// for any p. Near the elements p loses no digits: it is the first of few elements, or the mean of
// those joined. Source of the join: T. Chan, G. Golub, R. LeVeque, "Updating Formulae and a
// Pairwise Algorithm for Computing Sample Variances", 1979.
template <class T>
struct Spread {
  using In = T;
  struct State {
    int64_t n;
    double p;
    double s;
    double q;
  };
  double freedom;  // n - correction
  bool root;

  __device__ State start() const { return {0, 0.0, 0.0, 0.0}; }
  __device__ void add(State& state, T value, int64_t) const {
    const auto x = static_cast<double>(widen(value));
    if (state.n == 0) state.p = x;
    const double difference = x - state.p;
    ++state.n;
    state.s += difference;
    state.q += difference * difference;
  }
  __device__ State operator()(const State& a, const State& b) const {
    if (a.n == 0) return b;
    if (b.n == 0) return a;
    const auto n_a = static_cast<double>(a.n);
    const auto n_b = static_cast<double>(b.n);
    const double own = a.q - a.s * (a.s / n_a);
    const double other = b.q - b.s * (b.s / n_b);
    const double mean = a.p + a.s / n_a;
    const double apart = (b.p + b.s / n_b) - mean;
    const double share = n_b / (n_a + n_b);
    return {a.n + b.n, mean + apart * share, 0.0, own + other + apart * apart * (n_a * share)};
  }
  __device__ void put(const State& state, void* out, int64_t at) const {
    double sum = 0.0;
    if (state.n > 0) sum = state.q - state.s * (state.s / static_cast<double>(state.n));
    if (sum < 0) sum = 0.0;  // rounding may leave less than nothing of equal elements
    const double v = freedom > 0 ? sum / freedom : NAN;
    static_cast<T*>(out)[at] = narrow<T>(root ? sqrt(v) : v);
  }
};

template <bool kRoot>
void spread(const sdk::Launch& l) {
  const Reduction r = over_axes(l);
  const double freedom = static_cast<double>(r.count()) - l.attrs.real(kThird);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    reduce(l, r, Spread<T>{freedom, kRoot});
  });
}

// ---- Norms --------------------------------------------------------------------------------------

// Long code, which would else stand in every kernel once for each load that is under way.
__device__ __attribute__((noinline)) double power(double x, double y) { return pow(x, y); }

enum class Order : uint32_t { kLargest, kSmallest, kCount, kSum, kSquares, kPowers };

// Of no elements 0; orders that refuse them do not get here.
template <class T>
struct Norm {
  using In = T;
  struct State {
    double total;
    int64_t n;
  };
  double ord;
  Order kind;

  __device__ State start() const { return {0.0, 0}; }
  __device__ double joined(double a, double b) const {
    if (kind > Order::kSmallest) return a + b;
    if (a != a) return a;
    const bool takes_a = kind == Order::kLargest ? a >= b : a <= b;
    return takes_a ? a : b;
  }
  __device__ void add(State& state, T value, int64_t) const {
    const double size = fabs(static_cast<double>(widen(value)));
    double term = size;
    if (kind == Order::kCount) term = size != 0;
    if (kind == Order::kSquares) term = size * size;
    if (kind == Order::kPowers) term = power(size, ord);
    state = {state.n == 0 ? term : joined(state.total, term), state.n + 1};
  }
  __device__ State operator()(const State& a, const State& b) const {
    if (a.n == 0) return b;
    if (b.n == 0) return a;
    return {joined(a.total, b.total), a.n + b.n};
  }
  __device__ void put(const State& state, void* out, int64_t at) const {
    double y = state.total;
    if (kind == Order::kSquares) y = sqrt(y);
    if (kind == Order::kPowers) y = power(y, 1 / ord);
    static_cast<T*>(out)[at] = narrow<T>(y);
  }
};

Order order_of(double ord) {
  if (std::isinf(ord)) return ord > 0 ? Order::kLargest : Order::kSmallest;
  if (ord == 0) return Order::kCount;
  if (ord == 1) return Order::kSum;
  return ord == 2 ? Order::kSquares : Order::kPowers;
}

void norm(const sdk::Launch& l) {
  const double ord = l.attrs.real(kThird);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    reduce(l, over_axes(l), Norm<T>{ord, order_of(ord)});
  });
}

// ---- Logarithms of sums of powers ---------------------------------------------------------------

// m + log(sum exp(x - m)), m the largest element.
template <class T>
struct LogSum {
  using In = T;
  using State = PowerSum<Arithmetic<T>>;

  __device__ State start() const { return State::nothing(); }
  __device__ void add(State& state, T value, int64_t) const {
    const Arithmetic<T> x[] = {widen(value)};
    state.take(x);
  }
  __device__ State operator()(const State& a, const State& b) const { return JoinPowers()(a, b); }
  __device__ void put(const State& state, void* out, int64_t at) const {
    static_cast<T*>(out)[at] = cuda::narrow<T>(state.base() + log_of(state.sum));
  }
};

void logsumexp(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() { reduce(l, over_axes(l), LogSum<T>()); });
}

// ---- Descriptors --------------------------------------------------------------------------------

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};
constexpr tenon_slot_rule widening_slots[] = {any_in(TENON_SLOT_NARROW), any_out()};

constexpr tenon_kernel_desc reducer(std::string_view op, std::span<const tenon_dtype> rows,
                                    uint32_t n_attrs, LaunchFn launch,
                                    std::span<const tenon_slot_rule> slot_rules = slots) {
  return kernel(op, slot_rules, rows, launch,
                {.n_attrs = n_attrs, .workspace = sdk::workspace_fn<scratch>});
}

// Of var and std: the first revision is made of the second.
constexpr tenon_kernel_desc spread_of(std::string_view op, LaunchFn launch) {
  tenon_kernel_desc desc = reducer(op, sdk::kFloats, kThird + 1, launch);
  desc.revision = 2;
  return desc;
}

constexpr tenon_kernel_desc kernels[] = {
    reducer("tenon.prod", sdk::kWideNumbers, kThird, sdk::launch_fn<prod>, widening_slots),
    spread_of("tenon.var", sdk::launch_fn<spread<false>>),
    spread_of("tenon.std", sdk::launch_fn<spread<true>>),
    reducer("tenon.norm", sdk::kFloats, kThird + 1, sdk::launch_fn<norm>),
    reducer("tenon.logsumexp", sdk::kFloats, kThird, sdk::launch_fn<logsumexp>),
};

}  // namespace
}  // namespace tenon::cuda::reduce_more_unit

TENON_UNIT(reduce_more) = {.kernels = tenon::cuda::reduce_more_unit::kernels};
