// SPDX-License-Identifier: Apache-2.0
// tests/support/paths.h: where a test finds what the build made. CMake writes the values, see
// paths.cc.in.

#pragma once

#include <cstdint>

namespace tenon::tests {

const char* source_dir();       // the repository
const char* build_dir();        // build/<preset>
const char* library_path();     // libtenon's file
const char* plugin_dir();       // the tree's own plugins: one folder per id
const char* test_plugin_dir();  // <folder>/<id>: plugins made from tests/<folder>/plugins/<id>
const char* command_path();     // the command `tenon`
const char* data_dir();         // examples/data
uint32_t sanitizer();           // TENON_SANITIZER_*: what libtenon is instrumented with

}  // namespace tenon::tests
