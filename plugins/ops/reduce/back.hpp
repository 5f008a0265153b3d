// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/back.hpp: what the gradients of reductions and scans share.
//
// They are computed in more digits, and with more room for exponents, than what is reduced has, and
// rounded once: kernels do the same, and what a kernel keeps wide must not be rounded on the way
// back.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// 16-bit floats as f32.
inline sdk::Value wide(sdk::Calls& calls, sdk::Value x) {
  return is_16_bit_float(calls.meta(x.tensor()).dtype) ? as(calls, x, TENON_DTYPE_F32) : x;
}

inline sdk::Value as_f64(sdk::Calls& calls, sdk::Value x) { return as(calls, x, TENON_DTYPE_F64); }

// Sets the gradient of input 0 in its own dtype.
inline void set_grad(sdk::Vjp& v, sdk::Value gradient) {
  v.grad(0, as(v, gradient, v.in_meta(0).dtype));
}

// A result of the reduction whose axes are attribute 0, or its gradient, so that it broadcasts with
// x.
inline tenon_tensor* beside_x(sdk::Vjp& v, sdk::Value y) {
  const tenon_meta x = v.in_meta(0);
  return reshape(v, y, kept_shape(shape_of(x), v.attr(0)));
}

// a / b, and 0 where b is 0.
inline tenon_tensor* quotient_or_0(sdk::Vjp& v, sdk::Value a, sdk::Value b) {
  tenon_tensor* zero = v.call("tenon.eq", {b, 0});
  tenon_tensor* quotient = v.call("tenon.div", {a, v.call("tenon.where", {zero, 1, b})});
  return v.call("tenon.where", {zero, 0, quotient});
}

}  // namespace tenon::rules
