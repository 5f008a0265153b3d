// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/tokenizer_fuzz.cc: libFuzzer target for tokenizer files, and for texts. A file that is
// read is written again byte for byte; every text comes back from its byte pairs.
#include <tenon/sdk/plugin/tokenizer_train.hpp>

#include "tests/fuzz/fuzz_support.h"

using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_or_refuse([&] {
    const auto tokenizer = tenon::sdk::Tokenizer::parse(bytes);
    require(tokenizer.file_text() == bytes);
    require(tokenizer.decode(tokenizer.encode("a text")) == "a text");
  });
  read_or_refuse([&] {
    const auto characters = tenon::sdk::Tokenizer::characters(bytes);
    require(characters.decode(characters.encode(bytes)) == bytes);
  });
  const auto pairs = tenon::sdk::Tokenizer::pairs(tenon::sdk::PairTrainer(bytes).train(300));
  require(pairs.decode(pairs.encode(bytes)) == bytes);
  return 0;
}
