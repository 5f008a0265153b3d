// SPDX-License-Identifier: Apache-2.0
// core/tensor/number_text.cc: numbers as aligned words, in the look of NumPy.
#include "core/tensor/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/tensor/dtype.h"

namespace tenon::tensor {
namespace {

constexpr int kDigits = 8;  // after the point, at most
constexpr double kSmallest = 1e-4;
constexpr double kRange = 1000;

// Fixed notation is used between kSmallest and 1e8 only, so no text comes near this length.
using Buffer = std::array<char, 64>;

template <class Float>
std::string shortest(Float value, std::chars_format format) {
  Buffer buffer;
  const auto done = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  return {buffer.data(), done.ptr};
}

std::string rounded(double value, std::chars_format format, int digits) {
  Buffer buffer;
  const auto done =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, digits);
  return {buffer.data(), done.ptr};
}

double read(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string nonfinite_text(double value) {
  if (std::isnan(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

// "-12.50e+07" in parts: "-12", "50", "+07".
struct Parts {
  std::string whole;
  std::string fraction;
  std::string exponent;
};

Parts split(const std::string& text) {
  Parts parts;
  const size_t e = text.find('e');
  if (e != std::string::npos) parts.exponent = text.substr(e + 1);
  const std::string mantissa = text.substr(0, e);
  const size_t point = mantissa.find('.');
  parts.whole = mantissa.substr(0, point);
  if (point != std::string::npos) parts.fraction = mantissa.substr(point + 1);
  while (!parts.fraction.empty() && parts.fraction.back() == '0') parts.fraction.pop_back();
  return parts;
}

double round_to(double value, tenon_dtype dtype) {
  switch (dtype) {
    case TENON_DTYPE_F16:
      return half_to_float(float_to_half(static_cast<float>(value)));
    case TENON_DTYPE_BF16:
      return bfloat_to_float(float_to_bfloat(static_cast<float>(value)));
    case TENON_DTYPE_F32:
      return static_cast<float>(value);
    default:
      return value;
  }
}

// The double whose shortest decimal is also the shortest for `value` among values of `dtype`: 0.1
// in binary16 is 0.0999755859375, in words 0.1.
double shortest_decimal(double value, tenon_dtype dtype) {
  if (!std::isfinite(value) || dtype == TENON_DTYPE_F64) return value;
  if (dtype == TENON_DTYPE_F32) {
    return read(shortest(static_cast<float>(value), std::chars_format::scientific));
  }
  // Five significant digits tell all halves apart, four all bfloats.
  for (int digits = 0; digits < 5; ++digits) {
    const double decimal = read(rounded(value, std::chars_format::scientific, digits));
    if (round_to(decimal, dtype) == value) return decimal;
  }
  return value;
}

// Rounding starts from the value itself: its shortest decimal may be half a unit off.
Parts parts_of(double value, tenon_dtype dtype, std::chars_format format) {
  Parts parts = split(shortest(shortest_decimal(value, dtype), format));
  if (parts.fraction.size() <= kDigits) return parts;
  return split(rounded(value, format, kDigits));
}

// From here on the exponent form is used: 1e8, or as far as the dtype's digits reach.
double largest_fixed(tenon_dtype dtype) {
  switch (dtype) {
    case TENON_DTYPE_F16:
      return 1e3;
    case TENON_DTYPE_BF16:
      return 1e2;
    case TENON_DTYPE_F32:
      return 1e6;
    default:
      return 1e8;
  }
}

bool needs_exponent(std::span<const double> values, tenon_dtype dtype) {
  double largest = 0;
  double smallest = INFINITY;
  for (const double value : values) {
    if (value == 0 || !std::isfinite(value)) continue;
    largest = std::max(largest, std::abs(value));
    smallest = std::min(smallest, std::abs(value));
  }
  if (largest == 0) return false;
  return largest >= largest_fixed(dtype) || smallest < round_to(kSmallest, dtype) ||
         round_to(largest / smallest, dtype) > kRange;
}

void align_right(std::vector<std::string>& words) {
  size_t width = 0;
  for (const std::string& word : words) width = std::max(width, word.size());
  for (std::string& word : words) word.insert(0, width - word.size(), ' ');
}

struct Widths {
  size_t fraction = 0;
  size_t exponent = 0;  // with its sign
};

// Same point, same end: fixed words are filled with blanks, exponent words with further digits.
std::string word_of(double value, Parts parts, const Widths& widths) {
  const size_t missing = widths.fraction - parts.fraction.size();
  if (widths.exponent == 0) return parts.whole + "." + parts.fraction + std::string(missing, ' ');
  if (missing > 0) {
    const int digits = static_cast<int>(widths.fraction);
    parts = split(rounded(value, std::chars_format::scientific, digits));
    parts.fraction.append(widths.fraction - parts.fraction.size(), '0');
  }
  parts.exponent.insert(1, widths.exponent - parts.exponent.size(), '0');
  return parts.whole + "." + parts.fraction + "e" + parts.exponent;
}

}  // namespace

std::vector<std::string> float_words(std::span<const double> values, tenon_dtype dtype) {
  const bool exponent = needs_exponent(values, dtype);
  const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
  std::vector<Parts> parts(values.size());
  Widths widths;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    parts[i] = parts_of(values[i], dtype, format);
    widths.fraction = std::max(widths.fraction, parts[i].fraction.size());
    widths.exponent = std::max(widths.exponent, parts[i].exponent.size());
  }
  std::vector<std::string> words(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    words[i] = std::isfinite(values[i]) ? word_of(values[i], std::move(parts[i]), widths)
                                        : nonfinite_text(values[i]);
  }
  align_right(words);
  return words;
}

std::vector<std::string> integer_words(std::span<const int64_t> values, tenon_dtype dtype) {
  std::vector<std::string> words;
  words.reserve(values.size());
  for (const int64_t value : values) {
    words.push_back(!is_bool(dtype) ? std::to_string(value) : value != 0 ? "true" : "false");
  }
  align_right(words);
  return words;
}

std::string number_text(double value, tenon_dtype dtype) {
  if (!std::isfinite(value)) return nonfinite_text(value);
  return shortest(shortest_decimal(value, dtype), std::chars_format::general);
}

}  // namespace tenon::tensor
