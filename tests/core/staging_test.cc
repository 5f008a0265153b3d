// SPDX-License-Identifier: Apache-2.0
// tests/core/staging_test.cc: any layout in, any layout out, whatever a kernel declares: on host
// memory, on its second device, and on memory the host cannot reach.
#include "tests/core/formulas.h"
#include "tests/core/support.h"

namespace tenon::tests {
namespace {

constexpr float kSentinel = -777;
constexpr int64_t kBase = 160;  // elements before every view

struct Layout {
  const char* name;
  bool writable;
  Shape (*strides)(int64_t rows, int64_t columns);
  int64_t (*offset)(int64_t rows, int64_t columns);
};

constexpr Layout kLayouts[] = {
    {"row-major", true,
     [](int64_t, int64_t c) {
       return Shape{c, 1};
     },
     [](int64_t, int64_t) -> int64_t { return 0; }},
    {"offset", true,
     [](int64_t, int64_t c) {
       return Shape{c, 1};
     },
     [](int64_t, int64_t) -> int64_t { return 7; }},
    {"transposed", true,
     [](int64_t r, int64_t) {
       return Shape{1, r};
     },
     [](int64_t, int64_t) -> int64_t { return 0; }},
    {"sliced with gaps", true,
     [](int64_t, int64_t c) {
       return Shape{3 * c, 2};
     },
     [](int64_t, int64_t) -> int64_t { return 1; }},
    {"inner contiguous", true,
     [](int64_t, int64_t c) {
       return Shape{c + 3, 1};
     },
     [](int64_t, int64_t) -> int64_t { return 2; }},
    {"backward", true,
     [](int64_t, int64_t c) {
       return Shape{-c, -1};
     },
     [](int64_t r, int64_t c) { return r * c - 1; }},
    {"transposed backward with gaps", true,
     [](int64_t r, int64_t) {
       return Shape{-2, 2 * r + 1};
     },
     [](int64_t r, int64_t) { return 2 * r; }},
    {"rows repeated", false,
     [](int64_t, int64_t) {
       return Shape{0, 1};
     },
     [](int64_t, int64_t) -> int64_t { return 3; }},
    {"one element repeated", false,
     [](int64_t, int64_t) {
       return Shape{0, 0};
     },
     [](int64_t, int64_t) -> int64_t { return 3; }},
    {"rows overlap", false,
     [](int64_t, int64_t) {
       return Shape{2, 1};
     },
     [](int64_t, int64_t) -> int64_t { return 0; }},
};

// A view [rows, columns] of a base tensor, and what the test knows about both.
struct Laid {
  Tensor base;
  Tensor view;
  std::vector<float> base_values;
  std::vector<size_t> places;  // in base_values, of each element in row-major order

  std::vector<float> values() const {
    std::vector<float> out;
    for (const size_t place : places) out.push_back(base_values[place]);
    return out;
  }
};

class Staging : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string name = GetParam();
    const size_t colon = name.find(':');
    device = cx.device(name.substr(0, colon), std::stoi(name.substr(colon + 1)));
    cx.must(tenon_context_set_device(cx.get(), &device));
  }

  // Numbers that name their place; `first` keeps two operands apart.
  Laid lay(const Layout& layout, int64_t rows, int64_t columns, float first) {
    std::vector<float> values(kBase);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = first + static_cast<float>(i) * (i % 3 == 0 ? -0.25f : 0.5f);
    }
    return lay_over(layout, rows, columns, std::move(values));
  }
  Laid lay_out(const Layout& layout, int64_t rows, int64_t columns) {
    return lay_over(layout, rows, columns, std::vector<float>(kBase, kSentinel));
  }
  Laid lay_over(const Layout& layout, int64_t rows, int64_t columns, std::vector<float> values) {
    Laid laid;
    const Shape strides = layout.strides(rows, columns);
    const int64_t offset = layout.offset(rows, columns);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        laid.places.push_back(static_cast<size_t>(offset + i * strides[0] + j * strides[1]));
      }
    }
    laid.base = cx.tensor<float>({kBase}, values, &device);
    laid.view = cx.view(laid.base, {rows, columns}, strides, offset);
    laid.base_values = std::move(values);
    return laid;
  }

  // The view holds `expected`, and no other element of the base has changed.
  void expect_written(const Laid& laid, const std::vector<float>& expected) {
    std::vector<float> whole = laid.base_values;
    ASSERT_EQ(laid.places.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) whole[laid.places[i]] = expected[i];
    EXPECT_EQ(cx.values(laid.base), whole);
  }

  RuntimeHandle runtime = make_runtime();
  Session cx{runtime};
  tenon_device device{};
};

