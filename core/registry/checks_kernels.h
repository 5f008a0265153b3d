// SPDX-License-Identifier: Apache-2.0
// core/registry/checks_kernels.h: kernels and backward rules, held against the ops they are for.
// Throws as checks.h says.
#pragma once

#include <string_view>

#include "core/registry/checks.h"

namespace tenon::registry {

// Does the kernel take any memory in every slot? Staging goes through COPY, so a copy that needed
// staging itself could not be used for it.
bool takes_any_layout(const tenon_kernel_desc& desc);

// Everything that must hold between a kernel (a rule) and the op it is for.
void check_kernel(const tenon_kernel_desc& desc, const What& what, const Schema& schema);
void check_vjp(const tenon_vjp_desc& desc, const What& what, const Schema& schema);

}  // namespace tenon::registry
