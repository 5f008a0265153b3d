// SPDX-License-Identifier: Apache-2.0
// tests/files/numpy_test.cc: npy and npz files, read, written and refused.
#include <zlib.h>

#include "tests/files/files_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;

std::string little(uint64_t value, size_t bytes) {
  return {reinterpret_cast<const char*>(&value), bytes};
}

// A zip archive of these members, each stored or deflated.
struct ZipMember {
  std::string name;
  std::string bytes;
  bool deflated = false;
  uint32_t wrong_sum = 0;   // xor
  std::string behind = {};  // its packed bytes, and part of them
  uint16_t flags = 0x800;   // UTF-8
  uint16_t method = 0;      // another than stored or deflated
  bool wide = false;        // sizes and place stand in the 64-bit extra field
};
std::string deflated(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(bytes.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
// `before` and `after` are not the archive's; `wide` writes the 64-bit end record, too.
std::string zip(const std::vector<ZipMember>& members, const std::string& before = {},
                const std::string& after = {}, bool wide = false) {
  std::string file, directory;
  for (const ZipMember& member : members) {
    const std::string packed =
        (member.deflated ? deflated(member.bytes) : member.bytes) + member.behind;
    const uint64_t sum = crc32(0, reinterpret_cast<const Bytef*>(member.bytes.data()),
                               static_cast<uInt>(member.bytes.size())) ^
                         member.wrong_sum;
    const uint64_t method = member.method != 0 ? member.method : member.deflated ? 8 : 0;
    const std::string head =
        little(20, 2) + little(member.flags, 2) + little(method, 2) + little(0, 4) + little(sum, 4);
    const std::string narrow = little(packed.size(), 4) + little(member.bytes.size(), 4);
    const std::string name = little(member.name.size(), 2);
    const std::string sizes = little(member.bytes.size(), 8) + little(packed.size(), 8);
    const std::string extra = little(0x5455, 2) + little(1, 2) + "t" + little(1, 2) +
                              little(24, 2) + sizes + little(file.size(), 8);
    directory += "PK\1\2"s + little(20, 2) + head +
                 (member.wide ? std::string(8, '\xff') : narrow) + name +
                 little(member.wide ? extra.size() : 0, 2) + std::string(10, '\0') +
                 (member.wide ? std::string(4, '\xff') : little(file.size(), 4)) + member.name +
                 (member.wide ? extra : "");
    file += "PK\3\4"s + head + narrow + name + little(0, 2) + member.name + packed;
  }
  const uint64_t begin = file.size();
  const std::string counts = little(members.size(), 8) + little(members.size(), 8);
  if (wide) {
    directory += "PK\6\6"s + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) + counts +
                 little(directory.size(), 8) + little(begin, 8);
    directory +=
        "PK\6\7"s + little(0, 4) + little(file.size() + directory.size() - 56, 8) + little(1, 4);
  }
  const std::string sizes = wide ? std::string(12, '\xff')
                                 : little(members.size(), 2) + little(members.size(), 2) +
                                       little(directory.size(), 4) + little(begin, 4);
  return before + file + directory + "PK\5\6"s + little(0, 4) + sizes + little(0, 2) + after;
}

const std::string kTwo =
    npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", raw<float>({1.5f, -2}));

class Npy : public Files {
 protected:
  std::string words(const std::string& header, const std::string& data = {},
                    tenon_status expected = TENON_E_DATA) {
    return words_for("bad.npy", npy(header, data), expected);
  }
};

TEST_F(Npy, ReadsVersionsOrdersAndForms) {
  EXPECT_EQ(values_of<float>(tensor_of(load(write("a.npy", kTwo)), "data").get()),
            (std::vector<float>{1.5f, -2}));
  const std::string header = "{\"shape\":(),'descr':'|b1','fortran_order':True}";
  for (const char version : {'\2', '\3'}) {
    const std::string file =
        write("b.npy", "\x93NUMPY"s + version + "\0"s + little(header.size(), 4) + header + "\1"s);
    EXPECT_EQ(shape_of(tensor_of(load(file), "data")), Shape{});
  }
  const std::string big = "{'descr': '>f8', 'fortran_order': False, 'shape': (1, 1), }\n";
  const Tensor swapped = tensor_of(load(write("c.npy", npy(big, "\x3f\xf8\0\0\0\0\0\0"s))), "data");
  EXPECT_EQ(values_of<double>(swapped.get()), std::vector<double>{1.5});
}

TEST_F(Npy, ColumnMajorArraysKeepTheirOrder) {
  const std::string header = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n";
  for (const uint32_t flags : {0u, TENON_ARCHIVE_COPY}) {
    const Tensor found =
        tensor_of(load(write("f.npy", npy(header, raw<float>({1, 4, 2, 5, 3, 6})))), "data", flags);
    tenon_view view{};
    must(tenon_tensor_get_view(context, found.get(), &view));
    EXPECT_EQ(view.strides[0], 1);
    EXPECT_EQ(view.strides[1], 2);
    EXPECT_EQ(values_of<float>(found.get()), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  }
}

TEST_F(Npy, WritesAsNumPyDoes) {
  const ArchiveHandle made = create();
  set(made, "any name", tensor<float>({2, 1}, {1, 2}));
  must(save(made, path("w.npy")));
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
  header.resize(117, ' ');
  EXPECT_EQ(read(path("w.npy")), npy(header + "\n", raw<float>({1, 2})));
}

TEST_F(Npy, Refused) {
  EXPECT_EQ(words_for("bad.npy", ""), "tenon.npy: the array does not begin as npy files do");
  EXPECT_EQ(words_for("bad.npy", "\x93NUMPY\4\0"s, TENON_E_UNSUPPORTED),
            "tenon.npy: the array has an unknown version: expected 1.0, 2.0 or 3.0, found 4.0");
  EXPECT_EQ(words_for("bad.npy", "\x93NUMPY\2\0\xff\xff\xff\xff"s),
            "tenon.npy: the array has a header that is too long: expected at most 10000 bytes, "
            "found 4294967295 bytes");
  EXPECT_EQ(words("{'descr': '|b1', 'descr': '|b1'}"),
            "tenon.npy: the array has the member 'descr' twice");
  EXPECT_EQ(words("{'descr': '|b1', 'shape': (3)}"),
            "tenon.npy: the array has a wrong header: expected ',', found ')}'");
  EXPECT_EQ(words("{'shape': (-3,)}"),
            "tenon.npy: the array has a wrong header: expected a size, found '-3,)}'");
  EXPECT_EQ(words("{'shape': (99999999999999999999,)}"),
            "tenon.npy: the array has a wrong header: expected a size below 2^63, found '9,)}'");
  EXPECT_EQ(words("{'descr': '|b1', 'shape': ()}"),
            "tenon.npy: the array lacks a member of its header: expected descr, fortran_order and "
            "shape, found 2 of them");
  const std::string good = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}";
  EXPECT_EQ(words(good + "x", "ab"),
            "tenon.npy: the array has a wrong header: expected nothing more, found 'x'");
  EXPECT_EQ(words(good, "a"),
            "tenon.npy: the array is too short: expected 2 bytes of elements, found 1 bytes");
  EXPECT_EQ(words(good, "abc"),
            "tenon.npy: bytes follow the array: expected 2 bytes of elements, found 3 bytes");
}

TEST_F(Npy, WhatCannotBeWritten) {
  const auto words = [&](const ArchiveHandle& archive) {
    const std::string all = refused(save(archive, path("x.npy")), TENON_E_UNSUPPORTED);
    return all.substr(0, all.find('\n'));
  };
  const ArchiveHandle made = create();
  EXPECT_EQ(words(made), "tenon.npy: an npy file holds one tensor: expected 1 tensor, found 0");
  set(made, "b", tensor<uint16_t>({1}, {0x3f80}));
  EXPECT_EQ(words(made),
            "tenon.npy: tensor \"b\" is bf16, which NumPy's files cannot hold: expected another "
            "dtype, found bf16");
  const ArchiveHandle two = create();
  set(two, "a", tensor<float>({1}, {1}));
  set(two, "b", tensor<float>({1}, {2}));
  EXPECT_EQ(words(two), "tenon.npy: an npy file holds one tensor: expected 1 tensor, found 2");
  set_text(made, "k", "v");
  EXPECT_EQ(words(made),
            "tenon.npy: an npy file holds no metadata: expected no key, found the key \"k\"");
  EXPECT_EQ(files_there(), 0u);
}

TEST_F(Npy, CutAtEveryByte) {
  for (size_t length = 0; length < kTwo.size(); ++length) {
    refused_load(write("cut.npy", kTwo.substr(0, length)));
  }
}

// As NumPy under Python 2 wrote them, and others by hand.
TEST_F(Npy, ReadsHeadersThatOthersWrite) {
  for (const char* header : {"{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }\n",
                             "{u'descr': u'<f4', u'fortran_order': False, u'shape': (2,)}\r\n",
                             "{'descr': 'f4', 'fortran_order': False, 'shape': (2,)}",
                             "{'descr': '|f4', 'fortran_order': True, 'shape': (2L, )}\r\n"}) {
    const std::string file = write("p.npy", npy(header, raw<float>({1.5f, -2})));
    EXPECT_EQ(values_of<float>(tensor_of(load(file), "data").get()), (std::vector<float>{1.5f, -2}))
        << header;
  }
  EXPECT_EQ(words("{'descr': '<f4', 'fortran_order': False, 'shape': (2U,)}"),
            "tenon.npy: the array has a wrong header: expected ',', found 'U,)}'");
}

class Npz : public Files {
 protected:
  void expect_two(const std::string& bytes) {
    const ArchiveHandle archive = load(write("z.npz", bytes));
    for (const char* name : {"a", "b"}) {
      EXPECT_EQ(values_of<float>(tensor_of(archive, name).get()), (std::vector<float>{1.5f, -2}));
    }
  }
};

// PyTorch, Go, .NET and Java write the 64-bit records into small archives, too.
TEST_F(Npz, ReadsThe64BitExtensionAndBytesAroundTheArchive) {
  std::vector<ZipMember> members = {{"a.npy", kTwo, true}, {"b.npy", kTwo, false}};
  expect_two(zip(members, {}, {}, true));
  expect_two(zip(members, {}, "\0\0\n"s));
  expect_two(zip(members, "#!/bin/sh\n", "PK\5\6"));
  expect_two(zip(members, {}, "PK\5\6\1\0\2\0"s + std::string(12, '\xfe') + "\0\0"s));
  for (ZipMember& member : members) member.wide = true;
  for (const bool wide : {false, true}) expect_two(zip(members, "before", "after", wide));
  // The field ends before the numbers that it should hold.
  std::string cut = zip(members);
  const size_t length = cut.rfind(little(24, 2) + little(kTwo.size(), 8));
  cut.replace(length, 2, little(16, 2));
  EXPECT_EQ(words_for("bad.npz", cut), "tenon.npz: member \"b.npy\" has no 64-bit sizes");
  std::string damaged = zip(members, {}, {}, true);
  damaged[damaged.find("PK\6\6") + 3] = '\7';
  EXPECT_EQ(
      words_for("bad.npz", damaged, TENON_E_UNSUPPORTED),
      "tenon.npz: the archive's 64-bit record holds more than sizes: expected 56 bytes, found "
      "more");
}

// One member that is not an array leaves the others as they are.
TEST_F(Npz, OtherMembersAreListedAndRefusedWhenAskedFor) {
  const std::string text = npy("{'descr': '|S3', 'fortran_order': False, 'shape': ()}", "csr");
  ZipMember locked{"locked.npy", kTwo};
  locked.flags |= 1;
  ZipMember packed{"packed.npy", kTwo};
  packed.method = 12;
  const ArchiveHandle archive = load(write("m.npz", zip({{"notes/", ""},
                                                         {"README.txt", "hello", true},
                                                         {"a.npy", kTwo},
                                                         locked,
                                                         packed,
                                                         {"format.npy", text, true},
                                                         {"empty", ""}})));
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"notes/", "a folder"},
      {"README.txt", "a file that is not an array"},
      {"a", ""},
      {"locked", "encrypted"},
      {"packed", "compressed by method 12"},
      {"format", "'|S3'"},
      {"empty", "a file that is not an array"}};
  for (uint32_t i = 0; i < expected.size(); ++i) {
    const char* name = nullptr;
    const char* foreign = nullptr;
    must(tenon_archive_get_entry(context, archive.get(), i, &name, nullptr, nullptr));
    must(tenon_archive_get_foreign(context, archive.get(), i, &foreign, nullptr));
    EXPECT_EQ(name, expected[i].first);
    EXPECT_EQ(foreign, expected[i].second);
    tenon_tensor* made = nullptr;
    if (expected[i].second.empty()) continue;
    refused(tenon_tensor_create_loaded(context, archive.get(), i, 0, &made), TENON_E_UNSUPPORTED);
  }
  EXPECT_EQ(values_of<float>(tensor_of(archive, "a").get()), (std::vector<float>{1.5f, -2}));
  const auto bytes = [&](const char* name) {
    const std::vector<uint8_t> found =
        values_of<uint8_t>(tensor_of(archive, name, TENON_ARCHIVE_BYTES).get());
    return std::string(found.begin(), found.end());
  };
  EXPECT_EQ(bytes("README.txt"), "hello");
  EXPECT_EQ(bytes("format"), "csr");
  EXPECT_EQ(bytes("a"), raw<float>({1.5f, -2}));
  EXPECT_EQ(bytes("notes/"), "");
  for (const uint32_t index : {3u, 4u}) {
    tenon_tensor* made = nullptr;
    const std::string words = refused(
        tenon_tensor_create_loaded(context, archive.get(), index, TENON_ARCHIVE_BYTES, &made),
        TENON_E_UNSUPPORTED);
    EXPECT_EQ(words.substr(0, words.find(':')), "tenon.npz");
    EXPECT_NE(words.find("cannot be unpacked"), std::string::npos) << words;
  }
}

