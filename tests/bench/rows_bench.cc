// SPDX-License-Identifier: Apache-2.0
// tests/bench/rows_bench.cc: ops that work along rows, on one thread: reductions, softmax and its
// loss, optimizer steps, rows of tables, random numbers. Inputs are random, outputs are given.
#include <benchmark/benchmark.h>
#include <tenon/tenon.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <vector>

namespace {

void require(tenon_context* context, tenon_status status, const char* what) {
  if (status == TENON_OK) return;
  std::fprintf(stderr, "%s: %s\n", what, tenon_status_get_name(status));
  tenon_error error{};
  error.struct_size = sizeof error;
  if (context && tenon_context_get_error(context, &error) == TENON_OK) {
    std::fprintf(stderr, "%s\n", error.message);
  }
  std::exit(1);
}

using Shape = std::initializer_list<int64_t>;

// A runtime of one thread, and the tensors of one benchmark.
class Session {
 public:
  Session() {
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.threads = 1;
    require(nullptr, tenon_runtime_create(&options, nullptr, &runtime_), "runtime");
    require(nullptr, tenon_context_create(runtime_, nullptr, &context_), "context");
  }
  ~Session() {
    for (tenon_tensor* tensor : tensors_) tenon_tensor_release(tensor);
    tenon_context_release(context_);
    tenon_runtime_release(runtime_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // f32 from low to high.
  tenon_tensor* f32(Shape shape, float low = -1.0f, float high = 1.0f) {
    std::vector<float> values(count(shape));
    for (float& value : values) {
      value = low + (high - low) * static_cast<float>(random() >> 40) * 0x1p-24f;
    }
    return make(TENON_DTYPE_F32, shape, values.data(), values.size() * sizeof(float));
  }
  tenon_tensor* i64(Shape shape, uint64_t below) {
    std::vector<int64_t> values(count(shape));
    for (int64_t& value : values) value = static_cast<int64_t>(random() % below);
    return make(TENON_DTYPE_I64, shape, values.data(), values.size() * sizeof(int64_t));
  }
  tenon_tensor* f64(double value) { return make(TENON_DTYPE_F64, {}, &value, sizeof value); }

  const tenon_op* op(const char* name) {
    const tenon_op* found = nullptr;
    require(context_, tenon_op_find(context_, name, TENON_NUL, 0, &found), name);
    return found;
  }
  void apply(const tenon_op* op, std::span<const tenon_value> in,
             std::span<const tenon_value> attrs, std::span<tenon_tensor* const> out) {
    require(context_,
            tenon_op_call_into(context_, op, in.data(), static_cast<uint32_t>(in.size()),
                               attrs.data(), static_cast<uint32_t>(attrs.size()), out.data(),
                               static_cast<uint32_t>(out.size())),
            "apply");
  }

 private:
  static size_t count(Shape shape) {
    size_t n = 1;
    for (const int64_t size : shape) n *= static_cast<size_t>(size);
    return n;
  }
  uint64_t random() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  tenon_tensor* make(tenon_dtype dtype, Shape shape, const void* data, size_t bytes) {
    tenon_tensor* made = nullptr;
    require(context_,
            tenon_tensor_create_from(context_, dtype, nullptr, static_cast<int32_t>(shape.size()),
                                     shape.begin(), data, bytes, &made),
            "tensor");
    tensors_.push_back(made);
    return made;
  }

  tenon_runtime* runtime_ = nullptr;
  tenon_context* context_ = nullptr;
  std::vector<tenon_tensor*> tensors_;
  uint64_t state_ = 0x9E3779B97F4A7C15u;
};

tenon_value tensor(tenon_tensor* operand) {
  tenon_value value{};
  value.tag = TENON_VALUE_TENSOR;
  value.as.tensor = operand;
  return value;
}
tenon_value list(std::span<tenon_tensor* const> operands) {
  tenon_value value{};
  value.tag = TENON_VALUE_TENSOR_LIST;
  value.count = static_cast<uint32_t>(operands.size());
  value.as.tensors = operands.data();
  return value;
}
tenon_value integer(int64_t number) {
  tenon_value value{};
  value.tag = TENON_VALUE_I64;
  value.as.i64 = number;
  return value;
}
tenon_value integers(std::span<const int64_t> numbers) {
  tenon_value value{};
  value.tag = TENON_VALUE_INT_LIST;
  value.count = static_cast<uint32_t>(numbers.size());
  value.as.ints = numbers.data();
  return value;
}

// The first call finds kernels and opens plugins.
template <class Call>
void measure(benchmark::State& state, const Call& call) {
  call();
  for (auto _ : state) call();
}

void bytes_per_call(benchmark::State& state, int64_t bytes) {
  state.SetBytesProcessed(state.iterations() * bytes);
}

// Op `name` from an f32 [rows, columns] over one axis.
void reduce(benchmark::State& state, const char* name, int64_t axis) {
  const int64_t rows = state.range(0), columns = state.range(1);
  Session s;
  const tenon_op* op = s.op(name);
  const tenon_value in[] = {tensor(s.f32({rows, columns}))};
  const tenon_value attrs[] = {integers(std::span(&axis, 1))};
  tenon_tensor* out[] = {s.f32({axis ? rows : columns})};
  measure(state, [&] { s.apply(op, in, attrs, out); });
  bytes_per_call(state, 4 * rows * columns);
}
BENCHMARK_CAPTURE(reduce, sum_of_rows, "tenon.sum", 1)
    ->Args({1024, 1024})
    ->Args({64, 128})
    ->Args({16, 1 << 20});
BENCHMARK_CAPTURE(reduce, sum_of_columns, "tenon.sum", 0)
    ->Args({4096, 1024})
    ->Args({64, 128})
    ->Args({1 << 16, 10});
BENCHMARK_CAPTURE(reduce, max_of_rows, "tenon.max", 1)->Args({1024, 1024});

void argmax(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1);
  Session s;
  const tenon_op* op = s.op("tenon.argmax");
  const tenon_value in[] = {tensor(s.f32({rows, columns}))};
  const tenon_value attrs[] = {integer(1)};
  tenon_tensor* out[] = {s.i64({rows}, 1)};
  measure(state, [&] { s.apply(op, in, attrs, out); });
  bytes_per_call(state, 4 * rows * columns);
}
BENCHMARK(argmax)->Args({1024, 1024})->Args({64, 10});

void along_rows(benchmark::State& state, const char* name) {
  const int64_t rows = state.range(0), columns = state.range(1);
  Session s;
  const tenon_op* op = s.op(name);
  const tenon_value in[] = {tensor(s.f32({rows, columns}, -8, 8))};
  const tenon_value attrs[] = {integer(-1)};
  tenon_tensor* out[] = {s.f32({rows, columns})};
  measure(state, [&] { s.apply(op, in, attrs, out); });
  bytes_per_call(state, 8 * rows * columns);
}
BENCHMARK_CAPTURE(along_rows, softmax, "tenon.softmax")
    ->Args({1024, 1024})
    ->Args({64, 1024})
    ->Args({64, 10});
BENCHMARK_CAPTURE(along_rows, log_softmax, "tenon.log_softmax")->Args({1024, 1024});

void layer_norm(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1);
  Session s;
  const tenon_op* op = s.op("tenon.layer_norm");
  const tenon_value in[] = {tensor(s.f32({rows, columns})), tensor(s.f32({columns})),
                            tensor(s.f32({columns}))};
  tenon_tensor* out[] = {s.f32({rows, columns})};
  measure(state, [&] { s.apply(op, in, {}, out); });
  bytes_per_call(state, 8 * rows * columns);
}
BENCHMARK(layer_norm)->Args({1024, 768});

void layer_norm_grad(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1);
  Session s;
  const tenon_op* op = s.op("tenon.layer_norm_grad");
  const tenon_value in[] = {tensor(s.f32({rows, columns})), tensor(s.f32({rows, columns})),
                            tensor(s.f32({columns}))};
  tenon_tensor* out[] = {s.f32({rows, columns}), s.f32({columns}), s.f32({columns})};
  measure(state, [&] { s.apply(op, in, {}, out); });
  bytes_per_call(state, 12 * rows * columns);
}
BENCHMARK(layer_norm_grad)->Args({1024, 768});

