// SPDX-License-Identifier: Apache-2.0
// core/plugin/manifest.h: a plugin's manifest, plugin.json, read.
#pragma once

#include <string_view>

#include "core/registry/plugin.h"

namespace tenon::plugin {

using registry::Manifest;

// Reads and checks a manifest's text (format: manifest.cc); throws Error{TENON_E_PLUGIN} whose
// message begins with `file_name` and names the field. Unknown fields are ignored.
Manifest parse_manifest(std::string_view json_text, std::string_view file_name);

}  // namespace tenon::plugin
