// SPDX-License-Identifier: Apache-2.0
// sdk/tools/ops.cc: `tenon ops`: which op runs where, in which dtypes, and has which gradient.
#include <algorithm>

#include "command.h"
#include "op_facts.h"

namespace tenon::tools {
namespace {

using Line = std::vector<std::string>;

// "-": the schema takes none of them; "yes", "no": all or none of those it takes are run.
std::string dtypes_cell(const OpFacts& op, const std::vector<std::string>& group) {
  size_t allowed = 0;
  size_t run = 0;
  for (const auto& [dtype, runs] : op.dtypes) {
    if (std::find(group.begin(), group.end(), dtype) == group.end()) continue;
    ++allowed;
    run += runs ? 1 : 0;
  }
  if (allowed == 0) return "-";
  if (run == allowed) return "yes";
  return run == 0 ? "no" : std::to_string(run) + "/" + std::to_string(allowed);
}

// "tenon.ref" as "ref": what is left of a name tells plugins of one vendor apart.
std::string short_name(const std::string& plugin) {
  return plugin.starts_with("tenon.") ? plugin.substr(6) : plugin;
}

Line line_of(const OpFacts& op, const std::vector<std::string>& plugins) {
  Line line = {op.name, short_name(op.plugin), dtypes_cell(op, {"bool"}),
               dtypes_cell(op, {"u8", "i8", "i16", "i32", "i64"})};
  for (const char* dtype : {"f16", "bf16", "f32", "f64"}) {
    line.push_back(dtypes_cell(op, {dtype}));
  }
  for (const std::string& plugin : plugins) line.push_back(op.cell(plugin));
  line.push_back(op.second);
  line.push_back(one_line(op.gradient));
  return line;
}

void print_aligned(const std::vector<Line>& lines) {
  std::vector<size_t> widths(lines.front().size());
  for (const Line& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const Line& line : lines) {
    std::string text;
    for (size_t i = 0; i + 1 < line.size(); ++i) {
      text += line[i] + std::string(widths[i] - line[i].size() + 2, ' ');
    }
    print(text + line.back() + "\n");
  }
}

void print_matrix(const std::vector<OpFacts>& ops) {
  const std::vector<std::string> plugins = plugins_with_kernels(ops);
  Line head = {"op", "plugin", "bool", "int", "f16", "bf16", "f32", "f64"};
  for (const std::string& plugin : plugins) head.push_back(short_name(plugin));
  head.insert(head.end(), {"twice", "gradient"});
  std::vector<Line> lines = {head};
  for (const OpFacts& op : ops) lines.push_back(line_of(op, plugins));
  print_aligned(lines);
  std::vector<std::string> counts;
  for (const std::string& plugin : plugins) {
    const auto count = std::count_if(
        ops.begin(), ops.end(), [&](const OpFacts& op) { return op.cell(plugin) == "kernel"; });
    counts.push_back(short_name(plugin) + " " + std::to_string(count));
  }
  const auto count = [&](const std::string& gradient) {
    return std::to_string(std::count_if(ops.begin(), ops.end(), [&](const OpFacts& op) {
      return op.gradient.starts_with(gradient);
    }));
  };
  print(count_text(ops.size(), "op") + "; with a kernel: " + joined(counts) + "; gradient: rule " +
        count("rule") + ", composed " + count("composed") + ", none " + count("none") + "\n");
}

void print_missing(const std::vector<OpFacts>& ops) {
  size_t with = 0;
  for (const OpFacts& op : ops) {
    with += op.missing.empty() ? 0 : 1;
    for (const std::string& blank : op.missing) print(op.name + ": " + blank + "\n");
  }
  print(std::to_string(with) + " of " + count_text(ops.size(), "op") + " with something missing\n");
}

Json json_of(const OpFacts& op, const std::vector<std::string>& plugins) {
  Json dtypes = Json::object();
  for (const auto& [dtype, runs] : op.dtypes) dtypes[dtype] = runs;
  Json kernels = Json::object();
  for (const std::string& plugin : plugins) kernels[plugin] = op.cell(plugin);
  return {{"name", op.name},
          {"revision", op.revision},
          {"plugin", op.plugin},
          {"dtypes", std::move(dtypes)},
          {"kernels", std::move(kernels)},
          {"gradient", op.gradient},
          {"gradient_twice", op.second},
          {"missing", op.missing}};
}

}  // namespace

int ops(const Options& options, const OpsRequest& request) {
  const std::string folder = request.pages.empty() ? "" : absolute_path(request.pages);
  const Session session(options);
  std::vector<OpFacts> all = facts_of_ops(session, request.patterns);
  if (all.empty()) throw Failure{"no op has such a name; `tenon op list` shows all"};
  if (!folder.empty()) {
    write_pages(session, all, folder);
    const std::string what = count_text(all.size(), "page") + " in " + folder;
    request.json ? print_json(Json{{"folder", folder}, {"pages", all.size()}}) : print(what + "\n");
    return kGood;
  }
  const bool lacks =
      std::any_of(all.begin(), all.end(), [](const OpFacts& op) { return op.lacks_gradient(); });
  const std::vector<std::string> plugins = plugins_with_kernels(all);
  if (request.json) {
    Json found = Json::array();
    for (const OpFacts& op : all) {
      if (!request.missing || !op.missing.empty()) found.push_back(json_of(op, plugins));
    }
    print_json(Json{{"plugins", plugins}, {"ops", found}});
  } else if (request.missing) {
    print_missing(all);
  } else {
    print_matrix(all);
  }
  return request.missing && lacks ? kFindings : kGood;
}

}  // namespace tenon::tools
