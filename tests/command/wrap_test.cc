// SPDX-License-Identifier: Apache-2.0
// tests/command/wrap_test.cc: `tenon wrap` and the bridge tenon.tvm_ffi: functions of
// foreign_kernels.cc as ops of a plugin, which `tenon verify` judges; what is refused. The package
// itself is tried in tests/outside/tvm_ffi_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tenon/client.h>

#include <fstream>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

const char* const kDescription = R"json({
  "format": "tenon.tvm_ffi/1", "id": "acme.foreign", "version": "1.2.0", "license": "MIT",
  "library": "foreign.so",
  "functions": [
    {"op": "acme.square", "schema": "square(x: T[...S]) -> T[...S] where T: f32|f64",
     "doc": "The square.", "dtypes": ["f32", "f64"],
     "gradient": {"x": "acme.square_grad(x, grad)"}, "twice": true,
     "samples": ["f64[2,3](-4,4)", "f32[]", "f32[2,1,2,2]", "f32[0,2]",
                 {"sample": "i32[3]", "refused": "dtype", "says": "T"}]},
    {"op": "acme.square_grad",
     "schema": "square_grad(x: T[...S], dy: T[...S]) -> T[...S] where T: f32|f64",
     "doc": "The gradient of the square.", "dtypes": ["f32", "f64"],
     "gradient": {"x": "tenon.mul(mul(dy, 2), grad)", "dy": "mul(mul(x, 2.0), grad)"},
     "twice": true,
     "samples": ["f64[2,3], f64[2,3]",
                 {"sample": "f64[2], f64[3]", "refused": "shape", "says": "S"}]}
  ]})json";

json description() { return json::parse(kDescription); }

class CommandWrap : public testing::Test {
 protected:
  void SetUp() override {
    fs::copy(std::string(build_dir()) + "/tests/command/foreign_kernels.so",
             folder_.path("foreign.so"));
  }
  Done wrap(const std::string& text, std::vector<std::string> more = {}) {
    std::vector<std::string> line = {"wrap", folder_.write("acme.json", text), "--into",
                                     folder_.path(".")};
    line.insert(line.end(), more.begin(), more.end());
    return run_command(line);
  }
  Done verify(std::vector<std::string> more = {}) {
    std::vector<std::string> line = {"verify", folder_.path("acme.foreign"), "--level", "1"};
    line.insert(line.end(), more.begin(), more.end());
    return run_command(line);
  }
  // A plugin with this one function; its kind of failure if it is judged.
  Done judged(json function) {
    json one = description();
    one["functions"] = json::array({std::move(function)});
    const Done made = wrap(one.dump(), {"--force"});
    EXPECT_EQ(made.status, 0) << made.err;
    return verify();
  }
  // Refused with all these words, and nothing is left.
  void expect_refused(const std::string& text, std::initializer_list<const char*> words) {
    const Done done = wrap(text);
    EXPECT_EQ(done.status, 1) << text;
    for (const char* each : words) EXPECT_THAT(done.err, HasSubstr(each));
    for (const auto& entry : fs::directory_iterator(folder_.path("."))) {
      EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("acme.json", "foreign.so"));
    }
  }
  TemporaryFolder folder_;
};

TEST_F(CommandWrap, MakesAPluginThatVerifyLetsPass) {
  const Done made = wrap(description().dump());
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("tenon verify "));
  const json manifest = read_json(folder_.path("acme.foreign/plugin.json"));
  EXPECT_EQ(manifest.at("id"), "acme.foreign");
  EXPECT_EQ(manifest.at("version"), "1.2.0");
  EXPECT_EQ(manifest.at("license"), "MIT");
  EXPECT_EQ(manifest.at("vjps"), json({"acme.square", "acme.square_grad"}));
  const Done done = verify({"--json", "-"});
  EXPECT_EQ(done.status, 0) << done.out;
  EXPECT_GT(done.json().at("cases"), 100);
  EXPECT_EQ(run_command({"inspect", folder_.path("acme.foreign")}).status, 0);
}

