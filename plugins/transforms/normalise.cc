// SPDX-License-Identifier: Apache-2.0
// plugins/transforms/normalise.cc: (value / scale - mean) / deviation, by channel.
#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/transform.hpp>

#include <array>

namespace {

namespace sdk = tenon::sdk;

enum Option : uint32_t { kMean, kDeviation, kScale };

constexpr double kZero[] = {0};
constexpr double kOne[] = {1};

class Normalise {
 public:
  explicit Normalise(const sdk::Attrs& options)
      : mean_(floats(options, kMean)),
        deviation_(floats(options, kDeviation)),
        scale_(static_cast<float>(options.real(kScale))) {
    if (mean_.empty() || deviation_.empty()) refuse("mean", "one number or more", "none");
    const size_t channels = std::max(mean_.size(), deviation_.size());
    if (mean_.size() == 1) mean_.resize(channels, mean_[0]);
    if (deviation_.size() == 1) deviation_.resize(channels, deviation_[0]);
    if (mean_.size() != deviation_.size()) {
      refuse("deviation", std::to_string(mean_.size()) + " numbers, as many as of mean",
             std::to_string(deviation_.size()));
    }
    if (scale_ == 0) refuse("scale", "a number that is not 0", "0");
    for (const float each : deviation_) {
      if (each == 0) refuse("deviation", "numbers that are not 0", "0");
    }
  }

  tenon_meta infer(const tenon_meta& sample) const {
    if (sample.dtype != TENON_DTYPE_U8 && sample.dtype != TENON_DTYPE_F32) {
      throw sdk::Failure{TENON_E_DTYPE, "has another dtype", "field", "u8 or f32", "another dtype"};
    }
    const auto channels = static_cast<int64_t>(mean_.size());
    const bool fits = channels == 1 || (sample.rank >= 1 && sample.shape[0] == channels);
    if (!fits) {
      throw sdk::Failure{
          TENON_E_SHAPE, "has another number of channels", "field",
          "[n, " + std::to_string(channels) + ", ...]",
          "samples " + sdk::shape_text({sample.shape, static_cast<size_t>(sample.rank)})};
    }
    tenon_meta out = sample;
    out.dtype = TENON_DTYPE_F32;
    return out;
  }

  void run(const tenon_batch& batch, const tenon_view& from, const tenon_view& to) const {
    for (size_t channel = 0; channel < mean_.size(); ++channel) {
      if (from.dtype == TENON_DTYPE_U8) {
        of_bytes(batch.n, channel, from, to);
      } else {
        each_run(batch.n, channel, from, [&](int64_t start, int64_t count) {
          const float* in = static_cast<const float*>(from.data) + start;
          float* out = static_cast<float*>(to.data) + start;
          for (int64_t i = 0; i < count; ++i) out[i] = value(in[i], channel);
        });
      }
    }
  }

 private:
  static std::vector<float> floats(const sdk::Attrs& options, Option option) {
    const std::span<const double> given = options.floats(option);
    return {given.begin(), given.end()};
  }

  [[noreturn]] static void refuse(const char* option, std::string expected, std::string found) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, std::string(option) + " does not fit", option,
                       std::move(expected), std::move(found)};
  }

  float value(float of, size_t channel) const {
    return (of / scale_ - mean_[channel]) / deviation_[channel];
  }

  // The elements of a channel, sample by sample.
  template <class Each>
  void each_run(int64_t n, size_t channel, const tenon_view& from, const Each& each) const {
    const auto channels = static_cast<int64_t>(mean_.size());
    const int64_t count = sdk::sample_elements(from) / channels;
    for (int64_t i = 0; i < n; ++i) {
      each((i * channels + static_cast<int64_t>(channel)) * count, count);
    }
  }

  // A division for each value there is, not for each pixel.
  void of_bytes(int64_t n, size_t channel, const tenon_view& from, const tenon_view& to) const {
    std::array<float, 256> table;
    for (size_t v = 0; v < table.size(); ++v) table[v] = value(static_cast<float>(v), channel);
    each_run(n, channel, from, [&](int64_t start, int64_t count) {
      const uint8_t* in = static_cast<const uint8_t*>(from.data) + start;
      float* out = static_cast<float*>(to.data) + start;
      for (int64_t i = 0; i < count; ++i) out[i] = table[in[i]];
    });
  }

  std::vector<float> mean_, deviation_;  // of each channel
  float scale_;
};

constexpr tenon_transform_option kOptions[] = {
    sdk::transform_option("mean", std::span<const double>(kZero),
                          "subtracted: one number, or one for each channel"),
    sdk::transform_option("deviation", std::span<const double>(kOne),
                          "divided by at last: one number, or one for each channel; not 0"),
    sdk::transform_option("scale", 1.0, "divided by first: 255 takes pixels to 0 ... 1; not 0")};

constexpr tenon_transform_sample kSamples[] = {
    sdk::transform_sample("u8[3,4,5](0,256) | scale=255.0, mean=[0.25], deviation=[0.5]"),
    sdk::transform_sample("u8[2,3,4,4](0,256) | mean=[1.5, 2.0, 3.0], deviation=[1.0, 2.0, 0.5]"),
    sdk::transform_sample("f32[5,2,7] | mean=[0.5], deviation=[1.0, 0.25]"),
    sdk::transform_sample("f32[4]"),
    sdk::refused_transform("i64[2,3]", TENON_E_DTYPE, "u8 or f32"),
    sdk::refused_transform("f32[2,3] | scale=0.0", TENON_E_ATTRIBUTE, "scale"),
    sdk::refused_transform("f32[2,3] | deviation=[0.0]", TENON_E_ATTRIBUTE, "deviation"),
    sdk::refused_transform("f32[2,3] | mean=[1.0, 2.0]", TENON_E_SHAPE, "channels"),
    sdk::refused_transform("f32[2,3] | mean=[1.0, 2.0], deviation=[1.0, 2.0, 3.0]",
                           TENON_E_ATTRIBUTE, "deviation")};

constexpr tenon_transform_desc kTransforms[] = {sdk::transform<Normalise>(
    {.name = "tenon.normalise",
     .doc = "(value / scale - mean) / deviation as f32, of u8 and f32: [n, ...] with one mean and "
            "deviation for all, or [n, channels, ...] with one for each channel.",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace

TENON_UNIT(normalise) = {.transforms = kTransforms};
