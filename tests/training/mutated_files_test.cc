// SPDX-License-Identifier: Apache-2.0
// tests/training/mutated_files_test.cc: files of every dataset with bytes changed, dropped and
// repeated: each opens or is refused in words, samples of what opens can be read, and nothing
// stays.
#include <gmock/gmock.h>
#include <tenon/sdk/philox.h>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;
using testing::AnyOf;
using testing::StartsWith;

class MutatedFilesHostile : public Training {
 protected:
  uint64_t below(uint64_t bound) { return tenon_sdk_random_below(&random_, bound); }

  std::string mutated(std::string bytes) {
    for (uint64_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
      const size_t at = below(bytes.size());
      const uint64_t kind = below(4);
      if (kind == 0) bytes.erase(at, 1 + below(6));
      if (kind == 1) bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(6)));
      if (kind == 2) bytes[at] = static_cast<char>(below(256));
      if (kind == 3) bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
    }
    return bytes;
  }

  // Opens the file that the option `option` names, and reads a sample.
  void open(const std::string& name, std::vector<Option> options, const std::string& option,
            const std::string& bytes) {
    path_ = write(file_, bytes);
    options.emplace_back(option, text(path_));
    const Options given(options);
    tenon_dataset* made = nullptr;
    const tenon_status status =
        tenon_dataset_create(context, name.data(), name.size(), given.names.data(),
                             given.values.data(), static_cast<uint32_t>(given.names.size()), &made);
    const Dataset owned(made);
    ASSERT_THAT(status, AnyOf(TENON_OK, TENON_E_DATA, TENON_E_UNSUPPORTED, TENON_E_ATTRIBUTE));
    if (status != TENON_OK) {
      EXPECT_EQ(made, nullptr);
      // What it says of itself, or the tokenizer's file.
      EXPECT_THAT(
          refused(status, status),
          AnyOf(StartsWith(name + ": "), StartsWith("file '" + path_ + "': tenon.pairs: ")));
      refusals_ += 1;
      return;
    }
    int64_t length = 0;
    must(tenon_dataset_get_length(context, made, &length));
    uint32_t n_fields = 0;
    while (tenon_dataset_get_field(context, made, n_fields, nullptr, nullptr) == TENON_OK) {
      n_fields += 1;
    }
    const int64_t last = length - 1;
    tenon_tensor* fields[4] = {};
    if (length > 0) must(tenon_dataset_call(context, made, &last, 1, fields, n_fields));
    for (tenon_tensor* field : fields) tenon_tensor_release(field);
  }

  void sweep(const std::string& name, const std::vector<Option>& options, const std::string& option,
             const std::string& good) {
    SCOPED_TRACE(name);
    open(name, options, option, good);
    EXPECT_EQ(refusals_, 0);
    tenon_stats before{};
    before.struct_size = sizeof before;
    must(tenon_runtime_get_stats(context, &before));
    for (int i = 0; i < 200 && !HasFatalFailure(); ++i) open(name, options, option, mutated(good));
    EXPECT_GT(refusals_, 20);
    tenon_stats after{};
    after.struct_size = sizeof after;
    must(tenon_runtime_get_stats(context, &after));
    EXPECT_EQ(after.tensors, before.tensors);
    EXPECT_EQ(after.storages, before.storages);
    EXPECT_EQ(after.bytes_live, before.bytes_live);
  }

  tenon_sdk_random random_ = {20261122, 0, 0};
  std::string file_ = "file";
  std::string path_;
  int refusals_ = 0;
};

TEST_F(MutatedFilesHostile, Idx) {
  sweep("tenon.idx", {}, "images", idx_file(0x0B, {3, 2, 2}, std::string(24, 'x')));
}

TEST_F(MutatedFilesHostile, Csv) {
  sweep("tenon.csv", {{"label", text("kind")}}, "path",
        "width,kind,\"a, \"\"b\"\"\"\n1.5,2,-3e4\n 7 ,0,+.25\n\"8\",1,9\n");
}

TEST_F(MutatedFilesHostile, Npy) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
  sweep("tenon.npy", {}, "x",
        "\x93NUMPY\1\0"s + static_cast<char>(header.size()) + '\0' + header + std::string(24, 'x'));
}

TEST_F(MutatedFilesHostile, Cifar) {
  sweep("tenon.cifar", {}, "paths", "\1" + std::string(3072, 'x') + "\2" + std::string(3072, 'y'));
}

TEST_F(MutatedFilesHostile, Tokenizers) {
  file_ = "file.pairs";
  const std::string where = write("text", "one text, and one more text \xC3\xA9");
  const std::vector<Option> options = {{"path", text(where)}, {"window", whole(4)}};
  sweep("tenon.text", options, "tokenizer",
        "tenon-pairs 1\n111 110\n256 101\n32 116\n258 101\n259 120\n260 116\n");
}

TEST_F(MutatedFilesHostile, Texts) {
  sweep("tenon.text", {{"tokenizer", text("char")}, {"window", whole(3)}}, "path",
        "caf\xC3\xA9 \xE2\x82\xAC 12 \xF0\x9F\x98\x80 more of it");
}

}  // namespace
}  // namespace tenon::tests