// The loss and its gradient.
void cross_entropy(benchmark::State& state) {
  const int64_t rows = state.range(0), classes = state.range(1);
  Session s;
  const tenon_op* forward = s.op("tenon.softmax_cross_entropy");
  const tenon_op* backward = s.op("tenon.softmax_cross_entropy_grad");
  const tenon_value target = tensor(s.i64({rows}, static_cast<uint64_t>(classes)));
  tenon_tensor* loss[] = {s.f32({}), s.f32({rows}), s.f32({rows})};
  tenon_tensor* gradient[] = {s.f32({rows, classes})};
  const tenon_value in[] = {tensor(s.f32({rows, classes}, -8, 8)), target};
  const tenon_value back[] = {tensor(s.f32({}, 1, 1)), in[0], tensor(loss[1]), tensor(loss[2]),
                              target};
  measure(state, [&] {
    s.apply(forward, in, {}, loss);
    s.apply(backward, back, {}, gradient);
  });
  bytes_per_call(state, 12 * rows * classes);
}
BENCHMARK(cross_entropy)->Args({256, 50257})->Args({64, 10});

// A step of `n_states` states over four tensors of 10.5 million parameters in all, or over those
// of a small classifier.
void optimizer_step(benchmark::State& state, const char* name, int n_states) {
  const bool large = state.range(0) != 0;
  const std::vector<std::vector<int64_t>> shapes =
      large ? std::vector<std::vector<int64_t>>{{2560, 1024}, {1024, 2560}, {5120, 512}, {2634752}}
            : std::vector<std::vector<int64_t>>{{784, 128}, {128}, {128, 32}, {32}, {32, 10}, {10}};
  Session s;
  std::vector<std::vector<tenon_tensor*>> lists(static_cast<size_t>(n_states) + 3);
  int64_t parameters = 0;
  for (const auto& shape : shapes) {
    int64_t n = 1;
    for (const int64_t size : shape) n *= size;
    parameters += n;
    for (size_t k = 0; k + 1 < lists.size(); ++k) lists[k].push_back(s.f32({n}, 0.01f, 1));
    lists.back().push_back(s.i64({}, 1));
  }
  std::vector<tenon_value> in;
  for (const auto& tensors : lists) in.push_back(list(tensors));
  in.push_back(tensor(s.f64(1e-3)));
  const tenon_op* op = s.op(name);
  std::vector<tenon_value> attrs;
  if (n_states == 1) {
    attrs.resize(1);
    attrs[0].tag = TENON_VALUE_F64;
    attrs[0].as.f64 = 0.9;
  }
  measure(state, [&] { s.apply(op, in, attrs, {}); });
  bytes_per_call(state, parameters * 4 * (3 + 2 * n_states));
}
BENCHMARK_CAPTURE(optimizer_step, sgd_momentum, "tenon.sgd_step", 1)->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(optimizer_step, adamw, "tenon.adamw_step", 2)->Arg(0)->Arg(1);

