// SPDX-License-Identifier: Apache-2.0
// tests/files/lying_format_test.cc: formats that are not what a format must be, and formats that
// say what cannot be: refused in words, and no file is touched.
#include <tenon/ext/draft/formats.h>
#include <tenon/sdk/plugin/plugin.hpp>

#include "tests/files/files_support.h"

namespace tenon::tests {
namespace {

// What the program's own plugin offers; each test spoils it.
struct Liar {
  tenon_format_desc desc{};
  tenon_format_entry entry{};
  uint32_t entries = 1;
  int tensors_laid_out = 1;
  int pieces = 0;
  tenon_string words{};
};
Liar liar;
int object;

tenon_format_desc honest() {
  tenon_format_desc desc{};
  desc.struct_size = sizeof desc;
  desc.name = sdk::str("acme.lies");
  desc.doc = sdk::str("says what it is told");
  desc.endings = sdk::str(".lies");
  desc.read = [](tenon_call*, const void*, uint64_t, void** out) {
    *out = &object;
    return TENON_OK;
  };
  desc.release = [](void*) {};
  desc.count = [](tenon_call*, void*, uint32_t* entries, uint32_t* texts) {
    *entries = liar.entries;
    *texts = 0;
    return TENON_OK;
  };
  desc.entry = [](tenon_call*, void*, uint32_t, tenon_format_entry* out) {
    *out = liar.entry;
    return TENON_OK;
  };
  desc.metadata = [](tenon_call*, void*, uint32_t, tenon_format_pair*) { return TENON_OK; };
  desc.layout = [](tenon_call*, const tenon_format_content*, void** out) {
    liar.pieces = 0;
    *out = &object;
    return TENON_OK;
  };
  desc.piece = [](tenon_call*, void*, tenon_format_piece* out) {
    const bool more = liar.pieces++ < liar.tensors_laid_out;
    out->kind = more ? TENON_PIECE_TENSOR : TENON_PIECE_END;
    return TENON_OK;
  };
  desc.release_layout = [](void*) {};
  return desc;
}

tenon_status query(const tenon_host* host, tenon_plugin* out, tenon_diag*) {
  tenon_plugin filled{};
  filled.struct_size = std::min<uint32_t>(out->struct_size, sizeof filled);
  filled.built_major = TENON_ABI_MAJOR;
  filled.built_minor = filled.required_minor = TENON_ABI_MINOR;
  filled.fingerprint = host->fingerprint;
  filled.id = sdk::str("acme.program");
  filled.version = sdk::str("1");
  filled.license = sdk::str("MIT");
  filled.init = [](const tenon_host*, void**, tenon_diag*) { return TENON_OK; };
  filled.release = [](void*) {};
  filled.get_interface = [](void*, const char* id, uint64_t length) -> const void* {
    static const tenon_format_desc* descs[] = {&liar.desc, &liar.desc};
    static const tenon_formats_table table = {sizeof table, 1, descs};
    return std::string_view(id, length) == TENON_INTERFACE_FORMATS ? &table : nullptr;
  };
  std::memcpy(out, &filled, filled.struct_size);
  return TENON_OK;
}

class LyingFormat : public Files {
 protected:
  void SetUp() override {
    Files::SetUp();
    liar = {};
    liar.desc = honest();
    liar.entry.name = sdk::str("w");
    liar.entry.meta.dtype = TENON_DTYPE_F32;
    liar.entry.meta.rank = 1;
    liar.entry.meta.shape[0] = 2;
    liar.entry.bytes = 8;
  }
  std::string refused_plugin() {
    const std::string words = refused(tenon_plugin_load(context, query), TENON_E_PLUGIN);
    const std::string front = "the program's plugin acme.program was refused: ";
    EXPECT_EQ(words.substr(0, front.size()), front);
    return words.substr(front.size(), words.find('\n') - front.size());
  }
  std::string loaded(tenon_status expected = TENON_E_PLUGIN) {
    return words_for("a.lies", "12345678", expected);
  }
};

TEST_F(LyingFormat, RegistrationIsChecked) {
  liar.desc.flags = 4;
  EXPECT_NE(refused_plugin().find("unknown flags 4"), std::string::npos);
  liar.desc = honest();
  liar.desc.piece = nullptr;
  EXPECT_EQ(refused_plugin(), "format acme.lies: `piece` is NULL; no slot may be");
  liar.desc = honest();
  for (const char* endings : {"", "lies", ". .lies", ".lies  .lie", "."}) {
    liar.desc.endings = sdk::str(endings);
    EXPECT_EQ(refused_plugin(), std::string("format acme.lies: `endings` is '") + endings +
                                    "'; endings of file names are needed, each with its dot, "
                                    "separated by a space");
  }
  liar.desc = honest();
  liar.desc.name = sdk::str("tenon.npy");
  EXPECT_EQ(refused_plugin(),
            "format \"tenon.npy\" is offered by plugin tenon.formats already; choose another name");
}

TEST_F(LyingFormat, WhatItSaysOfAFileIsChecked) {
  must(tenon_plugin_load(context, query));
  const tenon_format_entry right = liar.entry;
  load(write("a.lies", "12345678"));
  liar.entry.offset = 1;
  EXPECT_EQ(loaded(), "acme.lies: gives tensor \"w\" bytes that are not its own");
  liar.entry = right;
  liar.entry.bytes = 4;
  EXPECT_EQ(loaded(), "acme.lies: gives tensor \"w\" bytes that are not its own");
  liar.entry = right;
  liar.entry.meta.rank = TENON_MAX_RANK + 1;
  EXPECT_EQ(loaded(), "acme.lies: gives tensor \"w\" an impossible form");
  liar.entry = right;
  liar.entry.flags = TENON_FORMAT_PACKED;  // but there is no `unpack`
  EXPECT_EQ(loaded(), "acme.lies: gives tensor \"w\" an impossible form");
  liar.entry.flags = TENON_FORMAT_FOREIGN;  // nor `foreign`
  liar.entry.meta.dtype = TENON_DTYPE_NONE;
  EXPECT_EQ(loaded(), "acme.lies: gives tensor \"w\" an impossible form");
  liar.entry = right;
  liar.entries = 2;
  EXPECT_EQ(loaded(TENON_E_DATA), "acme.lies: two tensors are named \"w\"");
}

TEST_F(LyingFormat, WhatItSaysOfForeignTensorsIsChecked) {
  liar.desc.foreign = [](tenon_call*, void*, uint32_t, tenon_string* out) {
    *out = liar.words;
    return TENON_OK;
  };
  must(tenon_plugin_load(context, query));
  liar.entry.flags = TENON_FORMAT_FOREIGN;
  liar.entry.meta.dtype = TENON_DTYPE_NONE;
  EXPECT_EQ(loaded(), "acme.lies: does not say what \"w\" is");
  liar.words = sdk::str("F3");
  load(write("a.lies", "12345678"));
  const std::string impossible = "acme.lies: gives tensor \"w\" an impossible form";
  liar.entry.meta.shape[0] = -1;
  EXPECT_EQ(loaded(), impossible);
  liar.entry.meta.shape[0] = 1;
  liar.entry.meta.dtype = TENON_DTYPE_F32;
  EXPECT_EQ(loaded(), impossible);
  liar.entry.meta.dtype = TENON_DTYPE_NONE;
  liar.entry.bytes = 9;
  EXPECT_EQ(loaded(), "acme.lies: gives tensor \"w\" bytes that are not its own");
}

TEST_F(LyingFormat, LayoutsThatLoseATensorWriteNothing) {
  must(tenon_plugin_load(context, query));
  const ArchiveHandle made = create();
  set(made, "w", tensor<float>({1}, {1}));
  for (const int tensors : {0, 2}) {
    liar.tensors_laid_out = tensors;
    const std::string words = refused(save(made, path("b.lies")), TENON_E_PLUGIN);
    EXPECT_EQ(words.substr(0, words.find('\n')),
              "acme.lies: lays out a file that does not hold each tensor once");
    EXPECT_EQ(files_there(), 0u);
  }
  liar.tensors_laid_out = 1;
  must(save(made, path("b.lies")));
  EXPECT_EQ(read(path("b.lies")), raw<float>({1}));
}

}  // namespace
}  // namespace tenon::tests
