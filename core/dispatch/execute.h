// SPDX-License-Identifier: Apache-2.0
// core/dispatch/execute.h: fits operands to a kernel's declarations and runs it.
#pragma once

#include <span>
#include <string>

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

// Chooses a kernel for the bound call and runs it on `outputs` (flat, NULL if an aux output is
// not wanted), staging what the kernel does not take. False if the call has no kernel;
// `declined` then says what predicates answered.
bool execute(Invocation& call, std::span<Tensor* const> outputs, std::string& declined);

}  // namespace tenon::dispatch
