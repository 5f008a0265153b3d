// SPDX-License-Identifier: Apache-2.0
// tests/layers/layers_test.cc: containers, names, training and evaluation, state, wrong uses; and a
// model of layers that learns the shipped digits.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "tests/layers/layers_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LayerTest : public Layers {
 protected:
  // linear, relu, linear
  Layer mlp(int64_t inputs, int64_t hidden, int64_t outputs) {
    Layer model = layer("tenon.sequential");
    add(model, linear(inputs, hidden));
    add(model, activation("relu"));
    add(model, linear(hidden, outputs));
    return model;
  }
  std::string set_refused(const Layer& layer, const char* name, const Tensor& values,
                          tenon_status expected) {
    return refused(tenon_layer_set_tensor(context, layer.get(), name, TENON_NUL, values.get()),
                   expected);
  }
  tenon_status put(const Layer& container, const Layer& child, const char* name = "") {
    return tenon_layer_set_child(context, container.get(), name, TENON_NUL, child.get());
  }
};

TEST_F(LayerTest, LinearIsItsFormula) {
  const Layer layer = linear(2, 3);
  EXPECT_THAT(names(layer), ElementsAre("weight", "bias"));
  const Tensor weight = tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor bias = tensor<float>({3}, {10, 20, 30});
  must(tenon_layer_set_tensor(context, layer.get(), "weight", TENON_NUL, weight.get()));
  must(tenon_layer_set_tensor(context, layer.get(), "bias", TENON_NUL, bias.get()));
  const Tensor x = tensor<float>({1, 2}, {1, -1});
  EXPECT_THAT(values_of<float>(run(layer, x.get()).get()), ElementsAre(9, 19, 29));
}

// As if the view had been read before the first element is written, more than fits a register.
TEST_F(LayerTest, ATensorIsSetToAViewOfItself) {
  const Layer layer = linear(20, 30);
  std::vector<float> values(600);
  std::iota(values.begin(), values.end(), 0.f);
  const Tensor weight = tensor<float>({30, 20}, values);
  must(tenon_layer_set_tensor(context, layer.get(), "weight", TENON_NUL, weight.get()));
  const Tensor view = call("tenon.flip", {one(states(layer)[0].tensor)});
  must(tenon_layer_set_tensor(context, layer.get(), "weight", TENON_NUL, view.get()));
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(values_of<float>(states(layer)[0].tensor), values);
}

TEST_F(LayerTest, NormsObeyTheirOptions) {
  const Shape sizes = {2};
  const auto norm = [&](bool affine, bool bias, double eps) {
    return layer("tenon.layer_norm", {{"sizes", ints(sizes)},
                                      {"affine", flag(affine)},
                                      {"bias", flag(bias)},
                                      {"eps", real(eps)}});
  };
  EXPECT_THAT(names(norm(true, true, 0)), ElementsAre("weight", "bias"));
  EXPECT_THAT(names(norm(true, false, 0)), ElementsAre("weight"));
  EXPECT_THAT(names(norm(false, true, 0)), ElementsAre());
  const Tensor x = tensor<float>({1, 2}, {-1, 1});
  EXPECT_THAT(values_of<float>(run(norm(true, true, 3), x.get()).get()), ElementsAre(-0.5f, 0.5f));
}

