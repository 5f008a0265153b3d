// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/optim_adam.cc: adam_step, adam_rows, adamw_step, adamw_rows.
//
// Formulas: plugins/optim/adam.cc and plugins/optim/adamw.cc.

#include <cmath>

#include "kernels/optim.h"

namespace tenon::ref {
namespace {

enum Attr : uint32_t { kBeta1, kBeta2, kEps, kWeightDecay, kAttrs };

// Repeated squaring from the lowest bit: the same bits with every C library.
double power(double base, int64_t exponent) {
  double result = 1;
  for (auto rest = static_cast<uint64_t>(exponent); rest != 0; rest >>= 1) {
    if (rest & 1) result *= base;
    base *= base;
  }
  return result;
}

template <class C, bool decoupled>
struct Update {
  static constexpr size_t kStates = 2;

  Update(const sdk::Attrs& attrs, double lr, int64_t t)
      : beta1(static_cast<C>(attrs.real(kBeta1))),
        taken1(static_cast<C>(1 - attrs.real(kBeta1))),
        beta2(static_cast<C>(attrs.real(kBeta2))),
        taken2(static_cast<C>(1 - attrs.real(kBeta2))),
        eps(static_cast<C>(attrs.real(kEps))),
        inverse_root(static_cast<C>(1 / std::sqrt(1 - power(attrs.real(kBeta2), t)))),
        minus_step(static_cast<C>(-(lr / (1 - power(attrs.real(kBeta1), t))))),
        decays(attrs.real(kWeightDecay) != 0),
        decay(static_cast<C>(decoupled ? 1 - lr * attrs.real(kWeightDecay)
                                       : attrs.real(kWeightDecay))) {}

  void operator()(C& p, C g, std::array<C, 2>& means) const {
    if (decays && decoupled) p = decay * p;
    if (decays && !decoupled) g = g + decay * p;
    auto& [m, v] = means;
    m = beta1 * m + taken1 * g;
    v = beta2 * v + taken2 * g * g;
    p = p + minus_step * m / (std::sqrt(v) * inverse_root + eps);
  }

  C beta1;
  C taken1;
  C beta2;
  C taken2;
  C eps;
  C inverse_root;
  C minus_step;
  bool decays;
  C decay;
};

template <class C>
using Adam = Update<C, false>;
template <class C>
using AdamW = Update<C, true>;

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 2>("tenon.adam_step", kAttrs, sdk::launch_fn<optim::step<false, 2, Adam>>),
    optim::kernel<true, 2>("tenon.adam_rows", kAttrs, sdk::launch_fn<optim::step<true, 2, Adam>>),
    optim::kernel<false, 2>("tenon.adamw_step", kAttrs,
                            sdk::launch_fn<optim::step<false, 2, AdamW>>),
    optim::kernel<true, 2>("tenon.adamw_rows", kAttrs, sdk::launch_fn<optim::step<true, 2, AdamW>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(optim_adam) = {.kernels = tenon::ref::kernels};
