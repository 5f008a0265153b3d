// SPDX-License-Identifier: Apache-2.0
// core/processes/sums.h: rows, and their sums in a fixed order.
#pragma once

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

}  // namespace tenon::processes
