// SPDX-License-Identifier: Apache-2.0
// sdk/tools/machine.h: what `tenon doctor` knows of this process and machine: libraries that are
// loaded twice in kind, CPU features, thread counts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program.h"

namespace tenon::tools {

// One thing that is wrong, and one line of what to do.
struct Finding {
  std::string about;
  std::string problem;
  std::string advice;
};

// A loaded library of a kind of which a process should have one.
struct LoadedRuntime {
  std::string family;  // "GNU OpenMP", "OpenBLAS"
  std::string path;
};

struct Machine {
  std::string architecture;               // "x86-64"
  std::vector<std::string> cpu_features;  // of this machine, by the names manifests use
  std::vector<std::string> built_for;     // features Tenon's own code was compiled for
  std::vector<LoadedRuntime> openmp, blas;
  std::vector<std::pair<std::string, std::string>> variables;  // set ones that count threads
  size_t threads = 0;                                          // Tenon's compute threads
  size_t available_cpus = 0;                                   // by affinity and cgroup
};

// Reads the state of this process: call it after plugins were opened. `environment` is the answer
// to the topic of that name.
Machine look_at_machine(const Json& environment);

void look_for_problems(const Machine& machine, std::vector<Finding>& findings);
Json json_of(const Machine& machine);
// Lines for people, indented by two, from json_of.
std::string machine_text(const Json& machine);

// Those of a manifest's `requires.libraries` that the system's loader does not find. Loads them.
std::vector<std::string> missing_libraries(const Json& names);

}  // namespace tenon::tools
