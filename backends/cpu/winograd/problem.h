// SPDX-License-Identifier: Apache-2.0
// backends/cpu/winograd/problem.h: a convolution of 3x3 windows side by side, or its adjoint in x,
// as one kind of sum: out[n,o,y,x] = bias[o] + sum over (c,t) of w[o,c,t] x[n,c, y - top + t_y,
// x - left + t_x], for places in the image; and its tiles of 4x4 results.
#pragma once

#include <tenon/sdk/plugin/convolution.hpp>
#include <tenon/sdk/plugin/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tenon::cpu::winograd {

inline constexpr int kWindow = 3;                      // taps along a dimension
inline constexpr int kResults = 4;                     // results of a tile along a dimension
inline constexpr int kReach = kResults + kWindow - 1;  // places of a tile along a dimension
inline constexpr int kTaps = kWindow * kWindow;

// In elements.
struct Steps {
  int64_t image = 0;
  int64_t channel = 0;
  int64_t row = 0;
  int64_t column = 0;
};

struct TilePlace {
  int64_t from;  // where its first place is read, were it in the image
  int64_t to;    // its first result
  int64_t y, x;  // its first place
  int64_t rows;  // of its results that there are
  int64_t columns;
  bool is_inside;  // all places are, and lie beside each other
};

struct Problem {
  bool fits = false;  // 3x3, one group, side by side, in two dimensions
  int64_t images = 0;
  int64_t in = 0;  // channels of what is read
  int64_t out = 0;
  int64_t size[2] = {};   // rows and columns of what is read
  int64_t count[2] = {};  // of the result
  int64_t before[2] = {};
  bool is_adjoint = false;
  Steps from;
  Steps to;
  const float* x = nullptr;
  const float* weights = nullptr;
  const float* bias = nullptr;
  float* out_data = nullptr;

  int64_t tiles_down() const { return (count[0] + kResults - 1) / kResults; }
  int64_t tiles_across() const { return (count[1] + kResults - 1) / kResults; }
  int64_t tiles() const { return images * tiles_down() * tiles_across(); }
  bool inside(int64_t row, int64_t column) const {
    return row >= 0 && row < size[0] && column >= 0 && column < size[1];
  }

  TilePlace tile(int64_t number) const {
    const int64_t across = number % tiles_across() * kResults;
    const int64_t down = number / tiles_across() % tiles_down() * kResults;
    const int64_t image = number / tiles_across() / tiles_down();
    TilePlace tile{};
    tile.y = down - before[0];
    tile.x = across - before[1];
    tile.from = image * from.image + tile.y * from.row + tile.x * from.column;
    tile.to = image * to.image + down * to.row + across * to.column;
    tile.rows = std::min<int64_t>(kResults, count[0] - down);
    tile.columns = std::min<int64_t>(kResults, count[1] - across);
    tile.is_inside = from.column == 1 && inside(tile.y, tile.x) &&
                     inside(tile.y + kReach - 1, tile.x + kReach - 1);
    return tile;
  }

  // The nine weights of a row and a channel; an adjoint reads them the other way round.
  const float* weight(int64_t row, int64_t channel) const {
    return weights + (is_adjoint ? channel * out + row : row * in + channel) * kTaps;
  }
  int tap(int t) const { return is_adjoint ? kTaps - 1 - t : t; }

  // One result: channels and then taps ascending, what lies in the padding left out.
  float sum(int64_t row, const TilePlace& tile, int64_t y, int64_t column) const {
    float sum = 0;
    for (int64_t c = 0; c < in; ++c) {
      const float* const w = weight(row, c);
      for (int t = 0; t < kTaps; ++t) {
        const int64_t down = y + t / kWindow;
        const int64_t across = column + t % kWindow;
        if (!inside(tile.y + down, tile.x + across)) continue;
        const float place =
            x[tile.from + c * from.channel + down * from.row + across * from.column];
        sum = std::fma(w[tap(t)], place, sum);
      }
    }
    sum += 0.0f;
    return bias ? sum + bias[row] : sum;
  }
};

inline Steps steps_of(const tenon_view& view) {
  return {view.strides[0], view.strides[1], view.strides[2], view.strides[3]};
}

inline bool fits(const sdk::Convolution& conv) {
  if (conv.windows.rank() != 2 || conv.groups != 1) return false;
  for (size_t d = 0; d < 2; ++d) {
    const sdk::WindowAxis& axis = conv.windows[d];
    if (axis.taps != kWindow || axis.stride != 1 || axis.dilation != 1) return false;
  }
  return true;
}

// An adjoint reads dy: its windows are those of x, seen from the other side.
inline Problem problem_of(const sdk::Args& args, const sdk::Convolution& conv, bool is_adjoint) {
  Problem p;
  p.fits = fits(conv);
  if (!p.fits) return p;
  p.is_adjoint = is_adjoint;
  p.images = conv.images;
  p.in = conv.in;
  p.out = conv.out;
  if (is_adjoint) std::swap(p.in, p.out);
  for (size_t d = 0; d < 2; ++d) {
    const sdk::WindowAxis& axis = conv.windows[d];
    p.size[d] = is_adjoint ? axis.count : axis.size;
    p.count[d] = is_adjoint ? axis.size : axis.count;
    p.before[d] = is_adjoint ? kWindow - 1 - axis.before : axis.before;
  }
  p.from = steps_of(args.view(0));
  p.to = steps_of(args.out());
  return p;
}

inline Problem forward(const sdk::Args& args) {
  return problem_of(args, {args.shape(0), args.shape(1), args.attrs, 0}, false);
}
inline Problem adjoint(const sdk::Args& args) {
  constexpr uint32_t kOut = 2;  // after the two inputs
  return problem_of(args, {args.shape(kOut), args.shape(1), args.attrs, 1}, true);
}

inline tenon_status accepts(tenon_call* call, const Problem& p, uint32_t* out_accepts) {
  // Fewer do not pay for their transforms; many weights are to serve more tiles.
  constexpr int64_t kMinChannels = 32;
  constexpr int64_t kMinTiles = 16;
  constexpr int64_t kChannelsOfTile = 8;
  *out_accepts = 0;
  const auto decline = [&](const char* why) {
    return call->base->fail(call, TENON_E_SHAPE, why, TENON_NUL);
  };
  if (!p.fits) return decline("takes windows of 3x3 side by side, in one group, alone");
  if (std::min(p.in, p.out) < kMinChannels) return decline("takes 32 channels or more");
  if (p.tiles() < std::max(kMinTiles, std::max(p.in, p.out) / kChannelsOfTile)) {
    return decline("takes 16 tiles of 4x4 results or more, and one for 8 channels");
  }
  *out_accepts = 1;
  return TENON_OK;
}

}  // namespace tenon::cpu::winograd
