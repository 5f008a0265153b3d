// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/registry_test.cc: what the registry makes of the tables of several plugins.
#include "core/registry/registry.h"

#include <gmock/gmock.h>

#include <cstring>
#include <thread>

#include "tests/plugin_host/registry_support.h"

namespace tenon::tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// ---- What is right ------------------------------------------------------------------------------

TEST(Registry, InternsNames) {
  Registry registry(nullptr);
  EXPECT_EQ(registry.find_name("toy"), 0u);
  EXPECT_EQ(registry.name_of(0), "");
  EXPECT_EQ(registry.name_of(1), "");
  const uint32_t toy = registry.intern("toy");
  EXPECT_EQ(toy, 1u);
  EXPECT_EQ(registry.intern("box"), 2u);
  EXPECT_EQ(registry.intern("toy"), toy);
  EXPECT_EQ(registry.find_name("toy"), toy);
  EXPECT_EQ(registry.name_of(2), "box");
}

TEST(Registry, TakesAllOfAPlugin) {
  Registry registry(&registry);
  Offer offer("acme.ops");
  tenon_op_desc& add = offer.op("acme.add", kAddSchema);
  add.shape_rule = TENON_SHAPE_BROADCAST;
  add.infer = nullptr;
  add.role = TENON_ROLE_ADD;
  offer.op("acme.noise", "noise(*, shape: int[]) -> f32[...]").flags = TENON_OP_RANDOM;
  offer.ops.back().random_words = words;
  offer.op("acme.turn", "turn(x: T[A,B]) -> T[B,A]").view = view;
  offer.kernel("acme.add", {kIn, kIn, kOut}, {TENON_DTYPE_F32, TENON_DTYPE_F64});
  offer.rule("acme.add", 2, 1).non_differentiable = 2;
  offer.optimizer("acme.sgd", "acme.step");
  offer.schedule("acme.slow");
  offer.dataset("acme.idx");
  offer.samples.push_back({text("acme.add"), text("f32[2], f32[2]"), {}, TENON_OK, 1});
  const tenon_backend_table backend = toy_backend();
  offer.backend = &backend;
  const uint64_t epoch = registry.epoch();
  offer.add_to(registry);
  EXPECT_GT(registry.epoch(), epoch);
  EXPECT_THAT(offer.report, IsEmpty());

  registry::Op* op = registry.find_op("acme.add");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(registry.role(TENON_ROLE_ADD), op);
  EXPECT_EQ(registry.role(TENON_ROLE_COPY), nullptr);
  EXPECT_EQ(op->runtime, &registry);
  EXPECT_EQ(op->plugin, &offer.plugin);
  EXPECT_EQ(op->schema.inputs.size(), 2u);
  ASSERT_FALSE(op->kernels.load()->empty());
  EXPECT_EQ(op->kernels.load()->front()->device_kind, registry.find_name("toy"));
  EXPECT_EQ(op->rules.load()->front()->desc.non_differentiable, 2u);
  EXPECT_TRUE(registry.find_op("acme.noise")->kernels.load()->empty());
  ASSERT_NE(registry.host_backend(), nullptr);
  EXPECT_EQ(registry.host_backend(), registry.backend(registry.find_name("toy")));
  EXPECT_EQ(registry.host_backend()->count, 2);
  EXPECT_EQ(registry.find_entry(registry::kind_of<tenon_optimizer_desc>(), "acme.sgd")->plugin,
            &offer.plugin);
  EXPECT_EQ(registry.find_entry(registry::kind_of<tenon_schedule_desc>(), "acme.slow")->plugin,
            &offer.plugin);
  EXPECT_EQ(registry.find_entry(registry::kind_of<tenon_dataset_desc>(), "acme.idx")->plugin,
            &offer.plugin);
  EXPECT_EQ(registry.samples().size(), 1u);
  std::vector<std::string> names;
  for (const registry::Op* each : registry.ops()) names.push_back(each->name);
  EXPECT_THAT(names, ElementsAre("acme.add", "acme.noise", "acme.turn"));
  EXPECT_EQ(registry.find_op("acme.turn")->index, 2u);
}

