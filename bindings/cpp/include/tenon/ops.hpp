// SPDX-License-Identifier: Apache-2.0
// tenon/ops.hpp: a function for each op of the vendor `tenon`.
// Written by bindings/cpp/tools/headers.py from the registry: change what it describes instead.
// clang-format off
#ifndef TENON_OPS_HPP
#define TENON_OPS_HPP

#include <tenon/cpp/call.hpp>

#include <limits>

namespace tenon {
static_assert(278 <= detail::kMaxOps);

/// The absolute value: `y = |x|`. Op tenon.abs.
inline Tensor abs(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({0, 1, "tenon.abs"}, inputs, 1, nullptr, 0, into);
}

/// The angle in radians, from 0 to pi, whose cosine is `x`. Op tenon.acos.
inline Tensor acos(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({1, 1, "tenon.acos"}, inputs, 1, nullptr, 0, into);
}

/// The number from 0 on whose hyperbolic cosine is `x`: `y = ln(x + sqrt(x^2 - 1))`. Op
/// tenon.acosh.
inline Tensor acosh(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({2, 1, "tenon.acosh"}, inputs, 1, nullptr, 0, into);
}

struct AdadeltaRowsOptions {
  double rho = 0.9;
  double eps = 1e-06;
  double weight_decay = 0.0;
};
/// One step of `tenon.adadelta_step` on the given rows of each parameter alone. Op
/// tenon.adadelta_rows.
inline void adadelta_rows(
    const Tensors& params, const Tensors& indices, const Tensors& values, const Tensors& square_avg,
    const Tensors& acc_delta, const Tensors& step, const Operand& lr,
    const AdadeltaRowsOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(indices), detail::value(values), detail::value(square_avg),
    detail::value(acc_delta), detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.rho), detail::value(options.eps), detail::value(options.weight_decay)};
  detail::call_all<0>({3, 1, "tenon.adadelta_rows"}, inputs, 7, attributes, 3);
}

struct AdadeltaStepOptions {
  double rho = 0.9;
  double eps = 1e-06;
  double weight_decay = 0.0;
};
/// One step of Adadelta on each parameter, in place. Op tenon.adadelta_step.
inline void adadelta_step(
    const Tensors& params, const Tensors& grads, const Tensors& square_avg,
    const Tensors& acc_delta, const Tensors& step, const Operand& lr,
    const AdadeltaStepOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(grads), detail::value(square_avg),
    detail::value(acc_delta), detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.rho), detail::value(options.eps), detail::value(options.weight_decay)};
  detail::call_all<0>({4, 1, "tenon.adadelta_step"}, inputs, 6, attributes, 3);
}

struct AdafactorStepOptions {
  double beta2_decay = -0.8;
  double eps1 = 0.0;
  double eps2 = 0.001;
  double clip_threshold = 1.0;
  double weight_decay = 0.0;
};
/// One step of Adafactor on each parameter, in place. Op tenon.adafactor_step.
inline void adafactor_step(
    const Tensors& params, const Tensors& grads, const Tensors& row_var, const Tensors& col_var,
    const Tensors& step, const Operand& lr, const AdafactorStepOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(grads), detail::value(row_var), detail::value(col_var),
    detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.beta2_decay), detail::value(options.eps1), detail::value(options.eps2),
    detail::value(options.clip_threshold), detail::value(options.weight_decay)};
  detail::call_all<0>({5, 1, "tenon.adafactor_step"}, inputs, 6, attributes, 5);
}

struct AdagradRowsOptions {
  double lr_decay = 0.0;
  double weight_decay = 0.0;
  double eps = 1e-10;
};
/// One step of `tenon.adagrad_step` on the given rows of each parameter alone. Op
/// tenon.adagrad_rows.
inline void adagrad_rows(
    const Tensors& params, const Tensors& indices, const Tensors& values, const Tensors& sum,
    const Tensors& step, const Operand& lr, const AdagradRowsOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(indices), detail::value(values), detail::value(sum),
    detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.lr_decay), detail::value(options.weight_decay), detail::value(options.eps)
    };
  detail::call_all<0>({6, 1, "tenon.adagrad_rows"}, inputs, 6, attributes, 3);
}

struct AdagradStepOptions {
  double lr_decay = 0.0;
  double weight_decay = 0.0;
  double eps = 1e-10;
};
/// One step of Adagrad on each parameter, in place. Op tenon.adagrad_step.
inline void adagrad_step(
    const Tensors& params, const Tensors& grads, const Tensors& sum, const Tensors& step,
    const Operand& lr, const AdagradStepOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(grads), detail::value(sum), detail::value(step),
    detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.lr_decay), detail::value(options.weight_decay), detail::value(options.eps)
    };
  detail::call_all<0>({7, 1, "tenon.adagrad_step"}, inputs, 5, attributes, 3);
}

struct AdamRowsOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-08;
  double weight_decay = 0.0;
};
/// One step of `tenon.adam_step` on the given rows of each parameter alone. Op tenon.adam_rows.
inline void adam_rows(
    const Tensors& params, const Tensors& indices, const Tensors& values, const Tensors& exp_avg,
    const Tensors& exp_avg_sq, const Tensors& step, const Operand& lr,
    const AdamRowsOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(indices), detail::value(values), detail::value(exp_avg),
    detail::value(exp_avg_sq), detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.beta1), detail::value(options.beta2), detail::value(options.eps),
    detail::value(options.weight_decay)};
  detail::call_all<0>({8, 1, "tenon.adam_rows"}, inputs, 7, attributes, 4);
}

struct AdamStepOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-08;
  double weight_decay = 0.0;
};
/// One step of Adam on each parameter, in place. Op tenon.adam_step.
inline void adam_step(
    const Tensors& params, const Tensors& grads, const Tensors& exp_avg, const Tensors& exp_avg_sq,
    const Tensors& step, const Operand& lr, const AdamStepOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(grads), detail::value(exp_avg), detail::value(exp_avg_sq),
    detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.beta1), detail::value(options.beta2), detail::value(options.eps),
    detail::value(options.weight_decay)};
  detail::call_all<0>({9, 1, "tenon.adam_step"}, inputs, 6, attributes, 4);
}

struct AdamwRowsOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-08;
  double weight_decay = 0.01;
};
/// One step of `tenon.adamw_step` on the given rows of each parameter alone. Op tenon.adamw_rows.
inline void adamw_rows(
    const Tensors& params, const Tensors& indices, const Tensors& values, const Tensors& exp_avg,
    const Tensors& exp_avg_sq, const Tensors& step, const Operand& lr,
    const AdamwRowsOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(indices), detail::value(values), detail::value(exp_avg),
    detail::value(exp_avg_sq), detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.beta1), detail::value(options.beta2), detail::value(options.eps),
    detail::value(options.weight_decay)};
  detail::call_all<0>({10, 1, "tenon.adamw_rows"}, inputs, 7, attributes, 4);
}

struct AdamwStepOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-08;
  double weight_decay = 0.01;
};
/// One step of AdamW on each parameter, in place. Op tenon.adamw_step.
inline void adamw_step(
    const Tensors& params, const Tensors& grads, const Tensors& exp_avg, const Tensors& exp_avg_sq,
    const Tensors& step, const Operand& lr, const AdamwStepOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(grads), detail::value(exp_avg), detail::value(exp_avg_sq),
    detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.beta1), detail::value(options.beta2), detail::value(options.eps),
    detail::value(options.weight_decay)};
  detail::call_all<0>({11, 1, "tenon.adamw_step"}, inputs, 6, attributes, 4);
}

struct AdaptiveAvgPoolOptions {
  RequiredInts size;
};
/// Averages an image of 1 to 3 dimensions down to `size`, which is one number for all of them or
/// one for each: along a dimension of `n` places that becomes `m`, number `i` of the result
/// averages over the places from `floor(i * n / m)` to `ceil((i + 1) * n / m) - 1`. Op
/// tenon.adaptive_avg_pool.
inline Tensor adaptive_avg_pool(
    const Tensor& x, const AdaptiveAvgPoolOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.size)};
  return detail::call({12, 1, "tenon.adaptive_avg_pool"}, inputs, 1, attributes, 1, into);
}

struct AdaptiveAvgPoolGradOptions {
  RequiredInts size;
};
/// Zeros of the shape `[N, C, size...]`, to which each number of `dy`, divided by how many places
/// `tenon.adaptive_avg_pool` averages to it, is added at each of these places. Op
/// tenon.adaptive_avg_pool_grad.
inline Tensor adaptive_avg_pool_grad(
    const Tensor& dy, const AdaptiveAvgPoolGradOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy)};
  const tenon_value attributes[] = {detail::value(options.size)};
  return detail::call({13, 1, "tenon.adaptive_avg_pool_grad"}, inputs, 1, attributes, 1, into);
}

/// The sum: `y = a + b`. Op tenon.add.
inline Tensor add(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({14, 1, "tenon.add"}, inputs, 2, nullptr, 0, into);
}

struct AddcdivOptions {
  double value = 1.0;
};
/// Adds a scaled quotient: `y = x + value * a / b`. Op tenon.addcdiv.
inline Tensor addcdiv(
    const Operand& x, const Operand& a, const Operand& b, const AddcdivOptions& options = {},
    Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(a), detail::value(b)};
  const tenon_value attributes[] = {detail::value(options.value)};
  return detail::call({15, 1, "tenon.addcdiv"}, inputs, 3, attributes, 1, into);
}

struct AddcmulOptions {
  Number value = 1;
};
/// Adds a scaled product: `y = x + value * a * b`. Op tenon.addcmul.
inline Tensor addcmul(
    const Operand& x, const Operand& a, const Operand& b, const AddcmulOptions& options = {},
    Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(a), detail::value(b)};
  const tenon_value attributes[] = {detail::value(options.value)};
  return detail::call({16, 1, "tenon.addcmul"}, inputs, 3, attributes, 1, into);
}

struct AlibiBiasOptions {
  Required<std::int64_t> heads;
  Required<std::int64_t> queries;
  Required<std::int64_t> keys;
  std::int64_t offset = 0;
  Dtype dtype = float32;
};
/// Attention with linear biases: what is added to the scores of query `i`, which stands at `i +
/// offset`, and key `j`: `y[h,i,j] = -slope_h * |i + offset - j|`. Op tenon.alibi_bias.
inline Tensor alibi_bias(const AlibiBiasOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.heads), detail::value(options.queries), detail::value(options.keys),
    detail::value(options.offset), detail::value(options.dtype)};
  return detail::call({17, 1, "tenon.alibi_bias"}, nullptr, 0, attributes, 5, into);
}

struct AllOptions {
  OptionalInts axes = {};
  bool keepdims = false;
};
/// Whether every element over `axes` is true (none: all axes; an empty list: no axis, so that each
/// element is asked by itself). Op tenon.all.
inline Tensor all(const Tensor& x, const AllOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes), detail::value(options.keepdims)};
  return detail::call({18, 1, "tenon.all"}, inputs, 1, attributes, 2, into);
}

struct AllGatherOptions {
  std::int64_t group = 0;
};
/// The `x` of every process of a group, stacked: row `r` of `y` [n, ...] is that of rank `r`. Op
/// tenon.all_gather.
inline Tensor all_gather(const Tensor& x, const AllGatherOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.group)};
  return detail::call({19, 1, "tenon.all_gather"}, inputs, 1, attributes, 1, into);
}

struct AllReduceOptions {
  std::int64_t group = 0;
  std::string_view reduction = "sum";
};
/// The sum, mean or maximum of `x` over the processes of a group, the same in all of them:
/// `reduction` is "sum", "mean" (of floats) or "max" (NaN if there is one). Op tenon.all_reduce.
inline Tensor all_reduce(const Tensor& x, const AllReduceOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.group), detail::value(options.reduction)};
  return detail::call({20, 1, "tenon.all_reduce"}, inputs, 1, attributes, 2, into);
}

struct AllReduceListOptions {
  Required<std::int64_t> group;
};
/// Each tensor of `x` becomes its sum over the processes of a group, in one transfer: a bucket of
/// gradients. Op tenon.all_reduce_list.
inline void all_reduce_list(const Tensors& x, const AllReduceListOptions& options) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.group)};
  detail::call_all<0>({21, 1, "tenon.all_reduce_list"}, inputs, 1, attributes, 1);
}

struct AllReduceSumOptions {
  std::int64_t group = 0;
  std::string_view reduction = "sum";
};
/// The sum of `x` over the processes of a group, the same in all of them: what `tenon.all_reduce`
/// is made of. Op tenon.all_reduce_sum.
inline Tensor all_reduce_sum(
    const Tensor& x, const AllReduceSumOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.group), detail::value(options.reduction)};
  return detail::call({22, 1, "tenon.all_reduce_sum"}, inputs, 1, attributes, 2, into);
}

struct AllToAllOptions {
  std::int64_t group = 0;
};
/// What the others have for us: `x` [n, ...] has a row for each process of a group, and row `r` of
/// `y` [n, ...] is our row of the `x` of rank `r`. Op tenon.all_to_all.
inline Tensor all_to_all(const Tensor& x, const AllToAllOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.group)};
  return detail::call({23, 1, "tenon.all_to_all"}, inputs, 1, attributes, 1, into);
}

struct AnyOptions {
  OptionalInts axes = {};
  bool keepdims = false;
};
/// Whether any element over `axes` is true (none: all axes; an empty list: no axis, so that each
/// element is asked by itself). Op tenon.any.
inline Tensor any(const Tensor& x, const AnyOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes), detail::value(options.keepdims)};
  return detail::call({24, 1, "tenon.any"}, inputs, 1, attributes, 2, into);
}

struct ArangeOptions {
  Number start = 0;
  Required<Number> stop;
  Number step = 1;
  Required<Dtype> dtype;
};
/// The numbers `start`, `start + step`, `start + 2 step`, ... that lie before `stop`, which is left
/// out: `ceil((stop - start) / step)` of them, and none where `step` leads away from `stop`. Op
/// tenon.arange.
inline Tensor arange(const ArangeOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.start), detail::value(options.stop), detail::value(options.step),
    detail::value(options.dtype)};
  return detail::call({25, 1, "tenon.arange"}, nullptr, 0, attributes, 4, into);
}

struct ArgmaxOptions {
  std::optional<std::int64_t> axis = {};
  bool keepdims = false;
};
/// The index of the largest element along `axis`; without an axis, of the tensor read in row-major
/// order. Op tenon.argmax.
inline Tensor argmax(const Tensor& x, const ArgmaxOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axis), detail::value(options.keepdims)};
  return detail::call({26, 1, "tenon.argmax"}, inputs, 1, attributes, 2, into);
}

struct ArgminOptions {
  std::optional<std::int64_t> axis = {};
  bool keepdims = false;
};
/// The index of the smallest element along `axis`; without an axis, of the tensor read in row-major
/// order. Op tenon.argmin.
inline Tensor argmin(const Tensor& x, const ArgminOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axis), detail::value(options.keepdims)};
  return detail::call({27, 1, "tenon.argmin"}, inputs, 1, attributes, 2, into);
}

struct ArgsortOptions {
  std::int64_t axis = -1;
  bool descending = false;
  bool stable = true;
};
/// The second output of `tenon.sort`: the indices along `axis` at which the elements of a line are
/// found in ascending (`descending`: descending) order. Op tenon.argsort.
inline Tensor argsort(const Tensor& x, const ArgsortOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axis), detail::value(options.descending), detail::value(options.stable)};
  return detail::call({28, 1, "tenon.argsort"}, inputs, 1, attributes, 3, into);
}

/// The angle in radians, from -pi/2 to pi/2, whose sine is `x`. Op tenon.asin.
inline Tensor asin(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({29, 1, "tenon.asin"}, inputs, 1, nullptr, 0, into);
}

/// The number whose hyperbolic sine is `x`: `y = ln(x + sqrt(x^2 + 1))`. Op tenon.asinh.
inline Tensor asinh(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({30, 1, "tenon.asinh"}, inputs, 1, nullptr, 0, into);
}

/// The angle in radians, from -pi/2 to pi/2, whose tangent is `x`. Op tenon.atan.
inline Tensor atan(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({31, 1, "tenon.atan"}, inputs, 1, nullptr, 0, into);
}

/// The angle of the point `(x, y)` seen from the origin, in radians from -pi to pi, counted from
/// the positive x axis: the arc tangent of `y / x`, in the quadrant that both signs say. Op
/// tenon.atan2.
inline Tensor atan2(const Operand& y, const Operand& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(y), detail::value(x)};
  return detail::call({32, 1, "tenon.atan2"}, inputs, 2, nullptr, 0, into);
}

/// The number whose hyperbolic tangent is `x`: `y = ln((1 + x) / (1 - x)) / 2`. Op tenon.atanh.
inline Tensor atanh(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({33, 1, "tenon.atanh"}, inputs, 1, nullptr, 0, into);
}

