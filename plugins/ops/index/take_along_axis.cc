// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/take_along_axis.cc: take_along_axis, a gather whose operands broadcast.
//
// y = gather(x, indices) after both have the same sizes beside the axis; negative indices count
// from the end.
// Source: array-api `take_along_axis`.
#include <algorithm>

#include "index/along.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.take_along_axis";

constexpr std::string_view doc =
    R"(`y[a, i, b] = x[a, indices[a, i, b], b]`, where `i` runs along `axis`. `indices` has the rank
of `x`; beside the axis the two are broadcast together. Negative indices count from the end: of N
places -1 is the last and -N the first. An index outside the axis is refused.

Gradient: that of its composition, `tenon.gather` of expanded operands.

Source: Python array API standard, `take_along_axis`.

Canonical arithmetic: none; bits are moved.)";

struct Shapes {
  rules::Dims x, indices;
};

// Sizes of 1 beside the axis stretch to the other operand's.
Shapes expanded(std::span<const int64_t> x, std::span<const int64_t> indices, size_t axis) {
  Shapes shapes{rules::Dims(x), rules::Dims(indices)};
  for (size_t d = 0; d < x.size(); ++d) {
    if (d == axis) continue;
    const int64_t size = x[d] == 1 ? indices[d] : x[d];
    shapes.x[d] = shapes.indices[d] = size;
  }
  return shapes;
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> x = args.shape(0);
  const std::span<const int64_t> indices = args.shape(1);
  rules::need_index_tensor(args, 1);
  const auto axis = static_cast<size_t>(rules::axis_of(args.attrs.integer(0), x.size(), "axis"));
  bool fits = x.size() == indices.size();
  for (size_t d = 0; fits && d < x.size(); ++d) {
    fits = d == axis || x[d] == indices[d] || x[d] == 1 || indices[d] == 1;
  }
  if (!fits) {
    throw sdk::Failure{TENON_E_SHAPE,
                       "indices and x do not broadcast beside axis " + std::to_string(axis),
                       "indices",
                       std::to_string(x.size()) + " dimensions with the sizes of " +
                           sdk::shape_text(x) + " or 1 but for the axis",
                       sdk::shape_text(indices)};
  }
  sdk::set_shape(out[0], expanded(x, indices, axis).indices.span());
}

void compose(sdk::Compose& c) {
  const rules::Dims x(c.meta(c.in(0).tensor()));
  const rules::Dims indices(c.meta(c.in(1).tensor()));
  const auto axis = static_cast<size_t>(rules::axis_of(c.attrs.integer(0), x.count(), "axis"));
  const Shapes shapes = expanded(x.span(), indices.span(), axis);
  const auto at = [&](sdk::Value operand, const rules::Dims& from, const rules::Dims& to) {
    const bool same = std::ranges::equal(from.span(), to.span());
    return same ? operand : sdk::Value(rules::expand(c, operand, to));
  };
  c.set(0, c.call("tenon.gather", {at(c.in(0), x, shapes.x), at(c.in(1), indices, shapes.indices)},
                  {c.attrs[0], true}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "take_along_axis(x: T[...], indices: I[...], *, axis: int=-1) -> T[...] "
                       "where I: i32|i64",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], i64[2,4]{0,2,1,2,1,1,0,2} | axis=1"),
    sdk::sample(name, "f64[1,3], i32[2,2]{0,2,1,2}"),
    sdk::sample(name, "f64[3,2], i64[2,1]{2,0} | axis=0"),
    sdk::sample(name, "f64[2,3,1,2], i64[1,2,2,1]{0,2,1,2} | axis=1"),
    sdk::sample(name, "f64[5], i64[3]{4,0,4}"),
    sdk::sample(name, "f64[2,3], i64[2,4]{0,-1,1,-3,1,-2,0,2} | axis=1"),
    sdk::sample(name, "f64[3,1], i32[1,2]{-1,-3} | axis=0"),
    sdk::sample(name, "f64[1,1], i64[0,1]"),
    sdk::sample(name, "i64[3,2], i64[1,2]{2,1} | axis=0"),
    sdk::sample(name, "bool[3], i64[2]{2,1}"),
    sdk::sample(name, "f32[5]{nan,inf,-0.0,3.4028235e38,1e-45}, i64[5]{4,3,2,1,0}"),
    sdk::refused(name, "f32[5], i64[2]{0,5}", TENON_E_DATA, "indices[1] is 5"),
    sdk::refused(name, "f32[5], i64[2]{-5,-6}", TENON_E_DATA, "indices[1] is -6"),
    sdk::refused(name, "f32[2,3], i64[3,1] | axis=1", TENON_E_SHAPE, "do not broadcast"),
    sdk::refused(name, "f32[2,3], i64[2]", TENON_E_SHAPE, "do not broadcast"),
    sdk::refused(name, "f32[2,3], i64[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[5], 1", TENON_E_ARGUMENT, "a tensor"),
    sdk::refused(name, "f32[5], f32[2]", TENON_E_DTYPE, "f32"),
};

}  // namespace

TENON_UNIT(take_along_axis) = {.ops = ops, .samples = samples};
