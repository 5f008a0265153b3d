// SPDX-License-Identifier: Apache-2.0
// tests/bench/eager_bench.cc: what one small op costs through the C API: add of 64 f32 elements,
// written into a given output, returned, recorded; and a whole small backward.
#include <benchmark/benchmark.h>
#include <tenon/tenon.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {

void require(tenon_status status, const char* what) {
  if (status == TENON_OK) return;
  std::fprintf(stderr, "%s: %s\n", what, tenon_status_get_name(status));
  std::exit(1);
}

struct Session {
  Session() {
    require(tenon_runtime_create(nullptr, nullptr, &runtime), "runtime");
    require(tenon_context_create(runtime, nullptr, &context), "context");
    require(tenon_op_find(context, "tenon.add", TENON_NUL, 0, &add), "add");
    require(tenon_op_find(context, "tenon.mul", TENON_NUL, 0, &mul), "mul");
    require(tenon_op_find(context, "tenon.sum", TENON_NUL, 0, &sum), "sum");
    for (tenon_tensor** tensor : {&a, &b, &out}) {
      float values[64];
      for (int i = 0; i < 64; ++i) values[i] = 0.25f * static_cast<float>(i) - 3.0f;
      const int64_t shape = 64;
      require(tenon_tensor_create_from(context, TENON_DTYPE_F32, nullptr, 1, &shape, values,
                                       sizeof values, tensor),
              "tensor");
    }
  }
  ~Session() {
    for (tenon_tensor* tensor : {a, b, out}) tenon_tensor_release(tensor);
    tenon_context_release(context);
    tenon_runtime_release(runtime);
  }
  void operands(tenon_value (&values)[2]) const {
    values[0].tag = TENON_VALUE_TENSOR;
    values[0].as.tensor = a;
    values[1].tag = TENON_VALUE_TENSOR;
    values[1].as.tensor = b;
  }

  tenon_runtime* runtime = nullptr;
  tenon_context* context = nullptr;
  const tenon_op* add = nullptr;
  const tenon_op* mul = nullptr;
  const tenon_op* sum = nullptr;
  tenon_tensor* a = nullptr;
  tenon_tensor* b = nullptr;
  tenon_tensor* out = nullptr;
};

void add_64_out(benchmark::State& state) {
  const Session s;
  tenon_value in[2] = {};
  s.operands(in);
  for (auto _ : state) {
    require(tenon_op_call_into(s.context, s.add, in, 2, nullptr, 0, &s.out, 1), "apply");
  }
}
BENCHMARK(add_64_out);

void add_64_returned(benchmark::State& state) {
  const Session s;
  tenon_value in[2] = {};
  s.operands(in);
  for (auto _ : state) {
    tenon_tensor* made = nullptr;
    require(tenon_op_call(s.context, s.add, in, 2, nullptr, 0, &made, 1), "call");
    tenon_tensor_release(made);
  }
}
BENCHMARK(add_64_returned);

void add_64_recorded(benchmark::State& state) {
  const Session s;
  require(tenon_tensor_set_requires_grad(s.context, s.a, 1), "requires_grad");
  tenon_value in[2] = {};
  s.operands(in);
  for (auto _ : state) {
    tenon_tensor* made = nullptr;
    require(tenon_op_call(s.context, s.add, in, 2, nullptr, 0, &made, 1), "call");
    tenon_tensor_release(made);
  }
}
BENCHMARK(add_64_recorded);

void mul_sum_backward_64(benchmark::State& state) {
  const Session s;
  require(tenon_tensor_set_requires_grad(s.context, s.a, 1), "requires_grad");
  tenon_value in[2] = {};
  s.operands(in);
  for (auto _ : state) {
    tenon_tensor* product = nullptr;
    tenon_tensor* total = nullptr;
    require(tenon_op_call(s.context, s.mul, in, 2, nullptr, 0, &product, 1), "mul");
    tenon_value reduced = {};
    reduced.tag = TENON_VALUE_TENSOR;
    reduced.as.tensor = product;
    require(tenon_op_call(s.context, s.sum, &reduced, 1, nullptr, 0, &total, 1), "sum");
    require(tenon_backward_run(s.context, &total, nullptr, 1, 0), "backward");
    require(tenon_tensor_set_grad(s.context, s.a, nullptr), "set_grad");
    tenon_tensor_release(total);
    tenon_tensor_release(product);
  }
}
BENCHMARK(mul_sum_backward_64);

}  // namespace