TEST_F(LayerTest, InitialValuesHaveTheirSpread) {
  const auto deviation = [&](const char* init, double gain) {
    const Layer made = layer("tenon.linear", {{"inputs", integer(100)},
                                              {"outputs", integer(300)},
                                              {"init", text(init)},
                                              {"gain", real(gain)}});
    double sum = 0;
    double most = 0;
    const std::vector<float> values = values_of<float>(states(made)[0].tensor);
    for (const double value : values) {
      sum += value * value;
      most = std::max(most, std::abs(value));
    }
    return std::pair(std::sqrt(sum / static_cast<double>(values.size())), most);
  };
  seed(3);
  const auto expect = [&](const char* init, double gain, double wanted, bool uniform) {
    const auto [found, most] = deviation(init, gain);
    EXPECT_NEAR(found, wanted, 0.02 * wanted) << init;
    EXPECT_EQ(most <= std::sqrt(3.0) * wanted * 1.0001, uniform) << init;
  };
  expect("default", 1, 0.1 / std::sqrt(3.0), true);
  expect("xavier_uniform", 2, 2 * std::sqrt(2.0 / 400), true);
  expect("xavier_normal", 1, std::sqrt(2.0 / 400), false);
  expect("kaiming_uniform", std::sqrt(2.0), std::sqrt(2.0 / 100), true);
  expect("kaiming_normal", 1, 0.1, false);
  expect("uniform", 0.3, 0.3 / std::sqrt(3.0), true);
  expect("normal", 0.02, 0.02, false);
  // Of the standard normal distribution cut at -2 and 2 the deviation is 0.879626.
  expect("truncated_normal", 0.02, 0.02 * 0.879626, false);
  EXPECT_LE(deviation("truncated_normal", 0.02).second, 0.02 * 2);
  expect("orthogonal", 1.5, 1.5 / std::sqrt(300.0), false);
}

TEST_F(LayerTest, OrthogonalWeightsKeepLengths) {
  for (const auto& [inputs, outputs] : {std::pair{5, 9}, {9, 5}}) {
    const Layer made = layer("tenon.linear", {{"inputs", integer(inputs)},
                                              {"outputs", integer(outputs)},
                                              {"init", text("orthogonal")},
                                              {"gain", real(2)},
                                              {"dtype", dtype_value(TENON_DTYPE_F64)}});
    const Tensor weight = call("tenon.copy", {one(states(made)[0].tensor)});
    const Tensor across = call("tenon.transpose", {one(weight.get())});
    const auto [first, second] =
        inputs < outputs ? std::pair{&across, &weight} : std::pair{&weight, &across};
    const Tensor gram = call("tenon.matmul", {one(first->get()), one(second->get())});
    const std::vector<double> found = values_of<double>(gram.get());
    for (size_t i = 0; i < 25; ++i) EXPECT_NEAR(found[i], i % 6 == 0 ? 4.0 : 0.0, 1e-14) << i;
  }
}

TEST_F(LayerTest, NamesLeadThroughContainers) {
  const Layer model = layer("tenon.sequential");
  const Layer inner = layer("tenon.sequential");
  add(model, linear(2, 3), "encoder");
  add(model, inner);
  EXPECT_THAT(names(model), ElementsAre("encoder.weight", "encoder.bias"));
  const Layer norm = layer("tenon.batch_norm", {{"features", integer(3)}});
  add(inner, norm);
  EXPECT_THAT(names(model), ElementsAre("encoder.weight", "encoder.bias", "1.0.weight", "1.0.bias",
                                        "1.0.running_mean", "1.0.running_var"));
  EXPECT_TRUE(states(model)[4].buffer);
  EXPECT_EQ(parameters(model).size(), 4u);
  tenon_tensor* found = nullptr;
  must(tenon_layer_find_tensor(context, model.get(), "1.0.running_var", TENON_NUL, &found));
  EXPECT_EQ(found, states(norm)[3].tensor);
  const std::string words =
      refused(tenon_layer_find_tensor(context, model.get(), "1.weight", TENON_NUL, &found),
              TENON_E_NOT_FOUND);
  EXPECT_THAT(words, HasSubstr("no tensor \"1.weight\""));
  EXPECT_THAT(words, HasSubstr("1.0.running_mean"));
}