TEST_F(Npz, NamesAreUtf8IfTheirFlagSaysSoElseCodePage437) {
  const ArchiveHandle archive =
      load(write("n.npz", zip({{"\x84.npy", kTwo, false, 0, {}, 0}, {"\xc3\xa5.npy", kTwo}})));
  EXPECT_EQ(shape_of(tensor_of(archive, "\xc3\xa4")), (Shape{2}));
  EXPECT_EQ(shape_of(tensor_of(archive, "\xc3\xa5")), (Shape{2}));
  EXPECT_EQ(words_for("bad.npz", zip({{"\x84.npy", kTwo}})),
            "tenon.npz: the name of a member is not the UTF-8 that its flag says");
}

// NumPy looks at how a member begins, and takes ".npy" off.
TEST_F(Npz, ArraysAreKnownByTheirBeginning) {
  const ZipMember plain{"x", kTwo}, ending{"x.npy", kTwo, true};
  for (const auto& members : {std::vector{plain, ending}, std::vector{ending, plain}}) {
    const ArchiveHandle archive = load(write("m.npz", zip(members)));
    for (const char* name : {"x", "x.npy"}) {
      EXPECT_EQ(shape_of(tensor_of(archive, name)), (Shape{2}));
    }
  }
  const ArchiveHandle text = load(write("m.npz", zip({ending, {"x", "hello"}})));
  EXPECT_EQ(shape_of(tensor_of(text, "x.npy")), (Shape{2}));
  EXPECT_EQ(shape_of(tensor_of(text, "x", TENON_ARCHIVE_BYTES)), (Shape{5}));
  const ArchiveHandle both = load(write("m.npz", zip({ending, {"x.npy.npy", kTwo}})));
  for (const char* name : {"x", "x.npy"}) EXPECT_EQ(shape_of(tensor_of(both, name)), (Shape{2}));
}

