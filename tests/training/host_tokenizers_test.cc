// SPDX-License-Identifier: Apache-2.0
// tests/training/host_tokenizers_test.cc: "tenon.host.tokenizers/1": a plugin that reads texts uses
// the tokenizers of others, and what it asks wrongly is refused.
#include <gmock/gmock.h>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <functional>

#include "tests/support/program_query.h"
#include "tests/training/tokenizers_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What the callbacks of acme.asks do: a dataset that is opened, and an op whose shape is inferred.
std::function<void(tenon_call*, const tenon_host_tokenizers&)> ask;

void ask_in(tenon_call* call) {
  const void* table = call->host->get_interface(call->host, TENON_HOST_TOKENIZERS, TENON_NUL);
  if (!table) throw sdk::Failure{TENON_E_INTERNAL, "there is no such interface"};
  ask(call, *static_cast<const tenon_host_tokenizers*>(table));
}

constexpr tenon_dataset_desc kDatasets[] = {
    {sizeof(tenon_dataset_desc), 0, sdk::str("acme.asks"), sdk::str("No samples."), nullptr, 0, 0,
     [](tenon_call* call, const tenon_value*, void** out_object) -> tenon_status {
       return sdk::guarded(call, [&] {
         ask_in(call);
         *out_object = nullptr;
       });
     },
     [](void*) {},
     [](tenon_call*, void*, int64_t* out_length) -> tenon_status {
       *out_length = 0;
       return TENON_OK;
     },
     [](tenon_call*, void*, tenon_dataset_field* out, uint32_t capacity,
        uint32_t* out_count) -> tenon_status {
       *out_count = 1;
       if (capacity > 0) {
         out[0] = {sdk::str("x"), {}};
         out[0].sample.dtype = TENON_DTYPE_I64;
       }
       return TENON_OK;
     },
     [](tenon_call*, void*, const int64_t*, int64_t, void* const*) -> tenon_status {
       return TENON_OK;
     },
     nullptr, nullptr}};

constexpr tenon_op_desc kOps[] = {sdk::op(
    {.name = "acme.ask",
     .schema = "ask(x: T[...]) -> T[...]",
     .doc = "Asks.",
     .infer = [](tenon_call* call, const tenon_launch*, tenon_meta*, uint32_t) -> tenon_status {
       return sdk::guarded(call, [&] { ask_in(call); });
     }})};

constexpr sdk::Unit kUnit = {.ops = kOps, .datasets = kDatasets};
constexpr const sdk::Unit* kUnits[] = {&kUnit};
struct Data {
  static sdk::About about() { return {"acme.asks", "1.0.0", "Apache-2.0", kUnits}; }
};
tenon_status asks_query(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  return query_in_program<Data>(host, out, diag);
}

class HostTokenizers : public TokenizerTest {
 protected:
  using Table = tenon_host_tokenizers;

  void SetUp() override {
    TokenizerTest::SetUp();
    must(tenon_plugin_load(context, asks_query));
  }
  void TearDown() override {
    ask = nullptr;
    TokenizerTest::TearDown();
  }
  std::string refused_ask(tenon_status expected,
                          const std::function<tenon_status(tenon_call*, const Table&)>& call) {
    ask = [call](tenon_call* window, const Table& table) { sdk::check(call(window, table)); };
    return refused_dataset("acme.asks", {}, expected);
  }
};

const tenon_string kBytes = sdk::str("tenon.bytes");

TEST_F(HostTokenizers, MakeLoadEncodeAndRelease) {
  const std::string where = write("a.pairs", "tenon-pairs 1\n97 98\n");
  std::vector<int32_t> pairs(2), characters(8, 77);
  int64_t count = 0;
  ask = [&](tenon_call* call, const Table& table) {
    EXPECT_EQ(table.struct_size, sizeof(Table));
    tenon_tokenizer* made = nullptr;
    const tenon_string path = sdk::str(where);
    sdk::check(table.load(call, &path, &made));
    sdk::check(table.encode(call, made, "ababc", 5, pairs.data(), 2, &count));
    EXPECT_EQ(count, 3) << "the whole length, and as much as there is room for";
    table.release(made);
    const tenon_string name = sdk::str("tenon.characters"), option = sdk::str("text");
    const tenon_value value = text("xyz");
    sdk::check(table.create(call, &name, nullptr, 0, &option, &value, 1, &made));
    sdk::check(table.encode(call, made, "zy", 2, characters.data(), 8, &count));
    sdk::check(table.encode(call, made, "", 0, nullptr, 0, &count));
    EXPECT_EQ(count, 0);
    table.release(made);
    table.release(nullptr);
    const tenon_string title = sdk::str("tenon-characters 1\n97\n");
    sdk::check(table.create(call, &name, title.data, title.length, nullptr, nullptr, 0, &made));
    table.release(made);
  };
  const Dataset opened = dataset("acme.asks", {});
  EXPECT_THAT(pairs, ElementsAre(256, 256));
  EXPECT_THAT(characters, ElementsAre(2, 1, 77, 77, 77, 77, 77, 77));
}

