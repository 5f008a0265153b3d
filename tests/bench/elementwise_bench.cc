// SPDX-License-Identifier: Apache-2.0
// tests/bench/elementwise_bench.cc: elementwise ops through the C API, into a given output: from
// what one launch costs to what memory gives.
#include <benchmark/benchmark.h>
#include <tenon/tenon.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

void require(tenon_status status, const char* what) {
  if (status == TENON_OK) return;
  std::fprintf(stderr, "%s: %s\n", what, tenon_status_get_name(status));
  std::exit(1);
}

// One op on operands of one shape, or on a tensor and a number.
class Call {
 public:
  enum class Second { None, Tensor, Number, Row };

  Call(const char* op, Second second, int64_t rows, int64_t columns) {
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.threads = 1;
    require(tenon_runtime_create(&options, nullptr, &runtime_), "runtime");
    require(tenon_context_create(runtime_, nullptr, &context_), "context");
    require(tenon_op_find(context_, op, TENON_NUL, 0, &op_), op);
    in_.push_back(tensor(rows, columns));
    if (second == Second::Tensor) in_.push_back(tensor(rows, columns));
    if (second == Second::Row) in_.push_back(tensor(1, columns));
    if (second == Second::Number) {
      in_.push_back({TENON_VALUE_F64, 0, {}});
      in_.back().as.f64 = 1.25;
    }
    out_ = tensor(rows, columns).as.tensor;
    run();
  }
  ~Call() {
    for (const tenon_value& value : in_) {
      if (value.tag == TENON_VALUE_TENSOR) tenon_tensor_release(value.as.tensor);
    }
    tenon_tensor_release(out_);
    tenon_context_release(context_);
    tenon_runtime_release(runtime_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void run() {
    const auto count = static_cast<uint32_t>(in_.size());
    require(tenon_op_call_into(context_, op_, in_.data(), count, nullptr, 0, &out_, 1), "apply");
  }

 private:
  tenon_value tensor(int64_t rows, int64_t columns) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> draw(0.01f, 4.0f);
    std::vector<float> values(static_cast<size_t>(rows * columns));
    for (float& value : values) value = draw(random);
    const int64_t shape[] = {rows, columns};
    tenon_value made{TENON_VALUE_TENSOR, 0, {}};
    require(tenon_tensor_create_from(context_, TENON_DTYPE_F32, nullptr, 2, shape, values.data(),
                                     values.size() * sizeof(float), &made.as.tensor),
            "tensor");
    return made;
  }

  tenon_runtime* runtime_ = nullptr;
  tenon_context* context_ = nullptr;
  const tenon_op* op_ = nullptr;
  std::vector<tenon_value> in_;
  tenon_tensor* out_ = nullptr;
};

void elementwise(benchmark::State& state, const char* op, Call::Second second) {
  const int64_t columns = state.range(0) < 1024 ? state.range(0) : 1024;
  Call call(op, second, state.range(0) / columns, columns);
  for (auto _ : state) call.run();
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->Arg(64)->Arg(4096)->Arg(1 << 14)->Arg(1 << 20)->Arg(1 << 24);
}
BENCHMARK_CAPTURE(elementwise, add, "tenon.add", Call::Second::Tensor)->Apply(sizes);
BENCHMARK_CAPTURE(elementwise, mul_number, "tenon.mul", Call::Second::Number)->Apply(sizes);
BENCHMARK_CAPTURE(elementwise, add_row, "tenon.add", Call::Second::Row)->Apply(sizes);
BENCHMARK_CAPTURE(elementwise, relu, "tenon.relu", Call::Second::None)->Apply(sizes);
BENCHMARK_CAPTURE(elementwise, copy, "tenon.copy", Call::Second::None)->Apply(sizes);
BENCHMARK_CAPTURE(elementwise, exp, "tenon.exp", Call::Second::None)->Apply(sizes);
BENCHMARK_CAPTURE(elementwise, tanh, "tenon.tanh", Call::Second::None)->Apply(sizes);
BENCHMARK_CAPTURE(elementwise, sigmoid, "tenon.sigmoid", Call::Second::None)->Apply(sizes);

}  // namespace
