// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/transpose.cc: see transpose.h.
//
// A row of the output is a column of the input: element by element each would be a line of cache,
// read again for the next row. A block of 32 by 32 elements touches 32 lines or a few more on
// either side.

#include "kernels/transpose.h"

namespace tenon::cpu {
namespace {

constexpr int64_t kBlock = 32;

// The dimension along which the input is packed, or -1.
int32_t packed_dimension(const tenon_view& in) {
  for (int32_t d = 0; d < in.rank; ++d) {
    if (in.strides[d] == 1 && in.shape[d] >= kBlock / 4) return d;
  }
  return -1;
}

// Output and input of one block of rows; steps in elements.
template <class T>
struct Rows {
  char* out;
  const char* in;
  int64_t out_row_step;
  int64_t in_column_step;

  void copy(int64_t rows, int64_t columns) const {
    constexpr int64_t size = sizeof(T);
    for (int64_t first = 0; first < columns; first += kBlock) {
      const int64_t end = std::min(columns, first + kBlock);
      for (int64_t r = 0; r < rows; ++r) {
        char* const to = out + r * out_row_step * size;
        const char* const from = in + r * size;
        for (int64_t c = first; c < end; ++c) {
          sdk::store(to + c * size, sdk::load<T>(from + c * in_column_step * size));
        }
      }
    }
  }
};

template <class T>
void copy_blocks(const sdk::Launch& l) {
  const tenon_view& in = l.view(0);
  const tenon_view& out = l.out();
  const int32_t across = packed_dimension(in);
  const int32_t along = out.rank - 1;
  const int64_t rows = out.shape[across];
  const int64_t columns = out.shape[along];
  const int64_t bands = (rows + kBlock - 1) / kBlock;
  int64_t count = bands;
  for (int32_t d = 0; d < along; ++d) count *= d == across ? 1 : out.shape[d];
  const int64_t grain = std::max<int64_t>(1, sdk::kElementwiseGrain / (kBlock * columns));
  l.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t row = unit % bands * kBlock;
      int64_t rest = unit / bands;
      int64_t to = row * out.strides[across];
      int64_t from = row;
      for (int32_t d = along - 1; d >= 0; --d) {
        if (d == across) continue;
        to += rest % out.shape[d] * out.strides[d];
        from += rest % out.shape[d] * in.strides[d];
        rest /= out.shape[d];
      }
      const Rows<T> band{static_cast<char*>(out.data) + to * int64_t{sizeof(T)},
                         static_cast<const char*>(in.data) + from * int64_t{sizeof(T)},
                         out.strides[across], in.strides[along]};
      band.copy(std::min(kBlock, rows - row), columns);
    }
  });
}

}  // namespace

bool is_transposed(const tenon_view& in, const tenon_view& out) {
  const int32_t along = out.rank - 1;
  if (along < 1 || in.rank != out.rank || out.strides[along] != 1) return false;
  return out.shape[along] >= kBlock / 4 && in.strides[along] != 1 && in.strides[along] != 0 &&
         packed_dimension(in) >= 0;
}

tenon_status copy_transposed(tenon_call* call, const tenon_launch* args) {
  return sdk::guarded(call, [&] {
    const sdk::Launch l(call, args);
    sdk::dispatch_size(l.out().dtype, [&]<class T>() { copy_blocks<T>(l); });
  });
}

}  // namespace tenon::cpu
