// SPDX-License-Identifier: Apache-2.0
// sdk/tools/plan_listing.cc: reads a plan's listing: a line that says how much there is of what, a
// line for each launch, each arena with a line for each temporary in it, and what is frozen.
#include "plan_listing.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

namespace tenon::tools {
namespace {

constexpr const char* kTitle = "plan: ";
constexpr const char* kArena = "arena of ";
constexpr const char* kFrozen = "frozen: ";

class Reader {
 public:
  explicit Reader(std::istream& stream) : stream_(stream) {}

  PlanListing read() {
    next();
    size_t n_launches = 0;
    const int read = std::sscanf(line_.c_str(), "plan: %zu launches, %zu storages, %zu inputs",
                                 &n_launches, &listing_.storages, &listing_.inputs);
    if (read != 3 || line_.find(" inputs") == line_.npos) {
      refuse("\"plan: N launches, N storages, N inputs\" is expected");
    }
    while (next()) {
      if (line_.starts_with(kArena)) {
        read_arena();
      } else if (line_.starts_with(kFrozen)) {
        listing_.frozen.push_back(line_.substr(std::string(kFrozen).size()));
      } else if (line_.starts_with("  ")) {
        read_temporary(n_launches);
      } else {
        read_launch();
      }
    }
    if (listing_.launches.size() != n_launches) {
      throw Failure{"line 1 says " + std::to_string(n_launches) + " launches, the file lists " +
                    std::to_string(listing_.launches.size())};
    }
    return std::move(listing_);
  }

 private:
  bool next() {
    ++number_;
    return static_cast<bool>(std::getline(stream_, line_));
  }
  [[noreturn]] void refuse(const std::string& expected) const {
    throw Failure{"line " + std::to_string(number_) + ": " + expected + "; found \"" +
                  one_line(line_) + "\""};
  }

  // Two names, as of an op or a plugin, after the number that is due.
  void read_launch() {
    std::istringstream words(line_);
    std::string first;
    PlanListing::Launch launch;
    words >> first >> launch.op >> launch.plugin;
    const std::string due = std::to_string(listing_.launches.size());
    if (first != due || launch.op.find('.') == std::string::npos ||
        launch.plugin.find('.') == std::string::npos || !listing_.arenas.empty()) {
      refuse("launch " + due + " with its op and plugin is expected");
    }
    listing_.launches.push_back(std::move(launch));
  }

  void read_arena() {
    PlanListing::Arena arena;
    const size_t begin = std::string(kArena).size();
    const size_t end = line_.find(": ", begin);
    size_t count = 0;
    const int read =
        end == line_.npos
            ? 0
            : std::sscanf(line_.c_str() + end,
                          ": %zu bytes for %zu temporaries; %zu are in use at once, %zu in all",
                          &arena.bytes, &count, &arena.least, &arena.all);
    if (read != 4) refuse("\"arena of DEVICE: N bytes for N temporaries; ...\" is expected");
    arena.device = line_.substr(begin, end - begin);
    listing_.arenas.push_back(std::move(arena));
  }

  void read_temporary(size_t n_launches) {
    PlanListing::Temporary each;
    const int read = std::sscanf(line_.c_str(), "  launches %zu to %zu: %zu bytes at %zu",
                                 &each.first, &each.last, &each.bytes, &each.offset);
    const bool fits = read == 4 && !listing_.arenas.empty() && each.first <= each.last &&
                      each.last < n_launches && each.bytes <= listing_.arenas.back().bytes &&
                      each.offset <= listing_.arenas.back().bytes - each.bytes;
    if (!fits) refuse("\"launches N to N: N bytes at N\", inside the arena, is expected");
    listing_.arenas.back().temporaries.push_back(each);
  }

  std::istream& stream_;
  std::string line_;
  size_t number_ = 0;
  PlanListing listing_;
};

}  // namespace

Json content_of(const PlanListing& listing) {
  std::map<std::string, size_t> ops, plugins;
  for (const PlanListing::Launch& launch : listing.launches) {
    ++ops[launch.op];
    ++plugins[launch.plugin];
  }
  Json arenas = Json::array();
  for (const PlanListing::Arena& arena : listing.arenas) {
    arenas.push_back({{"device", arena.device},
                      {"bytes", arena.bytes},
                      {"in_use_at_once", arena.least},
                      {"in_all", arena.all},
                      {"temporaries", arena.temporaries.size()}});
  }
  return {{"kind", "plan"},
          {"launches", listing.launches.size()},
          {"storages", listing.storages},
          {"inputs", listing.inputs},
          {"ops", ops},
          {"plugins", plugins},
          {"arenas", arenas},
          {"frozen", listing.frozen}};
}

std::optional<PlanListing> read_plan(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string start(std::string(kTitle).size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start != kTitle) return std::nullopt;
  stream.clear();
  stream.seekg(0);
  return Reader(stream).read();
}

std::optional<Inspection> inspect_plan(const std::string& file) {
  try {
    const std::optional<PlanListing> listing = read_plan(file);
    if (!listing) return std::nullopt;
    return Inspection{content_of(*listing), {}};
  } catch (const Failure& failure) {
    return Inspection{{{"kind", "plan"}}, {failure.text}};
  }
}

}  // namespace tenon::tools
