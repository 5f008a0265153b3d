// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/frame.h: where sweeps find the places of their images: where they are, or in
// copies with zeros around them.
//
// In a copy, windows that follow each other along the last dimension read elements that do so, too:
// with a stride s, a row has first the places 0, s, 2s, ..., then 1, s + 1, ... (its phases).
#pragma once

#include "conv/geometry.h"

namespace tenon::cpu::conv {

struct Frame {
  bool copies = false;
  std::array<int64_t, kRank> first{};        // the place of element 0
  std::array<int64_t, kRank> size{1, 1, 1};  // places
  int64_t phases = 1;                        // of the last dimension
  Steps steps;                               // `place`: within a phase

  int64_t phase_size() const { return phases == 1 ? size[2] : over(size[2], phases); }

  int64_t offset(int64_t z, int64_t y, int64_t x) const {
    const int64_t column = x - first[2];
    return (z - first[0]) * steps.place[0] + (y - first[1]) * steps.place[1] +
           (column % phases * phase_size() + column / phases) * steps.place[2];
  }
  // Where the taps of window 0 read.
  void set_taps(const Sweep& s, int64_t* to) const {
    for (int64_t z = 0; z < s.axes[0].taps; ++z) {
      for (int64_t y = 0; y < s.axes[1].taps; ++y) {
        for (int64_t x = 0; x < s.axes[2].taps; ++x) {
          *to++ = offset(s.axes[0].place(0, z), s.axes[1].place(0, y), s.axes[2].place(0, x));
        }
      }
    }
  }
  // From a window to the next.
  int64_t window_step(const Sweep& s, size_t d) const {
    return (d == kRank - 1 ? s.axes[d].step / phases : s.axes[d].step) * steps.place[d];
  }
};

// Places that the windows of a sweep reach, which are [begin, end) along dimension d.
inline Range reach(const Axis& a) {
  const int64_t last = (a.taps - 1) * a.tap_step;
  return {a.first + std::min<int64_t>(last, 0),
          a.first + std::max<int64_t>(last, 0) + (a.count - 1) * a.step + 1};
}

// Do later windows read later elements, a row's all after those of the row before?
inline bool ascends(const Sweep& s) {
  int64_t end = s.axes[2].size;
  for (const size_t d : {size_t{1}, size_t{0}}) {
    if (s.axes[d].count > 1 && s.from.place[d] < end) return false;
    end += (s.axes[d].size - 1) * s.from.place[d];
  }
  return s.images <= 1 || s.from.image >= end;
}

// Of sweeps over the same images. `splits_rows`: windows that follow each other are to read
// elements that do; `copies`: whatever they read.
template <class Sweeps>
Frame frame_of(const Sweeps& sweeps, bool splits_rows, bool copies) {
  Frame frame;
  frame.copies = copies;
  bool found = false;
  std::array<Range, kRank> all{};
  for (int64_t i = 0; i < sweeps.count(); ++i) {
    const Sweep s = sweeps.sweep(i);
    if (s.taps() == 0 || s.is_empty()) continue;
    const bool in_place = s.axes[2].step * s.from.place[2] == 1 && ascends(s);
    frame.copies |= s.has_padding() || (splits_rows && !in_place);
    for (size_t d = 0; d < kRank; ++d) {
      const Range own = reach(s.axes[d]);
      all[d] =
          found ? Range{std::min(all[d].begin, own.begin), std::max(all[d].end, own.end)} : own;
    }
    found = true;
    if (splits_rows) frame.phases = s.axes[2].step;  // the same in each
  }
  const Sweep& any = sweeps.all;
  if (!frame.copies) {
    frame.phases = 1;
    frame.steps = any.from;
    return frame;
  }
  for (size_t d = 0; d < kRank; ++d) {
    frame.first[d] = all[d].begin;
    frame.size[d] = std::max<int64_t>(all[d].end - all[d].begin, 1);
  }
  frame.steps = packed_steps(any.groups * any.channels,
                             {frame.size[0], frame.size[1], frame.phase_size() * frame.phases});
  return frame;
}

}  // namespace tenon::cpu::conv
