// SPDX-License-Identifier: Apache-2.0
// tests/training/transforms_test.cc: what a loader does with its batches, against values worked out
// by hand, and the same for any number of workers.
#include <gmock/gmock.h>
#include <tenon/sdk/client/loader.h>

#include <set>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using Bytes = std::vector<uint8_t>;

class TransformsThreads : public Training {
 protected:
  // `length` images of u8[sizes]; element i of them all is i.
  void open(std::vector<uint32_t> sizes) {
    size_t elements = 1;
    for (const uint32_t size : sizes) elements *= size;
    std::string payload;
    for (size_t i = 0; i < elements; ++i) payload += static_cast<char>(i);
    set_ = dataset({{"images", text(write("set", idx_file(0x08, sizes, payload)))}});
  }
  tenon_sdk_loader loader(int64_t batch, const std::vector<tenon_sdk_transform>& list,
                          uint64_t seed = 3) {
    tenon_sdk_loader made{};
    must(tenon_sdk_loader_create(context, set_.get(), batch, seed, 0, &made));
    tenon_diag diag{};
    EXPECT_EQ(tenon_sdk_loader_set_transforms(context, &made, list.data(),
                                              static_cast<uint32_t>(list.size()), &diag),
              TENON_OK)
        << diag.message;
    return made;
  }
  Tensor next(tenon_sdk_loader& loader) {
    tenon_tensor* field = nullptr;
    int64_t n = 0;
    must(tenon_sdk_loader_next(context, &loader, &field, 1, &n));
    return Tensor(field);
  }
  Bytes bytes_of(const Tensor& tensor) {
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    must(tenon_tensor_get_info(context, tensor.get(), &info));
    Bytes bytes(static_cast<size_t>(info.elements));
    must(tenon_tensor_get_data(context, tensor.get(), bytes.data(), bytes.size()));
    return bytes;
  }
  // All samples of epoch `epoch`, one after the other.
  Bytes epoch_of(tenon_sdk_loader& loader, int64_t epoch) {
    must(tenon_sdk_loader_begin(&loader, epoch, 0));
    Bytes all;
    while (tenon_sdk_loader_get_rest(&loader) > 0) {
      const Bytes some = bytes_of(next(loader));
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  Shape shape_of(const Tensor& tensor) {
    tenon_view view{};
    must(tenon_tensor_get_view(context, tensor.get(), &view));
    return {view.shape, view.shape + view.rank};
  }
  // The words for one transform that does not fit.
  std::string refuse(const tenon_sdk_transform& transform) {
    tenon_sdk_loader made = loader(2, {});
    tenon_diag diag{};
    EXPECT_EQ(tenon_sdk_loader_set_transforms(context, &made, &transform, 1, &diag),
              TENON_E_ARGUMENT);
    EXPECT_EQ(made.n_transforms, 0u);
    tenon_sdk_loader_release(&made);
    return diag.message;
  }
  Dataset set_;
};

TEST_F(TransformsThreads, NormaliseAndFlatten) {
  open({2, 2, 2});
  const tenon_sdk_normalise one = {1, 2, {1}, {0.5F}};
  tenon_sdk_loader made =
      loader(2, {{tenon_sdk_normalise_call, &one, 0, 0}, {tenon_sdk_flatten_call, nullptr, 0, 0}});
  const Tensor flat = next(made);
  EXPECT_EQ(shape_of(flat), (Shape{2, 4}));
  EXPECT_THAT(values_of<float>(flat.get()), ElementsAre(-2, -1, 0, 1, 2, 3, 4, 5));
  tenon_sdk_loader_release(&made);
  // Twice: the second works on f32. A mean and a deviation for each channel.
  const tenon_sdk_normalise two = {2, 1, {0, 10}, {1, 2}};
  made =
      loader(1, {{tenon_sdk_normalise_call, &two, 0, 0}, {tenon_sdk_normalise_call, &one, 0, 0}});
  EXPECT_THAT(values_of<float>(next(made).get()), ElementsAre(-2, -1, -6, -5.5F));
  tenon_sdk_loader_release(&made);
}

TEST_F(TransformsThreads, CropTakesTheMiddleOrAnyPlace) {
  open({40, 1, 2});  // the images [[2i, 2i+1]]
  const tenon_sdk_crop middle = {3, 2, 1, 0, 0};
  tenon_sdk_loader made = loader(2, {{tenon_sdk_crop_call, &middle, 0, 0}});
  const Tensor first = next(made);
  EXPECT_EQ(shape_of(first), (Shape{2, 3, 2}));
  EXPECT_THAT(bytes_of(first), ElementsAre(0, 0, 0, 1, 0, 0, 0, 0, 2, 3, 0, 0));
  tenon_sdk_loader_release(&made);
  const tenon_sdk_crop any = {1, 2, 1, 1, 0};
  made = loader(40, {{tenon_sdk_crop_call, &any, 0, 0}});
  const Bytes found = epoch_of(made, 0);
  std::set<int> places;
  for (int i = 0; i < 40; ++i) {
    const auto low = static_cast<uint8_t>(2 * i);
    const auto high = static_cast<uint8_t>(2 * i + 1);
    const Bytes windows[] = {{0, 0}, {0, low}, {low, high}, {high, 0}};
    const auto* const at =
        std::find(std::begin(windows), std::end(windows), Bytes{found[2 * i], found[2 * i + 1]});
    ASSERT_NE(at, std::end(windows));
    places.insert(static_cast<int>(at - windows));
  }
  EXPECT_EQ(places.size(), 4u);
  tenon_sdk_loader_release(&made);
}

TEST_F(TransformsThreads, FlipTurnsAboutHalfOfTheImages) {
  open({60, 2, 2});
  tenon_sdk_loader made = loader(60, {{tenon_sdk_flip_call, nullptr, 0, 0}});
  const Bytes found = epoch_of(made, 0);
  int turned = 0;
  for (size_t i = 0; i < 60; ++i) {
    const auto at = static_cast<uint8_t>(4 * i);
    const Bytes image(found.begin() + 4 * i, found.begin() + 4 * i + 4);
    const auto plus = [&](int k) { return static_cast<uint8_t>(at + k); };
    if (image == Bytes{plus(1), at, plus(3), plus(2)}) {
      turned += 1;
    } else {
      EXPECT_THAT(image, ElementsAre(at, plus(1), plus(2), plus(3)));
    }
  }
  EXPECT_NEAR(turned, 30, 15);
  tenon_sdk_loader_release(&made);
}

TEST_F(TransformsThreads, ChanceDependsOnSeedEpochAndSampleAlone) {
  open({50, 3, 4});
  const tenon_sdk_crop crop = {3, 3, 1, 1, 0};
  const std::vector<tenon_sdk_transform> list = {{tenon_sdk_crop_call, &crop, 0, 0},
                                                 {tenon_sdk_flip_call, nullptr, 0, 0}};
  tenon_sdk_loader plain = loader(7, list);
  const Bytes expected[] = {epoch_of(plain, 0), epoch_of(plain, 1)};
  EXPECT_NE(expected[0], expected[1]);
  tenon_sdk_loader_release(&plain);
  for (const uint32_t workers : {0u, 1u, 4u}) {
    tenon_sdk_loader other = loader(workers + 2, list);
    must(tenon_sdk_loader_set_workers(runtime, &other, workers, nullptr));
    for (const int64_t epoch : {1, 0}) EXPECT_EQ(epoch_of(other, epoch), expected[epoch]);
    tenon_sdk_loader_release(&other);
  }
  tenon_sdk_loader seeded = loader(7, list, 4);
  EXPECT_NE(epoch_of(seeded, 0), expected[0]);
  tenon_sdk_loader_release(&seeded);
}

TEST_F(TransformsThreads, SetWhileWorkersRead) {
  open({30, 2, 2});
  const std::vector<tenon_sdk_transform> list = {{tenon_sdk_flatten_call, nullptr, 0, 0}};
  tenon_sdk_loader made = loader(3, {});
  must(tenon_sdk_loader_set_workers(runtime, &made, 3, nullptr));
  EXPECT_EQ(shape_of(next(made)), (Shape{3, 2, 2}));
  must(tenon_sdk_loader_set_transforms(context, &made, list.data(), 1, nullptr));
  const Tensor second = next(made);
  EXPECT_EQ(shape_of(second), (Shape{3, 4}));
  EXPECT_THAT(bytes_of(second),
              ElementsAreArray(Bytes{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}));
  tenon_sdk_loader_release(&made);
}

tenon_status fail_from_the_third(tenon_context*, const void*, const tenon_sdk_batch* batch,
                                 tenon_tensor**, tenon_diag*) {
  return batch->samples[0] >= 2 ? TENON_E_DATA : TENON_OK;
}

TEST_F(TransformsThreads, AFailureLeavesNothingBehind) {
  open({4, 2, 2});
  const tenon_sdk_transform failing = {fail_from_the_third, nullptr, 0, 0};
  tenon_sdk_loader made = loader(2, {});
  must(tenon_sdk_loader_set_transforms(context, &made, &failing, 1, nullptr));
  const int64_t before = live_tensors();
  EXPECT_EQ(shape_of(next(made)), (Shape{2, 2, 2}));
  for (int again = 0; again < 2; ++again) {
    tenon_tensor* field = nullptr;
    int64_t n = 0;
    EXPECT_EQ(tenon_sdk_loader_next(context, &made, &field, 1, &n), TENON_E_DATA);
  }
  EXPECT_EQ(live_tensors(), before);
  tenon_sdk_loader_release(&made);
}

TEST_F(TransformsThreads, WrongSettingsAreRefused) {
  open({4, 2, 3});
  const tenon_sdk_crop large = {5, 3, 1, 0, 0};
  EXPECT_EQ(refuse({tenon_sdk_crop_call, &large, 0, 0}),
            "crop: expected a window within the padded image, found a larger or an empty one");
  const tenon_sdk_normalise flat = {1, 1, {0}, {0}};
  EXPECT_EQ(refuse({tenon_sdk_normalise_call, &flat, 0, 0}),
            "normalise: expected deviations that are not 0, found 0");
  const tenon_sdk_normalise none = {0, 1, {0}, {1}};
  EXPECT_EQ(refuse({tenon_sdk_normalise_call, &none, 0, 0}),
            "normalise: expected 1 to 16 channels and a scale that is not 0, found other settings");
  const tenon_sdk_normalise three = {3, 1, {0, 0, 0}, {1, 1, 1}};
  EXPECT_EQ(refuse({tenon_sdk_normalise_call, &three, 0, 0}),
            "normalise: expected [n, channels, ...], found another number of channels");
  EXPECT_EQ(refuse({tenon_sdk_flip_call, nullptr, 1, 0}),
            "loader: set_transforms: transform 0: expected a function and a field below 1, found "
            "field 1");
  EXPECT_EQ(refuse({nullptr, nullptr, 0, 0}),
            "loader: set_transforms: transform 0: expected a function and a field below 1, found "
            "no function for field 0");
  open({4});
  EXPECT_EQ(refuse({tenon_sdk_flip_call, nullptr, 0, 0}),
            "flip: expected [n, ..., W], found fewer dimensions");
  EXPECT_EQ(refuse({tenon_sdk_crop_call, &large, 0, 0}),
            "crop: expected [n, ..., H, W], found fewer dimensions");
  set_ = dataset({{"images", text(write("set", idx_file(0x09, {1}, "a")))}});
  EXPECT_EQ(refuse({tenon_sdk_normalise_call, &flat, 0, 0}),
            "normalise: expected u8 or f32, found another dtype");
  tenon_diag diag{};
  EXPECT_EQ(tenon_sdk_loader_set_transforms(context, nullptr, nullptr, 0, &diag), TENON_E_ARGUMENT);
  EXPECT_STREQ(
      diag.message,
      "loader: set_transforms: expected a loader and a list of at most 16, found NULL or more");
}

}  // namespace
}  // namespace tenon::tests