TEST_F(HostTokenizers, WrongCallsAreRefused) {
  tenon_tokenizer* out = nullptr;
  EXPECT_THAT(refused_ask(TENON_E_NOT_FOUND,
                          [&](tenon_call* call, const Table& table) {
                            const tenon_string name = sdk::str("acme.nothing");
                            return table.create(call, &name, nullptr, 0, nullptr, nullptr, 0, &out);
                          }),
              HasSubstr("acme.nothing"));
  const auto create = [&](const tenon_string* name, const void* file, uint64_t length, uint32_t n,
                          tenon_tokenizer** to) {
    return [=](tenon_call* call, const Table& table) {
      return table.create(call, name, file, length, nullptr, nullptr, n, to);
    };
  };
  EXPECT_THAT(refused_ask(TENON_E_ARGUMENT, create(nullptr, nullptr, 0, 0, &out)),
              HasSubstr("a plugin passed NULL for name"));
  EXPECT_THAT(refused_ask(TENON_E_ARGUMENT, create(&kBytes, nullptr, 3, 0, &out)),
              HasSubstr("a plugin passed NULL for file"));
  EXPECT_THAT(refused_ask(TENON_E_ARGUMENT, create(&kBytes, nullptr, 0, 1, &out)),
              HasSubstr("NULL"));
  EXPECT_THAT(refused_ask(TENON_E_ARGUMENT, create(&kBytes, nullptr, 0, 0, nullptr)),
              HasSubstr("a plugin passed NULL for out_tokenizer"));
  EXPECT_THAT(refused_ask(TENON_E_ATTRIBUTE, create(&kBytes, "a", 1, 0, &out)),
              HasSubstr("tenon.bytes: it is not made of a file"));
  const auto load = [&](const tenon_string* path, tenon_tokenizer** to) {
    return [=](tenon_call* call, const Table& table) { return table.load(call, path, to); };
  };
  const tenon_string absent = sdk::str("/nowhere/at/all.pairs"), empty = sdk::str("");
  const tenon_string zero = {"a\0.pairs", 8};
  EXPECT_THAT(refused_ask(TENON_E_IO, load(&absent, &out)), HasSubstr("No such file"));
  EXPECT_THAT(refused_ask(TENON_E_ARGUMENT, load(&empty, &out)), HasSubstr("path is empty"));
  EXPECT_THAT(refused_ask(TENON_E_ARGUMENT, load(&zero, &out)), HasSubstr("zero byte"));
  EXPECT_THAT(refused_ask(TENON_E_ARGUMENT, load(nullptr, &out)), HasSubstr("NULL for path"));
  EXPECT_THAT(refused_ask(TENON_E_ARGUMENT, load(&absent, nullptr)),
              HasSubstr("NULL for out_tokenizer"));
  EXPECT_EQ(out, nullptr);
}

TEST_F(HostTokenizers, WrongEncodingIsRefused) {
  const auto encode = [&](const char* text, uint64_t length, int32_t* tokens, int64_t capacity,
                          bool counted) {
    return [=](tenon_call* call, const Table& table) {
      tenon_tokenizer* made = nullptr;
      sdk::check(table.create(call, &kBytes, nullptr, 0, nullptr, nullptr, 0, &made));
      int64_t count = 0;
      const tenon_status status =
          table.encode(call, made, text, length, tokens, capacity, counted ? &count : nullptr);
      table.release(made);
      return status;
    };
  };
  int32_t token = 0;
  EXPECT_THAT(refused_ask(TENON_E_ARGUMENT, encode(nullptr, 1, &token, 1, true)),
              HasSubstr("NULL for text"));
  EXPECT_THAT(refused_ask(TENON_E_ARGUMENT, encode("a", 1, nullptr, 1, true)),
              HasSubstr("NULL for tokens"));
  EXPECT_THAT(refused_ask(TENON_E_ARGUMENT, encode("a", 1, &token, 1, false)),
              HasSubstr("NULL for out_count"));
  for (tenon_tokenizer* wrong :
       {static_cast<tenon_tokenizer*>(nullptr), reinterpret_cast<tenon_tokenizer*>(context)}) {
    EXPECT_THAT(refused_ask(TENON_E_HANDLE,
                            [&](tenon_call* call, const Table& table) {
                              int64_t count = 0;
                              return table.encode(call, wrong, "a", 1, &token, 1, &count);
                            }),
                HasSubstr("tokenizer"));
  }
  EXPECT_EQ(token, 0);
}

// Only callbacks that read data may: no shape depends on a file.
TEST_F(HostTokenizers, OtherCallbacksMayNot) {
  const Tensor x = tensor<float>({1}, {1});
  const tenon_op* op = nullptr;
  must(tenon_op_find(context, "acme.ask", TENON_NUL, 0, &op));
  const Tokenizer made = tokenizer("tenon.bytes");
  const auto refuse = [&](const std::function<tenon_status(tenon_call*, const Table&)>& call) {
    ask = [call](tenon_call* window, const Table& table) { sdk::check(call(window, table)); };
    const tenon_value input = one(x.get());
    tenon_tensor* out = nullptr;
    return refused(tenon_op_call(context, op, &input, 1, nullptr, 0, &out, 1), TENON_E_STATE);
  };
  tenon_tokenizer* out = nullptr;
  EXPECT_THAT(refuse([&](tenon_call* call, const Table& table) {
                return table.create(call, &kBytes, nullptr, 0, nullptr, nullptr, 0, &out);
              }),
              HasSubstr("tokenizers.create may not be called while in state infer"));
  EXPECT_THAT(refuse([&](tenon_call* call, const Table& table) {
                const tenon_string path = sdk::str("/a.pairs");
                return table.load(call, &path, &out);
              }),
              HasSubstr("tokenizers.load may not be called while in state infer"));
  EXPECT_THAT(refuse([&](tenon_call* call, const Table& table) {
                int64_t count = 0;
                return table.encode(call, made.get(), "a", 1, nullptr, 0, &count);
              }),
              HasSubstr("tokenizers.encode may not be called while in state infer"));
}

}  // namespace
}  // namespace tenon::tests
