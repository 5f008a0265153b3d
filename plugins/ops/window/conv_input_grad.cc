// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/conv_input_grad.cc: conv_input_grad, the gradient of conv's image.
//
// dx[n,c,i] = sum over o, t of weight[o,c,t] dy[n,o,p] where p stride - before + t dilation = i.
// Source: PyTorch's `conv_transpose2d`; V. Dumoulin, F. Visin, "A guide to convolution arithmetic
// for deep learning", 2016.
#include "window/convolution.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.conv_input_grad";
// The attribute of its own, then those of all three.
constexpr uint32_t kSize = 0;
constexpr uint32_t kWindows = 1;
constexpr uint32_t kAttributes = kWindows + sdk::kConvAttributes;

constexpr std::string_view doc =
    R"(The gradient of `tenon.conv` with respect to its image, and transposed convolution:
`dx[n,c,i]` is the sum of `weight[o,c,t] * dy[n,o,p]` over all `o`, `t` and `p` for which `p *
stride - before + t * dilation = i`. `size` are the image's sizes beside N and C, the other
attributes those of `tenon.conv`; `dy` has the shape that it gives for such an image. Places that no
window has are 0.

Gradient: that of `dy` is `tenon.conv`, that of `weight` is `tenon.conv_weight_grad`.

Source: PyTorch, `conv_transpose1d`, `conv_transpose2d`, `conv_transpose3d`, whose `output_padding`
chooses among the sizes that `size` names here, and whose weight is [C,O/groups,...] in its own
words: the same memory.

Canonical arithmetic: `acc = fma(weight, dy, acc)` with (o, t) ascending, o within the group, in f32
for f16, bf16 and f32 and in f64 for f64; places that no window has are never multiplied. Then
`acc + 0`, rounded to T at the end. Integers wrap modulo 2^bits.)";

// The shape [N,C,...] of the image.
rules::Dims image_shape(const sdk::Args& args) {
  const auto weight = args.shape(1);
  const auto size = rules::need_sizes(args, kSize, "size", args.shape(0).size() - 2);
  const int64_t groups = rules::checked_groups(args.attrs, kWindows);
  return rules::joined(args.shape(0)[0], weight[1] * groups, size);
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const auto dy = args.shape(0);
  const auto weight = args.shape(1);
  rules::need_windows(dy, weight, "weight", "[O,C/groups,...]");
  const rules::Dims image = image_shape(args);
  const auto conv =
      rules::checked_convolution(image.span(), weight, args.attrs, kWindows, "dx", "weight");
  rules::need_windows_shape(dy, conv);
  sdk::set_shape(out[0], rules::checked_shape(image.span(), "size").span());
}

void compose(sdk::Compose& c) {
  const tenon_meta dy_meta = c.meta(c.in(0).tensor());
  const tenon_meta weight_meta = c.meta(c.in(1).tensor());
  const int64_t channels = weight_meta.shape[1] * c.attrs.integer(kWindows + sdk::kConvGroups);
  const rules::Dims shape = rules::joined(dy_meta.shape[0], channels, c.attrs.ints(kSize));
  const sdk::Convolution conv(shape.span(), rules::shape_of(weight_meta), c.attrs, kWindows);
  tenon_tensor* dy = rules::grouped_windows(c, rules::widened(c, c.in(0)), conv);
  tenon_tensor* weight = rules::grouped_weight(c, rules::widened(c, c.in(1)), conv);
  tenon_tensor* dx =
      rules::sum_over_taps(c, conv, shape, c.meta(dy).dtype, [&](const rules::Tap& tap) {
        tenon_tensor* turned = c.call("tenon.transpose", {tap.of_weight(c, weight)}, {-2, -1});
        return tap.into_image(c, c.call("tenon.matmul", {turned, tap.of_windows(c, dy)}));
      });
  c.set(0, rules::rounded_to(c, dx, dy_meta.dtype));
}

