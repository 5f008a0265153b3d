// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/idx_fuzz.cc: libFuzzer target for idx files, plain and compressed. Any bytes are read
// or refused in words; what is read has as many bytes as its shape says.
#include "plugins/data/idx_file.hpp"
#include "tests/fuzz/fuzz_support.h"

using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  read_or_refuse([&] {
    const tenon::data::IdxFile idx = tenon::data::IdxReader(file.path()).read();
    size_t bytes = tenon::sdk::size_of(idx.dtype);
    for (const int64_t extent : idx.shape) bytes *= static_cast<size_t>(extent);
    require(idx.bytes.size() == bytes);
  });
  return 0;
}
