// SPDX-License-Identifier: Apache-2.0
// core/inspect/print.cc: a tensor as text for people, and its element as a number. The layout
// of lines is NumPy's, see `_formatArray` in its numpy/_core/arrayprint.py.
#include "core/inspect/print.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/launch/moves.h"
#include "core/registry/values.h"
#include "core/runtime/runtime.h"
#include "core/tape/graph.h"
#include "core/tensor/number_text.h"

namespace tenon::inspect {

using tensor::DimSpan;
using tensor::Ref;

namespace {

constexpr int64_t kThreshold = 1000;  // above this many elements, dimensions are shortened
constexpr int64_t kEdge = 3;          // elements shown at either end of a shortened dimension
constexpr size_t kLineWidth = 75;
constexpr std::string_view kOpening = "tensor(";

// Which elements are shown, dimension by dimension.
struct Window {
  DimSpan shape;
  DimSpan strides;
  bool shortened;

  size_t rank() const { return shape.size(); }
  bool cut(size_t dim) const { return shortened && shape[dim] > 2 * kEdge; }
  int64_t shown(size_t dim) const { return cut(dim) ? 2 * kEdge : shape[dim]; }
  // Offset of the i-th shown index of `dim`.
  int64_t offset(size_t dim, int64_t i) const {
    const int64_t index = cut(dim) && i >= kEdge ? shape[dim] - 2 * kEdge + i : i;
    return index * strides[dim];
  }
};

// Calls visit(offset) for each shown element in logical order.
template <class Visit>
void for_each(const Window& window, size_t dim, int64_t offset, const Visit& visit) {
  if (dim == window.rank()) {
    visit(offset);
    return;
  }
  const int64_t n = window.shown(dim);
  for (int64_t i = 0; i < n; ++i) for_each(window, dim + 1, offset + window.offset(dim, i), visit);
}

// A copy that the host can read; none of a tensor that it can read as it is.
Ref host_copy(Context& context, const Tensor& tensor) {
  if (device_of(tensor).host_memory()) return {};
  return launch::copy_to(context, tensor, context.runtime->host_device());
}

std::vector<std::string> words_of(const Tensor& values, const Window& window) {
  const void* const first = values.view.data;
  const tenon_dtype dtype = values.dtype();
  if (tensor::is_float(dtype)) {
    std::vector<double> reals;
    for_each(window, 0, 0, [&](int64_t at) { reals.push_back(tensor::real_at(first, at, dtype)); });
    return tensor::float_words(reals, dtype);
  }
  std::vector<int64_t> integers;
  for_each(window, 0, 0,
           [&](int64_t at) { integers.push_back(tensor::integer_at(first, at, dtype)); });
  return tensor::integer_words(integers, dtype);
}

// Brackets, commas and line breaks around the words, which come in logical order.
class Layout {
 public:
  Layout(const Window& window, const std::vector<std::string>& words)
      : window_(window), words_(words) {}

  std::string text() { return block(0, kOpening.size(), kLineWidth - 1); }

 private:
  // What stands between the brackets of dimension `dim`, with them. `indent` is the column of the
  // opening bracket, `width` the column where lines end at the latest.
  std::string block(size_t dim, size_t indent, size_t width) {
    if (dim == window_.rank()) return words_[next_++];
    if (dim + 1 == window_.rank()) return row(dim, indent, width - 1);
    const size_t left = window_.rank() - dim;
    const std::string between = "," + std::string(left - 1, '\n') + std::string(indent + 1, ' ');
    std::string text = "[";
    const int64_t n = window_.shown(dim);
    for (int64_t i = 0; i < n; ++i) {
      if (i > 0) text += between;
      if (window_.cut(dim) && i == kEdge) text += "..." + between;
      text += block(dim + 1, indent + 1, width - 1);
    }
    return text + "]";
  }

  std::string row(size_t dim, size_t indent, size_t width) {
    const std::string margin(indent + 1, ' ');
    std::string done;
    std::string line = margin;
    const auto put = [&](const std::string& word) {
      if (line.size() + word.size() > width && line.size() > margin.size()) {
        line.erase(line.find_last_not_of(' ') + 1);
        done += line + "\n";
        line = margin;
      }
      line += word;
    };
    const int64_t n = window_.shown(dim);
    for (int64_t i = 0; i < n; ++i) {
      if (i > 0) line += ", ";
      if (window_.cut(dim) && i == kEdge) {
        put("...");
        line += ", ";
      }
      put(words_[next_++]);
    }
    return "[" + (done + line).substr(margin.size()) + "]";
  }

