// SPDX-License-Identifier: Apache-2.0
// tests/api/tokenizer_rows_support.cc: wrong calls of tokenizers.
#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

const std::string kPairs = "tenon-pairs 1\n97 98\n";
const std::string kText = "ab";
const std::string kFile = "/nowhere/at/all.pairs";

using Call = std::function<tenon_status(World&, tenon_context*, tenon_tokenizer*)>;

void add_tokenizer(Rows& rows, const char* function, Call call) {
  add_both<tenon_tokenizer>(rows, function, Kind::Tokenizer, &World::Side::tokenizer,
                            std::move(call));
}

// With one option, unless `option` is NULL.
tenon_status create(World& w, tenon_context* cx, const char* name, const std::string* file,
                    const char* option = nullptr, const tenon_value& value = {}) {
  const tenon_string names[] = {{option, option ? TENON_NUL : 0}};
  return tenon_tokenizer_create(cx, name, TENON_NUL, file ? file->data() : nullptr,
                                file ? file->size() : 0, names, &value, option ? 1 : 0,
                                &w.outs.tokenizer);
}

void add_creation(Rows& rows) {
  const char* const function = "tenon_tokenizer_create";
  add_contexts(rows, function,
               [](World& w, tenon_context* cx) { return create(w, cx, "tenon.bytes", nullptr); });
  const auto wrong = [&](const char* what, tenon_status expected, const char* name,
                         const std::string* file, const char* option = nullptr,
                         const tenon_value& value = {}) {
    add(rows, function, what, expected,
        [=](World& w) { return create(w, w.cx, name, file, option, value); });
  };
  static const std::string bad = "not one", empty;
  wrong("unknown", TENON_E_NOT_FOUND, "tenon.syllables", nullptr);
  wrong("NULL name", TENON_E_ARGUMENT, nullptr, nullptr);
  wrong("unknown option", TENON_E_ATTRIBUTE, "tenon.bytes", nullptr, "size", value_of(1.0));
  wrong("wrong type", TENON_E_ATTRIBUTE, "tenon.pairs", nullptr, "text", value_of(1.0));
  wrong("NULL text", TENON_E_ATTRIBUTE, "tenon.pairs", nullptr, "text",
        tenon_value{TENON_VALUE_STRING, 3, {}});
  wrong("no file", TENON_E_ATTRIBUTE, "tenon.pairs", nullptr);
  wrong("a file that is not wanted", TENON_E_ATTRIBUTE, "tenon.bytes", &empty);
  wrong("a file and a text", TENON_E_ATTRIBUTE, "tenon.pairs", &kPairs, "text", value_of(kText));
  wrong("a file that is none", TENON_E_DATA, "tenon.pairs", &bad);
  wrong("an empty file", TENON_E_DATA, "tenon.characters", &empty);
  add(rows, function, "NULL file with a length", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_create(w.cx, "tenon.pairs", TENON_NUL, nullptr, 4, nullptr, nullptr, 0,
                                  &w.outs.tokenizer);
  });
  add(rows, function, "NULL options", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_create(w.cx, "tenon.pairs", TENON_NUL, nullptr, 0, nullptr, nullptr, 1,
                                  &w.outs.tokenizer);
  });
  add(rows, function, "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_create(w.cx, "tenon.bytes", TENON_NUL, nullptr, 0, nullptr, nullptr, 0,
                                  nullptr);
  });
  rows.push_back({"tenon_tokenizer_release", "NULL", TENON_OK, [](World&) {
                    tenon_tokenizer_release(nullptr);
                    return TENON_OK;
                  }});
  rows.push_back({"tenon_tokenizer_release", "another kind", TENON_OK, [](World& w) {
                    tenon_tokenizer_release(reinterpret_cast<tenon_tokenizer*>(w.t));
                    return TENON_OK;
                  }});
}

