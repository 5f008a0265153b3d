// SPDX-License-Identifier: Apache-2.0
// core/registry/checks_offers.h: checks of kernels and backward rules, held against the ops they
// are for, of backends, and of what plugins test themselves with. Throws as checks.h says.
#pragma once

#include "core/registry/checks.h"

namespace tenon::registry {

// Does the kernel take any memory in every slot? Staging goes through COPY, so a copy that needed
// staging itself could not be used for it.
bool takes_any_layout(const tenon_kernel_desc& desc);

// Everything that must hold between a kernel (a rule) and the op it is for.
void check_kernel(const tenon_kernel_desc& desc, const What& what, const Schema& schema);
void check_vjp(const tenon_vjp_desc& desc, const What& what, const Schema& schema);

void check_backend(const tenon_backend_table& table);
void check_tolerance(const tenon_tolerance& desc, const What& what);
void check_optimizer_sample(const tenon_optimizer_sample& desc, const What& what);

}  // namespace tenon::registry
