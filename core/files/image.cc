// SPDX-License-Identifier: Apache-2.0
// core/files/image.cc: mapping and reading files.
#include "core/files/image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/files/descriptor.h"

namespace tenon::files {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  fail(TENON_E_IO, "cannot read '" + path + "': " + why, "path", "a readable file", why);
}

[[noreturn]] void refuse_system(const std::string& path, int why) {
  if (why == ENOMEM) throw std::bad_alloc();
  refuse(path, std::generic_category().message(why));
}

}  // namespace

Image::Image(const std::string& path, bool in_memory) {
  // A pipe without a writer would be waited for.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) refuse_system(path, errno);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) refuse_system(path, errno);
  if (S_ISDIR(info.st_mode)) refuse(path, "it is a folder, not a file");
  if (!S_ISREG(info.st_mode)) refuse(path, "it is not a regular file");
  size_ = static_cast<uint64_t>(info.st_size);
  if (size_ == 0) return;
  if (in_memory) {
    read(file.get(), path);
  } else {
    map(file.get(), path);
  }
  if (!is_pointer()) return;
  unmap();
  fail(TENON_E_DATA, "'" + path + "' is a pointer of Git LFS, not the file itself", "path",
       "the file", std::to_string(size_) + " bytes", "run `git lfs pull` where it comes from");
}

bool Image::is_pointer() const {
  constexpr std::string_view start = "version https://git-lfs.github.com/spec/";
  return size_ > start.size() && size_ < 1024 && std::equal(start.begin(), start.end(), data_);
}

void Image::map(int descriptor, const std::string& path) {
  void* start = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (start == MAP_FAILED) refuse_system(path, errno);
  data_ = static_cast<const unsigned char*>(start);
  mapped_ = true;
}

void Image::read(int descriptor, const std::string& path) {
  memory_.resize(size_);
  for (uint64_t at = 0; at < size_;) {
    const ssize_t got = ::read(descriptor, &memory_[at], std::min(size_ - at, kMaxAtOnce));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_system(path, errno);
    if (got == 0) refuse(path, "it became shorter while it was read");
    at += static_cast<uint64_t>(got);
  }
  data_ = memory_.data();
}

void Image::unmap() {
  if (mapped_) munmap(const_cast<unsigned char*>(data_), size_);
}

Image::~Image() { unmap(); }

}  // namespace tenon::files
