// SPDX-License-Identifier: Apache-2.0
// plugins/layers/options.hpp: options that several layers have.
#pragma once

#include <tenon/sdk/plugin/layer.hpp>

namespace tenon::layers {

inline constexpr tenon_layer_option kDtypeOption = sdk::option(
    "dtype", sdk::Value::dtype(TENON_DTYPE_F32), "of the parameters: f16, bf16, f32 or f64");

inline constexpr tenon_layer_option kGainOption =
    sdk::option("gain", 1.0,
                "factor of the xavier, kaiming and orthogonal ones; standard deviation of normal "
                "and truncated_normal, bound of uniform, value of constant");

// Of an op that an option names, as "relu" or "acme.softsign".
inline std::string full_name(std::string_view op) {
  const bool has_vendor = op.find('.') != std::string_view::npos;
  return (has_vendor ? "" : "tenon.") + std::string(op);
}

inline bool is_16_bit(tenon_dtype dtype) {
  return sdk::is_float(dtype) && sdk::size_of(dtype) == 2;
}

inline std::span<const int64_t> shape_of(const tenon_meta& meta) {
  return {meta.shape, static_cast<size_t>(meta.rank)};
}

inline void need_probability(double p, const char* option) {
  if (p >= 0 && p <= 1) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, std::string(option) + " is not a probability", option,
                     "0 <= p <= 1", std::to_string(p)};
}

}  // namespace tenon::layers
