// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/clip_grad_norm.cc: clip_grad_norm by the root of squares.
// Formulas: plugins/optim/clip_grad_norm.cc.

#include "common/clip_grad_norm.h"

#include <vector>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

namespace clip = backends::clip;

// As sum is: in double, rounded once.
template <class C>
C root(double squares) {
  return std::sqrt(static_cast<C>(squares));
}

template <class T>
sdk::Compute<T> norm_of(const tenon_view& grad) {
  using C = sdk::Compute<T>;
  double sum = 0;
  sdk::walk<1>(sdk::shape_of(grad), {sdk::strided(grad)}, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      const C x = static_cast<C>(sdk::load<T>(run.data[0] + i * run.step[0]));
      sum += x * x;
    }
  });
  return root<C>(sum);
}

template <class T>
void scale(const tenon_view& grad, sdk::Compute<T> factor) {
  using C = sdk::Compute<T>;
  sdk::walk<1>(sdk::shape_of(grad), {sdk::strided(grad)}, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      char* const at = run.data[0] + i * run.step[0];
      sdk::store(at, sdk::narrow<T>(static_cast<C>(sdk::load<T>(at)) * factor));
    }
  });
}

template <class T>
void clip_all(const sdk::Launch& l) {
  using C = sdk::Compute<T>;
  std::vector<C> norms;
  double squares = 0;
  for (uint32_t i = 0; i < l.count(0); ++i) {
    norms.push_back(norm_of<T>(l.view(0, i)));
    squares += norms[i] * norms[i];
  }
  const C total = root<C>(squares);
  const C max_norm = static_cast<C>(l.attrs.real(clip::kMaxNorm));
  const bool each = l.attrs.flag(clip::kEach);
  for (uint32_t i = 0; i < l.count(0); ++i) {
    scale<T>(l.view(0, i), clip::factor_of(each ? norms[i] : total, max_norm));
  }
  sdk::store(l.out().data, sdk::narrow<T>(total));
}

void clip_grad_norm(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() { clip_all<T>(l); });
}

constexpr tenon_slot_rule slots[] = {sdk::strided_inout(), sdk::strided_out()};

constexpr tenon_kernel_desc make_kernel() {
  tenon_kernel_desc desc = kernel("tenon.clip_grad_norm", slots, sdk::kFloats, clip::kAttrs,
                                  sdk::launch_fn<clip_grad_norm>, {.flags = kOracle});
  desc.predicate = clip::is_root_of_squares;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make_kernel()};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(clip_grad_norm) = {.kernels = tenon::ref::kernels};
