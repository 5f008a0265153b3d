// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/index_put.cc: index_put, values put or added where lists of indices say.
//
// y = x;  y[indices_0[i...], indices_1[i...], ..., b] = (or +=) values[i..., b] for i ascending.
// Source: PyTorch's `index_put`.
#include "index/places.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.index_put";

constexpr std::string_view doc =
    R"(A copy of `x` with `y[indices_0[i...], indices_1[i...], ..., b] = values[i..., b]`: one
tensor of indices for each of the first dimensions of `x`, broadcast together; `b` runs over the
dimensions that are left. `values` broadcasts to `[i..., b]`, and may be a number. Of several
values for one place the last in row-major order of `i` stays; with `accumulate` all are added
to what is there. An index outside its dimension is refused, negative ones too.

The aux output `last` is true for the `i` whose values stay (with `accumulate`: all).

Gradient: `dx` is `dy`, with zeros where it was written over; `dvalues` is `dy` at the value's
place, and 0 for values that did not stay (PyTorch gives `dy` to all of them); `indices` has
none.

Source: PyTorch, `index_put`, which leaves open which value stays.

Canonical arithmetic: bits are moved; with `accumulate` each addition is one IEEE 754 operation
in T (f16 and bf16 in f32, rounded once), `i` in row-major order; integers wrap, bool is "or".)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const rules::Dims placed = rules::placed_shape(args);
  rules::need_broadcast(args.shape(2), placed.span(), "values", "the places");
  sdk::set_shape(out[0], args.shape(0));
  sdk::set_shape(out[1], rules::places_shape(args).span());
}

void vjp(sdk::Vjp& v) {
  const bool adds = v.attr(0).as.i64 != 0;
  const sdk::Value indices = v.in(1);
  if (v.wants(0)) v.grad(0, adds ? v.dy() : v.call(name, {v.dy(), indices, 0}, {false}));
  if (!v.wants(2)) return;
  tenon_tensor* at_place = v.call("tenon.index", {v.dy(), indices});
  if (!adds) {
    rules::Dims shape(v.out_meta(1));
    const auto rank = static_cast<size_t>(v.meta(at_place).rank);
    while (shape.count() < rank) shape.push(1);
    at_place = v.call("tenon.where", {rules::reshape(v, v.out(1), shape), at_place, 0});
  }
  v.grad(2, at_place);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "index_put(x: T[...], indices: I[...]*, values: T[...], *, accumulate: "
                       "bool=false) -> (T[...], aux last: bool[...]) where I: i32|i64",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1)}),
    {},
    sdk::need({.inputs = sdk::bit(1), .outputs = sdk::bit(1), .output_metas = sdk::bit(1)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_outputs = 2,
                                             .n_attrs = 1,
                                             .non_differentiable = sdk::bit(1)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,4], [i64[3]{0,2,0}, i64[3]{1,3,1}], f64[3]"),
    sdk::sample(name, "f64[3,4], [i64[3]{0,2,0}, i64[3]{1,3,1}], f64[3] | accumulate=true"),
    sdk::sample(name, "f64[3,4], [i32[2,2]{0,2,1,1}], f64[2,2,4]"),
    sdk::sample(name, "f64[3,4], [i32[2,2]{0,2,1,1}], f64[4] | accumulate=true"),
    sdk::sample(name, "f64[3,2,4], [i64[2,1]{0,2}, i64[3]{1,0,1}], f64[2,3,1]"),
    sdk::sample(name, "f64[2,3,2,2], [i64[2]{0,1}, i64[1]{2}, i64[]{1}], f64[2,2]"),
    sdk::sample(name, "f64[4,3], [i64[]{3}, i64[]{0}], f64[]"),
    sdk::sample(name, "f64[4], [i64[2]{0,3}], 2.5"),
    sdk::sample(name, "f64[4], [i64[2]{3,3}], 2.5 | accumulate=true"),
    sdk::sample(name, "f64[1], [i64[1]{0}], f64[1]"),
    sdk::sample(name, "f64[4,3], [i64[0]], f64[0,3]"),
    sdk::sample(name, "f64[4,0], [i64[2]{1,3}], f64[2,0]"),
    sdk::sample(name, "i32[3,2], [i64[2]{2,0}, i64[2]{0,1}], i32[2]"),
    sdk::sample(name, "i8[2]{127,-128}, [i64[2]{0,1}], i8[2]{1,-1} | accumulate=true"),
    sdk::sample(name, "i64[2]{9223372036854775807,0}, [i32[2]{0,0}], i64[2] | accumulate=true"),
    sdk::sample(name, "bool[4], [i32[3]{3,0,3}], bool[3]"),
    sdk::sample(name, "bool[4], [i32[3]{3,0,3}], bool[3] | accumulate=true"),
    sdk::sample(name, "u8[3]{0,255,7}, [i64[2]{1,0}], u8[2]{255,0}"),
    sdk::sample(name, "f32[3]{nan,inf,-0.0}, [i64[3]{2,0,0}], f32[3]{-0.0,1.0,nan}"),
    sdk::sample(name,
                "f32[3]{3.4028235e38,inf,-0.0}, [i64[3]{0,1,2}], f32[3]{3.4028235e38,-inf,1e-45} | "
                "accumulate=true"),
    sdk::sample(name,
                "f64[2]{1.7976931348623157e308,5e-324}, [i64[2]{0,1}], "
                "f64[2]{-1.7976931348623157e308,-2.2250738585072014e-308} | accumulate=true"),
    sdk::sample(name,
                "f16[2]{65504.0,6e-8}, [i64[2]{0,1}], f16[2]{16.0,6.1035e-5} | accumulate=true"),
    sdk::sample(
        name,
        "bf16[2]{3.39e38,9.2e-41}, [i64[2]{0,1}], bf16[2]{1e36,1.1755e-38} | accumulate=true"),
    sdk::refused(name, "f32[5,2], [i64[2]{0,4}, i64[2]{0,2}], 1.0", TENON_E_DATA,
                 "indices.1[1] is 2"),
    sdk::refused(name, "f32[5], [i64[1]{-1}], f32[1]", TENON_E_DATA, "is -1"),
    sdk::refused(name, "f32[0,2], [i64[1,1]{0}, i64[0]], 1.0", TENON_E_DATA, "indices.0[0,0] is 0"),
    sdk::refused(name, "f32[5], [i64[1]{0}, i64[1]{0}], 1.0", TENON_E_ARGUMENT, "other dimensions"),
    sdk::refused(name, "f32[5,5], [i64[2]{0,0}, i64[3]{0,0,0}], 1.0", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[5], [i64[2]{0,0}], f32[3]", TENON_E_SHAPE, "values does not broadcast"),
    sdk::refused(name, "f32[5], [f32[1]], 1.0", TENON_E_DTYPE, "f32"),
    sdk::refused(name, "f32[5], [i64[1]], f64[1]", TENON_E_DTYPE, "values"),
    sdk::refused(name, "f32[5], [i64[1]{0}], 1.0 | accumulate=1", TENON_E_ATTRIBUTE, "accumulate"),
    sdk::refused(name, "f32[5], [i64[1]]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(index_put) = {.ops = ops, .vjps = vjps, .samples = samples};
