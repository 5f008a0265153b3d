// SPDX-License-Identifier: Apache-2.0
// tests/cuda/reductions_test.cc: reductions, softmax, attention, losses, norms, scans, sorting and
// recurrent steps on the emulated CUDA device, at sizes where work is shared in ways that small
// samples do not reach: parts joined by a second launch, rows that registers do not hold, tiles
// that are merged; and targets that are not classes.
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/cuda/cuda_support.h"

namespace tenon::tests {
namespace {

tenon_value tensor_value(const Tensor& tensor) { return tests::tensor_value(tensor.get()); }
tenon_value bool_value(bool truth) {
  tenon_value value{TENON_VALUE_BOOL, 0, {}};
  value.as.i64 = truth;
  return value;
}
tenon_value ints_value(const std::vector<int64_t>& numbers) {
  tenon_value value{TENON_VALUE_INT_LIST, static_cast<uint32_t>(numbers.size()), {}};
  value.as.ints = numbers.data();
  return value;
}

using Results = std::vector<Array>;

class CudaReductions : public ::testing::Test {
 protected:
  CudaReductions() : session_(CudaSession::folders(), 1, nullptr, CudaSession::kExcluded) {
    session_.must(tenon_device_find(session_, "cpu", TENON_NUL, 0, &cpu_));
    session_.must(tenon_device_find(session_, "cuda", TENON_NUL, 0, &cuda_));
  }

  // Numbers from -1 to 1 that depend on `seed` alone.
  Array numbers(const Shape& shape, uint32_t seed) const {
    Array array{TENON_DTYPE_F32, shape, {}};
    std::vector<float> data(array.count());
    for (float& each : data) {
      seed = seed * 1664525U + 1013904223U;
      each = static_cast<float>(seed >> 8) * 0x1p-23F - 1.0F;
    }
    array.bytes.resize(data.size() * sizeof(float));
    std::memcpy(array.bytes.data(), data.data(), array.bytes.size());
    return array;
  }
  Array integers(const std::vector<int64_t>& data) const {
    Array array{TENON_DTYPE_I64, {static_cast<int64_t>(data.size())}, {}};
    array.bytes.resize(data.size() * sizeof(int64_t));
    std::memcpy(array.bytes.data(), data.data(), array.bytes.size());
    return array;
  }
  Tensor on(const tenon_device& device, const Array& array) const {
    tenon_tensor* out = nullptr;
    session_.must(tenon_tensor_create_from(
        session_, array.dtype, &device, static_cast<int32_t>(array.shape.size()),
        array.shape.data(), array.bytes.data(), array.bytes.size(), &out));
    return Tensor(out);
  }

  // The results of a call on `device`; an input without bytes is absent.
  Results results(const tenon_device& device, const char* op, const std::vector<Array>& inputs,
                  const std::vector<tenon_value>& attrs, uint32_t n_outputs) const {
    std::vector<Tensor> tensors;
    std::vector<tenon_value> values;
    for (const Array& input : inputs) {
      tensors.push_back(input.bytes.empty() ? Tensor() : on(device, input));
      values.push_back(input.bytes.empty() ? tenon_value{} : tensor_value(tensors.back()));
    }
    std::vector<tenon_tensor*> outputs(n_outputs);
    session_.must(tenon_op_call(session_, session_.find(op), values.data(),
                                static_cast<uint32_t>(values.size()), attrs.data(),
                                static_cast<uint32_t>(attrs.size()), outputs.data(), n_outputs));
    Results all;
    for (tenon_tensor* output : outputs) all.push_back(contents_of(session_, Tensor(output).get()));
    return all;
  }

  // The device's results are the processor's, floats to within `tolerance` of the largest.
  void compare(const char* op, const std::vector<Array>& inputs,
               const std::vector<tenon_value>& attrs, double tolerance,
               uint32_t n_outputs = 1) const {
    const Results expected = results(cpu_, op, inputs, attrs, n_outputs);
    const Results found = results(cuda_, op, inputs, attrs, n_outputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(expected[i].shape, found[i].shape) << op;
      if (expected[i].dtype != TENON_DTYPE_F32) {
        EXPECT_EQ(expected[i], found[i]) << op << ", output " << i;
        continue;
      }
      expect_near(expected[i], found[i], tolerance, std::string(op) + ", " + std::to_string(i));
    }
    EXPECT_EQ(found, results(cuda_, op, inputs, attrs, n_outputs))
        << op << " is not the same twice";
  }

