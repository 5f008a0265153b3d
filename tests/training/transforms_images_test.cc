// SPDX-License-Identifier: Apache-2.0
// tests/training/transforms_images_test.cc: what is done with images, against values worked out by
// hand, and chance against an implementation in NumPy with a Philox of its own.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>

#include "tests/training/transforms_support.h"

namespace tenon::tests {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::FloatNear;
using testing::HasSubstr;
using testing::StartsWith;
using Floats = std::vector<float>;
using Numbers = std::vector<double>;

// 0, 1, 2 ...
template <class T = uint8_t>
std::vector<T> counted(size_t n) {
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

class TransformsImages : public TransformTest {
 protected:
  Transform pad(const std::vector<int64_t>& padding, const char* mode, double value = 0) {
    tenon_value sides{TENON_VALUE_INT_LIST, static_cast<uint32_t>(padding.size()), {}};
    sides.as.ints = padding.data();
    return transform("tenon.pad",
                     {{"padding", sides}, {"mode", text(mode)}, {"value", real(value)}});
  }
  Transform flip(double probability, bool vertical) {
    return transform("tenon.flip",
                     {{"probability", real(probability)}, {"vertical", flag(vertical)}});
  }
  Transform rotate(const Numbers& degrees, double fill = 0, bool nearest = false) {
    return transform(
        "tenon.rotate",
        {{"degrees", floats(degrees)}, {"fill", real(fill)}, {"nearest", flag(nearest)}});
  }
  Transform jitter(const char* option, const Numbers& range) {
    return transform("tenon.color_jitter", {{option, floats(range)}});
  }
  Transform jitter(const Numbers& factors, const Numbers& hue) {
    return transform("tenon.color_jitter", {{"brightness", floats(factors)},
                                            {"contrast", floats(factors)},
                                            {"saturation", floats(factors)},
                                            {"hue", floats(hue)}});
  }
  Transform erasing(double probability, const Numbers& scale, const Numbers& ratio,
                    const Numbers& value) {
    return transform("tenon.random_erasing", {{"probability", real(probability)},
                                              {"scale", floats(scale)},
                                              {"ratio", floats(ratio)},
                                              {"value", floats(value)}});
  }
};

class TransformsImagesThreads : public TransformsImages {};

TEST_F(TransformsImages, PadPutsRowsAndColumnsAround) {
  const Bytes image = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(changed(pad({1}, "constant", 9), {1, 2, 3}, image),
              ElementsAre(9, 9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 4, 5, 6, 9, 9, 9, 9, 9, 9));
  EXPECT_THAT(changed(pad({2, 1}, "reflect"), {1, 2, 3}, image),
              ElementsAreArray(Bytes{6, 5, 4, 5, 6, 5, 4, 3, 2, 1, 2, 3, 2, 1,
                                     6, 5, 4, 5, 6, 5, 4, 3, 2, 1, 2, 3, 2, 1}));
  // Left, top, right, bottom.
  EXPECT_THAT(changed(pad({0, 1, 2, 0}, "replicate"), {1, 2, 3}, image),
              ElementsAre(1, 2, 3, 3, 3, 1, 2, 3, 3, 3, 4, 5, 6, 6, 6));
  EXPECT_THAT(changed(pad({1, 0, 0, 1}, "constant", -0.5), {2, 1, 1}, Floats{7, 8}),
              ElementsAre(-0.5F, 7, -0.5F, -0.5F, -0.5F, 8, -0.5F, -0.5F));
  EXPECT_THAT(changed(pad({1, 0}, "constant", -3), {1, 1, 1}, std::vector<int64_t>{7}),
              ElementsAre(-3, 7, -3));
}

TEST_F(TransformsImages, FlipOfRowsOrOfColumns) {
  const Bytes image = counted(8);
  EXPECT_THAT(changed(flip(1, false), {1, 2, 2, 2}, image), ElementsAre(1, 0, 3, 2, 5, 4, 7, 6));
  EXPECT_THAT(changed(flip(1, true), {1, 2, 2, 2}, image), ElementsAre(2, 3, 0, 1, 6, 7, 4, 5));
  for (const bool vertical : {false, true}) {
    EXPECT_EQ(changed(flip(0, vertical), {1, 2, 2, 2}, image), image);
    Bytes pairs;
    for (int i = 0; i < 400; ++i) pairs.insert(pairs.end(), {0, 1, 1, 2});
    const Bytes found = changed(flip(0.25, vertical), {400, 2, 2}, pairs);
    EXPECT_NEAR(static_cast<double>(std::ranges::count(found, 2)), 400, 0);
    int turned = 0;
    for (size_t i = 0; i < found.size(); i += 4) turned += found[i] == 1 ? 1 : 0;
    EXPECT_NEAR(turned, 100, 40) << vertical;
  }
}

TEST_F(TransformsImages, QuarterTurnsAreExactAndCounterClockwise) {
  const Bytes quarter = {2, 5, 8, 1, 4, 7, 0, 3, 6, 11, 14, 17, 10, 13, 16, 9, 12, 15};
  for (const bool nearest : {false, true}) {
    EXPECT_EQ(changed(rotate({90, 90}, 0, nearest), {1, 2, 3, 3}, counted(18)), quarter);
    EXPECT_EQ(changed(rotate({-270, -270}, 0, nearest), {1, 2, 3, 3}, counted(18)), quarter);
    EXPECT_THAT(changed(rotate({-90, -90}, 0, nearest), {1, 3, 3}, counted<float>(9)),
                ElementsAre(6, 3, 0, 7, 4, 1, 8, 5, 2));
    EXPECT_THAT(changed(rotate({180, 180}, 9, nearest), {1, 2, 3}, counted(6)),
                ElementsAre(5, 4, 3, 2, 1, 0));
    const Floats same = {1e30F, -std::numeric_limits<float>::infinity(), 1e-30F, 2};
    EXPECT_EQ(changed(rotate({0}, 9, nearest), {1, 2, 2}, same), same);
  }
}

// With places half-way between pixels: means of two or four, ties to even, half of it `fill`.
TEST_F(TransformsImages, RotatedPixelsAreMeansOfFour) {
  EXPECT_THAT(changed(rotate({90, 90}, 255), {1, 2, 3}, Bytes{4, 2, 1, 5, 3, 4}),
              ElementsAre(128, 2, 129, 129, 4, 130));
  const Floats found = changed(rotate({45, 45}, 10), {1, 3, 3}, Floats{0, 0, 0, 0, 1, 0, 0, 0, 0});
  const double near = std::sqrt(0.5);
  const auto edge = FloatNear(static_cast<float>((1 - near) * (1 - near)), 1e-6F);
  const auto corner = FloatNear(static_cast<float>(10 * (2 * near - 1)), 1e-5F);
  EXPECT_THAT(found, ElementsAre(corner, edge, corner, edge, FloatNear(1, 1e-6F), edge, corner,
                                 edge, corner));
  EXPECT_THAT(changed(rotate({45, 45}, 10, true), {1, 3, 3}, counted<float>(9)),
              ElementsAre(1, 2, 5, 0, 4, 8, 3, 6, 7));
}

TEST_F(TransformsImages, BrightnessAndContrast) {
  const Bytes grey = {0, 3, 100, 200};
  EXPECT_THAT(changed(jitter("brightness", {1.5, 1.5}), {1, 1, 1, 4}, grey),
              ElementsAre(0, 4, 150, 255));
  EXPECT_THAT(changed(jitter("brightness", {2, 2}), {1, 3, 1}, Floats{0.25F, 0.5F, 0.75F}),
              ElementsAre(0.5F, 1, 1));
  EXPECT_THAT(changed(jitter("contrast", {0, 0}), {1, 1, 1, 4}, grey), ElementsAre(75, 75, 75, 75));
  // A red and a blue pixel: the grey values 76 and 29, their mean 52.5.
  const Bytes colors = {255, 0, 0, 0, 0, 255};
  EXPECT_THAT(changed(jitter("contrast", {0.5, 0.5}), {1, 3, 1, 2}, colors),
              ElementsAre(153, 26, 26, 26, 26, 153));
  EXPECT_THAT(changed(jitter("contrast", {2, 2}), {1, 3, 1, 2}, colors),
              ElementsAre(255, 0, 0, 0, 0, 255));
  EXPECT_THAT(changed(jitter("contrast", {0, 0}), {1, 3, 1, 2}, Floats{1, 0, 0, 0, 0, 1}),
              Each(FloatNear((0.2989F + 0.114F) / 2, 1e-7F)));
}

TEST_F(TransformsImages, SaturationAndHue) {
  const Bytes colors = {255, 0, 0, 0, 0, 255};  // red, blue
  EXPECT_THAT(changed(jitter("saturation", {0.5, 0.5}), {1, 3, 1, 2}, colors),
              ElementsAre(165, 14, 38, 14, 38, 142));
  EXPECT_THAT(
      changed(jitter("saturation", {2, 2}), {1, 3, 1, 1}, Floats{0.5F, 0.25F, 0.5F}),
      ElementsAre(FloatNear(0.6468F, 1e-5F), FloatNear(0.1468F, 1e-5F), FloatNear(0.6468F, 1e-5F)));
  EXPECT_THAT(changed(jitter("hue", {0.5, 0.5}), {1, 3, 1, 2}, colors),
              ElementsAre(0, 255, 255, 255, 255, 0));
  // A third of a circle: red, green, blue and white to green, blue, red and white.
  EXPECT_THAT(changed(jitter("hue", {1.0 / 3, 1.0 / 3}), {1, 3, 1, 4},
                      Floats{1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1}),
              testing::Pointwise(FloatNear(1e-6F), Floats{0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1}));
  EXPECT_THAT(changed(jitter("hue", {-0.5, -0.5}), {1, 3, 1, 1}, Floats{1, 0.5F, 0.25F}),
              ElementsAre(0.25F, FloatNear(0.75F, 1e-6F), 1));
  // One channel has no colour, and pixels that are infinite or not above 0 have no hue.
  for (const char* option : {"saturation", "hue"}) {
    EXPECT_EQ(changed(jitter(option, {0.25, 0.5}), {1, 1, 2, 2}, counted(4)), counted(4));
  }
  const Floats odd = {std::numeric_limits<float>::infinity(), 0, 0, -1, 0.5F, -0.5F};
  EXPECT_EQ(changed(jitter("hue", {0.25, 0.25}), {1, 3, 1, 2}, odd), odd);
  // What is not asked for does not take place.
  const Floats wide = {-2, 3, 0.5F};
  EXPECT_EQ(changed(transform("tenon.color_jitter"), {1, 3, 1, 1}, wide), wide);
}

TEST_F(TransformsImages, ErasedRectanglesHaveTheirAreaAndLieAnywhere) {
  constexpr int64_t n = 400;
  const Bytes white(n * 2 * 64, 255);
  const Bytes found = changed(erasing(1, {0.25, 0.25}, {1, 1}, {7}), {n, 2, 8, 8}, white);
  std::set<size_t> places;
  for (size_t i = 0; i < found.size(); i += 64) {
    const Bytes plane(found.begin() + static_cast<ptrdiff_t>(i),
                      found.begin() + static_cast<ptrdiff_t>(i) + 64);
    const size_t first = static_cast<size_t>(std::ranges::find(plane, uint8_t{7}) - plane.begin());
    Bytes expected(64, 255);
    for (size_t at = 0; at < 16 && first < 64; ++at) expected.at(first + at / 4 * 8 + at % 4) = 7;
    ASSERT_EQ(plane, expected) << i;
    places.insert(first);
    // The planes of an image have the same one.
    if (i % 128 != 0) {
      ASSERT_EQ(found[i + first - 64], 7);
    }
  }
  EXPECT_EQ(places.size(), 25u);
  // Height by width is 4: 8 rows, 2 columns.
  const Bytes tall = changed(erasing(1, {0.0625, 0.0625}, {4, 4}, {0}), {1, 16, 16}, Bytes(256, 1));
  size_t rows = 0;
  for (size_t row = 0; row < 16; ++row) {
    const auto erased = std::count(tall.begin() + static_cast<ptrdiff_t>(16 * row),
                                   tall.begin() + static_cast<ptrdiff_t>(16 * row + 16), 0);
    EXPECT_TRUE(erased == 0 || erased == 2) << erased;
    rows += erased == 2 ? 1 : 0;
  }
  EXPECT_EQ(rows, 8u);
}

TEST_F(TransformsImages, ErasingByChanceWithAValueForEachChannel) {
  const Floats ones(400 * 9, 1.0F);
  const Floats some = changed(erasing(0.25, {0.1, 0.1}, {1, 1}, {0}), {400, 3, 3}, ones);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(some, 0.0F)), 100, 40);
  EXPECT_EQ(changed(erasing(0, {0.1, 0.1}, {1, 1}, {0}), {400, 3, 3}, ones), ones);
  // A row and a column stay.
  EXPECT_EQ(changed(erasing(1, {1, 1}, {1, 1}, {0}), {400, 3, 3}, ones), ones);
  const Floats two =
      changed(erasing(1, {0.25, 0.25}, {1, 1}, {-1, 0.25}), {1, 2, 2, 2}, Floats(8, 1.0F));
  EXPECT_EQ(std::count(two.begin(), two.begin() + 4, -1.0F), 1);
  EXPECT_EQ(std::count(two.begin() + 4, two.end(), 0.25F), 1);
}

