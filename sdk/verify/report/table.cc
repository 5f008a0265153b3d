// SPDX-License-Identifier: Apache-2.0
// sdk/verify/report/table.cc: see table.h. Columns nobody has a case in are left out; their reasons
// are in the JSON report.
#include "report/table.h"

#include <algorithm>

namespace tenon::verify {
namespace {

constexpr size_t kWidth = 100;

using Counts = std::map<std::string, uint64_t>;
using Rows = std::vector<std::vector<std::string>>;

// Names of columns in the order of their enumeration.
template <class Kind>
std::vector<std::string> columns(const PluginResult& result, size_t count,
                                 const Counts Tally::*member) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    const std::string name(name_of(static_cast<Kind>(i)));
    const bool used = std::any_of(
        result.groups.begin(), result.groups.end(),
        [&](const GroupResult& group) { return (group.tally.*member).count(name) != 0; });
    if (used) names.push_back(name);
  }
  return names;
}

std::string row_name(const Group& group) {
  return group.backend.empty() ? group.name() : group.name() + " " + group.backend;
}

Rows rows_of(const PluginResult& result, const std::vector<std::string>& names,
             const Counts Tally::*member) {
  Rows rows;
  rows.push_back({"", "cases"});
  rows.back().insert(rows.back().end(), names.begin(), names.end());
  for (const GroupResult& group : result.groups) {
    std::vector<std::string> row{row_name(group.group), std::to_string(group.tally.cases)};
    for (const std::string& name : names) {
      const Counts& counts = group.tally.*member;
      const auto found = counts.find(name);
      row.push_back(found == counts.end() ? "-" : std::to_string(found->second));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string aligned(const Rows& rows, size_t& width) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  width = 2;
  for (const size_t each : widths) width += each + 2;
  std::string text;
  for (const auto& row : rows) {
    std::string line = "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - row[i].size(), ' ');
      line += i == 0 ? row[i] + gap : "  " + gap + row[i];
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string table_text(const PluginResult& result, bool all) {
  if (result.groups.empty()) return "";
  size_t width = 0;
  const auto forms = columns<Form>(result, kFormCount, &Tally::forms);
  std::string text = aligned(rows_of(result, forms, &Tally::forms), width);
  const auto layouts = columns<Layout>(result, kLayoutCount, &Tally::layouts);
  const std::string second = aligned(rows_of(result, layouts, &Tally::layouts), width);
  if (!layouts.empty() && (all || width <= kWidth)) text += second;
  return text;
}

Json impossible_cells(const Json& facts) {
  Json cells = Json::object();
  for (const char* kind : {"forms", "layouts"}) {
    for (const auto& [name, why] : facts.at(kind).items()) {
      if (!why.get<std::string>().empty()) cells[kind][name] = why;
    }
  }
  return cells;
}

}  // namespace tenon::verify
