// SPDX-License-Identifier: Apache-2.0
// plugins/self/self.cc: the engine tenon.self: one process, so that a program for several runs
// unchanged without others.
#include <tenon/sdk/plugin/collective.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <cstring>

namespace {

namespace sdk = tenon::sdk;

class Self {
 public:
  Self(const sdk::Attrs&, int64_t) {}
  static tenon_members members() { return {0, 1}; }
  static std::unique_ptr<Self> split(int32_t, int32_t, int64_t timeout) {
    return std::make_unique<Self>(sdk::Attrs(nullptr, 0), timeout);
  }
  // Whatever is sent comes back: one process is the first part, and the sum, of all.
  static void run(std::span<const tenon_transfer_desc> transfers, int64_t, uint8_t* done) {
    for (size_t i = 0; i < transfers.size(); ++i) {
      const tenon_transfer_desc& each = transfers[i];
      if (each.from && each.to) std::memcpy(each.to, each.from, sdk::bytes_of(each, each.count));
      done[i] = 1;
    }
  }
};

constexpr tenon_collective_desc engines[] = {
    sdk::collective<Self>({.name = "tenon.self",
                           .doc = "One process: what it sends to all comes back to itself.",
                           .sums = "u8 i8 i16 i32 i64 f16 bf16 f32 f64"})};

}  // namespace

TENON_UNIT(self) = {.collectives = engines};
