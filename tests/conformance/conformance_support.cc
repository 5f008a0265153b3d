// SPDX-License-Identifier: Apache-2.0
// tests/conformance/conformance_support.cc: sessions, contents, layouts.
#include "tests/conformance/conformance_support.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tenon/sdk/plugin/dtypes.hpp>
#include <tenon/sdk/plugin/sample_value.hpp>

#include "tests/support/paths.h"

namespace tenon::tests {

// ---- Session ------------------------------------------------------------------------------------

namespace {

std::vector<std::string> folders_of(Session::Kind kind) {
  std::vector<std::string> folders{plugin_dir()};
  if (kind == Session::Simulated) folders.push_back(std::string(build_dir()) + "/sim_plugins");
  if (kind == Session::Strict) folders.push_back(std::string(test_plugin_dir()) + "/conformance");
  return folders;
}

}  // namespace

Session::Session(Kind kind, const char* check)
    : Session(folders_of(kind), 2, kind == Checked ? "layout" : check,
              kind == Simulated ? "tenon.cpu" : nullptr) {}

Session::Session(const std::vector<std::string>& folders, int32_t threads, const char* check,
                 const char* exclude) {
  std::vector<tenon_string> paths;
  for (const std::string& folder : folders) paths.push_back({folder.data(), folder.size()});
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = paths.data();
  options.n_paths = static_cast<uint32_t>(paths.size());
  options.threads = threads;
  if (check) options.check = {check, TENON_NUL};
  const tenon_string excluded{exclude, TENON_NUL};
  if (exclude) options.exclude = &excluded;
  options.n_exclude = exclude ? 1 : 0;
  tenon_diag diag{};
  EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime_), TENON_OK) << diag.message;
  EXPECT_EQ(tenon_context_create(runtime_, &diag, &context_), TENON_OK) << diag.message;
  must(tenon_context_set_seed(context_, kSeed, 0));
}

Session::~Session() {
  tenon_context_release(context_);
  tenon_runtime_release(runtime_);
}

Json Session::query(std::string_view topic) const {
  tenon_text* text = nullptr;
  must(tenon_runtime_query(context_, topic.data(), topic.size(), &text));
  const char* data = nullptr;
  uint64_t length = 0;
  EXPECT_EQ(tenon_text_get(text, &data, &length), TENON_OK);
  Json json = Json::parse(std::string_view(data, length));
  tenon_text_release(text);
  return json;
}

const tenon_op* Session::find(std::string_view op) const {
  const tenon_op* found = nullptr;
  must(tenon_op_find(context_, op.data(), op.size(), 0, &found));
  return found;
}

tenon_op_info Session::info(const tenon_op* op) const {
  tenon_op_info info{};
  info.struct_size = sizeof info;
  must(tenon_op_get_info(context_, op, &info));
  return info;
}

tenon_stats Session::stats() const {
  tenon_stats stats{};
  stats.struct_size = sizeof stats;
  must(tenon_runtime_get_stats(context_, &stats));
  return stats;
}

tenon_error Session::error() const {
  tenon_error error{};
  error.struct_size = sizeof error;
  EXPECT_EQ(tenon_context_get_error(context_, &error), TENON_OK);
  return error;
}

std::string Session::failure() const {
  const tenon_error record = error();
  return std::string(tenon_status_get_name(record.status)) + ": " + record.message + " (expected " +
         record.expected + ", found " + record.found + ")";
}

void Session::must(tenon_status status) const {
  if (status != TENON_OK) ADD_FAILURE() << tenon_status_get_name(status) << " | " << failure();
}

// ---- Contents -----------------------------------------------------------------------------------

size_t size_of(tenon_dtype dtype) { return sdk::size_of(dtype); }
bool is_float(tenon_dtype dtype) { return sdk::is_float(dtype); }

tenon_dtype dtype_named(std::string_view name) {
  const tenon_dtype dtype = sdk::sample_dtype(name);
  EXPECT_NE(dtype, TENON_DTYPE_NONE) << "no dtype " << name;
  return dtype;
}

size_t Array::count() const {
  size_t count = 1;
  for (const int64_t size : shape) count *= static_cast<size_t>(size);
  return count;
}

std::string text_of(const Array& array) {
  std::string text = "dtype " + std::to_string(array.dtype) + " [";
  for (size_t i = 0; i < array.shape.size(); ++i) {
    text += (i ? "," : "") + std::to_string(array.shape[i]);
  }
  text += "] {";
  for (size_t i = 0; i < std::min<size_t>(array.count(), 12); ++i) {
    sdk::dispatch_dtype(array.dtype, [&]<class T>() {
      const T value = sdk::load<T>(array.bytes.data() + i * sizeof(T));
      char words[40];
      std::snprintf(words, sizeof words, " %.17g", static_cast<double>(value));
      text += words;
    });
  }
  return text + (array.count() > 12 ? " ..." : "") + "}";
}

Array contents_of(const Session& session, const tenon_tensor* tensor) {
  tenon_view view{};
  session.must(tenon_tensor_get_view(session, tensor, &view));
  Array array{view.dtype, Shape(view.shape, view.shape + view.rank), {}};
  array.bytes.resize(array.count() * size_of(view.dtype));
  session.must(tenon_tensor_get_data(session, tensor, array.bytes.data(), array.bytes.size()));
  return array;
}

std::vector<double> values_of(const Array& f64) {
  EXPECT_EQ(f64.dtype, TENON_DTYPE_F64);
  std::vector<double> values(f64.count());
  if (!values.empty()) std::memcpy(values.data(), f64.bytes.data(), f64.bytes.size());
  return values;
}

// ---- Layouts ------------------------------------------------------------------------------------

