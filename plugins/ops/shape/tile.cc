// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/tile.cc: tile, whole copies side by side.
//
// y[..., i_d, ...] = x[..., i_d mod n_d, ...];  dx = the sum over the copies of dy.
// Source: array-api `tile`.
#include "shape/copies.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.tile";

constexpr std::string_view doc =
    R"(Copies of `x` side by side: `repetitions[d]` of them along dimension `d`. Where `x` has fewer
dimensions than `repetitions`, new ones of size 1 are put in front; where it has more, the leading
ones are not repeated. The same element several times in a row is `tenon.repeat`.

Gradient: `dx` is `dy` summed over the copies.

Source: Python array API standard, `tile`.

Canonical arithmetic: none; bits are repeated.)";

// x and its copies with equally many dimensions.
struct Tiling {
  rules::Dims shape;
  rules::Dims copies;
  rules::Dims result;
};

Tiling tiling_of(std::span<const int64_t> shape, std::span<const int64_t> repetitions) {
  Tiling t;
  const size_t rank = std::max(shape.size(), repetitions.size());
  for (size_t i = 0; i < rank; ++i) {
    const size_t before_shape = rank - shape.size();
    const size_t before_copies = rank - repetitions.size();
    t.shape.push(i < before_shape ? 1 : shape[i - before_shape]);
    t.copies.push(i < before_copies
                      ? 1
                      : rules::checked_copies(repetitions[i - before_copies], "repetitions"));
    const int64_t sizes[] = {t.shape[i], t.copies[i]};
    rules::checked_shape(sizes, "repetitions");
    t.result.push(t.shape[i] * t.copies[i]);
  }
  t.result = rules::checked_shape(t.result.span(), "repetitions");
  return t;
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], tiling_of(args.shape(0), args.attrs.ints(0)).result.span());
}

// Axis by axis from the last, so that what is copied again is whole rows.
void compose(sdk::Compose& c) {
  const rules::Dims given(c.meta(c.in(0).tensor()));
  const Tiling t = tiling_of(given.span(), c.attrs.ints(0));
  rules::Dims shape = t.shape;
  sdk::Value y = c.in(0);
  for (size_t i = shape.count(); i-- > 0;) {
    if (t.copies[i] == 1) continue;
    const int64_t count = sdk::count_of(shape.span());
    const int64_t block = sdk::count_of(shape.span().subspan(i));
    y = rules::repeat_blocks(c, y, count, block, t.copies[i]);
    shape[i] *= t.copies[i];
    y = rules::reshape(c, y, shape);
  }
  c.set(0, rules::reshape(c, y, t.result));
}

void vjp(sdk::Vjp& v) {
  const rules::Dims given(v.in_meta(0));
  const sdk::Value repetitions = v.attr(0);
  const Tiling t = tiling_of(given.span(), {repetitions.as.ints, repetitions.count});
  rules::Dims shape = t.result;
  sdk::Value dx = v.dy();
  for (size_t i = 0; i < shape.count(); ++i) {
    if (t.copies[i] == 1) continue;
    shape[i] = t.shape[i];
    dx = rules::sum_blocks(v, dx, shape, sdk::count_of(shape.span().subspan(i)), t.copies[i]);
  }
  v.grad(0, rules::reshape(v, dx, given));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "tile(x: T[...], *, repetitions: int[]) -> T[...]",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3] | repetitions=[2]"),
    sdk::sample(name, "f64[2,3] | repetitions=[2,2]"),
    sdk::sample(name, "f64[2,3] | repetitions=[3,1]"),
    sdk::sample(name, "f64[2,3] | repetitions=[2]"),
    sdk::sample(name, "f64[3] | repetitions=[2,1,2]"),
    sdk::sample(name, "f64[2,1,3,2] | repetitions=[1,3,2,1]"),
    sdk::sample(name, "f64[2,3] | repetitions=[]"),
    sdk::sample(name, "f64[2,3] | repetitions=[1,1]"),
    sdk::sample(name, "f64[] | repetitions=[]"),
    sdk::sample(name, "f64[] | repetitions=[2,2]"),
    sdk::sample(name, "f64[2,3] | repetitions=[0,2]"),
    sdk::sample(name, "f64[0,2] | repetitions=[2,2]"),
    sdk::sample(name, "f32[2,3]{0.0,-0.0,inf,-inf,nan,1e-45} | repetitions=[1,2]"),
    sdk::sample(name,
                "f64[6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | repetitions=[2]"),
    sdk::sample(name, "f16[6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | repetitions=[2]"),
    sdk::sample(name, "bf16[6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | repetitions=[2]"),
    sdk::sample(name,
                "i64[6]{-9223372036854775808,-1,0,1,2,9223372036854775807} | repetitions=[2]"),
    sdk::sample(name, "bool[2,3] | repetitions=[2,2]"),
    sdk::refused(name, "f32[2] | repetitions=[-1]", TENON_E_ATTRIBUTE, "repetitions is negative"),
    sdk::refused(name, "f32[2] | repetitions=[9223372036854775807]", TENON_E_SHAPE,
                 "too many elements"),
    sdk::refused(name, "f32[2] | repetitions=[4294967296,4294967296]", TENON_E_SHAPE,
                 "too many elements"),
    sdk::refused(name, "f32[2] | repetitions=[1,1,1,1,1,1,1,1,1]", TENON_E_SHAPE,
                 "more than 8 dimensions"),
    sdk::refused(name, "f32[2]", TENON_E_ATTRIBUTE, "repetitions"),
    sdk::refused(name, "f32[2] | repetitions=2", TENON_E_ATTRIBUTE, "repetitions"),
    sdk::refused(name, "| repetitions=[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(tile) = {.ops = ops, .vjps = vjps, .samples = samples};
