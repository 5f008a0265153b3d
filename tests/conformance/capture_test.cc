// SPDX-License-Identifier: Apache-2.0
// tests/conformance/capture_test.cc: a captured call replays to the bits of an eager one.
#include <algorithm>

#include "tests/conformance/conformance_support.h"

namespace tenon::tests {
namespace {

struct Captured {
  std::vector<Tensor> outputs;
  tenon_plan* plan = nullptr;
  ~Captured() { tenon_plan_release(plan); }
};

class ConformanceCapture : public testing::TestWithParam<Session::Kind> {
 protected:
  Session session{GetParam()};

  Outcome outcome_of(const Bound& bound, const std::vector<Tensor>& outputs) {
    Outcome now;
    for (const Tensor& tensor : outputs) now.outputs.push_back(contents_of(session, tensor.get()));
    for (const auto& placed : bound.tensors()) now.operands.push_back(placed->read());
    return now;
  }
};

// Twice, so that RANDOM ops advance and ops that write their operands go on from the first result.
TEST_P(ConformanceCapture, ReplayGivesEagerBits) {
  const NoGrad off(session);
  const tenon_stats before = session.stats();
  for (const Case& each : good_cases()) {
    SCOPED_TRACE(each.label);
    for (const Layout layout : {Layout::RowMajor, Layout::Stepped, Layout::Negative}) {
      SCOPED_TRACE(name_of(layout));
      const std::vector<Layout> layouts(each.arrays.size(), layout);
      Outcome eager[2];
      {
        const Bound bound(session, each, each.arrays, layouts);
        session.must(tenon_context_set_counter(session, 0));
        for (Outcome& result : eager) {
          std::vector<Tensor> made;
          session.must(call(session, each, bound.inputs(), each.n_outputs, made));
          result = outcome_of(bound, made);
        }
      }
      const Bound bound(session, each, each.arrays, layouts);
      Captured captured;
      session.must(tenon_context_set_counter(session, 0));
      session.must(tenon_capture_begin(session, nullptr, 0));
      session.must(call(session, each, bound.inputs(), each.n_outputs, captured.outputs));
      ASSERT_EQ(tenon_capture_end(session, &captured.plan), TENON_OK) << session.failure();
      const Outcome first = outcome_of(bound, captured.outputs);
      expect_same(eager[0].outputs, first.outputs, "while capturing: output");
      expect_same(eager[0].operands, first.operands, "while capturing: operand");
      const uint64_t allocations = session.stats().allocations;
      session.must(tenon_plan_run(session, captured.plan));
      EXPECT_EQ(session.stats().allocations, allocations);
      const Outcome second = outcome_of(bound, captured.outputs);
      expect_same(eager[1].outputs, second.outputs, "replay: output");
      expect_same(eager[1].operands, second.operands, "replay: operand");
      for (const auto& placed : bound.tensors()) EXPECT_TRUE(placed->outside_untouched());
    }
  }
  const tenon_stats after = session.stats();
  EXPECT_EQ(after.plans, before.plans);
  EXPECT_EQ(after.tensors, before.tensors);
}

INSTANTIATE_TEST_SUITE_P(On, ConformanceCapture, testing::Values(Session::Plain, Session::Strict),
                         [](const auto& param) {
                           return param.param == Session::Plain ? "Plain" : "Strict";
                         });

}  // namespace
}  // namespace tenon::tests
