// SPDX-License-Identifier: Apache-2.0
// plugins/transforms/rotate.cc: each image turned about its middle by a random angle.
//
// With x to the right and y downwards from the middle, the pixel at (x, y) of the result is that at
// (x cos a - y sin a, x sin a + y cos a) of the image: counter-clockwise for positive angles a.
//
// Arithmetic: places and bilinear means in f64, rounded once; ties of u8 to even. Sine and cosine
// are those of the C library, exact for multiples of 90 degrees.
#include "images.hpp"

namespace {

namespace sdk = tenon::sdk;
using tenon::transforms::Image;
using tenon::transforms::Range;

enum Option : uint32_t { kDegrees, kFill, kNearest };
constexpr double kPi = 3.14159265358979323846;

struct Turn {
  explicit Turn(double degrees) {
    const double rest = std::remainder(degrees, 360);  // -180 to 180
    cosine = std::abs(rest) == 90 ? 0 : std::cos(rest * (kPi / 180));
    sine = std::abs(rest) == 180 ? 0 : std::sin(rest * (kPi / 180));
  }
  double cosine, sine;
};

// The largest integer that is not above `number`: std::floor, without a call.
int64_t floor_of(double number) {
  const auto whole = static_cast<int64_t>(number);
  return whole - (number < static_cast<double>(whole) ? 1 : 0);
}

// What a pixel of the result is made of, in every plane of an image.
class Mixture {
 public:
  explicit Mixture(const Image& image) : image_(image) {}

  void add(int64_t row, int64_t column, double weight, double fill) {
    if (weight == 0) return;  // not even read: it may be infinite
    if (row < 0 || row >= image_.rows || column < 0 || column >= image_.columns) {
      beside_ += weight * fill;
      return;
    }
    places_[count_] = row * image_.columns + column;
    weights_[count_++] = weight;
  }

  template <class Pixel>
  Pixel of(const Pixel* plane) const {
    double sum = beside_;
    for (int k = 0; k < count_; ++k) sum += weights_[k] * static_cast<double>(plane[places_[k]]);
    if constexpr (std::is_same_v<Pixel, uint8_t>) {
      constexpr double kWhole = 0x1p52;  // from here on f64 has whole numbers alone
      sum = sum + kWhole - kWhole;
    }
    return static_cast<Pixel>(sum);
  }

 private:
  const Image& image_;
  double beside_ = 0;
  int count_ = 0;
  int64_t places_[4];
  double weights_[4];
};

class Rotate {
 public:
  explicit Rotate(const sdk::Attrs& options)
      : degrees_(degrees_of(options.floats(kDegrees))),
        fill_(options.real(kFill)),
        nearest_(options.flag(kNearest)) {}

  tenon_meta infer(const tenon_meta& sample) const {
    tenon::transforms::check_planes(sample);
    tenon::transforms::check_pixels(sample);
    tenon::transforms::check_pixel("fill", fill_, sample.dtype);
    return sample;
  }

  void run(const tenon_batch& batch, const tenon_view& from, const tenon_view& to) const {
    const Image image(from);
    tenon::transforms::dispatch_pixels(from.dtype, [&]<class Pixel>() {
      for (int64_t i = 0; i < batch.n; ++i) {
        tenon_sdk_random random = sdk::sample_random(batch, i, 0x726F7461u);  // "rota"
        rotate(Turn(degrees_.draw(random)), image,
               static_cast<const Pixel*>(from.data) + i * image.elements(),
               static_cast<Pixel*>(to.data) + i * image.elements());
      }
    });
  }

 private:
  static Range degrees_of(std::span<const double> given) {
    if (given.size() == 1 && given[0] >= 0 && given[0] <= 180) return {-given[0], given[0]};
    return tenon::transforms::range_of(given, "degrees", -360, 360,
                                       "one number from 0 to 180, or ");
  }

