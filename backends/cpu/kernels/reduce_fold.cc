// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/reduce_fold.cc: prod, var, std, norm of order 1 and 2. Order of sums:
// fold.h.
//
//   var    sum (x - m)^2 / (n - correction), m = sum x / n;  std its root
//   norm   sqrt(sum x^2), sum |x|

#include <cmath>
#include <limits>

#include "kernels/fold.h"

namespace tenon::cpu {
namespace {

enum Attribute : uint32_t { kAxes, kKeepdims, kThird };

struct Product {
  template <class W>
  static W start() {
    return W{1};
  }
  template <class W>
  static W next(W product, W x, W) {
    return product * x;
  }
  template <class W>
  static W combined(W a, W b) {
    return a * b;
  }
};

// Sums, each of what term(x, p) makes of an element.
template <class Term>
struct SumOf {
  template <class W>
  static W start() {
    return W{};
  }
  template <class W>
  static W next(W sum, W x, W p) {
    return sum + Term::of(x, p);
  }
  template <class W>
  static W combined(W a, W b) {
    return a + b;
  }
};
struct Itself {
  static double of(double x, double) { return x; }
};
struct SquareFrom {
  static double of(double x, double p) { return (x - p) * (x - p); }
};
struct Magnitude {
  static double of(double x, double) { return std::fabs(x); }
};

Reduction reduction(const sdk::Launch& l) {
  return reduce_axes(l.view(0), l.out(), axes_attribute(l, kAxes), l.attrs.flag(kKeepdims));
}

void prod(const sdk::Launch& l) {
  const Reduction r = reduction(l);
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    fold::for_each_output<T>(l, r, [](const auto& source, sdk::Wide<T>* out) {
      const sdk::Wide<T> none[fold::kSide] = {};
      source.template total<Product>(none, out);
    });
  });
}

void spread(const sdk::Launch& l, bool root) {
  const Reduction r = reduction(l);
  const auto count = static_cast<double>(r.count());
  double freedom = count - l.attrs.real(kThird);
  if (!(freedom > 0)) freedom = std::numeric_limits<double>::quiet_NaN();
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    fold::for_each_output<T>(l, r, [&](const auto& source, double* out) {
      constexpr int64_t kResults = std::remove_reference_t<decltype(source)>::kResults;
      const double none[kResults] = {};
      double mean[kResults];
      source.template total<SumOf<Itself>>(none, mean);
      for (double& m : mean) m /= count;
      source.template total<SumOf<SquareFrom>>(mean, out);
      for (int64_t k = 0; k < kResults; ++k) {
        out[k] = root ? std::sqrt(out[k] / freedom) : out[k] / freedom;
      }
    });
  });
}

void variance(const sdk::Launch& l) { spread(l, false); }
void deviation(const sdk::Launch& l) { spread(l, true); }

void norm(const sdk::Launch& l) {
  const Reduction r = reduction(l);
  const bool squares = l.attrs.real(kThird) == 2;
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    fold::for_each_output<T>(l, r, [&](const auto& source, double* out) {
      constexpr int64_t kResults = std::remove_reference_t<decltype(source)>::kResults;
      const double zero[kResults] = {};
      if (!squares) return source.template total<SumOf<Magnitude>>(zero, out);
      source.template total<SumOf<SquareFrom>>(zero, out);
      for (int64_t k = 0; k < kResults; ++k) out[k] = std::sqrt(out[k]);
    });
  });
}

tenon_status is_sum(tenon_call* call, const tenon_launch* args, uint32_t* out_yes) {
  const double ord = sdk::Args(args).attrs.real(kThird);
  *out_yes = ord == 1 || ord == 2;
  if (*out_yes) return TENON_OK;
  constexpr std::string_view reason = "ord is neither 1 nor 2";
  return call->base->fail(call, TENON_E_ATTRIBUTE, reason.data(), reason.size());
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};
constexpr tenon_slot_rule widening_slots[] = {any_in(TENON_SLOT_NARROW), any_out()};

constexpr tenon_kernel_desc reducer(std::string_view op, std::span<const tenon_dtype> rows,
                                    uint32_t n_attrs, LaunchFn launch,
                                    PredicateFn predicate = nullptr) {
  return kernel(op, slots, rows, n_attrs, launch, {.predicate = predicate});
}

// Of var and std: the first revision is made of the second.
constexpr tenon_kernel_desc spread_of(std::string_view op, LaunchFn launch) {
  tenon_kernel_desc desc = reducer(op, sdk::kFloats, kThird + 1, launch);
  desc.revision = 2;
  return desc;
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.prod", widening_slots, sdk::kWideNumbers, kThird, sdk::launch_fn<prod>),
    spread_of("tenon.var", sdk::launch_fn<variance>),
    spread_of("tenon.std", sdk::launch_fn<deviation>),
    reducer("tenon.norm", sdk::kFloats, kThird + 1, sdk::launch_fn<norm>, is_sum),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(reduce_fold) = {.kernels = tenon::cpu::kernels};
