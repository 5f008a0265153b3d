// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/bernoulli.cc: bernoulli, ones with a given probability each, else zeros.
//
// y[i] = u(i) < p[i].
// Source: PyTorch's `bernoulli`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.bernoulli";

constexpr std::string_view doc =
    R"(Ones with the probabilities `p`, else zeros: `y[i] = 1` where `u(i) < p[i]`, else 0, with `u`
as in `tenon.uniform`: a multiple of 2^-53 for f64, of 2^-24 for the others, so that the
probability of a 1 is at most that much above `p`. A `p` outside [0, 1] or NaN is refused.

No gradient: `p` has none.

Source: PyTorch, `bernoulli`; Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011
(Philox4x32-10).

Canonical arithmetic: exact. Bit-equal on every backend.)";

// Two words for an f64, else one.
uint64_t words(const sdk::Args& args) {
  const auto count = static_cast<uint64_t>(sdk::count_of(args.shape(0)));
  return args.view(0).dtype == TENON_DTYPE_F64 ? 2 * count : count;
}

// `p` is not differentiable.
void vjp(sdk::Vjp&) {}

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "bernoulli(p: T[...]) -> T[...] where T: float",
                                          .doc = doc,
                                          .shape = TENON_SHAPE_SAME_AS_0,
                                          .flags = TENON_OP_RANDOM,
                                          .random_words = sdk::words_fn<words>})};

constexpr tenon_vjp_need needs[] = {{}};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .non_differentiable = sdk::bit(0)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](0,1)"),
    sdk::sample(name, "f64[2,1,3,2](0,1)"),
    sdk::sample(name, "f32[61](0,1)"),
    sdk::sample(name, "f32[63](0.4,0.6)"),
    sdk::sample(name, "f16[9](0,1)"),
    sdk::sample(name, "bf16[9](0,1)"),
    sdk::sample(name, "f32[](0,1)"),
    sdk::sample(name, "f64[1,1](0,1)"),
    sdk::sample(name, "0.5"),
    sdk::sample(name, "f32[0,3]"),
    sdk::sample(name, "f32[6]{0.0,-0.0,1.0,1e-45,0.99999994,1.1754944e-38}"),
    sdk::sample(name, "f64[5]{5e-324,0.9999999999999999,1.0,2.2250738585072014e-308,0.5}"),
    sdk::sample(name, "f16[3]{1.0,6e-8,0.9995}"),
    sdk::sample(name, "bf16[3]{1.0,9.2e-41,0.996}"),
    sdk::refused(name, "f32[2,2]{0.5,1.0,1.0000001,-1.0}", TENON_E_DATA, "p[1,0] is 1.0000001"),
    sdk::refused(name, "f64[3]{0.5,-5e-324,2.0}", TENON_E_DATA, "p[1] is -5e-324"),
    sdk::refused(
        name,
        "f16[20]{0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,nan}",
        TENON_E_DATA, "p[19] is nan"),
    sdk::refused(name, "bf16[]{inf}", TENON_E_DATA, "p is inf"),
    sdk::refused(name, "1.5", TENON_E_DATA, "p is 1.5"),
    sdk::refused(name, "i32[2]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(bernoulli) = {.ops = ops, .vjps = vjps, .samples = samples};