// a[rows,inner] b[inner,columns]
Values product(const Values& a, const Values& b, size_t rows, size_t inner, size_t columns) {
  Values out;
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (size_t k = 0; k < inner; ++k) {
        sum += double{a[i * inner + k]} * double{b[k * columns + j]};
      }
      out.push_back(static_cast<float>(sum));
    }
  }
  return out;
}

TEST_P(Staging, OneInputInEveryLayoutAndEveryOutput) {
  for (const Unary& unary : kUnary) {
    for (const Layout& layout : kLayouts) {
      SCOPED_TRACE(std::string(unary.op) + " of " + layout.name);
      const Laid x = lay(layout, 3, 4, -2);
      const Values expected = unary.formula(x.values());
      EXPECT_EQ(cx.values(cx.call(unary.op, {arg(x.view)})), expected);
      EXPECT_EQ(cx.values(x.base), x.base_values);
      for (const Layout& target : kLayouts) {
        if (!target.writable) continue;
        SCOPED_TRACE(std::string("to ") + target.name);
        const Laid out = lay_out(target, 3, 4);
        cx.apply(unary.op, {arg(x.view)}, {}, {out.view.get()});
        expect_written(out, expected);
      }
    }
  }
}

TEST_P(Staging, TwoInputsInEveryLayout) {
  for (const Binary& binary : kBinary) {
    for (const Layout& left : kLayouts) {
      for (const Layout& right : kLayouts) {
        SCOPED_TRACE(std::string(binary.op) + " of " + left.name + " and " + right.name);
        const Laid a = lay(left, 3, 4, -2);
        const Laid b = lay(right, 3, 4, 5);
        const Values expected = both(a.values(), b.values(), binary.formula);
        EXPECT_EQ(cx.values(cx.call(binary.op, {arg(a.view), arg(b.view)})), expected);
      }
    }
  }
}

TEST_P(Staging, TwoInputsToEveryOutput) {
  for (const Binary& binary : kBinary) {
    for (const Layout& target : kLayouts) {
      if (!target.writable) continue;
      SCOPED_TRACE(std::string(binary.op) + " to " + target.name);
      const Laid a = lay(kLayouts[2], 3, 4, -2);
      const Laid row = lay(kLayouts[1], 1, 4, 5);
      Values spread;
      for (int i = 0; i < 3; ++i) {
        for (const float value : row.values()) spread.push_back(value);
      }
      const Laid out = lay_out(target, 3, 4);
      cx.apply(binary.op, {arg(a.view), arg(row.view)}, {}, {out.view.get()});
      expect_written(out, both(a.values(), spread, binary.formula));
    }
  }
}

TEST_P(Staging, ProductsInEveryLayout) {
  for (const Layout& layout : kLayouts) {
    for (const Layout& target : kLayouts) {
      if (!target.writable) continue;
      SCOPED_TRACE(std::string(layout.name) + " to " + target.name);
      const Laid a = lay(layout, 3, 4, -2);
      const Laid b = lay(layout, 4, 5, 1);
      const Laid out = lay_out(target, 3, 5);
      cx.apply("acme.matmul2", {arg(a.view), arg(b.view)}, {}, {out.view.get()});
      expect_written(out, product(a.values(), b.values(), 3, 4, 5));
    }
  }
}

