// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/random_values.cc: dropout, bernoulli, random_integers, by the Philox words
// of tenon_rng.
//
// u(i) in [0,1): the top 24 bits of word i; of f64 the top 53 bits of words 2i (high) and 2i+1.
// dropout: u(i) >= p ? x s : 0.   bernoulli: u(i) < p, each p in [0,1].
// random_integers: low + the upper 64 bits of w(i) (high - low), w(i) words 2i (high) and 2i+1.

#include "vectors.h"

#include <tenon/sdk/plugin/probability.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/random_values.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The lanes of D that a piece of n numbers fills from i on, and how an operand's are moved.
template <class D>
struct Lanes {
  int64_t i, n;

  HWY_INLINE bool whole() const { return i + static_cast<int64_t>(hn::Lanes(D())) <= n; }
  template <class T>
  HWY_INLINE auto get(const char* from) const {
    const char* const first = from + i * int64_t{sizeof(T)};
    return whole() ? load<T>(D(), first) : load_first<T>(D(), first, static_cast<size_t>(n - i));
  }
  template <class T, class V>
  HWY_INLINE void put(V value, char* to) const {
    char* const first = to + i * int64_t{sizeof(T)};
    if (whole()) return store<T>(D(), value, first);
    store_first<T>(D(), value, first, static_cast<size_t>(n - i));
  }
};

template <class T>
const char* bytes_at(const void* data, int64_t i) {
  return static_cast<const char*>(data) + i * int64_t{sizeof(T)};
}
template <class T>
char* bytes_at(void* data, int64_t i) {
  return static_cast<char*>(data) + i * int64_t{sizeof(T)};
}

// ---- dropout ------------------------------------------------------------------------------------

// Lanes of D whose word's top 24 bits are `least` or more.
template <class D>
HWY_INLINE auto at_least(D d, const uint32_t* words, int32_t least) {
  const hn::Rebind<uint32_t, D> du;
  const hn::Rebind<int32_t, D> di;
  const auto top = hn::BitCast(di, hn::ShiftRight<8>(hn::LoadU(du, words)));
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::RebindMask(d, hn::Not(hn::Lt(top, hn::Set(di, least))));
  } else {
    const hn::RebindToSigned<D> wide;
    const auto number = hn::PromoteTo(wide, top);
    return hn::RebindMask(d, hn::Not(hn::Lt(number, hn::Set(wide, int64_t{least}))));
  }
}

enum Dropout : uint32_t { kP, kDropoutAttributes };

template <class T>
void dropout_typed(const sdk::Launch& l) {
  using C = Number<T>;
  using D = hn::ScalableTag<C>;
  const double p = l.attrs.real(kP);
  const auto scale = static_cast<C>(1.0 / (1.0 - p));
  const auto least = static_cast<int32_t>(std::ceil(p * 0x1p24));
  const bool wants_kept = l.wants_out(1);
  const void* const from = l.view(0).data;
  void* const to = l.out().data;
  void* const kept = wants_kept ? l.out(1).data : nullptr;
  const int64_t count = sdk::count_of(sdk::shape_of(l.out()));
  for_words<1>(l, count, [=](const uint32_t* words, int64_t first, int64_t n) HWY_ATTR {
    const D d;
    for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d))) {
      const Lanes<D> lanes{i, n};
      const auto x = lanes.template get<T>(bytes_at<T>(from, first));
      const auto keep = at_least(d, words + i, least);
      const auto y = hn::IfThenElseZero(keep, hn::Mul(x, hn::Set(d, scale)));
      lanes.template put<T>(y, bytes_at<T>(to, first));
      if (kept) lanes.template put<sdk::Bool>(keep, bytes_at<sdk::Bool>(kept, first));
    }
  });
}

// ---- bernoulli ----------------------------------------------------------------------------------

// u of as many numbers as D has lanes.
template <class D>
HWY_INLINE auto units(D d, const uint32_t* words) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const hn::Rebind<uint32_t, D> du;
    const hn::Rebind<int32_t, D> di;
    const auto top = hn::BitCast(di, hn::ShiftRight<8>(hn::LoadU(du, words)));
    return hn::Mul(hn::ConvertTo(d, top), hn::Set(d, 0x1p-24f));
  } else {
    const hn::Rebind<uint64_t, D> du;
    const hn::Rebind<int64_t, D> di;
    const auto swapped = hn::LoadU(du, reinterpret_cast<const uint64_t*>(words));
    const auto both = hn::Or(hn::ShiftLeft<32>(swapped), hn::ShiftRight<32>(swapped));
    const auto top = hn::BitCast(di, hn::ShiftRight<11>(both));
    return hn::Mul(hn::ConvertTo(d, top), hn::Set(d, 0x1p-53));
  }
}

template <class T>
bool are_probabilities(const sdk::Launch& l, int64_t count) {
  using D = hn::ScalableTag<Number<T>>;
  const void* const from = l.view(0).data;
  std::atomic<bool> all{true};
  l.parallel_for(count, sdk::kElementwiseGrain, [&](int64_t begin, int64_t end) HWY_ATTR {
    const D d;
    const auto step = static_cast<int64_t>(hn::Lanes(d));
    for (int64_t i = begin; i < end; i += step) {
      const Lanes<D> lanes{i, end};
      const auto p = lanes.template get<T>(static_cast<const char*>(from));
      const auto inside = hn::And(hn::Ge(p, hn::Zero(d)), hn::Le(p, hn::Set(d, Number<T>(1))));
      const auto other = hn::Not(hn::FirstN(d, static_cast<size_t>(std::min(step, end - i))));
      if (!hn::AllTrue(d, hn::Or(inside, other))) all = false;
    }
  });
  return all;
}

