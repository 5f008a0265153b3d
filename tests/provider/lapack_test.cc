// SPDX-License-Identifier: Apache-2.0
// tests/provider/lapack_test.cc: tenon.lapack means what the reference means: values and signs,
// which matrices are refused and in which words, and bits that do not depend on threads.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "tests/provider/provider_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kLapack = "tenon.lapack";
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Operation {
  const char* name;
  size_t inputs;
  size_t outputs;
  bool square;

  bool is_vectors(size_t output) const {
    return outputs == 3 ? output != 1 : std::string_view(name) == "tenon.eigh" && output == 1;
  }
};
constexpr Operation kOperations[] = {{"tenon.cholesky", 1, 1, true},
                                     {"tenon.solve", 2, 1, true},
                                     {"tenon.solve_triangular", 2, 1, true},
                                     {"tenon.qr", 1, 2, false},
                                     {"tenon.eigh", 1, 2, true},
                                     {"tenon.svd", 1, 3, false},
                                     {"tenon.det", 1, 1, true},
                                     {"tenon.slogdet", 1, 2, true}};

std::vector<tenon_value> as_inputs(const std::vector<Tensor>& tensors, size_t count) {
  std::vector<tenon_value> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back({TENON_VALUE_TENSOR, 0, {}});
    values.back().as.tensor = tensors[i].get();
  }
  return values;
}

tenon_status call(const Context& cx, const Operation& op, const std::vector<Tensor>& operands,
                  std::vector<Tensor>& results) {
  const auto inputs = as_inputs(operands, op.inputs);
  std::vector<tenon_tensor*> out(op.outputs);
  const tenon_status status =
      tenon_op_call(cx, cx.find(op.name), inputs.data(), static_cast<uint32_t>(inputs.size()),
                    nullptr, 0, out.data(), static_cast<uint32_t>(out.size()));
  results.clear();
  for (tenon_tensor* each : out) results.emplace_back(status == TENON_OK ? each : nullptr);
  return status;
}

std::string chosen(const Context& cx, const Operation& op, const std::vector<Tensor>& operands) {
  const auto inputs = as_inputs(operands, op.inputs);
  tenon_text* text = nullptr;
  cx.must(tenon_op_explain(cx, cx.find(op.name), inputs.data(),
                           static_cast<uint32_t>(inputs.size()), nullptr, 0, &text));
  const char* words = nullptr;
  uint64_t length = 0;
  cx.must(tenon_text_get(text, &words, &length));
  const Json explained = Json::parse(std::string(words, length));
  tenon_text_release(text);
  return explained.at("chosen").at("plugin");
}

// Matrices that every op takes: symmetric in no op's way but positive definite in all.
std::vector<double> matrices(const Shape& shape, uint64_t seed = kSeed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> draw(-1.0, 1.0);
  const auto rows = static_cast<size_t>(shape[shape.size() - 2]);
  const auto columns = static_cast<size_t>(shape.back());
  size_t count = 1;
  for (const int64_t size : shape) count *= static_cast<size_t>(size);
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) {
    const bool diagonal = i / columns % rows == i % columns;
    values[i] = draw(random) + (diagonal ? 2 * static_cast<double>(columns) : 0);
  }
  return values;
}

// Vectors are apart by rounding times norm over the gap between their values, here some
// 1e-16 * 300 / 0.0001: those of f32 are told by what they make (expect_rebuilt).
void expect_alike(const std::vector<double>& wanted, const std::vector<double>& found,
                  double tolerance) {
  ASSERT_EQ(wanted.size(), found.size());
  double largest = 0;
  double apart = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max(largest, std::fabs(wanted[i]));
    apart = std::max(apart, std::fabs(wanted[i] - found[i]));
  }
  EXPECT_LE(apart, tolerance * largest);
}

