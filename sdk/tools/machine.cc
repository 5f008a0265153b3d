// SPDX-License-Identifier: Apache-2.0
// sdk/tools/machine.cc: see machine.h.
#include "machine.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace tenon::tools {
namespace {

namespace fs = std::filesystem;

struct Prefix {
  std::string_view prefix;
  const char* family;
};
constexpr Prefix openmp_prefixes[] = {
    {"libgomp", "GNU OpenMP"}, {"libiomp5", "Intel OpenMP"}, {"libomp", "LLVM OpenMP"}};
constexpr Prefix blas_prefixes[] = {{"libopenblas", "OpenBLAS"}, {"libmkl_", "Intel MKL"},
                                    {"libblis", "BLIS"},         {"libatlas", "ATLAS"},
                                    {"libtatlas", "ATLAS"},      {"libsatlas", "ATLAS"}};
// Distributions install several BLAS under one name and tell them apart by the folder.
constexpr Prefix blas_folders[] = {
    {"openblas", "OpenBLAS"}, {"mkl", "Intel MKL"}, {"blis", "BLIS"}, {"atlas", "ATLAS"}};

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != 0) {
          static_cast<std::vector<std::string>*>(out)->emplace_back(info->dlpi_name);
        }
        return 0;
      },
      &paths);
  return paths;
}

template <size_t Count>
const char* family_of(const std::string& name, const Prefix (&prefixes)[Count]) {
  for (const Prefix& item : prefixes) {
    if (name.compare(0, item.prefix.size(), item.prefix) == 0) return item.family;
  }
  return nullptr;
}

const char* blas_family(const fs::path& real, const std::string& name) {
  if (const char* family = family_of(name, blas_prefixes)) return family;
  if (name.compare(0, 10, "libblas.so") != 0) return nullptr;
  for (const Prefix& item : blas_folders) {
    if (real.string().find(item.prefix) != std::string::npos) return item.family;
  }
  return "reference BLAS";
}

void find_runtimes(Machine& machine) {
  for (const std::string& path : loaded_libraries()) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(path, error);
    const std::string name = fs::path(path).filename();
    if (const char* family = family_of(name, openmp_prefixes)) {
      machine.openmp.push_back({family, real.string()});
    } else if (const char* blas = blas_family(real, name)) {
      machine.blas.push_back({blas, real.string()});
    }
  }
}

#if defined(__x86_64__)
constexpr const char* architecture = "x86-64";
#elif defined(__aarch64__)
constexpr const char* architecture = "aarch64";
#else
constexpr const char* architecture = "another architecture";
#endif

// The name manifests use, the one in /proc/cpuinfo.
constexpr std::pair<const char*, const char*> feature_names[] = {
    {"sse3", "pni"},
    {"ssse3", "ssse3"},
    {"sse4.1", "sse4_1"},
    {"sse4.2", "sse4_2"},
    {"popcnt", "popcnt"},
    {"avx", "avx"},
    {"avx2", "avx2"},
    {"fma", "fma"},
    {"bmi", "bmi1"},
    {"bmi2", "bmi2"},
    {"avx512f", "avx512f"},
    {"avx512cd", "avx512cd"},
    {"avx512bw", "avx512bw"},
    {"avx512dq", "avx512dq"},
    {"avx512vl", "avx512vl"},
    {"avx512vnni", "avx512_vnni"},
    {"avx512bf16", "avx512_bf16"},
    {"asimd", "asimd"},
    {"fphp", "fphp"},
    {"asimdhp", "asimdhp"},
    {"asimddp", "asimddp"},
    {"sve", "sve"},
};

std::vector<std::string> cpu_features() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  std::set<std::string> words;
  while (words.empty() && std::getline(file, line)) {
    if (line.compare(0, 5, "flags") != 0 && line.compare(0, 8, "Features") != 0) continue;
    std::istringstream stream(line.substr(line.find(':') + 1));
    for (std::string word; stream >> word;) words.insert(word);
  }
  std::vector<std::string> features;
  for (const auto& [name, kernel_name] : feature_names) {
    if (words.contains(kernel_name)) features.emplace_back(name);
  }
  return features;
}

// By the compiler's own macros. This file is compiled with the same flags as libtenon.
std::vector<std::string> built_for() {
  return {
#if defined(__SSE3__)
    "sse3",
#endif
#if defined(__SSSE3__)
        "ssse3",
#endif
#if defined(__SSE4_1__)
        "sse4.1",
#endif
#if defined(__SSE4_2__)
        "sse4.2",
#endif
#if defined(__POPCNT__)
        "popcnt",
#endif
#if defined(__AVX__)
        "avx",
#endif
#if defined(__AVX2__)
        "avx2",
#endif
#if defined(__FMA__)
        "fma",
#endif
#if defined(__BMI__)
        "bmi",
#endif
#if defined(__BMI2__)
        "bmi2",
#endif
#if defined(__AVX512F__)
        "avx512f",
#endif
#if defined(__AVX512BW__)
        "avx512bw",
#endif
#if defined(__AVX512DQ__)
        "avx512dq",
#endif
#if defined(__AVX512VL__)
        "avx512vl",
#endif
#if defined(__ARM_NEON)
        "asimd",
#endif
#if defined(__ARM_FEATURE_SVE)
        "sve",
#endif
  };
}