  static void expect_near(const Array& expected, const Array& found, double tolerance,
                          const std::string& what) {
    const size_t count = expected.count();
    std::vector<float> a(count), b(count);
    std::memcpy(a.data(), expected.bytes.data(), expected.bytes.size());
    std::memcpy(b.data(), found.bytes.data(), found.bytes.size());
    double largest = 0;
    for (const float each : a) largest = std::fmax(largest, std::fabs(each));
    for (size_t i = 0; i < count; ++i) {
      ASSERT_NEAR(a[i], b[i], tolerance * largest) << what << ", element " << i;
    }
  }

  Session session_;
  tenon_device cpu_{};
  tenon_device cuda_{};
};

const std::vector<int64_t> kFirst{0};
const std::vector<int64_t> kLast{1};
const std::vector<int64_t> kOuter{0, 2};

// One output and few of them: the elements are cut into parts.
TEST_F(CudaReductions, LongReductionsAreJoinedFromParts) {
  const Array long_rows = numbers({2, 40003}, 1);
  const Array long_columns = numbers({4001, 20}, 2);
  const Array both = numbers({40, 3, 500}, 3);
  for (const char* op : {"tenon.sum", "tenon.mean", "tenon.max", "tenon.min", "tenon.var",
                         "tenon.std", "tenon.norm", "tenon.logsumexp"}) {
    compare(op, {long_rows}, {}, 1e-5);
    compare(op, {long_rows}, {ints_value(kLast)}, 1e-5);
    compare(op, {long_columns}, {ints_value(kFirst)}, 1e-5);
    compare(op, {both}, {ints_value(kOuter)}, 1e-5);
  }
  for (const char* op : {"tenon.argmax", "tenon.argmin"}) {
    compare(op, {long_rows}, {}, 0);
    compare(op, {long_columns}, {int_value(0)}, 0);
  }
  const std::vector<int64_t> shape{20};
  compare("tenon.sum_to", {long_columns}, {ints_value(shape)}, 1e-5);
}

// Lines in registers, whose packs of 16 bytes fit or not; lines that are read twice; lines whose
// neighbours belong to others.
TEST_F(CudaReductions, SoftmaxOfLinesOfAllLengths) {
  for (const char* op : {"tenon.softmax", "tenon.log_softmax"}) {
    for (const int64_t length : {511, 512, 3000, 16384, 16390, 20000}) {
      compare(op, {numbers({2, length}, 4)}, {}, 2e-6);
    }
    compare(op, {numbers({300, 40}, 5)}, {int_value(0)}, 2e-6);
  }
}

// Rows of a warp, of a block with scores in shared memory, and in scratch, which blocks use again.
TEST_F(CudaReductions, AttentionOfFewAndManyKeys) {
  for (const auto& [queries, keys] :
       {std::pair<int64_t, int64_t>{1200, 5}, {3, 300}, {2, 9000}, {260, 10300}}) {
    const Array q = numbers({1, 2, queries, 1}, 7);
    const Array k = numbers({1, 1, keys, 1}, 8);
    const Array v = numbers({1, 1, keys, 3}, 9);
    compare("tenon.attention", {q, k, v}, {bool_value(queries % 2 == 1)}, 2e-5);
  }
}

// The same rows for dq; a warp for each key for dk and dv, in one go over columns and in several.
TEST_F(CudaReductions, GradientsOfAttentionOfFewAndManyKeys) {
  struct Case {
    int64_t queries, keys, width;
  };
  for (const auto& [queries, keys, width] :
       {Case{1200, 5, 2}, Case{3, 300, 3}, Case{9, 40, 200}, Case{130, 5300, 1}}) {
    const Array q = numbers({1, 2, queries, 2}, 7);
    const Array k = numbers({1, 1, keys, 2}, 8);
    const Array v = numbers({1, 1, keys, width}, 9);
    const Array dy = numbers({1, 2, queries, width}, 10);
    compare("tenon.attention_grad", {dy, q, k, v}, {bool_value(queries % 2 == 1)}, 2e-5, 3);
  }
}

// What a masked key and its value are has no part in any gradient, and they get none.
TEST_F(CudaReductions, HiddenKeysHaveNoPartInGradientsOfAttention) {
  constexpr int64_t kKeys = 40;
  constexpr size_t kHidden = 17;
  Array mask;
  mask.dtype = TENON_DTYPE_BOOL;
  mask.shape = {kKeys};
  mask.bytes.assign(kKeys, decltype(mask.bytes)::value_type{1});
  mask.bytes[kHidden] = decltype(mask.bytes)::value_type{0};
  Array k = numbers({1, 1, kKeys, 2}, 8);
  Array v = numbers({1, 1, kKeys, 2}, 9);
  const float values[] = {std::nanf(""), std::numeric_limits<float>::infinity()};
  for (Array* each : {&k, &v}) {
    std::memcpy(each->bytes.data() + kHidden * sizeof values, values, sizeof values);
  }
  const Array q = numbers({1, 2, 30, 2}, 7);
  compare("tenon.attention_grad", {numbers({1, 2, 30, 2}, 10), q, k, v, mask}, {}, 2e-5, 3);
}

TEST_F(CudaReductions, CrossEntropyOfFewAndManyRows) {
  for (const auto& [rows, classes] :
       {std::pair<int64_t, int64_t>{40, 70}, {300, 200}, {2, 20001}, {3000, 3}}) {
    std::vector<int64_t> targets(static_cast<size_t>(rows));
    for (size_t n = 0; n < targets.size(); ++n) {
      targets[n] = n % 5 == 3 ? -100 : static_cast<int64_t>(n * 7) % classes;
    }
    const Array logits = numbers({rows, classes}, 6);
    compare("tenon.softmax_cross_entropy", {logits, integers(targets)}, {}, 2e-6, 3);
    const Results known =
        results(cpu_, "tenon.softmax_cross_entropy", {logits, integers(targets)}, {}, 3);
    compare("tenon.softmax_cross_entropy_grad",
            {known[0], logits, known[1], known[2], integers(targets)}, {}, 2e-6);
  }
}

TEST_F(CudaReductions, TargetsThatAreNoClassAreTold) {
  std::vector<int64_t> targets(300, 1);
  targets[200] = 7;
  targets[250] = -1;
  const Tensor logits = on(cuda_, numbers({300, 4}, 7));
  const Tensor target = on(cuda_, integers(targets));
  const tenon_value values[] = {tensor_value(logits), tensor_value(target)};
  tenon_tensor* out = nullptr;
  tenon_status status = tenon_op_call(session_, session_.find("tenon.softmax_cross_entropy"),
                                      values, 2, nullptr, 0, &out, 1);
  const Tensor held(out);
  if (status == TENON_OK) status = tenon_device_wait(session_, &cuda_);
  EXPECT_EQ(status, TENON_E_DATA);
  const std::string words = session_.error().message;
  EXPECT_NE(words.find("target[200] is 7, which is not a class"), std::string::npos) << words;
  EXPECT_NE(words.find("4 columns"), std::string::npos) << words;
}

// Rows in registers, and rows that are read again for each step.
TEST_F(CudaReductions, NormsOfRowsOfAllLengths) {
  for (const auto& [rows, length] :
       {std::pair<int64_t, int64_t>{600, 10}, {7, 768}, {3, 8200}, {2, 16500}}) {
    const Array x = numbers({rows, length}, 8);
    const Array dy = numbers({rows, length}, 9);
    const Array weight = numbers({length}, 10);
    compare("tenon.layer_norm", {x, weight, numbers({length}, 11)}, {}, 4e-6);
    compare("tenon.rms_norm", {x, weight}, {}, 4e-6);
    compare("tenon.layer_norm_grad", {dy, x, weight}, {}, 1e-5, 3);
    compare("tenon.rms_norm_grad", {dy, x, weight}, {}, 1e-5, 2);
  }
}

// A line in pieces, a block for each line, a thread for each line; from either end.
TEST_F(CudaReductions, ScansOfLinesOfAllLengths) {
  for (const bool reverse : {false, true}) {
    for (const Shape& shape : {Shape{1, 20011}, Shape{3, 5000}, Shape{300, 40}, Shape{300, 5}}) {
      const Array x = numbers(shape, 12);
      compare("tenon.cumsum", {x}, {int_value(1), bool_value(reverse), bool_value(true)}, 1e-6);
      compare("tenon.cumsum", {x}, {int_value(0), bool_value(reverse)}, 1e-6);
      compare("tenon.cumprod", {x}, {int_value(1), bool_value(reverse)}, 1e-6);
      compare("tenon.linear_recurrence", {x, numbers(shape, 13)},
              {int_value(1), bool_value(reverse)}, 1e-6);
    }
  }
}

// Tiles are merged two by two, an odd one out now and then; of many equal numbers the first is
// first.
TEST_F(CudaReductions, SortingAndSearchingLongLines) {
  for (const int64_t length : {1024, 1025, 2048, 5000}) {
    const Array x = numbers({2, length}, 14);
    compare("tenon.sort", {x}, {int_value(1), bool_value(true)}, 0, 2);
    compare("tenon.topk", {x}, {int_value(50)}, 0, 2);
    compare("tenon.topk", {x}, {int_value(length), int_value(1), bool_value(false)}, 0, 2);
  }
  std::vector<int64_t> few(4000);
  for (size_t i = 0; i < few.size(); ++i) few[i] = static_cast<int64_t>(i * i % 7);
  compare("tenon.sort", {integers(few)}, {}, 0, 2);
  compare("tenon.runs", {integers(few)}, {}, 0, 2);
  compare("tenon.nonzero_static", {integers(few)}, {int_value(3900), int_value(-5)}, 0, 2);
  compare("tenon.nonzero_static", {numbers({70, 61}, 15)}, {int_value(100)}, 0, 2);
}

// More sequences, units and values of k than a block has, and parts of blocks.
TEST_F(CudaReductions, RecurrentStepsOfSeveralBlocks) {
  constexpr int64_t kSteps = 3, kBatch = 11, kHidden = 37, kState = 35;
  const Array lengths = integers({3, 1, 2, 3, 0, 3, 2, 2, 1, 3, 3});
  const auto sequence = [&](int64_t width, uint32_t seed) {
    return numbers({kSteps, kBatch, width}, seed);
  };
  const auto state = [&](int64_t width, uint32_t seed) { return numbers({kBatch, width}, seed); };
  const Array bias = numbers({4 * kHidden}, 1), w_hr = numbers({kState, kHidden}, 2);
  const Array w_lstm = numbers({4 * kHidden, kState}, 3),
              w_gru = numbers({3 * kHidden, kHidden}, 4),
              w_own = numbers({4 * kHidden, kHidden}, 13);
  const Array w_rnn = numbers({kHidden, kHidden}, 5), gru_bias = numbers({3 * kHidden}, 6);
  for (const bool reverse : {false, true}) {
    const tenon_value way = bool_value(reverse);
    compare("tenon.lstm_steps",
            {sequence(4 * kHidden, 7), w_lstm, state(kState, 8), state(kHidden, 9), bias, bias,
             w_hr, lengths},
            {way}, 2e-6, 3);
    compare("tenon.lstm_steps_grad",
            {sequence(4 * kHidden, 7), sequence(kHidden, 8), w_lstm, sequence(kState, 9),
             state(kState, 10), state(kHidden, 11), state(kHidden, 12), w_hr, lengths},
            {way}, 2e-6, 4);
    // Without a projection the gradients of a step are a launch with those of the state.
    const Array absent{TENON_DTYPE_F32, {}, {}};
    compare("tenon.lstm_steps",
            {sequence(4 * kHidden, 7), w_own, state(kHidden, 8), state(kHidden, 9), bias, bias,
             absent, lengths},
            {way}, 2e-6, 3);
    compare("tenon.lstm_steps_grad",
            {sequence(4 * kHidden, 7), sequence(kHidden, 8), w_own, sequence(kHidden, 9),
             state(kHidden, 10), state(kHidden, 11), state(kHidden, 12), absent, lengths},
            {way}, 2e-6, 3);
    for (const bool after : {false, true}) {
      compare("tenon.gru_steps",
              {sequence(3 * kHidden, 7), w_gru, state(kHidden, 8), gru_bias, gru_bias, lengths},
              {way, bool_value(false), bool_value(after)}, 2e-6, 3);
      compare("tenon.gru_steps_grad",
              {sequence(4 * kHidden, 7), sequence(kHidden, 8), w_gru, sequence(kHidden, 9),
               state(kHidden, 10), lengths},
              {way, bool_value(false), bool_value(after)}, 2e-6, after ? 3 : 2);
    }
    compare("tenon.rnn_steps",
            {sequence(kHidden, 7), w_rnn, state(kHidden, 8), numbers({kHidden}, 9),
             numbers({kHidden}, 10), lengths},
            {text_value("tanh"), way}, 2e-6, 2);
    compare("tenon.rnn_steps_grad",
            {sequence(kHidden, 7), w_rnn, sequence(kHidden, 8), state(kHidden, 9), lengths},
            {text_value("tanh"), way}, 2e-6, 2);
  }
}

}  // namespace
}  // namespace tenon::tests
