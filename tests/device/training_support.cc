// SPDX-License-Identifier: Apache-2.0
// tests/device/training_support.cc: a small network that trains on a device as on the host.
#include "tests/device/training_support.h"

#include <cmath>
#include <iostream>
#include <random>

namespace tenon::tests {
namespace {

constexpr uint64_t kTrainingSeed = 4242;
constexpr int64_t kRows = 32, kIn = 8, kHidden = 12, kClasses = 3;

struct ReleaseOptimizer {
  void operator()(tenon_optimizer* optimizer) const { tenon_optimizer_release(optimizer); }
};
using Optimizer = std::unique_ptr<tenon_optimizer, ReleaseOptimizer>;

std::vector<float> drawn(std::mt19937_64& random, int64_t count, double bound) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) {
    value = static_cast<float>((static_cast<double>(random() >> 11) * 0x1p-52 - 1.0) * bound);
  }
  return values;
}

// Losses of `steps` training steps, all of them on `device`.
std::vector<double> train(const DeviceSession& session, const tenon_device& device,
                          const char* rule, const std::vector<std::pair<std::string, double>>& set,
                          int steps) {
  std::mt19937_64 random(kTrainingSeed);
  const Tensor x = session.f32(device, {kRows, kIn}, drawn(random, kRows * kIn, 1));
  std::vector<int64_t> classes(kRows);
  const std::vector<float> inputs = session.floats(x);
  for (size_t n = 0; n < classes.size(); ++n) {
    const float* row = &inputs[n * kIn];
    classes[n] = row[0] > 0.3f ? 0 : row[1] > row[2] ? 1 : 2;
  }
  Array labels{TENON_DTYPE_I64, {kRows}, std::vector<unsigned char>(kRows * 8)};
  std::memcpy(labels.bytes.data(), classes.data(), labels.bytes.size());
  const Tensor y = session.on(device, labels);
  std::vector<Tensor> params;
  params.push_back(session.f32(device, {kIn, kHidden}, drawn(random, kIn * kHidden, 0.5)));
  params.push_back(session.f32(device, {kHidden}, drawn(random, kHidden, 0.5)));
  params.push_back(
      session.f32(device, {kHidden, kClasses}, drawn(random, kHidden * kClasses, 0.5)));
  params.push_back(session.f32(device, {kClasses}, drawn(random, kClasses, 0.5)));
  std::vector<tenon_tensor*> handles;
  for (const Tensor& param : params) {
    session.must(tenon_tensor_set_requires_grad(session, param.get(), 1));
    handles.push_back(param.get());
  }
  std::vector<tenon_string> names;
  std::vector<tenon_value> values;
  for (const auto& [name, number] : set) {
    names.push_back({name.data(), name.size()});
    values.push_back(real_value(number));
  }
  tenon_optimizer* made = nullptr;
  session.must(tenon_optimizer_create(session, rule, TENON_NUL, handles.data(), 4, names.data(),
                                      values.data(), static_cast<uint32_t>(names.size()), &made));
  const Optimizer optimizer(made);
  const auto two = [&](const char* op, const Tensor& a, const Tensor& b) {
    return session.call(op, {tensor_value(a.get()), tensor_value(b.get())});
  };
  std::vector<Tensor> losses;  // read at the end: nothing in a step waits
  for (int step = 0; step < steps; ++step) {
    const Tensor a = two("tenon.add", two("tenon.matmul", x, params[0]), params[1]);
    const Tensor h = session.call("tenon.relu", {tensor_value(a.get())});
    const Tensor logits = two("tenon.add", two("tenon.matmul", h, params[2]), params[3]);
    Tensor loss = two("tenon.softmax_cross_entropy", logits, y);
    tenon_tensor* root = loss.get();
    session.must(tenon_backward_run(session, &root, nullptr, 1, 0));
    session.must(tenon_optimizer_run(session, made, TENON_OPTIMIZER_CLEAR_GRAD));
    losses.push_back(std::move(loss));
  }
  std::vector<double> numbers;
  for (const Tensor& loss : losses) numbers.push_back(session.item(loss));
  return numbers;
}

}  // namespace

void expect_same_training(const DeviceSession& session) {
  std::cout << "seed " << kTrainingSeed << "\n";
  struct Rule {
    const char* name;
    std::vector<std::pair<std::string, double>> set;
  };
  const Rule rules[] = {{"tenon.sgd", {{"lr", 0.3}}},
                        {"tenon.sgd", {{"lr", 0.1}, {"momentum", 0.9}}},
                        {"tenon.adam", {{"lr", 0.03}}}};
  for (const Rule& rule : rules) {
    SCOPED_TRACE(rule.name);
    const std::vector<double> host = train(session, session.cpu, rule.name, rule.set, 40);
    const std::vector<double> there = train(session, session.sim, rule.name, rule.set, 40);
    ASSERT_EQ(host.size(), there.size());
    for (size_t i = 0; i < host.size(); ++i) {
      ASSERT_NEAR(there[i], host[i], 1e-4 * std::max(1.0, std::fabs(host[i]))) << "step " << i;
    }
    EXPECT_LT(there.back(), there.front() / 2);
  }
}

}  // namespace tenon::tests
