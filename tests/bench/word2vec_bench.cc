// SPDX-License-Identifier: Apache-2.0
// tests/bench/word2vec_bench.cc: one step of skip-gram with eight negative samples, on one thread,
// eager, over tables of 2,520 to 252,000 rows of 64 numbers: about ten rows are touched in each.
#include <benchmark/benchmark.h>
#include <tenon/tenon.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int64_t kWidth = 64;
constexpr int64_t kNear = 9;

class Skipgram {
 public:
  explicit Skipgram(int64_t size) : size_(size) {
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.threads = 1;
    require(tenon_runtime_create(&options, nullptr, &runtime_));
    require(tenon_context_create(runtime_, nullptr, &cx_));
    for (tenon_tensor*& table : tables_) {
      std::vector<float> values(static_cast<size_t>(size * kWidth), 0.25F);
      table = make(TENON_DTYPE_F32, {size, kWidth}, values.data(), values.size() * sizeof(float));
      require(tenon_tensor_set_requires_grad(cx_, table, 1));
    }
    std::vector<float> signs(kNear, -1.0F);
    signs[0] = 1;
    sign_ = make(TENON_DTYPE_F32, {kNear}, signs.data(), sizeof(float) * kNear);
    const tenon_string names[] = {{"lr", 2}};
    tenon_value lr{TENON_VALUE_F64, 0, {}};
    lr.as.f64 = 0.025;
    require(tenon_optimizer_create(cx_, "tenon.sgd", TENON_NUL, tables_, 2, names, &lr, 1, &sgd_));
  }
  ~Skipgram() {
    tenon_optimizer_release(sgd_);
    for (tenon_tensor* table : tables_) tenon_tensor_release(table);
    tenon_tensor_release(sign_);
    tenon_context_release(cx_);
    tenon_runtime_release(runtime_);
  }
  Skipgram(const Skipgram&) = delete;
  Skipgram& operator=(const Skipgram&) = delete;

  void step() {
    int64_t word = next();
    int64_t near[kNear];
    for (int64_t& each : near) each = next();
    tenon_tensor* const centre = make(TENON_DTYPE_I64, {1}, &word, sizeof word);
    tenon_tensor* const others = make(TENON_DTYPE_I64, {kNear}, near, sizeof near);
    tenon_tensor* const u = call("tenon.embedding", tables_[0], centre);
    tenon_tensor* const v = call("tenon.embedding", tables_[1], others);
    tenon_tensor* const products = call("tenon.mul", u, v);
    const int64_t axis = 1;
    tenon_value axes{TENON_VALUE_INT_LIST, 1, {}};
    axes.as.ints = &axis;
    tenon_tensor* const scores = call("tenon.sum", products, nullptr, &axes);
    tenon_tensor* const with_sign = call("tenon.mul", scores, sign_);
    tenon_tensor* const chances = call("tenon.logsigmoid", with_sign);
    tenon_tensor* const mean = call("tenon.mean", chances);
    tenon_tensor* const loss = call("tenon.neg", mean);
    require(tenon_backward_run(cx_, &loss, nullptr, 1, 0));
    require(tenon_optimizer_run(cx_, sgd_, TENON_OPTIMIZER_CLEAR_GRAD));
    for (tenon_tensor* each :
         {centre, others, u, v, products, scores, with_sign, chances, mean, loss}) {
      tenon_tensor_release(each);
    }
  }

 private:
  void require(tenon_status status) {
    if (status == TENON_OK) return;
    tenon_error error{};
    error.struct_size = sizeof error;
    tenon_context_get_error(cx_, &error);
    std::fprintf(stderr, "%s: %s\n", tenon_status_get_name(status),
                 error.message ? error.message : "");
    std::exit(1);
  }
  int64_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int64_t>((state_ >> 33) % static_cast<uint64_t>(size_));
  }
  tenon_tensor* make(tenon_dtype dtype, std::vector<int64_t> shape, const void* data,
                     size_t bytes) {
    tenon_tensor* out = nullptr;
    require(tenon_tensor_create_from(cx_, dtype, nullptr, static_cast<int32_t>(shape.size()),
                                     shape.data(), data, bytes, &out));
    return out;
  }
  tenon_tensor* call(const char* name, tenon_tensor* a, tenon_tensor* b = nullptr,
                     const tenon_value* attr = nullptr) {
    const tenon_op* op = nullptr;
    require(tenon_op_find(cx_, name, TENON_NUL, 0, &op));
    tenon_value in[2] = {{TENON_VALUE_TENSOR, 0, {}}, {TENON_VALUE_TENSOR, 0, {}}};
    in[0].as.tensor = a;
    in[1].as.tensor = b;
    tenon_tensor* out = nullptr;
    require(tenon_op_call(cx_, op, in, b ? 2 : 1, attr, attr ? 1 : 0, &out, 1));
    return out;
  }

  int64_t size_;
  uint64_t state_ = 5;
  tenon_runtime* runtime_ = nullptr;
  tenon_context* cx_ = nullptr;
  tenon_tensor* tables_[2] = {};
  tenon_tensor* sign_ = nullptr;
  tenon_optimizer* sgd_ = nullptr;
};

void skipgram_step(benchmark::State& state) {
  Skipgram model(state.range(0));
  for (int i = 0; i < 100; ++i) model.step();
  for (auto _ : state) model.step();
}
BENCHMARK(skipgram_step)->Arg(2520)->Arg(25200)->Arg(252000);

}  // namespace
