// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/conv.cc: conv, convolution of images of 1 to 3 dimensions.
//
// y[n,o,p] = sum over c, t of weight[o,c,t] x[n,c, p stride - before + t dilation] + bias[o];
// dx and dweight in conv_input_grad and conv_weight_grad. Source: PyTorch's `conv1d`, `conv2d`,
// `conv3d`; V. Dumoulin, F. Visin, "A guide to convolution arithmetic for deep learning", 2016.
#include "channel_axes.hpp"
#include "window/convolution.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.conv";

constexpr std::string_view doc =
    R"(Convolution, or rather correlation, of images [N,C,W], [N,C,H,W] or [N,C,D,H,W]: `y[n,o,p] =
sum over c and t of weight[o,c,t] * x[n,c,p * stride - before + t * dilation] + bias[o]`, where `t`
goes over the places of a window and `p` over windows. With `groups` both channels are cut into as
many parts, and each part of the result is of its part of `x` alone; `groups` = C = O is the
depthwise form.

`stride`, `dilation`: one number, or one for each dimension. `padding`: likewise, or a pair for each
dimension, before and after it. `auto_pad`: "none"; "valid", no padding; or "same", as much as gives
ceil(size / stride) windows, the odd place after. There are floor((size + before + after -
dilation * (taps - 1) - 1) / stride) + 1 windows. A window wholly in padding gives `bias`.

Gradient: `dx` is `tenon.conv_input_grad`, `dweight` is `tenon.conv_weight_grad`, `dbias = sum(dy)`
of each channel.

Source: PyTorch, `conv1d`, `conv2d`, `conv3d`; ONNX, `Conv`, for `auto_pad` (SAME_UPPER). PyTorch
takes "same" only with a stride of 1.

Canonical arithmetic: `acc = fma(weight, x, acc)` with (c, t) ascending, in f32 for f16, bf16 and
f32 and in f64 for f64. A place in the padding adds nothing: 0 is not multiplied with an infinite
weight. Then `acc + 0`, so that a sum of 0 is +0, then `+ bias`, rounded to T at the end. Integers
wrap modulo 2^bits.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const auto conv =
      rules::checked_convolution(args.shape(0), args.shape(1), args.attrs, 0, "x", "weight");
  const int64_t channels = conv.groups * conv.out;
  if (args.given(2) && !std::ranges::equal(args.shape(2), rules::Sizes(&channels, 1))) {
    rules::refuse_shape("bias", "bias must have one element for each channel of the result",
                        "[" + std::to_string(channels) + "]", sdk::shape_text(args.shape(2)));
  }
  const rules::Dims shape = rules::windows_shape(conv);
  sdk::set_shape(out[0], rules::checked_shape(shape.span(), "y").span());
}

void compose(sdk::Compose& c) {
  const tenon_meta x_meta = c.meta(c.in(0).tensor());
  const tenon_meta weight_meta = c.meta(c.in(1).tensor());
  const sdk::Convolution conv(rules::shape_of(x_meta), rules::shape_of(weight_meta), c.attrs, 0);
  tenon_tensor* x = rules::grouped_image(c, rules::widened(c, c.in(0)), conv);
  tenon_tensor* weight = rules::grouped_weight(c, rules::widened(c, c.in(1)), conv);
  const rules::Dims shape = rules::windows_shape(conv);
  tenon_tensor* y =
      rules::sum_over_taps(c, conv, shape, c.meta(x).dtype, [&](const rules::Tap& tap) {
        return tap.into_windows(
            c, c.call("tenon.matmul", {tap.of_weight(c, weight), tap.of_image(c, x)}));
      });
  if (!c.in(2).is_none()) {
    rules::Dims line;
    line.push(shape[1]);
    for (size_t d = 0; d < conv.windows.rank(); ++d) line.push(1);
    y = c.call("tenon.add", {y, rules::reshape(c, rules::widened(c, c.in(2)), line)});
  }
  c.set(0, rules::rounded_to(c, y, x_meta.dtype));
}

void vjp(sdk::Vjp& v) {
  if (v.wants(2)) v.grad(2, rules::channel_sums(v));
  if (!v.wants(0) && !v.wants(1)) return;
  const tenon_meta x = v.in_meta(0);
  const tenon_meta weight = v.in_meta(1);
  const auto values = rules::attributes_of<sdk::kConvAttributes>(v);
  const sdk::Attrs attrs(values.data(), sdk::kConvAttributes);
  const sdk::Convolution conv(rules::shape_of(x), rules::shape_of(weight), attrs, 0);
  const rules::SameWindows same(conv, attrs, 0);
  if (v.wants(0)) {
    const auto image = rules::shape_of(x).subspan(2);
    v.grad(0, rules::conv_input_grad(v, v.dy(), v.in(1), image, same));
  }
  if (v.wants(1)) {
    const auto kernel = rules::shape_of(weight).subspan(2);
    v.grad(1, rules::conv_weight_grad(v, v.dy(), v.in(0), kernel, same));
  }
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "conv(x: T[N,C,...], weight: T[O,C/groups,...], bias: T[O]?, *, "
                       "stride: int[]=[1], padding: int[]=[0], dilation: int[]=[1], "
                       "groups: int=1, auto_pad: str=\"none\") -> T[N,O,...] "
                       "where T: number promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr uint64_t both = sdk::bit(0) | sdk::bit(1);
constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1), .input_metas = both}),
    sdk::need({.inputs = sdk::bit(0), .input_metas = both}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = sdk::kConvAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,2,4,5], f64[3,2,3,2], f64[3]"),
    sdk::sample(name, "f64[1,2,4,4], f64[2,2,3,3] | padding=[1]"),
    sdk::sample(name, "f64[1,1,5,4], f64[2,1,3,2], f64[2] | stride=[2,1], padding=[0,1]"),
    sdk::sample(name, "f64[1,1,5,5], f64[1,1,2,3] | stride=[2], padding=[1,0,2,1]"),
    sdk::sample(name, "f64[1,2,5,5], f64[1,2,2,3], f64[1] | dilation=[3,2], padding=[1]"),
    sdk::sample(name, "f64[1,4,3,3], f64[4,2,2,2], f64[4] | groups=2"),
    sdk::sample(name, "f64[2,3,3,4], f64[3,1,3,3], f64[3] | groups=3, padding=[1]"),
    sdk::sample(name, "f64[1,2,3,3], f64[4,1,2,2] | groups=2, stride=[2], auto_pad=\"same\""),
    sdk::sample(name, "f64[2,3,2,3], f64[4,3,1,1], f64[4]"),
    sdk::sample(name, "f64[1,2,4,4], f64[2,2,1,1] | stride=[2]"),
    sdk::sample(name, "f64[2,2,6], f64[3,2,3], f64[3]"),
    sdk::sample(name, "f64[1,1,7], f64[2,1,2] | stride=[3], padding=[1,2], dilation=[2]"),
    sdk::sample(name, "f64[1,2,5], f64[1,2,4] | auto_pad=\"same\""),
    sdk::sample(name, "f64[1,2,5], f64[1,2,4] | auto_pad=\"valid\""),
    sdk::sample(name, "f64[1,1,3,2,3], f64[2,1,2,2,2], f64[2] | padding=[1,0,0], stride=[2,1,1]"),
    sdk::sample(name, "f64[1,2,2,2,2], f64[2,1,1,2,1] | groups=2, padding=[0,0,0,1,1,0]"),
    // Windows wholly in padding, taps that no window has in the image, nothing at all.
    sdk::sample(name, "f64[1,1,1,2], f64[2,1,1,2], f64[2] | padding=[2]"),
    sdk::sample(name, "f64[1,1,1], f64[1,1,2] | padding=[1], dilation=[2]"),
    sdk::sample(name, "f64[1,1,0], f64[2,1,2], f64[2] | padding=[2]"),
    sdk::sample(name, "f64[0,2,3,3], f64[2,2,2,2], f64[2]"),
    sdk::sample(name, "f64[2,0,3,3], f64[2,0,2,2]"),
    sdk::sample(name, "f64[2,2,3,3], f64[0,2,2,2], f64[0]"),
    sdk::sample(name, "f32[1,24,3,3](0,1), f32[2,24,3,3](0,1), f32[2] | padding=[1]"),
    sdk::sample(name, "f16[1,2,3,3], f16[2,2,2,2], f16[2]"),
    sdk::sample(name, "f32[1,1,3], f16[2,1,2]"),
    sdk::sample(name, "i32[1,1,3], f32[2,1,2]"),
    sdk::sample(name, "f32[1,1,3]{1.0,2.0,3.0}, f32[2,1,3]{inf,1.0,1.0,1.0,nan,1.0} | padding=[1]"),
    sdk::sample(name, "f32[1,1,4]{inf,1.0,nan,-inf}, f32[2,1,2]{1.0,0.0,0.0,1.0} | stride=[2]"),
    sdk::sample(name, "f32[1,1,2]{-0.0,1e-45}, f32[2,1,1]{1.0,-0.1}, f32[2]{-0.0,-0.0}"),
    sdk::sample(name, "f32[1,1,2]{3.4028235e38,1.1754944e-38}, f32[1,1,1]{1.0} | padding=[1]"),
    sdk::sample(name, "f64[1,1,2]{1.7976931348623157e308,5e-324}, f64[1,1,1]{1.0}"),
    sdk::sample(name, "f16[1,1,2]{65504.0,6e-8}, f16[1,1,1]{1.0}"),
    sdk::sample(name, "bf16[1,1,2]{3.39e38,9.2e-41}, bf16[1,1,1]{1.0}"),
    sdk::sample(name, "i32[1,2,3,3], i32[2,2,2,2], i32[2] | padding=[1]"),
    sdk::sample(name, "i64[1,1,2]{9223372036854775807,2}, i64[1,1,1]{2}, i64[1]{-1}"),
    sdk::sample(name, "u8[1,1,2]{255,16}, u8[1,1,2]{255,16}"),
    sdk::refused(name, "bool[1,1,2], bool[1,1,1]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[2,3], f32[2,3,1]", TENON_E_SHAPE, "x must have images, channels"),
    sdk::refused(name, "f32[1,1,2,2,2,2], f32[1,1,1,1,1,1]", TENON_E_SHAPE,
                 "x must have images, channels"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3]", TENON_E_SHAPE, "as many dimensions as x"),
    sdk::refused(name, "f32[1,2,4,4], 2.0", TENON_E_SHAPE, "as many dimensions as x"),
    sdk::refused(name, "f32[1,3,4,4], f32[2,2,3,3]", TENON_E_SHAPE, "channels of a group"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,0,3]", TENON_E_SHAPE, "at least one place"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3], f32[3]", TENON_E_SHAPE, "size O differs"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3], 1.0", TENON_E_SHAPE, "bias must have"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,5]", TENON_E_SHAPE, "does not fit dimension 3"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | dilation=[2,1]", TENON_E_SHAPE,
                 "does not fit dimension 2"),
    sdk::refused(name, "f32[1,4,4,4], f32[2,1,3,3] | groups=3", TENON_E_ATTRIBUTE,
                 "groups must divide"),
    sdk::refused(name, "f32[1,4,4,4], f32[3,2,3,3] | groups=2", TENON_E_ATTRIBUTE,
                 "groups must divide"),
    sdk::refused(name, "f32[1,4,4,4], f32[3,2,3,3] | groups=0", TENON_E_ATTRIBUTE,
                 "groups must be at least 1"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | stride=[0]", TENON_E_ATTRIBUTE,
                 "stride is out of range"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | stride=[1,1,1]", TENON_E_ATTRIBUTE,
                 "stride has the wrong number"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | padding=[-1]", TENON_E_ATTRIBUTE,
                 "padding is out of range"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | padding=[1,1,1]", TENON_E_ATTRIBUTE,
                 "padding has the wrong number"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | dilation=[9223372036854775807]",
                 TENON_E_ATTRIBUTE, "dilation is out of range"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | auto_pad=\"full\"", TENON_E_ATTRIBUTE,
                 "no such auto_pad"),
    sdk::refused(name, "f32[1,2,4,4], f32[2,2,3,3] | auto_pad=\"same\", padding=[1]",
                 TENON_E_ATTRIBUTE, "padding is given twice"),
    sdk::refused(name, "f32[1,1,1,1], f32[1,1,1,1] | padding=[1073741824]", TENON_E_SHAPE,
                 "too many elements"),
    sdk::refused(name, "f32[1,2,4,4]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Additions in another order round differently, by as much as the largest partial sums; fma "
    "rounds less.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {2, 4e-06}, .f64 = {4, 1e-14}});

}  // namespace

TENON_UNIT(conv) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
