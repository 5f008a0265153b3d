// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/pool.cc: max_pool, avg_pool, adaptive_avg_pool and the gradients of
// averages.
//
//   max_pool        y[w] = max over taps t of x[w stride - padding + t dilation]
//   avg_pool        y[w] = (sum over t of x[w stride - padding + t]) / count(w);  adaptive:
//   likewise avg_pool_grad   y[p] = sum over windows w that hold p of dy[w] / count(w); adaptive:
//   likewise
// Each output is folded from a box of inputs, in row-major order, in f32 or f64 (16-bit floats:
// f32). Outputs with boxes of one size are taken side by side: neighbours in a row, if their boxes
// lie one or two elements apart; neighbouring channels, if their elements lie next to each other;
// else eight images. So each output has the same bits, whoever stands beside it.

#include "kernels/pool.h"

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool.cc"  // NOLINT(bugprone-suspicious-include)
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

constexpr int64_t kTogether = 8;  // images

// ---- Outputs side by side -----------------------------------------------------------------------

// Elements of type In become outputs of type Out; both are computed with as C.
// A vector of outputs, whose inputs lie next to each other or, kSecond, with one element between.
template <class In, class Out, bool kSecond>
class Vectors {
 public:
  using C = Number<Out>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  using DI = hn::RebindToSigned<D>;
  using I = hn::TFromD<DI>;
  struct Best {
    V value;
    hn::Vec<DI> place;
  };

  HWY_INLINE static int64_t count() { return static_cast<int64_t>(hn::Lanes(D())); }
  HWY_INLINE static V set(C value) { return hn::Set(D(), value); }
  HWY_INLINE static V add(V a, V b) { return hn::Add(a, b); }
  HWY_INLINE static V divided(V a, C by) { return hn::Div(a, hn::Set(D(), by)); }
  HWY_INLINE V get(const char* at) const {
    if constexpr (!kSecond) {
      return load<In>(D(), at);
    } else {
      // The last element of the first half is the first of the second: none after it is touched.
      const auto lanes = count();
      const V low = load<In>(D(), at);
      const V high = load<In>(D(), at + (lanes - 1) * int64_t{sizeof(In)});
      const V both = hn::OddEven(high, low);
      return hn::TableLookupLanes(both, hn::IndicesFromVec(D(), every_second()));
    }
  }
  HWY_INLINE static void put(V value, char* to, int64_t step) {
    if (step == int64_t{sizeof(Out)}) return store<Out>(D(), value, to);
    HWY_ALIGN Bits<Out> each[hn::MaxLanes(D())];
    store<Out>(D(), value, reinterpret_cast<char*>(each));
    for (int64_t i = 0; i < count(); ++i) sdk::store(to + i * step, each[i]);
  }

  HWY_INLINE static Best first(V value) { return {value, hn::Zero(DI())}; }
  template <bool kPlaces>
  HWY_INLINE static void meet(Best& best, V value, int64_t place) {
    const auto larger = hn::AndNot(hn::IsNaN(best.value), hn::Not(hn::Le(value, best.value)));
    best.value = hn::IfThenElse(larger, value, best.value);
    if constexpr (kPlaces) {
      const auto here = hn::Set(DI(), static_cast<I>(place));
      best.place = hn::IfThenElse(hn::RebindMask(DI(), larger), here, best.place);
    }
  }
  // The places are counted from `place`, and `next` more from one output to the next.
  HWY_INLINE static void put_places(const Best& best, int64_t place, int64_t next, char* to,
                                    int64_t step) {
    HWY_ALIGN I each[hn::MaxLanes(DI())];
    hn::Store(best.place, DI(), each);
    for (int64_t i = 0; i < count(); ++i) {
      sdk::store<int64_t>(to + i * step, place + i * next + each[i]);
    }
  }

 private:
  // The even lanes, then the odd ones.
  HWY_INLINE static hn::Vec<DI> every_second() {
    const DI d;
    const auto lanes = hn::Set(d, static_cast<I>(count()));
    const auto twice = hn::Add(hn::Iota(d, 0), hn::Iota(d, 0));
    const auto odd = hn::Sub(hn::Add(twice, hn::Set(d, I{1})), lanes);
    return hn::IfThenElse(hn::Lt(twice, lanes), twice, odd);
  }
};

// kCount outputs whose inputs lie anywhere, `step` bytes apart. Each is named by a constant, or the
// compiler would keep them in memory.
template <class In, class Out, int64_t kCount>
class Several {
 public:
  using C = Number<Out>;
  using V = std::array<C, kCount>;
  struct Best {
    V value;
    std::array<int64_t, kCount> place;
  };

