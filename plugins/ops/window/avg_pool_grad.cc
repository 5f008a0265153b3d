// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/avg_pool_grad.cc: avg_pool_grad, numbers of windows shared among their places.
//
// y = 0;  y[n,c, w stride - padding + t] += dy[n,c,w] / count(w);  the gradient is avg_pool.
// Source: the adjoint of avg_pool; PyTorch's `avg_pool2d`, its gradient.
#include "window/pools.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace pools = tenon::pools;
constexpr std::string_view name = "tenon.avg_pool_grad";

constexpr std::string_view doc =
    R"(Zeros of the shape `[N, C, size...]`, to which each number of `dy`, divided by the count of
its window, is added at every place of that window. It is the backward rule of `tenon.avg_pool`,
which says what the other attributes mean, and its adjoint; `dy` has a number for each window that
an image of `size` has.

Gradient: `tenon.avg_pool` of the output's gradient.

Source: PyTorch, `avg_pool2d`, its gradient.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: each number of `dy` divided by
its count; for each place from 0, windows in row-major order; rounded once at the end.)";

constexpr uint32_t kSize = 0;
constexpr uint32_t kOwn = 1;
constexpr uint32_t kAttributes = kOwn + sdk::kAvgPoolAttributes;

sdk::Windows windows_of(std::span<const int64_t> shape, const sdk::Attrs& attrs) {
  const std::span<const int64_t> size = pools::image_size(attrs.ints(kSize), shape, "dy");
  rules::checked_shape(size, "size");
  return sdk::avg_pool_windows(size, attrs, kOwn, "size");
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> dy = args.shape(0);
  const sdk::Windows windows = windows_of(dy, args.attrs);
  const rules::Dims wanted = pools::with_windows(dy, windows);
  if (!std::ranges::equal(wanted.span(), dy)) {
    throw sdk::Failure{TENON_E_SHAPE, "dy must have a number for each window", "dy",
                       sdk::shape_text(wanted.span()), sdk::shape_text(dy)};
  }
  const rules::Dims shape = pools::with_image(dy, args.attrs.ints(kSize));
  sdk::set_shape(out[0], rules::checked_shape(shape.span(), "size").span());
}

void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  const sdk::Windows windows = windows_of(rules::shape_of(meta), c.attrs);
  const sdk::Value dy = rules::widened(c, c.in(0));
  tenon_tensor* counts = pools::average_counts(c, c.meta(dy.tensor()).dtype, windows,
                                               c.attrs.flag(kOwn + sdk::kAvgPoolCountIncludePad));
  tenon_tensor* taps = c.call("tenon.div", {dy, counts});
  rules::Dims one(meta);
  rules::Dims each(meta);
  for (size_t d = 0; d < windows.rank(); ++d) {
    one.push(1);
    each.push(windows[d].taps);
  }
  taps = rules::expand(c, rules::reshape(c, taps, one), each);
  for (size_t d = windows.rank(); d-- > 0;) {
    const sdk::WindowAxis& axis = windows[d];
    taps = c.call("tenon.unfold_add", {taps},
                  {static_cast<int64_t>(pools::kFirst + d), pools::reach_of(axis), axis.stride});
  }
  taps = pools::padded(c, taps, windows, pools::kFirst, sdk::Value(0.0), true);
  c.set(0, rules::rounded_to(c, taps, meta.dtype));
}

