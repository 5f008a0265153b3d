// SPDX-License-Identifier: Apache-2.0
// tests/provider/onednn_test.cc: what holds of tenon.onednn alone: it starts no threads, leaves
// OpenMP as it was, and stands behind tenon.openblas.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/provider/provider_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr const char* kOneDnn = "tenon.onednn";
constexpr const char* kOpenBlas = "tenon.openblas";

bool was_built(const char* id) { return fs::exists(fs::path(plugin_dir()) / id); }

int64_t threads_of_this_process() {
  return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
}

class ProviderOneDnn : public testing::Test {
 protected:
  void SetUp() override {
    if (!was_built(kOneDnn)) GTEST_SKIP() << "tenon.onednn was not built: oneDNN was not found";
  }
  static Tensor operand(const Context& cx, tenon_dtype dtype, const Shape& shape) {
    std::mt19937_64 random(kSeed);
    return placed(cx, dtype, shape, Layout::RowMajor, random);
  }
};

// A function of the OpenMP runtime that the loaded oneDNN uses.
template <class Function>
Function* from_openmp(const char* name) {
  std::ifstream manifest(fs::path(plugin_dir()) / kOneDnn / "plugin.json");
  const std::string library = Json::parse(manifest).at("requires").at("libraries")[0];
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (!handle) return nullptr;
  void* found = dlsym(handle, name);
  dlclose(handle);
  return reinterpret_cast<Function*>(found);
}

TEST_F(ProviderOneDnn, ComputesOnTheCallingThreadAndLeavesOpenMpAsItWas) {
  const Runtime runtime({.threads = 1});
  const Context cx(runtime);
  cx.must(cx.pin(kMatmul, kOneDnn));
  const Tensor one = operand(cx, TENON_DTYPE_F32, {1, 1});
  ASSERT_THAT(cx.ran([&] { (void)cx.matmul(one, one); }), ElementsAre(kOneDnn));
  auto* set_threads = from_openmp<void(int)>("omp_set_num_threads");
  auto* get_threads = from_openmp<int()>("omp_get_max_threads");
  if (!set_threads || !get_threads) GTEST_SKIP() << "this oneDNN was built without OpenMP";
  const int before = get_threads();
  set_threads(4);
  const int64_t threads = threads_of_this_process();
  for (const Wrapped& provider : providers()) {
    if (std::string_view(provider.id) != kOneDnn) continue;
    for (const tenon_dtype dtype : provider.dtypes) {
      const Tensor a = operand(cx, dtype, {300, 256});
      const Tensor b = operand(cx, dtype, {256, 512});
      ASSERT_THAT(cx.ran([&] { (void)cx.matmul(a, b); }), ElementsAre(kOneDnn));
      EXPECT_EQ(threads_of_this_process(), threads);
      EXPECT_EQ(get_threads(), 4);
    }
  }
  set_threads(before);
}

TEST_F(ProviderOneDnn, StandsBehindOpenBlasWhereBothCanRun) {
  if (!was_built(kOpenBlas)) GTEST_SKIP() << "tenon.openblas was not built";
  const Runtime runtime;
  const Context fast(runtime, TENON_ARITHMETIC_FAST);
  const Tensor a = operand(fast, TENON_DTYPE_F32, {20, 30});
  const Tensor b = operand(fast, TENON_DTYPE_F32, {30, 40});
  const auto run = [&] { (void)fast.matmul(a, b); };
  EXPECT_THAT(fast.ran(run), ElementsAre(kOpenBlas));
  for (const char* pinned : {kOneDnn, kOpenBlas, kReference}) {
    fast.must(fast.pin(kMatmul, pinned));
    EXPECT_THAT(fast.ran(run), ElementsAre(pinned));
    EXPECT_EQ(fast.chosen(a, b), pinned);
  }
}

}  // namespace
}  // namespace tenon::tests
