// SPDX-License-Identifier: Apache-2.0
// tests/training/idx_test.cc: every element type of idx files, and files that are refused.
#include <zlib.h>

#include "tests/support/paths.h"
#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

class Idx : public Training {
 protected:
  // One batch; only the first field unless the set has labels.
  std::vector<Tensor> batch(const Dataset& set, const std::vector<int64_t>& indices,
                            uint32_t n_fields) {
    tenon_tensor* fields[2] = {};
    must(tenon_dataset_call(context, set.get(), indices.data(),
                            static_cast<int64_t>(indices.size()), fields, n_fields));
    std::vector<Tensor> tensors;
    for (uint32_t i = 0; i < n_fields; ++i) tensors.emplace_back(fields[i]);
    return tensors;
  }

  std::string refused_file(const std::string& bytes, tenon_status expected = TENON_E_DATA) {
    const std::string where = write("bad", bytes);
    const std::vector<Option> given = {{"images", text(where)}};
    const Options options(given);
    tenon_dataset* out = nullptr;
    const std::string words =
        refused(tenon_dataset_create(context, "tenon.idx", TENON_NUL, options.names.data(),
                                     options.values.data(), 1, &out),
                expected);
    EXPECT_EQ(out, nullptr);
    EXPECT_NE(words.find(where), std::string::npos) << words;
    return words;
  }

  // The first sample, read as T after a conversion by the runtime.
  template <class T>
  void expect_sample(const std::string& bytes, tenon_dtype dtype, const std::vector<T>& expected) {
    const Dataset set = dataset({{"images", text(write("good", bytes))}});
    tenon_meta meta{};
    const char* name = nullptr;
    must(tenon_dataset_get_field(context, set.get(), 0, &meta, &name));
    EXPECT_EQ(meta.dtype, dtype);
    EXPECT_STREQ(name, "image");
    const auto fields = batch(set, {0}, 1);
    std::vector<T> values(expected.size());
    must(tenon_tensor_get_data(context, fields[0].get(), values.data(), values.size() * sizeof(T)));
    EXPECT_EQ(values, expected);
  }
};

using namespace std::string_literals;

TEST_F(Idx, EveryElementType) {
  expect_sample<uint8_t>(idx_file(0x08, {1, 2}, "\x01\xff"s), TENON_DTYPE_U8, {1, 255});
  expect_sample<int8_t>(idx_file(0x09, {1, 2}, "\x01\xff"s), TENON_DTYPE_I8, {1, -1});
  expect_sample<int16_t>(idx_file(0x0B, {1, 2}, "\x01\x02\xff\xfe"s), TENON_DTYPE_I16, {258, -2});
  expect_sample<int32_t>(idx_file(0x0C, {1, 1}, "\x01\x02\x03\x04"s), TENON_DTYPE_I32,
                         {0x01020304});
  expect_sample<float>(idx_file(0x0D, {1, 1}, "\x3f\xc0\0\0"s), TENON_DTYPE_F32, {1.5f});
  expect_sample<double>(idx_file(0x0E, {1, 1}, "\x3f\xf8\0\0\0\0\0\0"s), TENON_DTYPE_F64, {1.5});
}

TEST_F(Idx, SamplesAndLabelsInTheOrderAsked) {
  const std::string images = write("images", idx_file(0x08, {3, 1, 2}, "abcdef"));
  const std::string labels = write("labels", idx_file(0x0B, {3}, "\0\x07\xff\xff\x01\0"s));
  const Dataset set = dataset({{"images", text(images)}, {"labels", text(labels)}});
  int64_t length = 0;
  must(tenon_dataset_get_length(context, set.get(), &length));
  EXPECT_EQ(length, 3);
  const auto fields = batch(set, {2, 0, 2, 1}, 2);
  tenon_view view{};
  must(tenon_tensor_get_view(context, fields[0].get(), &view));
  EXPECT_EQ(Shape(view.shape, view.shape + view.rank), (Shape{4, 1, 2}));
  std::string bytes(8, ' ');
  must(tenon_tensor_get_data(context, fields[0].get(), bytes.data(), bytes.size()));
  EXPECT_EQ(bytes, "efabefcd");
  EXPECT_EQ(values_of<int64_t>(fields[1].get()), (std::vector<int64_t>{256, 7, 256, -1}));
  const int64_t outside[] = {0, 3};
  tenon_tensor* none[2] = {};
  const std::string words =
      refused(tenon_dataset_call(context, set.get(), outside, 2, none, 2), TENON_E_ARGUMENT);
  EXPECT_NE(words.find("3"), std::string::npos) << words;
}

TEST_F(Idx, ScalarSamplesAndEmptySets) {
  expect_sample<uint8_t>(idx_file(0x08, {2}, "ab"), TENON_DTYPE_U8, {'a'});
  const Dataset none = dataset({{"images", text(write("none", idx_file(0x08, {0, 8, 8}, "")))}});
  int64_t length = -1;
  must(tenon_dataset_get_length(context, none.get(), &length));
  EXPECT_EQ(length, 0);
}

TEST_F(Idx, GzipIsFoundUnderThePlainName) {
  const std::string bytes = idx_file(0x08, {1, 2}, "ab");
  gzFile file = gzopen(path("packed.gz").c_str(), "wb");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
            static_cast<int>(bytes.size()));
  gzclose(file);
  const Dataset set = dataset({{"images", text(path("packed"))}});
  std::string sample(2, ' ');
  const auto fields = batch(set, {0}, 1);
  must(tenon_tensor_get_data(context, fields[0].get(), sample.data(), sample.size()));
  EXPECT_EQ(sample, "ab");
}

TEST_F(Idx, DamagedFilesAreRefused) {
  const std::string good = idx_file(0x08, {2, 3}, "abcdef");
  for (size_t length = 0; length < good.size(); ++length) {
    SCOPED_TRACE(length);
    const std::string words = refused_file(good.substr(0, length));
    EXPECT_NE(words.find(std::to_string(length) + " bytes"), std::string::npos) << words;
  }
  EXPECT_NE(refused_file(good + "x").find("expected 18 bytes, found 19 bytes"), std::string::npos);
  EXPECT_NE(refused_file(idx_file(0x0A, {1}, "a")).find("code 10"), std::string::npos);
  EXPECT_NE(refused_file(idx_file(0x08, {}, "a")).find("dimensions"), std::string::npos);
  EXPECT_NE(refused_file(idx_file(0x08, std::vector<uint32_t>(9, 1), "a")).find("dimensions"),
            std::string::npos);
  const uint32_t most = UINT32_MAX;
  EXPECT_NE(refused_file(idx_file(0x0E, {most, most, most}, "a")).find("too many"),
            std::string::npos);
  // Claims 4 TiB and holds one byte: refused without asking for that memory.
  EXPECT_NE(refused_file(idx_file(0x08, {1u << 31, 2048}, "a")).find("too short"),
            std::string::npos);
}

TEST_F(Idx, WhatIsNoFile) {
  std::filesystem::create_directory(folder / "directory");
  for (const auto& [name, fragment] :
       {std::pair{"absent", "No such file"}, {"directory", "folder"}}) {
    const std::string where = path(name);
    const std::vector<Option> given = {{"images", text(where)}};
    const Options options(given);
    tenon_dataset* out = nullptr;
    const std::string words =
        refused(tenon_dataset_create(context, "tenon.idx", TENON_NUL, options.names.data(),
                                     options.values.data(), 1, &out),
                TENON_E_IO);
    EXPECT_NE(words.find(where), std::string::npos) << words;
    EXPECT_NE(words.find(fragment), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace tenon::tests
