// SPDX-License-Identifier: Apache-2.0
// tests/layers/cache_test.cc: keys and values that a layer keeps are part of it: listed, saved,
// loaded. What they are worth is tested by tests/python/test_cache.py.
#include <gmock/gmock.h>

#include <cstdio>

#include "tests/layers/layers_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;

class Cache : public Layers {
 protected:
  Layer attention() {
    Layer made =
        layer("tenon.multi_head_attention", {{"width", integer(2)}, {"heads", integer(1)}});
    set_training(made, false);
    return made;
  }
  tenon_status set_cache(const Layer& layer, int64_t positions) {
    return tenon_layer_set_cache(context, layer.get(), 1, positions);
  }
  std::vector<float> next(const Layer& layer, std::initializer_list<float> x) {
    return values_of<float>(run(layer, tensor<float>({1, 1, 2}, x).get()).get());
  }
  void SetUp() override {
    Layers::SetUp();
    must(tenon_grad_begin(context, TENON_GRAD_DISABLED));
  }
  void TearDown() override {
    must(tenon_grad_end(context));
    Layers::TearDown();
  }
};

TEST_F(Cache, IsListedWhileItIsThere) {
  const Layer layer = attention();
  EXPECT_THAT(names(layer),
              ElementsAre("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"));
  must(set_cache(layer, 3));
  EXPECT_THAT(names(layer),
              ElementsAre("in_proj_weight", "in_proj_bias", "key_cache", "value_cache",
                          "cache_count", "out_proj.weight", "out_proj.bias"));
  uint32_t flags = 0;
  must(tenon_layer_get_tensor(context, layer.get(), 2, nullptr, &flags, nullptr));
  EXPECT_EQ(flags, TENON_LAYER_BUFFER | TENON_LAYER_CACHE);
  must(set_cache(layer, 0));
  EXPECT_EQ(names(layer).size(), 4u);
}

// A file has weights and what was kept with them: both together are right, also in a layer that
// kept something of other weights.
TEST_F(Cache, FileHoldsIt) {
  const std::string path = testing::TempDir() + "cache_test.safetensors";
  const Layer layer = attention();
  must(set_cache(layer, 3));
  next(layer, {1, 2});
  must(tenon_layer_save(context, layer.get(), path.c_str(), TENON_NUL));
  const std::vector<float> second = next(layer, {3, -1});
  const Layer other = attention();
  EXPECT_EQ(tenon_layer_load(context, other.get(), path.c_str(), TENON_NUL), TENON_E_DATA);
  must(set_cache(other, 3));
  next(other, {5, 5});
  next(other, {7, 5});
  must(tenon_layer_load(context, other.get(), path.c_str(), TENON_NUL));
  EXPECT_EQ(next(other, {3, -1}), second);
  must(tenon_layer_load(context, layer.get(), path.c_str(), TENON_NUL));
  EXPECT_EQ(next(layer, {3, -1}), second);
  std::remove(path.c_str());
}

// Moving a layer changes no weight.
TEST_F(Cache, StaysRightWhenTheLayerMoves) {
  const Layer layer = attention();
  must(set_cache(layer, 3));
  next(layer, {1, 2});
  must(tenon_layer_set_device(context, layer.get(), nullptr));
  EXPECT_EQ(next(layer, {3, -1}).size(), 2u);
}

}  // namespace
}  // namespace tenon::tests
