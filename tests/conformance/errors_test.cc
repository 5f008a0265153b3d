// SPDX-License-Identifier: Apache-2.0
// tests/conformance/errors_test.cc: every error sample is refused as it says, with a full record,
// and changes nothing.
#include "tests/conformance/conformance_support.h"

namespace tenon::tests {
namespace {

// Statuses that are about one operand or attribute, so that the record must name it.
bool names_an_operand(tenon_status status) {
  return status == TENON_E_DTYPE || status == TENON_E_DEVICE || status == TENON_E_ATTRIBUTE ||
         status == TENON_E_DATA || status == TENON_E_SHAPE;
}

TEST(ConformanceErrors, AreRefusedAndChangeNothing) {
  const Session session;
  // A successful call first, so that what a runtime creates once is there.
  for (const Case& each : good_cases()) {
    const NoGrad off(session);
    run(session, each, Bound(session, each));
  }
  int refused = 0;
  for (const SampleEntry& sample : samples()) {
    if (sample.expect == TENON_OK) continue;
    const Case each = make_case(sample);
    SCOPED_TRACE(each.label);
    const Bound bound(session, each);
    const tenon_stats before = session.stats();
    std::vector<Tensor> made;
    const tenon_status status = call(session, each, bound.inputs(), each.n_outputs, made);
    EXPECT_EQ(status, sample.expect) << session.failure();
    EXPECT_TRUE(made.empty());
    const tenon_error error = session.error();
    EXPECT_EQ(error.status, status);
    EXPECT_NE(std::string(error.message).find(sample.fragment), std::string::npos)
        << "\"" << error.message << "\" has no \"" << sample.fragment << "\"";
    EXPECT_EQ(error.op, sample.op) << error.message;
    EXPECT_EQ(std::string(error.message).find('\n'), std::string::npos) << error.message;
    if (names_an_operand(status)) {
      EXPECT_STRNE(error.operand, "") << error.message;
    }
    EXPECT_FALSE(std::string(error.expected).empty() && std::string(error.hint).empty())
        << "neither what was expected nor what to do: " << error.message;
    const tenon_stats after = session.stats();
    EXPECT_EQ(after.tensors, before.tensors);
    EXPECT_EQ(after.storages, before.storages);
    EXPECT_EQ(after.nodes, before.nodes);
    EXPECT_EQ(after.bytes_live, before.bytes_live);
    for (size_t i = 0; i < each.arrays.size(); ++i) {
      EXPECT_EQ(bound.tensors()[i]->read(), each.arrays[i]) << "operand " << i;
      EXPECT_TRUE(bound.tensors()[i]->outside_untouched()) << "operand " << i;
    }
    ++refused;
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace tenon::tests
