// SPDX-License-Identifier: Apache-2.0
// tests/views/clone_test.cc: clones, row-major or with the strides of what they are of: whatever
// layouts there are, gradients, captures.
#include "tests/views/views_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Window {
  const char* name;
  Shape shape, strides;
  int64_t offset;
  int64_t reach;        // elements of memory from the lowest to the highest
  bool shares = false;  // memory within itself
};

// On 60 elements.
const std::vector<Window>& windows() {
  constexpr int64_t kFar = int64_t{1} << 40;
  static const std::vector<Window> all = {
      {"row-major", {3, 4}, {4, 1}, 5, 12},
      {"transposed", {4, 3}, {1, 4}, 0, 12},
      {"permuted", {3, 2, 4}, {4, 12, 1}, 1, 24},
      {"rows apart", {3, 4}, {7, 1}, 3, 18},
      {"columns apart", {4, 3}, {1, 7}, 3, 18},
      {"every third", {6}, {3}, 2, 16},
      {"backwards", {3, 4}, {-4, -1}, 30, 12},
      {"rows backwards, apart", {3, 4}, {-9, 2}, 30, 25},
      {"turned and backwards", {4, 3}, {-1, 4}, 10, 12},
      {"interleaved", {3, 2}, {2, 3}, 7, 8},
      {"repeated rows", {3, 4}, {0, 1}, 8, 4, true},
      {"repeated columns", {3, 4}, {-5, 0}, 20, 11, true},
      {"one element", {3, 4}, {0, 0}, 9, 1, true},
      {"sliding", {5, 4}, {1, 1}, 6, 8, true},
      {"sliding back, with gaps", {4, 3}, {-2, 4}, 20, 15, true},
      {"of rank 0", {}, {}, 11, 1},
      {"of size 1", {1, 3, 1}, {77, 1, -77}, 4, 3},
      {"empty", {3, 0}, {4, 1}, 0, 0},
      {"empty, of far strides", {2, 0, 3}, {-kFar, 1, kFar}, 0, 0},
  };
  return all;
}

class Clones : public Shipped {
 protected:
  tenon_status try_clone(const Tensor& of, uint32_t layout, Tensor& out) {
    tenon_tensor* made = nullptr;
    const tenon_status status = tenon_tensor_create_clone(cx.get(), of.get(), layout, &made);
    out.reset(made);
    return status;
  }
  Tensor clone(const Tensor& of, uint32_t layout = TENON_CLONE_PRESERVE) {
    Tensor out;
    cx.must(try_clone(of, layout, out));
    return out;
  }
  Tensor window(const Tensor& base, const Window& of) {
    return cx.view(base, of.shape, of.strides, of.offset);
  }
  template <class T>
  void expect_clones() {
    const Tensor base = cx.counting<T>({60});
    for (const Window& of : windows()) {
      SCOPED_TRACE(of.name);
      const Tensor x = window(base, of);
      const Tensor kept = clone(x);
      EXPECT_EQ(cx.shape(kept), of.shape);
      EXPECT_EQ(cx.strides(kept.get()), of.strides);
      EXPECT_EQ(cx.values<T>(kept), cx.values<T>(x));
      EXPECT_EQ(cx.info(kept).storage_bytes, static_cast<uint64_t>(of.reach) * sizeof(T));
      const Tensor plain = clone(x, TENON_CLONE_ROW_MAJOR);
      EXPECT_TRUE(cx.info(plain).flags & TENON_TENSOR_CONTIGUOUS);
      EXPECT_EQ(cx.values<T>(plain), cx.values<T>(x));
      for (const Tensor* each : {&kept, &plain}) {
        EXPECT_NE(cx.info(*each).storage, cx.info(x).storage);
        EXPECT_EQ(cx.dtype(*each), cx.dtype(x));
      }
    }
  }
};

TEST_F(Clones, KeepEveryLayout) {
  expect_clones<uint8_t>();
  expect_clones<int16_t>();
  expect_clones<float>();
  expect_clones<int64_t>();
}

