// SPDX-License-Identifier: Apache-2.0
// tests/device/layer_move_test.cc: a layer that moves to another device with all in it.
#include <gmock/gmock.h>
#include <tenon/ext/draft/layers.h>

#include <algorithm>

#include "tests/device/device_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

struct ReleaseLayer {
  void operator()(tenon_layer* layer) const { tenon_layer_release(layer); }
};
using Layer = std::unique_ptr<tenon_layer, ReleaseLayer>;
struct ReleaseOptimizer {
  void operator()(tenon_optimizer* optimizer) const { tenon_optimizer_release(optimizer); }
};
using Optimizer = std::unique_ptr<tenon_optimizer, ReleaseOptimizer>;
struct ReleasePlan {
  void operator()(tenon_plan* plan) const { tenon_plan_release(plan); }
};
using Plan = std::unique_ptr<tenon_plan, ReleasePlan>;

class LayerMoves : public testing::Test {
 protected:
  Layer layer(const char* name, const Named& options = {}) const {
    std::vector<tenon_string> names;
    std::vector<tenon_value> values;
    for (const auto& [option, value] : options) {
      names.push_back({option, std::strlen(option)});
      values.push_back(value);
    }
    tenon_layer* out = nullptr;
    session.must(tenon_layer_create(session, name, TENON_NUL, nullptr, names.data(), values.data(),
                                    static_cast<uint32_t>(values.size()), &out));
    return Layer(out);
  }
  // The same one each time.
  Layer model() const {
    session.must(tenon_context_set_seed(session, 7, 0));
    Layer whole = layer("tenon.sequential");
    const Layer parts[] = {
        layer("tenon.linear", {{"inputs", int_value(3)}, {"outputs", int_value(4)}}),
        layer("tenon.activation", {{"op", text_value("tenon.relu")}}),
        layer("tenon.linear", {{"inputs", int_value(4)}, {"outputs", int_value(2)}})};
    for (const Layer& part : parts) {
      session.must(tenon_layer_set_child(session, whole.get(), "", 0, part.get()));
    }
    return whole;
  }
  Optimizer adam(const Layer& layer) const {
    tenon_optimizer* out = nullptr;
    session.must(tenon_optimizer_create_for_layer(session, "tenon.adam", TENON_NUL, layer.get(),
                                                  nullptr, nullptr, 0, &out));
    return Optimizer(out);
  }
  Tensor input(const tenon_device& device) const {
    return session.f32(device, {4, 3}, {1, -2, 3, -4, 5, -6, 7, -8, 9, -1, 2, -3});
  }
  Tensor call(const Layer& layer, const Tensor& x) const {
    const tenon_value value = tensor_value(x.get());
    tenon_tensor* out = nullptr;
    session.must(tenon_layer_call(session, layer.get(), &value, 1, &out, 1));
    return Tensor(out);
  }
  Tensor loss_of(const Layer& layer, const Tensor& x) const {
    const Tensor y = call(layer, x);
    const Tensor square = session.call("tenon.mul", {tensor_value(y.get()), tensor_value(y.get())});
    return session.call("tenon.sum", {tensor_value(square.get())});
  }
  tenon_status backward(const Tensor& loss) const {
    tenon_tensor* root = loss.get();
    return tenon_backward_run(session, &root, nullptr, 1, 0);
  }
  double step(const Layer& layer, const Optimizer& rule, const tenon_device& device) const {
    const Tensor loss = loss_of(layer, input(device));
    session.must(backward(loss));
    session.must(tenon_optimizer_run(session, rule.get(), TENON_OPTIMIZER_CLEAR_GRAD));
    return session.item(loss);
  }
  tenon_status move(const Layer& layer, const tenon_device& device) const {
    return tenon_layer_set_device(session, layer.get(), &device);
  }
  std::vector<tenon_tensor*> tensors(const Layer& layer) const {
    std::vector<tenon_tensor*> all;
    for (;;) {
      tenon_tensor* tensor = nullptr;
      if (tenon_layer_get_tensor(session, layer.get(), static_cast<uint32_t>(all.size()), nullptr,
                                 nullptr, &tensor) != TENON_OK) {
        return all;
      }
      all.push_back(tensor);
    }
  }
  bool lies_on(const tenon_tensor* tensor, const tenon_device& device) const {
    tenon_view view{};
    session.must(tenon_tensor_get_view(session, tensor, &view));
    return view.device.kind == device.kind && view.device.index == device.index;
  }
  bool all_on(const Layer& layer, const tenon_device& device) const {
    const std::vector<tenon_tensor*> all = tensors(layer);
    return std::all_of(all.begin(), all.end(),
                       [&](const tenon_tensor* each) { return lies_on(each, device); });
  }
  std::vector<float> values(tenon_tensor* tensor) const {
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    session.must(tenon_tensor_get_info(session, tensor, &info));
    std::vector<float> all(static_cast<size_t>(info.elements));
    session.must(tenon_tensor_get_data(session, tensor, all.data(), all.size() * sizeof(float)));
    return all;
  }

