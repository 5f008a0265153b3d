// SPDX-License-Identifier: Apache-2.0
// tests/hostile/runner.cc: shows one hostile plugin to a runtime, beside good plugins, and checks
// what comes of it: the exact reason, that nothing of the plugin stays, that others are not harmed.
//
// Usage: hostile_runner <file> <case in it> <library> <plugin.json>. Exit status 0 where all is as
// the case says. Uses the public C API alone.
#include <dlfcn.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <tenon/plugin.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "case_file.h"
#include "session.h"
#include "tests/support/paths.h"

namespace {

using namespace tenon::tests;
using nlohmann::json;
namespace fs = std::filesystem;

int failures = 0;

void fail(const std::string& what) {
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
  ++failures;
}

void check(bool holds, const std::string& what) {
  if (!holds) fail(what);
}

void check_same(const std::string& found, const std::string& expected, const std::string& what) {
  if (found != expected) {
    fail(what + "\n  expected: " + expected + "\n  found:    " + found);
  }
}

// ---- The folder the plugin lies in --------------------------------------------------------------

// <root>/plugins/hostile.plugin with the library and plugin.json; gone at the end.
class Place {
 public:
  Place() {
    std::string pattern = fs::temp_directory_path() / "tenon_hostile_XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    root_ = fs::canonical(pattern);
    fs::create_directories(folder());
  }
  ~Place() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  std::string root() const { return root_; }
  std::string plugins() const { return root_ / "plugins"; }
  std::string folder() const { return root_ / "plugins/hostile.plugin"; }
  std::string library() const { return folder() + "/hostile.so"; }

  void put(const Case& what, const std::string& library, const std::string& manifest) const {
    fs::copy_file(library, this->library());
    fs::permissions(this->library(), fs::perms(0755));
    json content = json::parse(std::ifstream(manifest));
    content["library"] = "hostile.so";
    content.erase("sha256");  // that of the good library
    json steps = json::array();
    for (const std::string& step : what.manifest) steps.push_back(json::parse(step));
    std::ofstream(folder() + "/plugin.json") << content.patch(steps).dump(2);
  }

  void run(const std::vector<std::string>& commands) const {
    fs::current_path(folder());
    for (const std::string& command : commands) {
      if (std::system(("set -e; " + command).c_str()) != 0) {
        throw std::runtime_error("the case's own command failed: " + command);
      }
    }
    fs::current_path("/");
  }

 private:
  fs::path root_;
};

std::string owner() {
  const passwd* user = getpwuid(geteuid());
  const std::string number = std::to_string(geteuid());
  return user == nullptr ? number : std::string(user->pw_name) + " (" + number + ")";
}

std::string machine() {
  utsname names{};
  uname(&names);
  const std::string name = names.machine;
  return name == "x86_64" ? "x86-64" : name;
}

const char* sanitizer() {
  return TENON_SANITIZER_BUILT == TENON_SANITIZER_ADDRESS  ? "AddressSanitizer"
         : TENON_SANITIZER_BUILT == TENON_SANITIZER_THREAD ? "ThreadSanitizer"
                                                           : "no sanitizer";
}

std::string size_of(const std::string& file) { return std::to_string(fs::file_size(file)); }

// The plugin's own library where the process has it mapped, else NULL.
void* mapped(const std::string& library) {
  std::error_code missing;
  if (!fs::is_regular_file(library, missing)) return nullptr;  // a pipe would hold up the loader
  return dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
}

int counter(const std::string& library, const char* name) {
  void* const handle = mapped(library);
  const auto* value = handle == nullptr ? nullptr : static_cast<int*>(dlsym(handle, name));
  return value == nullptr ? 0 : *value;
}

// ---- One runtime --------------------------------------------------------------------------------

// What good plugins alone offer, as text by topic; a refused plugin changes nothing of it.
using Listings = std::map<std::string, std::string>;

Listings listings(Session& session) {
  Listings all;
  for (const char* topic : {"ops", "optimizers", "datasets", "samples"}) {
    all[topic] = session.query_text(topic);
  }
  json devices = session.query("devices");
  for (json& device : devices) device.erase("memory");
  all["devices"] = devices.dump();
  return all;
}

// Empty where both say the same; samples are listed as the plugins were opened. Reading the texts
// is slow, and not needed where they are equal.
std::string differences(const Listings& expected, const Listings& found) {
  std::string text;
  for (const auto& [topic, wanted] : expected) {
    if (wanted == found.at(topic)) continue;
    json before = json::parse(wanted), after = json::parse(found.at(topic));
    if (topic == "samples") {
      std::sort(before.begin(), before.end());
      std::sort(after.begin(), after.end());
    }
    if (before != after) text += topic + ": " + json::diff(before, after).dump();
  }
  return text;
}

struct Verdict {
  std::string state;  // as in topic "plugins"
  bool by_scan = false;
  // Whether the plugin's code is in the process afterwards; the loader may have declined it.
  bool may_map = true;
  bool must_map = true;
};

Verdict verdict_of(const Case& what) {
  if (what.verdict == "refused by the scan") return {"refused", true, false, false};
  if (what.verdict == "refused unopened") return {"refused", false, false, false};
  if (what.verdict == "refused") return {"refused"};
  if (what.verdict == "failed") return {"failed", false, true, false};
  return {"open"};
}

class Trial {
 public:
  Trial(const Case& what, const Place& place, std::string text)
      : what_(what), place_(place), text_(std::move(text)), verdict_(verdict_of(what)) {}

