// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.toy/ops_roles.cc: what the core needs ops for, under names of its own.
#include "ops.hpp"

namespace {

using namespace acme;

void infer_full(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], args.attrs.ints(0));
}
void infer_nothing(const sdk::Args&, std::span<tenon_meta>) {}

void same_vjp(sdk::Vjp& v) { v.grad(0, v.dy()); }
void cast_vjp(sdk::Vjp& v) {
  v.grad(0, v.call("acme.cast", {v.dy()}, {sdk::Value::dtype(v.in_meta(0).dtype)}));
}
void add_vjp(sdk::Vjp& v) {
  v.grad(0, v.dy());
  v.grad(1, v.dy());
}
void sum_to_vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(0);
  v.grad(0, v.call("acme.expand", {v.dy()}, {shape_value(x)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = "acme.copy",
             .schema = "copy(x: T[...]) -> T[...]",
             .doc = kDoc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE,
             .role = TENON_ROLE_COPY}),
    sdk::op({.name = "acme.full",
             .schema = "full(*, shape: int[], value: number=0, dtype: D=f32) -> D[...]",
             .doc = kDoc,
             .role = TENON_ROLE_FILL,
             .infer = sdk::infer_fn<infer_full>}),
    sdk::op({.name = "acme.cast",
             .schema = "cast(x: T[...], *, dtype: U) -> U[...]",
             .doc = kDoc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE,
             .role = TENON_ROLE_CAST}),
    sdk::op({.name = "acme.add",
             .schema = "add(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = kDoc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE,
             .role = TENON_ROLE_ADD}),
    sdk::op({.name = "acme.sum_to",
             .schema = "sum_to(x: T[...], *, shape: int[]) -> T[...] where T: number",
             .doc = kDoc,
             .role = TENON_ROLE_SUM_TO,
             .infer = sdk::infer_fn<infer_full>}),
    sdk::op({.name = "acme.rows_add",
             .schema = "rows_add(x!: T[N,...], indices: i64[R], values: T[R,...]) -> () "
                       "where T: float",
             .doc = kDoc,
             .role = TENON_ROLE_ROWS_ADD,
             .infer = sdk::infer_fn<infer_nothing>}),
    sdk::op({.name = "acme.isfinite",
             .schema = "isfinite(x: T[...]) -> bool[...] where T: float",
             .doc = kDoc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE,
             .role = TENON_ROLE_ISFINITE}),
};

constexpr tenon_vjp_need nothing[2] = {};
constexpr tenon_vjp_need meta[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = "acme.copy", .needs = std::span(nothing, 1), .vjp = sdk::vjp_fn<same_vjp>}),
    sdk::vjp({.op = "acme.cast", .needs = meta, .vjp = sdk::vjp_fn<cast_vjp>, .n_attrs = 1}),
    sdk::vjp({.op = "acme.add", .needs = nothing, .vjp = sdk::vjp_fn<add_vjp>}),
    sdk::vjp({.op = "acme.sum_to", .needs = meta, .vjp = sdk::vjp_fn<sum_to_vjp>, .n_attrs = 1}),
};

}  // namespace

TENON_UNIT(ops_roles) = {.ops = ops, .vjps = vjps};
