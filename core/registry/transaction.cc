// SPDX-License-Identifier: Apache-2.0
// core/registry/transaction.cc: stages the entries of each table and commits them.
#include "core/registry/transaction.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "core/registry/checks_entries.h"
#include "core/registry/checks_kernels.h"
#include "core/registry/kinds/parts.h"
#include "core/registry/plugin.h"

namespace tenon::registry {
namespace {

std::string label(std::string_view name, uint32_t revision) {
  return std::string(name) + (revision > 1 ? " revision " + std::to_string(revision) : "");
}

std::string tag_of(const char* noun, uint32_t position) {
  return std::string(noun) + " " + std::to_string(position);
}

std::string_view name_at(const tenon_string& text, const char* noun, uint32_t position) {
  return dotted_name_of(text, [&] { return tag_of(noun, position); });
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
template <class Entry>
bool better(const Entry* a, const Entry* b) {
  return a->desc.priority != b->desc.priority ? a->desc.priority > b->desc.priority
                                              : a->plugin->id < b->plugin->id;
}

// If ranks are equal, the first one registered wins.
template <class Entry>
void insert_by_rank(std::vector<const Entry*>& entries, const Entry* entry) {
  entries.insert(std::upper_bound(entries.begin(), entries.end(), entry, better<Entry>), entry);
}

}  // namespace

Transaction::Transaction(Registry& registry, Plugin& plugin)
    : registry_(registry),
      plugin_(plugin),
      next_(std::make_unique<Registry::Index>(*registry.index_)),
      content_(std::make_unique<Registry::Content>()) {}

void Transaction::stage(const Tables& tables) {
  check_tables(tables);
  const auto each = [](const auto* table, const char* noun, auto&& take) {
    for (uint32_t i = 0; table != nullptr && i < table->count; ++i) {
      take(read_descriptor(table->descs[i], [&] { return tag_of(noun, i); }), i);
    }
  };
  each(tables.ops, "op", [this](const auto& desc, uint32_t i) { stage_op(desc, i); });
  if (tables.backend != nullptr) stage_backend(*tables.backend);
  each(tables.kernels, "kernel", [this](const auto& desc, uint32_t i) { stage_kernel(desc, i); });
  if (!own_kind_.empty()) check_mandatory();
  each(tables.vjps, "backward rule", [this](const auto& desc, uint32_t i) { stage_vjp(desc, i); });
  for (uint32_t kind = 0; kind < kKindEnd; ++kind) {
    const tenon_entries_table* table = tables.entries[kind];
    for (uint32_t i = 0; table != nullptr && i < table->count; ++i) {
      stage_entry(kind, table->descs[i], i);
    }
  }
  if (tables.selftest != nullptr) stage_samples(*tables.selftest);
  each(tables.tolerances, "tolerance",
       [this](const auto& desc, uint32_t i) { stage_tolerance(desc, i); });
  each(tables.optimizer_samples, "optimizer sample",
       [this](const auto& desc, uint32_t i) { stage_optimizer_sample(desc, i); });
  build_sets();
}

void Transaction::pass_over(Op& op, const std::string& line) {
  lines_.push_back(line);
  op_lines_.emplace_back(&op, plugin_.id + ": " + line);
}

Op* Transaction::find_op(std::string_view name, uint32_t revision) const {
  const auto found = next_->ops_by_name.find(name);
  if (found == next_->ops_by_name.end()) return nullptr;
  for (Op* op : found->second) {
    if (op->desc.revision == revision) return op;
  }
  return nullptr;
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

void Transaction::stage_op(const tenon_op_desc& desc, uint32_t position) {
  const std::string_view name = name_at(desc.name, "op", position);
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

void Transaction::stage_kernel(const tenon_kernel_desc& desc, uint32_t position) {
  const std::string_view name = name_at(desc.op, "kernel", position);
  const std::string_view device =
      text_of(desc.device, [&] { return "kernel for " + label(name, desc.revision); });
  const auto words = [&] {
    return tag_of("kernel", position) + " (" + label(name, desc.revision) + " on " +
           std::string(device) + ")";
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
  content_->kernels.push_back({desc, &plugin_, kind});
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

void Transaction::stage_vjp(const tenon_vjp_desc& desc, uint32_t position) {
  const std::string_view name = name_at(desc.op, "backward rule", position);
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
  new_rules_[op] = added;
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

void Transaction::stage_entry(uint32_t kind, const tenon_entry_desc* source, uint32_t position) {
  const Kind& which = kind_at(kind);
  const auto tag = [&] { return std::string(which.noun) + " " + std::to_string(position); };
  Entry entry{kind, {}, &plugin_, read_entry(source, which, tag)};
  const auto& desc = entry.as<tenon_entry_desc>();
  entry.name = dotted_name_of(desc.name, tag);
  const auto words = [&] { return std::string(which.noun).append(" ").append(entry.name); };
  const What what(words);
  text_of(desc.doc, what);
  const auto schema_of = [this](std::string_view op) {
    const auto found = next_->ops_by_name.find(op);
    return found == next_->ops_by_name.end() ? nullptr : &found->second.back()->schema;
  };
  if (which.check != nullptr) {
    which.check(desc, {what, schema_of});
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
    const auto words = [i] { return tag_of("sample", i); };
    const What what(words);
    const std::string_view name = text_of(sample.op, what);
    text_of(sample.text, what);
    text_of(sample.fragment, what);
    if (name != known && next_->ops_by_name.find(name) == next_->ops_by_name.end()) {
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

void Transaction::stage_tolerance(const tenon_tolerance& desc, uint32_t position) {
  const auto words = [position] { return tag_of("tolerance", position); };
  const What what(words);
  check_tolerance(desc, what);
  const std::string_view name = text_of(desc.op, what);
  if (next_->ops_by_name.find(name) == next_->ops_by_name.end()) {
    pass_over("tolerance for unknown op " + shown(name) + " was passed over");
    return;
  }
  next_->tolerances.push_back({desc, &plugin_});
}

void Transaction::stage_optimizer_sample(const tenon_optimizer_sample& desc, uint32_t position) {
  const auto words = [position] { return tag_of("optimizer sample", position); };
  const What what(words);
  check_optimizer_sample(desc, what);
  const std::string_view name = text_of(desc.optimizer, what);
  if (!next_->entries[kind_of<tenon_optimizer_desc>()].contains(name)) {
    pass_over("sample for unknown optimizer " + shown(name) + " was passed over");
    return;
  }
  next_->optimizer_samples.push_back({desc, &plugin_});
}

void Transaction::build_sets() {
  for (const auto& [op, added] : new_kernels_) {
    KernelSet& set = content_->kernel_sets.emplace_back();
    if (const KernelSet* old = op->kernels.load(std::memory_order_acquire)) set = *old;
    for (const Kernel* kernel : added) insert_by_rank(set.kernels, kernel);
    new_kernel_sets_[op] = &set;
  }
  for (const auto& [op, added] : new_rules_) {
    RuleSet& set = content_->rule_sets.emplace_back();
    if (const RuleSet* old = op->rules.load(std::memory_order_acquire)) set = *old;
    insert_by_rank(set.rules, added);
    new_rule_sets_[op] = &set;
  }
}

void Transaction::commit(std::vector<std::string>& report) {
  report.insert(report.end(), lines_.begin(), lines_.end());
  const std::unique_lock lock(registry_.mutex_);
  registry_.contents_.reserve(registry_.contents_.size() + 1);
  for (auto& [op, line] : op_lines_) op->report.reserve(op->report.size() + op_lines_.size());
  // Nothing below allocates.
  for (auto& [op, line] : op_lines_) op->report.push_back(std::move(line));
  for (const auto& [op, set] : new_kernel_sets_) {
    op->kernels.store(set, std::memory_order_release);
  }
  for (const auto& [op, set] : new_rule_sets_) op->rules.store(set, std::memory_order_release);
  registry_.index_.swap(next_);
  registry_.contents_.push_back(std::move(content_));
  registry_.raise_epoch();
}

void remove(Registry& registry, const Plugin& plugin) {
  const auto is_its = [&](const auto* entry) { return entry->plugin == &plugin; };
  auto content = std::make_unique<Registry::Content>();
  auto next = std::make_unique<Registry::Index>(*registry.index_);
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

  std::vector<std::pair<Op*, const KernelSet*>> new_kernel_sets;
  std::vector<std::pair<Op*, const RuleSet*>> new_rule_sets;
  for (Op* op : next->ops) {
    const KernelSet* kernels = op->kernels.load(std::memory_order_acquire);
    if (kernels != nullptr &&
        std::any_of(kernels->kernels.begin(), kernels->kernels.end(), is_its)) {
      KernelSet& left = content->kernel_sets.emplace_back(*kernels);
      std::erase_if(left.kernels, is_its);
      new_kernel_sets.emplace_back(op, &left);
    }
    const RuleSet* rules = op->rules.load(std::memory_order_acquire);
    if (rules != nullptr && std::any_of(rules->rules.begin(), rules->rules.end(), is_its)) {
      RuleSet& left = content->rule_sets.emplace_back(*rules);
      std::erase_if(left.rules, is_its);
      new_rule_sets.emplace_back(op, &left);
    }
  }

  const std::unique_lock lock(registry.mutex_);
  registry.contents_.reserve(registry.contents_.size() + 1);
  // Nothing below allocates.
  for (const auto& [op, set] : new_kernel_sets) op->kernels.store(set, std::memory_order_release);
  for (const auto& [op, set] : new_rule_sets) op->rules.store(set, std::memory_order_release);
  registry.index_.swap(next);
  registry.contents_.push_back(std::move(content));
  registry.raise_epoch();
}

void add(Registry& registry, Plugin& plugin, const Tables& tables,
         std::vector<std::string>& report) {
  Transaction transaction(registry, plugin);
  transaction.stage(tables);
  transaction.commit(report);
}

}  // namespace tenon::registry