void embedding(benchmark::State& state) {
  const int64_t rows = state.range(0), width = state.range(1);
  Session s;
  const tenon_op* op = s.op("tenon.embedding");
  const tenon_value in[] = {tensor(s.f32({50257, width})), tensor(s.i64({rows}, 50257))};
  tenon_tensor* out[] = {s.f32({rows, width})};
  measure(state, [&] { s.apply(op, in, {}, out); });
  bytes_per_call(state, 8 * rows * width);
}
BENCHMARK(embedding)->Args({256, 768})->Args({4096, 64});

void rows_add(benchmark::State& state) {
  const int64_t rows = state.range(0), width = state.range(1);
  Session s;
  const tenon_op* op = s.op("tenon.rows_add");
  const tenon_value in[] = {tensor(s.f32({50257, width})), tensor(s.i64({rows}, 50257)),
                            tensor(s.f32({rows, width}))};
  measure(state, [&] { s.apply(op, in, {}, {}); });
  bytes_per_call(state, 12 * rows * width);
}
BENCHMARK(rows_add)->Args({256, 768})->Args({4096, 64});

void concat(benchmark::State& state) {
  Session s;
  const tenon_op* op = s.op("tenon.concat");
  tenon_tensor* const parts[] = {s.f32({512, 300}), s.f32({512, 200}), s.f32({512, 524})};
  const tenon_value in[] = {list(parts)};
  const tenon_value attrs[] = {integer(1)};
  tenon_tensor* out[] = {s.f32({512, 1024})};
  measure(state, [&] { s.apply(op, in, attrs, out); });
  bytes_per_call(state, 8 * 512 * 1024);
}
BENCHMARK(concat);

void random_numbers(benchmark::State& state, const char* name) {
  const int64_t n = state.range(0);
  Session s;
  const tenon_op* op = s.op(name);
  const tenon_value attrs[] = {integers(std::span(&n, 1))};
  tenon_tensor* out[] = {s.f32({n})};
  measure(state, [&] { s.apply(op, {}, attrs, out); });
  bytes_per_call(state, 4 * n);
}
BENCHMARK_CAPTURE(random_numbers, uniform, "tenon.uniform")->Arg(1 << 20);
BENCHMARK_CAPTURE(random_numbers, normal, "tenon.normal")->Arg(1 << 20);

}  // namespace
