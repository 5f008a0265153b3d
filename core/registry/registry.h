// SPDX-License-Identifier: Apache-2.0
// core/registry/registry.h: what all opened plugins of one runtime offer.
//
// Readers (dispatch, on any thread) take no lock: an Op's kernel set and backward rule are replaced
// as a whole through an atomic pointer, replaced ones live until the registry dies, and `epoch`
// tells caches that something changed. Writers are serialised by the plugin host's mutex.
// Registration is a transaction (transaction.h): everything is read, checked and staged first, and
// the change becomes visible as a whole or not at all.
#pragma once

#include <tenon/plugin.h>

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/handles.h"
#include "core/base/slab.h"
#include "core/registry/kinds.h"
#include "core/registry/schema.h"

namespace tenon::registry {

struct Plugin;

inline constexpr uint32_t kRoleEnd = TENON_ROLE_ALL_REDUCE + 1;

// "copy", "sum_to", ...; empty for TENON_ROLE_NONE and unknown roles.
std::string_view name_of_role(uint32_t role) noexcept;

// "like parameter", "scalar", ...; of a TENON_STATE_* of a registered optimizer.
std::string_view name_of_state_shape(uint32_t policy) noexcept;

// A descriptor, copied so that a shorter one of an older plugin has a zero tail, and whose it is.
template <class Desc>
struct Offered {
  Desc desc{};
  Plugin* plugin = nullptr;
};

struct Kernel : Offered<tenon_kernel_desc> {
  uint32_t device_kind = 0;
};
using VjpRule = Offered<tenon_vjp_desc>;
using Sample = Offered<tenon_sample>;
using Tolerance = Offered<tenon_tolerance>;
using OptimizerSample = Offered<tenon_optimizer_sample>;

// Best first: priority, then plugin id, then order of registration. All device kinds together.
using KernelSet = std::vector<const Kernel*>;
// Best first, likewise: the first that was not built before what a call uses is its rule.
using RuleSet = std::vector<const VjpRule*>;
template <class Set>
inline const Set kNone;

struct Op : base::SlotHeader {
  tenon_op_desc desc{};
  std::string name;  // full name, "vendor.op"
  std::string schema_text;
  std::string doc;
  Schema schema;
  Plugin* plugin = nullptr;
  uint32_t index = 0;  // dense in this runtime, for caches
  void* runtime = nullptr;
  std::atomic<const KernelSet*> kernels{&kNone<KernelSet>};
  std::atomic<const RuleSet*> rules{&kNone<RuleSet>};
  std::vector<std::string> report;  // what was passed over; read it with Registry::report_of

  bool has(uint32_t flag) const { return (desc.flags & flag) != 0; }
  // The first of the rules; NULL if there is none.
  const VjpRule* best_rule() const {
    const RuleSet& set = *rules.load(std::memory_order_acquire);
    return set.empty() ? nullptr : set.front();
  }
};

struct OpDeleter {
  void operator()(Op* op) const noexcept;
};
using OwnedOp = std::unique_ptr<Op, OpDeleter>;

struct Backend {
  const tenon_backend_table* table = nullptr;
  Plugin* plugin = nullptr;
  void* self = nullptr;
  uint32_t kind = 0;  // interned
  std::string kind_name;
  int32_t count = 0;     // usable devices
  std::string why_none;  // the backend's words if count is 0
  bool failed = false;   // looking for devices did: it is not that there are none
};

// An entry of one of the kinds in tenon/kinds.h.
struct Entry {
  uint32_t kind = 0;
  std::string name;
  Plugin* plugin = nullptr;
  std::unique_ptr<const uint64_t[]> desc;  // a copy, with a zero tail if the plugin is older

