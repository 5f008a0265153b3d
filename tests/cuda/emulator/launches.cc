// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/launches.cc: launches of kernels: CUDA's limits, and the arguments.
//
// Source: "CUDA C++ Programming Guide", technical specifications per compute capability 9.0.
#include <cstring>

#include "grid.h"
#include "state.h"

namespace tenon::cuda::emulated {

namespace {

constexpr uint32_t kMaxShared = 48 << 10;  // without asking for more
constexpr uint32_t kMaxArgumentBytes = 32764;

// A launch that outlives the call, with its arguments.
struct Kept {
  explicit Kept(const Launching& l) : launching(l), addresses(l.n_arguments) {
    for (uint32_t i = 0; i < l.n_arguments; ++i) {
      // Whole pieces of 16 bytes, so that each argument is aligned.
      pieces.emplace_back((l.argument_bytes[i] + sizeof(Piece) - 1) / sizeof(Piece));
      std::memcpy(pieces.back().data(), l.arguments[i], l.argument_bytes[i]);
      addresses[i] = pieces.back().data();
    }
  }
  struct alignas(16) Piece {
    std::byte bytes[16];
  };
  Launching launching;
  std::vector<void*> addresses;
  std::vector<std::vector<Piece>> pieces;
};

Code run(const Launching& l, void** arguments, int32_t device) {
  State& s = state();
  if (s.lost[device] != kSuccess) return s.lost[device];
  const uint64_t seed = s.seed + 0x632be59bd9b4e019U * ++s.launches;
  const std::string words =
      run_grid({l.kernel, l.invoke, arguments, l.grid, l.block, l.shared_bytes, seed});
  return words.empty() ? kSuccess : s.lose(device, kLaunchFailure, words);
}

Code check(const Launching& l) {
  const Extent& grid = l.grid;
  const Extent& block = l.block;
  if (!l.kernel || !l.invoke || (l.n_arguments > 0 && (!l.arguments || !l.argument_bytes))) {
    return kInvalidValue;
  }
  const bool none =
      grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0;
  const bool grid_fits = grid.x <= INT32_MAX && grid.y <= 65535 && grid.z <= 65535;
  const bool block_fits = block.x <= 1024 && block.y <= 1024 && block.z <= 64 &&
                          uint64_t{block.x} * block.y * block.z <= 1024;
  if (none || !grid_fits || !block_fits) return kInvalidConfiguration;
  uint64_t argument_bytes = 0;
  for (uint32_t i = 0; i < l.n_arguments; ++i) argument_bytes += l.argument_bytes[i];
  return l.shared_bytes > kMaxShared || argument_bytes > kMaxArgumentBytes ? kInvalidValue
                                                                           : kSuccess;
}

}  // namespace

Code launch(const Launching* launching) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::launch); code != kSuccess) return code;
  const int32_t device = chosen_device();
  Stream* on = s.find_stream(launching->stream);
  if (launching->stream && (!on || on->device != device)) return kInvalidHandle;
  if (!on && s.breaks_own_capture()) return kCaptureUnsupported;
  if (const Code code = check(*launching); code != kSuccess) return code;
  if (!on || (!on->capturing && !s.defers)) {
    return run(*launching, launching->arguments, device);
  }
  const auto kept = std::make_shared<Kept>(*launching);
  return s.enqueue(on,
                   [kept, device] { return run(kept->launching, kept->addresses.data(), device); });
}

}  // namespace tenon::cuda::emulated
