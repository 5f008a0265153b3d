// SPDX-License-Identifier: Apache-2.0
// tests/training/mlp_test.cc: whole training steps on the shipped digits: captured steps give eager
// bits, nothing stays behind, and the memory layout of a parameter changes nothing.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <random>

#include "tests/support/paths.h"
#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

constexpr uint64_t kSeed = 5150;
constexpr int64_t kPixels = 64, kHidden = 24, kClasses = 10;

struct Batch {
  Tensor x;  // f32[N,64]
  Tensor y;  // i64[N]
};

// Two layers: relu(x w1 + b1) w2 + b2, and the optimizer that trains them.
struct Model {
  std::vector<Tensor> params;  // w1 b1 w2 b2
  Optimizer optimizer;
};

class Mlp : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    std::cout << "seed " << kSeed << "\n";
    const std::string root = std::string(data_dir()) + "/digits/";
    const std::string images = root + "train-images-idx3-ubyte";
    const std::string labels = root + "train-labels-idx1-ubyte";
    digits = dataset({{"images", text(images)}, {"labels", text(labels)}});
  }
  void TearDown() override {
    digits.reset();
    Training::TearDown();
  }

  Batch batch(int64_t first, int64_t count) {
    std::vector<int64_t> indices(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      indices[static_cast<size_t>(i)] = (first + i * 7) % 1438;
    }
    tenon_tensor* fields[2] = {};
    must(tenon_dataset_call(context, digits.get(), indices.data(), count, fields, 2));
    const Tensor images(fields[0]);
    const Tensor labels(fields[1]);
    const int64_t flat[] = {count, kPixels};
    tenon_value shape{TENON_VALUE_INT_LIST, 2, {}};
    shape.as.ints = flat;
    tenon_value f32{TENON_VALUE_DTYPE, 0, {}};
    f32.as.dtype = TENON_DTYPE_F32;
    tenon_value i64{TENON_VALUE_DTYPE, 0, {}};
    i64.as.dtype = TENON_DTYPE_I64;
    const Tensor pixels = call("tenon.cast", {one(images.get())}, {{"dtype", f32}});
    const Tensor rows = call("tenon.reshape", {one(pixels.get())}, {{"shape", shape}});
    return {call("tenon.mul", {one(rows.get()), real(1.0 / 16)}),
            call("tenon.cast", {one(labels.get())}, {{"dtype", i64}})};
  }

  std::vector<float> weights(size_t count, int64_t inputs) {
    std::vector<float> values(count);
    const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
    for (float& value : values) {
      value = static_cast<float>((static_cast<double>(random() >> 11) * 0x1p-52 - 1.0) * bound);
    }
    return values;
  }

  Model model(const char* optimizer_name) {
    random.seed(kSeed);
    Model made;
    made.params.push_back(
        parameter(tensor(Shape{kPixels, kHidden}, weights(kPixels * kHidden, kPixels))));
    made.params.push_back(parameter(tensor(Shape{kHidden}, weights(kHidden, kPixels))));
    made.params.push_back(
        parameter(tensor(Shape{kHidden, kClasses}, weights(kHidden * kClasses, kHidden))));
    made.params.push_back(parameter(tensor(Shape{kClasses}, weights(kClasses, kHidden))));
    made.optimizer = optimizer(optimizer_name, handles(made), {{"lr", real(0.01)}});
    return made;
  }
  static std::vector<tenon_tensor*> handles(const Model& model) {
    std::vector<tenon_tensor*> list;
    for (const Tensor& tensor : model.params) list.push_back(tensor.get());
    return list;
  }

  Tensor loss(const Model& model, const Batch& batch) {
    const Tensor a = call("tenon.matmul", {one(batch.x.get()), one(model.params[0].get())});
    const Tensor b = call("tenon.add", {one(a.get()), one(model.params[1].get())});
    const Tensor h = call("tenon.relu", {one(b.get())});
    const Tensor c = call("tenon.matmul", {one(h.get()), one(model.params[2].get())});
    const Tensor logits = call("tenon.add", {one(c.get()), one(model.params[3].get())});
    return call("tenon.softmax_cross_entropy", {one(logits.get()), one(batch.y.get())});
  }

  Tensor step(const Model& model, const Batch& batch) {
    Tensor value = loss(model, batch);
    tenon_tensor* root = value.get();
    must(tenon_backward_run(context, &root, nullptr, 1, 0));
    must(tenon_optimizer_run(context, model.optimizer.get(), TENON_OPTIMIZER_CLEAR_GRAD));
    return value;
  }

  float number(const Tensor& scalar) { return values_of<float>(scalar.get())[0]; }
  tenon_stats stats() {
    tenon_stats stats{};
    stats.struct_size = sizeof stats;
    must(tenon_runtime_get_stats(context, &stats));
    return stats;
  }
  tenon_tensor* state(const Model& model, uint32_t index, const char* name) {
    tenon_tensor* out = nullptr;
    must(tenon_optimizer_get_state(context, model.optimizer.get(), index, name, TENON_NUL, &out));
    return out;
  }
  void set_lr(const Model& model, double lr) {
    const tenon_value value = real(lr);
    must(tenon_optimizer_set(context, model.optimizer.get(), "lr", TENON_NUL, &value));
  }
  std::string plan_text(tenon_plan* plan) {
    tenon_text* text = nullptr;
    must(tenon_plan_get_text(context, plan, &text));
    const char* data = nullptr;
    EXPECT_EQ(tenon_text_get(text, &data, nullptr), TENON_OK);
    std::string words = data;
    tenon_text_release(text);
    return words;
  }

  Dataset digits;
  std::mt19937_64 random{kSeed};
};

