// SPDX-License-Identifier: Apache-2.0
// plugins/transforms/color_jitter.cc: brightness, contrast, saturation and hue of each image, each
// changed by a random factor, in random order.
//
// grey   l = 0.2989 r + 0.587 g + 0.114 b; of one channel, that channel
// blend  mix(x, y, f) = f x + (1 - f) y, no less than 0, no more than the largest pixel
// brightness mix(x, 0, f), contrast mix(x, mean of l, f), saturation mix(x, l, f), hue h + f mod 1
//
// Source: torchvision.transforms.ColorJitter, for tensors; hue from Pillow's Convert.c.
//
// Arithmetic: f32 as written, the mean in f64. u8 is truncated after each of the four, grey too;
// for hue it is divided by 255 and multiplied by 255.999 afterwards.
#include "images.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace {

namespace sdk = tenon::sdk;
using tenon::transforms::Image;
using tenon::transforms::Range;

enum Option : uint32_t { kBrightness, kContrast, kSaturation, kHue, kChanges };
constexpr double kZero[] = {0};

template <class Pixel>
constexpr float kWhite = 1;
template <>
constexpr float kWhite<uint8_t> = 255;

template <class Pixel>
Pixel mix(float x, float y, double factor) {
  const float mixed = static_cast<float>(factor) * x + static_cast<float>(1 - factor) * y;
  return static_cast<Pixel>(std::clamp(mixed, 0.0F, kWhite<Pixel>));
}

struct Color {
  float red, green, blue;
};

template <class Pixel>
float grey_of(const Color& color) {
  const float grey = 0.2989F * color.red + 0.587F * color.green + 0.114F * color.blue;
  return static_cast<float>(static_cast<Pixel>(grey));
}

// `number` mod 1, for one from -1 up to 2.
float within_one(float number) {
  if (number >= 1) return number - 1;
  return number < 0 ? number + 1 : number;
}

struct Hsv {
  float hue, saturation, value;
};

Hsv hsv_of(const Color& color) {
  const auto& [red, green, blue] = color;
  const float most = std::max({red, green, blue});
  const float least = std::min({red, green, blue});
  if (most == least) return {0, 0, most};
  const float spread = most - least;
  const float from_red = (most - red) / spread;
  const float from_green = (most - green) / spread;
  const float from_blue = (most - blue) / spread;
  float sixths = 4 + from_green - from_red;
  if (most == green) sixths = 2 + from_red - from_blue;
  if (most == red) sixths = from_blue - from_green;
  return {within_one(sixths / 6 + 1), spread / most, most};
}

Color color_of(const Hsv& hsv) {
  const float sixths = hsv.hue * 6;
  const auto whole = static_cast<int>(sixths);
  const float rest = sixths - static_cast<float>(whole);
  const float v = hsv.value;
  const float p = std::clamp(v * (1 - hsv.saturation), 0.0F, 1.0F);
  const float q = std::clamp(v * (1 - hsv.saturation * rest), 0.0F, 1.0F);
  const float t = std::clamp(v * (1 - hsv.saturation * (1 - rest)), 0.0F, 1.0F);
  switch (whole % 6) {
    case 0:
      return {v, t, p};
    case 1:
      return {q, v, p};
    case 2:
      return {p, v, t};
    case 3:
      return {p, q, v};
    case 4:
      return {t, p, v};
    default:
      return {v, p, q};
  }
}

Color turned(const Color& color, float by) {
  Hsv hsv = hsv_of(color);
  hsv.hue = within_one(hsv.hue + by);
  // Pixels that are infinite or not above 0 have none.
  return std::isfinite(hsv.hue) && hsv.value > 0 ? color_of(hsv) : color;
}

// One image; its pixels are changed in place.
template <class Pixel>
class Picture {
 public:
  Picture(Pixel* pixels, int64_t channels, int64_t count)
      : pixels_(pixels), channels_(channels), count_(count) {}

  void change(uint32_t which, double factor) {
    if (which == kBrightness) return blend(factor, 0);
    if (which == kContrast) return blend(factor, mean_grey());
    if (channels_ == 1) return;  // no colour
    if (which == kHue) return turn(static_cast<float>(factor));
    for (int64_t i = 0; i < count_; ++i) {
      const float grey = grey_of<Pixel>(at(i));
      for (int64_t channel = 0; channel < 3; ++channel) {
        Pixel& pixel = pixels_[channel * count_ + i];
        pixel = mix<Pixel>(static_cast<float>(pixel), grey, factor);
      }
    }
  }

