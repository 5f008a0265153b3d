// SPDX-License-Identifier: Apache-2.0
// tests/files/foreign_test.cc: files that hold what Tenon cannot: all of it is listed, one is
// refused when it is asked for, and its bytes are given.
#include "tests/files/files_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;

class Foreign : public Files {
 protected:
  struct Listed {
    std::string name, foreign;
    tenon_meta meta{};
  };
  Listed listed(const ArchiveHandle& archive, uint32_t index) {
    Listed found;
    const char* text = nullptr;
    uint64_t length = 0;
    must(tenon_archive_get_entry(context, archive.get(), index, &text, &length, &found.meta));
    found.name.assign(text, length);
    must(tenon_archive_get_foreign(context, archive.get(), index, &text, &length));
    found.foreign.assign(text, length);
    EXPECT_STREQ(text, found.foreign.c_str());
    return found;
  }
  std::string bytes_of(const ArchiveHandle& archive, uint32_t index, uint32_t flags = 0) {
    tenon_tensor* out = nullptr;
    must(tenon_tensor_create_loaded(context, archive.get(), index, TENON_ARCHIVE_BYTES | flags,
                                    &out));
    const Tensor owned(out);
    tenon_view view{};
    must(tenon_tensor_get_view(context, out, &view));
    EXPECT_EQ(view.dtype, TENON_DTYPE_U8);
    EXPECT_EQ(view.rank, 1);
    return {static_cast<const char*>(view.data), static_cast<size_t>(view.shape[0])};
  }
  std::string refused_tensor(const ArchiveHandle& archive, uint32_t index) {
    tenon_tensor* out = nullptr;
    const std::string words = refused(
        tenon_tensor_create_loaded(context, archive.get(), index, 0, &out), TENON_E_UNSUPPORTED);
    EXPECT_EQ(out, nullptr);
    return words;
  }
};

TEST_F(Foreign, OneTensorOfASafetensorsFile) {
  const std::string header =
      R"({"a":{"dtype":"F8_E4M3","shape":[2,1],"data_offsets":[0,2]},)"
      R"("b":{"dtype":"I16","shape":[1],"data_offsets":[2,4]},)"
      R"("c":{"dtype":"F4","shape":[2],"data_offsets":[4,5]},)"
      R"("d":{"dtype":"NEXT","shape":[7],"data_offsets":[5,6]},)"
      R"("e":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[6,7]}})";
  const std::string file = write("f.safetensors", safetensors(header, "abcdefg"));
  const ArchiveHandle archive = load(file);
  const Listed a = listed(archive, 0);
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.foreign, "F8_E4M3");
  EXPECT_EQ(a.meta.dtype, TENON_DTYPE_NONE);
  EXPECT_EQ(a.meta.rank, 2);
  EXPECT_EQ(a.meta.shape[0], 2);
  EXPECT_EQ(listed(archive, 1).foreign, "");
  EXPECT_EQ(listed(archive, 2).foreign, "F4");
  EXPECT_EQ(listed(archive, 3).foreign, "NEXT");
  EXPECT_EQ(listed(archive, 4).foreign, "U8 of 9 dimensions");
  EXPECT_EQ(listed(archive, 4).meta.rank, 0);
  EXPECT_EQ(values_of<int16_t>(tensor_of(archive, "b").get()),
            (std::vector<int16_t>{'c' | 'd' << 8}));
  const std::string words = refused_tensor(archive, 0);
  EXPECT_EQ(words, "\"a\" in '" + file +
                       "' is not a tensor that Tenon can hold\n\na\n"
                       "one of: bool u8 i8 i16 i32 i64 f16 bf16 f32 f64\nF8_E4M3\n\n"
                       "ask for its bytes, as u8, or convert it first\n");
  EXPECT_EQ(bytes_of(archive, 0), "ab");
  EXPECT_EQ(bytes_of(archive, 0, TENON_ARCHIVE_COPY), "ab");
  EXPECT_EQ(bytes_of(archive, 1), "cd");
  EXPECT_EQ(bytes_of(archive, 4), "g");
}

TEST_F(Foreign, ArraysOfNumPy) {
  const auto load_npy = [&](const std::string& descr, const std::string& shape,
                            const std::string& data) {
    const std::string header = "{'descr': " + descr + ", 'fortran_order': True, 'shape': " + shape;
    return load(write("a.npy", npy(header + ", }\n", data)));
  };
  const ArchiveHandle complex = load_npy("'<c8'", "(1, 2)", "0123456789abcdef");
  EXPECT_EQ(listed(complex, 0).foreign, "'<c8'");
  EXPECT_EQ(listed(complex, 0).meta.shape[1], 2);
  EXPECT_EQ(bytes_of(complex, 0), "0123456789abcdef");
  EXPECT_EQ(bytes_of(load_npy("'>u2'", "()", "ab"), 0), "ab");  // in the file's order
  EXPECT_EQ(bytes_of(load_npy("'<U1'", "(1,)", "a\0\0\0"s), 0), "a\0\0\0"s);
  EXPECT_EQ(bytes_of(load_npy("'<M8[ns]'", "(1,)", "01234567"), 0), "01234567");
  EXPECT_EQ(bytes_of(load_npy("'|O'", "(3,)", "any number"), 0), "any number");
  const std::string records =
      "[('x', '<i2'), ((u'it\\'s', 'y'), '<f4', (2L,)), ('', '|V1'), ('z', [('a', '|S3')], 2)]";
  const ArchiveHandle rows = load_npy(records, "(1,)", "0123456789ABCDEFG");
  EXPECT_EQ(listed(rows, 0).foreign, records);
  EXPECT_EQ(bytes_of(rows, 0), "0123456789ABCDEFG");
  // Field names are Latin-1, and UTF-8 from version 3 on.
  EXPECT_EQ(listed(load_npy("[('\xfc', '<f4')]", "()", "1234"), 0).foreign,
            "[('\xc3\xbc', '<f4')]");
  const auto third = [&](const std::string& field) {
    std::string bytes =
        npy("{'descr': [('" + field + "', '<f4')], 'fortran_order': False, 'shape': ()}", "1234");
    bytes.replace(6, 4, "\3\0"s + bytes.substr(8, 2) + "\0\0"s);
    return write("v3.npy", bytes);
  };
  EXPECT_EQ(listed(load(third("\xc3\xbc")), 0).foreign, "[('\xc3\xbc', '<f4')]");
  refused_load(third("\xfc"));
  EXPECT_EQ(listed(load_npy("'<f4'", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", "1234"), 0).foreign,
            "'<f4' of 9 dimensions");
  EXPECT_EQ(bytes_of(load_npy("'>i2'", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", "ab"), 0), "ab");
  const auto words = [&](const std::string& descr, const std::string& shape) {
    return words_for("b.npy",
                     npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}",
                         "0123456789"));
  };
  EXPECT_EQ(words("'<c16'", "(1,)"),
            "tenon.npy: the array is too short: expected 16 bytes of elements, found 10 bytes");
  EXPECT_EQ(words(records, "(2,)"),
            "tenon.npy: the array is too short: expected 34 bytes of elements, found 10 bytes");
  EXPECT_EQ(words("[('x', )]", "()"),
            "tenon.npy: the array has a wrong header: expected a text in quotes, found ')], "
            "'fortran_ord'");
  std::string deep = "'|V1'";
  for (int i = 0; i < 40; ++i) deep = "[('', " + deep + ")]";
  EXPECT_NE(words(deep, "()").find("expected records that lie less deep"), std::string::npos);
}

}  // namespace
}  // namespace tenon::tests
