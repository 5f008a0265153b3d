// SPDX-License-Identifier: Apache-2.0
// tests/device/table_test.cc: the simulated device's own tables, called as Tenon calls them: what
// the core does not use yet (several streams, waiting for events) has to work as plugin.h says.
#include <dlfcn.h>
#include <tenon/plugin.h>

#include <array>
#include <cstring>
#include <numeric>

#include "tests/device/device_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

class DeviceTable : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path = std::string(build_dir()) + "/sim_plugins/tenon.sim/tenon.sim.so";
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto query =
        reinterpret_cast<tenon_plugin_query_fn>(dlsym(library, TENON_PLUGIN_QUERY_NAME));
    ASSERT_NE(query, nullptr);
    plugin.struct_size = sizeof plugin;
    ASSERT_EQ(query(&host, &plugin, &diag), TENON_OK) << diag.message;
    ASSERT_EQ(plugin.init(&host, &self, &diag), TENON_OK) << diag.message;
    constexpr std::string_view id = "tenon.backend/1";
    table =
        static_cast<const tenon_backend_table*>(plugin.get_interface(self, id.data(), id.size()));
    ASSERT_NE(table, nullptr);
  }
  void TearDown() override { plugin.release(self); }

  void* stream() {
    void* made = nullptr;
    EXPECT_EQ(table->stream_create(self, 0, &made), TENON_OK);
    return made;
  }
  void* memory(uint64_t bytes) {
    void* made = nullptr;
    EXPECT_EQ(table->alloc(self, 0, bytes, &made), TENON_OK);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(made) % 64, 0u);
    return made;
  }
  void copy(void* stream, uint32_t direction, void* to, const void* from, uint64_t bytes) {
    EXPECT_EQ(table->copy(self, 0, stream, direction, to, from, bytes), TENON_OK);
  }
  void wait(void* stream) {
    EXPECT_EQ(table->stream_wait(self, 0, stream, &diag), TENON_OK) << diag.message;
  }

  tenon_host host{};
  tenon_plugin plugin{};
  tenon_diag diag{};
  void* self = nullptr;
  const tenon_backend_table* table = nullptr;
};

using Bytes = std::vector<unsigned char>;

// One stream produces, the other one consumes behind an event, round after round.
TEST_F(DeviceTable, EventsOrderStreams) {
  constexpr uint64_t kBytes = 1 << 20;
  void* producer = stream();
  void* consumer = stream();
  void* produced = nullptr;
  void* consumed = nullptr;
  ASSERT_EQ(table->event_create(self, 0, &produced), TENON_OK);
  ASSERT_EQ(table->event_create(self, 0, &consumed), TENON_OK);
  void* a = memory(kBytes);
  void* b = memory(kBytes);
  std::array<Bytes, 8> sources;
  std::array<Bytes, 8> results;
  for (size_t round = 0; round < sources.size(); ++round) {
    sources[round].assign(kBytes, static_cast<unsigned char>(round + 1));
    results[round].resize(kBytes);
    if (round > 0) {
      ASSERT_EQ(table->event_wait(self, 0, consumed, producer), TENON_OK);
    }
    copy(producer, TENON_COPY_TO_DEVICE, a, sources[round].data(), kBytes);
    ASSERT_EQ(table->event_record(self, 0, produced, producer), TENON_OK);
    ASSERT_EQ(table->event_wait(self, 0, produced, consumer), TENON_OK);
    copy(consumer, TENON_COPY_ON_DEVICE, b, a, kBytes);
    ASSERT_EQ(table->event_record(self, 0, consumed, consumer), TENON_OK);
    copy(consumer, TENON_COPY_TO_HOST, results[round].data(), b, kBytes);
  }
  // An event may be released while commands still hold it.
  table->event_release(self, 0, produced);
  wait(consumer);
  for (size_t round = 0; round < sources.size(); ++round) {
    EXPECT_EQ(results[round], sources[round]) << round;
  }
  uint32_t done = 0;
  EXPECT_EQ(table->event_query(self, 0, consumed, &done, &diag), TENON_OK);
  EXPECT_EQ(done, 1u);
  table->event_release(self, 0, consumed);
  table->free(self, 0, a, kBytes);
  table->free(self, 0, b, kBytes);
  table->stream_release(self, 0, producer);
  table->stream_release(self, 0, consumer);
}

TEST_F(DeviceTable, FreedMemoryIsUsedAgainAndShowsIt) {
  void* queue = stream();
  void* first = memory(256);
  const Bytes secret(256, 42);
  copy(queue, TENON_COPY_TO_DEVICE, first, secret.data(), 256);
  wait(queue);
  table->free(self, 0, first, 256);
  void* second = memory(256);
  EXPECT_EQ(second, first);
  Bytes seen(256);
  copy(nullptr, TENON_COPY_TO_HOST, seen.data(), second, 256);  // the default stream
  wait(nullptr);
  EXPECT_EQ(seen, Bytes(256, 0xFD));
  table->free(self, 0, second, 256);
  table->stream_release(self, 0, queue);
}

// Any mixture of sizes, freed in any order, leaves one whole arena.
TEST_F(DeviceTable, TheArenaIsBoundedAndMendsItself) {
  constexpr uint64_t kArena = 64u << 20;
  std::vector<std::pair<void*, uint64_t>> blocks;
  for (uint64_t i = 0; i < 100; ++i) {
    const uint64_t bytes = 1 + i * 7919;
    blocks.emplace_back(memory(bytes), bytes);
  }
  for (size_t i = 0; i < blocks.size(); i += 2)
    table->free(self, 0, blocks[i].first, blocks[i].second);
  for (size_t i = 1; i < blocks.size(); i += 2)
    table->free(self, 0, blocks[i].first, blocks[i].second);
  void* whole = memory(kArena);
  void* more = nullptr;
  EXPECT_EQ(table->alloc(self, 0, 1, &more), TENON_E_MEMORY);
  EXPECT_EQ(table->alloc(self, 0, UINT64_MAX, &more), TENON_E_MEMORY);
  EXPECT_EQ(table->alloc(self, 1, 1, &more), TENON_OK) << "the other device has its own";
  table->free(self, 1, more, 1);
  table->free(self, 0, whole, kArena);
}

TEST_F(DeviceTable, CopiesOfForeignMemoryAreRefused) {
  void* queue = stream();
  void* mine = memory(64);
  void* others = nullptr;
  ASSERT_EQ(table->alloc(self, 1, 64, &others), TENON_OK);
  Bytes host_bytes(64);
  const auto refused = [&](uint32_t direction, void* to, const void* from, uint64_t bytes) {
    EXPECT_EQ(table->copy(self, 0, queue, direction, to, from, bytes), TENON_E_ARGUMENT);
  };
  refused(TENON_COPY_TO_DEVICE, host_bytes.data(), host_bytes.data(), 64);
  refused(TENON_COPY_TO_HOST, mine, mine, 64);
  refused(TENON_COPY_ON_DEVICE, mine, others, 64);
  refused(TENON_COPY_TO_DEVICE, mine, host_bytes.data(), UINT64_MAX);
  refused(7, mine, mine, 64);
  table->free(self, 0, mine, 64);
  table->free(self, 1, others, 64);
  table->stream_release(self, 0, queue);
}

}  // namespace
}  // namespace tenon::tests
