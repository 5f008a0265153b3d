// SPDX-License-Identifier: Apache-2.0
// sdk/tools/op_facts.h: what the registry says about each op, as the matrix and the pages of
// `tenon ops` show it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "session.h"
#include "signature.h"

namespace tenon::tools {

struct OpFacts {
  std::string name, plugin, schema, doc;
  uint32_t revision = 0;
  Signature signature;
  Json kernels;           // as the query gives them
  std::string otherwise;  // what happens without a kernel: "view", "moved", "composed", "-"
  // The dtypes the schema allows for the first type variable (without one: that of the first
  // operand), and whether anything runs them.
  std::vector<std::pair<std::string, bool>> dtypes;
  std::string gradient;  // "rule", "composed", "none: why", "none"
  std::string rule;      // the plugin whose rule it is, or empty
  std::string second;    // the gradient's gradient: "rule", "composed", "none"; "-": no gradient
  std::vector<std::string> missing;  // blanks, in words

  // "kernel" if the plugin has one, else `otherwise`.
  std::string cell(const std::string& of_plugin) const;
  // A float op that has no gradient and does not say why.
  bool lacks_gradient() const { return gradient == "none"; }
};

// Those whose name, or what follows its last dot, is like one of the patterns ("*grad", "acme.*");
// sorted by name, then revision. No pattern: all.
std::vector<OpFacts> facts_of_ops(const Session& session, const std::vector<std::string>& patterns);

// Plugins that have a kernel of any op, sorted.
std::vector<std::string> plugins_with_kernels(const std::vector<OpFacts>& ops);

// Writes a page for each op, and README.md, which lists them, into a folder.
void write_pages(const Session& session, const std::vector<OpFacts>& ops,
                 const std::string& folder);

}  // namespace tenon::tools
