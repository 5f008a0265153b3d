// SPDX-License-Identifier: Apache-2.0
// tests/bench/replay_bench.cc: what a replay costs: a run of a plan without work, and each launch
// in it, of a kernel that does nothing and of an add of 64 f32 elements.
#include <benchmark/benchmark.h>
#include <tenon/tenon.h>
#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/support/program_query.h"

namespace {

namespace sdk = tenon::sdk;

// ---- bench.nothing, an op of this program: what is left of its launches is the core's -----------

void do_nothing(const sdk::Launch&) {}

constexpr tenon_op_desc kOps[] = {sdk::op({.name = "bench.nothing",
                                           .schema = "nothing(x: T[...], y: T[...]) -> T[...]",
                                           .doc = "Leaves its result as it is.",
                                           .shape = TENON_SHAPE_SAME_AS_0})};
constexpr tenon_slot_rule kSlots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};
constexpr tenon_kernel_desc kKernels[] = {
    sdk::kernel({.op = "bench.nothing",
                 .device = "cpu",
                 .slots = kSlots,
                 .rows = sdk::kAllDtypes,
                 .flags = TENON_KERNEL_CANONICAL | TENON_KERNEL_CAPTURE_SAFE,
                 .launch = sdk::launch_fn<do_nothing>})};
constexpr sdk::Unit kUnit = {.ops = kOps, .kernels = kKernels};
constexpr const sdk::Unit* kUnits[] = {&kUnit};
struct Nothing {
  static sdk::About about() { return {"bench.nothing", "1.0.0", "Apache-2.0", kUnits}; }
};

// ---- Plans --------------------------------------------------------------------------------------

void require(tenon_status status, const char* what) {
  if (status == TENON_OK) return;
  std::fprintf(stderr, "%s: %s\n", what, tenon_status_get_name(status));
  std::exit(1);
}

class Captured {
 public:
  Captured(const char* name, int64_t launches) {
    tenon_runtime_options options = {};
    options.struct_size = sizeof options;
    options.threads = 1;
    require(tenon_runtime_create(&options, nullptr, &runtime_), "runtime");
    require(tenon_context_create(runtime_, nullptr, &context_), "context");
    require(tenon_plugin_load(context_, tenon::tests::query_in_program<Nothing>), "bench.nothing");
    const tenon_op* op = nullptr;
    require(tenon_op_find(context_, name, TENON_NUL, 0, &op), name);
    tenon_value in[2] = {};
    for (size_t i = 0; i < 3; ++i) {
      const int64_t shape = 64;
      const std::vector<float> values(64, 0.25f);
      require(tenon_tensor_create_from(context_, TENON_DTYPE_F32, nullptr, 1, &shape, values.data(),
                                       values.size() * sizeof(float), &tensors_[i]),
              "tensor");
      if (i == 2) break;
      in[i].tag = TENON_VALUE_TENSOR;
      in[i].as.tensor = tensors_[i];
    }
    require(tenon_capture_begin(context_, nullptr, 0), "capture");
    for (int64_t i = 0; i < launches; ++i) {
      require(tenon_op_call_into(context_, op, in, 2, nullptr, 0, &tensors_[2], 1), name);
    }
    require(tenon_capture_end(context_, &plan_), "plan");
  }
  ~Captured() {
    tenon_plan_release(plan_);
    for (tenon_tensor* tensor : tensors_) tenon_tensor_release(tensor);
    tenon_context_release(context_);
    tenon_runtime_release(runtime_);
  }
  void run() { require(tenon_plan_run(context_, plan_), "run"); }

 private:
  tenon_runtime* runtime_ = nullptr;
  tenon_context* context_ = nullptr;
  tenon_plan* plan_ = nullptr;
  tenon_tensor* tensors_[3] = {};
};

// The time of a launch is the column `launch`, a run without launches is replay_empty.
void replay(benchmark::State& state, const char* name, int64_t launches) {
  Captured captured(name, launches);
  for (auto _ : state) captured.run();
  if (launches == 0) return;
  state.counters["launch"] = benchmark::Counter(
      static_cast<double>(launches),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(replay, empty, "tenon.add", 0);
BENCHMARK_CAPTURE(replay, 100_of_nothing, "bench.nothing", 100);
BENCHMARK_CAPTURE(replay, 1000_of_nothing, "bench.nothing", 1000);
BENCHMARK_CAPTURE(replay, 100_of_add_64, "tenon.add", 100);
BENCHMARK_CAPTURE(replay, 1000_of_add_64, "tenon.add", 1000);

}  // namespace