const char* name_of(Layout layout) {
  static constexpr const char* names[] = {"row-major", "transposed", "gapped", "offset", "stepped",
                                          "negative",  "unaligned",  "spread", "window"};
  return names[static_cast<size_t>(layout)];
}

std::pair<Shape, int64_t> strides_of(const Shape& shape, Layout layout) {
  if (layout == Layout::Spread || layout == Layout::Window) {
    Shape strides(shape.size(), layout == Layout::Spread ? 0 : 1);
    int64_t total = 1;
    for (size_t i = 0; i < shape.size(); ++i) total += (shape[i] - 1) * strides[i];
    return {strides, std::max<int64_t>(total, 1)};
  }
  Shape strides(shape.size());
  int64_t step = layout == Layout::Stepped ? 2 : 1;
  for (size_t k = 0; k < shape.size(); ++k) {
    const size_t i = layout == Layout::Transposed ? k : shape.size() - 1 - k;
    strides[i] = layout == Layout::Negative ? -step : step;
    step *= std::max<int64_t>(shape[i], 1);
    if (layout == Layout::Gapped && k == 0) step += 3;
  }
  return {strides, step};
}

Placed::Placed(const Session& session, const Array& array, Layout layout)
    : dtype_(array.dtype), shape_(array.shape) {
  const auto [strides, span] = strides_of(shape_, layout);
  const auto size = static_cast<int64_t>(size_of(dtype_));
  Shape index(shape_.size(), 0);
  int64_t low = 0;
  for (size_t i = 0; i < array.count(); ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
    offsets_.push_back(at * size);
    low = std::min(low, at);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape_[d]) break;
      index[d] = 0;
    }
  }
  const bool inner = layout == Layout::Offset || layout == Layout::Gapped;
  if (layout == Layout::Unaligned) {
    make_unaligned(session, strides, span);
  } else {
    make_inside(session, strides, (inner ? 1 : 0) - low, span + 2);
  }
  for (size_t i = 0; i < offsets_.size(); ++i) {
    std::memcpy(element(i), array.bytes.data() + i * static_cast<size_t>(size),
                static_cast<size_t>(size));
  }
}

void Placed::make_inside(const Session& session, const Shape& strides, int64_t offset,
                         int64_t total) {
  tenon_tensor* base = nullptr;
  session.must(tenon_tensor_create(session, dtype_, nullptr, 1, &total, &base));
  base_.reset(base);
  tenon_tensor* made = nullptr;
  session.must(tenon_tensor_create_view(session, base, static_cast<int32_t>(shape_.size()),
                                        shape_.data(), strides.data(), offset, &made));
  tensor_.reset(made);
  tenon_view whole{};
  tenon_view view{};
  session.must(tenon_tensor_get_view(session, base, &whole));
  session.must(tenon_tensor_get_view(session, made, &view));
  memory_ = static_cast<unsigned char*>(whole.data);
  memory_bytes_ = static_cast<size_t>(total) * size_of(dtype_);
  std::memset(memory_, kHole, memory_bytes_);
  first_ = static_cast<unsigned char*>(view.data);
}

void Placed::make_unaligned(const Session& session, const Shape& strides, int64_t total) {
  memory_bytes_ = static_cast<size_t>(total) * size_of(dtype_) + 2;
  own_ = std::make_unique<unsigned char[]>(memory_bytes_);
  memory_ = own_.get();
  std::memset(memory_, kHole, memory_bytes_);
  first_ = memory_ + 1;
  tenon_tensor* made = nullptr;
  session.must(tenon_tensor_create_external(session, dtype_, static_cast<int32_t>(shape_.size()),
                                            shape_.data(), strides.data(), first_, 0, nullptr,
                                            nullptr, &made));
  tensor_.reset(made);
}

Array Placed::read() const {
  const size_t size = size_of(dtype_);
  Array array{dtype_, shape_, std::vector<unsigned char>(offsets_.size() * size)};
  for (size_t i = 0; i < offsets_.size(); ++i) {
    std::memcpy(array.bytes.data() + i * size, element(i), size);
  }
  return array;
}

bool Placed::outside_untouched() const {
  std::vector<bool> inside(memory_bytes_, false);
  for (const int64_t offset : offsets_) {
    const size_t begin = static_cast<size_t>(first_ + offset - memory_);
    std::fill_n(inside.begin() + static_cast<int64_t>(begin), size_of(dtype_), true);
  }
  for (size_t i = 0; i < memory_bytes_; ++i) {
    if (!inside[i] && memory_[i] != kHole) return false;
  }
  return true;
}

namespace {

// Bit for bit, but that all NaNs are one: which of two NaN operands an instruction passes on, and
// so the sign, depends on the order in which a compiler names them.
bool same_bits(const Array& a, const Array& b) {
  if (a == b || a.dtype != b.dtype || a.shape != b.shape) return a == b;
  bool same = true;
  sdk::dispatch_dtype(a.dtype, [&]<class T>() {
    for (size_t at = 0; at < a.bytes.size(); at += sizeof(T)) {
      if (std::memcmp(a.bytes.data() + at, b.bytes.data() + at, sizeof(T)) == 0) continue;
      const bool nans = std::isnan(static_cast<double>(sdk::load<T>(a.bytes.data() + at))) &&
                        std::isnan(static_cast<double>(sdk::load<T>(b.bytes.data() + at)));
      same = same && nans;
    }
  });
  return same;
}

}  // namespace

void expect_same(const std::vector<Array>& expected, const std::vector<Array>& found,
                 const std::string& what) {
  ASSERT_EQ(expected.size(), found.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(same_bits(expected[i], found[i]))
        << what << " " << i << "\n  expected " << text_of(expected[i]) << "\n  found    "
        << text_of(found[i]);
  }
}

}  // namespace tenon::tests
