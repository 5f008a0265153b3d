// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/rows.hpp: what rows_add and rows_put share.
#pragma once

#include <algorithm>

#include "rules.hpp"

namespace tenon::rules {

// Operands x, indices, values. Nothing to infer; the sizes that the schema's letters do not tie
// together are compared.
inline void infer_rows(const sdk::Args& args, std::span<tenon_meta>) {
  need_rank(args, 1, "indices", 1, "[R]");
  const std::span<const int64_t> x = args.shape(0);
  const std::span<const int64_t> values = args.shape(2);
  if (values.empty() || !std::equal(x.begin() + 1, x.end(), values.begin() + 1, values.end())) {
    Dims expected(x);
    expected[0] = args.shape(1)[0];
    throw sdk::Failure{TENON_E_SHAPE, "the rows of values differ from the rows of x", "values",
                       sdk::shape_text(expected.span()), sdk::shape_text(values)};
  }
}

}  // namespace tenon::rules
