// SPDX-License-Identifier: Apache-2.0
// backends/lapack/lapack.h: what the files of the plugin tenon.lapack have in common: matrices of a
// batch, shared out to threads, and the scratch of each. It computes decompositions by the LAPACK
// inside OpenBLAS, for host memory, and adds no device and no op.
//
// Its kernels round in whichever order suits the processor, and those of f32 compute in f32, so
// they do not claim CANONICAL. The ops' bits are a library's (TENON_OP_LIBRARY_BITS): these kernels
// run unless another plugin is pinned.
//
// Threads. Matrices of a batch are shared out to Tenon's pool, and strips of columns of a single
// one where they do not depend on each other. What LAPACK does it does on the thread that calls it
// (OneThread). So bits do not depend on threads.
//
// Tenon's matrices are row-major: what LAPACK reads there is the transpose. Each kernel says which
// problem it states instead.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <tenon/sdk/plugin/decomposition.hpp>
#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include "routines.h"

namespace tenon::lapack {

namespace sdk = tenon::sdk;

inline constexpr std::string_view kDevice = "cpu";  // the device is another plugin's
// Above the plain kernels of the device's own plugin.
inline constexpr int32_t kPriority = 10;

inline constexpr tenon_dtype kDtypes[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

template <class F>
void dispatch(tenon_dtype dtype, F&& body) {
  sdk::dispatch_dtype<sdk::TypeList<float, double>>(dtype, body);
}

inline blasint as_int(int64_t size) { return static_cast<blasint>(size); }

// ---- Batches ------------------------------------------------------------------------------------

// The matrices of the last two dimensions of an operand.
struct Extent {
  explicit Extent(const tenon_view& x)
      : batch(x.shape, static_cast<size_t>(x.rank) - 2),
        m(x.shape[x.rank - 2]),
        n(x.shape[x.rank - 1]) {}

  int64_t least() const { return std::min(m, n); }
  // Matrices to compute; none where they have no elements.
  int64_t count() const { return least() == 0 ? 0 : sdk::count_of(batch); }

  std::span<const int64_t> batch;
  int64_t m;
  int64_t n;
};

// Batches are cut into so many pieces at most; each has scratch of its own.
inline constexpr int64_t kMaxPieces = 16;
inline constexpr double kPieceWork = 1 << 18;  // operations worth handing to another thread

// By shape alone, so that results do not depend on the number of threads.
inline int64_t pieces_of(int64_t count, double work) {
  const double wanted = std::ceil(static_cast<double>(count) * work / kPieceWork);
  const int64_t most = std::min(count, kMaxPieces);
  return wanted < static_cast<double>(most) ? std::max<int64_t>(1, static_cast<int64_t>(wanted))
                                            : most;
}

// Cuts one piece's scratch into arrays; on nothing, it measures.
class Room {
 public:
  explicit Room(std::byte* memory = nullptr) : memory_(memory) {}

  template <class T>
  T* take(int64_t count) {
    const uint64_t at = bytes_;
    bytes_ += (static_cast<uint64_t>(count) * sizeof(T) + 63) / 64 * 64;
    return memory_ ? reinterpret_cast<T*>(memory_ + at) : nullptr;
  }
  uint64_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  uint64_t bytes_ = 0;
};

// What `pieces` pieces need, each of which takes Arrays<T>(room, size) from its room.
template <template <class> class Arrays, class Size>
uint64_t scratch_of(const sdk::Args& args, const Size& size, int64_t pieces) {
  Room measure;
  if (pieces == 0) return 0;
  dispatch(args.out().dtype, [&]<class T>() { Arrays<T>(measure, size); });
  return measure.bytes() * static_cast<uint64_t>(pieces);
}

// ---- One matrix ---------------------------------------------------------------------------------

// Columns that do not depend on each other are computed in strips, cut by shape alone, as pieces
// are.
inline constexpr int64_t kStrip = 128;

struct Strip {
  int64_t number;
  int64_t first;  // column
  int64_t count;
  int64_t end() const { return first + count; }
};

inline int64_t strips_of(int64_t columns) { return (columns + kStrip - 1) / kStrip; }

// Who computes strips: any thread that is free, or, within a piece of a batch, the piece's own.
class Team {
 public:
  explicit Team(const sdk::Launch* all) : all_(all) {}

  template <class Body>
  void for_each_strip(int64_t columns, const Body& body) const {
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t number = begin; number < end; ++number) {
        const int64_t first = number * kStrip;
        body(Strip{number, first, std::min(kStrip, columns - first)});
      }
    };
    if (all_) {
      all_->parallel_for(strips_of(columns), 1, run);
    } else {
      run(0, strips_of(columns));
    }
  }

