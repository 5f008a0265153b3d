// SPDX-License-Identifier: Apache-2.0
// sdk/common/program.cc: see program.h.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "program.h"

namespace tenon::tools {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as many as Linux follows

// Where a path leads, links followed, though nothing may be there yet.
fs::path target_of(const std::string& path) {
  fs::path target = path;
  std::error_code error;
  for (int i = 0; fs::is_symlink(fs::symlink_status(target, error)); ++i) {
    if (i == kMaxLinks) throw Failure{path + ": cannot be written: " + std::strerror(ELOOP)};
    target = target.parent_path() / fs::read_symlink(target, error);
  }
  return target;
}

}  // namespace

void print(const std::string& text) { std::cout << text << std::flush; }

void print_json(const Json& json) {
  print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string part_beside(const std::string& path) {
  return target_of(path).replace_filename(".tenon.part" + std::to_string(getpid())).string();
}

void write_file(const std::string& path, const std::string& text) {
  const std::string part = part_beside(path);
  {
    std::ofstream stream(part, std::ios::binary);
    stream << text;
    if (!stream.flush()) throw Failure{path + ": cannot be written: " + std::strerror(errno)};
  }
  std::error_code error;
  if (chmod(part.c_str(), 0644) != 0) error.assign(errno, std::generic_category());
  if (!error) fs::rename(part, target_of(path), error);
  if (error) {
    unlink(part.c_str());
    throw Failure{path + ": cannot be written: " + error.message()};
  }
}

std::string program_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw Failure{"this program cannot find its own file: " + error.message()};
  return program.parent_path().string();
}

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

std::string one_line(const std::string& text) {
  constexpr size_t longest = 200;
  std::string line;
  for (const char c : text) {
    if (line.size() == longest) return line + "...";
    line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return line;
}

std::string count_text(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::vector<std::string> names_of(const Json& list) {
  std::vector<std::string> names;
  for (const Json& item : list) names.push_back(item.is_object() ? item.at("name") : item);
  return names;
}

}  // namespace tenon::tools
