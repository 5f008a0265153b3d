// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/pad.cc: pad, elements put before and after those of an axis.
//
// y[..., i, ...] = x[..., s(i - before), ...] with s(j) = j inside x, and outside: a constant,
// reflected (-j, 2n-2-j), the nearest place, or j mod n; dx is dy with what was put around folded
// back. Source: NumPy's `pad`, PyTorch's `pad`.
#include <algorithm>

#include "copy/filling.hpp"
#include "integers.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.pad";

constexpr std::string_view doc =
    R"(`x` with more elements around it: `pads` has a pair of numbers for each of `axes` (none: for
all axes in order), how many are put before the first place and how many after the last.

`mode` says what they are: `constant` gives `value`; `reflect` mirrors `x` at its first and last
place, which are not repeated, so that fewer than `n` fit on either side; `replicate` repeats the
first and the last place; `circular` goes on at the other end, at most once. With `constant` a
negative number takes elements away.

Gradient: `dx` is the middle of `dy`; where elements were taken from `x` to be put around it, their
gradients are added at the places they came from.

Source: PyTorch, `torch.nn.functional.pad`, whose pairs begin at the last axis; NumPy, `pad`, whose
modes have the names `edge` and `wrap` for `replicate` and `circular`.

Canonical arithmetic: none; bits are moved. `value` is converted as `tenon.full` converts it, and
refused where that refuses it.)";

enum Attribute : uint32_t { kPads, kAxes, kMode, kValue, kAttributes };
enum class Mode { Constant, Reflect, Replicate, Circular };

struct Pads {
  Mode mode = Mode::Constant;
  rules::Dims before, after;  // of every dimension
};

Mode mode_of(std::string_view text) {
  if (text == "constant") return Mode::Constant;
  if (text == "reflect") return Mode::Reflect;
  if (text == "replicate") return Mode::Replicate;
  if (text == "circular") return Mode::Circular;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "there is no such mode", "mode",
                     "constant, reflect, replicate or circular", std::string(text)};
}

void check_pads(int64_t before, int64_t after, int64_t size, Mode mode, size_t axis) {
  constexpr int64_t most = int64_t{1} << 60;
  // How many places beside an axis the mode has something for.
  int64_t room = most;
  if (mode == Mode::Reflect) room = std::max<int64_t>(size - 1, 0);
  if (mode == Mode::Replicate) room = size == 0 ? 0 : most;
  if (mode == Mode::Circular) room = size;
  const int64_t least = mode == Mode::Constant ? -most : 0;
  const bool fits = std::min(before, after) >= least && std::max(before, after) <= room;
  if (fits && before + after >= -size) return;
  throw sdk::Failure{
      TENON_E_ATTRIBUTE,
      "pads do not fit axis " + std::to_string(axis) + " of " + std::to_string(size) + " elements",
      "pads",
      mode == Mode::Constant ? "numbers that leave 0 elements or more"
                             : "0 to " + std::to_string(room) + " elements on either side",
      std::to_string(before) + " and " + std::to_string(after),
      before < 0 || after < 0 ? "tenon.slice takes elements away" : ""};
}

Pads pads_of(std::span<const int64_t> shape, const sdk::Attrs& attrs) {
  const std::span<const int64_t> numbers = attrs.ints(kPads);
  Pads pads{mode_of(attrs.text(kMode)), {}, {}};
  for (size_t i = 0; i < shape.size(); ++i) {
    pads.before.push(0);
    pads.after.push(0);
  }
  const bool all = !attrs.given(kAxes);
  const size_t n_axes = all ? shape.size() : attrs.ints(kAxes).size();
  if (numbers.size() != 2 * n_axes) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "pads must have two numbers for each axis", "pads",
                       std::to_string(2 * n_axes) + " numbers", sdk::shape_text(numbers)};
  }
  if (!all) rules::reduced_axes(attrs[kAxes], shape.size());  // refuses one that comes twice
  for (size_t k = 0; k < n_axes; ++k) {
    const auto axis =
        all ? k : static_cast<size_t>(rules::axis_of(attrs.ints(kAxes)[k], shape.size(), "axes"));
    check_pads(numbers[2 * k], numbers[2 * k + 1], shape[axis], pads.mode, axis);
    pads.before[axis] = numbers[2 * k];
    pads.after[axis] = numbers[2 * k + 1];
  }
  return pads;
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::Dims result(args.shape(0));
  const Pads pads = pads_of(args.shape(0), args.attrs);
  for (size_t i = 0; i < result.count(); ++i) result[i] += pads.before[i] + pads.after[i];
  sdk::set_shape(out[0], rules::checked_shape(result.span(), "pads").span());
  if (pads.mode == Mode::Constant) rules::need_fit(args.attrs[kValue], out[0].dtype, "value");
}

tenon_tensor* slice(sdk::Calls& calls, sdk::Value x, int64_t axis, int64_t start, int64_t stop) {
  return calls.call("tenon.slice", {x}, {axis, start, stop});
}

