// SPDX-License-Identifier: Apache-2.0
// tests/core/call_cache_test.cc: calls that are like earlier ones are not resolved again. Whatever
// makes them different after all has to show.
#include <cstring>
#include <initializer_list>
#include <stdexcept>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using Values = std::vector<float>;

// The second call of a kind is kept, the third finds it by its words, the fourth by its operands'
// forms.
template <class Body>
void learn(Body&& body) {
  for (int i = 0; i < 4; ++i) body();
}

class CallCache : public Toy {
 protected:
  Tensor a = cx.floats({4}, {1, 2, 3, 4});
  Tensor b = cx.floats({4}, {10, 20, 30, 40});
  Tensor out = cx.floats({4}, {0, 0, 0, 0});

  uint64_t version(const Tensor& tensor) { return cx.info(tensor).version; }
  void learn_add() {
    learn([&] { cx.apply("acme.add", {arg(a), arg(b)}, {}, {out.get()}); });
  }
};

TEST_F(CallCache, GivesTheSameAndCountsTheSame) {
  learn_add();
  EXPECT_EQ(cx.values(out), (Values{11, 22, 33, 44}));
  const uint64_t before = version(out);
  const uint64_t launches = cx.stats().launches;
  const Tensor c = cx.floats({4}, {1, 1, 1, 1});
  cx.apply("acme.add", {arg(a), arg(c)}, {}, {out.get()});
  EXPECT_EQ(cx.values(out), (Values{2, 3, 4, 5}));
  EXPECT_EQ(version(out), before + 1);
  EXPECT_EQ(cx.stats().launches, launches + 1);
}

TEST_F(CallCache, NewOutputsAreApartAndReleased) {
  const int64_t tensors = cx.stats().tensors;
  const int64_t storages = cx.stats().storages;
  learn([&] {
    const Tensor x = cx.call("acme.add", {arg(a), arg(b)});
    const Tensor y = cx.call("acme.add", {arg(a), arg(b)});
    EXPECT_NE(cx.info(x).storage, cx.info(y).storage);
    EXPECT_EQ(cx.values(x), (Values{11, 22, 33, 44}));
  });
  EXPECT_EQ(cx.stats().tensors, tensors);
  EXPECT_EQ(cx.stats().storages, storages);
}

TEST_F(CallCache, AnotherShapeStrideOrDtypeIsAnotherKind) {
  learn_add();
  const Tensor one = cx.floats({1}, {5});
  cx.apply("acme.add", {arg(a), arg(one)}, {}, {out.get()});
  EXPECT_EQ(cx.values(out), (Values{6, 7, 8, 9}));
  const Tensor backwards = cx.view(b, {4}, {-1}, 3);
  cx.apply("acme.add", {arg(a), arg(backwards)}, {}, {out.get()});
  EXPECT_EQ(cx.values(out), (Values{41, 32, 23, 14}));
  const Tensor whole = cx.tensor<int64_t>({4}, {1, 1, 1, 1});
  cx.apply("acme.add", {arg(a), arg(whole)}, {}, {out.get()});
  EXPECT_EQ(cx.values(out), (Values{2, 3, 4, 5}));
}

TEST_F(CallCache, NumbersAreReadAnew) {
  double number = 1;
  learn([&] {
    number *= 2;
    EXPECT_EQ(cx.values(cx.call("acme.mul", {arg(a), number})),
              (Values{static_cast<float>(number), static_cast<float>(2 * number),
                      static_cast<float>(3 * number), static_cast<float>(4 * number)}));
  });
  // Whether it fits an integer depends on the number.
  const Tensor whole = cx.tensor<int32_t>({2}, {1, 2});
  learn([&] { cx.call("acme.mul", {arg(whole), int64_t{3}}); });
  EXPECT_EQ(cx.try_call("acme.mul", {arg(whole), int64_t{1} << 40}), TENON_E_ARGUMENT);
}

TEST_F(CallCache, AttributesBelongToTheKind) {
  const Tensor table = cx.counting({6, 2});
  learn([&] {
    for (int64_t start = 0; start < 3; ++start) {
      const Tensor part =
          cx.call("acme.slice", {arg(table)}, {int64_t{0}, start, int64_t{1}, int64_t{1}});
      const auto first = static_cast<float>(2 * start + 1);
      EXPECT_EQ(cx.values(part), (Values{first, first + 1}));
      EXPECT_EQ(cx.info(part).storage, cx.info(table).storage);
    }
  });
}

// A view's resolved call holds for the base's shape and strides; where the base begins is not in
// them.
TEST_F(CallCache, ViewsFollowTheirBase) {
  const Tensor table = cx.counting({4, 2});
  for (int64_t row = 0; row < 3; ++row) {
    const Tensor part = cx.view(table, {2, 2}, {2, 1}, 2 * row);
    const Tensor turned = cx.call("acme.transpose", {arg(part)});
    const auto first = static_cast<float>(2 * row + 1);
    EXPECT_EQ(cx.values(turned), (Values{first, first + 2, first + 1, first + 3}));
  }
}

