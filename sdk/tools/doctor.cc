// SPDX-License-Identifier: Apache-2.0
// sdk/tools/doctor.cc: `tenon doctor`: opens every plugin and says what is wrong and what to do.
#include "session.h"

namespace tenon::tools {
namespace {

struct Finding {
  std::string about;
  std::string problem;
  std::string advice;
};

// One line of advice for a reason. The reasons are the core's; their first words are what differs.
std::string advice_for(const std::string& reason) {
  struct Advice {
    const char* fragment;
    const char* advice;
  };
  static constexpr Advice advices[] = {
      {"needs a newer Tenon", "install a newer Tenon, or an older build of the plugin"},
      {"built for ABI", "build the plugin against the headers of this Tenon"},
      {"built for another major ABI", "build the plugin against the headers of this Tenon"},
      {"Sanitizer", "build the plugin and Tenon with the same sanitizer, or both without"},
      {"disagree", "write plugin.json again with `tenon manifest LIBRARY`"},
      {"another plugin with this id", "remove one of the two folders"},
      {"can be written by every user", "take that permission away: chmod o-w"},
      {"belongs neither to", "give it to root or to yourself with chown"},
      {"does not exist", "install the plugin again: a file of it is missing"},
      {"truncated", "install the plugin again: its library is damaged"},
      {"another architecture", "install the plugin's build for this machine"},
      {"CPU feature", "this machine cannot run the plugin; remove it or install another build"},
      {"it requires", "install the plugin that offers what is missing"},
      {"cannot be opened", "install the libraries the message names"},
      {"is not JSON", "write plugin.json again with `tenon manifest LIBRARY`"},
      {"field \"", "correct plugin.json, or write it again with `tenon manifest LIBRARY`"},
  };
  for (const Advice& item : advices) {
    if (reason.find(item.fragment) != std::string::npos) return item.advice;
  }
  return "report it to the plugin's author";
}

bool is_excluded(const Json& plugin) {
  return plugin.at("reason").get<std::string>().find("excluded by name") != std::string::npos;
}

void look_at_plugins(const Json& plugins, std::vector<Finding>& findings) {
  if (plugins.empty()) {
    findings.push_back({"plugins", "none was found",
                        "install plugins, or name their folder in TENON_PLUGIN_PATH"});
  }
  for (const Json& plugin : plugins) {
    const std::string state = plugin.at("state");
    if (state == "open" || is_excluded(plugin)) continue;
    const std::string reason = plugin.at("reason");
    findings.push_back({"plugin " + plugin.at("id").get<std::string>() + " in " +
                            plugin.at("folder").get<std::string>(),
                        state + ": " + reason, advice_for(reason)});
  }
}

void look_at_devices(const Json& devices, std::vector<Finding>& findings) {
  bool host = false;
  for (const Json& device : devices) {
    const std::string about = "device " + device.at("kind").get<std::string>();
    const bool usable = device.at("count") != 0;
    host = host || (usable && device.at("host_memory").get<bool>());
    if (!usable) {
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

// Standard folders need not exist; what somebody asked for must.
void look_at_paths(const Json& paths, std::vector<Finding>& findings) {
  for (const Json& path : paths) {
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

std::string device_text(const Json& device) {
  std::string text = "  " + device.at("kind").get<std::string>() + ": ";
  text += device.at("count") == 0 ? "not usable"
                                  : count_text(device.at("count").get<size_t>(), "device");
  if (device.at("host_memory").get<bool>()) text += ", host memory";
  text += device.at("autograd").get<bool>() ? ", autograd" : ", no autograd";
  return text + ", from " + device.at("plugin").get<std::string>() + "\n";
}

std::string plugin_text(const Json& plugin) {
  std::string text = "  " + plugin.at("id").get<std::string>() + " " +
                     plugin.at("version").get<std::string>() + ": " +
                     plugin.at("state").get<std::string>();
  const std::string reason = plugin.at("reason");
  if (!reason.empty()) text += ": " + reason;
  text += "\n";
  for (const std::string line : plugin.at("report")) text += "    passed over: " + line + "\n";
  return text;
}

std::string path_text(const Json& path) {
  const std::string problem = path.at("problem");
  std::string text = "  " + path.at("folder").get<std::string>() + " (" +
                     path.at("origin").get<std::string>() + "): ";
  return text + (problem.empty() ? count_text(path.at("found").get<size_t>(), "plugin") : problem) +
         "\n";
}

void print_all(const Json& plugins, const Json& devices, const Json& paths, const Json& environment,
               const std::vector<Finding>& findings) {
  print("plugins\n");
  for (const Json& plugin : plugins) print(plugin_text(plugin));
  print("devices\n");
  for (const Json& device : devices) print(device_text(device));
  print("search paths, in order\n");
  for (const Json& path : paths) print(path_text(path));
  const std::vector<std::string> checks = names_of(environment.at("checks"));
  print("environment\n  Tenon " + environment.at("version").get<std::string>() + ", ABI draft " +
        std::to_string(environment.at("draft").get<int>()) + ", " +
        count_text(environment.at("threads").get<size_t>(), "thread") + " of " +
        count_text(environment.at("available_cpus").get<size_t>(), "usable CPU") +
        (checks.empty() ? "" : ", checking " + joined(checks)) + "\n");
  if (findings.empty()) return print("nothing found wrong\n");
  print("findings\n");
  for (const Finding& finding : findings) {
    print("  " + finding.about + "\n    " + finding.problem + "\n    -> " + finding.advice + "\n");
  }
}

}  // namespace

int doctor(const Options& options, bool as_json) {
  const Session session(options);
  const Json devices = session.query("devices");  // opens every plugin
  const Json plugins = session.query("plugins");
  const Json paths = session.query("paths");
  const Json environment = session.query("environment");
  std::vector<Finding> findings;
  look_at_plugins(plugins, findings);
  look_at_devices(devices, findings);
  look_at_paths(paths, findings);
  if (as_json) {
    Json listed = Json::array();
    for (const Finding& finding : findings) {
      listed.push_back(
          {{"about", finding.about}, {"problem", finding.problem}, {"advice", finding.advice}});
    }
    print_json(Json{{"findings", listed},
                    {"plugins", plugins},
                    {"devices", devices},
                    {"paths", paths},
                    {"environment", environment}});
  } else {
    print_all(plugins, devices, paths, environment, findings);
  }
  return findings.empty() ? kGood : kFindings;
}

}  // namespace tenon::tools
