// SPDX-License-Identifier: Apache-2.0
// plugins/layers/batch_norm.hpp: what layers share that normalise over the batch: their tensors,
// running statistics, and evaluation.
#pragma once

#include "channels.hpp"

namespace tenon::layers {

enum BatchNormOption : uint32_t { kFeatures, kEps, kMomentum, kAffine, kDtype };

inline constexpr tenon_layer_option kBatchNormOptions[] = {
    sdk::required_option("features", TENON_VALUE_I64, "channels: size of the second dimension"),
    sdk::option("eps", 1e-5, "added to the variance"),
    sdk::option("momentum", 0.1, "share of a batch in the running statistics"),
    sdk::option("affine", true, "are there a weight and a bias?"), kDtypeOption};

// 16-bit numbers would lose what a small momentum adds.
inline tenon_dtype dtype_of_sums(tenon_dtype dtype) {
  return is_16_bit(dtype) ? TENON_DTYPE_F32 : dtype;
}

inline void describe_batch_norm(sdk::Describe& d) {
  const int64_t features = d.size(kFeatures, "features");
  const double momentum = d.options.real(kMomentum);
  if (!(momentum >= 0 && momentum <= 1)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "momentum is out of range", "momentum",
                       "0 <= momentum <= 1", std::to_string(momentum)};
  }
  const tenon_dtype dtype = d.options.dtype(kDtype);
  if (d.options.flag(kAffine)) {
    d.parameter("weight", {features}, sdk::constant(1), dtype);
    d.parameter("bias", {features}, sdk::constant(0), dtype);
  }
  d.buffer("running_mean", {features}, sdk::constant(0), dtype_of_sums(dtype));
  d.buffer("running_var", {features}, sdk::constant(1), dtype_of_sums(dtype));
}

// A tensor that there is with `affine` alone.
inline sdk::Value affine_tensor(sdk::Forward& f, std::string_view name) {
  return f.options.flag(kAffine) ? f.tensor(name) : sdk::Value();
}

// tenon.batch_norm of the input: with the running statistics in evaluation, else with those of the
// batch, which are then results too.
inline void call_batch_norm(sdk::Forward& f, std::span<tenon_tensor*> results) {
  const sdk::Value none;
  const sdk::Value inputs[] = {f.in(0), affine_tensor(f, "weight"), affine_tensor(f, "bias"),
                               f.training ? none : f.tensor("running_mean"),
                               f.training ? none : f.tensor("running_var")};
  const sdk::Value attrs[] = {f.options.real(kEps)};
  f.call_many("tenon.batch_norm", inputs, attrs, results);
}

// Moves a running statistic towards the batch's.
inline void follow(sdk::Forward& f, std::string_view buffer, sdk::Value value) {
  f.set_buffer(buffer, f.call("tenon.lerp", {f.tensor(buffer), value, f.options.real(kMomentum)}));
}

// All dimensions but the second.
struct BatchAxes {
  explicit BatchAxes(size_t rank) {
    for (size_t i = 0; i < rank; ++i) {
      if (i != 1) axes_[count_++] = static_cast<int64_t>(i);
    }
  }
  std::span<const int64_t> list() const { return {axes_, count_}; }

 private:
  int64_t axes_[TENON_MAX_RANK] = {};
  size_t count_ = 0;
};

}  // namespace tenon::layers
