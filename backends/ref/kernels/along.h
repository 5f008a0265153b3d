// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/along.h: indices that name places along an axis.
#pragma once

#include "kernels/rows.h"

namespace tenon::ref {

using IndexTypes = sdk::TypeList<int32_t, int64_t>;

// Calls body(place, operand) for each index in row-major order: its place in its line, and the
// operand's element at the index. `size` of the axis is for indices that count from the end.
template <class I, class Body>
void each_place(const tenon_view& indices, const Lines& lines, const sdk::Strided& operand,
                Body&& body, int64_t size = 0) {
  sdk::walk<3>(sdk::shape_of(indices), {lines.begin, sdk::strided(indices), operand},
               [&](const sdk::Run<3>& run) {
                 for (int64_t i = 0; i < run.count; ++i) {
                   const int64_t index =
                       from_front(sdk::load<I>(run.data[1] + i * run.step[1]), size);
                   char* line = run.data[0] + i * run.step[0];
                   body(line + index * lines.step, run.data[2] + i * run.step[2], run.first + i);
                 }
               });
}

}  // namespace tenon::ref
