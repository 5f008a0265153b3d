// SPDX-License-Identifier: Apache-2.0
// tests/cpu/long_lines_test.cc: reductions, scans and what normalises a line, where lines are cut
// into blocks and pieces: at the ends of these and beside them, and past the most pieces there are.
// tenon.cpu against tenon.ref, for several numbers of threads.
//
// Most values are small whole numbers or powers of two: their sums and products are exact in any
// order, so one element that is lost or taken twice shows in the bits.
#include <tenon/plugin.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tenon/sdk/plugin/dtypes.hpp>
#include <tuple>

#include "tests/cpu/same_bits_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

const bool kSanitized = sanitizer() != TENON_SANITIZER_NONE;
constexpr int64_t kMaxPieces = 64;
constexpr int64_t kPiece = 65536;
// Past it the pieces of a sum are longer; twice that overruns whatever holds only so many.
constexpr int64_t kFull = kMaxPieces * kPiece;

enum class Values {
  Counts,  // 0, 1, 2
  Powers,  // 1/2, 1, 2, with products near 1; of integers 1 and 3
  Spread,  // 1/4 to 5/4; far more at both ends, far less in the middle
};

// A number that looks random for each index: SplitMix64's output function.
uint64_t mixed_bits(uint64_t index) {
  uint64_t z = (index + kSeed) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// Values 0 to count - 1, one after another.
class Source {
 public:
  Source(Values values, int64_t count, bool whole)
      : values_(values), count_(count), whole_(whole) {}

  double next() {
    const int64_t i = index_++;
    const uint64_t bits = mixed_bits(static_cast<uint64_t>(i));
    if (values_ == Values::Counts) return static_cast<double>(bits % 3);
    if (values_ == Values::Powers) {
      if (whole_) return bits % 4 == 0 ? 3 : 1;
      const int step = bits % 4 == 0 ? static_cast<int>(bits >> 32 & 1) * 2 - 1 : 0;
      const int change = std::abs(exponent_ + step) > 5 ? 0 : step;
      exponent_ += change;
      return std::ldexp(1, change);
    }
    const double marked = i == count_ - 1 ? 8 : i == 0 ? 6 : i == count_ / 2 ? -8 : 0;
    return marked + 0.25 + static_cast<double>(bits >> 11) * 0x1p-53;
  }

 private:
  Values values_;
  int64_t count_;
  bool whole_;
  int64_t index_ = 0;
  int exponent_ = 0;
};

Array made(tenon_dtype dtype, const Shape& shape, Values values) {
  Array array{dtype, shape, {}};
  array.bytes.resize(array.count() * size_of(dtype));
  Source source(values, static_cast<int64_t>(array.count()), !is_float(dtype));
  sdk::dispatch_dtype(dtype, [&]<class T>() {
    for (size_t at = 0; at < array.bytes.size(); at += sizeof(T)) {
      sdk::store(array.bytes.data() + at, sdk::convert<T>(source.next()));
    }
  });
  return array;
}

// An op of one input, and how far the two plugins may lie apart: units in the last place of the
// larger of the value and `floor`.
struct Operation {
  const char* op;
  const char* axis;  // what its attribute is called; NULL: an op of lines, which has none
  Values values;
  double units = 0;
  double floor = 0;
  bool is_list = true;     // of axes
  const char* more = "";   // further attributes
  bool has_lines = false;  // results as many as elements
};
constexpr Operation kOperations[] = {
    {"tenon.sum", "axes", Values::Counts},
    {"tenon.mean", "axes", Values::Counts, 1},
    {"tenon.prod", "axes", Values::Powers},
    {"tenon.max", "axes", Values::Spread},
    {"tenon.min", "axes", Values::Spread},
    {"tenon.norm", "axes", Values::Counts, 1},
    {"tenon.norm", "axes", Values::Counts, 0, 0, true, ", ord=1.0"},
    {"tenon.norm", "axes", Values::Spread, 0, 0, true, ", ord=inf"},
    {"tenon.var", "axes", Values::Counts, 2},
    {"tenon.std", "axes", Values::Counts, 2},
    {"tenon.logsumexp", "axes", Values::Spread, 8},
    {"tenon.argmax", "axis", Values::Spread, 0, 0, false},
    {"tenon.argmin", "axis", Values::Spread, 0, 0, false},
    {"tenon.softmax", "axis", Values::Spread, 40, 0, false, "", true},
    {"tenon.log_softmax", "axis", Values::Spread, 16, 1, false, "", true},
    {"tenon.cumsum", "axis", Values::Counts, 0, 0, false, "", true},
    {"tenon.cumsum", "axis", Values::Counts, 0, 0, false, ", reverse=true, exclusive=true", true},
    {"tenon.cumprod", "axis", Values::Powers, 0, 0, false, "", true},
    {"tenon.layer_norm", nullptr, Values::Spread, 64, 1, false, "", true},
    {"tenon.rms_norm", nullptr, Values::Spread, 64, 0, false, "", true},
};

double unit_of(tenon_dtype dtype) {
  switch (dtype) {
    case TENON_DTYPE_F64:
      return 0x1p-32;  // what the oracle adds up one after another is no better
    case TENON_DTYPE_F32:
      return 0x1p-23;
    case TENON_DTYPE_F16:
      return 0x1p-10;
    case TENON_DTYPE_BF16:
      return 0x1p-7;
    default:
      return 0;
  }
}

void expect_near(const std::vector<Array>& expected, const std::vector<Array>& found, double units,
                 double floor, const std::string& what) {
  if (units == 0) return expect_same(expected, found, what);
  ASSERT_EQ(expected.size(), found.size()) << what;
  for (size_t k = 0; k < expected.size(); ++k) {
    ASSERT_EQ(expected[k].shape, found[k].shape) << what;
    sdk::dispatch_dtype(expected[k].dtype, [&]<class T>() {
      for (size_t i = 0; i < expected[k].count(); ++i) {
        const auto at = [&](const Array& array) {
          return static_cast<double>(sdk::load<T>(array.bytes.data() + i * sizeof(T)));
        };
        const double wanted = at(expected[k]), got = at(found[k]);
        const double most = units * unit_of(expected[k].dtype) * std::max(std::fabs(wanted), floor);
        if (wanted == got || std::fabs(wanted - got) <= most) continue;
        FAIL() << what << ", result " << k << ", element " << i << ": expected " << wanted
               << ", found " << got;
      }
    });
  }
}

class CpuLongLines : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(TENON_TEST_CPU)
    GTEST_SKIP() << "tenon.cpu was not built here";
#else
    if (ops_of({plugin_dir()}, kPlugin).empty()) GTEST_SKIP() << "this processor cannot run it";
    oracle = std::make_unique<Session>(std::vector<std::string>{plugin_dir()}, 2);
    pin(*oracle, "tenon.ref");
    for (const int32_t threads : {1, 3, 8}) {
      if (kSanitized && threads == 8) continue;
      sessions.push_back(
          std::make_unique<Session>(std::vector<std::string>{plugin_dir()}, threads));
      pin(*sessions.back(), kPlugin);
    }
#endif
  }

  static std::vector<Array> called(const Session& session, const std::string& op,
                                   const std::vector<Array>& inputs, const std::string& attrs,
                                   uint32_t n_outputs);
  // The same call everywhere; the oracle's results.
  std::vector<Array> compare(const std::string& op, const std::vector<Array>& inputs,
                             const std::string& attrs, uint32_t n_outputs, double units,
                             double floor);
  void compare(const Operation& operation, tenon_dtype dtype, const Shape& shape, int64_t axis);
  void compare_losses(tenon_dtype dtype, int64_t rows, int64_t classes);
  // The same array again, which takes longer to make than to reduce.
  const Array& kept(tenon_dtype dtype, const Shape& shape, Values values) {
    Array& array = made_before[{dtype, sdk::count_of(shape), values}];
    if (array.bytes.empty()) array = made(dtype, shape, values);
    array.shape = shape;
    return array;
  }

  std::map<std::tuple<tenon_dtype, int64_t, Values>, Array> made_before;
  std::unique_ptr<Session> oracle;
  std::vector<std::unique_ptr<Session>> sessions;
};

