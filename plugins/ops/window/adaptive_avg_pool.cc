// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/adaptive_avg_pool.cc: adaptive_avg_pool, an image averaged down to a size.
//
// y[n,c,i] = mean of x[n,c,j] for floor(i n / m) <= j < ceil((i + 1) n / m);  dx in
// adaptive_avg_pool_grad. Source: PyTorch's `adaptive_avg_pool2d`.
#include "window/pools.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace pools = tenon::pools;
constexpr std::string_view name = "tenon.adaptive_avg_pool";

constexpr std::string_view doc =
    R"(Averages an image of 1 to 3 dimensions down to `size`, which is one number for all of them or
one for each: along a dimension of `n` places that becomes `m`, number `i` of the result averages
over the places from `floor(i * n / m)` to `ceil((i + 1) * n / m) - 1`. Where `m` does not divide
`n` these overlap; where `m` is larger they repeat. A size of 1 is the mean over the dimension.

Gradient: `dy` divided by the number of places, added at each of them
(`tenon.adaptive_avg_pool_grad`).

Source: PyTorch, `adaptive_avg_pool2d`.

Canonical arithmetic: from 0, places are added in row-major order, in f32 for f16, bf16 and f32, in
f64 for f64; the sum is divided by their number once, and rounded to T. The sum may leave the range
where the average does not.)";

rules::Dims size_of(const sdk::Attrs& attrs, std::span<const int64_t> shape) {
  const std::span<const int64_t> image = pools::image_of(shape, "x");
  const std::span<const int64_t> given = attrs.ints(0);
  rules::Dims size;
  for (size_t d = 0; d < image.size() && given.size() == 1; ++d) size.push(given[0]);
  if (given.size() != 1) size = rules::Dims(pools::image_size(given, shape, "x"));
  pools::check_parts(image, size.span(), "x");
  return size;
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const rules::Dims size = size_of(args.attrs, args.shape(0));
  const rules::Dims shape = pools::with_image(args.shape(0), size.span());
  sdk::set_shape(out[0], rules::checked_shape(shape.span(), "size").span());
}

void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  const rules::Dims size = size_of(c.attrs, rules::shape_of(meta));
  tenon_tensor* x = rules::widened(c, c.in(0)).tensor();
  std::array<pools::Parts, sdk::kMaxWindowRank> parts;
  for (size_t d = 0; d < size.count(); ++d) {
    const size_t axis = pools::kFirst + d;
    parts[d] = pools::parts_of(c, meta.shape[axis], size[d]);
    x = c.call("tenon.index_select", {x, parts[d].places}, {static_cast<int64_t>(axis)});
    x = rules::reshape(c, x, pools::divided(c.meta(x), axis, parts[d].count, parts[d].length));
    const auto places = static_cast<int64_t>(axis + 1);
    x = c.call("tenon.sum", {pools::inside_parts(c, x, parts[d], axis)},
               {std::span<const int64_t>(&places, 1)});
  }
  tenon_tensor* counts =
      pools::part_counts(c, std::span(parts).first(size.count()), c.meta(x).dtype);
  c.set(0, rules::rounded_to(c, c.call("tenon.div", {x, counts}), meta.dtype));
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const sdk::Value size(shape.span().subspan(pools::kFirst));
  v.grad(0, v.call("tenon.adaptive_avg_pool_grad", {v.dy()}, {size}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "adaptive_avg_pool(x: T[N,C,...], *, size: int[]) -> T[N,C,...] where T: "
                       "float",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[1,2,4,6] | size=[2,3]"),
    sdk::sample(name, "f64[2,1,5,3] | size=[2]"),
    sdk::sample(name, "f64[1,2,7] | size=[3]"),
    sdk::sample(name, "f64[1,2,3] | size=[5]"),
    sdk::sample(name, "f64[2,2,3,4] | size=[1]"),
    sdk::sample(name, "f64[1,1,3,5,4] | size=[2,4,1]"),
    sdk::sample(name, "f64[1,1,2,2,3] | size=[2,2,3]"),
    sdk::sample(name, "f64[1,3,1] | size=[1]"),
    sdk::sample(name, "f64[1,1,48] | size=[24]"),
    sdk::sample(name, "f64[1,19,1,3] | size=[1,2]"),
    sdk::sample(name, "f64[9,2,3] | size=[2]"),
    sdk::sample(name, "f64[0,2,4] | size=[2]"),
    sdk::sample(name, "f64[2,0,4,4] | size=[2]"),
    sdk::sample(name, "f64[1,1,17,3](-9,9) | size=[7,2]"),
    sdk::sample(name, "f32[1,1,2,4]{nan,1.0,inf,1.0,0.0,-0.0,-inf,1.0} | size=[2]"),
    sdk::sample(name, "f32[1,1,6]{-0.0,-0.0,1e-45,1e-45,-1e-45,1.1754944e-38} | size=[3]"),
    sdk::sample(name, "f32[1,1,4]{3.4028235e38,-3.4028235e38,3.4028235e38,1.0} | size=[2]"),
    sdk::sample(name,
                "f64[1,1,6]{1.7976931348623157e308,-1.7976931348623157e308,5e-324,-0.0,"
                "2.2250738585072014e-308,5e-324} | size=[3]"),
    sdk::sample(name, "f16[1,1,6]{65504.0,65504.0,6e-8,6e-8,6.1035e-5,-6e-8} | size=[3]"),
    sdk::sample(name, "bf16[1,1,6]{3.39e38,-1e38,9.2e-41,9.2e-41,1.1755e-38,1.0} | size=[3]"),
    sdk::refused(name, "f32[2,3] | size=[1]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "2.0 | size=[1]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "f32[1,1,4] | size=[2,2]", TENON_E_ATTRIBUTE, "a number for each dimension"),
    sdk::refused(name, "f32[1,1,4] | size=[]", TENON_E_ATTRIBUTE, "a number for each dimension"),
    sdk::refused(name, "f32[1,1,4] | size=[0]", TENON_E_ATTRIBUTE, "size is out of range"),
    sdk::refused(name, "f32[1,1,4] | size=[1073741825]", TENON_E_ATTRIBUTE, "size is out of range"),
    sdk::refused(name, "f32[1,1,4,0] | size=[1]", TENON_E_SHAPE, "dimension 3 is empty"),
    sdk::refused(name, "f32[1,1,4]", TENON_E_ATTRIBUTE, "size"),
    sdk::refused(name, "i32[1,1,4] | size=[1]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "| size=[1]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Additions in another order round differently, by as much as the largest partial sums; the "
    "division rounds once more.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {2, 4e-06}, .f64 = {2, 1e-14}});

}  // namespace

TENON_UNIT(adaptive_avg_pool) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
