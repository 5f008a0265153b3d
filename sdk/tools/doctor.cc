// SPDX-License-Identifier: Apache-2.0
// sdk/tools/doctor.cc: `tenon doctor`: opens every plugin and gives a verdict on each, on the
// devices and on the process; then what is wrong and what to do. That happens in a child process:
// if a plugin ends it, this one still has something to say.
#include <fstream>

#include "child_process.h"
#include "command.h"
#include "library_look.h"
#include "machine.h"
#include "session.h"
#include "sha256.h"

namespace tenon::tools {
namespace {

// For a plugin that needs an op, or one with a role: the reason goes on with why there is none.
std::string advice_for_required(const std::string& reason) {
  if (reason.find("no plugin lists it") == reason.npos) {
    return "put right what the message says about the plugin that lists it";
  }
  return std::string(reason.find("did you mean") == reason.npos
                         ? ""
                         : "correct the name in plugin.json's requires.ops, or ") +
         "install a plugin that lists it, or name its folder in TENON_PLUGIN_PATH";
}

// One line of advice for a reason. The reasons are the core's; their first words are what differs.
std::string advice_for(const std::string& reason) {
  if (reason.starts_with("it requires ")) return advice_for_required(reason);
  struct Advice {
    const char* fragment;
    const char* advice;
  };
  static constexpr Advice advices[] = {
      {"needs a newer Tenon", "install a newer Tenon, or an older build of the plugin"},
      {"another byte order",
       "build the plugin for this machine, its fingerprint as TENON_FINGERPRINT_BUILT has it"},
      {"built for ABI", "build the plugin against the headers of this Tenon"},
      {"built for another major ABI", "build the plugin against the headers of this Tenon"},
      {"Sanitizer", "build the plugin and Tenon with the same sanitizer, or both without"},
      {"disagree", "write plugin.json again with `tenon manifest LIBRARY`"},
      {"another plugin with this id", "remove one of the two folders"},
      {"can be written by every user", "take that permission away: chmod o-w"},
      {"belongs neither to", "give it to root or to yourself with chown"},
      {"allow-list", "where the plugin is wanted: `tenon plugin lock --force`"},
      {"lock file", "where the plugin is wanted: `tenon plugin lock --force`"},
      {"undefined symbol",
       "link the library that has this symbol when building the plugin, or install the "
       "version that the plugin was built with"},
      {"' not found (required by",
       "build the plugin on this system, or install one for it: it was built against newer "
       "libraries"},
      {"cannot open shared object file", "install the libraries the message names"},
      {"does not exist", "install the plugin again: a file of it is missing"},
      {"truncated", "install the plugin again: its library is damaged"},
      {"another architecture", "install the plugin's build for this machine"},
      {"CPU feature", "this machine cannot run the plugin; remove it or install another build"},
      {"cannot be opened", "build or install the plugin again as a shared library"},
      {"is not JSON", "write plugin.json again with `tenon manifest LIBRARY`"},
      {"field \"", "correct plugin.json, or write it again with `tenon manifest LIBRARY`"},
  };
  for (const Advice& item : advices) {
    if (reason.find(item.fragment) != std::string::npos) return item.advice;
  }
  return "report it to the plugin's author";
}

// What plugin.json says beyond what decides about opening.
Json manifest_in(const Json& plugin) {
  std::ifstream file(plugin.at("folder").get<std::string>() + "/plugin.json", std::ios::binary);
  Json manifest = Json::parse(file, nullptr, false);
  return manifest.is_object() ? manifest : Json::object();
}

// "good", "differs", "none" (nothing to compare with) or "unknown" (no libcrypto).
std::string check_hash(const Json& plugin, const Json& manifest, std::vector<Finding>& findings) {
  const Json stated = manifest.value("sha256", Json());
  const std::string library = plugin.at("library");
  if (!stated.is_string() || !std::ifstream(library)) return "none";
  const Hash hash = sha256_of(library);
  if (!hash.problem.empty()) return "unknown";
  if (hash.digits == stated.get<std::string>()) return "good";
  findings.push_back(
      {"library " + library,
       "its bytes are not those plugin.json was written for: sha256 " + hash.digits.substr(0, 12) +
           "..., plugin.json says " + one_line(stated.get<std::string>()).substr(0, 12) + "...",
       "install the plugin again; or, where you built it yourself, `tenon manifest " + library +
           "`"});
  return "differs";
}

// A plugin that was refused by what its manifest says is not believed in what else it says.
bool is_trusted(const std::string& state, const std::string& stage) {
  return state == "open" || state == "failed" || stage == "library" || stage == "handshake" ||
         stage == "init" || stage == "registration" || stage == "requirement";
}

// Adds members `hash` and `missing_libraries`, and to excluded plugins `excluded`.
void look_at_plugin(Json& plugin, std::vector<Finding>& findings) {
  const std::string state = plugin.at("state");
  const std::string reason = plugin.at("reason");
  const std::string stage = plugin.value("stage", "");
  const std::string id = plugin.at("id");
  plugin["excluded"] = reason.find("excluded by name") != std::string::npos;
  if (plugin["excluded"]) return;
  plugin["for_another_processor"] = is_for_another_processor(plugin);
  if (state != "open" && !plugin["for_another_processor"]) {
    findings.push_back({"plugin " + id + " in " + plugin.at("folder").get<std::string>(),
                        verdict_text(plugin), advice_for(reason)});
  }
  const Json manifest = manifest_in(plugin);
  plugin["hash"] = check_hash(plugin, manifest, findings);
  plugin["missing_libraries"] = Json::array();
  const Json needs = manifest.value("requires", Json());
  if (!is_trusted(state, stage) || !needs.is_object()) return;
  const std::vector<std::string> missing =
      missing_libraries(needs.value("libraries", Json::array()));
  plugin["missing_libraries"] = missing;
  if (missing.empty()) return;
  findings.push_back({"plugin " + id, "needs libraries that are not installed: " + joined(missing),
                      "install them with the system's packages, or name their folder in "
                      "LD_LIBRARY_PATH"});
}

void look_at_devices(const Json& devices, std::vector<Finding>& findings) {
  bool host = false;
  for (const Json& device : devices) {
    const std::string about = "device " + device.at("kind").get<std::string>();
    const bool usable = device.at("count") != 0;
    host = host || (usable && device.at("host_memory").get<bool>());
    if (!usable) {
      // A machine without the hardware has nothing wrong with it: the list of devices says why.
      if (!device.at("failed").get<bool>()) continue;
      findings.push_back({about, "no usable device: " + device.at("why_none").get<std::string>(),
                          "put right what the message names, or remove the plugin " +
                              device.at("plugin").get<std::string>()});
      continue;
    }
    const std::string missing = joined(names_of(device.at("roles").at("missing")));
    if (!device.at("autograd").get<bool>()) {
      findings.push_back({about, "no autograd: " + device.at("autograd_reason").get<std::string>(),
                          "install plugins with an op and a kernel for each missing role"});
    } else if (!missing.empty()) {
      findings.push_back({about, "missing roles: " + missing,
                          "install plugins with an op and a kernel for each missing role"});
    }
  }
  if (!host) {
    findings.push_back({"devices", "no device for host memory",
                        "install a plugin that offers one, such as tenon.ref"});
  }
}

// Ops that libraries compute (flag "library-bits") and for which the device of host memory has its
// own kernels only.
Json without_library(const Json& ops, const std::string& plugin) {
  Json names = Json::array();
  for (const Json& op : ops) {
    const std::vector<std::string> flags = names_of(op.at("flags"));
    const Json& kernels = op.at("kernels");
    const auto own = [&plugin](const Json& kernel) { return kernel.at("plugin") == plugin; };
    if (std::ranges::find(flags, "library-bits") != flags.end() &&
        std::ranges::any_of(kernels, own) && std::ranges::all_of(kernels, own)) {
      names.push_back(op.at("name"));
    }
  }
  return names;
}

// Standard folders need not exist; what somebody asked for must.
void look_at_paths(const Json& paths, std::vector<Finding>& findings) {
  for (const Json& path : paths) {
    for (const std::string library : path.at("unlisted")) {
      findings.push_back({"library " + library,
                          "no plugin.json lies beside it, so nothing opens it",
                          "where it is a plugin: `tenon manifest " + library + "`"});
    }
    const std::string problem = path.at("problem");
    const std::string origin = path.at("origin");
    const bool asked = origin == "option" || origin == "TENON_PLUGIN_PATH";
    const bool twice = problem.find("the same as") == 0;
    const bool absent = problem == "does not exist";
    if (problem.empty() || twice || (absent && !asked)) continue;
    findings.push_back(
        {"search path \"" + path.at("folder").get<std::string>() + "\" (" + origin + ")", problem,
         "give the absolute path of a folder that holds plugin folders"});
  }
}

Json summary_of(const Json& plugins, const Json& devices, size_t problems) {
  size_t loaded = 0;
  size_t excluded = 0;
  size_t unsuited = 0;
  for (const Json& plugin : plugins) {
    loaded += plugin.at("state") == "open" ? 1 : 0;
    excluded += plugin.at("excluded").get<bool>() ? 1 : 0;
    unsuited += plugin.value("for_another_processor", false) ? 1 : 0;
  }
  size_t usable = 0;
  for (const Json& device : devices) usable += device.at("count") != 0 ? 1 : 0;
  return {{"plugins", plugins.size()},
          {"loaded", loaded},
          {"refused", plugins.size() - loaded - excluded - unsuited},
          {"excluded", excluded},
          {"for_another_processor", unsuited},
          {"devices", devices.size()},
          {"usable_devices", usable},
          {"problems", problems}};
}

std::string summary_text(const Json& summary) {
  const auto number = [&](const char* member) { return summary.at(member).get<size_t>(); };
  const size_t problems = number("problems");
  return count_text(number("plugins"), "plugin") + ", " + std::to_string(number("loaded")) +
         " loaded, " + std::to_string(number("refused")) + " refused" +
         (number("excluded") == 0 ? "" : ", " + std::to_string(number("excluded")) + " excluded") +
         (number("for_another_processor") == 0
              ? ""
              : ", " + std::to_string(number("for_another_processor")) + " for another processor") +
         "; " + std::to_string(number("usable_devices")) + " of " +
         count_text(number("devices"), "device") + " usable; " +
         (problems == 0 ? "no problems" : count_text(problems, "problem")) + "\n";
}

std::string plugin_text(const Json& plugin) {
  const std::string state = plugin.at("state");
  const std::string version = plugin.at("version");
  const std::string stage = plugin.value("stage", "");
  std::string text = plugin.at("id").get<std::string>() + (version.empty() ? "" : " " + version);
  text = "  " + text + ": " + (state == "open" ? "loaded" : state) +
         (stage.empty() ? "" : " (" + stage + ")");
  const std::string hash = plugin.value("hash", "none");
  if (hash == "good") text += ", sha256 good";
  if (hash == "differs") text += ", sha256 WRONG";
  const std::string reason = plugin.at("reason");
  if (!reason.empty()) text += ": " + reason;
  text += "\n";
  for (const std::string line : plugin.at("report")) text += "    passed over: " + line + "\n";
  return text;
}

std::string device_text(const Json& device) {
  std::string text = "  " + device.at("kind").get<std::string>() + ": ";
  if (device.at("count") == 0) {
    text += "not usable: " + device.at("why_none").get<std::string>();
  } else {
    text += "usable, " + count_text(device.at("count").get<size_t>(), "device");
    if (device.at("host_memory").get<bool>()) text += ", host memory";
    text += device.at("autograd").get<bool>()
                ? ", autograd"
                : ", no autograd: " + device.at("autograd_reason").get<std::string>();
  }
  text += " (" + device.at("plugin").get<std::string>() + ")\n";
  const std::vector<std::string> slow = names_of(device.value("without_library", Json::array()));
  if (!slow.empty()) {
    text += "    for small operands only, no library's kernels are there: " + joined(slow) +
            " (tenon.lapack, built where OpenBLAS is, has some)\n";
  }
  return text;
}

void print_all(const Json& answer) {
  print(summary_text(answer.at("summary")));
  print("plugins\n");
  for (const Json& plugin : answer.at("plugins")) print(plugin_text(plugin));
  print("devices\n");
  for (const Json& device : answer.at("devices")) print(device_text(device));
  print("process\n" + machine_text(answer.at("machine")));
  const Json& environment = answer.at("environment");
  const std::vector<std::string> checks = names_of(environment.at("checks"));
  print("  Tenon " + environment.at("version").get<std::string>() + ", ABI draft " +
        std::to_string(environment.at("draft").get<int>()) +
        (checks.empty() ? "" : ", checking " + joined(checks)) + "\n");
  if (answer.at("findings").empty()) return;
  print("problems\n");
  for (const Json& finding : answer.at("findings")) {
    print("  " + finding.at("about").get<std::string>() + "\n    " +
          finding.at("problem").get<std::string>() + "\n    -> " +
          finding.at("advice").get<std::string>() + "\n");
  }
}

Json json_of(const Finding& finding) {
  return {{"about", finding.about}, {"problem", finding.problem}, {"advice", finding.advice}};
}

Json look_at_all(const Options& options) {
  const Session session(options);
  Json devices = session.query("devices");  // opens every plugin
  Json plugins = session.query("plugins");
  const Json paths = session.query("paths");
  const Json environment = session.query("environment");
  const Machine machine = look_at_machine(environment);
  std::vector<Finding> findings;
  if (plugins.empty()) {
    findings.push_back({"plugins", "none was found",
                        "install plugins, or name their folder in TENON_PLUGIN_PATH"});
  }
  for (Json& plugin : plugins) look_at_plugin(plugin, findings);
  const Json ops = session.query("ops");
  for (Json& device : devices) {
    if (!device.at("host_memory").get<bool>()) continue;
    device["without_library"] = without_library(ops, device.at("plugin"));
  }
  look_at_devices(devices, findings);
  look_at_paths(paths, findings);
  look_for_problems(machine, findings);
  Json listed = Json::array();
  for (const Finding& finding : findings) listed.push_back(json_of(finding));
  return {{"findings", listed},          {"plugins", plugins}, {"devices", devices},
          {"machine", json_of(machine)}, {"paths", paths},     {"environment", environment}};
}

constexpr const char* kProbeAdvice =
    "`tenon doctor --probe` opens each plugin by itself and says which one it is";
// All plugins are opened together: that may take as long as so many steps.
constexpr double kSteps = 3;

// What the child's end adds to what it said.
void look_at_end(const ChildEnd& end, Json& findings) {
  const auto printed = [&](const char* stream, const std::string& text) {
    if (text.empty()) return;
    findings.push_back(json_of(
        {std::string("output to ") + stream,
         "a plugin printed \"" + one_line(text.substr(0, text.find('\n'))) + "\"", kProbeAdvice}));
  };
  printed("stdout", end.out);
  printed("stderr", end.err);
  if (end.status == 0) return;
  findings.push_back(
      json_of({"process", "ended with " + end_text(end.status) + " after all plugins were released",
               kProbeAdvice}));
}

}  // namespace

int doctor_child(const Options& options) {
  limit_child();
  try {
    send_line(Json{{"answer", look_at_all(options)}});
  } catch (const Failure& failure) {
    send_line(Json{{"failure", failure.text}});
  }
  return kGood;
}

int doctor(const Options& options, double seconds, bool as_json) {
  std::vector<std::string> arguments = arguments_of(options);
  arguments.emplace_back("doctor-child");
  Json said;
  const ChildEnd end = run_child(arguments, kSteps * seconds, [&](const std::string& line) {
    said = Json::parse(line, nullptr, false);
  });
  if (said.is_object() && said.contains("failure")) throw Failure{said.at("failure")};
  if (!said.is_object()) {
    // Nothing of a library may run before an allow-list has judged its bytes.
    const std::string culprit = options.allowlist.empty() ? culprit_of(options, seconds) : "";
    if (!culprit.empty()) throw Failure{culprit};
    throw Failure{(end.stopped
                       ? std::string("opening the plugins did not end in time")
                       : "opening the plugins ended the process with " + end_text(end.status)) +
                  "; " + kProbeAdvice};
  }
  Json seen = said.at("answer");
  Json findings = seen.at("findings");
  look_at_end(end, findings);
  Json answer = {{"summary", summary_of(seen.at("plugins"), seen.at("devices"), findings.size())}};
  answer.update(seen);
  answer["findings"] = findings;
  as_json ? print_json(answer) : print_all(answer);
  return findings.empty() ? kGood : kFindings;
}

}  // namespace tenon::tools
