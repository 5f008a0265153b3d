// SPDX-License-Identifier: Apache-2.0
// tests/cost/memory_test.cc: what repeats asks for no memory: single ops, and a whole eager
// training step of an MLP with SGD.
#include <gtest/gtest.h>
#include <tenon/tenon.h>

#include <array>
#include <vector>

#include "tests/cost/counting_support.h"
#include "tests/support/paths.h"

#ifdef TENON_TESTS_COUNT_MEMORY

namespace tenon::tests {
namespace {

constexpr int kWarm = 5;  // the first calls of a kind learn how the others run
constexpr int kSteps = 20;

tenon_value one(tenon_tensor* tensor) {
  tenon_value value{TENON_VALUE_TENSOR, 0, {}};
  value.as.tensor = tensor;
  return value;
}

class Memory : public testing::Test {
 protected:
  void SetUp() override {
    const std::string plugins = plugin_dir();
    const tenon_string paths[] = {{plugins.data(), plugins.size()}};
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS;
    options.paths = paths;
    options.n_paths = 1;
    ASSERT_EQ(tenon_runtime_create(&options, nullptr, &runtime), TENON_OK);
    ASSERT_EQ(tenon_context_create(runtime, nullptr, &context), TENON_OK);
  }
  void TearDown() override {
    for (tenon_tensor* tensor : made) tenon_tensor_release(tensor);
    tenon_context_release(context);
    tenon_runtime_release(runtime);
  }

  void must(tenon_status status) { ASSERT_EQ(status, TENON_OK) << tenon_status_get_name(status); }
  const tenon_op* op(const char* name) {
    const tenon_op* found = nullptr;
    must(tenon_op_find(context, name, TENON_NUL, 0, &found));
    return found;
  }
  template <class T>
  tenon_tensor* tensor(std::vector<int64_t> shape, tenon_dtype dtype, T value) {
    size_t count = 1;
    for (int64_t size : shape) count *= static_cast<size_t>(size);
    std::vector<T> values(count, value);
    if constexpr (std::is_same_v<T, float>) {
      for (size_t i = 0; i < count; ++i) values[i] += 0.001f * static_cast<float>(i % 97);
    }
    tenon_tensor* out = nullptr;
    must(tenon_tensor_create_from(context, dtype, nullptr, static_cast<int32_t>(shape.size()),
                                  shape.data(), values.data(), count * sizeof(T), &out));
    made.push_back(out);
    return out;
  }
  tenon_tensor* floats(std::vector<int64_t> shape, float value = 0.1f) {
    return tensor(std::move(shape), TENON_DTYPE_F32, value);
  }
  tenon_tensor* parameter(std::vector<int64_t> shape) {
    tenon_tensor* out = floats(std::move(shape));
    must(tenon_tensor_set_requires_grad(context, out, 1));
    return out;
  }
  tenon_tensor* call(const tenon_op* which, std::initializer_list<tenon_tensor*> inputs) {
    std::array<tenon_value, 4> values{};
    size_t count = 0;
    for (tenon_tensor* input : inputs) values[count++] = one(input);
    tenon_tensor* out = nullptr;
    must(tenon_op_call(context, which, values.data(), static_cast<uint32_t>(count), nullptr, 0,
                       &out, 1));
    return out;
  }
  // Requests for memory by kSteps repetitions, after some that are not counted.
  template <class Body>
  uint64_t requests(Body&& body) {
    for (int i = 0; i < kWarm; ++i) body();
    const uint64_t before = memory_requests();
    for (int i = 0; i < kSteps; ++i) body();
    return memory_requests() - before;
  }

  tenon_runtime* runtime = nullptr;
  tenon_context* context = nullptr;
  std::vector<tenon_tensor*> made;
};

TEST_F(Memory, CountsWhatIsAskedFor) {
  void* volatile held = nullptr;
  EXPECT_EQ(requests([&] {
              held = ::operator new(8);
              ::operator delete(held);
            }),
            uint64_t{kSteps});
}

TEST_F(Memory, SmallOpsAskForNone) {
  tenon_tensor* const a = floats({64});
  tenon_tensor* const b = floats({64});
  tenon_tensor* out = floats({64});
  tenon_tensor* const p = parameter({64});
  const tenon_op* const add = op("tenon.add");
  const tenon_value in[2] = {one(a), one(b)};
  EXPECT_EQ(requests([&] { must(tenon_op_apply(context, add, in, 2, nullptr, 0, &out, 1)); }), 0u);
  EXPECT_EQ(requests([&] { tenon_tensor_release(call(add, {a, b})); }), 0u);
  EXPECT_EQ(requests([&] { tenon_tensor_release(call(add, {p, b})); }), 0u);
}

TEST_F(Memory, AnEagerTrainingStepAsksForNone) {
  const std::array<tenon_tensor*, 6> params = {parameter({64, 32}), parameter({32}),
                                               parameter({32, 16}), parameter({16}),
                                               parameter({16, 10}), parameter({10})};
  tenon_tensor* const x = floats({8, 64});
  tenon_tensor* const labels = tensor<int64_t>({8}, TENON_DTYPE_I64, 3);
  const tenon_op* const matmul = op("tenon.matmul");
  const tenon_op* const add = op("tenon.add");
  const tenon_op* const relu = op("tenon.relu");
  const tenon_op* const loss = op("tenon.softmax_cross_entropy");
  tenon_optimizer* sgd = nullptr;
  const tenon_string lr = {"lr", 2};
  tenon_value rate{TENON_VALUE_F64, 0, {}};
  rate.as.f64 = 0.01;
  must(tenon_optimizer_create(context, "tenon.sgd", TENON_NUL, params.data(), params.size(), &lr,
                              &rate, 1, &sgd));
  const auto step = [&] {
    std::array<tenon_tensor*, 9> held{};
    tenon_tensor* h = x;
    size_t count = 0;
    for (size_t layer = 0; layer < 3; ++layer) {
      h = held[count++] = call(matmul, {h, params[2 * layer]});
      h = held[count++] = call(add, {h, params[2 * layer + 1]});
      if (layer < 2) h = held[count++] = call(relu, {h});
    }
    tenon_tensor* root = held[count++] = call(loss, {h, labels});
    must(tenon_backward_run(context, &root, nullptr, 1, 0));
    must(tenon_optimizer_run(context, sgd, TENON_OPTIMIZER_CLEAR_GRAD));
    for (tenon_tensor* each : held) tenon_tensor_release(each);
  };
  EXPECT_EQ(requests(step), 0u);
  tenon_optimizer_release(sgd);
}

}  // namespace
}  // namespace tenon::tests

#endif
