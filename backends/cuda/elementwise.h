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

#include "geometry.h"

namespace tenon::cuda {

// N neighbours that are moved at once.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T at[N];
};

// An operand of `packed`: numbers in memory, or one number for all.
template <class T>
struct Source {
  const T* data;
  T number;
  bool in_memory;  // false: `number` where data is NULL, else the one element there
};

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

template <class T>
Source<T> source_of(const tenon_view& view) {
  if (view.flags & TENON_VIEW_HOST_SCALAR) {
    return {nullptr, *static_cast<const T*>(view.data), false};
  }
  return {static_cast<const T*>(view.data), T(), view.rank != 0};
}

// Are all strides 0?
inline bool is_one_number(const tenon_view& view) {
  for (int32_t d = 0; d < view.rank; ++d) {
    if (view.shape[d] != 1 && view.strides[d] != 0) return false;
  }
  return true;
}

template <class To, class... From, class F, size_t... I>
void elementwise_packed(const sdk::Launch& l, const tenon_view& out, const F& f,
                        std::index_sequence<I...>) {
  constexpr size_t widest = std::max({sizeof(To), sizeof(From)...});
  constexpr int N = static_cast<int>(16 / widest);
  const int64_t count = sdk::count_of(shape_of(out));
  for (int64_t begin = 0; begin < count; begin += kMostElements) {
    const int64_t size = std::min(kMostElements, count - begin);
    [[maybe_unused]] const auto piece = [&]<class T>(const tenon_view& view,
                                                     std::type_identity<T>) {
      Source<T> source = source_of<T>(view);
      source.in_memory = !is_one_number(view);
      if (source.in_memory) source.data += begin;
      return source;
    };
    enqueue(l, &packed<N, F, To, From...>, {blocks_for(size, kBlock * kPacksPerThread * N)},
            {kBlock}, 0, static_cast<uint32_t>(size), static_cast<To*>(out.data) + begin, f,
            piece(l.view(I), std::type_identity<From>())...);
  }
}

template <class To, class... From, class F, size_t... I>
void elementwise_strided(const sdk::Launch& l, const tenon_view& out, const F& f,
                         std::index_sequence<I...>) {
  constexpr int N = 1 + sizeof...(From);
  const Layout<N> layout = layout_of<N>(shape_of(out), {&out, &l.view(I)...});
  for_parts<N>(layout, {}, [&](const Layout<N>& part, const std::array<int64_t, N>& at) {
    [[maybe_unused]] const auto piece = [&]<class T>(const tenon_view& view, int64_t offset,
                                                     std::type_identity<T>) {
      Source<T> source = source_of<T>(view);
      if (source.in_memory) source.data += offset;
      return source;
    };
    enqueue(l, &strided<F, To, From...>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0,
            part.geometry(), static_cast<To*>(out.data) + at[0], f,
            piece(l.view(I), at[1 + I], std::type_identity<From>())...);
  });
}

// Can it be read, or written, 16 / `widest` elements at a time?
inline bool is_packable(const tenon_view& view, size_t widest) {
  if (view.flags & TENON_VIEW_HOST_SCALAR || is_one_number(view)) return true;
  const size_t bytes = 16 / widest * sdk::size_of(view.dtype);
  return is_row_major(view) && reinterpret_cast<uintptr_t>(view.data) % bytes == 0;
}

// out[i] = f(in0[i], in1[i], ...): output 0 as To, inputs 0, 1, ... as From... . An output may be
// exactly one of the inputs.
template <class To, class... From, class F>
void elementwise(const sdk::Launch& l, const F& f) {
  constexpr auto inputs = std::index_sequence_for<From...>();
  constexpr size_t widest = std::max({sizeof(To), sizeof(From)...});
  const tenon_view& out = l.out();
  const bool all_packed = [&]<size_t... I>(std::index_sequence<I...>) {
    return is_packable(out, widest) && (is_packable(l.view(I), widest) && ...);
  }
  (inputs);
  if (all_packed && (is_row_major(out))) {
    elementwise_packed<To, From...>(l, out, f, inputs);
  } else {
    elementwise_strided<To, From...>(l, out, f, inputs);
  }
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
