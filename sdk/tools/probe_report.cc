// SPDX-License-Identifier: Apache-2.0
// sdk/tools/probe_report.cc: see probe_report.h.
#include "probe_report.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "child_process.h"

namespace tenon::tools {

ProbeReport::ProbeReport() : state_(process_state()) {
  // Programs that a plugin starts have no part in this.
  fcntl(kReportDescriptor, F_SETFD, FD_CLOEXEC);
}

void ProbeReport::phase(const std::string& name) {
  look_back();
  phase_ = name;
  send("phase", name);
}

void ProbeReport::problem(const std::string& text) {
  if (told_.insert(text).second) send("problem", text);
}

void ProbeReport::send(const char* member, const Json& value) {
  const std::string line =
      Json{{member, value}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t some = write(kReportDescriptor, line.data() + sent, line.size() - sent);
    if (some <= 0) return;  // nobody listens, or the plugin closed it: the parent will say so
    sent += static_cast<size_t>(some);
  }
}

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
