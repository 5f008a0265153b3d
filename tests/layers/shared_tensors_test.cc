// SPDX-License-Identifier: Apache-2.0
// tests/layers/shared_tensors_test.cc: one tensor in several places of layers: tied weights.
#include <gmock/gmock.h>

#include <cstdio>

#include "tests/layers/layers_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SharedTensors : public Layers {
 protected:
  tenon_status share(const Layer& layer, const char* name, tenon_tensor* tensor) {
    return tenon_layer_share_tensor(context, layer.get(), name, TENON_NUL, tensor);
  }
  tenon_tensor* find(const Layer& layer, const char* name) {
    tenon_tensor* found = nullptr;
    must(tenon_layer_find_tensor(context, layer.get(), name, TENON_NUL, &found));
    return found;
  }
  // Two square linear layers, one after the other.
  Layer twins() {
    Layer model = layer("tenon.sequential");
    add(model, linear(2, 2));
    add(model, linear(2, 2));
    return model;
  }
  std::vector<std::string> parameter_names(const Layer& layer) {
    std::vector<std::string> list;
    const char* name = nullptr;
    while (tenon_layer_get_parameter(context, layer.get(), static_cast<uint32_t>(list.size()),
                                     &name, nullptr) == TENON_OK) {
      list.emplace_back(name);
    }
    return list;
  }
  Tensor gradient_of(tenon_tensor* leaf) {
    tenon_tensor* grad = nullptr;
    must(tenon_tensor_get_grad(context, leaf, &grad));
    if (grad) must(tenon_tensor_retain(grad));
    return Tensor(grad);
  }
};

TEST_F(SharedTensors, OneParameterUnderTwoNames) {
  const Layer model = twins();
  must(share(model, "1.weight", find(model, "0.weight")));
  EXPECT_EQ(find(model, "1.weight"), find(model, "0.weight"));
  EXPECT_THAT(names(model), ElementsAre("0.weight", "0.bias", "1.weight", "1.bias"));
  EXPECT_THAT(parameter_names(model), ElementsAre("0.weight", "0.bias", "1.bias"));
  tenon_optimizer* sgd = nullptr;
  must(tenon_optimizer_create_for_layer(context, "tenon.sgd", TENON_NUL, model.get(), nullptr,
                                        nullptr, 0, &sgd));
  tenon_optimizer_release(sgd);
  must(tenon_layer_set_tensor(context, model.get(), "0.weight", TENON_NUL,
                              tensor<float>({2, 2}, {1, 2, 3, 4}).get()));
  for (const char* bias : {"0.bias", "1.bias"}) {
    must(tenon_layer_set_tensor(context, model.get(), bias, TENON_NUL,
                                tensor<float>({2}, {0, 0}).get()));
  }
  const Tensor x = tensor<float>({1, 2}, {1, 1});
  const Tensor y = run(model, x.get());
  EXPECT_THAT(values_of<float>(y.get()), ElementsAre(17, 37));
  backward(call("tenon.sum", {one(y.get())}));
  // d sum(W W x) / dW = 1 (W x)^T + W^T 1 x^T = {{3,7},{3,7}} + {{4,4},{6,6}}
  EXPECT_THAT(values_of<float>(gradient_of(find(model, "0.weight")).get()),
              ElementsAre(7, 11, 9, 13));
}

TEST_F(SharedTensors, FilesHoldEveryName) {
  const Layer tied = twins();
  must(share(tied, "1.weight", find(tied, "0.weight")));
  const std::string path = testing::TempDir() + "tied.safetensors";
  must(tenon_layer_save(context, tied.get(), path.data(), path.size()));
  const Layer apart = twins();
  must(tenon_layer_load(context, apart.get(), path.data(), path.size()));
  EXPECT_EQ(bytes_of(find(apart, "1.weight")), bytes_of(find(tied, "0.weight")));
  must(tenon_layer_load(context, tied.get(), path.data(), path.size()));
  // Two values for one tensor: which one is meant, nobody knows.
  must(tenon_layer_set_tensor(context, apart.get(), "1.weight", TENON_NUL,
                              tensor<float>({2, 2}, {1, 2, 3, 4}).get()));
  must(tenon_layer_save(context, apart.get(), path.data(), path.size()));
  const std::string before = bytes_of(find(tied, "0.weight"));
  EXPECT_THAT(
      refused(tenon_layer_load(context, tied.get(), path.data(), path.size()), TENON_E_DATA),
      HasSubstr("\"1.weight\" has other values in the file than another name"));
  EXPECT_EQ(bytes_of(find(tied, "0.weight")), before);
  std::remove(path.c_str());
}

