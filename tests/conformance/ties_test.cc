// SPDX-License-Identifier: Apache-2.0
// tests/conformance/ties_test.cc: gradients where an op has a corner or a step, as its
// documentation states them: at ties, at limits, at 0.
//
// Differences cannot say what a gradient is there, so each is written down here; and every op in
// the registry is searched for corners, so that none is left out.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "tests/conformance/conformance_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Row {
  std::string op;
  std::string sample;  // of f64, with explicit values
  // Of each tensor operand in order, with dy = 1, 2, 3, ... for the first output; empty: none.
  std::vector<std::vector<double>> gradients;
};

// What is smooth is in many other tests; here stand the places that are not.
std::vector<Row> elementwise_rows() {
  const double selu = 1.0507009873554805 * 1.6732632423543772;
  const std::string steps = "f64[5]{0.0,-0.0,1.0,-1.5,2.5}";
  const std::vector<double> flat(5, 0.0);
  return {
      {"tenon.abs", "f64[4]{-2.0,0.0,-0.0,3.0}", {{-1, 0, 0, 4}}},
      {"tenon.relu", "f64[4]{-1.0,0.0,-0.0,2.0}", {{0, 0, 0, 4}}},
      {"tenon.leaky_relu",
       "f64[4]{-1.0,0.0,-0.0,2.0} | negative_slope=0.25",
       {{0.25, 0.5, 0.75, 4}}},
      {"tenon.elu", "f64[3]{-0.0,0.0,2.0} | alpha=0.5", {{0.5, 1, 3}}},
      {"tenon.selu", "f64[2]{-0.0,0.0}", {{selu, 2 * selu}}},
      {"tenon.hardswish", "f64[4]{-3.0,3.0,-4.0,4.0}", {{-0.5, 3, 0, 4}}},
      {"tenon.softplus",
       "f64[2]{4.0,5.0} | beta=0.5, threshold=2.0",
       {{1 / (1 + std::exp(-2.0)), 2}}},
      {"tenon.sign", steps, {flat}},
      {"tenon.ceil", steps, {flat}},
      {"tenon.floor", steps, {flat}},
      {"tenon.round", steps, {flat}},
      {"tenon.trunc", steps, {flat}},
      {"tenon.clamp", "f64[5]{-1.0,-0.5,0.0,0.5,1.0}, -0.5, 0.5", {{0, 2, 3, 4, 0}}},
      {"tenon.clamp",
       "f64[5]{-1.0,-0.5,0.0,0.5,1.0}, f64[5]{-0.5,-0.5,-0.5,-0.5,-0.5}, "
       "f64[5]{0.5,0.5,0.5,0.5,0.5}",
       {{0, 2, 3, 4, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 0, 5}}},
      {"tenon.clamp", "f64[3]{-0.5,0.0,-1.0}, f64[3]{-0.5,-0.5,-0.5}", {{1, 2, 0}, {0, 0, 3}}},
      {"tenon.clamp", "f64[3]{0.5,0.0,1.0}, none, f64[3]{0.5,0.5,0.5}", {{1, 2, 0}, {0, 0, 3}}},
      {"tenon.clamp", "f64[2]{0.0,-0.0}, f64[2]{-0.0,0.0}", {{1, 2}, {0, 0}}},
      // Limits that are equal, and in the wrong order.
      {"tenon.clamp",
       "f64[3]{0.0,1.0,2.0}, f64[3]{1.0,1.0,1.0}, f64[3]{1.0,1.0,1.0}",
       {{0, 2, 0}, {0, 0, 0}, {0, 0, 3}}},
      {"tenon.clamp",
       "f64[3]{0.0,1.0,2.0}, f64[3]{2.0,2.0,2.0}, f64[3]{1.0,1.0,1.0}",
       {{0, 0, 0}, {0, 0, 0}, {1, 2, 3}}},
      {"tenon.maximum", "f64[3]{1.0,2.0,0.0}, f64[3]{1.0,1.0,3.0}", {{0.5, 2, 0}, {0.5, 0, 3}}},
      {"tenon.maximum", "f64[2]{0.0,-0.0}, f64[2]{-0.0,0.0}", {{0.5, 1}, {0.5, 1}}},
      {"tenon.minimum", "f64[3]{1.0,2.0,0.0}, f64[3]{1.0,1.0,3.0}", {{0.5, 0, 3}, {0.5, 2, 0}}},
      {"tenon.minimum", "f64[2]{0.0,-0.0}, f64[2]{-0.0,0.0}", {{0.5, 1}, {0.5, 1}}},
      {"tenon.hypot", "f64[3]{0.0,0.0,-2.0}, f64[3]{0.0,2.0,0.0}", {{kNan, 0, -3}, {kNan, 2, 0}}},
      {"tenon.atan2", "f64[2]{0.0,0.0}, f64[2]{0.0,2.0}", {{kNan, 1}, {kNan, 0}}},
      {"tenon.pow",
       "f64[3]{0.0,2.0,0.0}, f64[3]{0.0,0.0,1.0}",
       {{0, 0, 3}, {0, 2 * std::log(2.0), 0}}},
      {"tenon.remainder", "f64[2]{4.0,-4.0}, f64[2]{2.0,2.0}", {{1, 2}, {-2, 4}}},
      {"tenon.floor_divide", "f64[2]{4.0,-4.0}, f64[2]{2.0,2.0}", {{0, 0}, {0, 0}}},
  };
}

