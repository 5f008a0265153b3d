// SPDX-License-Identifier: Apache-2.0
// tests/cpp/tensor_test.cc: tensors in C++: making, operators, parts, memory, owners, errors.
#include <gtest/gtest.h>
#include <tenon/tenon.hpp>

#include <sstream>

#include "tests/cpp/counted_support.h"

namespace tn = tenon;
using tenon::Slice;
using tenon::Tensor;
using tenon::tests::counts;

namespace {

std::vector<float> numbers(const Tensor& x) { return x.to_vector<float>(); }

Tensor matrix() { return tn::arange(12, tn::float32).reshape({3, 4}); }

// The record that `call` throws; a failure of the test if it throws none.
template <class Call>
tn::ErrorRecord record_of(Call call) {
  try {
    call();
  } catch (const tn::Error& error) {
    EXPECT_EQ(error.what(), error.message());
    return error.record();
  }
  ADD_FAILURE() << "no tenon::Error was thrown";
  return {};
}

// What must be given is; what would write nothing, or copy what cannot be copied, does not compile.
template <class T>
concept MadeOfNothing = requires {
  T{};
};
static_assert(MadeOfNothing<tn::SumOptions>);
static_assert(!MadeOfNothing<tn::ReshapeOptions>);
static_assert(!MadeOfNothing<tn::nn::LinearOptions>);
static_assert(std::copyable<Tensor> && std::is_nothrow_move_constructible_v<Tensor>);
static_assert(!std::is_assignable_v<Tensor, const Tensor&>);
static_assert(!std::copyable<tn::Optimizer> && std::movable<tn::Optimizer>);
static_assert(std::movable<tn::Loader> && std::movable<tn::Plan> && std::copyable<tn::Layer>);

// ---- Making and describing ----------------------------------------------------------------------

TEST(CppTensor, IsMadeOfNumbers) {
  EXPECT_EQ(tn::tensor({1.0, 2.0}).dtype(), tn::float32);
  EXPECT_EQ(tn::tensor({1, 2}).dtype(), tn::int64);
  EXPECT_EQ(tn::tensor({true, false}).dtype(), tn::bool_);
  EXPECT_EQ(tn::tensor({{1, 2, 3}, {4, 5, 6}}).shape(), tn::Shape({2, 3}));
  EXPECT_EQ(tn::tensor(2.5).ndim(), 0);
  EXPECT_EQ(tn::tensor(2.5).item(), 2.5);
  const std::vector<double> given = {1, 2, 3, 4, 5, 6};
  const Tensor kept = Tensor::from(given, {3, 2});
  EXPECT_EQ(kept.dtype(), tn::float64);
  EXPECT_EQ(kept.to_vector<double>(), given);
  EXPECT_EQ(Tensor::from(std::array<std::int32_t, 3>{7, 8, 9}).to_vector<std::int32_t>()[2], 9);
  EXPECT_EQ(numbers(tn::full({2}, 1.5)), (std::vector<float>{1.5f, 1.5f}));
  EXPECT_EQ(tn::zeros({2, 0, 3}).size(), 0);
  EXPECT_EQ(record_of([] { tn::tensor({{1, 2}, {3}}); }).status, TENON_E_SHAPE);
}

TEST(CppTensor, IsDescribed) {
  const Tensor x = matrix().transpose();
  EXPECT_EQ(x.shape(), tn::Shape({4, 3}));
  EXPECT_EQ(x.shape(-1), 3);
  EXPECT_EQ(x.strides(), tn::Ints({1, 4}));
  EXPECT_EQ(x.size(), 12);
  EXPECT_EQ(x.device(), tn::Device("cpu"));
  EXPECT_FALSE(Tensor().defined());
  EXPECT_EQ(record_of([&] { x.shape(2); }).operand, "axis");
  std::ostringstream out;
  out << tn::tensor({1.0, 2.0}) << tn::Shape({2, 3}) << tn::float32 << Tensor();
  EXPECT_EQ(out.str(), "tensor([1., 2.], shape=[2], dtype=f32, device=cpu:0)[2,3]f32(no tensor)");
}

// ---- Operators ----------------------------------------------------------------------------------

TEST(CppTensor, HasOperators) {
  const Tensor a = tn::tensor({1.0, 2.0, 4.0}), b = tn::tensor({3.0, 2.0, 1.0});
  EXPECT_EQ(numbers(a + b), (std::vector<float>{4, 4, 5}));
  EXPECT_EQ(numbers(a - b), (std::vector<float>{-2, 0, 3}));
  EXPECT_EQ(numbers(2 * a), (std::vector<float>{2, 4, 8}));
  EXPECT_EQ(numbers(a / 2.0), (std::vector<float>{0.5, 1, 2}));
  EXPECT_EQ(numbers(1.0 / a), (std::vector<float>{1, 0.5, 0.25}));
  EXPECT_EQ(numbers(a % 3), (std::vector<float>{1, 2, 1}));
  EXPECT_EQ(numbers(-a), (std::vector<float>{-1, -2, -4}));
  EXPECT_EQ(numbers((a < b).astype(tn::float32)), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(numbers((a == b).astype(tn::float32)), (std::vector<float>{0, 1, 0}));
  EXPECT_EQ(numbers((a != 2).astype(tn::float32)), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(numbers((2 >= a).astype(tn::float32)), (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(numbers((~((a > 1) & (a < 3)) | (a == b)).astype(tn::float32)),
            (std::vector<float>{1, 1, 1}));
}

TEST(CppTensor, IsWrittenInPlace) {
  Tensor x = tn::tensor({1.0, 2.0});
  const tenon_tensor* before = x.handle();
  x += 1;
  x *= tn::tensor({2.0, 3.0});
  x -= 1.0;
  x /= 2;
  EXPECT_EQ(numbers(x), (std::vector<float>{1.5, 4}));
  EXPECT_EQ(x.handle(), before);
  const Tensor out = tn::zeros({2});
  const Tensor same = tn::exp(tn::zeros({2}), tn::into(out));
  EXPECT_EQ(numbers(out), (std::vector<float>{1, 1}));
  EXPECT_EQ(same.handle(), out.handle());
}

TEST(CppTensor, OpsTakeNamedAttributesOptionalOperandsAndLists) {
  const Tensor x = matrix();
  EXPECT_EQ(numbers(tn::sum(x, {.axes = 1})), (std::vector<float>{6, 22, 38}));
  EXPECT_EQ(tn::sum(x, {.axes = {0, 1}, .keepdims = true}).shape(), tn::Shape({1, 1}));
  EXPECT_EQ(tn::sum(x, {.axes = tn::Ints{}}).shape(), tn::Shape({3, 4}));  // no axis is summed
  EXPECT_EQ(numbers(tn::clamp(x, {.max = 1})).back(), 1);
  const Tensor weight = tn::full({4}, 2.0);
  const Tensor normed = tn::layer_norm(x, {.weight = weight, .eps = 0});
  EXPECT_EQ(numbers(normed), numbers(2 * tn::layer_norm(x, {.eps = 0})));
  EXPECT_EQ(tn::concat({x, x}, {.axis = 1}).shape(), tn::Shape({3, 8}));
  const std::vector<Tensor> list = {x, x, x};
  EXPECT_EQ(tn::stack(list).shape(), tn::Shape({3, 3, 4}));
  const auto [values, indices] = tn::topk(x, {.k = 2});
  EXPECT_EQ(values.shape(), tn::Shape({3, 2}));
  EXPECT_EQ(indices.to_vector<std::int64_t>()[0], 3);
}

TEST(CppTensor, OpsOfAnyPluginAreCalledByName) {
  const Tensor x = tn::tensor({1.0, -2.0});
  EXPECT_EQ(numbers(tn::call("tenon.leaky_relu", {x}, {{"negative_slope", 0.5}})),
            (std::vector<float>{1, -1}));
  const tn::Op topk("tenon.topk");
  EXPECT_EQ(topk.all({x}, {{"k", 1}}, 2)[1].item<int>(), 0);
  EXPECT_STREQ(topk.info().name, "tenon.topk");
  EXPECT_EQ(record_of([&] { tn::call("acme.nothing", {x}); }).status, TENON_E_NOT_FOUND);
  EXPECT_EQ(record_of([&] { tn::call("tenon.relu", {x}, {{"a", 1}}); }).status, TENON_E_ATTRIBUTE);
}

// ---- Parts --------------------------------------------------------------------------------------

TEST(CppTensor, PartsAreTakenAsNumpyDoes) {
  const Tensor x = matrix();
  EXPECT_EQ(numbers(x[1]), (std::vector<float>{4, 5, 6, 7}));
  EXPECT_EQ(x(-1, 2).item(), 10);
  EXPECT_EQ(numbers(x(Slice{1}, 0)), (std::vector<float>{4, 8}));
  EXPECT_EQ(numbers(x(0, Slice{.step = -2})), (std::vector<float>{3, 1}));
  EXPECT_EQ(numbers(x(tn::ellipsis, Slice{-1})), (std::vector<float>{3, 7, 11}));
  EXPECT_EQ(x(tn::newaxis, tn::ellipsis, tn::newaxis).shape(), tn::Shape({1, 3, 4, 1}));
  const Tensor rows = tn::tensor({2, -3}), columns = tn::tensor({{0}, {-1}});
  EXPECT_EQ(numbers(x(rows)), (std::vector<float>{8, 9, 10, 11, 0, 1, 2, 3}));
  EXPECT_EQ(numbers(x(rows, columns)), (std::vector<float>{8, 0, 11, 3}));
  EXPECT_EQ(numbers(x(Slice{}, rows)),
            numbers(tn::gather(x, tn::tensor({{2, 1}, {2, 1}, {2, 1}}), {.axis = 1})));
  EXPECT_EQ(numbers(x(x > 9)), (std::vector<float>{10, 11}));
  const Tensor cube = tn::arange(24, tn::float32).reshape({2, 3, 4});
  EXPECT_EQ(cube(Slice{}, rows, rows).shape(), tn::Shape({2, 2}));
  EXPECT_EQ(cube(tn::tensor({1, -1}), Slice{}, rows).shape(), tn::Shape({2, 3}));
  EXPECT_EQ(cube(Slice{}, tn::tensor({{0, 1}, {2, 0}, {1, 1}})).shape(), tn::Shape({2, 3, 2, 4}));
  EXPECT_EQ(cube(1, rows, 0).shape(), tn::Shape({2}));
}

TEST(CppTensor, PartsAreWritten) {
  Tensor x = tn::zeros({3, 4});
  x.set({1}, 2);
  x.set({0, Slice{.step = 2}}, tn::tensor({5, 6}));  // i64 is cast
  x.set({tn::tensor({2, 2}), tn::tensor({0, 3})}, tn::tensor({7.0, 8.0}));
  EXPECT_EQ(numbers(x), (std::vector<float>{5, 0, 6, 0, 2, 2, 2, 2, 7, 0, 0, 8}));
  x.set({x > 4}, -1.0);
  EXPECT_EQ(numbers(x), (std::vector<float>{-1, 0, -1, 0, 2, 2, 2, 2, -1, 0, 0, -1}));
  Tensor cube = tn::zeros({2, 3, 4});
  cube.set({Slice{}, tn::tensor({0, 2}), 1}, tn::tensor({{1, 2}, {3, 4}}));
  EXPECT_EQ(numbers(cube(Slice{}, Slice{}, 1)), (std::vector<float>{1, 0, 2, 3, 0, 4}));
}

TEST(CppTensor, WrongPartsAreRefused) {
  const Tensor x = matrix();
  const tn::ErrorRecord far = record_of([&] { x(0, 4); });
  EXPECT_EQ(far.operand, "axis 0");
  EXPECT_EQ(far.expected, "-4 to 3");
  EXPECT_EQ(record_of([&] { x(0, 0, 0); }).expected, "at most 2");
  EXPECT_EQ(record_of([&] { x(Slice{.step = 0}); }).operand, "slice");
  EXPECT_EQ(record_of([&] { x(tn::tensor({0.5})); }).status, TENON_E_DTYPE);
  EXPECT_EQ(record_of([&] { x(tn::tensor({true, false})); }).operand, "mask");
  EXPECT_EQ(record_of([&] { x(tn::ellipsis, tn::ellipsis); }).expected, "one ellipsis");
}

// ---- Memory -------------------------------------------------------------------------------------

TEST(CppTensor, MemoryIsSeenWithItsStrides) {
  const Tensor x = matrix();
  const auto turned = x.transpose().host<const float, 2>();
  EXPECT_EQ(turned.extent(0), 4);
  EXPECT_EQ(turned.stride(0), 1);
  EXPECT_EQ(turned(3, 1), 7);
  EXPECT_EQ((turned[{3, 2}]), 11);
  EXPECT_EQ(record_of([&] { turned.at(4, 0); }).expected, "0 to 3");
  EXPECT_EQ(record_of([&] { turned.span(); }).status, TENON_E_LAYOUT);
  for (float& each : x.host<float, 2>().span()) each += 1;
  EXPECT_EQ(x(0, 0).item(), 1);
  EXPECT_EQ(record_of([&] { x.host<const double, 2>(); }).status, TENON_E_DTYPE);
  EXPECT_EQ(record_of([&] { x.host<const float, 1>(); }).status, TENON_E_SHAPE);
  EXPECT_EQ(record_of([&] { x.to_vector<double>(); }).status, TENON_E_DTYPE);
  Tensor leaf = tn::ones({2}).set_requires_grad();
  EXPECT_EQ(record_of([&] { leaf.host<float, 1>(); }).status, TENON_E_ALIAS);
}

TEST(CppTensor, MemoryOfTheProgramIsShared) {
  auto owner = std::make_shared<std::vector<float>>(6, 1.0f);
  const std::weak_ptr<std::vector<float>> watched = owner;
  {
    Tensor x = Tensor::wrap(*owner, {2, 3}, owner);
    owner.reset();
    (*watched.lock())[0] = 5;
    EXPECT_EQ(x(0, 0).item(), 5);
  }
  EXPECT_TRUE(watched.expired());
  const std::array<std::int32_t, 2> fixed = {1, 2};
  Tensor read_only = Tensor::wrap(fixed, 2);
  EXPECT_EQ(read_only.to_vector<std::int32_t>()[1], 2);
  EXPECT_EQ(record_of([&] { read_only += 1; }).status, TENON_E_ALIAS);
  EXPECT_EQ(record_of([&] { Tensor::wrap(std::span(fixed), 3); }).found, "2");
  Tensor x = tn::zeros({2});
  const std::array<float, 2> given = {3, 4};
  x.copy_from(given);
  EXPECT_EQ(numbers(x), (std::vector<float>{3, 4}));
}

// ---- Owners -------------------------------------------------------------------------------------

TEST(CppTensor, MovesAskForNoOwnerAndCopiesForOne) {
  Tensor x = matrix();
  std::vector<Tensor> kept;
  kept.reserve(2);
  const auto before = counts();
  Tensor moved = std::move(x);
  Tensor back;
  back = std::move(moved);
  kept.push_back(std::move(back));
  std::swap(kept[0], x);
  const auto by_value = [](Tensor given) { return given; };
  x = by_value(std::move(x));
  const std::array<Tensor, 1> holder = {std::move(x)};
  EXPECT_EQ(counts().retains, before.retains);
  EXPECT_EQ(counts().releases, before.releases);
  Tensor copy = holder[0];
  EXPECT_EQ(counts().retains, before.retains + 1);
  copy += 1;
  EXPECT_EQ(copy.handle(), holder[0].handle());
}

TEST(CppTensor, CallsAskForNoOwner) {
  const Tensor a = matrix(), b = matrix();
  const auto before = counts();
  Tensor sum = a + b;
  sum += 1;
  Tensor all = tn::concat({a, b, sum});
  const auto [values, indices] = tn::topk(all, {.k = 1});
  EXPECT_EQ(counts().retains, before.retains + 1);  // of the returned `sum` of +=
}

// ---- Errors -------------------------------------------------------------------------------------

TEST(CppErrors, CarryTheWholeRecord) {
  const tn::Scope step("step");
  const tn::Scope encoder("encoder");
  const Tensor a = tn::ones({2, 3}), b = tn::ones({4});
  const tn::ErrorRecord found = record_of([&] { a + b; });
  EXPECT_EQ(found.status, TENON_E_SHAPE);
  EXPECT_EQ(found.op, "tenon.add");
  EXPECT_EQ(found.operand, "b");
  EXPECT_EQ(found.expected, "a shape that broadcasts with [2,3]");
  EXPECT_EQ(found.found, "f32[4]");
  EXPECT_EQ(found.scope, "step/encoder");
  EXPECT_EQ(found.hint, "sizes must be equal or 1, counted from the last dimension");
  EXPECT_NE(found.message.find("tenon.add: operand \"b\""), std::string::npos);
  EXPECT_GT(found.sequence, 0u);
  EXPECT_TRUE(found.causes.empty());

  const tn::ErrorRecord missing = record_of([] { tn::data::idx({.images = "nowhere"}); });
  EXPECT_EQ(missing.status, TENON_E_IO);
  EXPECT_EQ(missing.plugin, "tenon.data");
}

TEST(CppErrors, OfMetadataAndDevices) {
  EXPECT_EQ(record_of([] { tn::set_device("cuda:x"); }).found, "cuda:x");
  EXPECT_EQ(record_of([] { tn::Device("no_such_device"); }).status, TENON_E_NOT_FOUND);
  EXPECT_EQ(record_of([] { tn::exp(Tensor()); }).status, TENON_E_HANDLE);
  EXPECT_EQ(record_of([] { tn::full({2, -3}, 1); }).status, TENON_E_SHAPE);
  EXPECT_EQ(record_of([] { tn::Runtime({.check = "no_such_mode"}); }).status, TENON_E_ARGUMENT);
}

TEST(CppErrors, HaveCauses) {
  // An error as it is printed, with everything that an error can have.
  tn::ErrorRecord record{TENON_E_PLUGIN, 3,      "it failed",  "acme.op",          "x", "a", "b",
                         "acme",         "step", "do not ask", {"before", "first"}};
  std::ostringstream out;
  out << tn::Error(record);
  EXPECT_EQ(out.str(),
            "it failed\n  status    TENON_E_PLUGIN\n  op        acme.op\n  operand   x\n"
            "  expected  a\n  found     b\n  plugin    acme\n  scope     step\n"
            "  hint      do not ask\n  cause     before\n  cause     first");
}

}  // namespace
