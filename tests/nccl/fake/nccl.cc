// SPDX-License-Identifier: Apache-2.0
// tests/nccl/fake/nccl.cc: what tenon.nccl calls of NCCL, for processes of one machine, over the
// shared memory of test.shm.
//
// It is as strict as NCCL is, where that would hang or crash: a communicator that is still being
// made, memory of the host, a thread without a context are refused. TEST_NCCL_FAULT makes it fail:
//   old            it is NCCL 2.10.3
//   init_fails     two processes have one device; init_hangs: communicators are never made
//   send_fails, gather_fails   these calls fail; never_done: what was begun does not end
//   async_error    what was begun fails while it is under way
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "plugins/nccl/vendor.h"
#include "streams.h"
#include "tests/processes/plugins/test.shm/shm.hpp"

namespace tenon::nccl {

using namespace tenon::tests;

struct OpaqueComm {
  std::atomic<Result> state{kInProgress};
  std::atomic<bool> stop{false};
  std::atomic<int> open{0};  // groups of calls that are under way
  std::atomic<bool> finalized{false};
  int rank = 0;
  int size = 0;
  std::unique_ptr<Shm> shm;
  std::thread making;
};

namespace {

constexpr Result kSystemError = 2;
constexpr Result kInvalidArgument = 4;
constexpr Result kInvalidUsage = 5;
constexpr int64_t kForever = 3'600'000;

// One call.
struct Call {
  Comm comm;
  fake::Stream* stream;
  tenon_transfer_desc what;
};

thread_local int depth = 0;  // of groups
thread_local std::vector<Call> calls;

size_t bytes_of(DataType type) {
  constexpr size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return bytes[type];
}

tenon_dtype dtype_of(DataType type) {
  constexpr tenon_dtype dtypes[] = {
      TENON_DTYPE_I8,  TENON_DTYPE_U8,  TENON_DTYPE_I32, 0, TENON_DTYPE_I64, 0, TENON_DTYPE_F16,
      TENON_DTYPE_F32, TENON_DTYPE_F64, TENON_DTYPE_BF16};
  return dtypes[type];
}

// What a process sends to itself.
void copy_to_self(std::vector<tenon_transfer_desc>& pairs, int rank) {
  std::vector<tenon_transfer_desc> ours;
  std::erase_if(pairs, [&](const tenon_transfer_desc& each) {
    if (each.peer != rank) return false;
    ours.push_back(each);
    return true;
  });
  for (const tenon_transfer_desc& send : ours) {
    if (send.collective != TENON_COLLECTIVE_SEND) continue;
    for (tenon_transfer_desc& receive : ours) {
      if (receive.collective != TENON_COLLECTIVE_RECEIVE || !receive.to) continue;
      std::memcpy(receive.to, send.from, sdk::bytes_of(send, send.count));
      receive.to = nullptr;
      break;
    }
  }
}

void move(Comm comm, std::vector<tenon_transfer_desc> list) {
  if (list[0].collective <= TENON_COLLECTIVE_RECEIVE) copy_to_self(list, comm->rank);
  if (list.empty()) return;
  std::vector<uint8_t> done(list.size());
  comm->shm->run(list, kForever, done.data());
}

// In the thread of the stream, where what has failed stays until it is aborted.
void run(Comm comm, const std::vector<tenon_transfer_desc>& list) {
  const auto hang = [&] {
    while (!comm->stop.load()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  };
  comm->state.store(kSuccess);
  if (fake::fault("never_done")) {
    hang();
  } else if (fake::fault("async_error")) {
    comm->state.store(kSystemError);
    hang();
  } else {
    try {
      move(comm, list);
    } catch (const sdk::Failure& failure) {
      if (failure.status == TENON_E_PEER) comm->state.store(kRemoteError);
      hang();
    }
  }
  --comm->open;
}

Result send_off() {
  std::vector<Call> all = std::exchange(calls, {});
  if (all.empty()) return kSuccess;
  std::vector<tenon_transfer_desc> list;
  for (const Call& call : all) list.push_back(call.what);
  const Comm comm = all[0].comm;
  comm->state.store(kInProgress);
  ++comm->open;
  all[0].stream->put([comm, list] { run(comm, list); });
  return kInProgress;
}

Result put(Comm comm, Stream stream, tenon_transfer_desc what, size_t from_bytes, size_t to_bytes) {
  if (!fake::has_context() || comm->state.load() != kSuccess) return kInvalidUsage;
  if (what.from && !fake::is_device_memory(what.from, from_bytes)) return kInvalidArgument;
  if (what.to && !fake::is_device_memory(what.to, to_bytes)) return kInvalidArgument;
  calls.push_back({comm, reinterpret_cast<fake::Stream*>(stream), what});
  return depth == 0 ? send_off() : kSuccess;
}

tenon_transfer_desc desc_of(uint32_t collective, int peer, DataType type, size_t count,
                            const void* from, void* to) {
  return {collective, peer, {}, dtype_of(type), 0, static_cast<int64_t>(count), from, to};
}

}  // namespace

extern "C" {

Result ncclGetVersion(int* version) {
  *version = fake::fault("old") ? 21003 : 21803;
  return kSuccess;
}

Result ncclGetUniqueId(UniqueId* id) {
  static std::atomic<int> count{0};
  const std::string name =
      "/tenon-fake-nccl-" + std::to_string(getpid()) + "-" + std::to_string(++count);
  *id = {};
  std::memcpy(id->internal, name.data(), name.size());
  return kSuccess;
}

Result ncclCommInitRankConfig(Comm* out, int size, UniqueId id, int rank, Config* config) {
  if (!fake::has_context() || config->size < sizeof(Config) || config->magic != 0xcafebeef ||
      config->version < kOldestNccl || config->blocking != 0) {
    return kInvalidArgument;
  }
  if (fake::fault("init_fails")) return kInvalidUsage;
  auto* const comm = new OpaqueComm;
  comm->rank = rank;
  comm->size = size;
  *out = comm;
  if (fake::fault("init_hangs")) return kInProgress;
  comm->making = std::thread([comm, name = std::string(id.internal)] {
    try {
      comm->shm = std::make_unique<Shm>(
          std::make_shared<World>(name, comm->rank, comm->size, kForever, &comm->stop));
      comm->state.store(kSuccess);
    } catch (const sdk::Failure&) {
      comm->state.store(kRemoteError);
    }
  });
  return kInProgress;
}

Result ncclCommGetAsyncError(Comm comm, Result* out) {
  *out = comm->state.load();
  if (comm->finalized.load()) comm->state.store(kSuccess);  // the next time
  return kSuccess;
}

Result ncclCommFinalize(Comm comm) {
  if (comm->state.load() != kSuccess || comm->open.load() != 0) return kInvalidUsage;
  comm->state.store(kInProgress);
  comm->finalized.store(true);
  return kInProgress;
}

Result ncclCommDestroy(Comm comm) {
  if (!comm->finalized.load()) return kInvalidUsage;
  comm->making.join();
  delete comm;
  return kSuccess;
}

Result ncclCommAbort(Comm comm) {
  comm->stop.store(true);
  if (comm->making.joinable()) comm->making.join();
  while (comm->open.load() != 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  delete comm;
  return kSuccess;
}

const char* ncclGetErrorString(Result result) {
  if (result == kSystemError) return "unhandled system error";
  return result == kRemoteError ? "remote process exited or there was a network error"
                                : "invalid usage or argument";
}
const char* ncclGetLastError(Comm) {
  return fake::fault("init_fails") ? "Duplicate GPU detected : rank 1 and rank 0" : "";
}

Result ncclGroupStart() {
  ++depth;
  return kSuccess;
}
Result ncclGroupEnd() {
  if (--depth != 0) return kSuccess;
  return send_off();
}

Result ncclSend(const void* from, size_t count, DataType type, int peer, Comm comm, Stream stream) {
  if (fake::fault("send_fails")) return kInvalidArgument;
  return put(comm, stream, desc_of(TENON_COLLECTIVE_SEND, peer, type, count, from, nullptr),
             count * bytes_of(type), 0);
}
Result ncclRecv(void* to, size_t count, DataType type, int peer, Comm comm, Stream stream) {
  return put(comm, stream, desc_of(TENON_COLLECTIVE_RECEIVE, peer, type, count, nullptr, to), 0,
             count * bytes_of(type));
}

// In place where they are the same, as the engine calls it.
Result ncclBroadcast(const void* from, void* to, size_t count, DataType type, int root, Comm comm,
                     Stream stream) {
  const size_t bytes = count * bytes_of(type);
  if (from != to) return kInvalidArgument;
  const bool sends = root == comm->rank;
  return put(comm, stream,
             desc_of(TENON_COLLECTIVE_BROADCAST, root, type, count, sends ? from : nullptr,
                     sends ? nullptr : to),
             bytes, bytes);
}
Result ncclAllGather(const void* from, void* to, size_t count, DataType type, Comm comm,
                     Stream stream) {
  if (fake::fault("gather_fails")) return kInvalidArgument;
  const size_t bytes = count * bytes_of(type);
  return put(comm, stream, desc_of(TENON_COLLECTIVE_ALL_GATHER, 0, type, count, from, to), bytes,
             bytes * static_cast<size_t>(comm->size));
}
Result ncclReduceScatter(const void* from, void* to, size_t count, DataType type, ReduceOp op,
                         Comm comm, Stream stream) {
  if (op != kSum) return kInvalidArgument;
  const size_t bytes = count * bytes_of(type);
  return put(comm, stream, desc_of(TENON_COLLECTIVE_REDUCE_SCATTER, 0, type, count, from, to),
             bytes * static_cast<size_t>(comm->size), bytes);
}
Result ncclAllReduce(const void* from, void* to, size_t count, DataType type, ReduceOp op,
                     Comm comm, Stream stream) {
  if (op != kSum) return kInvalidArgument;
  const size_t bytes = count * bytes_of(type);
  return put(comm, stream, desc_of(TENON_COLLECTIVE_ALL_REDUCE, 0, type, count, from, to), bytes,
             bytes);
}

}  // extern "C"

}  // namespace tenon::nccl
