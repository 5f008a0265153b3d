// SPDX-License-Identifier: Apache-2.0
// core/dispatch/outputs.h: may these tensors be a call's outputs?
#pragma once

#include <span>
#include <string>

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

// The output's name in the schema; "out", or "out1", if it has none.
std::string output_name(const Invocation& call, size_t index);
void check_output_count(const Invocation& call, size_t given);
// Shape, dtype, device, and memory that may be written.
void check_given_output(const Invocation& call, size_t index, const Tensor& out);
// Operands marked `!`: memory that may be written, and no gradient would be lost.
void check_mutated(const Invocation& call, bool recording);
// Rules for outputs while a gradient is wanted, or while they have a gradient themselves.
void check_grad_outputs(const Invocation& call, std::span<Tensor* const> outputs, bool recording);
// Is `out` the very tensor of an operand?
bool is_in_place(const Invocation& call, const Tensor& out);

}  // namespace tenon::dispatch