// Worked out in NumPy: the numbers of a sample are a fixed part of what a run is resumed from.
TEST_F(TransformsImages, ChanceIsPhiloxOfSeedEpochAndSample) {
  EXPECT_THAT(changed(flip(0.5, true), {6, 2, 2}, counted(24)),
              ElementsAreArray(Bytes{2,  3,  0,  1,  6,  7,  4,  5,  8,  9,  10, 11,
                                     14, 15, 12, 13, 16, 17, 18, 19, 22, 23, 20, 21}));
  EXPECT_THAT(changed(rotate({40}, 200), {3, 3, 4}, counted(36)),
              ElementsAreArray(Bytes{46,  15, 3,  32,  3,  5,  6,  8,  34,  8,  23, 54,
                                     141, 33, 16, 74,  13, 16, 19, 22, 71,  19, 40, 144,
                                     78,  26, 46, 128, 31, 30, 29, 28, 131, 53, 33, 81}));
  EXPECT_THAT(
      changed(jitter({0.5, 3}, {-0.5, 0.5}), {8, 3, 1, 2}, counted(48)),
      ElementsAreArray(Bytes{0,  0,  4,  6,  20, 23, 22, 25, 13,  16,  23, 28,  26,  31,  16, 20,
                             63, 68, 37, 39, 49, 51, 23, 25, 32,  34,  28, 30,  7,   11,  37, 38,
                             31, 31, 29, 29, 84, 89, 84, 87, 128, 137, 97, 102, 132, 136, 54, 66}));
  Bytes erased = counted(80);
  for (const size_t at : {11, 12, 13, 16, 17, 18, 28, 29, 33, 34, 41, 42, 46, 47, 51, 52}) {
    erased[at] = 99;
  }
  EXPECT_EQ(changed(erasing(0.75, {0.1, 0.5}, {0.5, 2}, {99}), {4, 4, 5}, counted(80)), erased);
}

