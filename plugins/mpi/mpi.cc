// SPDX-License-Identifier: Apache-2.0
// plugins/mpi/mpi.cc: the engine tenon.mpi: the processes that mpirun or srun has started.
//
// MPI 3.0; sources: "MPI: A Message-Passing Interface Standard", version 3.1, chapters 3
// (point to point), 5 (collectives), 6 (communicators). Every call is a nonblocking one that is
// tested until the time is over. MPI is initialised in the engine's thread with
// MPI_THREAD_SERIALIZED, and finalised there when the world is left: a process joins once. Only
// MPI_Abort comes from another thread; calls take turns.
#include <mpi.h>
#include <tenon/sdk/plugin/collective.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <mutex>
#include <vector>

#include "launcher.h"

namespace {

namespace sdk = tenon::sdk;
using Clock = std::chrono::steady_clock;

void check(int code, const char* function) {
  if (code == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, words, &length);
  throw sdk::Failure{TENON_E_PEER, std::string(function) + " has failed: " + words, function};
}

// Held by who calls MPI, and not while he waits.
std::timed_mutex turn;

// ---- What is sent -------------------------------------------------------------------------------

MPI_Datatype element_of(tenon_dtype dtype) {
  switch (dtype) {
    case TENON_DTYPE_U8:
      return MPI_UINT8_T;
    case TENON_DTYPE_I8:
      return MPI_INT8_T;
    case TENON_DTYPE_I16:
      return MPI_INT16_T;
    case TENON_DTYPE_I32:
      return MPI_INT32_T;
    case TENON_DTYPE_I64:
      return MPI_INT64_T;
    case TENON_DTYPE_F32:
      return MPI_FLOAT;
    case TENON_DTYPE_F64:
      return MPI_DOUBLE;
    default:
      throw sdk::Failure{TENON_E_UNSUPPORTED, "MPI has no sums of this dtype", "dtype",
                         "u8, i8, i16, i32, i64, f32 or f64", std::to_string(dtype)};
  }
}

// So many bytes as one element: MPI counts with int.
class Bytes {
 public:
  explicit Bytes(size_t bytes) {
    constexpr size_t kBlock = size_t{1} << 30;
    const size_t blocks = bytes / kBlock;
    if (blocks > INT_MAX) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "the transfer is larger than MPI can count"};
    }
    MPI_Datatype block = MPI_BYTE;
    check(MPI_Type_contiguous(static_cast<int>(kBlock), MPI_BYTE, &block), "MPI_Type_contiguous");
    int counts[2] = {static_cast<int>(blocks), static_cast<int>(bytes % kBlock)};
    MPI_Aint places[2] = {0, static_cast<MPI_Aint>(blocks * kBlock)};
    MPI_Datatype types[2] = {block, MPI_BYTE};
    const int code = MPI_Type_create_struct(2, counts, places, types, &type_);
    MPI_Type_free(&block);
    check(code, "MPI_Type_create_struct");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~Bytes() { MPI_Type_free(&type_); }  // what is under way keeps it
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// ---- Waiting ------------------------------------------------------------------------------------

// Tests all that are not done; true if all are.
bool test_all(std::vector<MPI_Request>& requests, const char* what, uint8_t* done) {
  bool all = true;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    int flag = 0;
    check(MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE), what);
    if (!flag) all = false;
    if (flag && done) done[i] = 1;
  }
  return all;
}

// Tests until all are done; false if the time is over before. With the turn, which others get
// between the tests.
bool wait_all(std::vector<MPI_Request>& requests, int64_t timeout, const char* what,
              uint8_t* done) {
  const auto begin = Clock::now();
  for (;;) {
    if (test_all(requests, what, done)) return true;
    if (Clock::now() - begin >= std::chrono::milliseconds(timeout)) return false;
    turn.unlock();
    sdk::give_way(begin);
    turn.lock();
  }
}

// ---- The engine ---------------------------------------------------------------------------------

std::atomic<bool> joined{false};

