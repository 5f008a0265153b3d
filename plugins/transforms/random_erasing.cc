// SPDX-License-Identifier: Apache-2.0
// plugins/transforms/random_erasing.cc: a random rectangle of each image is overwritten.
//
// Of H x W pixels, s of them with s uniform in `scale`, and r the height divided by the width with
// log r uniform in the logarithms of `ratio`: round(sqrt(s H W r)) rows, round(sqrt(s H W / r))
// columns, ties to even. Ten tries for one that is smaller than the image both ways; then none.
// Source: Z. Zhong et al., "Random erasing data augmentation", arXiv:1708.04896, in the form of
// torchvision.transforms.RandomErasing.
//
// Arithmetic: f64; square roots are exact, logarithm and exponential those of the C library.
#include "images.hpp"

#include <cstring>
#include <limits>
#include <vector>

namespace {

namespace sdk = tenon::sdk;
using tenon::transforms::Image;
using tenon::transforms::Range;

enum Option : uint32_t { kProbability, kScale, kRatio, kValue };
constexpr double kInitialScale[] = {0.02, 0.33};
constexpr double kInitialRatio[] = {0.3, 3.3};
constexpr double kZero[] = {0};
constexpr int kTries = 10;

struct Rectangle {
  int64_t top = 0, left = 0, rows = 0, columns = 0;
};

class RandomErasing {
 public:
  explicit RandomErasing(const sdk::Attrs& options)
      : probability_(tenon::transforms::probability_of(options.real(kProbability))),
        scale_(tenon::transforms::range_of(options.floats(kScale), "scale", 0, 1)),
        ratio_(tenon::transforms::range_of(options.floats(kRatio), "ratio", 0.001, 1000)),
        value_(options.floats(kValue).begin(), options.floats(kValue).end()) {
    if (value_.empty()) tenon::transforms::refuse_option("value", "one number or more", "none");
    ratio_ = {std::log(ratio_.low), std::log(ratio_.high)};
  }

  tenon_meta infer(const tenon_meta& sample) const {
    tenon::transforms::check_planes(sample);
    tenon::transforms::check_pixels(sample);
    for (const double each : value_) tenon::transforms::check_pixel("value", each, sample.dtype);
    const auto channels = static_cast<int64_t>(value_.size());
    if (channels == 1 || (sample.rank == 3 && sample.shape[0] == channels)) return sample;
    throw sdk::Failure{TENON_E_SHAPE, "value has another number of channels than the images",
                       "field", "[n, " + std::to_string(channels) + ", H, W]",
                       tenon::transforms::sample_text(sample)};
  }

  void run(const tenon_batch& batch, const tenon_view& from, const tenon_view& to) const {
    const Image image(from);
    const size_t bytes = static_cast<size_t>(batch.n * image.elements() * sdk::size_of(from.dtype));
    if (bytes != 0) std::memcpy(to.data, from.data, bytes);
    tenon::transforms::dispatch_pixels(from.dtype, [&]<class Pixel>() {
      for (int64_t i = 0; i < batch.n; ++i) {
        erase(choose(batch, i, image), image, static_cast<Pixel*>(to.data) + i * image.elements());
      }
    });
  }

 private:
  Rectangle choose(const tenon_batch& batch, int64_t i, const Image& image) const {
    tenon_sdk_random random = sdk::sample_random(batch, i, 0x65726173u);  // "eras"
    if (!(tenon::transforms::unit(random) < probability_)) return {};
    const auto pixels = static_cast<double>(image.plane());
    for (int tries = 0; tries < kTries; ++tries) {
      const double area = pixels * scale_.draw(random);
      const double ratio = std::exp(ratio_.draw(random));
      const auto rows = static_cast<int64_t>(std::nearbyint(std::sqrt(area * ratio)));
      const auto columns = static_cast<int64_t>(std::nearbyint(std::sqrt(area / ratio)));
      if (rows >= image.rows || columns >= image.columns) continue;
      return {place(random, image.rows - rows), place(random, image.columns - columns), rows,
              columns};
    }
    return {};
  }

