// SPDX-License-Identifier: Apache-2.0
// sdk/tools/verify_main.cc: tenon-verify, the program that `tenon verify` and `tenon golden`
// become: its command line.
#include "command_line.h"
#include "golden_new.h"
#include "report/report.h"
#include "verify.h"

namespace tenon::verify {
namespace {

struct Given : tools::CommandLine {
  Request request;
  GoldenRequest golden;
  std::string order;
  bool causes = false;
};

// "--json -" prints, any other value is a file.
void take_json_file(Given& given, const std::string& file) {
  given.json = given.request.json = file == "-";
  given.request.json_file = given.json ? "" : file;
}

void add_verify(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand("verify", tools::kVerifyTitle);
  Request& request = given.request;
  command->add_option("plugin", request.plugins,
                      "Ids, plugin folders or libraries; none: all plugins found");
  command
      ->add_option("--level", request.level,
                   "0 smoke, 1 values and layouts, 2 the full matrix, 3 soak (1)")
      ->check(CLI::Range(kSmoke, kSoak));
  command
      ->add_option("--ops", request.ops,
                   "Only these ops and optimizers, comma separated; a final * stands for any rest")
      ->delimiter(',')
      ->allow_extra_args(false);  // what follows is a plugin
  command->add_option("--seed", request.seed, "Of the contents of operands");
  command->add_option_function<std::string>(
      "--json", [&given](const std::string& file) { take_json_file(given, file); },
      "Write the report as JSON to this file; - prints it instead of the text");
  command
      ->add_option("--goldens", request.goldens,
                   "A folder of golden files, searched before the others; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--case", request.only_case, "Run this case alone, as a failure names it");
  command->add_option("--jobs", request.jobs, "Processes at a time (as many as CPUs)")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--timeout", request.seconds,
                   "Seconds without progress after which a process is ended (60; 900 at level 3)")
      ->check(CLI::Range(0.1, 86400.0));
  command->add_flag("--strict", request.strict,
                    "Fail where nothing independent says what is right, instead of warning");
  command->add_flag("--matrix", request.matrix, "Print the table of layouts however wide it is");
  command->add_flag("--list-causes", given.causes,
                    "Instead: list the causes of failures there are");
  command->callback([&] {
    given.run = [&] {
      return given.causes ? list_causes(given.json) : verify(given.options, given.request);
    };
  });
}

void add_golden(CLI::App& app, Given& given) {
  CLI::App* golden = app.add_subcommand("golden", tools::kGoldenTitle);
  golden->require_subcommand(1);
  CLI::App* command = golden->add_subcommand(
      "new", "Begin a golden file: its cases and their drawn operands, without results");
  GoldenRequest& request = given.golden;
  command
      ->add_option("name", request.names, "An op, an optimizer, a layer, a dataset or a schedule")
      ->required();
  command->add_option("--into", request.into, "The folder of golden files (goldens)");
  command->add_flag("--force", request.force, "Write over a file that is there");
  command->add_flag("--json", request.json, "Print JSON");
  command->callback([&given] {
    given.json = given.golden.json;
    given.run = [&given] { return golden_new(given.options, given.golden); };
  });
}

// What `verify` runs; an empty group keeps it out of the help.
void add_verify_child(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand("verify-child", "")->group("");
  command->add_option("order", given.order)->required();
  command->callback([&] { given.run = [&] { return verify_child(given.options, given.order); }; });
}

}  // namespace
}  // namespace tenon::verify

int main(int argc, char** argv) {
  CLI::App app(tenon::tools::kCommandTitle, "tenon");
  tenon::verify::Given given;
  tenon::tools::add_options(app, given);
  tenon::verify::add_verify(app, given);
  tenon::verify::add_golden(app, given);
  tenon::verify::add_verify_child(app, given);
  return tenon::tools::run_command_line(app, given, argc, argv);
}
