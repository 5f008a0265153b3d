// SPDX-License-Identifier: Apache-2.0
// core/tensor/layout.cc: arithmetic on shapes and strides.
#include "core/tensor/layout.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/words.h"

namespace tenon::tensor {

std::string dims_text(DimSpan dims) {
  return "[" + base::joined(dims, ",", [](int64_t size) { return std::to_string(size); }) + "]";
}

int64_t checked_count(DimSpan shape, uint32_t element_size) {
  if (shape.size() > TENON_MAX_RANK) {
    fail(TENON_E_SHAPE, "a tensor has at most 8 dimensions", {}, "rank <= 8",
         "rank " + std::to_string(shape.size()));
  }
  // Zero sizes do not excuse the others: strides are computed from all of them.
  int64_t product = element_size;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0) {
      fail(TENON_E_SHAPE, "a dimension cannot be negative", {}, "sizes >= 0", dims_text(shape));
    }
    if (size == 0) empty = true;
    if (__builtin_mul_overflow(product, std::max<int64_t>(size, 1), &product)) {
      fail(TENON_E_SHAPE, "the tensor's size in bytes does not fit into 63 bits", {},
           "fewer than 2^63 bytes", dims_text(shape));
    }
  }
  return empty ? 0 : product / element_size;
}

int64_t count(DimSpan shape) noexcept {
  int64_t product = 1;
  for (int64_t size : shape) product *= size;
  return product;
}

void row_major_strides(DimSpan shape, int64_t* out_strides) noexcept {
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    out_strides[i] = stride;
    stride *= std::max<int64_t>(shape[i], 1);
  }
}

bool is_row_major(DimSpan shape, DimSpan strides) noexcept {
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected) {
      return count(shape) == 0;
    }
    expected *= shape[i];
  }
  return true;
}

bool inner_is_contiguous(DimSpan shape, DimSpan strides) noexcept {
  return shape.empty() || shape.back() <= 1 || strides.back() == 1;
}

bool is_dense(DimSpan shape, DimSpan strides) noexcept {
  std::array<size_t, TENON_MAX_RANK> order{};
  size_t used = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return true;
    if (shape[i] == 1) continue;
    // Insertion by rising stride: at most 8 dimensions.
    size_t at = used++;
    for (; at > 0 && strides[order[at - 1]] > strides[i]; --at) order[at] = order[at - 1];
    order[at] = i;
  }
  int64_t expected = 1;
  for (size_t k = 0; k < used; ++k) {
    if (strides[order[k]] != expected) return false;
    expected *= shape[order[k]];
  }
  return true;
}

bool has_zero_stride(DimSpan shape, DimSpan strides) noexcept {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1 && strides[i] == 0) return true;
  }
  return false;
}

bool has_negative_stride(DimSpan shape, DimSpan strides) noexcept {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1 && strides[i] < 0) return true;
  }
  return false;
}

Extent extent(DimSpan shape, DimSpan strides) noexcept {
  Extent all{0, 0};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return {};
    const int64_t reach = (shape[i] - 1) * strides[i];
    (reach < 0 ? all.low : all.high) += reach;
  }
  return all;
}

Span checked_span(DimSpan shape, DimSpan strides, uint32_t element_size) {
  __extension__ using Wide = __int128;
  Wide low = 0;
  Wide high = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return {};
    const Wide reach = static_cast<Wide>(shape[i] - 1) * strides[i];
    (reach < 0 ? low : high) += reach;
    if ((high - low + 1) * element_size > INT64_MAX) {
      fail(TENON_E_LAYOUT, "the strides reach further than 63 bits of bytes", "strides",
           "fewer than 2^63 bytes", "shape " + dims_text(shape) + " strides " + dims_text(strides));
    }
  }
  return {static_cast<int64_t>(low), static_cast<uint64_t>((high - low + 1) * element_size)};
}

bool overlaps_itself(DimSpan shape, DimSpan strides) {
  if (is_row_major(shape, strides)) return false;
  const Extent all = extent(shape, strides);
  if (all.empty()) return false;
  std::array<std::pair<int64_t, int64_t>, TENON_MAX_RANK> dims;  // |stride|, size
  size_t n_dims = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1) dims[n_dims++] = {std::abs(strides[i]), shape[i]};
  }
  const auto end = dims.begin() + static_cast<ptrdiff_t>(n_dims);
  std::make_heap(dims.begin(), end);
  std::sort_heap(dims.begin(), end);
  int64_t reach = 0;
  bool proven = true;
  for (const auto& [stride, size] : std::span(dims.data(), n_dims)) {
    if (stride <= reach) proven = false;
    reach += stride * (size - 1);
  }
  if (proven) return false;
  const int64_t elements = count(shape);
  if (elements > (1 << 16)) return true;
  if (all.high - all.low + 1 < elements) return true;
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(elements));
  each_element(shape, strides, [&](DimSpan, int64_t offset) {
    offsets.push_back(offset);
    return true;
  });
  std::make_heap(offsets.begin(), offsets.end());
  std::sort_heap(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
}

bool broadcast_shapes(DimSpan a, DimSpan b, Dims& out, int32_t& out_rank) noexcept {
  const size_t rank = std::max(a.size(), b.size());
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return false;
    out[rank - 1 - i] = x == 1 ? y : x;
  }
  out_rank = static_cast<int32_t>(rank);
  return true;
}

void broadcast_strides(DimSpan shape, DimSpan strides, DimSpan target, int64_t* out) noexcept {
  const size_t missing = target.size() - shape.size();
  for (size_t i = 0; i < target.size(); ++i) {
    const bool given = i >= missing;
    const size_t own = i - missing;
    out[i] = !given || (shape[own] == 1 && target[i] != 1) ? 0 : strides[own];
  }
}

int32_t collapse(int64_t* shape, int32_t rank, std::span<Dims> strides) noexcept {
  int32_t kept = 0;
  for (int32_t i = 0; i < rank; ++i) {
    if (shape[i] == 1) continue;
    shape[kept] = shape[i];
    for (Dims& s : strides) s[static_cast<size_t>(kept)] = s[static_cast<size_t>(i)];
    ++kept;
  }
  // Insertion sort by the first operand's strides, largest first, stable: at most 8 dimensions.
  for (int32_t i = 1; i < kept && !strides.empty(); ++i) {
    for (int32_t j = i; j > 0; --j) {
      const size_t a = static_cast<size_t>(j - 1);
      const size_t b = static_cast<size_t>(j);
      if (std::abs(strides[0][a]) >= std::abs(strides[0][b])) break;
      std::swap(shape[a], shape[b]);
      for (Dims& s : strides) std::swap(s[a], s[b]);
    }
  }
  int32_t merged = 0;
  for (int32_t i = 0; i < kept; ++i) {
    const size_t from = static_cast<size_t>(i);
    bool run = merged > 0;
    const size_t last = static_cast<size_t>(merged - 1);
    for (const Dims& s : strides) {
      if (run && s[last] != s[from] * shape[from]) run = false;
    }
    if (run) {
      shape[last] *= shape[from];
      for (Dims& s : strides) s[last] = s[from];
      continue;
    }
    const size_t to = static_cast<size_t>(merged);
    shape[to] = shape[from];
    for (Dims& s : strides) s[to] = s[from];
    ++merged;
  }
  return merged;
}

}  // namespace tenon::tensor
