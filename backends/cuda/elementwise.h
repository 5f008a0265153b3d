// SPDX-License-Identifier: Apache-2.0
// backends/cuda/elementwise.h: out[i] = f(in0[i], in1[i], ...) for any functor and any layout.
//
//   struct Square {
//     template <class V> __device__ V operator()(V x) const { return x * x; }
//   };
//   void square(const sdk::Launch& l) {
//     sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
//       elementwise<T, T>(l, InArithmetic<Square>());
//     });
//   }
//
// Two kernels for each functor and dtype. `packed` runs where every operand is row-major or one
// number: it moves 16 bytes at a time, and two such pieces of each operand are under way in each
// thread. `strided` runs for the rest, one element a thread.
#pragma once

#include <bit>
#include <cstring>

#include "geometry.h"

namespace tenon::cuda {

// N neighbours that are moved at once.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T at[N];
};

// An operand of `packed`: numbers in memory, or one number for all. Laid out alike for every T, as
// the host's code fills it in without knowing T.
template <class T>
struct Source {
  const T* data;
  alignas(8) T number;
  alignas(8) bool in_memory;  // false: `number` where data is NULL, else the one element there
};
using AnySource = Source<uint64_t>;

template <int N, class T>
__device__ __forceinline__ Pack<T, N> load_pack(const Source<T>& from, uint32_t first) {
  if (from.in_memory) return *reinterpret_cast<const Pack<T, N>*>(from.data + first);
  const T number = from.data ? *from.data : from.number;
  Pack<T, N> pack;
#pragma unroll
  for (int i = 0; i < N; ++i) pack.at[i] = number;
  return pack;
}
template <class T>
__device__ __forceinline__ T load_one(const Source<T>& from, int64_t offset) {
  return from.data ? from.data[from.in_memory ? offset : 0] : from.number;
}

inline constexpr int kPacksPerThread = 2;

// Of a thread: `kBlock` packs apart. Those that are not whole below `count` are left unread.
template <class T, int N>
struct Packs {
  Pack<T, N> pack[kPacksPerThread];
};
template <int N, class T>
__device__ __forceinline__ Packs<T, N> load_packs(const Source<T>& from, uint32_t start,
                                                  uint32_t count) {
  Packs<T, N> packs;
#pragma unroll
  for (int part = 0; part < kPacksPerThread; ++part) {
    const uint32_t first = (start + part * kBlock) * N;
    if (first + N <= count) packs.pack[part] = load_pack<N>(from, first);
  }
  return packs;
}

// All is read before anything is written, as the compiler must think that an output is an input.
template <int N, class F, class Out, class... In>
__global__ void __launch_bounds__(kBlock) packed(uint32_t count, Out* out, F f, Source<In>... in) {
  const uint32_t start = blockIdx.x * (kBlock * kPacksPerThread) + threadIdx.x;
  const auto apply = [&](const Packs<In, N>&... packs) {
#pragma unroll
    for (int part = 0; part < kPacksPerThread; ++part) {
      const uint32_t first = (start + part * kBlock) * N;
      if (first + N <= count) {
        Pack<Out, N> result;
#pragma unroll
        for (int i = 0; i < N; ++i) result.at[i] = f(packs.pack[part].at[i]...);
        *reinterpret_cast<Pack<Out, N>*>(out + first) = result;
      } else {
#pragma unroll 1
        for (uint32_t i = first; i < count; ++i) out[i] = f(load_one(in, i)...);
      }
    }
  };
  apply(load_packs<N>(in, start, count)...);
}

template <class F, class Out, class... In, size_t... I>
__device__ __forceinline__ void one_element(const Geometry<1 + sizeof...(In)>& g, uint32_t number,
                                            Out* out, const F& f, std::index_sequence<I...>,
                                            const Source<In>&... in) {
  int64_t at[1 + sizeof...(In)];
  g.offsets(number, at);
  out[at[0]] = f(load_one(in, at[1 + I])...);
}

template <class F, class Out, class... In>
__global__ void __launch_bounds__(kBlock)
    strided(Geometry<1 + sizeof...(In)> g, Out* out, F f, Source<In>... in) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number < g.count) one_element(g, number, out, f, std::index_sequence_for<In...>(), in...);
}

// ---- The host's part, one for all functors and dtypes -------------------------------------------

// The kernels of one functor and dtypes. Operands: the output, then the inputs.
template <size_t N>
struct ElementwiseKernels {
  AnyKernel packed;
  AnyKernel strided;
  Argument functor;
  std::array<uint32_t, N> element_bytes;
};

inline AnySource source_of(const tenon_view& view, size_t bytes) {
  AnySource source{};
  if (view.flags & TENON_VIEW_HOST_SCALAR) {
    std::memcpy(&source.number, view.data, bytes);
  } else {
    source.data = static_cast<const uint64_t*>(view.data);
    source.in_memory = view.rank != 0;
  }
  return source;
}
template <class T>
Source<T> source_of(const tenon_view& view) {
  return std::bit_cast<Source<T>>(source_of(view, sizeof(T)));
}
template <class T>
T* advanced(T* data, int64_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(data) + static_cast<uintptr_t>(bytes));
}

