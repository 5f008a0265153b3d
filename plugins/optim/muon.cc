// SPDX-License-Identifier: Apache-2.0
// plugins/optim/muon.cc: Muon: steps along the nearest orthogonal matrix of the momentum.
//
// With g the gradient and p the parameter, a matrix [M,N]:
//
//   b = momentum * b + (1 - momentum) * g
//   u = momentum * b + (1 - momentum) * g        with nesterov, else b
//   X = u / max(|u|, eps), transposed where M > N
//   X = 3.4445 X + (-4.7750 A + 2.0315 A A) X    with A = X X^T, iterations times
//   p = (1 - lr * weight_decay) * p - lr * s * X, transposed back
//
// where s = sqrt(max(1, M / N)), or 0.2 sqrt(max(M, N)) with match_adamw.
//
// Source: K. Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024; in the
// form of torch.optim.Muon, which iterates in bf16; here it is done in C.
//
// Canonical arithmetic: in C = f32 for f16, bf16 and f32 parameters and f64 for f64; the norm is
// the root of a sum of squares, products are those of tenon.matmul; each other operation rounded by
// itself. A 16-bit value is rounded where it is stored.
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <cmath>

#include "compose.hpp"
#include "rule.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;

constexpr Hyper kHypers[] = {
    learning_rate(1e-3),
    {"momentum", "share of the buffer that is kept", 0.95, 0, kBelowOne},
    flag("nesterov", "look ahead along the momentum", true),
    decoupled_decay(0.1),
    {"eps", "least norm to divide by", 1e-7},
    {"iterations", "iterations towards an orthogonal matrix", 5, 0, 99, TENON_VALUE_I64},
    flag("match_adamw", "steps of the size of AdamW's"),
};
constexpr State kStates[] = {
    {"momentum_buffer", "running mean of gradients, b"},
};
constexpr Rule kRule = {
    .name = "tenon.muon",
    .doc =
        "Muon for matrices, as torch.optim.Muon but without its rounding to bf16. Rows of sparse "
        "gradients are made dense.",
    .hypers = kHypers,
    .states = kStates,
    .has_rows = false,
    .by_element = false};

void check(const sdk::Args& args) {
  for (uint32_t item = 0; item < args.count(0); ++item) {
    if (args.shape(0, item).size() != 2) {
      refuse_shape(kSlots<kRule, false>[0], item, "a matrix: two dimensions", args.shape(0, item));
    }
  }
}

// Makes the singular values of a matrix with M <= N nearly 1.
template <class U>
sdk::Value orthogonal(U& u, sdk::Compose& c, sdk::Value x) {
  for (int64_t i = 0; i < c.attrs.integer(kAttr<kRule, "iterations">); ++i) {
    const sdk::Value across = c.call("tenon.transpose", {x});
    const sdk::Value gram = c.call("tenon.matmul", {x, across});
    const sdk::Value square = c.call("tenon.matmul", {gram, gram});
    const sdk::Value factor = u.add(u.mul(gram, -4.7750), u.mul(square, 2.0315));
    x = u.add(u.mul(x, 3.4445), c.call("tenon.matmul", {factor, x}));
  }
  return x;
}

void compose(sdk::Compose& c) {
  const double momentum = c.attrs.real(kAttr<kRule, "momentum">);
  const double weight_decay = c.attrs.real(kAttr<kRule, "weight_decay">);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Update<false> u(c, 1, item);
    const auto p = u.hold_param(), b = u.hold_state(0);
    const sdk::Value g = u.grad();
    const tenon_meta meta = c.meta(p.now.tensor());
    const auto m = static_cast<double>(meta.shape[0]), n = static_cast<double>(meta.shape[1]);
    u.scale(b, momentum);
    u.add_product(b, g, 1.0, 1 - momentum);
    sdk::Value x = b.now;
    if (c.attrs.flag(kAttr<kRule, "nesterov">)) {
      x = u.add(u.mul(b.now, momentum), u.mul(g, 1 - momentum));
    }
    const sdk::Value norm = u.call("tenon.sqrt", u.call("tenon.sum", u.mul(x, x)));
    x = u.div(x, c.call("tenon.maximum", {norm, c.attrs.real(kAttr<kRule, "eps">)}));
    if (m > n) x = c.call("tenon.transpose", {x});
    x = orthogonal(u, c, x);
    if (m > n) x = c.call("tenon.transpose", {x});
    const double size = c.attrs.flag(kAttr<kRule, "match_adamw">)
                            ? 0.2 * std::sqrt(std::fmax(m, n))
                            : std::sqrt(std::fmax(1, n == 0 ? 1 : m / n));
    if (weight_decay != 0) u.scale(p, u.to_c(u.sub(1.0, u.mul(u.lr(), weight_decay))));
    u.add_product(p, x, u.to_c(u.mul(u.lr(), -size)), 1.0);
    u.keep(b);
    u.keep(p);
    u.count_step();
  }
}

