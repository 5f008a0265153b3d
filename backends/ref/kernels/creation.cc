// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/creation.cc: full_like, eye, arange, linspace: values that follow from the
// attributes and the number of the element.

#include "common/sequences.h"
#include "kernels/ref.h"

namespace tenon::ref {
namespace {

using namespace backends;

// out[i] = value(i), i in row-major order.
template <class T, class Value>
void numbered(const sdk::Launch& l, Value value) {
  sdk::walk_parallel<1>(l, sdk::shape_of(l.out()), {sdk::strided(l.out())},
                        [value](const sdk::Run<1>& run) {
                          for (int64_t i = 0; i < run.count; ++i) {
                            sdk::store<T>(run.data[0] + i * run.step[0], value(run.first + i));
                          }
                        });
}

void full_like(const sdk::Launch& l) {
  const tenon_value& value = l.attrs[0];
  sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
    const T element = value.tag == TENON_VALUE_F64 ? sdk::convert<T>(value.as.f64)
                                                   : sdk::convert<T>(value.as.i64);
    each_element<T>(l, [element] { return element; });
  });
}

enum Eye : uint32_t { kRows, kColumns, kDiagonal, kEyeDtype, kEyeAttributes };

void eye(const sdk::Launch& l) {
  const int64_t columns = l.out().shape[1];
  const int64_t k = l.attrs.integer(kDiagonal);
  sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
    numbered<T>(l, [columns, k](int64_t i) {
      return sdk::convert<T>(int64_t{i % columns - i / columns == k});
    });
  });
}

void arange(const sdk::Launch& l) {
  const sdk::Attrs& a = l.attrs;
  const bool real = has_real_steps(a);
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    if (real) {
      return numbered<T>(l, [start = a.real(kStart), step = a.real(kStep)](int64_t i) {
        return sdk::convert<T>(start + static_cast<double>(i) * step);
      });
    }
    // The last number lies before stop, so nothing overflows; but i * step may, and come back.
    numbered<T>(l, [start = static_cast<uint64_t>(a.integer(kStart)),
                    step = static_cast<uint64_t>(a.integer(kStep))](int64_t i) {
      return sdk::convert<T>(static_cast<int64_t>(start + static_cast<uint64_t>(i) * step));
    });
  });
}

void linspace(const sdk::Launch& l) {
  const Spacing s = spacing_of(l.attrs);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    numbered<T>(l, [s](int64_t i) {
      const double value = i == 0 ? s.start : s.start + static_cast<double>(i) * s.step;
      return sdk::narrow<T>(i == s.last ? s.stop : value);
    });
  });
}

constexpr tenon_slot_rule nullary[] = {sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.full_like", kUnarySlots, sdk::kAllDtypes, 1, sdk::launch_fn<full_like>),
    kernel("tenon.eye", nullary, sdk::kAllDtypes, kEyeAttributes, sdk::launch_fn<eye>),
    kernel("tenon.arange", nullary, sdk::kNumbers, kArangeAttributes, sdk::launch_fn<arange>),
    kernel("tenon.linspace", nullary, sdk::kFloats, kLinspaceAttributes, sdk::launch_fn<linspace>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(creation) = {.kernels = tenon::ref::kernels};
