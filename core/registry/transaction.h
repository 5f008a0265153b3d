// SPDX-License-Identifier: Apache-2.0
// core/registry/transaction.h: one plugin's tables on their way into the registry. Everything is
// built beside what readers see; `commit` swaps it in, and nothing after its reservations can fail.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/registry/checks.h"
#include "core/registry/registry.h"

namespace tenon::registry {

// Reads every descriptor of `tables` with the struct-size rules, checks names, schemas, roles,
// slots against schema, dtype rows, duplicates; throws Error{TENON_E_PLUGIN, ...}. Then adds all
// of it. Passed over with a line appended to `report`: the same (op name, revision), device kind,
// entry of a kind or role from a later plugin; kernels, rules and
// samples of ops that are neither registered nor in the same tables. Calls the backend's
// device_count and nothing else of the plugin. Called under the plugin host's mutex.
void add(Registry& registry, Plugin& plugin, const Tables& tables,
         std::vector<std::string>& report);

// Takes a plugin's entries out of every look-up: its kernels are chosen no more, and the next
// best rule or role holder takes the place of its own. The objects themselves stay, because
// calls, graphs and handles refer to them. All or nothing; called under the plugin host's mutex.
void remove(Registry& registry, const Plugin& plugin);

class Transaction {
 public:
  Transaction(Registry& registry, Plugin& plugin);

  // Each reads one table, if there; throws Error{TENON_E_PLUGIN}.
  void stage(const Tables& tables);
  void commit(std::vector<std::string>& report);

 private:
  void stage_op(const tenon_op_desc& desc, uint32_t position);
  void stage_role(Op& op);
  void stage_kernel(const tenon_kernel_desc& desc, uint32_t position);
  void stage_vjp(const tenon_vjp_desc& desc, uint32_t position);
  void stage_backend(const tenon_backend_table& table);
  void stage_entry(uint32_t kind, const tenon_entry_desc* desc, uint32_t position);
  void stage_samples(const tenon_selftest_table& table);
  void stage_tolerance(const tenon_tolerance& desc, uint32_t position);
  void stage_optimizer_sample(const tenon_optimizer_sample& desc, uint32_t position);
  void check_mandatory() const;
  void build_sets();

  Op* find_op(std::string_view name, uint32_t revision) const;
  // Runs `check`; a misfit with an op that another plugin offered first, in place of this plugin's
  // own, is passed over, any other refuses the plugin. True when it fits.
  template <class Check>
  bool fits(const Op& op, const What& what, Check&& check);
  void pass_over(std::string line) { lines_.push_back(std::move(line)); }
  void pass_over(Op& op, const std::string& line);

  Registry& registry_;
  Plugin& plugin_;
  std::unique_ptr<Registry::Index> next_;
  std::unique_ptr<Registry::Content> content_;
  std::vector<Op*> replaced_;  // ops of others that this plugin offers too
  std::map<Op*, std::vector<const Kernel*>> new_kernels_;
  std::map<Op*, const VjpRule*> new_rules_;
  std::map<Op*, const KernelSet*> new_kernel_sets_;
  std::map<Op*, const RuleSet*> new_rule_sets_;
  std::set<std::pair<std::string_view, uint32_t>> own_ops_, own_rules_;
  std::array<const Op*, kRoleEnd> own_roles_{};
  std::string own_kind_;               // of the plugin's backend, if that was not passed over
  bool kernel_of_unknown_op_ = false;  // on that kind: it may be what is mandatory
  std::vector<std::string> lines_;
  std::vector<std::pair<Op*, std::string>> op_lines_;
};

}  // namespace tenon::registry