TEST_P(Staging, ReductionsOfEveryLayout) {
  for (const Layout& layout : kLayouts) {
    SCOPED_TRACE(layout.name);
    const Laid x = lay(layout, 3, 4, -2);
    const Values values = x.values();
    Values columns(4, 0.0f);
    float total = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      columns[i % 4] += values[i];
      total += values[i];
    }
    EXPECT_EQ(cx.values(cx.call("acme.sum", {arg(x.view)})), Values{total});
    const Shape four = {4};
    EXPECT_EQ(cx.values(cx.call("acme.sum_to", {arg(x.view)}, {ints(four)})), columns);
    // An accumulating output starts at zero, also where it is strided.
    const Laid out = lay_out(kLayouts[3], 1, 4);
    const Shape row = {1, 4};
    cx.apply("acme.sum_to", {arg(x.view)}, {ints(row)}, {out.view.get()});
    expect_written(out, columns);
  }
}

TEST_P(Staging, GatherScatterAndCastOfEveryLayout) {
  const Tensor rows = cx.tensor<int64_t>({3}, {2, 0, 2});
  for (const Layout& layout : kLayouts) {
    SCOPED_TRACE(layout.name);
    const Laid x = lay(layout, 3, 4, -2);
    const Values values = x.values();
    Values taken(values.begin() + 8, values.begin() + 12);
    taken.insert(taken.end(), values.begin(), values.begin() + 4);
    taken.insert(taken.end(), values.begin() + 8, values.begin() + 12);
    EXPECT_EQ(cx.values(cx.call("acme.take", {arg(x.view), arg(rows)})), taken);
    Values put(27, 0.0f);
    for (size_t i = 0; i < 12; ++i) put[i / 4 * 9 + 1 + i % 4 * 2] = values[i];
    const Shape wide = {3, 9};
    EXPECT_EQ(cx.values(cx.call("acme.slice_put", {arg(x.view)}, {ints(wide), 1, 1, 2})), put);
    const Tensor cast = cx.call("acme.cast", {arg(x.view)}, {Value::dtype(TENON_DTYPE_F64)});
    EXPECT_EQ(cx.values<double>(cast), std::vector<double>(values.begin(), values.end()));
  }
}

TEST_P(Staging, InPlaceInEveryLayout) {
  for (const Layout& layout : kLayouts) {
    if (!layout.writable) continue;
    for (const Unary& unary : kUnary) {
      SCOPED_TRACE(std::string(unary.op) + " in place, " + layout.name);
      const Laid x = lay(layout, 3, 4, -2);
      const uint64_t before = cx.info(x.view).version;
      cx.apply(unary.op, {arg(x.view)}, {}, {x.view.get()});
      expect_written(x, unary.formula(x.values()));
      EXPECT_GT(cx.info(x.view).version, before);
    }
    for (const Binary& binary : kBinary) {
      SCOPED_TRACE(std::string(binary.op) + " in place, " + layout.name);
      const Laid a = lay(layout, 3, 4, -2);
      const Laid b = lay(kLayouts[3], 3, 4, 5);
      cx.apply(binary.op, {arg(a.view), arg(b.view)}, {}, {a.view.get()});
      expect_written(a, both(a.values(), b.values(), binary.formula));
      // The second operand in place, and both.
      const Laid c = lay(layout, 3, 4, -2);
      cx.apply(binary.op, {arg(b.view), arg(c.view)}, {}, {c.view.get()});
      expect_written(c, both(b.values(), c.values(), binary.formula));
      const Laid d = lay(layout, 3, 4, -2);
      cx.apply(binary.op, {arg(d.view), arg(d.view)}, {}, {d.view.get()});
      expect_written(d, both(d.values(), d.values(), binary.formula));
    }
    SCOPED_TRACE(std::string("product in place, ") + layout.name);
    const Laid a = lay(layout, 4, 4, -2);
    cx.apply("acme.matmul2", {arg(a.view), arg(a.view)}, {}, {a.view.get()});
    expect_written(a, product(a.values(), a.values(), 4, 4, 4));
  }
}

