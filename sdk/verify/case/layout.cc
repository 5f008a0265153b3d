// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/layout.cc: see layout.h.
#include "case/layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tenon/sdk/plugin/dtypes.hpp>

namespace tenon::verify {
namespace {

// In bytes, before and after the elements. A multiple of 64, so that the element after the first
// band is aligned as the beginning of a storage is.
constexpr int64_t kGuard = 128;
constexpr unsigned char kPattern = 0xA5;

constexpr std::string_view kNames[kLayoutCount] = {
    "contiguous", "transposed", "permuted",        "channels-last", "stepped",     "gap-rows",
    "offset",     "negative",   "size-one-stride", "unaligned",     "zero-stride", "window",
    "aliased",    "rank-0",     "size-0",          "huge"};

// Dimensions from the outermost in memory to the innermost.
std::vector<size_t> order_of(size_t rank, Layout layout) {
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  if (layout == Layout::Transposed) std::reverse(order.begin(), order.end());
  if (layout == Layout::ChannelsLast && rank >= 2) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  }
  if (layout == Layout::Permuted && rank >= 3) {
    std::rotate(order.begin(), order.begin() + 2, order.begin() + 3);
    if (rank >= 4) std::swap(order[2], order[3]);
  }
  return order;
}

Shape strides_of(const Shape& shape, Layout layout) {
  Shape strides(shape.size(), layout == Layout::Window ? 1 : 0);
  if (layout == Layout::Window || layout == Layout::ZeroStride) return strides;
  const int64_t every = layout == Layout::Stepped ? 2 : 1;
  const std::vector<size_t> order = order_of(shape.size(), layout);
  int64_t step = every;
  for (size_t k = order.size(); k-- > 0;) {
    const size_t dim = order[k];
    const bool row_of_one = layout == Layout::GapRows && order.size() == 1;
    strides[dim] = row_of_one ? 4 : step;
    step *= std::max<int64_t>(shape[dim], 1) * every;
    if (layout == Layout::GapRows && k + 1 == order.size()) step += 3;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (layout == Layout::Negative) strides[i] = -strides[i];
    if (layout == Layout::SizeOneStride && shape[i] == 1) strides[i] = 7;
  }
  return strides;
}

bool has_extent(const Shape& shape, int64_t extent) {
  return std::find(shape.begin(), shape.end(), extent) != shape.end();
}

// Calls body(element offset) for each element, in row-major order.
template <class Body>
void each_offset(const Shape& shape, const Shape& strides, const Body& body) {
  if (has_extent(shape, 0)) return;
  Shape index(shape.size(), 0);
  int64_t offset = 0;
  while (true) {
    body(offset);
    size_t d = shape.size();
    while (d-- > 0) {
      offset += strides[d];
      if (++index[d] < shape[d]) break;
      offset -= shape[d] * strides[d];
      index[d] = 0;
    }
    if (d == SIZE_MAX) return;
  }
}

int32_t rank_of(const Shape& shape) { return static_cast<int32_t>(shape.size()); }

}  // namespace

std::string_view name_of(Layout layout) { return kNames[static_cast<size_t>(layout)]; }

std::optional<Layout> layout_named(std::string_view name) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<Layout>(found - std::begin(kNames));
}

bool overlaps_itself(Layout layout) {
  return layout == Layout::ZeroStride || layout == Layout::Window;
}

bool applies(Layout layout, const Shape& shape, bool input, bool host_memory) {
  const bool empty = has_extent(shape, 0);
  switch (layout) {
    case Layout::Contiguous:
      return !empty && !shape.empty();
    case Layout::RankZero:
      return shape.empty();
    case Layout::SizeZero:
      return empty;
    case Layout::Offset:
      return true;
    case Layout::Unaligned:
      return host_memory && !empty;
    case Layout::SizeOneStride:
      return !empty && has_extent(shape, 1);
    case Layout::Aliased:
    case Layout::Huge:
      return false;
    default:
      break;
  }
  if (overlaps_itself(layout) && (!input || empty)) return false;
  const Shape strides = strides_of(shape, layout);
  const Shape plain = strides_of(shape, Layout::Contiguous);
  for (size_t i = 0; i < shape.size(); ++i) {
    // Of a tensor without elements the strides are only seen, never used.
    if ((shape[i] > 1 || empty) && strides[i] != plain[i]) return true;
  }
  return false;
}

Layout row_major_for(const Shape& shape) {
  if (shape.empty()) return Layout::RankZero;
  return has_extent(shape, 0) ? Layout::SizeZero : Layout::Contiguous;
}

std::vector<Layout> layouts_for(const Shape& shape, bool input, bool host_memory) {
  std::vector<Layout> all = {row_major_for(shape)};
  for (size_t i = 1; i < static_cast<size_t>(Layout::Aliased); ++i) {
    const auto layout = static_cast<Layout>(i);
    if (applies(layout, shape, input, host_memory)) all.push_back(layout);
  }
  return all;
}

Placement placement_of(const Shape& shape, Layout layout) {
  Placement placement{strides_of(shape, layout), 0, 0};
  if (has_extent(shape, 0)) return placement;
  int64_t low = 0;
  int64_t high = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t reach = (shape[i] - 1) * placement.strides[i];
    low += std::min<int64_t>(reach, 0);
    high += std::max<int64_t>(reach, 0);
  }
  placement.offset = -low;
  placement.total = high - low + 1;
  return placement;
}

