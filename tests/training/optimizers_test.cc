// SPDX-License-Identifier: Apache-2.0
// tests/training/optimizers_test.cc: update rules, bit for bit against their formulas.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

struct Hypers {
  double lr = 0.05;
  double momentum = 0, dampening = 0;
  bool nesterov = false;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double weight_decay = 0;
};

// By repeated squaring from the lowest bit, as the ops' documentation says.
double power(double base, int exponent) {
  double result = 1;
  for (int rest = exponent; rest != 0; rest /= 2) {
    if (rest % 2 != 0) result *= base;
    base *= base;
  }
  return result;
}

// The formulas of torch.optim, element by element, in the dtype C with scalars made in double.
template <class C>
struct Model {
  std::vector<C> p, b, m, v;
  int t = 0;

  explicit Model(std::vector<C> start)
      : p(std::move(start)), b(p.size()), m(p.size()), v(p.size()) {}

  void sgd(const std::vector<C>& grad, const Hypers& h) {
    ++t;
    for (size_t i = 0; i < p.size(); ++i) {
      C d = grad[i];
      if (h.weight_decay != 0) d = d + C(h.weight_decay) * p[i];
      if (h.momentum != 0) {
        b[i] = t == 1 ? d : C(h.momentum) * b[i] + C(1 - h.dampening) * d;
        d = h.nesterov ? d + C(h.momentum) * b[i] : b[i];
      }
      p[i] = p[i] + C(-h.lr) * d;
    }
  }

  void adam(const std::vector<C>& grad, const Hypers& h, bool decoupled) {
    ++t;
    const C step = C(-(h.lr / (1 - power(h.beta1, t))));
    const C inverse_root = C(1 / std::sqrt(1 - power(h.beta2, t)));
    for (size_t i = 0; i < p.size(); ++i) {
      C g = grad[i];
      if (h.weight_decay != 0 && decoupled) p[i] = C(1 - h.lr * h.weight_decay) * p[i];
      if (h.weight_decay != 0 && !decoupled) g = g + C(h.weight_decay) * p[i];
      m[i] = C(h.beta1) * m[i] + C(1 - h.beta1) * g;
      v[i] = C(h.beta2) * v[i] + C(1 - h.beta2) * g * g;
      p[i] = p[i] + step * m[i] / (std::sqrt(v[i]) * inverse_root + C(h.eps));
    }
  }
};

constexpr uint64_t kSeed = 20240611;

class Optimizers : public Training {
 protected:
  Optimizers() { std::cout << "seed " << kSeed << "\n"; }
  template <class C>
  std::vector<C> random_values(size_t count) {
    std::vector<C> values(count);
    for (C& value : values) value = static_cast<C>(normal(random));
    return values;
  }
  void set_grad(const Tensor& param, const Tensor& grad) {
    must(tenon_tensor_set_grad(context, param.get(), grad.get()));
  }
  void run(const Optimizer& optimizer) {
    must(tenon_optimizer_run(context, optimizer.get(), TENON_OPTIMIZER_CLEAR_GRAD));
  }
  tenon_tensor* state(const Optimizer& optimizer, uint32_t index, const char* name) {
    tenon_tensor* out = nullptr;
    must(tenon_optimizer_get_state(context, optimizer.get(), index, name, TENON_NUL, &out));
    return out;
  }

  // Five steps of an optimizer on two parameters against the model.
  template <class C, class Step>
  void compare(std::string_view name, const std::vector<Option>& hypers, Step step) {
    const std::vector<Shape> shapes = {{3, 5}, {4}};
    std::vector<Tensor> params;
    std::vector<Model<C>> models;
    for (const Shape& shape : shapes) {
      const auto start = random_values<C>(shape.size() == 2 ? 15 : 4);
      params.push_back(parameter(tensor(shape, start)));
      models.emplace_back(start);
    }
    const Optimizer optimizer = this->optimizer(name, {params[0].get(), params[1].get()}, hypers);
    for (int round = 0; round < 5; ++round) {
      for (size_t k = 0; k < params.size(); ++k) {
        const auto grad = random_values<C>(models[k].p.size());
        set_grad(params[k], tensor(shapes[k], grad));
        step(models[k], grad);
      }
      run(optimizer);
      for (size_t k = 0; k < params.size(); ++k) {
        EXPECT_EQ(values_of<C>(params[k].get()), models[k].p) << "round " << round;
      }
    }
    const auto steps = values_of<int64_t>(state(optimizer, 0, "step"));
    EXPECT_EQ(steps, std::vector<int64_t>{5});
  }

