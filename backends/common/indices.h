// SPDX-License-Identifier: Apache-2.0
// backends/common/indices.h: indices in host memory that name places along an axis, or rows of a
// table.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>
#include <tenon/sdk/plugin/place.hpp>

#include <algorithm>

namespace tenon::backends {

inline constexpr tenon_dtype kIndexDtypes[] = {TENON_DTYPE_I32, TENON_DTYPE_I64};
inline constexpr auto kAnyByIndex = sdk::pairs(sdk::kAllDtypes, kIndexDtypes);
inline constexpr auto kFloatsByIndex = sdk::pairs(sdk::kFloats, kIndexDtypes);
inline constexpr auto kNumbersByIndex = sdk::pairs(sdk::kNumbers, kIndexDtypes);
inline constexpr auto kIndexByAny = sdk::pairs(kIndexDtypes, sdk::kAllDtypes);

// ---- Along an axis ------------------------------------------------------------------------------

// Of the index number `linear` of a tensor of indices, which is not in [least, size). `operand` is
// its name, with its number in a list: indices.0.
[[noreturn]] inline void refuse_index(const std::string& operand, std::span<const int64_t> shape,
                                      int64_t linear, int64_t index, int64_t size, int64_t least) {
  const std::string found = std::to_string(index);
  throw sdk::Failure{TENON_E_DATA,
                     sdk::place_in(operand, shape, linear) + " is " + found + ", outside the " +
                         std::to_string(size) + " it may name",
                     operand.substr(0, operand.find('.')),
                     std::to_string(least) + " <= index < " + std::to_string(size),
                     found,
                     "check the values that were used as indices"};
}

// Refuses the first index outside [least, size), before anything is written.
template <class I>
void check_indices(const tenon_view& indices, int64_t size, const std::string& operand,
                   int64_t least = 0) {
  const auto shape = sdk::shape_of(indices);
  sdk::walk<1>(shape, {sdk::strided(indices)}, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      const int64_t index = sdk::load<I>(run.data[0] + i * run.step[0]);
      if (index >= least && index < size) continue;
      refuse_index(operand, shape, run.first + i, index, size, least);
    }
  });
}

// A place counted from the front; negative indices count from the end.
inline int64_t from_front(int64_t index, int64_t size) { return index + ((index >> 63) & size); }

// The lines of a tensor along an axis: where each begins, and the way along it.
struct Lines {
  sdk::Strided begin;
  int64_t step;

  Lines(const sdk::Strided& strided, size_t axis) : begin(strided), step(strided.step[axis]) {
    begin.step[axis] = 0;
  }
};

// An operand as its broadcast to `shape` is walked.
inline sdk::Strided broadcast(const tenon_view& view, std::span<const int64_t> shape) {
  const sdk::Strided own = sdk::strided(view);
  sdk::Strided out{own.data, {}};
  const auto rank = static_cast<size_t>(view.rank);
  for (size_t d = 0; d < rank; ++d) {
    if (view.shape[d] != 1) out.step[shape.size() - rank + d] = own.step[d];
  }
  return out;
}

// Packed memory of `shape`, row by row.
inline sdk::Strided packed(std::span<const int64_t> shape, void* memory, int64_t element_size) {
  sdk::Strided out{static_cast<char*>(memory), {}};
  for (size_t d = shape.size(); d-- > 0;) {
    out.step[d] = element_size;
    element_size *= shape[d];
  }
  return out;
}

// sum += value, rounded to T. Truths are joined.
template <class T>
void add_to(char* sum, T value) {
  if constexpr (std::is_same_v<T, sdk::Bool>) {
    sdk::store(sum, sdk::Bool(sdk::load<T>(sum) || value));
  } else {
    using C = sdk::Compute<T>;
    sdk::store(sum, sdk::narrow<T>(C(sdk::load<T>(sum)) + C(value)));
  }
}

// ---- Rows of a table ----------------------------------------------------------------------------

// Slots of ops that write rows of a tensor.
enum RowsSlot : uint32_t { kX, kIndices, kValues };

// Refuses the first index outside [0, rows), before anything is written.
template <class I>
void check_rows(const tenon_view& indices, int64_t rows) {
  const auto shape = sdk::shape_of(indices);
  sdk::walk<1>(shape, {sdk::strided(indices)}, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      const int64_t row = sdk::load<I>(run.data[0] + i * run.step[0]);
      if (row >= 0 && row < rows) continue;
      throw sdk::Failure{TENON_E_DATA,
                         sdk::place_in("indices", shape, run.first + i) + " is " +
                             std::to_string(row) + ", outside the table's " + std::to_string(rows) +
                             " rows",
                         "indices",
                         "0 <= index < " + std::to_string(rows),
                         std::to_string(row),
                         "check the values that were used as indices"};
    }
  });
}

// `strided` without its first dimension, at element `index` of it.
inline sdk::Strided row_of(const sdk::Strided& strided, int64_t index) {
  sdk::Strided row;
  row.data = strided.data + index * strided.step[0];
  std::copy(strided.step.begin() + 1, strided.step.end(), row.step.begin());
  return row;
}

// ---- Classes ------------------------------------------------------------------------------------

// Class numbers of the rows of a cross entropy, checked before anything is written.
class Targets {
 public:
  Targets(const tenon_view& target, int64_t classes, int64_t ignore)
      : data_(static_cast<const char*>(target.data)),
        step_(sdk::strided(target).step[0]),
        ignore_(ignore) {
    for (int64_t n = 0; n < target.shape[0]; ++n) {
      if (!valid(n)) continue;
      ++count_;
      if ((*this)[n] < 0 || (*this)[n] >= classes) refuse(n, classes);
    }
  }
  int64_t operator[](int64_t n) const { return sdk::load<int64_t>(data_ + n * step_); }
  bool valid(int64_t n) const { return (*this)[n] != ignore_; }
  int64_t count() const { return count_; }

 private:
  [[noreturn]] void refuse(int64_t n, int64_t classes) const {
    const std::string found = std::to_string((*this)[n]);
    throw sdk::Failure{
        TENON_E_DATA,
        "target[" + std::to_string(n) + "] is " + found +
            ", which is not a class and not ignore_index",
        "target",
        "0 <= class < " + std::to_string(classes) + ", or " + std::to_string(ignore_),
        found,
        "the logits have one column for each class"};
  }

  const char* data_;
  int64_t step_;
  int64_t ignore_;
  int64_t count_ = 0;
};

}  // namespace tenon::backends
