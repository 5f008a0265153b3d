// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.toy/kernels.hpp: the toy ops' kernels, for every place they can run in.
//
// A Place is a device kind and the way from its addresses to the host's. Kernels declare different
// layouts on purpose, each reads its operands only in the way it declared, and so the dispatcher's
// staging is what makes them right.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>
#include <tenon/sdk/plugin/philox.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <cmath>
#include <vector>

namespace acme {

namespace sdk = tenon::sdk;
using sdk::Launch;

constexpr uint32_t kGood = TENON_KERNEL_CANONICAL | TENON_KERNEL_CAPTURE_SAFE;

// ---- Roles --------------------------------------------------------------------------------------

inline void copy(const Launch& l) {
  sdk::dispatch_size(l.out().dtype,
                     [&]<class T>() { sdk::elementwise<T, T>(l, [](T x) { return x; }); });
}

inline void full(const Launch& l) {
  const tenon_value& value = l.attrs[1];
  sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
    const T element = value.tag == TENON_VALUE_F64 ? sdk::convert<T>(value.as.f64)
                                                   : sdk::convert<T>(value.as.i64);
    sdk::elementwise<T>(l, [element] { return element; });
  });
}

inline void cast(const Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class From>() {
    sdk::dispatch_dtype(l.out().dtype, [&]<class To>() {
      sdk::elementwise<To, From>(l, [](From x) { return sdk::convert<To>(x); });
    });
  });
}

inline void add(const Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    sdk::elementwise<T, T, T>(l, [](T a, T b) { return sdk::narrow<T>(C(a) + C(b)); });
  });
}

// ACCUM: adds each element of x to the element of the output that broadcasting takes it from.
inline void sum_to(const Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& y = l.out();
  sdk::dispatch_dtype<sdk::NumberTypes>(y.dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    const T* from = l.data<T>(0);
    T* to = l.out_data<T>();
    std::array<int64_t, TENON_MAX_RANK> index{};
    for (int64_t i = 0, n = sdk::count_of(sdk::shape_of(x)); i < n; ++i) {
      int64_t at = 0;
      for (int32_t d = 0; d < y.rank; ++d) {
        const auto own = static_cast<size_t>(d + x.rank - y.rank);
        if (y.shape[d] != 1) at += index[own] * y.strides[d];
      }
      to[at] = sdk::narrow<T>(C(to[at]) + C(from[i]));
      for (size_t d = static_cast<size_t>(x.rank); d-- > 0;) {
        if (++index[d] < x.shape[d]) break;
        index[d] = 0;
      }
    }
  });
}

inline void rows_add(const Launch& l) {
  const int64_t* indices = l.data<int64_t>(1);
  const int64_t rows = l.view(0).shape[0];
  const int64_t n = l.view(1).shape[0];
  const int64_t width = n == 0 ? 0 : sdk::count_of(l.shape(2)) / n;
  for (int64_t r = 0; r < n; ++r) {
    if (indices[r] < 0 || indices[r] >= rows) {
      throw sdk::Failure{TENON_E_DATA, "an index names no row", "indices",
                         "0 to " + std::to_string(rows - 1), std::to_string(indices[r])};
    }
  }
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(0).dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    for (int64_t r = 0; r < n; ++r) {
      T* to = l.data<T>(0) + indices[r] * width;
      const T* from = l.data<T>(2) + r * width;
      for (int64_t i = 0; i < width; ++i) to[i] = sdk::narrow<T>(C(to[i]) + C(from[i]));
    }
  });
}

inline void isfinite(const Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(0).dtype, [&]<class T>() {
    sdk::elementwise<sdk::Bool, T>(
        l, [](T x) { return sdk::Bool(std::isfinite(static_cast<double>(x))); });
  });
}

// ---- Elementwise --------------------------------------------------------------------------------

inline void mul(const Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    sdk::elementwise<T, T, T>(l, [](T a, T b) { return sdk::narrow<T>(C(a) * C(b)); });
  });
}

// DENSE.
inline void neg(const Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    sdk::elementwise<T, T>(l, [](T x) { return sdk::narrow<T>(-static_cast<double>(x)); });
  });
}

// INNER_CONTIGUOUS: the last dimension's stride is never looked at.
inline void square(const Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    const std::array<sdk::Strided, 2> operands{sdk::strided(l.out()), sdk::strided(l.view(0))};
    sdk::walk(sdk::shape_of(l.out()), operands, [](const sdk::Run<2>& run) {
      T* y = reinterpret_cast<T*>(run.data[0]);
      const T* x = reinterpret_cast<const T*>(run.data[1]);
      for (int64_t i = 0; i < run.count; ++i) {
        y[i] = sdk::narrow<T>(static_cast<double>(x[i]) * static_cast<double>(x[i]));
      }
    });
  });
}

