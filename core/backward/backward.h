// SPDX-License-Identifier: Apache-2.0
// core/backward/backward.h: from the gradients of roots to those of leaves, or of chosen inputs.
#pragma once

#include <span>
#include <vector>

#include "core/tape/graph.h"

namespace tenon::backward {

using tensor::Ref;
using tensor::Tensor;

// Throws TENON_E_STATE in inference mode.
void refuse_inference(const Context& context);

// Adds gradients to leaves.
void run(Context& context, std::span<Tensor* const> roots, std::span<Tensor* const> seeds,
         uint32_t flags);
// Returns gradients for `inputs` and touches no leaf; NULL if there is none.
[[gnu::cold]] std::vector<Ref> gradient(Context& context, std::span<Tensor* const> roots,
                                        std::span<Tensor* const> seeds,
                                        std::span<Tensor* const> inputs, uint32_t flags);

}  // namespace tenon::backward
