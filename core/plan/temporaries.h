// SPDX-License-Identifier: Apache-2.0
// core/plan/temporaries.h: memory that only the launches of one run of a plan need, scratch of
// kernels too: one arena on each device, in which those share bytes that are not in use at one
// time.
#pragma once

#include <memory>
#include <vector>

#include "core/plan/arena.h"
#include "core/plan/uses.h"
#include "core/runtime/context.h"
#include "core/runtime/device.h"

namespace tenon::plan {

// Between them under TENON_CHECK=plan; nobody writes there.
inline constexpr uint64_t kCanaryBytes = 64;

// The memory of arenas on one device, which the plans of one context share: one of them runs at a
// time. It goes with the last of them.
struct ArenaMemory : NoCopy {
  ArenaMemory(Device& on, uint64_t context_id) : device(on), context(context_id) {}
  ~ArenaMemory() { device.release(block); }
  // Has at least so many bytes then, perhaps elsewhere. Throws OutOfMemory; nothing has changed
  // then.
  [[gnu::cold]] void reserve(uint64_t bytes);

  Device& device;
  const uint64_t context;
  memory::Block block{};
  uint64_t moves = 0;  // how often it has got another block
};

class Temporaries : NoCopy {
 public:
  struct Arena {
    Device* device = nullptr;
    uint64_t bytes = 0;
    uint64_t least = 0;  // no arrangement needs fewer bytes
    std::shared_ptr<ArenaMemory> memory;
    uint64_t moves = 0;     // of the memory, when the launches got its addresses
    memory::Block apart{};  // memory for each temporary alone, for TENON_CHECK=plan
    uint64_t apart_bytes = 0;
    char* data() const { return static_cast<char*>(memory->block.data); }
  };
  struct Temporary {
    Interval life;
    uint32_t arena = 0;
    uint64_t bytes = 0;  // as the step asked for them
    uint64_t apart = 0;  // its offset in memory where none shares bytes
    bool used = false;   // by a launch that is not dead
  };

  // `chosen`: which buffers are temporaries; `lives`: of each buffer; `gap`: bytes after each
  // temporary that nobody uses.
  [[gnu::cold]] Temporaries(Launches& launches, const Buffers& buffers,
                            const std::vector<bool>& chosen, const std::vector<Life>& lives,
                            uint64_t gap);
  [[gnu::cold]] ~Temporaries();

  // Are launches in the memory that the context's plans share just now?
  bool are_bound(const Context& context) const {
    for (const Arena& arena : arenas_) {
      const ArenaMemory* const memory = arena.memory.get();
      if (!memory || memory->context != context.id || memory->moves != arena.moves) return false;
    }
    return true;
  }
  // Takes memory of the context's. Throws OutOfMemory.
  [[gnu::cold]] void bind(Context& context);
  [[gnu::cold]] void allocate_apart();
  // Launches get the addresses.
  [[gnu::cold]] void point_launches(bool apart) noexcept;

  const std::vector<Arena>& arenas() const { return arenas_; }
  const std::vector<Temporary>& all() const { return temporaries_; }

 private:
  struct Place {
    void** address;
    uint32_t temporary;
    int64_t byte_offset;
  };
  uint32_t arena_on(Device& device);
  uint32_t add(Device& device, uint64_t bytes, const Life& life, uint64_t gap);
  void place_all();

  std::vector<Arena> arenas_;
  std::vector<Temporary> temporaries_;
  std::vector<Place> places_;
};

}  // namespace tenon::plan
