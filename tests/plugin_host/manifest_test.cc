// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/manifest_test.cc: plugin.json, read, also where it is hostile.
#include <gmock/gmock.h>

#include <random>

#include "core/plugin/manifest.h"
#include "tests/plugin_host/plugin_host_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using plugin::Manifest;
using plugin::parse_manifest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string complaint(const std::string& text) {
  const Error error = error_of([&] { parse_manifest(text, "/x/plugin.json"); });
  EXPECT_EQ(error.status, TENON_E_PLUGIN);
  EXPECT_THAT(error.message, StartsWith("/x/plugin.json: "));
  return error.message;
}

// The good manifest with one value, named by a JSON pointer, replaced.
std::string complaint_with(const char* pointer, const json& value) {
  json manifest = good_manifest();
  manifest[json::json_pointer(pointer)] = value;
  return complaint(manifest.dump());
}

TEST(Manifest, ReadsEveryField) {
  const Manifest m = parse_manifest(R"({
    "manifest": 1, "id": "acme.all", "version": "2.0", "license": "MIT", "library": "all.so",
    "sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "abi": {"major": 0, "minor": 3, "required_minor": 2, "draft": 9},
    "ops": [{"name": "acme.a"}, {"name": "acme.b", "revision": 2, "role": "sum_to"}],
    "kernels": [{"device": "toy", "ops": "*"}, {"device": "box", "ops": ["acme.a"],
                                                "canonical": false}],
    "vjps": ["acme.a"], "optimizers": ["acme.o"], "schedules": ["acme.s"],
    "datasets": ["acme.d"], "formats": ["acme.f"], "layers": ["acme.l"], "devices": ["toy"],
    "requires": {"ops": ["acme.c"], "roles": ["add"], "cpu_features": ["avx2"],
                 "libraries": ["libbox.so.1"]},
    "something_new": {"is": "ignored"}
  })",
                                    "f");
  EXPECT_EQ(m.id, "acme.all");
  EXPECT_EQ(m.version, "2.0");
  EXPECT_EQ(m.license, "MIT");
  EXPECT_EQ(m.library, "all.so");
  EXPECT_EQ(m.sha256.size(), 64u);
  EXPECT_EQ(m.abi_major, 0u);
  EXPECT_EQ(m.abi_minor, 3u);
  EXPECT_EQ(m.required_minor, 2u);
  EXPECT_EQ(m.draft, 9u);
  ASSERT_EQ(m.ops.size(), 2u);
  EXPECT_EQ(m.ops[0].name, "acme.a");
  EXPECT_EQ(m.ops[0].revision, 1u);
  EXPECT_EQ(m.ops[0].role, "");
  EXPECT_EQ(m.ops[1].revision, 2u);
  EXPECT_EQ(m.ops[1].role, "sum_to");
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].device, "toy");
  EXPECT_THAT(m.kernels[0].ops, ElementsAre("*"));
  EXPECT_TRUE(m.kernels[0].canonical);
  EXPECT_THAT(m.kernels[1].ops, ElementsAre("acme.a"));
  EXPECT_FALSE(m.kernels[1].canonical);
  EXPECT_THAT(m.vjps, ElementsAre("acme.a"));
  EXPECT_THAT(m.entries[registry::kind_of<tenon_optimizer_desc>()], ElementsAre("acme.o"));
  EXPECT_THAT(m.entries[registry::kind_of<tenon_schedule_desc>()], ElementsAre("acme.s"));
  EXPECT_THAT(m.entries[registry::kind_of<tenon_dataset_desc>()], ElementsAre("acme.d"));
  EXPECT_THAT(m.entries[registry::kind_of<tenon_format_desc>()], ElementsAre("acme.f"));
  EXPECT_THAT(m.entries[registry::kind_of<tenon_layer_desc>()], ElementsAre("acme.l"));
  EXPECT_THAT(m.devices, ElementsAre("toy"));
  EXPECT_THAT(m.required_ops, ElementsAre("acme.c"));
  EXPECT_THAT(m.required_roles, ElementsAre("add"));
  EXPECT_THAT(m.cpu_features, ElementsAre("avx2"));
  EXPECT_THAT(m.libraries, ElementsAre("libbox.so.1"));
}

TEST(Manifest, ListsMayBeAbsent) {
  json manifest = good_manifest();
  for (const char* name : {"ops", "kernels", "vjps", "devices"}) manifest.erase(name);
  const Manifest m = parse_manifest(manifest.dump(), "f");
  EXPECT_TRUE(m.ops.empty() && m.kernels.empty() && m.vjps.empty() && m.devices.empty());
}

TEST(Manifest, NamesTheMissingField) {
  for (const char* name : {"id", "version", "license", "library", "abi"}) {
    json manifest = good_manifest();
    manifest.erase(name);
    EXPECT_THAT(complaint(manifest.dump()), HasSubstr("field \"" + std::string(name) + "\""));
  }
  for (const char* name : {"major", "minor", "required_minor", "draft"}) {
    json manifest = good_manifest();
    manifest["abi"].erase(name);
    EXPECT_THAT(complaint(manifest.dump()), HasSubstr("field \"abi." + std::string(name) + "\""));
  }
}

