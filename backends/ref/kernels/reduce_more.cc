// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/reduce_more.cc: prod, var, std, norm, logsumexp over axes.
//
// All in double, in logical order, rounded once; products of integers wrap.

#include <cmath>
#include <limits>

#include "kernels/reduction.h"

namespace tenon::ref {
namespace {

enum Attribute : uint32_t { kAxes, kKeepdims, kThird };

Reduction reduction(const sdk::Launch& l) {
  return reduce_axes(l.view(0), l.out(), axes_attribute(l, kAxes), l.attrs.flag(kKeepdims));
}

// Calls body(x) for the elements reduced into an output, in order.
template <class T, class Body>
void for_each_element(const Reduction& r, const sdk::Strided& in, Body&& body) {
  sdk::walk<1>(r.reduced.sizes(), {in}, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      body(static_cast<sdk::Wide<T>>(sdk::load<T>(run.data[0] + i * run.step[0])));
    }
  });
}

void prod(const sdk::Launch& l) {
  const Reduction r = reduction(l);
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    r.for_each([&](char* out, const sdk::Strided& in) {
      sdk::Wide<T> product{1};
      for_each_element<T>(r, in, [&](auto x) { product *= x; });
      sdk::store(out, sdk::narrow<sdk::WideNumber<T>>(product));
    });
  });
}

// NaN if n - correction is not positive.
template <class T>
double variance(const Reduction& r, const sdk::Strided& in, double correction) {
  const auto count = static_cast<double>(r.count());
  if (!(count - correction > 0)) return std::numeric_limits<double>::quiet_NaN();
  const double mean = wide_sum<T>(r.reduced.sizes(), in) / count;
  double sum = 0;
  for_each_element<T>(r, in, [&](double x) { sum += (x - mean) * (x - mean); });
  return sum / (count - correction);
}

template <bool kRoot>
void spread(const sdk::Launch& l) {
  const Reduction r = reduction(l);
  const double correction = l.attrs.real(kThird);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    r.for_each([&](char* out, const sdk::Strided& in) {
      const double v = variance<T>(r, in, correction);
      sdk::store(out, sdk::narrow<T>(kRoot ? std::sqrt(v) : v));
    });
  });
}

// Of no elements 0; orders that refuse them do not get here.
template <class T>
double norm_of(const Reduction& r, const sdk::Strided& in, double ord) {
  const bool least = ord < 0;
  double sum = 0;
  bool any = false;
  for_each_element<T>(r, in, [&](double x) {
    const double size = std::fabs(x);
    if (std::isinf(ord)) {
      if (!any || (least ? size < sum : sum < size) || size != size) sum = size;
      any = true;
    } else if (ord == 0) {
      sum += size != 0;
    } else if (ord == 1) {
      sum += size;
    } else {
      sum += ord == 2 ? size * size : std::pow(size, ord);
    }
  });
  if (std::isinf(ord) || ord == 0 || ord == 1) return sum;
  return ord == 2 ? std::sqrt(sum) : std::pow(sum, 1 / ord);
}

void norm(const sdk::Launch& l) {
  const Reduction r = reduction(l);
  const double ord = l.attrs.real(kThird);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    r.for_each([&](char* out, const sdk::Strided& in) {
      sdk::store(out, sdk::narrow<T>(norm_of<T>(r, in, ord)));
    });
  });
}

template <class T>
double log_of_powers(const Reduction& r, const sdk::Strided& in) {
  double most = -std::numeric_limits<double>::infinity();
  for_each_element<T>(r, in, [&](double x) { most = std::fmax(most, x); });
  // x - m is not a number where both are infinite of one sign, and any number does for m.
  if (std::isinf(most)) most = 0;
  double sum = 0;
  for_each_element<T>(r, in, [&](double x) { sum += std::exp(x - most); });
  return most + std::log(sum);
}

void logsumexp(const sdk::Launch& l) {
  const Reduction r = reduction(l);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    r.for_each([&](char* out, const sdk::Strided& in) {
      sdk::store(out, sdk::narrow<T>(log_of_powers<T>(r, in)));
    });
  });
}

constexpr tenon_kernel_desc reducer(std::string_view op, std::span<const tenon_dtype> rows,
                                    uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, kMapSlots, rows, n_attrs, launch, {.flags = kOracle});
}

// Of var and std: the first revision is made of the second.
constexpr tenon_kernel_desc spread_of(std::string_view op, LaunchFn launch) {
  tenon_kernel_desc desc = reducer(op, sdk::kFloats, kThird + 1, launch);
  desc.revision = 2;
  return desc;
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.prod", kWideningSlots, sdk::kWideNumbers, kThird, sdk::launch_fn<prod>,
           {.flags = kOracle}),
    spread_of("tenon.var", sdk::launch_fn<spread<false>>),
    spread_of("tenon.std", sdk::launch_fn<spread<true>>),
    reducer("tenon.norm", sdk::kFloats, kThird + 1, sdk::launch_fn<norm>),
    reducer("tenon.logsumexp", sdk::kFloats, kThird, sdk::launch_fn<logsumexp>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(reduce_more) = {.kernels = tenon::ref::kernels};
