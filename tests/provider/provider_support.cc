// SPDX-License-Identifier: Apache-2.0
// tests/provider/provider_support.cc: see provider_support.h.
#include "tests/provider/provider_support.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

std::vector<tenon_string> strings(const std::vector<std::string>& texts) {
  std::vector<tenon_string> out;
  for (const std::string& text : texts) out.push_back({text.data(), text.size()});
  return out;
}

std::vector<tenon_value> as_values(const std::vector<tenon_tensor*>& tensors) {
  std::vector<tenon_value> out;
  for (tenon_tensor* tensor : tensors) {
    tenon_value value{TENON_VALUE_TENSOR, 0, {}};
    value.as.tensor = tensor;
    out.push_back(value);
  }
  return out;
}

std::string take(tenon_text* text) {
  const char* data = nullptr;
  uint64_t length = 0;
  EXPECT_EQ(tenon_text_get(text, &data, &length), TENON_OK);
  std::string out(data, length);
  tenon_text_release(text);
  return out;
}

int64_t count_of(const Shape& shape) {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  return count;
}

Shape row_major(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) {
    strides[d - 1] = strides[d] * std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

}  // namespace

Runtime::Runtime(const Options& options) {
  std::vector<std::string> folders = options.first;
  folders.emplace_back(plugin_dir());
  const std::vector<tenon_string> paths = strings(folders);
  std::vector<std::string> excluded = options.exclude;
  excluded.emplace_back("tenon.cpu");
  excluded.emplace_back("tenon.cpu_bf16");
  const std::vector<tenon_string> exclude = strings(excluded);
  tenon_runtime_options given{};
  given.struct_size = sizeof given;
  given.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  given.paths = paths.data();
  given.n_paths = static_cast<uint32_t>(paths.size());
  given.threads = options.threads;
  given.exclude = exclude.data();
  given.n_exclude = static_cast<uint32_t>(exclude.size());
  given.check = {options.check.data(), options.check.size()};
  tenon_diag diag{};
  EXPECT_EQ(tenon_runtime_create(&given, &diag, &runtime_), TENON_OK) << diag.message;
}

Runtime::~Runtime() { tenon_runtime_release(runtime_); }

Context::Context(const Runtime& runtime, uint32_t arithmetic) {
  tenon_diag diag{};
  EXPECT_EQ(tenon_context_create(runtime.get(), &diag, &context_), TENON_OK) << diag.message;
  must(tenon_context_set_arithmetic(context_, arithmetic));
}

Context::~Context() { tenon_context_release(context_); }

void Context::must(tenon_status status) const {
  if (status == TENON_OK) return;
  ADD_FAILURE() << tenon_status_get_name(status) << ": " << error().message;
}

tenon_error Context::error() const {
  tenon_error record{};
  record.struct_size = sizeof record;
  EXPECT_EQ(tenon_context_get_error(context_, &record), TENON_OK);
  return record;
}

Json Context::query(std::string_view topic) const {
  tenon_text* text = nullptr;
  must(tenon_runtime_query(context_, topic.data(), topic.size(), &text));
  return Json::parse(take(text));
}

const tenon_op* Context::find(std::string_view op) const {
  const tenon_op* found = nullptr;
  must(tenon_op_find(context_, op.data(), op.size(), 0, &found));
  return found;
}

tenon_status Context::pin(std::string_view op, std::string_view plugin) const {
  return tenon_runtime_set_pin(context_, op.data(), op.size(), plugin.data(), plugin.size());
}

Tensor Context::make(tenon_dtype dtype, const Shape& shape,
                     const std::vector<double>& values) const {
  std::string data(values.size() * sdk::size_of(dtype), '\0');
  sdk::dispatch_dtype<sdk::NumberTypes>(dtype, [&]<class T>() {
    for (size_t i = 0; i < values.size(); ++i) {
      sdk::store(data.data() + i * sizeof(T), sdk::convert<T>(values[i]));
    }
  });
  tenon_tensor* out = nullptr;
  must(tenon_tensor_create_from(context_, dtype, nullptr, static_cast<int32_t>(shape.size()),
                                shape.data(), data.data(), data.size(), &out));
  return Tensor(out);
}