// Enough for several threads, and for what tells overlapping by strides alone.
TEST_F(Clones, KeepLargeLayouts) {
  const Tensor base = cx.counting<float>({400 * 301});
  for (const Window& of : {Window{"turned", {300, 400}, {1, 301}, 0, 0},
                           {"backwards", {400, 300}, {-301, -1}, 400 * 301 - 1, 0},
                           {"sliding", {70000, 3}, {1, 20000}, 9, 0},
                           {"repeated", {1000, 300}, {0, 2}, 1, 0}}) {
    SCOPED_TRACE(of.name);
    const Tensor x = window(base, of);
    const Tensor kept = clone(x);
    EXPECT_EQ(cx.strides(kept.get()), of.strides);
    EXPECT_TRUE(cx.values(kept) == cx.values(x));
  }
}

TEST_F(Clones, HaveMemoryAndVersionOfTheirOwn) {
  const Tensor base = cx.counting<float>({60});
  for (const Window& of : windows()) {
    SCOPED_TRACE(of.name);
    const Tensor x = window(base, of);
    const Tensor kept = clone(x);
    const std::vector<float> before = cx.values(kept);
    const uint64_t version = cx.info(kept).version;
    cx.apply("tenon.neg", {arg(base)}, {}, {base.get()});
    EXPECT_EQ(cx.values(kept), before);
    EXPECT_EQ(cx.info(kept).version, version);
    const uint64_t original = cx.info(x).version;
    const tenon_status expected = of.shares ? TENON_E_ALIAS : TENON_OK;
    EXPECT_EQ(cx.try_apply("tenon.abs", {arg(kept)}, {}, {kept.get()}), expected);
    EXPECT_EQ(cx.info(x).version, original);
    EXPECT_EQ(cx.info(kept).version > version, !of.shares);
  }
}

TEST_F(Clones, OfReadOnlyMemoryCanBeWritten) {
  float numbers[6] = {1, 2, 3, 4, 5, 6};
  const Shape shape = {3, 2};
  const Shape strides = {1, 3};
  tenon_tensor* made = nullptr;
  cx.must(tenon_tensor_create_external(cx.get(), TENON_DTYPE_F32, 2, shape.data(), strides.data(),
                                       numbers, TENON_VIEW_READ_ONLY, nullptr, nullptr, &made));
  const Tensor constant(made);
  const Tensor kept = clone(constant);
  EXPECT_EQ(cx.info(kept).flags & (TENON_TENSOR_EXTERNAL | TENON_TENSOR_READ_ONLY), 0u);
  cx.apply("tenon.neg", {arg(kept)}, {}, {kept.get()});
  EXPECT_THAT(cx.values(kept), ElementsAre(-1, -4, -2, -5, -3, -6));
  EXPECT_EQ(numbers[0], 1);
}

TEST_F(Clones, LetGradientsThrough) {
  for (const uint32_t layout : {TENON_CLONE_ROW_MAJOR, TENON_CLONE_PRESERVE}) {
    const Tensor x = cx.leaf(cx.counting<float>({2, 3}));
    const Tensor kept = clone(cx.call("tenon.transpose", {arg(x)}), layout);
    EXPECT_EQ(cx.strides(kept.get()),
              layout == TENON_CLONE_PRESERVE ? (Shape{1, 3}) : Shape({2, 1}));
    const tenon_tensor_info info = cx.info(kept);
    EXPECT_EQ(info.flags & (TENON_TENSOR_LEAF | TENON_TENSOR_REQUIRES_GRAD),
              TENON_TENSOR_REQUIRES_GRAD);
    EXPECT_STREQ(info.node, "tenon.copy");
    const Tensor factors = cx.counting<float>({3, 2});
    cx.backward(cx.call("tenon.sum", {arg(cx.call("tenon.mul", {arg(kept), arg(factors)}))}));
    EXPECT_THAT(cx.grad_values(x), ElementsAre(1, 3, 5, 2, 4, 6));
  }
}

