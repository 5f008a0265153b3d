// SPDX-License-Identifier: Apache-2.0
// tests/cpu/same_bits_test.cc: every kernel of tenon.cpu gives the same bits as the plugin of the
// same sources that has only AVX2, and for any number of threads.
//
// What is tested is what the registry lists: a new kernel is found here by itself. Operands are
// those of the samples, in many dtypes and layouts, and larger ones.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tenon/sdk/dtypes.hpp>

#include "tests/conformance/conformance_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

constexpr std::string_view kPlugin = "tenon.cpu";
constexpr std::string_view kTwin = "test.cpu_avx2";

std::vector<std::string> folders() {
  return {plugin_dir(), std::string(test_plugin_dir()) + "/cpu"};
}

// Ops that `plugin` has kernels for.
std::set<std::string> ops_of(std::string_view plugin) {
  std::set<std::string> names;
  for (const Json& op : Session(folders(), 1).query("ops")) {
    for (const Json& kernel : op.at("kernels")) {
      if (kernel.at("plugin") == plugin) names.insert(op.at("name"));
    }
  }
  return names;
}

void pin(const Session& session, std::string_view plugin) {
  session.must(tenon_runtime_set_pin(session, nullptr, 0, plugin.data(), plugin.size()));
}

// The plugin whose kernel would run.
std::string chosen(const Session& session, const Case& from, const Bound& bound) {
  const tenon_op* op = session.find(from.op);
  std::vector<tenon_value> attrs;
  session.must(attributes(session, op, from.sample, attrs));
  tenon_text* text = nullptr;
  const std::span<const tenon_value> inputs = bound.inputs();
  session.must(tenon_op_explain(session, op, inputs.data(), static_cast<uint32_t>(inputs.size()),
                                attrs.data(), static_cast<uint32_t>(attrs.size()), &text));
  const char* data = nullptr;
  uint64_t length = 0;
  EXPECT_EQ(tenon_text_get(text, &data, &length), TENON_OK);
  const Json answer = Json::parse(std::string_view(data, length));
  tenon_text_release(text);
  const Json& kernel = answer.at("chosen");
  return kernel.is_object() ? kernel.at("plugin").get<std::string>() : "";
}

// Each element half to one and a half times what it is; integers, NaN and infinities stay.
void shake(Array& array, std::mt19937_64& random) {
  sdk::dispatch_dtype(array.dtype, [&]<class T>() {
    if constexpr (sdk::is_float_type<T>) {
      for (size_t i = 0; i < array.count(); ++i) {
        unsigned char* const at = array.bytes.data() + i * sizeof(T);
        const auto value = static_cast<double>(sdk::load<T>(at));
        const double factor = 0.5 + static_cast<double>(random() >> 11) * 0x1p-53;
        sdk::store(at, sdk::narrow<T>(value * factor));
      }
    }
  });
}

// `from` with every extent above 1 as many times as large, so that its largest operand has about
// `elements`; contents are repeated and shaken. Nothing where no extent can grow.
std::optional<Case> enlarged(const Case& from, double elements) {
  double factor = elements;
  for (const Array& array : from.arrays) {
    const auto growing =
        std::count_if(array.shape.begin(), array.shape.end(), [](int64_t n) { return n > 1; });
    if (growing == 0 || array.count() == 0) continue;
    const double times = elements / static_cast<double>(array.count());
    factor = std::min(factor, std::pow(times, 1 / static_cast<double>(growing)));
  }
  const auto whole = static_cast<int64_t>(factor);
  if (from.arrays.empty() || factor == elements || whole < 2) return std::nullopt;
  Case larger = from;
  std::mt19937_64 random(kSeed);
  for (Array& array : larger.arrays) {
    for (int64_t& extent : array.shape) extent *= extent > 1 ? whole : 1;
    const std::vector<unsigned char> once = std::move(array.bytes);
    array.bytes.resize(array.count() * size_of(array.dtype));
    for (size_t i = 0; i < array.bytes.size(); ++i) array.bytes[i] = once[i % once.size()];
    shake(array, random);
  }
  larger.label += " enlarged";
  return larger;
}

// Where attributes fix shapes, larger operands are refused.
bool is_accepted(const Session& session, const Case& from) {
  const NoGrad off(session);
  const Bound bound(session, from);
  std::vector<Tensor> made;
  return call(session, from, bound.inputs(), from.n_outputs, made) == TENON_OK;
}

Outcome run_pinned(const Session& session, std::string_view plugin, const Case& from,
                   const std::vector<Layout>& layouts) {
  pin(session, plugin);
  const Bound bound(session, from, from.arrays, layouts);
  return run(session, from, bound);
}

// Bits of results alone: of operands that are written, too.
void expect_twins(const Session& session, const Case& from, const std::vector<Layout>& layouts) {
  const Outcome found = run_pinned(session, kPlugin, from, layouts);
  const Outcome wanted = run_pinned(session, kTwin, from, layouts);
  expect_same(wanted.outputs, found.outputs, from.label);
  expect_same(wanted.operands, found.operands, from.label + ", operands");
}