TEST_F(Npz, ANameWithAZeroByteIsNotWritten) {
  const ArchiveHandle made = create();
  set(made, "a\0b"s, tensor<float>({1}, {1}));
  const std::string words = refused(save(made, path("n.npz")), TENON_E_UNSUPPORTED);
  EXPECT_NE(words.find("has a zero byte in its name"), std::string::npos) << words;
  EXPECT_EQ(files_there(), 0u);
}

TEST_F(Npz, ReadsStoredAndDeflatedMembers) {
  const ArchiveHandle archive =
      load(write("a.npz", zip({{"a.npy", kTwo, true}, {"b.npy", kTwo, false}})));
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(values_of<float>(tensor_of(archive, name).get()), (std::vector<float>{1.5f, -2}));
  }
}

TEST_F(Npz, ComesBackAsItWas) {
  const ArchiveHandle made = create();
  set(made, "x/1", tensor<double>({2}, {1, 2}));
  set(made, "e", tensor<float>({0, 2}, {}));
  must(save(made, path("w.npz")));
  const ArchiveHandle back = load(path("w.npz"));
  EXPECT_EQ(values_of<double>(tensor_of(back, "x/1").get()), (std::vector<double>{1, 2}));
  EXPECT_EQ(shape_of(tensor_of(back, "e")), (Shape{0, 2}));
}

