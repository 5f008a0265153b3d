// SPDX-License-Identifier: Apache-2.0
// core/data/order.cc: the order of an epoch's samples.
#include "core/data/order.h"

#include <algorithm>
#include <numeric>

#include "core/base/philox.h"

namespace tenon::data {
namespace {

using Samples = std::vector<int64_t>;

// Fisher and Yates, in Durstenfeld's form: `swap` puts place i and another one that is not after it
// in each other's place.
template <class Swap>
void shuffle_places(size_t count, base::Philox& random, Swap swap) {
  for (size_t i = count; i > 1; --i) swap(i - 1, static_cast<size_t>(random.below(i)));
}

// Sorts each pool of batches. What fills no batch stays where it is, so that chance chose it: were
// it sorted too, the longest samples would be those that TENON_LOADER_DROP_LAST leaves out.
void sort_pools(Samples& samples, int64_t batch, const Buckets& buckets) {
  const auto is_shorter = [&lengths = *buckets.lengths](int64_t a, int64_t b) {
    return lengths[static_cast<size_t>(a)] < lengths[static_cast<size_t>(b)];
  };
  const int64_t n_batches = static_cast<int64_t>(samples.size()) / batch;
  for (int64_t first = 0; first < n_batches;) {
    const int64_t count = std::min(buckets.pool, n_batches - first);
    const auto begin = samples.begin() + first * batch;
    std::stable_sort(begin, begin + count * batch, is_shorter);
    first += count;
  }
}

void shuffle_batches(Samples& samples, int64_t batch, base::Philox& random) {
  const size_t n_batches = samples.size() / static_cast<size_t>(batch);
  shuffle_places(n_batches, random, [&](size_t a, size_t b) {
    if (a == b) return;
    const auto begin = samples.begin();
    std::swap_ranges(begin + static_cast<int64_t>(a) * batch,
                     begin + static_cast<int64_t>(a + 1) * batch,
                     begin + static_cast<int64_t>(b) * batch);
  });
}

// Of each `share.of` batches in a row those that are ours; a last round that is not whole is
// nobody's.
Samples shared(const Samples& samples, int64_t batch, const Share& share) {
  Samples ours;
  const int64_t round = batch * share.of;
  const auto length = static_cast<int64_t>(samples.size());
  for (int64_t begin = 0; begin + round <= length; begin += round) {
    const auto first = samples.begin() + begin + share.first * batch;
    ours.insert(ours.end(), first, first + share.count * batch);
  }
  return ours;
}

}  // namespace

std::vector<int64_t> order_of(const Order& order, int64_t epoch, const Buckets& buckets,
                              const Share& share) {
  Samples samples(static_cast<size_t>(order.length));
  std::iota(samples.begin(), samples.end(), int64_t{0});
  // The constant ("loader" in ASCII) keeps these numbers apart from those that a context with the
  // same seed draws.
  base::Philox random{order.seed ^ 0x6C6F61646572u, static_cast<uint64_t>(epoch), 0};
  if (order.shuffle) {
    shuffle_places(samples.size(), random,
                   [&](size_t a, size_t b) { std::swap(samples[a], samples[b]); });
  }
  if (buckets.pool != 0) sort_pools(samples, order.batch, buckets);
  if (buckets.pool != 0 && order.shuffle) shuffle_batches(samples, order.batch, random);
  return share.is_all() ? samples : shared(samples, order.batch, share);
}

}  // namespace tenon::data
