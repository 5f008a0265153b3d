// SPDX-License-Identifier: Apache-2.0
// tests/command/doctor_test.cc: what `tenon doctor` says about libraries, hashes and threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The finding whose `about` begins so; null if there is none.
json finding_about(const json& answer, const std::string& about) {
  for (const json& finding : answer.at("findings")) {
    if (finding.at("about").get<std::string>().rfind(about, 0) == 0) return finding;
  }
  return {};
}

json entry_of(const json& answer, const std::string& id) {
  for (const json& plugin : answer.at("plugins")) {
    if (plugin.at("id") == id) return plugin;
  }
  ADD_FAILURE() << "no " << id;
  return {};
}

TEST(CommandDoctor, BeginsWithASummary) {
  const TemporaryFolder folder;
  folder.write("acme.broken/plugin.json", "not JSON");
  const Done done =
      run_command({"--exclude", "tenon.cuda", "--plugin-path", folder.path("."), "doctor"});
  EXPECT_EQ(done.status, 1);
  const std::string first = done.out.substr(0, done.out.find('\n'));
  EXPECT_THAT(first, HasSubstr(" loaded, 1 refused"));
  EXPECT_THAT(first, HasSubstr("; 1 of 1 device usable; 1 problem"));
  // Advice comes last, where it is still on the screen.
  EXPECT_THAT(done.out.substr(done.out.rfind("problems\n")), HasSubstr("    -> "));
  const json summary =
      run_command({"--plugin-path", folder.path("."), "doctor", "--json"}).json().at("summary");
  EXPECT_EQ(summary.at("refused"), 1);
  EXPECT_EQ(summary.at("problems"), 1);
  EXPECT_EQ(summary.at("plugins").get<int>(),
            summary.at("loaded").get<int>() + summary.at("for_another_processor").get<int>() + 1);
  EXPECT_EQ(summary.at("usable_devices"), 1);
}

TEST(CommandDoctor, NamesALibraryWithoutAManifest) {
  const TemporaryFolder folder;
  folder.write("acme.new/acme.new.so", "");
  const Done done = run_command({"--plugin-path", folder.path("."), "doctor", "--json"});
  EXPECT_EQ(done.status, 1);
  const json finding = finding_about(done.json(), "library ");
  ASSERT_TRUE(finding.is_object()) << done.out;
  EXPECT_THAT(finding.at("about").get<std::string>(), testing::EndsWith("acme.new/acme.new.so"));
  EXPECT_EQ(finding.at("problem"), "no plugin.json lies beside it, so nothing opens it");
  EXPECT_THAT(finding.at("advice").get<std::string>(), HasSubstr("`tenon manifest "));
  EXPECT_THAT(run_command({"--plugin-path", folder.path("."), "explain", "acme.new"}).err,
              HasSubstr("no plugin.json beside "));
}

// No problem: another machine has that processor, and this one runs without the plugin.
TEST(CommandDoctor, NamesWhatIsForAnotherProcessor) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512bf16")) GTEST_SKIP() << "this machine lacks no feature";
  const std::string feature = "avx512bf16";
#else
  GTEST_SKIP() << "no feature is known that such a machine lacks";
  const std::string feature;
#endif
  const TemporaryFolder folder;
  const std::string plugin = copy_plugin("hostile.good", folder.path("."), hostile_dir());
  json manifest = json::parse(std::ifstream(plugin + "/plugin.json"));
  manifest["requires"]["cpu_features"] = {feature};
  std::ofstream(plugin + "/plugin.json") << manifest;
  const json answer = run_command({"--plugin-path", folder.path("."), "doctor", "--json"}).json();
  EXPECT_EQ(answer.at("findings"), json::array());
  EXPECT_TRUE(entry_of(answer, "hostile.good").at("for_another_processor"));
  EXPECT_GE(answer.at("summary").at("for_another_processor"), 1);
  EXPECT_THAT(run_command({"--plugin-path", folder.path("."), "doctor"}).out,
              HasSubstr(" for another processor; "));
}

TEST(CommandDoctor, ChecksHashes) {
  const TemporaryFolder folder;
  const std::string plugin = copy_plugin("hostile.good", folder.path("."), hostile_dir());
  const json good = run_command({"--plugin-path", folder.path("."), "doctor", "--json"}).json();
  if (entry_of(good, "hostile.good").at("hash") == "unknown") GTEST_SKIP() << "no libcrypto here";
  EXPECT_EQ(entry_of(good, "hostile.good").at("hash"), "good");
  EXPECT_EQ(good.at("findings"), json::array());

  // Behind its last section no loader looks.
  std::ofstream(plugin + "/hostile.good.so", std::ios::binary | std::ios::app) << '!';
  const Done done = run_command({"--plugin-path", folder.path("."), "doctor", "--json"});
  EXPECT_EQ(done.status, 1);
  const json bad = done.json();
  EXPECT_EQ(entry_of(bad, "hostile.good").at("hash"), "differs");
  const json finding = finding_about(bad, "library ");
  ASSERT_TRUE(finding.is_object()) << bad.at("findings");
  EXPECT_THAT(finding.at("problem").get<std::string>(),
              HasSubstr("its bytes are not those plugin.json was written for"));
  EXPECT_THAT(finding.at("advice").get<std::string>(), HasSubstr("`tenon manifest "));
}