struct AttentionOptions {
  Operand mask = {};
  Operand bias = {};
  Operand lengths = {};
  Operand start = {};
  bool causal = false;
  std::int64_t window = 0;
  std::optional<double> scale = {};
  double soft_cap = 0.0;
};
/// Scaled dot-product attention: `y[b,h,i] = sum_j w[b,h,i,j] v[b,g,j]`. Op tenon.attention.
inline Tensor attention(
    const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options = {},
    Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(q), detail::value(k), detail::value(v), detail::value(options.mask),
    detail::value(options.bias), detail::value(options.lengths), detail::value(options.start)};
  const tenon_value attributes[] = {
    detail::value(options.causal), detail::value(options.window), detail::value(options.scale),
    detail::value(options.soft_cap)};
  return detail::call({34, 1, "tenon.attention"}, inputs, 7, attributes, 4, into);
}

struct AttentionGradOptions {
  Operand mask = {};
  Operand bias = {};
  Operand lengths = {};
  Operand start = {};
  bool causal = false;
  std::int64_t window = 0;
  std::optional<double> scale = {};
  double soft_cap = 0.0;
};
/// The gradients of `tenon.attention`: `y` is that of `q`, the aux outputs are those of `k` and
/// `v`. Op tenon.attention_grad.
inline Tensor attention_grad(
    const Tensor& dy, const Tensor& q, const Tensor& k, const Tensor& v,
    const AttentionGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(dy), detail::value(q), detail::value(k), detail::value(v),
    detail::value(options.mask), detail::value(options.bias), detail::value(options.lengths),
    detail::value(options.start)};
  const tenon_value attributes[] = {
    detail::value(options.causal), detail::value(options.window), detail::value(options.scale),
    detail::value(options.soft_cap)};
  return detail::call({35, 1, "tenon.attention_grad"}, inputs, 8, attributes, 4, into);
}

struct AttentionMaskOptions {
  Operand lengths = {};
  Operand start = {};
  Required<std::int64_t> queries;
  Required<std::int64_t> keys;
  bool causal = false;
  std::int64_t window = 0;
};
/// Which of `keys` keys each of `queries` queries of a sequence sees, as `tenon.attention` decides
/// it: `[B,1,queries,keys]`, with B the length of `lengths` or `start`, 1 without both. Op
/// tenon.attention_mask.
inline Tensor attention_mask(const AttentionMaskOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(options.lengths), detail::value(options.start)};
  const tenon_value attributes[] = {
    detail::value(options.queries), detail::value(options.keys), detail::value(options.causal),
    detail::value(options.window)};
  return detail::call({36, 1, "tenon.attention_mask"}, inputs, 2, attributes, 4, into);
}

struct AttentionWeightsOptions {
  Operand mask = {};
  Operand bias = {};
  Operand lengths = {};
  Operand start = {};
  bool causal = false;
  std::int64_t window = 0;
  std::optional<double> scale = {};
  double soft_cap = 0.0;
};
/// How much each query attends to each key: `y[b,h,i,j]`, the softmax over the keys `j` that query
/// `i` sees of `s = scale * sum_d q[b,h,i,d] k[b,g,j,d]`, where head `h` of `q` reads head `g = h /
/// (H/G)` of `k`. Op tenon.attention_weights.
inline Tensor attention_weights(
    const Tensor& q, const Tensor& k, const AttentionWeightsOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(q), detail::value(k), detail::value(options.mask), detail::value(options.bias),
    detail::value(options.lengths), detail::value(options.start)};
  const tenon_value attributes[] = {
    detail::value(options.causal), detail::value(options.window), detail::value(options.scale),
    detail::value(options.soft_cap)};
  return detail::call({37, 1, "tenon.attention_weights"}, inputs, 6, attributes, 4, into);
}

struct AvgPoolOptions {
  RequiredInts kernel;
  OptionalInts stride = {};
  Ints padding = {0};
  bool ceil_mode = false;
  bool count_include_pad = true;
  std::string_view auto_pad = "none";
};
/// The average of each window that slides over an image of 1 to 3 dimensions: `y[n,c,w] = (sum over
/// t of x[n, c, w * stride - before + t]) / count`, along each of these dimensions, over the taps
/// `t` from 0 to `kernel - 1` whose place lies in the image. Op tenon.avg_pool.
inline Tensor avg_pool(const Tensor& x, const AvgPoolOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.kernel), detail::value(options.stride), detail::value(options.padding),
    detail::value(options.ceil_mode), detail::value(options.count_include_pad),
    detail::value(options.auto_pad)};
  return detail::call({38, 1, "tenon.avg_pool"}, inputs, 1, attributes, 6, into);
}

struct AvgPoolGradOptions {
  RequiredInts size;
  RequiredInts kernel;
  OptionalInts stride = {};
  Ints padding = {0};
  bool ceil_mode = false;
  bool count_include_pad = true;
  std::string_view auto_pad = "none";
};
/// Zeros of the shape `[N, C, size...]`, to which each number of `dy`, divided by the count of its
/// window, is added at every place of that window. Op tenon.avg_pool_grad.
inline Tensor avg_pool_grad(const Tensor& dy, const AvgPoolGradOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy)};
  const tenon_value attributes[] = {
    detail::value(options.size), detail::value(options.kernel), detail::value(options.stride),
    detail::value(options.padding), detail::value(options.ceil_mode),
    detail::value(options.count_include_pad), detail::value(options.auto_pad)};
  return detail::call({39, 1, "tenon.avg_pool_grad"}, inputs, 1, attributes, 7, into);
}

struct BatchNormOptions {
  Operand weight = {};
  Operand bias = {};
  Operand mean = {};
  Operand variance = {};
  double eps = 1e-05;
};
/// Normalises each channel of `x`, which its second dimension counts: `y = (x - m) * s * weight +
/// bias`, with `s = 1 / sqrt(v + eps)`. Op tenon.batch_norm.
inline Tensor batch_norm(const Tensor& x, const BatchNormOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(options.weight), detail::value(options.bias),
    detail::value(options.mean), detail::value(options.variance)};
  const tenon_value attributes[] = {detail::value(options.eps)};
  return detail::call({40, 1, "tenon.batch_norm"}, inputs, 5, attributes, 1, into);
}

struct BatchNormGradOptions {
  Operand weight = {};
  Operand mean = {};
  Operand variance = {};
  double eps = 1e-05;
};
/// The gradients of `tenon.batch_norm`. Op tenon.batch_norm_grad.
inline Tensor batch_norm_grad(
    const Tensor& dy, const Tensor& x, const BatchNormGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(dy), detail::value(x), detail::value(options.weight), detail::value(options.mean),
    detail::value(options.variance)};
  const tenon_value attributes[] = {detail::value(options.eps)};
  return detail::call({41, 1, "tenon.batch_norm_grad"}, inputs, 5, attributes, 1, into);
}

/// Ones with the probabilities `p`, else zeros: `y[i] = 1` where `u(i) < p[i]`, else 0, with `u` as
/// in `tenon.uniform`: a multiple of 2^-53 for f64, of 2^-24 for the others, so that the
/// probability of a 1 is at most that much above `p`. Op tenon.bernoulli.
inline Tensor bernoulli(const Tensor& p, Into into = {}) {
  const tenon_value inputs[] = {detail::value(p)};
  return detail::call({42, 1, "tenon.bernoulli"}, inputs, 1, nullptr, 0, into);
}

struct BinaryCrossEntropyWithLogitsOptions {
  Operand weight = {};
  Operand pos_weight = {};
  std::string_view reduction = "mean";
};
/// The cross-entropy of answers `target`, from 0 to 1, and of `sigmoid(x)`: `-weight * (pos_weight
/// * target * log(sigmoid(x)) + (1 - target) * log(1 - sigmoid(x)))`, without taking the logarithm
/// of small numbers. Op tenon.binary_cross_entropy_with_logits.
inline Tensor binary_cross_entropy_with_logits(
    const Tensor& x, const Tensor& target, const BinaryCrossEntropyWithLogitsOptions& options = {},
    Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(target), detail::value(options.weight),
    detail::value(options.pos_weight)};
  const tenon_value attributes[] = {detail::value(options.reduction)};
  return detail::call(
      {43, 1, "tenon.binary_cross_entropy_with_logits"}, inputs, 4, attributes, 1, into);
}

/// The and of all bits: `y = a & b`. Op tenon.bitwise_and.
inline Tensor bitwise_and(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({44, 1, "tenon.bitwise_and"}, inputs, 2, nullptr, 0, into);
}

/// Moves the bits of `a` up by `b` places: `y = a * 2^b` modulo 2^bits. Op
/// tenon.bitwise_left_shift.
inline Tensor bitwise_left_shift(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({45, 1, "tenon.bitwise_left_shift"}, inputs, 2, nullptr, 0, into);
}

/// Every bit of an integer turned: `y = -1 - x`, of u8 `255 - x`. Op tenon.bitwise_not.
inline Tensor bitwise_not(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({46, 1, "tenon.bitwise_not"}, inputs, 1, nullptr, 0, into);
}

/// The or of all bits: `y = a | b`. Op tenon.bitwise_or.
inline Tensor bitwise_or(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({47, 1, "tenon.bitwise_or"}, inputs, 2, nullptr, 0, into);
}

/// Moves the bits of `a` down by `b` places: `y = floor(a / 2^b)`. Op tenon.bitwise_right_shift.
inline Tensor bitwise_right_shift(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({48, 1, "tenon.bitwise_right_shift"}, inputs, 2, nullptr, 0, into);
}

/// The exclusive or of all bits: `y = a ^ b`. Op tenon.bitwise_xor.
inline Tensor bitwise_xor(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({49, 1, "tenon.bitwise_xor"}, inputs, 2, nullptr, 0, into);
}

/// The products of two batches of matrices, pair by pair: `y[i] = a[i] b[i]`. Op tenon.bmm.
inline Tensor bmm(const Tensor& a, const Tensor& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({50, 1, "tenon.bmm"}, inputs, 2, nullptr, 0, into);
}

struct BroadcastOptions {
  std::int64_t group = 0;
  std::int64_t root = 0;
};
/// The `x` of rank `root` in every process of a group. Op tenon.broadcast.
inline Tensor broadcast(const Tensor& x, const BroadcastOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.group), detail::value(options.root)};
  return detail::call({51, 1, "tenon.broadcast"}, inputs, 1, attributes, 2, into);
}

struct BroadcastToOptions {
  RequiredInts shape;
};
/// `x` broadcast to `shape`: dimensions of size 1 are repeated, new dimensions are put in front. Op
/// tenon.broadcast_to.
inline Tensor broadcast_to(const Tensor& x, const BroadcastToOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.shape)};
  return detail::call({52, 1, "tenon.broadcast_to"}, inputs, 1, attributes, 1, into);
}

/// Puts the rows of T new positions into a cache that has room for P, in place:
/// `cache[b,...,start[b] + t,:] = rows[b,...,t,:]`. Op tenon.cache_append.
inline void cache_append(const Tensor& cache, const Tensor& rows, const Tensor& start) {
  const tenon_value inputs[] = {detail::value(cache), detail::value(rows), detail::value(start)};
  detail::call_all<0>({53, 1, "tenon.cache_append"}, inputs, 3, nullptr, 0);
}

struct CastOptions {
  Required<Dtype> dtype;
};
/// The values of `x` in another dtype: `y = dtype(x)`. Op tenon.cast.
inline Tensor cast(const Tensor& x, const CastOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.dtype)};
  return detail::call({54, 1, "tenon.cast"}, inputs, 1, attributes, 1, into);
}

/// The least whole number that is not below `x`. Op tenon.ceil.
inline Tensor ceil(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({55, 1, "tenon.ceil"}, inputs, 1, nullptr, 0, into);
}

struct CholeskyOptions {
  bool upper = false;
};
/// The lower triangle `L` with positive diagonal for which `x = L L^T`, for the symmetric positive
/// definite matrices that the last two dimensions hold; with `upper` its transpose. Op
/// tenon.cholesky.
inline Tensor cholesky(const Tensor& x, const CholeskyOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.upper)};
  return detail::call({56, 1, "tenon.cholesky"}, inputs, 1, attributes, 1, into);
}

struct ChunkOptions {
  Required<std::int64_t> chunks;
  Required<std::int64_t> index;
  std::int64_t axis = 0;
};
/// `x` cut along `axis` into `chunks` pieces of one size, `ceil(n / chunks)`, of which the last
/// ones may be smaller or empty: the piece number `index`, where a negative number counts from the
/// last. Op tenon.chunk.
inline Tensor chunk(const Tensor& x, const ChunkOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.chunks), detail::value(options.index), detail::value(options.axis)};
  return detail::call({57, 1, "tenon.chunk"}, inputs, 1, attributes, 3, into);
}

struct ClampOptions {
  Operand min = {};
  Operand max = {};
};
/// Keeps values between two limits: `y = minimum(maximum(x, min), max)`. Op tenon.clamp.
inline Tensor clamp(const Operand& x, const ClampOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(options.min), detail::value(options.max)};
  return detail::call({58, 1, "tenon.clamp"}, inputs, 3, nullptr, 0, into);
}

struct ClipGradNormOptions {
  Required<double> max_norm;
  double norm = 2.0;
  bool each = false;
};
/// Makes gradients shorter, in place, and gives the norm they had together, in their dtype. Op
/// tenon.clip_grad_norm.
inline Tensor clip_grad_norm(
    const Tensors& grads, const ClipGradNormOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(grads)};
  const tenon_value attributes[] = {
    detail::value(options.max_norm), detail::value(options.norm), detail::value(options.each)};
  return detail::call({59, 1, "tenon.clip_grad_norm"}, inputs, 1, attributes, 3, into);
}

/// The cofactors of the square matrices that the last two dimensions hold: element `[i,j]` is
/// `(-1)^(i+j)` times the determinant of the matrix without row `i` and column `j`. Op
/// tenon.cofactors.
inline Tensor cofactors(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({60, 1, "tenon.cofactors"}, inputs, 1, nullptr, 0, into);
}

struct Col2imOptions {
  RequiredInts size;
  RequiredInts kernel;
  Ints stride = {1};
  Ints padding = {0};
  Ints dilation = {1};
  std::string_view auto_pad = "none";
};
/// Zeros of the shape `[N, C, size...]`, to which each column of `x`, `[N, C taps, windows]`, is
/// added at the places of its window; what lies in the padding is left out. Op tenon.col2im.
inline Tensor col2im(const Tensor& x, const Col2imOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.size), detail::value(options.kernel), detail::value(options.stride),
    detail::value(options.padding), detail::value(options.dilation), detail::value(options.auto_pad)
    };
  return detail::call({61, 1, "tenon.col2im"}, inputs, 1, attributes, 6, into);
}

struct ConcatOptions {
  std::int64_t axis = 0;
};
/// The tensors `xs`, one after another along `axis`. Op tenon.concat.
inline Tensor concat(const Tensors& xs, const ConcatOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(xs)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({62, 1, "tenon.concat"}, inputs, 1, attributes, 1, into);
}

struct ConvOptions {
  Operand bias = {};
  Ints stride = {1};
  Ints padding = {0};
  Ints dilation = {1};
  std::int64_t groups = 1;
  std::string_view auto_pad = "none";
};
/// Convolution, or rather correlation, of images [N,C,W], [N,C,H,W] or [N,C,D,H,W]: `y[n,o,p] = sum
/// over c and t of weight[o,c,t] * x[n,c,p * stride - before + t * dilation] + bias[o]`, where `t`
/// goes over the places of a window and `p` over windows. Op tenon.conv.
inline Tensor conv(
    const Tensor& x, const Tensor& weight, const ConvOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(weight), detail::value(options.bias)};
  const tenon_value attributes[] = {
    detail::value(options.stride), detail::value(options.padding), detail::value(options.dilation),
    detail::value(options.groups), detail::value(options.auto_pad)};
  return detail::call({63, 1, "tenon.conv"}, inputs, 3, attributes, 5, into);
}

struct ConvInputGradOptions {
  RequiredInts size;
  Ints stride = {1};
  Ints padding = {0};
  Ints dilation = {1};
  std::int64_t groups = 1;
  std::string_view auto_pad = "none";
};
/// The gradient of `tenon.conv` with respect to its image, and transposed convolution: `dx[n,c,i]`
/// is the sum of `weight[o,c,t] * dy[n,o,p]` over all `o`, `t` and `p` for which `p * stride -
/// before + t * dilation = i`. Op tenon.conv_input_grad.
inline Tensor conv_input_grad(
    const Tensor& dy, const Tensor& weight, const ConvInputGradOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy), detail::value(weight)};
  const tenon_value attributes[] = {
    detail::value(options.size), detail::value(options.stride), detail::value(options.padding),
    detail::value(options.dilation), detail::value(options.groups), detail::value(options.auto_pad)
    };
  return detail::call({64, 1, "tenon.conv_input_grad"}, inputs, 2, attributes, 6, into);
}

