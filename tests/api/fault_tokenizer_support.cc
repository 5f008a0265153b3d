// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_tokenizer_support.cc: right calls of tokenizers.
#include <unistd.h>

#include <filesystem>

#include "tests/api/fault_sweep_support.h"

namespace tenon::tests {
namespace {

// Made before any call, in which allocations fail.
const std::string kFile = (std::filesystem::temp_directory_path() /
                           ("tenon-fault-" + std::to_string(getpid()) + ".pairs"))
                              .string();
// Longer than what fits into a string object.
const std::string kPairs = "tenon-pairs 1\n97 98\n256 99\n32 257\n";
constexpr char kText[] = "abc abc and a text with more words than one, abc";

tenon_status learn(FaultWorld& w) {
  static constexpr tenon_string name = {"text", TENON_NUL};
  tenon_value value{TENON_VALUE_STRING, sizeof kText - 1, {}};
  value.as.string = kText;
  return tenon_tokenizer_create(w.cx, "tenon.pairs", TENON_NUL, nullptr, 0, &name, &value, 1,
                                &w.outs.tokenizer);
}

tenon_status read(FaultWorld& w) {
  return tenon_tokenizer_create(w.cx, "tenon.pairs", TENON_NUL, kPairs.data(), kPairs.size(),
                                nullptr, nullptr, 0, &w.outs.tokenizer);
}

tenon_status save(FaultWorld& w, tenon_tokenizer* tokenizer) {
  return tenon_tokenizer_save(w.cx, tokenizer, kFile.data(), kFile.size());
}

void add_calls(FaultRows& rows) {
  sweep(rows, "tenon_tokenizer_create", "learnt", learn);
  sweep(rows, "tenon_tokenizer_create", "of a file", read);
  sweep(
      rows, "tenon_tokenizer_release", "",
      [](FaultWorld& w) {
        tenon_tokenizer_release(w.outs.tokenizer);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); }, [](FaultWorld& w) { EXPECT_EQ(learn(w), TENON_OK); });
  sweep(rows, "tenon_tokenizer_get_info", "", [](FaultWorld& w) {
    return tenon_tokenizer_get_info(w.cx, w.own.tokenizer, &w.outs.tokenizer_info);
  });
  sweep(rows, "tenon_tokenizer_get_token", "", [](FaultWorld& w) {
    return tenon_tokenizer_get_token(w.cx, w.own.tokenizer, 65, &w.outs.text, &w.outs.index);
  });
  sweep(rows, "tenon_tokenizer_find_token", "", [](FaultWorld& w) {
    return tenon_tokenizer_find_token(w.cx, w.own.tokenizer, "A", 1, &w.outs.length);
  });
  sweep(rows, "tenon_tokenizer_call", "bytes", [](FaultWorld& w) {
    return tenon_tokenizer_call(w.cx, w.own.tokenizer, kText, sizeof kText - 1, 0, 0,
                                w.outs.tensors);
  });
  sweep(rows, "tenon_tokenizer_call_batch", "two, with a mask", [](FaultWorld& w) {
    static constexpr tenon_string texts[] = {{kText, sizeof kText - 1}, {kText, 5}};
    return tenon_tokenizer_call_batch(w.cx, w.own.tokenizer, texts, 2, TENON_TOKENIZER_PAD_LEFT, 0,
                                      0, &w.outs.tensors[0], &w.outs.tensors[1]);
  });
  sweep(rows, "tenon_tokenizer_get_text", "bytes", [](FaultWorld& w) {
    return tenon_tokenizer_get_text(w.cx, w.own.tokenizer, w.rows, 0, &w.outs.text);
  });
}

void add_files(FaultRows& rows) {
  static tenon_tokenizer* pairs = nullptr;  // of each process of its own
  const auto make = [](FaultWorld& w) {
    if (pairs) return;
    EXPECT_EQ(read(w), TENON_OK);
    pairs = w.outs.tokenizer;
    w.reset_outs();
  };
  const auto remove_file = [](FaultWorld&) { std::filesystem::remove(kFile); };
  sweep(
      rows, "tenon_tokenizer_save", "pairs", [](FaultWorld& w) { return save(w, pairs); },
      remove_file, make);
  sweep(
      rows, "tenon_tokenizer_load", "pairs",
      [](FaultWorld& w) {
        return tenon_tokenizer_load(w.cx, kFile.data(), kFile.size(), nullptr, 0, nullptr, nullptr,
                                    0, &w.outs.tokenizer);
      },
      remove_file,
      [make](FaultWorld& w) {
        make(w);
        EXPECT_EQ(save(w, pairs), TENON_OK);
      });
}

}  // namespace

FaultRows tokenizer_faults() {
  FaultRows rows;
  add_calls(rows);
  return rows;
}

FaultRows tokenizer_file_faults() {
  FaultRows rows;
  add_files(rows);
  return rows;
}

}  // namespace tenon::tests