  const DeviceSession session;
};

TEST_F(LayerMoves, AndTrainsOnWithItsOptimizer) {
  const Layer stays = model();
  const Optimizer of_stays = adam(stays);
  const Layer moves = model();
  const Optimizer of_moves = adam(moves);
  const std::vector<tenon_tensor*> handles = tensors(moves);
  ASSERT_EQ(handles.size(), 4U);
  const tenon_device places[] = {session.cpu, session.sim, session.sim, session.cpu, session.sim};
  for (const tenon_device& place : places) {
    session.must(move(moves, place));
    EXPECT_EQ(tensors(moves), handles);
    EXPECT_TRUE(all_on(moves, place));
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(step(moves, of_moves, place), step(stays, of_stays, session.cpu), 1e-3);
    }
    const std::vector<tenon_tensor*> others = tensors(stays);
    for (size_t i = 0; i < handles.size(); ++i) {
      const std::vector<float> found = values(handles[i]);
      const std::vector<float> expected = values(others[i]);
      for (size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-5);
    }
    tenon_tensor* state = nullptr;
    session.must(
        tenon_optimizer_get_state(session, of_moves.get(), 0, "exp_avg", TENON_NUL, &state));
    EXPECT_TRUE(lies_on(state, place));
  }
}

TEST_F(LayerMoves, WithGradientsAndNothingOfItsOldMemory) {
  const Layer whole = model();
  session.must(backward(loss_of(whole, input(session.cpu))));
  tenon_tensor* const weight = tensors(whole)[0];
  tenon_tensor* grad = nullptr;
  session.must(tenon_tensor_get_grad(session, weight, &grad));
  const std::vector<float> before = values(grad);
  const std::vector<float> was = values(weight);
  const int64_t storages = session.stats().storages;
  session.must(move(whole, session.sim));
  EXPECT_EQ(session.stats().storages, storages);
  session.must(tenon_tensor_get_grad(session, weight, &grad));
  EXPECT_TRUE(lies_on(grad, session.sim));
  EXPECT_EQ(values(grad), before);
  EXPECT_EQ(values(weight), was);
  // A gradient is added to, there.
  session.must(backward(loss_of(whole, input(session.sim))));
  session.must(tenon_tensor_get_grad(session, weight, &grad));
  const std::vector<float> sum = values(grad);
  for (size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i], 2 * before[i], 1e-3);
}

TEST_F(LayerMoves, WithItsBuffers) {
  const Layer norm = layer("tenon.batch_norm", {{"features", int_value(4)}});
  ASSERT_EQ(tensors(norm).size(), 4U);
  session.must(move(norm, session.sim));
  EXPECT_TRUE(all_on(norm, session.sim));
  EXPECT_EQ(values(tensors(norm)[3]), std::vector<float>(4, 1));  // the variance so far
}

