// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.toy/ops_shape.cc: view ops.
#include <algorithm>
#include <utility>

#include "ops.hpp"

namespace {

using namespace acme;

// ---- transpose: the last two dimensions change places

void infer_transpose(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> shape = args.shape(0);
  if (shape.size() < 2) {
    throw sdk::Failure{TENON_E_SHAPE, "there are no two dimensions to exchange", "x",
                       "two dimensions or more", sdk::shape_text(shape)};
  }
  sdk::set_shape(out[0], shape);
  std::swap(out[0].shape[shape.size() - 1], out[0].shape[shape.size() - 2]);
}
void view_transpose(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  out.rank = x.rank;
  std::copy_n(x.shape, x.rank, out.shape);
  std::copy_n(x.strides, x.rank, out.strides);
  std::swap(out.shape[x.rank - 1], out.shape[x.rank - 2]);
  std::swap(out.strides[x.rank - 1], out.strides[x.rank - 2]);
}
void transpose_vjp(sdk::Vjp& v) { v.grad(0, v.call("acme.transpose", {v.dy()})); }

// ---- slice: count elements from start, every step-th, along one axis

enum Slice : uint32_t { kAxis, kStart, kCount, kStep };

void infer_slice(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], args.shape(0));
  out[0].shape[args.attrs.integer(kAxis)] = args.attrs.integer(kCount);
}
void view_slice(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  const int64_t axis = args.attrs.integer(kAxis);
  out.rank = x.rank;
  std::copy_n(x.shape, x.rank, out.shape);
  std::copy_n(x.strides, x.rank, out.strides);
  out.shape[axis] = args.attrs.integer(kCount);
  out.strides[axis] *= args.attrs.integer(kStep);
  out.offset = args.attrs.integer(kStart) * x.strides[axis];
}
void slice_vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(0);
  v.grad(0, v.call("acme.slice_put", {v.dy()},
                   {shape_value(x), v.attr(kAxis), v.attr(kStart), v.attr(kStep)}));
}
void infer_slice_put(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], args.attrs.ints(0));
}
void slice_put_vjp(sdk::Vjp& v) {
  const tenon_meta dy = v.in_meta(0);
  const int64_t axis = v.attr(1).as.i64;
  v.grad(0, v.call("acme.slice", {v.dy()}, {axis, v.attr(2), dy.shape[axis], v.attr(3)}));
}

// ---- expand: broadcast to a shape; the engine sums its gradient back

void infer_expand(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], args.attrs.ints(0));
}
void view_expand(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  const std::span<const int64_t> shape = args.attrs.ints(0);
  out.rank = static_cast<int32_t>(shape.size());
  const int32_t lead = out.rank - x.rank;
  for (int32_t d = 0; d < out.rank; ++d) {
    out.shape[d] = shape[static_cast<size_t>(d)];
    const bool given = d >= lead && x.shape[d - lead] == out.shape[d];
    out.strides[d] = given ? x.strides[d - lead] : 0;
  }
}
void expand_vjp(sdk::Vjp& v) { v.grad(0, v.dy()); }

// ---- stray: a view rule that leaves the storage

void view_stray(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  out.rank = x.rank;
  std::copy_n(x.shape, x.rank, out.shape);
  std::copy_n(x.strides, x.rank, out.strides);
  out.offset = 1;
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = "acme.transpose",
             .schema = "transpose(x: T[...]) -> T[...]",
             .doc = kDoc,
             .infer = sdk::infer_fn<infer_transpose>,
             .view = sdk::view_fn<view_transpose>}),
    sdk::op({.name = "acme.slice",
             .schema = "slice(x: T[...], *, axis: int, start: int, count: int, step: int=1) "
                       "-> T[...]",
             .doc = kDoc,
             .infer = sdk::infer_fn<infer_slice>,
             .view = sdk::view_fn<view_slice>}),
    sdk::op({.name = "acme.slice_put",
             .schema = "slice_put(x: T[...], *, shape: int[], axis: int, start: int, step: int) "
                       "-> T[...]",
             .doc = kDoc,
             .infer = sdk::infer_fn<infer_slice_put>}),
    sdk::op({.name = "acme.expand",
             .schema = "expand(x: T[...], *, shape: int[]) -> T[...]",
             .doc = kDoc,
             .infer = sdk::infer_fn<infer_expand>,
             .view = sdk::view_fn<view_expand>}),
    sdk::op({.name = "acme.stray",
             .schema = "stray(x: T[...]) -> T[...]",
             .doc = kDoc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .view = sdk::view_fn<view_stray>}),
};

constexpr tenon_vjp_need nothing[1] = {};
constexpr tenon_vjp_need meta[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = "acme.transpose", .needs = nothing, .vjp = sdk::vjp_fn<transpose_vjp>}),
    sdk::vjp({.op = "acme.slice", .needs = meta, .vjp = sdk::vjp_fn<slice_vjp>, .n_attrs = 4}),
    sdk::vjp(
        {.op = "acme.slice_put", .needs = meta, .vjp = sdk::vjp_fn<slice_put_vjp>, .n_attrs = 4}),
    sdk::vjp({.op = "acme.expand", .needs = nothing, .vjp = sdk::vjp_fn<expand_vjp>, .n_attrs = 1}),
};

}  // namespace

TENON_UNIT(ops_shape) = {.ops = ops, .vjps = vjps};
