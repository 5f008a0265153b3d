// SPDX-License-Identifier: Apache-2.0
// core/data/order.h: which samples of an epoch come when: shuffled or not, in batches of similar
// length or not, all of them or one process's share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tenon::data {

// Which of `of` batches in a row are this loader's.
struct Share {
  int64_t first = 0;
  int64_t count = 1;
  int64_t of = 1;

  bool is_all() const { return of == 1; }
};

// Which samples are in one batch: those of similar length among `pool` batches.
struct Buckets {
  int64_t pool = 0;                                     // batches; 0: none
  std::shared_ptr<const std::vector<int64_t>> lengths;  // of all samples, in their own order
};

struct Order {
  int64_t length;  // samples
  int64_t batch;
  uint64_t seed;
  bool shuffle;
};

// The samples of an epoch, one after the other.
std::vector<int64_t> order_of(const Order& order, int64_t epoch, const Buckets& buckets,
                              const Share& share);

}  // namespace tenon::data