  // From 0 to `room`.
  static int64_t place(tenon_sdk_random& random, int64_t room) {
    return static_cast<int64_t>(tenon_sdk_random_below(&random, static_cast<uint64_t>(room) + 1));
  }

  template <class Pixel>
  void erase(const Rectangle& which, const Image& image, Pixel* pixels) const {
    for (int64_t plane = 0; plane < image.planes; ++plane) {
      const auto value =
          static_cast<Pixel>(value_[value_.size() == 1 ? 0 : static_cast<size_t>(plane)]);
      for (int64_t row = which.top; row < which.top + which.rows; ++row) {
        Pixel* first = pixels + (plane * image.rows + row) * image.columns + which.left;
        std::fill_n(first, which.columns, value);
      }
    }
  }

  double probability_;
  Range scale_;
  Range ratio_;                // logarithms
  std::vector<double> value_;  // one, or of each channel
};

constexpr tenon_transform_option kOptions[] = {
    sdk::transform_option("probability", 0.5, "that an image has a rectangle, 0 to 1"),
    sdk::transform_option("scale", std::span<const double>(kInitialScale),
                          "least and largest area, as a part of the image, 0 to 1"),
    sdk::transform_option("ratio", std::span<const double>(kInitialRatio),
                          "least and largest height divided by width, 0.001 to 1000"),
    sdk::transform_option("value", std::span<const double>(kZero),
                          "written there: one number, or one for each channel of [n, C, H, W]; of "
                          "u8 whole numbers from 0 to 255")};

constexpr tenon_transform_sample kSamples[] = {
    sdk::transform_sample("u8[8,3,6,5](0,256)"),
    sdk::transform_sample("f32[6,2,7,7] | probability=1.0, value=[0.25, -1.0]"),
    sdk::transform_sample("f32[6,5,5] | probability=1.0, scale=[0.5, 1.0], ratio=[1.0, 1.0]"),
    sdk::transform_sample("u8[4,1,1](0,256) | probability=1.0, value=[9.0]"),
    sdk::transform_sample("u8[4,0,3](0,256) | probability=1.0"),
    sdk::refused_transform("u8[3,5]", TENON_E_SHAPE, "dimensions"),
    sdk::refused_transform("f64[3,5,5]", TENON_E_DTYPE, "u8 or f32"),
    sdk::refused_transform("u8[3,5,5] | probability=1.5", TENON_E_ATTRIBUTE, "probability"),
    sdk::refused_transform("u8[3,5,5] | scale=[0.5, 0.1]", TENON_E_ATTRIBUTE, "scale"),
    sdk::refused_transform("u8[3,5,5] | scale=[0.5, 1.5]", TENON_E_ATTRIBUTE, "scale"),
    sdk::refused_transform("u8[3,5,5] | ratio=[0.0, 1.0]", TENON_E_ATTRIBUTE, "ratio"),
    sdk::refused_transform("u8[3,5,5] | ratio=[1.0]", TENON_E_ATTRIBUTE, "ratio"),
    sdk::refused_transform("u8[3,5,5] | value=[0.5]", TENON_E_ATTRIBUTE, "value"),
    sdk::refused_transform("f32[3,5,5] | value=[nan]", TENON_E_ATTRIBUTE, "value"),
    sdk::refused_transform("u8[2,2,5,5] | value=[1.0, 2.0, 3.0]", TENON_E_SHAPE, "channels")};

constexpr tenon_transform_desc kTransforms[] = {sdk::transform<RandomErasing>(
    {.name = "tenon.random_erasing",
     .doc = R"(A random rectangle of each image overwritten, by chance: [n, ..., H, W], u8 or f32.
Whether, where and how large depends on seed, epoch and sample alone; all planes of an image have
the same one.

It has round(sqrt(s H W r)) rows and round(sqrt(s H W / r)) columns, s uniform in `scale` and log r
uniform in the logarithms of `ratio`, at a uniform place. One that does not leave a row and a column
is drawn again, ten times at most; then there is none.

Source: Zhong et al., "Random erasing data augmentation", 2017, in the form of
`torchvision.transforms.RandomErasing`, which knows noise as a value, too.)",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace

TENON_UNIT(random_erasing) = {.transforms = kTransforms};
