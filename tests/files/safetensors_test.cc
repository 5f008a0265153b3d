// SPDX-License-Identifier: Apache-2.0
// tests/files/safetensors_test.cc: safetensors files, read, written and refused.
#include "tests/files/files_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;

class Safetensors : public Files {
 protected:
  std::string words(const std::string& header, const std::string& data = {},
                    tenon_status expected = TENON_E_DATA) {
    return words_for("bad.safetensors", safetensors(header, data), expected);
  }
};

TEST_F(Safetensors, EveryDtypeComesBackAsItWas) {
  const ArchiveHandle made = create();
  const std::vector<std::pair<std::string, tenon_dtype>> dtypes = {
      {"bool", TENON_DTYPE_BOOL}, {"u8", TENON_DTYPE_U8},     {"i8", TENON_DTYPE_I8},
      {"i16", TENON_DTYPE_I16},   {"i32", TENON_DTYPE_I32},   {"i64", TENON_DTYPE_I64},
      {"f16", TENON_DTYPE_F16},   {"bf16", TENON_DTYPE_BF16}, {"f32", TENON_DTYPE_F32},
      {"f64", TENON_DTYPE_F64}};
  const int64_t shape[] = {3, 2};
  for (const auto& [name, dtype] : dtypes) {
    const std::string bytes(6 * ((dtype >> 8 & 0xff) / 8), '\1');
    tenon_tensor* out = nullptr;
    must(tenon_tensor_create_from(context, dtype, nullptr, 2, shape, bytes.data(), bytes.size(),
                                  &out));
    set(made, name, Tensor(out));
  }
  set_text(made, "quote\"d", "line\nand \xc3\xa4");
  must(save(made, path("all.safetensors")));
  const ArchiveHandle back = load(path("all.safetensors"));
  uint32_t tensors = 0;
  uint32_t texts = 0;
  must(tenon_archive_get_count(context, back.get(), &tensors, &texts));
  EXPECT_EQ(tensors, 10u);
  EXPECT_EQ(texts, 1u);
  EXPECT_EQ(text_of(back, "quote\"d"), "line\nand \xc3\xa4");
  for (const auto& [name, dtype] : dtypes) {
    const Tensor found = tensor_of(back, name);
    tenon_view view{};
    must(tenon_tensor_get_view(context, found.get(), &view));
    EXPECT_EQ(view.dtype, dtype) << name;
    EXPECT_EQ(shape_of(found), (Shape{3, 2}));
    EXPECT_NE(flags_of(found) & TENON_TENSOR_EXTERNAL, 0u) << name << " was copied";
    const size_t bytes = 6 * ((dtype >> 8 & 0xff) / 8);
    EXPECT_EQ(std::memcmp(view.data, std::string(bytes, '\1').data(), bytes), 0);
  }
}

TEST_F(Safetensors, MappedTensorsOutliveFileAndArchive) {
  const std::string file = write(
      "a.safetensors", safetensors(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}  )",
                                   raw<float>({1.5f, -2})));
  ArchiveHandle archive = load(file);
  const Tensor window = tensor_of(archive, "w");
  const Tensor own = tensor_of(archive, "w", TENON_ARCHIVE_COPY);
  EXPECT_NE(flags_of(window) & TENON_TENSOR_READ_ONLY, 0u);
  EXPECT_EQ(flags_of(own) & (TENON_TENSOR_READ_ONLY | TENON_TENSOR_EXTERNAL), 0u);
  archive.reset();
  std::filesystem::remove(file);
  EXPECT_EQ(values_of<float>(window.get()), (std::vector<float>{1.5f, -2}));
  const float five[] = {5, 5};
  EXPECT_NE(refused(tenon_tensor_set_data(context, window.get(), five, 8), TENON_E_ALIAS), "");
  must(tenon_tensor_set_data(context, own.get(), five, 8));
  EXPECT_EQ(values_of<float>(own.get()), (std::vector<float>{5, 5}));
}

TEST_F(Safetensors, UnalignedTensorsAreCopied) {
  const std::string file = write(
      "odd.safetensors", safetensors(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                     R"("b":{"dtype":"F64","shape":[],"data_offsets":[1,9]}})",
                                     "\7" + raw<double>({0.25})));
  for (const uint32_t flags : {0u, TENON_ARCHIVE_IN_MEMORY}) {
    const ArchiveHandle archive = load(file, flags);
    const Tensor b = tensor_of(archive, "b");
    EXPECT_EQ(values_of<double>(b.get()), std::vector<double>{0.25});
    EXPECT_EQ(shape_of(b), Shape{});
    EXPECT_EQ(flags_of(b) & TENON_TENSOR_EXTERNAL, 0u);
  }
}

