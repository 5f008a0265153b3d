// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/handshake_test.cc: opening real libraries, right and wrong ones.
#include <elf.h>
#include <gmock/gmock.h>

#include <cstring>
#include <thread>

#include "core/plugin/handshake.h"
#include "tests/plugin_host/plugin_host_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using plugin::Plugin;
using plugin::State;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// The next minor alone is too new.
const std::string kNeedsNewer = "needs a newer Tenon: it requires ABI 0." +
                                std::to_string(TENON_ABI_MINOR + 1) + "; this one offers 0." +
                                std::to_string(TENON_ABI_MINOR);

TEST(Handshake, AGoodPluginOpensWhenItIsNeeded) {
  const Folder folder;
  folder.add_plugin("good", good_manifest(), "good");
  Counters* counters = nullptr;
  {
    World world(folder);
    counters = &world.host.counters;
    EXPECT_EQ(world.plugins->libraries_opened(), 0);
    const registry::Op& op = world.plugins->require_op("acme.twice", 0);
    EXPECT_EQ(op.name, "acme.twice");
    EXPECT_EQ(op.doc, "Twice the input.");
    EXPECT_EQ(world.plugins->libraries_opened(), 1);
    EXPECT_EQ(counters->inits, 1);
    const Plugin& plugin = *world.plugins->find("acme.good");
    EXPECT_EQ(plugin.state, State::Open);
    EXPECT_EQ(plugin.self, counters);
    EXPECT_THAT(plugin.report, IsEmpty());
    EXPECT_EQ(op.plugin, &plugin);
    EXPECT_EQ(op.kernels.load()->size(), 1u);
    EXPECT_EQ(op.rules.load()->front()->plugin, &plugin);

    const registry::Backend& toy = world.plugins->require_backend("toy");
    EXPECT_EQ(toy.count, 1);
    EXPECT_EQ(&toy, &world.plugins->require_backend(""));
    EXPECT_EQ(&op, &world.plugins->require_op("acme.twice", 1));
    EXPECT_EQ(world.plugins->libraries_opened(), 1);
    EXPECT_EQ(counters->inits, 1);
    EXPECT_EQ(counters->releases, 0);
    world.plugins.reset();
    EXPECT_EQ(counters->releases, 1);
  }
}

TEST(Handshake, AnUnknownRevisionIsNamed) {
  const Folder folder;
  folder.add_plugin("good", good_manifest(), "good");
  World world(folder);
  const Error error = error_of([&] { world.plugins->require_op("acme.twice", 3); });
  EXPECT_EQ(error.status, TENON_E_NOT_FOUND);
  EXPECT_THAT(error.message, HasSubstr("op \"acme.twice\" has no revision 3; its newest is 1"));
}

TEST(Handshake, TwoRuntimesShareALibraryAndNothingElse) {
  const Folder folder;
  folder.add_plugin("good", good_manifest(), "good");
  World one(folder);
  World two(folder);
  EXPECT_NE(&one.plugins->require_op("acme.twice", 0), &two.plugins->require_op("acme.twice", 0));
  EXPECT_EQ(one.plugins->find("acme.good")->interface.init,
            two.plugins->find("acme.good")->interface.init);
  EXPECT_EQ(one.host.counters.inits, 1);
  one.plugins.reset();
  EXPECT_EQ(one.host.counters.releases, 1);
  EXPECT_EQ(two.host.counters.releases, 0);
}

TEST(Handshake, ALibraryThatWasReplacedIsRefused) {
  const Folder folder;
  folder.add_plugin("good", good_manifest(), "good");
  EXPECT_EQ(World(folder).open("acme.good").state, State::Open);
  // A copy made while the old file exists has another inode.
  const std::string bytes = folder.read("good/good.so");
  folder.write("good/new.so", bytes);
  std::filesystem::rename(folder.path("good/new.so"), folder.path("good/good.so"));
  World world(folder);
  EXPECT_EQ(world.open("acme.good").state, State::Failed);
  EXPECT_THAT(world.open("acme.good").reason,
              HasSubstr("was replaced after this process opened it"));
}

// ---- One thing wrong ----------------------------------------------------------------------------

struct Wrong {
  const char* fixture;
  State state;
  std::string reason;
};

class HandshakeRefusal : public testing::TestWithParam<Wrong> {};

