// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/narrow_sums.h: the sum of bools and integers of fewer than 64 bits, read as
// they are stored.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/narrow.hpp>

namespace tenon::cpu {

// tenon.sum where the operand is one of them. The output is i64.
void sum_narrow(const sdk::Launch& l);

}  // namespace tenon::cpu
