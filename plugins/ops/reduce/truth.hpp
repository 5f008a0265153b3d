// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/truth.hpp: what any and all share: a reduction of truth values by max or min.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// `op` over x as truth values; `of_nothing` where there are none.
inline void compose_truth(sdk::Compose& c, std::string_view op, bool of_nothing) {
  sdk::Value x = c.in(0);
  const tenon_meta meta = c.meta(x.tensor());
  const auto shape = shape_of(meta);
  if (reduced_count(shape, c.attrs[0]) == 0) {
    const auto reduced = reduced_axes(c.attrs[0], shape.size());
    Dims result;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (!reduced[i]) result.push(shape[i]);
      if (reduced[i] && c.attrs.flag(1)) result.push(1);
    }
    c.set(0, c.call("tenon.full", {},
                    {result.value(), of_nothing, sdk::Value::dtype(TENON_DTYPE_BOOL)}));
    return;
  }
  if (meta.dtype != TENON_DTYPE_BOOL) {
    x = c.call("tenon.cast", {x}, {sdk::Value::dtype(TENON_DTYPE_BOOL)});
  }
  c.set(0, c.call(op, {x}, {c.attrs[0], c.attrs[1]}));
}

}  // namespace tenon::rules