TEST_F(Safetensors, EmptyFilesAndTensors) {
  const ArchiveHandle made = create();
  must(save(made, path("none.safetensors")));
  EXPECT_EQ(read(path("none.safetensors")), safetensors("{}      ", ""));
  load(path("none.safetensors"));
  set(made, "empty", tensor<float>({0, 3}, {}));
  set(made, "one", tensor<float>({}, {4}));
  must(save(made, path("empty.safetensors")));
  const ArchiveHandle back = load(path("empty.safetensors"));
  EXPECT_EQ(shape_of(tensor_of(back, "empty")), (Shape{0, 3}));
  EXPECT_EQ(values_of<float>(tensor_of(back, "one").get()), std::vector<float>{4});
}

TEST_F(Safetensors, WritesAlignedInOneForm) {
  const ArchiveHandle made = create();
  set(made, "b", tensor<float>({1}, {1}));
  set(made, "a", tensor<double>({1}, {2}));
  must(save(made, path("two.safetensors")));
  EXPECT_EQ(read(path("two.safetensors")),
            safetensors(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                        R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}    )",
                        raw<double>({2}) + raw<float>({1})));
}

TEST_F(Safetensors, HeadersThatAreRefused) {
  EXPECT_EQ(words_for("bad.safetensors", "1234567"),
            "tenon.safetensors: it is too short for a header: expected 8 bytes or more, found "
            "7 bytes");
  EXPECT_EQ(words_for("bad.safetensors", std::string("\xff\xff\xff\xff\0\0\0\0{}", 10)),
            "tenon.safetensors: its header's length is too large: expected at most 100000000 "
            "bytes, found 4294967295 bytes");
  EXPECT_EQ(words_for("bad.safetensors", std::string("\3\0\0\0\0\0\0\0{}", 10)),
            "tenon.safetensors: it ends within its header: expected 11 bytes or more, found 10 "
            "bytes");
  EXPECT_EQ(words(""), "tenon.safetensors: its header does not begin with '{'");
  EXPECT_EQ(words(" {}"), "tenon.safetensors: its header does not begin with '{'");
  EXPECT_EQ(words("{}\0"s), "tenon.safetensors: its header holds a zero byte");
  EXPECT_EQ(words("{}  \0\0\0\0"s), "tenon.safetensors: its header holds a zero byte");
  EXPECT_EQ(words("{} x"), "tenon.safetensors: its header is not JSON at its byte 4");
  EXPECT_EQ(words("{\"\xff\":1}"), "tenon.safetensors: its header is not JSON at its byte 3");
  EXPECT_EQ(words(R"({"a":1})"), "tenon.safetensors: tensor \"a\": expected an object, found 1");
  EXPECT_EQ(words(R"({"__metadata__":[]})"),
            "tenon.safetensors: its metadata is not an object: expected an object, found a list");
  EXPECT_EQ(words(R"({"__metadata__":{"k":1}})"),
            "tenon.safetensors: its metadata \"k\" is wrong: expected a text, found 1");
  EXPECT_EQ(words(R"({"__metadata__":{"k":"a","k":"b"}})"),
            "tenon.safetensors: its metadata has the member \"k\" twice");
}

TEST_F(Safetensors, TensorsThatAreRefused) {
  const auto entry = [](const std::string& members) { return "{\"w\":{" + members + "}}"; };
  EXPECT_EQ(words(entry(R"("dtype":"F32","shape":[1])")),
            "tenon.safetensors: tensor \"w\" has no \"data_offsets\"");
  EXPECT_EQ(words(entry(R"("dtype":"F32","dtype":"F32")")),
            "tenon.safetensors: tensor \"w\" has the member \"dtype\" twice");
  EXPECT_EQ(words(entry(R"("colour":"F32")")), "tenon.safetensors: tensor \"w\" has no \"dtype\"");
  EXPECT_EQ(words(entry(R"("dtype":{},"shape":[1])")),
            "tenon.safetensors: tensor \"w\" has a wrong \"dtype\": expected a text, found an "
            "object");
  EXPECT_EQ(words(entry(R"("dtype":"F8_E4M3","shape":[2],"data_offsets":[0,1])"), "a"),
            "tenon.safetensors: tensor \"w\" has data_offsets that do not fit its shape: expected "
            "2 bytes, found 1 bytes");
  EXPECT_EQ(words(entry(R"("dtype":"F4","shape":[3],"data_offsets":[0,2])"), "ab"),
            "tenon.safetensors: tensor \"w\" does not fill its last byte: expected a multiple of 8 "
            "bits, found 12 bits");
  EXPECT_EQ(words(entry(R"("dtype":"U8","shape":[-1],"data_offsets":[0,1])"), "a"),
            "tenon.safetensors: tensor \"w\" has a wrong shape: expected whole numbers from 0, "
            "found -1");
  EXPECT_EQ(words(entry(R"("dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0])")),
            "tenon.safetensors: tensor \"w\" has sizes that multiply to too many bytes: expected "
            "less than 2^63 bytes, found [4294967296,4294967296]");
  EXPECT_EQ(words(entry(R"("dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,0])")),
            "tenon.safetensors: tensor \"w\" has sizes that multiply to too many bytes: expected "
            "less than 2^63 bytes, found [18446744073709551615]");
  EXPECT_EQ(words(entry(R"("dtype":"U8","shape":[[1]],"data_offsets":[0,0])")),
            "tenon.safetensors: tensor \"w\" has a wrong shape: expected whole numbers from 0, "
            "found a list");
  EXPECT_EQ(words(entry(R"("dtype":"U8","shape":[1],"data_offsets":[1,0])"), "a"),
            "tenon.safetensors: tensor \"w\" has wrong data_offsets: expected where it begins and "
            "where it ends, found 2 numbers, the end before the beginning");
  EXPECT_EQ(words(entry(R"("dtype":"U8","shape":[2],"data_offsets":[0,1])"), "a"),
            "tenon.safetensors: tensor \"w\" has data_offsets that do not fit its shape: expected "
            "2 bytes, found 1 bytes");
  EXPECT_EQ(words(entry(R"("dtype":"U8","shape":[2],"data_offsets":[0,2])"), "a"),
            "tenon.safetensors: tensor \"w\" ends after the file: expected at most byte 1, found "
            "byte 2");
  EXPECT_EQ(words(entry(R"("dtype":"U8","shape":[1],"data_offsets":[1,2])"), "ab"),
            "tenon.safetensors: tensor \"w\" leaves a gap to the tensor before it: expected byte "
            "0, found byte 1");
  EXPECT_EQ(words(entry(R"("dtype":"U8","shape":[1],"data_offsets":[0,1])"), "ab"),
            "tenon.safetensors: bytes follow the last tensor: expected 1 bytes, found 2 bytes");
}

