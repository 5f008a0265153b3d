// SPDX-License-Identifier: Apache-2.0
// core/autograd/engine.h: recording a call, and the backward walk.
#pragma once

#include <memory>
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

// Does any tensor operand want a gradient, with grad enabled? Reads call.rule.
bool wants_recording(const dispatch::Invocation& call);

// Counts one user of a signature; owner thread only.
struct SignatureEnd {
  void operator()(Signature* of) const noexcept { of->release(); }
};
using SignatureRef = std::unique_ptr<Signature, SignatureEnd>;

// What calls like this one record. `call.rule` may be NULL: backward then fails with the op's name.
[[gnu::cold]] SignatureRef make_signature(const dispatch::Invocation& call);

// One call's node from before its kernel runs until its outputs hold it. Destroys a node that never
// got an output. Without begin() the others do nothing.
class Recording {
 public:
  Recording() = default;
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Makes the node, with its edges and saved inputs: an in-place kernel overwrites what the edges
  // are read from. Throws GRAPH_OWNER.
  void begin(Context& context, Signature& of, std::span<const dispatch::Given> operands);
  // Saves `outputs` (NULL where unwanted) and makes all that end() needs, because what the kernel
  // writes cannot be undone.
  void reserve(std::span<Tensor* const> outputs);
  // After the kernel: attaches the node to the same outputs.
  void end(std::span<Tensor* const> outputs, bool is_view) noexcept;

 private:
  Node* node_ = nullptr;
  Link* links_ = nullptr;  // of the outputs, in order; linked through next_dropped
};

// Runs `body` with gradients disabled.
template <class Body>
void without_grad(Context& context, Body&& body) {
  const GradMode off(context, false);
  body();
}

// Throws TENON_E_STATE in inference mode.
void refuse_inference(const Context& context);

// Adds gradients to leaves.
void backward(Context& context, std::span<Tensor* const> roots, std::span<Tensor* const> seeds,
              uint32_t flags);
// Returns gradients for `inputs` and touches no leaf; NULL where there is none.
std::vector<Ref> gradient(Context& context, std::span<Tensor* const> roots,
                          std::span<Tensor* const> seeds, std::span<Tensor* const> inputs,
                          uint32_t flags);

}  // namespace tenon::autograd