TEST_F(CommandWrap, ReplacesOnlyIfItMay) {
  ASSERT_EQ(wrap(description().dump()).status, 0);
  folder_.write("acme.foreign/goldens/mine.json", "{}");
  const Done again = wrap(description().dump());
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.err, HasSubstr("exists already: --force replaces its library"));
  json newer = description();
  newer["version"] = "1.3.0";
  const Done done = wrap(newer.dump(), {"--force", "--needs-cpu", "sse2", "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.json().at("id"), "acme.foreign");
  const json manifest = read_json(folder_.path("acme.foreign/plugin.json"));
  EXPECT_EQ(manifest.at("version"), "1.3.0");
  EXPECT_EQ(manifest.at("requires").at("cpu_features"), json({"sse2"}));
  EXPECT_TRUE(fs::exists(folder_.path("acme.foreign/goldens/mine.json")));
}

// The hash of the one file covers the description and the kernels.
TEST_F(CommandWrap, IsOpenedFromASealedCopy) {
  ASSERT_EQ(wrap(description().dump()).status, 0);
  const std::string lock = folder_.path("plugins.lock");
  const Done locked = run_command({"plugin", "lock", "-o", lock, folder_.path("acme.foreign")});
  if (locked.err.find("libcrypto") != std::string::npos) GTEST_SKIP() << locked.err;
  ASSERT_EQ(locked.status, 0) << locked.err;
  const auto state = [&] {
    const Done done =
        run_command({"--plugin-path", folder_.path("."), "--allowlist", lock, "doctor", "--json"});
    const json plugins = done.json().at("plugins");
    for (const json& plugin : plugins) {
      if (plugin.at("id") == "acme.foreign") return plugin.at("state").get<std::string>();
    }
    return std::string("missing");
  };
  EXPECT_EQ(state(), "open");
  json other = description();
  other["functions"][0]["doc"] = "Another.";
  ASSERT_EQ(wrap(other.dump(), {"--force"}).status, 0);
  EXPECT_EQ(state(), "refused");
}

TEST_F(CommandWrap, FaultyKernelsFail) {
  const json right = {{"op", "acme.square"},
                      {"schema", "square(x: T[...S]) -> T[...S] where T: f32|f64"},
                      {"doc", "The square."},
                      {"dtypes", {"f32", "f64"}},
                      {"gradient", {{"x", "mul(mul(x, 2), grad)"}}},
                      {"samples",
                       {"f64[2,3](-4,4)",
                        "f64[2,2,2,2]",
                        {{"sample", "i32[3]"}, {"refused", "dtype"}, {"says", "T"}}}}};
  EXPECT_EQ(judged(right).status, 0);
  const auto expect_failure = [&](const char* member, const json& value, const char* cause) {
    json wrong = right;
    wrong[member] = value;
    const Done done = judged(wrong);
    EXPECT_EQ(done.status, 1) << member << value;
    EXPECT_THAT(done.out, HasSubstr(cause)) << member << value;
  };
  expect_failure("function", "square_less", "skipped-tail");
  expect_failure("function", "fails", "refused");
  expect_failure("function", "answers", "refused");
  expect_failure("gradient", {{"x", "mul(x, grad)"}}, "wrong-gradient");
  expect_failure("samples", json::array({"f64[3]"}), "no-samples");
}

TEST_F(CommandWrap, GivesEachArgumentAsItIs) {
  json affine = description()["functions"][0];
  affine["op"] = "acme.affine";
  affine["schema"] =
      "affine(x: T[...S], *, factor: float=2.5, whole: int=3, flag: bool=true, "
      "text: str=\"a \\\"b\\\"\", nothing: int?, to: dtype=i64) -> y: T[...S] where T: f32|f64";
  affine["gradient"] = {{"x", "mul(grad, 2.5)"}};
  EXPECT_EQ(judged(affine).status, 0) << verify().out;
  // In an order of its own: the function finds that they do not fit.
  affine["arguments"] = {"y", "factor", "whole", "flag", "text", "nothing", "to", "x"};
  EXPECT_EQ(judged(affine).status, 1);
}

TEST_F(CommandWrap, ServesOptionalWrittenAndManyOperands) {
  json made = description();
  made["functions"] = json::array();
  made["functions"].push_back(
      {{"op", "acme.both"},
       {"schema", "both(x: T[N], y: T[N]?) -> (sum: T[N], difference: T[N]) where T: f64"},
       {"doc", "The sum and the difference."},
       {"dtypes", {"f64"}},
       {"gradient",
        {{"x", "add(grad_sum, grad_difference)"}, {"y", "sub(grad_sum, grad_difference)"}}},
       {"twice", true},
       {"samples",
        {"f64[5], f64[5]",
         "f64[4]",
         {{"sample", "f64[5], f64[4]"}, {"refused", "shape"}, {"says", "N"}}}}});
  made["functions"].push_back(
      {{"op", "acme.add_to"},
       {"schema", "add_to(x!: T[...S], y: T[...S]) -> () where T: f32"},
       {"doc", "Adds y to x."},
       {"dtypes", {"f32"}},
       {"samples",
        {"f32[2,3], f32[2,3]",
         {{"sample", "f32[5], f32[4]"}, {"refused", "shape"}, {"says", "S"}}}}});
  ASSERT_EQ(wrap(made.dump()).status, 0);
  const Done done = verify();
  EXPECT_EQ(done.status, 0) << done.out;
}

// What the function does not take is computed by the composition, which judges the function.
TEST_F(CommandWrap, IsJudgedByItsComposition) {
  json one = description()["functions"][0];
  one["schema"] = "square(x: T[...S]) -> T[...S] where T: float";
  one["composition"] = {{"out", "mul(x, x)"}};
  one["samples"][0] = "f32[4,5](-4,4)";
  one["dtypes"] = {"f32"};
  one["gradient"] = {{"x", "mul(mul(x, 2), grad)"}};
  EXPECT_EQ(judged(one).status, 0);
  one["function"] = "square_wrong";
  const Done done = judged(one);
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.out, HasSubstr("composition-differs"));
  // Without a rule of its own the gradient is that of the composition.
  one["function"] = "square";
  one.erase("gradient");
  one.erase("twice");
  EXPECT_EQ(judged(one).status, 0) << verify().out;
}

