// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/conv_weight_grad.cc: conv_weight_grad, the gradient of conv's weight.
//
// dweight[o,c,t] = sum over n, p of dy[n,o,p] x[n,c, p stride - before + t dilation].
// Source: PyTorch's `conv2d` and its backward.
#include "window/convolution.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.conv_weight_grad";
// The attribute of its own, then those of all three.
constexpr uint32_t kKernel = 0;
constexpr uint32_t kWindows = 1;
constexpr uint32_t kAttributes = kWindows + sdk::kConvAttributes;

constexpr std::string_view doc =
    R"(The gradient of `tenon.conv` with respect to its weight: `y[o,c,t]` is the sum of `dy[n,o,p]
* x[n,c,p * stride - before + t * dilation]` over all images `n` and windows `p`, c within the
group. `kernel` are the sizes of a window, the other attributes those of `tenon.conv`; `dy` has the
shape that it gives.

Gradient: that of `dy` is `tenon.conv`, that of `x` is `tenon.conv_input_grad`.

Source: PyTorch, `nn.grad.conv2d_weight`.

Canonical arithmetic: of each image, `acc = fma(dy, x, acc)` with `p` ascending, in f32 for f16,
bf16 and f32 and in f64 for f64; a place in the padding adds nothing. Then images are added in
pairs, 0 and 1, 2 and 3 and so on, then those sums likewise, an odd one waiting for the next round.
Then `+ 0`, rounded to T at the end. Integers wrap modulo 2^bits.)";

// The shape [O,C/groups,...] of the weight.
rules::Dims weight_shape(const sdk::Attrs& attrs, int64_t out, int64_t in, rules::Sizes kernel) {
  return rules::joined(out, in / rules::checked_groups(attrs, kWindows), kernel);
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const auto dy = args.shape(0);
  const auto x = args.shape(1);
  rules::need_windows(dy, x, "x", "[N,C,...]");
  const auto kernel = rules::need_sizes(args, kKernel, "kernel", x.size() - 2);
  const rules::Dims weight = weight_shape(args.attrs, dy[1], x[1], kernel);
  const auto conv =
      rules::checked_convolution(x, weight.span(), args.attrs, kWindows, "x", "kernel");
  rules::need_windows_shape(dy, conv);
  sdk::set_shape(out[0], rules::checked_shape(weight.span(), "kernel").span());
}

void compose(sdk::Compose& c) {
  const tenon_meta dy_meta = c.meta(c.in(0).tensor());
  const tenon_meta x_meta = c.meta(c.in(1).tensor());
  const rules::Dims shape =
      weight_shape(c.attrs, dy_meta.shape[1], x_meta.shape[1], c.attrs.ints(kKernel));
  const sdk::Convolution conv(rules::shape_of(x_meta), shape.span(), c.attrs, kWindows);
  tenon_tensor* dy = rules::grouped_windows(c, rules::widened(c, c.in(0)), conv);
  tenon_tensor* x = rules::grouped_image(c, rules::widened(c, c.in(1)), conv);
  constexpr int64_t images = 0;
  const std::array<int64_t, 4> taps = {conv.groups, conv.out, conv.in, conv.windows.taps()};
  std::array<int64_t, 4> one = taps;
  one[3] = 1;
  tenon_tensor* y =
      rules::sum_over_taps(c, conv, shape, c.meta(x).dtype, [&](const rules::Tap& tap) {
        tenon_tensor* turned = c.call("tenon.transpose", {tap.of_image(c, x)}, {-2, -1});
        tenon_tensor* product = c.call("tenon.matmul", {tap.of_windows(c, dy), turned});
        product = c.call("tenon.sum", {product}, {rules::Sizes(&images, 1)});
        return c.call("tenon.slice_put", {rules::reshape(c, product, rules::Dims(one))},
                      {rules::Sizes(taps), 3, tap.number(), 1});
      });
  c.set(0, rules::rounded_to(c, y, dy_meta.dtype));
}

void vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(1);
  const auto values = rules::attributes_of<kAttributes>(v);
  const sdk::Attrs attrs(values.data(), kAttributes);
  const sdk::Convolution conv(rules::shape_of(x), rules::shape_of(v.out_meta()), attrs, kWindows);
  const rules::SameWindows same(conv, attrs, kWindows);
  if (v.wants(0)) v.grad(0, rules::conv(v, v.in(1), v.dy(), same));
  if (v.wants(1)) {
    const auto image = rules::shape_of(x).subspan(2);
    v.grad(1, rules::conv_input_grad(v, v.in(0), v.dy(), image, same));
  }
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "conv_weight_grad(dy: T[N,O,...], x: T[N,C,...], *, kernel: int[], "
                       "stride: int[]=[1], padding: int[]=[0], dilation: int[]=[1], "
                       "groups: int=1, auto_pad: str=\"none\") -> T[O,C/groups,...] "
                       "where T: number promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1), .input_metas = sdk::bit(1), .output_metas = sdk::bit(0)}),
    sdk::need({.inputs = sdk::bit(0), .input_metas = sdk::bit(1), .output_metas = sdk::bit(0)}),
};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = kAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3,2,4], f64[2,2,4,5] | kernel=[3,2]"),
    sdk::sample(name, "f64[1,2,4,4], f64[1,2,4,4] | kernel=[3,3], padding=[1]"),
    sdk::sample(name, "f64[3,2,2,5], f64[3,1,5,4] | kernel=[3,2], stride=[2,1], padding=[0,1]"),
    sdk::sample(name,
                "f64[1,2,2,3], f64[1,1,5,4] | kernel=[2,3], stride=[3,2], "
                "padding=[1,0,2,1]"),
    sdk::sample(name, "f64[1,1,4,3], f64[1,2,5,5] | kernel=[2,3], dilation=[3,2], padding=[1]"),
    sdk::sample(name, "f64[1,4,2,2], f64[1,4,3,3] | kernel=[2,2], groups=2"),
    sdk::sample(name, "f64[5,3,3,2], f64[5,3,3,2] | kernel=[3,3], groups=3, padding=[1]"),
    sdk::sample(name,
                "f64[1,4,2,2], f64[1,2,3,3] | kernel=[2,2], groups=2, stride=[2], "
                "auto_pad=\"same\""),
    sdk::sample(name, "f64[2,4,2,3], f64[2,3,2,3] | kernel=[1,1]"),
    sdk::sample(name, "f64[1,2,2,2], f64[1,2,4,4] | kernel=[1,1], stride=[2]"),
    sdk::sample(name, "f64[2,3,4], f64[2,2,6] | kernel=[3]"),
    sdk::sample(name,
                "f64[1,2,3], f64[1,1,7] | kernel=[2], stride=[3], padding=[1,2], "
                "dilation=[2]"),
    sdk::sample(name, "f64[1,1,5], f64[1,2,5] | kernel=[4], auto_pad=\"same\""),
    sdk::sample(name, "f64[1,1,2], f64[1,2,5] | kernel=[4], auto_pad=\"valid\""),
    sdk::sample(name,
                "f64[1,2,2,1,2], f64[1,1,3,2,3] | kernel=[2,2,2], padding=[1,0,0], "
                "stride=[2,1,1]"),
    sdk::sample(name, "f64[1,1,5,5], f64[1,1,1,2] | kernel=[1,2], padding=[2]"),
    sdk::sample(name, "f64[1,1,1], f64[1,1,1] | kernel=[2], padding=[1], dilation=[2]"),
    sdk::sample(name, "f64[1,2,3], f64[1,1,0] | kernel=[2], padding=[2]"),
    sdk::sample(name, "f64[0,2,2,2], f64[0,2,3,3] | kernel=[2,2]"),
    sdk::sample(name, "f64[2,2,2,2], f64[2,0,3,3] | kernel=[2,2]"),
    sdk::sample(name, "f64[2,0,2,2], f64[2,2,3,3] | kernel=[2,2]"),
    sdk::sample(name, "f32[7,1,4,4](0,1), f32[7,1,4,4](0,1) | kernel=[3,3], padding=[1]"),
    sdk::sample(name, "f16[2,2,2,2], f16[2,2,3,3] | kernel=[2,2]"),
    sdk::sample(name, "f32[1,1,2], f16[1,1,3] | kernel=[2]"),
    sdk::sample(name, "i32[1,1,2], f32[1,1,3] | kernel=[2]"),
    sdk::sample(name, "f32[1,1,3]{inf,1.0,nan}, f32[1,2,3] | kernel=[3], padding=[1]"),
    sdk::sample(name,
                "f32[1,1,2]{1.0,0.0}, f32[1,1,5]{inf,nan,nan,1.0,-inf} | kernel=[2], "
                "stride=[3]"),
    sdk::sample(name, "f32[1,1,1]{-0.1}, f32[1,1,2]{-0.0,1e-45} | kernel=[2]"),
    sdk::sample(name, "f32[1,1,1]{1.0}, f32[1,1,2]{3.4028235e38,1.1754944e-38} | kernel=[2]"),
    sdk::sample(name, "f64[1,1,1]{1.0}, f64[1,1,2]{1.7976931348623157e308,5e-324} | kernel=[2]"),
    sdk::sample(name, "f16[1,1,1]{1.0}, f16[1,1,2]{65504.0,6e-8} | kernel=[2]"),
    sdk::sample(name, "bf16[1,1,1]{1.0}, bf16[1,1,2]{3.39e38,9.2e-41} | kernel=[2]"),
    sdk::sample(name, "i32[2,2,2,2], i32[2,2,3,3] | kernel=[2,2]"),
    sdk::sample(name, "u8[1,1,2]{255,16}, u8[1,1,2]{255,16} | kernel=[1]"),
    sdk::refused(name, "bool[1,1,2], bool[1,1,2] | kernel=[1]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[2,3], f32[2,3,1] | kernel=[3]", TENON_E_SHAPE, "dy must have images"),
    sdk::refused(name, "f32[1,2,4,4], f32[1,2,6] | kernel=[3,3]", TENON_E_SHAPE,
                 "as many dimensions as dy"),
    sdk::refused(name, "f32[1,2,4,4], f32[1,2,6,6] | kernel=[3]", TENON_E_ATTRIBUTE,
                 "one size for each dimension"),
    sdk::refused(name, "f32[1,2,4,4], f32[1,2,6,6] | kernel=[3,0]", TENON_E_SHAPE,
                 "at least one place"),
    sdk::refused(name, "f32[1,2,4,4], f32[1,2,6,6] | kernel=[3,4]", TENON_E_SHAPE,
                 "dy must have the shape"),
    sdk::refused(name, "f32[2,2,4,4], f32[1,2,6,6] | kernel=[3,3]", TENON_E_SHAPE,
                 "size N differs"),
    sdk::refused(name, "f32[1,2,4,4], f32[1,2,6,6] | kernel=[3,7]", TENON_E_SHAPE,
                 "does not fit dimension 3"),
    sdk::refused(name, "f32[1,2,4,4], f32[1,3,6,6] | kernel=[3,3], groups=2", TENON_E_ATTRIBUTE,
                 "groups must divide"),
    sdk::refused(name, "f32[1,2,4,4], f32[1,2,6,6] | kernel=[3,3], groups=-1", TENON_E_ATTRIBUTE,
                 "groups must be at least 1"),
    sdk::refused(name, "f32[1,2,4,4], f32[1,2,6,6]", TENON_E_ATTRIBUTE, "kernel"),
    sdk::refused(name, "f32[1,2,4,4] | kernel=[3,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Additions in another order round differently, by as much as the largest partial sums; fma "
    "rounds less.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {2, 4e-06}, .f64 = {4, 1e-14}});

}  // namespace

TENON_UNIT(conv_weight_grad) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