bool has(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// The first number of "4,2"; 0 for what is none.
size_t count_of(const std::string& value) {
  size_t count = 0;
  std::from_chars(value.data(), value.data() + value.size(), count);
  return count;
}

std::string runtimes_text(const std::vector<LoadedRuntime>& runtimes) {
  std::string text;
  for (const LoadedRuntime& item : runtimes) {
    text += (text.empty() ? "" : ", ") + item.family + " (" + item.path + ")";
  }
  return text;
}

// One of a kind is loaded once by name, but several libraries of one family belong together (MKL).
size_t different(const std::vector<LoadedRuntime>& runtimes, bool parts) {
  std::set<std::string> kinds;
  for (const LoadedRuntime& item : runtimes) kinds.insert(parts ? item.family : item.path);
  return kinds.size();
}

void look_for_oversubscription(const Machine& machine, std::vector<Finding>& findings) {
  if (machine.threads > machine.available_cpus) {
    findings.push_back(
        {"threads",
         std::to_string(machine.threads) + " compute threads on " +
             count_text(machine.available_cpus, "usable CPU") + " (affinity and cgroup counted)",
         "set TENON_THREADS=" + std::to_string(machine.available_cpus) + ", or unset it"});
  }
  for (const auto& [name, value] : machine.variables) {
    const bool for_openmp = name == "OMP_NUM_THREADS";
    const bool used = !machine.blas.empty() || (for_openmp && !machine.openmp.empty());
    const size_t others = count_of(value);
    if (!used || others <= 1 || machine.threads * others <= machine.available_cpus) continue;
    findings.push_back({name,
                        "is " + value + ": with " + count_text(machine.threads, "thread") +
                            " of Tenon that is up to " + std::to_string(machine.threads * others) +
                            " threads on " + count_text(machine.available_cpus, "usable CPU"),
                        "set " + name + "=1; Tenon's own threads share the work"});
  }
}

}  // namespace

Machine look_at_machine(const Json& environment) {
  Machine machine;
  machine.architecture = architecture;
  machine.cpu_features = cpu_features();
  machine.built_for = built_for();
  machine.threads = environment.at("threads");
  machine.available_cpus = environment.at("available_cpus");
  find_runtimes(machine);
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                           "MKL_NUM_THREADS", "BLIS_NUM_THREADS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != 0) machine.variables.emplace_back(name, value);
  }
  return machine;
}

void look_for_problems(const Machine& machine, std::vector<Finding>& findings) {
  if (different(machine.openmp, false) > 1) {
    findings.push_back({"OpenMP", "several runtimes are loaded: " + runtimes_text(machine.openmp),
                        "build the plugins that bring them against one of them; two pools of "
                        "threads fight for the CPUs, and may deadlock"});
  }
  if (different(machine.blas, true) > 1) {
    findings.push_back({"BLAS", "several libraries are loaded: " + runtimes_text(machine.blas),
                        "build the plugins that bring them against one of them; equal names in "
                        "both make it chance which one answers"});
  }
  for (const std::string& feature : machine.built_for) {
    if (machine.cpu_features.empty() || has(machine.cpu_features, feature)) continue;
    findings.push_back({"CPU",
                        "Tenon is compiled for " + feature + ", which this machine does not have",
                        "build Tenon on this machine, or without -m flags for newer ones"});
  }
  look_for_oversubscription(machine, findings);
}

Json json_of(const Machine& machine) {
  const auto runtimes = [](const std::vector<LoadedRuntime>& list) {
    Json json = Json::array();
    for (const LoadedRuntime& item : list) {
      json.push_back({{"family", item.family}, {"library", item.path}});
    }
    return json;
  };
  Json variables = Json::object();
  for (const auto& [name, value] : machine.variables) variables[name] = value;
  return {{"architecture", machine.architecture},     {"cpu_features", machine.cpu_features},
          {"built_for", machine.built_for},           {"threads", machine.threads},
          {"available_cpus", machine.available_cpus}, {"openmp", runtimes(machine.openmp)},
          {"blas", runtimes(machine.blas)},           {"variables", variables}};
}

std::string machine_text(const Json& machine) {
  const auto runtimes = [&](const char* member) {
    std::vector<std::string> texts;
    for (const Json& item : machine.at(member)) {
      texts.push_back(item.at("family").get<std::string>() + " (" +
                      item.at("library").get<std::string>() + ")");
    }
    return texts.empty() ? std::string("none") : joined(texts);
  };
  const auto features = [&](const char* member) {
    const std::vector<std::string> names = names_of(machine.at(member));
    return machine.at("architecture").get<std::string>() +
           (names.empty() ? "" : " with " + joined(names));
  };
  std::string text = "  threads: " + std::to_string(machine.at("threads").get<size_t>()) + " on " +
                     count_text(machine.at("available_cpus").get<size_t>(), "usable CPU");
  for (const auto& [name, value] : machine.at("variables").items()) {
    text += ", " + name + "=" + value.get<std::string>();
  }
  return text + "\n  CPU: " + features("cpu_features") +
         "\n  Tenon is compiled for: " + features("built_for") +
         "\n  OpenMP: " + runtimes("openmp") + "\n  BLAS: " + runtimes("blas") + "\n";
}

std::vector<std::string> missing_libraries(const Json& names) {
  std::vector<std::string> missing;
  for (const Json& name : names) {
    if (!name.is_string()) continue;
    const std::string library = name;
    void* opened = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (opened == nullptr) {
      missing.push_back(library);
    } else {
      dlclose(opened);
    }
  }
  return missing;
}

}  // namespace tenon::tools