// MPI in this process, from the first group to the end of the last one.
class Session {
 public:
  Session() {
    if (joined.exchange(true)) {
      throw sdk::Failure{TENON_E_STATE,  "this process has joined MPI already, which is done once",
                         "tenon.mpi",    "one group of all processes",
                         "a second one", "split the first; if it was refused, begin a new process"};
    }
    int there = 0;
    int level = 0;
    MPI_Initialized(&there);
    if (there) {
      MPI_Query_thread(&level);
    } else {
      const tenon::mpi::Start start;
      check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread");
      ours_ = true;
    }
    if (level >= MPI_THREAD_SERIALIZED || ours_) return;
    throw sdk::Failure{
        TENON_E_STATE,         "MPI was initialised by the program for one thread alone",
        "MPI_Init_thread",     "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE",
        std::to_string(level), "let Tenon initialise MPI, or ask for more"};
  }
  // Others may be gone: then nothing is called that would wait for them.
  ~Session() {
    if (!whole || !ours_) return;
    meet();
    MPI_Finalize();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // What nobody has answered in time may be answered yet: then MPI can be left in order.
  void settle() {
    constexpr int64_t kPatience = 5'000;  // milliseconds
    if (whole || open.empty()) return;
    whole = wait_all(open, kPatience, "MPI_Test", nullptr);
  }

  // Others may not have been found.
  void require_company() const {
    int size = 0;
    check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    if (size == 1) tenon::mpi::require_alone(told_);
  }

  bool whole = true;              // nothing has failed
  std::vector<MPI_Request> open;  // of a transfer whose time was over

  MPI_Comm ends = MPI_COMM_NULL;  // all processes, for the last thing that they do together

 private:
  // MPI_Finalize waits for all; Open MPI does it by way of mpirun, which (4.1) may hang itself if
  // the others are aborted then. So it is waited here. Without a limit: others may work on.
  void meet() noexcept {
    if (ends == MPI_COMM_NULL) return;
    const std::lock_guard ours(turn);
    std::vector<MPI_Request> all = {MPI_REQUEST_NULL};
    constexpr int64_t kMonth = int64_t{30} * 24 * 3600 * 1000;
    try {
      check(MPI_Ibarrier(ends, all.data()), "MPI_Ibarrier");
      while (!wait_all(all, kMonth, "MPI_Test", nullptr)) {
      }
    } catch (...) {  // MPI_Finalize tells
    }
  }

  const tenon::mpi::Told told_ = tenon::mpi::told_by_launcher();
  bool ours_ = false;  // MPI was initialised here
};

class Mpi {
 public:
  Mpi(const sdk::Attrs&, int64_t timeout) : session_(std::make_shared<Session>()) {
    const std::lock_guard ours(turn);
    session_->require_company();
    // A communicator of our own, so that messages of the program do not meet ours.
    check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "MPI_Comm_dup");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &session_->ends), "MPI_Comm_dup");
    count();
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
    guard([&] { wait({request}, timeout, "joining", nullptr); });
  }
  Mpi(std::shared_ptr<Session> session, MPI_Comm comm) : session_(std::move(session)), comm_(comm) {
    count();
  }
  ~Mpi() {
    try {
      const std::lock_guard ours(turn);
      session_->settle();
      if (session_->whole && !unheard_) MPI_Comm_free(&comm_);
    } catch (...) {
      // MPI itself has failed: it is left as it is.
    }
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  tenon_members members() const { return {rank_, size_}; }

  // Parting has no nonblocking form: all are waited for first, so that it returns at once.
  std::unique_ptr<Mpi> split(int32_t color, int32_t key, int64_t timeout) {
    const std::lock_guard ours(turn);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
    guard([&] { wait({request}, timeout, "split", nullptr); });
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(comm_, color, key, &part), "MPI_Comm_split");
    return std::make_unique<Mpi>(session_, part);
  }

  void run(std::span<const tenon_transfer_desc> transfers, int64_t timeout, uint8_t* done) {
    const std::lock_guard ours(turn);
    guard([&] {
      if (transfers[0].collective <= TENON_COLLECTIVE_RECEIVE) {
        run_pairs(transfers, timeout, done);
      } else {
        unheard_ = false;
        run_all(transfers[0], timeout, done);
      }
    });
  }

  // Not in turn if a call takes longer than this: then it waits for others, for whom we are the
  // reason to end.
  static void end_all(int32_t status) noexcept {
    constexpr auto kPatience = std::chrono::seconds(1);
    // What was written goes by way of mpirun; that of MPICH ends without it.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::unique_lock ours(turn, kPatience);
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) MPI_Abort(MPI_COMM_WORLD, status);
  }

 private:
  template <class Body>
  void guard(Body&& body) {
    try {
      body();
    } catch (...) {
      session_->whole = false;
      throw;
    }
  }

  void wait(std::vector<MPI_Request> requests, int64_t timeout, const char* what, uint8_t* done) {
    if (wait_all(requests, timeout, what, done)) return;
    session_->open = std::move(requests);
    throw sdk::Failure{
        TENON_E_TIMEOUT,
        std::string(what) + " was not done within " + std::to_string(timeout) + " ms", what};
  }

  void count() {
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }

  void run_pairs(std::span<const tenon_transfer_desc> transfers, int64_t timeout, uint8_t* done) {
    std::vector<MPI_Request> requests(transfers.size(), MPI_REQUEST_NULL);
    unheard_ = std::ranges::all_of(transfers, [](const tenon_transfer_desc& each) {
      return each.collective == TENON_COLLECTIVE_SEND;
    });
    for (size_t i = 0; i < transfers.size(); ++i) {
      const tenon_transfer_desc& each = transfers[i];
      const Bytes all(sdk::bytes_of(each, each.count));
      if (each.collective == TENON_COLLECTIVE_SEND) {
        check(MPI_Isend(each.from, 1, all, each.peer, 0, comm_, &requests[i]), "MPI_Isend");
      } else {
        check(MPI_Irecv(each.to, 1, all, each.peer, 0, comm_, &requests[i]), "MPI_Irecv");
      }
    }
    wait(std::move(requests), timeout, "send and receive", done);
  }

  void run_all(const tenon_transfer_desc& what, int64_t timeout, uint8_t* done) {
    if (what.collective == TENON_COLLECTIVE_ALL_REDUCE ||
        what.collective == TENON_COLLECTIVE_REDUCE_SCATTER) {
      return sum(what, timeout, done);
    }
    const Bytes part(sdk::bytes_of(what, what.count));
    MPI_Request request = MPI_REQUEST_NULL;
    switch (what.collective) {
      case TENON_COLLECTIVE_BROADCAST: {
        void* const data = what.peer == rank_ ? const_cast<void*>(what.from) : what.to;
        check(MPI_Ibcast(data, 1, part, what.peer, comm_, &request), "MPI_Ibcast");
        return wait({request}, timeout, "MPI_Ibcast", done);
      }
      case TENON_COLLECTIVE_ALL_GATHER:
        check(MPI_Iallgather(what.from, 1, part, what.to, 1, part, comm_, &request),
              "MPI_Iallgather");
        return wait({request}, timeout, "MPI_Iallgather", done);
      case TENON_COLLECTIVE_ALL_TO_ALL:
        check(MPI_Ialltoall(what.from, 1, part, what.to, 1, part, comm_, &request),
              "MPI_Ialltoall");
        return wait({request}, timeout, "MPI_Ialltoall", done);
      default:
        throw sdk::Failure{TENON_E_UNSUPPORTED, "there is no such collective", "collective",
                           "TENON_COLLECTIVE_SEND to ALL_REDUCE", std::to_string(what.collective)};
    }
  }

  // In pieces that MPI can count.
  void sum(const tenon_transfer_desc& what, int64_t timeout, uint8_t* done) {
    const MPI_Datatype element = element_of(what.dtype);
    MPI_Request request = MPI_REQUEST_NULL;
    if (what.collective == TENON_COLLECTIVE_REDUCE_SCATTER) {
      if (what.count > INT_MAX) {
        throw sdk::Failure{TENON_E_UNSUPPORTED, "the part is larger than MPI can count", "count",
                           std::to_string(INT_MAX), std::to_string(what.count)};
      }
      check(MPI_Ireduce_scatter_block(what.from, what.to, static_cast<int>(what.count), element,
                                      MPI_SUM, comm_, &request),
            "MPI_Ireduce_scatter_block");
      return wait({request}, timeout, "MPI_Ireduce_scatter_block", done);
    }
    const auto bytes = static_cast<int64_t>(sdk::size_of(what.dtype));
    for (int64_t begin = 0; begin < what.count; begin += INT_MAX) {
      const int count = static_cast<int>(std::min<int64_t>(INT_MAX, what.count - begin));
      check(MPI_Iallreduce(static_cast<const char*>(what.from) + begin * bytes,
                           static_cast<char*>(what.to) + begin * bytes, count, element, MPI_SUM,
                           comm_, &request),
            "MPI_Iallreduce");
      wait({request}, timeout, "MPI_Iallreduce", done);
    }
  }

  std::shared_ptr<Session> session_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  // What was sent last may lie unheard with others, as what the host tells when a group is left:
  // another communicator of the program may not get this one's place.
  bool unheard_ = false;
};

constexpr tenon_collective_desc engines[] = {sdk::collective<Mpi>(
    {.name = "tenon.mpi",
     .doc = "The processes that `mpirun` or `srun` has started, over the system's MPI (3.0 or "
            "later). MPI is initialised in a thread of Tenon's own, unless the program has done "
            "it with MPI_THREAD_SERIALIZED or more. A process joins once; other groups are split "
            "from that one. Joining is refused where the launcher has started several processes "
            "and MPI finds one. If a process dies, the launcher ends the others.",
     .sums = "u8 i8 i16 i32 i64 f32 f64"})};

}  // namespace

TENON_UNIT(mpi) = {.collectives = engines};
