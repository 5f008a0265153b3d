// SPDX-License-Identifier: Apache-2.0
// plugins/transforms/pad.cc: more rows and columns around each image.
#include "images.hpp"

#include <cstring>
#include <vector>

namespace {

namespace sdk = tenon::sdk;
using tenon::transforms::Image;

enum Option : uint32_t { kPadding, kMode, kValue };
enum class Mode : uint8_t { Constant, Reflect, Replicate };
constexpr int64_t kOutside = -1;

class Pad {
 public:
  explicit Pad(const sdk::Attrs& options)
      : mode_(mode_of(options.text(kMode))), value_(options.real(kValue)) {
    const std::span<const int64_t> given = options.ints(kPadding);
    bool fits = given.size() == 1 || given.size() == 2 || given.size() == 4;
    for (const int64_t each : given) fits = fits && each >= 0 && each <= INT32_MAX;
    if (!fits) {
      tenon::transforms::refuse_option("padding", "1, 2 or 4 numbers from 0 to 2147483647",
                                       sdk::shape_text(given));
    }
    for (size_t side = 0; side < 4; ++side) sides_[side] = given[side % given.size()];
  }

  tenon_meta infer(const tenon_meta& sample) const {
    tenon::transforms::check_planes(sample);
    tenon_meta out = sample;
    for (int32_t d = 0; d < 2; ++d) {
      int64_t& size = out.shape[sample.rank - 2 + d];
      check_room(sample, d, size);
      size += before(d) + after(d);
    }
    if (mode_ == Mode::Constant) check_value(sample.dtype);
    return out;
  }

  void run(const tenon_batch& batch, const tenon_view& from, const tenon_view& to) const {
    const Image image(from);
    const std::vector<int64_t> rows = sources(0, image.rows);
    const std::vector<int64_t> columns = sources(1, image.columns);
    const int64_t planes = batch.n * image.planes;
    sdk::dispatch_dtype(from.dtype, [&]<class T>() {
      const auto value = sdk::convert<T>(value_);
      const T* in = static_cast<const T*>(from.data);
      T* out = static_cast<T*>(to.data);
      for (int64_t plane = 0; plane < planes; ++plane, in += image.plane()) {
        for (const int64_t row : rows) {
          for (const int64_t column : columns) {
            const bool outside = row == kOutside || column == kOutside;
            *out++ = outside ? value : in[row * image.columns + column];
          }
        }
      }
    });
  }

 private:
  static Mode mode_of(std::string_view text) {
    if (text == "constant") return Mode::Constant;
    if (text == "reflect") return Mode::Reflect;
    if (text == "replicate") return Mode::Replicate;
    tenon::transforms::refuse_option("mode", "constant, reflect or replicate", std::string(text));
  }

  // Of dimension 0, the rows, or 1, the columns.
  int64_t before(int32_t dimension) const { return sides_[1 - dimension]; }
  int64_t after(int32_t dimension) const { return sides_[3 - dimension]; }

  void check_room(const tenon_meta& sample, int32_t dimension, int64_t size) const {
    const int64_t most = std::max(before(dimension), after(dimension));
    const int64_t needed = mode_ == Mode::Reflect ? most + 1 : 1;
    if (mode_ == Mode::Constant || most == 0 || size >= needed) return;
    throw sdk::Failure{TENON_E_SHAPE, "the image is too small to be padded with what is in it",
                       "field",
                       "at least " + std::to_string(needed) +
                           (dimension == 0 ? " rows" : " columns") + " for this padding",
                       tenon::transforms::sample_text(sample)};
  }

  void check_value(tenon_dtype dtype) const {
    sdk::dispatch_dtype(dtype, [&]<class T>() {
      if constexpr (!sdk::is_float_type<T>) {
        if (static_cast<double>(sdk::convert<T>(value_)) == value_) return;
        tenon::transforms::refuse_option("value", "a number that the field's dtype can hold",
                                         sdk::digits_of(value_));
      }
    });
  }

  // Which row or column of the image stands at each place of the padded one.
  std::vector<int64_t> sources(int32_t dimension, int64_t size) const {
    std::vector<int64_t> places;
    for (int64_t at = -before(dimension); at < size + after(dimension); ++at) {
      if (at >= 0 && at < size) {
        places.push_back(at);
      } else if (mode_ == Mode::Constant) {
        places.push_back(kOutside);
      } else if (mode_ == Mode::Replicate) {
        places.push_back(at < 0 ? 0 : size - 1);
      } else {
        places.push_back(at < 0 ? -at : 2 * (size - 1) - at);
      }
    }
    return places;
  }

  int64_t sides_[4];  // left, top, right, bottom
  Mode mode_;
  double value_;
};

constexpr tenon_transform_option kOptions[] = {
    sdk::required_transform_option(
        "padding", TENON_VALUE_INT_LIST,
        "rows and columns: one number for all sides; two, left and right, then top and bottom; or "
        "four, left, top, right, bottom"),
    sdk::transform_option(
        "mode", sdk::text_value("constant"),
        "what they are: `constant`, `value`; `reflect`, the image mirrored at its "
        "first and last place, which are not repeated; `replicate`, its first and "
        "last row and column again"),
    sdk::transform_option("value", 0.0, "around the image in mode `constant`")};

constexpr tenon_transform_sample kSamples[] = {
    sdk::transform_sample("u8[3,2,3](0,256) | padding=[1]"),
    sdk::transform_sample("f32[2,3,4,5] | padding=[1, 2, 3, 0], value=0.5"),
    sdk::transform_sample("u8[2,3,4,5](0,256) | padding=[2, 1], mode=\"reflect\""),
    sdk::transform_sample("i64[2,1,2] | padding=[0, 3], mode=\"replicate\""),
    sdk::transform_sample("bool[2,2,2] | padding=[1], value=1.0"),
    sdk::refused_transform("u8[3,5] | padding=[1]", TENON_E_SHAPE, "dimensions"),
    sdk::refused_transform("u8[3,5,5] | padding=[1, 2, 3]", TENON_E_ATTRIBUTE, "padding"),
    sdk::refused_transform("u8[3,5,5] | padding=[-1]", TENON_E_ATTRIBUTE, "padding"),
    sdk::refused_transform("u8[3,5,5] | padding=[1], mode=\"edge\"", TENON_E_ATTRIBUTE, "mode"),
    sdk::refused_transform("u8[3,5,5] | padding=[1], value=256.0", TENON_E_ATTRIBUTE, "value"),
    sdk::refused_transform("u8[3,5,5] | padding=[5, 0], mode=\"reflect\"", TENON_E_SHAPE,
                           "too small"),
    sdk::refused_transform("f32[3,0,5] | padding=[1], mode=\"replicate\"", TENON_E_SHAPE,
                           "too small")};

constexpr tenon_transform_desc kTransforms[] = {sdk::transform<Pad>(
    {.name = "tenon.pad",
     .doc = R"(More rows and columns around each image: [n, ..., H, W] of any dtype becomes
[n, ..., top + H + bottom, left + W + right].

For random windows of padded images take `tenon.crop` after it; zeros need `tenon.crop` alone.

Source: `torchvision.transforms.Pad`; the modes have the names of the op `tenon.pad`.)",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace

TENON_UNIT(pad) = {.transforms = kTransforms};
