// SPDX-License-Identifier: Apache-2.0
// tests/command/entries_test.cc: tenon/ext/draft/entries.h says of every entry of every kind what
// tenon_runtime_query says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/ext/draft/entries.h>
#include <tenon/ext/draft/layers.h>
#include <tenon/kinds.h>
#include <tenon/tenon.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/command/command_support.h"
#include "tests/support/program_plugin.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

std::string text(const tenon_string& string) { return {string.data, string.length}; }

class Entries : public testing::Test {
 protected:
  void SetUp() override {
    tenon_diag diag{};
    ASSERT_EQ(tenon_runtime_create(nullptr, &diag, &runtime_), TENON_OK) << diag.message;
    ASSERT_EQ(tenon_context_create(runtime_, &diag, &cx_), TENON_OK) << diag.message;
  }
  void TearDown() override {
    tenon_context_release(cx_);
    tenon_runtime_release(runtime_);
  }

  std::vector<std::string> names(const std::string& kind) {
    uint32_t count = 0;
    EXPECT_EQ(tenon_kind_get_names(cx_, kind.data(), kind.size(), 0, nullptr, &count), TENON_OK);
    std::vector<tenon_string> given(count);
    EXPECT_EQ(tenon_kind_get_names(cx_, kind.data(), kind.size(), count, given.data(), &count),
              TENON_OK)
        << kind;
    std::vector<std::string> all;
    for (const tenon_string& name : given) all.push_back(text(name));
    return all;
  }
  // Kinds of entries: all but ops.
  std::vector<std::string> entry_kinds() {
    std::vector<std::string> kinds = names("kind");
    std::erase(kinds, "op");
    return kinds;
  }
  tenon_entry_info info(const std::string& kind, const std::string& name) {
    tenon_entry_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(tenon_entry_get_info(cx_, kind.data(), kind.size(), name.data(), name.size(), &info),
              TENON_OK)
        << kind << " " << name << ": " << error().message;
    return info;
  }
  std::vector<tenon_entry_option> options(const std::string& kind, const std::string& name) {
    std::vector<tenon_entry_option> all(info(kind, name).n_options);
    for (uint32_t i = 0; i < all.size(); ++i) {
      all[i].struct_size = sizeof all[i];
      EXPECT_EQ(tenon_entry_get_option(cx_, kind.data(), kind.size(), name.data(), name.size(), i,
                                       &all[i]),
                TENON_OK);
    }
    return all;
  }
  std::vector<tenon_entry_part> parts(const std::string& kind, const std::string& name) {
    std::vector<tenon_entry_part> all(info(kind, name).n_parts);
    for (uint32_t i = 0; i < all.size(); ++i) {
      all[i].struct_size = sizeof all[i];
      EXPECT_EQ(
          tenon_entry_get_part(cx_, kind.data(), kind.size(), name.data(), name.size(), i, &all[i]),
          TENON_OK);
    }
    return all;
  }
  std::vector<tenon_entry_part> of_role(const std::vector<tenon_entry_part>& all, uint32_t role) {
    std::vector<tenon_entry_part> some;
    for (const tenon_entry_part& part : all) {
      if (part.role == role) some.push_back(part);
    }
    return some;
  }
  json query(const std::string& topic) {
    tenon_text* given = nullptr;
    EXPECT_EQ(tenon_runtime_query(cx_, topic.data(), topic.size(), &given), TENON_OK) << topic;
    const char* data = nullptr;
    EXPECT_EQ(tenon_text_get(given, &data, nullptr), TENON_OK);
    json parsed = json::parse(data);
    tenon_text_release(given);
    return parsed;
  }
  tenon_error error() {
    tenon_error record{};
    record.struct_size = sizeof record;
    EXPECT_EQ(tenon_context_get_error(cx_, &record), TENON_OK);
    return record;
  }
  // The status of a look-up; `error` has the rest.
  tenon_status look(const std::string& kind, const std::string& name) {
    tenon_entry_info info{};
    info.struct_size = sizeof info;
    return tenon_entry_get_info(cx_, kind.data(), kind.size(), name.data(), name.size(), &info);
  }

  tenon_runtime* runtime_ = nullptr;
  tenon_context* cx_ = nullptr;
};

