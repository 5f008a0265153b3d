// SPDX-License-Identifier: Apache-2.0
// plugins/ops/norm/rows.hpp: what layer_norm, rms_norm and their gradients share.
//
// All of them see x as a matrix [R,N]: a row is what the last `dims` dimensions hold, and is
// normalised by itself. Their attributes are `dims` and `eps`, in this order.
#pragma once

#include <algorithm>
#include <cmath>

#include "rules.hpp"

namespace tenon::rules {

enum NormAttribute : uint32_t { kNormDims, kNormEps, kNormAttributes };

inline void need_eps(double eps) {
  if (eps >= 0 && std::isfinite(eps)) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "eps must be a number of 0 or more", "eps",
                     "0 <= eps < inf", std::to_string(eps)};
}

// The shape W of a row; x is operand `input`.
inline std::span<const int64_t> row_shape(const sdk::Args& args, uint32_t input) {
  need_eps(args.attrs.real(kNormEps));
  const std::span<const int64_t> shape = args.shape(input);
  const int64_t dims = args.attrs.integer(kNormDims);
  if (dims < 1 || dims > static_cast<int64_t>(shape.size())) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       "dims must name at least one and at most all dimensions of x",
                       "dims",
                       "1 to " + std::to_string(shape.size()) + " for x " + sdk::shape_text(shape),
                       std::to_string(dims),
                       "dims is how many of the last dimensions are normalised together"};
  }
  return shape.last(static_cast<size_t>(dims));
}

// An operand that may be absent and else has the shape of a row.
inline void need_row(const sdk::Args& args, uint32_t input, const char* operand,
                     std::span<const int64_t> row) {
  if (!args.given(input) || std::ranges::equal(args.shape(input), row)) return;
  throw sdk::Failure{TENON_E_SHAPE,
                     std::string(operand) + " must have the shape of the normalised dimensions",
                     operand, sdk::shape_text(row), sdk::shape_text(args.shape(input))};
}

inline void need_same_shape(const sdk::Args& args) {
  if (std::ranges::equal(args.shape(0), args.shape(1))) return;
  throw sdk::Failure{TENON_E_SHAPE, "dy must have the shape of x", "dy",
                     sdk::shape_text(args.shape(1)), sdk::shape_text(args.shape(0))};
}

// A composition's operands and results as rows, in f64, which holds the squares of all narrower
// floats.
class NormRows {
 public:
  NormRows(sdk::Compose& calls, uint32_t x)
      : calls_(calls), meta_(calls.meta(calls.in(x).tensor())) {
    const auto dims = static_cast<size_t>(calls.attrs.integer(kNormDims));
    columns_ = sdk::count_of(row());
    matrix_.push(sdk::count_of(shape_of(meta_).first(shape_of(meta_).size() - dims)));
    matrix_.push(columns_);
  }

  sdk::Value matrix(uint32_t input) { return reshape(calls_, as_f64(input), matrix_); }
  // x times the operand `input` of the shape of a row, or plus it; just x where it is absent.
  sdk::Value combined(std::string_view op, sdk::Value x, uint32_t input) {
    if (calls_.in(input).is_none()) return x;
    const Dims line(std::span(&columns_, 1));
    return calls_.call(op, {x, reshape(calls_, as_f64(input), line)});
  }
  // Over each row, [R,1].
  tenon_tensor* mean(sdk::Value x) {
    constexpr int64_t columns = 1;
    return calls_.call("tenon.mean", {x}, {Dims(std::span(&columns, 1)).value(), true});
  }
  // x - mean(x) of each row. The mean is rounded, so what is left of it is taken off once more.
  sdk::Value centred(sdk::Value x) {
    for (int pass = 0; pass < 2; ++pass) x = calls_.call("tenon.sub", {x, mean(x)});
    return x;
  }
  // x / sqrt(mean(x^2) + eps) of each row, where `scale` is given 1 / sqrt(mean(x^2) + eps).
  tenon_tensor* normalised(sdk::Value x, sdk::Value& scale) {
    tenon_tensor* squares = mean(calls_.call("tenon.mul", {x, x}));
    tenon_tensor* shifted = calls_.call("tenon.add", {squares, calls_.attrs.real(kNormEps)});
    scale = calls_.call("tenon.div", {1.0, calls_.call("tenon.sqrt", {shifted})});
    return calls_.call("tenon.mul", {x, scale});
  }

  void set(uint32_t output, sdk::Value y) {
    calls_.set(output, rounded_to(calls_, reshape(calls_, y, Dims(meta_)), meta_.dtype));
  }
  // The sum over all rows.
  void set_sum(uint32_t output, sdk::Value y) {
    constexpr int64_t rows = 0;
    tenon_tensor* total = calls_.call("tenon.sum", {y}, {Dims(std::span(&rows, 1)).value()});
    calls_.set(output, rounded_to(calls_, reshape(calls_, total, Dims(row())), meta_.dtype));
  }

 private:
  std::span<const int64_t> row() const {
    return shape_of(meta_).last(static_cast<size_t>(calls_.attrs.integer(kNormDims)));
  }

  sdk::Value as_f64(uint32_t input) { return as(calls_, calls_.in(input), TENON_DTYPE_F64); }

  sdk::Compose& calls_;
  tenon_meta meta_;
  Dims matrix_;
  int64_t columns_ = 1;
};

}  // namespace tenon::rules
