// SPDX-License-Identifier: Apache-2.0
// tests/training/sample_error_test.cc: where a dataset fails, the error names the sample.
#include <gmock/gmock.h>

#include "tests/training/counts_support.h"
#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using testing::StartsWith;

TEST_F(Training, ErrorsOfADataSetNameTheSample) {
  must(tenon_plugin_load(context, counts_query));
  const Dataset set = dataset("acme.counts", {{"length", whole(20)}, {"bad", whole(13)}});
  for (const std::vector<int64_t>& indices :
       {std::vector<int64_t>{13}, {1, 13}, {13, 2}, {19, 5, 13, 13, 0}}) {
    tenon_tensor* out = nullptr;
    EXPECT_THAT(refused(tenon_dataset_call(context, set.get(), indices.data(),
                                           static_cast<int64_t>(indices.size()), &out, 1),
                        TENON_E_DATA),
                StartsWith("acme.counts: sample 13: it cannot be counted\nacme.counts\n"
                           "sample 13\n"));
    EXPECT_EQ(out, nullptr);
  }
}

}  // namespace
}  // namespace tenon::tests