// STRIDED, and after collapsing at most one dimension.
inline void tanh(const Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& y = l.out();
  const int64_t n = y.rank ? y.shape[0] : 1;
  const int64_t from = x.rank ? x.strides[0] : 0;
  const int64_t to = y.rank ? y.strides[0] : 0;
  sdk::dispatch_dtype<sdk::FloatTypes>(y.dtype, [&]<class T>() {
    for (int64_t i = 0; i < n; ++i) {
      const double value = static_cast<double>(l.data<T>(0)[i * from]);
      l.out_data<T>()[i * to] = sdk::narrow<T>(std::tanh(value));
    }
  });
}

// y = max(x, 0), and where a backward wants it the mask of what passed.
inline void relu(const Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    const int64_t n = sdk::count_of(sdk::shape_of(l.out()));
    const T* x = l.data<T>(0);
    T* y = l.out_data<T>(0);
    T* mask = l.wants_out(1) ? l.out_data<T>(1) : nullptr;
    for (int64_t i = 0; i < n; ++i) {
      const bool passes = static_cast<double>(x[i]) > 0;
      y[i] = passes ? x[i] : T(0.0f);
      if (mask) mask[i] = passes ? T(1.0f) : T(0.0f);
    }
  });
}

// CONTIGUOUS: a - 2 b over flat memory, no shape and no stride is ever looked at but the count.
inline void strict(const Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    const int64_t n = sdk::count_of(sdk::shape_of(l.out()));
    const T* a = l.data<T>(0);
    const T* b = l.data<T>(1);
    T* y = l.out_data<T>();
    for (int64_t i = 0; i < n; ++i) {
      y[i] = sdk::narrow<T>(static_cast<double>(a[i]) - 2 * static_cast<double>(b[i]));
    }
  });
}

// CONTIGUOUS and INOUT: x += by.
inline void bump(const Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(0).dtype, [&]<class T>() {
    const int64_t n = sdk::count_of(l.shape(0));
    for (int64_t i = 0; i < n; ++i) {
      T& x = l.data<T>(0)[i];
      x = sdk::narrow<T>(static_cast<double>(x) + static_cast<double>(l.data<T>(1)[i]));
    }
  });
}

// ---- Others -------------------------------------------------------------------------------------

// y[M,N] = a[M,K] b[K,N], CONTIGUOUS.
inline void matmul2(const Launch& l) {
  const int64_t rows = l.view(0).shape[0];
  const int64_t inner = l.view(0).shape[1];
  const int64_t columns = l.view(1).shape[1];
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < inner; ++k) {
          sum += static_cast<double>(l.data<T>(0)[i * inner + k]) *
                 static_cast<double>(l.data<T>(1)[k * columns + j]);
        }
        l.out_data<T>()[i * columns + j] = sdk::narrow<T>(sum);
      }
    }
  });
}

inline void sum(const Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    double total = 0;
    const int64_t n = sdk::count_of(l.shape(0));
    for (int64_t i = 0; i < n; ++i) total += static_cast<double>(l.data<T>(0)[i]);
    *l.out_data<T>() = sdk::narrow<T>(total);
  });
}

// dy put back into zeros: the gradient of slice(axis, start, count, step).
inline void slice_put(const Launch& l) {
  const auto axis = static_cast<size_t>(l.attrs.integer(1));
  const tenon_view& y = l.out();
  sdk::dispatch_size(y.dtype, [&]<class T>() {
    const int64_t n = sdk::count_of(sdk::shape_of(y));
    for (int64_t i = 0; i < n; ++i) l.out_data<T>()[i] = 0;
    sdk::Strided window = sdk::strided(y);
    window.data += l.attrs.integer(2) * window.step[axis];
    window.step[axis] *= l.attrs.integer(3);
    sdk::walk<2>(l.shape(0), {window, sdk::strided(l.view(0))}, [](const sdk::Run<2>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        sdk::store(run.data[0] + i * run.step[0], sdk::load<T>(run.data[1] + i * run.step[1]));
      }
    });
  });
}

inline void take(const Launch& l) {
  const int64_t width = l.view(0).shape[1];
  const int64_t* indices = l.data<int64_t>(1);
  sdk::dispatch_size(l.out().dtype, [&]<class T>() {
    for (int64_t r = 0; r < l.view(1).shape[0]; ++r) {
      std::copy_n(l.data<T>(0) + indices[r] * width, width, l.out_data<T>() + r * width);
    }
  });
}

