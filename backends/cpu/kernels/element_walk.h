// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/element_walk.h: brings operands of any layout to loops over packed elements.
//
// A row whose operands are packed, or one of two the same number everywhere, is one loop over
// memory. Anything else is gathered into tiles on the stack first, so that there is one loop per
// function and dtype, and this walk only once.
#pragma once

#include "cpu.h"

namespace tenon::cpu {

inline constexpr size_t kMaxOperands = 4;  // of an elementwise kernel, its output first

// out[i] = f(in0[i], ...) for `count` packed elements at `at`; `past_caches` where all of the
// output is larger than they are.
using PackedLoop = void (*)(const void* f, char* const* at, int64_t count, bool past_caches);

struct ElementLoops {
  PackedLoop packed;
  // The same where the first, or the second, of two inputs is one element for all; or NULL.
  PackedLoop same[2];
  uint32_t n_operands;
  std::array<uint8_t, kMaxOperands> sizes;  // bytes of an element
};

constexpr tenon_slot_rule element_in() { return sdk::strided_in(TENON_SLOT_HOST_SCALAR); }
inline constexpr tenon_slot_rule kNullarySlots[] = {sdk::strided_out()};
inline constexpr tenon_slot_rule kUnarySlots[] = {element_in(), sdk::strided_out()};
inline constexpr tenon_slot_rule kBinarySlots[] = {element_in(), element_in(), sdk::strided_out()};
inline constexpr tenon_slot_rule kTernarySlots[] = {element_in(), element_in(), element_in(),
                                                    sdk::strided_out()};

// Runs `loops` over the operands of a launch.
tenon_status run_elementwise(tenon_call* call, const tenon_launch* args, const ElementLoops& loops,
                             const void* f);

}  // namespace tenon::cpu
