// SPDX-License-Identifier: Apache-2.0
// core/api/host_tables.h: the functions plugins call, as constant tables.
#pragma once

#include <tenon/ext/draft/layers.h>
#include <tenon/ext/draft/lending.h>
#include <tenon/ext/draft/processes.h>
#include <tenon/ext/draft/tokenizers.h>
#include <tenon/plugin.h>

namespace tenon {

// The host as plugins see it; one per process, constant.
const tenon_host& host_interface();

// A tenon_call with every table pointer set.
const tenon_call& host_call_template();

// "tenon.host.layers/1"
const tenon_host_layers& host_layers();
// "tenon.host.lending/1"
const tenon_host_lending& host_lending();
// "tenon.host.processes/1"
const tenon_host_processes& host_processes();
// "tenon.host.tokenizers/1"
const tenon_host_tokenizers& host_tokenizers();

}  // namespace tenon