// Readers that go through a file once have sum and sizes from there alone.
TEST_F(Npz, SumAndSizesStandBehindEachMember) {
  const ArchiveHandle made = create();
  set(made, "a", tensor<double>({2}, {1, 2}));
  set(made, "b", tensor<float>({3}, {1, 2, 3}));
  must(save(made, path("w.npz")));
  const std::string file = read(path("w.npz"));
  const auto places = [&](const char* mark) {
    std::vector<size_t> out;
    for (size_t at = 0; (at = file.find(mark, at)) != std::string::npos; ++at) out.push_back(at);
    return out;
  };
  const std::vector<size_t> behind = places("PK\7\10"), listed = places("PK\1\2");
  ASSERT_EQ(behind.size(), 2u);
  ASSERT_EQ(listed.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(file.substr(behind[i] + 4, 12), file.substr(listed[i] + 16, 12));
  }
}

TEST_F(Npz, Refused) {
  const auto words = [&](const std::string& bytes, tenon_status expected = TENON_E_DATA) {
    return words_for("bad.npz", bytes, expected);
  };
  EXPECT_EQ(words("PK"), "tenon.npz: it does not end as zip archives do");
  EXPECT_EQ(words(zip({{"a.npy", "hello"}})),
            "tenon.npz: member \"a.npy\" does not begin as npy files do");
  EXPECT_EQ(words(zip({{"a.npy", kTwo}, {"a.npy", kTwo}})),
            "tenon.npz: two members are named \"a.npy\"");
  EXPECT_EQ(words(zip({{"a.npy", kTwo + "more"}})),
            "tenon.npz: member \"a.npy\" does not fit its shape: expected 8 bytes of elements, "
            "found 12 bytes");
  std::string part = zip({{"a.npy", kTwo}});
  part[part.rfind("PK\5\6") + 4] = '\1';
  EXPECT_EQ(words(part, TENON_E_UNSUPPORTED),
            "tenon.npz: the archive is in several parts: expected one file, found more");
  std::string moved = zip({{"a.npy", kTwo}});
  moved[30] = 'b';
  EXPECT_EQ(words(moved), "tenon.npz: member \"a.npy\" has another name or method where it lies");
  // Off by a bit, and 0, which some writers give where they know no sum.
  const auto right = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(kTwo.data()), static_cast<uInt>(kTwo.size())));
  for (const uint32_t wrong : {1u, right}) {
    const ArchiveHandle archive = load(write("sum.npz", zip({{"a.npy", kTwo, true, wrong}})));
    tenon_tensor* out = nullptr;
    const std::string sum =
        refused(tenon_tensor_create_loaded(context, archive.get(), 0, 0, &out), TENON_E_DATA);
    EXPECT_EQ(sum.rfind("tenon.npz: member \"a.npy\" has a wrong check sum: expected ", 0), 0u);
  }
}