// Values and both gradients, with a function and with a composition as rules.
TEST_F(CommandWrap, ComputesAndDifferentiates) {
  ASSERT_EQ(wrap(description().dump()).status, 0);
  setenv("TENON_PLUGIN_PATH", folder_.path(".").c_str(), 1);
  tn_client client;
  tn_open(&client, 1, 0);
  unsetenv("TENON_PLUGIN_PATH");
  const float three = 3;
  tenon_tensor* x = tn_tensor(&client, nullptr, 0, &three);
  tn_check(&client, tenon_tensor_set_requires_grad(client.context, x, 1));
  tenon_tensor* y = tn_call1(&client, "acme.square", x);
  EXPECT_EQ(tn_item(&client, y), 9);
  tn_backward(&client, y);
  tenon_tensor* gradient = nullptr;
  tn_check(&client, tenon_tensor_get_grad(client.context, x, &gradient));
  EXPECT_EQ(tn_item(&client, gradient), 6);
  tn_close(&client);
}

TEST_F(CommandWrap, SaysWhatAFunctionHasReported) {
  json made = description();
  made["functions"][0]["function"] = "fails";
  made["functions"][0]["op"] = "acme.fails";
  made["functions"][0]["schema"] = "fails(x: T[...S]) -> T[...S] where T: f32|f64";
  ASSERT_EQ(wrap(made.dump()).status, 0);
  setenv("TENON_PLUGIN_PATH", folder_.path(".").c_str(), 1);
  tn_client client;
  tn_open(&client, 1, 0);
  unsetenv("TENON_PLUGIN_PATH");
  const float three = 3;
  const tenon_value x = tn_value(tn_tensor(&client, nullptr, 0, &three));
  tenon_tensor* y = nullptr;
  EXPECT_EQ(tenon_op_call(client.context, tn_op(&client, "acme.fails"), &x, 1, nullptr, 0, &y, 1),
            TENON_E_PLUGIN);
  tenon_error error{};
  error.struct_size = sizeof error;
  tn_check(&client, tenon_context_get_error(client.context, &error));
  EXPECT_STREQ(error.op, "acme.fails");
  EXPECT_THAT(error.message, HasSubstr("fails has failed with the code -1"));
  EXPECT_THAT(error.message, HasSubstr("not linked"));
  tn_close(&client);
}

