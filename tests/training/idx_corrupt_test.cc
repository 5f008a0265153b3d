// SPDX-License-Identifier: Apache-2.0
// tests/training/idx_corrupt_test.cc: damaged idx pairs and damaged gzip files are refused with the
// file's name, and nothing of them stays.
#include <zlib.h>

#include <fstream>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;

class CorruptIdx : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    dataset({{"images", text(write("warm", idx_file(0x08, {1}, "a")))}});
    before = stats();
  }

  tenon_stats stats() {
    tenon_stats now{};
    now.struct_size = sizeof now;
    must(tenon_runtime_get_stats(context, &now));
    return now;
  }

  // The record of a pair that must be refused with TENON_E_DATA; it names `file`.
  std::string refuse(const std::vector<Option>& given, const std::string& file) {
    const Options options(given);
    tenon_dataset* out = nullptr;
    const std::string words =
        refused(tenon_dataset_create(context, "tenon.idx", TENON_NUL, options.names.data(),
                                     options.values.data(),
                                     static_cast<uint32_t>(options.names.size()), &out),
                TENON_E_DATA);
    EXPECT_EQ(out, nullptr);
    EXPECT_NE(words.find(file), std::string::npos) << words;
    const tenon_stats after = stats();
    EXPECT_EQ(after.tensors, before.tensors);
    EXPECT_EQ(after.storages, before.storages);
    EXPECT_EQ(after.bytes_live, before.bytes_live);
    return words;
  }

  std::string packed(const std::string& name, const std::string& bytes) {
    const std::string where = path(name);
    gzFile file = gzopen(where.c_str(), "wb");
    EXPECT_NE(file, nullptr);
    EXPECT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
              static_cast<int>(bytes.size()));
    gzclose(file);
    std::ifstream back(where, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(back)), {});
  }

  tenon_stats before{};
};

TEST_F(CorruptIdx, LabelsThatDoNotFitTheImages) {
  const std::string images = write("images", idx_file(0x08, {3, 2}, "abcdef"));
  for (const auto& [name, bytes] : {std::pair{"fewer", idx_file(0x08, {2}, "ab")},
                                    {"more", idx_file(0x08, {4}, "abcd")},
                                    {"none", idx_file(0x08, {0}, "")},
                                    {"pairs", idx_file(0x08, {3, 2}, "abcdef")},
                                    {"floats", idx_file(0x0D, {3}, std::string(12, '\0'))},
                                    {"short", "\0\0\x08"s}}) {
    SCOPED_TRACE(name);
    const std::string labels = write(name, bytes);
    refuse({{"images", text(images)}, {"labels", text(labels)}}, labels);
  }
}

TEST_F(CorruptIdx, WrongMagic) {
  const std::string good = idx_file(0x08, {2, 3}, "abcdef");
  for (size_t at = 0; at < 3; ++at) {
    for (const char value : {'\x01', '\x7f', '\xff'}) {
      std::string bytes = good;
      bytes[at] = value;
      const std::string where = write("magic", bytes);
      refuse({{"images", text(where)}}, where);
    }
  }
}

TEST_F(CorruptIdx, EveryTruncationOfAGzipFile) {
  std::string payload(600, ' ');
  for (size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<char>(i * i % 251);
  const std::string whole = packed("whole.gz", idx_file(0x08, {20, 30}, payload));
  ASSERT_GT(whole.size(), 30u);
  for (size_t length = 0; length < whole.size(); length += length < 24 ? 1 : 17) {
    SCOPED_TRACE(length);
    const std::string where = write("cut.gz", whole.substr(0, length));
    refuse({{"images", text(where)}}, where);
  }
}

// As `cat a.gz b.gz` makes it. What follows a member is another one or zeros, and never nothing.
TEST_F(CorruptIdx, AGzipFileOfSeveralMembers) {
  const std::string bytes = idx_file(0x08, {4, 5}, "abcdefghijklmnopqrst");
  const std::string first = packed("1.gz", bytes), second = packed("2.gz", bytes.substr(20));
  const std::string start = packed("1.gz", bytes.substr(0, 20));
  const auto length_of = [&](const std::string& file) {
    const Dataset set = dataset("tenon.idx", {{"images", text(write("both.gz", file))}});
    int64_t length = 0;
    must(tenon_dataset_get_length(context, set.get(), &length));
    return length;
  };
  EXPECT_EQ(length_of(start + second), 4);
  EXPECT_EQ(length_of(start + second + std::string(100'000, '\0')), 4);
  EXPECT_EQ(length_of(first + packed("3.gz", "")), 4);
  before = stats();
  const auto refuse_file = [&](const std::string& file) {
    const std::string where = write("bad.gz", file);
    return refuse({{"images", text(where)}}, where);
  };
  EXPECT_NE(refuse_file(first + "x").find("compressed data cannot be read"), std::string::npos);
  EXPECT_NE(refuse_file(first + "\0x"s).find("bytes follow the zeros"), std::string::npos);
  for (size_t length = 1; length < second.size(); ++length) {
    refuse_file(start + second.substr(0, length));
  }
  for (const size_t at : {0u, 1u, 2u}) {
    std::string damaged = second;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    refuse_file(start + damaged);
  }
}

// The checksum behind the data is read, too.
TEST_F(CorruptIdx, FlippedBitsInAGzipFile) {
  const std::string whole = packed("whole.gz", idx_file(0x08, {4, 5}, "abcdefghijklmnopqrst"));
  for (size_t at = 10; at < whole.size(); ++at) {  // after the header, which has free fields
    SCOPED_TRACE(at);
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    const std::string where = write("flipped.gz", bytes);
    refuse({{"images", text(where)}}, where);
  }
}

}  // namespace
}  // namespace tenon::tests
