// SPDX-License-Identifier: Apache-2.0
// core/optim/parts.h: parts of parameters, of an optimizer that updates no more than those. What
// updates the others is not known here.
#pragma once

#include <cstdint>

#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::optim {

class Parts {
 public:
  // Elements [begin, end) of a row-major parameter.
  struct Part {
    tensor::Ref leaf;  // over the same memory, with a gradient of its own; NULL: no element
    int64_t begin = 0;
    int64_t end = 0;
  };
  virtual ~Parts() = default;
  // NULL: the parameter is updated whole.
  virtual const Part* of(const tensor::Tensor& param) const = 0;
  // Of a part, here or elsewhere.
  virtual bool any_gradient() const = 0;
  virtual void clear_gradients() = 0;
  // All are about to update their parts. Throws if another does otherwise; nobody updates then.
  virtual void begin(Context& context) = 0;
  // The other parts of the parameters, after a step that has failed here or not. Throws if it has
  // failed elsewhere.
  virtual void gather(Context& context, bool failed) = 0;
};

}  // namespace tenon::optim
