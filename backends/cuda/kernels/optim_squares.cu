// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_squares.cu: adagrad_step, adadelta_step, rmsprop_step: steps scaled
// by sums or means of squares. Formulas: plugins/optim/{adagrad,adadelta,rmsprop}.cc.
#include "optim.h"

namespace tenon::cuda::optim_squares_unit {
namespace {

namespace adagrad {

enum Attr : uint32_t { kLrDecay, kWeightDecay, kEps, kAttrs };

template <class C>
struct Rule {
  static constexpr int kStates = 1;

  __device__ explicit Rule(const optim::Step& s)
      : weight_decay(static_cast<C>(s.attr[kWeightDecay])),
        eps(static_cast<C>(s.attr[kEps])),
        minus_lr(static_cast<C>(-(s.lr / (static_cast<double>(s.t - 1) * s.attr[kLrDecay] + 1)))) {}

  __device__ bool uses(int) const { return true; }
  __device__ void operator()(C& p, C g, C (&sum)[1]) const {
    if (weight_decay != 0) g = g + weight_decay * p;
    sum[0] = sum[0] + g * g;
    p = p + minus_lr * g / (std::sqrt(sum[0]) + eps);
  }

  C weight_decay;
  C eps;
  C minus_lr;
};

}  // namespace adagrad
namespace adadelta {

enum Attr : uint32_t { kRho, kEps, kWeightDecay, kAttrs };

template <class C>
struct Rule {
  static constexpr int kStates = 2;

  __device__ explicit Rule(const optim::Step& s)
      : rho(static_cast<C>(s.attr[kRho])),
        taken(static_cast<C>(1 - s.attr[kRho])),
        eps(static_cast<C>(s.attr[kEps])),
        weight_decay(static_cast<C>(s.attr[kWeightDecay])),
        minus_lr(static_cast<C>(-s.lr)) {}

  __device__ bool uses(int) const { return true; }
  __device__ void operator()(C& p, C g, C (&means)[2]) const {
    if (weight_decay != 0) g = g + weight_decay * p;
    means[0] = mean(means[0], g);
    const C change = std::sqrt(means[1] + eps) / std::sqrt(means[0] + eps) * g;
    means[1] = mean(means[1], change);
    p = p + change * minus_lr;
  }
  // Of squares.
  __device__ C mean(C before, C x) const { return rho * before + taken * x * x; }

  C rho;
  C taken;
  C eps;
  C weight_decay;
  C minus_lr;
};

}  // namespace adadelta
namespace rmsprop {

enum Attr : uint32_t { kAlpha, kEps, kWeightDecay, kMomentum, kCentered, kAttrs };
enum List : int { kSquares, kMeans, kBuffer, kLists };

// A state that is not in use is not read or written.
template <class C>
struct Rule {
  static constexpr int kStates = kLists;

  __device__ explicit Rule(const optim::Step& s)
      : alpha(static_cast<C>(s.attr[kAlpha])),
        taken(static_cast<C>(1 - s.attr[kAlpha])),
        eps(static_cast<C>(s.attr[kEps])),
        weight_decay(static_cast<C>(s.attr[kWeightDecay])),
        momentum(static_cast<C>(s.attr[kMomentum])),
        minus_lr(static_cast<C>(-s.lr)),
        centered(s.attr[kCentered] != 0),
        has_momentum(s.attr[kMomentum] != 0) {}

  __device__ bool uses(int state) const {
    return state == kSquares || (state == kMeans ? centered : has_momentum);
  }
  __device__ void operator()(C& p, C g, C (&states)[kLists]) const {
    if (weight_decay != 0) g = g + weight_decay * p;
    const C some = taken * g;
    states[kSquares] = alpha * states[kSquares] + some * g;
    C square = states[kSquares];
    if (centered) {
      states[kMeans] = alpha * states[kMeans] + some;
      square = square - states[kMeans] * states[kMeans];
    }
    const C root = std::sqrt(square) + eps;
    if (has_momentum) {
      states[kBuffer] = momentum * states[kBuffer] + g / root;
      p = p + states[kBuffer] * minus_lr;
    } else {
      p = p + minus_lr * g / root;
    }
  }

  C alpha;
  C taken;
  C eps;
  C weight_decay;
  C momentum;
  C minus_lr;
  bool centered;
  bool has_momentum;
};

}  // namespace rmsprop

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 1, adagrad::Rule>("tenon.adagrad_step", adagrad::kAttrs),
    optim::kernel<false, 2, adadelta::Rule>("tenon.adadelta_step", adadelta::kAttrs),
    optim::kernel<false, 3, rmsprop::Rule>("tenon.rmsprop_step", rmsprop::kAttrs),
};

}  // namespace
}  // namespace tenon::cuda::optim_squares_unit

TENON_UNIT(optim_squares) = {.kernels = tenon::cuda::optim_squares_unit::kernels};