TEST(Registry, TheNewestRevisionIsTheDefault) {
  Registry registry(nullptr);
  Offer offer("acme.ops");
  offer.op("acme.f", "f(x: T) -> T", 2);
  offer.op("acme.f", "f(x: T) -> T", 1);
  offer.op("acme.f", "f(x: T) -> T", 3);
  offer.add_to(registry);
  EXPECT_EQ(registry.find_op("acme.f")->desc.revision, 3u);
  EXPECT_EQ(registry.find_op("acme.f", 0)->desc.revision, 3u);
  EXPECT_EQ(registry.find_op("acme.f", 1)->desc.revision, 1u);
  EXPECT_EQ(registry.find_op("acme.f", 4), nullptr);
  EXPECT_EQ(registry.find_op("acme.g"), nullptr);
}

TEST(Registry, KernelsAreSortedByPriorityPluginAndOrder) {
  Registry registry(nullptr);
  Offer ops("acme.ops");
  ops.op("acme.f", "f(x: T) -> T");
  ops.add_to(registry);
  Offer b("acme.b", 1);
  b.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F32}).priority = 5;
  b.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F64}).priority = 5;
  b.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F32}).priority = -1;
  b.add_to(registry);
  const registry::KernelSet* before = registry.find_op("acme.f")->kernels.load();
  Offer a("acme.a", 2);
  a.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F32}).priority = 5;
  a.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F32}).priority = 9;
  a.add_to(registry);
  std::vector<std::pair<std::string, int>> found;
  for (const registry::Kernel* kernel : *registry.find_op("acme.f")->kernels.load()) {
    found.emplace_back(kernel->plugin->id, kernel->desc.priority);
  }
  using P = std::pair<std::string, int>;
  EXPECT_THAT(found, ElementsAre(P("acme.a", 9), P("acme.a", 5), P("acme.b", 5), P("acme.b", 5),
                                 P("acme.b", -1)));
  EXPECT_EQ(before->size(), 3u) << "a replaced set must stay as it was";
  EXPECT_EQ((*before)[0]->desc.dtype_rows[0], TENON_DTYPE_F32);
  EXPECT_EQ((*before)[1]->desc.dtype_rows[0], TENON_DTYPE_F64);
}

TEST(Registry, TheBetterBackwardRuleWins) {
  Registry registry(nullptr);
  Offer ops("acme.m");
  ops.op("acme.f", "f(x: T) -> T");
  ops.rule("acme.f", 1, 1);
  ops.add_to(registry);
  Offer later("acme.z");
  later.rule("acme.f", 1, 1);
  later.add_to(registry);
  EXPECT_EQ(registry.find_op("acme.f")->rules.load()->front()->plugin->id, "acme.m");
  EXPECT_THAT(later.report, Contains(HasSubstr("comes after that of plugin acme.m")));
  Offer better("acme.zz");
  better.rule("acme.f", 1, 1).priority = 1;
  better.add_to(registry);
  EXPECT_EQ(registry.find_op("acme.f")->rules.load()->front()->plugin->id, "acme.zz");
  EXPECT_THAT(
      registry.report_of(*registry.find_op("acme.f")),
      Contains(HasSubstr("acme.m: backward rule of acme.f comes after that of plugin acme.zz")));
}

TEST(Registry, OlderKernelsFitOpsThatHaveGrown) {
  Registry registry(nullptr);
  Offer offer("acme.ops");
  offer.op("acme.f", "f(x: T, y: T?, z: T?, *, a: int, b: int=1, c: int=2) -> (T, aux T, aux T)");
  offer.kernel("acme.f", {kIn, kIn, kOut, kOut}, {TENON_DTYPE_F32}).n_attrs = 2;
  offer.rule("acme.f", 1, 1).n_attrs = 1;
  offer.add_to(registry);
  EXPECT_EQ(registry.find_op("acme.f")->kernels.load()->size(), 1u);
}

