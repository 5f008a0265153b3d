// SPDX-License-Identifier: Apache-2.0
// sdk/common/process_state.cc: see process_state.h. Linux.
#include "process_state.h"

#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <clocale>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace tenon::tools {
namespace {

namespace fs = std::filesystem;

#if defined(__x86_64__)
constexpr uint64_t kStatusBits = 0x3f;
constexpr uint64_t kFlushBits = 0x8040;  // FTZ, DAZ
uint64_t float_control() { return __builtin_ia32_stmxcsr() & ~kStatusBits; }
#elif defined(__aarch64__)
constexpr uint64_t kFlushBits = uint64_t{1} << 24;  // FZ
uint64_t float_control() {
  uint64_t value = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
#else
constexpr uint64_t kFlushBits = 0;
uint64_t float_control() { return 0; }
#endif

uintptr_t handler_of(int signal) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) != 0) return 0;
  return (action.sa_flags & SA_SIGINFO) != 0 ? reinterpret_cast<uintptr_t>(action.sa_sigaction)
                                             : reinterpret_cast<uintptr_t>(action.sa_handler);
}

std::string octal(unsigned mode) {
  std::string text;
  for (; mode != 0 || text.size() < 4; mode >>= 3) {
    text.insert(text.begin(), static_cast<char>('0' + (mode & 7)));
  }
  return text;
}

const char* rounding_name(int mode) {
  switch (mode) {
    case FE_TONEAREST:
      return "to nearest";
    case FE_TOWARDZERO:
      return "toward zero";
    case FE_UPWARD:
      return "upward";
    case FE_DOWNWARD:
      return "downward";
    default:
      return "unknown";
  }
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : "SIG" + std::string(name);
}

// Sanitizers replace the allocator and count themselves.
using AllocatedBytes = size_t (*)();
AllocatedBytes sanitizer_count() {
  return reinterpret_cast<AllocatedBytes>(
      dlsym(RTLD_DEFAULT, "__sanitizer_get_current_allocated_bytes"));
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

int64_t thread_count() {
  std::error_code error;
  const fs::directory_iterator tasks("/proc/self/task", error);
  return error ? 0 : std::distance(tasks, fs::directory_iterator());
}

}  // namespace

ProcessState process_state() {
  ProcessState state;
  std::error_code error;
  state.folder = fs::current_path(error).string();
  state.locale = std::setlocale(LC_ALL, nullptr);
  state.file_mask = umask(0);
  umask(state.file_mask);
  state.rounding = std::fegetround();
  state.float_control = float_control();
  for (size_t i = 1; i < state.handlers.size(); ++i) {
    state.handlers[i] = handler_of(static_cast<int>(i));
  }
  return state;
}

std::vector<std::string> changes(const ProcessState& before, const ProcessState& after) {
  std::vector<std::string> texts;
  const auto compare = [&](const char* what, const std::string& from, const std::string& to) {
    if (from != to) texts.push_back(std::string("changed ") + what + " from " + from + " to " + to);
  };
  compare("the current directory", '"' + before.folder + '"', '"' + after.folder + '"');
  compare("the locale", '"' + before.locale + '"', '"' + after.locale + '"');
  compare("the umask", octal(before.file_mask), octal(after.file_mask));
  compare("floating-point rounding", rounding_name(before.rounding), rounding_name(after.rounding));
  const uint64_t difference = before.float_control ^ after.float_control;
  if ((difference & kFlushBits) != 0) {
    texts.emplace_back((after.float_control & kFlushBits) != 0
                           ? "made floating-point subnormals zero (built with -ffast-math?)"
                           : "changed how floating-point subnormals are handled");
  }
  if ((difference & ~kFlushBits) != 0 && before.rounding == after.rounding) {
    texts.emplace_back("changed the floating-point control register (rounding or traps)");
  }
  for (size_t i = 1; i < before.handlers.size(); ++i) {
    if (before.handlers[i] == after.handlers[i]) continue;
    texts.push_back("changed the handler of " + signal_name(static_cast<int>(i)));
  }
  return texts;
}

Held held_now() {
  Held held;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd", error)) {
    const fs::path target = fs::read_symlink(entry.path(), error);
    // The descriptor this loop reads from is gone in a moment.
    if (!error && target.string().find("/proc/") != 0) held.files.push_back(target.string());
  }
  std::sort(held.files.begin(), held.files.end());
  held.threads = thread_count();
  static const AllocatedBytes sanitizer = sanitizer_count();
  if (sanitizer != nullptr) {
    held.heap_bytes = static_cast<int64_t>(sanitizer());
    held.resident_bytes = -1;
  } else {
    const struct mallinfo2 info = mallinfo2();
    held.heap_bytes = static_cast<int64_t>(info.uordblks + info.hblkhd);
    held.resident_bytes = resident_bytes();
  }
  return held;
}

Held held_after(const Held& before) {
  // A joined thread may still be listed for a moment.
  for (int i = 0; i < 100 && thread_count() > before.threads; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return held_now();
}

std::vector<std::string> new_files(const Held& before, const Held& after) {
  std::vector<std::string> files;
  std::set_difference(after.files.begin(), after.files.end(), before.files.begin(),
                      before.files.end(), std::back_inserter(files));
  return files;
}

}  // namespace tenon::tools
