// SPDX-License-Identifier: Apache-2.0
// core/registry/transaction.cc: stages the entries of each table and commits them. Everything is
// built beside what readers see; a change swaps it in, and nothing after its reservations can fail.
#include "core/registry/transaction.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "core/registry/checks_offers.h"
#include "core/registry/kinds/parts.h"
#include "core/registry/plugin.h"

namespace tenon::registry {
namespace {

std::string label(std::string_view name, uint32_t revision) {
  return std::string(name) + (revision > 1 ? " revision " + std::to_string(revision) : "");
}

template <class List, class Item>
bool has(const List& list, const Item& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// Would the two always be candidates for the same calls, so that one of them never runs?
bool same_claim(const tenon_kernel_desc& a, const tenon_kernel_desc& b) {
  if (a.priority != b.priority || a.flags != b.flags || a.predicate != b.predicate ||
      a.n_attrs != b.n_attrs || a.n_slots != b.n_slots ||
      (a.n_slots > 0 && std::memcmp(a.slots, b.slots, a.n_slots * sizeof *a.slots) != 0)) {
    return false;
  }
  if (a.n_variables == 0) return true;
  const size_t row = a.n_variables * sizeof *a.dtype_rows;
  for (uint32_t i = 0; i < a.n_rows; ++i) {
    for (uint32_t j = 0; j < b.n_rows; ++j) {
      if (std::memcmp(a.dtype_rows + size_t{i} * a.n_variables,
                      b.dtype_rows + size_t{j} * b.n_variables, row) == 0) {
        return true;
      }
    }
  }
  return false;
}

// The order of kernels and of rules: priority, then plugin id.
constexpr auto better = [](const auto* a, const auto* b) {
  return a->desc.priority != b->desc.priority ? a->desc.priority > b->desc.priority
                                              : a->plugin->id < b->plugin->id;
};

}  // namespace

// What readers are to see in place of what they see now.
struct Change {
  explicit Change(Registry& changed)
      : registry(changed), index(std::make_unique<Registry::Index>(*changed.index_)) {}

  template <class Set>
  using New = std::vector<std::pair<Op*, const Set*>>;

  // A new set of `op`, which begins as its old one.
  template <class Set>
  Set& replace(Op& op, std::atomic<const Set*> Op::*set, std::deque<Set>& kept, New<Set>& list) {
    Set& fresh = kept.emplace_back(*(op.*set).load(std::memory_order_acquire));
    list.emplace_back(&op, &fresh);
    return fresh;
  }

  // With a line for each op that the reports gain.
  void commit(std::vector<std::pair<Op*, std::string>>&& lines) {
    const std::unique_lock lock(registry.mutex_);
    registry.contents_.reserve(registry.contents_.size() + 1);
    for (auto& [op, line] : lines) op->report.reserve(op->report.size() + lines.size());
    // Nothing below allocates.
    for (auto& [op, line] : lines) op->report.push_back(std::move(line));
    for (const auto& [op, set] : kernels) op->kernels.store(set, std::memory_order_release);
    for (const auto& [op, set] : rules) op->rules.store(set, std::memory_order_release);
    registry.index_.swap(index);
    registry.contents_.push_back(std::move(content));
    registry.raise_epoch();
  }

  Registry& registry;
  std::unique_ptr<Registry::Index> index;
  std::unique_ptr<Registry::Content> content = std::make_unique<Registry::Content>();
  New<KernelSet> kernels;
  New<RuleSet> rules;
};

class Transaction {
 public:
  Transaction(Registry& registry, Plugin& plugin) : registry_(registry), plugin_(plugin) {}

  // Throws Error{TENON_E_PLUGIN}.
  void stage(const Tables& tables);
  void commit(std::vector<std::string>& report);

