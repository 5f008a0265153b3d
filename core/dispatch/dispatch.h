// SPDX-License-Identifier: Apache-2.0
// core/dispatch/dispatch.h: one op call, from the caller's values to outputs and a recorded node.
#pragma once

#include <tenon/types.h>

#include <span>

#include "core/registry/registry.h"
#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::dispatch {

using tensor::Tensor;

// Returns new tensors in `outputs`, owned by the caller.
void call(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
          std::span<const tenon_value> attrs, std::span<Tensor*> outputs);

// Writes into `outputs`.
void call_into(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
               std::span<const tenon_value> attrs, std::span<Tensor* const> outputs);

// The same onto new tensors, of any strides, that nobody has seen: recorded as `call` is.
[[gnu::cold]] void call_onto(Context& context, const registry::Op& op,
                             std::span<const tenon_value> inputs,
                             std::span<const tenon_value> attrs, std::span<Tensor* const> outputs);

// A call of the op with the CAST role, recorded if gradients are on.
Tensor* cast(Context& context, Tensor& tensor, tenon_dtype dtype);

}  // namespace tenon::dispatch