std::vector<Row> reduction_rows() {
  return {
      {"tenon.max", "f64[4]{1.0,3.0,3.0,2.0}", {{0, 0.5, 0.5, 0}}},
      {"tenon.max", "f64[2,2]{5.0,5.0,1.0,2.0} | axes=[1]", {{0.5, 0.5, 0, 2}}},
      {"tenon.max", "f64[2]{0.0,-0.0}", {{0.5, 0.5}}},
      {"tenon.max_pool", "f64[1,1,4]{3.0,3.0,1.0,1.0} | kernel=[2]", {{1, 0, 2, 0}}},
      {"tenon.min", "f64[4]{2.0,1.0,1.0,3.0}", {{0, 0.5, 0.5, 0}}},
      {"tenon.min", "f64[2,2]{5.0,5.0,1.0,2.0} | axes=[0]", {{0, 0, 1, 2}}},
      {"tenon.min", "f64[2,2]{5.0,2.0,5.0,2.0} | axes=[0]", {{0.5, 1, 0.5, 1}}},
      {"tenon.norm", "f64[3]{0.0,3.0,-4.0}", {{0, 0.6, -0.8}}},
      {"tenon.norm", "f64[2]{0.0,0.0}", {{0, 0}}},
      {"tenon.norm", "f64[3]{0.0,-2.0,1.0} | ord=1.0", {{0, -1, 1}}},
      {"tenon.norm", "f64[3]{2.0,-2.0,1.0} | ord=inf", {{0.5, -0.5, 0}}},
      {"tenon.norm", "f64[3]{2.0,-2.0,3.0} | ord=-inf", {{0.5, -0.5, 0}}},
      {"tenon.norm", "f64[2]{0.0,0.0} | ord=inf", {{0, 0}}},
      {"tenon.norm", "f64[2]{0.0,-2.0} | ord=3.0", {{0, -1}}},
      {"tenon.norm", "f64[2]{0.0,-2.0} | ord=0.0", {{0, 0}}},
      {"tenon.norm", "f64[2]{0.0,-2.0} | ord=0.5", {{0, -1}}},
      {"tenon.std", "f64[3]{2.0,2.0,2.0}", {{0, 0, 0}}},
      {"tenon.logsumexp", "f64[2]{-inf,-inf}", {{0, 0}}},
      {"tenon.prod", "f64[3]{0.0,2.0,3.0}", {{6, 0, 0}}},
      {"tenon.prod", "f64[3]{0.0,0.0,3.0}", {{0, 0, 0}}},
      {"tenon.cumprod", "f64[3]{2.0,0.0,3.0} | axis=0", {{1, 22, 0}}},
      // Of equal elements the first is taken, or comes first.
      {"tenon.cummax", "f64[4]{1.0,3.0,3.0,2.0} | axis=0", {{1, 2, 7, 0}}},
      {"tenon.cummin", "f64[4]{2.0,1.0,1.0,3.0} | axis=0", {{1, 2, 7, 0}}},
      {"tenon.sort", "f64[4]{2.0,1.0,2.0,1.0}", {{3, 1, 4, 2}}},
      {"tenon.sort", "f64[4]{2.0,1.0,2.0,1.0} | descending=true, stable=false", {{1, 3, 2, 4}}},
      {"tenon.sort", "f64[3]{0.0,-0.0,0.0}", {{1, 2, 3}}},
      {"tenon.topk", "f64[4]{2.0,1.0,2.0,2.0} | k=2", {{1, 0, 2, 0}}},
      {"tenon.topk", "f64[4]{1.0,2.0,1.0,1.0} | k=2, largest=false", {{1, 0, 2, 0}}},
      {"tenon.unique", "f64[4]{2.0,1.0,2.0,1.0}", {{2, 1, 0, 0}}},
  };
}