TEST_F(TransformsImagesThreads, ChanceDependsOnSeedEpochAndSampleAlone) {
  open({40, 3, 4, 5});
  const Transform padded = pad({1}, "reflect");
  const Transform window = crop(4, 5, 0, true);
  const Transform sideways = flip(0.5, false);
  const Transform upside = flip(0.5, true);
  const Transform turned = rotate({30}, 9);
  const Transform colors = jitter(Numbers{0.5}, Numbers{0.25});
  const Transform erased = erasing(0.5, {0.1, 0.5}, {0.5, 2}, {1, 2, 3});
  const std::vector<const Transform*> all = {&padded, &window, &sideways, &upside,
                                             &turned, &colors, &erased};
  const Loader plain = loader(7, all);
  const Bytes expected[] = {epoch_of(plain, 0), epoch_of(plain, 1)};
  EXPECT_EQ(expected[0].size(), 40u * 60);
  EXPECT_NE(expected[0], expected[1]);
  for (const uint32_t workers : {0u, 1u, 4u}) {
    const Loader other = loader(workers + 2, all);
    must(tenon_loader_set_workers(context, other.get(), workers));
    for (const int64_t epoch : {1, 0}) EXPECT_EQ(epoch_of(other, epoch), expected[epoch]);
  }
  EXPECT_NE(epoch_of(loader(7, all, 4), 0), expected[0]);
}