TEST_P(HandshakeRefusal, NamesTheReasonAndRegistersNothing) {
  const Folder folder;
  folder.add_plugin("good", good_manifest(), GetParam().fixture);
  World world(folder);
  ASSERT_EQ(world.plugins->find("acme.good")->state, State::Found);
  const Plugin& plugin = world.open("acme.good");
  EXPECT_EQ(plugin.state, GetParam().state);
  EXPECT_THAT(plugin.reason, HasSubstr(GetParam().reason));
  EXPECT_EQ(plugin.self, nullptr);
  EXPECT_THAT(world.registry.ops(), IsEmpty());
  EXPECT_THAT(world.registry.backends(), IsEmpty());
  EXPECT_EQ(world.registry.epoch(), World(folder).registry.epoch());

  const Error error = error_of([&] { world.plugins->require_op("acme.twice", 0); });
  EXPECT_EQ(error.status, TENON_E_PLUGIN);
  EXPECT_THAT(error.message, AllOf(HasSubstr("is listed by plugin acme.good in " +
                                             folder.path("good") + ", which "),
                                   HasSubstr(plugin.reason)));
  world.plugins.reset();
  EXPECT_EQ(world.host.counters.inits, world.host.counters.releases);
}

INSTANTIATE_TEST_SUITE_P(
    , HandshakeRefusal,
    testing::Values(
        Wrong{"wrong_draft", State::Refused, "built for ABI draft 7; this Tenon loads draft "},
        Wrong{"wrong_major", State::Refused, "built for ABI major 3; this Tenon loads major 0"},
        Wrong{"needs_newer_minor", State::Refused, kNeedsNewer},
        Wrong{"wrong_pointers", State::Refused, "built for pointers of 32 bits"},
        Wrong{"wrong_byte_order", State::Refused, "built for another byte order (0x"},
        Wrong{"wrong_sanitizer", State::Refused,
              "built with AddressSanitizer; this Tenon with no sanitizer"},
        Wrong{"short_answer", State::Refused, "filled in 32 bytes of tenon_plugin"},
        Wrong{"writes_behind", State::Refused, "needs a newer Tenon: unknown data at offset "},
        Wrong{"null_init", State::Refused, "`init` of tenon_plugin is NULL"},
        Wrong{"null_release", State::Refused, "`release` of tenon_plugin is NULL"},
        Wrong{"null_get_interface", State::Refused, "`get_interface` of tenon_plugin is NULL"},
        Wrong{"null_backend_slot", State::Refused, "device toy: `event_record` is NULL"},
        Wrong{"no_query", State::Failed, "does not export tenon_plugin_query_v0"},
        Wrong{"other_query", State::Failed, "exports tenon_plugin_query_v1 and not"},
        Wrong{"query_fails", State::Failed, "reported: not today"},
        Wrong{"init_fails", State::Failed, "its init reported: the toy is broken"},
        Wrong{"lying_id", State::Refused,
              "disagree in field \"id\": plugin.json says \"acme.good\", the library "
              "\"acme.somebody\""},
        Wrong{"lying_license", State::Refused, "disagree in field \"license\""},
        Wrong{"newer_minor", State::Refused, "disagree in field \"abi.minor\": plugin.json says"},
        Wrong{"other_op", State::Refused,
              "disagree in field \"ops\": plugin.json lists \"acme.twice\" revision 1, which the "
              "library does not register"},
        Wrong{"no_launch", State::Refused, "`launch` is NULL"},
        Wrong{"short_op", State::Refused, "op 0: struct_size is 40; at least "},
        Wrong{"longer_op", State::Refused, "op 0 needs a newer Tenon: unknown data at offset "}),
    [](const auto& each) { return std::string(each.param.fixture); });

TEST(Handshake, ANewerMinorThatNeedsNothingNewIsAccepted) {
  const Folder folder;
  json manifest = good_manifest();
  manifest["abi"]["minor"] = 99;
  folder.add_plugin("good", manifest, "newer_minor");
  World world(folder);
  EXPECT_EQ(world.open("acme.good").state, State::Open) << world.open("acme.good").reason;
}

// ---- Manifest against registration --------------------------------------------------------------

struct Difference {
  const char* name;
  const char* pointer;
  json value;
  const char* reason;
};

class HandshakeAgreement : public testing::TestWithParam<Difference> {};

