// SPDX-License-Identifier: Apache-2.0
// core/plugin/handshake.h: what a freshly opened library says about itself, and whether to believe
// it. The checks throw Error{TENON_E_PLUGIN}.
#pragma once

#include <tenon/plugin.h>

#include <string>

#include "core/plugin/plugin_host.h"
#include "core/registry/checks.h"

namespace tenon::plugin {

// A tenon_plugin with room after it, to notice a plugin that writes more than it was told to.
struct Answer {
  tenon_plugin plugin{};
  unsigned char behind[1024] = {};
};

// The words of a diag filled by a plugin; "status 23" if there are none.
std::string words_of(const tenon_diag& diag, tenon_status status);

// Calls the query function. Throws if it returns a failure.
void call_query(tenon_plugin_query_fn query, const tenon_host& host, Answer& answer);

// Versions, fingerprint member by member, size, callbacks: all that makes the rest readable.
void check_answer(const Answer& answer, const tenon_host& host);

// What manifest and library both state must be the same.
void check_identity(const Manifest& manifest, const tenon_plugin& plugin);
void check_agreement(const Manifest& manifest, const registry::TableNames& names);

// The versions a manifest states, before anything is opened.
void check_manifest_abi(const Manifest& manifest, const tenon_host& host);

}  // namespace tenon::plugin