// Uniform numbers in [0, 1) with 24 bits, by logical index.
template <class Place>
void noise(const Launch& l) {
  tenon_rng rng = l.rng();
  rng.device_base = static_cast<const uint64_t*>(Place::host(rng.device_base));
  sdk::RandomWords words(rng);
  sdk::walk<1>(sdk::shape_of(l.out()), {sdk::strided(l.out())}, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      const uint32_t word = words.word(static_cast<uint64_t>(run.first + i));
      sdk::store(run.data[0] + i * run.step[0], static_cast<float>(word >> 8) * 0x1p-24f);
    }
  });
}

// Back to front, through scratch; the count comes from the prepared object.
template <class Place>
void reverse(const Launch& l) {
  const int64_t n = *static_cast<const int64_t*>(l.launch().prepared);
  sdk::dispatch_size(l.out().dtype, [&]<class T>() {
    T* scratch = static_cast<T*>(Place::host(l.scratch().data()));
    std::copy_n(l.data<T>(0), n, scratch);
    for (int64_t i = 0; i < n; ++i) l.out_data<T>()[i] = scratch[n - 1 - i];
  });
}
// What is asked of a kernel before it launches must not depend on its operands' data.
inline bool sees_data(const sdk::Args& args) {
  const tenon_launch& launch = args.launch();
  const uint32_t count = launch.slot_begin[launch.n_slots];
  return std::any_of(launch.views, launch.views + count, [](const tenon_view& view) {
    return view.data != nullptr && (view.flags & TENON_VIEW_HOST_SCALAR) == 0;
  });
}

inline uint64_t reverse_scratch(const sdk::Args& args) {
  if (sees_data(args)) throw sdk::Failure{TENON_E_PLUGIN, "`workspace` was shown data"};
  return static_cast<uint64_t>(sdk::count_of(args.shape(0))) * sdk::size_of(args.view(0).dtype);
}
inline tenon_status reverse_prepare(tenon_call*, const tenon_launch* launch, void** out_prepared) {
  if (sees_data(sdk::Args(launch))) return TENON_E_PLUGIN;
  *out_prepared = new int64_t(sdk::count_of(sdk::Args(launch).shape(0)));
  return TENON_OK;
}
inline void reverse_release(void*, void* prepared) { delete static_cast<int64_t*>(prepared); }

// velocity = velocity / 2 + grad;  param = (1 - decay) param - lr velocity;  step = step + 1
inline void sgd_step(const Launch& l) {
  enum Slot : uint32_t { kParams, kGrads, kVelocity, kStep, kLr };
  const double lr = *l.data<double>(kLr);
  const double keep = 1 - l.attrs.real(0);
  for (uint32_t item = 0; item < l.count(kParams); ++item) {
    sdk::dispatch_dtype<sdk::FloatTypes>(l.view(kParams, item).dtype, [&]<class T>() {
      const int64_t n = sdk::count_of(l.shape(kParams, item));
      for (int64_t i = 0; i < n; ++i) {
        T& param = l.data<T>(kParams, item)[i];
        T& velocity = l.data<T>(kVelocity, item)[i];
        const double grad = static_cast<double>(l.data<T>(kGrads, item)[i]);
        velocity = sdk::narrow<T>(static_cast<double>(velocity) * 0.5 + grad);
        param =
            sdk::narrow<T>(keep * static_cast<double>(param) - lr * static_cast<double>(velocity));
      }
    });
    ++*l.data<int64_t>(kStep, item);
  }
}

// ---- Slots --------------------------------------------------------------------------------------

constexpr tenon_slot_rule kMap[] = {sdk::strided_in(), sdk::strided_out()};
constexpr tenon_slot_rule kStridedOut[] = {sdk::strided_out()};
constexpr tenon_slot_rule kStridedPair[] = {sdk::strided_in(), sdk::strided_in(),
                                            sdk::strided_out()};
constexpr tenon_slot_rule kScalarPair[] = {sdk::strided_in(TENON_SLOT_HOST_SCALAR),
                                           sdk::strided_in(TENON_SLOT_HOST_SCALAR),
                                           sdk::strided_out()};
constexpr tenon_slot_rule kAccumulate[] = {sdk::contiguous_in(), sdk::slot(TENON_SLOT_ACCUM)};
constexpr tenon_slot_rule kRowsAdd[] = {sdk::contiguous_inout(), sdk::contiguous_in(),
                                        sdk::contiguous_in()};
constexpr tenon_slot_rule kDense[] = {sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_DENSE),
                                      sdk::slot(TENON_SLOT_OUT, TENON_LAYOUT_DENSE)};
