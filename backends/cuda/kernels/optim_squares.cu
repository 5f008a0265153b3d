// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim_squares.cu: adagrad_step, adadelta_step, rmsprop_step: steps scaled
// by sums or means of squares. Formulas: plugins/optim/{adagrad,adadelta,rmsprop}.cc.
#include "optim.h"

namespace tenon::cuda::optim_squares_unit {
namespace {

namespace adagrad {

template <class C>
struct Rule {
  static constexpr int kStates = 1;

  __device__ explicit Rule(const optim::Step& step) : k(step) {}

  __device__ bool uses(int) const { return true; }
  __device__ void operator()(C& p, C g, C (&sum)[1]) const {
    if (k.weight_decay != 0) g = g + k.weight_decay * p;
    sum[0] = sum[0] + g * g;
    p = p + k.minus_lr * g / (std::sqrt(sum[0]) + k.eps);
  }

  sdk::AdagradScalars<C> k;
};

}  // namespace adagrad
namespace adadelta {

template <class C>
struct Rule {
  static constexpr int kStates = 2;

  __device__ explicit Rule(const optim::Step& step) : k(step) {}

  __device__ bool uses(int) const { return true; }
  __device__ void operator()(C& p, C g, C (&means)[2]) const {
    if (k.weight_decay != 0) g = g + k.weight_decay * p;
    means[0] = mean(means[0], g);
    const C change = std::sqrt(means[1] + k.eps) / std::sqrt(means[0] + k.eps) * g;
    means[1] = mean(means[1], change);
    p = p + change * k.minus_lr;
  }
  // Of squares.
  __device__ C mean(C before, C x) const { return k.rho * before + k.taken * x * x; }

  sdk::AdadeltaScalars<C> k;
};

}  // namespace adadelta
namespace rmsprop {

enum List : int { kSquares, kMeans, kBuffer, kLists };

// A state that is not in use is not read or written.
template <class C>
struct Rule {
  static constexpr int kStates = kLists;

  __device__ explicit Rule(const optim::Step& step) : k(step) {}

  __device__ bool uses(int state) const {
    return state == kSquares || (state == kMeans ? k.centered : k.has_momentum);
  }
  __device__ void operator()(C& p, C g, C (&states)[kLists]) const {
    if (k.weight_decay != 0) g = g + k.weight_decay * p;
    const C some = k.taken * g;
    states[kSquares] = k.alpha * states[kSquares] + some * g;
    C square = states[kSquares];
    if (k.centered) {
      states[kMeans] = k.alpha * states[kMeans] + some;
      square = square - states[kMeans] * states[kMeans];
    }
    const C root = std::sqrt(square) + k.eps;
    if (k.has_momentum) {
      states[kBuffer] = k.momentum * states[kBuffer] + g / root;
      p = p + states[kBuffer] * k.minus_lr;
    } else {
      p = p + k.minus_lr * g / root;
    }
  }

  sdk::RmspropScalars<C> k;
};

}  // namespace rmsprop

constexpr tenon_kernel_desc kernels[] = {
    optim::kernel<false, 1, adagrad::Rule>("tenon.adagrad_step", sdk::AdagradAttr::kAttrs),
    optim::kernel<false, 2, adadelta::Rule>("tenon.adadelta_step", sdk::AdadeltaAttr::kAttrs),
    optim::kernel<false, 3, rmsprop::Rule>("tenon.rmsprop_step", sdk::RmspropAttr::kAttrs),
};

}  // namespace
}  // namespace tenon::cuda::optim_squares_unit

TENON_UNIT(optim_squares) = {.kernels = tenon::cuda::optim_squares_unit::kernels};
