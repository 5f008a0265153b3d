// SPDX-License-Identifier: Apache-2.0
// tests/cpu/instruction_sets_test.cc: the instructions that tenon.cpu and its twin for AVX2 are
// made of, as objdump and nm (binutils) show them: AVX-512 is used by code for AVX-512 alone, and
// the twin registers none of that. So what the twin computes is what a processor without AVX-512
// computes.
#if defined(TENON_TEST_CPU_TWIN)
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <tenon/plugin.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

std::string twin_path() {
  return std::string(test_plugin_dir()) + "/cpu/test.cpu_avx2/test.cpu_avx2.so";
}
std::string plugin_path() { return std::string(plugin_dir()) + "/tenon.cpu/tenon.cpu.so"; }

// The namespaces of Highway and of the kernels, as they stand in mangled names.
constexpr std::string_view kAvx2 = "6N_AVX2";
constexpr std::string_view kAvx512 = "6N_AVX3";

bool names(std::string_view function, std::string_view space) {
  return function.find(space) != std::string_view::npos;
}

// Calls line(text) for each line that the command writes.
void for_each_line(const std::string& command, const std::function<void(std::string_view)>& line) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  ASSERT_NE(pipe, nullptr) << command;
  char* text = nullptr;
  size_t room = 0;
  while (getline(&text, &room, pipe.get()) > 0) line(text);
  std::free(text);
}

// Functions by their addresses.
std::map<uint64_t, std::string> functions(const std::string& library) {
  std::map<uint64_t, std::string> found;
  // What is installed has its symbols in a file beside it.
  const std::string apart = library + ".debug";
  const std::string& symbols = access(apart.c_str(), R_OK) == 0 ? apart : library;
  for_each_line("nm --defined-only '" + symbols + "'", [&](std::string_view line) {
    const size_t type = line.find(' ') + 1;  // <address> <letter> <name>
    if (line.find_first_of("TtWw", type) != type) return;
    found[std::stoull(std::string(line.substr(0, type)), nullptr, 16)] =
        line.substr(type + 2, line.find('\n') - type - 2);
  });
  return found;
}

// Is this line of objdump's an instruction of AVX-512? Their encoding begins with the byte 62,
// which nothing else does in 64-bit code, but for those that are about masks alone.
bool is_avx512(std::string_view line) {
  const size_t bytes = line.find('\t');
  const size_t text = line.find('\t', bytes + 1);
  if (text == std::string_view::npos) return false;
  return line.substr(bytes + 1, 2) == "62" || line.find("%k", text) != std::string_view::npos;
}

// Names of the functions that have such instructions.
std::set<std::string> functions_with_avx512(const std::string& library) {
  std::set<std::string> found;
  std::string function;
  for_each_line("objdump -d -w '" + library + "'", [&](std::string_view line) {
    const size_t name = line.find(" <");
    if (line.ends_with(">:\n") && name != std::string_view::npos) {
      function = line.substr(name + 2, line.size() - name - 5);
    } else if (is_avx512(line)) {
      found.insert(function);
    }
  });
  return found;
}

// Names of the functions that the plugin's kernels start with.
std::set<std::string> launches(const std::string& library) {
  std::set<std::string> found;
  const std::map<uint64_t, std::string> by_address = functions(library);
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    ADD_FAILURE() << dlerror();
    return found;
  }
  const auto query =
      reinterpret_cast<tenon_plugin_query_fn>(dlsym(handle, TENON_PLUGIN_QUERY_NAME));
  Dl_info info{};
  EXPECT_NE(dladdr(reinterpret_cast<void*>(query), &info), 0);
  const tenon_host host{};
  tenon_plugin plugin{};
  plugin.struct_size = sizeof plugin;
  tenon_diag diag{};
  void* self = nullptr;
  EXPECT_EQ(query(&host, &plugin, &diag), TENON_OK) << diag.message;
  EXPECT_EQ(plugin.init(&host, &self, &diag), TENON_OK) << diag.message;
  constexpr std::string_view id = "tenon.kernels/1";
  const auto* table =
      static_cast<const tenon_kernels_table*>(plugin.get_interface(self, id.data(), id.size()));
  for (uint32_t i = 0; i < table->count; ++i) {
    const auto at = reinterpret_cast<uintptr_t>(table->descs[i]->launch) -
                    reinterpret_cast<uintptr_t>(info.dli_fbase);
    const auto function = by_address.find(at);
    EXPECT_NE(function, by_address.end()) << "kernel " << i;
    if (function != by_address.end()) found.insert(function->second);
  }
  plugin.release(self);
  dlclose(handle);
  return found;
}

class CpuInstructionSets : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("objdump --version >/dev/null 2>&1 && nm --version >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "needs objdump and nm, of binutils";
    }
  }
};

// Also of code that is not in either namespace, such as functions of the standard library.
TEST_F(CpuInstructionSets, OnlyCodeForAvx512UsesIt) {
  size_t used = 0;
  for (const std::string& function : functions_with_avx512(twin_path())) {
    EXPECT_TRUE(names(function, kAvx512)) << function;
    used += names(function, kAvx512);
  }
  EXPECT_GT(used, 1000u);
}

TEST_F(CpuInstructionSets, TheTwinStartsWithCodeForAvx2) {
  const std::set<std::string> started = launches(twin_path());
  EXPECT_GT(started.size(), 100u);
  for (const std::string& function : started) {
    EXPECT_FALSE(names(function, kAvx512)) << function;
  }
  const auto vectors = std::count_if(started.begin(), started.end(),
                                     [](const auto& function) { return names(function, kAvx2); });
  EXPECT_GT(vectors, 80);
}

// What a processor with AVX-512 is for; on others both plugins start with the same functions.
TEST_F(CpuInstructionSets, ThePluginUsesTheProcessorsBest) {
  const bool wide = __builtin_cpu_supports("avx512bw");
  size_t best = 0;
  for (const std::string& function : launches(plugin_path())) {
    EXPECT_FALSE(names(function, wide ? kAvx2 : kAvx512)) << function;
    best += names(function, wide ? kAvx512 : kAvx2);
  }
  EXPECT_GT(best, 80u);
}

}  // namespace
}  // namespace tenon::tests
#endif
