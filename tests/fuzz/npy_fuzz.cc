// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/npy_fuzz.cc: libFuzzer target for npy files, on the format's own source.
#include "plugins/formats/npy.cc"
#include "tests/fuzz/format_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tenon::fuzz::fuzz_format(kFormats[0], data, size);
  return 0;
}