  explicit Several(int64_t step) : step_(step) {}
  HWY_INLINE static V set(C value) {
    return made([&](auto) HWY_ATTR { return value; });
  }
  HWY_INLINE static V add(const V& a, const V& b) {
    return made([&](auto i) HWY_ATTR { return a[i] + b[i]; });
  }
  HWY_INLINE static V divided(const V& a, C by) {
    return made([&](auto i) HWY_ATTR { return a[i] / by; });
  }
  HWY_INLINE V get(const char* at) const {
    return made([&](auto i) HWY_ATTR {
      return static_cast<C>(sdk::load<In>(at + static_cast<int64_t>(i) * step_));
    });
  }
  HWY_INLINE static void put(const V& value, char* to, int64_t step) {
    each([&](auto i) HWY_ATTR {
      sdk::store(to + static_cast<int64_t>(i) * step, sdk::narrow<Out>(value[i]));
    });
  }

  HWY_INLINE static Best first(const V& value) { return {value, {}}; }
  template <bool kPlaces>
  HWY_INLINE static void meet(Best& best, const V& value, int64_t place) {
    each([&](auto i) HWY_ATTR {
      const bool smaller = value[i] <= best.value[i];
      if (smaller || best.value[i] != best.value[i]) return;
      best.value[i] = value[i];
      if constexpr (kPlaces) best.place[i] = place;
    });
  }
  HWY_INLINE static void put_places(const Best& best, int64_t place, int64_t next, char* to,
                                    int64_t step) {
    for (int64_t i = 0; i < kCount; ++i) {
      sdk::store<int64_t>(to + i * step, place + i * next + best.place[i]);
    }
  }

 private:
  template <class Body, size_t... I>
  HWY_INLINE static void each_of(const Body& body, std::index_sequence<I...>) {
    (body(std::integral_constant<size_t, I>()), ...);
  }
  template <class Body>
  HWY_INLINE static void each(const Body& body) {
    each_of(body, std::make_index_sequence<kCount>());
  }
  template <class Body>
  HWY_INLINE static V made(const Body& body) {
    V all;
    each([&](auto i) HWY_ATTR { all[i] = body(i); });
    return all;
  }

  int64_t step_;
};

// ---- Folds --------------------------------------------------------------------------------------

// The first of the outputs that are computed side by side, and the way to the next of them.
struct At {
  const char* in;
  char* out;
  int64_t out_step = 0;
  char* positions = nullptr;
  int64_t position_step = 0;
  int64_t next_place = 0;
};
using Boxes = std::array<const Box*, kAxes>;

// Calls body(input, its place in the box) for the taps of a box, in row-major order.
template <class Body>
HWY_INLINE void for_each_tap(const Plan& plan, const Boxes& boxes, const char* in,
                             const Body& body) {
  const auto& [a, b, c] = plan.axes;
  for (int64_t i = 0; i < boxes[0]->taps; ++i) {
    for (int64_t j = 0; j < boxes[1]->taps; ++j) {
      const char* at = in + i * a.step + j * b.step;
      int64_t place = i * a.places + j * b.places;
      for (int64_t k = 0; k < boxes[2]->taps; ++k, at += c.step, place += c.places) body(at, place);
    }
  }
}

int64_t taps_of(const Boxes& boxes) { return boxes[0]->taps * boxes[1]->taps * boxes[2]->taps; }

template <bool kDivides>
struct Sum {
  template <class Lanes>
  HWY_INLINE void operator()(const Lanes& lanes, const Plan& plan, const Boxes& boxes,
                             const At& at) const {
    using C = typename Lanes::C;
    auto sum = lanes.set(C{});
    for_each_tap(plan, boxes, at.in,
                 [&](const char* in, int64_t) HWY_ATTR { sum = lanes.add(sum, lanes.get(in)); });
    if (kDivides && taps_of(boxes) > 0) {
      sum = lanes.divided(
          sum, static_cast<C>(boxes[0]->counted * boxes[1]->counted * boxes[2]->counted));
    }
    lanes.put(sum, at.out, at.out_step);
  }
};

