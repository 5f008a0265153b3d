// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/rows_layout.cc: stack, pad, roll, repeat, tile, and reshape and flatten
// where no view exists: operands that are moved box by box, each box with strides of its own.

#include "kernels/rows_copy.h"
#include "kernels/transpose.h"

namespace tenon::cpu {
namespace {

size_t axis_of(const sdk::Launch& l, int64_t axis) {
  return static_cast<size_t>(sdk::normal_axis(axis, l.out().rank, "axis"));
}

sdk::Strided row_major(char* data, std::span<const int64_t> shape, int64_t size) {
  sdk::Strided result{data, {}};
  for (size_t d = shape.size(); d-- > 0; size *= shape[d]) result.step[d] = size;
  return result;
}

// The output is row-major, so it can be written in the shape of x: a copy.
void reshape(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const auto shape = sdk::shape_of(x);
  const int64_t size = sdk::size_of(x.dtype);
  std::array<int64_t, TENON_MAX_RANK> strides{};
  std::copy_n(row_major(nullptr, shape, 1).step.begin(), shape.size(), strides.begin());
  tenon_view views[] = {x, l.out()};
  views[1].shape = x.shape;
  views[1].strides = strides.data();
  views[1].rank = x.rank;
  if (is_transposed(views[0], views[1])) {
    tenon_launch copy = l.launch();
    copy.views = views;
    return sdk::check(copy_transposed(l.call(), &copy));
  }
  copy_elements(l, shape, size, sdk::strided(views[1]), sdk::strided(x));
}

void stack(const sdk::Launch& l) {
  const size_t axis = axis_of(l, l.attrs.integer(0));
  sdk::Strided to = sdk::strided(l.out());
  const int64_t step = to.step[axis];
  for (size_t d = axis; d + 1 < to.step.size(); ++d) to.step[d] = to.step[d + 1];
  for (uint32_t item = 0; item < l.count(0); ++item) {
    const tenon_view& x = l.view(0, item);
    copy_elements(l, sdk::shape_of(x), sdk::size_of(x.dtype), to, sdk::strided(x));
    to.data += step;
  }
}

// ---- roll and pad: along each axis up to three parts, and every combination of them is a box ----

// `count` places from `to` on, which come from `from`, `from + step`, ...; or from nowhere.
struct Part {
  int64_t to, count, from, step;
  bool none = false;
};
struct Axis {
  std::array<Part, 3> parts{};
  size_t count = 0;

  void push(const Part& part) {
    if (part.count > 0) parts[count++] = part;
  }
};

// The box of the parts that are chosen, one for each axis. `fill` is one element.
void copy_box(const sdk::Launch& l, std::span<const Axis> axes,
              const std::array<size_t, TENON_MAX_RANK>& chosen, const void* fill) {
  std::array<int64_t, TENON_MAX_RANK> shape{};
  sdk::Strided to = sdk::strided(l.out());
  sdk::Strided from = sdk::strided(l.view(0));
  bool none = false;
  for (size_t d = 0; d < axes.size(); ++d) {
    const Part& part = axes[d].parts[chosen[d]];
    shape[d] = part.count;
    to.data += part.to * to.step[d];
    from.data += part.from * from.step[d];
    from.step[d] *= part.step;
    none = none || part.none;
  }
  if (none) from = {static_cast<char*>(const_cast<void*>(fill)), {}};
  copy_elements(l, {shape.data(), axes.size()}, sdk::size_of(l.out().dtype), to, from);
}

void copy_boxes(const sdk::Launch& l, std::span<const Axis> axes, const void* fill = nullptr) {
  for (const Axis& axis : axes) {
    if (axis.count == 0) return;
  }
  std::array<size_t, TENON_MAX_RANK> chosen{};
  for (size_t d = 0;;) {
    copy_box(l, axes, chosen, fill);
    for (d = 0; d < axes.size() && ++chosen[d] == axes[d].count; ++d) chosen[d] = 0;
    if (d == axes.size()) return;
  }
}

// [0, size) moved on by `shift` of its places.
Axis rolled(int64_t size, int64_t shift) {
  Axis axis;
  axis.push({0, shift, size - shift, 1});
  axis.push({shift, size - shift, 0, 1});
  return axis;
}

int64_t modulo(int64_t number, int64_t size) {
  return size == 0 ? 0 : (number % size + size) % size;
}

// Element `number` in row-major order.
char* element(const sdk::Strided& operand, std::span<const int64_t> shape, int64_t number) {
  char* at = operand.data;
  for (size_t d = shape.size(); d-- > 0; number /= shape[d]) {
    at += number % shape[d] * operand.step[d];
  }
  return at;
}

// out[to ... to + n - 1] = x[from ... from + n - 1] in row-major order.
void move_flat(const sdk::Launch& l, int64_t to, int64_t from, int64_t n) {
  const auto shape = sdk::shape_of(l.out());
  const int64_t size = sdk::size_of(l.out().dtype);
  sdk::Strided out = sdk::strided(l.out());
  sdk::Strided x = sdk::strided(l.view(0));
  const sdk::Strided packed = row_major(nullptr, shape, size);
  if (out.step == packed.step && x.step == packed.step) {
    const sdk::Strided target{out.data + to * size, {size}};
    return copy_elements(l, {&n, 1}, size, target, {x.data + from * size, {size}});
  }
  l.parallel_for(n, sdk::kElementwiseGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      copy_run(element(out, shape, to + i), 0, element(x, shape, from + i), 0, 1, size);
    }
  });
}

