// SPDX-License-Identifier: Apache-2.0
// core/autograd/engine.h: recording a call, and the backward walk.
#pragma once

#include <span>
#include <vector>

#include "core/api/context.h"
#include "core/autograd/graph.h"
#include "core/dispatch/invocation.h"

namespace tenon::autograd {

// "" where the rule serves a call with these operands (as Invocation::begin) and attributes; else
// what it was built before.
std::string rule_too_old(const registry::VjpRule& rule, const registry::Schema& schema,
                         std::span<const uint32_t> begin, std::span<const tenon_value> attrs);
// The op's best backward rule among those that were not built before an operand or attribute that
// this call uses, or NULL; `too_old`, if given, says why the best of all is not it.
const registry::VjpRule* rule_of(const dispatch::Invocation& call, std::string* too_old = nullptr);

// Does any tensor operand want a gradient, with grad enabled?
bool wants_recording(const dispatch::Invocation& call);

// Builds the call's node, with its edges and saved inputs, before the kernel runs: an in-place
// kernel overwrites what the edges are read from. NULL rule is allowed: backward then fails with
// the op's name. Throws GRAPH_OWNER.
Node* begin_record(dispatch::Invocation& call);
// After the kernel: saves outputs and attaches the node to them. `outputs` has NULL where unwanted.
void end_record(dispatch::Invocation& call, Node& node, std::span<Tensor* const> outputs,
                bool is_view);

// Runs `body` with gradients disabled.
template <class Body>
void without_grad(Context& context, Body&& body) {
  const GradMode off(context, false);
  body();
}

// What the node's rule may read, for the inputs that want gradients.
tenon_vjp_need needs_of_node(const Node& node);

// Which aux outputs (bit i) the rule needs for the inputs that want gradients.
uint64_t needed_outputs(const dispatch::Invocation& call);

// Adds gradients to leaves.
void backward(Context& context, std::span<Tensor* const> roots, std::span<Tensor* const> seeds,
              uint32_t flags);
// Returns gradients for `inputs` and touches no leaf; NULL where there is none.
std::vector<Ref> gradient(Context& context, std::span<Tensor* const> roots,
                          std::span<Tensor* const> seeds, std::span<Tensor* const> inputs,
                          uint32_t flags);

}  // namespace tenon::autograd
