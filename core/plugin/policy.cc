// SPDX-License-Identifier: Apache-2.0
// core/plugin/policy.cc: file ownership and CPU features.
#include "core/plugin/policy.h"

#include <pwd.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <string_view>

#include "core/registry/checks.h"

namespace tenon::plugin {
namespace {

using registry::refuse;

std::string octal(mode_t mode) {
  std::string text;
  for (mode_t bits = mode & 07777; bits != 0 || text.size() < 4; bits >>= 3) {
    text.insert(text.begin(), static_cast<char>('0' + (bits & 7)));
  }
  return text;
}

std::string user_name(uid_t user) {
  std::array<char, 1024> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  std::string number = std::to_string(user);
  if (getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return number;
  }
  return std::string(entry.pw_name) + " (" + number + ")";
}

void check_one(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    refuse(path + " cannot be examined: " + std::strerror(errno));
  }
  // Names of users are read from files: only if they are needed.
  const auto found = [&info] {
    return ": owner " + user_name(info.st_uid) + ", mode " + octal(info.st_mode);
  };
  const bool sticky_folder = S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0;
  if ((info.st_mode & S_IWOTH) != 0 && !sticky_folder) {
    refuse("policy 'owned': " + path + " can be written by every user" + found() +
           "; take that right away with: chmod o-w " + path);
  }
  if (info.st_uid != 0 && info.st_uid != geteuid()) {
    refuse("policy 'owned': " + path + " belongs neither to root nor to " + user_name(geteuid()) +
           found() + "; install the plugin as one of them, or use policy 'any'");
  }
}

struct CpuFeature {
  std::string_view name;
  bool (*present)();
};

#if defined(__x86_64__)
constexpr CpuFeature kCpuFeatures[] = {
    {"sse3", [] { return __builtin_cpu_supports("sse3") != 0; }},
    {"ssse3", [] { return __builtin_cpu_supports("ssse3") != 0; }},
    {"sse4.1", [] { return __builtin_cpu_supports("sse4.1") != 0; }},
    {"sse4.2", [] { return __builtin_cpu_supports("sse4.2") != 0; }},
    {"popcnt", [] { return __builtin_cpu_supports("popcnt") != 0; }},
    {"avx", [] { return __builtin_cpu_supports("avx") != 0; }},
    {"avx2", [] { return __builtin_cpu_supports("avx2") != 0; }},
    {"fma", [] { return __builtin_cpu_supports("fma") != 0; }},
    {"bmi", [] { return __builtin_cpu_supports("bmi") != 0; }},
    {"bmi2", [] { return __builtin_cpu_supports("bmi2") != 0; }},
    {"avx512f", [] { return __builtin_cpu_supports("avx512f") != 0; }},
    {"avx512cd", [] { return __builtin_cpu_supports("avx512cd") != 0; }},
    {"avx512bw", [] { return __builtin_cpu_supports("avx512bw") != 0; }},
    {"avx512dq", [] { return __builtin_cpu_supports("avx512dq") != 0; }},
    {"avx512vl", [] { return __builtin_cpu_supports("avx512vl") != 0; }},
    {"avx512vnni", [] { return __builtin_cpu_supports("avx512vnni") != 0; }},
    {"avx512bf16", [] { return __builtin_cpu_supports("avx512bf16") != 0; }},
};
#elif defined(__aarch64__)
// Bits of AT_HWCAP, from the kernel's asm/hwcap.h.
constexpr CpuFeature kCpuFeatures[] = {
    {"asimd", [] { return (getauxval(AT_HWCAP) & (1ul << 1)) != 0; }},
    {"fphp", [] { return (getauxval(AT_HWCAP) & (1ul << 9)) != 0; }},
    {"asimdhp", [] { return (getauxval(AT_HWCAP) & (1ul << 10)) != 0; }},
    {"asimddp", [] { return (getauxval(AT_HWCAP) & (1ul << 20)) != 0; }},
    {"sve", [] { return (getauxval(AT_HWCAP) & (1ul << 22)) != 0; }},
};
#else
constexpr std::array<CpuFeature, 0> kCpuFeatures{};
#endif

}  // namespace

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), free);
  if (real != nullptr) return real.get();
  if (errno == ENOMEM) throw std::bad_alloc();  // says nothing about the path
  return {};
}

void check_owned(const std::string& path) { PathsOfNow().check_owned(path); }

// realpath() asks the system about every folder above; siblings share them.
std::string PathsOfNow::real_path(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  if (slash == std::string::npos || slash == 0 || name.empty() || name == "." || name == "..") {
    return plugin::real_path(path);
  }
  const std::string folder = path.substr(0, slash);
  auto known = folders_.find(folder);
  if (known == folders_.end()) {
    std::string real = plugin::real_path(folder);
    if (real.empty()) return {};
    known = folders_.emplace(folder, std::move(real)).first;
  }
  std::string real = (known->second == "/" ? "" : known->second) + "/" + name;
  char target = 0;
  if (readlink(real.c_str(), &target, 1) >= 0) return plugin::real_path(path);
  if (errno == EINVAL) return real;  // there, and no link
  if (errno == ENOMEM) throw std::bad_alloc();
  return {};
}

void PathsOfNow::check_owned(const std::string& path) {
  const std::string real = real_path(path);
  if (real.empty()) refuse(path + " cannot be found: " + std::strerror(errno));
  std::vector<std::string> looked_at;
  for (std::string each = real; !in_order_.contains(each);) {
    check_one(each);
    looked_at.push_back(each);
    if (each == "/") break;
    const size_t slash = each.rfind('/');
    each.resize(slash == 0 ? 1 : slash);
  }
  in_order_.insert(looked_at.begin(), looked_at.end());
}

void check_cpu_features(const std::vector<std::string>& features) {
  for (const std::string& wanted : features) {
    const auto* const known = std::ranges::find(kCpuFeatures, wanted, &CpuFeature::name);
    if (known == std::end(kCpuFeatures))
      refuse("it needs the unknown CPU feature '" + wanted + "'");
    if (!known->present()) {
      refuse("it needs the CPU feature '" + wanted + "', which this machine does not have");
    }
  }
}

}  // namespace tenon::plugin
