// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/sentencepiece_fuzz.cc: libFuzzer target for what stands before the SentencePiece
// library: a model is read or refused, and what is written for the library is read again as the
// same.
#include "plugins/sentencepiece/model_file.hpp"
#include "tests/fuzz/fuzz_support.h"

using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_or_refuse([&] {
    const tenon::sentencepiece::ModelFile model(bytes);
    const std::string text = model.text();
    const tenon::sentencepiece::ModelFile again(text);
    require(again.text() == text);
    require(again.pieces().size() == model.pieces().size());
    require(again.growth() == model.growth());
  });
  return 0;
}
