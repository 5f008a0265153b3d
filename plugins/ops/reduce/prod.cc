// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/prod.cc: prod, the product over some or all axes.
//
// y = product over axes of x;  dx_i = dy * (product of all x_j before i) * (of all x_j after i).
// Source: array-api `prod`; gradient as PyTorch's `prod`, which divides by no element.
#include "reduce/balanced.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.prod";

constexpr std::string_view doc =
    R"(The product over `axes` (none: all of them; an empty list: no axis, so that the values
stay). `keepdims` leaves each reduced dimension as 1. The product of nothing is 1. Integers and
bools are multiplied as i64, modulo 2^64.

Gradient: `dx` is `dy` times the product of all other elements, taken from both ends
(`tenon.cumprod`), so that no element is divided by, zeros included. It is computed in f64, with
powers of two taken out of the elements on the way, so that no product of some elements leaves the
range where that of all others does not; of f64 each such product is rounded.

Source: Python array API standard, `prod`; of u8 as in PyTorch, where the standard asks for u64;
gradient as in PyTorch `tools/autograd/derivatives.yaml`.

Canonical arithmetic: floats are multiplied in f64 and rounded once to T. The elements of a
result, in row-major order of the reduced dimensions, are cut into pieces: of 2^16 elements, or of
twice as many as often as it takes to have 64 pieces at most. In a piece element `i` is multiplied
onto virtual lane `i mod 64`; lanes start at 1, and at the end lane `j + 32` is multiplied onto
lane `j`, then `j + 16`, `j + 8`, `j + 4`, `j + 2`, `j + 1`. Pieces are multiplied one after
another. Integers wrap.)";

// What reduced axes hold as one last dimension, and back.
class Lines {
 public:
  explicit Lines(sdk::Vjp& v) : v_(v) {
    const tenon_meta meta = v.in_meta(0);
    const auto shape = rules::shape_of(meta);
    const auto reduced = rules::reduced_axes(v.attr(0), shape.size());
    for (const bool gone : {false, true}) {
      for (size_t i = 0; i < shape.size(); ++i) {
        if (reduced[i] != gone) continue;
        order_.push(static_cast<int64_t>(i));
        turned_.push(shape[i]);
        if (!gone) flat_.push(shape[i]);
      }
    }
    any_ = flat_.count() < shape.size();
    if (any_) flat_.push(rules::reduced_count(shape, v.attr(0)));
  }
  // Is any axis reduced?
  bool any() const { return any_; }
  tenon_tensor* lines(sdk::Value x) const {
    return rules::reshape(v_, v_.call("tenon.permute", {x}, {order_.value()}), flat_);
  }
  tenon_tensor* back(sdk::Value y) const {
    rules::Dims inverse = order_;
    for (size_t i = 0; i < order_.count(); ++i) {
      inverse[static_cast<size_t>(order_[i])] = static_cast<int64_t>(i);
    }
    return v_.call("tenon.permute", {rules::reshape(v_, y, turned_)}, {inverse.value()});
  }

 private:
  sdk::Vjp& v_;
  rules::Dims order_, turned_, flat_;
  bool any_ = false;
};

void vjp(sdk::Vjp& v) {
  const Lines lines(v);
  if (!lines.any()) {
    v.grad(0, rules::reshape(v, v.dy(), rules::Dims(v.in_meta(0))));
    return;
  }
  const sdk::Value x = lines.lines(rules::as_f64(v, v.in(0)));
  const rules::Dims shape(v.meta(x.tensor()));
  if (sdk::count_of(shape.span()) == 0) return v.grad(0, v.call("tenon.copy", {v.in(0)}));
  const auto balanced = rules::Balanced::along(v, x, -1, false);
  const sdk::Value before = v.call("tenon.cumprod", {balanced.x}, {-1, false, true});
  const sdk::Value behind = v.call("tenon.cumprod", {balanced.x}, {-1, true, true});
  // What was taken out before i, and after it.
  const int64_t last = shape[shape.count() - 1] - 1;
  const sdk::Value all = v.call("tenon.slice", {balanced.upto}, {-1, last, last + 1, 1});
  const sdk::Value power =
      v.call("tenon.add", {balanced.before, v.call("tenon.sub", {all, balanced.upto})});
  const sdk::Value others = lines.back(v.call("tenon.mul", {before, behind}));
  const sdk::Value dy = rules::as_f64(v, rules::beside_x(v, v.dy()));
  rules::set_grad(v,
                  rules::times_power_of_2(v, v.call("tenon.mul", {others, dy}), lines.back(power)));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "prod(x: T[...], *, axes: int[]?, keepdims: bool=false) -> T[...] where T: "
                       "float|i64 promote",
             .doc = doc,
             .shape = TENON_SHAPE_REDUCE})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,3,4](0.5,2) | axes=[1]"),
    sdk::sample(name, "f64[2,3,4](-2,2) | axes=[-1,0], keepdims=true"),
    sdk::sample(name, "f64[2,3,1,4](0.5,2) | axes=[1,3]"),
    sdk::sample(name, "f64[2,3] | axes=[]"),
    sdk::sample(name, "f64[] | axes=[]"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[4]{0.0,2.0,3.0,-1.5}"),
    sdk::sample(name, "f64[2,3]{0.0,2.0,0.0,0.5,-1.5,2.5} | axes=[1]"),
    sdk::sample(name, "f32[150](0.8,1.25)"),
    sdk::sample(name, "f32[70,67](0.8,1.25) | axes=[1]"),
    sdk::sample(name, "f32[70,9](0.8,1.25) | axes=[0]"),
    sdk::sample(name, "f64[4,1] | axes=[1], keepdims=true"),
    sdk::sample(name, "f64[0]"),
    sdk::sample(name, "f64[2,0,3] | axes=[1]"),
    sdk::sample(name, "f64[2,0,3] | axes=[0]"),
    sdk::sample(name, "f32[3]{3.4028235e38,1e-45,1.1754944e-38}"),
    sdk::sample(name, "f32[2]{3.4028235e38,2.0}"),
    sdk::sample(name, "f32[2]{1e-45,0.25}"),
    sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324}"),
    sdk::sample(name, "f64[2]{2.2250738585072014e-308,0.5}"),
    sdk::sample(name, "f16[3]{60000.0,2.0,0.5}"),
    sdk::sample(name, "f16[2]{65504.0,6e-8}"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}"),
    sdk::sample(name, "f32[3]{inf,-inf,1.0}"),
    sdk::sample(name, "f32[2,2]{nan,1.0,-inf,0.0} | axes=[1]"),
    sdk::sample(name, "i32[2]{2147483647,3}"),
    sdk::sample(name, "i64[2]{-9223372036854775808,-1}"),
    sdk::sample(name, "u8[2,2]{255,255,16,16} | axes=[1]"),
    sdk::sample(name, "i8[2,3] | axes=[0]"),
    sdk::sample(name, "bool[2,3] | axes=[1]"),
    sdk::refused(name, "f32[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | axes=[-3]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "f32[2,3] | axes=1", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | keepdims=1", TENON_E_ATTRIBUTE, "keepdims"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances =
    sdk::float_tolerances(name, "Each product is rounded, in f64, in one order or another.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {64, 0}});

}  // namespace

TENON_UNIT(prod) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
