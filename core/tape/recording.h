// SPDX-License-Identifier: Apache-2.0
// core/tape/recording.h: one node for one recorded call.
#pragma once

#include <memory>
#include <span>

#include "core/tape/graph.h"

namespace tenon::tape {

// One operand of a call, borrowed. The number is set if the tensor is NULL.
struct Operand {
  Tensor* tensor;
  const tenon_value* number;
};

// Counts one user of a signature; owner thread only.
struct SignatureEnd {
  void operator()(Signature* of) const noexcept { of->release(); }
};
using SignatureRef = std::unique_ptr<Signature, SignatureEnd>;

// One call's node from before its kernel runs until its outputs hold it. Destroys a node that never
// got an output. Without begin() the others do nothing.
class Recording : NoCopy {
 public:
  Recording() = default;
  ~Recording();

  // Makes the node, with its edges and saved inputs: an in-place kernel overwrites what the edges
  // are read from. Throws GRAPH_OWNER.
  void begin(Context& context, Signature& of, std::span<const Operand> operands);
  // Saves `outputs` (NULL if unwanted) and makes all that end() needs, because what the kernel
  // writes cannot be undone.
  void reserve(std::span<Tensor* const> outputs);
  // After the kernel: attaches the node to the same outputs.
  void end(std::span<Tensor* const> outputs, bool is_view) noexcept;

 private:
  Node* node_ = nullptr;
  Link* links_ = nullptr;  // of the outputs, in order; linked through next_dropped
};

}  // namespace tenon::tape
