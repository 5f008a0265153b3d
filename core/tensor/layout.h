// SPDX-License-Identifier: Apache-2.0
// core/tensor/layout.h: arithmetic on shapes and strides. Knows no storage and no dtype.
#pragma once

#include <tenon/types.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace tenon::tensor {

using Dims = std::array<int64_t, TENON_MAX_RANK>;
using DimSpan = std::span<const int64_t>;

inline DimSpan shape_of(const tenon_view& view) {
  return {view.shape, static_cast<size_t>(view.rank)};
}
inline DimSpan strides_of(const tenon_view& view) {
  return {view.strides, static_cast<size_t>(view.rank)};
}

// "[2,3]"
[[gnu::cold]] std::string dims_text(DimSpan dims);

// Number of elements; throws Error{TENON_E_SHAPE} for a negative size, a rank above 8, or a product
// whose size in bytes would not fit into int64.
int64_t checked_count(DimSpan shape, uint32_t element_size);
int64_t count(DimSpan shape) noexcept;

// Calls visit(index, offset) for each element in logical order, until it answers false; `offset` is
// in elements, from the first.
template <class Visit>
void each_element(DimSpan shape, DimSpan strides, const Visit& visit) {
  const int64_t total = count(shape);
  Dims index{};
  for (int64_t i = 0; i < total; ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < shape.size(); ++d) offset += index[d] * strides[d];
    if (!visit(DimSpan(index.data(), shape.size()), offset)) return;
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

void row_major_strides(DimSpan shape, int64_t* out_strides) noexcept;
bool is_row_major(DimSpan shape, DimSpan strides) noexcept;
bool inner_is_contiguous(DimSpan shape, DimSpan strides) noexcept;
// Every element once, without gaps, in any order of dimensions; negative strides do not count.
bool is_dense(DimSpan shape, DimSpan strides) noexcept;
bool has_zero_stride(DimSpan shape, DimSpan strides) noexcept;  // in a dimension larger than 1
bool has_negative_stride(DimSpan shape, DimSpan strides) noexcept;

// Lowest and highest element offset that a view touches, relative to its first element.
struct Extent {
  bool empty() const noexcept { return high < low; }  // no element
  int64_t low = 0;
  int64_t high = -1;
};
Extent extent(DimSpan shape, DimSpan strides) noexcept;

// What a view of foreign memory covers: lowest element relative to the first (0 or less) and bytes
// from there to its end. Throws TENON_E_LAYOUT if that does not fit into 63 bits.
struct Span {
  int64_t low = 0;
  uint64_t bytes = 0;
};
[[gnu::cold]] Span checked_span(DimSpan shape, DimSpan strides, uint32_t element_size);

// Do two elements of the view share an address? Exact up to 2^16 elements; above that a view whose
// sorted strides do not prove the contrary counts as overlapping.
[[gnu::cold]] bool overlaps_itself(DimSpan shape, DimSpan strides);

// NumPy's broadcasting of two shapes; false if they do not fit.
bool broadcast_shapes(DimSpan a, DimSpan b, Dims& out, int32_t& out_rank) noexcept;

// Strides of an operand of `shape` and `strides`, read as `target` (to which it broadcasts).
void broadcast_strides(DimSpan shape, DimSpan strides, DimSpan target, int64_t* out) noexcept;

// Reorders and merges the dimensions of operands that share `shape`: dimensions of size 1 go, the
// rest is sorted by the first operand's strides, neighbours that are one run in all are merged.
// strides[k] holds operand k's, rewritten in place. Returns the new rank.
int32_t collapse(int64_t* shape, int32_t rank, std::span<Dims> strides) noexcept;

}  // namespace tenon::tensor