std::string dtype_name(tenon_dtype dtype) {
  static const std::vector<std::pair<tenon_dtype, std::string>> names = {
      {TENON_DTYPE_BOOL, "bool"}, {TENON_DTYPE_U8, "u8"},     {TENON_DTYPE_I8, "i8"},
      {TENON_DTYPE_I16, "i16"},   {TENON_DTYPE_I32, "i32"},   {TENON_DTYPE_I64, "i64"},
      {TENON_DTYPE_F16, "f16"},   {TENON_DTYPE_BF16, "bf16"}, {TENON_DTYPE_F32, "f32"},
      {TENON_DTYPE_F64, "f64"}};
  for (const auto& [known, name] : names) {
    if (known == dtype) return name;
  }
  return "?";
}

// As the query writes the type of an option.
std::string type_name(const tenon_entry_option& option) {
  static const std::map<uint32_t, std::string> names = {
      {TENON_VALUE_I64, "int"},        {TENON_VALUE_F64, "float"},
      {TENON_VALUE_BOOL, "bool"},      {TENON_VALUE_STRING, "str"},
      {TENON_VALUE_INT_LIST, "int[]"}, {TENON_VALUE_FLOAT_LIST, "float[]"},
      {TENON_VALUE_DTYPE, "dtype"}};
  return names.at(option.tag);
}

// A value as JSON; null for none.
json value_of(const tenon_value& value) {
  switch (value.tag) {
    case TENON_VALUE_I64:
      return value.as.i64;
    case TENON_VALUE_F64:
      return value.as.f64;
    case TENON_VALUE_BOOL:
      return value.as.i64 != 0;
    case TENON_VALUE_STRING:
      return std::string(value.as.string, value.count);
    case TENON_VALUE_DTYPE:
      return dtype_name(static_cast<tenon_dtype>(value.as.dtype));
    case TENON_VALUE_INT_LIST:
      return std::vector<int64_t>(value.as.ints, value.as.ints + value.count);
    case TENON_VALUE_FLOAT_LIST:
      return std::vector<double>(value.as.floats, value.as.floats + value.count);
    default:
      return nullptr;
  }
}

