// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/col2im.cc: col2im, columns added up where the windows of an image lie.
//
// y = 0;  y[n, c, w stride - before + t dilation] += x[n, (c, t), w];  the gradient is im2col.
// Source: PyTorch's `nn.functional.fold`.
#include "window/columns.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace pools = tenon::pools;
namespace columns = tenon::columns;
constexpr std::string_view name = "tenon.col2im";

constexpr std::string_view doc =
    R"(Zeros of the shape `[N, C, size...]`, to which each column of `x`, `[N, C taps, windows]`, is
added at the places of its window; what lies in the padding is left out. It is the adjoint of
`tenon.im2col`, which says what the other attributes mean; `x` has a column for each window that an
image of `size` has.

Gradient: `tenon.im2col` of the output's gradient.

Source: PyTorch, `nn.functional.fold`, for 1 to 3 dimensions instead of 2.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64; along the last dimension of the
image first, then along the one before it: each time for each place from 0, windows ascending;
rounded once at the end. Integers wrap.)";

constexpr uint32_t kSize = 0;
constexpr uint32_t kOwn = 1;

sdk::Windows windows_of(const sdk::Attrs& attrs) {
  const std::span<const int64_t> size = attrs.ints(kSize);
  rules::checked_shape(size, "size");
  return columns::windows_of(size, attrs, kOwn, "size");
}

int64_t channels_of(std::span<const int64_t> shape, const sdk::Windows& windows) {
  const rules::Dims one = columns::shape_of(1, 1, windows);
  if (shape[1] % one[1] == 0 && shape[2] == one[2]) return shape[1] / one[1];
  throw sdk::Failure{
      TENON_E_SHAPE, "x must have a column for each window", "x",
      "[N, a multiple of " + std::to_string(one[1]) + ", " + std::to_string(one[2]) + "]",
      sdk::shape_text(shape)};
}

rules::Dims image_of(std::span<const int64_t> x, const sdk::Attrs& attrs) {
  const int64_t line[] = {x[0], channels_of(x, windows_of(attrs))};
  return pools::with_image(line, attrs.ints(kSize));
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const rules::Dims shape = image_of(args.shape(0), args.attrs);
  sdk::set_shape(out[0], rules::checked_shape(shape.span(), "size").span());
}

// The last dimension has the taps of an axis: those that are `dilation` apart, with zeros between.
tenon_tensor* spread(sdk::Compose& c, tenon_tensor* taps, const sdk::WindowAxis& axis) {
  if (axis.dilation == 1) return taps;
  rules::Dims shape(c.meta(taps));
  const auto pad = [&](tenon_tensor* x, int64_t after, int64_t dimension) {
    const int64_t pads[] = {0, after};
    return c.call("tenon.pad", {x},
                  {std::span<const int64_t>(pads), std::span<const int64_t>(&dimension, 1),
                   sdk::text_value("constant"), sdk::Value(0)});
  };
  // Taps and the zeros after each, beside the windows of the axis alone: no rank is left for more.
  const size_t last = shape.count() - 1;
  const int64_t rows = sdk::count_of(shape.span().first(last));
  const int64_t apart[] = {rows, axis.taps, 1};
  taps = pad(rules::reshape(c, taps, rules::Dims(apart)), axis.dilation - 1, 2);
  const int64_t beside[] = {rows, axis.taps * axis.dilation};
  taps = pad(rules::reshape(c, taps, rules::Dims(beside)), 1 - axis.dilation, 1);
  shape[last] = axis.span();
  return rules::reshape(c, taps, shape);
}

void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  const sdk::Windows windows = windows_of(c.attrs);
  const int64_t channels = channels_of(rules::shape_of(meta), windows);
  tenon_tensor* x = rules::widened(c, c.in(0)).tensor();
  x = rules::reshape(c, x, columns::sizes_of(meta.shape[0], channels, windows));
  x = columns::exchanged(c, x, windows.rank());
  for (size_t d = windows.rank(); d-- > 0;) {
    const sdk::WindowAxis& axis = windows[d];
    x = c.call("tenon.unfold_add", {spread(c, x, axis)},
               {static_cast<int64_t>(pools::kFirst + d), pools::reach_of(axis), axis.stride});
  }
  x = pools::padded(c, x, windows, pools::kFirst, sdk::Value(0), true);
  c.set(0, rules::rounded_to(c, x, meta.dtype));
}