std::vector<Array> CpuLongLines::called(const Session& session, const std::string& op,
                                        const std::vector<Array>& inputs, const std::string& attrs,
                                        uint32_t n_outputs) {
  std::vector<Tensor> tensors;
  std::vector<tenon_value> values;
  for (const Array& input : inputs) {
    tenon_tensor* tensor = nullptr;
    session.must(tenon_tensor_create_from(
        session, input.dtype, nullptr, static_cast<int32_t>(input.shape.size()), input.shape.data(),
        input.bytes.data(), input.bytes.size(), &tensor));
    tensors.emplace_back(tensor);
    values.push_back({TENON_VALUE_TENSOR, 0, {}});
    values.back().as.tensor = tensor;
  }
  const tenon_op* found = session.find(op);
  const sdk::Sample sample = sdk::parse_sample("f32[1]" + attrs);
  std::vector<tenon_value> given;
  session.must(attributes(session, found, sample, given));
  std::vector<tenon_tensor*> outputs(n_outputs, nullptr);
  session.must(tenon_op_call(session, found, values.data(), static_cast<uint32_t>(values.size()),
                             given.data(), static_cast<uint32_t>(given.size()), outputs.data(),
                             n_outputs));
  std::vector<Array> results;
  for (tenon_tensor* output : outputs) {
    const Tensor own(output);
    if (output) results.push_back(contents_of(session, output));
  }
  return results;
}

