// SPDX-License-Identifier: Apache-2.0
// plugins/ops/ternary/add_scaled.hpp: the composition that addcmul and addcdiv share.
#pragma once

#include <tenon/sdk/plugin/dtypes.hpp>

#include "rules.hpp"

namespace tenon::rules {

// The dtype in which the operands of a call have met, `of_integers` if these are numbers alone.
inline tenon_dtype dtype_of_scaled(sdk::Compose& calls, tenon_dtype of_integers) {
  tenon_dtype of_numbers = of_integers;
  for (uint32_t input = 0; input < 3; ++input) {
    const sdk::Value operand = calls.in(input);
    if (operand.is_tensor()) return calls.meta(operand.tensor()).dtype;
    if (operand.tag == TENON_VALUE_F64) of_numbers = TENON_DTYPE_F32;
  }
  return of_numbers;
}

// x + (value * a) combined with b, in the dtype C of the computation: 16-bit operands are widened
// first and the sum is rounded back, so that there is one rounding, as in a kernel.
class AddScaled {
 public:
  // `op` multiplies or divides tensors, `numbers` does the same with two numbers.
  AddScaled(sdk::Compose& calls, tenon_dtype dtype, std::string_view op,
            double (*numbers)(double, double))
      : calls_(calls), op_(op), numbers_(numbers), dtype_(dtype) {}

  void compose() {
    const sdk::Value scaled = combined("tenon.mul", operand(1), in_c(calls_.attrs.real(0)),
                                       [](double a, double b) { return a * b; });
    const sdk::Value term = combined(op_, scaled, operand(2), numbers_);
    calls_.set(0, rounded_to(calls_, calls_.call("tenon.add", {operand(0), term}), dtype_));
  }

 private:
  double in_c(double number) const {
    return dtype_ == TENON_DTYPE_F64 ? number : static_cast<double>(static_cast<float>(number));
  }

  // A number has the value it has in the operands' dtype.
  sdk::Value operand(uint32_t input) {
    const sdk::Value given = calls_.in(input);
    if (given.is_tensor()) return widened(calls_, given);
    double number = 0;
    sdk::dispatch_dtype<sdk::FloatTypes>(dtype_, [&]<class T>() {
      number = static_cast<double>(sdk::convert<T>(sdk::Attrs::number(given)));
    });
    return number;
  }

  // Two numbers stay a number: as operands of an op they would be an f32 on the context's device.
  sdk::Value combined(std::string_view op, sdk::Value a, sdk::Value b,
                      double (*numbers)(double, double)) {
    if (a.is_tensor() || b.is_tensor()) return calls_.call(op, {a, b});
    return in_c(numbers(a.as.f64, b.as.f64));
  }

  sdk::Compose& calls_;
  std::string_view op_;
  double (*numbers_)(double, double);
  tenon_dtype dtype_;
};

}  // namespace tenon::rules
