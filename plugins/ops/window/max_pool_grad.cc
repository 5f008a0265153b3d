// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/max_pool_grad.cc: max_pool_grad, numbers of windows added up at the places
// that these took.
//
// y = 0;  y[n,c,positions[n,c,w]] += dy[n,c,w];  the gradient is what stands at these places.
// Source: PyTorch's `max_pool2d`, its gradient; `max_unpool2d`.
#include "window/pools.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace pools = tenon::pools;
constexpr std::string_view name = "tenon.max_pool_grad";

constexpr std::string_view doc =
    R"(Zeros of the shape `[N, C, size...]`, to which each number of `dy` is added at the place of
its image that `positions` names, row by row over the image; -1 names none. It is the backward rule
of `tenon.max_pool`. A position outside of the image is refused, negative ones but -1 too.

Gradient: the numbers at these places, and 0 for a position of -1; `positions` has none.

Source: PyTorch, `max_pool2d`, its gradient.

Canonical arithmetic: for each place from 0, windows in row-major order, in f32 for f16, bf16 and
f32, in f64 for f64; rounded once at the end.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> size = pools::image_size(args.attrs.ints(0), args.shape(0), "dy");
  if (args.view(1).flags & TENON_VIEW_HOST_SCALAR) {
    throw sdk::Failure{TENON_E_ARGUMENT, "positions must be a tensor", "positions",
                       "a tensor of i64", "a number"};
  }
  if (!std::ranges::equal(args.shape(0), args.shape(1))) {
    throw sdk::Failure{TENON_E_SHAPE, "positions must have the shape of dy", "positions",
                       sdk::shape_text(args.shape(0)), sdk::shape_text(args.shape(1))};
  }
  const rules::Dims shape = pools::with_image(args.shape(0), size);
  sdk::set_shape(out[0], rules::checked_shape(shape.span(), "size").span());
}

// [N,C,...] as [N,C,all of them].
tenon_tensor* flat(sdk::Calls& c, sdk::Value x) {
  const tenon_meta meta = c.meta(x.tensor());
  const int64_t places = sdk::count_of(rules::shape_of(meta).subspan(pools::kFirst));
  return rules::reshape(c, x, pools::with_image(rules::shape_of(meta), {&places, 1}));
}

// Which windows took no place, and positions with 0 there.
struct Taken {
  tenon_tensor* nowhere;
  tenon_tensor* places;
};
Taken taken(sdk::Calls& c, sdk::Value positions) {
  tenon_tensor* nowhere = c.call("tenon.eq", {positions, -1});
  return {nowhere, c.call("tenon.where", {nowhere, 0, positions})};
}

