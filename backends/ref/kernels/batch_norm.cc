// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/batch_norm.cc: batch_norm and its gradient.
//
//   h  = d s,  y = h w + b,  s = 1 / sqrt(v + eps)
//   d  = x - m                                       where m and v of a channel are given
//   d  = (x - m) - mean(x - m),  v = mean d^2        else, with m = mean x: over all dimensions of
//                                                    x [N,C,...] but the second
//   dx = s w (c - h mean(c h)),  c = (dy - dy_0) - mean(dy - dy_0)    where m and v are those of x
//   dx = s w dy                                      where they are given
//   dw = sum dy h,  db = sum dy

#include <cmath>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

struct Statistics {
  double mean;
  double rest;  // what the rounding of a mean that is not given has left of it
  double variance;
  double scale;

  double centred(double x) const { return (x - mean) - rest; }
  double normalised(double x) const { return centred(x) * scale; }
};

template <class T>
double element(const char* address) {
  return static_cast<double>(sdk::load<T>(address));
}

// What belongs to one channel of x: all dimensions but the second.
class Channel {
 public:
  explicit Channel(std::span<const int64_t> x) {
    for (size_t d = 0; d < x.size(); ++d) {
      if (d != 1) shape_[rank_++] = x[d];
    }
  }

  double count() const { return static_cast<double>(sdk::count_of(shape())); }
  const char* first(int64_t c, const tenon_view& view) const { return of(c, view).data; }

  // Calls body(a, b, ...) with the addresses of each element of channel `c` of N operands, which
  // have the shape of x.
  template <class Body, class... View>
  void for_each(int64_t c, Body&& body, const View&... views) const {
    constexpr size_t kCount = sizeof...(View);
    sdk::walk<kCount>(shape(), {of(c, views)...}, [&](const sdk::Run<kCount>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        [&]<size_t... I>(std::index_sequence<I...>) { body((run.data[I] + i * run.step[I])...); }
        (std::make_index_sequence<kCount>());
      }
    });
  }

 private:
  std::span<const int64_t> shape() const { return {shape_.data(), rank_}; }
  sdk::Strided of(int64_t c, const tenon_view& view) const {
    const sdk::Strided whole = sdk::strided(view);
    sdk::Strided part{whole.data + c * whole.step[1], {}};
    part.step[0] = whole.step[0];
    for (size_t d = 1; d < rank_; ++d) part.step[d] = whole.step[d + 1];
    return part;
  }

  std::array<int64_t, TENON_MAX_RANK> shape_{};
  size_t rank_ = 0;
};

// The first number of channel `c`; 0 for one that is not finite, which leaves no difference.
template <class T>
double first_of(const Channel& channel, int64_t c, const tenon_view& view) {
  const double first = element<T>(channel.first(c, view));
  return std::isfinite(first) ? first : 0;
}

char* address_of(const tenon_view& view, int64_t c) {
  return static_cast<char*>(view.data) + c * view.strides[0] * sdk::size_of(view.dtype);
}

// Number `c` of an operand with one for each channel, `otherwise` where it is absent.
double number_of(const sdk::Launch& l, uint32_t slot, int64_t c, double otherwise) {
  if (!l.given(slot)) return otherwise;
  const tenon_view& view = l.view(slot);
  double number = 0;
  sdk::dispatch_dtype<sdk::FloatTypes>(
      view.dtype, [&]<class T>() { number = element<T>(address_of(view, c)); });
  return number;
}

void put_number(const sdk::Launch& l, uint32_t output, int64_t c, double number) {
  if (!l.wants_out(output)) return;
  const tenon_view& view = l.out(output);
  sdk::dispatch_dtype<sdk::FloatTypes>(
      view.dtype, [&]<class T>() { sdk::store(address_of(view, c), sdk::narrow<T>(number)); });
}

