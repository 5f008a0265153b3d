// SPDX-License-Identifier: Apache-2.0
// tests/command/files_test.cc: inspect, manifest, trace.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

// A dataset file: bytes 0, 1, 2, ... of type u8.
std::string idx_bytes(unsigned char rows, unsigned char columns, size_t data) {
  std::string bytes = {0, 0, 8, 2};
  for (const unsigned char size : {rows, columns}) {
    bytes += std::string(3, '\0') + static_cast<char>(size);
  }
  for (size_t i = 0; i < data; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(CommandInspect, APluginInOrder) {
  for (const char* name : {"", "/plugin.json", "/tenon.ops.so"}) {
    const std::string path = std::string(plugin_dir()) + "/tenon.ops" + name;
    const Done done = run_command({"inspect", path, "--json"});
    EXPECT_EQ(done.status, 0) << path << ": " << done.out << done.err;
    const json answer = done.json();
    EXPECT_EQ(answer.at("kind"), "plugin");
    EXPECT_EQ(answer.at("states").at("id"), "tenon.ops");
    EXPECT_EQ(answer.at("findings"), json::array());
  }
}

TEST(CommandInspect, AManifestThatDiffersFromItsLibrary) {
  const TemporaryFolder folder;
  const std::string plugin = copy_plugin("tenon.data", folder.path("."));
  json manifest = read_json(plugin + "/plugin.json");
  manifest["version"] = "9.9.9";
  manifest["datasets"] = json::array({"tenon.other"});
  std::ofstream(plugin + "/plugin.json") << manifest.dump();
  const Done done = run_command({"inspect", plugin, "--json"});
  EXPECT_EQ(done.status, 1);
  const json findings = done.json().at("findings");
  ASSERT_EQ(findings.size(), 2u) << done.out;
  EXPECT_THAT(findings[0].get<std::string>(), HasSubstr("field \"version\""));
  EXPECT_THAT(findings[1].get<std::string>(), HasSubstr("field \"datasets\""));
}

TEST(CommandInspect, ALibraryCutShortIsNoCrash) {
  const TemporaryFolder folder;
  const std::string plugin = copy_plugin("tenon.data", folder.path("."));
  const std::string library = plugin + "/tenon.data.so";
  for (const uintmax_t size : {fs::file_size(library) / 2, uintmax_t{100}, uintmax_t{10}}) {
    fs::resize_file(library, size);
    const Done done = run_command({"inspect", library});
    EXPECT_EQ(done.status, 1) << size;
    EXPECT_THAT(done.err, HasSubstr("truncated")) << size;
  }
}

// Without the headers of its sections, which lie at a library's end, its segments tell.
TEST(CommandInspect, AStrippedLibraryCutShortIsNoCrash) {
  const TemporaryFolder folder;
  const std::string library = copy_plugin("tenon.data", folder.path(".")) + "/tenon.data.so";
  std::fstream file(library, std::ios::in | std::ios::out | std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  header.e_shoff = 0;
  header.e_shnum = header.e_shstrndx = 0;
  file.seekp(0).write(reinterpret_cast<const char*>(&header), sizeof header);
  uintmax_t end = 0;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  file.close();
  EXPECT_THAT(run_command({"inspect", library}).out, HasSubstr("datasets: tenon.cifar"));
  for (const uintmax_t size : {end - 1, end / 2}) {
    fs::resize_file(library, size);
    const Done done = run_command({"inspect", library});
    EXPECT_EQ(done.status, 1) << size;
    EXPECT_THAT(done.err, HasSubstr("truncated")) << size;
  }
}

TEST(CommandInspect, IdxFiles) {
  const TemporaryFolder folder;
  const Done good = run_command({"inspect", folder.write("good", idx_bytes(2, 3, 6)), "--json"});
  EXPECT_EQ(good.status, 0) << good.out;
  EXPECT_EQ(good.json().at("kind"), "idx");
  EXPECT_EQ(good.json().at("dtype"), "u8");
  EXPECT_EQ(good.json().at("shape"), json({2, 3}));
  const Done cut = run_command({"inspect", folder.write("short", idx_bytes(2, 3, 5))});
  EXPECT_EQ(cut.status, 1);
  EXPECT_THAT(cut.out, HasSubstr("asks for 6 bytes of data, the file holds 5"));
  const Done header =
      run_command({"inspect", folder.write("head", idx_bytes(2, 3, 0).substr(0, 9))});
  EXPECT_EQ(header.status, 1);
  EXPECT_THAT(header.out, HasSubstr("ends inside its header"));
}

// A safetensors file: u64 length of the header, header, data.
std::string safetensors_bytes(const std::string& header, const std::string& data) {
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  return bytes + header + data;
}

TEST(CommandInspect, FilesOfTensors) {
  const TemporaryFolder folder;
  const std::string header =
      R"({"__metadata__":{"epoch":"7"},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})";
  const std::string good = safetensors_bytes(header, std::string(8, '\0'));
  for (const char* name : {"model.safetensors", "model"}) {
    const Done done = run_command({"inspect", folder.write(name, good), "--json"});
    EXPECT_EQ(done.status, 0) << done.out << done.err;
    const json answer = done.json();
    EXPECT_EQ(answer.at("kind"), "tensors");
    EXPECT_EQ(answer.at("format"), "tenon.safetensors");
    EXPECT_EQ(answer.at("tensors"),
              json::parse(R"([{"name": "w", "dtype": "f32", "shape": [1, 2]}])"));
    EXPECT_EQ(answer.at("metadata"), json({{"epoch", "7"}}));
  }
  EXPECT_THAT(run_command({"inspect", folder.path("model")}).out,
              HasSubstr("model: tensors\n  format: tenon.safetensors\n  w: f32[1,2]\n"
                        "  metadata epoch: 7\n"));
  const std::string foreign =
      folder.write("foreign.safetensors",
                   safetensors_bytes(R"({"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]},)"
                                     R"("b":{"dtype":"U8","shape":[],"data_offsets":[2,3]},)"
                                     R"("c":{"dtype":"U64","shape":[],"data_offsets":[3,11]}})",
                                     std::string(11, '\0')));
  EXPECT_THAT(run_command({"inspect", foreign}).out,
              HasSubstr("  a: F8_E4M3 [2], foreign\n  b: u8[]\n"
                        "  c: U64, foreign\n"));
  EXPECT_EQ(run_command({"inspect", foreign, "--json"}).json().at("tensors")[0],
            json::parse(R"({"name": "a", "dtype": "F8_E4M3", "shape": [2], "foreign": true})"));
  const Done cut = run_command(
      {"inspect", folder.write("cut.safetensors", good.substr(0, good.size() - 1)), "--json"});
  EXPECT_EQ(cut.status, 1);
  EXPECT_EQ(cut.json().at("kind"), "tensors");
  EXPECT_EQ(cut.json().at("findings").size(), 1u);
}

