// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/pretend_test.cc: hosts of other minors. Every plugin of the tree is asked by
// hosts that read less or more of its answer, offer less or more, and pretend to be older or newer;
// and the registry reads descriptors and tables of plugins that are newer than it.
#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/plugin_host/registry_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr unsigned char kJunk = 0xE7;

// One plugin of the tree, opened by hand.
struct Library {
  explicit Library(const fs::path& folder) : id(folder.filename()) {
    std::ifstream text(folder / "plugin.json");
    manifest = nlohmann::json::parse(text);
    const std::string file = folder / manifest.at("library").get<std::string>();
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays, as in the host
    EXPECT_NE(handle, nullptr) << dlerror();
    if (handle) {
      query = reinterpret_cast<tenon_plugin_query_fn>(dlsym(handle, TENON_PLUGIN_QUERY_NAME));
    }
  }
  std::string id;
  nlohmann::json manifest;
  tenon_plugin_query_fn query = nullptr;
};

const std::vector<Library>& libraries() {
  static const std::vector<Library> all = [] {
    std::vector<Library> found;
    for (const auto& entry : fs::directory_iterator(plugin_dir())) {
      if (fs::exists(entry.path() / "plugin.json")) found.emplace_back(entry.path());
    }
    return found;
  }();
  EXPECT_GE(all.size(), 4u);
  return all;
}

// A host with words behind what today's plugins know of it.
struct LongerHost {
  TestHost host;
  unsigned char behind[64];
  explicit LongerHost(unsigned char tail) {
    std::memset(behind, tail, sizeof behind);
    host.struct_size = static_cast<uint32_t>(sizeof(tenon_host) + sizeof behind);
  }
};

// Room for an answer, filled with junk behind what the host says it reads.
struct Room {
  explicit Room(uint32_t bytes) {
    std::memset(&plugin, 0, sizeof plugin);
    std::memset(behind, kJunk, sizeof behind);
    plugin.struct_size = bytes;
    const size_t junk = bytes < sizeof plugin ? sizeof plugin - bytes : 0;
    std::memset(reinterpret_cast<unsigned char*>(&plugin) + sizeof plugin - junk, kJunk, junk);
  }
  bool untouched_from(size_t offset) const {
    const auto* bytes = reinterpret_cast<const unsigned char*>(this);
    for (size_t i = offset; i < sizeof(Room); ++i) {
      if (bytes[i] != kJunk) return false;
    }
    return true;
  }
  tenon_plugin plugin;
  unsigned char behind[256];
};

// init, every interface that the manifest makes expect, one nobody has, release.
void use(const Library& library, const tenon_plugin& plugin, const tenon_host& host) {
  void* self = nullptr;
  tenon_diag diag{};
  ASSERT_EQ(plugin.init(&host, &self, &diag), TENON_OK) << diag.message;
  const auto offers = [&](const char* id) {
    return plugin.get_interface(self, id, std::strlen(id)) != nullptr;
  };
  EXPECT_EQ(offers("tenon.ops/1"), !library.manifest.at("ops").empty());
  EXPECT_EQ(offers("tenon.kernels/1"), !library.manifest.at("kernels").empty());
  EXPECT_EQ(offers("tenon.vjps/1"), !library.manifest.at("vjps").empty());
  EXPECT_EQ(offers("tenon.optimizers/1"), !library.manifest.at("optimizers").empty());
  EXPECT_EQ(offers("tenon.schedules/1"), !library.manifest.at("schedules").empty());
  EXPECT_EQ(offers("tenon.datasets/1"), !library.manifest.at("datasets").empty());
  EXPECT_EQ(offers("tenon.backend/1"), !library.manifest.at("devices").empty());
  for (const char* unknown : {"tenon.ops/2", "tenon.op", "tenon.ops/1 ", "acme.unheard_of/1", ""}) {
    EXPECT_FALSE(offers(unknown)) << unknown;
  }
  EXPECT_EQ(plugin.get_interface(self, "tenon.ops/1", TENON_NUL),
            plugin.get_interface(self, "tenon.ops/1", 11));
  plugin.release(self);
}

