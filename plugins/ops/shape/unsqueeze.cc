// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/unsqueeze.cc: unsqueeze, dimensions of size 1 put in.
//
// y = x with them;  dx = dy without them. Source: array-api `expand_dims`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.unsqueeze";

constexpr std::string_view doc =
    R"(`x` with a new dimension of size 1 at each of `axes`, which are places in the result. A
view: no element moves.

Gradient: `dx` is `dy` without those dimensions.

Source: Python array API standard, `expand_dims`.

Canonical arithmetic: none; bits are moved.)";

// Which dimensions of the result are new.
std::array<bool, TENON_MAX_RANK> new_axes(const sdk::Args& args, size_t& rank) {
  rank = args.shape(0).size() + args.attrs.ints(0).size();
  if (rank > TENON_MAX_RANK) {
    throw sdk::Failure{TENON_E_SHAPE, "the result has more than 8 dimensions", "axes",
                       "at most 8 dimensions", std::to_string(rank)};
  }
  return rules::reduced_axes(args.attrs[0], rank);
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> shape = args.shape(0);
  size_t rank = 0;
  const auto is_new = new_axes(args, rank);
  rules::Dims result;
  for (size_t i = 0, from = 0; i < rank; ++i) result.push(is_new[i] ? 1 : shape[from++]);
  sdk::set_shape(out[0], result.span());
}

void view(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  size_t rank = 0;
  const auto is_new = new_axes(args, rank);
  out.rank = static_cast<int32_t>(rank);
  // From the last on: a new dimension gets the stride that keeps a row-major tensor row-major.
  size_t from = static_cast<size_t>(x.rank);
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    if (!is_new[i]) --from;
    out.shape[i] = is_new[i] ? 1 : x.shape[from];
    out.strides[i] = is_new[i] ? stride : x.strides[from];
    if (!is_new[i]) stride = x.shape[from] * x.strides[from];
  }
}

void vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.squeeze", {v.dy()}, {v.attr(0)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "unsqueeze(x: T[...], *, axes: int[]) -> T[...]",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .view = sdk::view_fn<view>})};

constexpr tenon_vjp_need needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3] | axes=[0]"),
    sdk::sample(name, "f64[2,3] | axes=[-1]"),
    sdk::sample(name, "f64[2,3] | axes=[1,-1,0]"),
    sdk::sample(name, "f64[2,1,3,2] | axes=[2]"),
    sdk::sample(name, "f64[2,3] | axes=[]"),
    sdk::sample(name, "f64[] | axes=[0,1]"),
    sdk::sample(name, "f64[] | axes=[]"),
    sdk::sample(name, "f64[2,0] | axes=[1]"),
    sdk::sample(name, "f32[6]{0.0,-0.0,inf,-inf,nan,1e-45} | axes=[1]"),
    sdk::sample(name, "f64[6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | axes=[1]"),
    sdk::sample(name, "f16[6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | axes=[1]"),
    sdk::sample(name, "bf16[6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | axes=[1]"),
    sdk::sample(name, "i64[6]{-9223372036854775808,-1,0,1,2,9223372036854775807} | axes=[1]"),
    sdk::sample(name, "bool[6] | axes=[1]"),
    sdk::refused(name, "f32[2,3] | axes=[3]", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "f32[2,3] | axes=[-4]", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "f32[2] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "f32[1,1,1,1,1,1,1] | axes=[0,1]", TENON_E_SHAPE, "more than 8 dimensions"),
    sdk::refused(name, "f32[2]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2] | axes=0", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "| axes=[0]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(unsqueeze) = {.ops = ops, .vjps = vjps, .samples = samples};
