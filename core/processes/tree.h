// SPDX-License-Identifier: Apache-2.0
// core/processes/tree.h: terms that come one after the other, added by the tree over them:
// neighbours first. What sums.h does for rows that are there together.
#pragma once

#include <vector>

#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::processes {

class Tree {
 public:
  // The tree may write to `term`, or gives it back as the sum, only if nobody else has it.
  void add(Context& context, tensor::Ref term);
  // The sum of the terms, which are dropped. Empty if there was none.
  tensor::Ref take(Context& context);
  bool empty() const { return levels_.empty(); }
  void clear() { levels_.clear(); }

 private:
  std::vector<tensor::Ref> levels_;  // [l] the sum of 2^l terms that no neighbour has joined yet
};

}  // namespace tenon::processes
