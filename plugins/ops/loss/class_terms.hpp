// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/class_terms.hpp: what the losses of classes share: the term of each target, and
// what it counts in the mean.
#pragma once

#include "loss/reduction.hpp"

namespace tenon::loss {

// Operands: x with one size for each class along `axis`, `target` without that axis, one weight for
// each class or none.
struct ClassLoss {
  tenon_tensor* log_probabilities;
  tenon_tensor* target;
  tenon_tensor* weight;
  int64_t ignore_index;
  int64_t axis;
};

struct ClassTerms {
  tenon_tensor* terms;    // 0 where the target is ignored
  tenon_tensor* counts;   // the weight of the target's class, 1 without weights, 0 if ignored
  tenon_tensor* ignored;  // bool
};

inline void need_classes(const sdk::Args& args, std::span<const int64_t> x, size_t axis,
                         const char* operand) {
  if (x[axis] == 0) {
    throw sdk::Failure{TENON_E_SHAPE, std::string(operand) + " has no classes", operand,
                       "1 or more along axis " + std::to_string(axis), sdk::shape_text(x)};
  }
  if (!args.given(2)) return;
  const std::span<const int64_t> weight = args.shape(2);
  if (weight.size() == 1 && weight[0] == x[axis]) return;
  throw sdk::Failure{TENON_E_SHAPE, "weight must have one number for each class", "weight",
                     sdk::shape_text(x.subspan(axis, 1)), sdk::shape_text(weight)};
}

// The gather of x at the classes, which refuses what is not a class; in words of the loss.
inline tenon_tensor* gathered(sdk::Calls& calls, tenon_tensor* x, tenon_tensor* places,
                              int64_t axis) {
  try {
    return calls.call("tenon.gather", {x, places}, {axis});
  } catch (const sdk::HostFailed& failed) {
    if (failed.status != TENON_E_DATA) throw;
    const int64_t classes = calls.meta(x).shape[axis];
    throw sdk::Failure{
        TENON_E_DATA, "target holds a number that is not a class and not ignore_index",
        "target",     "0 <= class < " + std::to_string(classes) + ", or ignore_index",
        "",           "the cause says where, and which number"};
  }
}

// Elements of x, or of one line of numbers, at the classes.
inline tenon_tensor* at_classes(sdk::Calls& calls, tenon_tensor* x, tenon_tensor* classes,
                                int64_t axis) {
  const rules::Dims shape(calls.meta(classes));
  const bool line = calls.meta(x).rank == 1;
  rules::Dims places;
  if (line) places.push(sdk::count_of(shape.span()));
  for (size_t d = 0; !line && d <= shape.count(); ++d) {
    if (d == static_cast<size_t>(axis)) places.push(1);
    if (d < shape.count()) places.push(shape[d]);
  }
  tenon_tensor* indices = rules::reshape(calls, classes, places);
  tenon_tensor* picked = gathered(calls, x, indices, line ? 0 : axis);
  return rules::reshape(calls, picked, shape);
}

// What is ignored has class 0 and is replaced after each step, so that no NaN of its row, nor one
// in its gradient, gets anywhere.
inline ClassTerms class_terms(sdk::Calls& calls, const ClassLoss& loss) {
  tenon_tensor* ignored = calls.call("tenon.eq", {loss.target, loss.ignore_index});
  tenon_tensor* classes = calls.call("tenon.where", {ignored, 0, loss.target});
  tenon_tensor* picked = at_classes(calls, loss.log_probabilities, classes, loss.axis);
  tenon_tensor* terms = calls.call("tenon.where", {ignored, 0, calls.call("tenon.neg", {picked})});
  if (loss.weight == nullptr) {
    tenon_tensor* counted = calls.call("tenon.logical_not", {ignored});
    const sdk::Value dtype = sdk::Value::dtype(calls.meta(terms).dtype);
    return {terms, calls.call("tenon.cast", {counted}, {dtype}), ignored};
  }
  tenon_tensor* counts =
      calls.call("tenon.where", {ignored, 0, at_classes(calls, loss.weight, classes, loss.axis)});
  return {calls.call("tenon.mul", {counts, terms}), counts, ignored};
}

}  // namespace tenon::loss