std::vector<Array> CpuLongLines::compare(const std::string& op, const std::vector<Array>& inputs,
                                         const std::string& attrs, uint32_t n_outputs, double units,
                                         double floor) {
  std::string words = op + attrs;
  for (const Array& input : inputs) words += " " + sdk::shape_text(input.shape);
  words += " of dtype " + std::to_string(inputs[0].dtype);
  auto wanted = called(*oracle, op, inputs, attrs, n_outputs);
  const auto alone = called(*sessions[0], op, inputs, attrs, n_outputs);
  expect_near(wanted, alone, units, floor, words);
  for (size_t k = 1; k < sessions.size(); ++k) {
    expect_same(alone, called(*sessions[k], op, inputs, attrs, n_outputs),
                words + ", more threads");
  }
  return wanted;
}

void CpuLongLines::compare(const Operation& operation, tenon_dtype dtype, const Shape& shape,
                           int64_t axis) {
  std::string attrs;
  if (operation.axis) {
    const std::string number = std::to_string(axis);
    attrs = std::string(" | ") + operation.axis + "=" +
            (operation.is_list ? "[" + number + "]" : number) + operation.more;
  }
  compare(operation.op, {kept(dtype, shape, operation.values)}, attrs, 1, operation.units,
          operation.floor);
}

// The loss of rows of logits, and its gradient from what the loss keeps.
void CpuLongLines::compare_losses(tenon_dtype dtype, int64_t rows, int64_t classes) {
  const Array logits = made(dtype, {rows, classes}, Values::Spread);
  Array target{TENON_DTYPE_I64, {rows}, std::vector<unsigned char>(static_cast<size_t>(rows) * 8)};
  for (int64_t n = 0; n < rows; ++n) {
    const auto bits = static_cast<int64_t>(mixed_bits(static_cast<uint64_t>(n)) >> 1);
    sdk::store(target.bytes.data() + n * 8, n % 7 == 3 ? int64_t{-100} : bits % classes);
  }
  const auto kept = compare("tenon.softmax_cross_entropy", {logits, target}, "", 3, 64, 0);
  ASSERT_EQ(kept.size(), 3u);
  Array slope{dtype, {}, std::vector<unsigned char>(size_of(dtype))};
  sdk::dispatch_dtype(dtype, [&]<class T>() {
    sdk::store(slope.bytes.data(), sdk::convert<T>(static_cast<double>(rows)));
  });
  compare("tenon.softmax_cross_entropy_grad", {slope, logits, kept[1], kept[2], target}, "", 1, 64,
          1e-3);
}

bool takes(const Operation& operation, tenon_dtype dtype) {
  const std::string op = operation.op;
  return is_float(dtype) || op == "tenon.sum" || op == "tenon.prod" || op == "tenon.max" ||
         op == "tenon.min" || op == "tenon.argmax" || op == "tenon.argmin" || op == "tenon.cumsum";
}

