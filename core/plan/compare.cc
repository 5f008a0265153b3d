// SPDX-License-Identifier: Apache-2.0
// core/plan/compare.cc: TENON_CHECK=plan: each run of a plan is made twice, with memory of its own
// for each temporary and with launches that nothing needs, then as plans run, and both must leave
// the same bits.
#include <algorithm>
#include <iterator>

#include "core/plan/plan.h"

namespace tenon::plan {

namespace {

using Bytes = std::vector<char>;

// Memory that outlives a run and is written by it.
struct Part {
  Device* device;
  char* data;
  uint64_t bytes;
  std::string name;
};

std::vector<Part> parts_of(const Plan& plan) {
  std::vector<Part> parts;
  for (const auto& [storage, op] : plan.written) {
    parts.push_back({static_cast<Device*>(storage->memory), static_cast<char*>(storage->data),
                     storage->bytes, "what " + op->name + " has written"});
  }
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    if (!plan.inputs[i].written) continue;
    Storage& storage = *plan.inputs[i].tensor->storage;
    parts.push_back({static_cast<Device*>(storage.memory), static_cast<char*>(storage.data),
                     storage.bytes, "input " + std::to_string(i)});
  }
  return parts;
}

std::vector<Bytes> read(Context& context, const std::vector<Part>& parts) {
  std::vector<Bytes> values;
  for (const Part& part : parts) {
    Bytes& bytes = values.emplace_back(part.bytes);
    part.device->copy_to_host(bytes.data(), part.data, part.bytes, context.id);
  }
  return values;
}

// What memory holds before a launch writes there. They differ, so that what is read nevertheless
// shows; the first is NaN in each dtype.
constexpr char kPoisonApart = '\xff';
constexpr char kPoisonShared = '\xa5';

void fill(Context& context, Device& device, const memory::Block& block, char byte) {
  const Bytes bytes(block.capacity, byte);
  device.copy_from_host(block.data, bytes.data(), bytes.size(), context.id);
}

// What follows each temporary while it lives.
char* canary_of(const Temporaries::Arena& arena, const Temporaries::Temporary& each) {
  return arena.data() + each.life.offset + each.life.bytes - kCanaryBytes;
}

void set_canaries(Context& context, const Temporaries& temporaries, uint32_t launch) {
  const Bytes bytes(kCanaryBytes, kPoisonShared);
  for (const Temporaries::Temporary& each : temporaries.all()) {
    if (!each.used || each.life.first != launch) continue;
    const Temporaries::Arena& arena = temporaries.arenas()[each.arena];
    arena.device->copy_from_host(canary_of(arena, each), bytes.data(), kCanaryBytes, context.id);
  }
}

void check_canaries(Context& context, const Temporaries& temporaries, uint32_t launch) {
  Bytes bytes(kCanaryBytes);
  for (const Temporaries::Temporary& each : temporaries.all()) {
    if (!each.used || each.life.last != launch) continue;
    const Temporaries::Arena& arena = temporaries.arenas()[each.arena];
    arena.device->copy_to_host(bytes.data(), canary_of(arena, each), kCanaryBytes, context.id);
    if (std::ranges::count(bytes, kPoisonShared) == std::ssize(bytes)) continue;
    fail(TENON_E_CHECK,
         "the plan has written past the end of a temporary of " + std::to_string(each.bytes) +
             " bytes, which its launches " + std::to_string(each.life.first) + " to " +
             std::to_string(launch) + " use",
         "plan", "nothing written there", "other bytes",
         "run with TENON_CHECK=layout, which names the kernel");
  }
}

void compare(const std::vector<Part>& parts, const std::vector<Bytes>& apart,
             const std::vector<Bytes>& shared) {
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto [a, b] = std::mismatch(apart[i].begin(), apart[i].end(), shared[i].begin());
    if (a == apart[i].end()) continue;
    fail(TENON_E_CHECK,
         "the plan gives other bits than its launches with memory of their own: " + parts[i].name +
             " differs at byte " + std::to_string(a - apart[i].begin()),
         parts[i].name, "equal bits", "a difference",
         "a kernel reads what it has not been given, or this is a mistake of "
         "Tenon: report it with the plan's text");
  }
}

}  // namespace

void Plan::run_compared(Context& context) {
  const std::vector<Part> parts = parts_of(*this);
  const std::vector<Bytes> before = read(context, parts);
  for (const Temporaries::Arena& arena : temporaries->arenas()) {
    fill(context, *arena.device, arena.apart, kPoisonApart);
    fill(context, *arena.device, arena.memory->block, kPoisonShared);
  }
  {
    struct Apart {
      Temporaries& temporaries;
      explicit Apart(Temporaries& of) : temporaries(of) { temporaries.point_launches(true); }
      ~Apart() { temporaries.point_launches(false); }
    } apart(*temporaries);
    run_watched(context);
  }
  const std::vector<Bytes> expected = read(context, parts);
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i].device->copy_from_host(parts[i].data, before[i].data(), parts[i].bytes, context.id);
  }
  uint32_t number = 0;
  for (Launch& launch : launches) {
    if (launch.dead) continue;
    set_canaries(context, *temporaries, number);
    context.check_interrupt();
    run_launch(context, launch, number + 1);
    check_canaries(context, *temporaries, number++);
  }
  compare(parts, expected, read(context, parts));
}

}  // namespace tenon::plan
