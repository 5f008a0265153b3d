// SPDX-License-Identifier: Apache-2.0
// core/api/host_tables.h: the functions plugins call, as constant tables.
#pragma once

#include <tenon/plugin.h>

namespace tenon {

// A tenon_call with every table pointer set.
const tenon_call& host_call_template();

}  // namespace tenon