tenon_tensor* flip(sdk::Calls& calls, sdk::Value x, int64_t axis) {
  return calls.call("tenon.flip", {x}, {std::span<const int64_t>(&axis, 1)});
}

// What stands on one side of an axis of x: `count` elements, before or after it.
tenon_tensor* beside(sdk::Compose& c, sdk::Value x, size_t axis, int64_t count, bool before,
                     Mode mode) {
  const tenon_meta meta = c.meta(x.tensor());
  rules::Dims shape(meta);
  const auto index = static_cast<int64_t>(axis);
  const int64_t size = shape[axis];
  shape[axis] = count;
  int64_t first = 0;
  switch (mode) {
    case Mode::Constant:
      return rules::filled(c, shape, c.attrs[kValue], meta.dtype);
    case Mode::Reflect:
      first = before ? 1 : size - 1 - count;
      return flip(c, slice(c, x, index, first, first + count), index);
    case Mode::Replicate:
      first = before ? 0 : size - 1;
      return rules::expand(c, slice(c, x, index, first, first + 1), shape);
    default:
      first = before ? size - count : 0;
      return slice(c, x, index, first, first + count);
  }
}

// Axis by axis: what stands before, the part of x that is kept, what stands after.
void compose(sdk::Compose& c) {
  const rules::Dims shape(c.meta(c.in(0).tensor()));
  const Pads pads = pads_of(shape.span(), c.attrs);
  sdk::Value y = c.in(0);
  for (size_t i = 0; i < shape.count(); ++i) {
    const int64_t before = pads.before[i];
    const int64_t result = shape[i] + before + pads.after[i];
    const int64_t low = std::clamp<int64_t>(before, 0, result);
    const int64_t high = std::clamp<int64_t>(before + shape[i], 0, result);
    tenon_tensor* parts[3];
    size_t n_parts = 0;
    if (low > 0) parts[n_parts++] = beside(c, y, i, low, true, pads.mode);
    parts[n_parts++] = slice(c, y, static_cast<int64_t>(i), low - before, high - before);
    if (high < result) parts[n_parts++] = beside(c, y, i, result - high, false, pads.mode);
    const std::span<tenon_tensor* const> list(parts, n_parts);
    y = n_parts == 1 ? parts[0] : c.call("tenon.concat", {list}, {static_cast<int64_t>(i)});
  }
  c.set(0, y);
}