// Are all strides 0?
inline bool is_one_number(const tenon_view& view) {
  for (int32_t d = 0; d < view.rank; ++d) {
    if (view.shape[d] != 1 && view.strides[d] != 0) return false;
  }
  return true;
}

// Can it be read, or written, 16 / `widest` elements at a time?
inline bool is_packable(const tenon_view& view, size_t widest) {
  if (view.flags & TENON_VIEW_HOST_SCALAR || is_one_number(view)) return true;
  const size_t bytes = 16 / widest * sdk::size_of(view.dtype);
  return is_row_major(view) && reinterpret_cast<uintptr_t>(view.data) % bytes == 0;
}

// One launch. `first` is what the kernel takes first: a count or a geometry.
template <size_t N>
void enqueue_elements(const sdk::Launch& l, const AnyKernel& kernel, uint32_t blocks,
                      const Argument& first, const Argument& functor, void* out,
                      std::array<AnySource, N - 1>& in) {
  std::array<Argument, N + 2> arguments{first, argument(out), functor};
  for (size_t i = 0; i + 1 < N; ++i) arguments[3 + i] = argument(in[i]);
  enqueue(l, kernel, {blocks}, {kBlock}, 0, arguments);
}

template <size_t N>
void run_packed(const sdk::Launch& l, const std::array<const tenon_view*, N>& views,
                const ElementwiseKernels<N>& kernels, uint32_t per_pack) {
  const int64_t count = sdk::count_of(shape_of(*views[0]));
  for (int64_t begin = 0; begin < count; begin += kMaxElements) {
    auto size = static_cast<uint32_t>(std::min(kMaxElements, count - begin));
    std::array<AnySource, N - 1> in{};
    for (size_t i = 0; i + 1 < N; ++i) {
      const uint32_t bytes = kernels.element_bytes[1 + i];
      in[i] = source_of(*views[1 + i], bytes);
      in[i].in_memory = !is_one_number(*views[1 + i]);
      if (in[i].in_memory) in[i].data = advanced(in[i].data, begin * bytes);
    }
    enqueue_elements<N>(l, kernels.packed, blocks_for(size, kBlock * kPacksPerThread * per_pack),
                        argument(size), kernels.functor,
                        advanced(views[0]->data, begin * kernels.element_bytes[0]), in);
  }
}

template <size_t N>
void run_strided(const sdk::Launch& l, const std::array<const tenon_view*, N>& views,
                 const ElementwiseKernels<N>& kernels) {
  const Layout<N> layout = layout_of<N>(shape_of(*views[0]), views);
  for_parts<N>(layout, {}, [&](const Layout<N>& part, const std::array<int64_t, N>& at) {
    std::array<AnySource, N - 1> in{};
    for (size_t i = 0; i + 1 < N; ++i) {
      const uint32_t bytes = kernels.element_bytes[1 + i];
      in[i] = source_of(*views[1 + i], bytes);
      if (in[i].in_memory) in[i].data = advanced(in[i].data, at[1 + i] * bytes);
    }
    Geometry<N> geometry = part.geometry();
    enqueue_elements<N>(l, kernels.strided, blocks_for(geometry.count, kBlock), argument(geometry),
                        kernels.functor, advanced(views[0]->data, at[0] * kernels.element_bytes[0]),
                        in);
  });
}

template <size_t N>
void run_elementwise(const sdk::Launch& l, const std::array<const tenon_view*, N>& views,
                     const ElementwiseKernels<N>& kernels) {
  const uint32_t widest = *std::ranges::max_element(kernels.element_bytes);
  const auto packable = [&](const tenon_view* view) { return is_packable(*view, widest); };
  if (std::ranges::all_of(views, packable) && is_row_major(*views[0])) {
    run_packed<N>(l, views, kernels, 16 / widest);
  } else {
    run_strided<N>(l, views, kernels);
  }
}

// out[i] = f(in0[i], in1[i], ...): output 0 as To, inputs 0, 1, ... as From... . An output may be
// exactly one of the inputs.
template <class To, class... From, class F>
void elementwise(const sdk::Launch& l, F f) {
  static_assert((... && (sizeof(Source<From>) == sizeof(AnySource))));
  constexpr size_t N = 1 + sizeof...(From);
  constexpr int per_pack = static_cast<int>(16 / std::max({sizeof(To), sizeof(From)...}));
  const ElementwiseKernels<N> kernels{any_kernel(&packed<per_pack, F, To, From...>),
                                      any_kernel(&strided<F, To, From...>),
                                      argument(f),
                                      {sizeof(To), sizeof(From)...}};
  std::array<const tenon_view*, N> views{&l.out()};
  for (size_t i = 1; i < N; ++i) views[i] = &l.view(i - 1);
  run_elementwise<N>(l, views, kernels);
}

// A functor over numbers in which arithmetic is done, as one over what is stored: operands are
// widened exactly, the result is rounded once.
template <class F, class Out = void>
struct InArithmetic {
  F f;
  template <class T, class... More>
  __device__ __forceinline__ auto operator()(T first, More... more) const {
    using Result = std::conditional_t<std::is_void_v<Out>, T, Out>;
    return narrow<Result>(f(widen(first), widen(more)...));
  }
};

}  // namespace tenon::cuda
