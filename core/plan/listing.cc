// SPDX-License-Identifier: Apache-2.0
// core/plan/listing.cc: a plan as text: its launches, its memory, what it has frozen. `tenon plan`
// reads it.
#include <algorithm>

#include "core/plan/plan.h"

namespace tenon::plan {

namespace {

std::string launch_text(const Launch& launch) {
  std::string out = launch.op->name + "  " + launch.kernel->plugin->id + " ";
  for (size_t i = 0; i < launch.views.size(); ++i) {
    const tenon_view& view = launch.views[i];
    if (i == launch.slot_begin[launch.launch.n_inputs]) out += " ->";
    out += " " + tensor::dtype_text(view.dtype) + tensor::dims_text(tensor::shape_of(view));
  }
  if (!launch.scope->empty()) out += "  " + *launch.scope;
  return out + "\n";
}

std::string arena_text(const Temporaries& temporaries, uint32_t number) {
  const Temporaries::Arena& arena = temporaries.arenas()[number];
  std::string lines;
  uint64_t count = 0;
  for (const Temporaries::Temporary& each : temporaries.all()) {
    if (each.arena != number || !each.used) continue;
    ++count;
    lines += "  launches " + std::to_string(each.life.first) + " to " +
             std::to_string(each.life.last) + ": " + std::to_string(each.life.bytes) +
             " bytes at " + std::to_string(each.life.offset) + "\n";
  }
  return "arena of " + arena.device->name() + ": " + std::to_string(arena.bytes) + " bytes for " +
         std::to_string(count) + " temporaries; " + std::to_string(arena.least) +
         " are in use at once, " + std::to_string(arena.apart_bytes) + " in all\n" + lines;
}

// Layers of a kind have the same words: those are said once.
std::string frozen_text(const std::vector<Plan::Taken>& taken) {
  std::vector<std::pair<std::string, size_t>> lines;
  for (const Plan::Taken& each : taken) {
    if (!each.source->is_listed) continue;
    for (const auto& [name, value] : each.values) {
      std::string line = name + " = " + value;
      const auto known = std::ranges::find(lines, line, &std::pair<std::string, size_t>::first);
      if (known == lines.end()) {
        lines.emplace_back(std::move(line), 1);
      } else {
        ++known->second;
      }
    }
  }
  std::string out;
  for (const auto& [line, count] : lines) {
    out += "frozen: " + line;
    if (count > 1) out += " (" + std::to_string(count) + " times)";
    out += "\n";
  }
  return out;
}

}  // namespace

std::string Plan::text() const {
  const auto living = std::ranges::count(launches, false, &Launch::dead);
  std::string out = "plan: " + std::to_string(living) + " launches, " +
                    std::to_string(storages.size()) + " storages, " +
                    std::to_string(inputs.size()) + " inputs" +
                    (graph_ ? ", " + graph_->state() : "") + "\n";
  size_t number = 0;
  for (const Launch& launch : launches) {
    if (!launch.dead) out += std::to_string(number++) + "  " + launch_text(launch);
  }
  for (uint32_t i = 0; i < temporaries->arenas().size(); ++i) out += arena_text(*temporaries, i);
  return out + frozen_text(taken);
}

}  // namespace tenon::plan
