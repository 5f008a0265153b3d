// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/conv.cc: conv and the two ops of its gradient.
//
// In all three an element of the result is a sum of products of the other two tensors: over
// channels or images, and over those places of both that meet, which along one dimension follow
// from one number: the window, the place in the image or the tap that the element belongs to.

#include <tenon/sdk/plugin/convolution.hpp>

#include <utility>
#include <vector>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

using sdk::Convolution;
using sdk::WindowAxis;
constexpr int64_t kGrainProducts = 65536;  // multiplications worth handing to another thread

// Places of two operands that meet, in bytes from their first.
struct Meeting {
  int64_t first = 0;
  int64_t second = 0;
};
// All that belong to each number along one dimension.
using Meetings = std::vector<std::vector<Meeting>>;

// `meet(axis, number, add)` calls add(index in the first operand, index in the second).
template <class Meet>
std::array<Meetings, 3> meetings(const Convolution& conv, std::span<const int64_t> result,
                                 const sdk::Strided& first, const sdk::Strided& second,
                                 const Meet& meet) {
  // Dimensions that are not there have one place, where the operands meet.
  std::array<Meetings, 3> all;
  for (Meetings& axis : all) axis = {{Meeting{}}};
  for (size_t d = 0; d < conv.windows.rank(); ++d) {
    all[d].assign(static_cast<size_t>(result[d + 2]), {});
    for (size_t number = 0; number < all[d].size(); ++number) {
      meet(conv.windows[d], static_cast<int64_t>(number), [&](int64_t a, int64_t b) {
        all[d][number].push_back({a * first.step[d + 2], b * second.step[d + 2]});
      });
    }
  }
  return all;
}

// What is added up beside the places: from one term to the next, in bytes.
struct Terms {
  int64_t count;
  int64_t first_step;
  int64_t second_step;
};

template <class T>
sdk::Wide<T> sum(const char* first, const char* second, const Terms& terms,
                 const std::vector<Meeting>& outer, const std::vector<Meeting>& middle,
                 const std::vector<Meeting>& inner) {
  using W = sdk::Wide<T>;
  W sum = 0;
  for (int64_t term = 0; term < terms.count; ++term) {
    for (const Meeting& i : outer) {
      for (const Meeting& j : middle) {
        const char* a = first + i.first + j.first;
        const char* b = second + i.second + j.second;
        for (const Meeting& k : inner) {
          sum += static_cast<W>(sdk::load<T>(a + k.first)) *
                 static_cast<W>(sdk::load<T>(b + k.second));
        }
      }
    }
    first += terms.first_step;
    second += terms.second_step;
  }
  return sum;
}

// Each element (a, b, ...) of the result is the sum over `terms` from `begin(a, b)` on, plus
// `more(b)`.
template <class T, class Begin, class More>
void each_sum(const sdk::Launch& l, const std::array<Meetings, 3>& meetings, const Terms& terms,
              const Begin& begin, const More& more) {
  const sdk::Strided out = sdk::strided(l.out());
  const auto rank = static_cast<size_t>(l.out().rank);
  const int64_t columns = l.out().shape[1];
  const auto step = [&](size_t d) { return d + 2 < rank ? out.step[d + 2] : 0; };
  const auto products =
      static_cast<int64_t>(meetings[0].size() * meetings[1].size() * meetings[2].size()) *
      std::max<int64_t>(terms.count, 1);
  const int64_t grain = std::max<int64_t>(kGrainProducts / std::max<int64_t>(products, 1), 1);
  l.parallel_for(l.out().shape[0] * columns, grain, [&](int64_t from, int64_t to) {
    for (int64_t at = from; at < to; ++at) {
      const int64_t a = at / columns, b = at % columns;
      const std::pair<const char*, const char*> operands = begin(a, b);
      char* const line = out.data + a * out.step[0] + b * out.step[1];
      for (size_t i = 0; i < meetings[0].size(); ++i) {
        for (size_t j = 0; j < meetings[1].size(); ++j) {
          for (size_t k = 0; k < meetings[2].size(); ++k) {
            const auto total = sum<T>(operands.first, operands.second, terms, meetings[0][i],
                                      meetings[1][j], meetings[2][k]);
            sdk::store(line + static_cast<int64_t>(i) * step(0) +
                           static_cast<int64_t>(j) * step(1) + static_cast<int64_t>(k) * step(2),
                       sdk::narrow<T>(more(b, total)));
          }
        }
      }
    }
  });
}

