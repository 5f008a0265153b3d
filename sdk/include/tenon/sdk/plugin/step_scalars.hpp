// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/step_scalars.hpp: the numbers that a kernel of an optimizer's step op makes once
// for each parameter, for every device: in f64, each rounded once to C, the type it computes in.
//
//   const sdk::AdamScalars<C> k(step, decoupled);      then for each element
//   m = k.beta1 * m + k.taken1 * g; ...
//
// `step` has attr(index), an attribute of the op, lr, and t, the steps of the parameter with this
// one counted. Formulas: plugins/optim/<rule>.cc. No product may be fused with a sum, so compile
// with -ffp-contract=off (nvcc: -fmad=false). These functions are constexpr so that nvcc takes them
// into kernels, too (--expt-relaxed-constexpr).
#pragma once

#include <cmath>
#include <cstdint>

namespace tenon::sdk {

// Repeated squaring from the lowest bit: the same bits with every C library.
constexpr double whole_power(double base, int64_t exponent) {
  double result = 1;
  for (auto rest = static_cast<uint64_t>(exponent); rest != 0; rest >>= 1) {
    if (rest & 1) result *= base;
    base *= base;
  }
  return result;
}

// ---- Where attributes stand: in the order of the op's schema ------------------------------------

struct AdadeltaAttr {
  enum : uint32_t { kRho, kEps, kWeightDecay, kAttrs };
};
struct AdagradAttr {
  enum : uint32_t { kLrDecay, kWeightDecay, kEps, kAttrs };
};
struct AdamAttr {
  enum : uint32_t { kBeta1, kBeta2, kEps, kWeightDecay, kAttrs };
};
struct LionAttr {
  enum : uint32_t { kBeta1, kBeta2, kWeightDecay, kAttrs };
};
struct NadamAttr {
  enum : uint32_t { kBeta1, kBeta2, kEps, kWeightDecay, kMomentumDecay, kDecoupled, kAttrs };
};
struct RmspropAttr {
  enum : uint32_t { kAlpha, kEps, kWeightDecay, kMomentum, kCentered, kAttrs };
};
struct SgdAttr {
  enum : uint32_t { kMomentum, kDampening, kWeightDecay, kNesterov, kAttrs };
};

// ---- Rules --------------------------------------------------------------------------------------

template <class C>
struct AdadeltaScalars : AdadeltaAttr {
  template <class Step>
  constexpr explicit AdadeltaScalars(const Step& s)
      : rho(static_cast<C>(s.attr(kRho))),
        taken(static_cast<C>(1 - s.attr(kRho))),
        eps(static_cast<C>(s.attr(kEps))),
        weight_decay(static_cast<C>(s.attr(kWeightDecay))),
        minus_lr(static_cast<C>(-s.lr)) {}

  C rho;
  C taken;
  C eps;
  C weight_decay;
  C minus_lr;
};

template <class C>
struct AdagradScalars : AdagradAttr {
  template <class Step>
  constexpr explicit AdagradScalars(const Step& s)
      : weight_decay(static_cast<C>(s.attr(kWeightDecay))),
        eps(static_cast<C>(s.attr(kEps))),
        minus_lr(static_cast<C>(-(s.lr / (static_cast<double>(s.t - 1) * s.attr(kLrDecay) + 1)))) {}

  C weight_decay;
  C eps;
  C minus_lr;
};

// `decay` is the share of the parameter that is kept if weight decay is decoupled (AdamW), else
// what of it joins the gradient. It is for use if it `decays`.
template <class C>
struct AdamScalars : AdamAttr {
  template <class Step>
  constexpr AdamScalars(const Step& s, bool decoupled)
      : beta1(static_cast<C>(s.attr(kBeta1))),
        taken1(static_cast<C>(1 - s.attr(kBeta1))),
        beta2(static_cast<C>(s.attr(kBeta2))),
        taken2(static_cast<C>(1 - s.attr(kBeta2))),
        eps(static_cast<C>(s.attr(kEps))),
        inverse_root(static_cast<C>(1 / std::sqrt(1 - whole_power(s.attr(kBeta2), s.t)))),
        minus_step(static_cast<C>(-(s.lr / (1 - whole_power(s.attr(kBeta1), s.t))))),
        decay(static_cast<C>(decoupled ? 1 - s.lr * s.attr(kWeightDecay) : s.attr(kWeightDecay))),
        decays(s.attr(kWeightDecay) != 0) {}

