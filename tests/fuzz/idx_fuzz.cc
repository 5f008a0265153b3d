// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/idx_fuzz.cc: libFuzzer target for idx files, plain and compressed. Any bytes are read
// or refused in words; what is read has as many bytes as its shape says.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "plugins/data/idx_file.hpp"

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

// A file in memory that holds the bytes.
struct MemoryFile {
  MemoryFile(const uint8_t* data, size_t size) : number(memfd_create("idx", MFD_CLOEXEC)) {
    require(number >= 0);
    require(write(number, data, size) == static_cast<ssize_t>(size));
  }
  ~MemoryFile() { close(number); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(number); }
  const int number;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  try {
    const tenon::data::IdxFile idx = tenon::data::IdxReader(file.path()).read();
    size_t bytes = tenon::sdk::size_of(idx.dtype);
    for (const int64_t extent : idx.shape) bytes *= static_cast<size_t>(extent);
    require(idx.bytes.size() == bytes);
  } catch (const tenon::sdk::Failure& failure) {
    require((failure.status == TENON_E_DATA || failure.status == TENON_E_IO) &&
            !failure.what.empty());
  }
  return 0;
}
