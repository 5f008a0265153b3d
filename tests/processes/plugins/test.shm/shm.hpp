// SPDX-License-Identifier: Apache-2.0
// tests/processes/plugins/test.shm/shm.hpp: processes of one machine, over shared memory. A stream
// of bytes leads from each process to each other one; everything is made of these. A process that
// is gone is seen by its pidfd.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <tenon/sdk/plugin/collective.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "narrow.hpp"

namespace tenon::tests {

namespace sdk = tenon::sdk;
using Clock = std::chrono::steady_clock;

constexpr int32_t kSlots = 80;
constexpr size_t kRing = size_t{1} << 17;

// One writer, one reader.
struct Ring {
  std::atomic<uint64_t> written;
  char pad_written[56];
  std::atomic<uint64_t> read;
  char pad_read[56];
  char bytes[kRing];
};

// Zeros when it is made.
struct Segment {
  std::atomic<int32_t> pids[kSlots];
  std::atomic<int32_t> left[kSlots];
  Ring rings[1];  // [size * size], of r to p at r * size + p
};

inline size_t segment_bytes(int32_t size) {
  return sizeof(Segment) + static_cast<size_t>(size) * static_cast<size_t>(size) * sizeof(Ring);
}

inline std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  if (value) return value;
  throw sdk::Failure{TENON_E_STATE, "the processes are not started by tests/processes/launch.py",
                     name, "a value in the environment", "none"};
}

