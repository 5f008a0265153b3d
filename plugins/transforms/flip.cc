// SPDX-License-Identifier: Apache-2.0
// plugins/transforms/flip.cc: some of the images, by chance, with their columns from right to left
// or their rows from bottom to top.
#include "images.hpp"

#include <cstring>

namespace {

namespace sdk = tenon::sdk;

enum Option : uint32_t { kProbability, kVertical };

class Flip {
 public:
  explicit Flip(const sdk::Attrs& options)
      : probability_(tenon::transforms::probability_of(options.real(kProbability))),
        vertical_(options.flag(kVertical)) {}

  tenon_meta infer(const tenon_meta& sample) const {
    if (sample.rank >= (vertical_ ? 2 : 1)) return sample;
    throw sdk::Failure{TENON_E_SHAPE, "has too few dimensions", "field",
                       vertical_ ? "[n, ..., H, W]" : "[n, ..., W]",
                       tenon::transforms::sample_text(sample)};
  }

  void run(const tenon_batch& batch, const tenon_view& from, const tenon_view& to) const {
    const int64_t elements = sdk::sample_elements(from);
    sdk::dispatch_size(from.dtype, [&]<class Element>() {
      for (int64_t i = 0; i < batch.n; ++i) {
        const Element* in = static_cast<const Element*>(from.data) + i * elements;
        Element* out = static_cast<Element*>(to.data) + i * elements;
        if (!chosen(batch, i)) {
          std::copy_n(in, elements, out);
        } else if (vertical_) {
          turn_rows(from, in, out);
        } else {
          turn_columns(from, in, out);
        }
      }
    });
  }

 private:
  // Flips both ways are independent of each other.
  bool chosen(const tenon_batch& batch, int64_t i) const {
    const uint64_t purpose = vertical_ ? 0x76657274u : 0x666C6970u;  // "vert", "flip"
    tenon_sdk_random random = sdk::sample_random(batch, i, purpose);
    return tenon::transforms::unit(random) >= 1 - probability_;
  }

  template <class Element>
  static void turn_columns(const tenon_view& from, const Element* in, Element* out) {
    const int64_t columns = from.shape[from.rank - 1];
    const Element* const end = in + sdk::sample_elements(from);
    for (; in < end; in += columns, out += columns) std::reverse_copy(in, in + columns, out);
  }

  template <class Element>
  static void turn_rows(const tenon_view& from, const Element* in, Element* out) {
    const tenon::transforms::Image image(from);
    for (int64_t plane = 0; plane < image.planes; ++plane) {
      for (int64_t row = 0; row < image.rows; ++row, in += image.columns) {
        const int64_t place = (plane + 1) * image.rows - 1 - row;
        std::copy_n(in, image.columns, out + place * image.columns);
      }
    }
  }

  double probability_;
  bool vertical_;
};

constexpr tenon_transform_option kOptions[] = {
    sdk::transform_option("probability", 0.5, "that an image is flipped, 0 to 1"),
    sdk::transform_option("vertical", false, "rows from bottom to top, not columns")};

constexpr tenon_transform_sample kSamples[] = {
    sdk::transform_sample("u8[6,2,5]"),
    sdk::transform_sample("f64[5,3]"),
    sdk::transform_sample("u8[6,3,4,5](0,256) | vertical=true, probability=0.75"),
    sdk::transform_sample("i64[4,2,3] | vertical=true"),
    sdk::refused_transform("f32[4]", TENON_E_SHAPE, "dimensions"),
    sdk::refused_transform("f32[4,3] | vertical=true", TENON_E_SHAPE, "dimensions"),
    sdk::refused_transform("f32[4,3] | probability=1.25", TENON_E_ATTRIBUTE, "probability"),
    sdk::refused_transform("f32[4,3] | probability=nan", TENON_E_ATTRIBUTE, "probability")};

constexpr tenon_transform_desc kTransforms[] = {sdk::transform<Flip>(
    {.name = "tenon.flip",
     .doc = "Some of the images, by chance, with their columns from right to left, [n, ..., W], or "
            "their rows from bottom to top, [n, ..., H, W], of any dtype. Which ones depends on "
            "seed, epoch and sample alone; flips of columns and of rows are independent.",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace

TENON_UNIT(flip) = {.transforms = kTransforms};