// Buffers stand among the parameters, and an optimizer takes none of them.
TEST_F(LayerTest, ListsParametersWithoutBuffers) {
  const Layer model = layer("tenon.sequential");
  add(model, layer("tenon.batch_norm", {{"features", integer(2)}}));
  add(model, linear(2, 3));
  std::vector<std::string> found;
  std::vector<tenon_tensor*> params;
  for (;;) {
    const char* name = nullptr;
    tenon_tensor* tensor = nullptr;
    const auto index = static_cast<uint32_t>(params.size());
    const tenon_status status =
        tenon_layer_get_parameter(context, model.get(), index, &name, &tensor);
    if (status == TENON_E_NOT_FOUND) break;
    must(status);
    found.emplace_back(name);
    params.push_back(tensor);
  }
  EXPECT_THAT(found, ElementsAre("0.weight", "0.bias", "1.weight", "1.bias"));
  EXPECT_EQ(params, parameters(model));
  tenon_optimizer* sgd = nullptr;
  const auto create = [&] {
    return tenon_optimizer_create(context, "tenon.sgd", TENON_NUL, params.data(),
                                  static_cast<uint32_t>(params.size()), nullptr, nullptr, 0, &sgd);
  };
  must(create());
  tenon_optimizer_release(sgd);
  ASSERT_TRUE(states(model)[2].buffer);
  params.push_back(states(model)[2].tensor);
  EXPECT_THAT(refused(create(), TENON_E_GRAD), HasSubstr("parameter 4 is not a leaf"));
  tenon_error error{};
  error.struct_size = sizeof error;
  must(tenon_context_get_error(context, &error));
  EXPECT_STREQ(error.operand, "params[4]");
  EXPECT_THAT(error.hint, HasSubstr("tenon_layer_get_parameter lists"));
}

TEST_F(LayerTest, ContainersRefuseWhatIsNoTree) {
  const Layer a = layer("tenon.sequential");
  const Layer b = layer("tenon.sequential");
  const Layer leaf = linear(2, 2);
  EXPECT_THAT(refused(put(leaf, a), TENON_E_UNSUPPORTED), HasSubstr("takes no children"));
  EXPECT_THAT(refused(put(a, a), TENON_E_ARGUMENT), HasSubstr("cannot be in itself"));
  add(a, b, "inner");
  EXPECT_THAT(refused(put(b, a), TENON_E_ARGUMENT), HasSubstr("cannot be in itself"));
  EXPECT_THAT(refused(put(a, leaf, "inner"), TENON_E_ARGUMENT), HasSubstr("is taken"));
  EXPECT_THAT(refused(put(a, leaf, "0.weight"), TENON_E_ARGUMENT), HasSubstr("malformed"));
  {
    const Layer other = layer("tenon.sequential");
    add(other, leaf);
    EXPECT_THAT(refused(put(a, leaf), TENON_E_ARGUMENT), HasSubstr("in a container already"));
  }
  add(a, leaf);  // its container is gone
  EXPECT_THAT(names(a), ElementsAre("1.weight", "1.bias"));
}

// From the outside in, so that no layer knows of those above it but by what it was told.
TEST_F(LayerTest, NestingHasAnEnd) {
  std::vector<Layer> chain;
  for (int i = 0; i < 64; ++i) {
    chain.push_back(layer("tenon.sequential"));
    if (i > 0) add(chain[static_cast<size_t>(i) - 1], chain.back());
  }
  EXPECT_THAT(refused(put(chain.back(), linear(2, 2)), TENON_E_ARGUMENT),
              HasSubstr("too many layers"));
  const Layer top = layer("tenon.sequential");
  EXPECT_THAT(refused(put(top, chain.front()), TENON_E_ARGUMENT), HasSubstr("too many layers"));
}

TEST_F(LayerTest, ChildrenOutliveTheirHandles) {
  Layer model = mlp(2, 4, 3);  // the children's handles are released
  const Tensor x = tensor<float>({1, 2}, {0.5F, -1});
  const Tensor y = run(model, x.get());
  EXPECT_EQ(values_of<float>(y.get()).size(), 3u);
  const std::vector<State> all = states(model);
  must(tenon_tensor_retain(all[0].tensor));
  const Tensor kept(all[0].tensor);
  model.reset();
  EXPECT_EQ(values_of<float>(kept.get()).size(), 8u);
  backward(call("tenon.sum", {one(y.get())}));  // the graph holds what it needs
}