// The segment and what is known of each process; shared by a group and what is split from it.
class World {
 public:
  explicit World(int64_t timeout)
      : World(environment("TEST_SHM_NAME"), std::stoi(environment("TEST_SHM_RANK")),
              std::stoi(environment("TEST_SHM_SIZE")), timeout) {}
  // stop  set by another thread, ends whatever waits
  World(const std::string& name, int32_t rank_of_this, int32_t size_of_all, int64_t timeout,
        const std::atomic<bool>* stop = nullptr)
      : rank(rank_of_this), size(size_of_all), stop_(stop) {
    const int file = shm_open(name.c_str(), O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, static_cast<off_t>(segment_bytes(size))) != 0) fail("shm_open");
    void* const memory =
        mmap(nullptr, segment_bytes(size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) fail("mmap");
    segment_ = static_cast<Segment*>(memory);
    segment_->pids[rank].store(getpid());
    meet(timeout);
    if (rank == 0) shm_unlink(name.c_str());
  }
  ~World() {
    segment_->left[rank].store(1);
    for (const int each : pidfds_) {
      if (each >= 0) close(each);
    }
    munmap(segment_, segment_bytes(size));
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void check_stop() const {
    if (stop_ && stop_->load()) throw sdk::Failure{TENON_E_STATE, "it was stopped"};
  }

  Ring& ring(int32_t from, int32_t to) { return segment_->rings[from * size + to]; }

  bool is_there(int32_t which) {
    pollfd asked{pidfds_[static_cast<size_t>(which)], POLLIN, 0};
    return poll(&asked, 1, 0) != 1 && segment_->left[which].load() == 0;
  }
  [[noreturn]] void refuse_gone(int32_t which) {
    const bool left = segment_->left[which].load() != 0;
    throw sdk::Failure{TENON_E_PEER,
                       "rank " + std::to_string(which) + (left ? " has left" : " is gone"),
                       "rank " + std::to_string(which), "a process that takes part",
                       left ? "one that has released its group"
                            : "process " + std::to_string(segment_->pids[which].load()) + " ended"};
  }

  const int32_t rank;
  const int32_t size;

 private:
  [[noreturn]] static void fail(const char* function) {
    throw sdk::Failure{TENON_E_IO, std::string(function) + ": " + std::strerror(errno), function};
  }

  void meet(int64_t timeout) {
    const auto end = Clock::now() + std::chrono::milliseconds(timeout);
    for (int32_t each = 0; each < size; ++each) {
      while (segment_->pids[each].load() == 0) {
        if (Clock::now() >= end) {
          throw sdk::Failure{TENON_E_TIMEOUT,
                             "rank " + std::to_string(each) + " has not joined within " +
                                 std::to_string(timeout) + " ms",
                             "rank " + std::to_string(each)};
        }
        check_stop();
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
      pidfds_.push_back(static_cast<int>(syscall(SYS_pidfd_open, segment_->pids[each].load(), 0)));
    }
    // Those that are gone already have no pidfd; poll tells nothing of -1.
    for (int32_t each = 0; each < size; ++each) {
      if (pidfds_[static_cast<size_t>(each)] < 0) segment_->left[each].store(1);
    }
  }

  const std::atomic<bool>* stop_;
  Segment* segment_ = nullptr;
  std::vector<int> pidfds_;
};

// One stream's share of a transfer.
struct Piece {
  int32_t peer;  // in the world
  bool sends;
  char* data;
  size_t bytes;
  size_t moved = 0;
  size_t transfer = 0;  // to which it belongs
};

class Shm {
 public:
  Shm(const sdk::Attrs&, int64_t timeout) : Shm(std::make_shared<World>(timeout)) {}
  explicit Shm(std::shared_ptr<World> world) : world_(std::move(world)) {
    for (int32_t rank = 0; rank < world_->size; ++rank) ranks_.push_back(rank);
    rank_ = world_->rank;
  }
  Shm(std::shared_ptr<World> world, std::vector<int32_t> ranks, int32_t rank)
      : world_(std::move(world)), ranks_(std::move(ranks)), rank_(rank) {}

  tenon_members members() const { return {rank_, size()}; }

  std::unique_ptr<Shm> split(int32_t color, int32_t key, int64_t timeout) {
    struct Wish {
      int32_t color, key, rank;
    };
    const Wish mine{color, key, rank_};
    std::vector<Wish> all(ranks_.size());
    uint8_t done = 0;
    const tenon_transfer_desc gather{
        TENON_COLLECTIVE_ALL_GATHER, 0, {}, TENON_DTYPE_U8, 0, sizeof(Wish), &mine, all.data()};
    run({&gather, 1}, timeout, &done);
    std::erase_if(all, [&](const Wish& each) { return each.color != color; });
    std::ranges::stable_sort(all, {}, &Wish::key);
    std::vector<int32_t> ranks;
    int32_t rank = 0;
    for (const Wish& each : all) {
      if (each.rank == rank_) rank = static_cast<int32_t>(ranks.size());
      ranks.push_back(ranks_[static_cast<size_t>(each.rank)]);
    }
    return std::make_unique<Shm>(world_, ranks, rank);
  }

  void run(std::span<const tenon_transfer_desc> transfers, int64_t timeout, uint8_t* done) {
    const tenon_transfer_desc& first = transfers[0];
    if (first.collective == TENON_COLLECTIVE_ALL_REDUCE ||
        first.collective == TENON_COLLECTIVE_REDUCE_SCATTER) {
      sum(first, timeout);
      done[0] = 1;
      return;
    }
    std::vector<Piece> pieces;
    for (size_t i = 0; i < transfers.size(); ++i) cut(transfers[i], i, pieces);
    std::vector<size_t> left(transfers.size());
    for (const Piece& piece : pieces) ++left[piece.transfer];
    for (size_t i = 0; i < transfers.size(); ++i) done[i] = left[i] == 0 ? 1 : 0;
    move(pieces, left, timeout, done);
  }

 private:
  int32_t size() const { return static_cast<int32_t>(ranks_.size()); }

  void cut(const tenon_transfer_desc& what, size_t number, std::vector<Piece>& pieces) const {
    const size_t bytes = sdk::bytes_of(what, what.count);
    char* const from = static_cast<char*>(const_cast<void*>(what.from));
    char* const to = static_cast<char*>(what.to);
    const auto add = [&](int32_t peer, bool sends, char* data) {
      pieces.push_back({ranks_[static_cast<size_t>(peer)], sends, data, bytes, 0, number});
    };
    if (what.collective == TENON_COLLECTIVE_SEND) return add(what.peer, true, from);
    if (what.collective == TENON_COLLECTIVE_RECEIVE) return add(what.peer, false, to);
    const bool broadcast = what.collective == TENON_COLLECTIVE_BROADCAST;
    if (broadcast && what.peer != rank_) return add(what.peer, false, to);
    const bool each_its_own = what.collective == TENON_COLLECTIVE_ALL_TO_ALL;
    for (int32_t peer = 0; peer < size(); ++peer) {
      char* const part = each_its_own ? from + static_cast<size_t>(peer) * bytes : from;
      if (peer != rank_) {
        add(peer, true, part);
        if (!broadcast) add(peer, false, to + static_cast<size_t>(peer) * bytes);
      } else if (!broadcast) {
        std::memcpy(to + static_cast<size_t>(peer) * bytes, part, bytes);
      }
    }
  }

  // Pieces of one stream move one after the other.
  void move(std::vector<Piece>& pieces, std::vector<size_t>& left, int64_t timeout, uint8_t* done) {
    const auto end = Clock::now() + std::chrono::milliseconds(timeout);
    size_t open = pieces.size();
    for (uint32_t idle = 0; open != 0; ++idle) {
      std::vector<bool> busy(2 * static_cast<size_t>(world_->size));
      for (Piece& piece : pieces) {
        if (piece.moved == piece.bytes && piece.peer < 0) continue;
        const auto stream = 2 * static_cast<size_t>(piece.peer) + (piece.sends ? 1 : 0);
        if (busy[stream]) continue;
        if (step(piece)) idle = 0;
        if (piece.moved != piece.bytes) {
          busy[stream] = true;
          continue;
        }
        piece.peer = -1;
        --open;
        if (--left[piece.transfer] == 0) done[piece.transfer] = 1;
      }
      if (open != 0 && idle > 100) look(pieces, end, timeout);
    }
  }

  // True if something has moved.
  bool step(Piece& piece) {
    Ring& ring = piece.sends ? world_->ring(world_->rank, piece.peer)
                             : world_->ring(piece.peer, world_->rank);
    const uint64_t written = ring.written.load(std::memory_order_acquire);
    const uint64_t read = ring.read.load(std::memory_order_acquire);
    const uint64_t room = piece.sends ? kRing - (written - read) : written - read;
    const size_t place = (piece.sends ? written : read) % kRing;
    const size_t bytes =
        std::min({piece.bytes - piece.moved, static_cast<size_t>(room), kRing - place});
    if (bytes == 0) return false;
    if (piece.sends) {
      std::memcpy(ring.bytes + place, piece.data + piece.moved, bytes);
      ring.written.store(written + bytes, std::memory_order_release);
    } else {
      std::memcpy(piece.data + piece.moved, ring.bytes + place, bytes);
      ring.read.store(read + bytes, std::memory_order_release);
    }
    piece.moved += bytes;
    return true;
  }

  // Nothing moves: is somebody gone, or the time over?
  void look(const std::vector<Piece>& pieces, Clock::time_point end, int64_t timeout) {
    if (Clock::now() >= end) {
      throw sdk::Failure{TENON_E_TIMEOUT, "not done within " + std::to_string(timeout) + " ms",
                         "transfer"};
    }
    world_->check_stop();
    for (const Piece& piece : pieces) {
      if (piece.peer < 0) continue;
      if (world_->is_there(piece.peer)) continue;
      // What a process has sent before it left is still read; asked after it was seen to be gone.
      const Ring& ring = world_->ring(piece.peer, world_->rank);
      if (!piece.sends && ring.written.load() != ring.read.load()) continue;
      world_->refuse_gone(piece.peer);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }

  template <class Number>
  void sum_as(const tenon_transfer_desc& what, int64_t timeout) {
    const bool all = what.collective == TENON_COLLECTIVE_ALL_REDUCE;
    const auto count = static_cast<size_t>(what.count);
    std::vector<Number> parts(count * ranks_.size());
    tenon_transfer_desc gather = what;
    gather.collective = all ? TENON_COLLECTIVE_ALL_GATHER : TENON_COLLECTIVE_ALL_TO_ALL;
    gather.to = parts.data();
    uint8_t done = 0;
    run({&gather, 1}, timeout, &done);
    auto* const to = static_cast<Number*>(what.to);
    // From the last to the first: not the order of canonical sums.
    for (size_t i = 0; i < count; ++i) {
      Number sum = parts[(ranks_.size() - 1) * count + i];
      for (size_t rank = ranks_.size() - 1; rank-- > 0;) {
        if constexpr (std::is_integral_v<Number>) {
          sum = static_cast<Number>(sum + parts[rank * count + i]);
        } else {
          sum += parts[rank * count + i];
        }
      }
      to[i] = sum;
    }
  }

  void sum(const tenon_transfer_desc& what, int64_t timeout) {
    if (what.dtype == TENON_DTYPE_U8) return sum_as<uint8_t>(what, timeout);
    if (what.dtype == TENON_DTYPE_I8) return sum_as<int8_t>(what, timeout);
    if (what.dtype == TENON_DTYPE_I32) return sum_as<int32_t>(what, timeout);
    if (what.dtype == TENON_DTYPE_F16) return sum_as<F16>(what, timeout);
    if (what.dtype == TENON_DTYPE_BF16) return sum_as<Bf16>(what, timeout);
    if (what.dtype == TENON_DTYPE_F32) return sum_as<float>(what, timeout);
    if (what.dtype == TENON_DTYPE_F64) return sum_as<double>(what, timeout);
    return sum_as<int64_t>(what, timeout);
  }

  std::shared_ptr<World> world_;
  std::vector<int32_t> ranks_;  // in the world, of each process of the group
  int32_t rank_ = 0;
};

}  // namespace tenon::tests