void expect_answer(const Library& library, const tenon_host& host, uint32_t reads) {
  Room room(reads);
  tenon_diag diag{};
  ASSERT_EQ(library.query(&host, &room.plugin, &diag), TENON_OK) << diag.message;
  EXPECT_EQ(room.plugin.struct_size, std::min<uint32_t>(reads, sizeof(tenon_plugin)));
  EXPECT_TRUE(room.untouched_from(sizeof(tenon_plugin)));
  EXPECT_EQ(std::string(room.plugin.id.data, room.plugin.id.length), library.id);
  use(library, room.plugin, host);
}

TEST(PretendedHost, OlderAndNewerMinorsAreAnsweredTheSame) {
  for (const Library& library : libraries()) {
    SCOPED_TRACE(library.id);
    for (const uint32_t minor : {0u, TENON_ABI_MINOR + 0u, TENON_ABI_MINOR + 1u, 1000u}) {
      TestHost host;
      host.abi_minor = minor;
      expect_answer(library, host, sizeof(tenon_plugin));
    }
  }
}

// Who refuses is the host, and only where more is required than it has.
TEST(PretendedHost, PluginsRequireNoMoreThanTheirHeadersNeed) {
  for (const Library& library : libraries()) {
    SCOPED_TRACE(library.id);
    TestHost host;
    Room room(sizeof(tenon_plugin));
    tenon_diag diag{};
    ASSERT_EQ(library.query(&host, &room.plugin, &diag), TENON_OK);
    EXPECT_EQ(room.plugin.built_minor, TENON_ABI_MINOR + 0u);
    EXPECT_EQ(room.plugin.required_minor, 1u);
  }
}

TEST(PretendedHost, ReadsMoreOfTheAnswer) {
  for (const Library& library : libraries()) {
    SCOPED_TRACE(library.id);
    expect_answer(library, TestHost(), sizeof(tenon_plugin) + 8);
    expect_answer(library, TestHost(), sizeof(Room));
  }
}

TEST(PretendedHost, ReadsTooLittleOfTheAnswer) {
  for (const Library& library : libraries()) {
    SCOPED_TRACE(library.id);
    for (const uint32_t reads : {0u, 8u, 104u}) {
      TestHost host;
      Room room(sizeof(tenon_plugin));
      room.plugin.struct_size = reads;
      const Room before = room;
      tenon_diag diag{};
      EXPECT_NE(library.query(&host, &room.plugin, &diag), TENON_OK);
      EXPECT_STRNE(diag.message, "");
      EXPECT_EQ(std::memcmp(&before, &room, sizeof room), 0);
    }
  }
}

// What lies behind the part a plugin knows is not its business, whatever it holds.
TEST(PretendedHost, OffersMoreThanPluginsKnow) {
  for (const Library& library : libraries()) {
    SCOPED_TRACE(library.id);
    for (const unsigned char tail : {static_cast<unsigned char>(0), kJunk}) {
      const LongerHost longer(tail);
      expect_answer(library, longer.host, sizeof(tenon_plugin));
    }
  }
}

TEST(PretendedHost, OffersNoTableAtAll) {
  for (const Library& library : libraries()) {
    SCOPED_TRACE(library.id);
    TestHost host;
    host.get_interface = [](const tenon_host*, const char*, uint64_t) -> const void* {
      return nullptr;
    };
    expect_answer(library, host, sizeof(tenon_plugin));
  }
}

// ---- Callbacks under tables that have grown -----------------------------------------------------

// A table as a later revision of the host might lay it out: the part that is known, then others.
template <class Table>
struct Longer {
  Table table{};
  unsigned char behind[64];
  Longer() {
    std::memset(behind, kJunk, sizeof behind);
    table.struct_size = sizeof(Longer);
  }
};

