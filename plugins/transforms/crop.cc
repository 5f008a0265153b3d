// SPDX-License-Identifier: Apache-2.0
// plugins/transforms/crop.cc: a window of each image, in the middle or at a random place.
#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/transform.hpp>

#include <algorithm>
#include <cstring>

namespace {

namespace sdk = tenon::sdk;

enum Option : uint32_t { kHeight, kWidth, kPadding, kRandom };

class Crop {
 public:
  explicit Crop(const sdk::Attrs& options)
      : size_{options.integer(kHeight), options.integer(kWidth)},
        padding_(options.integer(kPadding)),
        random_(options.flag(kRandom)) {
    need(size_[0] >= 1, "height", "at least 1", size_[0]);
    need(size_[1] >= 1, "width", "at least 1", size_[1]);
    need(padding_ >= 0 && padding_ <= INT32_MAX, "padding", "0 to 2147483647", padding_);
  }

  tenon_meta infer(const tenon_meta& sample) const {
    const std::string found =
        "samples " + sdk::shape_text({sample.shape, static_cast<size_t>(sample.rank)});
    if (sample.rank < 2) {
      throw sdk::Failure{TENON_E_SHAPE, "has too few dimensions", "field", "[n, ..., H, W]", found};
    }
    tenon_meta out = sample;
    for (int32_t d = 0; d < 2; ++d) {
      int64_t& size = out.shape[sample.rank - 2 + d];
      if (size + 2 * padding_ < size_[d]) {
        throw sdk::Failure{TENON_E_SHAPE, "the window is larger than the padded image", "field",
                           "at least " + std::to_string(size_[d]) + (d == 0 ? " rows" : " columns"),
                           found};
      }
      size = size_[d];
    }
    return out;
  }

  void run(const tenon_batch& batch, const tenon_view& from, const tenon_view& to) const {
    const int64_t image[2] = {from.shape[from.rank - 2], from.shape[from.rank - 1]};
    const int64_t planes =
        sdk::count_of({from.shape + 1, static_cast<size_t>(from.rank) - 3});  // of one sample
    const int64_t element = sdk::size_of(from.dtype);
    char* out = static_cast<char*>(to.data);
    for (int64_t i = 0; i < batch.n; ++i) {
      int64_t place[2];  // of the window's first element in the image
      choose(batch, i, image, place);
      for (int64_t plane = i * planes; plane < (i + 1) * planes; ++plane) {
        const char* in =
            static_cast<const char*>(from.data) + plane * image[0] * image[1] * element;
        for (int64_t row = place[0]; row < place[0] + size_[0]; ++row) {
          const bool inside = row >= 0 && row < image[0];
          copy_row(inside ? in + row * image[1] * element : nullptr, image[1], place[1], element,
                   out);
          out += size_[1] * element;
        }
      }
    }
  }

 private:
  static void need(bool holds, const char* option, const char* expected, int64_t found) {
    if (holds) return;
    throw sdk::Failure{TENON_E_ATTRIBUTE, std::string(option) + " is out of range", option,
                       expected, std::to_string(found)};
  }

  void choose(const tenon_batch& batch, int64_t i, const int64_t* image, int64_t* place) const {
    tenon_sdk_random random = sdk::sample_random(batch, i, 0x63726F70u);  // "crop"
    for (int d = 0; d < 2; ++d) {
      const int64_t room = image[d] + 2 * padding_ - size_[d];
      const int64_t at = random_ ? static_cast<int64_t>(tenon_sdk_random_below(
                                       &random, static_cast<uint64_t>(room) + 1))
                                 : room / 2;
      place[d] = at - padding_;
    }
  }

  // A row of the window, from column `left` of the image's on; what lies outside is 0.
  void copy_row(const char* row, int64_t columns, int64_t left, int64_t element, char* to) const {
    const int64_t begin = std::max<int64_t>(0, -left);
    const int64_t end = std::min(size_[1], columns - left);
    std::memset(to, 0, static_cast<size_t>(size_[1] * element));
    if (!row || begin >= end) return;
    std::memcpy(to + begin * element, row + (left + begin) * element,
                static_cast<size_t>((end - begin) * element));
  }

  int64_t size_[2];  // rows and columns of the window
  int64_t padding_;
  bool random_;
};

constexpr tenon_transform_option kOptions[] = {
    sdk::required_transform_option("height", TENON_VALUE_I64, "rows of the window"),
    sdk::required_transform_option("width", TENON_VALUE_I64, "columns of the window"),
    sdk::transform_option("padding", int64_t{0}, "zeros on each side of the image"),
    sdk::transform_option("random", false,
                          "at a random place, which depends on seed, epoch and sample alone; else "
                          "in the middle")};

constexpr tenon_transform_sample kSamples[] = {
    sdk::transform_sample("u8[3,5,6] | height=3, width=2"),
    sdk::transform_sample("f32[4,3,4,4] | height=4, width=4, padding=2, random=true"),
    sdk::transform_sample("i64[2,3,3] | height=5, width=4, padding=1"),
    sdk::refused_transform("u8[3,5] | height=1, width=1", TENON_E_SHAPE, "dimensions"),
    sdk::refused_transform("u8[3,5,5] | height=6, width=1", TENON_E_SHAPE, "larger"),
    sdk::refused_transform("u8[3,5,5] | height=0, width=1", TENON_E_ATTRIBUTE, "height"),
    sdk::refused_transform("u8[3,5,5] | height=1, width=1, padding=-1", TENON_E_ATTRIBUTE,
                           "padding")};

constexpr tenon_transform_desc kTransforms[] = {sdk::transform<Crop>(
    {.name = "tenon.crop",
     .doc = "A window of each image, [n, ..., H, W] of any dtype, with zeros around the image.",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace

TENON_UNIT(crop) = {.transforms = kTransforms};