void vjp(sdk::Vjp& v) {
  v.grad(0, v.call("tenon.avg_pool", {v.dy()},
                   {v.attr(kOwn + sdk::kAvgPoolKernel), v.attr(kOwn + sdk::kAvgPoolStride),
                    v.attr(kOwn + sdk::kAvgPoolPadding), v.attr(kOwn + sdk::kAvgPoolCeilMode),
                    v.attr(kOwn + sdk::kAvgPoolCountIncludePad),
                    v.attr(kOwn + sdk::kAvgPoolAutoPad)}));
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "avg_pool_grad(dy: T[N,C,...], *, size: int[], kernel: int[], stride: int[]?, "
               "padding: int[]=[0], ceil_mode: bool=false, count_include_pad: bool=true, "
               "auto_pad: str=\"none\") -> T[N,C,...] where T: float",
     .doc = doc,
     .flags = TENON_OP_LINEAR,
     .infer = sdk::infer_fn<infer>,
     .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {{}};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = kAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[1,2,2,2] | size=[4,5], kernel=[2]"),
    sdk::sample(name, "f64[2,1,3,5] | size=[5,4], kernel=[3,2], stride=[2,1], padding=[1]"),
    sdk::sample(name,
                "f64[2,1,3,5] | size=[5,4], kernel=[3,2], stride=[2,1], padding=[1], "
                "count_include_pad=false"),
    sdk::sample(name, "f64[1,2,3] | size=[7], kernel=[3], stride=[2], padding=[0,1]"),
    sdk::sample(name, "f64[1,1,4,4] | size=[4,5], kernel=[3], stride=[1], padding=[2,0,0,1]"),
    sdk::sample(name, "f64[1,1,2,2,3] | size=[3,3,4], kernel=[2], stride=[1]"),
    sdk::sample(name,
                "f64[1,1,4,3] | size=[6,7], kernel=[3], stride=[2,3], padding=[1], ceil_mode=true"),
    sdk::sample(name,
                "f64[1,1,4,3] | size=[6,7], kernel=[3], stride=[2,3], padding=[1], "
                "ceil_mode=true, count_include_pad=false"),
    sdk::sample(name, "f64[1,1,3,3] | size=[5,6], kernel=[3,2], stride=[2], auto_pad=\"same\""),
    sdk::sample(name, "f64[1,1,2,2] | size=[5,4], kernel=[2], stride=[], auto_pad=\"valid\""),
    sdk::sample(name, "f64[1,1,2] | size=[8], kernel=[1], stride=[5]"),
    sdk::sample(name,
                "f64[1,1,3] | size=[3], kernel=[2], stride=[2], padding=[2], "
                "count_include_pad=false"),
    sdk::sample(name, "f64[1,2,1] | size=[0], kernel=[2], stride=[1], padding=[1]"),
    sdk::sample(name, "f64[1,1,37] | size=[37], kernel=[3], stride=[1], padding=[1]"),
    sdk::sample(name, "f64[1,1,30] | size=[60], kernel=[2]"),
    sdk::sample(name, "f64[1,1,20] | size=[40], kernel=[3], stride=[2], padding=[1]"),
    sdk::sample(name, "f64[1,19,1,2] | size=[1,3], kernel=[1,2], stride=[1]"),
    sdk::sample(name, "f64[9,2,2] | size=[4], kernel=[2]"),
    sdk::sample(name, "f64[0,2,2] | size=[4], kernel=[2]"),
    sdk::sample(name, "f64[2,0,2,2] | size=[4,4], kernel=[2]"),
    sdk::sample(name, "f32[1,1,9](0,1) | size=[9], kernel=[3], stride=[1], padding=[1]"),
    sdk::sample(name, "f32[1,1,5]{nan,inf,-inf,1.0,-0.0} | size=[6], kernel=[2], stride=[1]"),
    sdk::sample(name,
                "f32[1,1,4]{3.4028235e38,3.4028235e38,1e-45,-0.0} | size=[5], kernel=[2], "
                "stride=[1]"),
    sdk::sample(name,
                "f64[1,1,4]{1.7976931348623157e308,1.7976931348623157e308,5e-324,"
                "2.2250738585072014e-308} | size=[4], kernel=[1], stride=[1]"),
    sdk::sample(name,
                "f16[1,1,4]{65504.0,65504.0,6e-8,6.1035e-5} | size=[5], kernel=[2], stride=[1]"),
    sdk::sample(
        name, "bf16[1,1,4]{3.39e38,3.39e38,9.2e-41,1.1755e-38} | size=[5], kernel=[2], stride=[1]"),
    sdk::refused(name, "f32[1,1,3] | size=[4], kernel=[2]", TENON_E_SHAPE,
                 "a number for each window"),
    sdk::refused(name, "f32[1,1,2] | size=[4,4], kernel=[2]", TENON_E_ATTRIBUTE,
                 "a number for each dimension"),
    sdk::refused(name, "f32[1,1,2] | size=[-4], kernel=[2]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "f32[1,1,2] | size=[1], kernel=[2]", TENON_E_SHAPE, "does not fit"),
    sdk::refused(name, "f32[1,1,2] | size=[4], kernel=[2,2]", TENON_E_ATTRIBUTE,
                 "kernel has the wrong"),
    sdk::refused(name, "f32[1,1,2] | size=[4], kernel=[2], stride=[0]", TENON_E_ATTRIBUTE,
                 "stride is out of range"),
    sdk::refused(name, "f32[1,2] | size=[4], kernel=[2]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "2.0 | size=[4], kernel=[2]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "f32[1,1,2] | kernel=[2]", TENON_E_ATTRIBUTE, "size"),
    sdk::refused(name, "f32[1,1,2] | size=[4]", TENON_E_ATTRIBUTE, "kernel"),
    sdk::refused(name, "i32[1,1,2] | size=[4], kernel=[2]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "| size=[4], kernel=[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Quotients are rounded, and additions in another order round differently, by as much as the "
    "largest partial sums.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {2, 4e-06}, .f64 = {2, 1e-14}});

}  // namespace

TENON_UNIT(avg_pool_grad) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
