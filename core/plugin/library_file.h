// SPDX-License-Identifier: Apache-2.0
// core/plugin/library_file.h: a library's file, looked at before the dynamic loader does.
#pragma once

#include <string>

namespace tenon::plugin {

// Throws Error{TENON_E_PLUGIN}: "library <path> <problem>".
[[noreturn]] void refuse_library(const std::string& path, const std::string& problem);

// The bytes of a regular file; throws Error{TENON_E_PLUGIN} that names it. Read, not mapped: a file
// that shrinks under a mapping kills the process.
std::string read_library(const std::string& path);

// Refuses a library file that the dynamic loader could not open, with better words than the
// loader's: missing, no regular file, not ELF, for another machine, truncated. `shown` is how the
// words name it.
void check_library_file(const std::string& path, const std::string& shown);

}  // namespace tenon::plugin