  std::mt19937_64 random{kSeed};
  std::normal_distribution<double> normal;
};

std::vector<Option> options_of(const Hypers& h, bool is_sgd) {
  if (is_sgd) {
    return {{"lr", real(h.lr)},
            {"momentum", real(h.momentum)},
            {"dampening", real(h.dampening)},
            {"weight_decay", real(h.weight_decay)},
            {"nesterov", flag(h.nesterov)}};
  }
  return {{"lr", real(h.lr)},
          {"beta1", real(h.beta1)},
          {"beta2", real(h.beta2)},
          {"eps", real(h.eps)},
          {"weight_decay", real(h.weight_decay)}};
}

TEST_F(Optimizers, SgdFollowsItsFormula) {
  for (const Hypers& h : {Hypers{}, Hypers{.momentum = 0.9},
                          Hypers{.momentum = 0.9, .dampening = 0.25, .weight_decay = 0.1},
                          Hypers{.momentum = 0.5, .nesterov = true, .weight_decay = 0.01},
                          Hypers{.weight_decay = 0.5}}) {
    SCOPED_TRACE(h.momentum);
    const auto step = [&](auto& model, const auto& grad) { model.sgd(grad, h); };
    compare<float>("tenon.sgd", options_of(h, true), step);
    compare<double>("tenon.sgd", options_of(h, true), step);
  }
}

TEST_F(Optimizers, AdamFollowsItsFormula) {
  for (const Hypers& h :
       {Hypers{}, Hypers{.beta1 = 0.5, .beta2 = 0.75, .eps = 1e-3, .weight_decay = 0.1}}) {
    for (const bool decoupled : {false, true}) {
      SCOPED_TRACE(decoupled);
      const auto step = [&](auto& model, const auto& grad) { model.adam(grad, h, decoupled); };
      const char* name = decoupled ? "tenon.adamw" : "tenon.adam";
      compare<float>(name, options_of(h, false), step);
      compare<double>(name, options_of(h, false), step);
    }
  }
}

// The defaults are PyTorch's.
TEST_F(Optimizers, Defaults) {
  const Tensor p = parameter(tensor<float>({1}, {1}));
  for (const auto& [name, hyper, expected] : {std::tuple{"tenon.sgd", "lr", 1e-3},
                                              {"tenon.sgd", "momentum", 0.0},
                                              {"tenon.sgd", "dampening", 0.0},
                                              {"tenon.sgd", "weight_decay", 0.0},
                                              {"tenon.adam", "lr", 1e-3},
                                              {"tenon.adam", "beta1", 0.9},
                                              {"tenon.adam", "beta2", 0.999},
                                              {"tenon.adam", "eps", 1e-8},
                                              {"tenon.adam", "weight_decay", 0.0},
                                              {"tenon.adamw", "lr", 1e-3},
                                              {"tenon.adamw", "weight_decay", 1e-2},
                                              {"tenon.adafactor", "lr", 1e-2},
                                              {"tenon.adafactor", "beta2_decay", -0.8},
                                              {"tenon.adafactor", "eps2", 1e-3},
                                              {"tenon.adafactor", "clip_threshold", 1.0},
                                              {"tenon.adafactor", "weight_decay", 0.0}}) {
    const Optimizer optimizer = this->optimizer(name, {p.get()}, {});
    tenon_value value{};
    must(tenon_optimizer_get(context, optimizer.get(), hyper, TENON_NUL, &value));
    EXPECT_EQ(value.tag, TENON_VALUE_F64) << name << " " << hyper;
    EXPECT_EQ(value.as.f64, expected) << name << " " << hyper;
  }
}

// A parameter in 16 bits is rounded when it is stored, and computed in f32.
TEST_F(Optimizers, Bf16IsRoundedOnce) {
  const auto widen = [](uint16_t bits) {
    const uint32_t wide = uint32_t{bits} << 16;
    float value = 0;
    static_assert(sizeof value == sizeof wide);
    std::copy_n(reinterpret_cast<const char*>(&wide), sizeof wide, reinterpret_cast<char*>(&value));
    return value;
  };
  const Tensor p = parameter(tensor<uint16_t>({2}, {0x3F80, 0x4049}));  // 1, 3.140625
  set_grad(p, tensor<uint16_t>({2}, {0x3F80, 0xBF80}));                 // 1, -1
  const Optimizer optimizer = this->optimizer("tenon.sgd", {p.get()}, {{"lr", real(0.01)}});
  run(optimizer);
  const auto bits = values_of<uint16_t>(p.get());
  EXPECT_NEAR(widen(bits[0]), 0.99, 0x1p-9);
  EXPECT_NEAR(widen(bits[1]), 3.150625, 0x1p-7);
  EXPECT_NE(bits[0], 0x3F80);
}