Placed::Placed(const Session& session, const Array& array, Layout layout,
               const tenon_device& device, Guards guards)
    : session_(session),
      layout_(layout),
      dtype_(array.dtype),
      shape_(array.shape),
      placement_(placement_of(shape_, layout)) {
  const auto size = static_cast<int64_t>(sdk::size_of(dtype_));
  if (guards == Guards::None) {
    make_plain(array, device);
  } else if (layout == Layout::Unaligned) {
    make_unaligned();
  } else {
    const int64_t guard = kGuard / size;
    const int64_t offset = guard + (layout == Layout::Offset ? 1 : 0) + placement_.offset;
    const int64_t total = 2 * guard + 1 + placement_.total;
    tenon_tensor* made = nullptr;
    session.check(tenon_tensor_create(session.context(), dtype_, &device, 1, &total, &made));
    base_.reset(made);
    session.check(tenon_tensor_create_view(session.context(), base_.get(), rank_of(shape_),
                                           shape_.data(), placement_.strides.data(), offset,
                                           &made));
    tensor_.reset(made);
    first_ = offset * size;
    bytes_ = static_cast<size_t>(total * size);
  }
  if (guards != Guards::None) write(array);
}

void Placed::make_plain(const Array& array, const tenon_device& device) {
  tenon_tensor* made = nullptr;
  session_.check(tenon_tensor_create_from(session_.context(), dtype_, &device, rank_of(shape_),
                                          shape_.data(), array.bytes.data(), array.bytes.size(),
                                          &made));
  tensor_.reset(made);
  bytes_ = array.bytes.size();
}

void Placed::make_unaligned() {
  const size_t size = sdk::size_of(dtype_);
  bytes_ = static_cast<size_t>(placement_.total) * size + 2 * kGuard + 1;
  own_ = std::make_unique<unsigned char[]>(bytes_);
  first_ = kGuard + 1;
  tenon_tensor* made = nullptr;
  session_.check(tenon_tensor_create_external(session_.context(), dtype_, rank_of(shape_),
                                              shape_.data(), placement_.strides.data(),
                                              own_.get() + first_, 0, nullptr, nullptr, &made));
  tensor_.reset(made);
}

void Placed::write(const Array& array) {
  if (!base_ && !own_) {
    return session_.check(tenon_tensor_set_data(session_.context(), tensor_.get(),
                                                array.bytes.data(), array.bytes.size()));
  }
  std::vector<unsigned char> image(bytes_, kPattern);
  const size_t size = sdk::size_of(dtype_);
  const unsigned char* from = array.bytes.data();
  each_offset(shape_, placement_.strides, [&](int64_t offset) {
    std::memcpy(image.data() + first_ + offset * static_cast<int64_t>(size), from, size);
    from += size;
  });
  if (base_) {
    return session_.check(
        tenon_tensor_set_data(session_.context(), base_.get(), image.data(), image.size()));
  }
  std::copy(image.begin(), image.end(), own_.get());
}

std::vector<unsigned char> Placed::storage_bytes() const {
  std::vector<unsigned char> bytes(bytes_);
  if (own_) {
    std::copy_n(own_.get(), bytes_, bytes.begin());
  } else {
    tenon_tensor* whole = base_ ? base_.get() : tensor_.get();
    session_.check(tenon_tensor_get_data(session_.context(), whole, bytes.data(), bytes.size()));
  }
  return bytes;
}

Touched Placed::find_touched(std::vector<unsigned char> bytes) const {
  if (!base_ && !own_) return Touched::None;
  const size_t size = sdk::size_of(dtype_);
  each_offset(shape_, placement_.strides, [&](int64_t offset) {
    std::memset(bytes.data() + first_ + offset * static_cast<int64_t>(size), kPattern, size);
  });
  const int64_t low = first_ - placement_.offset * static_cast<int64_t>(size);
  const int64_t high = low + placement_.total * static_cast<int64_t>(size);
  Touched touched = Touched::None;
  for (int64_t i = 0; i < static_cast<int64_t>(bytes.size()); ++i) {
    if (bytes[static_cast<size_t>(i)] == kPattern) continue;
    if (i < low || i >= high) return Touched::Beyond;
    touched = Touched::Holes;
  }
  return touched;
}

Array Placed::read(Touched* touched) const {
  std::vector<unsigned char> bytes = storage_bytes();
  Array array = make_array(dtype_, shape_);
  const size_t size = sdk::size_of(dtype_);
  unsigned char* to = array.bytes.data();
  each_offset(shape_, placement_.strides, [&](int64_t offset) {
    std::memcpy(to, bytes.data() + first_ + offset * static_cast<int64_t>(size), size);
    to += size;
  });
  if (touched != nullptr) *touched = find_touched(std::move(bytes));
  return array;
}

int64_t Placed::offset() const { return first_ / static_cast<int64_t>(sdk::size_of(dtype_)); }

bool Placed::outside_untouched() const { return find_touched(storage_bytes()) == Touched::None; }

Array contents_of(const Session& session, const tenon_tensor* tensor) {
  tenon_view view{};
  session.check(tenon_tensor_get_view(session.context(), tensor, &view));
  Array array = make_array(view.dtype, Shape(view.shape, view.shape + view.rank));
  session.check(
      tenon_tensor_get_data(session.context(), tensor, array.bytes.data(), array.bytes.size()));
  return array;
}

}  // namespace tenon::verify
