// SPDX-License-Identifier: Apache-2.0
// sdk/tools/probe_report.cc: see probe_report.h.
#include "probe_report.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "child_process.h"

namespace tenon::tools {

void ProbeReport::phase(const std::string& name) {
  look_back();
  phase_ = name;
  send("phase", name);
}

void ProbeReport::problem(const std::string& text) {
  if (told_.insert(text).second) send("problem", text);
}

void ProbeReport::send(const char* member, const Json& value) { send_line(Json{{member, value}}); }

void ProbeReport::look_back() {
  const ProcessState now = process_state();
  for (const std::string& change : changes(state_, now)) problem(change + " while " + phase_);
  state_ = now;
  std::fflush(nullptr);
  look_at_output(STDOUT_FILENO, "stdout", out_bytes_);
  look_at_output(STDERR_FILENO, "stderr", err_bytes_);
}

// Standard output and standard error are files here.
void ProbeReport::look_at_output(int descriptor, const char* name, int64_t& seen) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0) {
    return problem(std::string("closed ") + name + " while " + phase_);
  }
  if (info.st_size <= seen) return;
  const bool first = seen == 0;
  std::string text(static_cast<size_t>(std::min<int64_t>(info.st_size - seen, 1024)), '\0');
  const ssize_t got = pread(descriptor, text.data(), text.size(), seen);
  seen = info.st_size;
  if (!first || got <= 0) return;
  text.resize(static_cast<size_t>(got));
  problem(std::string("printed to ") + name + " while " + phase_ + ": \"" +
          one_line(text.substr(0, text.find('\n'))) + "\"");
}

}  // namespace tenon::tools
