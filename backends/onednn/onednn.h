// SPDX-License-Identifier: Apache-2.0
// backends/onednn/onednn.h: what the files of this plugin have in common.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace tenon::onednn {

namespace sdk = tenon::sdk;

inline constexpr std::string_view kDevice = "cpu";  // the device is another plugin's
// Above plain kernels where canonical arithmetic is not asked for, and below OpenBLAS, which also
// reads transposed operands where they lie, cuts columns, and needs nothing prepared for a shape.
inline constexpr int32_t kPriority = 5;

extern const sdk::Unit average_unit;
extern const sdk::Unit convolution_unit;
extern const sdk::Unit matmul_unit;

}  // namespace tenon::onednn