std::string Context::bytes(const tenon_tensor* tensor) const {
  tenon_view view{};
  must(tenon_tensor_get_view(context_, tensor, &view));
  const Shape shape(view.shape, view.shape + view.rank);
  std::string data(static_cast<size_t>(count_of(shape)) * sdk::size_of(view.dtype), '\0');
  must(tenon_tensor_get_data(context_, tensor, data.data(), data.size()));
  return data;
}

std::vector<double> Context::values(const tenon_tensor* tensor) const {
  tenon_view view{};
  must(tenon_tensor_get_view(context_, tensor, &view));
  const std::string data = bytes(tensor);
  std::vector<double> out;
  sdk::dispatch_dtype<sdk::NumberTypes>(view.dtype, [&]<class T>() {
    for (size_t at = 0; at < data.size(); at += sizeof(T)) {
      out.push_back(sdk::convert<double>(sdk::load<T>(data.data() + at)));
    }
  });
  return out;
}

Tensor Context::call(std::string_view op, const std::vector<tenon_tensor*>& operands,
                     const std::vector<tenon_value>& attrs) const {
  const std::vector<tenon_value> inputs = as_values(operands);
  tenon_tensor* out = nullptr;
  must(tenon_op_call(context_, find(op), inputs.data(), static_cast<uint32_t>(inputs.size()),
                     attrs.data(), static_cast<uint32_t>(attrs.size()), &out, 1));
  return Tensor(out);
}

Tensor Context::matmul(const Tensor& a, const Tensor& b) const {
  return call(kMatmul, {a.get(), b.get()});
}

void Context::matmul_into(const Tensor& a, const Tensor& b, const Tensor& out) const {
  const std::vector<tenon_value> inputs = as_values({a.get(), b.get()});
  tenon_tensor* output = out.get();
  must(tenon_op_call_into(context_, find(kMatmul), inputs.data(), 2, nullptr, 0, &output, 1));
}

Json Context::explain(const Tensor& a, const Tensor& b) const {
  const std::vector<tenon_value> inputs = as_values({a.get(), b.get()});
  tenon_text* text = nullptr;
  must(tenon_op_explain(context_, find(kMatmul), inputs.data(), 2, nullptr, 0, &text));
  return Json::parse(take(text));
}

std::string Context::chosen(const Tensor& a, const Tensor& b) const {
  return explain(a, b).at("chosen").at("plugin");
}

std::vector<std::string> Context::ran(const std::function<void()>& body,
                                      std::string_view op) const {
  must(tenon_trace_begin(context_));
  body();
  tenon_text* text = nullptr;
  must(tenon_trace_end(context_, &text));
  std::vector<std::string> plugins;
  const Json trace = Json::parse(take(text));
  for (const Json& event : trace.at("traceEvents")) {
    if (event.value("ph", "") == "X" && event.value("name", "") == op &&
        event.value("cat", "") != "op") {
      plugins.push_back(event.at("cat"));
    }
  }
  return plugins;
}

std::vector<Wrapped> providers() {
  Wrapped onednn{"tenon.onednn", "dnnl", {TENON_DTYPE_F32}, TENON_DTYPE_F32, false};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    onednn.dtypes.push_back(TENON_DTYPE_BF16);
  }
#endif
  return {{"tenon.openblas", "openblas", {TENON_DTYPE_F32, TENON_DTYPE_F64}, TENON_DTYPE_F64, true},
          onednn};
}

std::string short_name(const testing::TestParamInfo<Wrapped>& provider) {
  const std::string id = provider.param.id;
  return id.substr(id.find('.') + 1);
}

void Provider::SetUp() {
  if (std::filesystem::exists(std::filesystem::path(plugin_dir()) / id())) return;
  GTEST_SKIP() << id() << " was not built: its library was not found";
}