template <bool kPlaces>
struct Most {
  template <class Lanes>
  HWY_INLINE void operator()(const Lanes& lanes, const Plan& plan, const Boxes& boxes,
                             const At& at) const {
    const bool any = taps_of(boxes) > 0;
    // The first tap meets itself, which changes nothing.
    auto best = Lanes::first(any ? lanes.get(at.in) : lanes.set(lowest<typename Lanes::C>()));
    for_each_tap(plan, boxes, at.in, [&](const char* in, int64_t place) HWY_ATTR {
      Lanes::template meet<kPlaces>(best, lanes.get(in), place);
    });
    lanes.put(best.value, at.out, at.out_step);
    if constexpr (kPlaces) {
      const int64_t place = boxes[0]->place + boxes[1]->place + boxes[2]->place;
      Lanes::put_places(best, any ? place : -1, any ? at.next_place : 0, at.positions,
                        at.position_step);
    }
  }
};

// ---- All outputs --------------------------------------------------------------------------------

enum class Side { Rows, Channels, Images };

template <class In, class Out>
Side side_of(const Plan& plan, int64_t places) {
  if constexpr (std::is_floating_point_v<Number<Out>>) {
    constexpr int64_t in = sizeof(In), out = sizeof(Out);
    const int64_t lanes = Vectors<In, Out, false>::count();
    // Places within a box are counted in a lane of the numbers' size.
    if (places > std::numeric_limits<int32_t>::max()) return Side::Images;
    if (plan.in.channel == in && plan.out.channel == out && plan.channels >= lanes) {
      return Side::Channels;
    }
    for (const Row& row : plan.rows) {
      const bool near = row.step == in || row.step == 2 * in;
      if (near && plan.out.step[2] == out && row.count >= lanes) return Side::Rows;
    }
  }
  return Side::Images;
}

// Computes outputs of one row of a plan.
template <class In, class Out, class Fold>
class RowOf {
 public:
  RowOf(const Plan& plan, const Fold& fold, int64_t batch, int64_t channel, int64_t i, int64_t j)
      : plan_(plan), fold_(fold), boxes_{&plan.axes[0].boxes[i], &plan.axes[1].boxes[j], nullptr} {
    const auto start = [&](const Images& images) {
      return images.data + batch * images.batch + channel * images.channel;
    };
    in_ = start(plan.in) + boxes_[0]->offset + boxes_[1]->offset;
    out_ = start(plan.out) + i * plan.out.step[0] + j * plan.out.step[1];
    if (!plan.has_positions) return;
    positions_ = start(plan.positions) + i * plan.positions.step[0] + j * plan.positions.step[1];
  }

  // Outputs beside each other, one image.
  HWY_NOINLINE void rows() {
    for (const Row& row : plan_.rows) {
      int64_t done = 0;
      if (row.step == int64_t{sizeof(In)}) {
        done = whole(Vectors<In, Out, false>(), row);
      } else if (row.step == 2 * int64_t{sizeof(In)}) {
        done = whole(Vectors<In, Out, true>(), row);
      }
      for (; done < row.count; ++done) {
        fold(Several<In, Out, 1>(0), row.begin + done * row.apart, 0, 0, 0);
      }
    }
  }
  // All channels, which lie next to each other.
  HWY_NOINLINE void channels() {
    const Vectors<In, Out, false> lanes;
    const int64_t last = plan_.channels - lanes.count();
    for (int64_t i = 0; i < count(); ++i) {
      // The last vector may overlap the one before.
      for (int64_t c = 0; c < last; c += lanes.count()) fold_channels(lanes, i, c);
      fold_channels(lanes, i, last);
    }
  }
  // The same output of kCount images.
  template <int64_t kCount>
  HWY_NOINLINE void images() {
    const Several<In, Out, kCount> lanes(plan_.in.channel);
    for (int64_t i = 0; i < count(); ++i) {
      fold(lanes, i, plan_.out.channel, plan_.positions.channel, 0);
    }
  }

 private:
  int64_t count() const { return static_cast<int64_t>(plan_.axes[2].boxes.size()); }

  // Whole vectors of outputs, the last of which may overlap the one before; how many these are.
  template <class Lanes>
  HWY_INLINE int64_t whole(const Lanes& lanes, const Row& row) {
    const int64_t last = row.count - lanes.count();
    if (last < 0) return 0;
    const int64_t out_step = row.apart * plan_.out.step[2];
    const int64_t step = row.apart * plan_.positions.step[2];
    for (int64_t i = 0; i < last; i += lanes.count()) {
      fold(lanes, row.begin + i * row.apart, out_step, step, row.places);
    }
    fold(lanes, row.begin + last * row.apart, out_step, step, row.places);
    return row.count;
  }

