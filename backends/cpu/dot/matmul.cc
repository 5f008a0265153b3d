// SPDX-License-Identifier: Apache-2.0
// backends/cpu/dot/matmul.cc: matmul of bf16, c[m,n] = sum over k of a[m,k] b[k,n], in f32.
//
// Two products are added at a time, and subnormals are flushed to 0: other roundings than the op's
// canonical ones, so this kernel does not claim them. It runs where a context asks for fast
// arithmetic, or where this plugin is pinned. Columns of b and rows of a that stay in the caches
// are packed as pairs, then tiles of c are computed over all of k.
#include "dot/dot.h"
#include "gemm/problem.h"

namespace tenon::cpu_bf16 {
namespace {

namespace sdk = tenon::sdk;
using cpu::gemm::Problem;

constexpr int64_t kPairs = 1 << 18;        // of an operand, packed: 1 MiB
constexpr int64_t kPackedPairs = 1 << 15;  // worth handing to another thread
constexpr int64_t kTaskPairs = 1 << 18;    // the same, of products

constexpr int64_t pieces(int64_t whole, int64_t most) { return (whole + most - 1) / most; }

// What is packed at a time.
struct Cut {
  explicit Cut(const Problem& p) : pairs(pieces(p.k(), 2)) {
    const int64_t long_lines = std::max<int64_t>(pairs, 1);
    panels =
        std::clamp(kPairs / (long_lines * kTileColumns), int64_t{1}, pieces(p.n(), kTileColumns));
    blocks = std::clamp(kPairs / (long_lines * kPanelRows), int64_t{1}, pieces(p.m(), kTileRows));
  }
  uint64_t bytes() const {
    const int64_t lines = panels * kTileColumns + blocks * kPanelRows;
    return static_cast<uint64_t>(lines * pairs) * sizeof(uint32_t);
  }
  int64_t pairs;
  int64_t panels;  // of kTileColumns columns of b
  int64_t blocks;  // of kTileRows rows of a
};

class Product {
 public:
  Product(const sdk::Launch& l, const Problem& p)
      : l_(l),
        p_(p),
        cut_(p),
        a_(l.data<const uint16_t>(p.swapped ? 1 : 0)),
        b_(l.data<const uint16_t>(p.swapped ? 0 : 1)),
        c_(l.out_data<uint16_t>()),
        packed_b_(reinterpret_cast<uint32_t*>(l.scratch().data())),
        packed_a_(packed_b_ + cut_.panels * kTileColumns * cut_.pairs) {}

  void compute() const {
    for (int64_t batch = 0; batch < p_.batches(); ++batch) {
      for (int64_t column = 0; column < p_.n(); column += cut_.panels * kTileColumns) {
        pack_columns(batch, column);
        for (int64_t row = 0; row < p_.m(); row += cut_.blocks * kTileRows) {
          pack_rows(batch, row);
          multiply_tiles(batch, row, column);
        }
      }
    }
  }

 private:
  int64_t panels(int64_t column) const {
    return std::min(cut_.panels, pieces(p_.n() - column, kTileColumns));
  }
  int64_t blocks(int64_t row) const {
    return std::min(cut_.blocks, pieces(p_.m() - row, kTileRows));
  }
  int64_t grain(int64_t worth, int64_t width) const {
    return pieces(worth, std::max<int64_t>(cut_.pairs, 1) * width);
  }

  void pack_columns(int64_t batch, int64_t column) const {
    const uint16_t* b = b_ + p_.offset(p_.b, batch) + column * p_.b.column_step;
    l_.parallel_for(panels(column), grain(kPackedPairs, kTileColumns),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) {
                        const int64_t first = i * kTileColumns;
                        pack({b + first * p_.b.column_step, p_.b.column_step, p_.b.row_step,
                              std::min(kTileColumns, p_.n() - column - first)},
                             p_.k(), packed_b_ + first * cut_.pairs, kTileColumns);
                      }
                    });
  }

  void pack_rows(int64_t batch, int64_t row) const {
    const uint16_t* a = a_ + p_.offset(p_.a, batch) + row * p_.a.row_step;
    l_.parallel_for(blocks(row), grain(kPackedPairs, kPanelRows), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i * kTileRows;
        pack({a + first * p_.a.row_step, p_.a.row_step, p_.a.column_step,
              std::min(kTileRows, p_.m() - row - first)},
             p_.k(), packed_a_ + i * kPanelRows * cut_.pairs, kPanelRows);
      }
    });
  }

  void multiply_tiles(int64_t batch, int64_t row, int64_t column) const {
    uint16_t* c = c_ + p_.offset(p_.c, batch) + row * p_.c.row_step + column * p_.c.column_step;
    const int64_t down = blocks(row);
    const int64_t tiles = down * panels(column);
    l_.parallel_for(
        tiles, grain(kTaskPairs, kTileRows * kTileColumns), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t block = i % down;
            const int64_t first_row = block * kTileRows;
            const int64_t first = i / down * kTileColumns;
            multiply({packed_a_ + block * kPanelRows * cut_.pairs, packed_b_ + first * cut_.pairs,
                      c + first_row * p_.c.row_step + first * p_.c.column_step, cut_.pairs,
                      std::min(kTileRows, p_.m() - row - first_row),
                      std::min(kTileColumns, p_.n() - column - first), p_.c.row_step,
                      p_.c.column_step});
          }
        });
  }

  const sdk::Launch& l_;
  const Problem& p_;
  const Cut cut_;
  const uint16_t* const a_;
  const uint16_t* const b_;
  uint16_t* const c_;
  uint32_t* const packed_b_;
  uint32_t* const packed_a_;
};

// False if there is nothing to compute.
bool read(const sdk::Args& args, Problem& p) {
  sdk::read_matmul(args, p);
  if (p.m() == 0 || p.n() == 0 || p.batches() == 0) return false;
  cpu::gemm::fold_batches(p);
  cpu::gemm::choose_direction(p);
  return true;
}

void matmul(const sdk::Launch& l) {
  Problem p;
  if (read(l, p)) Product(l, p).compute();
}

uint64_t workspace(const sdk::Args& args) {
  Problem p;
  return read(args, p) ? Cut(p).bytes() : 0;
}

constexpr tenon_slot_rule slots[] = {backends::any_in(), backends::any_in(), backends::any_out()};
constexpr tenon_dtype rows[] = {TENON_DTYPE_BF16};

constexpr tenon_kernel_desc kernels[] = {
    sdk::kernel({.op = "tenon.matmul",
                 .device = cpu::kDevice,
                 .slots = slots,
                 .rows = rows,
                 .flags = cpu::kFast,
                 .priority = cpu::kPriority + 1,
                 .launch = sdk::launch_fn<matmul>,
                 .workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace
}  // namespace tenon::cpu_bf16

TENON_UNIT(matmul) = {.kernels = tenon::cpu_bf16::kernels};