class CpuSameBits : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(TENON_TEST_CPU)
    GTEST_SKIP() << "tenon.cpu was not built here";
#else
    if (ops_of(kPlugin).empty()) GTEST_SKIP() << "this processor cannot run tenon.cpu";
#endif
  }
};

// Layouts that differ from operand to operand.
std::vector<Layout> mixed(size_t count, size_t first) {
  constexpr size_t n_layouts = std::size(kLayouts);
  std::vector<Layout> layouts;
  for (size_t i = 0; i < count; ++i) layouts.push_back(kLayouts[(first + 2 * i) % n_layouts]);
  return layouts;
}

// The order of arithmetic is that of the elements, wherever they lie in memory.
TEST_F(CpuSameBits, InEveryLayout) {
  const Session session(std::vector<std::string>{plugin_dir()}, 2);
  pin(session, kPlugin);
  const std::set<std::string> ops = ops_of(kPlugin);
  std::map<std::string, int> tried;
  for (const Case& from : good_cases()) {
    if (!ops.contains(from.op) || tried[from.op] == 4) continue;
    const auto larger = enlarged(from, 5000);
    if (!larger || !is_accepted(session, *larger)) continue;
    ++tried[from.op];
    const Outcome wanted = run(session, *larger, Bound(session, *larger));
    for (size_t first = 0; first < std::size(kLayouts); ++first) {
      const auto layouts = mixed(larger->arrays.size(), first);
      const Outcome found = run(session, *larger, Bound(session, *larger, larger->arrays, layouts));
      const std::string what = larger->label + ", first operand " + name_of(layouts[0]);
      expect_same(wanted.outputs, found.outputs, what);
      expect_same(wanted.operands, found.operands, what);
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(tried.size() + 4, ops.size()) << "few ops could be made larger";
}

#if defined(TENON_TEST_CPU_TWIN)

TEST_F(CpuSameBits, TheTwinHasTheSameKernels) { EXPECT_EQ(ops_of(kTwin), ops_of(kPlugin)); }

TEST_F(CpuSameBits, OfSamplesOnEveryInstructionSet) {
  const Session session(folders(), 1);
  const std::set<std::string> ops = ops_of(kPlugin);
  std::map<std::string, int> run_by_op;
  size_t number = 0;
  for (const Case& from : good_cases()) {
    if (!ops.contains(from.op)) continue;
    const std::vector<Layout> row_major(from.arrays.size(), Layout::RowMajor);
    expect_twins(session, from, row_major);
    expect_twins(session, from, mixed(from.arrays.size(), number++));
    pin(session, kPlugin);
    if (chosen(session, from, Bound(session, from)) == kPlugin) ++run_by_op[from.op];
    if (HasFailure()) return;
  }
  for (const std::string& op : ops) EXPECT_GT(run_by_op[op], 0) << op << ": no sample runs it";
}

TEST_F(CpuSameBits, OfLargerOperandsOnEveryInstructionSet) {
  const Session session(folders(), 1);
  const std::set<std::string> ops = ops_of(kPlugin);
  size_t number = 0;
  for (const Case& from : good_cases()) {
    if (!ops.contains(from.op)) continue;
    // Sizes around whole vectors of every instruction set and dtype.
    const auto larger = enlarged(from, 150.0 + static_cast<double>(++number % 400));
    if (!larger || !is_accepted(session, *larger)) continue;
    expect_twins(session, *larger, mixed(larger->arrays.size(), number));
    if (HasFailure()) return;
  }
}

#endif

TEST_F(CpuSameBits, ForAnyNumberOfThreads) {
  constexpr int32_t counts[] = {1, 2, 3, 8};
  std::vector<std::unique_ptr<Session>> sessions;
  for (const int32_t count : counts) {
    sessions.push_back(std::make_unique<Session>(std::vector<std::string>{plugin_dir()}, count));
    pin(*sessions.back(), kPlugin);
  }
  const std::set<std::string> ops = ops_of(kPlugin);
  std::map<std::string, int> tried;
  for (const Case& from : good_cases()) {
    // Two of each op: what differs between dtypes is not how work is cut.
    if (!ops.contains(from.op) || tried[from.op] == 2) continue;
    const auto larger = enlarged(from, 100000);
    if (!larger || !is_accepted(*sessions[0], *larger)) continue;
    ++tried[from.op];
    const Outcome alone = run(*sessions[0], *larger, Bound(*sessions[0], *larger));
    for (size_t i = 1; i < std::size(counts); ++i) {
      const Outcome found = run(*sessions[i], *larger, Bound(*sessions[i], *larger));
      const std::string what = larger->label + ", threads: " + std::to_string(counts[i]);
      expect_same(alone.outputs, found.outputs, what);
      expect_same(alone.operands, found.operands, what);
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(tried.size() + 4, ops.size()) << "few ops could be made larger";
}

}  // namespace
}  // namespace tenon::tests