  template <class Lanes>
  HWY_INLINE void fold(const Lanes& lanes, int64_t i, int64_t out_step, int64_t position_step,
                       int64_t next_place) {
    boxes_[2] = &plan_.axes[2].boxes[i];
    fold_(lanes, plan_, boxes_,
          At{in_ + boxes_[2]->offset, out_ + i * plan_.out.step[2], out_step,
             positions_ + i * plan_.positions.step[2], position_step, next_place});
  }
  template <class Lanes>
  HWY_INLINE void fold_channels(const Lanes& lanes, int64_t i, int64_t c) {
    boxes_[2] = &plan_.axes[2].boxes[i];
    fold_(lanes, plan_, boxes_,
          At{in_ + boxes_[2]->offset + c * int64_t{sizeof(In)},
             out_ + i * plan_.out.step[2] + c * int64_t{sizeof(Out)}, int64_t{sizeof(Out)},
             positions_ + i * plan_.positions.step[2] + c * plan_.positions.channel,
             plan_.positions.channel, 0});
  }

  const Plan& plan_;
  const Fold& fold_;
  Boxes boxes_;
  const char* in_;
  char* out_;
  char* positions_ = nullptr;
};

int64_t most_taps(const Axis& axis) {
  int64_t most = 1;
  for (const Box& box : axis.boxes) most = std::max(most, box.taps);
  return most;
}

template <class In, class Out, class Fold>
HWY_NOINLINE void fold_all(const sdk::Launch& l, Plan& plan, int64_t places, int64_t apart,
                           const Fold& fold) {
  plan.merge();
  plan.find_rows(apart);
  const Side side = side_of<In, Out>(plan, places);
  const int64_t at_once = side == Side::Rows ? 1 : side == Side::Images ? kTogether : plan.channels;
  const int64_t groups = (plan.channels + at_once - 1) / at_once;
  const auto size = [&](size_t d) { return static_cast<int64_t>(plan.axes[d].boxes.size()); };
  int64_t work = size(2) * std::min(at_once, plan.channels);
  for (const Axis& axis : plan.axes) work *= most_taps(axis);
  const int64_t grain =
      std::max<int64_t>(1, 2 * sdk::kElementwiseGrain / std::max<int64_t>(work, 1));
  l.parallel_for(plan.batches * groups * size(0) * size(1), grain,
                 [&](int64_t begin, int64_t end) HWY_ATTR {
                   for (int64_t at = begin; at < end; ++at) {
                     const int64_t j = at % size(1);
                     const int64_t i = at / size(1) % size(0);
                     const int64_t group = at / (size(1) * size(0));
                     const int64_t batch = group / groups;
                     const int64_t channel = group % groups * at_once;
                     const auto row = [&](int64_t c) {
                       return RowOf<In, Out, Fold>(plan, fold, batch, c, i, j);
                     };
                     if constexpr (std::is_floating_point_v<Number<Out>>) {
                       if (side == Side::Rows) row(channel).rows();
                       if (side == Side::Channels) row(channel).channels();
                     }
                     if (side != Side::Images) continue;
                     if (channel + kTogether <= plan.channels) {
                       row(channel).template images<kTogether>();
                     } else {
                       for (int64_t c = channel; c < plan.channels; ++c)
                         row(c).template images<1>();
                     }
                   }
                 });
}

// ---- Largest ------------------------------------------------------------------------------------

void max_pool(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const sdk::Windows windows = sdk::max_pool_windows(l.shape(0).subspan(kFirst), l.attrs);
  const Steps3 sizes = sizes_of(x);
  const Images in(x);
  const Steps3 places{sizes[1] * sizes[2], sizes[2], 1};
  Plan plan = plan_of(l, in, sizes, [&](size_t d, int64_t i) {
    const sdk::WindowAxis axis = axis_of(windows, d);
    const sdk::Steps taps = axis.taps_inside(i);
    const int64_t place = axis.place(i, taps.begin);
    return Box{place * in.step[d], taps.count(), 1, place * places[d]};
  });
  for (size_t d = 0; d < kAxes; ++d) {
    plan.axes[d].step *= axis_of(windows, d).dilation;
    plan.axes[d].places *= axis_of(windows, d).dilation;
  }
  plan.has_positions = l.wants_out(1);
  if (plan.has_positions) plan.positions = Images(l.out(1));
  sdk::dispatch_dtype<sdk::NumberTypes>(x.dtype, [&]<class T>() HWY_ATTR {
    if (plan.has_positions) {
      fold_all<T, T>(l, plan, product(sizes), 1, Most<true>());
    } else {
      fold_all<T, T>(l, plan, product(sizes), 1, Most<false>());
    }
  });
}

