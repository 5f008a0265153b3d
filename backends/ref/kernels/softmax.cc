// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/softmax.cc: softmax and log_softmax along an axis.
//
//   softmax      exp(x - m) / s          m = max x, s = sum exp(x - m), all in double
//   log_softmax  (x - m) - log(s)

#include <cmath>

#include "kernels/softmax.h"

namespace tenon::ref {
namespace {

// Calls body(out line, in line, count) for each line along the axis.
template <class Body>
void for_each_line(const sdk::Launch& l, Body&& body) {
  const tenon_view& x = l.view(0);
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), x.rank, "axis"));
  std::array<int64_t, TENON_MAX_RANK> shape{};
  std::copy(x.shape, x.shape + x.rank, shape.begin());
  if (shape[axis] == 0) return;
  shape[axis] = 1;
  const sdk::Strided in = sdk::strided(x);
  const sdk::Strided out = sdk::strided(l.out());
  sdk::walk<2>({shape.data(), static_cast<size_t>(x.rank)}, {out, in}, [&](const sdk::Run<2>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      body(Line{run.data[0] + i * run.step[0], out.step[axis]},
           Line{run.data[1] + i * run.step[1], in.step[axis]}, x.shape[axis]);
    }
  });
}

void softmax(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    for_each_line(l, [](const Line& out, const Line& in, int64_t count) {
      const Normaliser norm = normaliser<T>(in, count);
      for (int64_t i = 0; i < count; ++i) {
        out.put<T>(i, std::exp(in.get<T>(i) - norm.largest) / norm.sum);
      }
    });
  });
}

void log_softmax(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    for_each_line(l, [](const Line& out, const Line& in, int64_t count) {
      const Normaliser norm = normaliser<T>(in, count);
      for (int64_t i = 0; i < count; ++i) out.put<T>(i, norm.log_probability(in.get<T>(i)));
    });
  });
}

constexpr tenon_kernel_desc along_axis(std::string_view op, LaunchFn launch) {
  return kernel(op, kMapSlots, sdk::kFloats, 1, launch, {.flags = kOracle});
}

constexpr tenon_kernel_desc kernels[] = {
    along_axis("tenon.softmax", sdk::launch_fn<softmax>),
    along_axis("tenon.log_softmax", sdk::launch_fn<log_softmax>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(softmax) = {.kernels = tenon::ref::kernels};
