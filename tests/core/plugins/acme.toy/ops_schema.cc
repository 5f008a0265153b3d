// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.toy/ops_schema.cc: ops whose output shapes are those of the schema.
#include <tenon/ext/draft/shapes.h>

#include "ops.hpp"

namespace {

using namespace acme;
using Sizes = std::vector<int64_t>;

// Of a number none.
Sizes sizes_of(sdk::Compose& c, uint32_t input) {
  if (!c.in(input).is_tensor()) return {};
  const tenon_meta meta = c.meta(c.in(input).tensor());
  return {meta.shape, meta.shape + meta.rank};
}

void set_zeros(sdk::Compose& c, uint32_t output, const Sizes& sizes, tenon_dtype dtype) {
  const std::span<const int64_t> shape(sizes);
  c.set(output, c.call("acme.full", {}, {shape, 0, sdk::Value::dtype(dtype)}));
}

void project(sdk::Compose& c) {
  Sizes sizes = sizes_of(c, 0);
  sizes.back() = sizes_of(c, 1)[1];
  set_zeros(c, 0, sizes, TENON_DTYPE_F32);
}

void turned(sdk::Compose& c) {
  const Sizes sizes = sizes_of(c, 0);
  set_zeros(c, 0, {sizes[1], sizes[0]}, TENON_DTYPE_F32);
  set_zeros(c, 1, {2, sizes[0]}, TENON_DTYPE_I64);
}

void spread(sdk::Compose& c) {
  Sizes sizes = sizes_of(c, 0);
  sizes.push_back(3);
  const Sizes last = sizes_of(c, 1);
  sizes.insert(sizes.end(), last.begin(), last.end());
  set_zeros(c, 0, sizes, TENON_DTYPE_F32);
}

void both(sdk::Compose& c) { set_zeros(c, 0, sizes_of(c, 1), TENON_DTYPE_F32); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = "acme.project",
             .schema = "project(x: f32[...B,N], w: f32[N,M]) -> f32[...B,M]",
             .doc = kDoc,
             .shape = TENON_SHAPE_SCHEMA,
             .compose = sdk::compose_fn<project>}),
    sdk::op({.name = "acme.turned",
             .schema = "turned(x: f32[N,M]) -> (f32[M,N], rows: i64[2,N])",
             .doc = kDoc,
             .shape = TENON_SHAPE_SCHEMA,
             .compose = sdk::compose_fn<turned>}),
    sdk::op({.name = "acme.spread",
             .schema = "spread(x: f32[...A], y: f32[...B]) -> f32[...A,3,...B]",
             .doc = kDoc,
             .shape = TENON_SHAPE_SCHEMA,
             .compose = sdk::compose_fn<spread>}),
    sdk::op({.name = "acme.both",
             .schema = "both(x: f32[...A,2], y: f32[...A]) -> f32[...A]",
             .doc = kDoc,
             .shape = TENON_SHAPE_SCHEMA,
             .compose = sdk::compose_fn<both>})};

}  // namespace

TENON_UNIT(ops_schema) = {.ops = ops};
