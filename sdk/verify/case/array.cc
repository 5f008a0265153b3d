// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/array.cc: see array.h.
#include "case/array.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <tenon/sdk/plugin/dtypes.hpp>

namespace tenon::verify {
namespace {

// Significand bits after the point, and the exponent of the smallest normal number.
struct FloatFormat {
  int fraction_bits;
  int least_exponent;
};

FloatFormat format_of(tenon_dtype dtype) {
  switch (dtype) {
    case TENON_DTYPE_F16:
      return {10, -14};
    case TENON_DTYPE_BF16:
      return {7, -126};
    case TENON_DTYPE_F32:
      return {23, -126};
    default:
      return {52, -1022};
  }
}

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  if (std::strtod(text, nullptr) != value) std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string element_text(const Array& array, size_t index) {
  if (array.dtype == TENON_DTYPE_I64) {
    return std::to_string(sdk::load<int64_t>(array.bytes.data() + index * sizeof(int64_t)));
  }
  return number_text(array.at(index));
}

std::string position_text(const Shape& shape, size_t index) {
  Shape position(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    position[d] = static_cast<int64_t>(index) % shape[d];
    index /= static_cast<size_t>(shape[d]);
  }
  return dims_text(position);
}

bool same_bits(const Array& a, const Array& b, size_t index) {
  const size_t size = sdk::size_of(a.dtype);
  return std::memcmp(a.bytes.data() + index * size, b.bytes.data() + index * size, size) == 0;
}

double largest_finite(const Array& array) {
  double largest = 0;
  for (size_t i = 0; i < array.count(); ++i) {
    const double size = std::fabs(array.at(i));
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return largest;
}

struct Distance {
  bool passes = false;
  bool not_finite = false;
  double ulps = 0;
};

Distance distance_of(double expected, double found, tenon_dtype dtype, const Tolerance& tolerance,
                     double allowed) {
  if (std::isnan(expected) || std::isnan(found)) {
    const bool both = std::isnan(expected) && std::isnan(found);
    return {both, !both, both ? 0 : HUGE_VAL};
  }
  if (expected == found) return {!tolerance.exact(), false, 0};
  if (std::isinf(expected) || std::isinf(found)) return {false, true, HUGE_VAL};
  const double off = std::fabs(found - expected);
  const double ulp = ulp_of(expected, dtype);
  return {off <= std::max(tolerance.ulp * ulp, allowed), false, off / ulp};
}

}  // namespace

size_t Array::count() const {
  size_t count = 1;
  for (const int64_t size : shape) count *= static_cast<size_t>(size);
  return count;
}

double Array::at(size_t index) const {
  double value = 0;
  sdk::dispatch_dtype(dtype, [&]<class T>() {
    value = static_cast<double>(sdk::load<T>(bytes.data() + index * sizeof(T)));
  });
  return value;
}

void Array::set(size_t index, double value) {
  sdk::dispatch_dtype(dtype, [&]<class T>() {
    sdk::store(bytes.data() + index * sizeof(T), sdk::convert<T>(value));
  });
}

Array make_array(tenon_dtype dtype, const Shape& shape) {
  Array array{dtype, shape, {}};
  array.bytes.assign(array.count() * sdk::size_of(dtype), 0);
  return array;
}

Array converted(const Array& array, tenon_dtype dtype) {
  if (array.dtype == dtype) return array;
  Array to = make_array(dtype, array.shape);
  sdk::dispatch_dtype(array.dtype, [&]<class From>() {
    sdk::dispatch_dtype(dtype, [&]<class To>() {
      for (size_t i = 0; i < array.count(); ++i) {
        const auto value = sdk::load<From>(array.bytes.data() + i * sizeof(From));
        sdk::store(to.bytes.data() + i * sizeof(To), sdk::convert<To>(value));
      }
    });
  });
  return to;
}

std::vector<double> values_of(const Array& array) {
  std::vector<double> values(array.count());
  for (size_t i = 0; i < values.size(); ++i) values[i] = array.at(i);
  return values;
}

std::string dims_text(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? "," : "") + std::to_string(dims[i]);
  return text + "]";
}

std::string text_of(const Array& array) {
  static constexpr size_t shown = 12;
  std::string text = dtype_name(array.dtype) + dims_text(array.shape) + " {";
  for (size_t i = 0; i < std::min(array.count(), shown); ++i) {
    text += (i ? " " : "") + element_text(array, i);
  }
  return text + (array.count() > shown ? " ...}" : "}");
}

double ulp_of(double value, tenon_dtype dtype) {
  if (!sdk::is_float(dtype)) return 1;
  if (!std::isfinite(value)) return HUGE_VAL;
  const FloatFormat format = format_of(dtype);
  const int exponent = value == 0 ? format.least_exponent : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, format.least_exponent) - format.fraction_bits);
}

std::optional<Difference> compare(const Array& expected, const Array& found,
                                  const Tolerance& tolerance) {
  if (expected == found) return std::nullopt;
  Difference difference;
  if (expected.dtype != found.dtype || expected.shape != found.shape) {
    difference.words = "expected " + dtype_name(expected.dtype) + dims_text(expected.shape) +
                       ", found " + dtype_name(found.dtype) + dims_text(found.shape);
    return difference;
  }
  const double allowed = tolerance.relative > 0 ? tolerance.relative * largest_finite(expected) : 0;
  for (size_t i = 0; i < expected.count(); ++i) {
    if (same_bits(expected, found, i)) continue;
    const double from = expected.at(i);
    const double to = found.at(i);
    const Distance distance = distance_of(from, to, expected.dtype, tolerance, allowed);
    if (distance.passes) continue;
    if (difference.all.empty() || distance.ulps > difference.ulps) {
      difference.index = i;
      difference.expected = from;
      difference.found = to;
      difference.ulps = distance.ulps;
    }
    difference.not_finite = difference.not_finite || distance.not_finite;
    difference.all.push_back(i);
  }
  if (difference.all.empty()) return std::nullopt;
  const size_t worst = difference.index;
  difference.words = "element " + position_text(expected.shape, worst) + ": expected " +
                     element_text(expected, worst) + ", found " + element_text(found, worst);
  if (sdk::is_float(expected.dtype) && std::isfinite(difference.ulps)) {
    difference.words += " (" + number_text(difference.ulps) + " ulp)";
  }
  difference.words += "; " + std::to_string(difference.all.size()) + " of " +
                      std::to_string(expected.count()) + " differ";
  return difference;
}

}  // namespace tenon::verify
