// SPDX-License-Identifier: Apache-2.0
// sdk/common/child_process.cc: see child_process.h. Output is kept in files without a name, as
// nobody has to read those while the child runs.
#include "child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tenon::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kKeptOutput = 4096;

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close_now(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }
  void close_now() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

[[noreturn]] void fail(const char* what) {
  throw Failure{std::string(what) + ": " + std::strerror(errno)};
}

Descriptor memory_file(const char* name) {
  Descriptor file(memfd_create(name, MFD_CLOEXEC));
  if (file.get() < 0) fail("a file in memory cannot be made");
  return file;
}

// What a sanitizer of this build must leave to us: a fault is to end the process as it would in any
// other build, and leaks are counted here.
std::vector<std::string> child_environment() {
  std::vector<std::string> all;
  std::string address =
      "handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:"
      "handle_abort=0:detect_leaks=0";
  std::string thread =
      "handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:"
      "handle_abort=0:report_thread_leaks=0";
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.rfind("ASAN_OPTIONS=", 0) == 0) {
      address.insert(0, text.substr(13).append(":"));
    } else if (text.rfind("TSAN_OPTIONS=", 0) == 0) {
      thread.insert(0, text.substr(13).append(":"));
    } else if (text.rfind("TENON_TRACE=", 0) != 0) {  // children would write over each other's
      all.push_back(text);
    }
  }
  all.push_back("ASAN_OPTIONS=" + address);
  all.push_back("TSAN_OPTIONS=" + thread);
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

pid_t start(const std::vector<std::string>& arguments, int out, int err, int report, int shared) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  // A descriptor that is where another is to go would be closed by it: these two are moved first.
  const Descriptor moved_report(fcntl(report, F_DUPFD_CLOEXEC, kSharedDescriptor + 1));
  const Descriptor moved_shared(shared < 0 ? -1
                                           : fcntl(shared, F_DUPFD_CLOEXEC, kSharedDescriptor + 1));
  posix_spawn_file_actions_adddup2(&actions, moved_report.get(), kReportDescriptor);
  if (shared >= 0) {
    posix_spawn_file_actions_adddup2(&actions, moved_shared.get(), kSharedDescriptor);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> all = arguments;
  all.insert(all.begin(), "tenon");
  const std::vector<std::string> environment = child_environment();
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, &attributes,
                                pointers(all).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    errno = error;
    fail("a process for the plugin cannot be started");
  }
  return child;
}

// Splits what arrives into lines.
class Lines {
 public:
  Lines(int descriptor, const std::function<void(const std::string&)>& take)
      : descriptor_(descriptor), take_(take) {}

  // Reads what is there; true if something was.
  bool read_some() {
    std::array<char, 4096> piece{};
    bool any = false;
    ssize_t got = 0;
    while ((got = read(descriptor_, piece.data(), piece.size())) > 0) {
      any = true;
      rest_.append(piece.data(), static_cast<size_t>(got));
    }
    for (size_t end = 0; (end = rest_.find('\n')) != std::string::npos;) {
      const std::string line = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      take_(line);
    }
    return any;
  }

 private:
  int descriptor_;
  const std::function<void(const std::string&)>& take_;
  std::string rest_;
};

bool has_ended(pid_t child) {
  siginfo_t info{};
  // It stays a zombie, so that its number, and its group's, cannot be another's yet.
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == child;
}

void read_output(const Descriptor& file, std::string& text, size_t& bytes) {
  const off_t size = lseek(file.get(), 0, SEEK_END);
  bytes = size > 0 ? static_cast<size_t>(size) : 0;
  text.resize(std::min(bytes, kKeptOutput));
  const ssize_t got = pread(file.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& arguments, double seconds,
                   const std::function<void(const std::string& line)>& take,
                   const ChildExtras& extras) {
  const Descriptor out = memory_file("stdout");
  const Descriptor err = memory_file("stderr");
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("a pipe cannot be made");
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  fcntl(reading.get(), F_SETFL, O_NONBLOCK);
  const pid_t child = start(arguments, out.get(), err.get(), writing.get(), extras.shared);
  writing.close_now();

  ChildEnd end;
  Lines lines(reading.get(), take);
  const auto limit = std::chrono::duration<double>(seconds);
  Clock::time_point heard = Clock::now();
  uint64_t seen = 0;
  while (!has_ended(child)) {
    pollfd waiting{reading.get(), POLLIN, 0};
    poll(&waiting, 1, 10);
    if (lines.read_some()) heard = Clock::now();
    const uint64_t reached = extras.progress ? extras.progress() : seen;
    if (std::exchange(seen, reached) != reached) heard = Clock::now();
    if ((waiting.revents & POLLHUP) != 0) usleep(1000);  // closed early, or just ending
    if (Clock::now() - heard < limit) continue;
    end.stopped = true;
    break;
  }
  kill(-child, SIGKILL);  // also what it may have started
  while (waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
  }
  lines.read_some();
  read_output(out, end.out, end.out_bytes);
  read_output(err, end.err, end.err_bytes);
  return end;
}

std::vector<std::string> arguments_of(const Options& options) {
  std::vector<std::string> arguments;
  for (const std::string& path : options.plugin_paths) {
    arguments.emplace_back("--plugin-path");
    arguments.push_back(absolute_path(path));
  }
  for (const std::string& id : options.exclude) {
    arguments.emplace_back("--exclude");
    arguments.push_back(id);
  }
  if (!options.allowlist.empty()) {
    arguments.emplace_back("--allowlist");
    arguments.push_back(absolute_path(options.allowlist));
  }
  return arguments;
}

std::string end_text(int status) {
  if (!WIFSIGNALED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
  const char* name = sigabbrev_np(WTERMSIG(status));
  return name == nullptr ? "signal " + std::to_string(WTERMSIG(status)) : "SIG" + std::string(name);
}

EndReason reason_of(const ChildEnd& end, const std::string& phase, bool finished, double seconds) {
  if (end.stopped) {
    char limit[32];
    std::snprintf(limit, sizeof limit, "%g s", seconds);
    return {"hung", "hung while " + phase + ": no progress for " + limit + "; killed"};
  }
  if (WIFSIGNALED(end.status)) {
    std::string words = "crashed with " + end_text(end.status) + " while " + phase;
    if (WTERMSIG(end.status) == SIGXFSZ) {
      words +=
          " (it wrote more than " + std::to_string(kChildFileBytes >> 20) + " MiB to one file)";
    }
    return {"crashed", words};
  }
  if (finished && WEXITSTATUS(end.status) == 0) return {};
  return {"exited", "ended the process with " + end_text(end.status) + " while " + phase};
}

void send_line(const Json& json) {
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t some = write(kReportDescriptor, line.data() + sent, line.size() - sent);
    if (some <= 0) return;  // nobody listens, or a plugin closed it: the parent will say so
    sent += static_cast<size_t>(some);
  }
}

void limit_child() {
  // Programs that a plugin starts have no part in this.
  fcntl(kReportDescriptor, F_SETFD, FD_CLOEXEC);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const rlimit file_bytes = {kChildFileBytes, kChildFileBytes};
  setrlimit(RLIMIT_FSIZE, &file_bytes);
}

}  // namespace tenon::tools
