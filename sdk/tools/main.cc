// SPDX-License-Identifier: Apache-2.0
// sdk/tools/main.cc: the command `tenon`: its command line. Exit status: 0 good, 1 findings or a
// failure, 2 a wrong command line.
#include <tenon/tenon.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "command.h"
#include "command_line.h"

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
struct Given : CommandLine {
  std::string name, file, output, id, kind;
  std::vector<std::string> program, names;
  BenchRequest bench;
  OpsRequest ops;
  ExplainRequest explain;
  ManifestRequest manifest;
  TokenizerRequest tokenizer;
  WrapRequest wrap;
  NewRequest project;
  double seconds = 0;
  int64_t vocabulary = 1024;
  bool flag = false;
};

void add_json(CLI::App* command, Given& given) {
  command->add_flag("--json", given.json, "Print JSON");
}

// "add" is short for "tenon.add".
std::string full_name(const std::string& name) {
  return name.find('.') == std::string::npos ? "tenon." + name : name;
}

void add_op(CLI::App& app, Given& given) {
  CLI::App* op = app.add_subcommand("op", "Ops: what there is");
  op->require_subcommand(1);
  CLI::App* all = op->add_subcommand("list", "Every op with its schema");
  add_json(all, given);
  all->callback([&] { given.run = [&] { return op_list(given.options, given.json); }; });
}

void add_explain(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand(
      "explain",
      "What an op, optimizer, layer or entry of any kind is: documentation, options, states, how "
      "it is called; with a sample what a call of an op would do, or a layer's tensors");
  ExplainRequest& request = given.explain;
  CLI::Option* name =
      command
          ->add_option("name", request.name, "The entry, \"vendor.add\"; \"add\" is \"tenon.add\"")
          ->transform(full_name);
  command->add_option("sample", request.sample,
                      "A call such as \"f32[2,3], f32[3] | axis=1\" (docs/schema.md)");
  command->add_option("--kind", request.kind, "Only of this kind: op, optimizer, layer, ...");
  command
      ->add_option("--pages", request.pages,
                   "Instead: write a page of Markdown for each kind, and an index, into this "
                   "folder; ops have pages of their own (tenon ops --pages)")
      ->excludes(name);
  add_json(command, given);
  command->callback([&given, command] {
    if (given.explain.name.empty() && given.explain.pages.empty()) {
      throw CLI::RequiredError(command->get_option("name")->get_name());
    }
    given.run = [&] { return explain(given.options, given.explain, given.json); };
  });
}

void add_ops(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand(
      "ops", "Matrix of all ops: dtypes, who has kernels, gradients; or a page for each");
  OpsRequest& request = given.ops;
  command->add_option("pattern", request.patterns,
                      "Only ops like these: \"*grad\", \"acme.*\", \"add\"");
  CLI::Option* missing = command->add_flag(
      "--missing", request.missing,
      "Only what is not there; exit status 1 where a float op has no gradient and says no reason");
  command
      ->add_option("--pages", request.pages,
                   "Instead: write a page of Markdown for each op, and an index, into this folder")
      ->excludes(missing);
  command->add_flag("--json", request.json, "Print JSON");
  command->callback([&] {
    given.json = given.ops.json;
    given.run = [&] { return ops(given.options, given.ops); };
  });
}

void add_bench(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand(
      "bench", "Time one call with every provider that can run it, and compare the results");
  BenchRequest& request = given.bench;
  command->add_option("name", request.op, "The op, as for `explain`")
      ->required()
      ->transform(full_name);
  command->add_option("sample", request.sample, "The call, as for `explain`")->required();
  command->add_option("--plugins", request.plugins, "Only these providers, comma separated")
      ->delimiter(',');
  command->add_option("--arithmetic", request.arithmetic, "Who is chosen without a pin")
      ->check(CLI::IsMember({"canonical", "fast"}));
  command->add_option("--min-time", request.min_time, "Seconds for each provider (0.5)")
      ->check(CLI::Range(0.001, 3600.0));
  command->add_flag("--json", request.json, "Print JSON");
  command->callback([&] { given.run = [&] { return bench(given.options, given.bench); }; });
}