TEST_F(CallCache, ViewsThatLeaveTheirStorageAreSeenEachTime) {
  const Tensor line = cx.floats({6}, {1, 2, 3, 4, 5, 6});
  // The op's view begins one element after the start of its operand.
  learn([&] { cx.call("acme.stray", {arg(cx.view(line, {4}, {1}, 0))}); });
  const Tensor last = cx.call("acme.stray", {arg(cx.view(line, {4}, {1}, 1))});
  EXPECT_EQ(cx.values(last), (Values{3, 4, 5, 6}));
  EXPECT_EQ(cx.try_call("acme.stray", {arg(cx.view(line, {4}, {1}, 2))}), TENON_E_PLUGIN);
}

TEST_F(CallCache, OverlapIsSeenEachTime) {
  const Tensor line = cx.floats({5}, {1, 2, 3, 4, 5});
  const Tensor low = cx.view(line, {4}, {1}, 0);
  const Tensor high = cx.view(line, {4}, {1}, 1);
  learn_add();
  cx.apply("acme.add", {arg(low), arg(b)}, {}, {high.get()});
  EXPECT_EQ(cx.values(line), (Values{1, 11, 22, 33, 44}));
  cx.apply("acme.add", {arg(high), arg(b)}, {}, {high.get()});  // the very same elements
  EXPECT_EQ(cx.values(line), (Values{1, 21, 42, 63, 84}));
}

TEST_F(CallCache, WrittenOperandsStayApart) {
  const Tensor other = cx.floats({4}, {1, 1, 1, 1});
  learn([&] { cx.run("acme.bump", {arg(a), arg(other)}); });
  EXPECT_EQ(cx.values(a), (Values{5, 6, 7, 8}));
  const Tensor line = cx.floats({5}, {1, 2, 3, 4, 5});
  const Tensor low = cx.view(line, {4}, {1}, 0);
  const Tensor high = cx.view(line, {4}, {1}, 1);
  cx.run("acme.bump", {arg(high), arg(low)});  // as if all were read first
  EXPECT_EQ(cx.values(line), (Values{1, 3, 5, 7, 9}));
}

TEST_F(CallCache, MistakesAreStillRefused) {
  learn_add();
  const Tensor longer = cx.floats({5}, {0, 0, 0, 0, 0});
  EXPECT_EQ(cx.try_apply("acme.add", {arg(a), arg(b)}, {}, {longer.get()}), TENON_E_SHAPE);
  tenon_tensor* const stale = tenon_tensor_retain(b.get()) == TENON_OK ? b.get() : nullptr;
  tenon_tensor_release(stale);
  b.reset();
  EXPECT_EQ(cx.try_apply("acme.add", {arg(a), Value(stale)}, {}, {out.get()}), TENON_E_HANDLE);
  const RuntimeHandle elsewhere = make_runtime();
  const Session foreign(elsewhere);
  const Tensor theirs = foreign.floats({4}, {0, 0, 0, 0});
  EXPECT_EQ(cx.try_apply("acme.add", {arg(a), arg(theirs)}, {}, {out.get()}), TENON_E_RUNTIME);
}

TEST_F(CallCache, WordsOfAFailedLaunchGoWithIt) {
  bool bad_day = false;
  void (*const kernel)(void*) = [](void* user) {
    if (*static_cast<const bool*>(user)) throw std::runtime_error("a bad day");
  };
  const std::initializer_list<Value> attrs = {
      Value(static_cast<int64_t>(reinterpret_cast<intptr_t>(kernel))),
      Value(static_cast<int64_t>(reinterpret_cast<intptr_t>(&bad_day)))};
  learn([&] { cx.apply("acme.hook", {arg(a)}, attrs, {out.get()}); });
  const uint64_t before = version(out);
  for (int round = 0; round < 2; ++round) {
    bad_day = true;
    const tenon_status status = cx.try_apply("acme.hook", {arg(a)}, attrs, {out.get()});
    const Failure failure = cx.refused(TENON_E_PLUGIN, status);
    EXPECT_THAT(failure.message, HasSubstr("a bad day"));
    EXPECT_EQ(failure.op, "acme.hook");
    EXPECT_TRUE(failure.causes.empty());
    bad_day = false;
    cx.apply("acme.hook", {arg(a)}, attrs, {out.get()});
    EXPECT_EQ(cx.values(out), cx.values(a));
  }
  // What fails may have written.
  EXPECT_EQ(version(out), before + 4);
}

TEST_F(CallCache, KindsByTurnsAreBothKept) {
  // More of one op than fit beside each other in any table by op.
  std::vector<Tensor> inputs;
  for (int64_t size = 1; size <= 40; ++size) {
    inputs.push_back(cx.floats({size}, Values(static_cast<size_t>(size), float(size))));
  }
  learn([&] {
    for (const Tensor& input : inputs) {
      const Tensor doubled = cx.call("acme.add", {arg(input), arg(input)});
      EXPECT_EQ(cx.values(doubled),
                Values(cx.values(input).size(), 2 * float(cx.values(input).size())));
    }
  });
}