  template <class Pixel>
  void rotate(const Turn& turn, const Image& image, const Pixel* in, Pixel* out) const {
    const double middle_row = static_cast<double>(image.rows - 1) / 2;
    const double middle_column = static_cast<double>(image.columns - 1) / 2;
    for (int64_t row = 0; row < image.rows; ++row) {
      const double y = static_cast<double>(row) - middle_row;
      for (int64_t column = 0; column < image.columns; ++column, ++out) {
        const double x = static_cast<double>(column) - middle_column;
        const Mixture mixture = mixture_at(x * turn.sine + y * turn.cosine + middle_row,
                                           x * turn.cosine - y * turn.sine + middle_column, image);
        for (int64_t plane = 0; plane < image.planes; ++plane) {
          out[plane * image.plane()] = mixture.of(in + plane * image.plane());
        }
      }
    }
  }

  // Of the four pixels around a place, each by its closeness in either direction; or the nearest.
  Mixture mixture_at(double row, double column, const Image& image) const {
    Mixture mixture(image);
    if (nearest_) {
      mixture.add(floor_of(row + 0.5), floor_of(column + 0.5), 1, fill_);
      return mixture;
    }
    const int64_t top = floor_of(row);
    const int64_t left = floor_of(column);
    const double down = row - static_cast<double>(top);
    const double right = column - static_cast<double>(left);
    mixture.add(top, left, (1 - down) * (1 - right), fill_);
    mixture.add(top, left + 1, (1 - down) * right, fill_);
    mixture.add(top + 1, left, down * (1 - right), fill_);
    mixture.add(top + 1, left + 1, down * right, fill_);
    return mixture;
  }

  Range degrees_;
  double fill_;
  bool nearest_;
};

constexpr tenon_transform_option kOptions[] = {
    sdk::required_transform_option(
        "degrees", TENON_VALUE_FLOAT_LIST,
        "the most that an image is turned either way, 0 to 180; or two numbers from -360 to 360, "
        "between which the angle lies"),
    sdk::transform_option("fill", 0.0, "beside the image; of u8 a whole number from 0 to 255"),
    sdk::transform_option("nearest", false,
                          "the nearest pixel in place of the bilinear mean of four: for masks, "
                          "whose values are names")};

constexpr tenon_transform_sample kSamples[] = {
    sdk::transform_sample("u8[4,3,6,5](0,256) | degrees=[15.0]"),
    sdk::transform_sample("f32[3,4,7] | degrees=[-30.0, 90.0], fill=0.5"),
    sdk::transform_sample("u8[3,5,5](0,256) | degrees=[180.0], nearest=true, fill=255.0"),
    sdk::transform_sample("f32[2,1,1,1] | degrees=[45.0]"),
    sdk::transform_sample("f32[2,3,0,4] | degrees=[45.0]"),
    sdk::refused_transform("u8[3,5] | degrees=[15.0]", TENON_E_SHAPE, "dimensions"),
    sdk::refused_transform("i64[3,5,5] | degrees=[15.0]", TENON_E_DTYPE, "u8 or f32"),
    sdk::refused_transform("u8[3,5,5] | degrees=[181.0]", TENON_E_ATTRIBUTE, "degrees"),
    sdk::refused_transform("u8[3,5,5] | degrees=[30.0, -30.0]", TENON_E_ATTRIBUTE, "degrees"),
    sdk::refused_transform("u8[3,5,5] | degrees=[nan]", TENON_E_ATTRIBUTE, "degrees"),
    sdk::refused_transform("u8[3,5,5] | degrees=[15.0], fill=0.5", TENON_E_ATTRIBUTE, "fill"),
    sdk::refused_transform("f32[3,5,5] | degrees=[15.0], fill=inf", TENON_E_ATTRIBUTE, "fill")};

constexpr tenon_transform_desc kTransforms[] = {sdk::transform<Rotate>(
    {.name = "tenon.rotate",
     .doc = R"(Each image turned about its middle by a random angle, counter-clockwise where it is
positive: [n, ..., H, W], u8 or f32, of the same size afterwards. The angle depends on seed, epoch
and sample alone.

With x to the right and y downwards from the middle, the pixel at (x, y) of the result is the
bilinear mean of the four around (x cos a - y sin a, x sin a + y cos a) of the image, where pixels
beside the image are `fill`. The mean is rounded once, of u8 to the nearest, ties to even.

Source: `torchvision.transforms.RandomRotation`, which mixes `fill` in twice along the edges.)",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace

TENON_UNIT(rotate) = {.transforms = kTransforms};
