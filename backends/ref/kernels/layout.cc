// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/layout.cc: stack, pad, roll, repeat, tile: each element of the result is one
// of the operand's, and the kernel says which.

#include "kernels/places.h"

namespace tenon::ref {
namespace {

void stack(const sdk::Launch& l) {
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), l.out().rank, "axis"));
  sdk::Strided to = sdk::strided(l.out());
  const int64_t step = to.step[axis];
  std::copy(to.step.begin() + static_cast<int64_t>(axis) + 1, to.step.end(),
            to.step.begin() + static_cast<int64_t>(axis));
  for (uint32_t item = 0; item < l.count(0); ++item) {
    const tenon_view& x = l.view(0, item);
    copy_elements(sdk::shape_of(x), x.dtype, to, sdk::strided(x));
    to.data += step;
  }
}

// out[place] = x[from(place)]. Where from() answers false, it is the element `fill` points to.
template <class From>
void gather(const sdk::Launch& l, From from, const void* fill = nullptr) {
  const sdk::Strided x = sdk::strided(l.view(0));
  const sdk::Strided out = sdk::strided(l.out());
  sdk::dispatch_size(l.out().dtype, [&]<class T>() {
    for_each_place(sdk::shape_of(l.out()), [&](const Place& place) {
      Place source = place;
      const bool inside = from(source);
      sdk::store(address(out, place), sdk::load<T>(inside ? address(x, source) : fill));
    });
  });
}

int64_t modulo(int64_t number, int64_t size) { return (number % size + size) % size; }

// The place of element `number` in row-major order.
Place place_of(int64_t number, std::span<const int64_t> shape) {
  Place place{};
  for (size_t d = shape.size(); d-- > 0;) {
    place[d] = number % shape[d];
    number /= shape[d];
  }
  return place;
}

void roll(const sdk::Launch& l) {
  const auto shape = sdk::shape_of(l.view(0));
  const auto shifts = l.attrs.ints(0);
  const auto axes = l.attrs.ints(1);
  if (!l.attrs.given(1)) {
    const int64_t count = sdk::count_of(shape);
    return gather(l, [&](Place& place) {
      place = place_of(modulo(linear(place, shape) - shifts[0] % count, count), shape);
      return true;
    });
  }
  gather(l, [&](Place& place) {
    for (size_t k = 0; k < axes.size(); ++k) {
      const auto axis = static_cast<size_t>(sdk::normal_axis(axes[k], l.out().rank, "axes"));
      const int64_t shift = shifts[shifts.size() == 1 ? 0 : k];
      place[axis] = modulo(place[axis] - shift % shape[axis], shape[axis]);
    }
    return true;
  });
}

void repeat(const sdk::Launch& l) {
  const auto shape = sdk::shape_of(l.view(0));
  const int64_t repeats = l.attrs.integer(0);
  if (!l.attrs.given(1)) {
    return gather(l, [&](Place& place) {
      place = place_of(place[0] / repeats, shape);
      return true;
    });
  }
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(1), l.out().rank, "axis"));
  gather(l, [&](Place& place) {
    place[axis] /= repeats;
    return true;
  });
}

void tile(const sdk::Launch& l) {
  const auto shape = sdk::shape_of(l.view(0));
  const size_t lead = static_cast<size_t>(l.out().rank) - shape.size();
  gather(l, [&](Place& place) {
    const Place wanted = std::exchange(place, Place{});
    for (size_t d = 0; d < shape.size(); ++d) place[d] = wanted[lead + d] % shape[d];
    return true;
  });
}

enum Pad : uint32_t { kPads, kAxes, kMode, kValue, kPadAttributes };

// Where the place `j` of an axis with `size` elements is taken from; -1: from nowhere.
int64_t padded_from(int64_t j, int64_t size, std::string_view mode) {
  if (j >= 0 && j < size) return j;
  if (mode == "reflect") return j < 0 ? -j : 2 * size - 2 - j;
  if (mode == "replicate") return j < 0 ? 0 : size - 1;
  if (mode == "circular") return modulo(j, size);
  return -1;
}

void pad(const sdk::Launch& l) {
  const auto shape = sdk::shape_of(l.view(0));
  const auto pads = l.attrs.ints(kPads);
  const auto axes = l.attrs.ints(kAxes);
  const std::string_view mode = l.attrs.text(kMode);
  Place before{};
  for (size_t k = 0; 2 * k < pads.size(); ++k) {
    const int64_t axis = l.attrs.given(kAxes) ? axes[k] : static_cast<int64_t>(k);
    before[static_cast<size_t>(sdk::normal_axis(axis, l.out().rank, "axes"))] = pads[2 * k];
  }
  const tenon_value& value = l.attrs[kValue];
  uint64_t fill = 0;
  sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
    sdk::store(&fill, value.tag == TENON_VALUE_F64 ? sdk::convert<T>(value.as.f64)
                                                   : sdk::convert<T>(value.as.i64));
  });
  gather(
      l,
      [&](Place& place) {
        bool inside = true;
        for (size_t d = 0; d < shape.size(); ++d) {
          place[d] = padded_from(place[d] - before[d], shape[d], mode);
          inside = inside && place[d] >= 0;
        }
        return inside;
      },
      &fill);
}

constexpr tenon_kernel_desc mover(std::string_view op, uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, kMapSlots, sdk::kAllDtypes, n_attrs, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    mover("tenon.stack", 1, sdk::launch_fn<stack>),
    mover("tenon.roll", 2, sdk::launch_fn<roll>),
    mover("tenon.repeat", 2, sdk::launch_fn<repeat>),
    mover("tenon.tile", 1, sdk::launch_fn<tile>),
    mover("tenon.pad", kPadAttributes, sdk::launch_fn<pad>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(layout) = {.kernels = tenon::ref::kernels};
