// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/pool_grad.cc: max_pool_grad: y = 0, then y[positions[w]] += dy[w] for the
// windows w of each image in row-major order, in f32 or f64 (16-bit floats: f32, rounded once at
// the end).
//
// Image after image, so that nothing is written by two threads.

#include "common/indices.h"
#include "kernels/pool.h"

namespace tenon::cpu {
namespace {

// Where places of an image are, by their number.
class Places {
 public:
  Places(const Steps3& sizes, const Steps3& step)
      : sizes_(sizes),
        step_(step),
        even_(step[1] == sizes[2] * step[2] && step[0] == sizes[1] * step[1]) {}
  int64_t operator()(int64_t number) const {
    if (even_) return number * step_[2];
    const int64_t row = number / sizes_[2];
    return row / sizes_[1] * step_[0] + row % sizes_[1] * step_[1] + number % sizes_[2] * step_[2];
  }

 private:
  Steps3 sizes_, step_;
  bool even_;
};

// Calls body(i, j) for the rows of an image.
template <class Body>
void for_each_row(const Steps3& sizes, const Body& body) {
  for (int64_t i = 0; i < sizes[0]; ++i) {
    for (int64_t j = 0; j < sizes[1]; ++j) body(i, j);
  }
}

// Refuses the first position that is neither in the image nor -1.
void check_positions(const sdk::Launch& l, int64_t places) {
  const auto shape = sdk::shape_of(l.view(1));
  const std::array<sdk::Strided, 1> operands{sdk::strided(l.view(1))};
  sdk::walk_parallel<1>(l, shape, operands, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      const auto position = sdk::load<int64_t>(run.data[0] + i * run.step[0]);
      if (position >= -1 && position < places) continue;
      backends::refuse_index("positions", shape, run.first + i, position, places, -1);
    }
  });
}

template <class T>
void add_up(const sdk::Launch& l) {
  using C = sdk::Compute<T>;
  constexpr bool kNarrow = !std::is_same_v<C, T>;
  const Images dy(l.view(0)), positions(l.view(1)), out(l.out());
  const Steps3 windows = sizes_of(l.view(0));
  const Steps3 sizes = sizes_of(l.out());
  const int64_t count = product(sizes);
  const int64_t channels = l.out().shape[1];
  const Places place(sizes, out.step);
  const int64_t work = std::max<int64_t>(1, count + 2 * product(windows));
  const int64_t grain = std::max<int64_t>(1, sdk::kElementwiseGrain / work);
  l.parallel_for(l.out().shape[0] * channels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t image = begin; image < end; ++image) {
      const auto row_of = [&](const Images& images, int64_t i, int64_t j) {
        return images.data + image / channels * images.batch + image % channels * images.channel +
               i * images.step[0] + j * images.step[1];
      };
      // 16-bit floats are added up in packed memory.
      C* sums = kNarrow ? reinterpret_cast<C*>(l.scratch().data()) + image * count : nullptr;
      if (kNarrow) std::fill(sums, sums + count, C{});
      for_each_row(sizes, [&](int64_t i, int64_t j) {
        char* row = row_of(out, i, j);
        for (int64_t k = 0; !kNarrow && k < sizes[2]; ++k) sdk::store(row + k * out.step[2], T{});
      });
      char* to = row_of(out, 0, 0);
      for_each_row(windows, [&](int64_t i, int64_t j) {
        const char* row = row_of(dy, i, j);
        const char* named = row_of(positions, i, j);
        for (int64_t k = 0; k < windows[2]; ++k) {
          const auto position = sdk::load<int64_t>(named + k * positions.step[2]);
          if (position < 0) continue;
          const C value = static_cast<C>(sdk::load<T>(row + k * dy.step[2]));
          if constexpr (kNarrow) {
            sums[position] += value;
          } else {
            char* at = to + place(position);
            sdk::store(at, sdk::load<T>(at) + value);
          }
        }
      });
      if constexpr (kNarrow) {
        for_each_row(sizes, [&](int64_t i, int64_t j) {
          char* row = row_of(out, i, j);
          for (int64_t k = 0; k < sizes[2]; ++k) {
            sdk::store(row + k * out.step[2], sdk::narrow<T>(*sums++));
          }
        });
      }
    }
  });
}

void max_pool_grad(const sdk::Launch& l) {
  check_positions(l, product(sizes_of(l.out())));
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() { add_up<T>(l); });
}

uint64_t sum_bytes(const sdk::Args& args) {
  const tenon_view& out = args.out();
  if (sdk::size_of(out.dtype) != 2) return 0;
  return static_cast<uint64_t>(sdk::count_of(sdk::shape_of(out))) * sizeof(float);
}

constexpr tenon_slot_rule slots[] = {any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.max_pool_grad", slots, sdk::kFloats, 1, sdk::launch_fn<max_pool_grad>,
           {.workspace = sdk::workspace_fn<sum_bytes>}),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(pool_grad) = {.kernels = tenon::cpu::kernels};