// A host of three functions, all its own: nothing of the core is in it.
struct OwnCall {
  tenon_call call{};
  TestHost host;
  Longer<tenon_host_call> base;
  Longer<tenon_host_threads> threads;
  std::string words;
  int pieces = 0;

  OwnCall() {
    base.table.fail = [](tenon_call* c, tenon_status status, const char* message, uint64_t) {
      of(c).words = message;
      return status;
    };
    base.table.fail_detail = [](tenon_call* c, tenon_status status, const char* message,
                                const char*, const char*, const char*, const char*) {
      of(c).words = message;
      return status;
    };
    base.table.log = [](tenon_call*, uint32_t, const char*, uint64_t) {};
    threads.table.parallel_for = [](tenon_call* c, int64_t n, int64_t grain, tenon_parallel_fn fn,
                                    void* user) {
      for (int64_t begin = 0, piece = 0; begin < n; begin += grain, ++piece) {
        fn(user, begin, std::min(n, begin + grain), piece);
        ++of(c).pieces;
      }
      return TENON_OK;
    };
    call.host = &host;
    call.base = &base.table;
    call.threads = &threads.table;
  }
  static OwnCall& of(tenon_call* call) { return *reinterpret_cast<OwnCall*>(call); }
};

// One operand each way, packed f32.
struct OneInOneOut {
  OneInOneOut(std::vector<float> values, int64_t length) : in(std::move(values)) {
    shape[0] = length;
    out.resize(in.size());
    float* data[2] = {in.data(), out.data()};
    for (int i = 0; i < 2; ++i) {
      views[i].data = data[i];
      views[i].shape = shape;
      views[i].strides = strides;
      views[i].rank = 1;
      views[i].dtype = TENON_DTYPE_F32;
    }
    launch.slot_begin = slot_begin;
    launch.views = views;
    launch.n_slots = 2;
    launch.n_inputs = 1;
  }
  std::vector<float> in, out;
  int64_t shape[1] = {0};
  int64_t strides[1] = {1};
  uint32_t slot_begin[3] = {0, 1, 2};
  tenon_view views[2] = {};
  tenon_launch launch{};
};

struct OpenTable {
  OpenTable(const std::string& plugin_id, const char* table) {
    for (const Library& library : libraries()) {
      if (library.id != plugin_id) continue;
      tenon_diag diag{};
      answer.struct_size = sizeof answer;
      EXPECT_EQ(library.query(&host, &answer, &diag), TENON_OK);
      EXPECT_EQ(answer.init(&host, &self, &diag), TENON_OK);
      found = answer.get_interface(self, table, std::strlen(table));
    }
    EXPECT_NE(found, nullptr) << plugin_id << " " << table;
  }
  ~OpenTable() {
    if (answer.release) answer.release(self);
  }
  OpenTable(const OpenTable&) = delete;
  OpenTable& operator=(const OpenTable&) = delete;

  template <class Table>
  auto entry(std::string_view op) const {
    const auto* table = static_cast<const Table*>(found);
    for (uint32_t i = 0; i < table->count; ++i) {
      if (name_of(*table->descs[i]) == op) return table->descs[i];
    }
    return static_cast<decltype(table->descs[0])>(nullptr);
  }
  static std::string_view name_of(const tenon_op_desc& desc) {
    return {desc.name.data, desc.name.length};
  }
  static std::string_view name_of(const tenon_kernel_desc& desc) {
    return {desc.op.data, desc.op.length};
  }

  TestHost host;
  tenon_plugin answer{};
  void* self = nullptr;
  const void* found = nullptr;
};