// a diag(s) b is x; `turned`: b is stored transposed. Of one matrix.
void expect_rebuilt(const std::vector<double>& x, const std::vector<double>& a,
                    const std::vector<double>& s, const std::vector<double>& b, bool turned,
                    double tolerance) {
  const size_t k = s.size();
  const size_t columns = b.size() / k;
  std::vector<double> made(x.size());
  for (size_t i = 0; i < x.size() / columns; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      for (size_t l = 0; l < k; ++l) {
        made[i * columns + j] += a[i * k + l] * s[l] * (turned ? b[j * k + l] : b[l * columns + j]);
      }
    }
  }
  expect_alike(x, made, tolerance);
}

class ProviderLapack : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::filesystem::path(plugin_dir()) / kLapack)) {
      GTEST_SKIP() << "tenon.lapack was not built: OpenBLAS was not found";
    }
  }
  static std::vector<Tensor> operands(const Context& cx, tenon_dtype dtype, const Shape& shape) {
    std::vector<Tensor> made;
    made.push_back(cx.make(dtype, shape, matrices(shape)));
    made.push_back(cx.make(dtype, shape, matrices(shape, kSeed + 1)));
    return made;
  }
  // Both refuse the matrices, and say the same.
  void expect_refused(const Operation& op, const Shape& shape, const std::vector<double>& values,
                      const char* words) const {
    for (const tenon_dtype dtype : {TENON_DTYPE_F32, TENON_DTYPE_F64}) {
      std::string said[2];
      for (const Context* cx : {&reference, &given}) {
        std::vector<Tensor> in = operands(*cx, dtype, shape);
        in[0] = cx->make(dtype, shape, values);
        std::vector<Tensor> out;
        EXPECT_EQ(call(*cx, op, in, out), TENON_E_DATA) << op.name;
        const tenon_error error = cx->error();
        EXPECT_STREQ(error.plugin, cx == &given ? kLapack : kReference);
        said[cx == &given] =
            std::string(error.message) + error.operand + error.expected + error.found + error.hint;
        const std::string plugin = error.plugin;
        const size_t at = said[cx == &given].find(plugin);
        if (at != std::string::npos) said[cx == &given].erase(at, plugin.size());
      }
      EXPECT_EQ(said[0], said[1]);
      EXPECT_THAT(said[1], HasSubstr(words));
    }
  }

  Runtime runtime;
  Context given{runtime};
  Runtime without{{.exclude = {kLapack}}};
  Context reference{without};
};

// Of these ops no canonical bits are stated (TENON_OP_LIBRARY_BITS): canonical arithmetic takes the
// kernel that is fit to be used, and a pin that of the reference.
TEST_F(ProviderLapack, IsChosenWhateverTheArithmetic) {
  const Runtime other;
  const Context pinned(other);
  pinned.must(pinned.pin("", kReference));
  const Context fast(runtime, TENON_ARITHMETIC_FAST);
  for (const Operation& op : kOperations) {
    const auto who = [&op](const Context& cx) {
      const std::vector<Tensor> in = operands(cx, TENON_DTYPE_F32, {12, 12});
      std::vector<Tensor> out;
      auto ran = cx.ran([&] { cx.must(call(cx, op, in, out)); }, op.name);
      EXPECT_THAT(ran, ElementsAre(chosen(cx, op, in))) << "explain says otherwise";
      return ran;
    };
    EXPECT_THAT(who(given), ElementsAre(kLapack)) << op.name;
    EXPECT_THAT(who(fast), ElementsAre(kLapack)) << op.name;
    EXPECT_THAT(who(pinned), ElementsAre(kReference)) << op.name;
    EXPECT_THAT(who(reference), ElementsAre(kReference)) << op.name;
  }
}

TEST_F(ProviderLapack, HasTheReferencesValuesAndSigns) {
  for (const tenon_dtype dtype : {TENON_DTYPE_F32, TENON_DTYPE_F64}) {
    const bool wide = dtype == TENON_DTYPE_F64;
    for (const Operation& op : kOperations) {
      for (const Shape& shape : {Shape{140, 140},
                                 {3, 40, 40},
                                 {2, 20, 9, 9},
                                 {140, 35},
                                 {35, 140},
                                 {150, 133},
                                 {133, 150}}) {
        if (op.square && shape.back() != shape[shape.size() - 2]) continue;
        const std::vector<Tensor> in = operands(given, dtype, shape);
        const std::vector<Tensor> same = operands(reference, dtype, shape);
        std::vector<Tensor> wanted, found;
        given.must(call(given, op, in, found));
        reference.must(call(reference, op, same, wanted));
        for (size_t each = 0; each < op.outputs; ++each) {
          SCOPED_TRACE(std::string(op.name) + " of " + testing::PrintToString(shape));
          if (op.is_vectors(each) && !wide) continue;
          expect_alike(reference.values(wanted[each].get()), given.values(found[each].get()),
                       wide ? 1e-9 : 1e-5);
        }
      }
    }
  }
}