TEST_F(Safetensors, TwoTensorsThatAreRefused) {
  const std::string first = R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)";
  EXPECT_EQ(words(first + R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", "abc"),
            "tenon.safetensors: tensor \"b\" overlaps the tensor before it: expected byte 2, found "
            "byte 1");
  EXPECT_EQ(words(first + R"("a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})", "abcd"),
            "tenon.safetensors: its header has the member \"a\" twice");
}

// As the reference does: no metadata may be said, too, and more of a tensor than this version
// knows.
TEST_F(Safetensors, WhatIsNotKnownIsPassedOver) {
  const std::string header =
      R"({"__metadata__":null,"w":{"quant":{"shape":[9],"x":[{"dtype":1},[],null]},"dtype":"F32",)"
      R"("n":-1,"shape":[1],"t":true,"data_offsets":[0,4],"e":{},"f":1.5,"s":"dtype"},)"
      R"("v":{"dtype":"U8","shape":[],"data_offsets":[4,5]}})";
  const ArchiveHandle archive =
      load(write("m.safetensors", safetensors(header, raw<float>({2}) + "a")));
  EXPECT_EQ(values_of<float>(tensor_of(archive, "w").get()), (std::vector<float>{2}));
  EXPECT_EQ(shape_of(tensor_of(archive, "v")), Shape{});
}

TEST_F(Safetensors, BoolsAreZeroOrOne) {
  const ArchiveHandle archive = load(write(
      "b.safetensors", safetensors(R"({"m":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})",
                                   std::string("\0\1\2", 3))));
  tenon_tensor* out = nullptr;
  const std::string words =
      refused(tenon_tensor_create_loaded(context, archive.get(), 0, 0, &out), TENON_E_DATA);
  EXPECT_EQ(words.substr(0, words.find('\n')), "tensor \"m\": element 2 is not a bool");
  EXPECT_EQ(out, nullptr);
}

TEST_F(Safetensors, CutAtEveryByteAndWithEveryByteChanged) {
  const std::string whole = safetensors(
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"BOOL","shape":[1],"data_offsets":[8,9]}})",
      raw<float>({1, 2}) + "\1");
  for (size_t length = 0; length < whole.size(); ++length) {
    refused_load(write("cut.safetensors", whole.substr(0, length)));
  }
  // No change may do harm; many leave a good file.
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char change : {'\x01', '\x20', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      const std::string file = write("changed.safetensors", bytes);
      tenon_archive* out = nullptr;
      const tenon_status status =
          tenon_archive_load(context, file.data(), file.size(), nullptr, 0, 0, &out);
      const ArchiveHandle held(out);
      EXPECT_TRUE(status == TENON_OK || status == TENON_E_DATA || status == TENON_E_UNSUPPORTED);
      EXPECT_EQ(status == TENON_OK, out != nullptr);
    }
  }
}

TEST_F(Safetensors, NamesThatCannotBeWritten) {
  const ArchiveHandle made = create();
  set(made, "__metadata__", tensor<float>({1}, {1}));
  const std::string words = refused(save(made, path("x.safetensors")), TENON_E_UNSUPPORTED);
  EXPECT_NE(words.find("a tensor cannot be named \"__metadata__\""), std::string::npos) << words;
  EXPECT_EQ(files_there(), 0u);
}

}  // namespace
}  // namespace tenon::tests