void conv(const sdk::Launch& l) {
  const Convolution conv(l.shape(0), l.shape(1), l.attrs, 0);
  const sdk::Strided x = sdk::strided(l.view(0));
  const sdk::Strided weight = sdk::strided(l.view(1));
  const auto met = meetings(conv, sdk::shape_of(l.out()), x, weight,
                            [](const WindowAxis& axis, int64_t window, const auto& add) {
                              const sdk::Steps taps = axis.taps_inside(window);
                              for (int64_t tap = taps.begin; tap < taps.end; ++tap) {
                                add(axis.place(window, tap), tap);
                              }
                            });
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    const bool has_bias = l.given(2);
    const sdk::Strided bias = has_bias ? sdk::strided(l.view(2)) : sdk::Strided{};
    each_sum<T>(
        l, met, {conv.in, x.step[1], weight.step[1]},
        [&](int64_t image, int64_t o) {
          const int64_t channel = o / conv.out * conv.in;
          return std::pair<const char*, const char*>(
              x.data + image * x.step[0] + channel * x.step[1], weight.data + o * weight.step[0]);
        },
        [&](int64_t o, sdk::Wide<T> sum) {
          if (!has_bias) return sum;
          return sum + static_cast<sdk::Wide<T>>(sdk::load<T>(bias.data + o * bias.step[0]));
        });
  });
}

const auto kNoMore = [](int64_t, auto sum) { return sum; };

void input_grad(const sdk::Launch& l) {
  const Convolution conv(sdk::shape_of(l.out()), l.shape(1), l.attrs, 1);
  const sdk::Strided dy = sdk::strided(l.view(0));
  const sdk::Strided weight = sdk::strided(l.view(1));
  const auto met = meetings(conv, sdk::shape_of(l.out()), dy, weight,
                            [](const WindowAxis& axis, int64_t place, const auto& add) {
                              for (int64_t tap = 0; tap < axis.taps; ++tap) {
                                const int64_t from_first = place - axis.place(0, tap);
                                const int64_t window = from_first / axis.stride;
                                if (from_first < 0 || from_first % axis.stride != 0) continue;
                                if (window < axis.count) add(window, tap);
                              }
                            });
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    each_sum<T>(
        l, met, {conv.out, dy.step[1], weight.step[0]},
        [&](int64_t image, int64_t channel) {
          const int64_t o = channel / conv.in * conv.out;
          return std::pair<const char*, const char*>(
              dy.data + image * dy.step[0] + o * dy.step[1],
              weight.data + o * weight.step[0] + channel % conv.in * weight.step[1]);
        },
        kNoMore);
  });
}

void weight_grad(const sdk::Launch& l) {
  const Convolution conv(l.shape(1), sdk::shape_of(l.out()), l.attrs, 1);
  const sdk::Strided dy = sdk::strided(l.view(0));
  const sdk::Strided x = sdk::strided(l.view(1));
  const auto met = meetings(conv, sdk::shape_of(l.out()), dy, x,
                            [](const WindowAxis& axis, int64_t tap, const auto& add) {
                              const sdk::Steps windows = axis.windows_inside(tap);
                              for (int64_t at = windows.begin; at < windows.end; ++at) {
                                add(at, axis.place(at, tap));
                              }
                            });
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    each_sum<T>(
        l, met, {conv.images, dy.step[0], x.step[0]},
        [&](int64_t o, int64_t c) {
          const int64_t channel = o / conv.out * conv.in + c;
          return std::pair<const char*, const char*>(dy.data + o * dy.step[1],
                                                     x.data + channel * x.step[1]);
        },
        kNoMore);
  });
}

constexpr tenon_slot_rule conv_slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_in(),
                                          sdk::strided_out()};
constexpr tenon_slot_rule grad_slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.conv", conv_slots, sdk::kNumbers, sdk::kConvAttributes, sdk::launch_fn<conv>,
           {.flags = kOracle}),
    kernel("tenon.conv_input_grad", grad_slots, sdk::kNumbers, 1 + sdk::kConvAttributes,
           sdk::launch_fn<input_grad>, {.flags = kOracle}),
    kernel("tenon.conv_weight_grad", grad_slots, sdk::kNumbers, 1 + sdk::kConvAttributes,
           sdk::launch_fn<weight_grad>, {.flags = kOracle}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(conv) = {.kernels = tenon::ref::kernels};