  // `good`: what the good plugins alone list.
  void run(const Listings& good) {
    run_once(good);
    check_balance();
    again_ = true;
  }

 private:
  void run_once(const Listings& good) {
    const uint32_t policy = what_.policy == "any" ? TENON_POLICY_ANY : TENON_POLICY_OWNED;
    std::vector<std::string> paths = {place_.plugins(), plugin_dir()};
    if (!what_.environment.empty()) {
      paths.erase(paths.begin());
      fs::current_path(place_.plugins());
    }
    Session session(paths, policy, !what_.environment.empty());
    if (what_.verdict == "unseen") {
      check_unseen(session);
    } else {
      check_found(session);
      place_.run(what_.between);
      check_need(session);
      check_settled(session);
    }
    session.add_ones();
    if (verdict_.state != "open" || what_.verdict == "unseen") {
      const std::string left = differences(good, listings(session));
      check(left.empty(), "the plugin left something: " + left);
      check_same(session.query("log").dump(), "[]", "lines logged");
    }
    const json stats = session.query("stats");
    check_same(stats["tensors"].dump() + " " + stats["storages"].dump(), "0 0", "live objects");
  }

  json entry(Session& session) const {
    json found;
    for (const json& plugin : session.query("plugins")) {
      if (plugin["folder"] == place_.folder()) found = plugin;
    }
    if (found.is_null()) throw std::runtime_error("no plugin was found in " + place_.folder());
    return found;
  }

  void check_unseen(Session& session) const {
    std::string said;
    for (const json& path : session.query("paths")) {
      if (path["folder"] == plugin_dir()) continue;
      check_same(path["found"].dump(), "0", "plugins found");
      said += (said.empty() ? "" : " | ") + path["problem"].get<std::string>();
      for (const std::string library : path["unlisted"]) said += "no plugin.json beside " + library;
    }
    check_same(said, text_, "what is said of the folders");
    std::string message;
    check(!session.need(what_.needs, message), "what the plugin offers was found all the same");
  }

  void check_found(Session& session) const {
    const json plugin = entry(session);
    check_same(plugin["state"], verdict_.by_scan ? "refused" : "found", "state after the scan");
    check_same(session.query("stats")["libraries_opened"].dump(), "0", "libraries opened");
    check(again_ || mapped(place_.library()) == nullptr, "creating a runtime opened the library");
  }

  void check_need(Session& session) const {
    std::string message;
    const bool there = session.need(what_.needs, message);
    if (what_.verdict == "error") {
      check(!there, "the call worked");
      check_same(message, text_, "the call's error");
    } else if (verdict_.state == "open") {
      check(there, "what the plugin offers does not work: " + message);
    } else if (what_.needs != "dispatch") {
      check(!there, "what the plugin offers works all the same");
      check_message(message);
    }
  }

