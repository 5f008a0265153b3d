// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/rope.cc: rope, pairs of elements rotated by an angle of their row's
// position.
//
//   y0 = x0 c - x1 s,  y1 = x1 c + x0 s

#include "common/rotary.h"
#include "kernels/ref.h"

namespace tenon::ref {
namespace {

using namespace backends;

void rope(const sdk::Launch& l) {
  const RotaryRows rows(l);
  const sdk::Strided x = sdk::strided(l.view(kRopeX)), y = sdk::strided(l.out());
  const sdk::Strided cos = sdk::strided(l.view(kRopeCos)), sin = sdk::strided(l.view(kRopeSin));
  const size_t last = l.shape(kRopeX).size() - 1;
  const int64_t size = l.shape(kRopeX).back(), pairs = l.shape(kRopeCos)[1];
  const bool inverse = l.attrs.flag(kRopeInverse);
  const RotaryPairs from(l, x.step[last]), to(l, y.step[last]);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    const auto number = [](const char* at) { return static_cast<C>(sdk::load<T>(at)); };
    rows.each(0, rows.count(), [&](const RotaryRow& row) {
      for (int64_t i = 0; i < pairs; ++i) {
        const C x0 = number(row.from + i * from.next);
        const C x1 = number(row.from + i * from.next + from.other);
        const C c = number(cos.data + row.position * cos.step[0] + i * cos.step[1]);
        const C turn = number(sin.data + row.position * sin.step[0] + i * sin.step[1]);
        const C s = inverse ? -turn : turn;
        sdk::store(row.to + i * to.next, sdk::narrow<T>(x0 * c - x1 * s));
        sdk::store(row.to + i * to.next + to.other, sdk::narrow<T>(x1 * c + x0 * s));
      }
      for (int64_t i = 2 * pairs; i < size; ++i) {
        sdk::store(row.to + i * y.step[last], sdk::load<T>(row.from + i * x.step[last]));
      }
    });
  });
}

constexpr tenon_slot_rule in = sdk::strided_in();
constexpr tenon_slot_rule slots[] = {in, in, in, in, sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.rope", slots, sdk::kFloats, kRopeAttributes, sdk::launch_fn<rope>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(rope) = {.kernels = tenon::ref::kernels};
