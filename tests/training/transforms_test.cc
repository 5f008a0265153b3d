// SPDX-License-Identifier: Apache-2.0
// tests/training/transforms_test.cc: what a loader does with its batches, against values worked out
// by hand, and the same for any number of workers.
#include <gmock/gmock.h>

#include <set>

#include "tests/training/counts_support.h"
#include "tests/training/transforms_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::StartsWith;

class TransformsThreads : public TransformTest {};

TEST_F(TransformsThreads, NormaliseAndFlatten) {
  open({2, 2, 2});
  const Transform one = normalise({1}, {0.5}, 2);
  const Transform flatten = transform("tenon.flatten");
  const Loader flat_loader = loader(2, {&one, &flatten});
  const Tensor flat = next(flat_loader);
  EXPECT_EQ(shape_of(flat), (Shape{2, 4}));
  EXPECT_THAT(values_of<float>(flat.get()), ElementsAre(-2, -1, 0, 1, 2, 3, 4, 5));
  const char* name = nullptr;
  tenon_meta sample{};
  must(tenon_loader_get_field(context, flat_loader.get(), 0, &name, &sample));
  EXPECT_STREQ(name, "image");
  EXPECT_EQ(sample.dtype, TENON_DTYPE_F32);
  EXPECT_EQ(sample.rank, 1);
  EXPECT_EQ(sample.shape[0], 4);
  // Twice: the second works on f32. A mean and a deviation for each channel.
  const Transform two = normalise({0, 10}, {1, 2}, 1);
  EXPECT_THAT(values_of<float>(next(loader(1, {&two, &one})).get()),
              ElementsAre(-2, -1, -6, -5.5F));
  // One of either kind stands for all channels, and whole numbers are numbers.
  const int64_t means[] = {0, 10};
  tenon_value whole_means{TENON_VALUE_INT_LIST, 2, {}};
  whole_means.as.ints = means;
  const Transform spread = transform("tenon.normalise", {{"mean", whole_means}});
  EXPECT_THAT(values_of<float>(next(loader(1, {&spread})).get()), ElementsAre(0, 1, -8, -7));
}

TEST_F(TransformsThreads, CropTakesTheMiddleOrAnyPlace) {
  open({40, 1, 2});  // the images [[2i, 2i+1]]
  const Transform middle = crop(3, 2, 1, false);
  const Loader made = loader(2, {&middle});
  const Tensor first = next(made);
  EXPECT_EQ(shape_of(first), (Shape{2, 3, 2}));
  EXPECT_THAT(bytes_of(first), ElementsAre(0, 0, 0, 1, 0, 0, 0, 0, 2, 3, 0, 0));
  const Transform any = crop(1, 2, 1, true);
  const Bytes found = epoch_of(loader(40, {&any}), 0);
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
}

TEST_F(TransformsThreads, FlipTurnsAboutHalfOfTheImages) {
  open({60, 2, 2});
  const Transform flip = transform("tenon.flip");
  const Bytes found = epoch_of(loader(60, {&flip}), 0);
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
}

// Worked out by a Philox written in Python: the numbers of a sample are a fixed part of what a run
// is resumed from.
TEST_F(TransformsThreads, ChanceIsPhiloxOfSeedEpochAndSample) {
  open({6, 2, 3});
  const Transform window = crop(2, 2, 1, true);
  const Transform flip = transform("tenon.flip");
  EXPECT_THAT(epoch_of(loader(4, {&window, &flip}, 7), 2),
              ElementsAreArray(Bytes{3,  4, 0,  0, 0, 11, 0,  0,  0,  0, 12, 0,
                                     18, 0, 21, 0, 0, 0,  26, 25, 30, 0, 33, 0}));
}

TEST_F(TransformsThreads, ChanceDependsOnSeedEpochAndSampleAlone) {
  open({50, 3, 4});
  const Transform window = crop(3, 3, 1, true);
  const Transform flip = transform("tenon.flip");
  const Loader plain = loader(7, {&window, &flip});
  const Bytes expected[] = {epoch_of(plain, 0), epoch_of(plain, 1)};
  EXPECT_NE(expected[0], expected[1]);
  for (const uint32_t workers : {0u, 1u, 4u}) {
    const Loader other = loader(workers + 2, {&window, &flip});
    must(tenon_loader_set_workers(context, other.get(), workers));
    for (const int64_t epoch : {1, 0}) EXPECT_EQ(epoch_of(other, epoch), expected[epoch]);
  }
  EXPECT_NE(epoch_of(loader(7, {&window, &flip}, 4), 0), expected[0]);
}

TEST_F(TransformsThreads, SetWhileWorkersRead) {
  open({30, 2, 2});
  const Loader made = loader(3, {});
  must(tenon_loader_set_workers(context, made.get(), 3));
  EXPECT_EQ(shape_of(next(made)), (Shape{3, 2, 2}));
  {
    const Transform flatten = transform("tenon.flatten");
    must(set(made, {&flatten}));  // the loader holds it
  }
  const Tensor second = next(made);
  EXPECT_EQ(shape_of(second), (Shape{3, 4}));
  EXPECT_THAT(bytes_of(second),
              ElementsAreArray(Bytes{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}));
}

TEST_F(TransformsThreads, AFailureLeavesNothingBehind) {
  must(tenon_plugin_load(context, counts_query));
  open({4, 2, 2});
  const Transform failing = transform("acme.until", {{"bad", whole(2)}});
  const Loader made = loader(2, {&failing});
  const int64_t before = live_tensors();
  EXPECT_EQ(shape_of(next(made)), (Shape{2, 2, 2}));
  for (int again = 0; again < 2; ++again) {
    tenon_tensor* field = nullptr;
    int64_t n = 0;
    EXPECT_THAT(refused(tenon_loader_run(context, made.get(), &field, 1, &n), TENON_E_DATA),
                StartsWith("acme.until: sample 2 is the bad one"));
  }
  EXPECT_EQ(live_tensors(), before);
}