// The reference decomposes any matrix, and takes minutes for a large one: no problem, but said.
TEST(CommandDoctor, SaysWhatNoLibraryComputes) {
  const Done without = run_command({"--exclude", "tenon.lapack", "doctor"});
  EXPECT_THAT(without.out, HasSubstr("for small operands only, no library's kernels are there: "
                                     "tenon.cholesky, tenon.det, "));
  const Done explained =
      run_command({"--exclude", "tenon.lapack", "explain", "eigh", "f32[300,300]"});
  EXPECT_THAT(explained.out, HasSubstr("no plugin with a library's kernels for this op is there: "
                                       "those of tenon.ref are for small operands"));
  if (!fs::exists(fs::path(plugin_dir()) / "tenon.lapack")) GTEST_SKIP() << "OpenBLAS is not there";
  EXPECT_THAT(run_command({"doctor"}).out, Not(HasSubstr("for small operands only")));
  EXPECT_THAT(run_command({"explain", "eigh", "f32[300,300]"}).out,
              Not(HasSubstr("no plugin with a library's kernels")));
}

TEST(CommandDoctor, NamesLibrariesThatAreNotInstalled) {
  const TemporaryFolder folder;
  const std::string plugin = copy_plugin("hostile.good", folder.path("."), hostile_dir());
  json manifest = read_json(plugin + "/plugin.json");
  manifest["requires"]["libraries"] = {"libnosuch_42.so.7", "libc.so.6"};
  manifest["requires"]["packages"] = {"nosuch-libs (Debian)", "nosuch (Fedora)"};
  folder.write("hostile.good/plugin.json", manifest.dump());
  const Done done = run_command({"--plugin-path", folder.path("."), "doctor", "--json"});
  EXPECT_EQ(done.status, 1);
  const json answer = done.json();
  EXPECT_EQ(entry_of(answer, "hostile.good").at("missing_libraries"),
            json::array({"libnosuch_42.so.7"}));
  EXPECT_THAT(finding_about(answer, "plugin hostile.good").at("problem").get<std::string>(),
              StartsWith("refused (requirement): it needs the library libnosuch_42.so.7, which "
                         "cannot be opened: "));
  EXPECT_THAT(finding_about(answer, "plugin hostile.good").at("problem").get<std::string>(),
              testing::EndsWith("; install nosuch-libs (Debian), nosuch (Fedora)"));
}

// What a plugin lacks, and the advice: of an op, that nobody is told to install the plugin again.
TEST(CommandDoctor, AdvisesOnWhatAPluginRequires) {
  const auto finding = [](const std::string& op) {
    const TemporaryFolder folder;
    const std::string plugin = copy_plugin("hostile.good", folder.path("."), hostile_dir());
    json manifest = read_json(plugin + "/plugin.json");
    manifest["requires"]["ops"] = {op};
    folder.write("hostile.good/plugin.json", manifest.dump());
    const Done done = run_command({"--plugin-path", folder.path("."), "doctor", "--json"});
    EXPECT_EQ(done.status, 1);
    return finding_about(done.json(), "plugin hostile.good");
  };
  const json absent = finding("nobody.knows_this");
  EXPECT_THAT(
      absent.at("problem").get<std::string>(),
      StartsWith("refused (requirement): it requires op \"nobody.knows_this\", which is not "
                 "available: no plugin lists it; looked in "));
  EXPECT_EQ(absent.at("advice"),
            "install a plugin that lists it, or name its folder in TENON_PLUGIN_PATH");
  const json misspelt = finding("tenon.matmull");
  EXPECT_THAT(misspelt.at("problem").get<std::string>(),
              testing::EndsWith("; did you mean \"tenon.matmul\"?"));
  EXPECT_THAT(misspelt.at("advice").get<std::string>(),
              StartsWith("correct the name in plugin.json's requires.ops, or install "));
}

