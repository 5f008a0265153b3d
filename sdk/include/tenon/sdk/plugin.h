// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin.h: writing a plugin in C: everything of tenon/sdk/plugin/*.h. The counterpart in
// C++ is tenon/sdk/plugin/plugin.hpp.
//
//   #include <tenon/sdk/plugin.h>
//
//   static const tenon_op_desc ops[] = {{.struct_size = sizeof(tenon_op_desc), ...}};
//   static const tenon_kernel_desc kernels[] = {...};
//
//   TN_UNIT(square) = {.ops = TN_LIST(ops), .kernels = TN_LIST(kernels)};
//
// CMake's tenon_add_plugin() puts the files that say TN_UNIT(<their own name>) together and writes
// the one exported function. Without CMake a file of the plugin does; see unit.h.
//
// Header-only: links nothing but the C library. C11 and C++20. Everything a plugin hands out is
// constant data, and nothing is kept of a host: a process may hold two runtimes.
#ifndef TENON_SDK_PLUGIN_H
#define TENON_SDK_PLUGIN_H

#include <tenon/client/values.h>
#include <tenon/ext/draft/shapes.h>
#include <tenon/plugin.h>
#include <tenon/sdk/plugin/fail.h>
#include <tenon/sdk/plugin/layer.h>
#include <tenon/sdk/plugin/rule.h>
#include <tenon/sdk/plugin/unit.h>
#include <tenon/sdk/plugin/walk.h>

#endif  // TENON_SDK_PLUGIN_H
