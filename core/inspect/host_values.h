// SPDX-License-Identifier: Apache-2.0
// core/inspect/host_values.h: a tensor's elements where the host can read them.
#pragma once

#include <tenon/types.h>

#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::inspect {

using tensor::DimSpan;
using tensor::Ref;
using tensor::Tensor;

// Host memory is read in place, through the tensor's strides and without launching anything; what
// lies elsewhere is copied into a row-major host tensor first. The tensor has to outlive this.
class HostValues {
 public:
  // Waits for the device. Not while capturing: a replay would not read again.
  HostValues(Context& context, const Tensor& tensor);

  tenon_dtype dtype() const { return dtype_; }
  DimSpan shape() const { return shape_; }
  // Of what is read, in elements: the tensor's own or, after a copy, row-major.
  DimSpan strides() const { return strides_; }

  // The element `offset` elements from the first; exact for floats and for integers up to 2^53.
  double real_at(int64_t offset) const noexcept;
  // The same for integers and bool, which is 0 or 1; exact. 0 for floats.
  int64_t integer_at(int64_t offset) const noexcept;

 private:
  Ref copy_;
  const unsigned char* first_ = nullptr;
  tenon_dtype dtype_;
  DimSpan shape_;
  DimSpan strides_;
};

}  // namespace tenon::inspect
