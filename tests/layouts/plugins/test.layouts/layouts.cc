// SPDX-License-Identifier: Apache-2.0
// tests/layouts/plugins/test.layouts/layouts.cc: one op for each layout and role that a slot can
// declare and that Tenon's own kernels have little use for. Each kernel relies on all that its
// slots promise, and refuses to run where a promise is not kept.
//
//   negate...   y = -x, for the layout classes
//   double...   y = x + x, added twice to an output of role ACCUM
//   effect...   y = x, and the effect is written down
#include <tenon/sdk/plugin/loops.hpp>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <numeric>

#include "seen.h"

namespace {

namespace sdk = tenon::sdk;
using tenon::tests::Effects;
using tenon::tests::Seen;

// ---- What was promised --------------------------------------------------------------------------

// Dimensions that have a stride worth looking at, by rising stride.
struct Order {
  std::array<int32_t, TENON_MAX_RANK> dims{};
  size_t count = 0;

  explicit Order(const tenon_view& v) {
    for (int32_t d = 0; d < v.rank; ++d) {
      if (v.shape[d] != 1) dims[count++] = d;
    }
    std::sort(dims.begin(), dims.begin() + count,
              [&](int32_t a, int32_t b) { return v.strides[a] < v.strides[b]; });
  }
};

int64_t elements(const tenon_view& v) { return sdk::count_of(sdk::shape_of(v)); }

bool is_dense(const tenon_view& v) {
  const Order order(v);
  int64_t expected = 1;
  for (size_t i = 0; i < order.count; expected *= v.shape[order.dims[i++]]) {
    if (v.strides[order.dims[i]] != expected) return false;
  }
  return true;
}

bool is_row_major(const tenon_view& v) {
  int64_t expected = 1;
  for (int32_t d = v.rank; d-- > 0; expected *= v.shape[d]) {
    if (v.shape[d] != 1 && v.strides[d] != expected) return false;
  }
  return true;
}

bool keeps(const tenon_view& v, const tenon_slot_rule& rule) {
  if (elements(v) == 0) return true;
  if (rule.layout == TENON_LAYOUT_CONTIGUOUS) return is_row_major(v);
  if (rule.layout == TENON_LAYOUT_DENSE) return is_dense(v);
  for (int32_t d = 0; d < v.rank; ++d) {
    if (v.shape[d] == 1) continue;
    if (v.strides[d] == 0 && !(rule.flags & TENON_SLOT_ZERO_STRIDE)) return false;
    if (v.strides[d] < 0 && !(rule.flags & TENON_SLOT_NEGATIVE_STRIDE)) return false;
  }
  if (rule.layout == TENON_LAYOUT_STRIDED || v.rank == 0) return true;
  return v.shape[v.rank - 1] == 1 || v.strides[v.rank - 1] == 1;
}

using Rules = std::array<tenon_slot_rule, 2>;

void look(const sdk::Launch& l, const Rules& rules) {
  for (uint32_t slot = 0; slot < 2; ++slot) {
    if (keeps(l.view(slot), rules[slot])) continue;
    throw sdk::Failure{TENON_E_PLUGIN, "was handed a layout that it does not declare",
                       slot == 0 ? "x" : "out"};
  }
  if (Seen* seen = reinterpret_cast<Seen*>(l.attrs.integer(0))) {
    ++seen->launches;
    for (uint32_t slot = 0; slot < 2; ++slot) seen->views[slot].set(l.view(slot));
  }
}

// ---- Kernels ------------------------------------------------------------------------------------

constexpr uint32_t kAnyStride = TENON_SLOT_ZERO_STRIDE | TENON_SLOT_NEGATIVE_STRIDE;

constexpr Rules kInner = {sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_INNER_CONTIGUOUS),
                          sdk::slot(TENON_SLOT_OUT, TENON_LAYOUT_INNER_CONTIGUOUS)};
constexpr Rules kInnerAny = {
    sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_INNER_CONTIGUOUS, kAnyStride),
    sdk::slot(TENON_SLOT_OUT, TENON_LAYOUT_INNER_CONTIGUOUS, TENON_SLOT_NEGATIVE_STRIDE)};
constexpr Rules kDense = {sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_DENSE),
                          sdk::slot(TENON_SLOT_OUT, TENON_LAYOUT_DENSE)};
constexpr tenon_slot_rule kAnyInput = sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_STRIDED, kAnyStride);
constexpr Rules kSum = {kAnyInput, sdk::slot(TENON_SLOT_ACCUM)};
constexpr Rules kSumInner = {kAnyInput, sdk::slot(TENON_SLOT_ACCUM, TENON_LAYOUT_INNER_CONTIGUOUS)};
constexpr Rules kSumDense = {kAnyInput, sdk::slot(TENON_SLOT_ACCUM, TENON_LAYOUT_DENSE)};
constexpr Rules kSumAny = {
    kAnyInput, sdk::slot(TENON_SLOT_ACCUM, TENON_LAYOUT_STRIDED, TENON_SLOT_NEGATIVE_STRIDE)};
