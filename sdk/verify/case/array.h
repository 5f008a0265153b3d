// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/array.h: row-major contents of a tensor, and when two of them count as equal.
#pragma once

#include <tenon/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "signature.h"

namespace tenon::verify {

using Shape = std::vector<int64_t>;

struct Array {
  tenon_dtype dtype = TENON_DTYPE_F32;
  Shape shape;
  std::vector<unsigned char> bytes;

  size_t count() const;
  double at(size_t index) const;         // any dtype, as a double
  void set(size_t index, double value);  // rounded to the dtype
  bool operator==(const Array&) const = default;
};

Array make_array(tenon_dtype dtype, const Shape& shape);  // zeros
Array converted(const Array& array, tenon_dtype dtype);
std::vector<double> values_of(const Array& array);
using tools::dtype_name;
std::string dims_text(std::span<const int64_t> dims);  // "[2,3]"
std::string text_of(const Array& array);  // for messages: dtype, shape, the first values

// How far results may lie from what is expected; see tenon_tolerance.
struct Tolerance {
  double ulp = 0;
  double relative = 0;
  bool exact() const { return ulp == 0 && relative == 0; }
};

// The distance from `value` to the next number of `dtype` away from zero.
double ulp_of(double value, tenon_dtype dtype);

struct Difference {
  size_t index = 0;  // the worst element, row-major
  double expected = 0;
  double found = 0;
  double ulps = 0;          // distance of the two
  bool not_finite = false;  // one of them is NaN or infinite if the other is not
  std::string words;  // "element [1,2]: expected 0.5, found 0.75 (8388608 ulp); 5 of 6 differ"
  std::vector<size_t> all;  // every element that differs
};

// Nothing if `found` passes. NaN equals NaN whatever its bits; 0 equals -0 only with a
// tolerance.
std::optional<Difference> compare(const Array& expected, const Array& found,
                                  const Tolerance& tolerance = {});

}  // namespace tenon::verify
