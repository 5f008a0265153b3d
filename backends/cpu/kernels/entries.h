// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/entries.h: elements of a line in order. An element becomes an unsigned key
// that ascends as wanted, and with its place an entry; no two entries are equal, so that every way
// of sorting them gives the one stable order. NaN is larger than any number.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/geometry.h"

namespace tenon::cpu {

template <size_t Bytes>
using Unsigned = std::conditional_t<
    Bytes == 1, uint8_t,
    std::conditional_t<Bytes == 2, uint16_t, std::conditional_t<Bytes == 4, uint32_t, uint64_t>>>;

// A number that is smaller where x comes first, of ascending elements; `flip` has all bits where
// they descend. Zeros of either sign share one, NaNs share the last.
template <class T>
uint64_t key_of(T x, uint64_t flip) {
  using K = Unsigned<sizeof(T)>;
  constexpr K sign = K(K{1} << (sizeof(T) * 8 - 1));
  K key{};
  if constexpr (std::is_same_v<T, sdk::Bool>) {
    key = x ? 1 : 0;
  } else if constexpr (sdk::is_float_type<T>) {
    std::memcpy(&key, &x, sizeof key);
    if (x == T(0)) key = 0;
    key = key & sign ? K(~key) : K(key | sign);
    if (x != x) {  // NOLINT(misc-redundant-expression)
      key = std::numeric_limits<K>::max();
    }
  } else if constexpr (std::is_signed_v<T>) {
    key = K(K(x) ^ sign);
  } else {
    key = x;
  }
  return K(key ^ flip);
}

// Key and place: in one word where both fit into halves of it, else in two.
struct Short {
  uint64_t word;

  static Short of(uint64_t key, int64_t place) {
    return {key << 32 | static_cast<uint64_t>(place)};
  }
  uint64_t key() const { return word >> 32; }
  int64_t place() const { return static_cast<int64_t>(word & 0xFFFFFFFF); }
  bool operator<(const Short& other) const { return word < other.word; }
};
struct Long {
  uint64_t first;
  int64_t second;

  static Long of(uint64_t key, int64_t place) { return {key, place}; }
  uint64_t key() const { return first; }
  int64_t place() const { return second; }
  bool operator<(const Long& other) const {
    return first != other.first ? first < other.first : second < other.second;
  }
};

template <class F>
void dispatch_entry(tenon_dtype dtype, int64_t length, F&& body) {
  if (sdk::size_of(dtype) <= 4 && length <= int64_t{1} << 32) {
    return body.template operator()<Short>();
  }
  body.template operator()<Long>();
}

inline constexpr int64_t kLongLine = 256;  // from here on digits are faster

// Sorts `entries` by keys of `Bytes` bytes; those of one key already have ascending places.
template <size_t Bytes, class Entry>
void sort_by_digits(Entry* entries, Entry* other, int64_t count) {
  int64_t starts[Bytes][256] = {};
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t key = entries[i].key();
    for (size_t digit = 0; digit < Bytes; ++digit) ++starts[digit][key >> (8 * digit) & 0xFF];
  }
  Entry* from = entries;
  Entry* to = other;
  for (size_t digit = 0; digit < Bytes; ++digit) {
    int64_t* start = starts[digit];
    if (start[from[0].key() >> (8 * digit) & 0xFF] == count) continue;
    int64_t sum = 0;
    for (int64_t* each = start; each < start + 256; ++each) sum += std::exchange(*each, sum);
    for (int64_t i = 0; i < count; ++i) {
      to[start[from[i].key() >> (8 * digit) & 0xFF]++] = from[i];
    }
    std::swap(from, to);
  }
  if (from != entries) std::copy_n(from, count, entries);
}

// All bits where elements descend.
constexpr uint64_t flip_of(bool descending) { return descending ? ~uint64_t{0} : 0; }

// ---- The first of a line ------------------------------------------------------------------------

// Entries that are held before all but the k first are dropped.
inline int64_t held_entries(int64_t length, int64_t k) { return std::min(length, 2 * k + 128); }

// All but the k first are dropped. Returns the key from which on others come too late.
template <class Entry>
[[gnu::noinline]] uint64_t drop_last(Entry* held, int64_t k, int64_t count) {
  std::nth_element(held, held + (k - 1), held + count);
  return held[k - 1].key();
}

// Finds the k > 0 first entries of a line, whose keys are key(0), key(1), ..., and perhaps some
// more, with a bar that falls (as a heap's top, without the heap). Returns how many are in `held`,
// which has held_entries. A later element of an equal key has the larger entry, so it never
// displaces an earlier one.
template <class Entry, class Key>
int64_t hold_first(int64_t length, int64_t k, Entry* held, const Key& key) {
  const int64_t room = held_entries(length, k);
  uint64_t bar = 0;  // keys from here on come too late
  bool barred = false;
  int64_t count = 0;
  for (int64_t i = 0; i < length; ++i) {
    const uint64_t own = key(i);
    if (barred && own >= bar) continue;
    held[count++] = Entry::of(own, i);
    if (count < room || i + 1 == length) continue;
    bar = drop_last(held, k, count);
    barred = true;
    count = k;
  }
  return count;
}

}  // namespace tenon::cpu