// The elements of one are the whole record of the other, which the directory leads to.
TEST_F(Npz, MembersInsideOthersAreRefused) {
  std::string inner = zip({{"b.npy", kTwo}});
  inner.resize(inner.find("PK\1\2"));
  const std::string outer = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (" +
                                    std::to_string(inner.size()) + ",), }\n",
                                inner);
  std::string bytes = zip({{"a.npy", outer}, {"b.npy", kTwo}});
  constexpr size_t kOffset = 42;
  bytes.replace(bytes.rfind("PK\1\2") + kOffset, 4, little(bytes.find(inner), 4));
  EXPECT_EQ(words_for("bad.npz", bytes, TENON_E_DATA),
            "tenon.npz: member \"b.npy\" overlaps the member before it");
}

// A deflated member says itself where it ends; what follows is nobody's.
TEST_F(Npz, BytesBehindADeflatedMember) {
  const std::string second = deflated(kTwo);
  for (const std::string& behind : {"\0"s, "x"s, std::string(5000, '\0'), second}) {
    for (const bool is_last : {false, true}) {
      std::vector<ZipMember> members = {{"a.npy", kTwo, true}, {"b.npy", kTwo, true}};
      members[is_last].behind = behind;
      const ArchiveHandle archive = load(write("behind.npz", zip(members)));
      tenon_tensor* out = nullptr;
      const std::string words = refused(
          tenon_tensor_create_loaded(context, archive.get(), is_last, 0, &out), TENON_E_DATA);
      EXPECT_EQ(out, nullptr);
      EXPECT_EQ(words.substr(0, words.find('\n')), "tenon.npz: member \""s + (is_last ? "b" : "a") +
                                                       ".npy\" is not as long as it claims");
      EXPECT_EQ(values_of<float>(tensor_of(archive, is_last ? "a" : "b").get()),
                (std::vector<float>{1.5f, -2}));
    }
  }
}

TEST_F(Npz, CutAtEveryByteAndWithEveryByteChanged) {
  const std::string whole = zip({{"a.npy", kTwo, true}, {"b.npy", kTwo, false}});
  for (size_t length = 0; length < whole.size(); ++length) {
    refused_load(write("cut.npz", whole.substr(0, length)));
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ '\x81');
    const std::string file = write("changed.npz", bytes);
    tenon_archive* out = nullptr;
    if (tenon_archive_load(context, file.data(), file.size(), nullptr, 0, 0, &out) != TENON_OK) {
      EXPECT_EQ(out, nullptr);
      continue;
    }
    const ArchiveHandle held(out);
    for (const uint32_t index : {0u, 1u}) {
      tenon_tensor* made = nullptr;
      tenon_tensor_create_loaded(context, out, index, 0, &made);
      tenon_tensor_release(made);
    }
  }
}

}  // namespace
}  // namespace tenon::tests
