// SPDX-License-Identifier: Apache-2.0
// sdk/common/child_process.h: this program again, in a process that may do what it likes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program.h"

namespace tenon::tools {

// Where the child writes its lines.
inline constexpr int kReportDescriptor = 3;
// Where it finds the file of ChildExtras.
inline constexpr int kSharedDescriptor = 4;

struct ChildExtras {
  int shared = -1;                     // an open file the child gets as well
  std::function<uint64_t()> progress;  // other numbers than before are signs of life too
};

struct ChildEnd {
  int status = 0;        // as of waitpid
  bool stopped = false;  // it was silent for too long and was killed
  std::string out, err;  // the beginning of what it printed
  size_t out_bytes = 0, err_bytes = 0;
};

// Runs this executable with `arguments`; stdin is empty. Each line the child writes to
// kReportDescriptor goes to `take`; one that gives no sign of life for `seconds` is killed, with
// every process of its group. Throws Failure if it cannot be started.
ChildEnd run_child(const std::vector<std::string>& arguments, double seconds,
                   const std::function<void(const std::string& line)>& take,
                   const ChildExtras& extras = {});

// The options that stand before a subcommand, for a child.
std::vector<std::string> arguments_of(const Options& options);

// How a child ended: "exit status 3", "SIGSEGV".
std::string end_text(int status);

// How a child ended that was not to: "hung while running its init: no progress for 10 s; killed".
struct EndReason {
  std::string verdict;  // "hung", "crashed", "exited"; empty: as it should
  std::string words;
};
// `finished`: it has said that it was done, and then its exit status is 0.
EndReason reason_of(const ChildEnd& end, const std::string& phase, bool finished, double seconds);

// For the child: one line for its parent.
void send_line(const Json& json);

// For the child, before anything else: no core dump, no endless file, no life without its parent.
void limit_child();

// Bytes a child may write to one file; more is SIGXFSZ.
inline constexpr unsigned long kChildFileBytes = 64ul << 20;

}  // namespace tenon::tools