TEST_P(HandshakeAgreement, NamesTheFieldAndTheDifference) {
  const Folder folder;
  json manifest = good_manifest();
  manifest[json::json_pointer(GetParam().pointer)] = GetParam().value;
  folder.add_plugin("good", manifest, "good");
  World world(folder);
  EXPECT_EQ(world.open("acme.good").state, State::Refused);
  EXPECT_THAT(world.open("acme.good").reason,
              AllOf(HasSubstr("plugin.json and the library disagree"), HasSubstr(GetParam().reason),
                    HasSubstr("tenon manifest")));
  EXPECT_THAT(world.registry.ops(), IsEmpty());
  world.plugins.reset();
  EXPECT_EQ(world.host.counters.inits, world.host.counters.releases);
}

INSTANTIATE_TEST_SUITE_P(
    , HandshakeAgreement,
    testing::Values(
        Difference{"version", "/version", "9", "field \"version\""},
        Difference{"op_missing", "/ops", json::array(), "the library registers \"acme.twice\""},
        Difference{"op_revision", "/ops/0/revision", 2,
                   "plugin.json lists \"acme.twice\" revision 2"},
        Difference{"op_role", "/ops/0/role", "copy", "with role \"copy\""},
        Difference{"kernel_device", "/kernels/0/device", "box", "lists device box"},
        Difference{"kernel_missing", "/kernels", json::array(), "kernels for device toy"},
        Difference{"kernel_op",
                   "/kernels/0/ops",
                   {"acme.twice", "acme.b"},
                   "field \"kernels.toy\": plugin.json lists acme.b"},
        Difference{"vjp", "/vjps", json::array(),
                   "field \"vjps\": the library registers acme.twice"},
        Difference{"device", "/devices", json::array(),
                   "field \"devices\": the library registers toy"},
        Difference{"optimizer", "/optimizers", {"acme.sgd"}, "field \"optimizers\""},
        Difference{"schedule", "/schedules", {"acme.slow"}, "field \"schedules\""},
        Difference{"dataset", "/datasets", {"acme.idx"}, "field \"datasets\""}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(Handshake, AStarStandsForAnyKernels) {
  const Folder folder;
  json manifest = good_manifest();
  manifest["kernels"][0]["ops"] = "*";
  folder.add_plugin("good", manifest, "good");
  World world(folder);
  EXPECT_EQ(world.open("acme.good").state, State::Open) << world.open("acme.good").reason;
}

// A plugin that says no more of its kernels than the library gives is opened earlier than it need
// be; one that says less would be left closed where it is the right choice.
TEST(Handshake, ACanonicalKernelMustNotBeDenied) {
  plugin::Manifest manifest;
  registry::TableNames names;
  for (const bool said : {false, true}) {
    for (const bool is : {false, true}) {
      manifest.kernels = {{"toy", {"*"}, said}};
      names.kernels["toy"] = {{"acme.twice"}, is};
      if (said || !is) {
        EXPECT_NO_THROW(plugin::check_agreement(manifest, names));
        continue;
      }
      EXPECT_THAT(error_of([&] { plugin::check_agreement(manifest, names); }).message,
                  HasSubstr("field \"kernels.toy.canonical\": plugin.json says false"));
    }
  }
}

// ---- Several plugins ----------------------------------------------------------------------------

json provider_manifest() {
  json manifest = good_manifest();
  manifest["id"] = "acme.provider";
  manifest["ops"] = json::array();
  manifest["devices"] = json::array();
  return manifest;
}

TEST(Handshake, KernelsOpenThePluginOfTheirOpFirst) {
  const Folder folder;
  folder.add_plugin("a_provider", provider_manifest(), "provider");
  folder.add_plugin("good", good_manifest(), "good");
  World world(folder);
  const uint64_t epoch = world.registry.epoch();
  world.plugins->open_for_device(world.registry.intern("toy"));
  EXPECT_EQ(world.plugins->find("acme.provider")->state, State::Open);
  EXPECT_THAT(world.plugins->find("acme.provider")->report,
              testing::ElementsAre(
                  "backward rule of acme.twice comes after that of plugin acme.good, which has "
                  "priority 0"));
  const registry::Op* op = world.registry.find_op("acme.twice");
  ASSERT_NE(op, nullptr);
  const auto& kernels = *op->kernels.load();
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]->plugin->id, "acme.good");
  EXPECT_EQ(kernels[1]->plugin->id, "acme.provider");
  EXPECT_GT(world.registry.epoch(), epoch);
  EXPECT_EQ(world.plugins->libraries_opened(), 2);
}