TEST_F(ProviderLapack, FactorsMakeTheMatrixAgain) {
  for (const tenon_dtype dtype : {TENON_DTYPE_F32, TENON_DTYPE_F64}) {
    const double tolerance = dtype == TENON_DTYPE_F64 ? 1e-13 : 1e-5;
    for (const Shape& shape : {Shape{140, 140}, {40, 40}, {140, 35}, {150, 133}, {133, 150}}) {
      SCOPED_TRACE(testing::PrintToString(shape));
      const std::vector<Tensor> in = operands(given, dtype, shape);
      std::vector<double> x = given.values(in[0].get());
      std::vector<Tensor> out;
      const auto values = [&](size_t each) { return given.values(out[each].get()); };
      given.must(call(given, kOperations[5], in, out));
      expect_rebuilt(x, values(0), values(1), values(2), false, tolerance);
      given.must(call(given, kOperations[3], in, out));
      const std::vector<double> ones(static_cast<size_t>(std::min(shape[0], shape[1])), 1);
      expect_rebuilt(x, values(0), ones, values(1), false, tolerance);
      if (shape[0] != shape[1]) continue;
      const auto n = static_cast<size_t>(shape[0]);
      const std::vector<double> given_x = x;
      for (size_t i = 0; i < x.size(); ++i) x[i] = (given_x[i] + given_x[i % n * n + i / n]) / 2;
      given.must(call(given, kOperations[4], in, out));
      expect_rebuilt(x, values(1), values(0), values(1), true, tolerance);
    }
  }
}

// Reflections of such elements would overflow or vanish: LAPACK scales the matrix.
TEST_F(ProviderLapack, TakesElementsOfAnySize) {
  for (const size_t number : {4, 5}) {
    const Operation& op = kOperations[number];
    for (const double scale : {0x1p-600, 0x1p600}) {
      std::vector<std::vector<double>> found;
      for (const double factor : {1.0, scale}) {
        std::vector<double> values = matrices({70, 70});
        for (double& each : values) each *= factor;
        std::vector<Tensor> in, out;
        in.push_back(given.make(TENON_DTYPE_F64, {70, 70}, values));
        given.must(call(given, op, in, out));
        found.push_back(given.values(out[op.outputs == 2 ? 0 : 1].get()));
        for (double& each : found.back()) each /= factor;
      }
      expect_alike(found[0], found[1], 1e-13);
    }
  }
}

TEST_F(ProviderLapack, RefusesWhatTheReferenceRefusesInItsWords) {
  const Shape shape = {2, 20, 12, 12};
  const size_t matrix = 144;
  const auto with = [&](double first, double second) {
    std::vector<double> values = matrices(shape);
    for (const auto& [number, value] : {std::pair<size_t, double>{23, first}, {31, second}}) {
      std::fill_n(values.begin() + static_cast<int64_t>(number * matrix), matrix, value);
    }
    return values;
  };
  expect_refused(kOperations[0], shape, with(-1, -1), "x[1,3] is not positive definite");
  expect_refused(kOperations[0], shape, with(kNaN, -1), "x[1,3] is not positive definite");
  expect_refused(kOperations[0], shape, with(kInfinity, -1), "x[1,3] is not positive definite");
  expect_refused(kOperations[1], shape, with(0, 0), "a[1,3] is singular");
  for (const size_t op : {4, 5}) {
    expect_refused(kOperations[op], shape, with(kNaN, kInfinity), "x[1,3] is not finite");
    expect_refused(kOperations[op], shape, with(kInfinity, kNaN), "x[1,3] is not finite");
  }
}

