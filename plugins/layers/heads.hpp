// SPDX-License-Identifier: Apache-2.0
// plugins/layers/heads.hpp: options that layers with attention have, and what they are made of.
#pragma once

#include "options.hpp"

namespace tenon::layers {

inline constexpr tenon_layer_option kWidthOption =
    sdk::required_option("width", TENON_VALUE_I64, "size of the last dimension of x and y");
inline constexpr tenon_layer_option kHeadsOption =
    sdk::required_option("heads", TENON_VALUE_I64, "of the queries");
inline constexpr tenon_layer_option kKvHeadsOption = sdk::option(
    "kv_heads", 0, "of keys and values, a divisor of heads: grouped attention; 0: as many");
inline constexpr tenon_layer_option kHeadWidthOption =
    sdk::option("head_width", 0, "size of a head; 0: width / heads");
inline constexpr tenon_layer_option kPackedOption = sdk::option(
    "packed", true,
    "is the matrix of q, k and v one, in_proj_weight, as in torch.nn.MultiheadAttention? Else "
    "there are q_proj, k_proj and v_proj");
inline constexpr tenon_layer_option kCausalOption =
    sdk::option("causal", false, "does a query see no later key?");
inline constexpr tenon_layer_option kWindowOption =
    sdk::option("window", 0, "keys that a query sees on a side, itself included; 0: all");
inline constexpr tenon_layer_option kSoftCapOption =
    sdk::option("soft_cap", 0.0, "bound of the scores; 0: none");
inline constexpr tenon_layer_option kQkNormOption = sdk::option(
    "qk_norm", false, "are heads of q and k scaled to a root mean square of 1, with gains?");
inline constexpr tenon_layer_option kPositionsOption = sdk::option(
    "positions", 0, "longest sequence, if q and k are rotated by their positions; 0: they are not");
inline constexpr tenon_layer_option kRopeBaseOption =
    sdk::option("rope_base", 10000.0, "of the angles' rates");
inline constexpr tenon_layer_option kRopeLayoutOption =
    sdk::option("rope_layout", sdk::text_value("halves"),
                "which elements of a head are a pair: \"halves\" (Llama) or \"pairs\" (GPT-J)");

inline void add_linear(sdk::Describe& d, std::string_view name, int64_t inputs, int64_t outputs,
                       const sdk::Value& bias, const sdk::Value& dtype) {
  const sdk::Named values[] = {
      {"inputs", inputs}, {"outputs", outputs}, {"bias", bias}, {"dtype", dtype}};
  d.child(name, "tenon.linear", values);
}

}  // namespace tenon::layers
