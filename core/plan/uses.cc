// SPDX-License-Identifier: Apache-2.0
// core/plan/uses.cc: which launches of a capture use which memory, and what for.
#include "core/plan/uses.h"

#include <algorithm>

namespace tenon::plan {

namespace {

bool is_whole(const tenon_view& view, const char* data, uint64_t bytes) {
  const tensor::DimSpan shape = tensor::shape_of(view);
  const tensor::DimSpan strides = tensor::strides_of(view);
  const auto elements = static_cast<uint64_t>(tensor::count(shape));
  return view.data == data && elements * tensor::size_of(view.dtype) == bytes &&
         tensor::is_dense(shape, strides);
}

}  // namespace

std::vector<Use> uses_of(const Launch& launch, const Buffers& buffers) {
  std::vector<Use> uses;
  for (uint32_t slot = 0; slot < launch.launch.n_slots; ++slot) {
    const uint32_t role = launch.kernel->desc.slots[slot].role;
    for (uint32_t i = launch.slot_begin[slot]; i < launch.slot_begin[slot + 1]; ++i) {
      const uint32_t buffer = launch.buffers[i];
      if (buffer == Buffers::kNone) continue;
      const bool out = role == TENON_SLOT_OUT;
      uses.push_back({.buffer = buffer,
                      .reads = !out,
                      .writes = role != TENON_SLOT_IN,
                      .overwrites = out && is_whole(launch.views[i], buffers.data(buffer),
                                                    buffers.bytes(buffer))});
    }
  }
  std::ranges::stable_sort(uses, {}, &Use::buffer);
  size_t n = 0;
  for (const Use& use : uses) {
    if (n == 0 || uses[n - 1].buffer != use.buffer) {
      uses[n++] = use;
      continue;
    }
    Use& merged = uses[n - 1];
    merged.reads = merged.reads || use.reads;
    merged.writes = merged.writes || use.writes;
    merged.overwrites = merged.overwrites || use.overwrites;
  }
  uses.resize(n);
  for (Use& use : uses) use.overwrites = use.overwrites && !use.reads;
  return uses;
}

AllUses all_uses_of(const Launches& launches, const Buffers& buffers) {
  AllUses all;
  all.reserve(launches.size());
  for (const Launch& launch : launches) all.push_back(uses_of(launch, buffers));
  return all;
}

std::vector<Life> lives_of(const Launches& launches, const AllUses& all, size_t n_buffers) {
  std::vector<Life> lives(n_buffers);
  uint32_t number = 0;
  auto uses = all.begin();
  for (const Launch& launch : launches) {
    const std::vector<Use>& here = *uses++;
    if (launch.dead) continue;
    for (const Use& use : here) {
      Life& life = lives[use.buffer];
      if (life.first == Life::kNever) {
        life.first = number;
        life.overwritten = use.overwrites;
      }
      life.last = number;
    }
    ++number;
  }
  return lives;
}

void mark_dead(Launches& launches, const AllUses& all, const std::vector<bool>& temporary) {
  std::vector<bool> needed(temporary.size(), false);
  auto next = all.rbegin();
  for (auto launch = launches.rbegin(); launch != launches.rend(); ++launch) {
    const std::vector<Use>& uses = *next++;
    bool writes = false;
    bool lives = false;
    for (const Use& use : uses) {
      if (!use.writes) continue;
      writes = true;
      lives = lives || !temporary[use.buffer] || needed[use.buffer];
    }
    launch->dead = writes && !lives && !launch->op->has(TENON_OP_EFFECT);
    if (launch->dead) continue;
    for (const Use& use : uses) {
      if (use.overwrites) needed[use.buffer] = false;
      if (use.reads) needed[use.buffer] = true;
    }
  }
}

}  // namespace tenon::plan
