// SPDX-License-Identifier: Apache-2.0
// core/dispatch/operands.h: from the caller's values to operands that a kernel could take.
#pragma once

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

// Fills in operands, attributes and devices, checked against the schema. Throws Error naming op,
// operand, expected, found, as promote and infer do. `inputs` stay where they are during the call.
void bind(Invocation& call, std::span<const tenon_value> inputs,
          std::span<const tenon_value> attrs);

// Decides the dtype of each type variable, casts operands to it and writes numbers in it. Bools and
// integers that become i64 stay what they are until `widen`: what runs may take them so.
void promote(Invocation& call);
bool is_narrow(const Invocation& call, uint32_t operand);
// Casts what `promote` has left, if anything.
void widen(Invocation& call);

}  // namespace tenon::dispatch