TEST(Handshake, KernelsOfAbsentOpsArePassedOver) {
  const Folder folder;
  folder.add_plugin("provider", provider_manifest(), "provider");
  World world(folder);
  const Plugin& provider = world.open("acme.provider");
  EXPECT_EQ(provider.state, State::Open) << provider.reason;
  EXPECT_THAT(
      provider.report,
      testing::ElementsAre("kernel for unknown op acme.twice on toy was passed over",
                           "backward rule of acme.twice was passed over: the op is unknown"));
}

TEST(Handshake, OpeningForADeviceLeavesOthersAlone) {
  const Folder folder;
  folder.add_plugin("good", good_manifest(), "good");
  json manifest = good_manifest();
  manifest["id"] = "acme.other";
  manifest["kernels"][0]["device"] = "box";
  manifest["vjps"] = json::array();
  folder.add_plugin("other", manifest);
  World world(folder);
  world.plugins->open_for_device(world.registry.intern("toy"));
  EXPECT_EQ(world.plugins->find("acme.good")->state, State::Open);
  EXPECT_EQ(world.plugins->find("acme.other")->state, State::Found);
  world.plugins->open_for_device(world.registry.intern("toy"));
  EXPECT_EQ(world.plugins->libraries_opened(), 1);
}

TEST(Handshake, TheFirstInTheSearchOrderGetsTheNameWhicheverIsNeededFirst) {
  const Folder folder;
  folder.add_plugin("a_good", good_manifest(), "good");
  json manifest = good_manifest();
  manifest["id"] = "acme.a_rival";
  manifest["kernels"][0]["ops"] = {"acme.twice"};
  folder.add_plugin("b_rival", manifest, "rival");
  World world(folder);
  // Opens in the order of ids, in which the rival comes first.
  world.plugins->open_for_device(world.registry.intern("toy"));
  const Plugin& rival = *world.plugins->find("acme.a_rival");
  EXPECT_EQ(rival.state, State::Open) << rival.reason;
  EXPECT_EQ(world.registry.find_op("acme.twice")->plugin->id, "acme.good");
  EXPECT_EQ(world.plugins->require_backend("toy").plugin->id, "acme.good");
  EXPECT_THAT(
      rival.report,
      testing::Contains("op acme.twice was passed over: plugin acme.good offered it first"));
  EXPECT_THAT(rival.report,
              testing::Contains("device toy was passed over: plugin acme.good offered it first"));
  EXPECT_THAT(world.registry.report_of(*world.registry.find_op("acme.twice")),
              testing::Contains(HasSubstr("acme.a_rival: op acme.twice was passed over")));
}

TEST(Handshake, ARequiredOpThatIsMissingRefusesThePlugin) {
  const Folder folder;
  json manifest = good_manifest();
  manifest["requires"]["ops"] = {"acme.absent"};
  folder.add_plugin("good", manifest, "good");
  World world(folder);
  EXPECT_EQ(world.open("acme.good").state, State::Refused);
  EXPECT_THAT(world.open("acme.good").reason,
              HasSubstr("it requires op \"acme.absent\", which is not available: no plugin lists "
                        "it; looked in "));
  EXPECT_EQ(world.plugins->libraries_opened(), 0);
}

TEST(Handshake, ARequiredOpThatIsMisspeltIsSuggested) {
  const Folder folder;
  json manifest = good_manifest();
  manifest["requires"]["ops"] = {"acme.twise"};
  folder.add_plugin("good", manifest, "good");
  World world(folder);
  EXPECT_THAT(world.open("acme.good").reason, testing::EndsWith("; did you mean \"acme.twice\"?"));
}

TEST(Handshake, PluginsThatRequireEachOtherOpen) {
  const Folder folder;
  json manifest = good_manifest();
  manifest["requires"]["ops"] = {"acme.thrice"};
  folder.add_plugin("good", manifest, "good");
  manifest = good_manifest();
  manifest["id"] = "acme.other";
  manifest["ops"][0]["name"] = "acme.thrice";
  manifest["requires"]["ops"] = {"acme.twice"};
  folder.add_plugin("other", manifest);
  World world(folder);
  world.plugins->open_all();
  EXPECT_EQ(world.plugins->find("acme.other")->state, State::Refused) << "it is not a library";
  EXPECT_THAT(world.plugins->find("acme.good")->reason,
              HasSubstr("listed by plugin acme.other in " + folder.path("other") +
                        ", which was refused: library"));
}

// ---- Files that are not a library
// ------------------------------------------------------------------

