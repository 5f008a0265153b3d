// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/optim_adam.cc: adam_step, adam_rows, adamw_step, adamw_rows.
//
// Formulas: plugins/optim/adam.cc and plugins/optim/adamw.cc.

#include <cmath>

#include "kernels/optim.h"

namespace tenon::ref {
namespace {

template <class C, bool decoupled>
struct Update {
  static constexpr size_t kStates = 2;

  explicit Update(const sdk::Step& step) : k(step, decoupled) {}

  void operator()(C& p, C g, std::array<C, 2>& means) const {
    if (k.decays && decoupled) p = k.decay * p;
    if (k.decays && !decoupled) g = g + k.decay * p;
    auto& [m, v] = means;
    m = k.beta1 * m + k.taken1 * g;
    v = k.beta2 * v + k.taken2 * g * g;
    p = p + k.minus_step * m / (std::sqrt(v) * k.inverse_root + k.eps);
  }

  sdk::AdamScalars<C> k;
};

template <class C>
using Adam = Update<C, false>;
template <class C>
using AdamW = Update<C, true>;

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 2>("tenon.adam_step", sdk::AdamAttr::kAttrs,
                            sdk::launch_fn<optim::step<false, 2, Adam>>),
    optim::kernel<true, 2>("tenon.adam_rows", sdk::AdamAttr::kAttrs,
                           sdk::launch_fn<optim::step<true, 2, Adam>>),
    optim::kernel<false, 2>("tenon.adamw_step", sdk::AdamAttr::kAttrs,
                            sdk::launch_fn<optim::step<false, 2, AdamW>>),
    optim::kernel<true, 2>("tenon.adamw_rows", sdk::AdamAttr::kAttrs,
                           sdk::launch_fn<optim::step<true, 2, AdamW>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(optim_adam) = {.kernels = tenon::ref::kernels};
