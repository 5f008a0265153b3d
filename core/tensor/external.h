// SPDX-License-Identifier: Apache-2.0
// core/tensor/external.h: tensors on memory that somebody else owns.
#pragma once

#include <tenon/types.h>

#include "core/tensor/tensor.h"

namespace tenon::tensor {

struct ExternalMemory {
  void* first = nullptr;  // element (0, ..., 0); may be NULL if there is no element
  tenon_dtype dtype = TENON_DTYPE_NONE;
  DimSpan shape;
  // In elements, of any sign; NULL: row-major. Those of dimensions of size 0 and 1 are not used.
  const int64_t* strides = nullptr;
  bool read_only = false;
  void (*deleter)(void* user) = nullptr;  // may be NULL; runs once, on whichever thread is last
  void* user = nullptr;
};

// A tensor on `memory`, which `home` can address, without copying. Its storage begins at the
// lowest address that shape and strides reach, so that with negative strides the first element lies
// inside it.
// If this throws, nothing was taken over and `deleter` has not run.
// errors   TENON_E_DTYPE, TENON_E_SHAPE, TENON_E_LAYOUT (what the strides reach is not a range of
//          addresses), TENON_E_ARGUMENT (NULL memory for a tensor that has elements)
[[gnu::cold]] Tensor* wrap_external(Memory& home, const ExternalMemory& memory);

}  // namespace tenon::tensor