TEST(CommandDoctor, AdvisesOnMissingSymbols) {
  const TemporaryFolder folder;
  const std::string library =
      copy_plugin("hostile.good", folder.path("."), hostile_dir()) + "/hostile.good.so";
  std::string bytes(std::istreambuf_iterator<char>(std::ifstream(library).rdbuf()), {});
  for (size_t at = 0; (at = bytes.find("getenv", at)) != bytes.npos; ++at) bytes[at + 5] = 'q';
  std::ofstream(library, std::ios::binary) << bytes;
  const Done done = run_command({"--plugin-path", folder.path("."), "doctor", "--json"});
  EXPECT_EQ(done.status, 1);
  const json finding = finding_about(done.json(), "plugin hostile.good");
  ASSERT_TRUE(finding.is_object()) << done.out;
  EXPECT_THAT(finding.at("problem").get<std::string>(), HasSubstr("undefined symbol: getenq"));
  EXPECT_THAT(finding.at("advice").get<std::string>(),
              StartsWith("link the library that has this symbol"));
}

TEST(CommandDoctor, RefusesWhatThisMachineCannotRun) {
  const TemporaryFolder folder;
  const std::string plugin = copy_plugin("hostile.good", folder.path("."), hostile_dir());
  json manifest = read_json(plugin + "/plugin.json");
  manifest["requires"]["cpu_features"] = {"quantum"};
  folder.write("hostile.good/plugin.json", manifest.dump());
  const json answer = run_command({"--plugin-path", folder.path("."), "doctor", "--json"}).json();
  EXPECT_EQ(entry_of(answer, "hostile.good").at("state"), "refused");
  const json finding = finding_about(answer, "plugin hostile.good");
  EXPECT_THAT(finding.at("problem").get<std::string>(), HasSubstr("quantum"));
  EXPECT_THAT(finding.at("advice").get<std::string>(),
              HasSubstr("this machine cannot run the plugin"));
}

// A plugin that ends the process, or holds it up, does not take the doctor with it, and is named.
TEST(CommandDoctor, OutlivesThePlugins) {
  const std::string segv = "crashed with SIGSEGV while running its ";
  for (const auto& [id, end] :
       {std::pair{"hostile.crashes_init", segv + "init"},
        std::pair{"hostile.crashes_release", segv + "release"},
        std::pair{"hostile.exits_load",
                  std::string("ended the process with exit status 3 while loading its library")},
        std::pair{"hostile.hangs_init", std::string("hung while running its init: no progress for "
                                                    "1 s; killed")}}) {
    const TemporaryFolder folder;
    const std::string plugin = copy_plugin(id, folder.path("."), hostile_dir());
    const char* const seconds = id == std::string("hostile.hangs_init") ? "1" : "10";
    const Done done =
        run_command({"--plugin-path", folder.path("."), "doctor", "--timeout", seconds, "--json"},
                    {{"TENON_TEST_HOSTILE", "1"}});
    EXPECT_EQ(done.status, 1) << id;
    EXPECT_EQ(done.json().at("error"),
              std::string("plugin ") + id + " in " + fs::canonical(plugin).string() + " " + end +
                  "; leave it out with --exclude " + id + ", and report it to its author");
  }
}

TEST(CommandDoctor, HearsWhatPluginsPrint) {
  const TemporaryFolder folder;
  copy_plugin("hostile.prints_load", folder.path("."), hostile_dir());
  const Done done = run_command({"--plugin-path", folder.path("."), "doctor", "--json"},
                                {{"TENON_TEST_HOSTILE", "1"}});
  EXPECT_EQ(done.status, 1);
  EXPECT_EQ(finding_about(done.json(), "output to stdout").at("problem"),
            "a plugin printed \"hello from a constructor\"");
}

// Real ones need not be installed: what counts is that libraries of these names are loaded.
class CommandDoctorLoaded : public testing::Test {
 protected:
  void SetUp() override {
    copy_plugin("hostile.opens_libraries", folder_.path("plugins"), hostile_dir());
  }

  // What the doctor says after a plugin loaded libraries of these names.
  json doctor(const std::vector<std::string>& names, Environment environment = {}) {
    std::string paths;
    for (const std::string& name : names) {
      const std::string path = folder_.path(name);
      if (!fs::exists(path)) {
        fs::copy_file(std::string(plugin_dir()) + "/tenon.data/tenon.data.so", path);
      }
      paths += (paths.empty() ? "" : ":") + path;
    }
    environment.emplace_back("TENON_TEST_HOSTILE", paths);
    const Done done =
        run_command({"--plugin-path", folder_.path("plugins"), "--exclude", "tenon.openblas",
                     "--exclude", "tenon.lapack", "--exclude", "tenon.onednn", "doctor", "--json"},
                    environment);
    json answer = done.json();
    EXPECT_EQ(entry_of(answer, "hostile.opens_libraries").at("state"), "open") << done.out;
    EXPECT_EQ(done.status, answer.at("findings").empty() ? 0 : 1);
    return answer;
  }

