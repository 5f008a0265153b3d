// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/safetensors_fuzz.cc: libFuzzer target for safetensors files, on the format's own
// source.
#include "plugins/formats/safetensors.cc"
#include "tests/fuzz/format_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tenon::fuzz::fuzz_format(kFormats[0], data, size);
  return 0;
}
