// SPDX-License-Identifier: Apache-2.0
// core/plan/temporaries.cc: one arena on each device.
#include "core/plan/temporaries.h"

#include <algorithm>
#include <utility>

namespace tenon::plan {

namespace {

// As blocks of their own have it.
uint64_t alignment_on(const Device& device) { return device.host_memory() ? 64 : 256; }

struct ContextArenas final : Kept {
  std::vector<std::weak_ptr<ArenaMemory>> all;  // one for each device
};

std::shared_ptr<ArenaMemory> memory_of(Context& context, Device& device) {
  if (!context.arenas) context.arenas.reset(new ContextArenas);
  auto& all = static_cast<ContextArenas&>(*context.arenas).all;
  std::erase_if(all, [](const std::weak_ptr<ArenaMemory>& each) { return each.expired(); });
  for (const std::weak_ptr<ArenaMemory>& each : all) {
    std::shared_ptr<ArenaMemory> memory = each.lock();
    if (memory && &memory->device == &device) return memory;
  }
  auto made = std::make_shared<ArenaMemory>(device, context.id);
  all.push_back(made);
  return made;
}

}  // namespace

uint32_t Temporaries::arena_on(Device& device) {
  const auto known = std::ranges::find(arenas_, &device, &Arena::device);
  if (known != arenas_.end()) return static_cast<uint32_t>(known - arenas_.begin());
  arenas_.emplace_back().device = &device;
  return static_cast<uint32_t>(arenas_.size() - 1);
}

uint32_t Temporaries::add(Device& device, uint64_t bytes, const Life& life, uint64_t gap) {
  Temporary temporary;
  temporary.arena = arena_on(device);
  temporary.bytes = bytes;
  const uint64_t alignment = alignment_on(device);
  const uint64_t rounded = (bytes + alignment - 1) / alignment * alignment + gap;
  temporary.used = life.first != Life::kNever;
  temporary.life = {.bytes = rounded, .first = life.first, .last = life.last};
  Arena& arena = arenas_[temporary.arena];
  temporary.apart = arena.apart_bytes;
  arena.apart_bytes += rounded;
  temporaries_.push_back(temporary);
  return static_cast<uint32_t>(temporaries_.size() - 1);
}

Temporaries::Temporaries(Launches& launches, const Buffers& buffers,
                         const std::vector<bool>& chosen, const std::vector<Life>& lives,
                         uint64_t gap) {
  std::vector<uint32_t> numbers(buffers.size(), Buffers::kNone);
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    if (!chosen[i]) continue;
    numbers[i] = add(static_cast<Device&>(buffers.memory(i)), buffers.bytes(i), lives[i], gap);
  }
  uint32_t position = 0;
  for (Launch& launch : launches) {
    if (launch.dead && gap == 0) continue;  // it goes before the plan runs
    for (size_t i = 0; i < launch.views.size(); ++i) {
      const uint32_t buffer = launch.buffers[i];
      if (buffer == Buffers::kNone || !chosen[buffer]) continue;
      places_.push_back({&launch.views[i].data, numbers[buffer],
                         static_cast<char*>(launch.views[i].data) - buffers.data(buffer)});
    }
    Life during;
    if (!launch.dead) during = {.first = position, .last = position, .overwritten = true};
    if (launch.scratch_bytes) {
      places_.push_back(
          {&launch.scratch, add(*launch.device, launch.scratch_bytes, during, gap), 0});
    }
    if (!launch.dead) ++position;
  }
  place_all();
}

void Temporaries::place_all() {
  for (uint32_t number = 0; number < arenas_.size(); ++number) {
    std::vector<Temporary*> here;
    std::vector<Interval> lives;
    for (Temporary& each : temporaries_) {
      if (each.arena != number || !each.used) continue;
      here.push_back(&each);
      lives.push_back(each.life);
    }
    arenas_[number].least = least_bytes(lives);
    arenas_[number].bytes = place(lives);
    for (size_t i = 0; i < here.size(); ++i) here[i]->life = lives[i];
  }
}

Temporaries::~Temporaries() {
  for (Arena& arena : arenas_) arena.device->release(arena.apart);
}

void ArenaMemory::reserve(uint64_t bytes) {
  if (block.data && block.capacity >= bytes) return;
  const memory::Block larger = device.allocate(memory::CachingAllocator::exact_size(bytes));
  device.release(std::exchange(block, larger));
  ++moves;
}

void Temporaries::bind(Context& context) {
  for (Arena& arena : arenas_) {
    std::shared_ptr<ArenaMemory> memory = memory_of(context, *arena.device);
    memory->reserve(arena.bytes);
    arena.moves = memory->moves;
    arena.memory = std::move(memory);
  }
}

void Temporaries::allocate_apart() {
  for (Arena& arena : arenas_) {
    if (arena.apart.data) continue;
    arena.apart = arena.device->allocate(memory::CachingAllocator::exact_size(arena.apart_bytes));
  }
}

void Temporaries::point_launches(bool apart) noexcept {
  for (const Place& place : places_) {
    const Temporary& temporary = temporaries_[place.temporary];
    const Arena& arena = arenas_[temporary.arena];
    char* const base = apart ? static_cast<char*>(arena.apart.data) : arena.data();
    *place.address = base + (apart ? temporary.apart : temporary.life.offset) + place.byte_offset;
  }
}

}  // namespace tenon::plan