TEST_F(SharedTensors, WhatDoesNotFitIsRefused) {
  const Layer model = twins();
  const Layer norm = layer("tenon.batch_norm", {{"features", integer(2)}});
  tenon_tensor* const before = find(model, "1.weight");
  const auto refusal = [&](const char* name, const Tensor& tensor, tenon_status status) {
    return refused(share(model, name, tensor.get()), status);
  };
  const Tensor plain = tensor<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(refusal("2.weight", plain, TENON_E_NOT_FOUND), HasSubstr("0.weight"));
  EXPECT_THAT(refusal("1.weight", tensor<float>({2}, {1, 2}), TENON_E_SHAPE), HasSubstr("weight"));
  EXPECT_THAT(refusal("1.weight", tensor<double>({2, 2}, {1, 2, 3, 4}), TENON_E_DTYPE),
              HasSubstr("f64[2,2]"));
  EXPECT_THAT(refusal("1.weight", plain, TENON_E_GRAD), HasSubstr("would not be trained"));
  const Tensor computed = call("tenon.neg", {one(before)});
  EXPECT_THAT(refusal("1.weight", computed, TENON_E_GRAD), HasSubstr("would not be trained"));
  EXPECT_EQ(refused(share(norm, "running_mean", find(norm, "weight")), TENON_E_GRAD)
                .find("\"running_mean\" cannot be shared"),
            std::string("tenon.batch_norm: ").size());
  const Tensor row = tensor<float>({1, 2}, {1, 2});
  const std::vector<int64_t> shape = {2, 2};
  const Tensor wide = call("tenon.expand", {one(row.get())}, {{"shape", ints(shape)}});
  EXPECT_THAT(refusal("1.weight", wide, TENON_E_ALIAS), HasSubstr("overlaps itself"));
  EXPECT_EQ(find(model, "1.weight"), before);
  must(tenon_capture_begin(context, nullptr, 0));
  refused(share(model, "1.weight", find(model, "0.weight")), TENON_E_CAPTURE);
  tenon_plan* plan = nullptr;
  must(tenon_capture_end(context, &plan));
  tenon_plan_release(plan);
}

TEST_F(SharedTensors, PlansOfBeforeAreRefused) {
  const Layer model = twins();
  const Tensor x = tensor<float>({1, 2}, {1, 1});
  tenon_plan* plan = nullptr;
  must(tenon_capture_begin(context, nullptr, 0));
  const Tensor y = run(model, x.get());
  must(tenon_capture_end(context, &plan));
  must(tenon_plan_run(context, plan));
  must(share(model, "1.weight", find(model, "1.weight")));  // changes nothing
  must(tenon_plan_run(context, plan));
  must(share(model, "1.weight", find(model, "0.weight")));
  EXPECT_THAT(refused(tenon_plan_run(context, plan), TENON_E_STATE),
              HasSubstr("replaced tensors of a layer tenon.linear"));
  tenon_plan_release(plan);
}

// The tensor is the layer's, not its place's: it lives on with either.
TEST_F(SharedTensors, LayersMayGoInAnyOrder) {
  Layer first = linear(2, 2);
  Layer second = linear(2, 2);
  must(share(second, "weight", find(first, "weight")));
  const std::string values = bytes_of(find(first, "weight"));
  first.reset();
  EXPECT_EQ(bytes_of(find(second, "weight")), values);
}

}  // namespace
}  // namespace tenon::tests
