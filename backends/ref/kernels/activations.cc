// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/activations.cc: leaky_relu, elu, selu, silu, softplus, mish, hardswish,
// logsigmoid.
//
// leaky_relu is one product of the dtype. The others are computed with more digits than the dtype
// has and rounded once.

#include <cmath>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// ln(1 + exp(x)).
template <class W>
W smooth_positive(W x) {
  return std::fmax(x, W(0)) + std::log1p(std::exp(-std::fabs(x)));
}

// y = above x where x > 0, else below (exp(x) - 1).
struct Elu {
  double above, below;
  template <class W>
  W operator()(W x) const {
    return x > 0 ? W(above) * x : W(below) * std::expm1(x);
  }
};
struct Silu {
  template <class W>
  W operator()(W x) const {
    return x / (1 + std::exp(-x));
  }
};
struct Softplus {
  double beta, threshold;
  template <class W>
  W operator()(W x) const {
    const W power = W(beta) * x;
    if (std::isnan(x)) return x;
    return power > W(threshold) ? x : smooth_positive(power) / W(beta);
  }
};
struct Mish {
  template <class W>
  W operator()(W x) const {
    return x * std::tanh(std::log1p(std::exp(x)));
  }
};
struct Hardswish {
  template <class W>
  W operator()(W x) const {
    if (x <= -3) return W(-0.0);
    return x >= 3 ? x : x * (x + 3) / 6;
  }
};
struct LogSigmoid {
  template <class W>
  W operator()(W x) const {
    return std::isnan(x) ? x : -smooth_positive(-x);
  }
};

template <class F>
void function(const sdk::Launch& l, F f) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using W = Wider<T>;
    each_element<T, T>(
        l, [f](T x) { return sdk::narrow<T>(f(static_cast<W>(static_cast<sdk::Wide<T>>(x)))); });
  });
}

void leaky_relu(const sdk::Launch& l) {
  const double negative_slope = l.attrs.real(0);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    const C slope = static_cast<C>(negative_slope);
    each_element<T, T>(l, [slope](T given) {
      const C x = static_cast<C>(given);
      return sdk::narrow<T>(x > C(0) ? x : x * slope);
    });
  });
}

// Attributes have the digits of the arithmetic.
double in_arithmetic(const sdk::Launch& l, double number) {
  return l.out().dtype == TENON_DTYPE_F64 ? number
                                          : static_cast<double>(static_cast<float>(number));
}

void elu(const sdk::Launch& l) { function(l, Elu{1.0, in_arithmetic(l, l.attrs.real(0))}); }
void selu(const sdk::Launch& l) {
  constexpr double scale = 1.0507009873554804934193349852946;
  function(l, Elu{scale, scale * 1.6732632423543772848170429916717});
}
void softplus(const sdk::Launch& l) {
  function(l, Softplus{in_arithmetic(l, l.attrs.real(0)), in_arithmetic(l, l.attrs.real(1))});
}
template <class F>
void plain(const sdk::Launch& l) {
  function(l, F());
}

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc activation(std::string_view op, uint32_t n_attrs = 0,
                                       uint32_t flags = kOracle) {
  return kernel(op, kUnarySlots, sdk::kFloats, n_attrs, sdk::launch_fn<Run>, {.flags = flags});
}

constexpr tenon_kernel_desc kernels[] = {
    activation<leaky_relu>("tenon.leaky_relu", 1, kCanonical),
    activation<elu>("tenon.elu", 1),
    activation<selu>("tenon.selu"),
    activation<plain<Silu>>("tenon.silu"),
    activation<softplus>("tenon.softplus", 2),
    activation<plain<Mish>>("tenon.mish"),
    activation<plain<Hardswish>>("tenon.hardswish"),
    activation<plain<LogSigmoid>>("tenon.logsigmoid"),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(activations) = {.kernels = tenon::ref::kernels};
