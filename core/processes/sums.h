// SPDX-License-Identifier: Apache-2.0
// core/processes/sums.h: rows, and sums in a fixed order.
#pragma once

#include <vector>

#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon::processes {

// Row 0 of parts [n, ...], row-major, becomes the sum of all rows by the tree of
// tenon/ext/draft/processes.h: neighbours first. Other rows are lost.
void sum_rows(Context& context, tensor::Tensor& parts);

// Windows on the same memory: row `row` of [n, ...], `count` rows from `begin` on, and a vector
// without gaps as equal rows.
tensor::Ref row_of(const tensor::Tensor& tensor, int64_t row);
tensor::Ref rows_between(const tensor::Tensor& tensor, int64_t begin, int64_t count);
tensor::Ref as_rows(const tensor::Tensor& tensor, int64_t rows);

// Terms that come one after the other, added by the tree over them: neighbours first. What sum_rows
// does for rows that are there together.
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
