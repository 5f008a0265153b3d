// SPDX-License-Identifier: Apache-2.0
// core/tensor/external.cc: tensors on memory that somebody else owns.
#include "core/tensor/external.h"

#include "core/base/error.h"

namespace tenon::tensor {
namespace {

std::string dtype_pattern(tenon_dtype dtype) {
  return "code " + std::to_string(dtype & 0xffu) + ", " + std::to_string(dtype >> 8 & 0xffu) +
         " bits, " + std::to_string(dtype >> 16) + " lanes";
}

// Strides that no element uses may hold anything; row-major ones are safe to calculate with.
Dims usable_strides(const ExternalMemory& memory, int64_t elements) {
  Dims strides{};
  row_major_strides(memory.shape, strides.data());
  if (!memory.strides || elements == 0) return strides;
  for (size_t i = 0; i < memory.shape.size(); ++i) {
    if (memory.shape[i] > 1) strides[i] = memory.strides[i];
  }
  return strides;
}

void check_address(const ExternalMemory& memory, DimSpan strides, const Span& span) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(memory.first);
  if (first == 0) {
    fail(TENON_E_ARGUMENT, "the memory's address is NULL, but the tensor has elements", "data",
         "an address, or a shape with a 0", "NULL with shape " + dims_text(memory.shape));
  }
  const uintptr_t below = static_cast<uintptr_t>(-span.low) * size_of(memory.dtype);
  uintptr_t end = 0;
  if (below < first && !__builtin_add_overflow(first - below, span.bytes, &end)) return;
  fail(TENON_E_LAYOUT, "the strides reach beyond the address space", "strides",
       "elements within one range of addresses",
       "shape " + dims_text(memory.shape) + ", strides " + dims_text(strides));
}

}  // namespace

Tensor* wrap_external(Memory& home, const ExternalMemory& memory) {
  if (!is_known(memory.dtype)) {
    fail(TENON_E_DTYPE, "the memory holds elements of an unknown dtype", "dtype",
         dtypes_text(all_dtypes(), ", "), dtype_pattern(memory.dtype),
         "convert it first; of complex numbers, code 5, the real and the imaginary part");
  }
  const uint32_t element_size = size_of(memory.dtype);
  const int64_t elements = checked_count(memory.shape, element_size);
  const Dims dims = usable_strides(memory, elements);
  const DimSpan strides(dims.data(), memory.shape.size());
  const Span span = checked_span(memory.shape, strides, element_size);
  if (elements > 0) check_address(memory, strides, span);
  void* data = static_cast<char*>(memory.first) + span.low * int64_t{element_size};
  // The deleter is set last: until nothing can fail any more the memory is the caller's.
  const uint32_t flags = overlaps_itself(memory.shape, strides) ? TENON_VIEW_READ_ONLY : 0u;
  Storage* storage = Storage::create_external(home, data, span.bytes, nullptr, nullptr);
  storage->read_only = memory.read_only;
  Tensor* tensor =
      Tensor::create(storage, memory.dtype, memory.shape, dims.data(), -span.low, 0, flags);
  storage->deleter = memory.deleter;
  storage->user = memory.user;
  return tensor;
}

}  // namespace tenon::tensor
