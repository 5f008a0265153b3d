// SPDX-License-Identifier: Apache-2.0
// backends/openblas/openblas.h: what the files of this plugin have in common.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace tenon::openblas {

namespace sdk = tenon::sdk;

inline constexpr std::string_view kDevice = "cpu";  // the device is another plugin's
// Above plain kernels, where canonical arithmetic is not asked for.
inline constexpr int32_t kPriority = 10;

extern const sdk::Unit matmul_unit;

}  // namespace tenon::openblas