constexpr Rules kAnything = {
    kAnyInput, sdk::slot(TENON_SLOT_OUT, TENON_LAYOUT_STRIDED, TENON_SLOT_NEGATIVE_STRIDE)};

// Rows along the last dimension, whose stride is never looked at.
template <class T>
void negate_rows(const sdk::Launch& l) {
  sdk::walk<2>(l.shape(0), {sdk::strided(l.out()), sdk::strided(l.view(0))},
               [](const sdk::Run<2>& run) {
                 T* y = reinterpret_cast<T*>(run.data[0]);
                 const T* x = reinterpret_cast<const T*>(run.data[1]);
                 for (int64_t i = 0; i < run.count; ++i) {
                   y[i] = sdk::narrow<T>(-static_cast<double>(x[i]));
                 }
               });
}

// The input in the order of its memory, which has no gaps.
template <class T>
void negate_memory(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const Order order(x);
  for (int64_t at = 0, n = elements(x); at < n; ++at) {
    int64_t rest = at, to = 0;
    for (size_t i = 0; i < order.count; rest /= x.shape[order.dims[i++]]) {
      to += rest % x.shape[order.dims[i]] * l.out().strides[order.dims[i]];
    }
    l.out_data<T>()[to] = sdk::narrow<T>(-static_cast<double>(l.data<T>(0)[at]));
  }
}

// Adds the input to the output, two times.
template <class T>
void add_twice(const sdk::Launch& l) {
  using C = sdk::Compute<T>;
  for (int time = 0; time < 2; ++time) {
    sdk::walk<2>(l.shape(0), {sdk::strided(l.out()), sdk::strided(l.view(0))},
                 [](const sdk::Run<2>& run) {
                   for (int64_t i = 0; i < run.count; ++i) {
                     char* to = run.data[0] + i * run.step[0];
                     const T x = sdk::load<T>(run.data[1] + i * run.step[1]);
                     sdk::store(to, sdk::narrow<T>(C(sdk::load<T>(to)) + C(x)));
                   }
                 });
  }
}

template <const Rules& Slots>
void negate(const sdk::Launch& l) {
  look(l, Slots);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    if constexpr (Slots[0].layout == TENON_LAYOUT_DENSE) {
      negate_memory<T>(l);
    } else {
      negate_rows<T>(l);
    }
  });
}

template <const Rules& Slots>
void twice(const sdk::Launch& l) {
  look(l, Slots);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() { add_twice<T>(l); });
}

void write_down(const sdk::Launch& l) {
  if (Effects* effects = reinterpret_cast<Effects*>(l.attrs.integer(0))) {
    effects->add(l.attrs.integer(1));
  }
}
void effect(const sdk::Launch& l) {
  write_down(l);
  sdk::dispatch_dtype<sdk::FloatTypes>(
      l.out().dtype, [&]<class T>() { sdk::elementwise<T, T>(l, [](T x) { return x; }); });
}

// ---- Descriptors --------------------------------------------------------------------------------

// The same in terms of others: what says the right results. The sum begins at 0, as in an
// accumulator, and so gives 0 for -0.
void compose_negate(sdk::Compose& c) { c.set(0, c.call("tenon.neg", {c.in(0)})); }
void compose_twice(sdk::Compose& c) {
  c.set(0, c.call("tenon.add", {c.call("tenon.add", {c.in(0), 0.0}), c.in(0)}));
}

constexpr tenon_op_desc map(std::string_view name, std::string_view schema, std::string_view doc,
                            tenon_compose_fn compose, uint32_t flags = 0) {
  return sdk::op({.name = name,
                  .schema = schema,
                  .doc = doc,
                  .shape = TENON_SHAPE_SAME_AS_0,
                  .flags = flags,
                  .compose = compose});
}
constexpr tenon_compose_fn kNegate = sdk::compose_fn<compose_negate>;
constexpr tenon_compose_fn kTwice = sdk::compose_fn<compose_twice>;
constexpr std::string_view kNegateDoc = "`y = -x`. `seen`: the address of a Seen.";
constexpr std::string_view kTwiceDoc = "`y = x + x`. `seen`: the address of a Seen.";
constexpr std::string_view kEffectDoc = "`y = x`. Adds `tag` to the Effects at `log`.";