void add_trace(CLI::App& app, Given& given) {
  CLI::App* command =
      app.add_subcommand("trace", "Run a program and record its kernel launches for Perfetto");
  command->add_option("-o,--output", given.output, "The file to write (trace.json)");
  command->add_option("program", given.program, "The program and its arguments, after --")
      ->required();
  add_json(command, given);
  command->callback([&] {
    given.run = [&] {
      const std::string file = given.output.empty() ? "trace.json" : given.output;
      return trace(given.options, file, given.program, given.json);
    };
  });
}

void add_plan(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand(
      "plan", "What a captured plan launches, and how its memory lies, as text and as a picture");
  command
      ->add_option("listing", given.file,
                   "A file with what tenon_plan_get_text gave, or str(plan) in Python")
      ->required();
  command->add_option("-o,--output", given.output, "The picture to write (SVG)");
  add_json(command, given);
  command->callback(
      [&] { given.run = [&] { return plan(given.file, given.output, given.json); }; });
}

void add_list(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand("list", "The plugins found; opens none");
  add_json(command, given);
  command->callback([&] { given.run = [&] { return list(given.options, given.json); }; });
}

void add_doctor(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand("doctor", "Open every plugin; what is wrong, what to do");
  CLI::Option* probing = command->add_flag(
      "--probe", given.flag,
      "Instead: open each plugin in a process of its own, run its samples, and say whether it "
      "crashes, hangs, prints, leaks or changes the process");
  command->add_option("id", given.names, "Probe only these plugins")->needs(probing);
  given.seconds = 10;
  command
      ->add_option("--timeout,--probe-timeout", given.seconds,
                   "Seconds that one step of a plugin may take (10)")
      ->check(CLI::Range(0.1, 86400.0));
  add_json(command, given);
  command->callback([&] {
    given.run = [&] {
      return given.flag ? probe(given.options, given.names, given.seconds, given.json)
                        : doctor(given.options, given.seconds, given.json);
    };
  });
}

// tenon-verify, which lies beside this program, reads the command line itself.
int become_verify(char** arguments) {
  const std::string program = program_folder() + "/tenon-verify";
  execv(program.c_str(), arguments);
  if (errno != ENOENT) throw Failure{program + " cannot be run: " + std::strerror(errno)};
  throw Failure{"the conformance kit is not there: " + program +
                " is missing; `./dev build` builds it and installs it beside this program"};
}

void add_kit(CLI::App& app, Given& given, char** arguments, const char* name, const char* title) {
  CLI::App* command = app.add_subcommand(name, title)->prefix_command();
  command->set_help_flag();
  command->add_option("arguments", given.names);  // else what follows -- would be for `tenon`
  command->callback(
      [&given, arguments] { given.run = [arguments] { return become_verify(arguments); }; });
}

// What `doctor` runs; an empty group keeps it out of the help.
void add_children(CLI::App& app, Given& given) {
  CLI::App* all = app.add_subcommand("doctor-child", "")->group("");
  all->callback([&] { given.run = [&] { return doctor_child(given.options); }; });
  CLI::App* library = app.add_subcommand("library-child", "")->group("");
  library->add_option("library", given.file)->required();
  library->add_flag("--only-paths", given.options.only_paths);
  library->callback([&] { given.run = [&] { return library_child(given.options, given.file); }; });
  CLI::App* command = app.add_subcommand("probe-child", "")->group("");
  command->add_option("id", given.id)->required();
  command->add_option("library", given.file)->required();
  command->callback(
      [&] { given.run = [&] { return probe_child(given.options, given.id, given.file); }; });
}