TEST_F(LayerTest, WrongStateIsRefusedAndChangesNothing) {
  const Layer layer = linear(2, 3);
  const std::string before = bytes_of(states(layer)[0].tensor);
  EXPECT_THAT(
      set_refused(layer, "weight", tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}), TENON_E_SHAPE),
      HasSubstr("\"weight\""));
  EXPECT_THAT(
      set_refused(layer, "weight", tensor<double>({3, 2}, {1, 2, 3, 4, 5, 6}), TENON_E_DTYPE),
      HasSubstr("f64[3,2]"));
  EXPECT_THAT(set_refused(layer, "wait", tensor<float>({1}, {1}), TENON_E_NOT_FOUND),
              HasSubstr("one of: weight bias"));
  EXPECT_EQ(bytes_of(states(layer)[0].tensor), before);
  must(tenon_capture_begin(context, nullptr, 0));
  set_refused(layer, "bias", tensor<float>({3}, {1, 2, 3}), TENON_E_CAPTURE);
  tenon_plan* plan = nullptr;
  must(tenon_capture_end(context, &plan));
  tenon_plan_release(plan);
}

TEST_F(LayerTest, WrongCallsSayWhatIsExpected) {
  const Layer model = mlp(2, 4, 3);
  const Tensor x = tensor<float>({1, 3}, {1, 2, 3});
  tenon_value input = one(x.get());
  tenon_tensor* out[2] = {};
  std::string words =
      refused(tenon_layer_call(context, model.get(), &input, 1, out, 2), TENON_E_ARGUMENT);
  EXPECT_THAT(words, HasSubstr("number of outputs"));
  words = refused(tenon_layer_call(context, model.get(), nullptr, 0, out, 1), TENON_E_ARGUMENT);
  EXPECT_THAT(words, HasSubstr("number of inputs"));
  input = real(1);
  words = refused(tenon_layer_call(context, model.get(), &input, 1, out, 1), TENON_E_ARGUMENT);
  EXPECT_THAT(words, HasSubstr("must be a tensor"));
  // The child in which an op failed is the scope of the failure.
  input = one(x.get());
  EXPECT_EQ(tenon_layer_call(context, model.get(), &input, 1, out, 1), TENON_E_SHAPE);
  tenon_error error{};
  error.struct_size = sizeof error;
  must(tenon_context_get_error(context, &error));
  EXPECT_STREQ(error.scope, "0");
  EXPECT_STREQ(error.op, "tenon.linear");
  words = refused(create("tenon.nothing", {}, nullptr), TENON_E_ARGUMENT);
  tenon_layer* none = nullptr;
  words = refused(create("tenon.nothing", {}, &none), TENON_E_NOT_FOUND);
  EXPECT_THAT(words, HasSubstr("layer \"tenon.nothing\""));
  EXPECT_EQ(out[0], nullptr);
}

TEST_F(LayerTest, DropoutIsForTraining) {
  const Layer model = layer("tenon.sequential");
  add(model, layer("tenon.dropout", {{"p", real(0.5)}}));
  const Tensor x = tensor<float>({64}, std::vector<float>(64, 1));
  seed(11);
  const std::vector<float> trained = values_of<float>(run(model, x.get()).get());
  EXPECT_GT(std::count(trained.begin(), trained.end(), 0.0F), 10);
  EXPECT_GT(std::count(trained.begin(), trained.end(), 2.0F), 10);
  set_training(model, false);
  EXPECT_EQ(values_of<float>(run(model, x.get()).get()), std::vector<float>(64, 1));
}

