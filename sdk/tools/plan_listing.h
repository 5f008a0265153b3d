// SPDX-License-Identifier: Apache-2.0
// sdk/tools/plan_listing.h: the listing of a plan in a file: what tenon_plan_get_text gave.
#pragma once

#include <vector>

#include "known_files.h"

namespace tenon::tools {

struct PlanListing {
  struct Launch {
    std::string op;
    std::string plugin;
  };
  // Memory of an arena, from one launch to another.
  struct Temporary {
    size_t first = 0, last = 0, bytes = 0, offset = 0;
  };
  struct Arena {
    std::string device;
    size_t bytes = 0;
    size_t least = 0;  // in use at once
    size_t all = 0;    // without sharing
    std::vector<Temporary> temporaries;
  };
  size_t storages = 0, inputs = 0;
  std::vector<Launch> launches;
  std::vector<Arena> arenas;
  std::vector<std::string> frozen;
};

// Throws Failure{"line N: ..."}; nothing if the file does not begin as a listing does.
std::optional<PlanListing> read_plan(const std::string& file);

// As JSON: launches, ops, plugins, arenas, what is frozen.
Json content_of(const PlanListing& listing);

std::optional<Inspection> inspect_plan(const std::string& file);

// Its arenas as SVG: launches from left to right, addresses upwards, one box a temporary.
std::string draw_plan(const PlanListing& listing);

}  // namespace tenon::tools