TEST_F(Optimizers, TransposedParameterTrainsLikeItsCopy) {
  for (const auto& [name, state_name] : {std::pair{"tenon.sgd", "momentum_buffer"},
                                         {"tenon.adam", "exp_avg_sq"},
                                         {"tenon.adamw", "exp_avg_sq"},
                                         {"tenon.nadam", "exp_avg_sq"},
                                         {"tenon.rmsprop", "square_avg"},
                                         {"tenon.adagrad", "sum"},
                                         {"tenon.adadelta", "acc_delta"},
                                         {"tenon.lion", "exp_avg"},
                                         {"tenon.lamb", "exp_avg_sq"},
                                         {"tenon.muon", "momentum_buffer"},
                                         {"tenon.adafactor", "row_var"}}) {
    SCOPED_TRACE(name);
    const auto start = random_values<float>(15);
    std::vector<float> turned(15);
    for (size_t i = 0; i < 15; ++i) turned[i % 5 * 3 + i / 5] = start[i];
    const Tensor base = tensor({5, 3}, turned);
    const Shape shape = {3, 5}, strides = {1, 3};
    tenon_tensor* view = nullptr;
    must(tenon_tensor_create_view(context, base.get(), 2, shape.data(), strides.data(), 0, &view));
    const Tensor strided = parameter(Tensor(view));
    const Tensor plain = parameter(tensor({3, 5}, start));
    std::vector<Option> hypers = {{"weight_decay", real(0.1)}};
    if (std::string_view(name) == "tenon.sgd") hypers.push_back({"momentum", real(0.9)});
    const Optimizer first = optimizer(name, {strided.get()}, hypers);
    const Optimizer second = optimizer(name, {plain.get()}, hypers);
    for (int round = 0; round < 3; ++round) {
      const auto grad = random_values<float>(15);
      set_grad(strided, tensor({3, 5}, grad));
      set_grad(plain, tensor({3, 5}, grad));
      run(first);
      run(second);
    }
    EXPECT_EQ(values_of<float>(strided.get()), values_of<float>(plain.get()));
    EXPECT_NE(values_of<float>(plain.get()), start);
    tenon_view layout{};
    must(tenon_tensor_get_view(context, state(first, 0, state_name), &layout));
    EXPECT_EQ(Shape(layout.strides, layout.strides + 2), strides);
    EXPECT_EQ(values_of<float>(state(first, 0, state_name)),
              values_of<float>(state(second, 0, state_name)));
  }
}

TEST_F(Optimizers, LearningRateMayChange) {
  const Tensor p = parameter(tensor<double>({1}, {1}));
  const Optimizer optimizer = this->optimizer("tenon.sgd", {p.get()}, {{"lr", real(0.5)}});
  set_grad(p, tensor<double>({1}, {1}));
  run(optimizer);
  const tenon_value lr = real(0.25);
  must(tenon_optimizer_set(context, optimizer.get(), "lr", TENON_NUL, &lr));
  set_grad(p, tensor<double>({1}, {1}));
  run(optimizer);
  EXPECT_EQ(values_of<double>(p.get()), std::vector<double>{0.25});
}

TEST_F(Optimizers, WrongHyperParametersAreRefused) {
  const Tensor p = parameter(tensor<float>({1}, {1}));
  tenon_tensor* params[] = {p.get()};
  for (const auto& [name, hyper, value] : {std::tuple{"tenon.adam", "beta1", 1.0},
                                           {"tenon.adam", "eps", -1.0},
                                           {"tenon.adamw", "weight_decay", -0.5},
                                           {"tenon.sgd", "momentum", -0.1},
                                           {"tenon.sgd", "lr", -1.0},
                                           {"tenon.sgd", "beta1", 0.5},
                                           {"tenon.adam", "beta2", std::nan("")}}) {
    const std::vector<Option> given = {{hyper, real(value)}};
    const Options options(given);
    tenon_optimizer* out = nullptr;
    const std::string words =
        refused(tenon_optimizer_create(context, name, TENON_NUL, params, 1, options.names.data(),
                                       options.values.data(), 1, &out),
                TENON_E_ATTRIBUTE);
    EXPECT_NE(words.find(hyper), std::string::npos) << words;
    EXPECT_EQ(out, nullptr);
  }
}

