// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/reduction.hpp: what all losses share: operands in the dtype of the arithmetic,
// and the attribute `reduction`.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "rules.hpp"

namespace tenon::loss {

enum class Reduction : uint8_t { None, Mean, Sum, BatchMean };

// `batches`: does the loss also know the mean over the first dimension?
inline Reduction reduction_of(std::string_view word, bool batches = false) {
  if (word == "mean") return Reduction::Mean;
  if (word == "sum") return Reduction::Sum;
  if (word == "none") return Reduction::None;
  if (batches && word == "batchmean") return Reduction::BatchMean;
  throw sdk::Failure{
      TENON_E_ATTRIBUTE, "reduction names no way to reduce a loss", "reduction",
      batches ? "\"none\", \"mean\", \"sum\" or \"batchmean\"" : "\"none\", \"mean\" or \"sum\"",
      "\"" + std::string(word) + "\""};
}
inline Reduction reduction_of(const tenon_value& word) {
  return reduction_of(std::string_view(word.as.string, word.count));
}

// A positive number, or 0 if that is allowed too.
inline void need_positive(const sdk::Attrs& attrs, uint32_t attribute, const char* name,
                          bool or_zero) {
  const double value = attrs.real(attribute);
  if ((value > 0 || (or_zero && value == 0)) && value <= std::numeric_limits<double>::max()) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE,
                     std::string(name) + (or_zero ? " is negative or no finite number"
                                                  : " is not a finite number above 0"),
                     name, or_zero ? "a finite number, 0 or more" : "a finite number above 0",
                     std::to_string(value)};
}

// The shape of the loss, of which `terms` is the shape before the reduction.
inline void set_loss_shape(tenon_meta& out, Reduction reduction, std::span<const int64_t> terms) {
  sdk::set_shape(out, reduction == Reduction::None ? terms : std::span<const int64_t>());
}

// The shape of the terms of x and target. If both would be repeated to meet, as [4,1] and [4] would
// to [4,4], a sum or a mean of the terms is a number that says nothing of it: it is refused.
inline rules::Dims terms_shape(const sdk::Args& args, Reduction reduction) {
  const rules::Dims terms = rules::common_shape(args.shape(0), args.shape(1), "x", "target");
  if (reduction == Reduction::None || std::ranges::equal(terms.span(), args.shape(0)) ||
      std::ranges::equal(terms.span(), args.shape(1))) {
    return terms;
  }
  throw sdk::Failure{TENON_E_SHAPE, "x and target would both be repeated to meet", "target",
                     "the shape of x, " + sdk::shape_text(args.shape(0)) +
                         ", or one of the two that broadcasts to the other",
                     sdk::shape_text(args.shape(1))};
}

// The dtype in which operands have met; numbers alone are an f32.
inline tenon_dtype dtype_of(sdk::Calls& calls, std::initializer_list<sdk::Value> operands) {
  for (const sdk::Value& operand : operands) {
    if (operand.is_tensor()) return calls.meta(operand.tensor()).dtype;
  }
  return TENON_DTYPE_F32;
}

inline tenon_dtype wide_dtype(tenon_dtype dtype) {
  return rules::is_16_bit_float(dtype) ? TENON_DTYPE_F32 : dtype;
}

// An operand in the dtype of the arithmetic. A number is rounded to the operands' dtype first, as a
// kernel would get it.
inline tenon_tensor* operand_as(sdk::Calls& calls, sdk::Value x, tenon_dtype dtype,
                                tenon_dtype computed) {
  tenon_tensor* tensor = x.tensor();
  if (tensor == nullptr) {
    const rules::Dims none;
    tensor = calls.call("tenon.full", {}, {none.value(), x, sdk::Value::dtype(dtype)});
  }
  return rules::as(calls, tensor, computed).tensor();
}
inline tenon_tensor* wide_operand(sdk::Calls& calls, sdk::Value x, tenon_dtype dtype) {
  return operand_as(calls, x, dtype, wide_dtype(dtype));
}

// The loss from its terms.
inline tenon_tensor* reduced(sdk::Calls& calls, tenon_tensor* terms, Reduction reduction) {
  if (reduction == Reduction::None) return terms;
  if (reduction == Reduction::Mean) return calls.call("tenon.mean", {terms});
  tenon_tensor* sum = calls.call("tenon.sum", {terms});
  const tenon_meta meta = calls.meta(terms);
  if (reduction == Reduction::Sum || meta.rank == 0) return sum;
  return calls.call("tenon.div", {sum, static_cast<double>(meta.shape[0])});
}

// The gradient of each term, for a loss of `count` terms; it broadcasts with them.
inline tenon_tensor* term_gradient(sdk::Vjp& v, Reduction reduction, int64_t count,
                                   tenon_dtype dtype) {
  tenon_tensor* dy = wide_operand(v, v.dy(), dtype);
  if (reduction != Reduction::Mean) return dy;
  return v.call("tenon.div", {dy, static_cast<double>(count)});
}

// Sets a gradient in the dtype of its operand.
inline void set_rounded_grad(sdk::Vjp& v, uint32_t input, tenon_tensor* gradient,
                             tenon_dtype dtype) {
  v.grad(input, rules::as(v, gradient, dtype));
}

}  // namespace tenon::loss
