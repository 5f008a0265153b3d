// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/tokenizer_fuzz.cc: libFuzzer target for tokenizer files, and for the texts that
// tokenizers are learnt of. A file that is read is written again byte for byte; every text comes
// back.
#include "plugins/tokenizers/characters.hpp"
#include "plugins/tokenizers/pair_trainer.hpp"
#include "tests/fuzz/fuzz_support.h"

using namespace tenon::fuzz;
using namespace tenon::tokenizers;

namespace {

// Of a file, or learnt of a text.
Characters characters(std::string_view bytes, bool of_file) {
  tenon_value text{};
  if (of_file) return {tenon::sdk::Attrs(&text, 1), bytes};
  text.tag = TENON_VALUE_STRING;
  text.count = static_cast<uint32_t>(bytes.size());
  text.as.string = bytes.data();
  return {tenon::sdk::Attrs(&text, 1), std::nullopt};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_or_refuse([&] {
    const Pairs read = Pairs::parse(bytes);
    require(read.file_text() == bytes);
    require(read.decode(read.encode("a text")) == "a text");
  });
  read_or_refuse([&] { require(characters(bytes, true).save() == bytes); });
  read_or_refuse([&] {
    const Characters learnt = characters(bytes, false);
    require(learnt.decode(learnt.encode(bytes, 0, INT64_MAX), 0) == bytes);
  });
  const Pairs learnt(PairTrainer(bytes).train(300));
  require(learnt.decode(learnt.encode(bytes)) == bytes);
  return 0;
}
