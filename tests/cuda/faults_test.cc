// SPDX-License-Identifier: Apache-2.0
// tests/cuda/faults_test.cc: every function of the driver and of cuBLASLt fails, at each call, with
// every code there is: what was asked fails with words and the right status or goes on and is
// right, afterwards nothing is left, and a program that had not lost its device goes on.
#include "tests/cuda/faults_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/cuda/codes.h"
#include "emulator/control.h"

namespace tenon::tests {
namespace {

namespace emulated = cuda::emulated;
using emulated::KnownCode;
using testing::HasSubstr;

constexpr const char* kLive[] = {"blocks", "bytes",  "pinned", "streams",
                                 "events", "graphs", "blas"};
// One of each kind: a wrong argument, no memory, a device that is lost, anything else.
constexpr int32_t kKinds[] = {1, 2, 700, 999};

bool is_one_of(std::span<const int32_t> codes, int32_t code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

bool is_blas(std::string_view call) { return call.starts_with("cublas"); }

class CudaFaults : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { emulated::reset(); }
  void TearDown() override { emulated::reset(); }

  static std::string call() { return std::string(GetParam()); }

  // Lets the function fail, with each code at the calls that `chosen` picks of the scenario's.
  template <class Chosen>
  void sweep(Chosen chosen) const {
    bool called = false;
    for (const Scenario& scenario : kScenarios) {
      const int64_t before = emulated::live(call()).value();
      const Attempts usual = scenario.run();
      const int64_t calls = emulated::live(call()).value() - before;
      if (calls == 0) continue;
      called = true;
      const auto codes =
          is_blas(call()) ? emulated::known_blas_statuses() : emulated::known_codes();
      for (const KnownCode& code : codes.subspan(1)) {
        for (int64_t after = 0; after < calls; ++after) {
          if (!chosen(code.code, after, calls)) continue;
          SCOPED_TRACE(std::string(scenario.name) + ": call " + std::to_string(after) + " of " +
                       call() + " fails with " + code.name);
          fail_once(scenario, usual, code, after);
          if (HasFailure()) return;
        }
      }
    }
    EXPECT_TRUE(called) << "no scenario calls " << call();
  }

 private:
  static void fail_once(const Scenario& scenario, const Attempts& usual, const KnownCode& code,
                        int64_t after) {
    emulated::inject(call(), code.code, after, 1);
    const Attempts attempts = scenario.run();
    emulated::reset();
    judge(attempts, usual.first, code);
    for (const char* what : kLive) EXPECT_EQ(emulated::live(what), 0) << what;
  }

  static void judge(const Attempts& attempts, const Attempt& usual, const KnownCode& code) {
    const auto& [first, again] = attempts;
    if (first.found_device && first.status == TENON_OK) {
      EXPECT_EQ(first.values, usual.values);
      return;
    }
    EXPECT_GT(first.words.size(), 10U);
    if (!first.found_device && !again.found_device) {  // it is looked for once in a runtime
      EXPECT_EQ(again.words, first.words);
      return;
    }
    EXPECT_EQ(first.status, fitting(code)) << first.words;
    EXPECT_EQ(again.status, code.stays ? TENON_E_DEVICE_LOST : usual.status) << again.words;
    if (again.status == TENON_OK) {
      EXPECT_EQ(again.values, usual.values);
    }
  }

  static tenon_status fitting(const KnownCode& code) {
    if (is_blas(call())) return code.code == 3 ? TENON_E_MEMORY : TENON_E_DEVICE;
    if (code.code == 2) return TENON_E_MEMORY;
    return code.stays ? TENON_E_DEVICE_LOST : TENON_E_DEVICE;
  }
};

std::string name_of(const testing::TestParamInfo<std::string_view>& call) {
  return std::string(call.param);
}

TEST_P(CudaFaults, EveryCodeAtTheFirstAndLastCall) {
  sweep([](int32_t, int64_t after, int64_t calls) { return after == 0 || after == calls - 1; });
}

TEST_P(CudaFaults, EveryKindAtEveryCall) {
  sweep([](int32_t code, int64_t, int64_t) { return is_blas(call()) || is_one_of(kKinds, code); });
}

INSTANTIATE_TEST_SUITE_P(Each, CudaFaults, testing::ValuesIn(emulated::kCalls), name_of);

using CudaFaultsFull = CudaFaults;

TEST_P(CudaFaultsFull, EveryCodeAtEveryCall) {
  sweep([](int32_t, int64_t, int64_t) { return true; });
}

INSTANTIATE_TEST_SUITE_P(Each, CudaFaultsFull, testing::ValuesIn(emulated::kCalls), name_of);

// ---- Words --------------------------------------------------------------------------------------

Attempt train_while(const char* call, int32_t code, int64_t after) {
  emulated::inject(call, code, after, 1);
  Attempt first = kScenarios[0].run().first;
  emulated::reset();
  return first;
}

TEST(CudaFaultWords, WantOfMemoryIsToldOfThatCodeAlone) {
  EXPECT_THAT(train_while("alloc", 1, 0).words, HasSubstr("device cuda:0 failed to allocate"));
  EXPECT_THAT(train_while("alloc", 2, 0).words, HasSubstr("out of memory"));
}

TEST(CudaFaultWords, OfProducts) {
  const Attempt lost = train_while("launch", 700, 2);  // after the casts of its operands
  EXPECT_EQ(lost.status, TENON_E_DEVICE_LOST);
  EXPECT_THAT(lost.words, HasSubstr("CUBLAS_STATUS_EXECUTION_FAILED, cudaErrorIllegalAddress"));
  EXPECT_THAT(train_while("cublasLtMatmul", 14, 0).words,
              HasSubstr("cuBLASLt could not start a product: CUBLAS_STATUS_INTERNAL_ERROR"));
}

TEST(CudaFaultWords, OfDevicesThatCannotBeChosen) {
  const int64_t before = emulated::live("use").value();
  kScenarios[0].run();
  const int64_t calls = emulated::live("use").value() - before;
  int64_t told = 0;
  for (int64_t after = 0; after < calls; ++after) {
    const std::string words = train_while("use", 1, after).words;
    if (words.find("the device cannot be chosen: cudaErrorInvalidValue (1)") != words.npos) ++told;
  }
  EXPECT_GT(told, 5);
}

TEST(CudaCodes, LoseTheDeviceWhereCudaSaysSo) {
  for (const KnownCode& code : emulated::known_codes()) {
    EXPECT_EQ(cuda::loses_device(code.code), code.stays) << code.name;
  }
}

}  // namespace
}  // namespace tenon::tests
