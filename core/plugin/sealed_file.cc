// SPDX-License-Identifier: Apache-2.0
// core/plugin/sealed_file.cc: memfd_create(2) and its seals.
#include "core/plugin/sealed_file.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "core/plugin/library_file.h"
#include "core/plugin/sha256.h"

namespace tenon::plugin {
namespace {

[[noreturn]] void refuse_copy(const std::string& path, int why) {
  refuse_library(path, std::string("cannot be copied to memory: ") + std::strerror(why));
}

}  // namespace

SealedFile::SealedFile(const std::string& path, const std::string& sha256)
    : sha256_(sha256), file_(memfd_create("tenon-plugin", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (!file_.is_open()) refuse_copy(path, errno);
  if (const int why = files::write_all(file_.get(), read_library(path))) refuse_copy(path, why);
  constexpr int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (fcntl(file_.get(), F_ADD_SEALS, seals) != 0) {
    refuse_library(path, std::string("cannot be sealed in memory: ") + std::strerror(errno));
  }
  const std::string found = sha256_of_file(this->path());
  if (found == sha256) return;
  refuse_library(path,
                 "is not the one the allow-list permits: its sha256 is " + found +
                     ", the allow-list says " + sha256 +
                     "; if the change was meant, write the list again with `tenon plugin lock`");
}

std::string SealedFile::path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

}  // namespace tenon::plugin