TEST_F(LayerTest, BatchNormFollowsItsBatches) {
  const Layer norm =
      layer("tenon.batch_norm", {{"features", integer(2)}, {"momentum", real(0.25)}});
  const Tensor x = tensor<float>({4, 2}, {1, 10, 2, 10, 3, 10, 6, 50});
  const std::vector<float> y = values_of<float>(run(norm, x.get()).get());
  EXPECT_NEAR(y[0], -2 / std::sqrt(3.5 + 1e-5), 1e-5);
  EXPECT_NEAR(y[6], 3 / std::sqrt(3.5 + 1e-5), 1e-5);
  const std::vector<State> all = states(norm);
  EXPECT_THAT(values_of<float>(all[2].tensor), ElementsAre(0.75F, 5.0F));
  const std::vector<float> variance = values_of<float>(all[3].tensor);
  EXPECT_NEAR(variance[0], 0.75 + 0.25 * 14.0 / 3, 1e-5);
  EXPECT_NEAR(variance[1], 0.75 + 0.25 * 400, 1e-3);
  // The buffers have no graph, although the batch's statistics had.
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  must(tenon_tensor_get_info(context, all[2].tensor, &info));
  EXPECT_TRUE(info.flags & TENON_TENSOR_LEAF);
  EXPECT_FALSE(info.flags & TENON_TENSOR_REQUIRES_GRAD);
  set_training(norm, false);
  const std::vector<float> z = values_of<float>(run(norm, x.get()).get());
  EXPECT_NEAR(z[0], (1 - 0.75) / std::sqrt(variance[0] + 1e-5), 1e-5);
  EXPECT_THAT(values_of<float>(all[2].tensor), ElementsAre(0.75F, 5.0F));
}

TEST_F(LayerTest, SixteenBitLayersAreRoundedDraws) {
  seed(5);
  const Layer wide = linear(3, 2);
  seed(5);
  const Layer narrow = linear(3, 2, TENON_DTYPE_BF16);
  const Tensor rounded =
      call("tenon.cast", {one(states(wide)[0].tensor)}, {{"dtype", dtype_value(TENON_DTYPE_BF16)}});
  EXPECT_EQ(bytes_of(rounded.get()), bytes_of(states(narrow)[0].tensor));
}

// Training steps of a model with every kind of layer, captured and replayed: the same bits.
TEST_F(LayerTest, CapturedStepsAreEagerOnes) {
  const auto make = [&] {
    seed(9);
    Layer model = layer("tenon.sequential");
    add(model, linear(4, 6));
    add(model, layer("tenon.batch_norm", {{"features", integer(6)}}));
    add(model, activation("gelu"));
    add(model, layer("tenon.dropout", {{"p", real(0.25)}}));
    const std::vector<int64_t> sizes = {6};
    add(model, layer("tenon.layer_norm", {{"sizes", ints(sizes)}}));
    add(model, linear(6, 3));
    return model;
  };
  std::vector<float> numbers;
  for (int i = 0; i < 20; ++i) numbers.push_back(static_cast<float>(std::sin(i)));
  const Tensor x = tensor<float>({5, 4}, numbers);
  const auto step = [&](const Layer& model, const Optimizer& adam) {
    const Tensor y = run(model, x.get());
    const Tensor squares = call("tenon.square", {one(y.get())});
    Tensor loss = call("tenon.mean", {one(squares.get())});
    backward(loss);
    must(tenon_optimizer_run(context, adam.get(), TENON_OPTIMIZER_CLEAR_GRAD));
    return loss;
  };
  const Layer eager = make();
  const Optimizer eager_adam = optimizer("tenon.adam", parameters(eager), {});
  seed(33);
  for (int i = 0; i < 5; ++i) step(eager, eager_adam);

  const Layer captured = make();
  const Optimizer adam = optimizer("tenon.adam", parameters(captured), {});
  seed(33);
  must(tenon_capture_begin(context, nullptr, 0));
  const Tensor loss = step(captured, adam);
  tenon_plan* plan = nullptr;
  must(tenon_capture_end(context, &plan));
  for (int i = 1; i < 5; ++i) must(tenon_plan_run(context, plan));
  tenon_plan_release(plan);
  const std::vector<State> a = states(eager);
  const std::vector<State> b = states(captured);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(bytes_of(a[i].tensor), bytes_of(b[i].tensor)) << a[i].name;
  }
}