struct ConvWeightGradOptions {
  RequiredInts kernel;
  Ints stride = {1};
  Ints padding = {0};
  Ints dilation = {1};
  std::int64_t groups = 1;
  std::string_view auto_pad = "none";
};
/// The gradient of `tenon.conv` with respect to its weight: `y[o,c,t]` is the sum of `dy[n,o,p] *
/// x[n,c,p * stride - before + t * dilation]` over all images `n` and windows `p`, c within the
/// group. Op tenon.conv_weight_grad.
inline Tensor conv_weight_grad(
    const Tensor& dy, const Tensor& x, const ConvWeightGradOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy), detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.kernel), detail::value(options.stride), detail::value(options.padding),
    detail::value(options.dilation), detail::value(options.groups), detail::value(options.auto_pad)
    };
  return detail::call({65, 1, "tenon.conv_weight_grad"}, inputs, 2, attributes, 6, into);
}

/// The same elements in new storage: `y = x`. Op tenon.copy.
inline Tensor copy(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({66, 1, "tenon.copy"}, inputs, 1, nullptr, 0, into);
}

/// The cosine of an angle in radians: `y = cos(x)`. Op tenon.cos.
inline Tensor cos(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({67, 1, "tenon.cos"}, inputs, 1, nullptr, 0, into);
}

/// The hyperbolic cosine: `y = (exp(x) + exp(-x)) / 2`. Op tenon.cosh.
inline Tensor cosh(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({68, 1, "tenon.cosh"}, inputs, 1, nullptr, 0, into);
}

struct CosineEmbeddingLossOptions {
  std::string_view reduction = "mean";
  double margin = 0.0;
};
/// For each pair of vectors `a` and `b` of `[N,D]`, or the one pair of `[D]`, with `cos = sum(a *
/// b) / (sqrt(sum(a * a) + 1e-12) * sqrt(sum(b * b) + 1e-12))`: `1 - cos` where `target` is 1,
/// `max(cos - margin, 0)` where it is -1, and 0 where it is another number. Op
/// tenon.cosine_embedding_loss.
inline Tensor cosine_embedding_loss(
    const Tensor& a, const Tensor& b, const Tensor& target,
    const CosineEmbeddingLossOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b), detail::value(target)};
  const tenon_value attributes[] = {
    detail::value(options.reduction), detail::value(options.margin)};
  return detail::call({69, 1, "tenon.cosine_embedding_loss"}, inputs, 3, attributes, 2, into);
}

struct CosineSimilarityOptions {
  std::int64_t axis = 1;
  double eps = 1e-08;
};
/// The cosine of the angle between the vectors that lie along `axis`: `y = sum(a / max(|a|, eps) *
/// (b / max(|b|, eps)))`, with the lengths `|a|` and `|b|` as in `tenon.norm`. Op
/// tenon.cosine_similarity.
inline Tensor cosine_similarity(
    const Tensor& a, const Tensor& b, const CosineSimilarityOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  const tenon_value attributes[] = {detail::value(options.axis), detail::value(options.eps)};
  return detail::call({70, 1, "tenon.cosine_similarity"}, inputs, 2, attributes, 2, into);
}

struct CountNonzeroOptions {
  OptionalInts axes = {};
  bool keepdims = false;
};
/// How many elements over `axes` are not zero (none: all axes; an empty list: no axis, so that each
/// element is asked by itself). Op tenon.count_nonzero.
inline Tensor count_nonzero(
    const Tensor& x, const CountNonzeroOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes), detail::value(options.keepdims)};
  return detail::call({71, 1, "tenon.count_nonzero"}, inputs, 1, attributes, 2, into);
}

struct CtcLossOptions {
  std::int64_t blank = 0;
  std::string_view reduction = "mean";
  bool zero_infinity = false;
};
/// The connectionist temporal classification loss: the negative logarithm of the probability that
/// frames give a sequence of labels, whichever frame gives which. Op tenon.ctc_loss.
inline Tensor ctc_loss(
    const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
    const Tensor& target_lengths, const CtcLossOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(log_probs), detail::value(targets), detail::value(input_lengths),
    detail::value(target_lengths)};
  const tenon_value attributes[] = {
    detail::value(options.blank), detail::value(options.reduction),
    detail::value(options.zero_infinity)};
  return detail::call({72, 1, "tenon.ctc_loss"}, inputs, 4, attributes, 3, into);
}

struct CtcNllOptions {
  std::int64_t blank = 0;
  bool zero_infinity = false;
};
/// The negative logarithm of the probability of each sequence of labels: `y[b] = -log sum over
/// alignments of exp(sum_t log_probs[t,b,z_t])`, as `tenon.ctc_loss` takes it, which is this op and
/// a reduction. Op tenon.ctc_nll.
inline Tensor ctc_nll(
    const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
    const Tensor& target_lengths, const CtcNllOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(log_probs), detail::value(targets), detail::value(input_lengths),
    detail::value(target_lengths)};
  const tenon_value attributes[] = {
    detail::value(options.blank), detail::value(options.zero_infinity)};
  return detail::call({73, 1, "tenon.ctc_nll"}, inputs, 4, attributes, 2, into);
}

struct CtcNllGradOptions {
  std::int64_t blank = 0;
  bool zero_infinity = false;
};
/// The gradient of `log_probs` in `tenon.ctc_nll`: `y[t,b,c]` is `-dy[b]` times the share of the
/// sequence's alignments, weighed by their probabilities, that emit class `c` in frame `t`. Op
/// tenon.ctc_nll_grad.
inline Tensor ctc_nll_grad(
    const Tensor& dy, const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
    const Tensor& target_lengths, const CtcNllGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(dy), detail::value(log_probs), detail::value(targets),
    detail::value(input_lengths), detail::value(target_lengths)};
  const tenon_value attributes[] = {
    detail::value(options.blank), detail::value(options.zero_infinity)};
  return detail::call({74, 1, "tenon.ctc_nll_grad"}, inputs, 5, attributes, 2, into);
}

struct CummaxResult {
  Tensor values;
  Tensor indices;
};
struct CummaxOptions {
  Required<std::int64_t> axis;
};
/// The largest of all elements up to and with each one along `axis`, and `indices`, where it was.
/// Op tenon.cummax.
inline CummaxResult cummax(const Tensor& x, const CummaxOptions& options) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  auto [output0, output1] = detail::call_all<2>({75, 1, "tenon.cummax"}, inputs, 1, attributes, 1);
  return {std::move(output0), std::move(output1)};
}

struct CumminResult {
  Tensor values;
  Tensor indices;
};
struct CumminOptions {
  Required<std::int64_t> axis;
};
/// The smallest of all elements up to and with each one along `axis`, and `indices`, where it was.
/// Op tenon.cummin.
inline CumminResult cummin(const Tensor& x, const CumminOptions& options) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  auto [output0, output1] = detail::call_all<2>({76, 1, "tenon.cummin"}, inputs, 1, attributes, 1);
  return {std::move(output0), std::move(output1)};
}

struct CumprodOptions {
  Required<std::int64_t> axis;
  bool reverse = false;
  bool exclusive = false;
};
/// The products of all elements up to and with each one along `axis`: `y[i] = x[0] * ... * x[i]`.
/// Op tenon.cumprod.
inline Tensor cumprod(const Tensor& x, const CumprodOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axis), detail::value(options.reverse), detail::value(options.exclusive)};
  return detail::call({77, 1, "tenon.cumprod"}, inputs, 1, attributes, 3, into);
}

struct CumsumOptions {
  Required<std::int64_t> axis;
  bool reverse = false;
  bool exclusive = false;
};
/// The sums of all elements up to and with each one along `axis`: `y[i] = x[0] + ... + x[i]`. Op
/// tenon.cumsum.
inline Tensor cumsum(const Tensor& x, const CumsumOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axis), detail::value(options.reverse), detail::value(options.exclusive)};
  return detail::call({78, 1, "tenon.cumsum"}, inputs, 1, attributes, 3, into);
}

/// The determinants of the square matrices that the last two dimensions hold: the product of the
/// pivots of an elimination with the largest pivot of each column, whose sign each exchange of rows
/// turns. Op tenon.det.
inline Tensor det(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({79, 1, "tenon.det"}, inputs, 1, nullptr, 0, into);
}

struct DiagonalOptions {
  std::int64_t offset = 0;
  std::int64_t axis0 = -2;
  std::int64_t axis1 = -1;
};
/// The diagonals of the matrices that `axis0` and `axis1` of `x` span, by default the last two: the
/// elements whose place along `axis1` is that along `axis0` plus `offset`. Op tenon.diagonal.
inline Tensor diagonal(const Tensor& x, const DiagonalOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.offset), detail::value(options.axis0), detail::value(options.axis1)};
  return detail::call({80, 1, "tenon.diagonal"}, inputs, 1, attributes, 3, into);
}

/// The slope of the logarithm of the gamma function: `y = Gamma'(x) / Gamma(x)`. Op tenon.digamma.
inline Tensor digamma(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({81, 1, "tenon.digamma"}, inputs, 1, nullptr, 0, into);
}

/// The quotient: `y = a / b`. Op tenon.div.
inline Tensor div(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({82, 1, "tenon.div"}, inputs, 2, nullptr, 0, into);
}

/// The inner product of two vectors of one length: `y = sum_n a[n] b[n]`. Op tenon.dot.
inline Tensor dot(const Tensor& a, const Tensor& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({83, 1, "tenon.dot"}, inputs, 2, nullptr, 0, into);
}

struct DropoutOptions {
  double p = 0.5;
};
/// Leaves out each element with the probability `p`, and scales the others so that the mean stays:
/// `y[i] = x[i] * s` where `u(i) >= p`, else 0, with `s = 1 / (1 - p)` and `u` as in an f32
/// `tenon.uniform`. Op tenon.dropout.
inline Tensor dropout(const Tensor& x, const DropoutOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.p)};
  return detail::call({84, 1, "tenon.dropout"}, inputs, 1, attributes, 1, into);
}

struct EighResult {
  Tensor w;
  Tensor v;
};
/// Eigenvalues `w`, ascending, and eigenvectors, the columns of the orthogonal `v`, of the
/// symmetric matrices that the last two dimensions hold: `x v = v diag(w)`. Op tenon.eigh.
inline EighResult eigh(const Tensor& x) {
  const tenon_value inputs[] = {detail::value(x)};
  auto [output0, output1] = detail::call_all<2>({85, 1, "tenon.eigh"}, inputs, 1, nullptr, 0);
  return {std::move(output0), std::move(output1)};
}

struct EinsumOptions {
  Required<std::string_view> equation;
};
/// Sums of products by an equation. Op tenon.einsum.
inline Tensor einsum(const Tensors& xs, const EinsumOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(xs)};
  const tenon_value attributes[] = {detail::value(options.equation)};
  return detail::call({86, 1, "tenon.einsum"}, inputs, 1, attributes, 1, into);
}

struct EluOptions {
  double alpha = 1.0;
};
/// The exponential linear unit: `y = x` where `x > 0`, else `alpha * (exp(x) - 1)`. Op tenon.elu.
inline Tensor elu(const Tensor& x, const EluOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.alpha)};
  return detail::call({87, 1, "tenon.elu"}, inputs, 1, attributes, 1, into);
}

/// Rows of `table` picked by `indices`: the result has the shape of `indices` and the width of the
/// table. Op tenon.embedding.
inline Tensor embedding(const Tensor& table, const Tensor& indices, Into into = {}) {
  const tenon_value inputs[] = {detail::value(table), detail::value(indices)};
  return detail::call({88, 1, "tenon.embedding"}, inputs, 2, nullptr, 0, into);
}

/// Equality: `y = a == b`. Op tenon.eq.
inline Tensor eq(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({89, 1, "tenon.eq"}, inputs, 2, nullptr, 0, into);
}

/// The error function: `y = 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x`. Op tenon.erf.
inline Tensor erf(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({90, 1, "tenon.erf"}, inputs, 1, nullptr, 0, into);
}

/// The number whose error function is `x`: `erf(y) = x`. Op tenon.erfinv.
inline Tensor erfinv(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({91, 1, "tenon.erfinv"}, inputs, 1, nullptr, 0, into);
}

/// The natural exponential: `y = exp(x)`. Op tenon.exp.
inline Tensor exp(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({92, 1, "tenon.exp"}, inputs, 1, nullptr, 0, into);
}

/// The power of 2: `y = 2^x`. Op tenon.exp2.
inline Tensor exp2(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({93, 1, "tenon.exp2"}, inputs, 1, nullptr, 0, into);
}

struct ExpandOptions {
  RequiredInts shape;
};
/// `x` broadcast to `shape`: dimensions of size 1 are repeated, new dimensions are put in front. Op
/// tenon.expand.
inline Tensor expand(const Tensor& x, const ExpandOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.shape)};
  return detail::call({94, 1, "tenon.expand"}, inputs, 1, attributes, 1, into);
}

/// The exponential less 1, exact where `x` is small: `y = exp(x) - 1`. Op tenon.expm1.
inline Tensor expm1(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({95, 1, "tenon.expm1"}, inputs, 1, nullptr, 0, into);
}

struct ExponentialOptions {
  RequiredInts shape;
  double rate = 1.0;
  Dtype dtype = float32;
};
/// Random numbers, exponentially distributed with the mean `1 / rate`: `y[i] = -ln(u(i) + e) /
/// rate`, where `u` is as in `tenon.uniform` and `e` is 2^-24 for f32 and 2^-53 for f64. Op
/// tenon.exponential.
inline Tensor exponential(const ExponentialOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.shape), detail::value(options.rate), detail::value(options.dtype)};
  return detail::call({96, 1, "tenon.exponential"}, nullptr, 0, attributes, 3, into);
}

struct EyeOptions {
  Required<std::int64_t> n;
  std::optional<std::int64_t> m = {};
  std::int64_t k = 0;
  Dtype dtype = float32;
};
/// A matrix of `n` rows and `m` columns (none: `n`) with ones on the diagonal number `k` and zeros
/// elsewhere: `y[i, j] = 1` where `j - i = k`. Op tenon.eye.
inline Tensor eye(const EyeOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.n), detail::value(options.m), detail::value(options.k),
    detail::value(options.dtype)};
  return detail::call({97, 1, "tenon.eye"}, nullptr, 0, attributes, 4, into);
}

struct FilterLogitsOptions {
  double temperature = 1.0;
  std::int64_t top_k = 0;
  double top_p = 1.0;
  double min_p = 0.0;
};
/// Logits divided by `temperature`, and -inf for tokens that may not be drawn. Op
/// tenon.filter_logits.
inline Tensor filter_logits(
    const Tensor& logits, const FilterLogitsOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(logits)};
  const tenon_value attributes[] = {
    detail::value(options.temperature), detail::value(options.top_k), detail::value(options.top_p),
    detail::value(options.min_p)};
  return detail::call({98, 1, "tenon.filter_logits"}, inputs, 1, attributes, 4, into);
}

struct FlattenOptions {
  std::int64_t start_axis = 0;
  std::int64_t end_axis = -1;
};
/// `x` with the dimensions from `start_axis` to `end_axis`, both included, merged into one; by
/// default all of them. Op tenon.flatten.
inline Tensor flatten(const Tensor& x, const FlattenOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.start_axis), detail::value(options.end_axis)};
  return detail::call({99, 1, "tenon.flatten"}, inputs, 1, attributes, 2, into);
}

struct FlipOptions {
  OptionalInts axes = {};
};
/// The elements of `x` in reverse order along each of `axes` (none: along all of them; an empty
/// list: along none). Op tenon.flip.
inline Tensor flip(const Tensor& x, const FlipOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes)};
  return detail::call({100, 1, "tenon.flip"}, inputs, 1, attributes, 1, into);
}

/// The largest whole number that is not above `x`. Op tenon.floor.
inline Tensor floor(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({101, 1, "tenon.floor"}, inputs, 1, nullptr, 0, into);
}

/// The quotient rounded down: `y = floor(a / b)`. Op tenon.floor_divide.
inline Tensor floor_divide(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({102, 1, "tenon.floor_divide"}, inputs, 2, nullptr, 0, into);
}

/// A product and a sum, rounded once: `y = a * b + c`. Op tenon.fma.
inline Tensor fma(const Operand& a, const Operand& b, const Operand& c, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b), detail::value(c)};
  return detail::call({103, 1, "tenon.fma"}, inputs, 3, nullptr, 0, into);
}

struct FullOptions {
  RequiredInts shape;
  Number value = 0;
  Dtype dtype = float32;
};
/// A new tensor of the given shape and dtype: `y[...] = value`. Op tenon.full.
inline Tensor full(const FullOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.shape), detail::value(options.value), detail::value(options.dtype)};
  return detail::call({104, 1, "tenon.full"}, nullptr, 0, attributes, 3, into);
}