constexpr tenon_slot_rule kInner[] = {sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_INNER_CONTIGUOUS),
                                      sdk::slot(TENON_SLOT_OUT, TENON_LAYOUT_INNER_CONTIGUOUS)};
constexpr tenon_slot_rule kOneDimension[] = {sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_STRIDED, 0, 1),
                                             sdk::slot(TENON_SLOT_OUT, TENON_LAYOUT_STRIDED, 0, 1)};
constexpr tenon_slot_rule kFlat[] = {sdk::contiguous_in(), sdk::contiguous_out()};
constexpr tenon_slot_rule kFlatPair[] = {sdk::contiguous_in(), sdk::contiguous_in(),
                                         sdk::contiguous_out()};
constexpr tenon_slot_rule kFlatAux[] = {sdk::contiguous_in(), sdk::contiguous_out(),
                                        sdk::contiguous_out()};
constexpr tenon_slot_rule kBump[] = {sdk::contiguous_inout(), sdk::contiguous_in()};
constexpr tenon_slot_rule kPut[] = {sdk::strided_in(), sdk::contiguous_out()};
constexpr tenon_slot_rule kStep[] = {sdk::contiguous_inout(), sdk::contiguous_in(),
                                     sdk::contiguous_inout(), sdk::contiguous_inout(),
                                     sdk::contiguous_in()};
constexpr tenon_dtype kNoiseRows[] = {TENON_DTYPE_F32};
constexpr auto kCastRows = sdk::pairs(sdk::kAllDtypes, sdk::kAllDtypes);

// ---- The table of one place ---------------------------------------------------------------------

template <class Place, void (*Run)(const Launch&)>
constexpr tenon_kernel_desc entry(std::string_view op, std::span<const tenon_slot_rule> slots,
                                  std::span<const tenon_dtype> rows, uint32_t n_attrs = 0) {
  return sdk::kernel({.op = op,
                      .device = Place::device,
                      .slots = slots,
                      .rows = rows,
                      .n_attrs = n_attrs,
                      .flags = kGood,
                      .launch = Place::template launch<Run>});
}

template <class Place>
inline constexpr tenon_kernel_desc kKernels[] = {
    entry<Place, copy>("acme.copy", kMap, sdk::kAllDtypes),
    entry<Place, full>("acme.full", kStridedOut, sdk::kAllDtypes, 3),
    sdk::kernel({.op = "acme.cast",
                 .device = Place::device,
                 .slots = kMap,
                 .rows = kCastRows,
                 .n_variables = 2,
                 .n_attrs = 1,
                 .flags = kGood,
                 .launch = Place::template launch<cast>}),
    entry<Place, add>("acme.add", kStridedPair, sdk::kNumbers),
    entry<Place, sum_to>("acme.sum_to", kAccumulate, sdk::kNumbers, 1),
    entry<Place, rows_add>("acme.rows_add", kRowsAdd, sdk::kFloats),
    entry<Place, isfinite>("acme.isfinite", kMap, sdk::kFloats),
    entry<Place, mul>("acme.mul", kScalarPair, sdk::kNumbers),
    entry<Place, neg>("acme.neg", kDense, sdk::kFloats),
    entry<Place, square>("acme.square", kInner, sdk::kFloats),
    entry<Place, acme::tanh>("acme.tanh", kOneDimension, sdk::kFloats),
    entry<Place, relu>("acme.relu", kFlatAux, sdk::kFloats),
    entry<Place, strict>("acme.strict", kFlatPair, sdk::kFloats),
    entry<Place, bump>("acme.bump", kBump, sdk::kFloats),
    entry<Place, matmul2>("acme.matmul2", kFlatPair, sdk::kFloats),
    entry<Place, sum>("acme.sum", kFlat, sdk::kFloats),
    entry<Place, slice_put>("acme.slice_put", kPut, sdk::kAllDtypes, 4),
    entry<Place, take>("acme.take", kFlatPair, sdk::kAllDtypes),
    entry<Place, noise<Place>>("acme.noise", kStridedOut, kNoiseRows, 2),
    sdk::kernel({.op = "acme.reverse",
                 .device = Place::device,
                 .slots = kFlat,
                 .rows = sdk::kAllDtypes,
                 .flags = kGood,
                 .launch = Place::template launch<reverse<Place>>,
                 .workspace = sdk::workspace_fn<reverse_scratch>,
                 .prepare = reverse_prepare,
                 .release_prepared = reverse_release}),
    entry<Place, sgd_step>("acme.sgd_step", kStep, sdk::kFloats, 1),
};

}  // namespace acme
