# SPDX-License-Identifier: Apache-2.0
# plugins/headers.cmake: tenon_plugin_headers, whose precompiled headers all plugins here reuse.

# Most of what a small file costs is these headers; here they are compiled once for all of them.
file(CONFIGURE OUTPUT headers.cc CONTENT "")
add_library(tenon_plugin_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers.cc)
target_link_libraries(tenon_plugin_headers PRIVATE Tenon::plugin)
target_precompile_headers(tenon_plugin_headers PRIVATE
  <tenon/sdk/plugin/layer.hpp> <tenon/sdk/plugin/op.hpp> <tenon/sdk/plugin/plugin.hpp>
  <algorithm> <array> <cmath> <limits> <memory> <span> <string> <string_view> <vector>)
