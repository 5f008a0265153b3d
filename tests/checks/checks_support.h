// SPDX-License-Identifier: Apache-2.0
// tests/checks/checks_support.h: a runtime under check modes that sees the tree's plugins, the
// simulated device, and plugins that misbehave.
#pragma once

#include "tests/core/support.h"

namespace tenon::tests {

inline RuntimeHandle make_checked(const std::string& check, int32_t threads = 1) {
  const std::string folders[] = {plugin_dir(), std::string(test_plugin_dir()) + "/checks",
                                 std::string(build_dir()) + "/sim_plugins"};
  tenon_string paths[3];
  for (size_t i = 0; i < 3; ++i) paths[i] = {folders[i].data(), folders[i].size()};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = paths;
  options.n_paths = 3;
  options.threads = threads;
  options.check = {check.data(), check.size()};
  tenon_diag diag{};
  tenon_runtime* runtime = nullptr;
  EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
  return RuntimeHandle(runtime);
}

}  // namespace tenon::tests