TEST_F(Optimizers, NesterovNeedsMomentum) {
  const Tensor p = parameter(tensor<float>({1}, {1}));
  const Optimizer optimizer = this->optimizer("tenon.sgd", {p.get()}, {{"nesterov", flag(true)}});
  set_grad(p, tensor<float>({1}, {1}));
  const std::string words =
      refused(tenon_optimizer_run(context, optimizer.get(), 0), TENON_E_ATTRIBUTE);
  EXPECT_NE(words.find("nesterov needs a momentum"), std::string::npos) << words;
  EXPECT_EQ(values_of<float>(p.get()), std::vector<float>{1});
}

// ---- Rows ---------------------------------------------------------------------------------------

// A step op called by hand: parameter, gradient or rows, states.
class Rows : public Optimizers {
 protected:
  tenon_status call(const std::string& name, const std::vector<tenon_tensor*>& lists, double lr) {
    const Tensor rate = tensor<double>({}, {lr});
    std::vector<tenon_value> inputs;
    for (tenon_tensor* const& tensor : lists) inputs.push_back(list({&tensor, 1}));
    inputs.push_back(one(rate.get()));
    const tenon_op* op = nullptr;
    must(tenon_op_find(context, name.data(), name.size(), 0, &op));
    // Attribute 0 is momentum, beta1, alpha, rho or the decay of the learning rate.
    const tenon_value attrs[] = {real(0.9)};
    return tenon_op_call(context, op, inputs.data(), static_cast<uint32_t>(inputs.size()), attrs, 1,
                         nullptr, 0);
  }
};

TEST_F(Rows, OnlyGivenRowsMove) {
  for (const auto& [kind, n_states] : {std::pair{"tenon.sgd", size_t{1}},
                                       {"tenon.adam", 2},
                                       {"tenon.adamw", 2},
                                       {"tenon.rmsprop", 3},
                                       {"tenon.adagrad", 1},
                                       {"tenon.adadelta", 2},
                                       {"tenon.lion", 1}}) {
    const std::string name = kind;
    SCOPED_TRACE(name);
    const auto start = random_values<float>(12), values = random_values<float>(6);
    std::vector<float> dense(12);
    std::copy_n(values.begin(), 3, dense.begin());
    std::copy_n(values.begin() + 3, 3, dense.begin() + 6);
    const Tensor p = tensor({4, 3}, start), q = tensor({4, 3}, start);
    const Tensor step_p = tensor<int64_t>({}, {2}), step_q = tensor<int64_t>({}, {2});
    const Tensor indices = tensor<int64_t>({2}, {0, 2}), rows = tensor({2, 3}, values);
    const Tensor grad = tensor({4, 3}, dense);
    std::vector<Tensor> states;
    std::vector<float> moments(12, 0.5f);
    for (size_t i = 0; i < 2 * n_states; ++i) states.push_back(tensor({4, 3}, moments));
    std::vector<tenon_tensor*> sparse = {p.get(), indices.get(), rows.get()};
    std::vector<tenon_tensor*> full = {q.get(), grad.get()};
    for (size_t i = 0; i < n_states; ++i) {
      sparse.push_back(states[i].get());
      full.push_back(states[n_states + i].get());
    }
    sparse.push_back(step_p.get());
    full.push_back(step_q.get());
    must(call(name + "_rows", sparse, 0.1));
    must(call(name + "_step", full, 0.1));
    const auto moved = values_of<float>(p.get()), all = values_of<float>(q.get());
    const auto state = values_of<float>(states[0].get());
    const auto state_all = values_of<float>(states[n_states].get());
    for (size_t i = 0; i < 12; ++i) {
      const bool given = i / 3 == 0 || i / 3 == 2;
      EXPECT_EQ(moved[i], given ? all[i] : start[i]) << i;
      EXPECT_EQ(state[i], given ? state_all[i] : 0.5f) << i;
    }
    EXPECT_EQ(values_of<int64_t>(step_p.get()), std::vector<int64_t>{3});
  }
}

