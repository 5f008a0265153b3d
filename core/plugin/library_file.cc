// SPDX-License-Identifier: Apache-2.0
// core/plugin/library_file.cc: looks at a library before the dynamic loader does. The loader's
// answer to a truncated file can be a SIGBUS long after it was opened.
#include "core/plugin/library_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/files/descriptor.h"

namespace tenon::plugin {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr uint16_t kMachine = EM_RISCV;
#else
#error "core/plugin/library_file.cc: add this machine's EM_ constant"
#endif

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_386:
      return "32-bit x86";
    case EM_ARM:
      return "32-bit ARM";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "64-bit PowerPC";
    default:
      return "machine number " + std::to_string(machine);
  }
}

class File : NoCopy {
 public:
  File(const std::string& path, const std::string& shown) : path_(shown) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) {
      refuse(errno == ENOENT ? "does not exist"
                             : std::string("cannot be read: ") + strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) refuse("is not a regular file");
    size_ = static_cast<uint64_t>(info.st_size);
    descriptor_.reset(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!descriptor_.is_open()) refuse(std::string("cannot be read: ") + strerror(errno));
  }

  [[noreturn]] void refuse(const std::string& problem) const { refuse_library(path_, problem); }

  // `bytes` at `offset` must lie inside the file.
  void check_range(uint64_t offset, uint64_t bytes, const char* what) const {
    if (offset > size_ || bytes > size_ - offset) {
      refuse(std::string("is truncated: its ") + what + " would end at byte " +
             (bytes > UINT64_MAX - offset ? "2^64" : std::to_string(offset + bytes)) +
             ", but the file has " + std::to_string(size_) + " bytes");
    }
  }

  void read(uint64_t offset, void* out, size_t bytes, const char* what) const {
    check_range(offset, bytes, what);
    if (pread(descriptor_.get(), out, bytes, static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(bytes)) {
      refuse(std::string("cannot be read: ") + what);
    }
  }

  std::string read_all() const {
    std::string bytes;
    char buffer[1 << 16];
    ssize_t got = 0;
    while ((got = ::read(descriptor_.get(), buffer, sizeof buffer)) != 0) {
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
      bytes.append(buffer, static_cast<size_t>(got));
    }
    return bytes;
  }

 private:
  const std::string& path_;
  files::Descriptor descriptor_;
  uint64_t size_ = 0;
};

void check_header(const File& file, const Elf64_Ehdr& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    file.refuse("is not a shared library: it does not begin with the ELF signature");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64) {
    file.refuse("is built for another architecture: it is not 64-bit; this machine needs 64-bit " +
                machine_name(kMachine));
  }
  const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
  if (header.e_ident[EI_DATA] != order) {
    file.refuse("is built for another architecture: its byte order is not this machine's");
  }
  if (header.e_machine != kMachine) {
    file.refuse("is built for another architecture: " + machine_name(header.e_machine) +
                "; this machine needs " + machine_name(kMachine));
  }
  if (header.e_type != ET_DYN) {
    file.refuse("is not a shared library: its ELF type is " + std::to_string(header.e_type) + "; " +
                std::to_string(ET_DYN) + " is needed");
  }
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    file.refuse("is damaged: it has no table of segments");
  }
}

}  // namespace

void refuse_library(const std::string& path, const std::string& problem) {
  throw Error{TENON_E_PLUGIN, "library " + path + " " + problem};
}

std::string read_library(const std::string& path) { return File(path, path).read_all(); }

void check_library_file(const std::string& path, const std::string& shown) {
  const File file(path, shown);
  Elf64_Ehdr header{};
  file.read(0, &header, sizeof header, "ELF header");
  check_header(file, header);
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  file.read(header.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr),
            "table of segments");
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD) {
      file.check_range(segment.p_offset, segment.p_filesz, "last segment");
    }
  }
  // Stripped libraries may have no sections at all.
  if (header.e_shoff != 0) {
    file.check_range(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize,
                     "table of sections");
  }
}

}  // namespace tenon::plugin