// Pages of this process that are in memory.
int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0;
  int64_t resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

// Forward, backward and Adam, captured in its very first run.
TEST_F(Mlp, CapturedStepGivesEagerBitsIn200Replays) {
  constexpr int kSteps = 201;
  std::vector<Batch> batches;
  for (int i = 0; i < 8; ++i) batches.push_back(batch(i * 40, 16));
  const auto lr_of = [](int at) { return at < 100 ? 0.01 : 0.002; };

  const Model eager = model("tenon.adam");
  std::vector<float> eager_losses;
  for (int i = 0; i < kSteps; ++i) {
    set_lr(eager, lr_of(i));
    eager_losses.push_back(number(step(eager, batches[static_cast<size_t>(i) % 8])));
  }

  const Model captured = model("tenon.adam");
  set_lr(captured, lr_of(0));
  tenon_tensor* inputs[] = {batches[0].x.get(), batches[0].y.get()};
  const uint64_t launches_before = stats().launches;
  must(tenon_capture_begin(context, inputs, 2));
  const Tensor loss = step(captured, batches[0]);
  tenon_plan* plan = nullptr;
  must(tenon_capture_end(context, &plan));
  EXPECT_EQ(number(loss), eager_losses[0]);
  const uint64_t captured_launches = stats().launches - launches_before;

  const uint64_t allocations = stats().allocations;
  uint64_t replayed_launches = 0;
  for (int i = 1; i < kSteps; ++i) {
    set_lr(captured, lr_of(i));
    const Batch& next = batches[static_cast<size_t>(i) % 8];
    must(tenon_plan_set(context, plan, 0, next.x.get()));
    must(tenon_plan_set(context, plan, 1, next.y.get()));
    const uint64_t launches = stats().launches;
    must(tenon_plan_run(context, plan));
    replayed_launches = stats().launches - launches;
    ASSERT_EQ(number(loss), eager_losses[static_cast<size_t>(i)]) << "step " << i;
    ASSERT_EQ(values_of<int64_t>(state(captured, 0, "step")), std::vector<int64_t>{i + 1});
  }
  EXPECT_EQ(stats().allocations, allocations) << "replay allocated";
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(values_of<float>(captured.params[i].get()), values_of<float>(eager.params[i].get()));
    for (const char* name : {"exp_avg", "exp_avg_sq"}) {
      EXPECT_EQ(values_of<float>(state(captured, i, name)),
                values_of<float>(state(eager, i, name)));
    }
  }
  EXPECT_LT(eager_losses.back(), eager_losses.front() / 4);

  // The listing has one line for each launch of a replay, and one above; then comes the memory.
  const std::string listing = plan_text(plan);
  const size_t end = listing.find("\narena of cpu:0: ");
  ASSERT_NE(end, std::string::npos) << listing;
  const auto lines = static_cast<uint64_t>(
      std::count(listing.begin(), listing.begin() + static_cast<ptrdiff_t>(end), '\n'));
  EXPECT_EQ(lines, replayed_launches) << listing;
  EXPECT_LE(lines, captured_launches);
  for (const char* op : {"tenon.matmul", "tenon.relu", "tenon.softmax_cross_entropy",
                         "tenon.softmax_cross_entropy_grad", "tenon.adam_step"}) {
    EXPECT_NE(listing.find(op), std::string::npos) << listing;
  }
  tenon_plan_release(plan);
}

TEST_F(Mlp, NothingStaysAfterAThousandSteps) {
  const tenon_stats before = stats();
  {
    const Model model = this->model("tenon.adam");
    tenon_stats warm{};
    int64_t resident = 0;
    for (int i = 0; i < 1000; ++i) {
      step(model, batch(i, 8));
      if (i == 200) {
        warm = stats();
        resident = resident_bytes();
      }
    }
    const tenon_stats after = stats();
    EXPECT_EQ(after.tensors, warm.tensors);
    EXPECT_EQ(after.storages, warm.storages);
    EXPECT_EQ(after.nodes, 0);
    EXPECT_EQ(after.bytes_live, warm.bytes_live);
    EXPECT_EQ(after.bytes_reserved, warm.bytes_reserved);
    if (sanitizer() == TENON_SANITIZER_NONE) {
      EXPECT_LE(resident_bytes() - resident, 256 << 10);
    }
  }
  const tenon_stats after = stats();
  EXPECT_EQ(after.tensors, before.tensors);
  EXPECT_EQ(after.storages, before.storages);
  EXPECT_EQ(after.nodes, before.nodes);
  EXPECT_EQ(after.bytes_live, before.bytes_live);
}

