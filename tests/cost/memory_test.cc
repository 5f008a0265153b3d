// SPDX-License-Identifier: Apache-2.0
// tests/cost/memory_test.cc: what repeats asks for no memory.
#include "tests/cost/counting_support.h"
#include "tests/cost/work_support.h"

#ifdef TENON_TESTS_COUNT_MEMORY

namespace tenon::tests {
namespace {

// Requests for memory by kSteps repetitions, after some that are not counted.
template <class Body>
uint64_t requests(Body&& body) {
  for (int i = 0; i < kWarm; ++i) body();
  const uint64_t before = memory_requests();
  for (int i = 0; i < kSteps; ++i) body();
  return memory_requests() - before;
}

TEST(Memory, CountsWhatIsAskedFor) {
  void* volatile held = nullptr;
  EXPECT_EQ(requests([&] {
              held = ::operator new(8);
              ::operator delete(held);
            }),
            uint64_t{kSteps});
}

TEST(Memory, SmallOpsAskForNone) {
  Work work;
  tenon_tensor* const a = work.floats({64});
  tenon_tensor* const b = work.floats({64});
  tenon_tensor* out = work.floats({64});
  tenon_tensor* const p = work.parameter({64});
  const tenon_op* const add = work.op("tenon.add");
  const tenon_value in[2] = {one(a), one(b)};
  const auto write = [&] {
    work.must(tenon_op_call_into(work.context, add, in, 2, nullptr, 0, &out, 1));
  };
  EXPECT_EQ(requests(write), 0u);
  EXPECT_EQ(requests([&] { tenon_tensor_release(work.call(add, {a, b})); }), 0u);
  EXPECT_EQ(requests([&] { tenon_tensor_release(work.call(add, {p, b})); }), 0u);
}

TEST(Memory, AnEagerTrainingStepAsksForNone) {
  Work work;
  Training training(work);
  EXPECT_EQ(requests([&] { training.step(); }), 0u);
}

TEST(Memory, ACapturedTrainingStepAsksForNone) {
  Work work;
  Training training(work);
  training.capture();
  EXPECT_EQ(requests([&] { training.replay(); }), 0u);
}

}  // namespace
}  // namespace tenon::tests

#endif
