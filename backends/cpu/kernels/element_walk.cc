// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/element_walk.cc: see element_walk.h.

#include "kernels/element_walk.h"

namespace tenon::cpu {
namespace {

constexpr int64_t kTile = 256;          // elements
constexpr int64_t kLargestElement = 8;  // bytes

// Outputs from this size on are stored past the caches. With its inputs such an output is larger
// than most of them, so its first lines are gone before anybody reads them, and a plain store reads
// each line first. Measured on 32 MiB of last-level cache that others use, too: even what reads the
// output next is no slower from 8 MiB on.
constexpr int64_t kStreamBytes = int64_t{16} << 20;

using Addresses = std::array<char*, kMaxOperands>;
using Steps = std::array<int64_t, kMaxOperands>;  // in bytes

template <class T>
void move_elements(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    sdk::store(to + i * to_step, sdk::load<T>(from + i * from_step));
  }
}
void move_elements(uint8_t size, char* to, int64_t to_step, const char* from, int64_t from_step,
                   int64_t count) {
  switch (size) {
    case 1:
      return move_elements<uint8_t>(to, to_step, from, from_step, count);
    case 2:
      return move_elements<uint16_t>(to, to_step, from, from_step, count);
    case 4:
      return move_elements<uint32_t>(to, to_step, from, from_step, count);
    default:
      return move_elements<uint64_t>(to, to_step, from, from_step, count);
  }
}

// Elements along one dimension of all operands.
struct Line {
  const ElementLoops& loops;
  const void* f;
  bool past_caches;

  void run(const Addresses& at, const Steps& step, int64_t count) const {
    const uint32_t other = not_packed(step, count);
    if (const PackedLoop loop = loop_of(step, other)) return loop(f, at.data(), count, past_caches);
    run_tiles(at, step, count, other);
  }

  // Operands that are not packed, a bit each.
  uint32_t not_packed(const Steps& step, int64_t count) const {
    uint32_t other = 0;
    for (uint32_t o = 0; o < loops.n_operands; ++o) {
      if (step[o] != loops.sizes[o] && count != 1) other |= 1u << o;
    }
    return other;
  }
  // The loop over such memory; NULL if tiles are needed.
  PackedLoop loop_of(const Steps& step, uint32_t other) const {
    if (other == 0) return loops.packed;
    for (uint32_t input = 0; input < 2; ++input) {
      if (other == 2u << input && step[1 + input] == 0) return loops.same[input];
    }
    return nullptr;
  }

  void run_tiles(const Addresses& at, const Steps& step, int64_t count, uint32_t other) const {
    alignas(64) char rooms[kMaxOperands][kTile * kLargestElement];
    for (int64_t begin = 0; begin < count; begin += kTile) {
      const int64_t n = std::min(kTile, count - begin);
      Addresses tile{};
      for (uint32_t o = 0; o < loops.n_operands; ++o) {
        char* const first = at[o] + begin * step[o];
        const bool packed = (other >> o & 1) == 0;
        tile[o] = packed ? first : rooms[o];
        // One element for all is spread over the tile once.
        if (packed || o == 0 || (step[o] == 0 && begin > 0)) continue;
        move_elements(loops.sizes[o], rooms[o], loops.sizes[o], first, step[o], n);
      }
      loops.packed(f, tile.data(), n, false);
      if (other & 1) {
        move_elements(loops.sizes[0], at[0] + begin * step[0], step[0], rooms[0], loops.sizes[0],
                      n);
      }
    }
  }
};

const tenon_view& operand(const sdk::Args& args, uint32_t o) {
  return o == 0 ? args.out() : args.view(o - 1);
}

// Elements [begin, end) of operands with two dimensions: what a row is told once for all of them.
void run_rows(const Line& line, std::span<const int64_t> shape,
              const std::array<sdk::Strided, kMaxOperands>& operands, int64_t begin, int64_t end) {
  const uint32_t n_operands = line.loops.n_operands;
  const int64_t columns = shape[1];
  Addresses first{};
  Steps step{};
  for (uint32_t o = 0; o < n_operands; ++o) {
    first[o] = operands[o].data + begin / columns * operands[o].step[0];
    step[o] = operands[o].step[1];
  }
  const uint32_t other = line.not_packed(step, columns);
  const PackedLoop loop = line.loop_of(step, other);
  int64_t column = begin % columns;
  while (begin < end) {
    const int64_t count = std::min(columns - column, end - begin);
    Addresses at = first;
    for (uint32_t o = 0; o < n_operands; ++o) {
      at[o] += column * step[o];
      first[o] += operands[o].step[0];
    }
    if (loop) {
      loop(line.f, at.data(), count, line.past_caches);
    } else {
      line.run_tiles(at, step, count, other);
    }
    begin += count;
    column = 0;
  }
}

void run_all(const sdk::Launch& launch, const ElementLoops& loops, const void* f) {
  std::array<sdk::Strided, kMaxOperands> operands{};
  for (uint32_t o = 0; o < loops.n_operands; ++o) operands[o] = sdk::strided(operand(launch, o));
  const auto shape = sdk::shape_of(launch.out());
  const int64_t count = sdk::count_of(shape);
  const Line line{loops, f, count * loops.sizes[0] >= kStreamBytes};
  launch.parallel_for(count, sdk::kElementwiseGrain, [&](int64_t begin, int64_t end) {
    if (shape.size() == 2) return run_rows(line, shape, operands, begin, end);
    sdk::walk_range(shape, operands, begin, end, [&](const sdk::Run<kMaxOperands>& run) {
      line.run(run.data, run.step, run.count);
    });
  });
}

}  // namespace

tenon_status run_elementwise(tenon_call* call, const tenon_launch* args, const ElementLoops& loops,
                             const void* f) {
  const sdk::Args operands(args);
  const tenon_view& out = operands.out();
  const int64_t count = out.rank == 0 ? 1 : out.shape[0];
  if (out.rank > 1 || count > sdk::kElementwiseGrain) {
    return sdk::guarded(call, [&] { run_all(sdk::Launch(call, args), loops, f); });
  }
  Addresses at{};
  Steps step{};
  for (uint32_t o = 0; o < loops.n_operands; ++o) {
    const tenon_view& view = operand(operands, o);
    at[o] = static_cast<char*>(view.data);
    step[o] = view.rank == 0 ? 0 : view.strides[0] * loops.sizes[o];
  }
  Line{loops, f, false}.run(at, step, count);
  return TENON_OK;
}

}  // namespace tenon::cpu
