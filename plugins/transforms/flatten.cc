// SPDX-License-Identifier: Apache-2.0
// plugins/transforms/flatten.cc: all dimensions of a sample as one.
#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/transform.hpp>

namespace {

namespace sdk = tenon::sdk;

struct Flatten {
  explicit Flatten(const sdk::Attrs&) {}

  tenon_meta infer(const tenon_meta& sample) const {
    tenon_meta out = sample;
    out.rank = 1;
    out.shape[0] = sdk::count_of({sample.shape, static_cast<size_t>(sample.rank)});
    return out;
  }
};

constexpr tenon_transform_sample kSamples[] = {sdk::transform_sample("u8[3,4,5]"),
                                               sdk::transform_sample("f64[2]"),
                                               sdk::transform_sample("i64[2,3,2,2]")};

constexpr tenon_transform_desc kTransforms[] = {
    sdk::transform<Flatten>({.name = "tenon.flatten",
                             .doc = "[n, ...] as [n, the rest], of any dtype; shares the memory.",
                             .samples = kSamples})};

}  // namespace

TENON_UNIT(flatten) = {.transforms = kTransforms};
