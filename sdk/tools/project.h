// SPDX-License-Identifier: Apache-2.0
// sdk/tools/project.h: what `tenon new` and `tenon wrap` share: files that come with Tenon, names
// of plugins.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tenon::tools {

// share/tenon of the installation or build tree that this program lies in.
std::filesystem::path data_folder();

// The names of the folders in one, sorted; none if it cannot be read.
std::vector<std::string> folders_in(const std::filesystem::path& folder);

// A part of a plugin's id: small letters, digits and _, beginning with a letter.
bool is_word(const std::string& text);

}  // namespace tenon::tools
