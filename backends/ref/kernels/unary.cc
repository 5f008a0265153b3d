// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/unary.cc: neg, exp, log, sqrt, tanh, relu, sigmoid, isfinite.

#include <cmath>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// Float functions: from double to double, rounded once to the dtype. The square root is exact this
// way: its double rounding never differs from the dtype's own.
struct Exp {
  double operator()(double x) const { return std::exp(x); }
};
struct Log {
  double operator()(double x) const { return std::log(x); }
};
struct Sqrt {
  double operator()(double x) const { return std::sqrt(x); }
};
struct Tanh {
  double operator()(double x) const { return std::tanh(x); }
};
struct Sigmoid {
  double operator()(double x) const { return 1.0 / (1.0 + std::exp(-x)); }
};

template <class F>
void float_function(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T>(l, [](T x) { return sdk::narrow<T>(F()(static_cast<double>(x))); });
  });
}

void neg(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T>(l, [](T x) {
      if constexpr (sdk::is_float_type<T>) {
        return sdk::narrow<T>(-static_cast<sdk::Compute<T>>(x));
      } else {
        return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(x));
      }
    });
  });
}

// x < 0 ? 0 : x, so NaN and -0 stay as they are.
void relu(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T>(l, [](T x) { return x < T(0) ? T(0) : x; });
  });
}

void isfinite(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    each_element<sdk::Bool, T>(l, [](T x) {
      if constexpr (sdk::is_float_type<T>) {
        return sdk::Bool(std::isfinite(static_cast<sdk::Compute<T>>(x)));
      } else {
        return sdk::Bool(true);
      }
    });
  });
}

constexpr tenon_kernel_desc unary(std::string_view op, std::span<const tenon_dtype> rows,
                                  LaunchFn launch, uint32_t flags = kCanonical) {
  return kernel(op, kUnarySlots, rows, 0, launch, {.flags = flags});
}

constexpr tenon_kernel_desc kernels[] = {
    unary("tenon.neg", sdk::kNumbers, sdk::launch_fn<neg>),
    unary("tenon.exp", sdk::kFloats, sdk::launch_fn<float_function<Exp>>, kOracle),
    unary("tenon.log", sdk::kFloats, sdk::launch_fn<float_function<Log>>, kOracle),
    unary("tenon.sqrt", sdk::kFloats, sdk::launch_fn<float_function<Sqrt>>),
    unary("tenon.tanh", sdk::kFloats, sdk::launch_fn<float_function<Tanh>>, kOracle),
    unary("tenon.relu", sdk::kNumbers, sdk::launch_fn<relu>),
    unary("tenon.sigmoid", sdk::kFloats, sdk::launch_fn<float_function<Sigmoid>>, kOracle),
    unary("tenon.isfinite", sdk::kAllDtypes, sdk::launch_fn<isfinite>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(unary) = {.kernels = tenon::ref::kernels};