  const Window& window_;
  const std::vector<std::string>& words_;
  size_t next_ = 0;
};

std::string values_text(const Tensor& values) {
  const int64_t elements = values.elements();
  if (elements == 0) return "[]";
  const Window window{values.shape(), values.strides(), elements > kThreshold};
  const std::vector<std::string> words = words_of(values, window);
  return Layout(window, words).text();
}

std::string properties_text(const Tensor& tensor) {
  std::string text = "shape=" + tensor::dims_text(tensor.shape()) +
                     ", dtype=" + tensor::dtype_text(tensor.dtype()) +
                     ", device=" + device_of(tensor).name();
  if (tape::requires_grad(tensor)) text += ", requires_grad=true";
  return text + ")";
}

struct Summary {
  int64_t numbers = 0;  // elements that are not a NaN
  int64_t nans = 0;
  double sum = 0;
  double low = INFINITY;
  double high = -INFINITY;
  int64_t integer_low = INT64_MAX;
  int64_t integer_high = INT64_MIN;
};

Summary summarize(const Tensor& values) {
  Summary summary;
  if (values.elements() == 0) return summary;
  const Window all{values.shape(), values.strides(), false};
  const bool real = tensor::is_float(values.dtype());
  for_each(all, 0, 0, [&](int64_t offset) {
    const double value = tensor::real_at(values.view.data, offset, values.dtype());
    if (std::isnan(value)) {
      ++summary.nans;
      return;
    }
    ++summary.numbers;
    summary.sum += value;
    summary.low = std::min(summary.low, value);
    summary.high = std::max(summary.high, value);
    if (real) return;
    const int64_t integer = tensor::integer_at(values.view.data, offset, values.dtype());
    summary.integer_low = std::min(summary.integer_low, integer);
    summary.integer_high = std::max(summary.integer_high, integer);
  });
  return summary;
}

std::string summary_text(const Tensor& values) {
  const Summary summary = summarize(values);
  const std::string nans = "nan=" + std::to_string(summary.nans);
  if (summary.numbers == 0) return "min, max and mean: no values, " + nans;
  const double mean = summary.sum / static_cast<double>(summary.numbers);
  std::string low = std::to_string(summary.integer_low);
  std::string high = std::to_string(summary.integer_high);
  if (tensor::is_float(values.dtype())) {
    low = tensor::number_text(summary.low, values.dtype());
    high = tensor::number_text(summary.high, values.dtype());
  }
  return "min=" + low + ", max=" + high + ", mean=" + tensor::number_text(mean, TENON_DTYPE_F64) +
         ", " + nans;
}

std::string storage_text(const Tensor& tensor) {
  const tensor::Storage& storage = *tensor.storage;
  std::string text = "storage=" + std::to_string(reinterpret_cast<uintptr_t>(&storage)) + ", " +
                     std::to_string(storage.bytes) + " bytes" +
                     ", users=" + std::to_string(storage.refs.load(std::memory_order_relaxed)) +
                     ", version=" + std::to_string(storage.version.load(std::memory_order_relaxed));
  if (storage.external) text += ", external";
  if (storage.read_only) text += ", read-only";
  return text;
}

std::string info_text(const Tensor& tensor, const Tensor& values) {
  return "strides=" + tensor::dims_text(tensor.strides()) +
         ", offset=" + std::to_string(tensor.offset) + (tensor.contiguous() ? ", contiguous" : "") +
         "\n" + storage_text(tensor) + "\n" + summary_text(values);
}

}  // namespace

std::string to_text(Context& context, const Tensor& tensor, uint32_t flags) {
  if (flags & ~TENON_TEXT_INFO) {
    fail(TENON_E_ARGUMENT, "flags has unknown bits", "flags", "0 or TENON_TEXT_INFO",
         std::to_string(flags));
  }
  const Ref copy = host_copy(context, tensor);
  const Tensor& values = copy ? *copy : tensor;
  std::string text = std::string(kOpening) + values_text(values);
  const std::string properties = properties_text(tensor);
  const size_t break_at = text.rfind('\n');
  const size_t column = text.size() - (break_at == std::string::npos ? 0 : break_at + 1);
  const bool fits = column + 2 + properties.size() <= kLineWidth;
  text += (fits ? ", " : ",\n" + std::string(kOpening.size(), ' ')) + properties;
  if (flags & TENON_TEXT_INFO) text += "\n" + info_text(tensor, values);
  return text;
}

tenon_value item(Context& context, const Tensor& tensor) {
  if (tensor.elements() != 1) {
    fail(TENON_E_SHAPE, "only a tensor of one element has an item", "tensor", "1 element",
         tensor::describe(tensor) + ", " + std::to_string(tensor.elements()) + " elements",
         "read all of it with tenon_tensor_get_data");
  }
  const Ref copy = host_copy(context, tensor);
  const void* const first = (copy ? *copy : tensor).view.data;
  if (tensor::is_float(tensor.dtype())) {
    return registry::float_value(tensor::real_at(first, 0, tensor.dtype()));
  }
  tenon_value value = registry::int_value(tensor::integer_at(first, 0, tensor.dtype()));
  if (tensor::is_bool(tensor.dtype())) value.tag = TENON_VALUE_BOOL;
  return value;
}

}  // namespace tenon::inspect