struct FullLikeOptions {
  Number value = 0;
};
/// A new tensor with the shape, the dtype and the device of `x`, and one value everywhere: `y[...]
/// = value`. Op tenon.full_like.
inline Tensor full_like(const Tensor& x, const FullLikeOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.value)};
  return detail::call({105, 1, "tenon.full_like"}, inputs, 1, attributes, 1, into);
}

struct GatherOptions {
  Required<std::int64_t> axis;
  bool from_end = false;
};
/// `y[a, i, b] = x[a, indices[a, i, b], b]`, where `i` runs along `axis` and `a`, `b` over the
/// dimensions before and after it. Op tenon.gather.
inline Tensor gather(
    const Tensor& x, const Tensor& indices, const GatherOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(indices)};
  const tenon_value attributes[] = {detail::value(options.axis), detail::value(options.from_end)};
  return detail::call({106, 1, "tenon.gather"}, inputs, 2, attributes, 2, into);
}

/// Greater than or equal: `y = a >= b`. Op tenon.ge.
inline Tensor ge(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({107, 1, "tenon.ge"}, inputs, 2, nullptr, 0, into);
}

struct GegluOptions {
  std::int64_t axis = -1;
  std::string_view approximate = "none";
};
/// The gated unit of Gemma and T5. Op tenon.geglu.
inline Tensor geglu(const Tensor& x, const GegluOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axis), detail::value(options.approximate)};
  return detail::call({108, 1, "tenon.geglu"}, inputs, 1, attributes, 2, into);
}

struct GegluGradOptions {
  std::int64_t axis = -1;
  std::string_view approximate = "none";
};
/// The gradient of `tenon.geglu` for its operand, both halves of it: `y = [dy * b * gelu'(a) | dy *
/// gelu(a)]` along `axis`, with `approximate` as in `tenon.gelu`. Op tenon.geglu_grad.
inline Tensor geglu_grad(
    const Tensor& dy, const Tensor& x, const GegluGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy), detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axis), detail::value(options.approximate)};
  return detail::call({109, 1, "tenon.geglu_grad"}, inputs, 2, attributes, 2, into);
}

struct GeluOptions {
  std::string_view approximate = "none";
};
/// The Gaussian error linear unit: `y = x * P(x)`, with `P` the distribution function of the normal
/// distribution, `P(x) = (1 + erf(x / sqrt(2))) / 2`. Op tenon.gelu.
inline Tensor gelu(const Tensor& x, const GeluOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.approximate)};
  return detail::call({110, 1, "tenon.gelu"}, inputs, 1, attributes, 1, into);
}

struct GeluGradOptions {
  std::string_view approximate = "none";
};
/// The gradient of `tenon.gelu` for its operand: `y = dy * (P(x) + x * P'(x))`, with `P` as
/// `approximate` says. Op tenon.gelu_grad.
inline Tensor gelu_grad(
    const Operand& dy, const Operand& x, const GeluGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy), detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.approximate)};
  return detail::call({111, 1, "tenon.gelu_grad"}, inputs, 2, attributes, 1, into);
}

struct GluOptions {
  std::int64_t axis = -1;
};
/// The gated linear unit. Op tenon.glu.
inline Tensor glu(const Tensor& x, const GluOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({112, 1, "tenon.glu"}, inputs, 1, attributes, 1, into);
}

struct GluGradOptions {
  std::int64_t axis = -1;
};
/// The gradient of `tenon.glu` for its operand, both halves of it: with `s = sigmoid(b)`, `y = [dy
/// * s | dy * a * s * (1 - s)]` along `axis`. Op tenon.glu_grad.
inline Tensor glu_grad(
    const Tensor& dy, const Tensor& x, const GluGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy), detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({113, 1, "tenon.glu_grad"}, inputs, 2, attributes, 1, into);
}

struct GroupNormOptions {
  Operand weight = {};
  Operand bias = {};
  Required<std::int64_t> groups;
  double eps = 1e-05;
};
/// Normalises groups of neighbouring channels of each sample of `x`, whose second dimension counts
/// the channels: `y = (x - m) * s * weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x -
/// m)^2) + eps)` over the `C / groups` channels of a group and all dimensions after the second. Op
/// tenon.group_norm.
inline Tensor group_norm(const Tensor& x, const GroupNormOptions& options, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(options.weight), detail::value(options.bias)};
  const tenon_value attributes[] = {detail::value(options.groups), detail::value(options.eps)};
  return detail::call({114, 1, "tenon.group_norm"}, inputs, 3, attributes, 2, into);
}

struct GruResult {
  Tensor y;
  Tensor h_n;
};
struct GruOptions {
  Operand h0 = {};
  Operand b_ih = {};
  Operand b_hh = {};
  Operand lengths = {};
  bool reverse = false;
  bool batch_first = false;
  bool reset_after = true;
};
/// One layer of a GRU in one direction, over sequences `x` of B batches: `[steps,B,I]`, with
/// `batch_first` `[B,steps,I]`. Op tenon.gru.
inline GruResult gru(
    const Tensor& x, const Tensor& w_ih, const Tensor& w_hh, const GruOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(w_ih), detail::value(w_hh), detail::value(options.h0),
    detail::value(options.b_ih), detail::value(options.b_hh), detail::value(options.lengths)};
  const tenon_value attributes[] = {
    detail::value(options.reverse), detail::value(options.batch_first),
    detail::value(options.reset_after)};
  auto [output0, output1] = detail::call_all<2>({115, 1, "tenon.gru"}, inputs, 7, attributes, 3);
  return {std::move(output0), std::move(output1)};
}

struct GruCellOptions {
  Operand h0 = {};
  Operand b_ih = {};
  Operand b_hh = {};
  bool reset_after = true;
};
/// One step of `tenon.gru`, over the rows of `x` `[B,I]`: the new `h` `[B,H]` from `h0` (0 if
/// absent). Op tenon.gru_cell.
inline Tensor gru_cell(
    const Tensor& x, const Tensor& w_ih, const Tensor& w_hh, const GruCellOptions& options = {},
    Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(w_ih), detail::value(w_hh), detail::value(options.h0),
    detail::value(options.b_ih), detail::value(options.b_hh)};
  const tenon_value attributes[] = {detail::value(options.reset_after)};
  return detail::call({116, 1, "tenon.gru_cell"}, inputs, 6, attributes, 1, into);
}

struct GruStepsResult {
  Tensor y;
  Tensor h_n;
};
struct GruStepsOptions {
  Operand h0 = {};
  Operand b_ih = {};
  Operand b_hh = {};
  Operand lengths = {};
  bool reverse = false;
  bool batch_first = false;
  bool reset_after = true;
};
/// The steps of a GRU, given what they make of their inputs: `gates` is `x w_ih^T`, for each step
/// of each sequence 3 H numbers, those of r, z and n in turn. Op tenon.gru_steps.
inline GruStepsResult gru_steps(
    const Tensor& gates, const Tensor& w_hh, const GruStepsOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(gates), detail::value(w_hh), detail::value(options.h0),
    detail::value(options.b_ih), detail::value(options.b_hh), detail::value(options.lengths)};
  const tenon_value attributes[] = {
    detail::value(options.reverse), detail::value(options.batch_first),
    detail::value(options.reset_after)};
  auto [output0, output1] = detail::call_all<2>(
      {117, 1, "tenon.gru_steps"}, inputs, 6, attributes, 3);
  return {std::move(output0), std::move(output1)};
}

struct GruStepsGradOptions {
  Operand dy = {};
  Operand dh_n = {};
  Operand lengths = {};
  Operand dkept = {};
  bool reverse = false;
  bool batch_first = false;
  bool reset_after = true;
};
/// The gradients of `tenon.gru_steps`, from `r, z, n, q` that it `kept`, the `states` that each
/// step found, and the gradients of its outputs; those that are absent are 0. Op
/// tenon.gru_steps_grad.
inline Tensor gru_steps_grad(
    const Tensor& kept, const Tensor& states, const Tensor& w_hh,
    const GruStepsGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(kept), detail::value(states), detail::value(w_hh), detail::value(options.dy),
    detail::value(options.dh_n), detail::value(options.lengths), detail::value(options.dkept)};
  const tenon_value attributes[] = {
    detail::value(options.reverse), detail::value(options.batch_first),
    detail::value(options.reset_after)};
  return detail::call({118, 1, "tenon.gru_steps_grad"}, inputs, 7, attributes, 3, into);
}

/// Greater than: `y = a > b`. Op tenon.gt.
inline Tensor gt(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({119, 1, "tenon.gt"}, inputs, 2, nullptr, 0, into);
}

/// `y = x * min(max(x + 3, 0), 6) / 6`: 0 up to -3, `x` from 3 on. Op tenon.hardswish.
inline Tensor hardswish(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({120, 1, "tenon.hardswish"}, inputs, 1, nullptr, 0, into);
}

struct HuberLossOptions {
  std::string_view reduction = "mean";
  double delta = 1.0;
};
/// With `d = x - target`: `d^2 / 2` where `|d| <= delta`, else `delta * (|d| - delta / 2)`; of
/// these the mean, with `reduction` "sum" the sum, with "none" each of them. Op tenon.huber_loss.
inline Tensor huber_loss(
    const Tensor& x, const Tensor& target, const HuberLossOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(target)};
  const tenon_value attributes[] = {detail::value(options.reduction), detail::value(options.delta)};
  return detail::call({121, 1, "tenon.huber_loss"}, inputs, 2, attributes, 2, into);
}

/// The length of a vector of two: `y = sqrt(a^2 + b^2)`. Op tenon.hypot.
inline Tensor hypot(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({122, 1, "tenon.hypot"}, inputs, 2, nullptr, 0, into);
}

struct Im2colOptions {
  RequiredInts kernel;
  Ints stride = {1};
  Ints padding = {0};
  Ints dilation = {1};
  std::string_view auto_pad = "none";
};
/// The windows of images [N,C,W], [N,C,H,W] or [N,C,D,H,W] as columns: `[N, C taps, windows]`. Op
/// tenon.im2col.
inline Tensor im2col(const Tensor& x, const Im2colOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.kernel), detail::value(options.stride), detail::value(options.padding),
    detail::value(options.dilation), detail::value(options.auto_pad)};
  return detail::call({123, 1, "tenon.im2col"}, inputs, 1, attributes, 5, into);
}

/// `y[i..., b] = x[indices_0[i...], indices_1[i...], ..., b]`: one tensor of indices for each of
/// the first dimensions of `x`, broadcast together; `b` runs over the dimensions that are left. Op
/// tenon.index.
inline Tensor index(const Tensor& x, const Tensors& indices, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(indices)};
  return detail::call({124, 1, "tenon.index"}, inputs, 2, nullptr, 0, into);
}

struct IndexPutOptions {
  bool accumulate = false;
};
/// A copy of `x` with `y[indices_0[i...], indices_1[i...], ..., b] = values[i..., b]`: one tensor
/// of indices for each of the first dimensions of `x`, broadcast together; `b` runs over the
/// dimensions that are left. Op tenon.index_put.
inline Tensor index_put(
    const Tensor& x, const Tensors& indices, const Tensor& values,
    const IndexPutOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(indices), detail::value(values)};
  const tenon_value attributes[] = {detail::value(options.accumulate)};
  return detail::call({125, 1, "tenon.index_put"}, inputs, 3, attributes, 1, into);
}

struct IndexSelectOptions {
  Required<std::int64_t> axis;
};
/// The slices of `x` that the vector `indices` names along `axis`: `tenon.take`, which also takes
/// indices of other ranks. Op tenon.index_select.
inline Tensor index_select(
    const Tensor& x, const Tensor& indices, const IndexSelectOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(indices)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({126, 1, "tenon.index_select"}, inputs, 2, attributes, 1, into);
}

struct InstanceNormOptions {
  Operand weight = {};
  Operand bias = {};
  double eps = 1e-05;
};
/// Normalises each channel of each sample of `x` by itself, where the second dimension counts the
/// channels: `y = (x - m) * s * weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x -
/// m)^2) + eps)` over all dimensions after the second. Op tenon.instance_norm.
inline Tensor instance_norm(
    const Tensor& x, const InstanceNormOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(options.weight), detail::value(options.bias)};
  const tenon_value attributes[] = {detail::value(options.eps)};
  return detail::call({127, 1, "tenon.instance_norm"}, inputs, 3, attributes, 1, into);
}

/// True where the element is a finite number: neither infinite nor NaN. Op tenon.isfinite.
inline Tensor isfinite(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({128, 1, "tenon.isfinite"}, inputs, 1, nullptr, 0, into);
}

/// True where the element is an infinity of either sign. Op tenon.isinf.
inline Tensor isinf(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({129, 1, "tenon.isinf"}, inputs, 1, nullptr, 0, into);
}

/// True where the element is NaN. Op tenon.isnan.
inline Tensor isnan(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({130, 1, "tenon.isnan"}, inputs, 1, nullptr, 0, into);
}

struct KlDivOptions {
  std::string_view reduction = "mean";
  bool log_target = false;
};
/// The terms `target * (log(target) - x)` of the Kullback-Leibler divergence of probabilities
/// `target` from those whose logarithms `x` are, with `0 * log(0)` taken as 0. Op tenon.kl_div.
inline Tensor kl_div(
    const Tensor& x, const Tensor& target, const KlDivOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(target)};
  const tenon_value attributes[] = {
    detail::value(options.reduction), detail::value(options.log_target)};
  return detail::call({131, 1, "tenon.kl_div"}, inputs, 2, attributes, 2, into);
}

struct L1LossOptions {
  std::string_view reduction = "mean";
};
/// The absolute differences `|x - target|`: their mean, with `reduction` "sum" their sum, with
/// "none" each of them. Op tenon.l1_loss.
inline Tensor l1_loss(
    const Tensor& x, const Tensor& target, const L1LossOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(target)};
  const tenon_value attributes[] = {detail::value(options.reduction)};
  return detail::call({132, 1, "tenon.l1_loss"}, inputs, 2, attributes, 1, into);
}

struct LambStepOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-06;
  double weight_decay = 0.01;
};
/// One step of LAMB on each parameter, in place. Op tenon.lamb_step.
inline void lamb_step(
    const Tensors& params, const Tensors& grads, const Tensors& exp_avg, const Tensors& exp_avg_sq,
    const Tensors& step, const Operand& lr, const LambStepOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(grads), detail::value(exp_avg), detail::value(exp_avg_sq),
    detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.beta1), detail::value(options.beta2), detail::value(options.eps),
    detail::value(options.weight_decay)};
  detail::call_all<0>({133, 1, "tenon.lamb_step"}, inputs, 6, attributes, 4);
}

struct LayerNormOptions {
  Operand weight = {};
  Operand bias = {};
  std::int64_t dims = 1;
  double eps = 1e-05;
};
/// Normalises each row of `x`, which is what the last `dims` dimensions hold: `y = (x - m) * s *
/// weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x - m)^2) + eps)` over the row. Op
/// tenon.layer_norm.
inline Tensor layer_norm(const Tensor& x, const LayerNormOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(options.weight), detail::value(options.bias)};
  const tenon_value attributes[] = {detail::value(options.dims), detail::value(options.eps)};
  return detail::call({134, 1, "tenon.layer_norm"}, inputs, 3, attributes, 2, into);
}

struct LayerNormGradOptions {
  Operand weight = {};
  std::int64_t dims = 1;
  double eps = 1e-05;
};
/// The gradients of `tenon.layer_norm`: with `h = (x - m) * s` the normalised row, `g = dy *
/// weight` and `c = g - mean(g)`, `y = s * (c - h * mean(c * h))` is that of `x`, the means over
/// the row. Op tenon.layer_norm_grad.
inline Tensor layer_norm_grad(
    const Tensor& dy, const Tensor& x, const LayerNormGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy), detail::value(x), detail::value(options.weight)};
  const tenon_value attributes[] = {detail::value(options.dims), detail::value(options.eps)};
  return detail::call({135, 1, "tenon.layer_norm_grad"}, inputs, 3, attributes, 2, into);
}

/// Less than or equal: `y = a <= b`. Op tenon.le.
inline Tensor le(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({136, 1, "tenon.le"}, inputs, 2, nullptr, 0, into);
}

struct LeakyReluOptions {
  double negative_slope = 0.01;
};
/// `y = x` where `x > 0`, else `negative_slope * x`. Op tenon.leaky_relu.
inline Tensor leaky_relu(const Tensor& x, const LeakyReluOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.negative_slope)};
  return detail::call({137, 1, "tenon.leaky_relu"}, inputs, 1, attributes, 1, into);
}

/// The way from `x` to `end`, of which `weight` says how far: `y = x + weight * (end - x)`. Op
/// tenon.lerp.
inline Tensor lerp(const Operand& x, const Operand& end, const Operand& weight, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(end), detail::value(weight)};
  return detail::call({138, 1, "tenon.lerp"}, inputs, 3, nullptr, 0, into);
}

