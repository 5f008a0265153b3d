// SPDX-License-Identifier: Apache-2.0
// sdk/tools/op_facts.cc: see op_facts.h.
#include "op_facts.h"

#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace tenon::tools {
namespace {

constexpr const char* kNoGradient = "No gradient:";

bool is_like(const std::string& name, const std::vector<std::string>& patterns) {
  const std::string last = name.substr(name.rfind('.') + 1);
  return patterns.empty() ||
         std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return fnmatch(pattern.c_str(), name.c_str(), 0) == 0 ||
                  fnmatch(pattern.c_str(), last.c_str(), 0) == 0;
         });
}

bool has_flag(const Json& op, const std::string& flag) {
  const std::vector<std::string> flags = names_of(op.at("flags"));
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

std::string otherwise_of(const Json& op) {
  if (has_flag(op, "view")) return "view";
  if (has_flag(op, "transfer")) return "moved";
  return op.at("compose").get<bool>() ? "composed" : "-";
}

// The paragraph of the documentation that says why there is no gradient, as one line without the
// final stop; empty if none does.
std::string stated_reason(const std::string& doc) {
  const size_t found = doc.find(kNoGradient);
  if (found == doc.npos) return {};
  const size_t begin = doc.find_first_not_of(" \n", found + std::string(kNoGradient).size());
  if (begin == doc.npos) return {};
  std::string reason = doc.substr(begin, doc.find("\n\n", begin) - begin);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  if (reason.ends_with('.')) reason.pop_back();
  return reason;
}

bool any_float(const Signature& signature, const std::vector<Operand>& operands) {
  return std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
    const std::vector<std::string> dtypes = signature.dtypes_of(operand.dtype);
    return std::any_of(dtypes.begin(), dtypes.end(), is_float_dtype);
  });
}

std::string gradient_of(const OpFacts& op, bool composes) {
  if (!op.rule.empty()) return "rule";
  const std::string reason = stated_reason(op.doc);
  if (!reason.empty()) return "none: " + reason;
  if (op.signature.outputs.empty()) return "none: it gives no result";
  if (!any_float(op.signature, op.signature.outputs)) return "none: integers";
  if (!any_float(op.signature, op.signature.inputs)) return "none: no float input";
  return composes ? "composed" : "none";
}

std::vector<std::pair<std::string, bool>> dtypes_of(const OpFacts& op) {
  const Signature& signature = op.signature;
  std::string type;
  if (!signature.variables.empty()) {
    type = signature.variables.front().name;
  } else if (!signature.inputs.empty()) {
    type = signature.inputs.front().dtype;
  } else if (!signature.outputs.empty()) {
    type = signature.outputs.front().dtype;
  } else {
    return {};
  }
  std::set<std::string> run;
  for (const Json& kernel : op.kernels) {
    for (const std::string& row : names_of(kernel.at("dtypes"))) {
      run.insert(row.substr(0, row.find(' ')));
    }
  }
  // A kernel of an op without variables has no row to tell.
  const bool all = op.otherwise != "-" || (signature.variables.empty() && !op.kernels.empty());
  std::vector<std::pair<std::string, bool>> dtypes;
  for (const std::string& dtype : signature.dtypes_of(type)) {
    dtypes.emplace_back(dtype, all || run.count(dtype) != 0);
  }
  return dtypes;
}

std::vector<std::string> missing_of(const OpFacts& op) {
  std::vector<std::string> missing;
  if (op.kernels.empty() && op.otherwise == "-") missing.emplace_back("no kernel, no composition");
  std::vector<std::string> dtypes;
  for (const auto& [dtype, runs] : op.dtypes) {
    if (!runs) dtypes.push_back(dtype);
  }
  if (!dtypes.empty() && missing.empty()) missing.push_back("nothing runs " + joined(dtypes));
  if (op.lacks_gradient()) {
    missing.emplace_back("no backward rule, no composition, no reason stated");
  }
  if (op.second == "none") missing.emplace_back("its backward rule has no gradient itself");
  return missing;
}

OpFacts facts_of(const Json& op) {
  OpFacts facts;
  facts.name = op.at("name");
  facts.plugin = op.at("plugin");
  facts.schema = op.at("schema");
  facts.doc = op.at("doc");
  facts.revision = op.at("revision");
  facts.signature = signature_of(op);
  facts.kernels = op.at("kernels");
  facts.otherwise = otherwise_of(op);
  facts.dtypes = dtypes_of(facts);
  if (!op.at("vjp").is_null()) facts.rule = op.at("vjp");
  facts.gradient = gradient_of(facts, op.at("compose"));
  facts.second = facts.gradient == "composed"     ? "composed"
                 : facts.gradient != "rule"       ? "-"
                 : op.at("vjp_twice").get<bool>() ? "rule"
                                                  : "none";
  facts.missing = missing_of(facts);
  return facts;
}

}  // namespace

std::string OpFacts::cell(const std::string& of_plugin) const {
  const bool has = std::any_of(kernels.begin(), kernels.end(), [&](const Json& kernel) {
    return kernel.at("plugin") == of_plugin;
  });
  return has ? "kernel" : otherwise;
}

std::vector<OpFacts> facts_of_ops(const Session& session,
                                  const std::vector<std::string>& patterns) {
  std::vector<OpFacts> ops;
  for (const Json& op : session.query("ops")) {
    if (is_like(op.at("name"), patterns)) ops.push_back(facts_of(op));
  }
  std::sort(ops.begin(), ops.end(), [](const OpFacts& a, const OpFacts& b) {
    return std::tie(a.name, a.revision) < std::tie(b.name, b.revision);
  });
  return ops;
}

std::vector<std::string> plugins_with_kernels(const std::vector<OpFacts>& ops) {
  std::set<std::string> plugins;
  for (const OpFacts& op : ops) {
    for (const Json& kernel : op.kernels) plugins.insert(kernel.at("plugin").get<std::string>());
  }
  return {plugins.begin(), plugins.end()};
}

}  // namespace tenon::tools
