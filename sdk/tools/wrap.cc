// SPDX-License-Identifier: Apache-2.0
// sdk/tools/wrap.cc: `tenon wrap`: makes a plugin of a library of others. A description says which
// bridge of share/tenon/bridges reads it ("format": "<bridge>/<number>"), what the plugin is called
// and which library it is for; the plugin is the bridge's library with both appended
// (tenon/sdk/plugin/appended.hpp). What else a description says, its bridge knows.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <tenon/sdk/plugin/appended.hpp>

#include "command.h"
#include "project.h"

namespace tenon::tools {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  if (!stream || !fs::is_regular_file(file)) {
    throw Failure{file.string() + ": cannot be read"};
  }
  return bytes.str();
}

// "vendor.name", as it may be a folder.
bool is_id(const std::string& text) {
  const size_t dot = text.find('.');
  return dot != std::string::npos && is_word(text.substr(0, dot)) && is_word(text.substr(dot + 1));
}

std::string text_at(const Json& description, const char* name, const std::string& file) {
  const auto found = description.find(name);
  if (found == description.end() || !found->is_string()) {
    throw Failure{file + ": " + name + ": expected a text, found " +
                  (found == description.end() ? "nothing" : one_line(found->dump()))};
  }
  return *found;
}

Json read_description(const std::string& text, const std::string& file) {
  if (text.size() > sdk::kMaxDescription) {
    throw Failure{file + ": expected at most " + std::to_string(sdk::kMaxDescription) +
                  " bytes, found " + std::to_string(text.size())};
  }
  Json description;
  try {
    description = Json::parse(text);
  } catch (const Json::exception& error) {
    throw Failure{file + ": is not JSON: " + one_line(error.what())};
  }
  if (!description.is_object()) throw Failure{file + ": expected an object of JSON"};
  return description;
}

// The library of the bridge that reads `format`.
fs::path bridge_of(const std::string& format, const std::string& file) {
  const fs::path bridges = data_folder() / "bridges";
  const std::string id = format.substr(0, format.find('/'));
  fs::path library = bridges / id / (id + ".so");
  if (is_id(id) && fs::exists(library)) return library;
  const std::vector<std::string> known = folders_in(bridges);
  throw Failure{
      file + ": format: \"" + one_line(format) + "\" is for no bridge that is there; " +
      (known.empty() ? "expected them in " + bridges.string() : "there are: " + joined(known))};
}

// Failures of a file that will have another name say nothing of it.
std::string without(std::string text, const std::string& file) {
  for (size_t at = 0; (at = text.find(file + ": ", at)) != std::string::npos;) {
    text.erase(at, file.size() + 2);
  }
  return text;
}

void write_library(const fs::path& file, const std::vector<std::string>& parts) {
  std::ofstream stream(file, std::ios::binary);
  for (const std::string& part : parts) stream << part;
  if (!stream.flush()) throw Failure{file.string() + ": cannot be written"};
}

// A folder beside `folder` that is gone when this is, unless it was renamed.
struct Unfinished {
  explicit Unfinished(fs::path folder) : path(std::move(folder)) {
    path += ".part" + std::to_string(getpid());
    fs::create_directory(path);
  }
  ~Unfinished() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  fs::path path;
};

// Puts the whole folder in its place, or its two files into the one that is there.
void put(const fs::path& part, const fs::path& folder, const std::string& id) {
  if (!fs::exists(folder)) {
    fs::rename(part, folder);
    return;
  }
  for (const std::string& name : {id + ".so", std::string("plugin.json")}) {
    fs::rename(part / name, folder / name);
  }
}

}  // namespace

int wrap(const Options& options, const WrapRequest& request, bool as_json) {
  const std::string& file = request.description;
  const std::string text = bytes_of(file);
  const Json description = read_description(text, file);
  const std::string bridge = bytes_of(bridge_of(text_at(description, "format", file), file));
  const std::string id = text_at(description, "id", file);
  if (!is_id(id)) {
    throw Failure{file + ": id: expected vendor.name, each of small letters, digits and _, found " +
                  one_line(Json(id).dump())};
  }
  const std::string library =
      bytes_of(fs::path(file).parent_path() / text_at(description, "library", file));
  const fs::path into = request.into.empty() ? fs::path(".") : fs::path(request.into);
  if (!fs::is_directory(into)) {
    throw Failure{into.string() + " is not a folder: make it, or give another with --into"};
  }
  const fs::path folder = into / id;
  if (fs::symlink_status(folder).type() != fs::file_type::not_found && !request.force) {
    throw Failure{folder.string() + " exists already: --force replaces its library"};
  }
  const Unfinished part(folder);
  const std::string made = (part.path / (id + ".so")).string();
  try {
    write_library(made, {bridge, text, library, sdk::appended_footer({text, library})});
    ManifestRequest manifest_request = request.manifest;
    manifest_request.library = made;
    manifest_request.id = id;
    manifest(options, manifest_request, false);
    put(part.path, folder, id);
  } catch (Failure& failure) {
    throw Failure{file + ": " + without(failure.text, made), failure.exit_status};
  }
  if (as_json) {
    print_json(Json{{"folder", absolute_path(folder.string())}, {"id", id}});
  } else {
    print("wrote " + folder.string() + "\njudge it:\n  tenon verify " + folder.string() + "\n");
  }
  return kGood;
}

}  // namespace tenon::tools