/// The logarithm of the absolute value of the gamma function: `y = log(abs(Gamma(x)))`. Op
/// tenon.lgamma.
inline Tensor lgamma(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({139, 1, "tenon.lgamma"}, inputs, 1, nullptr, 0, into);
}

struct LinearOptions {
  Operand bias = {};
  std::string_view activation = "none";
};
/// A linear layer: `y[...,n] = f(sum_k x[...,k] * weight[n,k] + bias[n])`. Op tenon.linear.
inline Tensor linear(
    const Tensor& x, const Tensor& weight, const LinearOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(weight), detail::value(options.bias)};
  const tenon_value attributes[] = {detail::value(options.activation)};
  return detail::call({140, 1, "tenon.linear"}, inputs, 3, attributes, 1, into);
}

struct LinearRecurrenceOptions {
  Required<std::int64_t> axis;
  bool reverse = false;
};
/// The first-order linear recurrence along `axis`: `y[0] = b[0]`, `y[i] = a[i] * y[i-1] + b[i]`. Op
/// tenon.linear_recurrence.
inline Tensor linear_recurrence(
    const Tensor& a, const Tensor& b, const LinearRecurrenceOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  const tenon_value attributes[] = {detail::value(options.axis), detail::value(options.reverse)};
  return detail::call({141, 1, "tenon.linear_recurrence"}, inputs, 2, attributes, 2, into);
}

struct LinspaceOptions {
  Required<Number> start;
  Required<Number> stop;
  Required<std::int64_t> num;
  bool endpoint = true;
  Dtype dtype = float32;
};
/// `num` evenly spaced numbers from `start` to `stop`. Op tenon.linspace.
inline Tensor linspace(const LinspaceOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.start), detail::value(options.stop), detail::value(options.num),
    detail::value(options.endpoint), detail::value(options.dtype)};
  return detail::call({142, 1, "tenon.linspace"}, nullptr, 0, attributes, 5, into);
}

struct LionRowsOptions {
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0.0;
};
/// One step of `tenon.lion_step` on the given rows of each parameter alone. Op tenon.lion_rows.
inline void lion_rows(
    const Tensors& params, const Tensors& indices, const Tensors& values, const Tensors& exp_avg,
    const Tensors& step, const Operand& lr, const LionRowsOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(indices), detail::value(values), detail::value(exp_avg),
    detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.beta1), detail::value(options.beta2), detail::value(options.weight_decay)
    };
  detail::call_all<0>({143, 1, "tenon.lion_rows"}, inputs, 6, attributes, 3);
}

struct LionStepOptions {
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0.0;
};
/// One step of Lion on each parameter, in place. Op tenon.lion_step.
inline void lion_step(
    const Tensors& params, const Tensors& grads, const Tensors& exp_avg, const Tensors& step,
    const Operand& lr, const LionStepOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(grads), detail::value(exp_avg), detail::value(step),
    detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.beta1), detail::value(options.beta2), detail::value(options.weight_decay)
    };
  detail::call_all<0>({144, 1, "tenon.lion_step"}, inputs, 5, attributes, 3);
}

/// The natural logarithm: `y = ln(x)`. Op tenon.log.
inline Tensor log(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({145, 1, "tenon.log"}, inputs, 1, nullptr, 0, into);
}

/// The logarithm of base 10: `y = ln(x) / ln(10)`. Op tenon.log10.
inline Tensor log10(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({146, 1, "tenon.log10"}, inputs, 1, nullptr, 0, into);
}

/// The natural logarithm of `1 + x`, exact where `x` is small: `y = log(1 + x)`. Op tenon.log1p.
inline Tensor log1p(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({147, 1, "tenon.log1p"}, inputs, 1, nullptr, 0, into);
}

/// The logarithm of base 2: `y = ln(x) / ln(2)`. Op tenon.log2.
inline Tensor log2(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({148, 1, "tenon.log2"}, inputs, 1, nullptr, 0, into);
}

struct LogSoftmaxOptions {
  std::int64_t axis = -1;
};
/// The logarithm of `tenon.softmax` along `axis`, without taking the logarithm of small numbers: `y
/// = (x - m) - log(sum(exp(x - m)))`, with `m` the largest element. Op tenon.log_softmax.
inline Tensor log_softmax(const Tensor& x, const LogSoftmaxOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({149, 1, "tenon.log_softmax"}, inputs, 1, attributes, 1, into);
}

/// Are both operands true? `y = a and b`. Op tenon.logical_and.
inline Tensor logical_and(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({150, 1, "tenon.logical_and"}, inputs, 2, nullptr, 0, into);
}

/// True where the element is false, which of numbers is a zero of either sign. Op
/// tenon.logical_not.
inline Tensor logical_not(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({151, 1, "tenon.logical_not"}, inputs, 1, nullptr, 0, into);
}

/// Is one of the operands true, or both? `y = a or b`. Op tenon.logical_or.
inline Tensor logical_or(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({152, 1, "tenon.logical_or"}, inputs, 2, nullptr, 0, into);
}

/// Is just one of the operands true? `y = a != b` of truth values. Op tenon.logical_xor.
inline Tensor logical_xor(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({153, 1, "tenon.logical_xor"}, inputs, 2, nullptr, 0, into);
}

/// The logarithm of the sigmoid: `y = -ln(1 + exp(-x))`. Op tenon.logsigmoid.
inline Tensor logsigmoid(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({154, 1, "tenon.logsigmoid"}, inputs, 1, nullptr, 0, into);
}

struct LogsumexpOptions {
  OptionalInts axes = {};
  bool keepdims = false;
};
/// The logarithm of the sum of powers over `axes` (none: all of them; an empty list: no axis, so
/// that the values stay): `y = log(sum(exp(x)))`, computed as `m + log(sum(exp(x - m)))` with `m`
/// the largest element, so that no power overflows. Op tenon.logsumexp.
inline Tensor logsumexp(const Tensor& x, const LogsumexpOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes), detail::value(options.keepdims)};
  return detail::call({155, 1, "tenon.logsumexp"}, inputs, 1, attributes, 2, into);
}

struct LstmResult {
  Tensor y;
  Tensor h_n;
  Tensor c_n;
};
struct LstmOptions {
  Operand h0 = {};
  Operand c0 = {};
  Operand b_ih = {};
  Operand b_hh = {};
  Operand w_hr = {};
  Operand lengths = {};
  bool reverse = false;
  bool batch_first = false;
};
/// One layer of an LSTM in one direction, over sequences `x` of B batches: `[steps,B,I]`, with
/// `batch_first` `[B,steps,I]`. Op tenon.lstm.
inline LstmResult lstm(
    const Tensor& x, const Tensor& w_ih, const Tensor& w_hh, const LstmOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(w_ih), detail::value(w_hh), detail::value(options.h0),
    detail::value(options.c0), detail::value(options.b_ih), detail::value(options.b_hh),
    detail::value(options.w_hr), detail::value(options.lengths)};
  const tenon_value attributes[] = {
    detail::value(options.reverse), detail::value(options.batch_first)};
  auto [output0, output1, output2] = detail::call_all<3>(
      {156, 1, "tenon.lstm"}, inputs, 9, attributes, 2);
  return {std::move(output0), std::move(output1), std::move(output2)};
}

struct LstmCellResult {
  Tensor h;
  Tensor c;
};
struct LstmCellOptions {
  Operand h0 = {};
  Operand c0 = {};
  Operand b_ih = {};
  Operand b_hh = {};
  Operand w_hr = {};
};
/// One step of `tenon.lstm`, over the rows of `x` `[B,I]`: the new `h` `[B,P]` and `c` `[B,H]` from
/// `h0` and `c0` (0 if absent). Op tenon.lstm_cell.
inline LstmCellResult lstm_cell(
    const Tensor& x, const Tensor& w_ih, const Tensor& w_hh, const LstmCellOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(w_ih), detail::value(w_hh), detail::value(options.h0),
    detail::value(options.c0), detail::value(options.b_ih), detail::value(options.b_hh),
    detail::value(options.w_hr)};
  auto [output0, output1] = detail::call_all<2>({157, 1, "tenon.lstm_cell"}, inputs, 8, nullptr, 0);
  return {std::move(output0), std::move(output1)};
}

struct LstmStepsResult {
  Tensor y;
  Tensor h_n;
  Tensor c_n;
};
struct LstmStepsOptions {
  Operand h0 = {};
  Operand c0 = {};
  Operand b_ih = {};
  Operand b_hh = {};
  Operand w_hr = {};
  Operand lengths = {};
  bool reverse = false;
  bool batch_first = false;
};
/// The steps of an LSTM, given what they make of their inputs: `gates` is `x w_ih^T`, for each step
/// of each sequence 4 H numbers, those of the gates i, f, g and o in turn. Op tenon.lstm_steps.
inline LstmStepsResult lstm_steps(
    const Tensor& gates, const Tensor& w_hh, const LstmStepsOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(gates), detail::value(w_hh), detail::value(options.h0), detail::value(options.c0),
    detail::value(options.b_ih), detail::value(options.b_hh), detail::value(options.w_hr),
    detail::value(options.lengths)};
  const tenon_value attributes[] = {
    detail::value(options.reverse), detail::value(options.batch_first)};
  auto [output0, output1, output2] = detail::call_all<3>(
      {158, 1, "tenon.lstm_steps"}, inputs, 8, attributes, 2);
  return {std::move(output0), std::move(output1), std::move(output2)};
}

struct LstmStepsGradOptions {
  Operand dy = {};
  Operand dh_n = {};
  Operand dc_n = {};
  Operand c0 = {};
  Operand w_hr = {};
  Operand lengths = {};
  Operand dkept = {};
  Operand dcells = {};
  bool reverse = false;
  bool batch_first = false;
};
/// The gradients of `tenon.lstm_steps`, from the gates `kept` and the `cells` that it kept, and the
/// gradients of its outputs; those that are absent are 0. Op tenon.lstm_steps_grad.
inline Tensor lstm_steps_grad(
    const Tensor& kept, const Tensor& cells, const Tensor& w_hh,
    const LstmStepsGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(kept), detail::value(cells), detail::value(w_hh), detail::value(options.dy),
    detail::value(options.dh_n), detail::value(options.dc_n), detail::value(options.c0),
    detail::value(options.w_hr), detail::value(options.lengths), detail::value(options.dkept),
    detail::value(options.dcells)};
  const tenon_value attributes[] = {
    detail::value(options.reverse), detail::value(options.batch_first)};
  return detail::call({159, 1, "tenon.lstm_steps_grad"}, inputs, 11, attributes, 2, into);
}

/// Less than: `y = a < b`. Op tenon.lt.
inline Tensor lt(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({160, 1, "tenon.lt"}, inputs, 2, nullptr, 0, into);
}

/// `value` where `mask` is true, else `x`. Op tenon.masked_fill.
inline Tensor masked_fill(
    const Tensor& x, const Tensor& mask, const Operand& value, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(mask), detail::value(value)};
  return detail::call({161, 1, "tenon.masked_fill"}, inputs, 3, nullptr, 0, into);
}

/// The elements of `x` where `mask` is true, as a vector in row-major order. Op
/// tenon.masked_select.
inline Tensor masked_select(const Tensor& x, const Tensor& mask, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(mask)};
  return detail::call({162, 1, "tenon.masked_select"}, inputs, 2, nullptr, 0, into);
}

/// The matrix product over the last two dimensions: `y[m,n] = sum_k a[m,k] b[k,n]`. Op
/// tenon.matmul.
inline Tensor matmul(const Tensor& a, const Tensor& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({163, 1, "tenon.matmul"}, inputs, 2, nullptr, 0, into);
}

struct MaxOptions {
  OptionalInts axes = {};
  bool keepdims = false;
};
/// The largest element over `axes` (none: all of them; an empty list: no axis, so that the values
/// stay). Op tenon.max.
inline Tensor max(const Tensor& x, const MaxOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes), detail::value(options.keepdims)};
  return detail::call({164, 1, "tenon.max"}, inputs, 1, attributes, 2, into);
}

struct MaxPoolOptions {
  RequiredInts kernel;
  OptionalInts stride = {};
  Ints padding = {0};
  Ints dilation = {1};
  bool ceil_mode = false;
  std::string_view auto_pad = "none";
};
/// The largest place of each window that slides over an image of 1 to 3 dimensions: `y[n,c,w] = max
/// over t of x[n, c, w * stride - before + t * dilation]`, along each of these dimensions, over the
/// taps `t` from 0 to `kernel - 1` whose place lies in the image. Op tenon.max_pool.
inline Tensor max_pool(const Tensor& x, const MaxPoolOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.kernel), detail::value(options.stride), detail::value(options.padding),
    detail::value(options.dilation), detail::value(options.ceil_mode),
    detail::value(options.auto_pad)};
  return detail::call({165, 1, "tenon.max_pool"}, inputs, 1, attributes, 6, into);
}

struct MaxPoolGradOptions {
  RequiredInts size;
};
/// Zeros of the shape `[N, C, size...]`, to which each number of `dy` is added at the place of its
/// image that `positions` names, row by row over the image; -1 names none. Op tenon.max_pool_grad.
inline Tensor max_pool_grad(
    const Tensor& dy, const Tensor& positions, const MaxPoolGradOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy), detail::value(positions)};
  const tenon_value attributes[] = {detail::value(options.size)};
  return detail::call({166, 1, "tenon.max_pool_grad"}, inputs, 2, attributes, 1, into);
}

/// The larger of the two: `y = max(a, b)`. Op tenon.maximum.
inline Tensor maximum(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({167, 1, "tenon.maximum"}, inputs, 2, nullptr, 0, into);
}

struct MeanOptions {
  OptionalInts axes = {};
  bool keepdims = false;
};
/// The arithmetic mean over `axes` (none: all of them; an empty list: no axis, so that the values
/// stay). Op tenon.mean.
inline Tensor mean(const Tensor& x, const MeanOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes), detail::value(options.keepdims)};
  return detail::call({168, 1, "tenon.mean"}, inputs, 1, attributes, 2, into);
}

struct MinOptions {
  OptionalInts axes = {};
  bool keepdims = false;
};
/// The smallest element over `axes` (none: all of them; an empty list: no axis, so that the values
/// stay). Op tenon.min.
inline Tensor min(const Tensor& x, const MinOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes), detail::value(options.keepdims)};
  return detail::call({169, 1, "tenon.min"}, inputs, 1, attributes, 2, into);
}

/// The smaller of the two: `y = min(a, b)`. Op tenon.minimum.
inline Tensor minimum(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({170, 1, "tenon.minimum"}, inputs, 2, nullptr, 0, into);
}

/// `y = x * tanh(ln(1 + exp(x)))`. Op tenon.mish.
inline Tensor mish(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({171, 1, "tenon.mish"}, inputs, 1, nullptr, 0, into);
}

struct MseLossOptions {
  std::string_view reduction = "mean";
};
/// The squared differences `(x - target)^2`: their mean, with `reduction` "sum" their sum, with
/// "none" each of them. Op tenon.mse_loss.
inline Tensor mse_loss(
    const Tensor& x, const Tensor& target, const MseLossOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(target)};
  const tenon_value attributes[] = {detail::value(options.reduction)};
  return detail::call({172, 1, "tenon.mse_loss"}, inputs, 2, attributes, 1, into);
}

/// The product: `y = a * b`. Op tenon.mul.
inline Tensor mul(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({173, 1, "tenon.mul"}, inputs, 2, nullptr, 0, into);
}

struct MultinomialOptions {
  Required<std::int64_t> num_samples;
  bool replacement = false;
};
/// Draws `num_samples` categories from each row of `weights`, whose last axis is that of the
/// categories: category `k` with the probability `weights[k]` over the row's sum. Op
/// tenon.multinomial.
inline Tensor multinomial(
    const Tensor& weights, const MultinomialOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(weights)};
  const tenon_value attributes[] = {
    detail::value(options.num_samples), detail::value(options.replacement)};
  return detail::call({174, 1, "tenon.multinomial"}, inputs, 1, attributes, 2, into);
}

struct MuonStepOptions {
  double momentum = 0.95;
  bool nesterov = true;
  double weight_decay = 0.1;
  double eps = 1e-07;
  std::int64_t iterations = 5;
  bool match_adamw = false;
};
/// One step of Muon on each parameter, a matrix [M,N], in place. Op tenon.muon_step.
inline void muon_step(
    const Tensors& params, const Tensors& grads, const Tensors& momentum_buffer,
    const Tensors& step, const Operand& lr, const MuonStepOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(grads), detail::value(momentum_buffer),
    detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.momentum), detail::value(options.nesterov),
    detail::value(options.weight_decay), detail::value(options.eps),
    detail::value(options.iterations), detail::value(options.match_adamw)};
  detail::call_all<0>({175, 1, "tenon.muon_step"}, inputs, 5, attributes, 6);
}