TEST_F(CommandWrap, RefusesADescriptionThatIsWrong) {
  expect_refused("", {"is not JSON"});
  expect_refused("{\"format\": ", {"is not JSON"});
  expect_refused("[]", {"expected an object of JSON"});
  expect_refused("{}", {"format: expected a text, found nothing"});
  expect_refused(std::string((1 << 20) + 1, ' '), {"expected at most 1048576 bytes"});
  const auto refused = [&](const char* pointer, const json& value,
                           std::initializer_list<const char*> words) {
    json wrong = description();
    wrong[json::json_pointer(pointer)] = value;
    expect_refused(wrong.dump(), words);
  };
  refused("/format", "acme.none/1", {"is for no bridge that is there; there are: tenon.tvm_ffi"});
  refused("/format", "../../bin", {"is for no bridge"});
  refused("/format", "tenon.tvm_ffi/2", {"format: expected \"tenon.tvm_ffi/1\""});
  refused("/id", "../acme", {"id: expected vendor.name"});
  refused("/id", 3, {"id: expected a text, found 3"});
  refused("/library", "none.so", {"none.so: cannot be read"});
  refused("/library", "acme.json", {"acme.json cannot be opened", "invalid ELF header"});
  refused("/version", nullptr, {"version: expected a value, found nothing"});
  refused("/more", 1, {"more: expected no such member, found 1; there are: format, id"});
  refused("/functions", json::array(), {"functions: expected at least one function"});
  refused("/functions/0/function", "none",
          {"exports no function \"none\": expected the symbol __tvm_ffi_none"});
  refused("/functions/0/schema", "square(x: T[...S) -> T[...S]", {"schema column"});
  refused("/functions/0/schema", "other(x: T[...S]) -> T[...S]", {"other"});
  refused("/functions/0/schema", "square(x: T[...]) -> T[...]", {"name"});
  refused("/functions/0/op", "acme..square", {"acme..square"});
}

TEST_F(CommandWrap, RefusesAFunctionThatIsWrong) {
  const auto refused = [&](const char* member, const json& value, const char* words) {
    json wrong = description();
    wrong["functions"][0][member] = value;
    expect_refused(wrong.dump(), {(std::string("functions[0].") + member).c_str(), words});
  };
  refused("schema", "square(xs: T[...S]*) -> T[...S]", "a list, \"xs\", is not offered");
  refused("schema", "square(x: T[...S], *, k: int[2]=1) -> T[...S]", "\"k\", is not offered");
  refused("schema", "square(x: T[...S]) -> (T[...S], aux T[...S])", "aux outputs are not offered");
  refused("dtypes", "f32", "expected a list, found \"f32\"");
  refused("dtypes", {"float32"}, "expected one of bool, u8");
  refused("dtypes", json::array(), "expected the dtypes that the function takes");
  refused("dtypes", json::array({json::array({"f32", "f32"})}), "expected 1 dtypes");
  refused("doc", 1.5, "expected a text, found 1.5");
  refused("doc", std::string("a\0b", 3), "expected a text without zero bytes");
  refused("twice", "yes", "expected true or false");
  refused("revision", 1e300, "expected a whole number from 1");
  refused("revision", -1, "expected a whole number from 1");
  refused("revision", 18446744073709551615u, "expected a whole number from 1");
  refused("arguments", {"x", "y"}, "expected one of out, found \"y\"");
  refused("arguments", {"x", "out", "x"}, "expected the end");
  refused("arguments", {"out"}, "\"x\" is missing");
  refused("samples", {{{"sample", "i32[3]"}, {"refused", "odd"}, {"says", "T"}}},
          "expected one of argument, shape");
  refused("samples", {{{"sample", "i32[3]"}, {"refused", "dtype"}}}, "says: expected a value");
  refused("tolerances", {{{"dtype", "f32"}, {"ulp", -1}, {"reason", "?"}}}, "a number, 0 or more");
  refused("tolerances", {{{"dtype", "f32"}}}, "reason: expected a value");
  refused("other", true, "expected no such member");
}

TEST_F(CommandWrap, RefusesARuleThatIsWrong) {
  const auto refused = [&](const json& gradient, const char* words) {
    json wrong = description();
    wrong["functions"][1]["gradient"] = gradient;
    expect_refused(wrong.dump(), {"functions[1].gradient", words});
  };
  const auto rule = [&](const std::string& text, const char* words) {
    refused({{"x", text}, {"dy", "grad"}}, words);
  };
  refused({{"x", "grad"}}, "\"dy\" has none; null says that it never has a gradient");
  refused({{"x", "grad"}, {"z", "grad"}}, "\"z\" is not one of x, dy");
  refused({{"x, x", "f(grad)"}, {"dy", "grad"}}, "\"x\" is not one of x, dy");
  refused({{"x", nullptr}, {"dy", nullptr}}, "leave it out if there is none");
  refused({{"x, dy", "grad"}}, "expected a call of an op");
  rule("", "column 1: expected a number, a call, or one of x, dy, out, grad, found the end");
  rule("mul(grad, z)", "column 11: expected a number, a call, or one of");
  rule("mul(grad", "column 9: expected ',', '|' or ')', found the end");
  rule("mul(grad) x", "column 11: expected the end");
  rule("(grad)", "expected the name of an op");
  rule("sum(grad | [1.5])", "expected an integer");
  rule("sum(grad | [1", "expected ']'");
  rule("sum(grad | \"a)", "expected '\"'");
  rule("sum(grad | z)", "expected a value or the name of an attribute");
  rule("2", "expected a call of an op");
  const auto composition = [&](const json& value, const char* words) {
    json wrong = description();
    wrong["functions"][0]["composition"] = value;
    expect_refused(wrong.dump(), {"functions[0].composition", words});
  };
  composition({{"out", "mul(x, grad)"}}, "expected a number, a call, or one of x, found \"grad");
  composition({{"out", "x"}}, "expected a call of an op");
  composition({{"out", nullptr}}, "expected a text, found nothing");
  composition({{"y", "mul(x, x)"}}, "\"y\" is not one of out");
  composition(json::object(), "\"out\" has none");
  rule("- ", "expected a number");
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "neg(";
  rule(deep, "at most 32 calls in calls");
}

