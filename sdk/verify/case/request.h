// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/request.h: what `tenon verify` is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tenon/sdk/plugin/draw.hpp>
#include <vector>

#include "program.h"

namespace tenon::verify {

using tools::Failure;
using tools::Json;
using tools::Options;

// How much is run. A level holds all of the levels below it.
inline constexpr int kSmoke = 0;   // every sample once; seconds
inline constexpr int kValues = 1;  // values, layouts, gradients of both orders; 2 minutes
inline constexpr int kMatrix = 2;  // every dtype, layout tuple and form; 10 minutes on 2 cores
inline constexpr int kSoak = 3;    // failing allocations, threads, huge sizes; 90 minutes

struct Request {
  std::vector<std::string> plugins;  // ids, plugin folders or libraries; empty: all that are found
  int level = kValues;
  std::vector<std::string> ops;  // names, "tenon.add", or with a final '*'; empty: all
  uint64_t seed = sdk::kDrawSeed;
  std::string json_file;             // also write the JSON report here; empty: nowhere
  std::vector<std::string> goldens;  // folders of golden files, searched before the installed ones
  std::string only_case;             // the text of one case; nothing else is run
  double seconds = 0;                // a step without progress for so long is killed; 0: by level
  int jobs = 0;                      // child processes at a time; 0: as many as CPUs may be used
  bool json = false;                 // print the JSON report instead of text
  bool strict = false;               // what has no witness is a failure
  bool matrix = false;               // print both tables of cases, however wide they are
};

}  // namespace tenon::verify
