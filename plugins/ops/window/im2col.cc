// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/im2col.cc: im2col, the windows of an image as columns of a matrix.
//
// y[n, (c, t), w] = x[n, c, w stride - before + t dilation], 0 in the padding;  dx = col2im of dy.
// Source: PyTorch's `nn.functional.unfold`.
#include "window/columns.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace pools = tenon::pools;
namespace columns = tenon::columns;
constexpr std::string_view name = "tenon.im2col";

constexpr std::string_view doc =
    R"(The windows of images [N,C,W], [N,C,H,W] or [N,C,D,H,W] as columns: `[N, C taps, windows]`.
A column has the places of one window, channel after channel and in row-major order within each;
columns follow each other as windows do. What lies in the padding is 0. A convolution is the product
of its weights as `[O, C taps]` with it; `tenon.conv` computes that without the columns ever being
in memory.

`kernel`, `stride`, `dilation`: one number, or one for each dimension. `padding`: likewise, or a
pair for each dimension, before and after it. `auto_pad` as in `tenon.conv`.

Gradient: `dx` is `tenon.col2im` of `dy`.

Source: PyTorch, `nn.functional.unfold`, for 1 to 3 dimensions instead of 2.

Canonical arithmetic: none; bits are repeated.)";

sdk::Windows windows_of(std::span<const int64_t> shape, const sdk::Attrs& attrs) {
  return columns::windows_of(pools::image_of(shape, "x"), attrs, 0, "x");
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> x = args.shape(0);
  const rules::Dims shape = columns::shape_of(x[0], x[1], windows_of(x, args.attrs));
  sdk::set_shape(out[0], rules::checked_shape(shape.span(), "columns").span());
}

void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  const sdk::Windows windows = windows_of(rules::shape_of(meta), c.attrs);
  tenon_tensor* x = pools::padded(c, c.in(0), windows, pools::kFirst, sdk::Value(0));
  x = columns::exchanged(c, pools::slid(c, x, windows, pools::kFirst), windows.rank());
  c.set(0, rules::reshape(c, x, columns::shape_of(meta.shape[0], meta.shape[1], windows)));
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const rules::Dims image(shape.span().subspan(pools::kFirst));
  v.grad(0, v.call("tenon.col2im", {v.dy()},
                   {image.value(), v.attr(columns::kKernel), v.attr(columns::kStride),
                    v.attr(columns::kPadding), v.attr(columns::kDilation),
                    v.attr(columns::kAutoPad)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "im2col(x: T[N,C,...], *, kernel: int[], stride: int[]=[1], "
                       "padding: int[]=[0], dilation: int[]=[1], auto_pad: str=\"none\") -> "
                       "T[N,R,L] where T: number",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = columns::kAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,2,4,5] | kernel=[2,3]"),
    sdk::sample(name, "f64[1,2,4,4] | kernel=[3], padding=[1]"),
    sdk::sample(name, "f64[2,1,5,4] | kernel=[3,2], stride=[2,1], padding=[0,1]"),
    sdk::sample(name, "f64[1,1,5,5] | kernel=[2,3], stride=[2], padding=[1,0,2,1]"),
    sdk::sample(name, "f64[1,2,5,5] | kernel=[2], dilation=[3,2], padding=[1]"),
    sdk::sample(name, "f64[1,1,3,3] | kernel=[2], stride=[2], auto_pad=\"same\""),
    sdk::sample(name, "f64[1,1,5,4] | kernel=[2], stride=[3], auto_pad=\"valid\""),
    sdk::sample(name, "f64[2,3,7] | kernel=[3], stride=[3], padding=[1,2], dilation=[2]"),
    sdk::sample(name, "f64[1,2,3,2,3] | kernel=[2], padding=[1,0,0], stride=[2,1,1]"),
    sdk::sample(name, "f64[2,3,3] | kernel=[1]"),
    sdk::sample(name, "f64[1,1,1] | kernel=[2], padding=[2]"),
    sdk::sample(name, "f64[1,1,0] | kernel=[2], padding=[2]"),
    sdk::sample(name, "f64[0,2,3,3] | kernel=[2]"),
    sdk::sample(name, "f64[2,0,3,3] | kernel=[2]"),
    sdk::sample(name, "f32[1,1,4]{nan,inf,-inf,-0.0} | kernel=[2], padding=[1]"),
    sdk::sample(name, "f32[1,1,3]{3.4028235e38,1e-45,1.1754944e-38} | kernel=[2]"),
    sdk::sample(name, "f64[1,1,3]{1.7976931348623157e308,5e-324,nan} | kernel=[2]"),
    sdk::sample(name, "f16[1,1,3]{65504.0,6e-8,inf} | kernel=[2]"),
    sdk::sample(name, "bf16[1,1,3]{3.39e38,9.2e-41,-0.0} | kernel=[2]"),
    sdk::sample(name, "i64[1,2,3,3] | kernel=[2], padding=[1]"),
    sdk::sample(name, "u8[1,1,3]{255,0,16} | kernel=[2]"),
    sdk::refused(name, "f32[2,3] | kernel=[1]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "2.0 | kernel=[1]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "f32[1,1,2] | kernel=[3]", TENON_E_SHAPE, "does not fit"),
    sdk::refused(name, "f32[1,1,2] | kernel=[2,2]", TENON_E_ATTRIBUTE, "kernel has the wrong"),
    sdk::refused(name, "f32[1,1,2] | kernel=[0]", TENON_E_ATTRIBUTE, "kernel is out of range"),
    sdk::refused(name, "f32[1,1,2] | kernel=[2], stride=[0]", TENON_E_ATTRIBUTE,
                 "stride is out of range"),
    sdk::refused(name, "f32[1,1,2] | kernel=[2], padding=[-1]", TENON_E_ATTRIBUTE,
                 "padding is out of range"),
    sdk::refused(name, "f32[0,1,1,1,1] | kernel=[1073741824], padding=[1073741823]", TENON_E_SHAPE,
                 "too many elements"),
    sdk::refused(name, "f32[1,1,2]", TENON_E_ATTRIBUTE, "kernel"),
    sdk::refused(name, "bool[1,1,2] | kernel=[2]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "| kernel=[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(im2col) = {.ops = ops, .vjps = vjps, .samples = samples};
