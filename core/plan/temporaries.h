// SPDX-License-Identifier: Apache-2.0
// core/plan/temporaries.h: memory that only the launches of one run of a plan need: one arena on
// each device, in which those share bytes that are not in use at one time.
#pragma once

#include <vector>

#include "core/plan/arena.h"
#include "core/plan/uses.h"
#include "core/runtime/device.h"

namespace tenon::plan {

// Between them under TENON_CHECK=plan; nobody writes there.
inline constexpr uint64_t kCanaryBytes = 64;

class Temporaries {
 public:
  struct Arena {
    Device* device;
    uint64_t bytes = 0;
    uint64_t least = 0;  // no arrangement needs fewer bytes
    memory::Block block{};
    memory::Block apart{};  // memory for each temporary alone, for TENON_CHECK=plan
    uint64_t apart_bytes = 0;
  };
  struct Temporary {
    Interval life;
    uint32_t arena = 0;
    uint64_t bytes = 0;  // as the step asked for them
    uint64_t apart = 0;  // its offset in memory where none shares bytes
    bool used = false;   // by a launch that is not dead
  };

  Temporaries() = default;
  // `chosen`: which buffers are temporaries; `gap`: bytes after each that nobody uses.
  [[gnu::cold]] Temporaries(Launches& launches, const Buffers& buffers,
                            const std::vector<bool>& chosen, uint64_t gap);
  [[gnu::cold]] ~Temporaries();
  Temporaries(const Temporaries&) = delete;
  Temporaries& operator=(const Temporaries&) = delete;

  // Throws OutOfMemory; nothing has changed then.
  [[gnu::cold]] void allocate();
  [[gnu::cold]] void allocate_apart();
  // Launches get the addresses.
  [[gnu::cold]] void point_launches(bool apart) noexcept;

  const std::vector<Arena>& arenas() const { return arenas_; }
  const std::vector<Temporary>& all() const { return temporaries_; }

 private:
  struct Place {
    tenon_view* view;
    uint32_t temporary;
    int64_t byte_offset;
  };
  uint32_t arena_on(Device& device);
  void place_all();

  std::vector<Arena> arenas_;
  std::vector<Temporary> temporaries_;
  std::vector<Place> places_;
};

}  // namespace tenon::plan
