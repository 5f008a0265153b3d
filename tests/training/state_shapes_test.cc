// SPDX-License-Identifier: Apache-2.0
// tests/training/state_shapes_test.cc: the shapes that states have beside their parameters.
#include <tenon/ext/draft/optimizers.h>
#include <tenon/ext/draft/training.h>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include "tests/support/program_query.h"
#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using sdk::str;

// acme.still: an optimizer that moves nothing, with a state of each shape.
void infer(const sdk::Args&, std::span<tenon_meta>) {}
void compose(sdk::Compose&) {}

constexpr tenon_op_desc kOps[] = {sdk::op(
    {.name = "acme.still_step",
     .schema = "still_step(params!: T[...]*, grads: T[...]*, same!: T[...]*, row!: T[...]*, "
               "column!: f32[...]*, step!: i64[]*, lr: f64[]) -> () where T: float",
     .doc = "Moves nothing.",
     .infer = sdk::infer_fn<infer>,
     .compose = sdk::compose_fn<compose>})};
constexpr tenon_hyper_desc kHypers[] = {
    {str("lr"), str("learning rate"), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 0.5, 0, 1}};
constexpr tenon_state_desc kStates[] = {
    {str("same"), str("like p"), TENON_STATE_LIKE_PARAMETER, TENON_DTYPE_NONE, 0},
    {str("row"), str("of rows"), TENON_STATE_PER_ROW, TENON_DTYPE_NONE, 1.5},
    {str("column"), str("of columns"), TENON_STATE_PER_COLUMN, TENON_DTYPE_F32, 0},
    {str("step"), str("steps made"), TENON_STATE_SCALAR, TENON_DTYPE_I64, 0}};
constexpr tenon_optimizer_desc kOptimizers[] = {
    {sizeof(tenon_optimizer_desc), 0, str("acme.still"), str("Moves nothing."),
     str("acme.still_step"), str(""), kHypers, kStates, std::size(kHypers), std::size(kStates)}};
constexpr sdk::Unit kUnit = {.ops = kOps, .optimizers = kOptimizers};
constexpr const sdk::Unit* kUnits[] = {&kUnit};
struct Still {
  static sdk::About about() { return {"acme.still", "1.0.0", "Apache-2.0", kUnits}; }
};

class StateShapes : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    must(tenon_plugin_load(context, query_in_program<Still>));
  }
  // One step with gradients of ones.
  Optimizer stepped(const std::vector<tenon_tensor*>& params) {
    for (tenon_tensor* param : params) {
      const tenon_view view = view_of(param);
      const Shape shape(view.shape, view.shape + view.rank);
      size_t count = 1;
      for (const int64_t size : shape) count *= static_cast<size_t>(size);
      const Tensor grad = tensor(shape, std::vector<double>(count, 1.0));
      must(tenon_tensor_set_grad(context, param, grad.get()));
    }
    Optimizer made = optimizer("acme.still", params, {});
    must(tenon_optimizer_run(context, made.get(), TENON_OPTIMIZER_CLEAR_GRAD));
    return made;
  }
  tenon_tensor* state(const Optimizer& optimizer, uint32_t param, const char* name) {
    tenon_tensor* found = nullptr;
    must(tenon_optimizer_get_state(context, optimizer.get(), param, name, TENON_NUL, &found));
    return found;
  }
  Shape shape_of(const Optimizer& optimizer, uint32_t param, const char* name) {
    const tenon_view view = view_of(state(optimizer, param, name));
    return {view.shape, view.shape + view.rank};
  }
  tenon_view view_of(const tenon_tensor* tensor) {
    tenon_view view{};
    must(tenon_tensor_get_view(context, tensor, &view));
    return view;
  }
};

TEST_F(StateShapes, AreThoseOfTheirPolicies) {
  const Tensor p = parameter(tensor({2, 3, 4}, std::vector<double>(24, 1)));
  const Tensor v = parameter(tensor<double>({5}, {1, 2, 3, 4, 5}));
  const Tensor s = parameter(tensor<double>({}, {1}));
  const Tensor e = parameter(tensor<double>({0, 3}, {}));
  const Optimizer made = stepped({p.get(), v.get(), s.get(), e.get()});
  const auto expect = [&](uint32_t param, const Shape& row, const Shape& column) {
    EXPECT_EQ(shape_of(made, param, "row"), row) << param;
    EXPECT_EQ(shape_of(made, param, "column"), column) << param;
    EXPECT_EQ(shape_of(made, param, "step"), Shape()) << param;
  };
  expect(0, {2, 3, 1}, {2, 1, 4});
  expect(1, {5}, {});
  expect(2, {}, {});
  expect(3, {0, 1}, {1, 3});
  EXPECT_EQ(shape_of(made, 0, "same"), Shape({2, 3, 4}));
  EXPECT_EQ(values_of<double>(state(made, 0, "row")), std::vector<double>(6, 1.5));
  EXPECT_EQ(values_of<float>(state(made, 0, "column")), std::vector<float>(8, 0.0F));
}

TEST_F(StateShapes, LieInTheOrderOfTheParameter) {
  const Tensor base = tensor({4, 3, 2}, std::vector<double>(24, 1));
  const Shape shape = {2, 3, 4}, strides = {1, 2, 6};
  tenon_tensor* view = nullptr;
  must(tenon_tensor_create_view(context, base.get(), 3, shape.data(), strides.data(), 0, &view));
  const Tensor p = parameter(Tensor(view));
  const Optimizer made = stepped({p.get()});
  const tenon_view row = view_of(state(made, 0, "row"));
  EXPECT_EQ(Shape(row.strides, row.strides + 2), Shape({1, 2}));
  const tenon_view column = view_of(state(made, 0, "column"));
  EXPECT_EQ(column.strides[0], 1);
  EXPECT_EQ(column.strides[2], 2);
}

TEST_F(StateShapes, AreAskedOfWhatIsSet) {
  const Tensor p = parameter(tensor({2, 3}, std::vector<double>(6, 1)));
  const Optimizer made = optimizer("acme.still", {p.get()}, {});
  const auto set = [&](const char* name, const Tensor& values) {
    return tenon_optimizer_set_state(context, made.get(), 0, name, TENON_NUL, values.get());
  };
  std::string words =
      refused(set("row", tensor<double>({2, 3}, {1, 2, 3, 4, 5, 6})), TENON_E_SHAPE);
  EXPECT_NE(words.find("f64[2,1]"), std::string::npos) << words;
  words = refused(set("column", tensor<float>({2, 1}, {1, 2})), TENON_E_SHAPE);
  EXPECT_NE(words.find("f32[1,3]"), std::string::npos) << words;
  EXPECT_EQ(state(made, 0, "row"), nullptr);
  must(set("row", tensor<double>({2, 1}, {7, 8})));
  must(set("column", tensor<float>({1, 3}, {1, 2, 3})));
  EXPECT_EQ(values_of<double>(state(made, 0, "row")), (std::vector<double>{7, 8}));
}

TEST_F(StateShapes, AreListed) {
  tenon_text* text = nullptr;
  must(tenon_runtime_query(context, "optimizers", TENON_NUL, &text));
  const char* data = nullptr;
  must(tenon_text_get(text, &data, nullptr));
  const std::string all = data;
  tenon_text_release(text);
  for (const char* shape : {"\"like parameter\"", "\"per row\"", "\"per column\"", "\"scalar\""}) {
    EXPECT_NE(all.find(shape), std::string::npos) << shape;
  }
}

}  // namespace
}  // namespace tenon::tests
