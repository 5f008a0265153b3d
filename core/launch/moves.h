// SPDX-License-Identifier: Apache-2.0
// core/launch/moves.h: copies and fills, which need no call: kernels of the COPY and FILL roles,
// and what devices copy by themselves.
#pragma once

#include "core/launch/block.h"
#include "core/runtime/context.h"

namespace tenon::launch {

// Copies between two layouts of one shape and dtype on one device, through the COPY role's kernel.
void launch_copy(Context& context, Device& device, const Item& from, const Item& to);
// Every element of `to` becomes `value`, through the FILL role's kernel.
void launch_fill(Context& context, Device& device, const Item& to, const tenon_value& value);

// New and row-major; every element is `value`.
Tensor* full(Context& context, Device& device, tenon_dtype dtype, tensor::DimSpan shape,
             const tenon_value& value);
void fill(Context& context, Tensor& tensor, const tenon_value& value);
// Row-major copy on the same device, without history.
Tensor* copy(Context& context, Tensor& tensor);
// The same on any device.
Ref copy_to(Context& context, const Tensor& tensor, Device& device);
// Row-major and in host memory, when its device has done what it was asked for: the tensor itself
// if it is that.
Ref on_host(Context& context, const Ref& tensor);
// Any layouts, same shape and dtype, same or another device; without history.
[[gnu::cold]] void copy_into(Context& context, const Tensor& source, Tensor& destination);

// Before a tensor that is the program's is written by one of these: throws TENON_E_ALIAS if it is
// read-only, or two of its elements share an address.
// what, name   how the message calls it: the layer's tensor "weight"; the name may be empty
void require_writable(const Tensor& tensor, std::string_view what, std::string_view name);

}  // namespace tenon::launch
