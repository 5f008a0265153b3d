// SPDX-License-Identifier: Apache-2.0
// core/api/host_tables.h: the functions plugins call, as constant tables.
#pragma once

#include <tenon/plugin.h>

#include <string_view>

namespace tenon {

// The host as plugins see it; one per process, constant.
const tenon_host& host_interface();

// A tenon_call with every table pointer set.
const tenon_call& host_call_template();

// A table that is a draft still, by its name; NULL if there is none.
const void* find_host_draft(std::string_view name);

}  // namespace tenon
