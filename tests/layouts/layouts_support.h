// SPDX-License-Identifier: Apache-2.0
// tests/layouts/layouts_support.h: the plugin test.layouts beside the plain kernels, and operands
// of every shape in every layout.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <sstream>

#include "tests/core/support.h"
#include "tests/layouts/plugins/test.layouts/seen.h"

namespace tenon::tests {

inline RuntimeHandle make_layouts_runtime(const std::string& check) {
  const std::string folders[] = {plugin_dir() + std::string("/tenon.ops"),
                                 plugin_dir() + std::string("/tenon.ref"),
                                 test_plugin_dir() + std::string("/layouts")};
  tenon_string paths[3];
  for (size_t i = 0; i < 3; ++i) paths[i] = {folders[i].data(), folders[i].size()};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = paths;
  options.n_paths = 3;
  options.threads = 1;
  options.check = {check.data(), check.size()};
  tenon_diag diag{};
  tenon_runtime* runtime = nullptr;
  EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
  return RuntimeHandle(runtime);
}

template <class T>
Value address(T& object) {
  return Value(reinterpret_cast<int64_t>(&object));
}

// Where the elements of an operand lie, in elements of a base.
struct Layout {
  Shape shape;
  Shape strides;
  int64_t offset = 0;
  bool writable = true;  // no two elements share a place

  int64_t count() const { return sdk::count_of(shape); }
  // Of each element, in row-major order.
  std::vector<size_t> places() const {
    std::vector<size_t> out;
    for (int64_t i = 0, n = count(); i < n; ++i) {
      int64_t rest = i, at = offset;
      for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) at += rest % shape[d] * strides[d];
      out.push_back(static_cast<size_t>(at));
    }
    return out;
  }
  std::string text() const {
    std::ostringstream out;
    const auto list = [&out](const char* name, const Shape& numbers) {
      out << name << " (";
      for (const int64_t number : numbers) out << number << ",";
      out << ") ";
    };
    list("shape", shape);
    list("strides", strides);
    out << "offset " << offset;
    return out.str();
  }
};

inline const Shape kShapes[] = {{},        {1},       {5},    {0},       {3, 4},      {4, 1},
                                {1, 4},    {0, 4},    {3, 0}, {1, 1},    {2, 3, 4},   {2, 1, 3},
                                {2, 0, 3}, {1, 3, 1}, {3, 3}, {2, 2, 2}, {2, 3, 1, 2}};

// With dimensions laid in `order`, the first of it innermost, `first` elements apart and `gap` more
// after each dimension; those in `backward`, a set of bits, run backward.
inline Layout laid(const Shape& shape, const std::vector<size_t>& order, int64_t first, int64_t gap,
                   uint32_t backward) {
  Layout layout{shape, Shape(shape.size()), 7};
  int64_t step = first;
  for (const size_t d : order) {
    const bool back = (backward >> d & 1) != 0;
    layout.strides[d] = back ? -step : step;
    if (back) layout.offset += std::max<int64_t>(shape[d] - 1, 0) * step;
    step = step * std::max<int64_t>(shape[d], 1) + gap;
  }
  return layout;
}

inline std::vector<Layout> layouts_of(const Shape& shape) {
  std::vector<Layout> all;
  const size_t rank = shape.size();
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  do {
    for (const int64_t first : {1, 2}) {
      for (const int64_t gap : {0, 3}) {
        for (const uint32_t backward : {0u, 1u, 1u << (rank ? rank - 1 : 0), ~0u}) {
          all.push_back(laid(shape, order, first, gap, backward));
        }
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  std::reverse(order.begin(), order.end());  // row-major
  const Layout plain = laid(shape, order, 1, 0, 0);
  for (size_t d = 0; d < rank; ++d) {
    // Repeated along one dimension, from there on, and windows that share elements.
    Layout repeated = plain, spread = plain, window = plain;
    repeated.strides[d] = 0;
    for (size_t e = d; e < rank; ++e) spread.strides[e] = 0;
    if (d + 1 < rank) window.strides[d] = 1;
    for (Layout* each : {&repeated, &spread, &window}) {
      each->writable = std::all_of(shape.begin(), shape.end(), [](int64_t n) { return n == 1; });
      all.push_back(*each);
    }
    if (shape[d] != 1) continue;
    Layout odd = plain;  // a stride that nothing is ever moved by
    odd.strides[d] = 77;
    all.push_back(odd);
  }
  return all;
}

// A view of a base tensor, and what the base holds.
struct Laid {
  static constexpr int64_t kBase = 512;

  Layout layout;
  std::vector<float> values;
  Tensor base;
  Tensor view;

  // Numbers that name their place, from `first` on.
  Laid(const Session& cx, const Layout& in, float first) : layout(in), values(kBase) {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = first + static_cast<float>(i) * (i % 3 == 0 ? -0.25f : 0.5f);
    }
    base = cx.floats({kBase}, values);
    view = cx.view(base, layout.shape, layout.strides, layout.offset);
  }
  std::vector<float> elements() const {
    std::vector<float> out;
    for (const size_t place : layout.places()) out.push_back(values[place]);
    return out;
  }
  // The view holds `expected`, and the rest of the base what it held.
  void expect_written(const Session& cx, const std::vector<float>& expected) const {
    std::vector<float> whole = values;
    const std::vector<size_t> places = layout.places();
    ASSERT_EQ(places.size(), expected.size());
    for (size_t i = 0; i < places.size(); ++i) whole[places[i]] = expected[i];
    ASSERT_EQ(cx.values(base), whole);
  }
};

}  // namespace tenon::tests
