// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/avg_pool.cc: avg_pool, the average of each window.
//
// y[n,c,w] = (sum over taps t in the image of x[n,c, w stride - padding + t]) / count(w);  dx in
// avg_pool_grad. Source: PyTorch's `avg_pool2d`; ONNX's `AveragePool`.
#include "window/pools.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace pools = tenon::pools;
constexpr std::string_view name = "tenon.avg_pool";

constexpr std::string_view doc =
    R"(The average of each window that slides over an image of 1 to 3 dimensions: `y[n,c,w] = (sum
over t of x[n, c, w * stride - before + t]) / count`, along each of these dimensions, over the
taps `t` from 0 to `kernel - 1` whose place lies in the image. `count` is the number of taps in the
image or, with `count_include_pad`, in the image and its padding; `ceil_mode` may let a window go
beyond both, and what lies there never counts. A window without a tap in the image gives 0.

`kernel`, `stride`, `padding`, `ceil_mode` and `auto_pad` are those of `tenon.max_pool`.

Gradient: `dy / count` of each window, added at all of its places (`tenon.avg_pool_grad`).

Source: PyTorch, `avg_pool2d`; `auto_pad` as ONNX, `AveragePool`.

Canonical arithmetic: from 0, the taps in the image are added in row-major order, in f32 for f16,
bf16 and f32, in f64 for f64; the sum is divided by `count` once, and rounded to T. The sum may
leave the range where the average does not.)";

sdk::Windows windows_of(std::span<const int64_t> shape, const sdk::Attrs& attrs) {
  return sdk::avg_pool_windows(pools::image_of(shape, "x"), attrs, 0);
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const rules::Dims shape =
      pools::with_windows(args.shape(0), windows_of(args.shape(0), args.attrs));
  sdk::set_shape(out[0], rules::checked_shape(shape.span(), "kernel").span());
}

void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  const sdk::Windows windows = windows_of(rules::shape_of(meta), c.attrs);
  const rules::Dims axes = pools::last_axes(windows.rank());
  const sdk::Value x = rules::widened(c, c.in(0));
  tenon_tensor* taps = pools::padded(c, x, windows, pools::kFirst, sdk::Value(0.0));
  taps = pools::slid(c, taps, windows, pools::kFirst);
  tenon_tensor* sums = c.call("tenon.sum", {taps}, {axes.value()});
  tenon_tensor* counts = pools::average_counts(c, c.meta(x.tensor()).dtype, windows,
                                               c.attrs.flag(sdk::kAvgPoolCountIncludePad));
  c.set(0, rules::rounded_to(c, c.call("tenon.div", {sums, counts}), meta.dtype));
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const sdk::Value size(shape.span().subspan(pools::kFirst));
  v.grad(0, v.call("tenon.avg_pool_grad", {v.dy()},
                   {size, v.attr(sdk::kAvgPoolKernel), v.attr(sdk::kAvgPoolStride),
                    v.attr(sdk::kAvgPoolPadding), v.attr(sdk::kAvgPoolCeilMode),
                    v.attr(sdk::kAvgPoolCountIncludePad), v.attr(sdk::kAvgPoolAutoPad)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "avg_pool(x: T[N,C,...], *, kernel: int[], stride: int[]?, padding: "
                       "int[]=[0], ceil_mode: bool=false, count_include_pad: bool=true, auto_pad: "
                       "str=\"none\") -> T[N,C,...] where T: float",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = sdk::kAvgPoolAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[1,2,4,5] | kernel=[2]"),
    sdk::sample(name, "f64[2,1,5,4] | kernel=[3,2], stride=[2,1], padding=[1]"),
    sdk::sample(name,
                "f64[2,1,5,4] | kernel=[3,2], stride=[2,1], padding=[1], count_include_pad=false"),
    sdk::sample(name, "f64[1,2,7] | kernel=[3], stride=[2], padding=[0,1]"),
    sdk::sample(name,
                "f64[1,2,7] | kernel=[3], stride=[2], padding=[1,0], count_include_pad=false"),
    sdk::sample(name, "f64[1,1,4,5] | kernel=[3], stride=[1], padding=[2,0,0,1]"),
    sdk::sample(name, "f64[1,1,3,3,4] | kernel=[2], stride=[1]"),
    sdk::sample(name,
                "f64[1,2,2,3,2] | kernel=[2,3,1], padding=[1,1,0], stride=[2,1,1], "
                "count_include_pad=false"),
    sdk::sample(name, "f64[1,1,6,7] | kernel=[3,2], stride=[2,3], ceil_mode=true"),
    sdk::sample(name, "f64[1,1,6,7] | kernel=[3], stride=[2,3], padding=[1], ceil_mode=true"),
    sdk::sample(name,
                "f64[1,1,6,7] | kernel=[3], stride=[2,3], padding=[1], ceil_mode=true, "
                "count_include_pad=false"),
    sdk::sample(name, "f64[1,1,2] | kernel=[1], stride=[3], padding=[1], ceil_mode=true"),
    sdk::sample(name, "f64[1,1,5,6] | kernel=[3,2], stride=[2], auto_pad=\"same\""),
    sdk::sample(name,
                "f64[1,1,5,6] | kernel=[2,4], stride=[1,2], auto_pad=\"same\", "
                "count_include_pad=false"),
    sdk::sample(name, "f64[1,1,5,4] | kernel=[2], stride=[], auto_pad=\"valid\""),
    sdk::sample(name, "f64[2,2,3] | kernel=[1]"),
    sdk::sample(name, "f64[1,1,3] | kernel=[2], stride=[2], padding=[2], count_include_pad=false"),
    sdk::sample(name, "f64[1,1,1,2] | kernel=[1,2], stride=[1], padding=[1,2]"),
    sdk::sample(name, "f64[1,2,0] | kernel=[2], stride=[1], padding=[1]"),
    sdk::sample(name, "f64[1,1,2,31] | kernel=[2,3], stride=[1], padding=[0,1]"),
    sdk::sample(name, "f64[1,1,61] | kernel=[3], stride=[2], padding=[1]"),
    sdk::sample(name, "f64[1,19,1,3] | kernel=[1,2], stride=[1]"),
    sdk::sample(name, "f64[9,2,3] | kernel=[2], stride=[1]"),
    sdk::sample(name, "f64[0,2,4] | kernel=[2]"),
    sdk::sample(name, "f64[2,0,4,4] | kernel=[2]"),
    sdk::sample(name, "f64[1,1,17,3](-9,9) | kernel=[5,3], stride=[3,1], padding=[2,1]"),
    sdk::sample(name,
                "f32[1,1,3,4]{nan,1.0,inf,1.0,0.0,-0.0,2.0,1.0,-inf,1.0,3.0,inf} | kernel=[2], "
                "stride=[1], padding=[1]"),
    sdk::sample(name, "f32[1,1,6]{-0.0,-0.0,1e-45,1e-45,-1e-45,1.1754944e-38} | kernel=[2]"),
    sdk::sample(name, "f32[1,1,4]{3.4028235e38,-3.4028235e38,3.4028235e38,1.0} | kernel=[2]"),
    sdk::sample(name,
                "f64[1,1,6]{1.7976931348623157e308,-1.7976931348623157e308,5e-324,-0.0,"
                "2.2250738585072014e-308,5e-324} | kernel=[2]"),
    sdk::sample(name, "f16[1,1,6]{65504.0,65504.0,6e-8,6e-8,6.1035e-5,-6e-8} | kernel=[2]"),
    sdk::sample(name, "bf16[1,1,6]{3.39e38,-1e38,9.2e-41,9.2e-41,1.1755e-38,1.0} | kernel=[2]"),
    sdk::refused(name, "f32[2,3] | kernel=[2]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "2.0 | kernel=[2]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "f32[1,1,4] | kernel=[5]", TENON_E_SHAPE, "does not fit dimension 2"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2,2,2]", TENON_E_ATTRIBUTE, "kernel has the wrong"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[0]", TENON_E_ATTRIBUTE, "kernel is out of range"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], stride=[0]", TENON_E_ATTRIBUTE,
                 "stride is out of range"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], padding=[1,2,3]", TENON_E_ATTRIBUTE,
                 "padding has the wrong"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], auto_pad=\"full\"", TENON_E_ATTRIBUTE,
                 "no such auto_pad"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], padding=[1], auto_pad=\"valid\"",
                 TENON_E_ATTRIBUTE, "padding is given twice"),
    sdk::refused(name, "f32[1,1,4]", TENON_E_ATTRIBUTE, "kernel"),
    sdk::refused(name, "i32[1,1,4] | kernel=[2]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "| kernel=[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Additions in another order round differently, by as much as the largest partial sums; the "
    "division rounds once more.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {2, 4e-06}, .f64 = {2, 1e-14}});

}  // namespace

TENON_UNIT(avg_pool) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
