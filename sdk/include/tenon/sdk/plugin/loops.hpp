// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/loops.hpp: loops over strided operands in host memory.
//
// Order is always logical and row-major. Steps are in bytes, may be zero or negative, and addresses
// need no alignment: read with load(), write with store(). Operands are walked together by an outer
// odometer that hands out runs along the last dimension, so a kernel is one loop over a Run.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace tenon::sdk {

// Elements below which a loop stays on the calling thread.
inline constexpr int64_t kElementwiseGrain = 32768;

// One operand: where its first element is, and the bytes to the next one along each dimension.
struct Strided {
  char* data = nullptr;
  std::array<int64_t, TENON_MAX_RANK> step{};
};

// A rank-0 view (a host scalar) steps nowhere, so it pairs with any shape.
inline Strided strided(const tenon_view& view) {
  Strided s{static_cast<char*>(view.data), {}};
  for (size_t d = 0; d < static_cast<size_t>(view.rank); ++d) {
    s.step[d] = view.strides[d] * size_of(view.dtype);
  }
  return s;
}

inline std::span<const int64_t> shape_of(const tenon_view& view) {
  return {view.shape, static_cast<size_t>(view.rank)};
}

// `count` elements of N operands along one dimension, the first of them number `first` in row-major
// order.
template <size_t N>
struct Run {
  int64_t first;
  int64_t count;
  std::array<char*, N> data;
  std::array<int64_t, N> step;
};

// Calls inner(Run<N>) over elements [begin, end) of `shape`. All operands have that shape.
template <size_t N, class Inner>
void walk_range(std::span<const int64_t> shape, const std::array<Strided, N>& operands,
                int64_t begin, int64_t end, Inner&& inner) {
  static constexpr int64_t one[] = {1};
  if (shape.empty()) shape = one;
  const size_t last = shape.size() - 1;
  std::array<int64_t, TENON_MAX_RANK> index{};
  std::array<int64_t, N> offset{};
  Run<N> run{};
  for (size_t o = 0; o < N; ++o) run.step[o] = operands[o].step[last];
  int64_t rest = begin;
  for (size_t d = shape.size(); begin < end && d-- > 0;) {
    index[d] = rest % shape[d];
    rest /= shape[d];
    for (size_t o = 0; o < N; ++o) offset[o] += index[d] * operands[o].step[d];
  }
  while (begin < end) {
    run.first = begin;
    run.count = std::min(shape[last] - index[last], end - begin);
    for (size_t o = 0; o < N; ++o) run.data[o] = operands[o].data + offset[o];
    inner(static_cast<const Run<N>&>(run));
    begin += run.count;
    index[last] += run.count;
    for (size_t o = 0; o < N; ++o) offset[o] += run.count * operands[o].step[last];
    for (size_t d = last; d > 0 && index[d] == shape[d]; --d) {
      for (size_t o = 0; o < N; ++o) {
        offset[o] += operands[o].step[d - 1] - shape[d] * operands[o].step[d];
      }
      index[d] = 0;
      ++index[d - 1];
    }
  }
}

// The same over all elements, on this thread.
template <size_t N, class Inner>
void walk(std::span<const int64_t> shape, const std::array<Strided, N>& operands, Inner&& inner) {
  walk_range(shape, operands, 0, count_of(shape), inner);
}

// The same over all elements, on the host's threads if there are many. `inner` is called
// concurrently and may not call the host; what it throws reaches the caller as of parallel_for.
template <size_t N, class Inner>
void walk_parallel(const Launch& launch, std::span<const int64_t> shape,
                   const std::array<Strided, N>& operands, Inner&& inner) {
  launch.parallel_for(count_of(shape), kElementwiseGrain, [&](int64_t begin, int64_t end) {
    walk_range(shape, operands, begin, end, inner);
  });
}

// Steps through one operand, element by element.
class Cursor {
 public:
  Cursor(std::span<const int64_t> shape, const Strided& operand)
      : shape_(shape), operand_(operand) {}
  char* address() const { return operand_.data + offset_; }
  void next() {
    for (size_t d = shape_.size(); d-- > 0;) {
      offset_ += operand_.step[d];
      if (++index_[d] < shape_[d]) return;
      offset_ -= index_[d] * operand_.step[d];
      index_[d] = 0;
    }
  }

 private:
  std::span<const int64_t> shape_;
  Strided operand_;
  std::array<int64_t, TENON_MAX_RANK> index_{};
  int64_t offset_ = 0;
};

template <class To, class... From, class F, size_t... I>
void elementwise_run(const Run<1 + sizeof...(From)>& run, F& f, std::index_sequence<I...>) {
  const auto loop = [&](auto out_step, auto... step) {
    for (int64_t i = 0; i < run.count; ++i) {
      store<To>(run.data[0] + i * out_step, f(load<From>(run.data[1 + I] + i * step)...));
    }
  };
  // Constant steps let the compiler use vectors if everything is row-major.
  const bool packed = run.step[0] == sizeof(To) && ((run.step[1 + I] == sizeof(From)) && ...);
  if (packed) {
    loop(std::integral_constant<int64_t, sizeof(To)>(),
         std::integral_constant<int64_t, sizeof(From)>()...);
  } else {
    loop(run.step[0], run.step[1 + I]...);
  }
}

// out[i] = f(in0[i], in1[i], ...): output 0 as To, inputs 0, 1, ... as From... . An output may be
// exactly one of the inputs.
template <class To, class... From, class F>
void elementwise(const Launch& launch, F f) {
  constexpr auto inputs = std::index_sequence_for<From...>();
  const auto operands = [&]<size_t... I>(std::index_sequence<I...>) {
    return std::array<Strided, 1 + sizeof...(From)>{strided(launch.out()),
                                                    strided(launch.view(I))...};
  }
  (inputs);
  walk_parallel(launch, shape_of(launch.out()), operands,
                [&](const auto& run) { elementwise_run<To, From...>(run, f, inputs); });
}

}  // namespace tenon::sdk