 private:
  const sdk::Launch* all_;  // NULL: the piece's own thread
};

// While one lives, LAPACK computes on the threads that call it. Others in the process who use the
// same OpenBLAS (NumPy of the distribution, say) have their number of threads back afterwards.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
};

// run(begin, end, room, team) computes those matrices on one thread and returns the first that has
// to be refused, or `end`. Returns the first refused of all, or `count`.
template <class Run>
int64_t first_refused(const sdk::Launch& l, int64_t count, double work, const Run& run) {
  const int64_t pieces = pieces_of(count, work);
  const std::span<std::byte> scratch = l.scratch();
  std::atomic<int64_t> refused = count;
  const Team team(pieces == 1 ? &l : nullptr);
  const OneThread scope;
  l.parallel_for(pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      const int64_t end = count / pieces * (piece + 1) + count % pieces * (piece + 1) / pieces;
      const int64_t begin = count / pieces * piece + count % pieces * piece / pieces;
      Room room(scratch.data() +
                scratch.size() / static_cast<size_t>(pieces) * static_cast<size_t>(piece));
      const int64_t stopped = run(begin, end, room, team);
      if (stopped == end) continue;
      int64_t before = refused;
      while (stopped < before && !refused.compare_exchange_weak(before, stopped)) {
      }
    }
  });
  return refused;
}

// ---- Elements -----------------------------------------------------------------------------------

// body(i, j) for all places of a strip, in an order that keeps both rows and columns in the cache.
template <class Body>
void for_each_place(int64_t rows, const Strip& strip, const Body& body) {
  constexpr int64_t kTile = 16;
  for (int64_t top = 0; top < rows; top += kTile) {
    for (int64_t left = strip.first; left < strip.end(); left += kTile) {
      for (int64_t i = top; i < std::min(rows, top + kTile); ++i) {
        for (int64_t j = left; j < std::min(strip.end(), left + kTile); ++j) body(i, j);
      }
    }
  }
}

template <class Body>
void for_each_place(int64_t rows, int64_t columns, const Body& body) {
  for_each_place(rows, Strip{0, 0, columns}, body);
}

// (x + x^T) / 2, rounded once.
template <class T>
T mean(T a, T b) {
  return static_cast<T>((static_cast<double>(a) + static_cast<double>(b)) / 2);
}

// ---- Descriptors --------------------------------------------------------------------------------

// LAPACK counts work space, of up to four times as many elements as a matrix has, in its integers.
inline constexpr int64_t kMaxElements = int64_t{1} << 28;

inline tenon_status accepts(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts) {
  *out_accepts = 1;
  for (uint32_t slot = 0; slot < args->n_inputs; ++slot) {
    const tenon_view& x = sdk::Args(args).view(slot);
    const int64_t rows = x.rank < 2 ? 1 : x.shape[x.rank - 2];
    const int64_t columns = x.shape[x.rank - 1];
    if (columns == 0 || rows <= kMaxElements / columns) continue;
    *out_accepts = 0;
    return call->base->fail(call, TENON_E_LAYOUT,
                            "a matrix has more elements than the integers of LAPACK count",
                            TENON_NUL);
  }
  return TENON_OK;
}

inline constexpr uint32_t kFlags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_INDEX_64;

// The operand that is decomposed is number 0; Bytes says how much scratch all pieces take.
template <void (*Run)(const sdk::Launch&), uint64_t (*Bytes)(const sdk::Args&)>
constexpr tenon_kernel_desc matrix_kernel(std::string_view op,
                                          std::span<const tenon_slot_rule> slots,
                                          uint32_t n_attrs) {
  return sdk::kernel({.op = op,
                      .device = kDevice,
                      .slots = slots,
                      .rows = kDtypes,
                      .n_attrs = n_attrs,
                      .flags = kFlags,
                      .priority = kPriority,
                      .launch = sdk::launch_fn<Run>,
                      .workspace = sdk::workspace_fn<Bytes>,
                      .predicate = accepts});
}

// What a routine answers when it is asked how large its work space should be. A float may have
// rounded it down.
template <class T>
int64_t work_size(T answer) {
  return static_cast<int64_t>(std::ceil(static_cast<double>(answer) * (1 + 0x1p-23))) + 1;
}

}  // namespace tenon::lapack