std::vector<Row> loss_rows() {
  const std::string d = "f64[4]{0.0,1.0,-1.0,2.0}, f64[4]{0.0,0.0,0.0,0.0} | reduction=\"none\"";
  return {
      {"tenon.l1_loss", d, {{0, 2, -3, 4}, {0, -2, 3, -4}}},
      {"tenon.smooth_l1_loss", d, {{0, 2, -3, 4}, {0, -2, 3, -4}}},
      {"tenon.smooth_l1_loss", d + ", beta=0.0", {{0, 2, -3, 4}, {0, -2, 3, -4}}},
      {"tenon.huber_loss", d, {{0, 2, -3, 4}, {0, -2, 3, -4}}},
      {"tenon.huber_loss", d + ", delta=0.5", {{0, 1, -1.5, 2}, {0, -1, 1.5, -2}}},
      {"tenon.kl_div",
       "f64[2]{-1.0,-2.0}, f64[2]{0.0,1.0} | reduction=\"none\"",
       {{0, -2}, {1, 6}}},
      // A cosine that is the margin still counts; a length that is eps is none that is constant.
      {"tenon.cosine_embedding_loss",
       "f64[1,2]{1.0,0.0}, f64[1,2]{0.0,1.0}, i64[1]{-1}",
       {{0, 1}, {1, 0}, {}}},
      {"tenon.cosine_similarity",
       "f64[1,2]{1.0,0.0}, f64[1,2]{3.0,4.0} | eps=1.0",
       {{0, 0.8}, {0.128, -0.096}}},
      {"tenon.cosine_similarity",
       "f64[1,2]{0.0,0.0}, f64[1,2]{3.0,4.0} | eps=0.5",
       {{1.2, 1.6}, {0, 0}}},
  };
}

std::vector<Row> recurrent_rows() {
  const std::string weight = "f64[1,1]{1.0}", relu = " | activation=\"relu\"";
  return {
      {"tenon.rnn_cell",
       "f64[3,1]{-1.0,0.0,2.0}, " + weight + ", " + weight + relu,
       {{0, 0, 3}, {6}, {0}}},
      {"tenon.rnn",
       "f64[1,3,1]{-1.0,0.0,2.0}, " + weight + ", " + weight + relu,
       {{0, 0, 3}, {6}, {0}}},
      {"tenon.rnn_steps", "f64[1,3,1]{-1.0,0.0,2.0}, " + weight + relu, {{0, 0, 3}, {0}}},
      // Of y, w_hh and dy: y is what says on which side of the corner a step was.
      {"tenon.rnn_steps_grad",
       "f64[1,2,1]{0.0,2.0}, " + weight + ", f64[1,2,1]{5.0,5.0}" + relu,
       {{0, 0}, {0}, {0, 2}}},
  };
}