TEST_F(LayerMoves, AndAChildMayMoveAlone) {
  const Layer whole = layer("tenon.sequential");
  const Layer first = layer("tenon.linear", {{"inputs", int_value(3)}, {"outputs", int_value(4)}});
  session.must(tenon_layer_set_child(session, whole.get(), "", 0, first.get()));
  session.must(move(first, session.sim));
  EXPECT_TRUE(all_on(whole, session.sim));
  EXPECT_EQ(session.floats(call(whole, input(session.sim))).size(), 16U);
}

TEST_F(LayerMoves, AndWhatWasRecordedBeforeIsRefused) {
  const Layer whole = model();
  const Tensor loss = loss_of(whole, input(session.cpu));
  session.must(move(whole, session.sim));
  EXPECT_EQ(backward(loss), TENON_E_VERSION);
  EXPECT_THAT(session.message(), HasSubstr("was overwritten by tenon_layer_set_device"));
  // A rule that has saved nothing of the leaf.
  const Layer linear = layer("tenon.linear", {{"inputs", int_value(3)}, {"outputs", int_value(4)}});
  tenon_tensor* const bias = tensors(linear)[1];
  const Tensor doubled = session.call("tenon.add", {tensor_value(bias), tensor_value(bias)});
  const Tensor sum = session.call("tenon.sum", {tensor_value(doubled.get())});
  session.must(move(linear, session.sim));
  EXPECT_EQ(backward(sum), TENON_E_DEVICE);
  EXPECT_THAT(session.message(), HasSubstr("was recorded on cpu:0; the leaf has moved since"));
  tenon_tensor* grad = nullptr;
  session.must(tenon_tensor_get_grad(session, bias, &grad));
  EXPECT_EQ(grad, nullptr);
}

TEST_F(LayerMoves, AndAPlanOfBeforeIsRefused) {
  const Layer whole = model();
  const Layer other = model();
  session.must(tenon_layer_set_training(session, whole.get(), 0));
  const NoGrad off(session);
  const Tensor x = input(session.cpu);
  tenon_tensor* const inputs[] = {x.get()};
  session.must(tenon_capture_begin(session, inputs, 1));
  const Tensor y = call(whole, x);
  tenon_plan* made = nullptr;
  session.must(tenon_capture_end(session, &made));
  const Plan plan(made);
  // Neither another layer's move nor one to where it is.
  session.must(move(other, session.sim));
  session.must(move(whole, session.cpu));
  session.must(tenon_plan_run(session, plan.get()));
  session.must(move(whole, session.sim));
  EXPECT_EQ(tenon_plan_run(session, plan.get()), TENON_E_STATE);
  EXPECT_THAT(session.message(),
              HasSubstr("captured with tensors on cpu:0 that a layer has moved"));
  // Nor is it right again when the layer is back, in other memory.
  session.must(move(whole, session.cpu));
  EXPECT_EQ(tenon_plan_run(session, plan.get()), TENON_E_STATE);
}

TEST_F(LayerMoves, OrStaysAsItWas) {
  const Layer whole = model();
  const tenon_device none{12345, 0};
  EXPECT_EQ(move(whole, none), TENON_E_DEVICE);
  const Tensor x = input(session.cpu);
  tenon_tensor* const inputs[] = {x.get()};
  session.must(tenon_capture_begin(session, inputs, 1));
  EXPECT_EQ(move(whole, session.sim), TENON_E_CAPTURE);
  tenon_plan* made = nullptr;
  session.must(tenon_capture_end(session, &made));
  const Plan plan(made);
  // The third allocation on the device fails.
  session.inject(session.sim, "alloc", 2);
  const std::vector<float> before = values(tensors(whole)[0]);
  EXPECT_EQ(move(whole, session.sim), TENON_E_MEMORY);
  EXPECT_TRUE(all_on(whole, session.cpu));
  EXPECT_EQ(values(tensors(whole)[0]), before);
  call(whole, x);
  session.must(move(whole, session.sim));
  EXPECT_TRUE(all_on(whole, session.sim));
}

}  // namespace
}  // namespace tenon::tests
