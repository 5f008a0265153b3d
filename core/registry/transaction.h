// SPDX-License-Identifier: Apache-2.0
// core/registry/transaction.h: one plugin's tables on their way into the registry, and out of it.
#pragma once

#include <string>
#include <vector>

#include "core/registry/registry.h"

namespace tenon::registry {

// Reads every descriptor of `tables` with the struct-size rules, checks names, schemas, roles,
// slots against schema, dtype rows, duplicates; throws Error{TENON_E_PLUGIN, ...}. Then adds all
// of it. Passed over with a line appended to `report`: the same (op name, revision), device kind,
// entry of a kind or role from a later plugin; kernels, rules and
// samples of ops that are neither registered nor in the same tables. Calls the backend's
// device_count and nothing else of the plugin. Called under the plugin host's mutex.
void add(Registry& registry, Plugin& plugin, const Tables& tables,
         std::vector<std::string>& report);

// Takes a plugin's entries out of every look-up: its kernels are chosen no more, and the next
// best rule or role holder takes the place of its own. The objects themselves stay, because
// calls, graphs and handles refer to them. All or nothing; called under the plugin host's mutex.
void remove(Registry& registry, const Plugin& plugin);

}  // namespace tenon::registry
