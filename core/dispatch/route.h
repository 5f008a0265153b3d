// SPDX-License-Identifier: Apache-2.0
// core/dispatch/route.h: how calls run that are like one the context has seen before.
//
// The first two calls of a kind go the long way: bound, promoted, inferred, a kernel selected, its
// operands collapsed. What came out of the second is kept as a Route: a launch block that waits for
// addresses, the outputs' shapes, what to record. Later calls find it by the words that describe
// them, and from then on by their operands' forms alone, fill in the addresses and launch.
// Only what is ordinary has a route: no cast, no staging, no composition, no random numbers, no
// predicate, no element that is missing. A registry that has changed empties the cache.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "core/dispatch/asked.h"
#include "core/launch/launch.h"
#include "core/runtime/callback.h"
#include "core/tape/recording.h"

namespace tenon::dispatch {

// What the long way found out, for a route to be made of.
struct Lesson {
  const registry::Kernel* kernel = nullptr;
  Small<Item, 8> items;  // as launched
  launch::Needs needs;
  const Tensor* view = nullptr;  // what a view op gave
  tape::SignatureRef signature;
  bool ordinary = true;
};

struct Route {
  static constexpr size_t kMostOutputs = 8;

  // Where a view of the launch block gets its address from: an index into the operands and the
  // outputs behind them.
  struct Place {
    uint32_t view = 0;
    uint32_t from = 0;
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
  [[gnu::cold]] ~Route();

  const registry::Op* op = nullptr;
  uint64_t head = 0;  // as Asked
  Device* device = nullptr;
  bool prepares = false;
  tape::SignatureRef signature;           // NULL: nothing is recorded
  std::unique_ptr<launch::Launch> block;  // NULL: a view
  Small<Place, 4> places;                 // of the views of tensors
  Small<Place, 4> numbers;                // of those of numbers
  Small<uint32_t, 2> written;             // what the kernel writes, by where the views come from
  std::weak_ptr<const Prepared> prepared;
  Small<tensor::Fresh, 1> made;  // the schema's outputs, NONE where not wanted; nothing where given
  Small<Pair, 2> apart;          // what is written, and what it could share memory with
  int64_t offset = 0;            // of a view, from its base
  int64_t low = 0;               // the elements it touches, from its own first
  int64_t high = 0;
  Kind kind;
  uint64_t hash = 0;
  std::unique_ptr<Route> next;  // in its bucket

  // What `prepare` made is gone: the next call goes the long way and makes a new route.
  bool is_stale() const { return prepares && prepared.expired(); }
};

// Ops by the names backward rules and compositions call them by, which are mostly the same few
// string literals.
class OpNames {
 public:
  registry::Op& find(std::string_view name, Runtime& runtime);

 private:
  struct Entry {
    const char* place = nullptr;  // where the name lies
    registry::Op* op = nullptr;
    uint64_t epoch = 0;
  };
  // Names that fall together must not push each other out in turn.
  struct Set {
    std::array<Entry, 4> entries;
    uint32_t oldest = 0;
  };
  std::array<Set, 64> sets_;
};

// Of one context.
class Routes final : public Kept {
 public:
  explicit Routes(Context& context);

  OpNames names;

  enum class Taken : uint8_t { Yes, No, Unknown };
  // Runs the call where its like was learned. Else nothing is done, and it needs the long way; from
  // which something may be learned where the answer is Unknown. `outputs` are where a call wants
  // its new ones; empty for apply.
  Taken take(Asked& asked, std::span<Tensor*> outputs);
  // Is `asked` a kind of call that was here before? Remembers it.
  bool is_familiar(const Asked& asked);
  // Keeps how `call` ran, unless it was out of the ordinary.
  [[gnu::cold]] void learn(const Asked& asked, const Invocation& call, Lesson& lesson,
                           uint64_t epoch);

 private:
  static constexpr size_t kBuckets = 256;
  static constexpr size_t kMost = 1024;
  // What the forms of one call led to.
  struct Latest {
    Route* route = nullptr;
    std::array<uint64_t, Asked::kMostForms> forms{};
    bool is(const Asked& asked) const;
  };
  // Those of calls whose keys end alike; which of them shares one with others changes with every
  // run, as addresses do.
  static constexpr size_t kWays = 4;
  struct Set {
    std::array<uint64_t, kWays> keys{};
    std::array<Latest, kWays> latest{};
  };

  [[gnu::cold]] void clear();
  Route* find_by_forms(const Asked& asked) const;
  void remember(const Asked& asked, Route& route);
  Route* find(const Asked& asked);
  bool run(Route& route, Asked& asked, std::span<Tensor*> outputs);
  bool launch_onto(Route& route, std::span<const Given> operands, Given* all,
                   std::span<Tensor* const> outputs);
  bool launch_anew(Route& route, Asked& asked, std::span<Tensor*> outputs);
  void launch(Route& route, const Given* all);
  void launch_recorded(Route& route, std::span<const Given> operands, const Given* all,
                       std::span<Tensor* const> outputs);

  Context& context_;
  CallbackScope call_;  // what kernels see, one after the other
  uint64_t epoch_ = 0;
  size_t count_ = 0;
  std::array<Set, 64> latest_{};  // the first to try, without words
  uint32_t oldest_ = 0;           // which way of a set is given to the next
  std::array<std::unique_ptr<Route>, kBuckets> buckets_;
  // Hashes seen lately, newest first; several to a bucket, or two kinds by turns would push each
  // other out and never be learned.
  std::array<std::array<uint32_t, 4>, kBuckets> familiar_{};
};

inline Routes& routes_of(const Context& context) { return static_cast<Routes&>(*context.routes); }

// Does nobody watch or record the launches, so that routes may be taken?
inline bool may_take_routes(const Context& context) {
  return !context.capturing && !context.checks && !context.runtime->trace.active();
}

}  // namespace tenon::dispatch