constexpr tenon_op_desc kOps[] = {
    step_op<kRule, compose, check>(R"(One step of Muon on each parameter, a matrix [M,N], in place.

    b = momentum * b + (1 - momentum) * g
    u = momentum * b + (1 - momentum) * g        with nesterov, else b
    X = u / max(|u|, eps), transposed where M > N
    X = 3.4445 X + (-4.7750 A + 2.0315 A A) X    with A = X X^T, `iterations` times
    p = (1 - lr * weight_decay) * p - lr * s * X, transposed back

where s = sqrt(max(1, M / N)), or 0.2 sqrt(max(M, N)) with match_adamw. Biases, embeddings and the
last layer are for another optimizer. Each entry of `step` counts the steps of its parameter.

Source: Jordan et al., 2024, in the form of `torch.optim.Muon`, which iterates in bf16.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)")};

constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};

constexpr tenon_sample kSamples[] = {
    sdk::sample("tenon.muon_step", "[f32[3,2]], [f32[3,2]], [f32[3,2]], [i64[]{0}], f64[]{0.1}"),
    sdk::sample("tenon.muon_step",
                "[f32[2,4], f32[3,3]], [f32[2,4], f32[3,3]], [f32[2,4], f32[3,3]], "
                "[i64[]{3}, i64[]{20}], f64[]{0.01} | momentum=0.5, nesterov=false, "
                "weight_decay=0.5"),
    sdk::sample("tenon.muon_step",
                "[f64[4,2]], [f64[4,2]], [f64[4,2]], [i64[]{1}], f64[]{0.01} | match_adamw=true"),
    sdk::sample("tenon.muon_step",
                "[f64[2,3]], [f64[2,3]], [f64[2,3]], [i64[]{1}], f64[]{0.1} | iterations=2, "
                "weight_decay=0.0"),
    sdk::sample("tenon.muon_step",
                "[f64[1,2]], [f64[1,2]{0.0,0.0}], [f64[1,2]{0.0,0.0}], [i64[]{1}], f64[]{0.5}"),
    sdk::sample("tenon.muon_step",
                "[bf16[2,2]], [bf16[2,2]], [f32[2,2]], [i64[]{1}], f64[]{0.5} | iterations=0"),
    sdk::sample("tenon.muon_step",
                "[f16[1,1], f16[0,2]], [f16[1,1], f16[0,2]], [f16[1,1], f16[0,2]], "
                "[i64[]{1}, i64[]{2}], f64[]{0.1}"),
    sdk::sample("tenon.muon_step", "[], [], [], [], f64[]{0.1}"),
    sdk::refused("tenon.muon_step", "[f32[3]], [f32[3]], [f32[3]], [i64[]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "a matrix: two dimensions"),
    sdk::refused("tenon.muon_step", "[f32[3,2]], [f32[2,3]], [f32[3,2]], [i64[]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "grads[0]"),
    sdk::refused("tenon.muon_step", "[f32[3,2]], [f32[3,2]], [f32[3,2]], [], f64[]{0.1}",
                 TENON_E_ARGUMENT, "step has 0 tensors for 1 parameters"),
    sdk::refused("tenon.muon_step", "[f32[3,2]], [f64[3,2]], [f32[3,2]], [i64[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "grads"),
    sdk::refused("tenon.muon_step",
                 "[f32[3,2]], [f32[3,2]], [f32[3,2]], [i64[]{0}], f64[]{0.1} | momentum=1.0",
                 TENON_E_ATTRIBUTE, "momentum must be at least 0 and below 1"),
    sdk::refused("tenon.muon_step",
                 "[f32[3,2]], [f32[3,2]], [f32[3,2]], [i64[]{0}], f64[]{0.1} | iterations=100",
                 TENON_E_ATTRIBUTE, "iterations must be from 0 to 99"),
    sdk::refused("tenon.muon_step",
                 "[f32[3,2]], [f32[3,2]], [f32[3,2]], [i64[]{0}], f64[]{0.1} | eps=nan",
                 TENON_E_ATTRIBUTE, "eps must be at least 0")};

constexpr tenon_optimizer_sample kOptimizerSamples[] = {
    sdk::optimizer_sample("tenon.muon", "f32[3,2], f32[2,4] | lr=0.1", 3),
    sdk::optimizer_sample("tenon.muon", "f64[4,2] | lr=0.01, weight_decay=0.0", 5),
    sdk::optimizer_sample("tenon.muon",
                          "f64[2,3], f64[1,1] | lr=0.05, momentum=0.5, nesterov=false, "
                          "match_adamw=true",
                          4),
    sdk::optimizer_refused("tenon.muon", "f32[2,2] | beta1=0.1", TENON_E_ATTRIBUTE,
                           "no hyper-parameter"),
    sdk::optimizer_refused("tenon.muon", "f32[2,2] | lr=-1.0", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.muon", "f32[2,2] | iterations=100", TENON_E_ATTRIBUTE,
                           "\"iterations\" is out of range")};

// The iterations stretch small singular values, so that differences grow with them.
constexpr auto kTolerances = sdk::float_tolerances(
    "tenon.muon_step",
    "Each of five iterations makes small singular values, and their rounding, three times as "
    "large.",
    {.f16 = {1, 5e-5}, .bf16 = {1, 5e-5}, .f32 = {4, 5e-5}, .f64 = {4, 1e-12}});

}  // namespace

TENON_UNIT(muon) = {.ops = kOps,
                    .samples = kSamples,
                    .optimizers = kOptimizers,
                    .tolerances = kTolerances,
                    .optimizer_samples = kOptimizerSamples};