// What begins the record of a refusal.
auto record(const std::string& transform, const std::string& what, const std::string& operand,
            const std::string& expected, const std::string& found) {
  return StartsWith(transform + ": " + what + "\n" + transform + "\n" + operand + "\n" + expected +
                    "\n" + found + "\n");
}

TEST_F(TransformsImages, ListsOutOfRangeAreNamed) {
  struct Case {
    const char* transform;
    const char* option;
    Numbers given;
    std::string expected;
    const char* found;
  };
  const std::string ordered = ", the lower one first";
  const std::string factors = "one number from 0 to 1000, or two numbers from 0 to 1000" + ordered;
  const std::string degrees = "one number from 0 to 180, or two numbers from -360 to 360" + ordered;
  const std::string hue = "one number from 0 to 0.5, or two numbers from -0.5 to 0.5" + ordered;
  const Case cases[] = {
      {"tenon.rotate", "degrees", {181}, degrees, "[181]"},
      {"tenon.rotate", "degrees", {10, -10}, degrees, "[10, -10]"},
      {"tenon.rotate", "degrees", {-361, 0}, degrees, "[-361, 0]"},
      {"tenon.color_jitter", "brightness", {-1}, factors, "[-1]"},
      {"tenon.color_jitter", "contrast", {}, factors, "[]"},
      {"tenon.color_jitter", "saturation", {1, 2, 3}, factors, "[1, 2, 3]"},
      {"tenon.color_jitter", "hue", {0.75}, hue, "[0.75]"},
      {"tenon.random_erasing",
       "scale",
       {0.5, 1.5},
       "two numbers from 0 to 1" + ordered,
       "[0.5, 1.5]"},
      {"tenon.random_erasing", "ratio", {2}, "two numbers from 0.001 to 1000" + ordered, "[2]"},
      {"tenon.random_erasing", "value", {}, "one number or more", "none"},
  };
  for (const Case& each : cases) {
    EXPECT_THAT(refuse_options(each.transform, {{each.option, floats(each.given)}}),
                record(each.transform, std::string(each.option) + " does not fit", each.option,
                       each.expected, each.found));
  }
}