void add_files(Rows& rows) {
  const char* const load = "tenon_tokenizer_load";
  const auto loaded = [](World& w, tenon_context* cx, const char* path, const char* name) {
    return tenon_tokenizer_load(cx, path, TENON_NUL, name, name ? TENON_NUL : 0, nullptr, nullptr,
                                0, &w.outs.tokenizer);
  };
  add_contexts(rows, load,
               [=](World& w, tenon_context* cx) { return loaded(w, cx, kFile.c_str(), nullptr); });
  const auto wrong = [&](const char* what, tenon_status expected, const char* path,
                         const char* name) {
    add(rows, load, what, expected, [=](World& w) { return loaded(w, w.cx, path, name); });
  };
  wrong("no such file", TENON_E_IO, kFile.c_str(), nullptr);
  wrong("a folder", TENON_E_IO, "/", "tenon.pairs");
  wrong("unknown ending", TENON_E_NOT_FOUND, "/a.tar", nullptr);
  wrong("unknown name", TENON_E_NOT_FOUND, kFile.c_str(), "tenon.syllables");
  wrong("NULL path", TENON_E_ARGUMENT, nullptr, nullptr);
  wrong("empty path", TENON_E_ARGUMENT, "", nullptr);
  add(rows, load, "a zero byte in the path", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_load(w.cx, "a\0.pairs", 8, nullptr, 0, nullptr, nullptr, 0,
                                &w.outs.tokenizer);
  });
  add(rows, load, "NULL name with a length", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_load(w.cx, kFile.data(), kFile.size(), nullptr, 3, nullptr, nullptr, 0,
                                &w.outs.tokenizer);
  });
  add(rows, load, "NULL options", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_load(w.cx, kFile.data(), kFile.size(), nullptr, 0, nullptr, nullptr, 1,
                                &w.outs.tokenizer);
  });
  add(rows, load, "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_load(w.cx, kFile.data(), kFile.size(), nullptr, 0, nullptr, nullptr, 0,
                                nullptr);
  });
  const char* const save = "tenon_tokenizer_save";
  add_tokenizer(rows, save, [](World&, tenon_context* cx, tenon_tokenizer* tokenizer) {
    return tenon_tokenizer_save(cx, tokenizer, kFile.data(), kFile.size());
  });
  for (const char* path : {"", static_cast<const char*>(nullptr)}) {
    add(rows, save, "a path that cannot be", TENON_E_ARGUMENT,
        [=](World& w) { return tenon_tokenizer_save(w.cx, w.own.tokenizer, path, TENON_NUL); });
  }
  add(rows, save, "a kind that writes none", TENON_E_UNSUPPORTED,
      [](World& w) { return tenon_tokenizer_save(w.cx, w.own.tokenizer, "/a", TENON_NUL); });
  add(rows, save, "a folder that is not there", TENON_E_IO, [](World& w) {
    tenon_tokenizer* pairs = nullptr;
    EXPECT_EQ(tenon_tokenizer_create(w.cx, "tenon.pairs", TENON_NUL, kPairs.data(), kPairs.size(),
                                     nullptr, nullptr, 0, &pairs),
              TENON_OK);
    const tenon_status status = tenon_tokenizer_save(w.cx, pairs, kFile.data(), kFile.size());
    tenon_tokenizer_release(pairs);
    return status;
  });
}

void add_vocabulary(Rows& rows) {
  const char* const info = "tenon_tokenizer_get_info";
  add_tokenizer(rows, info, [](World& w, tenon_context* cx, tenon_tokenizer* tokenizer) {
    return tenon_tokenizer_get_info(cx, tokenizer, &w.outs.tokenizer_info);
  });
  add(rows, info, "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_tokenizer_get_info(w.cx, w.own.tokenizer, nullptr); });
  const char* const token = "tenon_tokenizer_get_token";
  add_tokenizer(rows, token, [](World& w, tenon_context* cx, tenon_tokenizer* tokenizer) {
    return tenon_tokenizer_get_token(cx, tokenizer, 65, &w.outs.text, &w.outs.index);
  });
  for (const int64_t wrong : {int64_t{-1}, int64_t{256}, (int64_t{1} << 32) + 65}) {
    add(rows, token, "no such token", TENON_E_NOT_FOUND, [=](World& w) {
      return tenon_tokenizer_get_token(w.cx, w.own.tokenizer, wrong, &w.outs.text, &w.outs.index);
    });
  }
  const char* const find = "tenon_tokenizer_find_token";
  add_tokenizer(rows, find, [](World& w, tenon_context* cx, tenon_tokenizer* tokenizer) {
    return tenon_tokenizer_find_token(cx, tokenizer, "A", 1, &w.outs.length);
  });
  const auto wrong = [&](const char* what, tenon_status expected, const char* text,
                         uint64_t length) {
    add(rows, find, what, expected, [=](World& w) {
      return tenon_tokenizer_find_token(w.cx, w.own.tokenizer, text, length, &w.outs.length);
    });
  };
  wrong("no such spelling", TENON_E_NOT_FOUND, "AB", 2);
  wrong("empty", TENON_E_NOT_FOUND, "", 0);
  wrong("NULL", TENON_E_ARGUMENT, nullptr, 2);
  add(rows, find, "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_tokenizer_find_token(w.cx, w.own.tokenizer, "A", 1, nullptr); });
}

void add_calls(Rows& rows) {
  const char* const call = "tenon_tokenizer_call";
  add_tokenizer(rows, call, [](World& w, tenon_context* cx, tenon_tokenizer* tokenizer) {
    return tenon_tokenizer_call(cx, tokenizer, "a", 1, 0, 0, w.outs.tensors);
  });
  add(rows, call, "NULL text", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_call(w.cx, w.own.tokenizer, nullptr, 1, 0, 0, w.outs.tensors);
  });
  add(rows, call, "negative limit", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_call(w.cx, w.own.tokenizer, "a", 1, 0, -1, w.outs.tensors);
  });
  add(rows, call, "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_tokenizer_call(w.cx, w.own.tokenizer, "a", 1, 0, 0, nullptr); });
  const uint32_t known = TENON_TOKENIZER_ADD_SPECIAL | TENON_TOKENIZER_READ_SPECIAL;
  add_unknown_flags(rows, call, known, [](World& w, uint32_t flags) {
    return tenon_tokenizer_call(w.cx, w.own.tokenizer, "a", 1, flags, 0, w.outs.tensors);
  });
  const char* const batch = "tenon_tokenizer_call_batch";
  const auto several = [](World& w, tenon_context* cx, tenon_tokenizer* tokenizer, uint32_t flags,
                          int64_t limit, int64_t pad) {
    const tenon_string texts[] = {{"a", 1}, {"bc", 2}};
    return tenon_tokenizer_call_batch(cx, tokenizer, texts, 2, flags, limit, pad,
                                      &w.outs.tensors[0], &w.outs.tensors[1]);
  };
  add_tokenizer(rows, batch, [=](World& w, tenon_context* cx, tenon_tokenizer* tokenizer) {
    return several(w, cx, tokenizer, 0, 0, 0);
  });
  const auto wrong = [&](const char* what, uint32_t flags, int64_t limit, int64_t pad) {
    add(rows, batch, what, TENON_E_ARGUMENT,
        [=](World& w) { return several(w, w.cx, w.own.tokenizer, flags, limit, pad); });
  };
  wrong("negative limit", 0, -1, 0);
  wrong("no limit to fill up to", TENON_TOKENIZER_PAD_TO_LIMIT, 0, 0);
  wrong("no token that fills up", 0, 0, -1);
  wrong("pad is below -1", 0, 0, -2);
  wrong("pad is not a token", 0, 0, 256);
  add_unknown_flags(
      rows, batch, known | TENON_TOKENIZER_PAD_LEFT | TENON_TOKENIZER_PAD_TO_LIMIT,
      [=](World& w, uint32_t flags) { return several(w, w.cx, w.own.tokenizer, flags, 0, 0); });
  add(rows, batch, "rows that no memory holds", TENON_E_SHAPE, [=](World& w) {
    return several(w, w.cx, w.own.tokenizer, TENON_TOKENIZER_PAD_TO_LIMIT, INT64_MAX, 0);
  });
  add(rows, batch, "NULL texts", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_call_batch(w.cx, w.own.tokenizer, nullptr, 1, 0, 0, 0, w.outs.tensors,
                                      nullptr);
  });
  add(rows, batch, "a NULL text", TENON_E_ARGUMENT, [](World& w) {
    const tenon_string text = {nullptr, 1};
    return tenon_tokenizer_call_batch(w.cx, w.own.tokenizer, &text, 1, 0, 0, 0, w.outs.tensors,
                                      nullptr);
  });
  add(rows, batch, "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_call_batch(w.cx, w.own.tokenizer, nullptr, 0, 0, 0, 0, nullptr,
                                      &w.outs.tensors[1]);
  });
}