void vjp(sdk::Vjp& v) {
  const tenon_meta weight = v.in_meta(1);
  const auto values = rules::attributes_of<kAttributes>(v);
  const sdk::Attrs attrs(values.data(), kAttributes);
  const sdk::Convolution conv(rules::shape_of(v.out_meta()), rules::shape_of(weight), attrs,
                              kWindows);
  const rules::SameWindows same(conv, attrs, kWindows);
  if (v.wants(0)) v.grad(0, rules::conv(v, v.dy(), v.in(1), same));
  if (v.wants(1)) {
    const auto kernel = rules::shape_of(weight).subspan(2);
    v.grad(1, rules::conv_weight_grad(v, v.in(0), v.dy(), kernel, same));
  }
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "conv_input_grad(dy: T[N,O,...], weight: T[O,C/groups,...], *, size: int[], "
                       "stride: int[]=[1], padding: int[]=[0], dilation: int[]=[1], "
                       "groups: int=1, auto_pad: str=\"none\") -> T[N,C,...] "
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
    sdk::sample(name, "f64[2,3,2,4], f64[3,2,3,2] | size=[4,5]"),
    sdk::sample(name, "f64[1,2,4,4], f64[2,2,3,3] | size=[4,4], padding=[1]"),
    sdk::sample(name, "f64[1,2,2,5], f64[2,1,3,2] | size=[5,4], stride=[2,1], padding=[0,1]"),
    sdk::sample(name, "f64[1,2,2,3], f64[2,1,2,3] | size=[5,4], stride=[3,2], padding=[1,0,2,1]"),
    sdk::sample(name, "f64[1,1,4,3], f64[1,2,2,3] | size=[5,5], dilation=[3,2], padding=[1]"),
    sdk::sample(name, "f64[1,4,2,2], f64[4,2,2,2] | size=[3,3], groups=2"),
    sdk::sample(name, "f64[2,3,3,4], f64[3,1,3,3] | size=[3,4], groups=3, padding=[1]"),
    sdk::sample(name,
                "f64[1,4,2,2], f64[4,1,2,2] | size=[3,3], groups=2, stride=[2], "
                "auto_pad=\"same\""),
    sdk::sample(name, "f64[2,4,2,3], f64[4,3,1,1] | size=[2,3]"),
    sdk::sample(name, "f64[1,2,2,2], f64[2,2,1,1] | size=[4,4], stride=[2]"),
    sdk::sample(name, "f64[2,3,4], f64[3,2,3] | size=[6]"),
    sdk::sample(name, "f64[1,2,3], f64[2,1,2] | size=[7], stride=[3], padding=[1,2], dilation=[2]"),
    sdk::sample(name, "f64[1,1,5], f64[1,2,4] | size=[5], auto_pad=\"same\""),
    sdk::sample(name, "f64[1,1,2], f64[1,2,4] | size=[5], auto_pad=\"valid\""),
    sdk::sample(name,
                "f64[1,2,2,1,2], f64[2,1,2,2,2] | size=[3,2,3], padding=[1,0,0], "
                "stride=[2,1,1]"),
    sdk::sample(name, "f64[1,1,5,5], f64[1,1,1,2] | size=[1,2], padding=[2]"),
    sdk::sample(name, "f64[1,1,1], f64[1,1,2] | size=[1], padding=[1], dilation=[2]"),
    sdk::sample(name, "f64[1,2,3], f64[2,1,2] | size=[0], padding=[2]"),
    sdk::sample(name, "f64[0,2,2,2], f64[2,2,2,2] | size=[3,3]"),
    sdk::sample(name, "f64[2,2,2,2], f64[2,0,2,2] | size=[3,3]"),
    sdk::sample(name, "f64[2,0,2,2], f64[0,2,2,2] | size=[3,3]"),
    sdk::sample(name, "f32[1,24,3,3](0,1), f32[24,2,3,3](0,1) | size=[3,3], padding=[1]"),
    sdk::sample(name, "f16[1,2,2,2], f16[2,2,2,2] | size=[3,3]"),
    sdk::sample(name, "f32[1,1,2], f16[1,1,2] | size=[3]"),
    sdk::sample(name, "i32[1,1,2], f32[1,1,2] | size=[3]"),
    sdk::sample(name, "f32[1,2,3], f32[2,1,3]{inf,1.0,1.0,1.0,nan,1.0} | size=[3], padding=[1]"),
    sdk::sample(name, "f32[1,1,2]{inf,nan}, f32[1,1,2]{1.0,0.0} | size=[5], stride=[3]"),
    sdk::sample(name, "f32[1,1,2]{-0.0,1e-45}, f32[1,1,1]{-0.1} | size=[2]"),
    sdk::sample(name, "f32[1,1,2]{3.4028235e38,1.1754944e-38}, f32[1,1,1]{1.0} | size=[2]"),
    sdk::sample(name, "f64[1,1,2]{1.7976931348623157e308,5e-324}, f64[1,1,1]{1.0} | size=[2]"),
    sdk::sample(name, "f16[1,1,2]{65504.0,6e-8}, f16[1,1,1]{1.0} | size=[2]"),
    sdk::sample(name, "bf16[1,1,2]{3.39e38,9.2e-41}, bf16[1,1,1]{1.0} | size=[2]"),
    sdk::sample(name, "i32[1,2,2,2], i32[2,2,2,2] | size=[3,3]"),
    sdk::sample(name, "u8[1,1,2]{255,16}, u8[1,1,2]{255,16} | size=[3]"),
    sdk::refused(name, "bool[1,1,2], bool[1,1,1] | size=[2]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[3,2], f32[2,3,1] | size=[3]", TENON_E_SHAPE, "dy must have images"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3] | size=[4,4]", TENON_E_SHAPE,
                 "as many dimensions as dy"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | size=[6]", TENON_E_ATTRIBUTE,
                 "one size for each dimension"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | size=[6,-1]", TENON_E_ATTRIBUTE,
                 "one size for each dimension"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | size=[7,6]", TENON_E_SHAPE,
                 "dy must have the shape"),
    sdk::refused(name, "f32[1,3,4,4], f32[2,2,3,3] | size=[6,6]", TENON_E_SHAPE, "size O differs"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | size=[2,6]", TENON_E_SHAPE,
                 "does not fit dimension 2"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | size=[6,6], groups=0", TENON_E_ATTRIBUTE,
                 "groups must be at least 1"),
    sdk::refused(name, "f32[1,3,4,4], f32[3,2,3,3] | size=[6,6], groups=2", TENON_E_ATTRIBUTE,
                 "groups must divide"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | size=[6,6], padding=[-1]", TENON_E_ATTRIBUTE,
                 "padding is out of range"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3]", TENON_E_ATTRIBUTE, "size"),
    sdk::refused(name, "f32[1,2,4,4] | size=[6,6]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Additions in another order round differently, by as much as the largest partial sums; fma "
    "rounds less.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {2, 4e-06}, .f64 = {4, 1e-14}});

}  // namespace

TENON_UNIT(conv_input_grad) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
