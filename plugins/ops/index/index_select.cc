// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/index_select.cc: index_select, PyTorch's name for take with a list of indices.
//
// y[a, r, b] = x[a, indices[r], b]. Source: PyTorch's `index_select`.
#include "index/along.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.index_select";

constexpr std::string_view doc =
    R"(The slices of `x` that the vector `indices` names along `axis`: `tenon.take`, which also
takes indices of other ranks. Negative indices count from the end.

Gradient: that of `tenon.take`: rows along axis 0.

Source: PyTorch, `index_select`.

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_rank(args, 1, "indices", 1, "[R]");
  rules::Dims shape(args.shape(0));
  const auto axis =
      static_cast<size_t>(rules::axis_of(args.attrs.integer(0), shape.count(), "axis"));
  shape[axis] = args.shape(1)[0];
  sdk::set_shape(out[0], shape.span());
}

void compose(sdk::Compose& c) { c.set(0, c.call("tenon.take", {c.in(0), c.in(1)}, {c.attrs[0]})); }

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "index_select(x: T[...], indices: I[R], *, axis: int) -> T[...] where I: i32|i64",
     .doc = doc,
     .infer = sdk::infer_fn<infer>,
     .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5,3], i64[4]{0,2,4,2} | axis=0"),
    sdk::sample(name, "f64[3,4], i32[5]{0,3,1,1,0} | axis=1"),
    sdk::sample(name, "f64[2,1,3,2], i64[2]{2,0} | axis=-2"),
    sdk::sample(name, "f64[3,2], i64[3]{-1,0,-3} | axis=0"),
    sdk::sample(name, "f64[5,3], i64[0] | axis=0"),
    sdk::sample(name, "i64[3], i64[2]{2,0} | axis=0"),
    sdk::sample(name, "bool[3], i64[1]{2} | axis=0"),
    sdk::sample(name, "f32[3,2]{nan,inf,-0.0,3.4028235e38,1e-45,-inf}, i64[2]{2,0} | axis=0"),
    sdk::refused(name, "f32[5,3], i64[2]{0,5} | axis=0", TENON_E_DATA, "indices[1] is 5"),
    sdk::refused(name, "f32[5,3], i64[2,1] | axis=0", TENON_E_SHAPE, "indices"),
    sdk::refused(name, "f32[5,3], 1 | axis=0", TENON_E_SHAPE, "indices"),
    sdk::refused(name, "f32[5,3], i64[2] | axis=2", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[5,3], i64[2]", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[], i64[2] | axis=0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[5,3], f32[2] | axis=0", TENON_E_DTYPE, "f32"),
};

}  // namespace

TENON_UNIT(index_select) = {.ops = ops, .samples = samples};