struct NadamRowsOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-08;
  double weight_decay = 0.0;
  double momentum_decay = 0.004;
  bool decoupled = false;
};
/// One step of `tenon.nadam_step` on the given rows of each parameter alone. Op tenon.nadam_rows.
inline void nadam_rows(
    const Tensors& params, const Tensors& indices, const Tensors& values, const Tensors& exp_avg,
    const Tensors& exp_avg_sq, const Tensors& mu_product, const Tensors& step, const Operand& lr,
    const NadamRowsOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(indices), detail::value(values), detail::value(exp_avg),
    detail::value(exp_avg_sq), detail::value(mu_product), detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.beta1), detail::value(options.beta2), detail::value(options.eps),
    detail::value(options.weight_decay), detail::value(options.momentum_decay),
    detail::value(options.decoupled)};
  detail::call_all<0>({176, 1, "tenon.nadam_rows"}, inputs, 8, attributes, 6);
}

struct NadamStepOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-08;
  double weight_decay = 0.0;
  double momentum_decay = 0.004;
  bool decoupled = false;
};
/// One step of NAdam on each parameter, in place. Op tenon.nadam_step.
inline void nadam_step(
    const Tensors& params, const Tensors& grads, const Tensors& exp_avg, const Tensors& exp_avg_sq,
    const Tensors& mu_product, const Tensors& step, const Operand& lr,
    const NadamStepOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(grads), detail::value(exp_avg), detail::value(exp_avg_sq),
    detail::value(mu_product), detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.beta1), detail::value(options.beta2), detail::value(options.eps),
    detail::value(options.weight_decay), detail::value(options.momentum_decay),
    detail::value(options.decoupled)};
  detail::call_all<0>({177, 1, "tenon.nadam_step"}, inputs, 7, attributes, 6);
}

/// Not equal: `y = a != b`. Op tenon.ne.
inline Tensor ne(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({178, 1, "tenon.ne"}, inputs, 2, nullptr, 0, into);
}

/// The negated value: `y = -x`. Op tenon.neg.
inline Tensor neg(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({179, 1, "tenon.neg"}, inputs, 1, nullptr, 0, into);
}

/// The number of the dtype that comes after `a` in the direction of `b`. Op tenon.nextafter.
inline Tensor nextafter(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({180, 1, "tenon.nextafter"}, inputs, 2, nullptr, 0, into);
}

struct NllLossOptions {
  Operand weight = {};
  std::int64_t ignore_index = -100;
  std::string_view reduction = "mean";
};
/// The negative log-likelihood of the target classes, of log-probabilities such as those of
/// `tenon.log_softmax`: `-weight[target[n]] * x[n, target[n]]`. Op tenon.nll_loss.
inline Tensor nll_loss(
    const Tensor& x, const Tensor& target, const NllLossOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(target), detail::value(options.weight)};
  const tenon_value attributes[] = {
    detail::value(options.ignore_index), detail::value(options.reduction)};
  return detail::call({181, 1, "tenon.nll_loss"}, inputs, 3, attributes, 2, into);
}

/// The coordinates of all elements of `x` that are not zero, in row-major order, one row for each.
/// Op tenon.nonzero.
inline Tensor nonzero(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({182, 1, "tenon.nonzero"}, inputs, 1, nullptr, 0, into);
}

struct NonzeroStaticResult {
  Tensor places;
  Tensor count;
};
struct NonzeroStaticOptions {
  Required<std::int64_t> size;
  std::int64_t fill = -1;
};
/// The coordinates of the first `size` elements of `x` that are not zero, in row-major order, one
/// row of `places` for each; rows that are left over hold `fill`. Op tenon.nonzero_static.
inline NonzeroStaticResult nonzero_static(const Tensor& x, const NonzeroStaticOptions& options) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.size), detail::value(options.fill)};
  auto [output0, output1] = detail::call_all<2>(
      {183, 1, "tenon.nonzero_static"}, inputs, 1, attributes, 2);
  return {std::move(output0), std::move(output1)};
}

struct NormOptions {
  OptionalInts axes = {};
  bool keepdims = false;
  double ord = 2.0;
};
/// The vector norm over `axes` (none: all of them; an empty list: no axis, so that each element is
/// a vector by itself): `y = (sum |x|^ord)^(1/ord)`. Op tenon.norm.
inline Tensor norm(const Tensor& x, const NormOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axes), detail::value(options.keepdims), detail::value(options.ord)};
  return detail::call({184, 1, "tenon.norm"}, inputs, 1, attributes, 3, into);
}

struct NormalOptions {
  RequiredInts shape;
  double mean = 0.0;
  double std_ = 1.0;
  Dtype dtype = float32;
};
/// Random numbers, normally distributed: `y = mean + std * z`. Op tenon.normal.
inline Tensor normal(const NormalOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.shape), detail::value(options.mean), detail::value(options.std_),
    detail::value(options.dtype)};
  return detail::call({185, 1, "tenon.normal"}, nullptr, 0, attributes, 4, into);
}

struct OneHotOptions {
  Required<std::int64_t> classes;
  Dtype dtype = int64;
};
/// `y[i..., c]` is 1 where `c = indices[i...]`, else 0; the result has one more dimension, of
/// `classes` elements. Op tenon.one_hot.
inline Tensor one_hot(const Tensor& indices, const OneHotOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(indices)};
  const tenon_value attributes[] = {detail::value(options.classes), detail::value(options.dtype)};
  return detail::call({186, 1, "tenon.one_hot"}, inputs, 1, attributes, 2, into);
}

struct OrthogonalOptions {
  RequiredInts shape;
  double gain = 1.0;
  Dtype dtype = float32;
};
/// A random orthogonal matrix times `gain`: initial values of weights. Op tenon.orthogonal.
inline Tensor orthogonal(const OrthogonalOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.shape), detail::value(options.gain), detail::value(options.dtype)};
  return detail::call({187, 1, "tenon.orthogonal"}, nullptr, 0, attributes, 3, into);
}

/// The outer product of two vectors: `y[m,n] = a[m] * b[n]`. Op tenon.outer.
inline Tensor outer(const Tensor& a, const Tensor& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({188, 1, "tenon.outer"}, inputs, 2, nullptr, 0, into);
}

struct PadOptions {
  RequiredInts pads;
  OptionalInts axes = {};
  std::string_view mode = "constant";
  Number value = 0;
};
/// `x` with more elements around it: `pads` has a pair of numbers for each of `axes` (none: for all
/// axes in order), how many are put before the first place and how many after the last. Op
/// tenon.pad.
inline Tensor pad(const Tensor& x, const PadOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.pads), detail::value(options.axes), detail::value(options.mode),
    detail::value(options.value)};
  return detail::call({189, 1, "tenon.pad"}, inputs, 1, attributes, 4, into);
}

struct PermutationOptions {
  Required<std::int64_t> n;
  Dtype dtype = int64;
};
/// The integers from 0 to `n - 1` in random order: sorted by keys of 64 random bits, of number `i`
/// words `2i` (high) and `2i+1`, and by themselves where keys are equal. Op tenon.permutation.
inline Tensor permutation(const PermutationOptions& options, Into into = {}) {
  const tenon_value attributes[] = {detail::value(options.n), detail::value(options.dtype)};
  return detail::call({190, 1, "tenon.permutation"}, nullptr, 0, attributes, 2, into);
}

struct PermuteOptions {
  RequiredInts axes;
};
/// The dimensions of `x` in the order of `axes`: dimension `d` of the result is dimension `axes[d]`
/// of `x`. Op tenon.permute.
inline Tensor permute(const Tensor& x, const PermuteOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes)};
  return detail::call({191, 1, "tenon.permute"}, inputs, 1, attributes, 1, into);
}

/// A power: `y = a^b`. Op tenon.pow.
inline Tensor pow(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({192, 1, "tenon.pow"}, inputs, 2, nullptr, 0, into);
}

struct ProdOptions {
  OptionalInts axes = {};
  bool keepdims = false;
};
/// The product over `axes` (none: all of them; an empty list: no axis, so that the values stay). Op
/// tenon.prod.
inline Tensor prod(const Tensor& x, const ProdOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes), detail::value(options.keepdims)};
  return detail::call({193, 1, "tenon.prod"}, inputs, 1, attributes, 2, into);
}

struct QrResult {
  Tensor q;
  Tensor r;
};
struct QrOptions {
  std::string_view mode = "reduced";
};
/// The reduced QR decomposition `x = q r` of the matrices that the last two dimensions hold: of
/// `[...,M,N]`, with K the lesser of M and N, `q` is `[...,M,K]` with orthonormal columns, and `r`
/// is `[...,K,N]`, an upper triangle. Op tenon.qr.
inline QrResult qr(const Tensor& x, const QrOptions& options = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.mode)};
  auto [output0, output1] = detail::call_all<2>({194, 1, "tenon.qr"}, inputs, 1, attributes, 1);
  return {std::move(output0), std::move(output1)};
}

struct RandomIntegersOptions {
  RequiredInts shape;
  std::int64_t low = 0;
  Required<std::int64_t> high;
  Dtype dtype = int64;
};
/// Random integers from `low` to `high - 1`: `y[i] = low + floor(w(i) * n / 2^64)`, where `n = high
/// - low` and `w(i)` has the 64 bits of words `2i` (high) and `2i+1`, with `i` the row-major index.
/// Op tenon.random_integers.
inline Tensor random_integers(const RandomIntegersOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.shape), detail::value(options.low), detail::value(options.high),
    detail::value(options.dtype)};
  return detail::call({195, 1, "tenon.random_integers"}, nullptr, 0, attributes, 4, into);
}

/// One over the number: `y = 1 / x`. Op tenon.reciprocal.
inline Tensor reciprocal(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({196, 1, "tenon.reciprocal"}, inputs, 1, nullptr, 0, into);
}

struct ReduceScatterOptions {
  std::int64_t group = 0;
};
/// Our row of the sum over the processes of a group: `x` [n, ...] has a row for each process, and
/// `y` is row `r` of the sum of all `x` in rank `r`. Op tenon.reduce_scatter.
inline Tensor reduce_scatter(
    const Tensor& x, const ReduceScatterOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.group)};
  return detail::call({197, 1, "tenon.reduce_scatter"}, inputs, 1, attributes, 1, into);
}

/// The positive part: `y = max(x, 0)`. Op tenon.relu.
inline Tensor relu(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({198, 1, "tenon.relu"}, inputs, 1, nullptr, 0, into);
}

/// What division leaves: `y = a - floor(a / b) * b`, with the sign of `b`, as Python's `%`. Op
/// tenon.remainder.
inline Tensor remainder(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({199, 1, "tenon.remainder"}, inputs, 2, nullptr, 0, into);
}

struct RepeatOptions {
  Required<std::int64_t> repeats;
  std::optional<std::int64_t> axis = {};
};
/// Each element along `axis`, `repeats` times one after another; without `axis`, of `x` read in
/// row-major order, and the result has one dimension. Op tenon.repeat.
inline Tensor repeat(const Tensor& x, const RepeatOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.repeats), detail::value(options.axis)};
  return detail::call({200, 1, "tenon.repeat"}, inputs, 1, attributes, 2, into);
}

struct RepetitionPenaltyOptions {
  Required<double> penalty;
};
/// Logits in which each token that `tokens` has in the same row is penalised, once however often it
/// is there: `x * penalty` below 0, else `x / penalty`. Op tenon.repetition_penalty.
inline Tensor repetition_penalty(
    const Tensor& logits, const Tensor& tokens, const RepetitionPenaltyOptions& options,
    Into into = {}) {
  const tenon_value inputs[] = {detail::value(logits), detail::value(tokens)};
  const tenon_value attributes[] = {detail::value(options.penalty)};
  return detail::call({201, 1, "tenon.repetition_penalty"}, inputs, 2, attributes, 1, into);
}

struct ReshapeOptions {
  RequiredInts shape;
};
/// The elements of `x`, read in row-major order, in another shape. Op tenon.reshape.
inline Tensor reshape(const Tensor& x, const ReshapeOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.shape)};
  return detail::call({202, 1, "tenon.reshape"}, inputs, 1, attributes, 1, into);
}

struct RmsNormOptions {
  Operand weight = {};
  std::int64_t dims = 1;
  double eps = 1e-05;
};
/// Scales each row of `x`, which is what the last `dims` dimensions hold, to a root mean square of
/// 1: `y = x * s * weight`, with `s = 1 / sqrt(mean(x^2) + eps)` over the row. Op tenon.rms_norm.
inline Tensor rms_norm(const Tensor& x, const RmsNormOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(options.weight)};
  const tenon_value attributes[] = {detail::value(options.dims), detail::value(options.eps)};
  return detail::call({203, 1, "tenon.rms_norm"}, inputs, 2, attributes, 2, into);
}

struct RmsNormGradOptions {
  Operand weight = {};
  std::int64_t dims = 1;
  double eps = 1e-05;
};
/// The gradients of `tenon.rms_norm`: with `h = x * s` the normalised row and `g = dy * weight`, `y
/// = s * (g - h * mean(g * h))` is that of `x`, the mean over the row. Op tenon.rms_norm_grad.
inline Tensor rms_norm_grad(
    const Tensor& dy, const Tensor& x, const RmsNormGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy), detail::value(x), detail::value(options.weight)};
  const tenon_value attributes[] = {detail::value(options.dims), detail::value(options.eps)};
  return detail::call({204, 1, "tenon.rms_norm_grad"}, inputs, 3, attributes, 2, into);
}

struct RmspropRowsOptions {
  double alpha = 0.99;
  double eps = 1e-08;
  double weight_decay = 0.0;
  double momentum = 0.0;
  bool centered = false;
};
/// One step of `tenon.rmsprop_step` on the given rows of each parameter alone. Op
/// tenon.rmsprop_rows.
inline void rmsprop_rows(
    const Tensors& params, const Tensors& indices, const Tensors& values, const Tensors& square_avg,
    const Tensors& grad_avg, const Tensors& momentum_buffer, const Tensors& step, const Operand& lr,
    const RmspropRowsOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(indices), detail::value(values), detail::value(square_avg),
    detail::value(grad_avg), detail::value(momentum_buffer), detail::value(step), detail::value(lr)
    };
  const tenon_value attributes[] = {
    detail::value(options.alpha), detail::value(options.eps), detail::value(options.weight_decay),
    detail::value(options.momentum), detail::value(options.centered)};
  detail::call_all<0>({205, 1, "tenon.rmsprop_rows"}, inputs, 8, attributes, 5);
}

struct RmspropStepOptions {
  double alpha = 0.99;
  double eps = 1e-08;
  double weight_decay = 0.0;
  double momentum = 0.0;
  bool centered = false;
};
/// One step of RMSprop on each parameter, in place. Op tenon.rmsprop_step.
inline void rmsprop_step(
    const Tensors& params, const Tensors& grads, const Tensors& square_avg, const Tensors& grad_avg,
    const Tensors& momentum_buffer, const Tensors& step, const Operand& lr,
    const RmspropStepOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(grads), detail::value(square_avg), detail::value(grad_avg),
    detail::value(momentum_buffer), detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.alpha), detail::value(options.eps), detail::value(options.weight_decay),
    detail::value(options.momentum), detail::value(options.centered)};
  detail::call_all<0>({206, 1, "tenon.rmsprop_step"}, inputs, 7, attributes, 5);
}

struct RnnResult {
  Tensor y;
  Tensor h_n;
};
struct RnnOptions {
  Operand h0 = {};
  Operand b_ih = {};
  Operand b_hh = {};
  Operand lengths = {};
  std::string_view activation = "tanh";
  bool reverse = false;
  bool batch_first = false;
};
/// One plain recurrent layer in one direction, over sequences `x` of B batches: `[steps,B,I]`, with
/// `batch_first` `[B,steps,I]`. Op tenon.rnn.
inline RnnResult rnn(
    const Tensor& x, const Tensor& w_ih, const Tensor& w_hh, const RnnOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(w_ih), detail::value(w_hh), detail::value(options.h0),
    detail::value(options.b_ih), detail::value(options.b_hh), detail::value(options.lengths)};
  const tenon_value attributes[] = {
    detail::value(options.activation), detail::value(options.reverse),
    detail::value(options.batch_first)};
  auto [output0, output1] = detail::call_all<2>({207, 1, "tenon.rnn"}, inputs, 7, attributes, 3);
  return {std::move(output0), std::move(output1)};
}

struct RnnCellOptions {
  Operand h0 = {};
  Operand b_ih = {};
  Operand b_hh = {};
  std::string_view activation = "tanh";
};
/// One step of `tenon.rnn`, over the rows of `x` `[B,I]`: the new `h` `[B,H]` from `h0` (0 if
/// absent). Op tenon.rnn_cell.
inline Tensor rnn_cell(
    const Tensor& x, const Tensor& w_ih, const Tensor& w_hh, const RnnCellOptions& options = {},
    Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(w_ih), detail::value(w_hh), detail::value(options.h0),
    detail::value(options.b_ih), detail::value(options.b_hh)};
  const tenon_value attributes[] = {detail::value(options.activation)};
  return detail::call({208, 1, "tenon.rnn_cell"}, inputs, 6, attributes, 1, into);
}