TEST_F(Rows, WrongRowsChangeNothing) {
  for (const auto& [wrong, fragment] : {std::pair{std::vector<int64_t>{2, 0}, "ascend"},
                                        {{1, 1}, "ascend"},
                                        {{0, 4}, "row 4"},
                                        {{-1, 2}, "row -1"}}) {
    const auto start = random_values<float>(12);
    const Tensor p = tensor({4, 3}, start), buffer = tensor({4, 3}, start);
    const Tensor step = tensor<int64_t>({}, {2}), indices = tensor({2}, wrong);
    const Tensor rows = tensor({2, 3}, random_values<float>(6));
    const std::string words = refused(
        call("tenon.sgd_rows", {p.get(), indices.get(), rows.get(), buffer.get(), step.get()}, 0.1),
        TENON_E_DATA);
    EXPECT_NE(words.find(fragment), std::string::npos) << words;
    EXPECT_EQ(values_of<float>(p.get()), start);
    EXPECT_EQ(values_of<float>(buffer.get()), start);
    EXPECT_EQ(values_of<int64_t>(step.get()), std::vector<int64_t>{2});
  }
}

// ---- Compositions -------------------------------------------------------------------------------

// f32 parameters with f64 states: no kernel lists them, so the op runs as other ops.
class Compositions : public Rows {
 protected:
  uint64_t launches() {
    tenon_stats stats{};
    stats.struct_size = sizeof stats;
    must(tenon_runtime_get_stats(context, &stats));
    return stats.launches;
  }
  template <class T>
  std::vector<T> as(const std::vector<float>& values) {
    return {values.begin(), values.end()};
  }
};

TEST_F(Compositions, GiveWhatKernelsGive) {
  for (const std::string name : {"tenon.sgd", "tenon.adam", "tenon.adamw"}) {
    for (const bool rows : {false, true}) {
      SCOPED_TRACE(name + (rows ? " rows" : ""));
      const auto start = random_values<float>(12), change = random_values<float>(rows ? 6 : 12);
      const Shape grad_shape = {rows ? 2 : 4, 3};
      const Tensor p = tensor({4, 3}, start), q = tensor({4, 3}, as<double>(start));
      const Tensor g = tensor(grad_shape, change), h = tensor(grad_shape, as<double>(change));
      const Tensor indices = tensor<int64_t>({2}, {1, 3});
      const Tensor step_p = tensor<int64_t>({}, {0}), step_q = tensor<int64_t>({}, {0});
      std::vector<tenon_tensor*> composed = {p.get()}, kernel = {q.get()};
      if (rows) {
        composed.push_back(indices.get());
        kernel.push_back(indices.get());
      }
      composed.push_back(g.get());
      kernel.push_back(h.get());
      std::vector<Tensor> states;
      const size_t n_states = name == "tenon.sgd" ? 1 : 2;
      for (size_t i = 0; i < 2 * n_states; ++i) {
        states.push_back(tensor({4, 3}, std::vector<double>(12, 0.5)));
        (i < n_states ? composed : kernel).push_back(states.back().get());
      }
      composed.push_back(step_p.get());
      kernel.push_back(step_q.get());
      for (int round = 0; round < 3; ++round) {
        const uint64_t before = launches();
        must(call(name + (rows ? "_rows" : "_step"), composed, 0.1));
        EXPECT_GT(launches(), before + 1) << "a kernel ran";
        must(call(name + (rows ? "_rows" : "_step"), kernel, 0.1));
      }
      const auto found = values_of<float>(p.get());
      const auto expected = values_of<double>(q.get());
      for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
      EXPECT_NE(found, start);
      const auto state = values_of<double>(states[0].get());
      const auto state_expected = values_of<double>(states[n_states].get());
      for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(state[i], state_expected[i], 1e-7) << i;
      EXPECT_EQ(values_of<int64_t>(step_p.get()), std::vector<int64_t>{3});
    }
  }
}

// An infinite row stays infinite: nothing is added to what was there.
TEST_F(Compositions, PutRowsInPlace) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor p = tensor<float>({3}, {1, inf, 2}), g = tensor<float>({2}, {-inf, 4});
  const Tensor indices = tensor<int64_t>({2}, {1, 2}), step = tensor<int64_t>({}, {1});
  const Tensor buffer = tensor<double>({3}, {0, 0, 0});
  must(call("tenon.sgd_rows", {p.get(), indices.get(), g.get(), buffer.get(), step.get()}, 0.5));
  EXPECT_EQ(values_of<float>(p.get()), (std::vector<float>{1, inf, 0}));
}

}  // namespace
}  // namespace tenon::tests