  C beta1;
  C taken1;
  C beta2;
  C taken2;
  C eps;
  C inverse_root;
  C minus_step;
  C decay;
  bool decays;
};

template <class C>
struct LionScalars : LionAttr {
  template <class Step>
  constexpr explicit LionScalars(const Step& s)
      : beta1(static_cast<C>(s.attr(kBeta1))),
        taken1(static_cast<C>(1 - s.attr(kBeta1))),
        beta2(static_cast<C>(s.attr(kBeta2))),
        taken2(static_cast<C>(1 - s.attr(kBeta2))),
        kept(static_cast<C>(1 - s.lr * s.attr(kWeightDecay))),
        minus_lr(static_cast<C>(-s.lr)),
        decays(s.attr(kWeightDecay) != 0) {}

  C beta1;
  C taken1;
  C beta2;
  C taken2;
  C kept;
  C minus_lr;
  bool decays;
};

// `decay` and `decays` as in AdamScalars. `product`, the op's third state, is multiplied by this
// step's share; `exp` is the device's, in f64.
template <class C>
struct NadamScalars : NadamAttr {
  template <class Step, class Exp>
  constexpr NadamScalars(const Step& s, double& product, const Exp& exp)
      : beta1(static_cast<C>(s.attr(kBeta1))),
        taken1(static_cast<C>(1 - s.attr(kBeta1))),
        beta2(static_cast<C>(s.attr(kBeta2))),
        taken2(static_cast<C>(1 - s.attr(kBeta2))),
        eps(static_cast<C>(s.attr(kEps))),
        correction(static_cast<C>(1 - whole_power(s.attr(kBeta2), s.t))),
        decay(static_cast<C>(s.attr(kDecoupled) != 0 ? 1 - s.lr * s.attr(kWeightDecay)
                                                     : s.attr(kWeightDecay))),
        decays(s.attr(kWeightDecay) != 0),
        decoupled(s.attr(kDecoupled) != 0) {
    const double now = share(s, s.t, exp), next = share(s, s.t + 1, exp);
    product = product * now;
    of_g = static_cast<C>(-s.lr * (1 - now) / (1 - product));
    of_m = static_cast<C>(-s.lr * next / (1 - product * next));
  }

  C beta1;
  C taken1;
  C beta2;
  C taken2;
  C eps;
  C correction;
  C decay;
  C of_g = 0;
  C of_m = 0;
  bool decays;
  bool decoupled;

 private:
  static constexpr double kFading = -0x1.4e69ed6d80eb3p-5;  // ln 0.96

  // Of the mean, in step `number`.
  template <class Step, class Exp>
  static constexpr double share(const Step& s, int64_t number, const Exp& exp) {
    const double faded = exp(static_cast<double>(number) * s.attr(kMomentumDecay) * kFading);
    return (1 - faded * 0.5) * s.attr(kBeta1);
  }
};

template <class C>
struct RmspropScalars : RmspropAttr {
  template <class Step>
  constexpr explicit RmspropScalars(const Step& s)
      : alpha(static_cast<C>(s.attr(kAlpha))),
        taken(static_cast<C>(1 - s.attr(kAlpha))),
        eps(static_cast<C>(s.attr(kEps))),
        weight_decay(static_cast<C>(s.attr(kWeightDecay))),
        momentum(static_cast<C>(s.attr(kMomentum))),
        minus_lr(static_cast<C>(-s.lr)),
        centered(s.attr(kCentered) != 0),
        has_momentum(s.attr(kMomentum) != 0) {}

  C alpha;
  C taken;
  C eps;
  C weight_decay;
  C momentum;
  C minus_lr;
  bool centered;
  bool has_momentum;
};

template <class C>
struct SgdScalars : SgdAttr {
  template <class Step>
  constexpr explicit SgdScalars(const Step& s)
      : minus_lr(static_cast<C>(-s.lr)),
        weight_decay(static_cast<C>(s.attr(kWeightDecay))),
        momentum(static_cast<C>(s.attr(kMomentum))),
        taken(static_cast<C>(1 - s.attr(kDampening))),
        has_momentum(s.attr(kMomentum) != 0),
        first(s.t == 1),
        nesterov(s.attr(kNesterov) != 0) {}

  C minus_lr;
  C weight_decay;
  C momentum;
  C taken;
  bool has_momentum;
  bool first;
  bool nesterov;
};

}  // namespace tenon::sdk