void roll(const sdk::Launch& l) {
  const auto shape = sdk::shape_of(l.view(0));
  const auto shifts = l.attrs.ints(0);
  const auto axes = l.attrs.ints(1);
  if (!l.attrs.given(1)) {
    const int64_t count = sdk::count_of(shape);
    const int64_t shift = modulo(shifts[0], count);
    move_flat(l, 0, count - shift, shift);
    return move_flat(l, shift, 0, count - shift);
  }
  std::array<int64_t, TENON_MAX_RANK> places{};
  for (size_t k = 0; k < axes.size(); ++k) {
    const size_t axis = axis_of(l, axes[k]);
    const int64_t shift = shifts[shifts.size() == 1 ? 0 : k];
    places[axis] = modulo(places[axis] + modulo(shift, shape[axis]), shape[axis]);
  }
  std::array<Axis, TENON_MAX_RANK> parts;
  for (size_t d = 0; d < shape.size(); ++d) parts[d] = rolled(shape[d], places[d]);
  copy_boxes(l, {parts.data(), shape.size()});
}

enum Pad : uint32_t { kPads, kAxes, kMode, kValue, kPadAttributes };

// As a part of an axis that had `size` places, with `before` put in front and a result of `length`.
Axis padded(int64_t size, int64_t before, int64_t length, std::string_view mode) {
  const int64_t low = std::clamp<int64_t>(before, 0, length);
  const int64_t high = std::clamp<int64_t>(before + size, 0, length);
  const int64_t after = length - high;
  Axis axis;
  axis.push({low, high - low, low - before, 1});
  if (mode == "reflect") {
    axis.push({0, low, low, -1});
    axis.push({high, after, size - 2, -1});
  } else if (mode == "replicate") {
    axis.push({0, low, 0, 0});
    axis.push({high, after, size - 1, 0});
  } else if (mode == "circular") {
    axis.push({0, low, size - low, 1});
    axis.push({high, after, 0, 1});
  } else {
    axis.push({0, low, 0, 0, true});
    axis.push({high, after, 0, 0, true});
  }
  return axis;
}

void pad(const sdk::Launch& l) {
  const auto shape = sdk::shape_of(l.view(0));
  const auto pads = l.attrs.ints(kPads);
  const auto axes = l.attrs.ints(kAxes);
  std::array<int64_t, TENON_MAX_RANK> before{};
  for (size_t k = 0; 2 * k < pads.size(); ++k) {
    before[l.attrs.given(kAxes) ? axis_of(l, axes[k]) : k] = pads[2 * k];
  }
  std::array<Axis, TENON_MAX_RANK> parts;
  for (size_t d = 0; d < shape.size(); ++d) {
    parts[d] = padded(shape[d], before[d], l.out().shape[d], l.attrs.text(kMode));
  }
  const tenon_value& value = l.attrs[kValue];
  uint64_t fill = 0;
  sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
    sdk::store(&fill, value.tag == TENON_VALUE_F64 ? sdk::convert<T>(value.as.f64)
                                                   : sdk::convert<T>(value.as.i64));
  });
  copy_boxes(l, {parts.data(), shape.size()}, &fill);
}