TEST_F(TransformsImages, OtherOptionsOutOfRangeAreNamed) {
  for (const char* name : {"tenon.flip", "tenon.random_erasing"}) {
    EXPECT_THAT(
        refuse_options(name, {{"probability", real(1.5)}}),
        record(name, "probability does not fit", "probability", "0 <= probability <= 1", "1.5"));
  }
  const int64_t three[] = {1, 2, 3};
  tenon_value padding{TENON_VALUE_INT_LIST, 3, {}};
  padding.as.ints = three;
  EXPECT_THAT(refuse_options("tenon.pad", {{"padding", padding}}),
              record("tenon.pad", "padding does not fit", "padding",
                     "1, 2 or 4 numbers from 0 to 2147483647", "[1,2,3]"));
  padding.count = 1;
  EXPECT_THAT(
      refuse_options("tenon.pad", {{"padding", padding}, {"mode", text("edge")}}),
      record("tenon.pad", "mode does not fit", "mode", "constant, reflect or replicate", "edge"));
}

TEST_F(TransformsImages, FieldsThatDoNotFitAreRefused) {
  open({4, 2, 3});
  EXPECT_THAT(refuse(pad({2}, "reflect"), TENON_E_SHAPE),
              record("tenon.pad", "the image is too small to be padded with what is in it", "field",
                     "at least 3 rows for this padding", "samples [2,3]"));
  EXPECT_THAT(refuse(pad({1}, "constant", 256), TENON_E_ATTRIBUTE),
              record("tenon.pad", "value does not fit", "value",
                     "a number that the field's dtype can hold", "256"));
  EXPECT_THAT(refuse(rotate({10}, 0.5), TENON_E_ATTRIBUTE),
              record("tenon.rotate", "fill does not fit", "fill",
                     "a whole number from 0 to 255, as pixels of u8 are", "0.5"));
  EXPECT_THAT(refuse(erasing(1, {0, 1}, {1, 1}, {-1}), TENON_E_ATTRIBUTE),
              record("tenon.random_erasing", "value does not fit", "value",
                     "a whole number from 0 to 255, as pixels of u8 are", "-1"));
  EXPECT_THAT(refuse(erasing(1, {0, 1}, {1, 1}, {1, 2}), TENON_E_SHAPE),
              record("tenon.random_erasing", "value has another number of channels than the images",
                     "field", "[n, 2, H, W]", "samples [2,3]"));
  open({4, 2, 3, 3});
  EXPECT_THAT(refuse(transform("tenon.color_jitter"), TENON_E_SHAPE),
              record("tenon.color_jitter", "is not a batch of images of 1 or 3 channels", "field",
                     "[n, 3, H, W], [n, 1, H, W] or [n, H, W]", "samples [2,3,3]"));
  open({4, 6});
  for (const char* name : {"tenon.random_erasing", "tenon.color_jitter"}) {
    EXPECT_THAT(refuse(transform(name), TENON_E_SHAPE), HasSubstr("samples [6]")) << name;
  }
  EXPECT_THAT(
      refuse(flip(1, true), TENON_E_SHAPE),
      record("tenon.flip", "has too few dimensions", "field", "[n, ..., H, W]", "samples [6]"));
  EXPECT_THAT(refuse(rotate({10}), TENON_E_SHAPE), HasSubstr("too few dimensions"));
  EXPECT_THAT(refuse(pad({1}, "constant"), TENON_E_SHAPE), HasSubstr("too few dimensions"));
  set_ = dataset({{"images", text(write("set", idx_file(0x09, {2, 1, 1}, "ab")))}});
  set_shape_ = {2, 1, 1};
  for (const Transform& each :
       {rotate({10}), transform("tenon.color_jitter"), transform("tenon.random_erasing")}) {
    EXPECT_THAT(refuse(each, TENON_E_DTYPE), HasSubstr("field\nu8 or f32\n"));
  }
}

}  // namespace
}  // namespace tenon::tests
