// SPDX-License-Identifier: Apache-2.0
// backends/common/clip_grad_norm.h: what kernels of clip_grad_norm agree on.
// Formulas and arithmetic: plugins/optim/clip_grad_norm.cc.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>

namespace tenon::backends::clip {

enum Attr : uint32_t { kMaxNorm, kNorm, kEach, kAttrs };

// Of other norms the composition runs.
inline tenon_status is_root_of_squares(tenon_call* call, const tenon_launch* args,
                                       uint32_t* out_accepts) {
  *out_accepts = sdk::Args(args).attrs.real(kNorm) == 2;
  if (*out_accepts) return TENON_OK;
  constexpr std::string_view reason = "norm is not 2";
  return call->base->fail(call, TENON_E_ATTRIBUTE, reason.data(), reason.size());
}

// What makes a gradient of this norm no longer than it may be; NaN stays NaN.
template <class C>
constexpr C factor_of(C norm, C max_norm) {
  const C share = max_norm / (norm + static_cast<C>(1e-6));
  return share > 1 ? C{1} : share;
}

}  // namespace tenon::backends::clip
