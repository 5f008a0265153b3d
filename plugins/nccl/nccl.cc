// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/nccl.cc: the engine tenon.nccl: processes with a CUDA device each.
//
// What two processes send each other goes through NCCL, or by the wires if it is as short as what
// is told before each transfer. Collectives go through NCCL. Memory of the host goes through memory
// of the device there. Every transfer is waited for, in a stream of the engine's own: the host
// hands over memory that is ready.
#include <tenon/sdk/plugin/collective.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <algorithm>
#include <vector>

#include "communicator.h"
#include "place.h"
#include "wires.h"

namespace {

namespace sdk = tenon::sdk;
using namespace tenon::nccl;

// Both ends agree on it, since they agree on the size. What is told of a transfer is 104 bytes.
constexpr size_t kShort = 128;

DataType element_of(tenon_dtype dtype) {
  switch (dtype) {
    case TENON_DTYPE_U8:
      return kUint8;
    case TENON_DTYPE_I8:
      return kInt8;
    case TENON_DTYPE_I32:
      return kInt32;
    case TENON_DTYPE_I64:
      return kInt64;
    case TENON_DTYPE_F16:
      return kFloat16;
    case TENON_DTYPE_BF16:
      return kBfloat16;
    case TENON_DTYPE_F32:
      return kFloat32;
    case TENON_DTYPE_F64:
      return kFloat64;
    default:
      throw sdk::Failure{TENON_E_UNSUPPORTED, "NCCL has no sums of this dtype", "dtype",
                         "u8, i8, i32, i64, f16, bf16, f32 or f64", std::to_string(dtype)};
  }
}

bool pairs(const tenon_transfer_desc& what) { return what.collective <= TENON_COLLECTIVE_RECEIVE; }
bool sums(const tenon_transfer_desc& what) {
  return what.collective == TENON_COLLECTIVE_REDUCE_SCATTER ||
         what.collective == TENON_COLLECTIVE_ALL_REDUCE;
}

// Where one transfer's memory lies while it is under way.
struct Placed {
  const tenon_transfer_desc* what;
  uint8_t* done;
  size_t from_bytes = 0;
  size_t to_bytes = 0;
  const char* from = nullptr;  // on the device
  char* to = nullptr;
  bool from_host = false;
  bool to_host = false;
};

// What a group has in common with those that were split from it.
struct Session {
  explicit Session(const Place& place, const Deadline& deadline)
      : device(place), wires(place, deadline) {}

  Device device;
  Wires wires;
};

// What a process says when a group is split.
struct Wish {
  int32_t color, key;
};

class Engine {
 public:
  Engine(const sdk::Attrs& options, int64_t timeout) {
    const Deadline deadline(timeout);
    const Place place = place_of(options);
    nccl();
    session_ = std::make_shared<Session>(place, deadline);
    std::vector<int32_t> ranks;
    for (int32_t rank = 0; rank < place.size; ++rank) ranks.push_back(rank);
    join(std::move(ranks), place.rank, deadline);
  }
  Engine(std::shared_ptr<Session> session, std::vector<int32_t> ranks, int32_t rank,
         uint64_t number, const Deadline& deadline)
      : session_(std::move(session)), number_(number) {
    join(std::move(ranks), rank, deadline);
  }

  tenon_members members() const { return {comm_->rank(), comm_->size()}; }

  std::unique_ptr<Engine> split(int32_t color, int32_t key, int64_t timeout) {
    const Deadline deadline(timeout);
    const Wish ours{color, key};
    std::vector<Wish> wishes(comm_->ranks().size());
    tell_all(comm_->ranks(), comm_->rank(), ours, wishes, deadline);
    std::vector<int32_t> members;
    for (int32_t rank = 0; rank < comm_->size(); ++rank) {
      if (wishes[static_cast<size_t>(rank)].color == color) members.push_back(rank);
    }
    std::ranges::stable_sort(members, {},
                             [&](int32_t rank) { return wishes[static_cast<size_t>(rank)].key; });
    const auto own = std::ranges::find(members, comm_->rank()) - members.begin();
    for (int32_t& each : members) each = comm_->ranks()[static_cast<size_t>(each)];
    // The same in all of its processes, and another one than any group that shares two of them.
    const uint64_t number = (number_ * 0x9E3779B97F4A7C15U + ++splits_) * 0x9E3779B97F4A7C15U +
                            static_cast<uint32_t>(color);
    return std::make_unique<Engine>(session_, std::move(members), static_cast<int32_t>(own), number,
                                    deadline);
  }

  void run(std::span<const tenon_transfer_desc> transfers, int64_t timeout, uint8_t* done) {
    const Deadline deadline(timeout);
    session_->device.use();
    std::vector<Placed> far;
    std::vector<Placed> near;
    for (size_t i = 0; i < transfers.size(); ++i) {
      const tenon_transfer_desc& each = transfers[i];
      const bool is_short = pairs(each) && sdk::bytes_of(each, each.count) <= kShort;
      (is_short ? near : far).push_back({&each, &done[i]});
    }
    if (!near.empty()) run_short(near, deadline);
    if (far.empty()) return;
    begin(far);
    end(far, deadline);
  }

