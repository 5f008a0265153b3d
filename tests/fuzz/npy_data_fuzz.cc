// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/npy_data_fuzz.cc: libFuzzer target for arrays that NumPy saved. Any bytes are read or
// refused in words; what is read has as many bytes as its shape says.
#include "plugins/data/npy_file.hpp"
#include "tests/fuzz/fuzz_support.h"

using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  read_or_refuse([&] {
    const tenon::data::NpyFile npy = tenon::data::NpyReader(file.path()).read();
    size_t bytes = tenon::sdk::size_of(npy.dtype);
    for (const int64_t extent : npy.shape) bytes *= static_cast<size_t>(extent);
    require(npy.bytes.size() == bytes);
  });
  return 0;
}
