// SPDX-License-Identifier: Apache-2.0
// core/plugin/loader.cc: loader.h, with Boost.DLL.

// Boost 1.74 forgets to include it.
#include <vector>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <system_error>

#include "core/plugin/library_file.h"
#include "core/plugin/loader.h"
#include "core/plugin/policy.h"

namespace tenon::plugin {
namespace {

using boost::dll::shared_library;

struct Opened {
  dev_t device = 0;
  ino_t inode = 0;
  shared_library* library = nullptr;
};

// Never destroyed, so that libraries stay open while static destructors run.
struct OpenLibraries {
  std::mutex mutex;
  std::map<std::string, Opened> by_path;
  std::map<std::string, shared_library*> by_hash;    // sealed copies
  std::map<std::string, shared_library*> by_name;    // of the system
  std::set<const shared_library*> end_with_program;  // plugins
};

// The program is ending: objects of the plugins that are open have been destroyed, or are about to.
constinit std::atomic<bool> ending{false};

OpenLibraries& open_libraries() {
  static auto* const libraries = new OpenLibraries;
  return *libraries;
}

// NULL if the library cannot be opened; `problem` then has the loader's words.
shared_library* load(const std::string& path, std::string& problem,
                     boost::dll::load_mode::type mode = {}) {
  namespace load_mode = boost::dll::load_mode;
  auto library = std::make_unique<shared_library>();
  try {
    library->load(path, mode | load_mode::rtld_now | load_mode::rtld_local);
  } catch (const std::system_error& error) {
    // "boost::dll::... failed (dlerror system message: <the loader's words>): Bad file descriptor"
    problem = error.what();
    const std::string before = "(dlerror system message: ";
    const size_t begin = problem.find(before);
    const size_t end = problem.rfind(')');
    if (begin != std::string::npos && end != std::string::npos && end > begin) {
      problem = problem.substr(begin + before.size(), end - begin - before.size());
    }
    // Of the loader itself, which says so in two ways.
    for (const char* words : {"out of memory", "Cannot allocate memory"}) {
      if (problem.find(words) != std::string::npos) throw std::bad_alloc();
    }
    return nullptr;
  }
  return library.release();
}

// Throws Error{TENON_E_PLUGIN} that names the library as `shown`.
shared_library* load_plugin(const std::string& path, const std::string& shown) {
  std::string problem;
  shared_library* library = load(path, problem);
  if (!library) refuse_library(shown, "cannot be opened: " + problem);
  // Runs before the library's own, which are registered by now. One opened later than that is
  // whole.
  if (!ending) {
    open_libraries().end_with_program.insert(library);
    std::atexit([] { ending = true; });
  }
  return library;
}

// What a plugin registers may be gone: a runtime that has it goes on, none gets it any more.
void refuse_at_end(const shared_library* library, const std::string& shown) {
  if (ending && open_libraries().end_with_program.contains(library)) {
    refuse_library(shown, "is not opened again: the program is ending");
  }
}

shared_library& opened(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) refuse_library(path, "does not exist");
  OpenLibraries& libraries = open_libraries();
  const std::lock_guard lock(libraries.mutex);
  const auto found = libraries.by_path.find(path);
  if (found == libraries.by_path.end()) {
    const auto entry = libraries.by_path.emplace(path, Opened{info.st_dev, info.st_ino}).first;
    try {
      entry->second.library = load_plugin(path, path);
    } catch (...) {
      libraries.by_path.erase(entry);
      throw;
    }
    return *entry->second.library;
  }
  // The system's loader knows libraries by name and would hand out the old one.
  if (found->second.device != info.st_dev || found->second.inode != info.st_ino) {
    refuse_library(
        path, "was replaced after this process opened it; restart the process to use the new one");
  }
  refuse_at_end(found->second.library, path);
  return *found->second.library;
}

tenon_plugin_query_fn query_of(const shared_library& library, const std::string& shown) {
  if (library.has(TENON_PLUGIN_QUERY_NAME)) {
    return &library.get<tenon_status(const tenon_host*, tenon_plugin*, tenon_diag*)>(
        TENON_PLUGIN_QUERY_NAME);
  }
  for (int major = 1; major < 16; ++major) {
    const std::string name = "tenon_plugin_query_v" + std::to_string(major);
    if (library.has(name.c_str())) {
      refuse_library(shown, "exports " + name +
                                " and not " TENON_PLUGIN_QUERY_NAME
                                ": it is built for another major ABI version than this Tenon");
    }
  }
  refuse_library(shown, "is not a Tenon plugin: it does not export " TENON_PLUGIN_QUERY_NAME);
}

shared_library* opened_system_library(const std::string& name, std::string& problem) {
  OpenLibraries& libraries = open_libraries();
  const std::lock_guard lock(libraries.mutex);
  const auto found = libraries.by_name.find(name);
  if (found != libraries.by_name.end()) return found->second;
  shared_library* library = load(name, problem, boost::dll::load_mode::search_system_folders);
  if (library != nullptr) libraries.by_name.emplace(name, library);
  return library;
}

std::string own_folder_of_kernel() {
  const uintptr_t here = reinterpret_cast<uintptr_t>(&own_folder);
  errno = 0;
  const std::unique_ptr<FILE, int (*)(FILE*)> maps(std::fopen("/proc/self/maps", "re"), fclose);
  struct Line {
    char* text = nullptr;
    size_t size = 0;
    ~Line() { free(text); }
  } read;
  std::string folder;
  while (maps && getline(&read.text, &read.size, maps.get()) > 0) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    if (std::sscanf(read.text, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2) continue;
    if (here < begin || here >= end) continue;
    const std::string_view line(read.text);
    const size_t path = line.find('/');
    if (path != std::string_view::npos) folder = line.substr(path, line.rfind('/') - path);
    break;
  }
  if (folder.empty() && errno == ENOMEM) throw std::bad_alloc();
  return folder;
}

}  // namespace

tenon_plugin_query_fn open_library(const std::string& path) { return query_of(opened(path), path); }

tenon_plugin_query_fn open_sealed(const std::string& path, const std::string& sha256,
                                  const std::string& shown, bool& out_opened) {
  out_opened = false;
  OpenLibraries& libraries = open_libraries();
  const std::lock_guard lock(libraries.mutex);
  const auto found = libraries.by_hash.find(sha256);
  if (found != libraries.by_hash.end()) {
    refuse_at_end(found->second, shown);
    return query_of(*found->second, shown);
  }
  shared_library* library = load_plugin(path, shown);
  out_opened = true;
  libraries.by_hash.emplace(sha256, library);
  return query_of(*library, shown);
}

std::string open_system_library(const std::string& name) {
  std::string problem;
  opened_system_library(name, problem);
  return problem;
}

void* find_system_symbol(const std::string& name, const char* symbol) {
  std::string problem;
  const shared_library* library = opened_system_library(name, problem);
  return library == nullptr ? nullptr : dlsym(library->native(), symbol);
}

// Where the loader has the file from; for a program's own file it only has what its caller said.
// What is relative was so to a folder that was current then. The kernel knows better, but has to
// write down the whole process to say so.
std::string own_folder() {
  Dl_info info{};
  void* found = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&own_folder), &info, &found, RTLD_DL_LINKMAP) != 0) {
    const std::string path = static_cast<const link_map*>(found)->l_name;
    std::string folder = path[0] == '/' ? real_path(path.substr(0, path.rfind('/'))) : "";
    if (!folder.empty()) return folder;
  }
  return own_folder_of_kernel();
}

}  // namespace tenon::plugin
