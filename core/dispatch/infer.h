// SPDX-License-Identifier: Apache-2.0
// core/dispatch/infer.h: the schema's letters, and what the outputs are.
#pragma once

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

// Holds the operands against the single letters and integers of the schema, and fills in the
// outputs' metadata, by the op's shape rule.
void infer(Invocation& call);

}  // namespace tenon::dispatch
