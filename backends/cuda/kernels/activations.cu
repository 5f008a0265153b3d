// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/activations.cu: leaky_relu, elu, selu, silu, softplus, mish, hardswish,
// logsigmoid.
//
// silu and mish are right to the last digit also far left of 0, where a rounded argument would make
// the exponential wrong: the exponential and all that follows have twice the digits.
#include "function.h"
#include "shares.h"

namespace tenon::cuda::activations_unit {
namespace {

// tanh(ln(1 + exp(x))) by m = exp(-|x|): m (2 + m) / (2 + 2 m + m^2) left of 0, and right of it
// (1 + 2 m) / (1 + 2 m + 2 m^2).
struct Mish {
  __device__ static float brief(float x) { return of(x); }
  template <class C>
  __device__ static C of(C x) {
    const bool left = x < 0;
    const C t = at_most(std::fabs(x), kShareEnd<C>);
    const Scaled<C> e = long_exp(-t);
    const Exact<C> m = beside_one(e);
    const C base = left ? C{2} : C{1};
    const C times = left ? C{1} : C{2};
    // 2 + m or 1 + 2 m.
    Exact<C> above = any_sum(base, times * m.rounded);
    above.lost += times * m.lost;
    // 2 m + m^2 or 2 m + 2 m^2.
    const Exact<C> square = product(m, m);
    Exact<C> rest = any_sum(C{2} * m.rounded, times * square.rounded);
    rest.lost += C{2} * m.lost + times * square.lost;
    Exact<C> below = any_sum(base, rest.rounded);
    below.lost += rest.lost;
    const Exact<C> part = left ? product(e.part, above) : above;
    return share_of(x, t, {quotient(part, below), left ? e.n : 0});
  }
  __device__ static float single(float x) { return of(x); }
  __device__ static double full(double x) { return of(x); }
};

// ln(1 + exp(x)) = max(x, 0) + ln(1 + exp(-|x|)).
template <class C>
__device__ __forceinline__ C smooth_positive(const Exact<C>& x) {
  constexpr C end = sizeof(C) == 4 ? 110 : 755;
  const C size = std::fabs(x.rounded);
  // Of infinities there is no lost part.
  const C lost = size < end ? x.lost : C{0};
  const Scaled<C> e = long_exp(Exact<C>{-at_most(size, end), x.rounded < 0 ? lost : -lost});
  const C bend = std::log1p(value_of(e));
  return x.rounded > 0 ? x.rounded + (bend + lost) : bend;
}

struct Softplus {
  double beta, threshold;
  template <class C>
  __device__ C of(C x) const {
    const C times = static_cast<C>(beta);
    const Exact<C> power = exact_product(x, times);
    if (std::isnan(x) || power.rounded > static_cast<C>(threshold)) return x;
    return smooth_positive(power) / times;
  }
  __device__ float brief(float x) const { return of(x); }
  __device__ float single(float x) const { return of(x); }
  __device__ double full(double x) const { return of(x); }
};

struct LogSigmoid {
  template <class C>
  __device__ static C of(C x) {
    return std::isnan(x) ? x : -smooth_positive(Exact<C>{-x, C{0}});
  }
  __device__ static float brief(float x) { return of(x); }
  __device__ static float single(float x) { return of(x); }
  __device__ static double full(double x) { return of(x); }
};

// y = above x where x > 0, else below (exp(x) - 1).
struct Elu {
  double above, below;
  __device__ float brief(float x) const { return single(x); }
  __device__ float single(float x) const {
    return x > 0 ? static_cast<float>(above) * x : static_cast<float>(below) * expm1f(x);
  }
  __device__ double full(double x) const { return x > 0 ? above * x : below * std::expm1(x); }
};

struct Hardswish {
  template <class C>
  __device__ static C of(C x) {
    if (x <= -3) return C(-0.0);
    return x >= 3 ? x : x * (x + 3) / 6;
  }
  __device__ static float brief(float x) { return of(x); }
  // The quotient by the rounded sixth is enough for f32.
  __device__ static float single(float x) {
    const double wide = x;
    if (x <= -3) return -0.0F;
    return x >= 3 ? x : static_cast<float>(wide * (wide + 3) * (1.0 / 6));
  }
  __device__ static double full(double x) { return of(x); }
};

struct LeakyRelu {
  double negative_slope;
  template <class C>
  __device__ C operator()(C x) const {
    return x > C(0) ? x : x * static_cast<C>(negative_slope);
  }
};

void leaky_relu(const sdk::Launch& l) {
  const InArithmetic<LeakyRelu> f{{l.attrs.real(0)}};
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() { elementwise<T, T>(l, f); });
}
void elu(const sdk::Launch& l) { unary_function(l, Elu{1.0, l.attrs.real(0)}); }
void selu(const sdk::Launch& l) {
  constexpr double scale = 1.0507009873554804934193349852946;
  unary_function(l, Elu{scale, scale * 1.6732632423543772848170429916717});
}
void softplus(const sdk::Launch& l) {
  unary_function(l, Softplus{l.attrs.real(0), l.attrs.real(1)});
}

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc activation(std::string_view op, uint32_t n_attrs = 0) {
  return kernel(op, kUnarySlots, sdk::kFloats, sdk::launch_fn<Run>, {.n_attrs = n_attrs});
}

constexpr tenon_kernel_desc kernels[] = {
    activation<leaky_relu>("tenon.leaky_relu", 1),
    activation<elu>("tenon.elu", 1),
    activation<selu>("tenon.selu"),
    activation<plain_unary<Silu>>("tenon.silu"),
    activation<softplus>("tenon.softplus", 2),
    activation<plain_unary<Mish>>("tenon.mish"),
    activation<plain_unary<Hardswish>>("tenon.hardswish"),
    activation<plain_unary<LogSigmoid>>("tenon.logsigmoid"),
};

}  // namespace
}  // namespace tenon::cuda::activations_unit

TENON_UNIT(activations) = {.kernels = tenon::cuda::activations_unit::kernels};
