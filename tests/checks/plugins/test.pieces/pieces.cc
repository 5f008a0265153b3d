// SPDX-License-Identifier: Apache-2.0
// tests/checks/plugins/test.pieces/pieces.cc: kernels whose pieces of parallel work fail when asked
// to: as C writes it, against the table alone, and in C++ by what a piece throws.
#include "pieces.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>
#include <thread>

namespace {

namespace sdk = tenon::sdk;
using tenon::tests::PiecesWork;

PiecesWork& work_of(const sdk::Args& args) {
  return *reinterpret_cast<PiecesWork*>(args.attrs.integer(0));
}

// Does the piece fail? A slow one lets those above it fail first, where other threads run them.
bool fails(PiecesWork& work, int64_t piece) {
  const auto at = static_cast<size_t>(piece);
  if (piece == work.slow) std::this_thread::sleep_for(std::chrono::microseconds(300));
  work.ran[at] = true;
  return work.fails[at];
}

// The status says which piece it was, too.
tenon_status status_of(int64_t piece) { return piece == 3 ? TENON_E_DATA : TENON_E_SHAPE; }
std::string words_of(int64_t piece) { return "piece " + std::to_string(piece) + " is bad"; }

// ---- As in C: a piece leaves its number in `user`, and the kernel says what it means
// -------------

tenon_status run_piece(void* user, int64_t, int64_t, int64_t chunk) {
  PiecesWork& work = *static_cast<PiecesWork*>(user);
  if (!fails(work, chunk)) return TENON_OK;
  int64_t known = work.lowest;
  while (chunk < known && !work.lowest.compare_exchange_weak(known, chunk)) continue;
  return status_of(chunk);
}

tenon_status raw(tenon_call* call, const tenon_launch* args) {
  PiecesWork& work = work_of(sdk::Args(args));
  const tenon_status status =
      call->threads->parallel_for(call, PiecesWork::kPieces, 1, run_piece, &work);
  if (status == TENON_OK) return status;
  return call->base->fail(call, status, words_of(work.lowest).c_str(), TENON_NUL);
}

// The status alone.
tenon_status wordless(tenon_call* call, const tenon_launch* args) {
  PiecesWork& work = work_of(sdk::Args(args));
  return call->threads->parallel_for(call, PiecesWork::kPieces, 1, run_piece, &work);
}

// ---- In C++ -------------------------------------------------------------------------------------

void failures(const sdk::Launch& l) {
  PiecesWork& work = work_of(l);
  l.parallel_for(PiecesWork::kPieces, 1, [&](int64_t begin, int64_t) {
    if (!fails(work, begin)) return;
    throw sdk::Failure{status_of(begin), words_of(begin), "x", "good pieces",
                       std::to_string(begin)};
  });
}

void exceptions(const sdk::Launch& l) {
  PiecesWork& work = work_of(l);
  l.parallel_for(PiecesWork::kPieces, 1, [&](int64_t begin, int64_t) {
    if (fails(work, begin)) throw std::runtime_error(words_of(begin));
  });
}

// The kernel hears of it, and may go on.
void survivor(const sdk::Launch& l) {
  try {
    failures(l);
  } catch (const sdk::Failure& failure) {
    work_of(l).lowest = failure.status == TENON_E_DATA ? 3 : -1;
  }
}

// ---- Descriptors --------------------------------------------------------------------------------

constexpr tenon_op_desc op(std::string_view name, std::string_view schema) {
  return sdk::op({.name = name,
                  .schema = schema,
                  .doc = "Runs 16 pieces, and says which failed.",
                  .shape = TENON_SHAPE_SAME_AS_0});
}
constexpr tenon_op_desc ops[] = {
    op("test.raw", "raw(x: T[...], *, work: int) -> T[...] where T: float"),
    op("test.wordless", "wordless(x: T[...], *, work: int) -> T[...] where T: float"),
    op("test.failures", "failures(x: T[...], *, work: int) -> T[...] where T: float"),
    op("test.exceptions", "exceptions(x: T[...], *, work: int) -> T[...] where T: float"),
    op("test.survivor", "survivor(x: T[...], *, work: int) -> T[...] where T: float")};

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_out()};
constexpr tenon_kernel_desc kernel(std::string_view name,
                                   tenon_status (*launch)(tenon_call*, const tenon_launch*)) {
  return sdk::kernel({.op = name,
                      .device = "cpu",
                      .slots = slots,
                      .rows = sdk::kFloats,
                      .n_attrs = 1,
                      .flags = TENON_KERNEL_CANONICAL,
                      .launch = launch});
}
constexpr tenon_kernel_desc kernels[] = {kernel("test.raw", raw), kernel("test.wordless", wordless),
                                         kernel("test.failures", sdk::launch_fn<failures>),
                                         kernel("test.exceptions", sdk::launch_fn<exceptions>),
                                         kernel("test.survivor", sdk::launch_fn<survivor>)};

}  // namespace

TENON_UNIT(pieces) = {.ops = ops, .kernels = kernels};