  // Its descriptor, if it is of that kind.
  template <class Desc>
  const Desc& as() const {
    return *reinterpret_cast<const Desc*>(desc.get());
  }
};

// What one plugin's tables hold, as read by the plugin host; borrowed.
struct Tables {
  const tenon_ops_table* ops = nullptr;
  const tenon_kernels_table* kernels = nullptr;
  const tenon_vjps_table* vjps = nullptr;
  const tenon_backend_table* backend = nullptr;
  std::array<const tenon_entries_table*, kKindEnd> entries{};  // by kind
  const tenon_selftest_table* selftest = nullptr;
  const tenon_tolerances_table* tolerances = nullptr;
  const tenon_optimizer_samples_table* optimizer_samples = nullptr;
};

// Calls visit(name of the interface, table) for each.
template <class SomeTables, class Visit>
void each_table(SomeTables& tables, const Visit& visit) {
  visit("tenon.ops/1", tables.ops);
  visit("tenon.kernels/1", tables.kernels);
  visit("tenon.vjps/1", tables.vjps);
  visit("tenon.backend/1", tables.backend);
  for (uint32_t kind = 0; kind < kKindEnd; ++kind) {
    visit(kind_at(kind).interface, tables.entries[kind]);
  }
  visit("tenon.selftest/1", tables.selftest);
  visit("tenon.selftest.tolerances/1", tables.tolerances);
  visit("tenon.selftest.optimizers/1", tables.optimizer_samples);
}

class Registry : NoCopy {
 public:
  explicit Registry(void* runtime);
  ~Registry();

  // Interned names (device kinds); ids from 1, stable for the registry's life. Thread-safe.
  uint32_t intern(std::string_view name);
  std::string name_of(uint32_t id) const;
  uint32_t find_name(std::string_view name) const;  // 0: not interned

  // Thread-safe look-ups; nullptr if absent. Names as "vendor.op"; revision 0: newest.
  Op* find_op(std::string_view name, uint32_t revision = 0) const;
  Op* role(uint32_t role) const;
  const Backend* backend(uint32_t kind) const;
  const Backend* host_backend() const;  // first with TENON_BACKEND_HOST_MEMORY, search order
  const Entry* find_entry(uint32_t kind, std::string_view name) const;
  std::vector<const Op*> ops() const;  // sorted by name, then revision
  std::vector<const Backend*> backends() const;
  std::vector<const Entry*> entries(uint32_t kind) const;  // sorted by name
  std::vector<Sample> samples() const;
  std::vector<Tolerance> tolerances() const;
  std::vector<OptimizerSample> optimizer_samples() const;
  std::vector<std::string> report_of(const Op& op) const;

  // Raised by every change that can alter a kernel choice.
  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  void raise_epoch() { epoch_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  friend class Transaction;
  friend struct Change;
  friend void remove(Registry& registry, const Plugin& plugin);

  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const noexcept {
      return std::hash<std::string_view>{}(name);
    }
  };

  // What one transaction added. Objects stay where they are until the registry dies.
  struct Content {
    std::vector<OwnedOp> ops;
    std::deque<Kernel> kernels;
    std::deque<VjpRule> rules;
    std::deque<KernelSet> kernel_sets;
    std::deque<RuleSet> rule_sets;
    std::deque<Backend> backends;
    std::deque<Entry> entries;
  };

  // Far more than there is of anything else, and seldom asked for: not copied with the rest.
  struct SamplesOfPlugin {
    const Plugin* plugin = nullptr;
    std::shared_ptr<const std::vector<Sample>> list;
  };

  // What look-ups read. A transaction works on a copy and swaps it in, so that one that fails
  // leaves no trace.
  struct Index {
    Op* find_op(std::string_view name, uint32_t revision) const;  // 0: newest

    std::vector<Op*> ops;  // in order of registration
    uint32_t next_op = 0;  // the next Op::index
    std::unordered_map<std::string, std::vector<Op*>, NameHash, std::equal_to<>> ops_by_name;
    std::array<Op*, kRoleEnd> roles{};
    std::vector<const Backend*> backends;                                    // search order
    std::array<std::map<std::string_view, const Entry*>, kKindEnd> entries;  // by kind, then name
    std::vector<SamplesOfPlugin> samples;
    std::vector<Tolerance> tolerances;
    std::vector<OptimizerSample> optimizer_samples;
  };

  void* runtime_;
  mutable std::shared_mutex mutex_;  // names_, name_list_, index_, Op::report
  std::unordered_map<std::string, uint32_t, NameHash, std::equal_to<>> names_;
  std::vector<const std::string*> name_list_;  // by id, from 1
  std::unique_ptr<Index> index_;
  std::vector<std::unique_ptr<Content>> contents_;
  std::atomic<uint64_t> epoch_{1};
};

}  // namespace tenon::registry
