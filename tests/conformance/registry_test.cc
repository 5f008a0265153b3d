// SPDX-License-Identifier: Apache-2.0
// tests/conformance/registry_test.cc: every op is documented, has samples, and can run.
#include <map>
#include <set>

#include "tests/conformance/conformance_support.h"

namespace tenon::tests {
namespace {

TEST(ConformanceRegistry, ThereAreOps) {
  EXPECT_GE(ops().size(), 30u);
  EXPECT_GE(samples().size(), 2 * ops().size());
}

TEST(ConformanceRegistry, EveryOpIsDocumented) {
  for (const Json& op : ops()) {
    const std::string name = op.at("name");
    EXPECT_GE(op.at("doc").get<std::string>().size(), 40u) << name;
    EXPECT_NE(op.at("schema").get<std::string>().find("->"), std::string::npos) << name;
    EXPECT_TRUE(op.at("report").empty()) << name << ": " << op.at("report");
  }
}

TEST(ConformanceRegistry, EveryOpHasAGoodAndAnErrorSample) {
  std::map<std::string, int> good;
  std::map<std::string, int> refused;
  for (const SampleEntry& sample : samples()) {
    ++(sample.expect == TENON_OK ? good : refused)[sample.op];
    EXPECT_EQ(sample.expect == TENON_OK, sample.fragment.empty())
        << sample.op << ": an error sample, and only that, says a fragment of the message";
  }
  for (const Json& op : ops()) {
    const std::string name = op.at("name");
    EXPECT_GT(good[name], 0) << name << " has no sample";
    EXPECT_GT(refused[name], 0) << name << " has no error sample";
  }
}

TEST(ConformanceRegistry, EveryOpCanRunOnTheHost) {
  const Session session;
  std::string host;
  for (const Json& device : session.query("devices")) {
    if (device.at("host_memory")) host = device.at("kind");
  }
  ASSERT_NE(host, "");
  for (const Json& op : ops()) {
    bool runs = op.at("compose");
    for (const Json& flag : op.at("flags")) runs = runs || flag == "view" || flag == "transfer";
    for (const Json& kernel : op.at("kernels")) runs = runs || kernel.at("device") == host;
    EXPECT_TRUE(runs) << op.at("name") << " has no kernel on " << host
                      << ", is no view, no transfer, and has no composition";
  }
}

// What makes the tests of this folder mean something: they meet every dtype and every op.
TEST(ConformanceRegistry, CasesCoverOpsAndDtypes) {
  std::set<std::string> seen;
  std::set<tenon_dtype> dtypes;
  for (const Case& each : good_cases()) {
    seen.insert(each.op);
    for (const Array& array : each.arrays) dtypes.insert(array.dtype);
  }
  EXPECT_EQ(seen.size(), ops().size());
  EXPECT_EQ(dtypes.size(), 10u);
}

}  // namespace
}  // namespace tenon::tests