void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  const std::span<const int64_t> size = c.attrs.ints(0);
  const int64_t places = sdk::count_of(size);
  const rules::Dims shape = pools::with_image(rules::shape_of(meta), size);
  const Taken positions = taken(c, c.in(1));
  tenon_tensor* dy = rules::widened(c, c.in(0)).tensor();
  dy = c.call("tenon.where", {positions.nowhere, 0, dy});
  const rules::Dims line = pools::with_image(rules::shape_of(meta), {&places, 1});
  if (places == 0) return c.set(0, rules::zeros_beside(c, c.in(0), shape));
  tenon_tensor* sum =
      rules::scattered_sum(c, line, flat(c, positions.places), flat(c, dy), int64_t{2});
  c.set(0, rules::rounded_to(c, rules::reshape(c, sum, shape), meta.dtype));
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const sdk::Value dy = v.dy();
  const sdk::Value size = v.attr(0);
  if (sdk::count_of({size.as.ints, size.count}) == 0) {
    return v.grad(0, rules::zeros_beside(v, dy, shape));
  }
  const Taken positions = taken(v, v.in(1));
  tenon_tensor* picked =
      v.call("tenon.gather", {flat(v, dy), flat(v, positions.places)}, {int64_t{2}});
  picked = rules::reshape(v, picked, shape);
  v.grad(0, v.call("tenon.where", {positions.nowhere, 0, picked}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "max_pool_grad(dy: T[N,C,...W], positions: i64[N,C,...W], *, size: int[]) "
                       "-> T[N,C,...] where T: float",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(1), .input_metas = sdk::bit(0)}),
                                    {}};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_attrs = 1,
                                             .non_differentiable = sdk::bit(1)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[1,2,2,2], i64[1,2,2,2]{0,4,3,8,1,1,5,7} | size=[3,3]"),
    sdk::sample(name, "f64[2,1,3], i64[2,1,3]{0,2,2,-1,3,0} | size=[4]"),
    sdk::sample(name, "f64[1,1,2,1,3], i64[1,1,2,1,3]{11,0,5,5,5,1} | size=[2,2,3]"),
    sdk::sample(name, "f64[1,1,4], i64[1,1,4]{2,2,2,2} | size=[3]"),
    sdk::sample(name, "f64[1,2,1], i64[1,2,1]{0,-1} | size=[1]"),
    sdk::sample(name, "f64[1,2,2], i64[1,2,2]{-1,-1,-1,-1} | size=[0]"),
    sdk::sample(name, "f64[0,2,2], i64[0,2,2] | size=[4]"),
    sdk::sample(name, "f64[2,1,0], i64[2,1,0] | size=[4]"),
    sdk::sample(name,
                "f32[1,1,6]{nan,inf,-inf,1.0,-0.0,-0.0}, i64[1,1,6]{0,1,1,2,3,-1} | size=[5]"),
    sdk::sample(
        name, "f32[1,1,4]{3.4028235e38,3.4028235e38,1e-45,1e-45}, i64[1,1,4]{0,0,1,1} | size=[2]"),
    sdk::sample(name,
                "f64[1,1,4]{1.7976931348623157e308,1.7976931348623157e308,5e-324,2.3e-308}, "
                "i64[1,1,4]{0,0,1,1} | size=[2]"),
    sdk::sample(name, "f16[1,1,5]{65504.0,16.0,-16.0,6e-8,6e-8}, i64[1,1,5]{0,0,0,1,1} | size=[2]"),
    sdk::sample(name,
                "bf16[1,1,5]{3.39e38,1e36,-1e36,9.2e-41,256.0}, i64[1,1,5]{0,0,0,1,1} | size=[2]"),
    sdk::refused(name, "f32[1,1,2], i64[1,1,2]{0,4} | size=[4]", TENON_E_DATA, "is 4, outside"),
    sdk::refused(name, "f32[1,1,2], i64[1,1,2]{0,-2} | size=[4]", TENON_E_DATA, "is -2, outside"),
    sdk::refused(name, "f32[1,1,2], i64[1,1,3]{0,1,2} | size=[4]", TENON_E_SHAPE,
                 "positions must have the shape"),
    sdk::refused(name, "f32[1,1,2], i64[1,1,2]{0,0} | size=[4,4]", TENON_E_ATTRIBUTE,
                 "a number for each dimension"),
    sdk::refused(name, "f32[1,1,2], i64[1,1,2]{0,0} | size=[-1]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "f32[1,2], i64[1,2]{0,0} | size=[4]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "f32[1,1,2], 0 | size=[4]", TENON_E_ARGUMENT, "must be a tensor"),
    sdk::refused(name, "i32[1,1,2], i64[1,1,2]{0,0} | size=[4]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[1,1,2], i32[1,1,2]{0,0} | size=[4]", TENON_E_DTYPE, "positions"),
    sdk::refused(name, "f32[1,1,2], i64[1,1,2]{0,0}", TENON_E_ATTRIBUTE, "size"),
    sdk::refused(name, "f32[1,1,2] | size=[4]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Additions in another order round differently, by as much as the largest partial sums.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {1, 4e-06}, .f64 = {1, 1e-14}});

}  // namespace

TENON_UNIT(max_pool_grad) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