  // What needed the plugin tells why it is not to be had.
  void check_message(const std::string& message) const {
    if (message.find("what " + place_.folder() + " offers is unknown: " + text_) !=
        std::string::npos) {
      return;
    }
    const std::string kind = what_.needs.substr(0, what_.needs.find(' '));
    const std::string name = what_.needs.substr(what_.needs.find(' ') + 1);
    const std::string listed = "TENON_E_PLUGIN " + kind + " \"" + name + "\" is listed by plugin ";
    check_same(message.substr(0, listed.size()), listed, "the message of what needed it begins");
    const std::string verb =
        verdict_.state == "refused" ? "which was refused: " : "which could not be opened: ";
    const size_t place = std::min(message.find(" in "), message.size());
    check_same(message.substr(place), " in " + place_.folder() + ", " + verb + text_,
               "the message of what needed it ends");
  }

  void check_settled(Session& session) const {
    const json plugin = entry(session);
    check_same(plugin["state"], verdict_.state, "state");
    if (verdict_.state != "open") {
      check_same(plugin["reason"], text_, "reason");
      check_same(plugin["report"].dump(), "[]", "report");
      check_balance();
    } else if (what_.verdict == "opens") {
      std::string report;
      for (const std::string line : plugin["report"]) {
        report += (report.empty() ? "" : " | ") + line;
      }
      check_same(report, text_, "report");
    }
    const bool maps = mapped(place_.library()) != nullptr;
    check(verdict_.may_map || again_ || !maps, "the library was opened all the same");
    check(!verdict_.must_map || maps, "the library was not opened");
  }

  void check_balance() const {
    check_same(std::to_string(counter(place_.library(), "hostile_releases")),
               std::to_string(counter(place_.library(), "hostile_inits")),
               "releases, as many as inits,");
  }

  const Case& what_;
  const Place& place_;
  std::string text_;
  Verdict verdict_;
  bool again_ = false;  // the process has had a runtime with this plugin
};

// As an error says it: this machine's processor may lack what one of them needs.
std::string good_count(Session& session) {
  const json plugins = session.query("plugins");
  const auto refused = std::count_if(plugins.begin(), plugins.end(),
                                     [](const json& one) { return one.at("state") == "refused"; });
  return std::to_string(plugins.size()) + " plugins" +
         (refused > 0 ? ", " + std::to_string(refused) + " refused" : "");
}

void run(const Case& what, const std::string& library, const std::string& manifest) {
  const Place place;
  Listings good;
  std::string count;
  {
    Session session({plugin_dir()}, TENON_POLICY_OWNED);
    session.add_ones();
    good = listings(session);
    count = good_count(session);
  }
  const std::map<std::string, std::string> names = {
      {"root", place.root()},       {"plugins", place.plugins()},   {"folder", place.folder()},
      {"library", place.library()}, {"good_plugins", plugin_dir()}, {"good_count", count},
      {"owner", owner()},           {"machine", machine()},         {"sanitizer", sanitizer()},
      {"size", size_of(library)}};
  place.put(what, library, manifest);
  setenv("good_plugins", plugin_dir(), 1);
  setenv("root", place.root().c_str(), 1);
  if (!what.environment.empty()) {
    setenv("TENON_PLUGIN_PATH", filled_in(what.environment, names).c_str(), 1);
  }
  place.run(what.before);
  Trial trial(what, place, filled_in(what.text, names));
  trial.run(good);
  // A second runtime of the same process comes to the same verdict.
  if (what.between.empty()) trial.run(good);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: %s <file> <case> <library> <plugin.json>\n", arguments[0]);
    return 2;
  }
  umask(022);  // rights are what many cases are about
  try {
    const Case what = read_case(arguments[1], arguments[2]);
    if (what.has_code) setenv("TENON_HOSTILE_CASE", arguments[2], 1);
    run(what, arguments[3], arguments[4]);
  } catch (const std::exception& error) {
    fail(error.what());
  }
  return failures == 0 ? 0 : 1;
}