struct RnnStepsResult {
  Tensor y;
  Tensor h_n;
};
struct RnnStepsOptions {
  Operand h0 = {};
  Operand b_ih = {};
  Operand b_hh = {};
  Operand lengths = {};
  std::string_view activation = "tanh";
  bool reverse = false;
  bool batch_first = false;
};
/// The steps of a plain recurrent layer, given what they make of their inputs: `gates` is `x
/// w_ih^T`, for each step of each sequence H numbers. Op tenon.rnn_steps.
inline RnnStepsResult rnn_steps(
    const Tensor& gates, const Tensor& w_hh, const RnnStepsOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(gates), detail::value(w_hh), detail::value(options.h0),
    detail::value(options.b_ih), detail::value(options.b_hh), detail::value(options.lengths)};
  const tenon_value attributes[] = {
    detail::value(options.activation), detail::value(options.reverse),
    detail::value(options.batch_first)};
  auto [output0, output1] = detail::call_all<2>(
      {209, 1, "tenon.rnn_steps"}, inputs, 6, attributes, 3);
  return {std::move(output0), std::move(output1)};
}

struct RnnStepsGradOptions {
  Operand dy = {};
  Operand dh_n = {};
  Operand lengths = {};
  std::string_view activation = "tanh";
  bool reverse = false;
  bool batch_first = false;
};
/// The gradients of `tenon.rnn_steps`, from its result `y` and the gradients of its outputs; those
/// that are absent are 0. Op tenon.rnn_steps_grad.
inline Tensor rnn_steps_grad(
    const Tensor& y, const Tensor& w_hh, const RnnStepsGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(y), detail::value(w_hh), detail::value(options.dy), detail::value(options.dh_n),
    detail::value(options.lengths)};
  const tenon_value attributes[] = {
    detail::value(options.activation), detail::value(options.reverse),
    detail::value(options.batch_first)};
  return detail::call({210, 1, "tenon.rnn_steps_grad"}, inputs, 5, attributes, 3, into);
}

struct RollOptions {
  RequiredInts shifts;
  OptionalInts axes = {};
};
/// The elements of `x` moved on by `shifts[k]` places along `axes[k]`; what leaves an axis at one
/// end comes back at the other. Op tenon.roll.
inline Tensor roll(const Tensor& x, const RollOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.shifts), detail::value(options.axes)};
  return detail::call({211, 1, "tenon.roll"}, inputs, 1, attributes, 2, into);
}

struct RopeOptions {
  Operand positions = {};
  std::string_view layout = "halves";
  std::int64_t offset = 0;
  bool inverse = false;
};
/// Rotary position embedding. Op tenon.rope.
inline Tensor rope(
    const Tensor& x, const Tensor& cos, const Tensor& sin, const RopeOptions& options = {},
    Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(x), detail::value(cos), detail::value(sin), detail::value(options.positions)};
  const tenon_value attributes[] = {
    detail::value(options.layout), detail::value(options.offset), detail::value(options.inverse)};
  return detail::call({212, 1, "tenon.rope"}, inputs, 4, attributes, 3, into);
}

struct RopeTableOptions {
  RequiredInts shape;
  std::string_view part = "cos";
  double base = 10000.0;
  double scale = 1.0;
  Dtype dtype = float32;
};
/// The cosines, or with `part="sin"` the sines, of `angle[p,i] = p * scale * base^(-i/R)`, with
/// `shape = [P, R]`: one of the two tables that `tenon.rope_tables` makes, by the attributes
/// `shape` and `dtype` that layers give to what makes their tensors. Op tenon.rope_table.
inline Tensor rope_table(const RopeTableOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.shape), detail::value(options.part), detail::value(options.base),
    detail::value(options.scale), detail::value(options.dtype)};
  return detail::call({213, 1, "tenon.rope_table"}, nullptr, 0, attributes, 5, into);
}

struct RopeTablesResult {
  Tensor cos;
  Tensor sin;
};
struct RopeTablesOptions {
  Required<std::int64_t> positions;
  Required<std::int64_t> dims;
  double base = 10000.0;
  double scale = 1.0;
  Dtype dtype = float32;
};
/// Cosine and sine of `angle[p,i] = p * scale * base^(-2i/dims)` for `positions` positions and the
/// `dims / 2` pairs of a row of which `dims` elements are rotated: the tables of `tenon.rope`. Op
/// tenon.rope_tables.
inline RopeTablesResult rope_tables(const RopeTablesOptions& options) {
  const tenon_value attributes[] = {
    detail::value(options.positions), detail::value(options.dims), detail::value(options.base),
    detail::value(options.scale), detail::value(options.dtype)};
  auto [output0, output1] = detail::call_all<2>(
      {214, 1, "tenon.rope_tables"}, nullptr, 0, attributes, 5);
  return {std::move(output0), std::move(output1)};
}

/// The whole number nearest to `x`; of two as near the even one. Op tenon.round.
inline Tensor round(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({215, 1, "tenon.round"}, inputs, 1, nullptr, 0, into);
}

/// Adds `values[r]` to row `indices[r]` of `x`, in place, for `r` ascending; a row named twice gets
/// both. Op tenon.rows_add.
inline void rows_add(const Tensor& x, const Tensor& indices, const Tensor& values) {
  const tenon_value inputs[] = {detail::value(x), detail::value(indices), detail::value(values)};
  detail::call_all<0>({216, 1, "tenon.rows_add"}, inputs, 3, nullptr, 0);
}

/// Puts `values[r]` in place of row `indices[r]` of `x`, in place, for `r` ascending; of a row
/// named twice the last one stays. Op tenon.rows_put.
inline void rows_put(const Tensor& x, const Tensor& indices, const Tensor& values) {
  const tenon_value inputs[] = {detail::value(x), detail::value(indices), detail::value(values)};
  detail::call_all<0>({217, 1, "tenon.rows_put"}, inputs, 3, nullptr, 0);
}

/// One over the square root: `y = 1 / sqrt(x)`. Op tenon.rsqrt.
inline Tensor rsqrt(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({218, 1, "tenon.rsqrt"}, inputs, 1, nullptr, 0, into);
}

struct RunsResult {
  Tensor starts;
  Tensor numbers;
};
/// For each element of the vector `x`: does it begin a run of equal elements, and which run is it
/// in, counted from 0? Zeros of either sign are equal; a NaN equals nothing, not even a NaN. Op
/// tenon.runs.
inline RunsResult runs(const Tensor& x) {
  const tenon_value inputs[] = {detail::value(x)};
  auto [output0, output1] = detail::call_all<2>({219, 1, "tenon.runs"}, inputs, 1, nullptr, 0);
  return {std::move(output0), std::move(output1)};
}

struct SampleOptions {
  double temperature = 1.0;
  std::int64_t top_k = 0;
  double top_p = 1.0;
  double min_p = 0.0;
};
/// Draws one token from each row of `logits`, whose last axis is that of the tokens: token `k` with
/// the probability `softmax(z)[k]`, where `z` is what `tenon.filter_logits` gives for the same
/// `temperature`, `top_k`, `top_p` and `min_p`. Op tenon.sample.
inline Tensor sample(const Tensor& logits, const SampleOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(logits)};
  const tenon_value attributes[] = {
    detail::value(options.temperature), detail::value(options.top_k), detail::value(options.top_p),
    detail::value(options.min_p)};
  return detail::call({220, 1, "tenon.sample"}, inputs, 1, attributes, 4, into);
}

struct ScatterOptions {
  Required<std::int64_t> axis;
};
/// A copy of `x` in which `y[a, indices[a, i, b], b] = src[a, i, b]`, where `i` runs along `axis`.
/// Op tenon.scatter.
inline Tensor scatter(
    const Tensor& x, const Tensor& indices, const Tensor& src, const ScatterOptions& options,
    Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(indices), detail::value(src)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({221, 1, "tenon.scatter"}, inputs, 3, attributes, 1, into);
}

struct ScatterAddOptions {
  Required<std::int64_t> axis;
};
/// A copy of `x` with `y[a, indices[a, i, b], b] += src[a, i, b]`, where `i` runs along `axis`. Op
/// tenon.scatter_add.
inline Tensor scatter_add(
    const Tensor& x, const Tensor& indices, const Tensor& src, const ScatterAddOptions& options,
    Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(indices), detail::value(src)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({222, 1, "tenon.scatter_add"}, inputs, 3, attributes, 1, into);
}

struct SearchsortedOptions {
  bool right = false;
};
/// For each element of `values` the place at which it can be put into `sorted` so that the order
/// holds: before all elements equal to it, with `right` after them. Op tenon.searchsorted.
inline Tensor searchsorted(
    const Tensor& sorted, const Tensor& values, const SearchsortedOptions& options = {},
    Into into = {}) {
  const tenon_value inputs[] = {detail::value(sorted), detail::value(values)};
  const tenon_value attributes[] = {detail::value(options.right)};
  return detail::call({223, 1, "tenon.searchsorted"}, inputs, 2, attributes, 1, into);
}

/// The scaled exponential linear unit: `y = scale * x` where `x > 0`, else `scale * alpha * (exp(x)
/// - 1)`, with `scale = 1.0507009873554804934` and `alpha = 1.6732632423543772848`, for which
/// activations keep mean 0 and variance 1. Op tenon.selu.
inline Tensor selu(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({224, 1, "tenon.selu"}, inputs, 1, nullptr, 0, into);
}

struct SgdRowsOptions {
  double momentum = 0.0;
  double dampening = 0.0;
  double weight_decay = 0.0;
  bool nesterov = false;
};
/// One step of `tenon.sgd_step` on the given rows of each parameter alone. Op tenon.sgd_rows.
inline void sgd_rows(
    const Tensors& params, const Tensors& indices, const Tensors& values,
    const Tensors& momentum_buffer, const Tensors& step, const Operand& lr,
    const SgdRowsOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(indices), detail::value(values),
    detail::value(momentum_buffer), detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.momentum), detail::value(options.dampening),
    detail::value(options.weight_decay), detail::value(options.nesterov)};
  detail::call_all<0>({225, 1, "tenon.sgd_rows"}, inputs, 6, attributes, 4);
}

struct SgdStepOptions {
  double momentum = 0.0;
  double dampening = 0.0;
  double weight_decay = 0.0;
  bool nesterov = false;
};
/// One step of stochastic gradient descent on each parameter, in place. Op tenon.sgd_step.
inline void sgd_step(
    const Tensors& params, const Tensors& grads, const Tensors& momentum_buffer,
    const Tensors& step, const Operand& lr, const SgdStepOptions& options = {}) {
  const tenon_value inputs[] = {
    detail::value(params), detail::value(grads), detail::value(momentum_buffer),
    detail::value(step), detail::value(lr)};
  const tenon_value attributes[] = {
    detail::value(options.momentum), detail::value(options.dampening),
    detail::value(options.weight_decay), detail::value(options.nesterov)};
  detail::call_all<0>({226, 1, "tenon.sgd_step"}, inputs, 5, attributes, 4);
}

/// The logistic function: `y = 1 / (1 + exp(-x))`. Op tenon.sigmoid.
inline Tensor sigmoid(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({227, 1, "tenon.sigmoid"}, inputs, 1, nullptr, 0, into);
}

/// The sign: 1 where `x > 0`, -1 where `x < 0`, 0 where `x` is a zero of either sign. Op
/// tenon.sign.
inline Tensor sign(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({228, 1, "tenon.sign"}, inputs, 1, nullptr, 0, into);
}

/// The sigmoid linear unit, also called swish: `y = x / (1 + exp(-x))`. Op tenon.silu.
inline Tensor silu(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({229, 1, "tenon.silu"}, inputs, 1, nullptr, 0, into);
}

/// The sine of an angle in radians: `y = sin(x)`. Op tenon.sin.
inline Tensor sin(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({230, 1, "tenon.sin"}, inputs, 1, nullptr, 0, into);
}

/// The hyperbolic sine: `y = (exp(x) - exp(-x)) / 2`. Op tenon.sinh.
inline Tensor sinh(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({231, 1, "tenon.sinh"}, inputs, 1, nullptr, 0, into);
}

struct SinusoidalPositionsOptions {
  RequiredInts shape;
  double base = 10000.0;
  Dtype dtype = float32;
};
/// What the first Transformer adds to its embeddings: a row for each position. Op
/// tenon.sinusoidal_positions.
inline Tensor sinusoidal_positions(const SinusoidalPositionsOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.shape), detail::value(options.base), detail::value(options.dtype)};
  return detail::call({232, 1, "tenon.sinusoidal_positions"}, nullptr, 0, attributes, 3, into);
}

struct SliceOptions {
  Required<std::int64_t> axis;
  std::optional<std::int64_t> start = {};
  std::optional<std::int64_t> stop = {};
  std::int64_t step = 1;
};
/// `x[start:stop:step]` along `axis`, as Python slices: negative places count from the end, places
/// outside are clipped, `none` is an end of the axis, and a negative step walks backward. Op
/// tenon.slice.
inline Tensor slice(const Tensor& x, const SliceOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axis), detail::value(options.start), detail::value(options.stop),
    detail::value(options.step)};
  return detail::call({233, 1, "tenon.slice"}, inputs, 1, attributes, 4, into);
}

struct SlicePutOptions {
  RequiredInts shape;
  Required<std::int64_t> axis;
  Required<std::int64_t> start;
  Required<std::int64_t> step;
};
/// Zeros of the given shape, with `dy` put in at `start`, `start + step`, ... along `axis`. Op
/// tenon.slice_put.
inline Tensor slice_put(const Tensor& dy, const SlicePutOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy)};
  const tenon_value attributes[] = {
    detail::value(options.shape), detail::value(options.axis), detail::value(options.start),
    detail::value(options.step)};
  return detail::call({234, 1, "tenon.slice_put"}, inputs, 1, attributes, 4, into);
}

struct SlogdetResult {
  Tensor sign;
  Tensor logabsdet;
};
/// Sign, and natural logarithm of the absolute value, of the determinants of the square matrices
/// that the last two dimensions hold: `det x = sign * exp(logabsdet)`, also where the determinant
/// itself is too large or too small for the dtype. Op tenon.slogdet.
inline SlogdetResult slogdet(const Tensor& x) {
  const tenon_value inputs[] = {detail::value(x)};
  auto [output0, output1] = detail::call_all<2>({235, 1, "tenon.slogdet"}, inputs, 1, nullptr, 0);
  return {std::move(output0), std::move(output1)};
}

struct SmoothL1LossOptions {
  std::string_view reduction = "mean";
  double beta = 1.0;
};
/// With `d = x - target`: `d^2 / (2 * beta)` where `|d| < beta`, else `|d| - beta / 2`; of these
/// the mean, with `reduction` "sum" the sum, with "none" each of them. Op tenon.smooth_l1_loss.
inline Tensor smooth_l1_loss(
    const Tensor& x, const Tensor& target, const SmoothL1LossOptions& options = {}, Into into = {}
    ) {
  const tenon_value inputs[] = {detail::value(x), detail::value(target)};
  const tenon_value attributes[] = {detail::value(options.reduction), detail::value(options.beta)};
  return detail::call({236, 1, "tenon.smooth_l1_loss"}, inputs, 2, attributes, 2, into);
}

struct SoftmaxOptions {
  std::int64_t axis = -1;
};
/// Exponentials scaled to sum to 1 along `axis`: `y = exp(x - m) / sum(exp(x - m))`, with `m` the
/// largest element, so that nothing overflows. Op tenon.softmax.
inline Tensor softmax(const Tensor& x, const SoftmaxOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({237, 1, "tenon.softmax"}, inputs, 1, attributes, 1, into);
}

struct SoftmaxCrossEntropyOptions {
  Operand weight = {};
  std::int64_t ignore_index = -100;
  double label_smoothing = 0.0;
  std::string_view reduction = "mean";
};
/// The mean negative log-likelihood of the target classes: `y = -(1/R) sum_n log_softmax(logits)[n,
/// target[n]]`, over the `R` rows whose target is not `ignore_index`. Op
/// tenon.softmax_cross_entropy.
inline Tensor softmax_cross_entropy(
    const Tensor& logits, const Tensor& target, const SoftmaxCrossEntropyOptions& options = {},
    Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(logits), detail::value(target), detail::value(options.weight)};
  const tenon_value attributes[] = {
    detail::value(options.ignore_index), detail::value(options.label_smoothing),
    detail::value(options.reduction)};
  return detail::call({238, 1, "tenon.softmax_cross_entropy"}, inputs, 3, attributes, 3, into);
}