void add_timeout(CLI::App* command, double& seconds) {
  command
      ->add_option("--timeout", seconds,
                   "Seconds that one step of a plugin's library may take (60)")
      ->check(CLI::Range(0.1, 86400.0));
}

void add_inspect(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand(
      "inspect",
      "What a file is: a plugin, a manifest, idx data, tensors, a checkpoint, a plan's listing, a "
      "tokenizer");
  command->add_option("file", given.file, "File or plugin folder")->required();
  add_timeout(command, given.manifest.seconds);
  add_json(command, given);
  command->callback([&] {
    given.run = [&] {
      return inspect(given.options, given.file, given.manifest.seconds, given.json);
    };
  });
}

// What goes into the manifest of a library, and how long that may take to be opened.
void add_needs(CLI::App* command, ManifestRequest& request) {
  command->add_option("--needs-cpu", request.needs.cpu_features,
                      "CPU feature without which the library may not be opened (avx2, fma, ...)");
  command->add_option("--needs-library", request.needs.libraries,
                      "Library that the system must have (libopenblas.so.0)");
  command->add_option("--needs-package", request.needs.packages,
                      "Package that brings the libraries, for people (\"openmpi-bin (Debian)\")");
  command->add_option("--needs-op", request.needs.ops,
                      "Op of another plugin without which this one has nothing to do");
  add_timeout(command, request.seconds);
}

void add_manifest(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand("manifest", "Write the plugin.json of a plugin's library");
  ManifestRequest& request = given.manifest;
  command->add_option("library", request.library, "The library")->required();
  command->add_option("-o,--output", request.output, "Where to write; - is standard output");
  command->add_option("--id", request.id, "Fail unless the library states this id");
  add_needs(command, request);
  add_json(command, given);
  command->callback(
      [&] { given.run = [&] { return manifest(given.options, given.manifest, given.json); }; });
}

void add_wrap(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand("wrap", "Make a plugin of a library of others");
  WrapRequest& request = given.wrap;
  command->add_option("description", request.description, "What it says of the library: JSON")
      ->required();
  command->add_option("--into", request.into, "The folder to write into (the current one)");
  command->add_flag("--force", request.force, "Replace the library of a plugin that is there");
  add_needs(command, request.manifest);
  add_json(command, given);
  command->callback(
      [&] { given.run = [&] { return wrap(given.options, given.wrap, given.json); }; });
}

void add_plugin(CLI::App& app, Given& given) {
  CLI::App* plugin = app.add_subcommand("plugin", "The lock file: which plugins may be opened");
  plugin->require_subcommand(1);
  CLI::App* lock = plugin->add_subcommand(
      "lock", "Write the lock file of the plugins found, for --allowlist and programs");
  lock->add_option("folder", given.names,
                   "Lock what these folders hold (plugin folders, or folders of them) instead of "
                   "what the usual search finds");
  lock->add_option("-o,--output", given.output, "The file to write (tenon-plugins.lock)");
  lock->add_flag("--force", given.flag, "Write over a file that is there");
  add_json(lock, given);
  lock->callback([&] {
    given.run = [&] {
      const std::string file = given.output.empty() ? "tenon-plugins.lock" : given.output;
      return plugin_lock(given.options, given.names, file, given.flag, given.json);
    };
  });
  CLI::App* check = plugin->add_subcommand(
      "check", "Compare the plugins found with a lock file: new, changed, missing");
  check->add_option("--allowlist", given.options.allowlist, "The lock file (tenon-plugins.lock)");
  add_json(check, given);
  check->callback([&] { given.run = [&] { return plugin_check(given.options, given.json); }; });
}

