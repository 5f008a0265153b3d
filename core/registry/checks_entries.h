// SPDX-License-Identifier: Apache-2.0
// core/registry/checks_entries.h: the other entries of a plugin: backends, optimizers, layers and
// their like. Throws as checks.h says.
#pragma once

#include <string_view>

#include "core/registry/checks.h"

namespace tenon::registry {

void check_backend(const tenon_backend_table& table);

// `step` is the step op's schema, or nullptr where that op is not known yet.
void check_optimizer(const tenon_optimizer_desc& desc, std::string_view name, const Schema* step);
void check_schedule(const tenon_schedule_desc& desc, std::string_view name);
void check_dataset(const tenon_dataset_desc& desc, std::string_view name);
void check_format(const tenon_format_desc& desc, std::string_view name);
void check_layer(const tenon_layer_desc& desc, std::string_view name);
void check_tolerance(const tenon_tolerance& desc, const What& what);
void check_optimizer_sample(const tenon_optimizer_sample& desc, const What& what);

}  // namespace tenon::registry
