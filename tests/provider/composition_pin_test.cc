// SPDX-License-Identifier: Apache-2.0
// tests/provider/composition_pin_test.cc: a pin on "composition" runs an op's composition in
// place of its kernels.
#include <gmock/gmock.h>

#include "tests/provider/provider_support.h"

namespace tenon::tests {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// Names of the ops whose kernels ran.
std::vector<std::string> launched(const Context& cx, std::string_view op, const Tensor& x) {
  cx.must(tenon_trace_begin(cx));
  (void)cx.call(op, {x.get()});
  tenon_text* text = nullptr;
  cx.must(tenon_trace_end(cx, &text));
  const char* data = nullptr;
  EXPECT_EQ(tenon_text_get(text, &data, nullptr), TENON_OK);
  const Json recorded = Json::parse(data);
  tenon_text_release(text);
  std::vector<std::string> names;
  for (const Json& event : recorded.at("traceEvents")) {
    if (event.value("cat", "") == kReference) names.push_back(event.at("name"));
  }
  return names;
}

Json explained(const Context& cx, std::string_view op, const Tensor& x) {
  tenon_value input{TENON_VALUE_TENSOR, 0, {}};
  input.as.tensor = x.get();
  tenon_text* text = nullptr;
  cx.must(tenon_op_explain(cx, cx.find(op), &input, 1, nullptr, 0, &text));
  const char* data = nullptr;
  EXPECT_EQ(tenon_text_get(text, &data, nullptr), TENON_OK);
  Json answer = Json::parse(data);
  tenon_text_release(text);
  return answer;
}

TEST(CompositionPin, RunsOtherOpsUntilItIsTakenBack) {
  const Runtime runtime;
  const Context cx(runtime);
  const Tensor x = cx.make(TENON_DTYPE_F32, {2, 2}, {1, 2, 3, 6});
  EXPECT_THAT(launched(cx, "tenon.mean", x), Contains("tenon.mean"));
  cx.must(cx.pin("tenon.mean", "composition"));
  const std::vector<std::string> composed = launched(cx, "tenon.mean", x);
  EXPECT_THAT(composed, Not(Contains("tenon.mean")));
  EXPECT_THAT(composed, Contains("tenon.sum"));
  EXPECT_EQ(cx.values(cx.call("tenon.mean", {x.get()}).get()), std::vector<double>{3});
  cx.must(cx.pin("tenon.mean", ""));
  EXPECT_THAT(launched(cx, "tenon.mean", x), Contains("tenon.mean"));
}

TEST(CompositionPin, ExplainSaysWhy) {
  const Runtime runtime;
  const Context cx(runtime);
  const Tensor x = cx.make(TENON_DTYPE_F32, {2, 2}, {1, 2, 3, 6});
  cx.must(cx.pin("", "composition"));
  const Json mean = explained(cx, "tenon.mean", x);
  EXPECT_EQ(mean.at("chosen"), "composition");
  std::vector<std::string> reasons;
  for (const Json& candidate : mean.at("candidates")) reasons.push_back(candidate.at("reason"));
  EXPECT_THAT(reasons, Contains("the op's composition is pinned"));
  // An op without a composition goes on with its kernel.
  const Json exp = explained(cx, "tenon.exp", x);
  EXPECT_EQ(exp.at("chosen").at("plugin"), kReference);
  EXPECT_THAT(exp.at("report").dump(), HasSubstr("composition is pinned, but the op has none"));
}

}  // namespace
}  // namespace tenon::tests