TEST(CommandInspect, Tokenizers) {
  const TemporaryFolder folder;
  const std::string pair = "tenon-pairs 1\n97 98\n";
  for (const char* name : {"a.pairs", "a"}) {  // what it holds tells, whatever it is called
    const Done pairs = run_command({"inspect", folder.write(name, pair)});
    EXPECT_EQ(pairs.status, 0) << pairs.out << pairs.err;
    EXPECT_THAT(pairs.out,
                HasSubstr(std::string(name) + ": tokenizer\n  257 tokens, tenon.pairs\n"));
  }
  const Done characters =
      run_command({"inspect", folder.write("b", "tenon-characters 1\n97\n98\n"), "--json"});
  EXPECT_EQ(characters.json().at("tokenizer"), "tenon.characters");
  EXPECT_EQ(characters.json().at("tokens"), 2);
  const std::string wrong = "tenon-pairs 1\n97 300\n";
  const Done named = run_command({"inspect", folder.write("c.pairs", wrong)});
  EXPECT_EQ(named.status, 1);
  EXPECT_THAT(named.out, HasSubstr("tenon.pairs: line 2: this is not a merge"));
  const Done nameless = run_command({"inspect", folder.write("c", wrong), "--json"});
  EXPECT_EQ(nameless.status, 1);
  EXPECT_EQ(nameless.json().at("kind"), "unknown");
}

TEST(CommandInspect, UnknownAndMissingFiles) {
  const TemporaryFolder folder;
  const Done text = run_command({"inspect", folder.write("notes.txt", "hello"), "--json"});
  EXPECT_EQ(text.status, 1);
  EXPECT_EQ(text.json().at("kind"), "unknown");
  EXPECT_EQ(run_command({"inspect", folder.write("empty", "")}).status, 1);
  EXPECT_EQ(run_command({"inspect", folder.path(".")}).status, 1);
  const Done missing = run_command({"inspect", folder.path("missing")});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("does not exist"));
}

