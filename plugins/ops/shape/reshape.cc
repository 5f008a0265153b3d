// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/reshape.cc: reshape, the same elements in another shape.
//
// y = x in row-major order, cut anew;  dx = dy in x's shape. Source: array-api `reshape`.
#include <algorithm>

#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.reshape";

constexpr std::string_view doc =
    R"(The elements of `x`, read in row-major order, in another shape. One size may be -1: it is
what is left over.

A view where the strides of `x` allow it, else a copy.

Gradient: `dx` is `dy` in the shape of `x`.

Source: Python array API standard, `reshape`; when a view exists as in PyTorch's
`computeStride` (`aten/src/ATen/TensorUtils.cpp`).

Canonical arithmetic: none; bits are moved.)";

rules::Dims target_of(const sdk::Args& args) {
  const std::span<const int64_t> shape = args.shape(0);
  const std::span<const int64_t> given = args.attrs.ints(0);
  const int64_t count = sdk::count_of(shape);
  const auto open = std::count(given.begin(), given.end(), -1);
  if (open > 1) {
    throw sdk::Failure{TENON_E_SHAPE, "shape has more than one -1", "shape", "at most one -1",
                       sdk::shape_text(given)};
  }
  const size_t place =
      static_cast<size_t>(std::find(given.begin(), given.end(), -1) - given.begin());
  rules::Dims target(given);
  if (open == 1) target[place] = 1;
  target = rules::checked_shape(target.span(), "shape");
  const int64_t known = sdk::count_of(target.span());
  if (open == 1 && known == 0) {
    throw sdk::Failure{TENON_E_SHAPE, "-1 could be any size beside a size of 0", "shape",
                       "sizes without -1", sdk::shape_text(given)};
  }
  if (open == 1 && count % known == 0) {
    target[place] = count / known;
  } else if (open == 1 || known != count) {
    throw sdk::Failure{TENON_E_SHAPE,
                       "the " + std::to_string(count) + " elements of " + sdk::shape_text(shape) +
                           " do not fill " + sdk::shape_text(given),
                       "shape", "sizes whose product is " + std::to_string(count),
                       sdk::shape_text(given)};
  }
  return target;
}

// Gives strides to the target dimensions, from the last on, that together hold the `run` elements
// `stride` apart; false, with the copy asked for, where no whole dimensions do.
bool use_up(int64_t run, int64_t stride, const rules::Dims& target, size_t& to,
            tenon_view_result& out) {
  int64_t used = 1;
  while (to > 0 && used < run) {
    --to;
    out.strides[to] = used * stride;
    used *= target[to];
  }
  out.copy_needed = used == run ? 0 : 1;
  return used == run;
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], target_of(args).span());
}

// Runs of dimensions of x that lie in memory as one dimension would are split and merged freely;
// every run must be used up by whole dimensions of the target.
void view(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  const rules::Dims target = target_of(args);
  out.rank = static_cast<int32_t>(target.count());
  std::copy_n(target.span().begin(), target.count(), out.shape);
  const bool empty = sdk::count_of(args.shape(0)) == 0;
  size_t to = target.count();  // target dimensions still without a stride
  int64_t run = 1;             // elements of the run, from its last dimension on
  int64_t run_stride = 1;      // stride of the run's last dimension
  int64_t next_stride = 1;     // stride that merges with the run
  for (size_t from = static_cast<size_t>(x.rank); from-- > 0 && !empty;) {
    if (x.shape[from] == 1) continue;
    if (run > 1 && x.strides[from] == next_stride) {
      run *= x.shape[from];
      next_stride *= x.shape[from];
      continue;
    }
    if (!use_up(run, run_stride, target, to, out)) return;
    run = x.shape[from];
    run_stride = x.strides[from];
    next_stride = run_stride * run;
  }
  if (!use_up(run, run_stride, target, to, out)) return;
  // What is left are sizes of 1, or the dimensions of an empty tensor: any strides serve.
  for (int64_t stride = 1; to > 0; stride *= std::max<int64_t>(target[to], 1)) {
    out.strides[--to] = stride;
  }
}

void vjp(sdk::Vjp& v) { v.grad(0, rules::reshape(v, v.dy(), rules::Dims(v.in_meta(0)))); }

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "reshape(x: T[...], *, shape: int[]) -> T[...]",
                                          .doc = doc,
                                          .flags = TENON_OP_LINEAR,
                                          .infer = sdk::infer_fn<infer>,
                                          .view = sdk::view_fn<view>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3] | shape=[3,2]"),
    sdk::sample(name, "f64[2,3] | shape=[-1]"),
    sdk::sample(name, "f64[2,3,4] | shape=[6,-1]"),
    sdk::sample(name, "f64[6] | shape=[1,2,1,3]"),
    sdk::sample(name, "f64[1] | shape=[]"),
    sdk::sample(name, "f64[] | shape=[1,1]"),
    sdk::sample(name, "f64[2,0,3] | shape=[0,5]"),
    sdk::sample(name, "f64[0,4] | shape=[4,-1]"),
    sdk::sample(name, "i64[4] | shape=[2,2]"),
    sdk::sample(name, "f32[2,3]{0.0,-0.0,inf,-inf,nan,1e-45} | shape=[3,2]"),
    sdk::sample(name,
                "f64[2,3]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | shape=[3,2]"),
    sdk::sample(name, "f16[2,3]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | shape=[3,2]"),
    sdk::sample(name, "bf16[2,3]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | shape=[3,2]"),
    sdk::sample(name, "i64[2,3]{-9223372036854775808,-1,0,1,2,9223372036854775807} | shape=[3,2]"),
    sdk::sample(name, "bool[2,3] | shape=[3,2]"),
    sdk::refused(name, "f32[2,3] | shape=[4]", TENON_E_SHAPE, "6 elements"),
    sdk::refused(name, "f32[2,3] | shape=[-1,4]", TENON_E_SHAPE, "6 elements"),
    sdk::refused(name, "f32[2,3] | shape=[-1,-1]", TENON_E_SHAPE, "more than one -1"),
    sdk::refused(name, "f32[2,3] | shape=[-2,-3]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "f32[0] | shape=[0,-1]", TENON_E_SHAPE, "-1 could be any size"),
    sdk::refused(name, "f32[6]", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "f32[6] | shape=6", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[6]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(reshape) = {.ops = ops, .vjps = vjps, .samples = samples};
