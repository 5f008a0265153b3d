// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/dropout.cc: dropout, which leaves out elements by chance and scales the
// others.
//
// y = kept ? x s : 0,  kept[i] = u(i) >= p,  s = 1 / (1 - p);  dx = kept ? dy s : 0.
// Source: N. Srivastava and others, "Dropout: A Simple Way to Prevent Neural Networks from
// Overfitting", 2014; PyTorch's `dropout`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.dropout";

constexpr std::string_view doc =
    R"(Leaves out each element with the probability `p`, and scales the others so that the mean
stays: `y[i] = x[i] * s` where `u(i) >= p`, else 0, with `s = 1 / (1 - p)` and `u` as in an f32
`tenon.uniform`. What is left out is an exact zero, whatever `x` holds there. The aux output says
which elements were kept.

To be called in training only: there is no flag to turn it off.

Gradient: `dx = dy * s` where `x` was kept, else 0.

Source: N. Srivastava and others, "Dropout: A Simple Way to Prevent Neural Networks from
Overfitting", 2014; PyTorch, `dropout`; Salmon and others, "Parallel Random Numbers: As Easy as 1,
2, 3", 2011 (Philox4x32-10).

Canonical arithmetic: `s` in f64, rounded to C; one product in C, which is f32 for f16, bf16 and
f32, f64 for f64; f16 and bf16 are rounded once more. Bit-equal on every backend.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const double p = args.attrs.real(0);
  if (!(p >= 0.0 && p <= 1.0)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "p is not a probability", "p", "0 <= p <= 1",
                       std::to_string(p)};
  }
  for (tenon_meta& each : out) sdk::set_shape(each, args.shape(0));
}

uint64_t words(const sdk::Args& args) {
  return static_cast<uint64_t>(sdk::count_of(args.shape(0)));
}

// The product with `s` as the kernel has it: s would lose digits as a 16-bit float.
tenon_tensor* scaled(sdk::Vjp& v, tenon_tensor* dy) {
  const double s = 1.0 / (1.0 - sdk::Attrs::number(v.attr(0)));
  const tenon_dtype dtype = v.meta(dy).dtype;
  if (!rules::is_16_bit_float(dtype)) return v.call("tenon.mul", {dy, s});
  tenon_tensor* wide = v.call("tenon.cast", {dy}, {sdk::Value::dtype(TENON_DTYPE_F32)});
  return v.call("tenon.cast", {v.call("tenon.mul", {wide, s})}, {sdk::Value::dtype(dtype)});
}

void vjp(sdk::Vjp& v) {
  v.grad(0, v.call("tenon.where", {v.out(1), scaled(v, v.dy().tensor()), 0}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "dropout(x: T[...], *, p: float=0.5) -> (T[...], aux kept: bool[...]) "
                       "where T: float",
             .doc = doc,
             .flags = TENON_OP_RANDOM,
             .infer = sdk::infer_fn<infer>,
             .random_words = sdk::words_fn<words>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(1)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_outputs = 2, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,1,3,2] | p=0.25"),
    sdk::sample(name, "f64[61] | p=0.1"),
    sdk::sample(name, "f32[63] | p=0.9"),
    sdk::sample(name, "f64[5] | p=0.0"),
    sdk::sample(name, "f64[5] | p=1.0"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[1,1] | p=0.75"),
    sdk::sample(name, "2.5"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f16[9] | p=0.1"),
    sdk::sample(name, "bf16[9] | p=0.1"),
    sdk::sample(name, "f32[12]{nan,nan,nan,inf,inf,-inf,-inf,0.0,-0.0,3.4028235e38,1e-45,-1e-45}"),
    sdk::sample(name, "f64[4]{1.7976931348623157e308,5e-324,nan,inf} | p=0.3"),
    sdk::sample(name, "f16[4]{65504.0,6e-8,-65504.0,1.0} | p=0.3"),
    sdk::sample(name, "bf16[4]{3.39e38,9.2e-41,-3.39e38,1.0} | p=0.3"),
    sdk::refused(name, "f32[2] | p=-0.1", TENON_E_ATTRIBUTE, "not a probability"),
    sdk::refused(name, "f32[2] | p=1.5", TENON_E_ATTRIBUTE, "not a probability"),
    sdk::refused(name, "f32[2] | p=nan", TENON_E_ATTRIBUTE, "not a probability"),
    sdk::refused(name, "i32[2]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(dropout) = {.ops = ops, .vjps = vjps, .samples = samples};
