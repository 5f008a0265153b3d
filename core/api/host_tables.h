// SPDX-License-Identifier: Apache-2.0
// core/api/host_tables.h: the functions plugins call, as constant tables.
#pragma once

#include <tenon/ext/draft/layers.h>
#include <tenon/plugin.h>

namespace tenon {

// A tenon_call with every table pointer set.
const tenon_call& host_call_template();

// "tenon.host.layers/1"
const tenon_host_layers& host_layers();

}  // namespace tenon
