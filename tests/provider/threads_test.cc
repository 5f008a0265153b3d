// SPDX-License-Identifier: Apache-2.0
// tests/provider/threads_test.cc: contexts of both policies computing at the same time.
#include <thread>

#include "tests/provider/provider_support.h"

namespace tenon::tests {
namespace {

using ProviderThreads = Provider;
INSTANTIATE_TEST_SUITE_P(Each, ProviderThreads, testing::ValuesIn(providers()), short_name);

TEST_P(ProviderThreads, ContextsOfBothPoliciesAtOnce) {
  const Runtime runtime(only({.threads = 4}));
  const Context setup(runtime);
  std::mt19937_64 random(kSeed);
  const Tensor a = placed(setup, TENON_DTYPE_F32, {300, 40}, Layout::RowMajor, random);
  const Tensor b = placed(setup, TENON_DTYPE_F32, {40, 600}, Layout::Transposed, random);
  constexpr uint32_t policies[] = {TENON_ARITHMETIC_CANONICAL, TENON_ARITHMETIC_FAST};
  std::string wanted[2];
  for (const uint32_t policy : policies) {
    const Context cx(runtime, policy);
    wanted[policy] = cx.bytes(cx.matmul(a, b).get());
  }
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const Context cx(runtime, policies[i % 2]);
      for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(cx.bytes(cx.matmul(a, b).get()), wanted[i % 2]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A pin set while others compute: each call has one provider's bits or the other's.
TEST_P(ProviderThreads, APinMovesWhileOthersCompute) {
  const Runtime runtime(only({.threads = 2}));
  const Context setup(runtime);
  std::mt19937_64 random(kSeed);
  const Tensor a = placed(setup, TENON_DTYPE_F32, {60, 70}, Layout::RowMajor, random);
  const Tensor b = placed(setup, TENON_DTYPE_F32, {70, 50}, Layout::RowMajor, random);
  const std::string reference = setup.bytes(setup.matmul(a, b).get());
  setup.must(setup.pin(kMatmul, id()));
  const std::string provider = setup.bytes(setup.matmul(a, b).get());
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      const Context cx(runtime);
      for (int round = 0; round < 50; ++round) {
        const std::string found = cx.bytes(cx.matmul(a, b).get());
        EXPECT_TRUE(found == reference || found == provider);
      }
    });
  }
  for (int round = 0; round < 50; ++round) {
    setup.must(setup.pin(kMatmul, round % 2 ? id() : ""));
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tenon::tests