 private:
  Color at(int64_t i) const {
    return {static_cast<float>(pixels_[i]), static_cast<float>(pixels_[count_ + i]),
            static_cast<float>(pixels_[2 * count_ + i])};
  }

  void blend(double factor, float with) {
    Pixel* const end = pixels_ + channels_ * count_;
    if constexpr (std::is_same_v<Pixel, uint8_t>) {
      // Once for each value there is.
      std::array<Pixel, 256> mixed;
      for (size_t x = 0; x < 256; ++x) mixed[x] = mix<Pixel>(static_cast<float>(x), with, factor);
      std::transform(pixels_, end, pixels_, [&](Pixel x) { return mixed[x]; });
    } else {
      std::transform(pixels_, end, pixels_, [&](Pixel x) { return mix<Pixel>(x, with, factor); });
    }
  }

  float mean_grey() const {
    double sum = 0;
    for (int64_t i = 0; i < count_; ++i) {
      sum += static_cast<double>(channels_ == 1 ? static_cast<float>(pixels_[i])
                                                : grey_of<Pixel>(at(i)));
    }
    return static_cast<float>(sum / static_cast<double>(count_));
  }

  void turn(float by) {
    // Each of the 256 values gets an equal part of 0 to 1, as in torchvision.
    constexpr float scale = std::is_same_v<Pixel, uint8_t> ? 255.999F : 1.0F;
    for (int64_t i = 0; i < count_; ++i) {
      const Color old = at(i);
      const Color color = turned(
          {old.red / kWhite<Pixel>, old.green / kWhite<Pixel>, old.blue / kWhite<Pixel>}, by);
      pixels_[i] = static_cast<Pixel>(color.red * scale);
      pixels_[count_ + i] = static_cast<Pixel>(color.green * scale);
      pixels_[2 * count_ + i] = static_cast<Pixel>(color.blue * scale);
    }
  }

  Pixel* pixels_;
  int64_t channels_;
  int64_t count_;  // of pixels in one channel
};

class ColorJitter {
 public:
  explicit ColorJitter(const sdk::Attrs& options)
      : factors_{factors(options, kBrightness, "brightness"),
                 factors(options, kContrast, "contrast"),
                 factors(options, kSaturation, "saturation"), turns(options.floats(kHue))} {}

  tenon_meta infer(const tenon_meta& sample) const {
    tenon::transforms::check_pixels(sample);
    const bool colors = sample.rank == 3 && (sample.shape[0] == 1 || sample.shape[0] == 3);
    if (sample.rank == 2 || colors) return sample;
    throw sdk::Failure{TENON_E_SHAPE, "is not a batch of images of 1 or 3 channels", "field",
                       "[n, 3, H, W], [n, 1, H, W] or [n, H, W]",
                       tenon::transforms::sample_text(sample)};
  }

  void run(const tenon_batch& batch, const tenon_view& from, const tenon_view& to) const {
    const Image image(from);
    const size_t bytes = static_cast<size_t>(batch.n * image.elements() * sdk::size_of(from.dtype));
    if (bytes == 0) return;
    std::memcpy(to.data, from.data, bytes);
    tenon::transforms::dispatch_pixels(from.dtype, [&]<class Pixel>() {
      for (int64_t i = 0; i < batch.n; ++i) {
        change(batch, i,
               Picture<Pixel>(static_cast<Pixel*>(to.data) + i * image.elements(), image.planes,
                              image.plane()));
      }
    });
  }

 private:
  using Order = std::array<uint32_t, kChanges>;

  static Range factors(const sdk::Attrs& options, Option option, const char* name) {
    const std::span<const double> given = options.floats(option);
    if (given.size() == 1 && given[0] >= 0 && given[0] <= 1000) {
      return {std::max(0.0, 1 - given[0]), 1 + given[0]};
    }
    return tenon::transforms::range_of(given, name, 0, 1000, "one number from 0 to 1000, or ");
  }

  static Range turns(std::span<const double> given) {
    if (given.size() == 1 && given[0] >= 0 && given[0] <= 0.5) return {-given[0], given[0]};
    return tenon::transforms::range_of(given, "hue", -0.5, 0.5, "one number from 0 to 0.5, or ");
  }

