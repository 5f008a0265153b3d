// SPDX-License-Identifier: Apache-2.0
// core/plugin/sealed_file.cc: memfd_create(2) and its seals.
#include "core/plugin/sealed_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/api/error.h"
#include "core/plugin/sha256.h"

namespace tenon::plugin {
namespace {

std::string system_words() { return std::strerror(errno); }

// Closes on every way out.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) refuse_library(path, "cannot be copied to memory: " + system_words());
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

void refuse_library(const std::string& path, const std::string& problem) {
  throw Error{TENON_E_PLUGIN, "library " + path + " " + problem};
}

std::string read_library(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat info {};
  if (file.number < 0 || fstat(file.number, &info) != 0) {
    refuse_library(path, errno == ENOENT ? "does not exist" : "cannot be read: " + system_words());
  }
  if (!S_ISREG(info.st_mode)) refuse_library(path, "is not a regular file");
  std::string bytes;
  char buffer[1 << 16];
  ssize_t got = 0;
  while ((got = ::read(file.number, buffer, sizeof buffer)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_library(path, "cannot be read: " + system_words());
    bytes.append(buffer, static_cast<size_t>(got));
  }
  return bytes;
}

SealedFile::SealedFile(const std::string& path, const std::string& sha256) : sha256_(sha256) {
  Descriptor copy{memfd_create("tenon-plugin", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  if (copy.number < 0) refuse_library(path, "cannot be copied to memory: " + system_words());
  write_all(copy.number, read_library(path), path);
  constexpr int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (fcntl(copy.number, F_ADD_SEALS, seals) != 0) {
    refuse_library(path, "cannot be sealed in memory: " + system_words());
  }
  const std::string found = sha256_of_file("/proc/self/fd/" + std::to_string(copy.number));
  if (found != sha256) {
    refuse_library(path,
                   "is not the one the allow-list permits: its sha256 is " + found +
                       ", the allow-list says " + sha256 +
                       "; if the change was meant, write the list again with `tenon plugin lock`");
  }
  descriptor_ = copy.number;
  copy.number = -1;
}

SealedFile::~SealedFile() {
  if (!kept_) ::close(descriptor_);
}

std::string SealedFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace tenon::plugin