std::string reason_for(const std::string& bytes) {
  const Folder folder;
  folder.add_plugin("good", good_manifest());
  folder.write("good/good.so", bytes);
  World world(folder);
  EXPECT_EQ(world.open("acme.good").state, State::Refused);
  EXPECT_EQ(world.plugins->libraries_opened(), 0);
  const std::string& reason = world.open("acme.good").reason;
  EXPECT_THAT(reason, HasSubstr("library " + folder.path("good/good.so")));
  return reason;
}

std::string good_bytes() {
  const Folder folder;
  folder.add_plugin("good", good_manifest(), "good");
  return folder.read("good/good.so");
}

Elf64_Ehdr& header_of(std::string& bytes) { return *reinterpret_cast<Elf64_Ehdr*>(bytes.data()); }

TEST(LibraryFile, MissingAfterTheScan) {
  const Folder folder;
  folder.add_plugin("good", good_manifest(), "good");
  World world(folder);
  std::filesystem::remove(folder.path("good/good.so"));
  EXPECT_EQ(world.open("acme.good").state, State::Refused);
}

TEST(LibraryFile, TruncatedAnywhere) {
  const std::string bytes = good_bytes();
  ASSERT_GT(bytes.size(), 4096u);
  EXPECT_THAT(reason_for(""), HasSubstr("is truncated"));
  EXPECT_THAT(reason_for(bytes.substr(0, 20)), HasSubstr("is truncated: its ELF header"));
  EXPECT_THAT(reason_for(bytes.substr(0, 100)), HasSubstr("is truncated: its table of segments"));
  EXPECT_THAT(reason_for(bytes.substr(0, bytes.size() / 2)), HasSubstr("is truncated"));
  EXPECT_THAT(reason_for(bytes.substr(0, bytes.size() - 1)),
              HasSubstr("but the file has " + std::to_string(bytes.size() - 1) + " bytes"));
}

TEST(LibraryFile, ForAnotherMachine) {
  std::string bytes = good_bytes();
  header_of(bytes).e_machine = EM_S390;
  EXPECT_THAT(reason_for(bytes), AllOf(HasSubstr("is built for another architecture: machine "
                                                 "number 22; this machine needs ")));
  header_of(bytes).e_machine = EM_386;
  EXPECT_THAT(reason_for(bytes), HasSubstr("32-bit x86"));
  bytes = good_bytes();
  bytes[EI_CLASS] = ELFCLASS32;
  EXPECT_THAT(reason_for(bytes), HasSubstr("it is not 64-bit"));
  bytes = good_bytes();
  bytes[EI_DATA] = ELFDATA2MSB;
  EXPECT_THAT(reason_for(bytes), HasSubstr("its byte order is not this machine's"));
}

TEST(LibraryFile, NoLibraryAtAll) {
  EXPECT_THAT(reason_for(std::string(5000, 'x')),
              HasSubstr("does not begin with the ELF signature"));
  std::string bytes = good_bytes();
  header_of(bytes).e_type = ET_CORE;
  EXPECT_THAT(reason_for(bytes), HasSubstr("is not a shared library"));
  bytes = good_bytes();
  header_of(bytes).e_phnum = 0;
  EXPECT_THAT(reason_for(bytes), HasSubstr("is damaged"));
  bytes = good_bytes();
  header_of(bytes).e_shoff = UINT64_MAX - 5;
  EXPECT_THAT(reason_for(bytes), HasSubstr("is truncated: its table of sections would end at"));
}

// ---- Threads ------------------------------------------------------------------------------------

TEST(HandshakeThreads, ManyThreadsOpenAPluginOnce) {
  const Folder folder;
  folder.add_plugin("good", good_manifest(), "good");
  folder.add_plugin("provider", provider_manifest(), "provider");
  World world(folder);
  const uint32_t toy = world.registry.intern("toy");
  std::vector<std::thread> threads;
  std::vector<const registry::Op*> found(8);
  for (size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      if (i % 2 == 0) world.plugins->open_for_device(toy);
      found[i] = &world.plugins->require_op("acme.twice", 0);
      world.plugins->require_backend("toy");
      (void)found[i]->kernels.load()->size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const registry::Op* op : found) EXPECT_EQ(op, found[0]);
  EXPECT_EQ(world.host.counters.inits, 2);
  EXPECT_EQ(world.plugins->libraries_opened(), 2);
}

}  // namespace
}  // namespace tenon::tests