std::vector<Row> rows() {
  std::vector<Row> all = elementwise_rows();
  for (auto* more : {reduction_rows, loss_rows, recurrent_rows}) {
    for (Row& row : more()) all.push_back(std::move(row));
  }
  return all;
}

// Decompositions have no gradient of their vectors where values are equal, and say so.
const std::set<std::string> kDecompositions = {"tenon.cholesky", "tenon.eigh", "tenon.qr",
                                               "tenon.solve", "tenon.svd"};

class ConformanceTies : public testing::Test {
 protected:
  void pin(const std::string& op, const std::string& plugin) {
    session.must(
        tenon_runtime_set_pin(session, op.data(), op.size(), plugin.data(), plugin.size()));
  }
  void check(const Row& row);
  double weighed(const Case& from);
  bool has_corner(Case from, size_t input, double at);
  bool is_smooth(const Case& from);

  Session session;
};

void ConformanceTies::check(const Row& row) {
  const Case from = make_case({row.op, row.sample, "", TENON_OK});
  const Bound bound(session, from);
  ASSERT_EQ(bound.tensors().size(), row.gradients.size());
  for (size_t i = 0; i < row.gradients.size(); ++i) {
    if (row.gradients[i].empty()) continue;
    session.must(tenon_tensor_set_requires_grad(session, bound.tensors()[i]->get(), 1));
  }
  std::vector<Tensor> outputs;
  session.must(call(session, from, bound.inputs(), from.n_outputs, outputs));
  ASSERT_FALSE(outputs.empty());
  const Array y = contents_of(session, outputs[0].get());
  std::vector<double> slope(y.count());
  for (size_t i = 0; i < slope.size(); ++i) slope[i] = static_cast<double>(i + 1);
  tenon_tensor* made = nullptr;
  session.must(tenon_tensor_create_from(session, TENON_DTYPE_F64, nullptr,
                                        static_cast<int32_t>(y.shape.size()), y.shape.data(),
                                        slope.data(), slope.size() * sizeof(double), &made));
  const Tensor dy(made);
  tenon_tensor* const roots[] = {outputs[0].get()};
  tenon_tensor* const slopes[] = {dy.get()};
  session.must(tenon_backward_run(session, roots, slopes, 1, 0));
  for (size_t i = 0; i < row.gradients.size(); ++i) {
    if (row.gradients[i].empty()) continue;
    tenon_tensor* grad = nullptr;
    session.must(tenon_tensor_get_grad(session, bound.tensors()[i]->get(), &grad));
    std::vector<double> found(row.gradients[i].size());  // 0 if there is none
    if (grad) found = values_of(contents_of(session, grad));
    ASSERT_EQ(found.size(), row.gradients[i].size());
    for (size_t k = 0; k < found.size(); ++k) {
      const double wanted = row.gradients[i][k];
      const bool same =
          std::isnan(wanted) ? std::isnan(found[k]) : std::fabs(found[k] - wanted) <= 1e-11;
      EXPECT_TRUE(same) << "operand " << i << ", element " << k << ": stated " << wanted
                        << ", found " << found[k];
    }
  }
}

TEST_F(ConformanceTies, HaveTheGradientsThatAreStated) {
  std::set<std::string> composed;
  for (const Json& op : ops()) {
    if (op.at("compose")) composed.insert(op.at("name"));
  }
  for (const Row& row : rows()) {
    for (const std::string plugin : {"", "tenon.ref", "composition"}) {
      if (plugin == "composition" && !composed.contains(row.op)) continue;
      SCOPED_TRACE(row.op + "(" + row.sample + ") by " + (plugin.empty() ? "the best" : plugin));
      pin(plugin == "tenon.ref" ? "" : row.op, plugin);
      check(row);
      pin(plugin == "tenon.ref" ? "" : row.op, "");
    }
  }
}

