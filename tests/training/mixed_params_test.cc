// SPDX-License-Identifier: Apache-2.0
// tests/training/mixed_params_test.cc: parameters of several dtypes, with dense gradients and with
// some held as rows, in one optimizer: each moves as if it were alone.
//
// Every optimizer that the registry lists.
#include <algorithm>
#include <cmath>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

struct Kind {
  tenon_dtype dtype;
  bool rows;  // does its gradient come from an embedding?
};
// No two neighbours go into one launch, and each kind is there twice.
constexpr Kind kKinds[] = {
    {TENON_DTYPE_F32, false},  {TENON_DTYPE_F64, false}, {TENON_DTYPE_F32, true},
    {TENON_DTYPE_F16, false},  {TENON_DTYPE_F64, true},  {TENON_DTYPE_BF16, false},
    {TENON_DTYPE_F32, false},  {TENON_DTYPE_F16, true},  {TENON_DTYPE_F64, false},
    {TENON_DTYPE_BF16, true},  {TENON_DTYPE_F32, true},  {TENON_DTYPE_F64, true},
    {TENON_DTYPE_BF16, false}, {TENON_DTYPE_F16, false}};
constexpr int64_t kRows = 4, kColumns = 3;

class MixedParams : public Training {
 protected:
  tenon_value dtype_value(tenon_dtype dtype) {
    tenon_value value{TENON_VALUE_DTYPE, 0, {}};
    value.as.dtype = dtype;
    return value;
  }
  // Values of their own for each `seed`.
  Tensor values(tenon_dtype dtype, size_t seed) {
    std::vector<double> numbers;
    for (int i = 0; i < kRows * kColumns; ++i) {
      numbers.push_back(std::sin(1 + i + 31 * static_cast<double>(seed)));
    }
    const Tensor wide = tensor<double>({kRows, kColumns}, numbers);
    return call("tenon.cast", {one(wide.get())}, {{"dtype", dtype_value(dtype)}});
  }
  std::vector<Tensor> parameters() {
    std::vector<Tensor> made;
    for (size_t i = 0; i < std::size(kKinds); ++i) {
      made.push_back(parameter(values(kKinds[i].dtype, i)));
    }
    return made;
  }
  // Rows 3, 1 and 3 again are looked up, or all elements count.
  void make_grad(const Kind& kind, const Tensor& param, size_t seed) {
    if (!kind.rows) {
      return must(tenon_tensor_set_grad(context, param.get(), values(kind.dtype, seed).get()));
    }
    const Tensor indices = tensor<int64_t>({3}, {3, 1, 3});
    const Tensor found = call("tenon.embedding", {one(param.get()), one(indices.get())});
    const Tensor square = call("tenon.mul", {one(found.get()), one(found.get())});
    const Tensor root = call("tenon.sum", {one(square.get())});
    tenon_tensor* const roots[] = {root.get()};
    must(tenon_backward_run(context, roots, nullptr, 1, 0));
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    must(tenon_tensor_get_info(context, param.get(), &info));
    EXPECT_NE(info.flags & TENON_TENSOR_GRAD_ROWS, 0u);
  }
  std::vector<unsigned char> bytes_of(const tenon_tensor* tensor) {
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    must(tenon_tensor_get_info(context, tensor, &info));
    tenon_view view{};
    must(tenon_tensor_get_view(context, tensor, &view));
    const uint64_t size = view.dtype == TENON_DTYPE_F64 || view.dtype == TENON_DTYPE_I64    ? 8
                          : view.dtype == TENON_DTYPE_F16 || view.dtype == TENON_DTYPE_BF16 ? 2
                                                                                            : 4;
    std::vector<unsigned char> bytes(static_cast<size_t>(info.elements) * size);
    must(tenon_tensor_get_data(context, tensor, bytes.data(), bytes.size()));
    return bytes;
  }
  void step(const Optimizer& optimizer) {
    must(tenon_optimizer_run(context, optimizer.get(), TENON_OPTIMIZER_CLEAR_GRAD));
  }
  tenon_tensor* state(const Optimizer& optimizer, size_t index, const std::string& name) {
    tenon_tensor* out = nullptr;
    must(tenon_optimizer_get_state(context, optimizer.get(), static_cast<uint32_t>(index),
                                   name.data(), name.size(), &out));
    return out;
  }
  // A rate that moves 16 bits, too; a momentum that is off by default is one more list of states.
  std::vector<Option> hypers_of(const std::string& name) {
    std::vector<Option> hypers = {{"lr", real(0.05)}};
    if (name == "tenon.sgd" || name == "tenon.rmsprop") hypers.push_back({"momentum", real(0.9)});
    return hypers;
  }
  void compare(const std::string& name, const std::vector<std::string>& states,
               const std::vector<size_t>& order);
};

void MixedParams::compare(const std::string& name, const std::vector<std::string>& states,
                          const std::vector<size_t>& order) {
  const std::vector<Tensor> alone = parameters(), beside = parameters();
  std::vector<tenon_tensor*> all;
  for (const size_t i : order) all.push_back(beside[i].get());
  const Optimizer together = optimizer(name, all, hypers_of(name));
  std::vector<Optimizer> each;
  for (const Tensor& param : alone) {
    each.push_back(optimizer(name, {param.get()}, hypers_of(name)));
  }
  for (size_t round = 0; round < 3; ++round) {
    for (size_t i = 0; i < order.size(); ++i) {
      for (const auto* params : {&alone, &beside}) {
        make_grad(kKinds[i], (*params)[i], 100 * round + i);
      }
      step(each[i]);
    }
    step(together);
  }
  for (size_t at = 0; at < order.size(); ++at) {
    const size_t i = order[at];
    SCOPED_TRACE("parameter " + std::to_string(i));
    const auto found = bytes_of(beside[i].get());
    EXPECT_EQ(found, bytes_of(alone[i].get()));
    EXPECT_TRUE(found != bytes_of(values(kKinds[i].dtype, i).get())) << "it did not move";
    for (const std::string& each_state : states) {
      EXPECT_EQ(bytes_of(state(together, at, each_state)), bytes_of(state(each[i], 0, each_state)))
          << each_state;
    }
  }
}

TEST_F(MixedParams, OfEveryOptimizerMoveAsIfAlone) {
  std::vector<size_t> order(std::size(kKinds));
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const OptimizerStates all = optimizer_states();
  EXPECT_GE(all.size(), 10u);
  for (const auto& [name, states] : all) {
    SCOPED_TRACE(name);
    compare(name, states, order);
    std::vector<size_t> turned(order.rbegin(), order.rend());
    compare(name, states, turned);
  }
}

}  // namespace
}  // namespace tenon::tests
