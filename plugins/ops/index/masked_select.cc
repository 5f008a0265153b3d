// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/masked_select.cc: masked_select, the elements where a mask holds.
//
// y = x[mask], row by row. Source: PyTorch's `masked_select`; array-api boolean indexing.
#include "index/dynamic.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.masked_select";

constexpr std::string_view doc =
    R"(The elements of `x` where `mask` is true, as a vector in row-major order. `x` and `mask` are
broadcast together. How many there are depends on values: the call waits for the device, and
cannot be captured.

Gradient: `dy` goes back to where each element was, the others get 0 (that of `tenon.take`).

Source: PyTorch, `masked_select`; Python array API standard, boolean indexing.

Canonical arithmetic: none; bits are moved.)";

rules::Dims broadcast(std::span<const int64_t> x, std::span<const int64_t> mask) {
  rules::Dims shape(x.size() < mask.size() ? mask : x);
  for (const std::span<const int64_t> each : {x, mask}) {
    for (size_t d = 0; d < each.size(); ++d) {
      int64_t& size = shape[shape.count() - each.size() + d];
      if (size == 1) size = each[d];
      if (each[d] == size || each[d] == 1) continue;
      throw sdk::Failure{TENON_E_SHAPE, "mask does not broadcast with x", "mask",
                         "a shape that broadcasts with " + sdk::shape_text(x),
                         sdk::shape_text(mask)};
    }
  }
  return shape;
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  out[0].rank = 1;
  out[0].shape[0] = sdk::count_of(broadcast(args.shape(0), args.shape(1)).span());
}

void compose(rules::DynamicCompose& c) {
  const rules::Dims x(c.meta(c.in(0).tensor()));
  const rules::Dims mask(c.meta(c.in(1).tensor()));
  const rules::Dims shape = broadcast(x.span(), mask.span());
  tenon_tensor* flat_mask = c.flat(rules::expand(c, c.in(1), shape));
  tenon_tensor* flat_x = c.flat(rules::expand(c, c.in(0), shape));
  const int64_t count = c.count_nonzero(flat_mask);
  c.set(0, c.call("tenon.take", {flat_x, c.indices(flat_mask, count)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "masked_select(x: T[...], mask: bool[...]) -> T[N]",
             .doc = doc,
             .flags = TENON_OP_DYNAMIC_OUT,
             .infer = sdk::infer_fn<infer>,
             .compose = rules::dynamic_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], bool[2,3]"),
    sdk::sample(name, "f64[2,3], bool[3]{true,false,true}"),
    sdk::sample(name, "f64[3], bool[2,1]{true,false}"),
    sdk::sample(name, "f64[2,1,3,2], bool[2,3,1]"),
    sdk::sample(name, "f64[4], bool[4]{false,false,false,false}"),
    sdk::sample(name, "f64[], bool[]{true}"),
    sdk::sample(name, "f64[0,3], bool[0,3]"),
    sdk::sample(name, "i64[3], bool[3]{true,false,true}"),
    sdk::sample(name, "bool[3], bool[3]{true,false,true}"),
    sdk::sample(name, "f32[4]{nan,inf,-0.0,1e-45}, bool[4]{true,true,true,true}"),
    sdk::refused(name, "f32[3], bool[2]", TENON_E_SHAPE, "does not broadcast"),
    sdk::refused(name, "f32[3], f32[3]", TENON_E_DTYPE, "mask"),
    sdk::refused(name, "f32[3]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(masked_select) = {.ops = ops, .samples = samples};
