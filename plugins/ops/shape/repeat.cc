// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/repeat.cc: repeat, each element several times.
//
// y[..., i, ...] = x[..., floor(i / repeats), ...];  dx = the sum over the copies of dy.
// Source: array-api `repeat`.
#include "shape/copies.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.repeat";

constexpr std::string_view doc =
    R"(Each element along `axis`, `repeats` times one after another; without `axis`, of `x` read in
row-major order, and the result has one dimension. Whole copies side by side are `tenon.tile`.

Gradient: `dx` is `dy` summed over the copies of each element.

Source: Python array API standard, `repeat`, with one number for all elements; PyTorch's
`repeat_interleave`.

Canonical arithmetic: none; bits are repeated.)";

enum Attribute : uint32_t { kRepeats, kAxis, kAttributes };

// How many neighbours are repeated as one.
int64_t block_of(std::span<const int64_t> shape, const tenon_value& axis) {
  if (axis.tag == TENON_VALUE_NONE) return 1;
  const auto index = static_cast<size_t>(rules::axis_of(axis.as.i64, shape.size(), "axis"));
  return sdk::count_of(shape.subspan(index + 1));
}

rules::Dims result_of(std::span<const int64_t> shape, int64_t copies, const tenon_value& axis) {
  rules::checked_copies(copies, "repeats");
  if (axis.tag == TENON_VALUE_NONE) {
    const int64_t sizes[] = {sdk::count_of(shape), copies};
    rules::checked_shape(sizes, "repeats");
    rules::Dims flat;
    flat.push(sizes[0] * copies);
    return flat;
  }
  rules::Dims result(shape);
  const auto index = static_cast<size_t>(rules::axis_of(axis.as.i64, shape.size(), "axis"));
  const int64_t sizes[] = {result[index], copies};
  rules::checked_shape(sizes, "repeats");
  result[index] *= copies;
  return rules::checked_shape(result.span(), "repeats");
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0],
                 result_of(args.shape(0), args.attrs.integer(kRepeats), args.attrs[kAxis]).span());
}

void compose(sdk::Compose& c) {
  const rules::Dims shape(c.meta(c.in(0).tensor()));
  const int64_t copies = c.attrs.integer(kRepeats);
  tenon_tensor* repeated = rules::repeat_blocks(c, c.in(0), sdk::count_of(shape.span()),
                                                block_of(shape.span(), c.attrs[kAxis]), copies);
  const rules::Dims result = result_of(shape.span(), copies, c.attrs[kAxis]);
  c.set(0, rules::reshape(c, repeated, result));
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  v.grad(0, rules::sum_blocks(v, v.dy(), shape, block_of(shape.span(), v.attr(kAxis)),
                              v.attr(kRepeats).as.i64));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "repeat(x: T[...], *, repeats: int, axis: int?) -> T[...]",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = kAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3] | repeats=2"),
    sdk::sample(name, "f64[2,3] | repeats=2, axis=1"),
    sdk::sample(name, "f64[2,3] | repeats=3, axis=0"),
    sdk::sample(name, "f64[2,3] | repeats=2"),
    sdk::sample(name, "f64[2,1,3,2] | repeats=2, axis=-2"),
    sdk::sample(name, "f64[2,3] | repeats=1, axis=0"),
    sdk::sample(name, "f64[2,3] | repeats=0, axis=1"),
    sdk::sample(name, "f64[] | repeats=3"),
    sdk::sample(name, "f64[0,2] | repeats=2, axis=0"),
    sdk::sample(name, "f64[2,0] | repeats=2, axis=0"),
    sdk::sample(name, "f32[6]{0.0,-0.0,inf,-inf,nan,1e-45} | repeats=2"),
    sdk::sample(name, "f64[6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | repeats=2"),
    sdk::sample(name, "f16[6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | repeats=2"),
    sdk::sample(name, "bf16[6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | repeats=2"),
    sdk::sample(name, "i64[6]{-9223372036854775808,-1,0,1,2,9223372036854775807} | repeats=3"),
    sdk::sample(name, "bool[2,3] | repeats=2, axis=1"),
    sdk::refused(name, "f32[2] | repeats=-1", TENON_E_ATTRIBUTE, "repeats is negative"),
    sdk::refused(name, "f32[2] | repeats=2, axis=1", TENON_E_ATTRIBUTE, "axis is out of range"),
    sdk::refused(name, "f32[] | repeats=2, axis=0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[2] | repeats=9223372036854775807", TENON_E_SHAPE, "too many elements"),
    sdk::refused(name, "f32[2,3] | repeats=9223372036854775807, axis=0", TENON_E_SHAPE,
                 "too many elements"),
    sdk::refused(name, "f32[2]", TENON_E_ATTRIBUTE, "repeats"),
    sdk::refused(name, "| repeats=2", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(repeat) = {.ops = ops, .vjps = vjps, .samples = samples};
