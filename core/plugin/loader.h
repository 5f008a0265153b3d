// SPDX-License-Identifier: Apache-2.0
// core/plugin/loader.h: the one place that opens libraries.
//
// A library is opened once per process, however many runtimes use it, and never closed: code and
// static data of a plugin may be referred to from anywhere until the process ends.
#pragma once

#include <tenon/plugin.h>

#include <string>

namespace tenon::plugin {

// The query function of the library at `path` (absolute, already through check_library_file).
// Throws Error{TENON_E_PLUGIN}: the loader's words, or which query function is missing.
tenon_plugin_query_fn open_library(const std::string& path);

// The same from the copy at `path` of bytes with this hash; `shown` is how the words name it. Equal
// bytes are opened once: `out_opened` says whether it was these.
tenon_plugin_query_fn open_sealed(const std::string& path, const std::string& sha256,
                                  const std::string& shown, bool& out_opened);

// A library of the system, by its name alone ("libcrypto.so.3"), found as the dynamic loader finds
// any; it stays open. Returns the loader's words if it cannot be opened, else "".
std::string open_system_library(const std::string& name);
// A function of such a library; NULL if there is no such library or function.
void* find_system_symbol(const std::string& name, const char* symbol);

// The folder that holds the library (or program) this code is in; empty when it cannot be told.
std::string own_folder();

}  // namespace tenon::plugin