// An output that shares some memory with an input: as if all inputs had been read first.
TEST_P(Staging, OutputsThatOverlapInputs) {
  struct Window {
    Shape strides;
    int64_t offset;
  };
  // All inside one base; any two of them overlap in part.
  const Window windows[] = {{{4, 1}, 0},    {{4, 1}, 1}, {{4, 1}, 4}, {{1, 3}, 2},
                            {{-4, -1}, 12}, {{8, 2}, 0}, {{5, 1}, 3}};
  const auto places = [](const Window& w) {
    std::vector<size_t> out;
    for (int64_t i = 0; i < 12; ++i) {
      out.push_back(static_cast<size_t>(w.offset + i / 4 * w.strides[0] + i % 4 * w.strides[1]));
    }
    return out;
  };
  for (const Window& from : windows) {
    for (const Window& to : windows) {
      for (const Unary& unary : kUnary) {
        SCOPED_TRACE(std::string(unary.op) + " offsets " + std::to_string(from.offset) + " to " +
                     std::to_string(to.offset));
        Laid base = lay(kLayouts[0], 3, 4, -2);
        const Tensor x = cx.view(base.base, {3, 4}, from.strides, from.offset);
        const Tensor out = cx.view(base.base, {3, 4}, to.strides, to.offset);
        base.places = places(from);
        const Values expected = unary.formula(base.values());
        cx.apply(unary.op, {arg(x)}, {}, {out.get()});
        base.places = places(to);
        expect_written(base, expected);
      }
    }
  }
}

TEST_P(Staging, ReadAndWrittenOperandsInEveryLayout) {
  for (const Layout& layout : kLayouts) {
    SCOPED_TRACE(layout.name);
    const Laid x = lay(layout, 3, 4, -2);
    const Laid by = lay(kLayouts[2], 3, 4, 5);
    if (!layout.writable) {
      const Failure f =
          cx.refused(TENON_E_ALIAS,
                     tenon_op_call(cx.get(), cx.op("acme.bump"),
                                   std::initializer_list<Value>{arg(x.view), arg(by.view)}.begin(),
                                   2, nullptr, 0, nullptr, 0));
      EXPECT_EQ(f.operand, "x");
      EXPECT_EQ(cx.values(x.base), x.base_values);
      continue;
    }
    cx.run("acme.bump", {arg(x.view), arg(by.view)});
    Values expected = both(x.values(), by.values(), [](float a, float b) { return a + b; });
    expect_written(x, expected);
    // Its own window, moved by one row: read first, then written.
    const Laid y = lay(layout, 3, 4, -2);
    const Laid rows = lay(layout, 4, 4, -2);
    const Tensor moved = cx.view(rows.base, {3, 4}, layout.strides(4, 4),
                                 layout.offset(4, 4) + layout.strides(4, 4)[0]);
    const Tensor first = cx.view(rows.base, {3, 4}, layout.strides(4, 4), layout.offset(4, 4));
    cx.run("acme.bump", {arg(first), arg(moved)});
    const Values before = rows.values();
    Values after = before;
    for (size_t i = 0; i < 12; ++i) after[i] = before[i] + before[i + 4];
    expect_written(rows, after);
  }
}

TEST_P(Staging, RowsAreAddedInEveryLayout) {
  const Tensor rows = cx.tensor<int64_t>({3}, {2, 0, 2});
  const Tensor values = cx.counting({3, 4});
  for (const Layout& layout : kLayouts) {
    if (!layout.writable) continue;
    SCOPED_TRACE(layout.name);
    const Laid x = lay(layout, 3, 4, -2);
    cx.run("acme.rows_add", {arg(x.view), arg(rows), arg(values)});
    Values expected = x.values();
    for (size_t j = 0; j < 4; ++j) {
      expected[8 + j] = expected[8 + j] + static_cast<float>(1 + j);
      expected[j] = expected[j] + static_cast<float>(5 + j);
      expected[8 + j] = expected[8 + j] + static_cast<float>(9 + j);
    }
    expect_written(x, expected);
  }
}

TEST_P(Staging, OutputsThatOverlapThemselvesAreRefused) {
  const Laid x = lay(kLayouts[0], 3, 4, -2);
  for (const Layout& layout : kLayouts) {
    if (layout.writable) continue;
    SCOPED_TRACE(layout.name);
    const Laid out = lay_out(layout, 3, 4);
    const Failure f =
        cx.refused(TENON_E_ALIAS, cx.try_apply("acme.neg", {arg(x.view)}, {}, {out.view.get()}));
    EXPECT_EQ(f.op, "acme.neg");
    EXPECT_EQ(f.operand, "out");
    EXPECT_THAT(f.found, testing::HasSubstr("strides"));
    EXPECT_EQ(cx.values(out.base), out.base_values);
    const std::vector<float> data(12, 1.0f);
    cx.refused(TENON_E_ALIAS,
               tenon_tensor_set_data(cx.get(), out.view.get(), data.data(), 12 * sizeof(float)));
    EXPECT_EQ(cx.values(out.base), out.base_values);
  }
}

