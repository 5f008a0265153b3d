// SPDX-License-Identifier: Apache-2.0
// tests/conformance/gradient_test.cc: every backward rule against central differences in f64.
//
// For each drawn sample with f64 operands: d sum(out * seed) / d operand from tenon_backward_run,
// with strided operands and a strided seed, must agree with (f(x + h) - f(x - h)) / 2h.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "tests/conformance/conformance_support.h"

namespace tenon::tests {
namespace {

constexpr double kTolerance = 1e-6;
constexpr size_t kElements = 64;  // checked of each operand

bool is_differentiable(const Json& op) {
  return !op.at("vjp").is_null() || op.at("compose").get<bool>();
}

const Json& entry_of(const std::string& name) {
  const auto found = std::find_if(ops().begin(), ops().end(),
                                  [&](const Json& op) { return op.at("name") == name; });
  return *found;
}

// Given values are chosen for corners (NaN, ties, steps), where differences mean nothing.
bool has_given_floats(const Case& each) {
  const auto given = [](const sdk::SampleTensor& tensor) {
    return tensor.explicit_values && is_float(dtype_named(tensor.dtype));
  };
  for (const auto& input : each.sample.inputs) {
    if (input.kind == sdk::SampleInput::Kind::Tensor && given(input.tensor)) return true;
    if (std::any_of(input.list.begin(), input.list.end(), given)) return true;
  }
  return false;
}

bool has_f64_operand(const Case& each) {
  return std::any_of(each.arrays.begin(), each.arrays.end(),
                     [](const Array& array) { return array.dtype == TENON_DTYPE_F64; });
}

bool only_f64_floats(const Case& each) {
  return std::all_of(each.arrays.begin(), each.arrays.end(), [](const Array& array) {
    return !is_float(array.dtype) || array.dtype == TENON_DTYPE_F64;
  });
}

Array random_like(const Array& like, std::mt19937_64& random) {
  Array made = like;
  for (size_t i = 0; i < made.count(); ++i) {
    const double value = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
    std::memcpy(made.bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return made;
}

class ConformanceGradient : public testing::Test {
 protected:
  // sum over the f64 outputs of out * seed.
  double objective(const Case& at) {
    const NoGrad off(session);
    const Bound bound(session, at);
    std::vector<Tensor> made;
    session.must(tenon_context_set_counter(session, 0));
    session.must(call(session, at, bound.inputs(), at.n_plain_outputs, made));
    double sum = 0;
    for (size_t i = 0; i < made.size(); ++i) {
      if (seeds[i].dtype != TENON_DTYPE_F64) continue;
      const std::vector<double> values = values_of(contents_of(session, made[i].get()));
      const std::vector<double> weights = values_of(seeds[i]);
      for (size_t k = 0; k < values.size(); ++k) sum += values[k] * weights[k];
    }
    return sum;
  }

  double difference(Case at, size_t operand, size_t element) {
    unsigned char* address = at.arrays[operand].bytes.data() + element * sizeof(double);
    double x = 0;
    std::memcpy(&x, address, sizeof x);
    const double h = 1e-5 * std::max(1.0, std::abs(x));
    double sides[2];
    for (const int side : {0, 1}) {
      const double moved = side ? x + h : x - h;
      std::memcpy(address, &moved, sizeof moved);
      sides[side] = objective(at);
    }
    return (sides[1] - sides[0]) / ((x + h) - (x - h));
  }

  // The gradient that backward collected, dense; zeros where there is none.
  Array collected(const Placed& operand) {
    Array grad = operand.read();
    std::fill(grad.bytes.begin(), grad.bytes.end(), static_cast<unsigned char>(0));
    tenon_tensor* dense = nullptr;
    const tenon_status status = tenon_tensor_get_grad(session, operand.get(), &dense);
    if (status == TENON_OK) return dense ? contents_of(session, dense) : grad;
    EXPECT_EQ(status, TENON_E_ROWS) << session.failure();
    tenon_tensor* indices = nullptr;
    tenon_tensor* values = nullptr;
    session.must(tenon_tensor_get_grad_rows(session, operand.get(), &indices, &values));
    if (!indices || !values || grad.bytes.empty()) return grad;
    const Array rows = contents_of(session, indices);
    const Array given = contents_of(session, values);
    const size_t row_bytes = grad.bytes.size() / static_cast<size_t>(grad.shape[0]);
    for (size_t r = 0; r < rows.count(); ++r) {
      int64_t row = 0;
      std::memcpy(&row, rows.bytes.data() + r * sizeof row, sizeof row);
      std::memcpy(grad.bytes.data() + static_cast<size_t>(row) * row_bytes,
                  given.bytes.data() + r * row_bytes, row_bytes);
    }
    return grad;
  }

  void compare(const Case& each, size_t operand, const Array& grad) {
    const std::vector<double> analytic = values_of(grad);
    const size_t step = std::max<size_t>(1, analytic.size() / kElements);
    for (size_t i = 0; i < analytic.size(); i += step) {
      const double numeric = difference(each, operand, i);
      const double scale = std::max({1.0, std::abs(numeric), std::abs(analytic[i])});
      EXPECT_LE(std::abs(numeric - analytic[i]), kTolerance * scale)
          << "operand " << operand << " element " << i << ": backward gives " << analytic[i]
          << ", differences " << numeric;
      if (std::abs(numeric - analytic[i]) > kTolerance * scale) return;
    }
  }

  // True where the sample has something to differentiate.
  bool check(const Case& each, Layout layout) {
    const Bound bound(session, each, each.arrays, std::vector<Layout>(each.arrays.size(), layout));
    for (const auto& placed : bound.tensors()) {
      if (placed->read().dtype != TENON_DTYPE_F64) continue;
      session.must(tenon_tensor_set_requires_grad(session, placed->get(), 1));
    }
    std::vector<Tensor> made;
    session.must(call(session, each, bound.inputs(), each.n_plain_outputs, made));
    std::mt19937_64 random(kSeed);
    seeds.clear();
    std::vector<std::unique_ptr<Placed>> placed_seeds;
    std::vector<tenon_tensor*> roots;
    std::vector<tenon_tensor*> with;
    for (const Tensor& output : made) {
      Array like = contents_of(session, output.get());
      seeds.push_back(like.dtype == TENON_DTYPE_F64 ? random_like(like, random) : like);
      if (like.dtype != TENON_DTYPE_F64) continue;
      placed_seeds.push_back(std::make_unique<Placed>(session, seeds.back(), layout));
      roots.push_back(output.get());
      with.push_back(placed_seeds.back()->get());
    }
    if (roots.empty()) return false;
    session.must(tenon_backward_run(session, roots.data(), with.data(),
                                    static_cast<uint32_t>(roots.size()), 0));
    for (size_t i = 0; i < each.arrays.size(); ++i) {
      if (each.arrays[i].dtype != TENON_DTYPE_F64) continue;
      const Array grad = collected(*bound.tensors()[i]);
      EXPECT_EQ(grad.shape, each.arrays[i].shape);
      if (grad.shape != each.arrays[i].shape) return true;
      compare(each, i, grad);
    }
    for (const auto& seed : placed_seeds) EXPECT_TRUE(seed->outside_untouched());
    return true;
  }

  Session session;
  std::vector<Array> seeds;
};

TEST_F(ConformanceGradient, AgreesWithDifferences) {
  std::set<std::string> checked;
  const tenon_stats before = session.stats();
  for (const Case& each : good_cases()) {
    if (!is_differentiable(entry_of(each.op)) || each.mutates()) continue;
    if (!has_f64_operand(each) || !only_f64_floats(each) || has_given_floats(each)) continue;
    SCOPED_TRACE(each.label);
    for (const Layout layout : {Layout::RowMajor, Layout::Transposed, Layout::Stepped}) {
      SCOPED_TRACE(name_of(layout));
      if (check(each, layout)) checked.insert(each.op);
    }
  }
  for (const Json& op : ops()) {
    if (op.at("vjp").is_null()) continue;
    EXPECT_TRUE(checked.count(op.at("name")))
        << op.at("name") << " has a rule that no sample tests";
  }
  const tenon_stats after = session.stats();
  EXPECT_EQ(after.tensors, before.tensors);
  EXPECT_EQ(after.nodes, before.nodes);
}

// The rule's own ops are recorded with create_graph, and differentiated again: the gradient of
// sum(grad * w) exists and is finite wherever the first one was accepted.
TEST_F(ConformanceGradient, CanBeRecordedWhereTheRuleSaysSo) {
  for (const Case& each : good_cases()) {
    if (!is_differentiable(entry_of(each.op)) || each.mutates()) continue;
    if (!has_f64_operand(each) || !only_f64_floats(each) || has_given_floats(each)) continue;
    SCOPED_TRACE(each.label);
    const Bound bound(session, each);
    std::vector<tenon_tensor*> wanted;
    for (const auto& placed : bound.tensors()) {
      if (placed->read().dtype != TENON_DTYPE_F64) continue;
      session.must(tenon_tensor_set_requires_grad(session, placed->get(), 1));
      wanted.push_back(placed->get());
    }
    std::vector<Tensor> made;
    session.must(call(session, each, bound.inputs(), each.n_plain_outputs, made));
    if (made.empty() || contents_of(session, made[0].get()).dtype != TENON_DTYPE_F64) continue;
    tenon_tensor* root = made[0].get();
    const Array ones = contents_of(session, root);
    const Placed seed(session, ones, Layout::RowMajor);
    tenon_tensor* with = seed.get();
    std::vector<tenon_tensor*> grads(wanted.size(), nullptr);
    const tenon_status status = tenon_gradient_call(session, &root, &with, 1, wanted.data(),
                                                    static_cast<uint32_t>(wanted.size()),
                                                    TENON_BACKWARD_CREATE_GRAPH, grads.data());
    if (status == TENON_E_GRAD) {
      EXPECT_NE(session.failure().find("cannot itself be differentiated"), std::string::npos)
          << session.failure();
      continue;
    }
    session.must(status);
    for (tenon_tensor* grad : grads) {
      const Tensor owned(grad);
      if (!grad) continue;
      tenon_tensor_info info{};
      info.struct_size = sizeof info;
      session.must(tenon_tensor_get_info(session, grad, &info));
      if (!(info.flags & TENON_TENSOR_REQUIRES_GRAD)) continue;
      const Placed second(session, contents_of(session, grad), Layout::Stepped);
      tenon_tensor* second_seed = second.get();
      session.must(tenon_backward_run(session, &grad, &second_seed, 1, TENON_BACKWARD_RETAIN));
    }
  }
}

// Ops without a rule say so, by name, as soon as a gradient through them is asked for.
TEST_F(ConformanceGradient, MissingRulesAreErrors) {
  for (const Case& each : good_cases()) {
    if (is_differentiable(entry_of(each.op))) continue;
    SCOPED_TRACE(each.label);
    const Bound bound(session, each);
    bool floats = false;
    for (const auto& placed : bound.tensors()) {
      if (!is_float(placed->read().dtype)) continue;
      session.must(tenon_tensor_set_requires_grad(session, placed->get(), 1));
      floats = true;
    }
    std::vector<Tensor> made;
    const tenon_status called = call(session, each, bound.inputs(), each.n_plain_outputs, made);
    if (each.mutates() && floats) {
      EXPECT_EQ(called, TENON_E_GRAD);
      EXPECT_EQ(session.error().op, each.op) << session.failure();
      for (size_t i = 0; i < each.arrays.size(); ++i) {
        EXPECT_EQ(bound.tensors()[i]->read(), each.arrays[i]);
      }
      continue;
    }
    session.must(called);
    for (const Tensor& output : made) {
      tenon_tensor* root = output.get();
      const Array like = contents_of(session, root);
      const Placed seed(session, like, Layout::RowMajor);
      tenon_tensor* with = seed.get();
      EXPECT_EQ(tenon_backward_run(session, &root, &with, 1, 0), TENON_E_GRAD);
      const std::string words = session.failure();
      if (floats && is_float(like.dtype)) {
        EXPECT_NE(words.find(each.op + " has no backward rule"), std::string::npos) << words;
      } else {
        EXPECT_NE(words.find("has no graph"), std::string::npos) << words;
      }
    }
  }
}

}  // namespace
}  // namespace tenon::tests
