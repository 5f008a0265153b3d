// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/roll.cc: roll, elements moved along an axis, from its end back to its start.
//
// y[..., i, ...] = x[..., (i - shift) mod n, ...];  dx is dy rolled back. Source: array-api `roll`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.roll";

constexpr std::string_view doc =
    R"(The elements of `x` moved on by `shifts[k]` places along `axes[k]`; what leaves an axis at
one end comes back at the other. Negative shifts move backward, shifts along one axis add up. One
shift serves all axes. Without `axes` there is one shift, and `x` is read in row-major order.

Gradient: `dx` is `dy`, rolled back.

Source: Python array API standard, `roll`.

Canonical arithmetic: none; bits are moved.)";

// By how many places each dimension is rolled on, from 0 to its size - 1. Flat: x as one dimension.
struct Shifts {
  bool flat = false;
  rules::Dims shape;
  rules::Dims places;
};

Shifts shifts_of(std::span<const int64_t> shape, const tenon_value& shifts,
                 const tenon_value& axes) {
  Shifts result;
  result.flat = axes.tag == TENON_VALUE_NONE;
  const std::span<const int64_t> given(shifts.as.ints, shifts.count);
  const uint32_t n_axes = result.flat ? 1 : axes.count;
  if (given.size() != n_axes && (result.flat || given.size() != 1)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       result.flat ? "without axes there is one shift"
                                   : "there must be one shift for each axis, or one for all",
                       "shifts", std::to_string(n_axes) + " shifts", sdk::shape_text(given)};
  }
  if (result.flat) {
    result.shape.push(sdk::count_of(shape));
  } else {
    result.shape = rules::Dims(shape);
  }
  for (size_t i = 0; i < result.shape.count(); ++i) result.places.push(0);
  for (uint32_t k = 0; k < n_axes; ++k) {
    const auto axis =
        result.flat ? size_t{0}
                    : static_cast<size_t>(rules::axis_of(axes.as.ints[k], shape.size(), "axes"));
    const int64_t size = result.shape[axis];
    if (size == 0) continue;
    const int64_t shift = given[given.size() == 1 ? 0 : k] % size;
    result.places[axis] = (result.places[axis] + shift + size) % size;
  }
  return result;
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  shifts_of(args.shape(0), args.attrs[0], args.attrs[1]);
  sdk::set_shape(out[0], args.shape(0));
}

// The last `shift` elements of the axis, then the others.
tenon_tensor* rolled(sdk::Compose& c, sdk::Value x, int64_t axis, int64_t size, int64_t shift) {
  tenon_tensor* parts[] = {c.call("tenon.slice", {x}, {axis, size - shift, size}),
                           c.call("tenon.slice", {x}, {axis, 0, size - shift})};
  return c.call("tenon.concat", {std::span<tenon_tensor* const>(parts)}, {axis});
}

void compose(sdk::Compose& c) {
  const rules::Dims shape(c.meta(c.in(0).tensor()));
  const Shifts shifts = shifts_of(shape.span(), c.attrs[0], c.attrs[1]);
  sdk::Value y = c.in(0);
  if (shifts.flat) y = rules::reshape(c, y, shifts.shape);
  for (size_t i = 0; i < shifts.shape.count(); ++i) {
    if (shifts.places[i] == 0) continue;
    y = rolled(c, y, static_cast<int64_t>(i), shifts.shape[i], shifts.places[i]);
  }
  c.set(0, shifts.flat ? rules::reshape(c, y, shape) : y);
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const Shifts shifts = shifts_of(shape.span(), v.attr(0), v.attr(1));
  rules::Dims axes;
  rules::Dims back;
  for (size_t i = 0; i < shifts.shape.count(); ++i) {
    axes.push(static_cast<int64_t>(i));
    back.push(-shifts.places[i]);
  }
  v.grad(0, v.call(name, {v.dy()}, {back.value(), shifts.flat ? sdk::Value() : axes.value()}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "roll(x: T[...], *, shifts: int[], axes: int[]?) -> T[...]",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5] | shifts=[2]"),
    sdk::sample(name, "f64[2,3] | shifts=[-2]"),
    sdk::sample(name, "f64[2,5] | shifts=[2], axes=[1]"),
    sdk::sample(name, "f64[3,5] | shifts=[1,-7], axes=[0,-1]"),
    sdk::sample(name, "f64[3,5] | shifts=[2], axes=[0,1]"),
    sdk::sample(name, "f64[3,5] | shifts=[2,2], axes=[1,1]"),
    sdk::sample(name, "f64[2,1,4,3] | shifts=[3,1], axes=[2,0]"),
    sdk::sample(name, "f64[4,2] | shifts=[8], axes=[0]"),
    sdk::sample(name, "f64[5] | shifts=[-9223372036854775808,9223372036854775807], axes=[0,0]"),
    sdk::sample(name, "f64[2,3] | shifts=[], axes=[]"),
    sdk::sample(name, "f64[] | shifts=[3]"),
    sdk::sample(name, "f64[1] | shifts=[3], axes=[0]"),
    sdk::sample(name, "f64[0,3] | shifts=[1,1], axes=[0,1]"),
    sdk::sample(name, "f64[0] | shifts=[1]"),
    sdk::sample(name, "f32[2,3]{0.0,-0.0,inf,-inf,nan,1e-45} | shifts=[1], axes=[1]"),
    sdk::sample(name, "f64[6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | shifts=[1]"),
    sdk::sample(name, "f16[6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | shifts=[1]"),
    sdk::sample(name, "bf16[6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | shifts=[1]"),
    sdk::sample(name, "i64[6]{-9223372036854775808,-1,0,1,2,9223372036854775807} | shifts=[1]"),
    sdk::sample(name, "bool[2,3] | shifts=[1], axes=[1]"),
    sdk::refused(name, "f32[2,3] | shifts=[1,2]", TENON_E_ATTRIBUTE, "one shift"),
    sdk::refused(name, "f32[2,3] | shifts=[]", TENON_E_ATTRIBUTE, "one shift"),
    sdk::refused(name, "f32[2,3] | shifts=[1,2,3], axes=[0,1]", TENON_E_ATTRIBUTE,
                 "one shift for each axis"),
    sdk::refused(name, "f32[2,3] | shifts=[1], axes=[2]", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "f32[] | shifts=[1], axes=[0]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[2]", TENON_E_ATTRIBUTE, "shifts"),
    sdk::refused(name, "f32[2] | shifts=1", TENON_E_ATTRIBUTE, "shifts"),
    sdk::refused(name, "| shifts=[1]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(roll) = {.ops = ops, .vjps = vjps, .samples = samples};