TEST(Manifest, RefusesWrongTypes) {
  EXPECT_THAT(complaint_with("/id", 7), HasSubstr("field \"id\" must be a string; found 7"));
  EXPECT_THAT(complaint_with("/abi", "x"), HasSubstr("field \"abi\" must be an object"));
  EXPECT_THAT(complaint_with("/ops", "x"), HasSubstr("field \"ops\" must be a list"));
  EXPECT_THAT(complaint_with("/ops/0", 1), HasSubstr("field \"ops[0]\" must be an object"));
  EXPECT_THAT(complaint_with("/ops/0/revision", 0), HasSubstr("\"ops[0].revision\""));
  EXPECT_THAT(complaint_with("/ops/0/role", "king"), HasSubstr("\"ops[0].role\" must be a role"));
  EXPECT_THAT(complaint_with("/kernels/0/ops", 3), HasSubstr("\"kernels[0].ops\""));
  EXPECT_THAT(complaint_with("/kernels/0/canonical", "no"),
              HasSubstr("\"kernels[0].canonical\" must be true or false"));
  EXPECT_THAT(complaint_with("/kernels/0/ops", "all"), HasSubstr("or \"*\""));
  EXPECT_THAT(complaint_with("/vjps", json::array({json::array()})), HasSubstr("\"vjps[0]\""));
  EXPECT_THAT(complaint_with("/requires", 1), HasSubstr("field \"requires\" must be an object"));
  EXPECT_THAT(complaint_with("/sha256", "12"), HasSubstr("64 hexadecimal digits"));
}

TEST(Manifest, RefusesNumbersThatAreNoVersions) {
  for (const json& value : {json(-1), json(1.5), json(4294967296u * 1ull), json(1e300), json("1"),
                            json(nullptr), json(true)}) {
    EXPECT_THAT(complaint_with("/abi/draft", value),
                HasSubstr("\"abi.draft\" must be a whole number from 0 to 4294967295"));
  }
  std::string text = good_manifest().dump();
  const std::string draft = "\"draft\":" + std::to_string(TENON_ABI_DRAFT);
  ASSERT_NE(text.find(draft), std::string::npos);
  text.replace(text.find(draft), draft.size(), "\"draft\":1" + std::string(400, '0'));
  EXPECT_THAT(complaint(text), HasSubstr("JSON"));
}

TEST(Manifest, RefusesLibrariesElsewhere) {
  for (const char* name : {"../evil.so", "/tmp/evil.so", "a/b.so", "..", ".", "a\\b.so"}) {
    EXPECT_THAT(complaint_with("/library", name),
                HasSubstr("\"library\" must be a plain file name"));
  }
  EXPECT_THAT(complaint_with("/library", ""), HasSubstr("\"library\""));
}

TEST(Manifest, RefusesStringsThatHideSomething) {
  EXPECT_THAT(complaint_with("/library", std::string("good.so\0.txt", 12)),
              HasSubstr("without control characters"));
  EXPECT_THAT(complaint_with("/version", "1\n2"), HasSubstr("without control characters"));
  EXPECT_THAT(complaint_with("/license", std::string(2000, 'x')), HasSubstr("1024 bytes"));
  std::string text = good_manifest().dump();
  text.replace(text.find("1.2.3"), 5, "\xff\xfe");
  EXPECT_THAT(complaint(text), HasSubstr("JSON"));
}

TEST(Manifest, RefusesNamesOutOfForm) {
  for (const char* name : {"good", "Acme.good", "acme..good", ".good", "acme.", "a b.c", "a/b.c"}) {
    EXPECT_THAT(complaint_with("/id", name), HasSubstr("vendor.name"));
    EXPECT_THAT(complaint_with("/ops/0/name", name), HasSubstr("vendor.name"));
  }
  EXPECT_THAT(complaint_with("/devices/0", "TOY"), HasSubstr("\"devices[0]\""));
  EXPECT_THAT(complaint_with("/devices/0", "acme.toy"), HasSubstr("\"devices[0]\""));
}

TEST(Manifest, RefusesWhatIsNoObject) {
  EXPECT_THAT(complaint(""), HasSubstr("is not JSON"));
  EXPECT_THAT(complaint("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(complaint("{} x"), HasSubstr("is not JSON"));
  EXPECT_THAT(complaint("[]"), HasSubstr("must hold an object"));
  EXPECT_THAT(complaint("null"), HasSubstr("must hold an object"));
  EXPECT_THAT(complaint(R"({"manifest": 2})"), HasSubstr("needs a newer Tenon"));
  EXPECT_THAT(complaint(std::string(100000, '[')), HasSubstr("nested deeper"));
  std::string deep = good_manifest().dump();
  deep.insert(1, "\"x\":" + std::string(50000, '[') + std::string(50000, ']') + ",");
  EXPECT_THAT(complaint(deep), HasSubstr("nested deeper"));
}

TEST(Manifest, AnyDamageIsAnErrorAndNeverACrash) {
  const std::string good = good_manifest().dump();
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (int change = 0; change < 3; ++change) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        default:
          text.insert(at, 1, "{}[]\",:0e-\\u"[random() % 12]);
      }
      if (text.empty()) text = "x";
    }
    try {
      parse_manifest(text, "f");
    } catch (const Error& error) {
      EXPECT_EQ(error.status, TENON_E_PLUGIN);
      EXPECT_THAT(error.message, StartsWith("f: "));
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace tenon::tests
