// SPDX-License-Identifier: Apache-2.0
// core/dispatch/compose.h: an op's composition in place of its kernel.
#pragma once

#include <span>
#include <vector>

#include "core/dispatch/invocation.h"
#include "core/tensor/tensor.h"

namespace tenon::dispatch {

// The op in terms of others. Fills outputs that are NULL and wanted, copies into those that are not
// NULL. If those are `fresh`, nobody having seen them yet, new results take their places.
void compose(Invocation& call, std::span<Tensor*> outputs,
             std::vector<tensor::Ref>* fresh = nullptr);

// The same for an op whose outputs are as large as its data say. Given ones are checked against
// what came out.
void compose_dynamic(Invocation& call, std::span<Tensor*> outputs, bool recording);

}  // namespace tenon::dispatch
