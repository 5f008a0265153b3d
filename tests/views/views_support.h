// SPDX-License-Identifier: Apache-2.0
// tests/views/views_support.h: a runtime with the tree's own plugins.
#pragma once

#include <cstdlib>
#include <random>

#include "tests/core/support.h"

namespace tenon::tests {

inline RuntimeHandle make_shipped_runtime() {
  const std::string folder = plugin_dir();
  const tenon_string path{folder.data(), folder.size()};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = &path;
  options.n_paths = 1;
  options.threads = 1;
  tenon_diag diag{};
  tenon_runtime* runtime = nullptr;
  EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
  return RuntimeHandle(runtime);
}

// TENON_TEST_SEED, or another number each time.
inline uint64_t fresh_seed() {
  const char* given = std::getenv("TENON_TEST_SEED");
  return given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

class Shipped : public testing::Test {
 protected:
  RuntimeHandle runtime = make_shipped_runtime();
  Session cx{runtime};
};

}  // namespace tenon::tests
