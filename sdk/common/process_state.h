// SPDX-License-Identifier: Apache-2.0
// sdk/common/process_state.h: what belongs to a whole process, and what a plugin may neither change
// nor keep.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tenon::tools {

struct ProcessState {
  std::string folder;  // current directory
  std::string locale;
  unsigned file_mask = 0;
  int rounding = 0;                      // of the C library's fegetround
  uint64_t float_control = 0;            // the machine's register, without its status bits
  std::array<uintptr_t, 65> handlers{};  // of signals, by number
};

// Of this process and, for floating point, this thread.
ProcessState process_state();

// "changed the current directory from \"/a\" to \"/b\"", for each difference.
std::vector<std::string> changes(const ProcessState& before, const ProcessState& after);

// What is held now.
struct Held {
  std::vector<std::string> files;  // targets of open file descriptors, sorted
  int64_t threads = 0;
  int64_t heap_bytes = 0;
  int64_t resident_bytes = 0;  // -1 where a sanitizer makes the number meaningless
};
Held held_now();

// Held now, after waiting up to a second for threads that are ending to be gone.
Held held_after(const Held& before);

// Targets of file descriptors in `after` that are not in `before`.
std::vector<std::string> new_files(const Held& before, const Held& after);

}  // namespace tenon::tools