  TemporaryFolder folder_;
};

TEST_F(CommandDoctorLoaded, OneOfEachIsNoProblem) {
  const json answer = doctor({"libgomp.so.1", "libopenblas.so.0"},
                             {{"TENON_THREADS", "1"}, {"OMP_NUM_THREADS", "1"}});
  EXPECT_EQ(answer.at("findings"), json::array());
  ASSERT_EQ(answer.at("machine").at("openmp").size(), 1u);
  EXPECT_EQ(answer.at("machine").at("openmp")[0].at("family"), "GNU OpenMP");
  ASSERT_EQ(answer.at("machine").at("blas").size(), 1u);
  EXPECT_EQ(answer.at("machine").at("blas")[0].at("family"), "OpenBLAS");
}

TEST_F(CommandDoctorLoaded, TwoOpenMPRuntimesAreAProblem) {
  const json answer = doctor({"libgomp.so.1", "libiomp5.so"});
  const json finding = finding_about(answer, "OpenMP");
  ASSERT_TRUE(finding.is_object()) << answer.at("findings");
  EXPECT_THAT(finding.at("problem").get<std::string>(),
              StartsWith("several runtimes are loaded: GNU OpenMP ("));
  EXPECT_THAT(finding.at("problem").get<std::string>(), HasSubstr("Intel OpenMP ("));
}

// Two copies of one family fight just as well.
TEST_F(CommandDoctorLoaded, TwoCopiesOfOneOpenMPRuntimeAreAProblem) {
  const json answer = doctor({"libgomp.so.1", "libgomp-a34b3233.so.1.0.0"});
  EXPECT_TRUE(finding_about(answer, "OpenMP").is_object()) << answer.at("findings");
}

TEST_F(CommandDoctorLoaded, TwoBlasLibrariesAreAProblem) {
  const json answer = doctor({"libopenblas.so.0", "libblis.so.4"});
  const json finding = finding_about(answer, "BLAS");
  ASSERT_TRUE(finding.is_object()) << answer.at("findings");
  EXPECT_THAT(finding.at("problem").get<std::string>(), HasSubstr("OpenBLAS ("));
  EXPECT_THAT(finding.at("problem").get<std::string>(), HasSubstr("BLIS ("));
}

TEST_F(CommandDoctorLoaded, ThreadsOfABlasOnTopOfOursAreAProblem) {
  const Environment many = {{"OPENBLAS_NUM_THREADS", "4000"}, {"TENON_THREADS", "1"}};
  const json answer = doctor({"libopenblas.so.0"}, many);
  const json finding = finding_about(answer, "OPENBLAS_NUM_THREADS");
  ASSERT_TRUE(finding.is_object()) << answer.at("findings");
  EXPECT_THAT(finding.at("problem").get<std::string>(),
              StartsWith("is 4000: with 1 thread of Tenon that is up to 4000 threads on "));
  EXPECT_EQ(finding.at("advice"), "set OPENBLAS_NUM_THREADS=1; Tenon's own threads share the work");
  // Without a BLAS in the process nobody reads the variable.
  EXPECT_EQ(doctor({}, many).at("findings"), json::array());
}

TEST(CommandDoctor, MoreThreadsThanCpusAreAProblem) {
  const json calm = run_command({"doctor", "--json"}).json();
  const int cpus = calm.at("machine").at("available_cpus");
  const Done done =
      run_command({"doctor", "--json"}, {{"TENON_THREADS", std::to_string(cpus + 1)}});
  EXPECT_EQ(done.status, 1);
  const json finding = finding_about(done.json(), "threads");
  ASSERT_TRUE(finding.is_object()) << done.out;
  EXPECT_THAT(finding.at("problem").get<std::string>(),
              StartsWith(std::to_string(cpus + 1) + " compute threads on "));
  EXPECT_THAT(finding.at("advice").get<std::string>(),
              StartsWith("set TENON_THREADS=" + std::to_string(cpus)));
}

TEST(CommandDoctor, NamesWhatTheMachineAndTheBuildCanDo) {
  const json machine = run_command({"doctor", "--json"}).json().at("machine");
#if defined(__x86_64__)
  EXPECT_EQ(machine.at("architecture"), "x86-64");
#elif defined(__aarch64__)
  EXPECT_EQ(machine.at("architecture"), "aarch64");
#endif
  for (const json& feature : machine.at("built_for")) {
    EXPECT_THAT(machine.at("cpu_features").get<std::vector<std::string>>(),
                testing::Contains(feature.get<std::string>()));
  }
}

}  // namespace
}  // namespace tenon::tests