// What is not finite spreads along factors that are not 0, as in the reference.
TEST_F(ProviderLapack, SolvesForRightSidesThatAreNotFinite) {
  std::vector<double> a = matrices({6, 6});
  for (size_t i = 0; i < 6; ++i) {
    for (size_t j = i + 1; j < 6; ++j) a[i * 6 + j] = 0;
    if (i > 2) a[i * 6 + 1] = 0;
  }
  std::vector<double> b = matrices({6, 6});
  b[6 * 1 + 0] = kNaN;
  b[6 * 3 + 4] = kInfinity;
  std::vector<Tensor> wanted, found;
  for (const Context* cx : {&reference, &given}) {
    std::vector<Tensor> in;
    in.push_back(cx->make(TENON_DTYPE_F64, {6, 6}, a));
    in.push_back(cx->make(TENON_DTYPE_F64, {6, 6}, b));
    cx->must(call(*cx, kOperations[1], in, cx == &given ? found : wanted));
  }
  const std::vector<double> x = reference.values(wanted[0].get());
  const std::vector<double> y = given.values(found[0].get());
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i])) {
      EXPECT_NEAR(x[i], y[i], 1e-12) << i;
    } else {
      EXPECT_EQ(std::isnan(x[i]), std::isnan(y[i])) << i;
      EXPECT_EQ(std::isinf(x[i]), std::isinf(y[i])) << i;
    }
  }
}

// An inverse of the pivot would be infinite.
TEST_F(ProviderLapack, DividesBySubnormalPivots) {
  for (const auto& [dtype, small] :
       {std::pair{TENON_DTYPE_F32, 0x1p-140}, {TENON_DTYPE_F64, 0x1p-1040}}) {
    std::vector<Tensor> in, out;
    in.push_back(given.make(dtype, {2, 2}, {small, 0, 0, 2}));
    in.push_back(given.make(dtype, {2, 1}, {3 * small, 4}));
    for (const size_t op : {1, 2}) {
      given.must(call(given, kOperations[op], in, out));
      EXPECT_THAT(given.values(out[0].get()), ElementsAre(3, 2)) << kOperations[op].name;
    }
    in[0] = given.make(dtype, {2, 2}, {2 * small, 1, small, 2});
    in[1] = given.make(dtype, {2, 1}, {2 * small, small});
    given.must(call(given, kOperations[1], in, out));
    EXPECT_THAT(given.values(out[0].get()), ElementsAre(1, 0));
  }
}

// Singular ones, such whose pivots have no inverse in the dtype, and such that are not finite.
TEST_F(ProviderLapack, DeterminantsAreExactWhereEliminationIs) {
  struct Row {
    std::vector<double> matrix;
    double sign;
    double size;
  };
  const Row rows[] = {
      {{1, 2, 2, 4}, 0, 0},
      {{0, 0, 0, 0}, 0, 0},
      {{0, 1, 0, 0}, 0, 0},
      {{0, 2, 4, 0}, -1, 8},
      {{0x1p-140, 0, 0, 0x1p100}, 1, 0x1p-40},
      {{0, -0x1p-149, 0x1p120, 0}, 1, 0x1p-29},
      {{0x1p100, 0, 0, 0x1p20}, 1, 0x1p120},
      {{kNaN, 1, 1, 1}, kNaN, kNaN},
      {{1, kInfinity, 0, 1}, kNaN, kNaN},
  };
  for (const tenon_dtype dtype : {TENON_DTYPE_F32, TENON_DTYPE_F64}) {
    for (const Context* cx : {&reference, &given}) {
      for (const Row& row : rows) {
        SCOPED_TRACE(testing::PrintToString(row.matrix));
        std::vector<Tensor> in, out;
        in.push_back(cx->make(dtype, {2, 2}, row.matrix));
        cx->must(call(*cx, kOperations[6], in, out));
        EXPECT_THAT(
            cx->values(out[0].get()),
            ElementsAre(testing::NanSensitiveDoubleEq(row.size == 0 ? 0 : row.sign * row.size)));
        cx->must(call(*cx, kOperations[7], in, out));
        EXPECT_THAT(cx->values(out[0].get()), ElementsAre(testing::NanSensitiveDoubleEq(row.sign)));
        const double logarithm = cx->values(out[1].get())[0];
        const double expected = std::log(row.size);
        EXPECT_TRUE(expected == logarithm || std::fabs(expected - logarithm) < 1e-5 ||
                    (std::isnan(expected) && std::isnan(logarithm)))
            << logarithm;
      }
    }
  }
}