 private:
  // One process makes the id that NCCL joins the others by, and tells them.
  void join(std::vector<int32_t> ranks, int32_t rank, const Deadline& deadline) {
    UniqueId id{};
    if (rank == 0) id = Communicator::new_id();
    std::vector<Message> messages;
    if (rank != 0) messages.push_back({ranks[0], false, &id, sizeof id});
    for (size_t i = 1; rank == 0 && i < ranks.size(); ++i) {
      messages.push_back({ranks[i], true, &id, sizeof id});
    }
    session_->wires.exchange(messages, number_, deadline);
    comm_ = std::make_unique<Communicator>(session_->device, session_->wires, std::move(ranks),
                                           rank, id, deadline);
  }

  void tell_all(const std::vector<int32_t>& ranks, int32_t rank, Wish ours,
                std::vector<Wish>& wishes, const Deadline& deadline) {
    std::vector<Message> messages;
    for (size_t i = 0; i < ranks.size(); ++i) {
      if (static_cast<int32_t>(i) == rank) {
        wishes[i] = ours;
        continue;
      }
      messages.push_back({ranks[i], true, &ours, sizeof ours});
      messages.push_back({ranks[i], false, &wishes[i], sizeof ours});
    }
    session_->wires.exchange(messages, number_, deadline);
  }

  // ---- Short messages ---------------------------------------------------------------------------

  void run_short(std::span<Placed> all, const Deadline& deadline) {
    const Device& device = session_->device;
    std::vector<char> copies(all.size() * kShort);
    std::vector<Message> messages;
    std::vector<bool> on_device;
    for (size_t i = 0; i < all.size(); ++i) {
      const tenon_transfer_desc& what = *all[i].what;
      const bool sends = what.collective == TENON_COLLECTIVE_SEND;
      void* const memory = sends ? const_cast<void*>(what.from) : what.to;
      void* const copy = copies.data() + i * kShort;
      const size_t bytes = sdk::bytes_of(what, what.count);
      on_device.push_back(device.has(memory));
      if (on_device[i] && sends) copy_out(copy, memory, bytes, deadline);
      messages.push_back({comm_->ranks()[static_cast<size_t>(what.peer)], sends,
                          on_device[i] ? copy : memory, bytes});
    }
    const auto tell = [&] {
      for (size_t i = 0; i < all.size(); ++i) *all[i].done = messages[i].done ? 1 : 0;
    };
    try {
      session_->wires.exchange(messages, number_, deadline);
    } catch (...) {
      tell();
      throw;
    }
    for (size_t i = 0; i < all.size(); ++i) {
      if (messages[i].sends || !on_device[i]) continue;
      check(driver().copy_to_device(address(all[i].what->to), messages[i].data, messages[i].bytes,
                                    device.stream()),
            "cuMemcpyHtoDAsync");
      comm_->wait(deadline, "cuMemcpyHtoDAsync");
    }
    tell();
  }

  void copy_out(void* host, const void* memory, size_t bytes, const Deadline& deadline) {
    check(driver().copy_to_host(host, address(memory), bytes, session_->device.stream()),
          "cuMemcpyDtoHAsync");
    comm_->wait(deadline, "cuMemcpyDtoHAsync");
  }

  static DevicePointer address(const void* memory) {
    return reinterpret_cast<DevicePointer>(memory);
  }

  // ---- What goes through NCCL -------------------------------------------------------------------

  void begin(std::span<Placed> all) {
    place(all);
    for (const Placed& each : all) {
      if (!each.from_host) continue;
      check(driver().copy_to_device(address(each.from), each.what->from, each.from_bytes,
                                    session_->device.stream()),
            "cuMemcpyHtoDAsync");
    }
    if (pairs(*all[0].what)) {
      grouped([&](auto&& call) {
        for (const Placed& each : all) call_pair(each, call);
      });
    } else {
      run_all(all[0]);
    }
  }

  void end(std::span<Placed> all, const Deadline& deadline) {
    comm_->wait(deadline, "NCCL's transfer");
    for (const Placed& each : all) {
      if (each.to_host) copy_out(each.what->to, each.to, each.to_bytes, deadline);
      *each.done = 1;
    }
  }

