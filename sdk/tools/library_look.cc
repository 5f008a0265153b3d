// SPDX-License-Identifier: Apache-2.0
// sdk/tools/library_look.cc: see library_look.h. The child's lines are {"phase": what comes next},
// {"states": manifest}, {"refused": words} and {"end": true}.
#include "library_look.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>

#include "child_process.h"
#include "command.h"
#include "plugin_library.h"
#include "session.h"

namespace tenon::tools {

int library_child(const Options& options, const std::string& library) {
  limit_child();
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // what is printed before a crash is seen
  const PhaseFn at = [](const char* phase) { send_line({{"phase", phase}}); };
  try {
    const PluginFacts facts = read_library(library, at);
    const bool alone = options.only_paths && options.plugin_paths.empty();
    if (!alone) register_beside_others(library, facts, options, at);
    send_line({{"states", manifest_of(facts, std::filesystem::path(library).filename())}});
  } catch (const Failure& failure) {
    send_line({{"refused", failure.text}});
  } catch (const std::exception& error) {
    send_line({{"refused", library + ": " + error.what()}});
  }
  at("ending the process");
  send_line({{"end", true}});
  return kGood;
}

LibraryLook look_at_library(const Options& options, const std::string& library, double seconds) {
  std::vector<std::string> arguments = arguments_of(options);
  arguments.emplace_back("library-child");
  if (options.only_paths) arguments.emplace_back("--only-paths");
  arguments.push_back(library);
  LibraryLook look;
  std::string phase = "starting";
  bool finished = false;
  const ChildEnd end = run_child(arguments, seconds, [&](const std::string& line) {
    const Json said = Json::parse(line, nullptr, false);
    if (!said.is_object()) return;
    phase = said.value("phase", phase);
    look.refused = said.value("refused", look.refused);
    finished = finished || said.contains("end");
    if (said.contains("states")) look.states = said.at("states");
  });
  look.printed = end.out + end.err;
  look.died = reason_of(end, phase, finished, seconds).words;
  if (!look.died.empty()) look.states = Json();
  return look;
}

Json stated_by_library(const Options& options, const std::string& library, double seconds) {
  LibraryLook look = look_at_library(options, library, seconds);
  std::cerr << look.printed;
  if (!look.refused.empty()) throw Failure{look.refused};
  if (!look.died.empty()) throw Failure{library + ": " + look.died};
  if (!look.states.is_object()) throw Failure{library + ": its process said nothing"};
  return look.states;
}

std::string culprit_of(const Options& options, double seconds) {
  Options alone;
  alone.only_paths = true;
  const Session session(options);
  for (const Json& plugin : session.query("plugins")) {
    if (plugin.at("state") == "refused") continue;
    const LibraryLook look = look_at_library(alone, plugin.at("library"), seconds);
    if (look.died.empty()) continue;
    const std::string id = plugin.at("id");
    return "plugin " + id + " in " + plugin.at("folder").get<std::string>() + " " + look.died +
           "; leave it out with --exclude " + id + ", and report it to its author";
  }
  return "";
}

}  // namespace tenon::tools
