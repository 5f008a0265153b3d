// SPDX-License-Identifier: Apache-2.0
// tests/checks/plugins/test.pieces/pieces.h: what the test and the kernels of test.pieces share,
// whose address the attribute `work` holds.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace tenon::tests {

struct PiecesWork {
  static constexpr int64_t kPieces = 16;

  std::array<bool, kPieces> fails{};             // which pieces fail
  int64_t slow = -1;                             // this one waits for the others
  std::array<std::atomic<bool>, kPieces> ran{};  // up to the failure, where there is one
  std::atomic<int64_t> lowest{INT64_MAX};        // in C: the lowest piece that failed
};

}  // namespace tenon::tests