// Blocks of lanes are 16,384 elements, those of extremes 32,768, pieces of sums 65,536, lines that
// are cut for threads 131,072 and more.
TEST_F(CpuLongLines, AtTheEndsOfBlocks) {
  for (const int64_t end : {16384, 32768, 65536, 131072}) {
    for (const int64_t count : {end - 1, end, end + 1}) {
      for (const Operation& operation : kOperations) {
        compare(operation, TENON_DTYPE_F32, {count}, 0);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(CpuLongLines, OfEveryDtype) {
  for (const tenon_dtype dtype : {TENON_DTYPE_F64, TENON_DTYPE_F16, TENON_DTYPE_BF16,
                                  TENON_DTYPE_I32, TENON_DTYPE_I64, TENON_DTYPE_U8}) {
    for (const Operation& operation : kOperations) {
      if (!takes(operation, dtype)) continue;
      for (const int64_t count : {65537, 131073}) compare(operation, dtype, {count}, 0);
      if (HasFailure()) return;
    }
  }
}

TEST_F(CpuLongLines, BothWaysThroughAMatrix) {
  constexpr Shape::value_type kShapes[][2] = {{3, 65537},  {65537, 3},  {7, 131073}, {16385, 7},
                                              {257, 513},  {513, 255},  {1025, 33},  {2, 131071},
                                              {131071, 2}, {255, 1023}, {31, 4097},  {4097, 31}};
  for (const auto& [rows, columns] : kShapes) {
    if (kSanitized && rows * columns > 250'000) continue;
    for (const Operation& operation : kOperations) {
      for (const int64_t axis : {0, 1}) {
        // The variance of few elements that are nearly the same has few digits.
        if (!operation.axis && (axis == 0 || columns < 16)) continue;
        compare(operation, TENON_DTYPE_F32, {rows, columns}, axis);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(CpuLongLines, PastTheMostPieces) {
  for (const int64_t count : {kFull + 1, 2 * kFull - 1, 2 * kFull + 65537}) {
    if (kSanitized && count < 2 * kFull) continue;
    for (const Operation& operation : kOperations) {
      if (!operation.has_lines) compare(operation, TENON_DTYPE_F32, {count}, 0);
      if (HasFailure()) return;
    }
    made_before.clear();
  }
}

// 16 MiB, from where results are written past the caches.
TEST_F(CpuLongLines, PastTheCaches) {
  for (const Operation& operation : kOperations) {
    if (operation.has_lines) compare(operation, TENON_DTYPE_F32, {kFull + 1}, 0);
    if (HasFailure()) return;
  }
}

// Lines of one output that are not next to each other are added in blocks of 256.
TEST_F(CpuLongLines, OfManyShortLines) {
  for (const int64_t rows : {255, 256, 257, 511, 513, 1025}) {
    const Array x = made(TENON_DTYPE_F32, {rows, 2, 3}, Values::Counts);
    compare("tenon.sum", {x}, " | axes=[0,2]", 1, 0, 0);
    compare("tenon.mean", {x}, " | axes=[0,2]", 1, 1, 0);
  }
}

TEST_F(CpuLongLines, OfWholeMatricesProductsAndLosses) {
  for (const int64_t count : {16385, 65537, 131071, 1000003}) {
    const Array x = made(TENON_DTYPE_F32, {count}, Values::Counts);
    compare("tenon.dot", {x, x}, "", 1, 0, 0);
  }
  for (const Shape& shape : {Shape{515, 257}, Shape{3, 65537}, Shape{65537, 3}}) {
    const Array x = made(TENON_DTYPE_F32, shape, Values::Counts);
    for (const char* op : {"tenon.sum", "tenon.mean", "tenon.norm"}) {
      compare(op, {x}, "", 1, 1, 0);
    }
    compare("tenon.sum_to", {x}, " | shape=[" + std::to_string(shape[1]) + "]", 1, 0, 0);
    const Array spread = made(TENON_DTYPE_F32, shape, Values::Spread);
    for (const char* axis : {" | axis=0", " | axis=1"}) {
      compare("tenon.linear_recurrence", {spread, x}, axis, 1, 4, 1);
    }
  }
  for (const auto& [rows, classes] : {std::pair{65537, 3}, {3, 65537}, {4097, 16}, {1023, 17}}) {
    compare_losses(TENON_DTYPE_F32, rows, classes);
    compare_losses(TENON_DTYPE_F64, rows, classes);
  }
}

class CpuLongLinesFull : public CpuLongLines {};
class CpuLongLinesSoak : public CpuLongLines {};

TEST_F(CpuLongLinesFull, OfEveryDtype) {
  for (const tenon_dtype dtype :
       {TENON_DTYPE_F64, TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_I64}) {
    for (const Operation& operation : kOperations) {
      if (!takes(operation, dtype) || operation.has_lines) continue;
      for (const int64_t count : {kFull, 2 * kFull + 1}) compare(operation, dtype, {count}, 0);
      if (HasFailure()) return;
    }
    made_before.clear();
  }
}

TEST_F(CpuLongLinesSoak, OfEverySize) {
  for (const Operation& operation : kOperations) {
    for (const int64_t count : {kFull - 1, kFull, 4 * kFull + 65537}) {
      if (!operation.has_lines || count <= kFull) compare(operation, TENON_DTYPE_F32, {count}, 0);
    }
    for (const Shape& shape : {Shape{2, kFull + 1}, Shape{kFull + 1, 2}, Shape{2047, 2049}}) {
      if (operation.axis) compare(operation, TENON_DTYPE_F32, shape, 0);
      if (operation.axis || shape[1] > 2) compare(operation, TENON_DTYPE_F32, shape, 1);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tenon::tests
