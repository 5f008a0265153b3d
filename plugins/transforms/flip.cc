// SPDX-License-Identifier: Apache-2.0
// plugins/transforms/flip.cc: every second image, by chance, with its columns from right to left.
#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/transform.hpp>

#include <cstring>

namespace {

namespace sdk = tenon::sdk;

struct Flip {
  explicit Flip(const sdk::Attrs&) {}

  tenon_meta infer(const tenon_meta& sample) const {
    if (sample.rank >= 1) return sample;
    throw sdk::Failure{TENON_E_SHAPE, "has too few dimensions", "field", "[n, ..., W]", "[n]"};
  }

  void run(const tenon_batch& batch, const tenon_view& from, const tenon_view& to) const {
    const int64_t columns = from.shape[from.rank - 1];
    const int64_t element = sdk::size_of(from.dtype);
    const int64_t elements = sdk::sample_elements(from);
    for (int64_t i = 0; i < batch.n; ++i) {
      tenon_sdk_random random = sdk::sample_random(batch, i, 0x666C6970u);  // "flip"
      const bool flips = (tenon_sdk_random_next(&random) >> 63) != 0;
      const char* in = static_cast<const char*>(from.data) + i * elements * element;
      char* out = static_cast<char*>(to.data) + i * elements * element;
      if (!flips) {
        std::memcpy(out, in, static_cast<size_t>(elements * element));
        continue;
      }
      for (int64_t at = 0; at < elements; ++at) {
        const int64_t column = at % columns;
        std::memcpy(out + at * element, in + (at - column + (columns - 1 - column)) * element,
                    static_cast<size_t>(element));
      }
    }
  }
};

constexpr tenon_transform_sample kSamples[] = {
    sdk::transform_sample("u8[6,2,5]"), sdk::transform_sample("f64[5,3]"),
    sdk::refused_transform("f32[4]", TENON_E_SHAPE, "dimensions")};

constexpr tenon_transform_desc kTransforms[] = {sdk::transform<Flip>(
    {.name = "tenon.flip",
     .doc = "Every second image, by chance, with its columns from right to "
            "left: [n, ..., W] of any dtype. Which ones depends on seed, epoch "
            "and sample alone.",
     .samples = kSamples})};

}  // namespace

TENON_UNIT(flip) = {.transforms = kTransforms};
