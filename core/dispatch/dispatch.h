// SPDX-License-Identifier: Apache-2.0
// core/dispatch/dispatch.h: one op call, from the caller's values to outputs and a recorded node.
#pragma once

#include <tenon/types.h>

#include <span>
#include <string>

#include "core/api/context.h"
#include "core/registry/registry.h"
#include "core/tensor/tensor.h"

namespace tenon::dispatch {

using tensor::Tensor;

// Returns new tensors in `outputs`, owned by the caller.
void call(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
          std::span<const tenon_value> attrs, std::span<Tensor*> outputs);

// Writes into `outputs`.
void apply(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
           std::span<const tenon_value> attrs, std::span<Tensor* const> outputs);

// What `call` would do, as JSON.
std::string explain(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
                    std::span<const tenon_value> attrs);

// The number in `dtype`, little-endian in the low bytes.
uint64_t scalar_bits(const tenon_value& number, tenon_dtype dtype);

// Roles the core uses by itself; each is an ordinary op call (recorded where grad is on).
Tensor* cast(Context& context, Tensor& tensor, tenon_dtype dtype);
Tensor* add(Context& context, Tensor& a, Tensor& b);
void add_into(Context& context, Tensor& accumulator, Tensor& b);  // in place
Tensor* sum_to(Context& context, Tensor& tensor, tensor::DimSpan shape);
Tensor* full(Context& context, Device& device, tenon_dtype dtype, tensor::DimSpan shape,
             const tenon_value& value);
void fill(Context& context, Tensor& tensor, const tenon_value& value);
// Row-major copy on the same device, without history.
Tensor* copy(Context& context, Tensor& tensor);
// Any layouts, same shape and dtype, same or another device; without history.
[[gnu::cold]] void copy_into(Context& context, const Tensor& source, Tensor& destination);

}  // namespace tenon::dispatch
