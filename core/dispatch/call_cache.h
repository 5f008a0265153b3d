// SPDX-License-Identifier: Apache-2.0
// core/dispatch/call_cache.h: how calls run that are like one the context has seen before.
//
// The first two calls of a kind go the long way: bound, promoted, inferred, a kernel selected, its
// operands collapsed. What came out of the second is kept as a ResolvedCall: a launch block that
// waits for addresses, the outputs' shapes, what to record. Later calls find it by the words that
// describe them, and from then on by their operands' forms alone, fill in the addresses and launch.
// Only what is ordinary is kept: no cast, no staging, no composition, no random numbers, no
// predicate, no element that is missing. A registry that has changed empties the cache.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "core/dispatch/call_key.h"
#include "core/launch/launch.h"
#include "core/runtime/callback.h"
#include "core/tape/recording.h"

namespace tenon::dispatch {

// How a call was resolved the long way.
struct Resolution {
  std::unique_ptr<launch::Launch> launch;  // NULL: a view, or out of the ordinary
  Small<Item, 8> items;                    // of the launch's views
  launch::Needs needs;
  const Tensor* view = nullptr;  // what a view op gave
  tape::SignatureRef signature;
};

struct ResolvedCall {
  static constexpr size_t kMaxOutputs = 8;

  // Where a view of the launch block gets its address from: an index into the operands and the
  // outputs after them.
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
  [[gnu::cold]] ~ResolvedCall();

  const registry::Op* op = nullptr;
  uint64_t head = 0;  // as CallKey
  Device* device = nullptr;
  bool prepares = false;
  tape::SignatureRef signature;           // NULL: nothing is recorded
  std::unique_ptr<launch::Launch> block;  // NULL: a view
  Small<Place, 4> places;                 // of the views of tensors
  Small<Place, 4> numbers;                // of those of numbers
  Small<uint32_t, 2> written;             // what the kernel writes, by where the views come from
  std::weak_ptr<const Prepared> prepared;
  Small<tensor::Fresh, 1> made;  // the schema's outputs, NONE if not wanted; nothing if given
  Small<Pair, 2> apart;          // what is written, and what it could share memory with
  int64_t offset = 0;            // of a view, from its base
  tensor::Extent reach;          // the elements it touches, from its own first
  CallWords kind;
  uint64_t hash = 0;
  std::unique_ptr<ResolvedCall> next;  // in its bucket

  // What `prepare` made is gone: the next call goes the long way and keeps another.
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
class CallCache final : public Kept {
 public:
  explicit CallCache(Context& context);

  OpNames names;

  // Unusual: it is never kept. New: its like may be kept.
  enum class Outcome : uint8_t { Ran, Unusual, New };
  // Runs the call where its like is kept; else nothing is done. `outputs` are where new ones go;
  // empty if they are given.
  Outcome run(CallKey& key, std::span<Tensor*> outputs);
  // Is `key` a kind of call that was here before? Remembers it.
  bool has_seen(const CallKey& key);
  // Keeps how `call` ran, unless it was out of the ordinary.
  [[gnu::cold]] void add(const CallKey& key, const Invocation& call, Resolution& resolution,
                         uint64_t epoch);

 private:
  static constexpr size_t kBuckets = 256;
  static constexpr size_t kMaxCalls = 1024;
  // What the forms of one call led to.
  struct Latest {
    ResolvedCall* resolved = nullptr;
    std::array<uint64_t, CallKey::kMaxForms> forms{};
    bool is(const CallKey& key) const;
  };
  // Those of calls whose keys end alike; which of them shares one with others changes with every
  // run, as addresses do.
  static constexpr size_t kWays = 4;
  struct Set {
    std::array<uint64_t, kWays> keys{};
    std::array<Latest, kWays> latest{};
  };

  [[gnu::cold]] void clear();
  ResolvedCall* find_by_forms(const CallKey& key) const;
  void remember(const CallKey& key, ResolvedCall& resolved);
  ResolvedCall* find(const CallKey& key);
  bool run_resolved(ResolvedCall& resolved, CallKey& key, std::span<Tensor*> outputs);
  bool launch_onto(ResolvedCall& resolved, std::span<const Operand> operands, Operand* all,
                   std::span<Tensor* const> outputs);
  bool launch_anew(ResolvedCall& resolved, CallKey& key, std::span<Tensor*> outputs);
  void launch(ResolvedCall& resolved, const Operand* all);
  void launch_recorded(ResolvedCall& resolved, std::span<const Operand> operands,
                       const Operand* all, std::span<Tensor* const> outputs);

  Context& context_;
  CallbackScope call_;  // what kernels see, one after the other
  uint64_t epoch_ = 0;
  size_t count_ = 0;
  std::array<Set, 64> latest_{};  // the first to try, without words
  uint32_t oldest_ = 0;           // which way of a set is given to the next
  std::array<std::unique_ptr<ResolvedCall>, kBuckets> buckets_;
  // Hashes seen lately, newest first; several to a bucket, or two kinds by turns would push each
  // other out and never be kept.
  std::array<std::array<uint32_t, 4>, kBuckets> seen_{};
};

inline CallCache& call_cache_of(const Context& context) {
  return static_cast<CallCache&>(*context.call_cache);
}

// Does nobody watch or keep the launches, so that calls need not be resolved again?
inline bool may_reuse_calls(const Context& context) {
  return !context.capturing && !context.checks && !context.runtime->trace.active();
}

}  // namespace tenon::dispatch