  // The draws are always the same ones, so that one option does not move what another one does.
  template <class Pixel>
  void change(const tenon_batch& batch, int64_t i, Picture<Pixel> picture) const {
    tenon_sdk_random random = sdk::sample_random(batch, i, 0x636F6C6Fu);  // "colo"
    Order order = {kBrightness, kContrast, kSaturation, kHue};
    for (uint32_t left = kChanges; left > 1; --left) {
      std::swap(order[left - 1], order[tenon_sdk_random_below(&random, left)]);
    }
    std::array<double, kChanges> drawn;
    for (uint32_t each = 0; each < kChanges; ++each) drawn[each] = factors_[each].draw(random);
    for (const uint32_t each : order) {
      if (!factors_[each].is(each == kHue ? 0 : 1)) picture.change(each, drawn[each]);
    }
  }

  std::array<Range, kChanges> factors_;
};

constexpr tenon_transform_option kOptions[] = {
    sdk::transform_option("brightness", std::span<const double>(kZero),
                          "b, 0 to 1000: the factor lies from max(0, 1 - b) to 1 + b; or its least "
                          "and its largest value"),
    sdk::transform_option("contrast", std::span<const double>(kZero), "the same, for contrast"),
    sdk::transform_option("saturation", std::span<const double>(kZero),
                          "the same, for saturation; nothing with one channel"),
    sdk::transform_option(
        "hue", std::span<const double>(kZero),
        "the most that it is turned either way, 0 to 0.5, where 1 is a full turn; "
        "or two numbers from -0.5 to 0.5; nothing with one channel")};

constexpr tenon_transform_sample kSamples[] = {
    sdk::transform_sample("u8[4,3,5,4](0,256) | brightness=[0.4], contrast=[0.4], "
                          "saturation=[0.4], hue=[0.1]"),
    sdk::transform_sample("f32[4,3,3,4](0,1) | brightness=[0.5, 2.0], contrast=[2.0], "
                          "saturation=[0.0, 3.0], hue=[-0.5, 0.5]"),
    sdk::transform_sample("f32[3,1,4,4](0,1) | contrast=[0.5], saturation=[1.0], hue=[0.5]"),
    sdk::transform_sample("u8[3,5,4](0,256) | brightness=[1.0], contrast=[0.5]"),
    sdk::transform_sample("f32[2,3,2,2] | hue=[0.25]"),
    sdk::transform_sample("u8[2,3,0,2] | contrast=[0.25]"),
    sdk::transform_sample("f32[2,3,2,2]"),
    sdk::refused_transform("u8[3,4,5,5]", TENON_E_SHAPE, "channels"),
    sdk::refused_transform("u8[3,5]", TENON_E_SHAPE, "channels"),
    sdk::refused_transform("f64[3,3,5,5]", TENON_E_DTYPE, "u8 or f32"),
    sdk::refused_transform("u8[3,3,5,5] | brightness=[-0.5]", TENON_E_ATTRIBUTE, "brightness"),
    sdk::refused_transform("u8[3,3,5,5] | contrast=[2.0, 1.0]", TENON_E_ATTRIBUTE, "contrast"),
    sdk::refused_transform("u8[3,3,5,5] | saturation=[1.0, 2.0, 3.0]", TENON_E_ATTRIBUTE,
                           "saturation"),
    sdk::refused_transform("u8[3,3,5,5] | saturation=[nan]", TENON_E_ATTRIBUTE, "saturation"),
    sdk::refused_transform("u8[3,3,5,5] | hue=[0.6]", TENON_E_ATTRIBUTE, "hue")};

constexpr tenon_transform_desc kTransforms[] = {sdk::transform<ColorJitter>(
    {.name = "tenon.color_jitter",
     .doc =
         R"(Brightness, contrast, saturation and hue of each image, changed by random factors f in
random order. [n, 3, H, W] in the order red, green, blue, or grey ones, [n, 1, H, W] or [n, H, W];
u8, or f32 from 0 to 1. Factors and order depend on seed, epoch and sample alone. What is not asked
for does not take place.

A pixel x becomes f x + (1 - f) y, no less than 0 and no more than 255 of u8 and 1 of f32, where y
is: for brightness 0; for saturation the grey l = 0.2989 r + 0.587 g + 0.114 b of that pixel; for
contrast the mean of l over the image. For hue, pixels are turned by f of a full circle, as hue,
saturation and value. u8 is truncated after each of the four.

Source: `torchvision.transforms.ColorJitter`, for tensors.)",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace

TENON_UNIT(color_jitter) = {.transforms = kTransforms};
