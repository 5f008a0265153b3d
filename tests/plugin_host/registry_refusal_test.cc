// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/registry_refusal_test.cc: tables that are wrong in one way each.
#include <gmock/gmock.h>
#include <tenon/ext/draft/bits.h>
#include <tenon/ext/draft/dynamic.h>
#include <tenon/ext/draft/narrow.h>
#include <tenon/ext/draft/optimizers.h>
#include <tenon/ext/draft/shapes.h>

#include "tests/plugin_host/registry_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

// ---- What is refused ----------------------------------------------------------------------------

TEST(RegistryRefusal, IsAllOrNothing) {
  Registry registry(nullptr);
  Offer offer("acme.ops");
  offer.op("acme.f", "f(x: T) -> T");
  offer.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F32});
  offer.op("acme.g", "g(x: ");
  EXPECT_THAT(offer.refusal(registry), HasSubstr("op acme.g: "));
  EXPECT_EQ(registry.find_op("acme.f"), nullptr);
  offer.ops.pop_back();
  offer.add_to(registry);
  EXPECT_NE(registry.find_op("acme.f"), nullptr);
}

TEST(RegistryRefusal, ARefusedRivalLeavesTheKernelsOfOthersAlone) {
  Registry registry(nullptr);
  Offer first("acme.first");
  first.op("acme.f", "f(x: T) -> T");
  first.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F32});
  first.add_to(registry);
  const registry::KernelSet* before = registry.find_op("acme.f")->kernels.load();
  Offer second("acme.second");
  second.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F32});
  second.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F32}).launch = nullptr;
  EXPECT_THAT(second.refusal(registry), HasSubstr("`launch` is NULL"));
  EXPECT_EQ(registry.find_op("acme.f")->kernels.load(), before);
}

struct BadOp {
  const char* name;
  const char* op;
  const char* schema;
  void (*change)(tenon_op_desc&);
  const char* reason;
};

class RegistryBadOp : public testing::TestWithParam<BadOp> {};

