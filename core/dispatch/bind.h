// SPDX-License-Identifier: Apache-2.0
// core/dispatch/bind.h: the caller's values, checked against the schema.
#pragma once

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

// Fills in operands, attributes and devices. Throws Error naming op, operand, expected, found, as
// promote and infer do.
void bind(Invocation& call, std::span<const tenon_value> inputs,
          std::span<const tenon_value> attrs);

}  // namespace tenon::dispatch