void add_texts(Rows& rows) {
  const char* const function = "tenon_tokenizer_get_text";
  const auto text = [](World& w, tenon_context* cx, tenon_tokenizer* tokenizer,
                       tenon_tensor* tokens, uint32_t flags) {
    return tenon_tokenizer_get_text(cx, tokenizer, tokens, flags, &w.outs.text);
  };
  add_tokenizer(rows, function, [=](World& w, tenon_context* cx, tenon_tokenizer* tokenizer) {
    return text(w, cx, tokenizer, w.integers, 0);
  });
  add_handles(rows, function, Kind::Tensor, [=](World& w, void* handle) {
    return text(w, w.cx, w.own.tokenizer, static_cast<tenon_tensor*>(handle), 0);
  });
  const auto wrong = [&](const char* what, tenon_status expected, tenon_tensor* World::*tokens) {
    add(rows, function, what, expected,
        [=](World& w) { return text(w, w.cx, w.own.tokenizer, w.*tokens, 0); });
  };
  wrong("a batch", TENON_E_SHAPE, &World::integers);
  wrong("no integers", TENON_E_DTYPE, &World::line);
  wrong("tokens elsewhere", TENON_E_DEVICE, &World::away);
  add(rows, function, "a number that is not a token", TENON_E_DATA, [=](World& w) {
    const int64_t number = 256, one = 1;
    tenon_tensor* tokens = nullptr;
    EXPECT_EQ(tenon_tensor_create_from(w.cx, TENON_DTYPE_I64, nullptr, 1, &one, &number,
                                       sizeof number, &tokens),
              TENON_OK);
    const tenon_status status = text(w, w.cx, w.own.tokenizer, tokens, 0);
    tenon_tensor_release(tokens);
    return status;
  });
  add_unknown_flags(rows, function, TENON_TOKENIZER_SKIP_SPECIAL, [=](World& w, uint32_t flags) {
    return text(w, w.cx, w.own.tokenizer, w.integers, flags);
  });
  add(rows, function, "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tokenizer_get_text(w.cx, w.own.tokenizer, w.integers, 0, nullptr);
  });
}

}  // namespace

void add_tokenizer_rows(Rows& rows) {
  add_creation(rows);
  add_files(rows);
  add_vocabulary(rows);
  add_calls(rows);
  add_texts(rows);
}

}  // namespace tenon::tests
