// SPDX-License-Identifier: Apache-2.0
// core/dispatch/attributes.h: a call's attributes, checked against the schema.
#pragma once

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

// Fills in `attrs`; those that are not given have their defaults.
void bind_attrs(Invocation& call, std::span<const tenon_value> given);
// Where a TENON_OP_TRANSFER op moves its operand to: attributes 0 and 1 are the target's kind and
// index.
void bind_target(Invocation& call);

}  // namespace tenon::dispatch
