// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/layout.h: how a tensor may lie in memory, and tensors that lie so inside memory
// that is watched.
#pragma once

#include <tenon/tenon.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "case/array.h"
#include "session.h"

namespace tenon::verify {

using tools::Session;

enum class Layout : uint8_t {
  Contiguous,
  Transposed,     // dimensions in reverse order in memory; rank 2 and more
  Permuted,       // the order 2, 0, 3, 1 of a rank 4, and the like; rank 3 and more
  ChannelsLast,   // dimension 1 innermost; rank 3 and more
  Stepped,        // every second element of every dimension
  GapRows,        // rows with a gap after each; rank 1 and more
  Offset,         // one element into its storage
  Negative,       // every stride below zero
  SizeOneStride,  // dimensions of size 1 with an odd stride; only where there is one
  Unaligned,      // at an odd address; host memory only
  ZeroStride,     // every dimension has stride 0: all elements are one; inputs only
  Window,         // all strides 1: rows overlap in part; inputs only, rank 2 and more
  Aliased,        // operands share one storage; set by the form, not by a single operand
  RankZero,       // what Contiguous is called for a tensor of rank 0
  SizeZero,       // what Contiguous is called for a tensor without elements
  Huge,           // more than 2^31 elements
};
inline constexpr size_t kLayoutCount = 16;
std::string_view name_of(Layout layout);  // "channels-last"
std::optional<Layout> layout_named(std::string_view name);

// Does the layout differ from Contiguous for this shape, and is it legal there?
bool applies(Layout layout, const Shape& shape, bool input, bool host_memory);
// All that apply, Contiguous (or RankZero, SizeZero) first.
std::vector<Layout> layouts_for(const Shape& shape, bool input, bool host_memory);
Layout row_major_for(const Shape& shape);  // the first of them
bool overlaps_itself(Layout layout);       // ZeroStride, Window

// Strides in elements; the offset of element 0 from the lowest one; elements from the lowest to the
// highest, both included.
struct Placement {
  Shape strides;
  int64_t offset = 0;
  int64_t total = 0;
};
Placement placement_of(const Shape& shape, Layout layout);

struct ReleaseTensor {
  void operator()(tenon_tensor* tensor) const { tenon_tensor_release(tensor); }
};
using Tensor = std::unique_ptr<tenon_tensor, ReleaseTensor>;

// Bytes outside a tensor's elements that were written: between them, or before and after them.
enum class Touched : uint8_t { None, Holes, Beyond };

// Around: the bytes around a tensor are watched. None: it has a storage of its own, row-major.
enum class Guards : uint8_t { None, Around };

// A tensor of a given layout inside a larger storage on `device`. Every byte outside its
// elements holds a pattern: guard bands before and after, and holes between.
class Placed {
 public:
  // Elements of `array` that coincide (ZeroStride, Window) take the value written last; read()
  // tells what the tensor then holds.
  Placed(const Session& session, const Array& array, Layout layout, const tenon_device& device,
         Guards guards = Guards::Around);
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

  tenon_tensor* get() const { return tensor_.get(); }
  Layout layout() const { return layout_; }
  int64_t offset() const;  // of element (0, ..., 0) in the storage, in elements
  Array read(Touched* touched = nullptr) const;
  void write(const Array& array);  // from outside Tenon's ops; advances the version
  bool outside_untouched() const;

 private:
  void make_plain(const Array& array, const tenon_device& device);
  void make_unaligned();
  std::vector<unsigned char> storage_bytes() const;
  Touched find_touched(std::vector<unsigned char> bytes) const;

  const Session& session_;
  Layout layout_;
  tenon_dtype dtype_;
  Shape shape_;
  Placement placement_;
  int64_t first_ = 0;                     // byte of element (0, ..., 0) in the storage
  size_t bytes_ = 0;                      // of the storage
  std::unique_ptr<unsigned char[]> own_;  // Unaligned: memory of ours
  Tensor base_;                           // the whole storage; before tensor_
  Tensor tensor_;
};

// Row-major contents of any tensor.
Array contents_of(const Session& session, const tenon_tensor* tensor);

}  // namespace tenon::verify
