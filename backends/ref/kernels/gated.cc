// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/gated.cc: glu, swiglu, geglu and their gradients.
//
//   y = f(gate) other;  dother = dy f(gate),  dgate = dy other f'(gate)
// The axis of x holds two halves: the gate is the second for glu (f the sigmoid) and the first for
// swiglu (silu) and geglu (gelu). With more digits than the dtype has, rounded once.

#include <cmath>
#include <limits>

#include "common/halves.h"
#include "kernels/normal_share.h"
#include "kernels/ref.h"

namespace tenon::ref {
namespace {

enum Attribute : uint32_t { kAxis, kApproximate };

// 1 / (1 + exp(-x)), whose rest to 1 is that of -x.
template <class W>
W sigmoid(W x) {
  return 1 / (1 + std::exp(-x));
}

struct Sigmoid {
  static constexpr size_t kGate = 1;
  template <class W>
  static W value(W x) {
    return sigmoid(x);
  }
  template <class W>
  static W slope(W x) {
    return sigmoid(x) * sigmoid(-x);
  }
};

struct Silu {
  static constexpr size_t kGate = 0;
  template <class W>
  static W value(W x) {
    return x / (1 + std::exp(-x));
  }
  template <class W>
  static W slope(W x) {
    return sigmoid(x) + value(x) * sigmoid(-x);
  }
};

template <class P>
struct Gelu {
  static constexpr size_t kGate = 0;
  template <class W>
  static W value(W x) {
    return normal::gelu<P>(x);
  }
  template <class W>
  static W slope(W x) {
    return normal::gelu_slope<P>(x);
  }
};

template <class T>
Wider<T> wide(const char* from) {
  return static_cast<Wider<T>>(static_cast<sdk::Wide<T>>(sdk::load<T>(from)));
}

template <class F>
void forward(const sdk::Launch& l) {
  const auto half = backends::halves_of(l.view(0), l.attrs.integer(kAxis));
  const std::array<sdk::Strided, 3> operands{sdk::strided(l.out()), half[F::kGate],
                                             half[1 - F::kGate]};
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    sdk::walk_parallel(l, sdk::shape_of(l.out()), operands, [](const sdk::Run<3>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        const auto at = [&](size_t o) { return run.data[o] + i * run.step[o]; };
        sdk::store(at(0), sdk::narrow<T>(F::value(wide<T>(at(1))) * wide<T>(at(2))));
      }
    });
  });
}

// Operands: the gradients of the gate and of the other half, dy, gate, other.
template <class F>
void backward(const sdk::Launch& l) {
  const int64_t axis = l.attrs.integer(kAxis);
  const auto half = backends::halves_of(l.view(1), axis);
  const auto written = backends::halves_of(l.out(), axis);
  const std::array<sdk::Strided, 5> operands{written[F::kGate], written[1 - F::kGate],
                                             sdk::strided(l.view(0)), half[F::kGate],
                                             half[1 - F::kGate]};
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    sdk::walk_parallel(l, l.shape(0), operands, [](const sdk::Run<5>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        const auto at = [&](size_t o) { return run.data[o] + i * run.step[o]; };
        const auto dy = wide<T>(at(2)), gate = wide<T>(at(3)), other = wide<T>(at(4));
        sdk::store(at(0), sdk::narrow<T>(dy * other * F::slope(gate)));
        sdk::store(at(1), sdk::narrow<T>(dy * F::value(gate)));
      }
    });
  });
}

// The op's shape rule has seen to it that there are only two ways.
template <bool kBackward>
void gelu(const sdk::Launch& l) {
  const auto run = [&]<class F>() { kBackward ? backward<F>(l) : forward<F>(l); };
  if (l.attrs.text(kApproximate) == "tanh") return run.template operator()<Gelu<normal::ByTanh>>();
  run.template operator()<Gelu<normal::ByErf>>();
}

constexpr tenon_slot_rule forward_slots[] = {sdk::strided_in(), sdk::strided_out()};
constexpr tenon_slot_rule backward_slots[] = {sdk::strided_in(), sdk::strided_in(),
                                              sdk::strided_out()};

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc gated(std::string_view op, std::span<const tenon_slot_rule> slots,
                                  uint32_t n_attrs) {
  return kernel(op, slots, sdk::kFloats, n_attrs, sdk::launch_fn<Run>, {.flags = kOracle});
}

constexpr tenon_kernel_desc kernels[] = {
    gated<forward<Sigmoid>>("tenon.glu", forward_slots, 1),
    gated<backward<Sigmoid>>("tenon.glu_grad", backward_slots, 1),
    gated<forward<Silu>>("tenon.swiglu", forward_slots, 1),
    gated<backward<Silu>>("tenon.swiglu_grad", backward_slots, 1),
    gated<gelu<false>>("tenon.geglu", forward_slots, 2),
    gated<gelu<true>>("tenon.geglu_grad", backward_slots, 2),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(gated) = {.kernels = tenon::ref::kernels};
