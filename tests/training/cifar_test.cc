// SPDX-License-Identifier: Apache-2.0
// tests/training/cifar_test.cc: the binary files of CIFAR-10 and CIFAR-100.
#include <gmock/gmock.h>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// One record: its labels and a picture that is `colour` everywhere but for its last byte.
std::string record(const std::string& labels, char colour) {
  return labels + std::string(3071, colour) + '!';
}

class Cifar : public Training {
 protected:
  std::string refuse(const std::string& bytes, int64_t classes) {
    const std::string where = write("batch", bytes);
    const std::string words = refused_dataset(
        "tenon.cifar", {{"paths", text(where)}, {"classes", whole(classes)}}, TENON_E_DATA);
    const std::string start = "tenon.cifar: cifar file '" + where + "': ";
    EXPECT_EQ(words.substr(0, start.size()), start);
    return words.substr(start.size(), words.find('\n') - start.size());
  }
};

TEST_F(Cifar, TenClassesFromSeveralFiles) {
  const std::string paths = write("one", record("\3", 'r') + record("\11", 's')) + "\n" +
                            write("two", record(std::string(1, '\0'), 't'));
  const Dataset set = dataset("tenon.cifar", {{"paths", text(paths)}});
  int64_t length = 0;
  must(tenon_dataset_get_length(context, set.get(), &length));
  EXPECT_EQ(length, 3);
  tenon_meta meta{};
  must(tenon_dataset_get_field(context, set.get(), 0, &meta, nullptr));
  EXPECT_EQ(meta.dtype, TENON_DTYPE_U8);
  EXPECT_EQ(Shape(meta.shape, meta.shape + meta.rank), (Shape{3, 32, 32}));
  const int64_t indices[] = {2, 1};
  tenon_tensor* fields[2] = {};
  must(tenon_dataset_call(context, set.get(), indices, 2, fields, 2));
  const Tensor images(fields[0]);
  const Tensor labels(fields[1]);
  std::string bytes(2 * 3072, ' ');
  must(tenon_tensor_get_data(context, images.get(), bytes.data(), bytes.size()));
  EXPECT_EQ(bytes, record("", 't') + record("", 's'));
  EXPECT_THAT(values_of<int64_t>(labels.get()), ElementsAre(0, 9));
}

TEST_F(Cifar, AHundredClassesWithTwoLabels) {
  const std::string where = write("train", record("\x13\x63", 'a') + record("\1\2", 'b'));
  const Dataset set = dataset("tenon.cifar", {{"paths", text(where)}, {"classes", whole(100)}});
  const int64_t indices[] = {0, 1};
  tenon_tensor* fields[3] = {};
  must(tenon_dataset_call(context, set.get(), indices, 2, fields, 3));
  const Tensor owned[] = {Tensor(fields[0]), Tensor(fields[1]), Tensor(fields[2])};
  EXPECT_THAT(values_of<int64_t>(fields[1]), ElementsAre(99, 2));
  EXPECT_THAT(values_of<int64_t>(fields[2]), ElementsAre(19, 1));
  const char* name = nullptr;
  must(tenon_dataset_get_field(context, set.get(), 2, nullptr, &name));
  EXPECT_STREQ(name, "coarse_label");
}

TEST_F(Cifar, DamagedFilesAreRefused) {
  const std::string good = record("\1", 'a');
  for (const size_t length : {size_t{0}, size_t{1}, size_t{3072}, size_t{3074}}) {
    const std::string bytes = (good + good).substr(0, length);
    EXPECT_EQ(
        refuse(bytes, 10),
        "its length is not a whole number of records: expected a multiple of 3073 bytes, found " +
            std::to_string(length));
  }
  EXPECT_EQ(refuse(good + record("\12", 'b'), 10),
            "picture 1: its label is out of range: expected 0 to 9, found 10");
  EXPECT_EQ(refuse(record("\x14\1", 'b'), 100),
            "picture 0: its label is out of range: expected 0 to 19, found 20");
  EXPECT_EQ(refuse(record("\1\x64", 'b'), 100),
            "picture 0: its label is out of range: expected 0 to 99, found 100");
  EXPECT_THAT(
      refused_dataset("tenon.cifar", {{"paths", text(write("good", good))}, {"classes", whole(11)}},
                      TENON_E_ATTRIBUTE),
      HasSubstr("classes is neither 10 nor 100"));
  const std::string pair = path("good") + "\n" + path("absent");
  EXPECT_THAT(refused_dataset("tenon.cifar", {{"paths", text(pair)}}, TENON_E_IO),
              HasSubstr(path("absent")));
}

}  // namespace
}  // namespace tenon::tests
