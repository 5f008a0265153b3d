// SPDX-License-Identifier: Apache-2.0
// tests/files/flushing_support.cc: stands before the C library's fsync and rename, for libtenon
// too.
#include "tests/files/flushing_support.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace tenon::tests {
namespace {

WatchedFlushing* watching = nullptr;

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

WatchedFlushing::WatchedFlushing() { watching = this; }
WatchedFlushing::~WatchedFlushing() { watching = nullptr; }

extern "C" {

__attribute__((visibility("default"))) int fsync(int descriptor) {
  WatchedFlushing* const watch = watching;
  if (watch) {
    struct stat found {};
    fstat(descriptor, &found);
    std::error_code ignored;
    const auto link = std::filesystem::path("/proc/self/fd") / std::to_string(descriptor);
    const std::string path = std::filesystem::read_symlink(link, ignored).string();
    watch->seen.push_back(
        {"flush", path, S_ISREG(found.st_mode) ? static_cast<uint64_t>(found.st_size) : 0});
    if (watch->seen.size() - 1 == watch->failing) {
      errno = watch->error;
      return -1;
    }
  }
  return next<int(int)>("fsync")(descriptor);
}

__attribute__((visibility("default"))) int rename(const char* from, const char* to) noexcept {
  if (watching) watching->seen.push_back({"rename", to, 0});
  return next<int(const char*, const char*)>("rename")(from, to);
}

}  // extern "C"

}  // namespace tenon::tests
