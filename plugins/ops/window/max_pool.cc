// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/max_pool.cc: max_pool, the largest place of each window.
//
// y[n,c,w] = max over taps t in the image of x[n,c, w stride - padding + t dilation];  dx = dy
// added up at the places that were taken. Source: PyTorch's `max_pool2d`; ONNX's `MaxPool`.
#include "window/pools.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace pools = tenon::pools;
constexpr std::string_view name = "tenon.max_pool";

constexpr std::string_view doc =
    R"(The largest place of each window that slides over an image of 1 to 3 dimensions: `y[n,c,w] =
max over t of x[n, c, w * stride - before + t * dilation]`, along each of these dimensions, over
the taps `t` from 0 to `kernel - 1` whose place lies in the image. The result has
`floor((size + before + after - (kernel - 1) * dilation - 1) / stride) + 1` windows.

`kernel`, `stride`, `padding` and `dilation` are one number for all dimensions or one for each;
`padding`, which `before` and `after` stand for, may also be a pair for each. Without `stride`, or
where it is empty, windows lie side by side: it is the kernel. `ceil_mode` rounds the number of
windows up, without those that begin after the image. `auto_pad` "same" chooses the padding so that
there are `ceil(size / stride)` windows, of an odd number one place more at the end; "valid" is no
padding.

The aux output `positions` says which place each window took: its number in the image, row by row
over the dimensions that windows slide over. A window without a tap in the image gives the lowest
value of T, minus infinity for floats, and the position -1.

Gradient: `dy` of each window is added at its position (`tenon.max_pool_grad`); that of a window
without one goes nowhere.

Source: PyTorch, `max_pool2d`, of which `positions` is the second result; `auto_pad` as ONNX,
`MaxPool`.

Canonical arithmetic: exact. NaN where any tap is NaN, and the position of the first of them; of
equal taps, zeros of either sign included, the first. Taps come in row-major order.)";

sdk::Windows windows_of(std::span<const int64_t> shape, const sdk::Attrs& attrs) {
  return sdk::max_pool_windows(pools::image_of(shape, "x"), attrs);
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const rules::Dims shape =
      pools::with_windows(args.shape(0), windows_of(args.shape(0), args.attrs));
  rules::checked_shape(shape.span(), "kernel");
  for (tenon_meta& each : out) sdk::set_shape(each, shape.span());
}

sdk::Value lowest(tenon_dtype dtype) {
  if (sdk::is_float(dtype)) return -std::numeric_limits<double>::infinity();
  if (dtype == TENON_DTYPE_U8) return 0;
  return -(int64_t{1} << (8 * sdk::size_of(dtype) - 2)) * 2;
}

// Numbers of places grow with those of taps: the first tap that holds the largest value is the one
// with the smallest number. Padding has a number that no place has.
tenon_tensor* positions(sdk::Compose& c, tenon_tensor* taps, tenon_tensor* most,
                        const sdk::Windows& windows, const rules::Dims& image) {
  const int64_t nowhere = sdk::count_of(image.span());
  tenon_tensor* numbers = pools::numbers_to(c, nowhere);
  numbers = rules::reshape(c, numbers, image);
  numbers = pools::padded(c, numbers, windows, 0, sdk::Value(nowhere));
  numbers = pools::slid(c, numbers, windows, 0);
  const rules::Dims axes = pools::last_axes(windows.rank());
  tenon_tensor* taken = c.call(
      "tenon.logical_or", {c.call("tenon.eq", {taps, most}), c.call("tenon.ne", {taps, taps})});
  tenon_tensor* first = c.call("tenon.where", {taken, numbers, nowhere});
  first = c.call("tenon.min", {first}, {axes.value()});
  return c.call("tenon.where", {c.call("tenon.eq", {first, nowhere}), -1, first});
}

void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  const sdk::Windows windows = windows_of(rules::shape_of(meta), c.attrs);
  const rules::Dims axes = pools::last_axes(windows.rank());
  tenon_tensor* taps = pools::padded(c, c.in(0), windows, pools::kFirst, lowest(meta.dtype));
  taps = pools::slid(c, taps, windows, pools::kFirst);
  tenon_tensor* most = c.call("tenon.max", {taps}, {axes.value(), true});
  const rules::Dims shape = pools::with_windows(rules::shape_of(meta), windows);
  c.set(0, rules::reshape(c, most, shape));
  const rules::Dims image(rules::shape_of(meta).subspan(pools::kFirst));
  c.set(1, positions(c, taps, most, windows, image));
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const sdk::Value size(shape.span().subspan(pools::kFirst));
  v.grad(0, v.call("tenon.max_pool_grad", {v.dy(), v.out(1)}, {size}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "max_pool(x: T[N,C,...], *, kernel: int[], stride: int[]?, padding: "
                       "int[]=[0], dilation: int[]=[1], ceil_mode: bool=false, auto_pad: "
                       "str=\"none\") -> (T[N,C,...], aux positions: i64[...]) where T: number",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.outputs = sdk::bit(1), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_outputs = 2,
                                             .n_attrs = sdk::kMaxPoolAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[1,2,4,5] | kernel=[2]"),
    sdk::sample(name, "f64[2,1,5,4] | kernel=[3,2], stride=[2,1], padding=[1]"),
    sdk::sample(name, "f64[1,2,7] | kernel=[3], stride=[2], padding=[0,1]"),
    sdk::sample(name, "f64[1,2,7] | kernel=[3], stride=[2], padding=[1,0]"),
    sdk::sample(name, "f64[1,1,4,5] | kernel=[3], stride=[1], padding=[2,0,0,1]"),
    sdk::sample(name, "f64[1,1,3,3,4] | kernel=[2], stride=[1]"),
    sdk::sample(name, "f64[1,2,2,3,2] | kernel=[2,3,1], padding=[1,1,0], stride=[2,1,1]"),
    sdk::sample(name, "f64[1,1,5,6] | kernel=[2], stride=[1], dilation=[2,3]"),
    sdk::sample(name, "f64[1,1,6,7] | kernel=[3,2], stride=[2,3], ceil_mode=true"),
    sdk::sample(name, "f64[1,1,5] | kernel=[2], stride=[2], padding=[1], ceil_mode=true"),
    sdk::sample(name, "f64[1,1,2] | kernel=[1], stride=[3], padding=[1], ceil_mode=true"),
    sdk::sample(name, "f64[1,1,5,6] | kernel=[3,2], stride=[2], auto_pad=\"same\""),
    sdk::sample(name, "f64[1,1,5,4] | kernel=[2], stride=[], auto_pad=\"valid\""),
    sdk::sample(name, "f64[2,2,3] | kernel=[1]"),
    sdk::sample(name, "f64[1,1,3] | kernel=[2], stride=[2], padding=[2]"),
    sdk::sample(name, "f64[1,1,1,2] | kernel=[1,2], stride=[1], padding=[1,2]"),
    sdk::sample(name, "f64[1,2,0] | kernel=[2], stride=[1], padding=[1]"),
    sdk::sample(name, "f64[1,1,2,31] | kernel=[2,3], stride=[1], padding=[0,1]"),
    sdk::sample(name, "f64[1,1,61] | kernel=[3], stride=[2], padding=[1]"),
    sdk::sample(name, "f64[1,19,1,3] | kernel=[1,2], stride=[1]"),
    sdk::sample(name, "f64[9,2,3] | kernel=[2], stride=[1]"),
    sdk::sample(name,
                "f32[1,1,24]{1.0,nan,2.0,2.0,0.0,-0.0,0.0,-1.0,-inf,-inf,-inf,3.0,nan,nan,5.0,5.0,"
                "inf,inf,4.0,-0.0,0.0,0.0,nan,1.0} | kernel=[3], stride=[1]"),
    sdk::sample(name, "f64[0,2,4] | kernel=[2]"),
    sdk::sample(name, "f64[2,0,4,4] | kernel=[2]"),
    sdk::sample(name, "f64[1,1,17,3](-9,9) | kernel=[5,3], stride=[3,1], padding=[2,1]"),
    sdk::sample(name, "i64[1,1,3,4] | kernel=[2], stride=[1], padding=[1]"),
    sdk::sample(name,
                "f32[1,1,3,3]{2.0,2.0,1.0,2.0,2.0,1.0,0.0,-0.0,0.0} | kernel=[2], stride=[1]"),
    sdk::sample(name, "f32[1,1,6]{-0.0,0.0,-0.0,-inf,-inf,-inf} | kernel=[2], padding=[1]"),
    sdk::sample(name,
                "f32[1,1,3,4]{nan,1.0,inf,nan,0.0,nan,2.0,1.0,-inf,1.0,nan,3.0} | kernel=[2], "
                "stride=[1], padding=[1]"),
    sdk::sample(
        name, "f32[1,1,6]{3.4028235e38,-3.4028235e38,-3.4028235e38,1e-45,-1e-45,0.0} | kernel=[2]"),
    sdk::sample(
        name,
        "f64[1,1,6]{1.7976931348623157e308,-1.7976931348623157e308,-inf,5e-324,-5e-324,0.0} "
        "| kernel=[2], stride=[1]"),
    sdk::sample(name, "f16[1,1,6]{65504.0,-65504.0,-65504.0,6e-8,-6e-8,0.0} | kernel=[2]"),
    sdk::sample(name, "bf16[1,1,6]{3.39e38,-3.39e38,-3.39e38,9.2e-41,-9.2e-41,0.0} | kernel=[2]"),
    sdk::sample(name,
                "i64[1,1,4]{-9223372036854775808,-9223372036854775807,9223372036854775807,1} | "
                "kernel=[2], padding=[2]"),
    sdk::sample(name, "i32[1,1,4]{-2147483648,2147483647,0,1} | kernel=[1], padding=[1]"),
    sdk::sample(name, "u8[1,1,4]{0,0,255,128} | kernel=[2], stride=[1], padding=[1]"),
    sdk::refused(name, "f32[2,3] | kernel=[2]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "f32[1,1,1,1,1,2] | kernel=[1]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "2.0 | kernel=[2]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "f32[1,1,4] | kernel=[5]", TENON_E_SHAPE, "does not fit dimension 2"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], dilation=[1,4]", TENON_E_SHAPE,
                 "does not fit dimension 3"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2,2,2]", TENON_E_ATTRIBUTE, "kernel has the wrong"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[]", TENON_E_ATTRIBUTE, "kernel has the wrong"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[0]", TENON_E_ATTRIBUTE, "kernel is out of range"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], stride=[1,1,1]", TENON_E_ATTRIBUTE,
                 "stride has the wrong"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], stride=[0]", TENON_E_ATTRIBUTE,
                 "stride is out of range"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], padding=[1,2,3]", TENON_E_ATTRIBUTE,
                 "padding has the wrong"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], padding=[-1]", TENON_E_ATTRIBUTE,
                 "padding is out of range"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], dilation=[]", TENON_E_ATTRIBUTE,
                 "dilation has the wrong"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], dilation=[0]", TENON_E_ATTRIBUTE,
                 "dilation is out of range"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], auto_pad=\"full\"", TENON_E_ATTRIBUTE,
                 "no such auto_pad"),
    sdk::refused(name, "f32[1,1,4,4] | kernel=[2], padding=[1], auto_pad=\"same\"",
                 TENON_E_ATTRIBUTE, "padding is given twice"),
    sdk::refused(name, "f32[1,1,4]", TENON_E_ATTRIBUTE, "kernel"),
    sdk::refused(name, "bool[1,1,4] | kernel=[2]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "| kernel=[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(max_pool) = {.ops = ops, .vjps = vjps, .samples = samples};