TEST(PretendedHost, AKernelRunsOnTablesThatHaveGrown) {
  const OpenTable kernels("tenon.ref", "tenon.kernels/1");
  const tenon_kernel_desc* neg = kernels.entry<tenon_kernels_table>("tenon.neg");
  ASSERT_NE(neg, nullptr);
  constexpr int64_t n = 100000;  // enough for several pieces
  OneInOneOut operands(std::vector<float>(n, 1.5f), n);
  operands.launch.user = neg->user;
  OwnCall call;
  ASSERT_EQ(neg->launch(&call.call, &operands.launch), TENON_OK) << call.words;
  EXPECT_EQ(operands.out, std::vector<float>(n, -1.5f));
  EXPECT_GT(call.pieces, 1);
}

TEST(PretendedHost, ARuleFailsThroughTablesThatHaveGrown) {
  const OpenTable ops("tenon.ops", "tenon.ops/1");
  const tenon_op_desc* matmul = ops.entry<tenon_ops_table>("tenon.matmul");
  ASSERT_NE(matmul, nullptr);
  ASSERT_NE(matmul->infer, nullptr);
  OneInOneOut operands({1, 2, 3}, 3);
  operands.views[0].rank = 0;  // matmul takes no scalars
  operands.launch.n_inputs = 2;
  OwnCall call;
  tenon_meta out[1] = {};
  EXPECT_NE(matmul->infer(&call.call, &operands.launch, out, 1), TENON_OK);
  EXPECT_FALSE(call.words.empty());
}

// ---- The core's side ----------------------------------------------------------------------------

// A descriptor of a newer plugin. `offset` bytes into the part we do not know lies one set byte,
// none where it is negative.
template <class Desc>
struct LongerDesc {
  Desc desc;
  unsigned char behind[32] = {};
  LongerDesc(const Desc& known, int offset) : desc(known) {
    desc.struct_size = sizeof(LongerDesc);
    if (offset >= 0) behind[offset] = 1;
  }
};

// Ops stand in registry_test.cc.
struct Grown {
  explicit Grown(int offset)
      : kernel(offer.kernel("acme.f", {kIn, kOut}, {TENON_DTYPE_F32}), offset),
        rule(offer.rule("acme.f", 1, 1), offset),
        schedule(offer.schedule("acme.s"), offset),
        dataset(offer.dataset("acme.d"), offset) {
    offer.op("acme.f", "f(x: T[...]) -> T[...] where T: float");
  }

  // Registers one kind of grown descriptor, and the op.
  template <class Desc>
  void add(const Desc* desc, Registry& registry) {
    const tenon_op_desc* const ops[] = {&offer.ops[0]};
    const Desc* const descs[] = {desc};
    Tables tables;
    Longer<tenon_ops_table> ops_table;
    tables.ops = fill(ops_table, ops);
    Longer<tenon_kernels_table> kernels;
    Longer<tenon_vjps_table> vjps;
    Longer<tenon_schedules_table> schedules;
    Longer<tenon_datasets_table> datasets;
    if constexpr (std::is_same_v<Desc, tenon_kernel_desc>) {
      tables.kernels = fill(kernels, descs);
    } else if constexpr (std::is_same_v<Desc, tenon_vjp_desc>) {
      tables.vjps = fill(vjps, descs);
    } else if constexpr (std::is_same_v<Desc, tenon_schedule_desc>) {
      set_entries(tables, *fill(schedules, descs));
    } else {
      set_entries(tables, *fill(datasets, descs));
    }
    registry::add(registry, offer.plugin, tables, report);
  }
  template <class Table, class Desc>
  static const Table* fill(Longer<Table>& table, const Desc* const* descs) {
    table.table.count = 1;
    table.table.descs = descs;
    return &table.table;
  }

  Offer offer{"acme.newer"};
  LongerDesc<tenon_kernel_desc> kernel;
  LongerDesc<tenon_vjp_desc> rule;
  LongerDesc<tenon_schedule_desc> schedule;
  LongerDesc<tenon_dataset_desc> dataset;
  std::vector<std::string> report;
};

