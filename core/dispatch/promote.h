// SPDX-License-Identifier: Apache-2.0
// core/dispatch/promote.h: the dtype of each type variable.
#pragma once

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

// An ordinary call of the CAST role, recorded if gradients are on.
using CastFn = Tensor* (*)(Context& context, Tensor& tensor, tenon_dtype dtype);

// Decides the types, casts operands to them and writes numbers in them.
void promote(Invocation& call, CastFn cast);

}  // namespace tenon::dispatch
