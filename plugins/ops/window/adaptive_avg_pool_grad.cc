// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/adaptive_avg_pool_grad.cc: adaptive_avg_pool_grad, numbers shared among the
// places that were averaged to one.
//
// y = 0;  y[n,c,j] += dy[n,c,i] / count(i) for floor(i n / m) <= j < ceil((i + 1) n / m);  the
// gradient is adaptive_avg_pool. Source: the adjoint of adaptive_avg_pool; PyTorch's
// `adaptive_avg_pool2d`, its gradient.
#include "window/pools.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace pools = tenon::pools;
constexpr std::string_view name = "tenon.adaptive_avg_pool_grad";

constexpr std::string_view doc =
    R"(Zeros of the shape `[N, C, size...]`, to which each number of `dy`, divided by how many
places `tenon.adaptive_avg_pool` averages to it, is added at each of these places. It is the
backward rule of `tenon.adaptive_avg_pool` and its adjoint; `size` is that of the image.

Gradient: `tenon.adaptive_avg_pool` of the output's gradient.

Source: PyTorch, `adaptive_avg_pool2d`, its gradient.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: each number of `dy` divided by
its count; for each place from 0, numbers of `dy` in row-major order; rounded once at the end.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> dy = args.shape(0);
  const std::span<const int64_t> size = pools::image_size(args.attrs.ints(0), dy, "dy");
  pools::check_parts(pools::image_of(dy, "dy"), size, "dy");
  const rules::Dims shape = pools::with_image(dy, size);
  sdk::set_shape(out[0], rules::checked_shape(shape.span(), "size").span());
}

// The numbers of dy along one axis, added at their places among `size`.
tenon_tensor* spread(sdk::Compose& c, tenon_tensor* dy, const pools::Parts& parts, size_t axis,
                     int64_t size) {
  rules::Dims one = pools::divided(c.meta(dy), axis, parts.count, 1);
  dy = rules::reshape(c, dy, one);
  one[axis + 1] = parts.length;
  dy = pools::inside_parts(c, rules::expand(c, dy, one), parts, axis);
  rules::Dims flat;
  rules::Dims sums;
  for (size_t d = 0; d < one.count(); ++d) {
    if (d == axis + 1) continue;
    flat.push(d == axis ? parts.count * parts.length : one[d]);
    sums.push(d == axis ? size : one[d]);
  }
  tenon_tensor* places = pools::along(c, parts.places, axis, flat.count());
  return rules::scattered_sum(c, sums, rules::expand(c, places, flat), rules::reshape(c, dy, flat),
                              static_cast<int64_t>(axis));
}

void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  const std::span<const int64_t> size = c.attrs.ints(0);
  tenon_tensor* dy = rules::widened(c, c.in(0)).tensor();
  std::array<pools::Parts, sdk::kMaxWindowRank> parts;
  for (size_t d = 0; d < size.size(); ++d) {
    parts[d] = pools::parts_of(c, size[d], meta.shape[pools::kFirst + d]);
  }
  tenon_tensor* counts =
      pools::part_counts(c, std::span(parts).first(size.size()), c.meta(dy).dtype);
  dy = c.call("tenon.div", {dy, counts});
  for (size_t d = size.size(); d-- > 0;) {
    dy = spread(c, dy, parts[d], pools::kFirst + d, size[d]);
  }
  c.set(0, rules::rounded_to(c, dy, meta.dtype));
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const sdk::Value size(shape.span().subspan(pools::kFirst));
  v.grad(0, v.call("tenon.adaptive_avg_pool", {v.dy()}, {size}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "adaptive_avg_pool_grad(dy: T[N,C,...], *, size: int[]) -> T[N,C,...] "
                       "where T: float",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[1,2,2,3] | size=[4,6]"),
    sdk::sample(name, "f64[2,1,2,2] | size=[5,3]"),
    sdk::sample(name, "f64[1,2,3] | size=[7]"),
    sdk::sample(name, "f64[1,2,5] | size=[3]"),
    sdk::sample(name, "f64[2,2,1,1] | size=[3,4]"),
    sdk::sample(name, "f64[1,1,2,4,1] | size=[3,5,4]"),
    sdk::sample(name, "f64[1,3,1] | size=[1]"),
    sdk::sample(name, "f64[1,1,20] | size=[40]"),
    sdk::sample(name, "f64[1,19,1,2] | size=[1,3]"),
    sdk::sample(name, "f64[9,2,1] | size=[3]"),
    sdk::sample(name, "f64[0,2,2] | size=[4]"),
    sdk::sample(name, "f64[2,0,2,2] | size=[4,4]"),
    sdk::sample(name, "f32[1,1,11](0,1) | size=[5]"),
    sdk::sample(name, "f32[1,1,5]{nan,inf,-inf,1.0,-0.0} | size=[6]"),
    sdk::sample(name, "f32[1,1,4]{3.4028235e38,3.4028235e38,1e-45,-0.0} | size=[5]"),
    sdk::sample(name,
                "f64[1,1,3]{1.7976931348623157e308,5e-324,2.2250738585072014e-308} | size=[3]"),
    sdk::sample(name, "f16[1,1,4]{65504.0,65504.0,6e-8,6.1035e-5} | size=[5]"),
    sdk::sample(name, "bf16[1,1,4]{3.39e38,3.39e38,9.2e-41,1.1755e-38} | size=[5]"),
    sdk::refused(name, "f32[1,2] | size=[4]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "2.0 | size=[4]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "f32[1,1,2] | size=[4,4]", TENON_E_ATTRIBUTE, "a number for each dimension"),
    sdk::refused(name, "f32[1,1,2] | size=[0]", TENON_E_ATTRIBUTE, "size is out of range"),
    sdk::refused(name, "f32[1,1,0] | size=[4]", TENON_E_SHAPE, "dimension 2 is empty"),
    sdk::refused(name, "f32[1,1,2]", TENON_E_ATTRIBUTE, "size"),
    sdk::refused(name, "i32[1,1,2] | size=[4]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "| size=[4]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Quotients are rounded, and additions in another order round differently, by as much as the "
    "largest partial sums.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {2, 4e-06}, .f64 = {2, 1e-14}});

}  // namespace

TENON_UNIT(adaptive_avg_pool_grad) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