// A sum of all results in f64, each with a weight of its own; NaN where the call is refused.
double ConformanceTies::weighed(const Case& from) {
  const NoGrad off(session);
  const Bound bound(session, from);
  session.must(tenon_context_set_counter(session, 0));
  std::vector<Tensor> outputs;
  if (call(session, from, bound.inputs(), from.n_outputs, outputs) != TENON_OK) return kNan;
  double sum = 0, weight = 1;
  for (size_t i = 0; i < from.n_plain_outputs; ++i) {
    const Array y = contents_of(session, outputs[i].get());
    if (y.dtype != TENON_DTYPE_F64) continue;
    for (const double value : values_of(y)) sum += value * (weight += 0.375);
  }
  return sum;
}

// Does the slope in the first element of an operand change at once there? The change over a bend,
// however narrow, becomes smaller with the step.
bool ConformanceTies::has_corner(Case from, size_t input, double at) {
  const auto value_at = [&](double x) {
    sdk::store(from.arrays[input].bytes.data(), x);
    return weighed(from);
  };
  const double middle = value_at(at);
  for (const double step : {1e-5, 1e-7, 1e-9}) {
    const double left = (middle - value_at(at - step)) / step;
    const double right = (value_at(at + step) - middle) / step;
    if (!std::isfinite(left) || !std::isfinite(right)) return false;
    const double largest = std::max({1.0, std::fabs(left), std::fabs(right)});
    if (std::fabs(left - right) <= 0.05 * largest) return false;
  }
  return true;
}

// At round numbers: all elements of one operand, or of all.
bool ConformanceTies::is_smooth(const Case& from) {
  for (const double at : {-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 4.0}) {
    const auto filled = [&](Case& changed, size_t input) {
      Array& array = changed.arrays[input];
      if (array.dtype != TENON_DTYPE_F64) return;
      for (size_t i = 0; i < array.count(); ++i) sdk::store(array.bytes.data() + i * 8, at);
    };
    Case all = from;
    for (size_t input = 0; input < from.arrays.size(); ++input) filled(all, input);
    for (size_t input = 0; input < from.arrays.size(); ++input) {
      const Array& array = from.arrays[input];
      if (array.dtype != TENON_DTYPE_F64 || array.count() == 0) continue;
      Case one = from;
      filled(one, input);
      if (has_corner(all, input, at) || has_corner(one, input, at)) return false;
    }
  }
  return true;
}

TEST_F(ConformanceTies, OfEveryOpThatHasCornersAreStated) {
  std::set<std::string> stated, differentiable, cornered;
  for (const Row& row : rows()) stated.insert(row.op);
  for (const Json& op : ops()) {
    if (!op.at("vjp").is_null() || op.at("compose")) differentiable.insert(op.at("name"));
  }
  // A sanitizer takes its time: one case of each op is enough there.
  const int most = sanitizer() == TENON_SANITIZER_NONE ? 2 : 1;
  std::map<std::string, int> tried;
  for (const Case& from : good_cases()) {
    const bool is_known = cornered.contains(from.op) || !differentiable.contains(from.op);
    if (is_known || from.mutates() || from.n_outputs == 0 || tried[from.op] == most) continue;
    if (std::ranges::none_of(from.arrays, [](const Array& array) {
          return array.dtype == TENON_DTYPE_F64 && array.count() != 0;
        })) {
      continue;
    }
    ++tried[from.op];
    if (!is_smooth(from)) cornered.insert(from.op);
  }
  for (const std::string& op : cornered) {
    EXPECT_TRUE(stated.contains(op) || kDecompositions.contains(op))
        << op << " has a corner or a step: state its gradient there in its documentation and here";
  }
  EXPECT_GE(cornered.size(), 20u);
}

}  // namespace
}  // namespace tenon::tests
