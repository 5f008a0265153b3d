// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/topk.cc: topk, the k largest or smallest elements along an axis.
//
// values, indices = the first k of sort(x, descending=largest);  dx = dvalues scattered back.
// Source: PyTorch's `topk`.
#include "index/order.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.topk";

constexpr std::string_view doc =
    R"(The `k` largest (`largest=false`: smallest) elements of each line along `axis`, and
`indices`, where each of them was. They come in order, the largest (smallest) first, whatever
`sorted` says. Of equal elements the first in the line is taken first; zeros of either sign are
equal. A NaN counts as larger than any number, and NaNs are equal.

Gradient: the gradient of `values` goes back to where each value was, equal ones included; `indices`
has none.

Source: PyTorch, `topk`, which leaves open which of equal elements are taken. (`top_k` is
proposed for the Python array API standard.)

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::Dims shape(args.shape(0));
  const auto axis =
      static_cast<size_t>(rules::axis_of(args.attrs.integer(1), shape.count(), "axis"));
  const int64_t k = args.attrs.integer(0);
  if (k < 0 || k > shape[axis]) {
    throw sdk::Failure{
        TENON_E_ATTRIBUTE,
        "k is out of range: the axis has " + std::to_string(shape[axis]) + " elements", "k",
        "0 to " + std::to_string(shape[axis]), std::to_string(k)};
  }
  shape[axis] = k;
  for (tenon_meta& meta : out) sdk::set_shape(meta, shape.span());
}

void vjp(sdk::Vjp& v) { rules::gradient_of_picked(v, 1); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "topk(x: T[...], *, k: int, axis: int=-1, largest: bool=true, sorted: "
                       "bool=true) -> (values: T[...], indices: i64[...])",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = rules::kPickedNeeds,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_outputs = 2,
                                             .n_attrs = 4})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,7] | k=3"),
    sdk::sample(name, "f64[4,3] | k=2, axis=0, largest=false"),
    sdk::sample(name, "f64[2,3,1,4] | k=2, axis=1"),
    sdk::sample(name, "f64[2,1,5,2] | k=5, axis=-2, sorted=false"),
    sdk::sample(name, "f64[63] | k=5"),
    sdk::sample(name, "f32[2,61] | k=40, largest=false"),
    sdk::sample(name, "f32[261](-50,50) | k=7"),
    sdk::sample(name, "f64[1] | k=1"),
    sdk::sample(name, "f64[3] | k=0"),
    sdk::sample(name, "f64[3,0] | k=0"),
    sdk::sample(name, "f64[0,3] | k=2"),
    sdk::sample(name, "i64[12]{3,1,2,3,1,2,3,1,2,-1,0,-1} | k=4"),
    sdk::sample(name, "i64[12]{3,1,2,3,1,2,3,1,2,-1,0,-1} | k=4, largest=false"),
    sdk::sample(name, "i64[4]{9223372036854775807,-1,0,-9223372036854775808} | k=3"),
    sdk::sample(name, "i32[4]{2147483647,-1,0,-2147483648} | k=3, largest=false"),
    sdk::sample(name, "u8[5]{255,0,128,0,127} | k=4, largest=false"),
    sdk::sample(name, "bool[5]{true,false,true,false,false} | k=3"),
    sdk::sample(name, "f32[9]{0.0,nan,-0.0,inf,1e-45,-inf,nan,-1e-45,0.0} | k=6"),
    sdk::sample(name, "f32[9]{0.0,nan,-0.0,inf,1e-45,-inf,nan,-1e-45,0.0} | k=8, largest=false"),
    sdk::sample(name,
                "f64[6]{1.7976931348623157e308,5e-324,-5e-324,2.2250738585072014e-308,nan,"
                "-1.7976931348623157e308} | k=4"),
    sdk::sample(name, "f16[5]{65504.0,6e-8,-65504.0,6.1035e-5,-6e-8} | k=4"),
    sdk::sample(name, "bf16[5]{3.39e38,9.2e-41,-3.39e38,1.1755e-38,-9.2e-41} | k=4"),
    sdk::refused(name, "f32[2,3] | k=4", TENON_E_ATTRIBUTE, "k is out of range"),
    sdk::refused(name, "f32[2,3] | k=-1", TENON_E_ATTRIBUTE, "k is out of range"),
    sdk::refused(name, "f32[2,3]", TENON_E_ATTRIBUTE, "k"),
    sdk::refused(name, "f32[2,3] | k=1, axis=2", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[] | k=1", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[2], f32[2] | k=1", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(topk) = {.ops = ops, .vjps = vjps, .samples = samples};