void add_new(CLI::App& app, Given& given) {
  CLI::App* command = app.add_subcommand("new", "Write a plugin project that builds and passes");
  NewRequest& request = given.project;
  command->add_option("kind", request.kind, "backend, op, optimizer, dataset or layer")->required();
  command->add_option("name", request.id, "vendor.name, such as acme.softsign")->required();
  command->add_option("--lang", request.language, "c, cpp or rust (cpp)");
  command->add_option("--with", request.with, "A framework to test it in as well: torch, of an op")
      ->allow_extra_args(false);
  command->add_option("--into", request.into, "The folder to write into (the current one)");
  add_json(command, given);
  command->callback([&] { given.run = [&] { return new_project(given.project, given.json); }; });
}

void add_tokenizer(CLI::App& app, Given& given) {
  CLI::App* tokenizer =
      app.add_subcommand("tokenizer", "Tokenizers of texts: make one, encode, decode");
  tokenizer->require_subcommand(1);
  CLI::App* train = tokenizer->add_subcommand("train", "Make the tokenizer of a text");
  train->add_option("text", given.file, "The text; - is standard input")->required();
  train->add_option("-o,--output", given.output, "The file to write")->required();
  given.kind = "pairs";
  train
      ->add_option("--kind", given.kind,
                   "pairs: byte pairs, learnt; char: the characters of the text (pairs)")
      ->check(CLI::IsMember({"pairs", "char"}));
  train
      ->add_option("--vocabulary", given.vocabulary,
                   "Tokens in all, the 256 bytes among them, of byte pairs (1024)")
      ->check(CLI::Range(int64_t{256}, int64_t{1} << 20));
  add_json(train, given);
  train->callback([&] {
    given.run = [&] {
      return tokenizer_train(given.options, given.file, given.kind, given.vocabulary, given.output,
                             given.json);
    };
  });
  const auto add_use = [&](const char* name, const char* what, const char* input, auto use) {
    CLI::App* command = tokenizer->add_subcommand(name, what);
    TokenizerRequest& request = given.tokenizer;
    command->add_option("tokenizer", request.file, "Its file, or: byte")->required();
    command->add_option("input", request.input, input)->required();
    command
        ->add_option("--name", request.name,
                     "What reads the file, if its ending does not say so: \"wordpiece\"")
        ->transform(full_name);
    command
        ->add_option("--set", request.settings,
                     "An option of the tokenizer, as name=value or name=@FILE; any number of them")
        ->allow_extra_args(false);
    add_json(command, given);
    command->callback([&given, use] {
      given.run = [&given, use] { return use(given.options, given.tokenizer, given.json); };
    });
    return command;
  };
  TokenizerRequest& request = given.tokenizer;
  CLI::App* encode = add_use("encode", "Print the tokens of a text",
                             "The text; - is standard input", tokenizer_encode);
  encode->add_flag("--special", request.add_special, "Add the special tokens around a text");
  encode->add_flag("--read-special", request.read_special,
                   "Take what is spelt as a special token for that token");
  encode->add_option("--limit", request.limit, "The most tokens; the end of the text is left out")
      ->check(CLI::PositiveNumber);
  CLI::App* decode =
      add_use("decode", "Print the text of tokens, byte for byte",
              "Whole numbers between white space; - is standard input", tokenizer_decode);
  decode->add_flag("--skip-special", request.skip_special, "Leave special tokens out");
}

void add_commands(CLI::App& app, Given& given, char** arguments) {
  add_list(app, given);
  add_doctor(app, given);
  add_explain(app, given);
  add_op(app, given);
  add_ops(app, given);
  add_bench(app, given);
  add_inspect(app, given);
  add_trace(app, given);
  add_plan(app, given);
  add_new(app, given);
  add_wrap(app, given);
  add_manifest(app, given);
  add_plugin(app, given);
  add_kit(app, given, arguments, "verify", kVerifyTitle);
  add_kit(app, given, arguments, "golden", kGoldenTitle);
  add_tokenizer(app, given);
  add_children(app, given);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(kCommandTitle, "tenon");
  Given given;
  app.set_version_flag("--version", version_text());
  add_options(app, given);
  add_commands(app, given, argv);
  return run_command_line(app, given, argc, argv);
}