void vjp(sdk::Vjp& v) {
  v.grad(0, v.call("tenon.im2col", {v.dy()},
                   {v.attr(kOwn + columns::kKernel), v.attr(kOwn + columns::kStride),
                    v.attr(kOwn + columns::kPadding), v.attr(kOwn + columns::kDilation),
                    v.attr(kOwn + columns::kAutoPad)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "col2im(x: T[N,R,L], *, size: int[], kernel: int[], stride: int[]=[1], "
                       "padding: int[]=[0], dilation: int[]=[1], auto_pad: str=\"none\") -> "
                       "T[N,C,...] where T: number",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {{}};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = kOwn + columns::kAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,12,9] | size=[4,5], kernel=[2,3]"),
    sdk::sample(name, "f64[1,18,16] | size=[4,4], kernel=[3], padding=[1]"),
    sdk::sample(name, "f64[2,6,10] | size=[5,4], kernel=[3,2], stride=[2,1], padding=[0,1]"),
    sdk::sample(name, "f64[1,6,9] | size=[5,5], kernel=[2,3], stride=[2], padding=[1,0,2,1]"),
    sdk::sample(name, "f64[1,8,20] | size=[5,5], kernel=[2], dilation=[3,2], padding=[1]"),
    sdk::sample(name, "f64[1,4,4] | size=[3,3], kernel=[2], stride=[2], auto_pad=\"same\""),
    sdk::sample(name, "f64[1,4,2] | size=[5,4], kernel=[2], stride=[3], auto_pad=\"valid\""),
    sdk::sample(name, "f64[2,9,2] | size=[7], kernel=[3], stride=[3], padding=[1,2], dilation=[2]"),
    sdk::sample(name, "f64[1,16,4] | size=[3,2,3], kernel=[2], padding=[1,0,0], stride=[2,1,1]"),
    sdk::sample(name, "f64[2,3,3] | size=[3], kernel=[1]"),
    sdk::sample(name, "f64[1,2,4] | size=[1], kernel=[2], padding=[2]"),
    sdk::sample(name, "f64[1,2,3] | size=[0], kernel=[2], padding=[2]"),
    sdk::sample(name, "f64[0,8,4] | size=[3,3], kernel=[2]"),
    sdk::sample(name, "f64[2,0,4] | size=[3,3], kernel=[2]"),
    sdk::sample(name, "f32[1,2,3]{nan,inf,-inf,-0.0,1.0,-1.0} | size=[4], kernel=[2]"),
    sdk::sample(name, "f32[1,2,2]{3.4028235e38,3.4028235e38,1e-45,-0.0} | size=[3], kernel=[2]"),
    sdk::sample(name,
                "f64[1,2,2]{1.7976931348623157e308,1.7976931348623157e308,5e-324,"
                "2.2250738585072014e-308} | size=[3], kernel=[2]"),
    sdk::sample(name, "f16[1,2,2]{65504.0,65504.0,6e-8,6.1035e-5} | size=[3], kernel=[2]"),
    sdk::sample(name, "bf16[1,2,2]{3.39e38,3.39e38,9.2e-41,1.1755e-38} | size=[3], kernel=[2]"),
    sdk::sample(name, "i64[1,2,2]{9223372036854775807,1,1,2} | size=[3], kernel=[2]"),
    sdk::sample(name, "u8[1,2,2]{255,16,255,16} | size=[3], kernel=[2]"),
    sdk::refused(name, "f32[1,2,3] | size=[3], kernel=[2]", TENON_E_SHAPE,
                 "a column for each window"),
    sdk::refused(name, "f32[1,3,2] | size=[3], kernel=[2]", TENON_E_SHAPE,
                 "a column for each window"),
    sdk::refused(name, "f32[1,2] | size=[3], kernel=[2]", TENON_E_SHAPE, "dimensions"),
    sdk::refused(name, "f32[1,2,2] | size=[-3], kernel=[2]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "f32[1,2,2] | size=[1], kernel=[2]", TENON_E_SHAPE, "does not fit"),
    sdk::refused(name, "f32[1,2,2] | size=[3], kernel=[2,2]", TENON_E_ATTRIBUTE,
                 "kernel has the wrong"),
    sdk::refused(name, "f32[1,2,2] | size=[], kernel=[2]", TENON_E_SHAPE, "1 to 3 dimensions"),
    sdk::refused(name, "f32[1,2,2] | kernel=[2]", TENON_E_ATTRIBUTE, "size"),
    sdk::refused(name, "bool[1,2,2] | size=[3], kernel=[2]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "| size=[3], kernel=[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Additions in another order round differently, by as much as the largest partial sums.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {2, 4e-06}, .f64 = {2, 1e-14}});

}  // namespace

TENON_UNIT(col2im) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