TEST_P(Staging, HostCopiesGoThroughEveryLayout) {
  std::vector<float> data(12);
  for (size_t i = 0; i < 12; ++i) data[i] = static_cast<float>(i) + 100;
  for (const Layout& layout : kLayouts) {
    SCOPED_TRACE(layout.name);
    const Laid x = lay(layout, 3, 4, -2);
    EXPECT_EQ(cx.values(x.view), x.values());
    if (!layout.writable) continue;
    cx.must(tenon_tensor_set_data(cx.get(), x.view.get(), data.data(), 12 * sizeof(float)));
    expect_written(x, data);
  }
}

TEST_P(Staging, CopiesBetweenDevicesGoThroughEveryLayout) {
  for (const Layout& layout : kLayouts) {
    SCOPED_TRACE(layout.name);
    const Laid x = lay(layout, 3, 4, -2);
    for (const char* kind : {"toy", "far"}) {
      const tenon_device other = cx.device(kind, 0);
      const Tensor copy = cx.on(other, x.view);
      EXPECT_EQ(cx.values(copy), x.values());
      EXPECT_NE(cx.info(copy).flags & TENON_TENSOR_CONTIGUOUS, 0u);
      EXPECT_EQ((cx.info(copy).flags & TENON_TENSOR_HOST) != 0, std::string(kind) == "toy");
      EXPECT_EQ(cx.values(cx.on(device, copy)), x.values());
    }
  }
}

TEST_P(Staging, NumbersStandForTensors) {
  const Laid x = lay(kLayouts[3], 3, 4, -2);
  for (const Binary& binary : kBinary) {
    SCOPED_TRACE(binary.op);
    const Values two(12, 2.0f);
    EXPECT_EQ(cx.values(cx.call(binary.op, {arg(x.view), 2.0})),
              both(x.values(), two, binary.formula));
    EXPECT_EQ(cx.values(cx.call(binary.op, {2, arg(x.view)})),
              both(two, x.values(), binary.formula));
    EXPECT_EQ(cx.values(cx.call(binary.op, {2.0, 3.0})), Values{binary.formula(2, 3)});
  }
  EXPECT_EQ(cx.values(cx.call("acme.sum", {2.5})), Values{2.5f});
}

TEST_P(Staging, EmptyAndRankZeroTensors) {
  const Tensor none = cx.floats({0, 4}, {});
  EXPECT_EQ(cx.shape(cx.call("acme.neg", {arg(none)})), (Shape{0, 4}));
  EXPECT_EQ(cx.shape(cx.call("acme.strict", {arg(none), 1.0})), (Shape{0, 4}));
  EXPECT_EQ(cx.values(cx.call("acme.sum", {arg(none)})), Values{0.0f});
  const Shape four = {4};
  EXPECT_EQ(cx.values(cx.call("acme.sum_to", {arg(none)}, {ints(four)})), Values(4, 0.0f));
  const Tensor inner = cx.floats({3, 0}, {});
  const Tensor other = cx.floats({0, 2}, {});
  EXPECT_EQ(cx.values(cx.call("acme.matmul2", {arg(inner), arg(other)})), Values(6, 0.0f));
  const Tensor scalar = cx.floats({}, {3});
  EXPECT_EQ(cx.values(cx.call("acme.square", {arg(scalar)})), Values{9.0f});
  EXPECT_EQ(cx.values(cx.call("acme.tanh", {arg(scalar)})),
            Values{static_cast<float>(std::tanh(3.0))});
}

INSTANTIATE_TEST_SUITE_P(Devices, Staging, testing::Values("toy:0", "toy:1", "far:0"),
                         [](const testing::TestParamInfo<const char*>& param) {
                           std::string name = param.param;
                           name.erase(name.find(':'), 1);
                           return name;
                         });

}  // namespace
}  // namespace tenon::tests