// dx of one axis: the middle of dy, and what was put on each side, added where it came from.
tenon_tensor* folded(sdk::Vjp& v, sdk::Value dy, int64_t axis, int64_t before, int64_t after,
                     Mode mode) {
  rules::Dims shape(v.meta(dy.tensor()));
  const int64_t end = shape[static_cast<size_t>(axis)];
  const int64_t size = end - before - after;
  shape[static_cast<size_t>(axis)] = size;
  tenon_tensor* dx = slice(v, dy, axis, before, before + size);
  const auto add_side = [&](int64_t start, int64_t count, int64_t reflected, int64_t edge,
                            int64_t wrapped) {
    if (count == 0) return;
    tenon_tensor* part = slice(v, dy, axis, start, start + count);
    int64_t place = wrapped;
    if (mode == Mode::Reflect) {
      part = flip(v, part, axis);
      place = reflected;
    } else if (mode == Mode::Replicate) {
      part = rules::sum_over(v, part, axis);
      place = edge;
    }
    part = v.call("tenon.slice_put", {part}, {shape.value(), axis, place, 1});
    dx = v.call("tenon.add", {dx, part});
  };
  add_side(0, before, 1, 0, size - before);
  add_side(end - after, after, size - 1 - after, size - 1, 0);
  return dx;
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  const tenon_value attrs[] = {v.attr(kPads), v.attr(kAxes), v.attr(kMode), v.attr(kValue)};
  const Pads pads = pads_of(shape.span(), {attrs, kAttributes});
  if (pads.mode == Mode::Constant) {
    std::array<int64_t, 2 * TENON_MAX_RANK> back{};
    for (size_t i = 0; i < shape.count(); ++i) {
      back[2 * i] = -pads.before[i];
      back[2 * i + 1] = -pads.after[i];
    }
    v.grad(0, v.call(name, {v.dy()}, {std::span<const int64_t>(back.data(), 2 * shape.count())}));
    return;
  }
  sdk::Value dx = v.dy();
  for (size_t i = 0; i < shape.count(); ++i) {
    dx = folded(v, dx, static_cast<int64_t>(i), pads.before[i], pads.after[i], pads.mode);
  }
  v.grad(0, dx);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "pad(x: T[...], *, pads: int[], axes: int[]?, mode: str=\"constant\", "
                       "value: number=0) -> T[...]",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = kAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3] | pads=[1,2]"),
    sdk::sample(name, "f64[2,3] | pads=[1,0,2,1], value=2.5"),
    sdk::sample(name, "f64[2,3,2] | pads=[2,1], axes=[1]"),
    sdk::sample(name, "f64[2,1,3,2] | pads=[0,1,1,1], axes=[-1,0]"),
    sdk::sample(name, "f64[4,3] | pads=[-1,-1,2,-1]"),
    sdk::sample(name, "f64[2] | pads=[-3,2], value=1"),
    sdk::sample(name, "f64[2] | pads=[2,-3], value=1"),
    sdk::sample(name, "f64[2,3] | pads=[0,0,0,0]"),
    sdk::sample(name, "f64[2,3] | pads=[], axes=[]"),
    sdk::sample(name, "f64[] | pads=[]"),
    sdk::sample(name, "f64[0,2] | pads=[1,1,0,0], value=3"),
    sdk::sample(name, "f64[3] | pads=[-1,-2]"),
    sdk::sample(name, "f64[4] | pads=[3,2], mode=\"reflect\""),
    sdk::sample(name, "f64[3,4] | pads=[1,2,3,0], mode=\"reflect\""),
    sdk::sample(name, "f64[2,1,3,2] | pads=[2,1], axes=[2], mode=\"reflect\""),
    sdk::sample(name, "f64[1,2] | pads=[0,0,1,1], mode=\"reflect\""),
    sdk::sample(name, "f64[3] | pads=[5,4], mode=\"replicate\""),
    sdk::sample(name, "f64[2,1,3,2] | pads=[1,1,2,0], axes=[1,2], mode=\"replicate\""),
    sdk::sample(name, "f64[0,2] | pads=[0,0,1,1], mode=\"replicate\""),
    sdk::sample(name, "f64[3] | pads=[3,2], mode=\"circular\""),
    sdk::sample(name, "f64[2,1,3,2] | pads=[1,0,1,2], axes=[1,2], mode=\"circular\""),
    sdk::sample(name, "f64[0,2] | pads=[0,0,1,1], mode=\"circular\""),
    sdk::sample(name, "f32[6]{0.0,-0.0,inf,-inf,nan,1e-45} | pads=[1,1], value=-0.0"),
    sdk::sample(name,
                "f64[6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | pads=[1,1], "
                "value=nan"),
    sdk::sample(name, "f16[6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | pads=[1,1], value=65520.0"),
    sdk::sample(name, "bf16[6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | pads=[1,1], value=inf"),
    sdk::sample(name,
                "i64[6]{-9223372036854775808,-1,0,1,2,9223372036854775807} | pads=[1,1], "
                "value=9223372036854775807"),
    sdk::sample(name, "i8[3] | pads=[1,1], value=-128"),
    sdk::sample(name, "u8[3] | pads=[1,1], mode=\"reflect\", value=300"),
    sdk::sample(name, "bool[2,3] | pads=[1,0,0,1], value=true"),
    sdk::refused(name, "i8[3] | pads=[1,1], value=300", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "u8[3] | pads=[1,1], value=-1", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "f32[3] | pads=[1]", TENON_E_ATTRIBUTE, "two numbers for each axis"),
    sdk::refused(name, "f32[2,3] | pads=[1,1]", TENON_E_ATTRIBUTE, "two numbers for each axis"),
    sdk::refused(name, "f32[2,3] | pads=[1,1,1,1], axes=[0,-2]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "f32[2,3] | pads=[1,1], axes=[2]", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "f32[] | pads=[1,1], axes=[0]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[3] | pads=[-2,-2]", TENON_E_ATTRIBUTE, "do not fit axis 0"),
    sdk::refused(name, "f32[3] | pads=[3,0], mode=\"reflect\"", TENON_E_ATTRIBUTE, "do not fit"),
    sdk::refused(name, "f32[3] | pads=[0,-1], mode=\"reflect\"", TENON_E_ATTRIBUTE, "do not fit"),
    sdk::refused(name, "f32[0] | pads=[1,0], mode=\"replicate\"", TENON_E_ATTRIBUTE, "do not fit"),
    sdk::refused(name, "f32[3] | pads=[0,4], mode=\"circular\"", TENON_E_ATTRIBUTE, "do not fit"),
    sdk::refused(name, "f32[3] | pads=[9223372036854775807,9223372036854775807]", TENON_E_ATTRIBUTE,
                 "do not fit"),
    sdk::refused(name, "f32[3,3] | pads=[1073741824,1073741824,1073741824,1073741824]",
                 TENON_E_SHAPE, "too many elements"),
    sdk::refused(name, "f32[3] | pads=[1,1], mode=\"edge\"", TENON_E_ATTRIBUTE, "no such mode"),
    sdk::refused(name, "f32[3]", TENON_E_ATTRIBUTE, "pads"),
    sdk::refused(name, "f32[3] | pads=[1,1], value=\"1\"", TENON_E_ATTRIBUTE, "value"),
    sdk::refused(name, "| pads=[]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(pad) = {.ops = ops, .vjps = vjps, .samples = samples};