constexpr tenon_op_desc ops[] = {
    map("test.negate_inner", "negate_inner(x: T[...], *, seen: int=0) -> T[...] where T: float",
        kNegateDoc, kNegate),
    map("test.negate_inner_any",
        "negate_inner_any(x: T[...], *, seen: int=0) -> T[...] where T: float", kNegateDoc,
        kNegate),
    map("test.negate_inner_each",
        "negate_inner_each(x: T[...], *, seen: int=0) -> T[...] where T: float", kNegateDoc,
        kNegate, TENON_OP_ELEMENTWISE),
    map("test.negate_dense", "negate_dense(x: T[...], *, seen: int=0) -> T[...] where T: float",
        kNegateDoc, kNegate),
    map("test.negate_dense_each",
        "negate_dense_each(x: T[...], *, seen: int=0) -> T[...] where T: float", kNegateDoc,
        kNegate, TENON_OP_ELEMENTWISE),
    map("test.double", "double(x: T[...], *, seen: int=0) -> T[...] where T: float", kTwiceDoc,
        kTwice),
    map("test.double_inner", "double_inner(x: T[...], *, seen: int=0) -> T[...] where T: float",
        kTwiceDoc, kTwice),
    map("test.double_dense", "double_dense(x: T[...], *, seen: int=0) -> T[...] where T: float",
        kTwiceDoc, kTwice),
    map("test.double_any", "double_any(x: T[...], *, seen: int=0) -> T[...] where T: float",
        kTwiceDoc, kTwice),
    map("test.double_each", "double_each(x: T[...], *, seen: int=0) -> T[...] where T: float",
        kTwiceDoc, kTwice, TENON_OP_ELEMENTWISE),
    map("test.effect", "effect(x: T[...], *, log: int=0, tag: int=0) -> T[...] where T: float",
        kEffectDoc, nullptr, TENON_OP_ELEMENTWISE | TENON_OP_EFFECT),
    sdk::op({.name = "test.effect_alone",
             .schema = "effect_alone(x: T[...], *, log: int=0, tag: int=0) -> () where T: float",
             .doc = "Adds `tag` to the Effects at `log`.",
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_EFFECT})};

constexpr tenon_kernel_desc kernel(std::string_view op, std::span<const tenon_slot_rule> slots,
                                   tenon_status (*launch)(tenon_call*, const tenon_launch*),
                                   uint32_t n_attrs = 1) {
  return sdk::kernel(
      {.op = op,
       .device = "cpu",
       .slots = slots,
       .rows = sdk::kFloats,
       .n_attrs = n_attrs,
       .flags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL | TENON_KERNEL_INDEX_64,
       .launch = launch});
}
template <const Rules& Slots>
constexpr tenon_kernel_desc negation(std::string_view op) {
  return kernel(op, Slots, sdk::launch_fn<negate<Slots>>);
}
template <const Rules& Slots>
constexpr tenon_kernel_desc doubling(std::string_view op) {
  return kernel(op, Slots, sdk::launch_fn<twice<Slots>>);
}
constexpr tenon_kernel_desc kernels[] = {
    negation<kInner>("test.negate_inner"),
    negation<kInnerAny>("test.negate_inner_any"),
    negation<kInner>("test.negate_inner_each"),
    negation<kDense>("test.negate_dense"),
    negation<kDense>("test.negate_dense_each"),
    doubling<kSum>("test.double"),
    doubling<kSumInner>("test.double_inner"),
    doubling<kSumDense>("test.double_dense"),
    doubling<kSumAny>("test.double_any"),
    doubling<kSumAny>("test.double_each"),
    kernel("test.effect", kAnything, sdk::launch_fn<effect>, 2),
    kernel("test.effect_alone", {&kAnyInput, 1}, sdk::launch_fn<write_down>, 2)};

// Every op takes the same calls.
constexpr size_t kSamples = 6;
constexpr auto samples_of(std::string_view op) {
  return std::array<tenon_sample, kSamples>{sdk::sample(op, "f64[2,3]"),
                                            sdk::sample(op, "f32[2,3,1,4]"),
                                            sdk::sample(op, "f64[]"),
                                            sdk::sample(op, "f64[3,0]"),
                                            sdk::sample(op, "f32[6]{0.0,nan,-0.0,inf,1e-45,-inf}"),
                                            sdk::refused(op, "i64[3]", TENON_E_DTYPE, "i64")};
}
constexpr auto all_samples() {
  std::array<tenon_sample, kSamples * std::size(ops)> all{};
  for (size_t i = 0; i < std::size(ops); ++i) {
    const auto own = samples_of({ops[i].name.data, static_cast<size_t>(ops[i].name.length)});
    std::copy(own.begin(), own.end(), all.begin() + i * kSamples);
  }
  return all;
}
constexpr auto samples = all_samples();

}  // namespace

TENON_UNIT(layouts) = {.ops = ops, .kernels = kernels, .samples = samples};
