// SPDX-License-Identifier: Apache-2.0
// plugins/ops/ternary/add_scaled.hpp: the composition that addcmul and addcdiv share.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// x + (value * a) combined with b, where `combine` multiplies or divides. 16-bit operands are
// widened first and the sum is rounded back, so that there is one rounding, as in a kernel.
inline void compose_add_scaled(sdk::Compose& c, std::string_view combine) {
  tenon_dtype dtype = TENON_DTYPE_F32;
  for (uint32_t input = 0; input < 3; ++input) {
    if (c.in(input).is_tensor()) dtype = c.meta(c.in(input).tensor()).dtype;
  }
  const bool narrow = dtype == TENON_DTYPE_F16 || dtype == TENON_DTYPE_BF16;
  const auto operand = [&](uint32_t input) {
    sdk::Value value = c.in(input);
    if (!narrow) return value;
    // A number has the value it has in the operands' dtype.
    if (!value.is_tensor()) {
      value = c.call("tenon.full", {}, {Dims().value(), value, sdk::Value::dtype(dtype)});
    }
    return sdk::Value(c.call("tenon.cast", {value}, {sdk::Value::dtype(TENON_DTYPE_F32)}));
  };
  tenon_tensor* scaled = c.call("tenon.mul", {operand(1), c.attrs.real(0)});
  tenon_tensor* sum = c.call("tenon.add", {operand(0), c.call(combine, {scaled, operand(2)})});
  if (narrow) sum = c.call("tenon.cast", {sum}, {sdk::Value::dtype(dtype)});
  c.set(0, sum);
}

}  // namespace tenon::rules