// A parameter that is a transposed view against its contiguous copy, through forward, backward and
// Adam.
TEST_F(Mlp, AdamLayout) {
  const Model plain = model("tenon.adam");
  Model turned = model("tenon.adam");
  turned.optimizer.reset();
  for (const size_t which : {0u, 2u}) {
    const int64_t rows = which == 0 ? kPixels : kHidden;
    const int64_t columns = which == 0 ? kHidden : kClasses;
    const Tensor memory =
        tensor(Shape{columns, rows}, std::vector<float>(static_cast<size_t>(rows * columns)));
    const int64_t shape[] = {rows, columns};
    const int64_t strides[] = {1, rows};
    tenon_tensor* view = nullptr;
    must(tenon_tensor_create_view(context, memory.get(), 2, shape, strides, 0, &view));
    Tensor owned(view);
    const auto values = values_of<float>(plain.params[which].get());
    must(tenon_tensor_set_data(context, view, values.data(), values.size() * sizeof(float)));
    turned.params[which] = parameter(std::move(owned));
  }
  turned.optimizer = optimizer("tenon.adam", handles(turned), {{"lr", real(0.01)}});
  for (int i = 0; i < 20; ++i) {
    const Batch next = batch(i * 13, 16);
    ASSERT_EQ(number(step(plain, next)), number(step(turned, next))) << "step " << i;
  }
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(values_of<float>(turned.params[i].get()), values_of<float>(plain.params[i].get()));
    tenon_view parameter_view{};
    must(tenon_tensor_get_view(context, turned.params[i].get(), &parameter_view));
    for (const char* name : {"exp_avg", "exp_avg_sq"}) {
      tenon_tensor* held = state(turned, i, name);
      EXPECT_EQ(values_of<float>(held), values_of<float>(state(plain, i, name)));
      tenon_view view{};
      must(tenon_tensor_get_view(context, held, &view));
      EXPECT_TRUE(std::equal(view.strides, view.strides + view.rank, parameter_view.strides));
    }
  }
}

// An embedding table learns; rows that are not looked up keep their bits, also under momentum.
TEST_F(Mlp, EmbeddingTrainsItsRowsAlone) {
  std::vector<float> start(20 * 3);
  for (size_t i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i % 7) - 3.0f;
  for (const char* rule : {"tenon.sgd", "tenon.adam", "tenon.adamw"}) {
    SCOPED_TRACE(rule);
    const Tensor table = parameter(tensor(Shape{20, 3}, start));
    const Optimizer optimizer = this->optimizer(rule, {table.get()}, {{"lr", real(0.05)}});
    const Tensor indices = tensor(Shape{5}, std::vector<int64_t>{4, 9, 4, 17, 0});
    float first = 0;
    float last = 0;
    for (int i = 0; i < 60; ++i) {
      const Tensor rows = call("tenon.embedding", {one(table.get()), one(indices.get())});
      const Tensor squares = call("tenon.mul", {one(rows.get()), one(rows.get())});
      const Tensor loss = call("tenon.sum", {one(squares.get())});
      tenon_tensor* root = loss.get();
      must(tenon_backward_run(context, &root, nullptr, 1, 0));
      tenon_tensor* dense = nullptr;
      EXPECT_EQ(tenon_tensor_get_grad(context, table.get(), &dense), TENON_E_ROWS);
      tenon_tensor* row_numbers = nullptr;
      tenon_tensor* row_values = nullptr;
      must(tenon_tensor_get_grad_rows(context, table.get(), &row_numbers, &row_values));
      EXPECT_EQ(values_of<int64_t>(row_numbers), (std::vector<int64_t>{0, 4, 9, 17}));
      must(tenon_optimizer_run(context, optimizer.get(), TENON_OPTIMIZER_CLEAR_GRAD));
      (i == 0 ? first : last) = number(loss);
    }
    EXPECT_LT(last, first / 2);
    const auto now = values_of<float>(table.get());
    for (size_t row = 0; row < 20; ++row) {
      const bool used = row == 0 || row == 4 || row == 9 || row == 17;
      const bool same = std::equal(now.begin() + static_cast<int64_t>(row * 3),
                                   now.begin() + static_cast<int64_t>(row * 3 + 3),
                                   start.begin() + static_cast<int64_t>(row * 3));
      EXPECT_NE(used, same) << "row " << row;
    }
  }
}

}  // namespace
}  // namespace tenon::tests