struct SoftmaxCrossEntropyGradOptions {
  std::int64_t ignore_index = -100;
};
/// The gradient of `tenon.softmax_cross_entropy` for its logits, from its aux outputs `top` and
/// `top_prob`: `y[n,c] = dy/R * (p[n,c] - [c == target[n]])` in the `R` rows whose target is not
/// `ignore_index`, 0 in the others, with the probabilities `p[n,c] = exp(logits[n,c] - top[n]) *
/// top_prob[n]`. Op tenon.softmax_cross_entropy_grad.
inline Tensor softmax_cross_entropy_grad(
    const Operand& dy, const Tensor& logits, const Tensor& top, const Tensor& top_prob,
    const Tensor& target, const SoftmaxCrossEntropyGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {
    detail::value(dy), detail::value(logits), detail::value(top), detail::value(top_prob),
    detail::value(target)};
  const tenon_value attributes[] = {detail::value(options.ignore_index)};
  return detail::call({239, 1, "tenon.softmax_cross_entropy_grad"}, inputs, 5, attributes, 1, into);
}

struct SoftplusOptions {
  double beta = 1.0;
  double threshold = 20.0;
};
/// The smooth positive part: `y = ln(1 + exp(beta * x)) / beta`, and `x` itself where `beta * x` is
/// above `threshold`. Op tenon.softplus.
inline Tensor softplus(const Tensor& x, const SoftplusOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.beta), detail::value(options.threshold)};
  return detail::call({240, 1, "tenon.softplus"}, inputs, 1, attributes, 2, into);
}

/// The solution `y` of `a y = b` for square matrices `a`, which the last two dimensions hold. Op
/// tenon.solve.
inline Tensor solve(const Tensor& a, const Tensor& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({241, 1, "tenon.solve"}, inputs, 2, nullptr, 0, into);
}

struct SolveTriangularOptions {
  bool upper = false;
};
/// The solution `y` of `a y = b` for the lower triangles of square matrices `a`, or with `upper`
/// the upper ones; nothing else of `a` is read. Op tenon.solve_triangular.
inline Tensor solve_triangular(
    const Tensor& a, const Tensor& b, const SolveTriangularOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  const tenon_value attributes[] = {detail::value(options.upper)};
  return detail::call({242, 1, "tenon.solve_triangular"}, inputs, 2, attributes, 1, into);
}

struct SortResult {
  Tensor values;
  Tensor indices;
};
struct SortOptions {
  std::int64_t axis = -1;
  bool descending = false;
  bool stable = true;
};
/// The elements of each line along `axis` in ascending (`descending`: descending) order, and
/// `indices`, where each of them was. Op tenon.sort.
inline SortResult sort(const Tensor& x, const SortOptions& options = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axis), detail::value(options.descending), detail::value(options.stable)};
  auto [output0, output1] = detail::call_all<2>({243, 1, "tenon.sort"}, inputs, 1, attributes, 3);
  return {std::move(output0), std::move(output1)};
}

struct SplitOptions {
  RequiredInts sizes;
  Required<std::int64_t> index;
  std::int64_t axis = 0;
};
/// `x` cut along `axis` into pieces of the given `sizes`, which together are the whole axis: the
/// piece number `index`, where a negative number counts from the last. Op tenon.split.
inline Tensor split(const Tensor& x, const SplitOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.sizes), detail::value(options.index), detail::value(options.axis)};
  return detail::call({244, 1, "tenon.split"}, inputs, 1, attributes, 3, into);
}

/// The square root: `y = sqrt(x)`. Op tenon.sqrt.
inline Tensor sqrt(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({245, 1, "tenon.sqrt"}, inputs, 1, nullptr, 0, into);
}

/// The square: `y = x * x`. Op tenon.square.
inline Tensor square(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({246, 1, "tenon.square"}, inputs, 1, nullptr, 0, into);
}

struct SqueezeOptions {
  OptionalInts axes = {};
};
/// `x` without the dimensions `axes`, which must have size 1; without `axes`, without all
/// dimensions of size 1. Op tenon.squeeze.
inline Tensor squeeze(const Tensor& x, const SqueezeOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes)};
  return detail::call({247, 1, "tenon.squeeze"}, inputs, 1, attributes, 1, into);
}

struct StackOptions {
  std::int64_t axis = 0;
};
/// The tensors `xs`, all of one shape, along a new dimension, which is dimension `axis` of the
/// result. Op tenon.stack.
inline Tensor stack(const Tensors& xs, const StackOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(xs)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({248, 1, "tenon.stack"}, inputs, 1, attributes, 1, into);
}

struct StdOptions {
  OptionalInts axes = {};
  bool keepdims = false;
  double correction = 0.0;
};
/// The standard deviation over `axes`: the square root of `tenon.var`, whose attributes it has. Op
/// tenon.std.
inline Tensor std_(const Tensor& x, const StdOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axes), detail::value(options.keepdims), detail::value(options.correction)
    };
  return detail::call({249, 2, "tenon.std"}, inputs, 1, attributes, 3, into);
}

/// The difference: `y = a - b`. Op tenon.sub.
inline Tensor sub(const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(a), detail::value(b)};
  return detail::call({250, 1, "tenon.sub"}, inputs, 2, nullptr, 0, into);
}

struct SumOptions {
  OptionalInts axes = {};
  bool keepdims = false;
};
/// The sum over `axes` (none: all of them; an empty list: no axis, so that the values stay). Op
/// tenon.sum.
inline Tensor sum(const Tensor& x, const SumOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes), detail::value(options.keepdims)};
  return detail::call({251, 1, "tenon.sum"}, inputs, 1, attributes, 2, into);
}

struct SumToOptions {
  RequiredInts shape;
};
/// Sums `x` down to `shape`, which must be broadcastable to the shape of `x`: leading dimensions
/// vanish, and dimensions that are 1 in `shape` are summed. Op tenon.sum_to.
inline Tensor sum_to(const Tensor& x, const SumToOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.shape)};
  return detail::call({252, 1, "tenon.sum_to"}, inputs, 1, attributes, 1, into);
}

struct SvdResult {
  Tensor u;
  Tensor s;
  Tensor vh;
};
/// The reduced singular value decomposition `x = u diag(s) vh` of the matrices that the last two
/// dimensions hold: of `[...,M,N]`, with K the lesser of M and N, `u` is `[...,M,K]` with
/// orthonormal columns, `s` is `[...,K]`, descending and not negative, and `vh` is `[...,K,N]` with
/// orthonormal rows. Op tenon.svd.
inline SvdResult svd(const Tensor& x) {
  const tenon_value inputs[] = {detail::value(x)};
  auto [output0, output1, output2] = detail::call_all<3>(
      {253, 1, "tenon.svd"}, inputs, 1, nullptr, 0);
  return {std::move(output0), std::move(output1), std::move(output2)};
}

struct SwigluOptions {
  std::int64_t axis = -1;
};
/// The gated unit of Llama and its kin. Op tenon.swiglu.
inline Tensor swiglu(const Tensor& x, const SwigluOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({254, 1, "tenon.swiglu"}, inputs, 1, attributes, 1, into);
}

struct SwigluGradOptions {
  std::int64_t axis = -1;
};
/// The gradient of `tenon.swiglu` for its operand, both halves of it: with `s = sigmoid(a)` and `v
/// = silu(a)`, `y = [dy * b * (s + v * (1 - s)) | dy * v]` along `axis`. Op tenon.swiglu_grad.
inline Tensor swiglu_grad(
    const Tensor& dy, const Tensor& x, const SwigluGradOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(dy), detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({255, 1, "tenon.swiglu_grad"}, inputs, 2, attributes, 1, into);
}

struct TakeOptions {
  std::int64_t axis = 0;
};
/// The slices of `x` that `indices` names along `axis`: `y[a, i..., b] = x[a, indices[i...], b]`.
/// Op tenon.take.
inline Tensor take(
    const Tensor& x, const Tensor& indices, const TakeOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x), detail::value(indices)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({256, 1, "tenon.take"}, inputs, 2, attributes, 1, into);
}

struct TakeAlongAxisOptions {
  std::int64_t axis = -1;
};
/// `y[a, i, b] = x[a, indices[a, i, b], b]`, where `i` runs along `axis`. Op tenon.take_along_axis.
inline Tensor take_along_axis(
    const Tensor& x, const Tensor& indices, const TakeAlongAxisOptions& options = {}, Into into = {}
    ) {
  const tenon_value inputs[] = {detail::value(x), detail::value(indices)};
  const tenon_value attributes[] = {detail::value(options.axis)};
  return detail::call({257, 1, "tenon.take_along_axis"}, inputs, 2, attributes, 1, into);
}

/// The tangent of an angle in radians: `y = tan(x)`. Op tenon.tan.
inline Tensor tan(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({258, 1, "tenon.tan"}, inputs, 1, nullptr, 0, into);
}

/// The hyperbolic tangent: `y = tanh(x)`. Op tenon.tanh.
inline Tensor tanh(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({259, 1, "tenon.tanh"}, inputs, 1, nullptr, 0, into);
}

struct TileOptions {
  RequiredInts repetitions;
};
/// Copies of `x` side by side: `repetitions[d]` of them along dimension `d`. Op tenon.tile.
inline Tensor tile(const Tensor& x, const TileOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.repetitions)};
  return detail::call({260, 1, "tenon.tile"}, inputs, 1, attributes, 1, into);
}

struct ToOptions {
  Required<std::int64_t> kind;
  Required<std::int64_t> index;
};
/// The same elements on the device `{kind, index}`: `y = x`. Op tenon.to.
inline Tensor to(const Tensor& x, const ToOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.kind), detail::value(options.index)};
  return detail::call({261, 1, "tenon.to"}, inputs, 1, attributes, 2, into);
}

struct TopkResult {
  Tensor values;
  Tensor indices;
};
struct TopkOptions {
  Required<std::int64_t> k;
  std::int64_t axis = -1;
  bool largest = true;
  bool sorted = true;
};
/// The `k` largest (`largest=false`: smallest) elements of each line along `axis`, and `indices`,
/// where each of them was. Op tenon.topk.
inline TopkResult topk(const Tensor& x, const TopkOptions& options) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.k), detail::value(options.axis), detail::value(options.largest),
    detail::value(options.sorted)};
  auto [output0, output1] = detail::call_all<2>({262, 1, "tenon.topk"}, inputs, 1, attributes, 4);
  return {std::move(output0), std::move(output1)};
}

/// The sum of the main diagonal of the matrices that the last two dimensions hold. Op tenon.trace.
inline Tensor trace(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({263, 1, "tenon.trace"}, inputs, 1, nullptr, 0, into);
}

struct TransposeOptions {
  std::int64_t axis0 = -2;
  std::int64_t axis1 = -1;
};
/// Dimensions `axis0` and `axis1` of `x` change places; by default the last two. Op
/// tenon.transpose.
inline Tensor transpose(const Tensor& x, const TransposeOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axis0), detail::value(options.axis1)};
  return detail::call({264, 1, "tenon.transpose"}, inputs, 1, attributes, 2, into);
}

/// The slope of `tenon.digamma`: the second derivative of `log(Gamma(x))`. Op tenon.trigamma.
inline Tensor trigamma(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({265, 1, "tenon.trigamma"}, inputs, 1, nullptr, 0, into);
}

struct TrilOptions {
  std::int64_t diagonal = 0;
};
/// The lower triangle of the matrices that the last two dimensions hold: `y[m,n]` is `x[m,n]` where
/// `n <= m + diagonal`, and 0 elsewhere. Op tenon.tril.
inline Tensor tril(const Tensor& x, const TrilOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.diagonal)};
  return detail::call({266, 1, "tenon.tril"}, inputs, 1, attributes, 1, into);
}

struct TriuOptions {
  std::int64_t diagonal = 0;
};
/// The upper triangle of the matrices that the last two dimensions hold: `y[m,n]` is `x[m,n]` where
/// `n >= m + diagonal`, and 0 elsewhere. Op tenon.triu.
inline Tensor triu(const Tensor& x, const TriuOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.diagonal)};
  return detail::call({267, 1, "tenon.triu"}, inputs, 1, attributes, 1, into);
}

/// The whole number next to `x` on the side of 0. Op tenon.trunc.
inline Tensor trunc(const Tensor& x, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  return detail::call({268, 1, "tenon.trunc"}, inputs, 1, nullptr, 0, into);
}

struct TruncatedNormalOptions {
  RequiredInts shape;
  double mean = 0.0;
  double std_ = 1.0;
  double low = -2.0;
  double high = 2.0;
  Dtype dtype = float32;
};
/// Random numbers, normally distributed between two bounds: `y = mean + std * z`. Op
/// tenon.truncated_normal.
inline Tensor truncated_normal(const TruncatedNormalOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.shape), detail::value(options.mean), detail::value(options.std_),
    detail::value(options.low), detail::value(options.high), detail::value(options.dtype)};
  return detail::call({269, 1, "tenon.truncated_normal"}, nullptr, 0, attributes, 6, into);
}

struct UnfoldOptions {
  Required<std::int64_t> axis;
  Required<std::int64_t> size;
  std::int64_t step = 1;
};
/// The windows of `size` elements along `axis` that begin at 0, `step`, 2 `step`, ... and lie whole
/// within `x`: `axis` then counts the windows, and a new last dimension of `size` holds their
/// elements. Op tenon.unfold.
inline Tensor unfold(const Tensor& x, const UnfoldOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axis), detail::value(options.size), detail::value(options.step)};
  return detail::call({270, 1, "tenon.unfold"}, inputs, 1, attributes, 3, into);
}

struct UnfoldAddOptions {
  Required<std::int64_t> axis;
  Required<std::int64_t> length;
  std::int64_t step = 1;
};
/// Zeros with `length` elements along `axis`, to which the windows in the last dimension of `x` are
/// added: window `i` begins at `i step`. Op tenon.unfold_add.
inline Tensor unfold_add(const Tensor& x, const UnfoldAddOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axis), detail::value(options.length), detail::value(options.step)};
  return detail::call({271, 1, "tenon.unfold_add"}, inputs, 1, attributes, 3, into);
}

struct UniformOptions {
  RequiredInts shape;
  double low = 0.0;
  double high = 1.0;
  Dtype dtype = float32;
};
/// Random numbers, uniform in `[low, high)`: `y[i] = low + u(i) * (high - low)`. Op tenon.uniform.
inline Tensor uniform(const UniformOptions& options, Into into = {}) {
  const tenon_value attributes[] = {
    detail::value(options.shape), detail::value(options.low), detail::value(options.high),
    detail::value(options.dtype)};
  return detail::call({272, 1, "tenon.uniform"}, nullptr, 0, attributes, 4, into);
}

struct UniqueResult {
  Tensor values;
  Tensor indices;
  Tensor inverse;
  Tensor counts;
};
/// The different elements of `x` in ascending order (that of `tenon.sort`). Op tenon.unique.
inline UniqueResult unique(const Tensor& x) {
  const tenon_value inputs[] = {detail::value(x)};
  auto [output0, output1, output2, output3] = detail::call_all<4>(
      {273, 1, "tenon.unique"}, inputs, 1, nullptr, 0);
  return {std::move(output0), std::move(output1), std::move(output2), std::move(output3)};
}

struct UnsqueezeOptions {
  RequiredInts axes;
};
/// `x` with a new dimension of size 1 at each of `axes`, which are places in the result. Op
/// tenon.unsqueeze.
inline Tensor unsqueeze(const Tensor& x, const UnsqueezeOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.axes)};
  return detail::call({274, 1, "tenon.unsqueeze"}, inputs, 1, attributes, 1, into);
}

struct VarOptions {
  OptionalInts axes = {};
  bool keepdims = false;
  double correction = 0.0;
};
/// The variance over `axes` (none: all of them; an empty list: no axis): `y = sum((x - m)^2) / (n -
/// correction)`, with `m` the mean and `n` the number of the elements reduced into a result. Op
/// tenon.var.
inline Tensor var(const Tensor& x, const VarOptions& options = {}, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {
    detail::value(options.axes), detail::value(options.keepdims), detail::value(options.correction)
    };
  return detail::call({275, 2, "tenon.var"}, inputs, 1, attributes, 3, into);
}

struct ViewOptions {
  RequiredInts shape;
};
/// The elements of `x`, read in row-major order, in another shape, always in the memory of `x`:
/// where `tenon.reshape` would copy because of the strides of `x`, this op is an error that names
/// them. Op tenon.view.
inline Tensor view(const Tensor& x, const ViewOptions& options, Into into = {}) {
  const tenon_value inputs[] = {detail::value(x)};
  const tenon_value attributes[] = {detail::value(options.shape)};
  return detail::call({276, 1, "tenon.view"}, inputs, 1, attributes, 1, into);
}

/// Picks from `a` where `condition` is true and from `b` where it is false. Op tenon.where.
inline Tensor where(const Operand& condition, const Operand& a, const Operand& b, Into into = {}) {
  const tenon_value inputs[] = {detail::value(condition), detail::value(a), detail::value(b)};
  return detail::call({277, 1, "tenon.where"}, inputs, 3, nullptr, 0, into);
}

}  // namespace tenon

#endif  // TENON_OPS_HPP
