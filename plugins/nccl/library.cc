// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/library.cc: NVIDIA's libraries, opened.
#include "library.h"

#include <dlfcn.h>
#include <tenon/sdk/plugin/base.hpp>

#include <cstdlib>
#include <string>

namespace tenon::nccl {

namespace sdk = tenon::sdk;

namespace {

constexpr const char* kNcclHint =
    "install NCCL 2.14 or later (NVIDIA's packages for Debian and Ubuntu: libnccl2; pip: "
    "nvidia-nccl-cu12), or let TENON_NCCL_LIBRARY name the file";
constexpr const char* kDriverHint =
    "install NVIDIA's driver (Debian: libcuda1), or let TENON_NCCL_DRIVER name the file";

struct File {
  const char* file;
  const char* variable;
  const char* hint;

  std::string path() const {
    const char* const named = std::getenv(variable);
    return named && *named ? named : file;
  }
};

void* open_library(const File& file) {
  const std::string path = file.path();
  if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const char* const words = dlerror();
  throw sdk::Failure{TENON_E_NOT_FOUND,
                     path + " cannot be opened: " + (words ? words : "the system does not say why"),
                     file.file,
                     file.file,
                     "none",
                     file.hint};
}

template <class Function>
void find(Function& function, void* library, const File& file, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function) return;
  throw sdk::Failure{
      TENON_E_NOT_FOUND, file.path() + " has no function " + name, file.file, name, "none",
      file.hint};
}

#define TENON_NCCL_FIND(member, name, result, parameters) find(table.member, library, file, #name);

}  // namespace

std::string version_text(int version) {
  // Up to 2.8 two digits less.
  const int unit = version < 10'000 ? 1000 : 10'000;
  return std::to_string(version / unit) + "." + std::to_string(version % unit / 100) + "." +
         std::to_string(version % 100);
}

const Nccl& nccl() {
  static const Nccl opened = [] {
    const File file{"libnccl.so.2", "TENON_NCCL_LIBRARY", kNcclHint};
    void* const library = open_library(file);
    Nccl table;
    int version = 0;
    find(table.get_version, library, file, "ncclGetVersion");
    if (table.get_version(&version) != kSuccess || version < kOldestNccl) {
      throw sdk::Failure{TENON_E_NOT_FOUND,
                         file.path() + " is NCCL " + version_text(version) + ", which is too old",
                         file.file,
                         version_text(kOldestNccl) + " or later",
                         version_text(version),
                         kNcclHint};
    }
    TENON_NCCL_FUNCTIONS(TENON_NCCL_FIND)
    return table;
  }();
  return opened;
}

const Driver& driver() {
  static const Driver opened = [] {
    const File file{"libcuda.so.1", "TENON_NCCL_DRIVER", kDriverHint};
    void* const library = open_library(file);
    Driver table;
    TENON_NCCL_DRIVER_FUNCTIONS(TENON_NCCL_FIND)
    return table;
  }();
  return opened;
}

void check(Code code, const char* function) {
  if (code == kSuccess) return;
  const char* name = nullptr;
  driver().get_error_name(code, &name);
  const std::string found = name ? name : std::to_string(code);
  throw sdk::Failure{TENON_E_DEVICE, std::string(function) + " has failed: " + found, function,
                     "CUDA_SUCCESS", found};
}

}  // namespace tenon::nccl
