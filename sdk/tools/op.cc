// SPDX-License-Identifier: Apache-2.0
// sdk/tools/op.cc: `tenon op list`, and what `tenon explain` says of ops alone.
#include <algorithm>

#include "command.h"
#include "explain.h"
#include "operands.h"

namespace tenon::tools {
namespace {

std::string flags_text(const Json& flags) {
  const std::string text = joined(names_of(flags));
  return text.empty() ? "" : " [" + text + "]";
}

std::string kernel_text(const Json& kernel) {
  return "  " + kernel.at("plugin").get<std::string>() + " for " +
         kernel.at("device").get<std::string>() + ", priority " +
         std::to_string(kernel.at("priority").get<int>()) +
         (kernel.at("canonical").get<bool>() ? ", canonical" : "") +
         (kernel.at("capture_safe").get<bool>() ? ", capture-safe" : "") + ": " +
         joined(names_of(kernel.at("dtypes"))) + "\n";
}

std::string backward_text(const Json& rule, bool compose) {
  if (!rule.is_null()) return "backward rule of " + rule.get<std::string>();
  return compose ? "backward through the composition" : "no backward rule";
}

std::string operand_text(const Json& operand) {
  std::string shape;
  for (const Json& extent : operand.at("shape")) {
    shape += (shape.empty() ? "" : ",") + std::to_string(extent.get<int64_t>());
  }
  return operand.at("dtype").get<std::string>() + "[" + shape + "]";
}

void print_list(const char* title, const Json& items) {
  for (const std::string& item : names_of(items)) print(std::string(title) + item + "\n");
}

void print_call(const Json& call) {
  print(call.at("op").get<std::string>() + " of " + call.at("plugin").get<std::string>() + " on " +
        call.at("device").get<std::string>() + "\n");
  for (const Json& input : call.at("inputs")) {
    print("  input " + input.at("name").get<std::string>() + ": " +
          input.at("value").get<std::string>() + "\n");
  }
  for (const auto& [variable, dtype] : call.at("dtypes").items()) {
    print("  dtype " + variable + " = " + dtype.get<std::string>() + "\n");
  }
  for (const Json& cast : call.at("casts")) {
    print("  cast of " + cast.at("input").get<std::string>() + ": " +
          cast.at("from").get<std::string>() + " to " + cast.at("to").get<std::string>() + "\n");
  }
  for (const Json& output : call.at("outputs")) {
    const std::string name = output.at("name");
    print("  output" + (name.empty() ? "" : " " + name) + ": " + operand_text(output) +
          (output.at("aux").get<bool>() ? " (aux)" : "") + "\n");
  }
  const Json& chosen = call.at("chosen");
  if (chosen.is_null()) {
    print("nothing can run this call\n");
  } else if (chosen.is_string()) {
    print(chosen == "view"       ? "a view: no kernel runs\n"
          : chosen == "transfer" ? "a transfer: Tenon moves the data, no kernel of the op runs\n"
                                 : "runs its composition\n");
  } else {
    print("runs the kernel of " + chosen.at("plugin").get<std::string>() + ", priority " +
          std::to_string(chosen.at("priority").get<int>()) + flags_text(chosen.at("flags")) + "\n");
  }
  for (const Json& candidate : call.at("candidates")) {
    const std::string reason = candidate.at("reason");
    print("  candidate " + candidate.at("plugin").get<std::string>() + " for " +
          candidate.at("device").get<std::string>() + ", priority " +
          std::to_string(candidate.at("priority").get<int>()) + ": " +
          (reason.empty() ? "can run" : reason) + "\n");
  }
  const Json& backward = call.at("backward");
  print(backward_text(backward.at("plugin"), backward.at("compose").get<bool>()) + "\n");
  print_list("note: ", call.at("report"));
}

}  // namespace

int op_list(const Options& options, bool as_json) {
  const Session session(options);
  const Json ops = session.query("ops");
  if (as_json) {
    print_json(ops);
    return kGood;
  }
  for (const Json& op : ops) {
    print(op.at("name").get<std::string>() + "\n  " + op.at("schema").get<std::string>() + "\n");
  }
  return kGood;
}

void print_how_it_runs(const Json& op) {
  const std::vector<std::string> flags = names_of(op.at("flags"));
  const bool moves = std::find(flags.begin(), flags.end(), "transfer") != flags.end();
  print(moves                      ? "no kernels needed: Tenon itself moves the data\n"
        : op.at("kernels").empty() ? "no kernels\n"
                                   : "kernels, best first\n");
  for (const Json& kernel : op.at("kernels")) print(kernel_text(kernel));
  if (op.at("compose").get<bool>()) print("composition: in terms of other ops\n");
  print(backward_text(op.at("vjp"), op.at("compose").get<bool>()) + "\n");
  if (!flags.empty()) print("flags: " + joined(flags) + "\n");
  if (!op.at("role").is_null()) {
    print("holds the role " + op.at("role").get<std::string>() + "\n");
  }
}

int explain_call(const Session& session, const std::string& name, const std::string& sample,
                 bool as_json) {
  const tenon_op* op = session.op(name);
  const Operands operands(session, op, sample);
  tenon_text* text = nullptr;
  session.check(tenon_op_explain(session.context(), op, operands.inputs().data(),
                                 static_cast<uint32_t>(operands.inputs().size()),
                                 operands.attrs().data(),
                                 static_cast<uint32_t>(operands.attrs().size()), &text));
  const Json call = Json::parse(take_text(text));
  as_json ? print_json(call) : print_call(call);
  return call.at("chosen").is_null() ? kFindings : kGood;
}

}  // namespace tenon::tools