// Twice differentiable, and written in place as any other recorded tensor.
TEST_F(Clones, TakePartInTheGraph) {
  const Tensor x = cx.leaf(cx.floats({2}, {3, 4}));
  const Tensor kept = clone(x);
  const Tensor cube =
      cx.call("tenon.sum",
              {arg(cx.call("tenon.mul", {arg(cx.call("tenon.square", {arg(kept)})), arg(x)}))});
  const Tensor slope = cx.gradient(cube, x, TENON_BACKWARD_CREATE_GRAPH);
  EXPECT_THAT(cx.values(slope), ElementsAre(27, 48));
  EXPECT_THAT(cx.values(cx.gradient(cx.call("tenon.sum", {arg(slope)}), x)), ElementsAre(18, 24));
  const Tensor written = clone(x);
  cx.apply("tenon.mul", {arg(written), Value(5.0)}, {}, {written.get()});
  cx.backward(cx.call("tenon.sum", {arg(written)}));
  EXPECT_THAT(cx.grad_values(x), ElementsAre(5, 5));
  const NoGrad off(cx);
  EXPECT_EQ(cx.info(clone(x)).flags & TENON_TENSOR_REQUIRES_GRAD, 0u);
}

TEST_F(Clones, ThatShareMemoryAreNotRecorded) {
  const Tensor x = cx.leaf(cx.floats({3}, {1, 2, 3}));
  const Shape shape = {2, 3};
  const Tensor wide = cx.call("tenon.expand", {arg(x)}, {ints(shape)});
  Tensor out;
  const Failure failure = cx.refused(TENON_E_GRAD, try_clone(wide, TENON_CLONE_PRESERVE, out));
  EXPECT_FALSE(out);
  EXPECT_THAT(failure.message, HasSubstr("shares memory within itself"));
  EXPECT_EQ(failure.operand, "tensor");
  EXPECT_THAT(failure.hint, HasSubstr("TENON_CLONE_ROW_MAJOR"));
  cx.backward(cx.call("tenon.sum", {arg(clone(wide, TENON_CLONE_ROW_MAJOR))}));
  EXPECT_THAT(cx.grad_values(x), ElementsAre(2, 2, 2));
  EXPECT_EQ(cx.strides(clone(cx.detached(wide)).get()), (Shape{0, 1}));
  const NoGrad off(cx);
  EXPECT_EQ(cx.strides(clone(wide).get()), (Shape{0, 1}));
}

TEST_F(Clones, AreMadeAgainByEachRunOfAPlan) {
  const Tensor base = cx.counting<float>({60});
  for (const Window& of : windows()) {
    SCOPED_TRACE(of.name);
    const Tensor input = cx.counting<float>({60});
    cx.begin_capture({input.get()});
    const Tensor x = window(input, of);
    const Tensor kept = clone(x);
    const Tensor sum = cx.call("tenon.add", {arg(kept), Value(1.0)});
    const Plan plan = cx.end_capture();
    const Tensor other = cx.call("tenon.mul", {arg(base), Value(-2.0)});
    cx.set(plan, 0, other);
    cx.run(plan);
    const Tensor expected = window(other, of);
    EXPECT_EQ(cx.values(kept), cx.values(expected));
    EXPECT_EQ(cx.strides(kept.get()), of.strides);
    EXPECT_EQ(cx.values(sum), cx.values(cx.call("tenon.add", {arg(expected), Value(1.0)})));
  }
}

TEST_F(Clones, KnowTheirLayouts) {
  Tensor out;
  const Failure failure = cx.refused(TENON_E_ARGUMENT, try_clone(cx.counting({2}), 2, out));
  EXPECT_EQ(failure.operand, "layout");
  EXPECT_EQ(failure.expected, "TENON_CLONE_ROW_MAJOR or TENON_CLONE_PRESERVE");
  EXPECT_EQ(failure.found, "2");
}

}  // namespace
}  // namespace tenon::tests