TEST_F(ProviderLapack, LogarithmsOfDeterminantsReachBeyondTheDtype) {
  for (const Context* cx : {&reference, &given}) {
    std::vector<double> diagonal(16 * 16);
    for (size_t i = 0; i < 16; ++i) diagonal[i * 17] = i % 2 == 0 ? 0x1p100 : -0x1p90;
    std::vector<Tensor> in, out;
    in.push_back(cx->make(TENON_DTYPE_F32, {16, 16}, diagonal));
    cx->must(call(*cx, kOperations[6], in, out));
    EXPECT_EQ(cx->values(out[0].get())[0], kInfinity);
    cx->must(call(*cx, kOperations[7], in, out));
    EXPECT_EQ(cx->values(out[0].get())[0], 1);
    EXPECT_NEAR(cx->values(out[1].get())[0], 8 * 190 * std::log(2.0), 1e-3);
  }
}

TEST_F(ProviderLapack, HasTheSameBitsForAnyNumberOfThreads) {
  for (const Operation& op : kOperations) {
    for (const Shape& shape : {Shape{150, 150}, {37, 30, 30}}) {
      std::vector<std::string> bits;
      for (const int32_t threads : {1, 2, 8}) {
        const Runtime some({.threads = threads});
        const Context cx(some);
        std::vector<Tensor> out;
        cx.must(call(cx, op, operands(cx, TENON_DTYPE_F32, shape), out));
        bits.emplace_back();
        for (const Tensor& each : out) bits.back() += cx.bytes(each.get());
      }
      EXPECT_EQ(bits[0], bits[1]) << op.name;
      EXPECT_EQ(bits[0], bits[2]) << op.name;
    }
  }
}

// Within a piece of a batch nothing may be shared out once more.
TEST_F(ProviderLapack, CallsTheHostOutsideOfParallelWorkAlone) {
  const Runtime checked({.check = "threads"});
  const Context cx(checked);
  for (const Operation& op : kOperations) {
    std::vector<Tensor> out;
    cx.must(call(cx, op, operands(cx, TENON_DTYPE_F32, {2, 200, 200}), out));
  }
}

// OpenBLAS' number of threads belongs to the process: to NumPy, say. Bits do not depend on it.
TEST_F(ProviderLapack, LeavesOthersTheirThreads) {
  const std::vector<Tensor> in = operands(given, TENON_DTYPE_F32, {200, 200});
  std::vector<Tensor> out;
  given.must(call(given, kOperations[3], in, out));
  const std::string bits = given.bytes(out[0].get());
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  const auto get = reinterpret_cast<int (*)()>(dlsym(library, "openblas_get_num_threads"));
  const int before = get();
  set(2);
  const int ours = get();  // 1 if this OpenBLAS was built for one
  given.must(call(given, kOperations[3], in, out));
  EXPECT_EQ(get(), ours);
  EXPECT_EQ(given.bytes(out[0].get()), bits);
  set(before);
  dlclose(library);
}

// LAPACK counts work space in 32 bits. Nothing is computed here: there is no matrix.
TEST_F(ProviderLapack, MatricesBeyondItsIntegersAreDeclined) {
  const Operation& op = kOperations[0];
  for (const auto& [size, who] : {std::pair{10000, kLapack}, {17000, kReference}}) {
    const std::vector<Tensor> in = operands(given, TENON_DTYPE_F32, {0, size, size});
    std::vector<Tensor> out;
    const auto run = [&] { given.must(call(given, op, in, out)); };
    EXPECT_THAT(given.ran(run, op.name), ElementsAre(who));
  }
}

}  // namespace
}  // namespace tenon::tests
