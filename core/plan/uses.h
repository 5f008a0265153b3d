// SPDX-License-Identifier: Apache-2.0
// core/plan/uses.h: which launches of a capture use which memory, and what for.
#pragma once

#include <list>
#include <vector>

#include "core/launch/block.h"
#include "core/plan/buffers.h"

namespace tenon::plan {

using launch::Launch;
using Launches = std::list<Launch>;

// What one launch does to one buffer.
struct Use {
  uint32_t buffer = 0;
  bool reads = false;       // something that was there before
  bool writes = false;      // something
  bool overwrites = false;  // all of it, and reads nothing
};

// Each buffer once.
[[gnu::cold]] std::vector<Use> uses_of(const Launch& launch, const Buffers& buffers);

// Of each launch, in order.
using AllUses = std::vector<std::vector<Use>>;
[[gnu::cold]] AllUses all_uses_of(const Launches& launches, const Buffers& buffers);

// From the first launch that uses a buffer to the last one.
struct Life {
  static constexpr uint32_t kNever = UINT32_MAX;
  uint32_t first = kNever;
  uint32_t last = 0;
  bool overwritten = false;  // by the first one
};

// For each buffer. Launches that are dead do not count, nor in the numbers.
[[gnu::cold]] std::vector<Life> lives_of(const Launches& launches, const AllUses& all,
                                         size_t n_buffers);

// Marks as dead what only makes temporaries that no other launch needs.
[[gnu::cold]] void mark_dead(Launches& launches, const AllUses& all,
                             const std::vector<bool>& temporary);

}  // namespace tenon::plan
