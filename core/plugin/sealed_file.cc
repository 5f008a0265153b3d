// SPDX-License-Identifier: Apache-2.0
// core/plugin/sealed_file.cc: memfd_create(2) and its seals.
#include "core/plugin/sealed_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/files/descriptor.h"
#include "core/plugin/library_file.h"
#include "core/plugin/sha256.h"

namespace tenon::plugin {
namespace {

std::string system_words() { return std::strerror(errno); }

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) refuse_library(path, "cannot be copied to memory: " + system_words());
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

SealedFile::SealedFile(const std::string& path, const std::string& sha256) : sha256_(sha256) {
  files::Descriptor copy(memfd_create("tenon-plugin", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!copy.is_open()) refuse_library(path, "cannot be copied to memory: " + system_words());
  write_all(copy.get(), read_library(path), path);
  constexpr int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (fcntl(copy.get(), F_ADD_SEALS, seals) != 0) {
    refuse_library(path, "cannot be sealed in memory: " + system_words());
  }
  const std::string found = sha256_of_file("/proc/self/fd/" + std::to_string(copy.get()));
  if (found != sha256) {
    refuse_library(path,
                   "is not the one the allow-list permits: its sha256 is " + found +
                       ", the allow-list says " + sha256 +
                       "; if the change was meant, write the list again with `tenon plugin lock`");
  }
  descriptor_ = copy.take();
}

SealedFile::~SealedFile() {
  if (!kept_) ::close(descriptor_);
}

std::string SealedFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace tenon::plugin
