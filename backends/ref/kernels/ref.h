// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/ref.h: what all kernels of the reference backend have in common.
//
// Ref is the oracle: plain loops over any layout, in logical order. Elementwise kernels of + - * /
// and the square root give the op's canonical arithmetic: IEEE operations of the dtype (16-bit
// floats compute in float and round once, integers wrap). Transcendental functions are libm's in
// double, rounded once. Reductions, matmul and the softmax family accumulate in double and round
// once at the end. That is closer to the true value than canonical arithmetic, but not the same
// bits, and libm's bits differ between machines; so those kernels do not claim CANONICAL.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>
#include <tenon/sdk/plugin/narrow.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace tenon::ref {

namespace sdk = tenon::sdk;

inline constexpr std::string_view kDevice = "cpu";
inline constexpr int32_t kPriority = -100;  // any other provider for this device goes first

inline constexpr uint32_t kOracle = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_INDEX_64;
inline constexpr uint32_t kCanonical = kOracle | TENON_KERNEL_CANONICAL;

// Elementwise slots also take scalars where they are.
constexpr tenon_slot_rule element_in() { return sdk::strided_in(TENON_SLOT_HOST_SCALAR); }

inline constexpr tenon_slot_rule kUnarySlots[] = {element_in(), sdk::strided_out()};
inline constexpr tenon_slot_rule kBinarySlots[] = {element_in(), element_in(), sdk::strided_out()};
// One input and one output of unrelated shapes.
inline constexpr tenon_slot_rule kMapSlots[] = {sdk::strided_in(), sdk::strided_out()};
// The same, read as it is stored where the output is i64.
inline constexpr tenon_slot_rule kWideningSlots[] = {sdk::strided_in(TENON_SLOT_NARROW),
                                                     sdk::strided_out()};

using LaunchFn = tenon_status (*)(tenon_call*, const tenon_launch*);
using WorkspaceFn = tenon_status (*)(tenon_call*, const tenon_launch*, uint64_t*);

// What not every kernel has.
struct KernelMore {
  uint32_t flags = kCanonical;
  uint32_t n_variables = 1;
  WorkspaceFn workspace = nullptr;
};

constexpr tenon_kernel_desc kernel(std::string_view op, std::span<const tenon_slot_rule> slots,
                                   std::span<const tenon_dtype> rows, uint32_t n_attrs,
                                   LaunchFn launch, const KernelMore& more = {}) {
  return sdk::kernel({.op = op,
                      .device = kDevice,
                      .slots = slots,
                      .rows = rows,
                      .n_variables = more.n_variables,
                      .n_attrs = n_attrs,
                      .flags = more.flags,
                      .priority = kPriority,
                      .launch = launch,
                      .workspace = more.workspace});
}

// Walks N operands of one shape, the output first, on the host's threads: inner(run, f).
template <size_t N>
[[gnu::noinline]] void walk_operands(const sdk::Launch& l,
                                     const std::array<sdk::Strided, N>& operands,
                                     void (*inner)(const sdk::Run<N>& run, const void* f),
                                     const void* f) {
  sdk::walk_parallel<N>(l, sdk::shape_of(l.out()), operands,
                        [&](const sdk::Run<N>& run) { inner(run, f); });
}

// As sdk::elementwise, but only the innermost loop is compiled for each F and its dtypes.
template <class To, class... From, class F>
void each_element(const sdk::Launch& l, F f) {
  constexpr size_t N = 1 + sizeof...(From);
  const auto operands = [&]<size_t... I>(std::index_sequence<I...>) {
    return std::array<sdk::Strided, N>{sdk::strided(l.out()), sdk::strided(l.view(I))...};
  }
  (std::index_sequence_for<From...>());
  walk_operands<N>(
      l, operands,
      [](const sdk::Run<N>& run, const void* typed) {
        // Copies: what is written might else be a part of them, as far as the compiler knows.
        const sdk::Run<N> own = run;
        const F f = *static_cast<const F*>(typed);
        sdk::elementwise_run<To, From...>(own, f, std::index_sequence_for<From...>());
      },
      &f);
}

// out = in, element by element, on this thread; both have `shape`.
inline void copy_elements(std::span<const int64_t> shape, tenon_dtype dtype,
                          const sdk::Strided& out, const sdk::Strided& in) {
  sdk::dispatch_size(dtype, [&]<class T>() {
    sdk::walk<2>(shape, {out, in}, [](const sdk::Run<2>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        sdk::store(run.data[0] + i * run.step[0], sdk::load<T>(run.data[1] + i * run.step[1]));
      }
    });
  });
}

// What exponentials are computed in: far left of 0 an error in the last digit of the argument is a
// thousand times as large in the result, so f64 needs more digits than its own.
template <class T>
using Wider = std::conditional_t<std::is_same_v<T, double>, long double, double>;

// A function of one number in double, rounded once to the dtype.
template <double (*F)(double)>
void in_double(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T>(l, [](T x) { return sdk::narrow<T>(F(static_cast<double>(x))); });
  });
}
template <double (*F)(double)>
constexpr tenon_kernel_desc kernel_in_double(std::string_view op) {
  return kernel(op, kUnarySlots, sdk::kFloats, 0, sdk::launch_fn<in_double<F>>, {.flags = kOracle});
}

}  // namespace tenon::ref