TEST_F(TransformsThreads, CalledWithoutALoader) {
  const Transform two = normalise({1, 2}, {1, 2}, 1);
  const Tensor images = tensor<float>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  const int64_t shape[] = {2, 2, 2};
  const int64_t strides[] = {4, 1, 2};  // the last two dimensions change places
  tenon_tensor* turned = nullptr;
  must(tenon_tensor_create_view(context, images.get(), 3, shape, strides, 0, &turned));
  const Tensor owned(turned);
  const int64_t samples[] = {8, 3};
  const tenon_batch batch = {2, samples, 1, 0};
  tenon_tensor* out = nullptr;
  must(tenon_transform_call(context, two.get(), &batch, turned, &out));
  const Tensor made(out);
  EXPECT_THAT(values_of<float>(out), ElementsAre(-1, 1, -0.5F, 0.5F, 3, 5, 1.5F, 2.5F));
  // Flattened, a row-major field shares its memory.
  const Transform flatten = transform("tenon.flatten");
  must(tenon_transform_call(context, flatten.get(), &batch, images.get(), &out));
  const Tensor flat(out);
  tenon_view views[2];
  must(tenon_tensor_get_view(context, images.get(), &views[0]));
  must(tenon_tensor_get_view(context, out, &views[1]));
  EXPECT_EQ(views[0].data, views[1].data);
  out = nullptr;
  const tenon_batch three = {3, samples, 1, 0};
  EXPECT_THAT(refused(tenon_transform_call(context, two.get(), &three, images.get(), &out),
                      TENON_E_ARGUMENT),
              StartsWith("the batch has another number of samples than the field\n\nbatch\n2\n3"));
  const tenon_batch nameless = {2, nullptr, 1, 0};
  EXPECT_THAT(refused(tenon_transform_call(context, two.get(), &nameless, images.get(), &out),
                      TENON_E_ARGUMENT),
              StartsWith("the batch names no samples"));
  const Tensor number = tensor<float>({}, {1});
  EXPECT_THAT(
      refused(tenon_transform_call(context, two.get(), &batch, number.get(), &out), TENON_E_SHAPE),
      StartsWith("a field of a batch has no dimension of samples"));
  EXPECT_EQ(tenon_transform_call(context, nullptr, &batch, images.get(), &out), TENON_E_HANDLE);
  EXPECT_EQ(out, nullptr);
}

TEST_F(TransformsThreads, WhatDoesNotFitIsRefused) {
  open({4, 2, 3});
  EXPECT_THAT(refuse(crop(5, 3, 1, false), TENON_E_SHAPE),
              StartsWith("tenon.crop: the window is larger than the padded image"));
  EXPECT_THAT(refuse(normalise({0, 0, 0}, {1, 1, 1}, 1), TENON_E_SHAPE),
              StartsWith("tenon.normalise: has another number of channels"));
  EXPECT_THAT(refuse(transform("tenon.flip"), TENON_E_ARGUMENT, 1),
              StartsWith("loader: transform 0 is for a field that is not there\n\nfields\na field "
                         "below 1\n1\n"));
  const double zero[] = {0.0};
  EXPECT_THAT(refuse_options("tenon.normalise", {{"deviation", floats(zero)}}),
              StartsWith("tenon.normalise: deviation does not fit"));
  EXPECT_THAT(refuse_options("tenon.normalise", {{"mean", floats({})}}),
              StartsWith("tenon.normalise: mean does not fit"));
  EXPECT_THAT(refuse_options("tenon.normalise", {{"mean", real(1)}}),
              HasSubstr("option \"mean\" has the wrong type"));
  tenon_value null = floats(zero);
  null.as.floats = nullptr;
  EXPECT_THAT(refuse_options("tenon.normalise", {{"mean", null}}), HasSubstr("is a NULL list"));
  EXPECT_THAT(refuse_options("tenon.crop", {{"height", whole(2)}}),
              HasSubstr("option \"width\" is required"));
  EXPECT_THAT(refuse_options("tenon.flip", {{"p", real(1)}}), HasSubstr("is unknown"));
  tenon_transform* out = nullptr;
  EXPECT_THAT(
      refused(tenon_transform_create(context, "tenon.flap", TENON_NUL, nullptr, nullptr, 0, &out),
              TENON_E_NOT_FOUND),
      HasSubstr("tenon.flap"));
  open({4});
  EXPECT_THAT(refuse(transform("tenon.flip"), TENON_E_SHAPE),
              StartsWith("tenon.flip: has too few dimensions"));
  EXPECT_THAT(refuse(crop(1, 1, 0, false), TENON_E_SHAPE),
              StartsWith("tenon.crop: has too few dimensions"));
  set_ = dataset({{"images", text(write("set", idx_file(0x09, {2}, "ab")))}});
  set_shape_ = {2};
  EXPECT_THAT(refuse(normalise({0}, {1}, 1), TENON_E_DTYPE),
              StartsWith("tenon.normalise: has another dtype"));
  const Loader made = loader(1, {});
  const Transform flatten = transform("tenon.flatten");
  const std::vector<const Transform*> many(17, &flatten);
  EXPECT_THAT(refused(set(made, many), TENON_E_ARGUMENT),
              StartsWith("loader: too many transforms"));
}

}  // namespace
}  // namespace tenon::tests
