// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/triangle.cu: tril, triu: y[m,n] = x[m,n] on one side of a diagonal, else 0;
// eye: 1 on a diagonal, else 0.
//
// Which diagonal an element lies on, n - m, is told by one more operand, whose "strides" are 1
// along the columns and -1 along the rows; so the work can be cut as any other.
#include "elementwise.h"
#include "moving.h"

namespace tenon::cuda::triangle_unit {
namespace {

// Strides of the diagonal's number.
int64_t diagonal_stride(int32_t d, int32_t rank) {
  return d == rank - 1 ? 1 : d == rank - 2 ? -1 : 0;
}

template <bool kLower, class T>
__global__ void __launch_bounds__(kBlock)
    triangle(Geometry<3> g, int64_t first, int64_t edge, T* out, const T* x) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[3];
  g.offsets(number, at);
  const int64_t diagonal = first + at[2];
  out[at[0]] = (kLower ? diagonal <= edge : diagonal >= edge) ? x[at[1]] : T{};
}

template <bool kLower>
void keep_triangle(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& out = l.out();
  const int64_t edge = l.attrs.integer(0);
  Layout<3> layout;
  for (int32_t d = 0; d < x.rank; ++d) {
    layout.push(x.shape[d], {out.strides[d], x.strides[d], diagonal_stride(d, x.rank)});
  }
  sdk::dispatch_size(x.dtype, [&]<class T>() {
    for_parts<3>(layout, {}, [&](const Layout<3>& part, const std::array<int64_t, 3>& at) {
      enqueue(l, &triangle<kLower, T>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0,
              part.geometry(), at[2], edge, static_cast<T*>(out.data) + at[0],
              static_cast<const T*>(x.data) + at[1]);
    });
  });
}

enum Eye : uint32_t { kRows, kColumns, kDiagonal, kEyeDtype, kEyeAttributes };

template <class T>
__global__ void __launch_bounds__(kBlock)
    diagonal_ones(Geometry<2> g, int64_t first, int64_t wanted, T* out, T one) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[2];
  g.offsets(number, at);
  out[at[0]] = first + at[1] == wanted ? one : T{};
}

void eye(const sdk::Launch& l) {
  const tenon_view& out = l.out();
  const int64_t wanted = l.attrs.integer(kDiagonal);
  tenon_value one{};
  one.tag = TENON_VALUE_I64;
  one.as.i64 = 1;
  const uint64_t bits = bits_of(one, out.dtype);
  Layout<2> layout;
  for (int32_t d = 0; d < 2; ++d) {
    layout.push(out.shape[d], {out.strides[d], diagonal_stride(d, 2)});
  }
  sdk::dispatch_size(out.dtype, [&]<class T>() {
    for_parts<2>(layout, {}, [&](const Layout<2>& part, const std::array<int64_t, 2>& at) {
      enqueue(l, &diagonal_ones<T>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0,
              part.geometry(), at[1], wanted, static_cast<T*>(out.data) + at[0],
              static_cast<T>(bits));
    });
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};
constexpr tenon_slot_rule eye_slots[] = {any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.tril", slots, sdk::kAllDtypes, sdk::launch_fn<keep_triangle<true>>,
           {.n_attrs = 1}),
    kernel("tenon.triu", slots, sdk::kAllDtypes, sdk::launch_fn<keep_triangle<false>>,
           {.n_attrs = 1}),
    kernel("tenon.eye", eye_slots, sdk::kAllDtypes, sdk::launch_fn<eye>,
           {.n_attrs = kEyeAttributes}),
};

}  // namespace
}  // namespace tenon::cuda::triangle_unit

TENON_UNIT(triangle) = {.kernels = tenon::cuda::triangle_unit::kernels};