TEST_P(RegistryBadOp, IsRefused) {
  Offer offer("acme.ops");
  tenon_op_desc& desc = offer.op(GetParam().op, GetParam().schema);
  if (GetParam().change) GetParam().change(desc);
  EXPECT_THAT(offer.refusal(), HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    , RegistryBadOp,
    testing::Values(
        BadOp{"plain_name", "f", "f(x: T) -> T", nullptr, "the name 'f' is not of the form"},
        BadOp{"capitals", "acme.F", "F(x: T) -> T", nullptr, "is not of the form vendor.name"},
        BadOp{"empty_part", "acme..f", "f(x: T) -> T", nullptr, "is not of the form"},
        BadOp{"other_schema", "acme.f", "g(x: T) -> T", nullptr,
              "its schema is named 'g'; 'f' was expected"},
        BadOp{"revision", "acme.f", "f(x: T) -> T", [](tenon_op_desc& d) { d.revision = 0; },
              "revision is 0"},
        BadOp{"flags", "acme.f", "f(x: T) -> T", [](tenon_op_desc& d) { d.flags = 1u << 20; },
              "needs a newer Tenon: unknown flags 1048576"},
        BadOp{"shape_rule", "acme.f", "f(x: T) -> T", [](tenon_op_desc& d) { d.shape_rule = 9; },
              "shape rule 9 is unknown"},
        BadOp{"schema_letter", "acme.f", "f(x: T[N]) -> (T[N], T[N,K])",
              [](tenon_op_desc& d) { d.shape_rule = TENON_SHAPE_SCHEMA; },
              "output 1 has 'K', which is in no input that every call has"},
        BadOp{"schema_optional", "acme.f", "f(x: T[N], y: T[K]?) -> T[K]",
              [](tenon_op_desc& d) { d.shape_rule = TENON_SHAPE_SCHEMA; },
              "output 0 has 'K', which is in no input"},
        BadOp{"schema_list", "acme.f", "f(x: T, ys: T[K]*) -> T[K]",
              [](tenon_op_desc& d) { d.shape_rule = TENON_SHAPE_SCHEMA; },
              "output 0 has 'K', which is in no input"},
        BadOp{"schema_attribute", "acme.f", "f(x: T[N], *, K: int) -> T[K]",
              [](tenon_op_desc& d) { d.shape_rule = TENON_SHAPE_SCHEMA; },
              "output 0 has 'K', which is in no input"},
        BadOp{"schema_run", "acme.f", "f(x: T[...A]) -> T[...B]",
              [](tenon_op_desc& d) { d.shape_rule = TENON_SHAPE_SCHEMA; },
              "output 0 has '...B', which is in no input"},
        BadOp{"schema_unnamed_run", "acme.f", "f(x: T[...]) -> T[...]",
              [](tenon_op_desc& d) { d.shape_rule = TENON_SHAPE_SCHEMA; },
              "output 0 has '...' without a name, as in ...B"},
        BadOp{"schema_expression", "acme.f", "f(x: T[C]) -> T[C/2]",
              [](tenon_op_desc& d) { d.shape_rule = TENON_SHAPE_SCHEMA; },
              "output 0 has 'C/2', which is for readers: use `infer`"},
        BadOp{"schema_no_dims", "acme.f", "f(x: T[N]) -> T",
              [](tenon_op_desc& d) { d.shape_rule = TENON_SHAPE_SCHEMA; },
              "output 0 has no dimensions, as in T[N]"},
        BadOp{"no_infer", "acme.f", "f(x: T) -> T", [](tenon_op_desc& d) { d.infer = nullptr; },
              "needs `infer`"},
        BadOp{"no_input", "acme.f", "f(*, n: int) -> f32[...]",
              [](tenon_op_desc& d) { d.shape_rule = TENON_SHAPE_SAME_AS_0; }, "needs an input"},
        BadOp{"no_axes", "acme.f", "f(x: T) -> T",
              [](tenon_op_desc& d) { d.shape_rule = TENON_SHAPE_REDUCE; },
              "needs the attributes 'axes' and 'keepdims'"},
        BadOp{"random", "acme.f", "f(x: T) -> T",
              [](tenon_op_desc& d) { d.flags = TENON_OP_RANDOM; }, "needs `random_words`"},
        BadOp{"dynamic", "acme.f", "f(x: T) -> T",
              [](tenon_op_desc& d) { d.flags = TENON_OP_DYNAMIC_OUT; },
              "flag DYNAMIC_OUT goes with `compose`"},
        BadOp{"writes_gradients", "acme.f", "f(x: T) -> T",
              [](tenon_op_desc& d) { d.flags = TENON_OP_WRITES_GRADIENTS; },
              "needs an input that is written"},
        BadOp{"library_bits_dynamic", "acme.f", "f(x: T) -> T",
              [](tenon_op_desc& d) {
                d.flags = TENON_OP_LIBRARY_BITS | TENON_OP_DYNAMIC_OUT;
                d.compose = [](tenon_call*, const tenon_value*, uint32_t, const tenon_value*,
                               uint32_t) -> tenon_status { return TENON_OK; };
              },
              "flag LIBRARY_BITS is of ops with kernels"},
        BadOp{"library_bits_view", "acme.f", "f(x: T) -> T",
              [](tenon_op_desc& d) {
                d.flags = TENON_OP_LIBRARY_BITS;
                d.view = view;
              },
              "flag LIBRARY_BITS is of ops with kernels"},
        BadOp{"narrow", "acme.f", "f(x: T) -> T",
              [](tenon_op_desc& d) { d.flags = TENON_OP_NARROW; },
              "flag NARROW is of ops with a composition"},
        BadOp{"view", "acme.f", "f(x: T) -> (T, T)", [](tenon_op_desc& d) { d.view = view; },
              "a view op needs an input and exactly one output"},
        BadOp{"unknown_role", "acme.f", "f(x: T) -> T", [](tenon_op_desc& d) { d.role = 77; },
              "role 77 is unknown"},
        BadOp{"role_inputs", "acme.f", "f(x: T) -> T",
              [](tenon_op_desc& d) { d.role = TENON_ROLE_ADD; },
              "the holder of role 'add' must have 2 inputs, 0 attributes and 1 outputs"},
        BadOp{"role_attrs", "acme.f", "f(x: T, *, n: int) -> T",
              [](tenon_op_desc& d) { d.role = TENON_ROLE_CAST; }, "role 'cast' must have 1 inputs"},
        BadOp{"role_mutation", "acme.f", "f(x: T[N], i: i64[R], v: T[R]) -> ()",
              [](tenon_op_desc& d) { d.role = TENON_ROLE_ROWS_ADD; }, "input 0 marked '!'"},
        BadOp{"role_output", "acme.f", "f(x: T) -> T",
              [](tenon_op_desc& d) { d.role = TENON_ROLE_ISFINITE; }, "an output of dtype bool"},
        BadOp{"null_name", "acme.f", "f(x: T) -> T",
              [](tenon_op_desc& d) {
                d.name = {nullptr, 5};
              },
              "a string is NULL but has length 5"},
        BadOp{"long_schema", "acme.f", "f(x: T) -> T",
              [](tenon_op_desc& d) { d.schema.length = UINT64_MAX - 1; }, "a string is longer"}),
    [](const auto& each) { return std::string(each.param.name); });

struct BadKernel {
  const char* name;
  std::vector<tenon_slot_rule> slots;
  std::vector<tenon_dtype> rows;
  void (*change)(tenon_kernel_desc&);
  const char* reason;
};

class RegistryBadKernel : public testing::TestWithParam<BadKernel> {};

TEST_P(RegistryBadKernel, IsRefused) {
  Offer offer("acme.ops");
  offer.op("acme.f", "f(x: T, m!: T, o: T?, *, a: int, b: int=1) -> (T, aux T) where T: float");
  tenon_kernel_desc& desc = offer.kernel("acme.f", GetParam().slots, GetParam().rows);
  desc.n_attrs = 2;
  if (GetParam().change) GetParam().change(desc);
  EXPECT_THAT(offer.refusal(), HasSubstr(GetParam().reason));
}

const std::vector<tenon_slot_rule> kGoodSlots = {kIn, kInOut, kIn, kOut, kAccum};
const std::vector<tenon_dtype> kGoodRows = {TENON_DTYPE_F32};

INSTANTIATE_TEST_SUITE_P(
    , RegistryBadKernel,
    testing::Values(
        BadKernel{"too_many_inputs",
                  {kIn, kInOut, kIn, kIn, kOut},
                  kGoodRows,
                  nullptr,
                  "has 4 input slots; the op has 2 to 3"},
        BadKernel{"too_few_inputs",
                  {kIn, kOut},
                  kGoodRows,
                  nullptr,
                  "has 1 input slots; the op has 2 to 3"},
        BadKernel{"too_many_outputs",
                  {kIn, kInOut, kOut, kOut, kOut},
                  kGoodRows,
                  nullptr,
                  "has 3 output slots; the op has 1 to 2"},
        BadKernel{"no_output", {kIn, kInOut}, kGoodRows, nullptr, "has 0 output slots"},
        BadKernel{"not_inout",
                  {kIn, kIn, kOut},
                  kGoodRows,
                  nullptr,
                  "slot 1 must have role INOUT, because input 'm' is marked '!'"},
        BadKernel{"inout",
                  {kInOut, kInOut, kOut},
                  kGoodRows,
                  nullptr,
                  "slot 0 must have role IN, because input 'x' is not marked '!'"},
        BadKernel{"order",
                  {kIn, kInOut, kOut, kIn},
                  kGoodRows,
                  nullptr,
                  "slot 3 is an input after an output"},
        BadKernel{
            "role", {{9, 0, 0, 0}, kInOut, kOut}, kGoodRows, nullptr, "slot 0 has an unknown"},
        BadKernel{"layout", {{0, 9, 0, 0}, kInOut, kOut}, kGoodRows, nullptr, "slot 0 has an"},
        BadKernel{"slot_flag", {{0, 0, 64, 0}, kInOut, kOut}, kGoodRows, nullptr, "slot 0 has an"},
        BadKernel{"narrow_output",
                  {kIn, kInOut, {TENON_SLOT_OUT, 0, TENON_SLOT_NARROW, 0}},
                  kGoodRows,
                  nullptr,
                  "slot 2: flag NARROW is of inputs that are only read"},
        BadKernel{"rank", {{0, 0, 0, 9}, kInOut, kOut}, kGoodRows, nullptr, "rank above 8"},
        BadKernel{"many_slots", kGoodSlots, kGoodRows, [](tenon_kernel_desc& d) { d.n_slots = 65; },
                  "n_slots is 65"},
        BadKernel{"null_slots", kGoodSlots, kGoodRows,
                  [](tenon_kernel_desc& d) { d.slots = nullptr; }, "`slots` is NULL"},
        BadKernel{"attrs", kGoodSlots, kGoodRows, [](tenon_kernel_desc& d) { d.n_attrs = 3; },
                  "has 3 attributes; the op has 1 to 2"},
        BadKernel{"few_attrs", kGoodSlots, kGoodRows, [](tenon_kernel_desc& d) { d.n_attrs = 0; },
                  "has 0 attributes; the op has 1 to 2"},
        BadKernel{"variables", kGoodSlots, kGoodRows,
                  [](tenon_kernel_desc& d) { d.n_variables = 2; },
                  "n_variables is 2; the op has 1"},
        BadKernel{"no_rows", kGoodSlots, {}, nullptr, "n_rows is 0"},
        BadKernel{"null_rows", kGoodSlots, kGoodRows,
                  [](tenon_kernel_desc& d) { d.dtype_rows = nullptr; }, "`dtype_rows` is NULL"},
        BadKernel{"row_not_allowed",
                  kGoodSlots,
                  {TENON_DTYPE_F32, TENON_DTYPE_I32},
                  nullptr,
                  "dtype row 1 gives i32 to variable T, which the op does not allow"},
        BadKernel{"row_unknown", kGoodSlots, {12345}, nullptr, "gives unknown dtype 12345"},
        BadKernel{"no_launch", kGoodSlots, kGoodRows,
                  [](tenon_kernel_desc& d) { d.launch = nullptr; }, "`launch` is NULL"},
        BadKernel{"flags", kGoodSlots, kGoodRows, [](tenon_kernel_desc& d) { d.flags = 1u << 30; },
                  "needs a newer Tenon: unknown flags"},
        BadKernel{"device", kGoodSlots, kGoodRows,
                  [](tenon_kernel_desc& d) { d.device = text("a b"); }, "the device kind is not"},
        BadKernel{"size", kGoodSlots, kGoodRows, [](tenon_kernel_desc& d) { d.struct_size = 8; },
                  "kernel 0: struct_size is 8"}),
    [](const auto& each) { return std::string(each.param.name); });

struct BadRule {
  const char* name;
  void (*change)(tenon_vjp_desc&, std::vector<tenon_vjp_need>&);
  const char* reason;
};

class RegistryBadRule : public testing::TestWithParam<BadRule> {};

TEST_P(RegistryBadRule, IsRefused) {
  Offer offer("acme.ops");
  offer.op("acme.f", "f(x: T, y: T) -> T");
  tenon_vjp_desc& desc = offer.rule("acme.f", 2, 1);
  GetParam().change(desc, offer.needs.back());
  EXPECT_THAT(offer.refusal(), HasSubstr(GetParam().reason));
}

using Needs = std::vector<tenon_vjp_need>;
INSTANTIATE_TEST_SUITE_P(
    , RegistryBadRule,
    testing::Values(
        BadRule{"inputs", [](tenon_vjp_desc& d, Needs&) { d.n_inputs = 3; }, "has 3 input slots"},
        BadRule{"null_needs", [](tenon_vjp_desc& d, Needs&) { d.needs = nullptr; },
                "`needs` is NULL"},
        BadRule{"null_vjp", [](tenon_vjp_desc& d, Needs&) { d.vjp = nullptr; }, "`vjp` is NULL"},
        BadRule{"mask_input", [](tenon_vjp_desc&, Needs& n) { n[1].inputs = 4; },
                "needs[1].inputs names input 2; the rule knows 2"},
        BadRule{"mask_output_meta", [](tenon_vjp_desc&, Needs& n) { n[0].output_metas = 2; },
                "needs[0].output_metas names output 1; the rule knows 1"},
        BadRule{"mask_fixed", [](tenon_vjp_desc& d, Needs&) { d.non_differentiable = 4; },
                "non_differentiable names input 2; the rule knows 2"},
        BadRule{"flags", [](tenon_vjp_desc& d, Needs&) { d.flags = 128; }, "unknown flags 128"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(RegistryRefusal, Duplicates) {
  Offer ops("acme.ops");
  ops.op("acme.f", "f(x: T) -> T");
  ops.op("acme.f", "f(x: T) -> T");
  EXPECT_EQ(ops.refusal(), "op acme.f is registered twice");
  Offer roles("acme.ops");
  roles.op("acme.f", "f(x: T) -> T").role = TENON_ROLE_COPY;
  roles.op("acme.g", "g(x: T) -> T").role = TENON_ROLE_COPY;
  EXPECT_EQ(roles.refusal(), "role 'copy' is claimed by two ops: acme.f and acme.g");
  Offer rules("acme.ops");
  rules.op("acme.f", "f(x: T) -> T");
  rules.rule("acme.f", 1, 1);
  rules.rule("acme.f", 1, 1);
  EXPECT_EQ(rules.refusal(), "backward rule of acme.f is registered twice");
  Offer optimizers("acme.ops");
  optimizers.optimizer("acme.o", "acme.step");
  optimizers.optimizer("acme.o", "acme.step");
  EXPECT_EQ(optimizers.refusal(), "optimizer acme.o is registered twice");
  Offer schedules("acme.ops");
  schedules.schedule("acme.s");
  schedules.schedule("acme.s");
  EXPECT_EQ(schedules.refusal(), "schedule acme.s is registered twice");
  Offer datasets("acme.ops");
  datasets.dataset("acme.d");
  datasets.dataset("acme.d");
  EXPECT_EQ(datasets.refusal(), "dataset acme.d is registered twice");
}

TEST(RegistryRefusal, Optimizers) {
  const auto refusal = [](auto&& change) {
    tenon_hyper_desc hyper{text("lr"), {}, TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 0.1, 0, 1};
    tenon_state_desc state{text("m"), {}, TENON_STATE_LIKE_PARAMETER, TENON_DTYPE_NONE, 0};
    Offer offer("acme.ops");
    tenon_optimizer_desc& desc = offer.optimizer("acme.o", "acme.step");
    desc.hypers = &hyper;
    desc.n_hypers = 1;
    desc.states = &state;
    desc.n_states = 1;
    change(desc, hyper, state);
    return offer.refusal();
  };
  using O = tenon_optimizer_desc;
  using H = tenon_hyper_desc;
  using S = tenon_state_desc;
  EXPECT_THAT(refusal([](O& o, H&, S&) { o.step_op = {}; }),
              HasSubstr("step_op '' is not an op name"));
  EXPECT_THAT(refusal([](O& o, H&, S&) { o.rows_op = text("x"); }), HasSubstr("rows_op 'x'"));
  EXPECT_THAT(refusal([](O&, H& h, S&) { h.tag = TENON_VALUE_STRING; }),
              HasSubstr("hyper-parameter 'lr' has tag 6"));
  EXPECT_THAT(refusal([](O&, H& h, S&) { h.initial = 2; }), HasSubstr("outside of its range"));
  EXPECT_THAT(refusal([](O&, H& h, S&) { h.initial = 0.0 / 0.0; }), HasSubstr("outside of its"));
  EXPECT_THAT(refusal([](O&, H& h, S&) { h.name = text("m"); }),
              HasSubstr("'m' stands there twice"));
  EXPECT_THAT(refusal([](O&, H&, S& s) { s.shape = 5; }), HasSubstr("unknown shape policy 5"));
  EXPECT_THAT(refusal([](O&, H&, S& s) { s.dtype = 3; }), HasSubstr("unknown dtype 3"));
  EXPECT_THAT(refusal([](O& o, H&, S&) { o.hypers = nullptr; }), HasSubstr("`hypers` is NULL"));
}

TEST(RegistryRefusal, OptimizersWhoseStepOpDoesNotFit) {
  const tenon_hyper_desc hypers[] = {
      {text("lr"), {}, TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 0.1, 0, 1},
      {text("nesterov"), {}, 0, TENON_VALUE_BOOL, 0, 0, 1}};
  const auto offer_with = [&](const char* schema) {
    auto offer = std::make_unique<Offer>("acme.ops");
    offer->op("acme.step", schema);
    tenon_optimizer_desc& desc = offer->optimizer("acme.o", "acme.step");
    desc.hypers = hypers;
    desc.n_hypers = 2;
    return offer;
  };
  Registry registry(nullptr);
  EXPECT_NO_THROW(
      offer_with("step(params!: T*, grads: T*, lr: f64[], *, nesterov: bool=false) -> ()")
          ->add_to(registry));
  EXPECT_THAT(offer_with("step(params!: T*, grads: T*, *, nesterov: bool=false) -> ()")->refusal(),
              HasSubstr("its step op must have 3 inputs"));
  EXPECT_THAT(offer_with("step(params!: T*, grads: T*, lr: f64[]) -> ()")->refusal(),
              HasSubstr("'nesterov' is not an attribute of the step op"));
}

TEST(RegistryRefusal, Schedules) {
  const auto refusal = [](auto&& change) {
    tenon_hyper_desc hyper{text("period"), {}, TENON_HYPER_REQUIRED, TENON_VALUE_INT_LIST, 0, 1, 9};
    tenon_schedule_state_desc state{text("step"), {}, 0};
    Offer offer("acme.ops");
    tenon_schedule_desc& desc = offer.schedule("acme.s");
    desc.hypers = &hyper;
    desc.states = &state;
    desc.n_hypers = desc.n_states = 1;
    change(desc, hyper, state);
    return offer.refusal();
  };
  EXPECT_THAT(refusal([](auto& desc, auto&, auto&) { desc.advance = nullptr; }),
              HasSubstr("schedule acme.s: `advance` is NULL"));
  EXPECT_THAT(refusal([](auto& desc, auto&, auto&) { desc.flags = 4; }),
              HasSubstr("schedule acme.s needs a newer Tenon: unknown flags 4"));
  EXPECT_THAT(refusal([](auto& desc, auto&, auto&) { desc.states = nullptr; }),
              HasSubstr("`states` is NULL, but n_states is 1"));
  EXPECT_THAT(refusal([](auto&, auto& hyper, auto&) { hyper.tag = TENON_VALUE_STRING; }),
              HasSubstr("hyper-parameter 'period' has tag 6; TENON_VALUE_F64, I64, BOOL or "
                        "INT_LIST is needed"));
  EXPECT_THAT(refusal([](auto&, auto& hyper, auto&) { hyper.flags = TENON_HYPER_DYNAMIC; }),
              HasSubstr("hyper-parameter 'period' needs a newer Tenon: unknown flags 1"));
  EXPECT_THAT(refusal([](auto&, auto& hyper, auto&) { hyper.tag = TENON_VALUE_F64; }),
              HasSubstr("outside of its range"));
  EXPECT_THAT(refusal([](auto&, auto&, auto& state) { state.name = text("period"); }),
              HasSubstr("'period' stands there twice"));
}

TEST(RegistryRefusal, Datasets) {
  Offer null_callback("acme.ops");
  null_callback.dataset("acme.d").get = nullptr;
  EXPECT_THAT(null_callback.refusal(), HasSubstr("dataset acme.d: `get` is NULL"));
  const tenon_dataset_option option{text("path"), {}, TENON_VALUE_TENSOR, 1};
  Offer bad_option("acme.ops");
  bad_option.dataset("acme.d").options = &option;
  bad_option.datasets.back().n_options = 1;
  EXPECT_THAT(bad_option.refusal(), HasSubstr("option 'path' has tag 1"));
}

TEST(RegistryRefusal, Backends) {
  tenon_backend_table backend = toy_backend();
  backend.event_wait = nullptr;
  Offer null_slot("acme.ops");
  null_slot.backend = &backend;
  EXPECT_THAT(null_slot.refusal(), HasSubstr("device toy: `event_wait` is NULL"));
  backend = toy_backend();
  backend.kind = text("Toy Box");
  EXPECT_THAT(null_slot.refusal(), HasSubstr("the device kind 'Toy Box' is not one of"));
  backend = toy_backend();
  backend.flags = 256;
  EXPECT_THAT(null_slot.refusal(), HasSubstr("unknown flags"));
  backend = toy_backend();
  backend.struct_size = 16;
  EXPECT_THAT(null_slot.refusal(), HasSubstr("table tenon.backend/1: struct_size is 16"));
}

TEST(RegistryRefusal, Tables) {
  Registry registry(nullptr);
  Plugin plugin;
  std::vector<std::string> report;
  Tables tables;
  tenon_ops_table table{sizeof(tenon_ops_table), 3, nullptr};
  tables.ops = &table;
  const auto reason = [&] {
    return error_of([&] { registry::add(registry, plugin, tables, report); }).message;
  };
  EXPECT_EQ(reason(), "table tenon.ops/1: its list of entries is NULL");
  table.struct_size = 4;
  EXPECT_THAT(reason(), HasSubstr("table tenon.ops/1: struct_size is 4"));
  const tenon_op_desc* none[] = {nullptr};
  table = {sizeof(tenon_ops_table), 1, none};
  EXPECT_EQ(reason(), "op 0 is NULL");
  table = {sizeof(tenon_ops_table), 0xffffffffu, none};
  EXPECT_THAT(reason(), HasSubstr("count is 4294967295"));
}

}  // namespace
}  // namespace tenon::tests
