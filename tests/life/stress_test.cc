// SPDX-License-Identifier: Apache-2.0
// tests/life/stress_test.cc: 64 threads on one runtime, each with its own context, doing everything
// at once: results are right, and in the end nothing is left. Runs under ThreadSanitizer in CI.
#include <atomic>
#include <barrier>
#include <thread>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

constexpr int kThreads = 64;
constexpr int kRounds = 12;

// The tree's plugins; nothing is open yet.
RuntimeHandle make_tree_runtime(const char* check) {
  const std::string folder = plugin_dir();
  const tenon_string path{folder.data(), folder.size()};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = &path;
  options.n_paths = 1;
  options.threads = 2;
  options.check = {check, TENON_NUL};
  tenon_runtime* runtime = nullptr;
  EXPECT_EQ(tenon_runtime_create(&options, nullptr, &runtime), TENON_OK);
  return RuntimeHandle(runtime);
}

// What one thread does in a round, with its own number in all values.
class Work {
 public:
  Work(const RuntimeHandle& runtime, const Tensor& shared, int number)
      : cx_(runtime), shared_(shared), x_(cx_.floats({2}, {float(number), 1})), number_(number) {}

  void round() {
    compute();
    add_to_shared_leaf();
    replay();
    ask();
    read_data();
  }

 private:
  float number() const { return static_cast<float>(number_); }

  void compute() {
    const Tensor w = cx_.leaf(cx_.floats({2}, {2, 3}));
    const Tensor y = cx_.call("tenon.mul", {arg(x_), arg(w)});
    EXPECT_EQ(cx_.values(y), (std::vector<float>{2 * number(), 3}));
    cx_.backward(cx_.call("tenon.sum", {arg(y)}));
    EXPECT_EQ(cx_.grad_values(w), (std::vector<float>{number(), 1}));
    const Optimizer sgd = cx_.optimizer({w.get()}, {{"lr", Value(1.0)}}, "tenon.sgd");
    cx_.step(sgd);
    EXPECT_EQ(cx_.values(w), (std::vector<float>{2 - number(), 2}));
  }

  // Whole numbers: their sum is the same in any order.
  void add_to_shared_leaf() {
    cx_.backward(cx_.call("tenon.sum", {arg(cx_.call("tenon.mul", {arg(x_), arg(shared_)}))}));
  }

  void replay() {
    const Tensor in = cx_.floats({2}, {number(), 1});
    cx_.begin_capture({in.get()});
    const Tensor doubled = cx_.call("tenon.add", {arg(in), arg(in)});
    const Tensor out = cx_.call("tenon.add", {arg(doubled), 1.0});
    const Plan plan = cx_.end_capture();
    for (int run = 0; run < 3; ++run) {
      const float fresh[] = {number() + static_cast<float>(run), 1};
      cx_.must(tenon_tensor_set_data(cx_.get(), in.get(), fresh, sizeof fresh));
      cx_.must(tenon_plan_run(cx_.get(), plan.get()));
      EXPECT_EQ(cx_.values(out), (std::vector<float>{2 * fresh[0] + 1, 3}));
    }
  }

  void ask() {
    static constexpr const char* kTopics[] = {"stats", "plugins", "devices", "log", "environment"};
    tenon_text* text = nullptr;
    cx_.must(tenon_runtime_query(cx_.get(), kTopics[number_ % 5], TENON_NUL, &text));
    tenon_text_release(text);
    const tenon_value inputs[] = {arg(x_), arg(shared_)};
    cx_.must(tenon_op_explain(cx_.get(), cx_.op("tenon.add"), inputs, 2, nullptr, 0, &text));
    tenon_text_release(text);
    // A wrong call in the middle: the record is this context's own.
    const Failure f =
        cx_.refused(TENON_E_NOT_FOUND, tenon_runtime_query(cx_.get(), "nothing", TENON_NUL, &text));
    EXPECT_EQ(f.found, "nothing");
    EXPECT_GE(cx_.stats().tensors, 2);
  }

  // Until its plugin is taken out of use, which one of the threads does.
  void read_data() {
    const std::string file = std::string(data_dir()) + "/digits/t10k-labels-idx1-ubyte";
    const tenon_string name = {"images", TENON_NUL};
    tenon_value path{TENON_VALUE_STRING, static_cast<uint32_t>(file.size()), {}};
    path.as.string = file.data();
    tenon_dataset* data = nullptr;
    tenon_status status =
        tenon_dataset_create(cx_.get(), "tenon.idx", TENON_NUL, &name, &path, 1, &data);
    int64_t length = 0;
    if (status == TENON_OK) {
      cx_.must(tenon_dataset_get_length(cx_.get(), data, &length));
      EXPECT_EQ(length, 359);
    }
    const int64_t index = number_;
    tenon_tensor* label = nullptr;
    if (status == TENON_OK) {
      status = tenon_dataset_call(cx_.get(), data, &index, 1, &label, 1);
    }
    EXPECT_TRUE(status == TENON_OK || status == TENON_E_PLUGIN) << cx_.failure().message;
    tenon_tensor_release(label);
    tenon_dataset_release(data);
  }

  Session cx_;
  const Tensor& shared_;
  Tensor x_;
  int number_;
};

void stress(const char* check) {
  const RuntimeHandle runtime = make_tree_runtime(check);
  const Session main(runtime);
  const Tensor shared = main.leaf(main.floats({2}, {1, 1}));
  const tenon_stats before = main.stats();
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number] {
      start.arrive_and_wait();
      Work work(runtime, shared, number);
      for (int round = 0; round < kRounds; ++round) {
        work.round();
        if (number != 7 || round != kRounds / 2) continue;
        const Session other(runtime);
        other.must(tenon_plugin_deactivate(other.get(), "tenon.data", TENON_NUL));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const float numbers = kThreads * (kThreads - 1) / 2;
  EXPECT_EQ(main.grad_values(shared), (std::vector<float>{numbers * kRounds, kThreads * kRounds}));
  main.clear_grad(shared);
  const tenon_stats after = main.stats();
  EXPECT_EQ(after.tensors, before.tensors);
  EXPECT_EQ(after.storages, before.storages);
  EXPECT_EQ(after.nodes, before.nodes);
  EXPECT_EQ(after.plans, before.plans);
  EXPECT_EQ(after.bytes_live, before.bytes_live);
}

TEST(StressThreads, SixtyFourContextsDoEverythingAtOnce) { stress(""); }
TEST(StressThreads, SoTheyDoUnderCheckModes) { stress("threads,finite,launch,handles"); }

}  // namespace
}  // namespace tenon::tests
