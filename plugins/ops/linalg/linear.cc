// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/linear.cc: linear, a layer of a neural network: product, bias, activation.
//
// y[...,n] = f(sum over k of x[...,k] weight[n,k] + bias[n]);
// dx = dz weight, dweight = dz^T x, dbias = the sum of dz over all rows, where dz = dy f'.
// Source: PyTorch's `linear`.
#include <array>

#include "linalg/products.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.linear";

constexpr std::string_view doc =
    R"(A linear layer: `y[...,n] = f(sum_k x[...,k] * weight[n,k] + bias[n])`. Without `bias`
nothing is added. `f` is the `activation`: "none", "relu", "gelu", "gelu_tanh" (`tenon.gelu` with
`approximate="tanh"`), "sigmoid" or "tanh"; of integers, which wrap, only the first two.

Gradient: `dx = dy weight`, `dweight = dy^T x`, as it lies, over all rows at once, and `dbias` the
sum of `dy` over them; with an activation, that of the composition.

Source: PyTorch, `nn.functional.linear`; the activation as an epilogue as in NVIDIA's CUTLASS.

Canonical arithmetic: `tenon.matmul` with the transposed weight, `tenon.add` and the activation,
each rounded to T.)";

struct Activation {
  std::string_view name;
  std::string_view op;
  bool of_integers;
};
constexpr std::array<Activation, 6> activations = {{{"none", "", true},
                                                    {"relu", "tenon.relu", true},
                                                    {"gelu", "tenon.gelu", false},
                                                    {"gelu_tanh", "tenon.gelu", false},
                                                    {"sigmoid", "tenon.sigmoid", false},
                                                    {"tanh", "tenon.tanh", false}}};

const Activation& activation_of(std::string_view text) {
  std::string names;
  for (const Activation& each : activations) {
    if (each.name == text) return each;
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  throw sdk::Failure{TENON_E_ATTRIBUTE, "activation is not one that linear has", "activation",
                     "one of " + names, std::string(text)};
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const Activation& activation = activation_of(args.attrs.text(0));
  if (!activation.of_integers && !sdk::is_float(args.view(0).dtype)) {
    throw sdk::Failure{TENON_E_DTYPE, "this activation is of floats", "activation",
                       "none or relu for integers", std::string(activation.name)};
  }
  rules::need_rank(args, 1, "weight", 2, "[N,K]");
  const std::span<const int64_t> x = args.shape(0);
  const std::span<const int64_t> weight = args.shape(1);
  if (x.empty() || x.back() != weight[1]) {
    throw sdk::Failure{TENON_E_SHAPE, "the last dimension of x must be that of weight", "x",
                       "[...," + std::to_string(weight[1]) + "]", sdk::shape_text(x)};
  }
  if (args.given(2)) {
    rules::need_rank(args, 2, "bias", 1, "[N]");
    if (args.shape(2)[0] != weight[0]) {
      throw sdk::Failure{TENON_E_SHAPE, "bias must have one element for each row of weight", "bias",
                         "[" + std::to_string(weight[0]) + "]", sdk::shape_text(args.shape(2))};
    }
  }
  rules::Dims shape(x);
  shape[x.size() - 1] = weight[0];
  sdk::set_shape(out[0], shape.span());
}

tenon_tensor* activated(sdk::Compose& c, tenon_tensor* y, std::string_view text) {
  const Activation& activation = activation_of(text);
  if (activation.op != "tenon.gelu") return c.call(activation.op, {y});
  sdk::Value approximate;
  const std::string_view how = text == "gelu" ? "none" : "tanh";
  approximate.tag = TENON_VALUE_STRING;
  approximate.count = static_cast<uint32_t>(how.size());
  approximate.as.string = how.data();
  return c.call(activation.op, {y}, {approximate});
}

void compose(sdk::Compose& c) {
  const std::string_view activation = c.attrs.text(0);
  if (activation != "none") {
    return c.set(0, activated(c, c.call(name, {c.in(0), c.in(1), c.in(2)}), activation));
  }
  tenon_tensor* turned = c.call("tenon.transpose", {c.in(1)}, {-2, -1});
  tenon_tensor* y = c.call("tenon.matmul", {c.in(0), turned});
  if (!c.in(2).is_none()) y = c.call("tenon.add", {y, c.in(2)});
  c.set(0, y);
}

// The engine sums dy over all rows of it for the bias.
void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call("tenon.matmul", {v.dy(), v.in(1)}));
  if (v.wants(1)) {
    tenon_tensor* turned = v.call("tenon.transpose", {rules::flat_rows(v, v.dy())}, {-2, -1});
    v.grad(1, v.call("tenon.matmul", {turned, rules::flat_rows(v, v.in(0))}));
  }
  if (v.wants(2)) v.grad(2, v.dy());
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "linear(x: T[...], weight: T[N,K], bias: T[N]?, *, "
                       "activation: str=\"none\") -> T[...] where T: number promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(1)}),
                                    sdk::need({.inputs = sdk::bit(0)}), sdk::need({})};
