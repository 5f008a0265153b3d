// SPDX-License-Identifier: Apache-2.0
// core/inspect/explain.h: what a call would do.
#pragma once

#include <span>
#include <string>

#include "core/registry/registry.h"
#include "core/runtime/context.h"

namespace tenon::inspect {

// What dispatch::call would do, as JSON. Nothing is cast, allocated or launched.
std::string explain(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
                    std::span<const tenon_value> attrs);

}  // namespace tenon::inspect