// ---- repeat and tile ----------------------------------------------------------------------------

// Both row-major: blocks, each of them several times.
void repeat(const sdk::Launch& l) {
  const int64_t size = sdk::size_of(l.out().dtype);
  const auto shape = sdk::shape_of(l.view(0));
  const int64_t copies = l.attrs.integer(0);
  int64_t block = 1;
  if (l.attrs.given(1)) {
    block = sdk::count_of(shape.subspan(axis_of(l, l.attrs.integer(1)) + 1));
  }
  const int64_t count = sdk::count_of(shape);
  if (count == 0 || copies == 0) return;
  // Long loops inside: single elements are written copy after copy.
  const bool apart = block == 1 && copies < count;
  const int64_t sizes[] = {apart ? copies : count / block, apart ? count : copies, block};
  const int64_t once = block * size;
  sdk::Strided to{l.out_data<char>(), {once * copies, once, size}};
  sdk::Strided from{l.data<char>(0), {once, 0, size}};
  if (apart) {
    std::swap(to.step[0], to.step[1]);
    std::swap(from.step[0], from.step[1]);
  }
  copy_elements(l, sizes, size, to, from);
}

// One copy, which is then doubled along axis after axis.
void tile(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& out = l.out();
  const int64_t size = sdk::size_of(out.dtype);
  const size_t rank = static_cast<size_t>(out.rank);
  const size_t lead = rank - static_cast<size_t>(x.rank);
  if (sdk::count_of(sdk::shape_of(out)) == 0) return;
  const sdk::Strided all = sdk::strided(out);
  const sdk::Strided given = sdk::strided(x);
  sdk::Strided from{given.data, {}};
  std::array<int64_t, TENON_MAX_RANK> shape{};
  for (size_t d = 0; d < rank; ++d) {
    shape[d] = d < lead ? 1 : x.shape[d - lead];
    from.step[d] = d < lead ? 0 : given.step[d - lead];
  }
  copy_elements(l, {shape.data(), rank}, size, all, from);
  for (size_t d = rank; d-- > 0;) {
    for (int64_t done = shape[d]; done < out.shape[d]; done += shape[d]) {
      shape[d] = std::min(done, out.shape[d] - done);
      sdk::Strided to = all;
      to.data += done * all.step[d];
      copy_elements(l, {shape.data(), rank}, size, to, all);
    }
    shape[d] = out.shape[d];
  }
}

constexpr tenon_slot_rule any_slots[] = {any_in(), any_out()};
constexpr tenon_slot_rule packed_slots[] = {sdk::contiguous_in(), sdk::contiguous_out()};
constexpr tenon_slot_rule packed_out_slots[] = {any_in(), sdk::contiguous_out()};

constexpr tenon_kernel_desc mover(std::string_view op, std::span<const tenon_slot_rule> slots,
                                  uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, slots, sdk::kAllDtypes, n_attrs, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    mover("tenon.reshape", packed_out_slots, 1, sdk::launch_fn<reshape>),
    mover("tenon.flatten", packed_out_slots, 2, sdk::launch_fn<reshape>),
    mover("tenon.stack", any_slots, 1, sdk::launch_fn<stack>),
    mover("tenon.roll", any_slots, 2, sdk::launch_fn<roll>),
    mover("tenon.pad", any_slots, kPadAttributes, sdk::launch_fn<pad>),
    mover("tenon.repeat", packed_slots, 2, sdk::launch_fn<repeat>),
    mover("tenon.tile", any_slots, 1, sdk::launch_fn<tile>),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(rows_layout) = {.kernels = tenon::cpu::kernels};
