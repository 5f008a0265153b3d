// SPDX-License-Identifier: Apache-2.0
// sdk/tools/main.cc: the command `tenon`: its command line. Exit status: 0 good, 1 findings or a
// failure, 2 a wrong command line.
#include <tenon/tenon.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <iostream>

#include "command.h"

namespace {

using namespace tenon::tools;

std::string version_text() {
  uint32_t major = 0;
  uint32_t minor = 0;
  uint32_t patch = 0;
  uint32_t draft = 0;
  tenon_version_get(&major, &minor, &patch, &draft);
  return "tenon " + std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch) + ", ABI draft " + std::to_string(draft);
}

// Where CLI11 puts what it read.
struct Given {
  Options options;
  bool json = false;
  std::string name, sample, file, output, id, kind;
  std::string language = "cpp";
  std::vector<std::string> program;
  std::function<int()> run;
};

void add_json(CLI::App* command, Given& given) {
  command->add_flag("--json", given.json, "Print JSON");
}

void add_op(CLI::App& app, Given& given) {
  CLI::App* op = app.add_subcommand("op", "Ops: what there is, and what a call would do");
  op->require_subcommand(1);
  CLI::App* all = op->add_subcommand("list", "Every op with its schema");
  add_json(all, given);
  all->callback([&] { given.run = [&] { return op_list(given.options, given.json); }; });
  CLI::App* explain = op->add_subcommand(
      "explain",
      "Schema, documentation, kernels and backward rule of an op; with a sample call: "
      "promotion, output shapes, the kernel chosen and why others were not");
  explain->add_option("name", given.name, "The op, \"tenon.add\"")->required();
  explain->add_option("sample", given.sample,
                      "A call such as \"f32[2,3], f32[3] | axis=1\" (docs/schema.md)");
  add_json(explain, given);
  explain->callback([&] {
    given.run = [&] { return op_explain(given.options, given.name, given.sample, given.json); };
  });
}

void add_trace(CLI::App& app, Given& given) {
  CLI::App* command =
      app.add_subcommand("trace", "Run a program and record its kernel launches for Perfetto");
  given.output = "";
  command->add_option("-o,--output", given.output, "The file to write (trace.json)");
  command->add_option("program", given.program, "The program and its arguments, after --")
      ->required();
  command->callback([&] {
    given.run = [&] {
      const std::string file = given.output.empty() ? "trace.json" : given.output;
      return trace(given.options, file, given.program);
    };
  });
}

void add_new(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand("new", "Write a plugin project that builds and passes");
  command->add_option("kind", given.kind, "backend, op, optimizer or dataset")->required();
  command->add_option("name", given.name, "vendor.name, such as acme.softsign")->required();
  command->add_option("--lang", given.language, "c, cpp or rust (cpp)");
  command->add_option("--into", given.file, "The folder to write into (the current one)");
  command->callback([&] {
    given.run = [&] { return new_project(given.kind, given.name, given.language, given.file); };
  });
}

void add_commands(CLI::App& app, Given& given) {
  CLI::App* found = app.add_subcommand("list", "The plugins found; opens none");
  add_json(found, given);
  found->callback([&] { given.run = [&] { return list(given.options, given.json); }; });
  CLI::App* health = app.add_subcommand("doctor", "Open every plugin; what is wrong, what to do");
  add_json(health, given);
  health->callback([&] { given.run = [&] { return doctor(given.options, given.json); }; });
  add_op(app, given);
  CLI::App* look = app.add_subcommand("inspect", "What a file is: a plugin, a manifest, idx data");
  look->add_option("file", given.file, "File or plugin folder")->required();
  add_json(look, given);
  look->callback([&] { given.run = [&] { return inspect(given.file, given.json); }; });
  add_trace(app, given);
  add_new(app, given);
  CLI::App* write = app.add_subcommand("manifest", "Write the plugin.json of a plugin's library");
  write->add_option("library", given.file, "The library")->required();
  write->add_option("-o,--output", given.output, "Where to write; - is standard output");
  write->add_option("--id", given.id, "Fail unless the library states this id");
  write->callback(
      [&] { given.run = [&] { return manifest(given.file, given.output, given.id); }; });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tenon: tensors and automatic differentiation, everything a plugin", "tenon");
  Given given;
  app.set_version_flag("--version", version_text());
  app.add_option("--plugin-path", given.options.plugin_paths,
                 "A folder that holds plugin folders, searched first; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.require_subcommand(1);
  add_commands(app, given);
  try {
    app.parse(argc, argv);
    return given.run();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kGood : kUsage;
  } catch (const Failure& failure) {
    std::cerr << "tenon: " << failure.text << '\n';
    return failure.exit_status;
  } catch (const std::exception& error) {
    std::cerr << "tenon: " << error.what() << '\n';
    return kFindings;
  }
}
