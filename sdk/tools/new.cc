// SPDX-License-Identifier: Apache-2.0
// sdk/tools/new.cc: `tenon new`: writes a plugin project from the templates.
//
// Templates are files in share/tenon/templates/<kind>/<language>, beside this program's own folder;
// `any` stands for every kind or language. A project is made of four such folders, and of those of
// what it is written with, any/with/<kind>/<thing>; what several of them have is put together, in
// this order: any/any, <kind>/any, any/<language>, <kind>/<language>, any/with/...
// ".in" at the end of a name goes away, and @ID@, @VENDOR@, @NAME@, @CRATE@ are replaced in names
// and contents.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "command.h"
#include "project.h"

namespace tenon::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAny = "any";

using Words = std::map<std::string, std::string>;  // placeholder, what stands for it
using Files = std::map<std::string, std::string>;  // path in the project, contents

// Kinds, or the languages of one.
std::vector<std::string> choices_in(const fs::path& folder) {
  std::vector<std::string> names = folders_in(folder);
  std::erase(names, kAny);
  return names;
}

void require_one_of(const std::string& what, const std::string& given,
                    const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), given) != known.end()) return;
  throw Failure{"unknown " + what + " \"" + given +
                    "\": " + (known.empty() ? "there is none" : "expected one of " + joined(known)),
                kUsage};
}

Words words_of(const std::string& id, const fs::path& data) {
  const size_t dot = id.find('.');
  const std::string vendor = id.substr(0, dot);
  const std::string name = dot == std::string::npos ? "" : id.substr(dot + 1);
  if (!is_word(vendor) || !is_word(name)) {
    throw Failure{"\"" + id +
                      "\" is not a name for a plugin: expected vendor.name, each of small letters, "
                      "digits and _, beginning with a letter, such as acme.softsign",
                  kUsage};
  }
  if (vendor == "tenon") {
    throw Failure{"\"" + id + "\": names that begin with \"tenon.\" are Tenon's own; take yours",
                  kUsage};
  }
  return {{"ID", id},
          {"VENDOR", vendor},
          {"NAME", name},
          {"CRATE", (data / "rust" / "tenon-plugin").string()}};
}

std::string filled_in(const std::string& text, const Words& words, const fs::path& file) {
  std::string result;
  size_t at = 0;
  for (size_t open = 0; (open = text.find('@', at)) != std::string::npos;) {
    const size_t close = text.find('@', open + 1);
    const auto word = close == std::string::npos
                          ? words.end()
                          : words.find(text.substr(open + 1, close - open - 1));
    if (word == words.end()) throw Failure{file.string() + ": holds '@' that is not a placeholder"};
    result += text.substr(at, open - at) + word->second;
    at = close + 1;
  }
  return result + text.substr(at);
}

void add_files(const fs::path& folder, const Words& words, Files& files) {
  if (!fs::is_directory(folder)) return;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    fs::path name = entry.path().lexically_relative(folder);
    if (name.extension() == ".in") name.replace_extension();
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    files[filled_in(name, words, entry.path())] += filled_in(text.str(), words, entry.path());
  }
}

void write_files(const fs::path& project, const Files& files) {
  for (const auto& [name, text] : files) {
    const fs::path file = project / name;
    fs::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    if (!stream.flush()) throw Failure{file.string() + ": cannot be written"};
  }
}

// Nobody sees half a project: it gets its name when it is whole.
void write_project(const fs::path& project, const Files& files) {
  fs::path part = project;
  part += ".part" + std::to_string(getpid());
  try {
    write_files(part, files);
    fs::rename(part, project);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(part, ignored);
    throw;
  }
}

void print_next(const fs::path& project, const Files& files, const fs::path& prefix) {
  const bool installed = fs::exists(prefix / "share" / "tenon" / "LICENSE");
  const std::string folder = project.string();
  print("wrote " + folder + ":\n");
  for (const auto& [name, text] : files) print("  " + name + "\n");
  print("build and test it:\n  cmake -S " + folder + " -B " + folder +
        "/build -DCMAKE_PREFIX_PATH=" +
        (installed ? prefix.string() : "<where Tenon is installed>") + "\n  cmake --build " +
        folder + "/build\n  ctest --test-dir " + folder + "/build --output-on-failure\n");
}

}  // namespace

int new_project(const NewRequest& request, bool as_json) {
  const fs::path data = data_folder();
  const fs::path templates = data / "templates";
  const std::string &kind = request.kind, &language = request.language;
  const std::vector<std::string> kinds = choices_in(templates);
  if (kinds.empty()) {
    throw Failure{"the templates are missing: expected them in " + templates.string() +
                  "; install Tenon again, with its share folder beside its bin folder"};
  }
  require_one_of("kind", kind, kinds);
  require_one_of("language", language, choices_in(templates / kind));
  const fs::path things = templates / kAny / "with" / kind;
  for (const std::string& thing : request.with) {
    require_one_of("thing to write " + kind + " with", thing, choices_in(things));
  }
  const Words words = words_of(request.id, data);
  const fs::path folder = request.into.empty() ? fs::path(".") : fs::path(request.into);
  if (!fs::is_directory(folder)) {
    throw Failure{folder.string() + " is not a folder: make it, or give another with --into"};
  }
  const fs::path project = folder / request.id;
  if (fs::symlink_status(project).type() != fs::file_type::not_found) {
    throw Failure{project.string() +
                  " exists already: take another name, or another folder with --into"};
  }
  std::vector<fs::path> layers = {templates / kAny / kAny, templates / kind / kAny,
                                  templates / kAny / language, templates / kind / language};
  for (const std::string& thing : std::set(request.with.begin(), request.with.end())) {
    layers.push_back(things / thing);
  }
  Files files;
  for (const fs::path& layer : layers) add_files(layer, words, files);
  write_project(project, files);
  if (as_json) {
    Json names = Json::array();
    for (const auto& [name, text] : files) names.push_back(name);
    print_json(Json{{"folder", project.string()}, {"files", names}});
  } else {
    print_next(project, files, data.parent_path().parent_path());
  }
  return kGood;
}

}  // namespace tenon::tools