TEST(NewerPlugin, AZeroTailAndLongerTablesAreRead) {
  const auto accepts = [](auto&& desc_of) {
    Grown grown(-1);
    Registry registry(nullptr);
    grown.add(&desc_of(grown).desc, registry);
    EXPECT_THAT(grown.report, testing::IsEmpty());
    EXPECT_NE(registry.find_op("acme.f"), nullptr);
  };
  accepts([](Grown & g) -> auto& { return g.kernel; });
  accepts([](Grown & g) -> auto& { return g.rule; });
  accepts([](Grown & g) -> auto& { return g.schedule; });
  accepts([](Grown & g) -> auto& { return g.dataset; });
}

// One that was built before `lengths` was appended: what lies after it is not its own.
TEST(OlderPlugin, ADatasetThatEndsEarlierIsReadWithoutTheRest) {
  constexpr uint32_t kBefore = offsetof(tenon_dataset_desc, lengths);
  Grown grown(-1);
  std::memset(&grown.dataset.desc.lengths, kJunk, sizeof grown.dataset.desc.lengths);
  grown.dataset.desc.struct_size = kBefore;
  Registry registry(nullptr);
  grown.add(&grown.dataset.desc, registry);
  EXPECT_THAT(grown.report, testing::IsEmpty());
  const auto* entry = registry.find_entry(registry::kind_of<tenon_dataset_desc>(), "acme.d");
  ASSERT_NE(entry, nullptr);
  const auto& read = entry->as<tenon_dataset_desc>();
  EXPECT_EQ(read.struct_size, sizeof(tenon_dataset_desc));
  EXPECT_EQ(read.get, grown.dataset.desc.get);
  EXPECT_EQ(read.lengths, nullptr);
  Grown middle(-1);  // and one from between: it has `lengths`, and no `get_batch`
  std::memset(&middle.dataset.desc.get_batch, kJunk, sizeof middle.dataset.desc.get_batch);
  middle.dataset.desc.struct_size = offsetof(tenon_dataset_desc, get_batch);
  Registry between(nullptr);
  middle.add(&middle.dataset.desc, between);
  EXPECT_THAT(middle.report, testing::IsEmpty());
  const auto* later = between.find_entry(registry::kind_of<tenon_dataset_desc>(), "acme.d");
  ASSERT_NE(later, nullptr);
  EXPECT_EQ(later->as<tenon_dataset_desc>().get_batch, nullptr);
  Grown shorter(-1);
  shorter.dataset.desc.struct_size = kBefore - 8;
  Registry other(nullptr);
  const Error error = error_of([&] { shorter.add(&shorter.dataset.desc, other); });
  EXPECT_THAT(error.message, HasSubstr("struct_size is " + std::to_string(kBefore - 8) +
                                       "; at least " + std::to_string(kBefore)));
}

TEST(NewerPlugin, ATailThatIsNotZeroNamesItsOffset) {
  const auto refuses = [](auto&& desc_of) {
    for (const int offset : {0, 31}) {
      Grown grown(offset);
      auto& longer = desc_of(grown);
      Registry registry(nullptr);
      const Error error = error_of([&] { grown.add(&longer.desc, registry); });
      EXPECT_EQ(error.status, TENON_E_PLUGIN);
      EXPECT_THAT(error.message,
                  HasSubstr("needs a newer Tenon: unknown data at offset " +
                            std::to_string(sizeof longer.desc + static_cast<size_t>(offset))));
      EXPECT_EQ(registry.find_op("acme.f"), nullptr);
    }
  };
  refuses([](Grown & g) -> auto& { return g.kernel; });
  refuses([](Grown & g) -> auto& { return g.rule; });
  refuses([](Grown & g) -> auto& { return g.schedule; });
  refuses([](Grown & g) -> auto& { return g.dataset; });
}

}  // namespace
}  // namespace tenon::tests
