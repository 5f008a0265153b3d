// SPDX-License-Identifier: Apache-2.0
// core/plan/compare.cc: TENON_CHECK=plan.
#include "core/plan/compare.h"

#include <algorithm>
#include <cstring>
#include <iterator>

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
class Canaries {
 public:
  Canaries(Context& context, const Temporaries& temporaries)
      : context_(context), temporaries_(temporaries) {}

  void set(uint32_t launch) const {
    const Bytes bytes(kCanaryBytes, kPoisonShared);
    for (const Temporaries::Temporary& each : temporaries_.all()) {
      if (!each.used || each.life.first != launch) continue;
      const Temporaries::Arena& arena = temporaries_.arenas()[each.arena];
      arena.device->copy_from_host(place(each), bytes.data(), kCanaryBytes, context_.id);
    }
  }

  void check(uint32_t launch) const {
    Bytes bytes(kCanaryBytes);
    for (const Temporaries::Temporary& each : temporaries_.all()) {
      if (!each.used || each.life.last != launch) continue;
      const Temporaries::Arena& arena = temporaries_.arenas()[each.arena];
      arena.device->copy_to_host(bytes.data(), place(each), kCanaryBytes, context_.id);
      if (std::all_of(bytes.begin(), bytes.end(), [](char b) { return b == kPoisonShared; }))
        continue;
      fail(TENON_E_CHECK,
           "the plan has written past the end of a temporary of " + std::to_string(each.bytes) +
               " bytes, which its launches " + std::to_string(each.life.first) + " to " +
               std::to_string(launch) + " use",
           "plan", "nothing written there", "other bytes",
           "run with TENON_CHECK=layout, which names the kernel");
    }
  }

 private:
  char* place(const Temporaries::Temporary& each) const {
    return temporaries_.arenas()[each.arena].data() + each.life.offset + each.life.bytes -
           kCanaryBytes;
  }
  Context& context_;
  const Temporaries& temporaries_;
};

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

void run_compared(Context& context, Plan& plan, const RunLaunch& run) {
  Temporaries& temporaries = *plan.temporaries;
  const std::vector<Part> parts = parts_of(plan);
  const std::vector<Bytes> before = read(context, parts);
  for (const Temporaries::Arena& arena : temporaries.arenas()) {
    fill(context, *arena.device, arena.apart, kPoisonApart);
    fill(context, *arena.device, arena.memory->block, kPoisonShared);
  }
  {
    struct Apart {
      Temporaries& temporaries;
      explicit Apart(Temporaries& of) : temporaries(of) { temporaries.point_launches(true); }
      ~Apart() { temporaries.point_launches(false); }
    } apart(temporaries);
    uint64_t position = 0;
    for (Launch& launch : plan.launches) run(launch, ++position);
  }
  const std::vector<Bytes> expected = read(context, parts);
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i].device->copy_from_host(parts[i].data, before[i].data(), parts[i].bytes, context.id);
  }
  const Canaries canaries(context, temporaries);
  uint32_t number = 0;
  for (Launch& launch : plan.launches) {
    if (launch.dead) continue;
    canaries.set(number);
    run(launch, number + 1);
    canaries.check(number++);
  }
  compare(parts, expected, read(context, parts));
}

}  // namespace tenon::plan
