// SPDX-License-Identifier: Apache-2.0
// tests/cpu/conv_test.cc: conv and its two gradients have the bits of their canonical arithmetic:
// for random windows, groups and layouts, values that are not finite, and any number of threads.
#include "tests/cpu/matmul_support.h"

namespace tenon::tests::matmul {
namespace {

// Channels are those of a group; lists have a number for each dimension, `padding` two.
struct Layer {
  int64_t images, groups, in, out;
  Dims size, kernel, stride, padding, dilation;

  int64_t windows(size_t d) const {
    const int64_t span = (kernel[d] - 1) * dilation[d] + 1;
    return (size[d] + padding[2 * d] + padding[2 * d + 1] - span) / stride[d] + 1;
  }
  Dims windows() const {
    Dims counts;
    for (size_t d = 0; d < size.size(); ++d) counts.push_back(windows(d));
    return counts;
  }
  // Number of the place that a tap of a window reads, or -1.
  int64_t place(int64_t window, int64_t tap) const {
    int64_t place = 0;
    int64_t step = 1;
    for (size_t d = size.size(); d-- > 0;) {
      const int64_t at =
          window % windows(d) * stride[d] - padding[2 * d] + tap % kernel[d] * dilation[d];
      if (at < 0 || at >= size[d]) return -1;
      place += at * step;
      step *= size[d];
      window /= windows(d);
      tap /= kernel[d];
    }
    return place;
  }
};

int64_t count(const Dims& shape) {
  int64_t n = 1;
  for (const int64_t size : shape) n *= size;
  return n;
}

Dims joined(int64_t first, int64_t second, const Dims& rest) {
  Dims all{first, second};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

tenon_value list(const Dims& numbers) {
  tenon_value value{};
  value.tag = TENON_VALUE_INT_LIST;
  value.count = static_cast<uint32_t>(numbers.size());
  value.as.ints = numbers.data();
  return value;
}

std::vector<tenon_value> attributes(const Layer& layer) {
  tenon_value groups{};
  groups.tag = TENON_VALUE_I64;
  groups.as.i64 = layer.groups;
  tenon_value none{};
  none.tag = TENON_VALUE_STRING;
  none.count = 4;
  none.as.string = "none";
  return {list(layer.stride), list(layer.padding), list(layer.dilation), groups, none};
}

// `arrays` are the op's inputs and then its output.
template <class T>
void run_op(const Engine& engine, const Provider& provider, const char* name,
            const std::vector<Array<T>*>& arrays, const std::vector<tenon_value>& attrs) {
  const tenon_op* op = nullptr;
  engine.must(tenon_runtime_set_pin(engine.context(), name, TENON_NUL, provider.id.data(),
                                    provider.id.size()));
  engine.must(tenon_op_find(engine.context(), name, TENON_NUL, 0, &op));
  std::vector<tenon_tensor*> tensors;
  std::vector<tenon_value> inputs;
  for (Array<T>* array : arrays) {
    tenon_tensor* tensor = nullptr;
    engine.must(tenon_tensor_create_external(
        engine.context(), kDtype<T>, static_cast<int32_t>(array->shape.size()), array->shape.data(),
        array->steps.data(), array->buffer.data() + array->first, 0, nullptr, nullptr, &tensor));
    tensors.push_back(tensor);
    tenon_value value{};
    value.tag = TENON_VALUE_TENSOR;
    value.as.tensor = tensor;
    inputs.push_back(value);
  }
  engine.must(tenon_op_call_into(engine.context(), op, inputs.data(),
                                 static_cast<uint32_t>(inputs.size() - 1), attrs.data(),
                                 static_cast<uint32_t>(attrs.size()), &tensors.back(), 1));
  for (tenon_tensor* tensor : tensors) tenon_tensor_release(tensor);
}

template <class T>
struct Operands {
  Array<T> x, weight, bias, y;

  Operands(const Layer& s, Layout layout, std::mt19937& random)
      : x(Array<T>(joined(s.images, s.groups * s.in, s.size), layout).drawn(random)),
        weight(Array<T>(joined(s.groups * s.out, s.in, s.kernel), Layout::kRows).drawn(random)),
        bias(Array<T>({s.groups * s.out}, Layout::kRows).drawn(random)),
        y(Array<T>(joined(s.images, s.groups * s.out, s.windows()), layout).drawn(random)) {}
};

template <class T>
std::vector<T> elements(Array<T>& array) {
  std::vector<T> all;
  for (int64_t i = 0; i < array.count(); ++i) all.push_back(array.at(i));
  return all;
}

// What the op files state, as loops. Calls of `sum` have the lists in row-major order.
template <class T>
class Canonical {
 public:
  Canonical(const Layer& layer, Operands<T>& o)
      : s_(layer),
        x_(elements(o.x)),
        weight_(elements(o.weight)),
        bias_(elements(o.bias)),
        dy_(elements(o.y)),
        places_(count(layer.size)),
        windows_(count(layer.windows())),
        taps_(count(layer.kernel)) {
    for (int64_t p = 0; p < windows_; ++p) {
      for (int64_t t = 0; t < taps_; ++t) place_.push_back(layer.place(p, t));
    }
  }

  T forward(int64_t i) const {
    const int64_t p = i % windows_;
    const int64_t o = i / windows_ % outputs();
    const int64_t n = i / windows_ / outputs();
    T sum = 0;
    for (int64_t c = 0; c < s_.in; ++c) {
      for (int64_t t = 0; t < taps_; ++t) {
        const int64_t place = at(p, t);
        if (place >= 0) sum = std::fma(weight(o, c, t), x(n, o / s_.out, c, place), sum);
      }
    }
    return sum + T(0) + bias_[static_cast<size_t>(o)];
  }
  T input_grad(int64_t i) const {
    const int64_t place = i % places_;
    const int64_t channel = i / places_ % (s_.groups * s_.in);
    const int64_t n = i / places_ / (s_.groups * s_.in);
    const int64_t first = channel / s_.in * s_.out;
    T sum = 0;
    for (int64_t o = first; o < first + s_.out; ++o) {
      for (int64_t t = 0; t < taps_; ++t) {
        for (int64_t p = 0; p < windows_; ++p) {
          if (at(p, t) == place) sum = std::fma(dy(n, o, p), weight(o, channel % s_.in, t), sum);
        }
      }
    }
    return sum + T(0);
  }
  T weight_grad(int64_t i) const {
    const int64_t t = i % taps_;
    const int64_t c = i / taps_ % s_.in;
    const int64_t o = i / taps_ / s_.in;
    std::vector<T> sums;
    for (int64_t n = 0; n < s_.images; ++n) {
      T sum = 0;
      for (int64_t p = 0; p < windows_; ++p) {
        const int64_t place = at(p, t);
        if (place >= 0) sum = std::fma(dy(n, o, p), x(n, o / s_.out, c, place), sum);
      }
      sums.push_back(sum);
    }
    while (sums.size() > 1) {
      std::vector<T> pairs;
      for (size_t n = 0; n + 1 < sums.size(); n += 2) pairs.push_back(sums[n] + sums[n + 1]);
      if (sums.size() % 2 == 1) pairs.push_back(sums.back());
      sums = pairs;
    }
    return sums.front() + T(0);
  }

 private:
  int64_t outputs() const { return s_.groups * s_.out; }
  int64_t at(int64_t p, int64_t t) const { return place_[static_cast<size_t>(p * taps_ + t)]; }
  T weight(int64_t o, int64_t c, int64_t t) const {
    return weight_[static_cast<size_t>((o * s_.in + c) * taps_ + t)];
  }
  T x(int64_t n, int64_t group, int64_t c, int64_t place) const {
    return x_[static_cast<size_t>(((n * s_.groups + group) * s_.in + c) * places_ + place)];
  }
  T dy(int64_t n, int64_t o, int64_t p) const {
    return dy_[static_cast<size_t>((n * outputs() + o) * windows_ + p)];
  }

  const Layer& s_;
  std::vector<T> x_, weight_, bias_, dy_;
  int64_t places_, windows_, taps_;
  std::vector<int64_t> place_;
};

template <class T, class Wanted>
void expect(const char* what, Array<T>& found, const Wanted& wanted) {
  for (int64_t i = 0; i < found.count(); ++i) {
    const T right = wanted(i);
    ASSERT_TRUE(same(right, found.at(i)))
        << what << ", element " << i << ": " << found.at(i) << ", not " << right;
  }
}

template <class T>
void check(const Engine& engine, const Provider& provider, const Layer& s, Operands<T>& o,
           Layout layout) {
  const Canonical<T> canonical(s, o);
  const std::vector<tenon_value> attrs = attributes(s);
  Array<T> y(o.y.shape, layout);
  run_op<T>(engine, provider, "tenon.conv", {&o.x, &o.weight, &o.bias, &y}, attrs);
  expect("conv", y, [&](int64_t i) { return canonical.forward(i); });

  std::vector<tenon_value> sized = attrs;
  sized.insert(sized.begin(), list(s.size));
  Array<T> dx(o.x.shape, layout);
  run_op<T>(engine, provider, "tenon.conv_input_grad", {&o.y, &o.weight, &dx}, sized);
  expect("conv_input_grad", dx, [&](int64_t i) { return canonical.input_grad(i); });

  sized.front() = list(s.kernel);
  Array<T> dw(o.weight.shape, layout);
  run_op<T>(engine, provider, "tenon.conv_weight_grad", {&o.y, &o.x, &dw}, sized);
  expect("conv_weight_grad", dw, [&](int64_t i) { return canonical.weight_grad(i); });
}

Layer drawn_layer(std::mt19937& random) {
  const auto pick = [&](std::initializer_list<int64_t> from) {
    return from.begin()[random() % from.size()];
  };
  Layer s{pick({1, 2, 3, 5, 19}),
          pick({1, 1, 2}),
          pick({1, 3, 8}),
          pick({1, 2, 7, 17}),
          {},
          {},
          {},
          {},
          {}};
  if (random() % 3 == 0) {  // depthwise
    s.groups = pick({4, 9, 21});
    s.in = 1;
    s.out = pick({1, 1, 2});
  }
  const auto rank = static_cast<size_t>(pick({1, 2, 2, 3}));
  for (size_t d = 0; d < rank; ++d) {
    s.kernel.push_back(pick({1, 2, 3, 3}));
    s.stride.push_back(pick({1, 1, 2, 3}));
    s.dilation.push_back(pick({1, 1, 2}));
    s.padding.push_back(pick({0, 1, 2}));
    s.padding.push_back(pick({0, 1, 3}));
    const int64_t span = (s.kernel[d] - 1) * s.dilation[d] + 1;
    const int64_t least = std::max<int64_t>(span - s.padding[2 * d] - s.padding[2 * d + 1], 1);
    s.size.push_back(least + static_cast<int64_t>(random() % (rank == 3 ? 4 : rank == 2 ? 9 : 40)));
  }
  return s;
}

template <class T>
class ConvBits : public testing::Test {
 protected:
  void SetUp() override {
    if (providers().empty()) GTEST_SKIP() << "tenon.cpu was not built";
  }
  static void open_hole(Operands<T>& o, std::mt19937& random) {
    for (Array<T>* array : {&o.x, &o.weight, &o.y}) {
      const auto at = static_cast<int64_t>(random()) % array->count();
      array->at(at) =
          random() % 2 ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN();
    }
  }
  // `holes` elements of each operand are not finite.
  void check_drawn(int rounds, int holes) {
    for (const Provider& provider : providers()) {
      std::mt19937 random(20261126);
      const Engine engine(provider);
      for (int i = 0; i < rounds; ++i) {
        const Layer s = drawn_layer(random);
        Operands<T> o(s, kLayouts[random() % 4], random);
        for (int hole = 0; hole < holes; ++hole) open_hole(o, random);
        check(engine, provider, s, o, kLayouts[random() % 4]);
        if (this->HasFatalFailure()) return;
      }
    }
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ConvBits, Types);

TYPED_TEST(ConvBits, RandomLayers) { this->check_drawn(90, 0); }

TYPED_TEST(ConvBits, PaddingIsNeverMultiplied) { this->check_drawn(70, 1); }

// Even and odd places of dx are stored together, in rows of an even and of an odd length.
TYPED_TEST(ConvBits, StridedDepthwiseLayers) {
  const Layer layers[] = {
      {2, 5, 1, 1, {11, 75}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
      {1, 3, 1, 2, {6, 150}, {3, 3}, {1, 2}, {1, 1, 1, 1}, {1, 1}},
      {2, 4, 1, 1, {9, 40}, {1, 1}, {2, 2}, {0, 0, 0, 0}, {1, 1}},
      {1, 4, 1, 1, {90}, {3}, {2}, {1, 1}, {1}},
      {1, 4, 1, 1, {131}, {5}, {2}, {0, 3}, {1}},
      {1, 2, 1, 1, {5, 7, 36}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1, 1, 1, 1}, {1, 1, 1}},
      {2, 3, 1, 1, {7, 66}, {3, 3}, {3, 2}, {1, 1, 1, 1}, {1, 2}},
  };
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    std::mt19937 random(20261129);
    for (const Layer& s : layers) {
      for (int holes = 0; holes < 3; ++holes) {
        Operands<TypeParam> o(s, Layout::kRows, random);
        for (int hole = 0; hole < holes; ++hole) this->open_hole(o, random);
        check(engine, provider, s, o, Layout::kRows);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

// More values of k than a block, more windows than a task, several images in a panel; one channel a
// group in rows that are shorter and longer than a vector, more of them than are turned together;
// so many images that threads take whole ones.
TYPED_TEST(ConvBits, LargerLayers) {
  const Layer layers[] = {
      {3, 1, 40, 37, {7, 7}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {2, 1, 65, 20, {9, 11}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
      {2, 1, 30, 50, {13, 12}, {1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
      {2, 21, 1, 1, {19, 37}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {3, 18, 1, 1, {6, 5}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
      {2, 4, 1, 3, {40}, {5}, {1}, {2, 2}, {1}},
      {1, 5, 1, 1, {150, 13}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {1, 20, 1, 1, {70, 13}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {2, 40, 1, 1, {7, 7}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {1, 17, 1, 1, {3, 5, 6}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1}},
      {31, 1, 2, 3, {6, 5}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {19, 1, 5, 9, {6, 7}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {37, 2, 3, 4, {9, 8}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
      {67, 1, 4, 7, {5, 5}, {1, 1}, {2, 2}, {0, 0, 0, 0}, {1, 1}},
  };
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    std::mt19937 random(20261127);
    for (const Layer& s : layers) {
      Operands<TypeParam> o(s, Layout::kRows, random);
      check(engine, provider, s, o, Layout::kRows);
      if (this->HasFatalFailure()) return;
    }
  }
}

TEST(ConvThreads, NumberOfThreadsChangesNoBits) {
  if (providers().empty()) GTEST_SKIP() << "tenon.cpu was not built";
  const Layer layers[] = {
      {9, 1, 16, 24, {20, 20}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {1, 1, 64, 130, {7, 7}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {5, 1, 16, 24, {20, 20}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
      {6, 48, 1, 1, {30, 30}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {45, 1, 16, 24, {10, 10}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
  };
  const Provider provider = providers().front();
  for (const Layer& s : layers) {
    std::vector<float> one;
    for (const int32_t threads : {1, 2, 3, 8}) {
      const Engine engine(provider, threads);
      std::mt19937 random(20261128);
      Operands<float> o(s, Layout::kRows, random);
      Array<float> y(o.y.shape, Layout::kRows);
      Array<float> dx(o.x.shape, Layout::kRows);
      Array<float> dw(o.weight.shape, Layout::kRows);
      std::vector<tenon_value> attrs = attributes(s);
      run_op<float>(engine, provider, "tenon.conv", {&o.x, &o.weight, &o.bias, &y}, attrs);
      attrs.insert(attrs.begin(), list(s.size));
      run_op<float>(engine, provider, "tenon.conv_input_grad", {&o.y, &o.weight, &dx}, attrs);
      attrs.front() = list(s.kernel);
      run_op<float>(engine, provider, "tenon.conv_weight_grad", {&o.y, &o.x, &dw}, attrs);
      std::vector<float> all = elements(y);
      for (Array<float>* array : {&dx, &dw}) {
        const std::vector<float> more = elements(*array);
        all.insert(all.end(), more.begin(), more.end());
      }
      if (one.empty()) one = all;
      ASSERT_TRUE(std::equal(one.begin(), one.end(), all.begin(), same<float>))
          << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace tenon::tests::matmul
