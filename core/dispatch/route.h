// SPDX-License-Identifier: Apache-2.0
// core/dispatch/route.h: how calls run that are like one the context has seen before.
//
// The first two calls of a kind go the long way: bound, promoted, inferred, a kernel selected, its
// operands collapsed. What came out of the second is kept as a Route: a launch block that waits for
// addresses, the outputs' shapes, what to record. Later calls fill in the addresses and launch.
// Only what is ordinary has a route: no cast, no staging, no composition, no random numbers, no
// predicate, no element that is missing. A registry that has changed empties the cache.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "core/autograd/engine.h"
#include "core/dispatch/asked.h"
#include "core/dispatch/launch.h"
#include "core/plan/plan.h"

namespace tenon::dispatch {

// What the long way found out, for a route to be made of.
struct Lesson {
  const registry::Kernel* kernel = nullptr;
  Small<Item, 8> items;  // as launched
  std::weak_ptr<const Prepared> prepared;
  uint64_t scratch_bytes = 0;
  const Tensor* view = nullptr;  // what a view op gave
  autograd::SignatureRef signature;
  bool ordinary = true;
};

struct Route {
  static constexpr size_t kMostOutputs = 8;

  // Where a view of the launch block gets its address from.
  struct Place {
    uint32_t index = 0;  // of the operand or output
    bool output = false;
    bool number = false;
    bool written = false;
  };
  // Two views that must not share memory: the distance from the first one's address to the second's
  // may not lie between the two.
  struct Pair {
    uint32_t first = 0;
    uint32_t second = 0;
    int64_t below = 0;
    int64_t above = 0;
    bool same_allowed = false;  // but both may be the very same elements
  };
  struct Made {
    tenon_dtype dtype = 0;  // NONE: not wanted
    uint64_t form = 0;
    int32_t rank = 0;
    uint64_t bytes = 0;
    tensor::Dims shape{};
    tensor::Dims strides{};
  };

  Kind kind;
  uint64_t hash = 0;
  std::unique_ptr<Route> next;  // in its bucket
  const registry::Op* op = nullptr;
  Device* device = nullptr;
  autograd::SignatureRef signature;     // NULL: nothing is recorded
  std::unique_ptr<plan::Launch> block;  // NULL: a view
  std::vector<Place> places;            // one per view of the block
  std::weak_ptr<const Prepared> prepared;
  std::vector<Made> made;   // the schema's outputs
  std::vector<Pair> apart;  // what is written, and what it could share memory with
  int64_t offset = 0;       // of a view, from its base
  int64_t low = 0;          // the elements it touches, from its own first
  int64_t high = 0;

  // What `prepare` made is gone: the next call goes the long way and makes a new route.
  bool is_stale() const { return block && block->kernel->desc.prepare && prepared.expired(); }
};

// Ops by the names backward rules and compositions call them by, which are mostly the same few
// string literals.
class OpNames {
 public:
  registry::Op& find(std::string_view name, Runtime& runtime);

 private:
  struct Entry {
    registry::Op* op = nullptr;
    uint64_t epoch = 0;
  };
  static constexpr size_t kEntries = 64;
  std::array<Entry, kEntries> entries_;
};

// Of one context.
class Routes {
 public:
  OpNames names;

  // The route of `asked`; NULL where such a call was not learned, or is not usual enough to have
  // one, which `usual` then tells.
  Route* find(Asked& asked, uint64_t epoch, bool& usual);
  // Is `asked` a kind of call that was here before? Remembers it.
  bool is_familiar(const Asked& asked);
  // Keeps how `call` ran, unless it was out of the ordinary.
  void learn(const Asked& asked, const Invocation& call, Lesson& lesson, uint64_t epoch);

 private:
  static constexpr size_t kBuckets = 256;
  static constexpr size_t kMost = 1024;
  void clear();

  uint64_t epoch_ = 0;
  size_t count_ = 0;
  std::array<std::unique_ptr<Route>, kBuckets> buckets_;
  // Hashes seen lately, newest first; several to a bucket, or two kinds by turns would push each
  // other out and never be learned.
  std::array<std::array<uint32_t, 4>, kBuckets> familiar_{};
  std::array<Route*, 128> latest_{};  // by op and grad mode: the first to try, without a hash
};

// Does nobody watch or record the launches, so that routes may be taken?
inline bool may_take_routes(const Context& context) {
  const Runtime& runtime = *context.runtime;
  return !context.capturing && !runtime.config.checks && !runtime.trace.active();
}

// Runs the call; false, with nothing done, where it needs the long way this time. `outputs` are
// where `call` wants its new ones; empty for apply.
bool take_route(Route& route, const Asked& asked, std::span<Tensor*> outputs);

}  // namespace tenon::dispatch
