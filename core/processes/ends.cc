// SPDX-License-Identifier: Apache-2.0
// core/processes/ends.cc: what exit() does with the groups that somebody holds still, for example a
// hook that lives as long as its module. MPI takes a process that ends without having left it for
// one that has failed.
#include "core/processes/ends.h"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace tenon::processes {

namespace {

// Of all runtimes. Not destroyed: exit() destroys what is static before it is through.
struct Held {
  std::mutex mutex;
  std::vector<std::weak_ptr<Leavable>> groups;
  std::atomic<bool> ends = false;
};
Held& held() {
  static Held& all = *new Held;
  return all;
}

// Those that this thread may end: of this process, and not in a thread of an engine, which has
// called exit() itself.
std::vector<std::shared_ptr<Leavable>> here() {
  std::vector<std::shared_ptr<Leavable>> found;
  const std::lock_guard lock(held().mutex);
  for (const auto& each : held().groups) {
    std::shared_ptr<Leavable> group = each.lock();
    if (!group) continue;
    if (!group->is_here()) return {};
    found.push_back(std::move(group));
  }
  return found;
}

void end_others(const std::vector<std::shared_ptr<Leavable>>& groups, int status) {
  for (const auto& group : groups) {
    if (group->members().size == 1) continue;
    std::fflush(nullptr);
    group->end_others(status, "the process has ended with exit status " + std::to_string(status));
    return;
  }
}

// An engine that ends the program may call exit(), too.
void at_exit(int status) noexcept {
  if (held().ends.exchange(true)) return;
  try {
    const auto groups = here();
    if (status != 0) return end_others(groups, status);
    for (const auto& group : groups) group->finish();
    for (const auto& group : groups) group->end_engine();
  } catch (...) {  // memory has run out: the launcher sees that MPI was not left
  }
}

// The address of this library stays good.
void pin() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&held), &info) != 0 && info.dli_fname) {
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

}  // namespace

void finish_at_exit(const std::shared_ptr<Leavable>& group) {
  static const int registered = [] {
    pin();
#ifdef __GLIBC__
    return on_exit([](int status, void*) { at_exit(status & 0xFF); }, nullptr);
#else
    return std::atexit([] { at_exit(0); });
#endif
  }();
  (void)registered;
  const std::lock_guard lock(held().mutex);
  std::erase_if(held().groups, [](const auto& each) { return each.expired(); });
  held().groups.push_back(group);
}

void say_end(const tenon_members& members, std::string_view words) noexcept {
  char begin[64];
  const int length = std::snprintf(begin, sizeof begin, "tenon: rank %d of %d%s", members.rank,
                                   members.size, words.empty() ? "" : ": ");
  const iovec parts[] = {{begin, static_cast<size_t>(length)},
                         {const_cast<char*>(words.data()), words.size()},
                         {const_cast<char*>("\n"), 1}};
  (void)!writev(2, parts, 3);
}

void end_process(int32_t status) noexcept { _exit(status); }

}  // namespace tenon::processes