// The rule knows no attribute, so calls with an activation record their composition.
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[4,3], f64[4]"),
    sdk::sample(name, "f64[2,3], f64[4,3]"),
    sdk::sample(name, "f64[3], f64[4,3], f64[4]"),
    sdk::sample(name, "f64[2,2,3], f64[4,3], f64[4] | activation=\"relu\""),
    sdk::sample(name, "f64[2,1,2,3], f64[2,3] | activation=\"gelu\""),
    sdk::sample(name, "f64[2,3], f64[4,3], f64[4] | activation=\"gelu_tanh\""),
    sdk::sample(name, "f64[2,3], f64[4,3], f64[4] | activation=\"sigmoid\""),
    sdk::sample(name, "f64[2,3], f64[4,3], f64[4] | activation=\"tanh\""),
    sdk::sample(name, "f64[2,3], f64[4,3], f64[4] | activation=\"none\""),
    sdk::sample(name, "f64[1,1], f64[1,1], f64[1]"),
    sdk::sample(name, "f64[0,3], f64[4,3], f64[4]"),
    sdk::sample(name, "f64[2,0], f64[4,0], f64[4]"),
    sdk::sample(name, "f64[2,3], f64[0,3], f64[0]"),
    sdk::sample(name, "f32[5,70](0,1), f32[3,70](0,1), f32[3]"),
    sdk::sample(name, "f32[2,3], f16[4,3], f16[4]"),
    sdk::sample(name, "i32[2,3], f32[4,3], f32[4]"),
    sdk::sample(name, "f32[1,2]{3.4028235e38,1e-45}, f32[1,2]{1.0,2.0}"),
    sdk::sample(name, "f64[1,2]{1.7976931348623157e308,5e-324}, f64[1,2]{1.0,1.0}"),
    sdk::sample(name, "f16[1,2]{65504.0,6e-8}, f16[2,2]{1.0,0.0,0.0,1.0}"),
    sdk::sample(name, "bf16[1,2]{3.39e38,9.2e-41}, bf16[2,2]{1.0,0.0,0.0,1.0}"),
    sdk::sample(name, "f32[1,2]{inf,1.0}, f32[2,2]{1.0,0.0,0.0,1.0}, f32[2]{nan,-inf}"),
    sdk::sample(name,
                "i32[2,2]{2147483647,1,-5,3}, i32[2,2]{2,0,1,-1}, i32[2] | "
                "activation=\"relu\""),
    sdk::sample(name, "i64[1,2]{9223372036854775807,1}, i64[1,2]{2,-1}"),
    sdk::sample(name, "u8[1,2]{255,16}, u8[1,2]{255,16}"),
    sdk::refused(name, "i32[2,3], i32[4,3] | activation=\"tanh\"", TENON_E_DTYPE, "of floats"),
    sdk::refused(name, "bool[2,3], bool[4,3]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[2,3], f32[4,2], f32[4]", TENON_E_SHAPE, "last dimension of x"),
    sdk::refused(name, "f32[], f32[4,3], f32[4]", TENON_E_SHAPE, "last dimension of x"),
    sdk::refused(name, "f32[2,3], f32[4,3], f32[3]", TENON_E_SHAPE, "bias"),
    sdk::refused(name, "f32[2,3], f32[3]", TENON_E_SHAPE, "weight"),
    sdk::refused(name, "f32[2,3], 2.0", TENON_E_SHAPE, "weight must have 2 dimensions"),
    sdk::refused(name, "f32[2,3], f32[4,3] | activation=\"swish\"", TENON_E_ATTRIBUTE,
                 "activation"),
    sdk::refused(name, "f32[2,3], f32[4,3] | activation=true", TENON_E_ATTRIBUTE, "activation"),
    sdk::refused(name, "f32[2,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Additions in another order round differently, by as much as the largest partial sums; "
    "product, "
    "sum and activation are rounded to T one after another.",
    {.f16 = {2, 2e-3}, .bf16 = {2, 1.6e-2}, .f32 = {2, 4e-06}, .f64 = {4, 1e-14}});

}  // namespace

TENON_UNIT(linear) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
