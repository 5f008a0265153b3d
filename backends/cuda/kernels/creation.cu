// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/creation.cu: arange, linspace: values that follow from the attributes and
// the number of the element, computed in f64 or in 64 wrapping bits and converted once.
//
// The number is told by one more operand whose strides are those of row-major order.
#include "common/sequences.h"
#include "elementwise.h"

namespace tenon::cuda::creation_unit {
namespace {

using namespace backends;

template <class T, class F>
__global__ void __launch_bounds__(kBlock) numbered(Geometry<2> g, int64_t first, T* out, F f) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[2];
  g.offsets(number, at);
  out[at[0]] = f(first + at[1]);
}

// out[i] = f(i), i in row-major order.
template <class T, class F>
void fill_numbered(const sdk::Launch& l, const F& f) {
  const tenon_view& out = l.out();
  Layout<2> layout;
  int64_t inner = sdk::count_of(shape_of(out));
  for (int32_t d = 0; d < out.rank; ++d) {
    inner = out.shape[d] == 0 ? 0 : inner / out.shape[d];
    layout.push(out.shape[d], {out.strides[d], inner});
  }
  for_parts<2>(layout, {}, [&](const Layout<2>& part, const std::array<int64_t, 2>& at) {
    enqueue(l, &numbered<T, F>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0, part.geometry(),
            at[1], static_cast<T*>(out.data) + at[0], f);
  });
}

// As sdk::convert, whose roundings to 16 bits are the GPU's own here.
template <class T>
__device__ __forceinline__ T converted(double value) {
  if constexpr (sdk::is_float_type<T>) {
    return narrow<T>(value);
  } else {
    return sdk::convert<T>(value);
  }
}

template <class T>
struct RealSteps {
  double start;
  double step;
  __device__ T operator()(int64_t i) const {
    return converted<T>(start + static_cast<double>(i) * step);
  }
};
// The last number lies before stop, so nothing overflows; but i * step may, and come back.
template <class T>
struct WholeSteps {
  uint64_t start;
  uint64_t step;
  __device__ T operator()(int64_t i) const {
    return sdk::convert<T>(static_cast<int64_t>(start + static_cast<uint64_t>(i) * step));
  }
};

void arange(const sdk::Launch& l) {
  const sdk::Attrs& a = l.attrs;
  const bool real = has_real_steps(a);
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    if (real) return fill_numbered<T>(l, RealSteps<T>{a.real(kStart), a.real(kStep)});
    fill_numbered<T>(l, WholeSteps<T>{static_cast<uint64_t>(a.integer(kStart)),
                                      static_cast<uint64_t>(a.integer(kStep))});
  });
}

template <class T>
struct Spaced {
  Spacing s;
  __device__ T operator()(int64_t i) const {
    const double value = i == 0 ? s.start : s.start + static_cast<double>(i) * s.step;
    return narrow<T>(i == s.last ? s.stop : value);
  }
};

void linspace(const sdk::Launch& l) {
  const Spacing spacing = spacing_of(l.attrs);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() { fill_numbered<T>(l, Spaced<T>{spacing}); });
}

constexpr tenon_slot_rule slots[] = {any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.arange", slots, sdk::kNumbers, sdk::launch_fn<arange>,
           {.n_attrs = kArangeAttributes}),
    kernel("tenon.linspace", slots, sdk::kFloats, sdk::launch_fn<linspace>,
           {.n_attrs = kLinspaceAttributes}),
};

}  // namespace
}  // namespace tenon::cuda::creation_unit

TENON_UNIT(creation) = {.kernels = tenon::cuda::creation_unit::kernels};