void expect_option(const tenon_entry_option& option, const json& said) {
  SCOPED_TRACE(said.dump());
  EXPECT_EQ(text(option.name), said.at("name"));
  EXPECT_EQ(text(option.doc), said.at("doc"));
  EXPECT_EQ(type_name(option), said.at("type"));
  EXPECT_EQ((option.flags & TENON_OPTION_REQUIRED) != 0, said.value("required", false));
  EXPECT_EQ((option.flags & TENON_OPTION_DYNAMIC) != 0, said.value("dynamic", false));
  if (said.contains("minimum")) {
    EXPECT_EQ(option.minimum, said.at("minimum"));
    EXPECT_EQ(option.maximum, said.at("maximum"));
    const json initial = value_of(option.initial);
    const bool number = option.tag != TENON_VALUE_INT_LIST;
    if ((option.flags & TENON_OPTION_REQUIRED) == 0 && number) {
      EXPECT_EQ(initial.is_boolean() ? json(initial.get<bool>() ? 1.0 : 0.0) : initial,
                said.at("default"));
    }
    return;
  }
  EXPECT_EQ(option.minimum, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(option.maximum, std::numeric_limits<double>::infinity());
  EXPECT_EQ(option.initial.tag == TENON_VALUE_NONE, said.value("default", "").empty());
}

TEST_F(Entries, KindsAreThoseOfTheListAndOps) {
  std::vector<std::string> expected = {"op"};
#define TENON_TEST_KIND(noun, plural) expected.emplace_back(#noun);
  TENON_KINDS(TENON_TEST_KIND)
#undef TENON_TEST_KIND
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(names("kind"), expected);
  EXPECT_EQ(names("kinds"), expected);
}

TEST_F(Entries, NamesAreThoseOfTheQueryByNounAndPlural) {
  for (const json& kind : query("kinds")) {
    std::vector<std::string> expected;
    for (const json& entry : query(kind.at("topic"))) expected.push_back(entry.at("name"));
    EXPECT_FALSE(expected.empty()) << kind;
    EXPECT_EQ(names(kind.at("noun")), expected);
    EXPECT_EQ(names(kind.at("topic")), expected);
  }
  std::vector<std::string> ops;
  for (const json& op : query("ops")) ops.push_back(op.at("name"));
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  EXPECT_EQ(names("op"), ops);
  EXPECT_EQ(names("ops"), ops);
}

// As far as they go; the count is of all.
TEST_F(Entries, NamesFillWhatThereIsRoomFor) {
  const std::vector<std::string> all = names("optimizer");
  ASSERT_GE(all.size(), 3u);
  tenon_string some[3] = {{}, {}, {"left alone", 10}};
  uint32_t count = 0;
  ASSERT_EQ(tenon_kind_get_names(cx_, "optimizer", 9, 2, some, &count), TENON_OK);
  EXPECT_EQ(count, all.size());
  EXPECT_EQ(text(some[0]), all[0]);
  EXPECT_EQ(text(some[1]), all[1]);
  EXPECT_EQ(text(some[2]), "left alone");
}

TEST_F(Entries, EveryEntrySaysWhatTheQuerySays) {
  for (const json& kind : query("kinds")) {
    for (const json& said : query(kind.at("topic"))) {
      const std::string name = said.at("name");
      SCOPED_TRACE(kind.at("noun").get<std::string>() + " " + name);
      const tenon_entry_info found = info(kind.at("noun"), name);
      EXPECT_EQ(text(found.kind), kind.at("noun"));
      EXPECT_EQ(text(found.name), name);
      EXPECT_EQ(text(found.doc), said.at("doc"));
      EXPECT_EQ(text(found.plugin), said.at("plugin"));
      EXPECT_EQ(text(found.schema), "");
      EXPECT_EQ(found.max_inputs, said.value("max_inputs", 0u));
      EXPECT_EQ(found.min_inputs, said.value("min_inputs", 0u));
      EXPECT_EQ(found.n_outputs, said.value("outputs", 0u));
      const json listed = said.value("options", said.value("hypers", json::array()));
      const std::vector<tenon_entry_option> given = options(kind.at("noun"), name);
      ASSERT_EQ(given.size(), listed.size());
      for (size_t i = 0; i < given.size(); ++i) expect_option(given[i], listed[i]);
    }
  }
}

TEST_F(Entries, EveryPartSaysWhatTheQuerySays) {
  for (const json& kind : query("kinds")) {
    for (const json& said : query(kind.at("topic"))) {
      SCOPED_TRACE(said.at("name").get<std::string>());
      const auto all = parts(kind.at("noun"), said.at("name"));
      const auto states = of_role(all, TENON_PART_STATE);
      const json listed = said.value("states", json::array());
      ASSERT_EQ(states.size(), listed.size());
      for (size_t i = 0; i < states.size(); ++i) {
        EXPECT_EQ(text(states[i].name), listed[i].at("name"));
        EXPECT_EQ(text(states[i].doc), listed[i].at("doc"));
        EXPECT_EQ(states[i].initial, listed[i].at("initial"));
        EXPECT_EQ(text(states[i].shape), listed[i].value("shape", "scalar"));
        EXPECT_EQ(text(states[i].type), listed[i].value("dtype", "f64"));
      }
      const auto samples = of_role(all, TENON_PART_SAMPLE);
      const json tried = said.value("samples", json::array());
      ASSERT_EQ(samples.size(), tried.size());
      for (size_t i = 0; i < samples.size(); ++i) {
        EXPECT_EQ(text(samples[i].name), tried[i].at("text"));
        EXPECT_EQ(text(samples[i].doc), tried[i].at("fragment"));
        EXPECT_EQ(samples[i].status, tried[i].at("expect"));
      }
      std::string endings;
      for (const auto& ending : of_role(all, TENON_PART_ENDING)) {
        endings += (endings.empty() ? "" : " ") + text(ending.name);
      }
      EXPECT_EQ(endings, said.value("endings", ""));
      std::string ops;
      for (const auto& op : of_role(all, TENON_PART_STEP_OP)) ops += text(op.name);
      EXPECT_EQ(ops, said.value("step_op", ""));
      for (const auto& op : of_role(all, TENON_PART_ROWS_OP)) ops += text(op.name);
      EXPECT_EQ(ops, said.value("step_op", "") + said.value("rows_op", ""));
    }
  }
}

std::string dims_text(const json& dims) {
  if (dims.is_null()) return "";
  std::string joined;
  for (const json& each : dims) joined += (joined.empty() ? "" : ",") + each.get<std::string>();
  return "[" + joined + "]";
}

void expect_operand(const tenon_entry_part& part, const json& said) {
  SCOPED_TRACE(said.dump());
  EXPECT_EQ(text(part.name), said.at("name"));
  EXPECT_EQ(text(part.type), said.at("dtype"));
  EXPECT_EQ(text(part.shape), dims_text(said.at("dims")));
  EXPECT_EQ((part.flags & TENON_PART_LIST) != 0, said.value("list", false));
  EXPECT_EQ((part.flags & TENON_PART_OPTIONAL) != 0, said.value("optional", false));
  EXPECT_EQ((part.flags & TENON_PART_MUTATED) != 0, said.value("mutated", false));
  EXPECT_EQ((part.flags & TENON_PART_AUX) != 0, said.value("aux", false));
  ASSERT_GE(part.n_dtypes, 1u);
  if (part.n_dtypes == 1 && text(part.type).size() > 1) {
    EXPECT_EQ(dtype_name(part.dtypes[0]), text(part.type));
  }
}

void expect_attribute(const tenon_entry_option& option, const json& said) {
  SCOPED_TRACE(said.dump());
  static const std::map<std::string, uint32_t> tags = {
      {"int", TENON_VALUE_I64},       {"float", TENON_VALUE_F64},  {"bool", TENON_VALUE_BOOL},
      {"str", TENON_VALUE_STRING},    {"number", TENON_VALUE_F64}, {"dtype", TENON_VALUE_DTYPE},
      {"int[]", TENON_VALUE_INT_LIST}};
  EXPECT_EQ(text(option.name), said.at("name"));
  EXPECT_EQ(option.tag, tags.at(said.at("kind")));
  EXPECT_EQ(option.count, said.at("count"));
  EXPECT_EQ((option.flags & TENON_OPTION_REQUIRED) != 0, said.at("required"));
  EXPECT_EQ((option.flags & TENON_OPTION_NULLABLE) != 0, said.at("optional"));
  EXPECT_EQ((option.flags & TENON_OPTION_NUMBER) != 0, said.at("kind") == "number");
  const json initial = value_of(option.initial);
  const bool finite = !initial.is_number_float() || std::isfinite(initial.get<double>());
  EXPECT_TRUE(!finite || initial == said.at("default"));
}

TEST_F(Entries, EveryOpSaysWhatTheQuerySays) {
  const json ops = query("ops");
  ASSERT_GT(ops.size(), 100u);
  for (const json& said : ops) {
    const std::string name =
        said.at("name").get<std::string>() + "@" + std::to_string(said.at("revision").get<int>());
    SCOPED_TRACE(name);
    const tenon_entry_info found = info("op", name);
    EXPECT_EQ(text(found.name), said.at("name"));
    EXPECT_EQ(text(found.schema), said.at("schema"));
    EXPECT_EQ(text(found.doc), said.at("doc"));
    EXPECT_EQ(text(found.plugin), said.at("plugin"));
    EXPECT_EQ(found.revision, said.at("revision"));
    EXPECT_EQ(found.max_inputs, said.at("inputs").size());
    EXPECT_EQ(found.n_outputs, said.at("outputs").size());
    const auto all = parts("op", name);
    const auto compare = [&](uint32_t role, const char* member, auto expect) {
      const auto some = of_role(all, role);
      ASSERT_EQ(some.size(), said.at(member).size()) << member;
      for (size_t i = 0; i < some.size(); ++i) expect(some[i], said.at(member)[i]);
    };
    compare(TENON_PART_INPUT, "inputs", expect_operand);
    compare(TENON_PART_OUTPUT, "outputs", expect_operand);
    compare(TENON_PART_VARIABLE, "variables", [](const tenon_entry_part& part, const json& one) {
      EXPECT_EQ(text(part.name), one.at("name"));
      EXPECT_EQ((part.flags & TENON_PART_PROMOTES) != 0, one.at("promote"));
      std::vector<std::string> dtypes;
      for (uint32_t i = 0; i < part.n_dtypes; ++i) dtypes.push_back(dtype_name(part.dtypes[i]));
      EXPECT_EQ(json(dtypes), one.at("dtypes"));
    });
    const auto given = options("op", name);
    ASSERT_EQ(given.size(), said.at("attributes").size());
    for (size_t i = 0; i < given.size(); ++i) expect_attribute(given[i], said.at("attributes")[i]);
  }
}

TEST_F(Entries, AnEmptyKindIsWhicheverHasTheName) {
  EXPECT_EQ(text(info("", "tenon.adam").kind), "optimizer");
  EXPECT_EQ(text(info("", "tenon.add").kind), "op");
  EXPECT_EQ(text(info("", "tenon.add@1").kind), "op");
  EXPECT_EQ(look("", "tenon.linear"), TENON_E_ARGUMENT);
  EXPECT_STREQ(error().message, "several kinds have the name \"tenon.linear\": op, layer");
  EXPECT_STREQ(error().hint, "say which of them is meant");
  EXPECT_EQ(text(info("layers", "tenon.linear").kind), "layer");
  EXPECT_EQ(text(info("op", "tenon.linear").kind), "op");
}

TEST_F(Entries, MisspeltNamesAreAnsweredWithTheNearest) {
  EXPECT_EQ(look("optimiser", "tenon.adam"), TENON_E_NOT_FOUND);
  EXPECT_STREQ(error().hint, "did you mean \"optimizer\"?");
  EXPECT_THAT(error().message, AllOf(HasSubstr("no kind \"optimiser\""), HasSubstr("op, optimi")));
  EXPECT_EQ(look("weather", "tenon.adam"), TENON_E_NOT_FOUND);
  EXPECT_STREQ(error().hint, "");
  EXPECT_EQ(look("optimizer", "tenon.adm"), TENON_E_NOT_FOUND);
  EXPECT_THAT(error().hint, HasSubstr("did you mean \"tenon.adam\"?"));
  EXPECT_EQ(look("", "tenon.adm"), TENON_E_NOT_FOUND);
  EXPECT_THAT(error().hint,
              HasSubstr("did you mean \"tenon.add\" (op), \"tenon.adam\" (optimizer)? Else put"));
  EXPECT_EQ(look("", "tenon.linaer"), TENON_E_NOT_FOUND);
  EXPECT_THAT(error().hint, HasSubstr("did you mean \"tenon.linear\" (op, layer)?"));
  EXPECT_THAT(error().message, HasSubstr("\"tenon.linaer\" is not available"));
  EXPECT_EQ(look("", "acme.nothing_like_it"), TENON_E_NOT_FOUND);
  EXPECT_THAT(error().hint, testing::StartsWith("put the folder"));
}

// Each kind has a nearest name.
TEST_F(Entries, EveryKindHasANearest) {
  for (const std::string& kind : names("kind")) {
    const std::string name = names(kind).at(0);
    EXPECT_EQ(look(kind, name + "z"), TENON_E_NOT_FOUND) << kind;
    EXPECT_THAT(error().hint, HasSubstr("did you mean \"" + name + "\"?")) << kind;
  }
}

// What was given stays; nothing more is found.
TEST_F(Entries, OutliveTheirPlugin) {
  for (const std::string& kind : entry_kinds()) {
    const std::string name = names(kind).at(0);
    const tenon_entry_info before = info(kind, name);
    const std::string doc = text(before.doc);
    const std::string plugin = text(before.plugin);
    const auto all_options = options(kind, name);
    const auto all_parts = parts(kind, name);
    std::string said;
    for (const tenon_entry_part& part : all_parts) said += text(part.name) + text(part.doc);
    ASSERT_EQ(tenon_plugin_deactivate(cx_, plugin.data(), plugin.size()), TENON_OK);
    EXPECT_EQ(look(kind, name), TENON_E_PLUGIN);
    EXPECT_THAT(error().message, HasSubstr("which was deactivated"));
    EXPECT_EQ(text(before.name), name);
    EXPECT_EQ(text(before.doc), doc);
    for (const tenon_entry_option& option : all_options) EXPECT_NE(text(option.name), "");
    std::string says;
    for (const tenon_entry_part& part : all_parts) says += text(part.name) + text(part.doc);
    EXPECT_EQ(says, said);
    EXPECT_THAT(names(kind), testing::Not(Contains(name)));
  }
}

TEST_F(Entries, KnowPluginsOfTheProgram) {
  EXPECT_EQ(look("op", "acme.cube"), TENON_E_NOT_FOUND);
  ASSERT_EQ(tenon_plugin_load(cx_, program::query), TENON_OK) << error().message;
  EXPECT_EQ(text(info("", "acme.cube").plugin), "acme.program");
  EXPECT_THAT(names("op"), Contains("acme.cube"));
  const tenon_entry_info before = info("op", "acme.cube");
  ASSERT_EQ(tenon_plugin_deactivate(cx_, "acme.program", TENON_NUL), TENON_OK);
  EXPECT_EQ(text(before.schema), std::string(program_plugin.schema));
  EXPECT_EQ(look("", "acme.cube"), TENON_E_NOT_FOUND);
}

// Each layer before those in it, by the path of names.
TEST_F(Entries, ChildrenOfALayer) {
  const auto make = [&](const char* name) {
    tenon_layer* layer = nullptr;
    EXPECT_EQ(tenon_layer_create(cx_, name, TENON_NUL, nullptr, nullptr, nullptr, 0, &layer),
              TENON_OK)
        << error().message;
    return layer;
  };
  tenon_layer* const all[] = {make("tenon.sequential"), make("tenon.sequential"),
                              make("tenon.dropout"), make("tenon.dropout")};
  const auto add = [&](tenon_layer* to, const char* name, tenon_layer* child) {
    EXPECT_EQ(tenon_layer_set_child(cx_, to, name, TENON_NUL, child), TENON_OK);
  };
  const auto children = [&] {
    std::vector<std::string> found;
    const char* name = nullptr;
    tenon_string entry{};
    while (tenon_layer_get_child(cx_, all[0], static_cast<uint32_t>(found.size()), &name, &entry) ==
           TENON_OK) {
      found.push_back(std::string(name) + ": " + text(entry));
    }
    return found;
  };
  EXPECT_THAT(children(), ElementsAre());
  EXPECT_THAT(error().message, HasSubstr("the layer has no child 0"));
  add(all[1], "", all[2]);
  add(all[0], "inner", all[1]);
  EXPECT_THAT(children(), ElementsAre("inner: tenon.sequential", "inner.0: tenon.dropout"));
  add(all[0], "", all[3]);
  EXPECT_THAT(children(),
              ElementsAre("inner: tenon.sequential", "inner.0: tenon.dropout", "1: tenon.dropout"));
  EXPECT_EQ(tenon_layer_get_child(cx_, all[0], 0, nullptr, nullptr), TENON_OK);
  for (tenon_layer* layer : all) tenon_layer_release(layer);
}

// A program that was built before a member was added gets no more than it knows.
TEST_F(Entries, WriteNoMoreThanTheCallerKnows) {
  tenon_entry_info given{};
  std::memset(static_cast<void*>(&given), 0x5A, sizeof given);
  given.struct_size = offsetof(tenon_entry_info, doc);
  ASSERT_EQ(tenon_entry_get_info(cx_, "optimizer", 9, "tenon.adam", 10, &given), TENON_OK);
  EXPECT_EQ(given.struct_size, offsetof(tenon_entry_info, doc));
  EXPECT_EQ(text(given.name), "tenon.adam");
  EXPECT_EQ(given.doc.length, 0x5A5A5A5A5A5A5A5Au);
  EXPECT_EQ(given.n_outputs, 0x5A5A5A5Au);
}

// Looking opens what lists the name and no other.
TEST_F(Entries, OpenWhatIsAskedFor) {
  EXPECT_EQ(text(info("", "tenon.adam").name), "tenon.adam");
  std::vector<std::string> open;
  for (const json& plugin : query("plugins")) {
    if (plugin.at("state") == "open") open.push_back(plugin.at("id"));
  }
  EXPECT_THAT(open, Contains("tenon.optim"));
  EXPECT_THAT(open, testing::Not(Contains("tenon.layers")));
}

}  // namespace
}  // namespace tenon::tests