TEST_F(CommandWrap, RefusesFilesAndFoldersThatAreMissing) {
  const Done none = run_command({"wrap", folder_.path("none.json")});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("none.json: cannot be read"));
  const Done folder = run_command({"wrap", folder_.path(".")});
  EXPECT_EQ(folder.status, 1);
  EXPECT_THAT(folder.err, HasSubstr("cannot be read"));
  const Done into = wrap(description().dump(), {"--into", folder_.path("foreign.so")});
  EXPECT_NE(into.status, 0);
  const std::string file = folder_.write("other.json", description().dump());
  const Done wrong = run_command({"wrap", file, "--into", folder_.path("none")});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("none is not a folder: make it"));
  EXPECT_EQ(run_command({"wrap"}).status, 2);
}

// Each composition of a plugin has a function of its own, of which there are so many.
TEST_F(CommandWrap, ComposesAsManyOpsAsItCan) {
  json made = description();
  json one = made["functions"][0];
  one["composition"] = {{"out", "mul(x, x)"}};
  one.erase("gradient");
  one["function"] = "square";
  made["functions"] = json::array();
  for (int i = 0; i < 256; ++i) {
    one["op"] = "acme.square" + std::to_string(i);
    one["schema"] = "square" + std::to_string(i) + "(x: T[...S]) -> T[...S] where T: float";
    one["composition"]["out"] = "mul(x, " + std::to_string(i) + ")";
    made["functions"].push_back(one);
  }
  ASSERT_EQ(wrap(made.dump()).status, 0);
  setenv("TENON_PLUGIN_PATH", folder_.path(".").c_str(), 1);
  tn_client client;
  tn_open(&client, 1, 0);
  unsetenv("TENON_PLUGIN_PATH");
  const float two = 2;
  tenon_tensor* x = tn_tensor(&client, nullptr, 0, &two);
  const tn_option half = {"dtype", tn_dtype(TENON_DTYPE_F16)};
  tenon_tensor* short_x = tn_call(&client, "tenon.cast", TN_ARGS(tn_value(x)), {&half, 1});
  for (const int i : {0, 1, 100, 255}) {
    const std::string name = "acme.square" + std::to_string(i);
    EXPECT_EQ(tn_item(&client, tn_call1(&client, name.c_str(), short_x)), 2 * i);
    EXPECT_EQ(tn_item(&client, tn_call1(&client, name.c_str(), x)), 4);
  }
  tn_close(&client);
  made["functions"].push_back(one);
  made["functions"].back()["op"] = "acme.square256";
  const Done done = wrap(made.dump(), {"--force"});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("acme.square256: composition: expected at most 256"));
}

TEST_F(CommandWrap, RefusesDamagedFiles) {
  ASSERT_EQ(wrap(description().dump()).status, 0);
  const std::string file = folder_.path("acme.foreign/acme.foreign.so");
  std::ostringstream whole;
  whole << std::ifstream(file, std::ios::binary).rdbuf();
  std::string bytes = whole.str();
  bytes[bytes.size() - 3] = 'x';  // of the number of bytes
  std::ofstream(file, std::ios::binary) << bytes;
  const Done damaged = run_command({"manifest", file});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_THAT(damaged.err, HasSubstr("is damaged: it says that"));
  // Without anything appended it has no ops.
  std::ofstream(file, std::ios::binary) << bytes.substr(0, bytes.size() - 1);
  const Done bare = run_command({"manifest", file, "-o", "-"});
  ASSERT_EQ(bare.status, 0) << bare.err;
  EXPECT_EQ(bare.json().at("id"), "tenon.tvm_ffi");
  EXPECT_THAT(bare.json().at("ops"), IsEmpty());
}

}  // namespace
}  // namespace tenon::tests
