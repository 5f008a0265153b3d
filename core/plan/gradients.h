// SPDX-License-Identifier: Apache-2.0
// core/plan/gradients.h: what a captured step does to the gradients of leaves. They are state
// between steps, not results: a run finds them as an eager step would, and leaves them so.
#pragma once

#include "core/backward/vjp.h"
#include "core/plan/uses.h"
#include "core/tape/graph.h"

namespace tenon::plan {

using tensor::Ref;
using tensor::Tensor;

// One leaf's gradient from the first time that the step needs or changes it. Plain assignments, so
// that they may follow what can fail.
struct LeafState {
  static constexpr size_t kNoInput = SIZE_MAX;

  Ref leaf;
  size_t input = kNoInput;  // a leaf that is this input: a run means what is bound to it then
  bool met = false;
  bool replaced = false;  // given up or set before anything needed it
  bool adds = false;      // the first thing is an addition, for which none is as good as zeros
  bool rows = false;      // that addition is one of rows alone
  Ref begin;  // where launches look for what is there when a run begins; or there is none
  Ref end;    // what is there when it ends
  Ref given;  // a copy of it, which the capture has left to a leaf that is an input
  // While it is captured: the gradient that was made because there was none, by the launches up to
  // this one.
  Ref made;
  Launches::iterator maker;

  void needs(const tape::Link& link, bool to_add) noexcept {
    if (met) return;
    met = true;
    adds = to_add;
    begin = link.grad;
  }
  void adds_rows_to(const Ref& sum) noexcept {
    rows = true;
    begin = sum;
  }
  void replaces() noexcept {
    replaced = replaced || !met;
    met = true;
  }
  void makes(const tape::Link& link, Launches::iterator last) noexcept {
    if (begin || replaced || made || !adds) return;
    made = link.grad;
    maker = last;
  }
};

// The one number that changes no sum, not even the sign of a zero. Rows are added to zeros, eagerly
// too, and what they leave out is one.
inline tenon_value nothing_to_add(bool rows) { return registry::float_value(rows ? 0.0 : -0.0); }

// What a leaf holds just now.
struct Held {
  Held() = default;
  explicit Held(tape::Link& link) {
    const std::lock_guard lock(link.mutex);
    grad = link.grad;
    rows = {link.row_indices, link.row_values};
  }
  bool any() const { return grad || rows.indices; }
  Ref grad;
  backward::RowGrad rows;
};

}  // namespace tenon::plan
