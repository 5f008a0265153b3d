// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.toy/ops.hpp: what the toy ops' rules share.
#pragma once

#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace acme {

namespace sdk = tenon::sdk;

inline constexpr std::string_view kDoc = "An op of the core's own tests.";

// A shape as an attribute; borrows `meta`.
inline sdk::Value shape_value(const tenon_meta& meta) {
  return sdk::Value(std::span<const int64_t>(meta.shape, static_cast<size_t>(meta.rank)));
}

}  // namespace acme