TEST_F(CallCache, MisalignedMemoryGoesTheLongWay) {
  learn_add();
  std::vector<char> bytes(4 * sizeof(float) + 1);
  const float values[4] = {1, 1, 1, 1};
  std::memcpy(bytes.data() + 1, values, sizeof values);
  const int64_t size = 4;
  tenon_tensor* made = nullptr;
  cx.must(tenon_tensor_create_external(cx.get(), TENON_DTYPE_F32, 1, &size, nullptr,
                                       bytes.data() + 1, 0, nullptr, nullptr, &made));
  const Tensor odd(made);
  learn([&] { cx.apply("acme.add", {arg(a), arg(odd)}, {}, {out.get()}); });
  EXPECT_EQ(cx.values(out), (Values{2, 3, 4, 5}));
}

TEST_F(CallCache, GradientsAreRecordedWhereTheyAreWanted) {
  learn([&] { cx.call("acme.mul", {arg(a), arg(b)}); });
  EXPECT_EQ(cx.stats().nodes, 0);
  const Tensor x = cx.leaf(cx.floats({4}, {1, 2, 3, 4}));
  learn([&] {
    cx.clear_grad(x);
    const Tensor y = cx.call("acme.sum", {arg(cx.call("acme.mul", {arg(x), arg(b)}))});
    EXPECT_EQ(cx.stats().nodes, 2);
    cx.backward(y);
    EXPECT_EQ(cx.grad_values(x), (Values{10, 20, 30, 40}));
  });
  EXPECT_EQ(cx.stats().nodes, 0);
  learn([&] {
    const NoGrad off(cx);
    cx.call("acme.mul", {arg(x), arg(b)});
    EXPECT_EQ(cx.stats().nodes, 0);
  });
}

TEST_F(CallCache, WhatWasSavedIsWatched) {
  const Tensor x = cx.leaf(cx.floats({4}, {1, 2, 3, 4}));
  learn([&] { cx.backward(cx.call("acme.sum", {arg(cx.call("acme.mul", {arg(x), arg(b)}))})); });
  const Tensor y = cx.call("acme.sum", {arg(cx.call("acme.mul", {arg(x), arg(b)}))});
  cx.apply("acme.add", {arg(a), arg(a)}, {}, {b.get()});
  tenon_tensor* root = y.get();
  EXPECT_EQ(tenon_backward_run(cx.get(), &root, nullptr, 1, 0), TENON_E_VERSION);
  EXPECT_THAT(cx.failure().message, HasSubstr("overwritten by acme.add"));
}

TEST_F(CallCache, OutputsThatGradientsFlowThroughAreRefused) {
  learn_add();
  const Tensor leaf = cx.leaf(cx.floats({4}, {0, 0, 0, 0}));
  EXPECT_EQ(cx.try_apply("acme.add", {arg(a), arg(b)}, {}, {leaf.get()}), TENON_E_GRAD);
  const NoGrad off(cx);
  cx.apply("acme.add", {arg(a), arg(b)}, {}, {leaf.get()});
  EXPECT_EQ(cx.values(leaf), (Values{11, 22, 33, 44}));
}

TEST_F(CallCache, EndsWithItsPlugin) {
  learn([&] { EXPECT_EQ(cx.values(cx.call("acme.watch", {arg(a)})), (Values{2, 4, 6, 8})); });
  cx.must(tenon_plugin_deactivate(cx.get(), "acme.extra", TENON_NUL));
  EXPECT_EQ(cx.values(cx.call("acme.watch", {arg(a)})), (Values{1, 2, 3, 4}));
}

TEST_F(CallCache, IsNotTakenWhileCapturing) {
  learn_add();
  cx.begin_capture();
  cx.apply("acme.add", {arg(a), arg(b)}, {}, {out.get()});
  const Plan plan = cx.end_capture();
  cx.apply("acme.add", {arg(a), arg(a)}, {}, {out.get()});
  cx.run(plan);
  EXPECT_EQ(cx.values(out), (Values{11, 22, 33, 44}));
}

// More kinds than are kept: old ones are learned again.
TEST_F(CallCache, ManyKindsAreForgottenAndLearnedAgain) {
  for (int round = 0; round < 3; ++round) {
    for (int64_t size = 1; size <= 1200; ++size) {
      const Tensor x = cx.floats({size}, Values(static_cast<size_t>(size), 3));
      learn([&] {
        const Tensor y = cx.call("acme.add", {arg(x), arg(x)});
        ASSERT_EQ(cx.values(y), Values(static_cast<size_t>(size), 6));
      });
    }
  }
}

}  // namespace
}  // namespace tenon::tests
