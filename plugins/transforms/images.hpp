// SPDX-License-Identifier: Apache-2.0
// plugins/transforms/images.hpp: what transforms of images share: chance, options, pixels.
//
// A pixel is u8, 0 to 255, or f32, which images mostly hold as 0 to 1.
#pragma once

#include <tenon/sdk/plugin/dtypes.hpp>
#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/probability.hpp>
#include <tenon/sdk/plugin/transform.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace tenon::transforms {

namespace sdk = tenon::sdk;

// ---- Chance -------------------------------------------------------------------------------------

// From 0 up to but not 1, a multiple of 2^-53.
inline double unit(tenon_sdk_random& random) {
  return static_cast<double>(tenon_sdk_random_next(&random) >> 11) * 0x1p-53;
}

struct Range {
  double low = 0;
  double high = 0;
  bool is(double number) const { return low == number && high == number; }
  double draw(tenon_sdk_random& random) const { return low + (high - low) * unit(random); }
};

// ---- Options ------------------------------------------------------------------------------------

[[noreturn]] inline void refuse_option(const char* option, std::string expected,
                                       std::string found) {
  throw sdk::Failure{TENON_E_ATTRIBUTE, std::string(option) + " does not fit", option,
                     std::move(expected), std::move(found)};
}

inline std::string numbers_text(std::span<const double> numbers) {
  std::string text = "[";
  for (const double each : numbers) text += (text.size() > 1 ? ", " : "") + sdk::digits_of(each);
  return text + "]";
}

// Two numbers, the lower one first, from `least` to `most`; `else_expected` is what may stand in
// their place.
inline Range range_of(std::span<const double> given, const char* option, double least, double most,
                      const std::string& else_expected = "") {
  const bool two = given.size() == 2;
  if (two && given[0] >= least && given[0] <= given[1] && given[1] <= most) {
    return {given[0], given[1]};
  }
  refuse_option(option,
                else_expected + "two numbers from " + sdk::digits_of(least) + " to " +
                    sdk::digits_of(most) + ", the lower one first",
                numbers_text(given));
}

inline double probability_of(double given) {
  if (given >= 0 && given <= 1) return given;
  refuse_option("probability", "0 <= probability <= 1", sdk::digits_of(given));
}

// ---- Images -------------------------------------------------------------------------------------

inline std::string sample_text(const tenon_meta& sample) {
  return "samples " + sdk::shape_text({sample.shape, static_cast<size_t>(sample.rank)});
}

// Samples [..., H, W].
inline void check_planes(const tenon_meta& sample) {
  if (sample.rank >= 2) return;
  throw sdk::Failure{TENON_E_SHAPE, "has too few dimensions", "field", "[n, ..., H, W]",
                     sample_text(sample)};
}

inline void check_pixels(const tenon_meta& sample) {
  if (sample.dtype == TENON_DTYPE_U8 || sample.dtype == TENON_DTYPE_F32) return;
  throw sdk::Failure{TENON_E_DTYPE, "has another dtype", "field", "u8 or f32", "another dtype"};
}

// Calls body.operator()<uint8_t>() or <float>().
template <class F>
void dispatch_pixels(tenon_dtype dtype, F&& body) {
  sdk::dispatch_dtype<sdk::TypeList<uint8_t, float>>(dtype, body);
}

inline constexpr double kLargest = std::numeric_limits<float>::max();

// A number that stands for whole pixels, as the option `option` gives it.
inline void check_pixel(const char* option, double number, tenon_dtype dtype) {
  if (dtype == TENON_DTYPE_U8 ? number >= 0 && number <= 255 && number == std::floor(number)
                              : std::abs(number) <= kLargest) {
    return;
  }
  refuse_option(option,
                dtype == TENON_DTYPE_U8 ? "a whole number from 0 to 255, as pixels of u8 are"
                                        : "a finite number that f32 can hold",
                sdk::digits_of(number));
}

// Planes [rows, columns] of one sample of a batch [n, ..., rows, columns].
struct Image {
  explicit Image(const tenon_view& batch)
      : rows(batch.shape[batch.rank - 2]),
        columns(batch.shape[batch.rank - 1]),
        planes(sdk::count_of({batch.shape + 1, static_cast<size_t>(batch.rank) - 3})) {}
  int64_t plane() const { return rows * columns; }
  int64_t elements() const { return planes * plane(); }

  int64_t rows, columns;
  int64_t planes;
};

}  // namespace tenon::transforms