 private:
  void stage_op(const tenon_op_desc& desc, const What& tag);
  void stage_role(Op& op);
  void stage_kernel(const tenon_kernel_desc& desc, const What& tag);
  void stage_vjp(const tenon_vjp_desc& desc, const What& tag);
  void stage_backend(const tenon_backend_table& table);
  void stage_entry(uint32_t kind, const tenon_entry_desc* desc, const What& tag);
  void stage_samples(const tenon_selftest_table& table);
  void stage_tolerance(const tenon_tolerance& desc, const What& tag);
  void stage_optimizer_sample(const tenon_optimizer_sample& desc, const What& tag);
  void check_mandatory() const;

  Op* find_op(std::string_view name, uint32_t revision) const {
    return revision == 0 ? nullptr : next_->find_op(name, revision);
  }
  bool knows_op(std::string_view name) const { return next_->find_op(name, 0) != nullptr; }
  // Runs `check`; a misfit with an op that another plugin offered first, in place of this plugin's
  // own, is passed over, any other refuses the plugin. True when it fits.
  template <class Check>
  bool fits(const Op& op, const What& what, Check&& check);
  void pass_over(std::string line) { lines_.push_back(std::move(line)); }
  void pass_over(Op& op, const std::string& line);

  Registry& registry_;
  Plugin& plugin_;
  Change change_{registry_};
  Registry::Index* const next_ = change_.index.get();
  Registry::Content* const content_ = change_.content.get();
  std::vector<Op*> replaced_;  // ops of others that this plugin offers too
  std::map<Op*, KernelSet> new_kernels_;
  std::map<Op*, RuleSet> new_rules_;
  std::set<std::pair<std::string_view, uint32_t>> own_ops_, own_rules_;
  std::array<const Op*, kRoleEnd> own_roles_{};
  std::string own_kind_;               // of the plugin's backend, if that was not passed over
  bool kernel_of_unknown_op_ = false;  // on that kind: it may be what is mandatory
  std::vector<std::string> lines_;
  std::vector<std::pair<Op*, std::string>> op_lines_;
};

void Transaction::stage(const Tables& tables) {
  check_tables(tables);
  const auto each = [this](const auto* table, const char* noun, auto take) {
    each_entry(table, noun, [&](const auto& desc, const What& tag) { (this->*take)(desc, tag); });
  };
  each(tables.ops, "op", &Transaction::stage_op);
  if (tables.backend != nullptr) stage_backend(*tables.backend);
  each(tables.kernels, "kernel", &Transaction::stage_kernel);
  if (!own_kind_.empty()) check_mandatory();
  each(tables.vjps, "backward rule", &Transaction::stage_vjp);
  for (uint32_t kind = 0; kind < kKindEnd; ++kind) {
    each_entry(tables.entries[kind], kind_at(kind).noun,
               [&](const auto* desc, const What& tag) { stage_entry(kind, desc, tag); });
  }
  if (tables.selftest != nullptr) stage_samples(*tables.selftest);
  each(tables.tolerances, "tolerance", &Transaction::stage_tolerance);
  each(tables.optimizer_samples, "optimizer sample", &Transaction::stage_optimizer_sample);
}

void Transaction::pass_over(Op& op, const std::string& line) {
  lines_.push_back(line);
  op_lines_.emplace_back(&op, plugin_.id + ": " + line);
}

template <class Check>
bool Transaction::fits(const Op& op, const What& what, Check&& check) {
  if (!has(replaced_, &op)) {
    check();
    return true;
  }
  try {
    check();
    return true;
  } catch (const Error& error) {
    pass_over(what + " was built for this plugin's own op, but plugin " + op.plugin->id +
              " offered the op first: " + error.message);
    return false;
  }
}

void Transaction::stage_op(const tenon_op_desc& desc, const What& tag) {
  const std::string_view name = dotted_name_of(desc.name, tag);
  const auto words = [&] { return "op " + label(name, desc.revision); };
  const What what(words);
  if (!own_ops_.emplace(name, desc.revision).second) refuse(what + " is registered twice");
  const std::string_view schema_text = text_of(desc.schema, what);
  Schema schema;
  try {
    schema = parse_schema(schema_text);
  } catch (const Error& error) {
    refuse(what + ": " + error.message);
  }
  check_op(desc, name, schema);
  if (Op* other = find_op(name, desc.revision)) {
    replaced_.push_back(other);
    pass_over(*other, what + " was passed over: plugin " + other->plugin->id + " offered it first");
    return;
  }
  OwnedOp op(base::Slab<Op, kOpKind>::instance().create());
  op->desc = desc;
  op->name = name;
  op->schema_text = schema_text;
  op->doc = text_of(desc.doc, what);
  op->schema = std::move(schema);
  op->plugin = &plugin_;
  op->index = next_->next_op++;
  op->runtime = registry_.runtime_;
  next_->ops.push_back(op.get());
  auto& revisions = next_->ops_by_name[op->name];
  const auto older = [](const Op* a, const Op* b) { return a->desc.revision < b->desc.revision; };
  revisions.insert(std::upper_bound(revisions.begin(), revisions.end(), op.get(), older), op.get());
  stage_role(*op);
  content_->ops.push_back(std::move(op));
}

void Transaction::stage_role(Op& op) {
  if (op.desc.role == TENON_ROLE_NONE) return;
  const std::string role(name_of_role(op.desc.role));
  const Op*& own = own_roles_[op.desc.role];
  if (own != nullptr) {
    refuse("role '" + role + "' is claimed by two ops: " + own->name + " and " + op.name);
  }
  own = &op;
  Op*& holder = next_->roles[op.desc.role];
  if (holder == nullptr) {
    holder = &op;
    return;
  }
  pass_over(op, "op " + op.name + " was passed over for role '" + role + "': " + holder->name +
                    " of plugin " + holder->plugin->id + " holds it");
}

void Transaction::stage_kernel(const tenon_kernel_desc& desc, const What& tag) {
  const std::string_view name = dotted_name_of(desc.op, tag);
  const std::string_view device =
      text_of(desc.device, [&] { return "kernel for " + label(name, desc.revision); });
  const auto words = [&] {
    return tag + " (" + label(name, desc.revision) + " on " + std::string(device) + ")";
  };
  const What what(words);
  if (!is_plain_name(device)) refuse(what + ": the device kind is not one of [a-z0-9_]");
  Op* op = find_op(name, desc.revision);
  if (op == nullptr) {
    if (device == own_kind_) kernel_of_unknown_op_ = true;
    pass_over("kernel for unknown op " + label(name, desc.revision) + " on " + std::string(device) +
              " was passed over");
    return;
  }
  if (!fits(*op, what, [&] { check_kernel(desc, what, op->schema); })) return;
  const uint32_t kind = registry_.intern(device);
  for (const Kernel* other : new_kernels_[op]) {
    if (other->device_kind == kind && same_claim(other->desc, desc)) {
      refuse(what +
             " is registered twice: another kernel has the same slots and a dtype row of it");
    }
  }
  content_->kernels.push_back({{desc, &plugin_}, kind});
  new_kernels_[op].push_back(&content_->kernels.back());
}

// What every other op on a device stands on. Only what is known to be missing counts: the op may
// come from a plugin that is not there.
void Transaction::check_mandatory() const {
  const uint32_t kind = registry_.find_name(own_kind_);
  for (const uint32_t role : {TENON_ROLE_COPY, TENON_ROLE_FILL}) {
    std::string known;
    bool met = false;
    for (Op* op : next_->ops) {
      if (op->desc.role != role) continue;
      known += (known.empty() ? "" : ", ") + op->name;
      const auto added = new_kernels_.find(op);
      if (added == new_kernels_.end()) continue;
      for (const Kernel* kernel : added->second) {
        met |= kernel->device_kind == kind &&
               (role != TENON_ROLE_COPY || takes_any_layout(kernel->desc));
      }
    }
    if (met || known.empty() || kernel_of_unknown_op_) continue;
    refuse("device " + own_kind_ + ": a backend must have kernels for the roles 'copy' and " +
           "'fill'; this plugin registers none of " + known + " for it" +
           (role == TENON_ROLE_COPY ? " that takes any strides on both sides" : ""));
  }
}

void Transaction::stage_vjp(const tenon_vjp_desc& desc, const What& tag) {
  const std::string_view name = dotted_name_of(desc.op, tag);
  const auto words = [&] { return "backward rule of " + label(name, desc.revision); };
  const What what(words);
  if (!own_rules_.emplace(name, desc.revision).second) refuse(what + " is registered twice");
  Op* op = find_op(name, desc.revision);
  if (op == nullptr) {
    pass_over(what + " was passed over: the op is unknown");
    return;
  }
  if (!fits(*op, what, [&] { check_vjp(desc, what, op->schema); })) return;
  content_->rules.push_back({desc, &plugin_});
  const VjpRule* added = &content_->rules.back();
  new_rules_[op] = {added};
  const VjpRule* best = op->best_rule();
  if (best == nullptr) return;
  const VjpRule* first = better(added, best) ? added : best;
  const VjpRule* second = first == added ? best : added;
  const std::string line = what + " comes after that of plugin " + first->plugin->id +
                           ", which has priority " + std::to_string(first->desc.priority);
  if (second == added) {
    pass_over(*op, line);
  } else {
    op_lines_.emplace_back(op, second->plugin->id + ": " + line);
  }
}

void Transaction::stage_backend(const tenon_backend_table& table) {
  check_backend(table);
  const std::string kind(text_of(table.kind, "table tenon.backend/1"));
  for (const Backend* other : next_->backends) {
    if (other->kind_name == kind) {
      pass_over("device " + kind + " was passed over: plugin " + other->plugin->id +
                " offered it first");
      return;
    }
  }
  own_kind_ = kind;
  Backend backend{&table, &plugin_, plugin_.self, registry_.intern(kind), kind, 0, {}, false};
  tenon_diag diag{};
  int32_t count = 0;
  const tenon_status status = table.device_count(plugin_.self, &count, &diag);
  if (status == TENON_OK && count > 0) {
    backend.count = count;
  } else {
    backend.failed = status != TENON_OK;
    backend.why_none.assign(diag.message, strnlen(diag.message, sizeof diag.message));
    if (backend.why_none.empty()) {
      backend.why_none = status == TENON_OK
                             ? "the plugin found none and gave no reason"
                             : "device_count returned status " + std::to_string(status);
    }
  }
  content_->backends.push_back(std::move(backend));
  const auto earlier = [](const Backend* a, const Backend* b) {
    return a->plugin->order < b->plugin->order;
  };
  const Backend* added = &content_->backends.back();
  next_->backends.insert(
      std::upper_bound(next_->backends.begin(), next_->backends.end(), added, earlier), added);
}

void Transaction::stage_entry(uint32_t kind, const tenon_entry_desc* source, const What& tag) {
  const Kind& which = kind_at(kind);
  Entry entry{kind, {}, &plugin_, read_entry(source, which, tag)};
  const auto& desc = entry.as<tenon_entry_desc>();
  entry.name = dotted_name_of(desc.name, tag);
  const auto words = [&] { return std::string(which.noun).append(" ").append(entry.name); };
  const What what(words);
  text_of(desc.doc, what);
  const auto schema_of = [this](std::string_view name) {
    const Op* op = next_->find_op(name, 0);
    return op == nullptr ? nullptr : &op->schema;
  };
  if (which.check != nullptr) {
    which.check(desc, what, schema_of);
  } else {
    check_flags_zero(desc.flags, what);
  }
  auto& entries = next_->entries[kind];
  const auto other = entries.find(entry.name);
  if (other == entries.end()) {
    const Entry& added = content_->entries.emplace_back(std::move(entry));
    entries.emplace(added.name, &added);
  } else if (other->second->plugin == &plugin_) {
    refuse(what + " is registered twice");
  } else {
    pass_over(what + " was passed over: plugin " + other->second->plugin->id + " offered it first");
  }
}

void Transaction::stage_samples(const tenon_selftest_table& table) {
  std::vector<Sample> samples;
  samples.reserve(table.count);
  std::string_view known;  // samples of one op stand together
  for (uint32_t i = 0; i < table.count; ++i) {
    const tenon_sample& sample = table.samples[i];
    const auto words = [i] { return "sample " + std::to_string(i); };
    const What what(words);
    const std::string_view name = text_of(sample.op, what);
    text_of(sample.text, what);
    text_of(sample.fragment, what);
    if (name != known && !knows_op(name)) {
      pass_over("sample for unknown op " + shown(name) + " was passed over");
      continue;
    }
    known = name;
    samples.push_back({sample, &plugin_});
  }
  if (samples.empty()) return;
  next_->samples.push_back(
      {&plugin_, std::make_shared<const std::vector<Sample>>(std::move(samples))});
}

void Transaction::stage_tolerance(const tenon_tolerance& desc, const What& tag) {
  check_tolerance(desc, tag);
  const std::string_view name = text_of(desc.op, tag);
  if (!knows_op(name)) {
    pass_over("tolerance for unknown op " + shown(name) + " was passed over");
    return;
  }
  next_->tolerances.push_back({desc, &plugin_});
}

void Transaction::stage_optimizer_sample(const tenon_optimizer_sample& desc, const What& tag) {
  check_optimizer_sample(desc, tag);
  const std::string_view name = text_of(desc.optimizer, tag);
  if (!next_->entries[kind_of<tenon_optimizer_desc>()].contains(name)) {
    pass_over("sample for unknown optimizer " + shown(name) + " was passed over");
    return;
  }
  next_->optimizer_samples.push_back({desc, &plugin_});
}

void Transaction::commit(std::vector<std::string>& report) {
  const auto add = [&](const auto& sets, auto of_op, auto& kept, auto& list) {
    for (const auto& [op, added] : sets) {
      auto& set = change_.replace(*op, of_op, kept, list);
      // If ranks are equal, the first one registered wins.
      for (const auto* item : added) {
        set.insert(std::upper_bound(set.begin(), set.end(), item, better), item);
      }
    }
  };
  add(new_kernels_, &Op::kernels, content_->kernel_sets, change_.kernels);
  add(new_rules_, &Op::rules, content_->rule_sets, change_.rules);
  report.insert(report.end(), lines_.begin(), lines_.end());
  change_.commit(std::move(op_lines_));
}

void remove(Registry& registry, const Plugin& plugin) {
  const auto is_its = [&](const auto* entry) { return entry->plugin == &plugin; };
  Change change(registry);
  Registry::Index* const next = change.index.get();
  std::erase_if(next->ops, is_its);
  for (auto& [name, revisions] : next->ops_by_name) std::erase_if(revisions, is_its);
  std::erase_if(next->ops_by_name, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(next->backends, is_its);
  for (auto& entries : next->entries) {
    std::erase_if(entries, [&](const auto& entry) { return is_its(entry.second); });
  }
  const auto own = [&](const auto& entry) { return entry.plugin == &plugin; };
  std::erase_if(next->samples, own);
  std::erase_if(next->tolerances, own);
  std::erase_if(next->optimizer_samples, own);
  for (uint32_t role = 1; role < kRoleEnd; ++role) {
    if (next->roles[role] == nullptr || !is_its(next->roles[role])) continue;
    const auto heir = std::find_if(next->ops.begin(), next->ops.end(),
                                   [role](const Op* op) { return op->desc.role == role; });
    next->roles[role] = heir == next->ops.end() ? nullptr : *heir;
  }

  const auto without = [&](Op& op, auto set, auto& kept, auto& list) {
    if (std::ranges::none_of(*(op.*set).load(std::memory_order_acquire), is_its)) return;
    std::erase_if(change.replace(op, set, kept, list), is_its);
  };
  for (Op* op : next->ops) {
    without(*op, &Op::kernels, change.content->kernel_sets, change.kernels);
    without(*op, &Op::rules, change.content->rule_sets, change.rules);
  }
  change.commit({});
}

void add(Registry& registry, Plugin& plugin, const Tables& tables,
         std::vector<std::string>& report) {
  Transaction transaction(registry, plugin);
  transaction.stage(tables);
  transaction.commit(report);
}

}  // namespace tenon::registry
