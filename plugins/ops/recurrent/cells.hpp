// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/cells.hpp: what the cells share, which are layers over sequences of one
// step.
#pragma once

#include "recurrent/steps.hpp"

namespace tenon::recurrent {

inline Sizes check_cell(const sdk::Args& args, uint32_t w_ih, const Slots& slots,
                        int64_t per_unit) {
  rules::need_rank(args, 0, "x", 2, "[B,I]");
  const Sizes sizes = check_operands(args, slots, args.shape(0)[0], per_unit);
  check_input_weight(args, w_ih, sizes);
  return sizes;
}

inline tenon_tensor* one_step(sdk::Calls& calls, sdk::Value x) {
  const int64_t first = 0;
  return calls.call("tenon.unsqueeze", {x}, {std::span(&first, 1)});
}

}  // namespace tenon::recurrent
