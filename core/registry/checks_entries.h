// SPDX-License-Identifier: Apache-2.0
// core/registry/checks_entries.h: checks of backends and of what plugins test themselves with.
// Throws as checks.h says.
#pragma once

#include <string_view>

#include "core/registry/checks.h"

namespace tenon::registry {

void check_backend(const tenon_backend_table& table);
void check_tolerance(const tenon_tolerance& desc, const What& what);
void check_optimizer_sample(const tenon_optimizer_sample& desc, const What& what);

}  // namespace tenon::registry
