// SPDX-License-Identifier: Apache-2.0
// tests/files/unwritable_test.cc: values that are loaded or set never go into read-only memory, nor
// into a view whose elements share an address; whatever else would be loaded stays as it is.
#include <gmock/gmock.h>
#include <tenon/ext/draft/checkpoints.h>
#include <tenon/ext/draft/layers.h>

#include "tests/files/files_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct ReleaseCheckpoint {
  void operator()(tenon_checkpoint* checkpoint) const { tenon_checkpoint_release(checkpoint); }
};
using SavedRun = std::unique_ptr<tenon_checkpoint, ReleaseCheckpoint>;
struct ReleaseLayer {
  void operator()(tenon_layer* layer) const { tenon_layer_release(layer); }
};
using Layer = std::unique_ptr<tenon_layer, ReleaseLayer>;

class Unwritable : public Files {
 protected:
  // [2] in memory that may be read alone, or of one element.
  Tensor unwritable(bool read_only) {
    const int64_t shape[] = {2}, strides[] = {0};
    tenon_tensor* made = nullptr;
    must(tenon_tensor_create_external(context, TENON_DTYPE_F32, 1, shape,
                                      read_only ? nullptr : strides, const_cast<float*>(kValues),
                                      read_only ? TENON_VIEW_READ_ONLY : 0, nullptr, nullptr,
                                      &made));
    return Tensor(made);
  }
  Layer batch_norm() {
    const tenon_string name = {"features", 8};
    const tenon_value two = whole(2);
    tenon_layer* made = nullptr;
    must(
        tenon_layer_create(context, "tenon.batch_norm", TENON_NUL, nullptr, &name, &two, 1, &made));
    return Layer(made);
  }

  static constexpr float kValues[] = {3, 4};
};

TEST_F(Unwritable, PartsOfACheckpoint) {
  const std::string file = path("tensors.safetensors");
  const Tensor first = tensor<float>({2}, {1, 2});
  for (const bool read_only : {true, false}) {
    const Tensor last = unwritable(read_only);
    tenon_checkpoint* made = nullptr;
    must(tenon_checkpoint_create(context, &made));
    const SavedRun run(made);
    must(tenon_checkpoint_set_tensor(context, made, "first", TENON_NUL, first.get()));
    must(tenon_checkpoint_set_tensor(context, made, "last", TENON_NUL, last.get()));
    must(tenon_checkpoint_save(context, made, file.data(), file.size()));
    {
      const ArchiveHandle in = load(file, TENON_ARCHIVE_IN_MEMORY);
      Files::set(in, "first", tensor<float>({2}, {7, 7}));
      must(save(in, file));
    }
    const tenon_status status =
        tenon_checkpoint_load(context, made, file.data(), file.size(), 0, nullptr);
    EXPECT_THAT(refused(status, TENON_E_ALIAS),
                StartsWith(read_only ? "checkpoint: \"last\" is read-only"
                                     : "checkpoint: \"last\" overlaps itself"));
    EXPECT_EQ(values_of<float>(first.get()), (std::vector<float>{1, 2}));
  }
}

// Weights of a mapped file may be a layer's own; evaluation reads them.
TEST_F(Unwritable, TensorsOfALayer) {
  const Layer layer = batch_norm();
  const Tensor mean = unwritable(true);
  must(tenon_layer_share_tensor(context, layer.get(), "running_mean", TENON_NUL, mean.get()));
  const Tensor ones = tensor<float>({2}, {1, 1});
  EXPECT_THAT(
      refused(tenon_layer_set_tensor(context, layer.get(), "running_mean", TENON_NUL, ones.get()),
              TENON_E_ALIAS),
      HasSubstr("\"running_mean\" is read-only"));
  const Tensor rows = tensor<float>({2, 2}, {1, 2, 3, 4});
  const auto run = [&] {
    const tenon_value input = one(rows.get());
    tenon_tensor* out = nullptr;
    const tenon_status status = tenon_layer_call(context, layer.get(), &input, 1, &out, 1);
    const Tensor made(out);
    return status;
  };
  EXPECT_THAT(refused(run(), TENON_E_ALIAS), HasSubstr("\"running_mean\" is read-only"));
  must(tenon_layer_set_training(context, layer.get(), 0));
  must(run());
  EXPECT_EQ(values_of<float>(mean.get()), (std::vector<float>{3, 4}));
}

}  // namespace
}  // namespace tenon::tests
