// SPDX-License-Identifier: Apache-2.0
// tests/training/npy_test.cc: arrays that NumPy saved: what is read, and the words in which others
// are refused.
#include <gmock/gmock.h>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A file of version `version`.0; `length` other than -1 is what it claims of its header.
std::string npy(const std::string& header, const std::string& payload, char version = 1,
                int length = -1) {
  const int says = length < 0 ? static_cast<int>(header.size()) : length;
  std::string bytes = "\x93NUMPY"s + version + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(says >> (8 * i));
  return bytes + header + payload;
}

std::string dictionary(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }   \n";
}

class Npy : public Training {
 protected:
  std::vector<Tensor> batch(const Dataset& set, std::vector<int64_t> indices, uint32_t n_fields) {
    tenon_tensor* fields[2] = {};
    must(tenon_dataset_call(context, set.get(), indices.data(),
                            static_cast<int64_t>(indices.size()), fields, n_fields));
    return {fields, fields + n_fields};
  }
  Dataset array(const std::string& bytes) {
    return dataset("tenon.npy", {{"x", text(write("x.npy", bytes))}});
  }
  // What is said behind "tenon.npy: npy file '<path>': ".
  std::string refuse(const std::string& bytes, tenon_status status = TENON_E_DATA) {
    const std::string where = write("x.npy", bytes);
    const std::string words = refused_dataset("tenon.npy", {{"x", text(where)}}, status);
    const std::string start = "tenon.npy: npy file '" + where + "': ";
    EXPECT_THAT(words, StartsWith(start));
    return words.substr(start.size(), words.find('\n') - start.size());
  }
};

TEST_F(Npy, SamplesInTheOrderAsked) {
  const std::string x = npy(dictionary("<f4", "(2, 1)"), "\0\0\xc0\x3f\0\0\0\xc0"s);
  const std::string y = npy("{\"shape\":(2,),'descr':'>i8',\n'fortran_order' : False}",
                            "\0\0\0\0\0\0\1\2\xff\xff\xff\xff\xff\xff\xff\xff"s, 2);
  const Dataset set =
      dataset("tenon.npy", {{"x", text(write("x", x))}, {"y", text(write("y", y))}});
  int64_t length = 0;
  must(tenon_dataset_get_length(context, set.get(), &length));
  EXPECT_EQ(length, 2);
  const auto fields = batch(set, {1, 0, 1}, 2);
  EXPECT_THAT(values_of<float>(fields[0].get()), ElementsAre(-2, 1.5F, -2));
  EXPECT_THAT(values_of<int64_t>(fields[1].get()), ElementsAre(-1, 258, -1));
  tenon_meta meta{};
  must(tenon_dataset_get_field(context, set.get(), 0, &meta, nullptr));
  EXPECT_EQ(meta.rank, 1);
  EXPECT_EQ(meta.shape[0], 1);
}

TEST_F(Npy, EveryElementType) {
  for (const auto& [descr, dtype, size] :
       std::vector<std::tuple<const char*, tenon_dtype, size_t>>{{"|b1", TENON_DTYPE_BOOL, 1},
                                                                 {"|u1", TENON_DTYPE_U8, 1},
                                                                 {"|i1", TENON_DTYPE_I8, 1},
                                                                 {"<i2", TENON_DTYPE_I16, 2},
                                                                 {">i4", TENON_DTYPE_I32, 4},
                                                                 {"<i8", TENON_DTYPE_I64, 8},
                                                                 {"<f2", TENON_DTYPE_F16, 2},
                                                                 {"=f4", TENON_DTYPE_F32, 4},
                                                                 {">f8", TENON_DTYPE_F64, 8}}) {
    const Dataset set = array(npy(dictionary(descr, "(1, 2)"), std::string(2 * size, '\0'), 3));
    tenon_meta meta{};
    must(tenon_dataset_get_field(context, set.get(), 0, &meta, nullptr));
    EXPECT_EQ(meta.dtype, dtype) << descr;
  }
  const Dataset none = array(npy(dictionary("<f4", "(0, 3)"), ""));
  int64_t length = -1;
  must(tenon_dataset_get_length(context, none.get(), &length));
  EXPECT_EQ(length, 0);
}

TEST_F(Npy, DamagedFilesAreRefused) {
  const std::string good = npy(dictionary("|u1", "(2, 3)"), "abcdef");
  array(good);
  for (size_t length = 0; length < good.size(); ++length) refuse(good.substr(0, length));
  EXPECT_EQ(refuse(good + "x"),
            "its length does not fit its shape [2,3]: expected 6 bytes of elements, found 7");
  EXPECT_EQ(refuse("PK\3\4 an npz file"), "its array does not begin as npy files do");
  EXPECT_EQ(refuse(npy("{}", "", 4), TENON_E_UNSUPPORTED),
            "its array has an unknown version: expected 1.0, 2.0 or 3.0, found 4.0");
  EXPECT_EQ(refuse(npy("{}", "", 2, 1 << 30)),
            "its array has a header that is too long: expected at most 10000 bytes, found "
            "1073741824 bytes");
  EXPECT_EQ(refuse(npy("{}", "", 1, 99)), "its array ends within its header");
  EXPECT_EQ(refuse(npy(dictionary("<c8", "(1,)"), ""), TENON_E_UNSUPPORTED),
            "its array has elements that Tenon has not: expected b1 u1 i1 i2 i4 i8 f2 f4 f8 in at "
            "most 8 dimensions, found '<c8'");
  EXPECT_EQ(refuse(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "abcd")),
            "its first index is the fastest: expected fortran_order False, as "
            "numpy.ascontiguousarray gives it, found True");
  EXPECT_EQ(refuse(npy(dictionary("|b1", "(3,)"), "\1\1\2")),
            "element 2 is not a bool: expected 0 or 1, found 2");
  EXPECT_THAT(refuse(npy(dictionary("|u1", "()"), "a")),
              StartsWith("it holds one number and no samples"));
  EXPECT_THAT(refuse(npy(dictionary("<f8", "(4611686018427387904, 8)"), "")),
              StartsWith("its array has sizes that multiply to too many bytes"));
}

TEST_F(Npy, DamagedHeadersAreRefused) {
  for (const char* header :
       {"", "{", "{}", "()", "{'descr': '|u1'}",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} {}",
        "{'descr': '|u1', 'fortran_order': Falsehood, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1;)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'more': 1}"}) {
    SCOPED_TRACE(header);
    EXPECT_THAT(refuse(npy(header, "a")), StartsWith("its array "));
  }
  for (const char* header :
       {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}"}) {
    SCOPED_TRACE(header);
    EXPECT_THAT(refuse(npy(header, "a"), TENON_E_UNSUPPORTED), StartsWith("its array "));
  }
}

TEST_F(Npy, NumbersOfSamplesMustAgree) {
  const std::string x = write("x", npy(dictionary("|u1", "(2,)"), "ab"));
  const std::string y = write("y", npy(dictionary("|u1", "(3,)"), "abc"));
  EXPECT_THAT(refused_dataset("tenon.npy", {{"x", text(x)}, {"y", text(y)}}, TENON_E_DATA),
              HasSubstr("npy file '" + y +
                        "': the numbers of samples of x and y differ: expected 2, found 3"));
}

}  // namespace
}  // namespace tenon::tests
