// SPDX-License-Identifier: Apache-2.0
// core/processes/tree.cc: a sum of terms that come one by one.
#include "core/processes/tree.h"

#include "core/backward/walk.h"
#include "core/dispatch/roles.h"
#include "core/launch/moves.h"

namespace tenon::processes {

using tensor::Ref;

namespace {

Ref ours(Context& context, Ref term) {
  if (backward::only_ours(context, *term)) return term;
  return Ref(launch::copy(context, *term));
}

}  // namespace

void Tree::add(Context& context, Ref term) {
  const GradMode off(context, false);
  for (Ref& level : levels_) {
    if (!level) {
      level = ours(context, std::move(term));
      return;
    }
    Ref sum = std::move(level);
    dispatch::add_into(context, *sum, *term);
    term = std::move(sum);
  }
  levels_.push_back(ours(context, std::move(term)));
}

Ref Tree::take(Context& context) {
  const GradMode off(context, false);
  Ref sum;
  for (Ref& level : levels_) {
    if (!level) continue;
    if (sum) dispatch::add_into(context, *level, *sum);
    sum = std::move(level);
  }
  levels_.clear();
  return sum;
}

}  // namespace tenon::processes