// A plan has launched what training launches: it cannot follow, whether the layer is switched or
// what holds it.
TEST_F(LayerTest, TrainingThatChangesMakesPlansStale) {
  const Layer outer = layer("tenon.sequential");
  const Layer inner = layer("tenon.dropout", {{"p", real(0.5)}});
  add(outer, inner);
  add(outer, linear(2, 2));
  const Tensor x = tensor<float>({1, 2}, {1, 2});
  tenon_plan* plan = nullptr;
  must(tenon_capture_begin(context, nullptr, 0));
  const Tensor y = run(outer, x.get());
  must(tenon_capture_end(context, &plan));
  must(tenon_plan_run(context, plan));
  for (const Layer* switched : {&outer, &inner}) {
    const std::string before = bytes_of(y.get());
    set_training(*switched, false);
    const std::string words = refused(tenon_plan_run(context, plan), TENON_E_STATE);
    EXPECT_THAT(words, HasSubstr("the plan was captured with training of a layer tenon."));
    EXPECT_THAT(words, HasSubstr(" = true, which is false now"));
    EXPECT_THAT(words, HasSubstr("capture the step again, or set it back"));
    EXPECT_EQ(bytes_of(y.get()), before);
    set_training(*switched, true);
    must(tenon_plan_run(context, plan));
  }
  tenon_plan_release(plan);
}

TEST_F(LayerTest, NothingStaysBehind) {
  tenon_stats before{};
  before.struct_size = sizeof before;
  must(tenon_runtime_get_stats(context, &before));
  for (int i = 0; i < 3; ++i) {
    const Layer model = mlp(2, 4, 3);
    const Tensor x = tensor<float>({1, 2}, {1, 2});
    backward(call("tenon.sum", {one(run(model, x.get()).get())}));
    tenon_layer* none = nullptr;
    refused(create("tenon.linear", {{"inputs", integer(2)}, {"outputs", integer(0)}}, &none),
            TENON_E_ATTRIBUTE);
  }
  tenon_stats after{};
  after.struct_size = sizeof after;
  must(tenon_runtime_get_stats(context, &after));
  EXPECT_EQ(after.tensors, before.tensors);
  EXPECT_EQ(after.storages, before.storages);
}

TEST_F(LayerTest, AModelLearnsDigits) {
  const std::string root = std::string(data_dir()) + "/digits/train-";
  const std::string images = root + "images-idx3-ubyte";
  const std::string labels = root + "labels-idx1-ubyte";
  const Dataset digits = dataset({{"images", text(images)}, {"labels", text(labels)}});
  seed(1);
  const Layer model = mlp(64, 24, 10);
  const Optimizer adam = optimizer("tenon.adam", parameters(model), {{"lr", real(0.01)}});
  const std::vector<int64_t> flat = {32, 64};
  float first = 0;
  float last = 0;
  for (int64_t at = 0; at < 80; ++at) {
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < 32; ++i) indices.push_back((at * 32 + i) % 1024);
    tenon_tensor* fields[2] = {};
    must(tenon_dataset_call(context, digits.get(), indices.data(), 32, fields, 2));
    const Tensor pixels(fields[0]);
    const Tensor classes(fields[1]);
    const Tensor floats =
        call("tenon.cast", {one(pixels.get())}, {{"dtype", dtype_value(TENON_DTYPE_F32)}});
    const Tensor rows = call("tenon.reshape", {one(floats.get())}, {{"shape", ints(flat)}});
    const Tensor x = call("tenon.mul", {one(rows.get()), real(1.0 / 16)});
    const Tensor y =
        call("tenon.cast", {one(classes.get())}, {{"dtype", dtype_value(TENON_DTYPE_I64)}});
    const Tensor logits = run(model, x.get());
    const Tensor loss = call("tenon.softmax_cross_entropy", {one(logits.get()), one(y.get())});
    backward(loss);
    must(tenon_optimizer_run(context, adam.get(), TENON_OPTIMIZER_CLEAR_GRAD));
    last = values_of<float>(loss.get())[0];
    if (at == 0) first = last;
  }
  EXPECT_LT(last, first / 4);
}

}  // namespace
}  // namespace tenon::tests