Runtime::Options Provider::only(Runtime::Options options) {
  for (const Wrapped& other : providers()) {
    if (std::string_view(other.id) != id()) options.exclude.emplace_back(other.id);
  }
  return options;
}

const char* name_of(Layout layout) {
  constexpr const char* names[] = {"row-major", "transposed", "window",  "spread",
                                   "flipped",   "expanded",   "sliding", "batch inside"};
  return names[static_cast<size_t>(layout)];
}

Tensor placed(const Context& cx, tenon_dtype dtype, const Shape& shape, Layout layout,
              std::mt19937_64& random) {
  const size_t rank = shape.size();
  Shape strides = row_major(shape);
  int64_t offset = 0;
  if (layout == Layout::Transposed && rank > 1) {
    Shape turned = shape;
    std::swap(turned[rank - 1], turned[rank - 2]);
    strides = row_major(turned);
    std::swap(strides[rank - 1], strides[rank - 2]);
  } else if (layout == Layout::Window) {
    Shape larger = shape;
    larger[rank - 1] += 3;
    if (rank > 1) larger[rank - 2] += 1;
    strides = row_major(larger);
    offset = 2;
  } else if (layout == Layout::Spread) {
    for (int64_t& stride : strides) stride *= 2;
    offset = 1;
  } else if (layout == Layout::Flipped) {
    strides[rank - 1] = -1;
    offset = std::max<int64_t>(shape[rank - 1] - 1, 0);
  } else if (layout == Layout::Expanded) {
    strides[rank > 1 ? rank - 2 : 0] = 0;
  } else if (layout == Layout::Sliding && rank > 1) {
    strides[rank - 2] = 1;
  } else if (layout == Layout::BatchInside) {
    strides = row_major(Shape(shape.rbegin(), shape.rend()));
    std::reverse(strides.begin(), strides.end());
  }
  int64_t total = offset + 1;
  for (size_t d = 0; d < rank; ++d) {
    total += std::max<int64_t>(shape[d] - 1, 0) * std::max<int64_t>(strides[d], 0);
  }
  std::uniform_real_distribution<double> draw(-1.0, 1.0);
  std::vector<double> values(static_cast<size_t>(total));
  for (double& value : values) value = draw(random);
  const Tensor base = cx.make(dtype, {total}, values);
  tenon_tensor* view = nullptr;
  cx.must(tenon_tensor_create_view(cx, base.get(), static_cast<int32_t>(rank), shape.data(),
                                   strides.data(), offset, &view));
  return Tensor(view);
}

double tolerance(tenon_dtype dtype, int64_t k, double absolute) {
  const double sums = dtype == TENON_DTYPE_F64
                          ? std::numeric_limits<double>::epsilon()
                          : static_cast<double>(std::numeric_limits<float>::epsilon());
  const double result = dtype == TENON_DTYPE_BF16 ? 0x1p-7 : 0;
  return (static_cast<double>(k + 2) * sums + result) * absolute;
}

void expect_near(const Context& cx, const Tensor& a, const Tensor& b,
                 const std::vector<double>& wanted, const std::vector<double>& found) {
  tenon_view view{};
  cx.must(tenon_tensor_get_view(cx, a.get(), &view));
  const auto absolute = [&](const Tensor& x) {
    tenon_view like{};
    cx.must(tenon_tensor_get_view(cx, x.get(), &like));
    std::vector<double> values = cx.values(x.get());
    for (double& value : values) value = std::fabs(value);
    return cx.make(like.dtype, Shape(like.shape, like.shape + like.rank), values);
  };
  const std::vector<double> bound = cx.values(cx.matmul(absolute(a), absolute(b)).get());
  ASSERT_EQ(wanted.size(), found.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(wanted[i], found[i], tolerance(view.dtype, view.shape[view.rank - 1], bound[i]))
        << "element " << i;
  }
}

}  // namespace tenon::tests