TEST(Registry, ADescriptorOfALaterDraftIsCutWhereItsTailIsZero) {
  struct Longer {
    tenon_op_desc desc;
    unsigned char tail[24];
  };
  Longer longer{op_desc("acme.f", "f(x: T) -> T"), {}};
  longer.desc.struct_size = sizeof longer;
  const tenon_op_desc* list[] = {&longer.desc};
  const tenon_ops_table table{sizeof(tenon_ops_table), 1, list};
  Tables tables;
  tables.ops = &table;
  Registry registry(nullptr);
  Plugin plugin;
  plugin.id = "acme.ops";
  std::vector<std::string> report;
  longer.tail[9] = 1;
  EXPECT_THAT(error_of([&] { registry::add(registry, plugin, tables, report); }).message,
              HasSubstr("needs a newer Tenon: unknown data at offset " +
                        std::to_string(sizeof(tenon_op_desc) + 9)));
  longer.tail[9] = 0;
  registry::add(registry, plugin, tables, report);
  EXPECT_EQ(registry.find_op("acme.f")->desc.struct_size, sizeof(tenon_op_desc));
}

// ---- What is passed over ------------------------------------------------------------------------

TEST(Registry, WhatAnEarlierPluginOfferedIsPassedOver) {
  Registry registry(nullptr);
  const tenon_backend_table backend = toy_backend();
  Offer first("acme.first", 0);
  first.op("acme.add", kAddSchema).role = TENON_ROLE_ADD;
  first.optimizer("acme.sgd", "acme.step");
  first.schedule("acme.slow");
  first.dataset("acme.idx");
  first.backend = &backend;
  first.add_to(registry);
  Offer second("acme.second", 1);
  second.op("acme.add", kAddSchema);
  second.op("acme.plus", "plus(a: T, b: T) -> T").role = TENON_ROLE_ADD;
  second.optimizer("acme.sgd", "acme.step");
  second.schedule("acme.slow");
  second.dataset("acme.idx");
  second.backend = &backend;
  second.kernel("acme.add", {kIn, kIn, kOut}, {TENON_DTYPE_F32});
  second.add_to(registry);
  EXPECT_THAT(second.report,
              ElementsAre("op acme.add was passed over: plugin acme.first offered it first",
                          "op acme.plus was passed over for role 'add': acme.add of plugin "
                          "acme.first holds it",
                          "device toy was passed over: plugin acme.first offered it first",
                          "optimizer acme.sgd was passed over: plugin acme.first offered it first",
                          "schedule acme.slow was passed over: plugin acme.first offered it first",
                          "dataset acme.idx was passed over: plugin acme.first offered it first"));
  EXPECT_EQ(registry.find_op("acme.add")->plugin->id, "acme.first");
  EXPECT_EQ(registry.role(TENON_ROLE_ADD)->name, "acme.add");
  EXPECT_NE(registry.find_op("acme.plus"), nullptr);
  EXPECT_EQ(registry.find_entry(registry::kind_of<tenon_optimizer_desc>(), "acme.sgd")->plugin->id,
            "acme.first");
  EXPECT_EQ(registry.find_entry(registry::kind_of<tenon_dataset_desc>(), "acme.idx")->plugin->id,
            "acme.first");
  EXPECT_EQ(registry.host_backend()->plugin->id, "acme.first");
  EXPECT_EQ(registry.backends().size(), 1u);
  ASSERT_FALSE(registry.find_op("acme.add")->kernels.load()->empty());
  EXPECT_EQ(registry.find_op("acme.add")->kernels.load()->front()->plugin->id, "acme.second");
}

