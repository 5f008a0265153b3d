// SPDX-License-Identifier: Apache-2.0
// tests/conformance/cross_entropy_test.cc: softmax_cross_entropy as one kernel, as its composition
// and as log_softmax and nll_loss, on the op's own samples: value, gradient and second gradient.
#include <algorithm>
#include <cmath>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "tests/conformance/conformance_support.h"

namespace tenon::tests {
namespace {

constexpr const char* kOp = "tenon.softmax_cross_entropy";

// Value, gradient of the logits, and the gradient of the gradient along itself.
using Found = std::vector<std::vector<double>>;

std::vector<double> numbers(const Array& array) {
  std::vector<double> all;
  for (size_t i = 0; i < array.count(); ++i) {
    const unsigned char* at = array.bytes.data() + i * size_of(array.dtype);
    all.push_back(array.dtype == TENON_DTYPE_F32 ? sdk::load<float>(at) : sdk::load<double>(at));
  }
  return all;
}

class CrossEntropy : public testing::Test {
 protected:
  Tensor gradient(const Tensor& root, tenon_tensor* of, tenon_tensor* seed) {
    tenon_tensor* const roots[] = {root.get()};
    tenon_tensor* out = nullptr;
    session.must(tenon_gradient_call(session, roots, seed ? &seed : nullptr, 1, &of, 1,
                                     TENON_BACKWARD_CREATE_GRAPH, &out));
    return Tensor(out);
  }

  // Of a loss that was computed from `logits`.
  Found derivatives(const Tensor& loss, tenon_tensor* logits) {
    const Tensor first = gradient(loss, logits, nullptr);
    const Tensor second = gradient(first, logits, first.get());
    Found found;
    for (tenon_tensor* each : {loss.get(), first.get(), second.get()}) {
      found.push_back(numbers(contents_of(session, each)));
    }
    return found;
  }

  Found of_op(const std::string& text) {
    const Case each = make_case({kOp, text, "", TENON_OK});
    const Bound bound(session, each);
    tenon_tensor* logits = bound.tensors()[0]->get();
    session.must(tenon_tensor_set_requires_grad(session, logits, 1));
    std::vector<Tensor> made;
    session.must(call(session, each, bound.inputs(), 1, made));
    return derivatives(made.at(0), logits);
  }

  Tensor one_output(const char* op, const std::string& attributes_of,
                    std::span<const tenon_value> inputs) {
    Case each = make_case({op, attributes_of, "", TENON_OK});
    std::vector<Tensor> made;
    session.must(call(session, each, inputs, 1, made));
    return std::move(made.at(0));
  }

  // The two ops of which PyTorch makes its cross_entropy.
  Found of_two_ops(const std::string& text) {
    const Case each = make_case({kOp, text, "", TENON_OK});
    const Bound bound(session, each);
    tenon_tensor* logits = bound.tensors()[0]->get();
    session.must(tenon_tensor_set_requires_grad(session, logits, 1));
    std::vector<tenon_value> inputs(bound.inputs().begin(), bound.inputs().end());
    const Tensor logs = one_output("tenon.log_softmax", "f64[1,1]", std::span(inputs).first(1));
    inputs[0].as.tensor = logs.get();
    return derivatives(one_output("tenon.nll_loss", text, inputs), logits);
  }

  void expect_near(const Found& expected, const Found& found, double relative) {
    for (size_t k = 0; k < expected.size(); ++k) {
      SCOPED_TRACE(k == 0 ? "value" : k == 1 ? "gradient" : "second gradient");
      ASSERT_EQ(expected[k].size(), found[k].size());
      double most = 1;
      for (const double value : expected[k]) {
        if (std::isfinite(value)) most = std::max(most, std::abs(value));
      }
      for (size_t i = 0; i < expected[k].size(); ++i) {
        if (std::isnan(expected[k][i]) || std::isinf(expected[k][i])) {
          EXPECT_EQ(std::isnan(expected[k][i]), std::isnan(found[k][i])) << "element " << i;
        } else {
          EXPECT_NEAR(expected[k][i], found[k][i], relative * most) << "element " << i;
        }
      }
    }
  }

