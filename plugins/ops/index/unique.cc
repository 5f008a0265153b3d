// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/unique.cc: unique, the different elements of a tensor in order.
//
// values = sorted, without repetition;  x = values[inverse];  values = flat(x)[indices].
// Source: array-api `unique_all`.
#include "index/dynamic.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.unique";

constexpr std::string_view doc =
    R"(The different elements of `x` in ascending order (that of `tenon.sort`). `indices`: where
each of them is first found in `x`, counted row by row. `inverse`, of the shape of `x`: which of
`values` each element is. `counts`: how often each occurs. Zeros of either sign are equal, and the
first of them stands for all; each NaN is different from all others. How many there are depends on
values: the call waits for the device, and cannot be captured.

Gradient: the gradient of `values` goes to where each of them is first found (that of its
composition); PyTorch has none.

Source: Python array API standard, `unique_all`.

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t count = sdk::count_of(args.shape(0));
  for (tenon_meta& meta : out) sdk::set_shape(meta, {&count, 1});
  sdk::set_shape(out[2], args.shape(0));
}

void compose(rules::DynamicCompose& c) {
  const auto two = [&](std::string_view op, sdk::Value x) {
    std::array<tenon_tensor*, 2> outputs{};
    c.call_many(op, std::span(&x, 1), {}, outputs);
    return outputs;
  };
  const auto [sorted, order] = two("tenon.sort", c.flat(c.in(0)));
  const auto [starts, numbers] = two("tenon.runs", sorted);
  const int64_t count = c.count_nonzero(starts);
  tenon_tensor* first = c.indices(starts, count);
  c.set(0, c.call("tenon.take", {sorted, first}));
  c.set(1, c.call("tenon.take", {order, first}));
  // Every place is written over.
  tenon_tensor* inverse = c.call("tenon.scatter", {order, order, numbers}, {0});
  c.set(2, rules::reshape(c, inverse, rules::Dims(c.meta(c.in(0).tensor()))));
  tenon_tensor* none = rules::zeros_beside(c, numbers, rules::Dims({&count, 1}));
  c.set(3, c.call("tenon.scatter_add", {none, numbers, 1}, {0}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "unique(x: T[...]) -> (values: T[U], indices: i64[U], inverse: i64[...], "
                       "counts: i64[U])",
             .doc = doc,
             .flags = TENON_OP_DYNAMIC_OUT,
             .infer = sdk::infer_fn<infer>,
             .compose = rules::dynamic_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,4]{3.0,1.0,2.0,3.0,1.0,1.0,-1.0,3.0}"),
    sdk::sample(name, "i64[2,3]{5,-5,5,0,0,5}"),
    sdk::sample(name, "f64[2,1,3,2](-2,2)"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[1]"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "bool[5]{true,false,true,false,false}"),
    sdk::sample(name, "u8[4]{255,0,255,7}"),
    sdk::sample(name, "f32[9]{0.0,nan,-0.0,inf,1e-45,-inf,nan,-1e-45,inf}"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(unique) = {.ops = ops, .samples = samples};
