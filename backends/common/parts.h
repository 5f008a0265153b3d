// SPDX-License-Identifier: Apache-2.0
// backends/common/parts.h: concat and slice_put in host memory: tensors that are put into a larger
// one. How elements are copied is each backend's own.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>

namespace tenon::backends {

// Calls copy(to, x) for each input of concat: x goes to `to`.
template <class Copy>
void concat_with(const sdk::Launch& l, const Copy& copy) {
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), l.out().rank, "axis"));
  sdk::Strided to = sdk::strided(l.out());
  for (uint32_t item = 0; item < l.count(0); ++item) {
    const tenon_view& x = l.view(0, item);
    copy(to, x);
    to.data += x.shape[axis] * to.step[axis];
  }
}

enum SlicePut : uint32_t { kShape, kAxis, kStart, kStep, kSlicePutAttributes };

// Calls clear(out) and then copy(to, dy): dy goes to start, start + step, ... along the axis. The
// op's shape rule has checked that these places are there.
template <class Clear, class Copy>
void slice_put_with(const sdk::Launch& l, const Clear& clear, const Copy& copy) {
  const tenon_view& dy = l.view(0);
  const tenon_view& out = l.out();
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(kAxis), out.rank, "axis"));
  sdk::Strided to = sdk::strided(out);
  clear(to);
  if (dy.shape[axis] == 0) return;
  to.data += l.attrs.integer(kStart) * to.step[axis];
  to.step[axis] *= l.attrs.integer(kStep);
  copy(to, dy);
}

}  // namespace tenon::backends