template <class T>
void bernoulli_typed(const sdk::Launch& l) {
  using C = Number<T>;
  using D = hn::ScalableTag<C>;
  constexpr int64_t kWords = sizeof(C) / sizeof(uint32_t);
  const void* const from = l.view(0).data;
  void* const to = l.out().data;
  const int64_t count = sdk::count_of(sdk::shape_of(l.out()));
  if (!are_probabilities<T>(l, count)) sdk::check_probabilities(l.view(0), "p");
  for_words<kWords>(l, count, [=](const uint32_t* words, int64_t first, int64_t n) HWY_ATTR {
    const D d;
    for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d))) {
      const Lanes<D> lanes{i, n};
      const auto p = lanes.template get<T>(bytes_at<T>(from, first));
      const auto one = hn::Lt(units(d, words + i * kWords), p);
      lanes.template put<T>(hn::IfThenElseZero(one, hn::Set(d, C(1))), bytes_at<T>(to, first));
    }
  });
}

// ---- random_integers ----------------------------------------------------------------------------

enum Integers : uint32_t { kShape, kLow, kHigh, kDtype, kIntegersAttributes };

// The upper 64 bits of the product of two words, high one first, with n.
HWY_INLINE uint64_t upper_product(const uint32_t* words, uint64_t n) {
  const uint64_t lower = n & 0xFFFFFFFFu;
  const uint64_t upper = n >> 32;
  const uint64_t first = words[0] * lower + (words[1] * lower >> 32);
  const uint64_t second = words[1] * upper + (first & 0xFFFFFFFFu);
  return words[0] * upper + (first >> 32) + (second >> 32);
}
// The same of as many as D has lanes, with an n of 32 bits.
template <class D>
HWY_INLINE auto upper_products(D d, const uint32_t* words, uint32_t n) {
  const hn::Repartition<uint32_t, D> d32;
  const auto swapped = hn::LoadU(d, reinterpret_cast<const uint64_t*>(words));
  const auto times = hn::Set(d32, n);
  const auto high = hn::MulEven(hn::BitCast(d32, swapped), times);
  const auto low = hn::MulEven(hn::BitCast(d32, hn::ShiftRight<32>(swapped)), times);
  return hn::ShiftRight<32>(hn::Add(high, hn::ShiftRight<32>(low)));
}

template <class T>
void integers_typed(const sdk::Launch& l) {
  using D = hn::ScalableTag<uint64_t>;
  using U = std::make_unsigned_t<T>;
  const auto low = static_cast<uint64_t>(l.attrs.integer(kLow));
  const uint64_t n_values = static_cast<uint64_t>(l.attrs.integer(kHigh)) - low;
  const bool is_narrow = n_values >> 32 == 0;
  U* const to = l.out_data<U>();
  const int64_t count = sdk::count_of(sdk::shape_of(l.out()));
  for_words<2>(l, count, [=](const uint32_t* words, int64_t first, int64_t n) HWY_ATTR {
    const D d;
    const hn::Rebind<U, D> narrow;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t i = 0;
    for (; is_narrow && i + lanes <= n; i += lanes) {
      const auto value = upper_products(d, words + 2 * i, static_cast<uint32_t>(n_values));
      const auto sum = hn::Add(value, hn::Set(d, low));
      if constexpr (sizeof(U) == 8) {
        hn::StoreU(sum, d, to + first + i);
      } else {
        hn::StoreU(hn::TruncateTo(narrow, sum), narrow, to + first + i);
      }
    }
    for (; i < n; ++i) to[first + i] = static_cast<U>(low + upper_product(words + 2 * i, n_values));
  });
}

// ---- Kernels of many dtypes ---------------------------------------------------------------------

void dropout(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() HWY_ATTR { dropout_typed<T>(l); });
}
void bernoulli(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() HWY_ATTR { bernoulli_typed<T>(l); });
}
void random_integers(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::IntegerTypes>(l.out().dtype,
                                         [&]<class T>() HWY_ATTR { integers_typed<T>(l); });
}

constexpr tenon_slot_rule generator_slots[] = {sdk::contiguous_out()};
constexpr tenon_slot_rule map_slots[] = {sdk::contiguous_in(), sdk::contiguous_out()};
constexpr tenon_slot_rule dropout_slots[] = {sdk::contiguous_in(), sdk::contiguous_out(),
                                             sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.dropout", dropout_slots, sdk::kFloats, kDropoutAttributes,
           sdk::launch_fn<dropout>),
    kernel("tenon.bernoulli", map_slots, sdk::kFloats, 0, sdk::launch_fn<bernoulli>),
    kernel("tenon.random_integers", generator_slots, sdk::kIntegers, kIntegersAttributes,
           sdk::launch_fn<random_integers>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> random_values_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(random_values) = {.chosen_kernels = TENON_CPU_CHOOSE(random_values_kernels)};
#endif
