// SPDX-License-Identifier: Apache-2.0
// core/runtime/deciders.cc: the list that a runtime keeps of them.
#include "core/runtime/deciders.h"

#include <algorithm>

#include "core/runtime/runtime.h"

namespace tenon {

namespace {

struct Deciders final : Kept {
  static Deciders& of(Runtime& runtime) {
    static std::mutex making;
    const std::lock_guard lock(making);
    if (!runtime.deciders) runtime.deciders.reset(new Deciders);
    return static_cast<Deciders&>(*runtime.deciders);
  }

  std::mutex mutex;                                      // guards what follows
  std::vector<std::pair<uint64_t, const Decider*>> all;  // with the number of the context
};

}  // namespace

void Decider::enlist(Context& context) {
  Deciders& deciders = Deciders::of(*context.runtime);
  const std::lock_guard lock(deciders.mutex);
  deciders.all.emplace_back(context.id, this);
  known_to_ = context.runtime;
}

void Decider::delist() noexcept {
  if (!known_to_) return;
  Deciders& deciders = Deciders::of(*known_to_);
  const std::lock_guard lock(deciders.mutex);
  std::erase_if(deciders.all, [&](const auto& each) { return each.second == this; });
}

void tell_deciders(const Context& context, const SharedStep& step, std::string& lines) {
  Deciders& deciders = Deciders::of(*context.runtime);
  std::vector<std::string> told;
  {
    const std::lock_guard lock(deciders.mutex);
    for (const auto& [made_with, decider] : deciders.all) {
      if (made_with != context.id) continue;
      decider->tell(step, told.emplace_back());
    }
  }
  std::ranges::sort(told);
  for (const std::string& each : told) lines += each;
}

}  // namespace tenon
