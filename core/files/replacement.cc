// SPDX-License-Identifier: Apache-2.0
// core/files/replacement.cc: replacing a file: write beside it, flush, rename, flush the folder.
#include "core/files/replacement.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <system_error>

#include "core/base/error.h"
#include "core/files/held_signal.h"

namespace tenon::files {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 100;
constexpr int kMaxLinks = 40;  // as many as Linux follows
// What is put around it stays within the 255 bytes of a name, or the 143 of an encrypted folder.
constexpr size_t kMaxReadableName = 128;

// The same for every writer of a file, which is how they see each other.
std::string partial_name(const std::string& name) {
  const bool readable = name.size() <= kMaxReadableName;
  return "." + (readable ? name : std::to_string(std::hash<std::string>{}(name))) + ".partial";
}

}  // namespace

void Replacement::fail(const char* doing, int why) const {
  if (why == ENOMEM) throw std::bad_alloc();
  refuse(doing, std::generic_category().message(why));
}

void Replacement::refuse(const char* doing, const std::string& words) const {
  tenon::fail(TENON_E_IO, std::string("cannot ") + doing + " '" + path_ + "': " + words, "path",
              "a file that can be written", words,
              renamed_ ? "the new file is there; a loss of power may yet undo that"
                       : "the file is what it was before");
}

Replacement::Replacement(const std::string& path) : path_(path), target_(path) {
  follow_links();
  std::error_code error;
  const fs::file_status status = fs::status(target_, error);
  if (error.value() == ENAMETOOLONG) fail("write", ENAMETOOLONG);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    refuse("write",
           fs::is_directory(status) ? "it is a folder, not a file" : "it is not a regular file");
  }
  const fs::path where(target_);
  folder_ = where.has_parent_path() ? where.parent_path().string() : ".";
  if (where.filename().empty()) refuse("write", "the path names no file");
  open_partial();
  try {
    take_over_permissions();
  } catch (...) {
    unlink(partial_.c_str());
    throw;
  }
}

// To where they lead, though nothing may be there yet: a run's file on another disk.
void Replacement::follow_links() {
  std::error_code error;
  for (int i = 0; fs::is_symlink(fs::symlink_status(target_, error)); ++i) {
    if (i == kMaxLinks) fail("write", ELOOP);
    const fs::path next = fs::read_symlink(target_, error);
    if (error) fail("write", error.value());
    target_ = (fs::path(target_).parent_path() / next).string();
  }
}

// Another writer may rename or remove the partial file between our opening and locking it: then
// what is locked is not what lies there, and it is opened again.
void Replacement::open_partial() {
  const std::string name = folder_ + "/" + partial_name(fs::path(target_).filename().string());
  partial_ = name;
  for (int i = 0; i < kTries; ++i) {
    file_.reset(open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    if (!file_.is_open()) fail("write", errno);
    if (lock_partial()) {
      if (ftruncate(file_.get(), 0) != 0) fail("write", errno);
      return;
    }
  }
  fail("write", EAGAIN);
}

bool Replacement::lock_partial() {
  if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail("lock the partial file of", errno);
    tenon::fail(TENON_E_IO, "cannot write '" + path_ + "': another writer is writing it", "path",
                "one writer at a time", "a locked '" + partial_ + "'",
                "wait until the other one is done");
  }
  struct stat ours {};
  struct stat there {};
  if (fstat(file_.get(), &ours) != 0) fail("write", errno);
  if (!S_ISREG(ours.st_mode)) refuse("write", "'" + partial_ + "' is not a regular file");
  return lstat(partial_.c_str(), &there) == 0 && there.st_ino == ours.st_ino &&
         there.st_dev == ours.st_dev;
}

void Replacement::take_over_permissions() {
  struct stat old {};
  if (stat(target_.c_str(), &old) != 0) return;
  // A file that may not be written is not replaced either, though the folder would allow it.
  if (access(target_.c_str(), W_OK) != 0) fail("write", errno);
  if (fchmod(file_.get(), old.st_mode & 0777) != 0) fail("keep the permissions of", errno);
}

void Replacement::write(const void* bytes, uint64_t length) {
  const HeldSignal held(SIGXFSZ);
  if (const int why = write_all(file_.get(), {static_cast<const char*>(bytes), length})) {
    fail("write", why);
  }
}

void Replacement::commit() {
  if (fsync(file_.get()) != 0) fail("flush", errno);
  if (rename(partial_.c_str(), target_.c_str()) != 0) fail("rename the partial file of", errno);
  renamed_ = true;
  // The new contents are there; only after this do they survive a loss of power as well. File
  // systems that cannot flush a folder say so, and keep their own order.
  const Descriptor folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open() && fsync(folder.get()) != 0 && errno == EIO)
    fail("flush the folder of", EIO);
}

Replacement::~Replacement() {
  if (!renamed_) unlink(partial_.c_str());
}

}  // namespace tenon::files
