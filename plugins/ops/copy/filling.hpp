// SPDX-License-Identifier: Apache-2.0
// plugins/ops/copy/filling.hpp: one value everywhere.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// `value` in the shape and dtype given, as a view of one element where the caller runs.
inline tenon_tensor* filled(sdk::Calls& calls, const Dims& shape, const tenon_value& value,
                            tenon_dtype dtype) {
  tenon_tensor* const one =
      calls.call("tenon.full", {}, {Dims().value(), value, sdk::Value::dtype(dtype)});
  return expand(calls, one, shape);
}

}  // namespace tenon::rules