TEST(Registry, KernelsForAnOpThatSomebodyElseOfferedDifferentlyArePassedOver) {
  Registry registry(nullptr);
  Offer first("acme.first", 0);
  first.op("acme.f", "f(x: T) -> T");
  first.add_to(registry);
  Offer second("acme.second", 1);
  second.op("acme.f", "f(x: T, y: T) -> T");
  second.kernel("acme.f", {kIn, kIn, kOut}, {TENON_DTYPE_F32});
  second.rule("acme.f", 2, 1);
  second.add_to(registry);
  EXPECT_TRUE(registry.find_op("acme.f")->kernels.load()->empty());
  EXPECT_TRUE(registry.find_op("acme.f")->rules.load()->empty());
  EXPECT_THAT(second.report, Contains(HasSubstr("but plugin acme.first offered the op first")));
  // Without an op of its own there is no excuse.
  Offer third("acme.third", 2);
  third.kernel("acme.f", {kIn, kIn, kOut}, {TENON_DTYPE_F32});
  EXPECT_THAT(third.refusal(registry), HasSubstr("has 2 input slots; the op has 1"));
}

TEST(Registry, WhatIsForUnknownOpsIsPassedOver) {
  Registry registry(nullptr);
  Offer offer("acme.fast");
  offer.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F32});
  offer.rule("acme.f", 1, 1);
  offer.samples.push_back({text("acme.f"), text("f32[2]"), {}, TENON_OK, 1});
  offer.add_to(registry);
  EXPECT_THAT(offer.report,
              ElementsAre("kernel for unknown op acme.f on toy was passed over",
                          "backward rule of acme.f was passed over: the op is unknown",
                          "sample for unknown op acme.f was passed over"));
}

TEST(Registry, ABackendWithoutDevicesSaysWhy) {
  Registry registry(nullptr);
  tenon_backend_table backend = toy_backend();
  backend.device_count = [](void*, int32_t* count, tenon_diag* diag) {
    *count = 0;
    std::memcpy(diag->message, "no card in this machine", 24);
    return TENON_OK;
  };
  Offer offer("acme.box");
  offer.backend = &backend;
  offer.add_to(registry);
  EXPECT_EQ(registry.host_backend()->count, 0);
  EXPECT_EQ(registry.host_backend()->why_none, "no card in this machine");
}

TEST(Registry, TheHostDeviceIsTheFirstInTheSearchOrder) {
  Registry registry(nullptr);
  const tenon_backend_table toy = toy_backend();
  tenon_backend_table box = toy_backend();
  box.kind = text("box");
  Offer later("acme.toy", 7);
  later.backend = &toy;
  later.add_to(registry);
  Offer earlier("acme.box", 3);
  earlier.backend = &box;
  earlier.add_to(registry);
  EXPECT_EQ(registry.host_backend()->kind_name, "box");
}

// ---- Threads ------------------------------------------------------------------------------------

TEST(RegistryThreads, ReadersSeeWholeTransactions) {
  Registry registry(nullptr);
  Offer ops("acme.ops");
  ops.op("acme.f", "f(x: T) -> T");
  ops.add_to(registry);
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!done.load()) {
        const registry::Op* op = registry.find_op("acme.f");
        const registry::KernelSet* set = op->kernels.load();
        EXPECT_EQ(set->size() % 2, 0u);
        EXPECT_NE(registry.intern("toy"), 0u);
        (void)registry.report_of(*op).size();
        (void)registry.ops().size();
      }
    });
  }
  std::deque<Offer> offers;
  for (uint32_t i = 0; i < 50; ++i) {
    Offer& offer = offers.emplace_back(("acme.p" + std::to_string(i)).c_str(), i);
    offer.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F32});
    offer.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F64});
    offer.rule("acme.f", 1, 1);
    offer.add_to(registry);
  }
  done.store(true);
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(registry.find_op("acme.f")->kernels.load()->size(), 100u);
}

}  // namespace
}  // namespace tenon::tests
