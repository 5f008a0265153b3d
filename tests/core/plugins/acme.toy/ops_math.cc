// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.toy/ops_math.cc: ops that compute, with their gradients.
#include "ops.hpp"

namespace {

using namespace acme;

void infer_matmul2(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t shape[] = {args.shape(0)[0], args.shape(1)[1]};
  sdk::set_shape(out[0], shape);
}
void infer_sum(const sdk::Args&, std::span<tenon_meta> out) { out[0].rank = 0; }
void infer_nothing(const sdk::Args&, std::span<tenon_meta>) {}
void infer_take(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t shape[] = {args.shape(1)[0], args.shape(0)[1]};
  sdk::set_shape(out[0], shape);
}
void infer_noise(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], args.attrs.ints(0));
}
uint64_t noise_words(const sdk::Args& args) {
  return static_cast<uint64_t>(sdk::count_of(args.attrs.ints(0)));
}

void mul_vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call("acme.mul", {v.dy(), v.in(1)}));
  if (v.wants(1)) v.grad(1, v.call("acme.mul", {v.dy(), v.in(0)}));
}
void neg_vjp(sdk::Vjp& v) { v.grad(0, v.call("acme.neg", {v.dy()})); }
void square_vjp(sdk::Vjp& v) {
  v.grad(0, v.call("acme.mul", {v.call("acme.mul", {v.dy(), v.in(0)}), 2.0}));
}
void tanh_vjp(sdk::Vjp& v) {
  tenon_tensor* slope = v.call("acme.neg", {v.call("acme.mul", {v.out(), v.out()})});
  v.grad(0, v.call("acme.mul", {v.dy(), v.call("acme.add", {slope, 1.0})}));
}
void relu_vjp(sdk::Vjp& v) { v.grad(0, v.call("acme.mul", {v.dy(), v.out(1)})); }
void strict_vjp(sdk::Vjp& v) {
  v.grad(0, v.dy());
  if (v.wants(1)) v.grad(1, v.call("acme.mul", {v.dy(), -2.0}));
}
void matmul2_vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call("acme.matmul2", {v.dy(), v.call("acme.transpose", {v.in(1)})}));
  if (v.wants(1)) v.grad(1, v.call("acme.matmul2", {v.call("acme.transpose", {v.in(0)}), v.dy()}));
}
void sum_vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(0);
  v.grad(0, v.call("acme.expand", {v.dy()}, {shape_value(x)}));
}
void take_vjp(sdk::Vjp& v) { v.rows(0, v.in(1), v.dy()); }
void reverse_vjp(sdk::Vjp& v) { v.grad(0, v.call("acme.reverse", {v.dy()})); }

constexpr uint32_t kElementwise = TENON_OP_ELEMENTWISE;
constexpr tenon_op_desc map(std::string_view name, std::string_view schema) {
  return sdk::op({.name = name,
                  .schema = schema,
                  .doc = kDoc,
                  .shape = TENON_SHAPE_SAME_AS_0,
                  .flags = kElementwise});
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = "acme.mul",
             .schema = "mul(a: T[...], b: T[...]) -> T[...] where T: number promote",
             .doc = kDoc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = kElementwise}),
    map("acme.neg", "neg(x: T[...]) -> T[...] where T: float"),
    map("acme.square", "square(x: T[...]) -> T[...] where T: float"),
    map("acme.tanh", "tanh(x: T[...]) -> T[...] where T: float"),
    map("acme.relu", "relu(x: T[...]) -> (T[...], aux mask: T[...]) where T: float"),
    sdk::op({.name = "acme.strict",
             .schema = "strict(a: T[...], b: T[...]) -> T[...] where T: float promote",
             .doc = kDoc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = kElementwise}),
    sdk::op({.name = "acme.bump",
             .schema = "bump(x!: T[...S], by: T[...S]) -> () where T: float",
             .doc = kDoc,
             .infer = sdk::infer_fn<infer_nothing>}),
    sdk::op({.name = "acme.matmul2",
             .schema = "matmul2(a: T[M,K], b: T[K,N]) -> T[M,N] where T: float",
             .doc = kDoc,
             .infer = sdk::infer_fn<infer_matmul2>}),
    sdk::op({.name = "acme.sum",
             .schema = "sum(x: T[...]) -> T[] where T: float",
             .doc = kDoc,
             .infer = sdk::infer_fn<infer_sum>}),
    sdk::op({.name = "acme.take",
             .schema = "take(table: T[V,D], indices: i64[R]) -> T[R,D]",
             .doc = kDoc,
             .infer = sdk::infer_fn<infer_take>}),
    sdk::op({.name = "acme.reverse",
             .schema = "reverse(x: T[...]) -> T[...]",
             .doc = kDoc,
             .shape = TENON_SHAPE_SAME_AS_0}),
    sdk::op({.name = "acme.noise",
             .schema = "noise(*, shape: int[], dtype: T=f32) -> T[...] where T: float",
             .doc = kDoc,
             .flags = TENON_OP_RANDOM,
             .infer = sdk::infer_fn<infer_noise>,
             .random_words = sdk::words_fn<noise_words>}),
};

constexpr tenon_vjp_need nothing[2] = {};
constexpr std::span<const tenon_vjp_need> none(nothing, 1);
constexpr tenon_vjp_need meta[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_need input[] = {sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_need output[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_need mask[] = {sdk::need({.outputs = sdk::bit(1)})};
constexpr tenon_vjp_need other[] = {sdk::need({.inputs = sdk::bit(1)}),
                                    sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_need indices[] = {sdk::need({.inputs = sdk::bit(1)}), sdk::need({})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = "acme.mul", .needs = other, .vjp = sdk::vjp_fn<mul_vjp>}),
    sdk::vjp({.op = "acme.neg", .needs = none, .vjp = sdk::vjp_fn<neg_vjp>}),
    sdk::vjp({.op = "acme.square", .needs = input, .vjp = sdk::vjp_fn<square_vjp>}),
    sdk::vjp({.op = "acme.tanh", .needs = output, .vjp = sdk::vjp_fn<tanh_vjp>}),
    sdk::vjp({.op = "acme.relu", .needs = mask, .vjp = sdk::vjp_fn<relu_vjp>, .n_outputs = 2}),
    sdk::vjp({.op = "acme.strict", .needs = nothing, .vjp = sdk::vjp_fn<strict_vjp>}),
    sdk::vjp({.op = "acme.matmul2", .needs = other, .vjp = sdk::vjp_fn<matmul2_vjp>}),
    sdk::vjp({.op = "acme.sum", .needs = meta, .vjp = sdk::vjp_fn<sum_vjp>}),
    sdk::vjp({.op = "acme.take",
              .needs = indices,
              .vjp = sdk::vjp_fn<take_vjp>,
              .non_differentiable = sdk::bit(1)}),
    sdk::vjp({.op = "acme.reverse", .needs = none, .vjp = sdk::vjp_fn<reverse_vjp>}),
};

}  // namespace

TENON_UNIT(ops_math) = {.ops = ops, .vjps = vjps};