// ---- Averages -----------------------------------------------------------------------------------

void average(const sdk::Launch& l, const auto& averages) {
  const Images in(l.view(0));
  Plan plan = plan_of(l, in, sizes_of(l.view(0)), [&](size_t d, int64_t i) {
    const Averaged own = averages(d, i);
    return Box{own.places.begin * in.step[d], own.places.count(), own.counted, 0};
  });
  sdk::dispatch_dtype<sdk::FloatTypes>(
      l.out().dtype, [&]<class T>() HWY_ATTR { fold_all<T, T>(l, plan, 0, 1, Sum<true>()); });
}

// out[i] = in[i] / by, or in[i] / (by counts[i]); `out` is packed.
template <class T, class C = Number<T>>
HWY_NOINLINE void divide(const char* in, int64_t step, C by, int64_t n, const C* counts,
                         char* out) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto* to = reinterpret_cast<C*>(out);
  const auto all = hn::Set(d, by);
  int64_t i = 0;
  for (; step == int64_t{sizeof(T)} && i + lanes <= n; i += lanes) {
    const auto count = counts == nullptr ? all : hn::Mul(all, hn::LoadU(d, counts + i));
    hn::StoreU(hn::Div(load<T>(d, in + i * step), count), d, to + i);
  }
  for (; i < n; ++i) {
    const C count = counts == nullptr ? by : by * counts[i];
    to[i] = static_cast<C>(sdk::load<T>(in + i * step)) / count;
  }
}

void spread(const sdk::Launch& l, const auto& averages) {
  const Steps3 windows = sizes_of(l.view(0));
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() HWY_ATTR {
    char* memory = reinterpret_cast<char*>(l.scratch().data()) + bytes_of_boxes(l.out());
    const Images shares = shares_of<T>(l, memory, averages, divide<T>);
    Plan plan = plan_of(l, shares, windows, [&](size_t d, int64_t place) {
      const sdk::Steps holding = averages.holding(d, place);
      return Box{holding.begin * shares.step[d], holding.count(), 1, 0};
    });
    fold_all<Number<T>, T>(l, plan, 0, averages.apart(), Sum<false>());
  });
}

uint64_t box_bytes(const sdk::Args& args) { return bytes_of_boxes(args.out()); }
uint64_t box_and_share_bytes(const sdk::Args& args) {
  return bytes_of_boxes(args.out()) + bytes_of_shares(args);
}

void avg_pool(const sdk::Launch& l) { average(l, SlidAverages(l, l.view(0), 0)); }
void avg_pool_grad(const sdk::Launch& l) { spread(l, SlidAverages(l, l.out(), 1)); }
void adaptive_avg_pool(const sdk::Launch& l) { average(l, AdaptiveAverages(l.view(0), l.out())); }
void adaptive_avg_pool_grad(const sdk::Launch& l) {
  spread(l, AdaptiveAverages(l.out(), l.view(0)));
}

constexpr tenon_slot_rule max_slots[] = {any_in(), any_out(), any_out()};
constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr KernelMore kBoxes{.workspace = sdk::workspace_fn<box_bytes>};
constexpr KernelMore kBoxesAndShares{.workspace = sdk::workspace_fn<box_and_share_bytes>};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.max_pool", max_slots, sdk::kNumbers, sdk::kMaxPoolAttributes,
           sdk::launch_fn<max_pool>, kBoxes),
    kernel("tenon.avg_pool", slots, sdk::kFloats, sdk::kAvgPoolAttributes, sdk::launch_fn<avg_pool>,
           kBoxes),
    kernel("tenon.avg_pool_grad", slots, sdk::kFloats, 1 + sdk::kAvgPoolAttributes,
           sdk::launch_fn<avg_pool_grad>, kBoxesAndShares),
    kernel("tenon.adaptive_avg_pool", slots, sdk::kFloats, 1, sdk::launch_fn<adaptive_avg_pool>,
           kBoxes),
    kernel("tenon.adaptive_avg_pool_grad", slots, sdk::kFloats, 1,
           sdk::launch_fn<adaptive_avg_pool_grad>, kBoxesAndShares),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> pool_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(pool) = {.chosen_kernels = TENON_CPU_CHOOSE(pool_kernels)};
#endif