  // Memory of the host has its place in memory of the device.
  void place(std::span<Placed> all) {
    Device& device = session_->device;
    const auto n = static_cast<size_t>(comm_->size());
    size_t total = 0;
    const auto padded = [](size_t bytes) { return (bytes + 255) / 256 * 256; };
    for (Placed& each : all) {
      const tenon_transfer_desc& what = *each.what;
      const size_t part = sdk::bytes_of(what, what.count);
      const bool rows = what.collective == TENON_COLLECTIVE_ALL_TO_ALL;
      const bool cut = rows || what.collective == TENON_COLLECTIVE_REDUCE_SCATTER;
      const bool joined = rows || what.collective == TENON_COLLECTIVE_ALL_GATHER;
      each.from_bytes = what.from ? part * (cut ? n : 1) : 0;
      each.to_bytes = what.to ? part * (joined ? n : 1) : 0;
      each.from_host = what.from && !device.has(what.from);
      each.to_host = what.to && !device.has(what.to);
      if (each.from_host) total += padded(each.from_bytes);
      if (each.to_host) total += padded(each.to_bytes);
    }
    char* next = total == 0 ? nullptr : device.scratch(total);
    for (Placed& each : all) {
      each.from = static_cast<const char*>(each.what->from);
      each.to = static_cast<char*>(each.what->to);
      if (each.from_host) each.from = std::exchange(next, next + padded(each.from_bytes));
      if (each.to_host) each.to = std::exchange(next, next + padded(each.to_bytes));
    }
  }

  // Calls of the body are one for NCCL. After a failure, too, the group is closed.
  template <class Body>
  void grouped(Body&& body) {
    comm_->check(nccl().group_start(), "ncclGroupStart");
    Result first = kSuccess;
    const char* failed = "";
    body([&](Result result, const char* function) {
      if (first != kSuccess || result == kSuccess || result == kInProgress) return;
      first = result;
      failed = function;
    });
    const Result ended = nccl().group_end();
    comm_->check(first, failed);
    comm_->check(ended, "ncclGroupEnd");
  }

  template <class Call>
  void call_pair(const Placed& each, Call&& call) {
    const int32_t peer = each.what->peer;
    const Stream stream = session_->device.stream();
    if (each.what->collective == TENON_COLLECTIVE_SEND) {
      call(nccl().send(each.from, each.from_bytes, kInt8, peer, *comm_, stream), "ncclSend");
    } else {
      call(nccl().recv(each.to, each.to_bytes, kInt8, peer, *comm_, stream), "ncclRecv");
    }
  }

  void run_all(const Placed& placed) {
    const tenon_transfer_desc& what = *placed.what;
    const auto count = static_cast<size_t>(what.count);
    const size_t part = sdk::bytes_of(what, what.count);
    const Stream stream = session_->device.stream();
    const DataType type = sums(what) ? element_of(what.dtype) : kInt8;
    switch (what.collective) {
      case TENON_COLLECTIVE_BROADCAST: {
        // Who has the data has nothing to receive.
        const void* const from = placed.from ? placed.from : placed.to;
        void* const to = placed.to ? placed.to : const_cast<char*>(placed.from);
        return comm_->check(nccl().broadcast(from, to, part, type, what.peer, *comm_, stream),
                            "ncclBroadcast");
      }
      case TENON_COLLECTIVE_ALL_GATHER:
        return comm_->check(nccl().all_gather(placed.from, placed.to, part, type, *comm_, stream),
                            "ncclAllGather");
      case TENON_COLLECTIVE_ALL_TO_ALL:
        return grouped([&](auto&& call) {
          for (int32_t peer = 0; peer < comm_->size(); ++peer) {
            const size_t at = static_cast<size_t>(peer) * part;
            call(nccl().send(placed.from + at, part, type, peer, *comm_, stream), "ncclSend");
            call(nccl().recv(placed.to + at, part, type, peer, *comm_, stream), "ncclRecv");
          }
        });
      case TENON_COLLECTIVE_REDUCE_SCATTER:
        return comm_->check(
            nccl().reduce_scatter(placed.from, placed.to, count, type, kSum, *comm_, stream),
            "ncclReduceScatter");
      case TENON_COLLECTIVE_ALL_REDUCE:
        return comm_->check(
            nccl().all_reduce(placed.from, placed.to, count, type, kSum, *comm_, stream),
            "ncclAllReduce");
      default:
        throw sdk::Failure{TENON_E_UNSUPPORTED, "there is no such collective", "collective",
                           "TENON_COLLECTIVE_SEND to ALL_REDUCE", std::to_string(what.collective)};
    }
  }

  std::shared_ptr<Session> session_;
  std::unique_ptr<Communicator> comm_;
  const uint64_t number_ = 1;  // of the group
  uint32_t splits_ = 0;
};

constexpr tenon_collective_desc engines[] = {sdk::collective<Engine>(
    {.name = "tenon.nccl",
     .doc = "Processes with a CUDA device each, over NVIDIA's NCCL (2.14 or later), started by "
            "`torchrun`, `mpirun` or `srun`. They meet at MASTER_ADDR:MASTER_PORT. Memory of the "
            "host goes through memory of the device. NCCL and the CUDA driver are opened when a "
            "process joins.",
     .devices = "host cuda",
     .sums = "u8 i8 i32 i64 f16 bf16 f32 f64",
     .options = kOptions})};

}  // namespace

TENON_UNIT(nccl) = {.collectives = engines};