  Session session;
};

// "f64[2,3], i64[2]{0,1} | ignore_index=5" with a third operand: weights of 1, which only the
// composition takes.
std::string with_ones(const std::string& text, int64_t classes, const std::string& dtype) {
  std::string ones = ", " + dtype + "[" + std::to_string(classes) + "]{";
  for (int64_t c = 0; c < classes; ++c) ones += c ? ",1.0" : "1.0";
  const size_t end = std::min(text.find(" |"), text.size());
  return text.substr(0, end) + ones + "}" + text.substr(end);
}

bool is_plain(const Case& each) {
  const bool grown = std::any_of(each.sample.attrs.begin(), each.sample.attrs.end(),
                                 [](const auto& attr) { return attr.first != "ignore_index"; });
  return !grown && each.sample.inputs.size() == 2 && size_of(each.arrays[0].dtype) > 2;
}

bool all_finite(const Case& each) {
  const std::vector<double> logits = numbers(each.arrays[0]);
  return std::all_of(logits.begin(), logits.end(), [](double x) { return std::isfinite(x); });
}

TEST_F(CrossEntropy, AsOneKernelAsACompositionAndAsTwoOps) {
  size_t compared = 0, by_two_ops = 0;
  for (const SampleEntry& entry : samples()) {
    if (entry.op != kOp || entry.expect != TENON_OK) continue;
    const Case each = make_case(entry);
    if (!is_plain(each)) continue;
    SCOPED_TRACE(entry.text);
    const std::string dtype = each.arrays[0].dtype == TENON_DTYPE_F32 ? "f32" : "f64";
    const double relative = dtype == "f32" ? 4e-6 : 1e-14;
    const Found fused = of_op(entry.text);
    expect_near(fused, of_op(with_ones(entry.text, each.arrays[0].shape[1], dtype)), relative);
    ++compared;
    // Without a counted row they are NaN as PyTorch's are, and a NaN of log_softmax spreads.
    if (std::isnan(fused[0][0]) || fused[0][0] == 0 || !all_finite(each)) continue;
    expect_near(fused, of_two_ops(entry.text), relative);
    ++by_two_ops;
  }
  EXPECT_GE(compared, 10u);
  EXPECT_GE(by_two_ops, 6u);
}

TEST_F(CrossEntropy, TheKernelServesPlainCallsAndTheCompositionOthers) {
  const auto chosen = [&](const std::string& text) {
    const Case each = make_case({kOp, text, "", TENON_OK});
    const Bound bound(session, each);
    std::vector<tenon_value> attrs;
    const tenon_op* op = session.find(kOp);
    session.must(attributes(session, op, each.sample, attrs));
    tenon_text* answer = nullptr;
    session.must(tenon_op_explain(session, op, bound.inputs().data(),
                                  static_cast<uint32_t>(bound.inputs().size()), attrs.data(),
                                  static_cast<uint32_t>(attrs.size()), &answer));
    const char* words = nullptr;
    uint64_t length = 0;
    tenon_text_get(answer, &words, &length);
    const Json parsed = Json::parse(words, words + length);
    tenon_text_release(answer);
    return parsed.at("chosen").is_object() ? "kernel" : parsed.at("chosen").get<std::string>();
  };
  EXPECT_EQ(chosen("f32[2,3], i64[2]{0,1} | ignore_index=7, label_smoothing=0.0"), "kernel");
  EXPECT_EQ(chosen("f32[2,3], i64[2]{0,1}, f32[3]"), "composition");
  EXPECT_EQ(chosen("f32[2,3], i64[2]{0,1} | label_smoothing=0.1"), "composition");
  EXPECT_EQ(chosen("f32[2,3], i64[2]{0,1} | reduction=\"sum\""), "composition");
}

}  // namespace
}  // namespace tenon::tests