TEST(CommandManifest, WritesWhatTheBuildWrote) {
  for (const char* id : {"tenon.ops", "tenon.ref", "tenon.optim", "tenon.data"}) {
    const std::string folder = std::string(plugin_dir()) + "/" + id;
    const std::string library = folder + "/" + id + ".so";
    const Done done = run_command({"manifest", library, "-o", "-", "--id", id});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.json(), read_json(folder + "/plugin.json")) << id;
  }
}

TEST(CommandManifest, SaysWhatThePluginNeeds) {
  const std::string library = std::string(plugin_dir()) + "/tenon.ref/tenon.ref.so";
  const Done done = run_command({"manifest", library, "-o", "-", "--needs-cpu", "avx2",
                                 "--needs-cpu", "fma", "--needs-library", "libacme.so.1",
                                 "--needs-package", "acme-libs (Debian)", "--needs-op", "acme.op"});
  ASSERT_EQ(done.status, 0) << done.err;
  const json needs = done.json().at("requires");
  EXPECT_EQ(needs.at("cpu_features"), json({"avx2", "fma"}));
  EXPECT_EQ(needs.at("libraries"), json({"libacme.so.1"}));
  EXPECT_EQ(needs.at("packages"), json({"acme-libs (Debian)"}));
  EXPECT_THAT(needs.at("ops").get<std::vector<std::string>>(), ::testing::Contains("acme.op"));
}

TEST(CommandManifest, RefusesAnotherIdAndWhatIsNoPlugin) {
  const TemporaryFolder folder;
  const std::string library = std::string(plugin_dir()) + "/tenon.ops/tenon.ops.so";
  const Done other = run_command({"manifest", library, "-o", "-", "--id", "acme.other"});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("\"tenon.ops\", not \"acme.other\""));
  const Done tenon = run_command({"manifest", library_path(), "-o", folder.path("plugin.json")});
  EXPECT_EQ(tenon.status, 1);
  EXPECT_THAT(tenon.err, HasSubstr("does not export tenon_plugin_query_v0"));
  EXPECT_FALSE(fs::exists(folder.path("plugin.json")));
}

// `tenon op list` is a program like any other: it makes a runtime and releases it.
TEST(CommandTrace, RecordsAProgram) {
  const TemporaryFolder folder;
  const std::string file = folder.path("trace.json");
  const Done done = run_command({"trace", "-o", file, "--", command_path(), "op", "list"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("tenon.add"));
  EXPECT_TRUE(read_json(file).contains("traceEvents"));
}

TEST(CommandTrace, SaysWhenNothingWasRecorded) {
  const TemporaryFolder folder;
  const std::string file = folder.write("trace.json", "an old one");
  const Done nothing = run_command({"trace", "-o", file, "--", "/bin/true"});
  EXPECT_EQ(nothing.status, 1);
  EXPECT_THAT(nothing.err, HasSubstr("was not written"));
  EXPECT_FALSE(fs::exists(file));
  const Done missing = run_command({"trace", "-o", file, "--", "/nonexistent/program"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("cannot be run"));
  const Done several = run_command({"trace", "-o", "step-%p.json", "--", "/bin/true"});
  EXPECT_EQ(several.status, 1);
  EXPECT_THAT(several.err, HasSubstr("TENON_TRACE=step-%p.json instead"));
}

// Each process of a program that has several writes a file of its own.
TEST(CommandTrace, NamesFilesAfterProcesses) {
  const TemporaryFolder folder;
  const std::string command = "TENON_TRACE='" + folder.path("of-%p-%p.json") + "' '" +
                              command_path() + "' op list & wait $!; echo process $!";
  const Done done = run_program({"/bin/sh", "-c", command});
  const std::string number =
      done.out.substr(done.out.rfind(' ') + 1, done.out.rfind('\n') - done.out.rfind(' ') - 1);
  EXPECT_TRUE(
      read_json(folder.path("of-" + number + "-" + number + ".json")).contains("traceEvents"))
      << done.out;
}

}  // namespace
}  // namespace tenon::tests
