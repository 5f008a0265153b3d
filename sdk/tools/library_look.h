// SPDX-License-Identifier: Apache-2.0
// sdk/tools/library_look.h: a plugin's library, looked at in a process of its own, since its code
// runs there and may do what it likes.
#pragma once

#include <string>

#include "program.h"

namespace tenon::tools {

struct LibraryLook {
  Json states;          // as of manifest_of; null if one of the two below says why
  std::string refused;  // by the host, or no library at all; begins with the path
  std::string died;     // "crashed with SIGSEGV while running its init"
  std::string printed;  // by the plugin
};

// A step of the library that takes longer than `seconds` is its end. The host checks it beside the
// plugins that `options` find. Throws Failure if no process can be started.
LibraryLook look_at_library(const Options& options, const std::string& library, double seconds);

// What the library states. Throws Failure if there is no such answer; what the plugin printed
// goes to standard error.
Json stated_by_library(const Options& options, const std::string& library, double seconds);

// Why a process that opened all these plugins may have ended or not gone on: each library is looked
// at by itself, those before the first that dies as well. "" if none does. Not for plugins that
// an allow-list is to judge first.
std::string culprit_of(const Options& options, double seconds);

}  // namespace tenon::tools
