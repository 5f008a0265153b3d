// SPDX-License-Identifier: Apache-2.0
// core/registry/transaction.cc: stages the entries of each table and commits them.
#include "core/registry/transaction.h"

#include <algorithm>
#include <mutex>

#include "core/plugin/plugin_host.h"

namespace tenon::registry {
namespace {

std::string label(std::string_view name, uint32_t revision) {
  return std::string(name) + (revision > 1 ? " revision " + std::to_string(revision) : "");
}

std::string name_at(const tenon_string& text, const char* noun, uint32_t position) {
  const std::string what = std::string(noun) + " " + std::to_string(position);
  std::string name(text_of(text, what));
  if (!is_dotted_name(name)) {
    refuse(what + ": the name '" + name +
           "' is not of the form vendor.name in small letters, digits and '_'");
  }
  return name;
}

template <class List, class Item>
bool has(const List& list, const Item& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// The order of kernels and of rules: priority, then plugin id.
template <class Entry>
bool better(const Entry* a, const Entry* b) {
  return a->desc.priority != b->desc.priority ? a->desc.priority > b->desc.priority
                                              : a->plugin->id < b->plugin->id;
}

}  // namespace

void OpDeleter::operator()(Op* op) const noexcept {
  memory::Slab<Op, kOpKind>::instance().destroy(op);
}

Transaction::Transaction(Registry& registry, plugin::Plugin& plugin)
    : registry_(registry),
      plugin_(plugin),
      next_(std::make_unique<Registry::Index>(*registry.index_)),
      content_(std::make_unique<Registry::Content>()) {}

void Transaction::stage(const Tables& tables) {
  check_tables(tables);
  const auto each = [](const auto* table, const char* noun, auto&& take) {
    for (uint32_t i = 0; table != nullptr && i < table->count; ++i) {
      take(read_descriptor(table->descs[i], std::string(noun) + " " + std::to_string(i)), i);
    }
  };
  each(tables.ops, "op", [this](const auto& desc, uint32_t i) { stage_op(desc, i); });
  if (tables.backend != nullptr) stage_backend(*tables.backend);
  each(tables.kernels, "kernel", [this](const auto& desc, uint32_t i) { stage_kernel(desc, i); });
  each(tables.vjps, "backward rule", [this](const auto& desc, uint32_t i) { stage_vjp(desc, i); });
  each(tables.optimizers, "optimizer",
       [this](const auto& desc, uint32_t i) { stage_optimizer(desc, i); });
  each(tables.datasets, "dataset",
       [this](const auto& desc, uint32_t i) { stage_dataset(desc, i); });
  for (uint32_t i = 0; tables.selftest != nullptr && i < tables.selftest->count; ++i) {
    stage_sample(tables.selftest->samples[i]);
  }
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
bool Transaction::fits(const Op& op, const std::string& what, Check&& check) {
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
  const std::string name = name_at(desc.name, "op", position);
  const std::string what = "op " + label(name, desc.revision);
  if (has(own_ops_, std::pair(name, desc.revision))) refuse(what + " is registered twice");
  own_ops_.emplace_back(name, desc.revision);
  Schema schema;
  try {
    schema = parse_schema(text_of(desc.schema, what));
  } catch (const Error& error) {
    refuse(what + ": " + error.message);
  }
  check_op(desc, name, schema);
  if (Op* other = find_op(name, desc.revision)) {
    replaced_.push_back(other);
    pass_over(*other, what + " was passed over: plugin " + other->plugin->id + " offered it first");
    return;
  }
  OwnedOp op(memory::Slab<Op, kOpKind>::instance().create());
  op->desc = desc;
  op->name = name;
  op->schema_text = text_of(desc.schema, what);
  op->doc = text_of(desc.doc, what);
  op->schema = std::move(schema);
  op->plugin = &plugin_;
  op->index = next_->next_op++;
  op->runtime = registry_.runtime_;
  next_->ops.push_back(op.get());
  auto& revisions = next_->ops_by_name[name];
  const auto older = [](const Op* a, const Op* b) { return a->desc.revision < b->desc.revision; };
  revisions.insert(std::upper_bound(revisions.begin(), revisions.end(), op.get(), older), op.get());
  stage_role(*op);
  content_->ops.push_back(std::move(op));
}

void Transaction::stage_role(Op& op) {
  if (op.desc.role == TENON_ROLE_NONE) return;
  Op*& holder = next_->roles[op.desc.role];
  if (holder == nullptr) {
    holder = &op;
    return;
  }
  const std::string role(name_of_role(op.desc.role));
  if (holder->plugin == &plugin_) {
    refuse("role '" + role + "' is claimed by two ops: " + holder->name + " and " + op.name);
  }
  pass_over(op, "op " + op.name + " was passed over for role '" + role + "': " + holder->name +
                    " of plugin " + holder->plugin->id + " holds it");
}

void Transaction::stage_kernel(const tenon_kernel_desc& desc, uint32_t position) {
  const std::string name = name_at(desc.op, "kernel", position);
  const std::string op_label = label(name, desc.revision);
  const std::string device(text_of(desc.device, "kernel for " + op_label));
  const std::string what =
      "kernel " + std::to_string(position) + " (" + op_label + " on " + device + ")";
  if (!is_plain_name(device)) refuse(what + ": the device kind is not one of [a-z0-9_]");
  Op* op = find_op(name, desc.revision);
  if (op == nullptr) {
    pass_over("kernel for unknown op " + op_label + " on " + device + " was passed over");
    return;
  }
  if (!fits(*op, what, [&] { check_kernel(desc, what, op->schema); })) return;
  content_->kernels.push_back({desc, &plugin_, registry_.intern(device)});
  new_kernels_[op].push_back(&content_->kernels.back());
}

void Transaction::stage_vjp(const tenon_vjp_desc& desc, uint32_t position) {
  const std::string name = name_at(desc.op, "backward rule", position);
  const std::string what = "backward rule of " + label(name, desc.revision);
  if (has(own_rules_, std::pair(name, desc.revision))) refuse(what + " is registered twice");
  own_rules_.emplace_back(name, desc.revision);
  Op* op = find_op(name, desc.revision);
  if (op == nullptr) {
    pass_over(what + " was passed over: the op is unknown");
    return;
  }
  if (!fits(*op, what, [&] { check_vjp(desc, what, op->schema); })) return;
  content_->rules.push_back({desc, &plugin_});
  const VjpRule* added = &content_->rules.back();
  new_rules_[op] = added;
  const RuleSet* others = op->rules.load(std::memory_order_acquire);
  if (others == nullptr || others->rules.empty()) return;
  const VjpRule* best = others->rules.front();
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
  Backend backend{&table, &plugin_, plugin_.self, registry_.intern(kind), kind, 0, {}};
  tenon_diag diag{};
  int32_t count = 0;
  const tenon_status status = table.device_count(plugin_.self, &count, &diag);
  if (status == TENON_OK && count > 0) {
    backend.count = count;
  } else {
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

void Transaction::stage_optimizer(const tenon_optimizer_desc& desc, uint32_t position) {
  const std::string name = name_at(desc.name, "optimizer", position);
  const std::string_view step_name = text_of(desc.step_op, "optimizer " + name);
  const auto step = next_->ops_by_name.find(step_name);
  check_optimizer(desc, name,
                  step == next_->ops_by_name.end() ? nullptr : &step->second.back()->schema);
  const auto other = next_->optimizers.find(name);
  if (other != next_->optimizers.end()) {
    if (other->second->plugin == &plugin_) refuse("optimizer " + name + " is registered twice");
    pass_over("optimizer " + name + " was passed over: plugin " + other->second->plugin->id +
              " offered it first");
    return;
  }
  content_->optimizers.push_back({desc, name, &plugin_});
  next_->optimizers[name] = &content_->optimizers.back();
}

void Transaction::stage_dataset(const tenon_dataset_desc& desc, uint32_t position) {
  const std::string name = name_at(desc.name, "dataset", position);
  check_dataset(desc, name);
  const auto other = next_->datasets.find(name);
  if (other != next_->datasets.end()) {
    if (other->second->plugin == &plugin_) refuse("dataset " + name + " is registered twice");
    pass_over("dataset " + name + " was passed over: plugin " + other->second->plugin->id +
              " offered it first");
    return;
  }
  content_->datasets.push_back({desc, name, &plugin_});
  next_->datasets[name] = &content_->datasets.back();
}

void Transaction::stage_sample(const tenon_sample& sample) {
  const std::string_view name = text_of(sample.op, "sample");
  text_of(sample.text, "sample");
  text_of(sample.fragment, "sample");
  if (next_->ops_by_name.find(name) == next_->ops_by_name.end()) {
    pass_over("sample for unknown op " + std::string(name) + " was passed over");
    return;
  }
  next_->samples.push_back({sample, &plugin_});
}

void Transaction::build_sets() {
  for (const auto& [op, added] : new_kernels_) {
    KernelSet& set = content_->kernel_sets.emplace_back();
    if (const KernelSet* old = op->kernels.load(std::memory_order_acquire)) set = *old;
    set.kernels.insert(set.kernels.end(), added.begin(), added.end());
    std::stable_sort(set.kernels.begin(), set.kernels.end(), better<Kernel>);
    new_kernel_sets_[op] = &set;
  }
  for (const auto& [op, added] : new_rules_) {
    RuleSet& set = content_->rule_sets.emplace_back();
    if (const RuleSet* old = op->rules.load(std::memory_order_acquire)) set = *old;
    set.rules.push_back(added);
    std::stable_sort(set.rules.begin(), set.rules.end(), better<VjpRule>);
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

}  // namespace tenon::registry
