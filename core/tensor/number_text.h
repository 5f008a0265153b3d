// SPDX-License-Identifier: Apache-2.0
// core/tensor/number_text.h: numbers as aligned words, in the look of NumPy.
//
// Rules from NumPy's arrayprint: the shortest decimal that reads back to the same value of its
// dtype, at most 8 digits after the point; the exponent form for all words if one of them is at
// least 1e8 (less for narrow dtypes) or, not being zero, below 1e-4, or if the largest exceeds
// the smallest 1000 times. In that form all words show as many digits as the one that needs most.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.set_printoptions.html
#pragma once

#include <tenon/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tenon::tensor {

// The words for values of the float dtype `dtype`; all of one length, points aligned.
std::vector<std::string> float_words(std::span<const double> values, tenon_dtype dtype);
// The same of an integer dtype; "true" and "false" of bool.
std::vector<std::string> integer_words(std::span<const int64_t> values, tenon_dtype dtype);

// One value of the float dtype `dtype` by itself: "1.5", "1e+20", "nan".
std::string number_text(double value, tenon_dtype dtype);

}  // namespace tenon::tensor