// Those of channel `c`. x is operand `x`; mean and variance are operands `given` and `given` + 1.
template <class T>
Statistics statistics(const sdk::Launch& l, const Channel& channel, int64_t c, uint32_t x,
                      uint32_t given) {
  const double mean = number_of(l, given, c, 0);
  Statistics known{mean, 0, number_of(l, given + 1, c, 0), 0};
  if (!l.given(given)) {
    channel.for_each(
        c, [&](char* at) { known.mean += element<T>(at); }, l.view(x));
    known.mean /= channel.count();
    double left = 0;
    channel.for_each(
        c, [&](char* at) { left += known.centred(element<T>(at)); }, l.view(x));
    known.rest = left / channel.count();
    channel.for_each(
        c,
        [&](char* at) {
          const double apart = known.centred(element<T>(at));
          known.variance += apart * apart;
        },
        l.view(x));
    known.variance /= channel.count();
  }
  known.scale = 1.0 / std::sqrt(known.variance + l.attrs.real(0));
  return known;
}

void forward(const sdk::Launch& l) {
  const Channel channel(l.shape(0));
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    for (int64_t c = 0; c < l.shape(0)[1]; ++c) {
      const Statistics known = statistics<T>(l, channel, c, 0, 3);
      const double weight = number_of(l, 1, c, 1.0);
      const double bias = number_of(l, 2, c, -0.0);  // leaves a zero's sign as it is
      channel.for_each(
          c,
          [&](char* x, char* y) {
            sdk::store(y, sdk::narrow<T>(known.normalised(element<T>(x)) * weight + bias));
          },
          l.view(0), l.out());
      put_number(l, 1, c, known.mean);
      put_number(l, 2, c, known.variance);
    }
  });
}

template <class T>
void channel_gradient(const sdk::Launch& l, const Channel& channel, int64_t c) {
  const bool is_given = l.given(3);
  const Statistics known = statistics<T>(l, channel, c, 1, 3);
  const double first = is_given ? 0 : first_of<T>(channel, c, l.view(0));
  double sum = 0;
  double rest = 0;
  channel.for_each(
      c,
      [&](char* dy) {
        sum += element<T>(dy);
        rest += element<T>(dy) - first;
      },
      l.view(0));
  rest = is_given ? 0 : rest / channel.count();
  double along = 0;
  channel.for_each(
      c,
      [&](char* dy, char* x) {
        along += ((element<T>(dy) - first) - rest) * known.normalised(element<T>(x));
      },
      l.view(0), l.view(1));
  const double share = is_given ? 0 : along / channel.count();
  const double factor = known.scale * number_of(l, 2, c, 1.0);
  channel.for_each(
      c,
      [&](char* dy, char* x, char* dx) {
        double slope = element<T>(dy);
        if (!is_given) slope = ((slope - first) - rest) - known.normalised(element<T>(x)) * share;
        sdk::store(dx, sdk::narrow<T>(factor * slope));
      },
      l.view(0), l.view(1), l.out());
  put_number(l, 1, c, along);
  put_number(l, 2, c, sum);
}

void backward(const sdk::Launch& l) {
  const Channel channel(l.shape(1));
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    for (int64_t c = 0; c < l.shape(1)[1]; ++c) channel_gradient<T>(l, channel, c);
  });
}

constexpr tenon_slot_rule in = sdk::strided_in();
constexpr tenon_slot_rule out = sdk::strided_out();
constexpr tenon_slot_rule slots[] = {in, in, in, in, in, out, out, out};

constexpr tenon_dtype kWides[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

constexpr auto rows = sdk::pairs(sdk::kFloats, kWides);

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.batch_norm", slots, rows, 1, sdk::launch_fn<forward>,
           {.flags = kOracle, .n_variables = 2}),
    kernel("tenon.batch_norm_grad", slots, rows, 1, sdk::launch_fn<backward>,
           {.flags = kOracle, .n_variables = 2}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(batch_norm) = {.kernels = tenon::ref::kernels};
