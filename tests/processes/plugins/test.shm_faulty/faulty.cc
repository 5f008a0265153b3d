// SPDX-License-Identifier: Apache-2.0
// tests/processes/plugins/test.shm_faulty/faulty.cc: the engine of test.shm with one fault, the one
// that TEST_SHM_FAULT names: what `tenon verify` has to find.
#include <cstdio>
#include <tenon/sdk/plugin/plugin.hpp>

#include "../test.shm/shm.hpp"

namespace {

namespace sdk = tenon::sdk;
using tenon::tests::Shm;

class Faulty {
 public:
  Faulty(const sdk::Attrs& options, int64_t timeout)
      : shm_(std::make_unique<Shm>(options, timeout)) {}
  explicit Faulty(std::unique_ptr<Shm> shm) : shm_(std::move(shm)) {}

  tenon_members members() const {
    tenon_members found = shm_->members();
    if (part_ && has("members_reversed")) found.rank = found.size - 1 - found.rank;
    if (part_ && has("members_of_all")) found.size = 1;
    return found;
  }

  std::unique_ptr<Faulty> split(int32_t color, int32_t key, int64_t timeout) {
    if (has("color_ignored")) color = 0;
    if (has("key_ignored")) key = 0;
    auto made = std::make_unique<Faulty>(shm_->split(color, key, timeout));
    made->part_ = true;
    return made;
  }

  void run(std::span<const tenon_transfer_desc> transfers, int64_t timeout, uint8_t* done) {
    // What the host tells before a transfer is not what is to be judged.
    const bool told = transfers[0].dtype == TENON_DTYPE_U8 && transfers[0].count == 104;
    if (has("time_out_late")) timeout *= 5;
    if (has("time_out_is_success") && told) {
      try {
        return shm_->run(transfers, timeout, done);
      } catch (const sdk::Failure&) {
        return;
      }
    }
    if (has("done_is_not_told")) {
      std::vector<uint8_t> ignored(transfers.size());
      return shm_->run(transfers, timeout, ignored.data());
    }
    if (told) return shm_->run(transfers, timeout, done);
    std::vector<tenon_transfer_desc> changed(transfers.begin(), transfers.end());
    before(changed);
    shm_->run(changed, timeout, done);
    after(transfers[0]);
  }

 private:
  static bool has(const char* fault) {
    const char* const wanted = std::getenv("TEST_SHM_FAULT");
    return wanted && std::string_view(wanted) == fault;
  }
  static char* bytes(const void* memory) { return static_cast<char*>(const_cast<void*>(memory)); }

  void before(std::vector<tenon_transfer_desc>& what) {
    tenon_transfer_desc& first = what[0];
    const uint32_t collective = first.collective;
    const bool pairs = collective <= TENON_COLLECTIVE_RECEIVE;
    if (has("prints")) std::printf("moving %lld\n", static_cast<long long>(first.count));
    if (has("input_changed") && first.from && first.count > 1) bytes(first.from)[1] ^= 1;
    if (has("broadcast_from_0") && collective == TENON_COLLECTIVE_BROADCAST) {
      // Everybody's root is 0, which has its own bytes in any case.
      if (first.peer != 0 && shm_->members().rank == 0) first.from = first.to;
      if (first.peer == shm_->members().rank && first.peer != 0) {
        lost_.assign(sdk::bytes_of(first, first.count), 0);
        first.to = lost_.data();
      }
      first.peer = 0;
    }
    if (has("exchange_is_gather") && collective == TENON_COLLECTIVE_ALL_TO_ALL) {
      first.collective = TENON_COLLECTIVE_ALL_GATHER;
    }
    if (has("long_ones_are_cut") && !pairs && first.count > 65536) first.count = 65536;
    if (has("last_one_is_lost") && !pairs && first.count > 1) --first.count;
    if (has("second_overtakes") && pairs && what.size() == 2 &&
        what[0].collective == TENON_COLLECTIVE_SEND &&
        what[1].collective == TENON_COLLECTIVE_SEND && what[0].peer == what[1].peer) {
      // The receiver's pieces are cut at other places then.
      std::swap(what[0].from, what[1].from);
    }
    if (has("pair_is_shifted") && pairs) {
      for (tenon_transfer_desc& each : what) {
        if (each.collective == TENON_COLLECTIVE_SEND && each.count > 1) {
          each.from = bytes(each.from) + 1;
        }
      }
    }
    if (has("sum_refused") && collective == TENON_COLLECTIVE_ALL_REDUCE &&
        first.dtype == TENON_DTYPE_I64) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "no sums of i64", "dtype"};
    }
  }

  void after(const tenon_transfer_desc& first) {
    const size_t part = sdk::bytes_of(first, first.count);
    const tenon_members members = shm_->members();
    const auto rank = static_cast<size_t>(members.rank);
    const uint32_t collective = first.collective;
    const bool gathers = collective == TENON_COLLECTIVE_ALL_GATHER;
    if (has("writes_beside") && first.to && first.count != 0) {
      const bool rows = gathers || collective == TENON_COLLECTIVE_ALL_TO_ALL;
      bytes(first.to)[part * (rows ? static_cast<size_t>(members.size) : 1)] = 1;
    }
    if (has("own_row_is_missing") && gathers && part != 0) {
      std::memset(bytes(first.to) + rank * part, 0, part);
    }
    if (has("rows_reversed") && gathers && members.size > 1) {
      std::vector<char> row(bytes(first.to), bytes(first.to) + part);
      char* const last = bytes(first.to) + (static_cast<size_t>(members.size) - 1) * part;
      std::memcpy(first.to, last, part);
      std::memcpy(last, row.data(), part);
    }
    const bool sums =
        collective == TENON_COLLECTIVE_ALL_REDUCE || collective == TENON_COLLECTIVE_REDUCE_SCATTER;
    if (has("sum_without_us") && sums && first.dtype == TENON_DTYPE_F32) {
      const size_t begin =
          collective == TENON_COLLECTIVE_ALL_REDUCE ? 0 : rank * static_cast<size_t>(first.count);
      for (size_t i = 0; i < static_cast<size_t>(first.count); ++i) {
        static_cast<float*>(first.to)[i] -= static_cast<const float*>(first.from)[begin + i];
      }
    }
    if (has("sum_in_float") && sums && first.dtype == TENON_DTYPE_I64) {
      for (int64_t i = 0; i < first.count; ++i) {
        int64_t& number = static_cast<int64_t*>(first.to)[i];
        number = static_cast<int64_t>(static_cast<float>(number));
      }
    }
    if (has("parts_of_rank_0") && collective == TENON_COLLECTIVE_REDUCE_SCATTER && rank != 0) {
      std::memset(first.to, 0, part);
    }
  }

  std::unique_ptr<Shm> shm_;
  bool part_ = false;
  std::vector<char> lost_;
};

constexpr tenon_collective_desc engines[] = {sdk::collective<Faulty>(
    {.name = "test.shm_faulty", .doc = "test.shm with one fault.", .sums = "f32 f64 i64"})};

}  // namespace

TENON_UNIT(faulty) = {.collectives = engines};
