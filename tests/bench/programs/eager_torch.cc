// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/eager_torch.cc: what tests/bench/eager_bench.cc measures, by PyTorch's C++.
// Built by tests/bench/compare.py, not by CMake.
//
// usage    eager_torch out|returned|recorded|backward
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  at::set_num_threads(1);
  const auto grad = torch::TensorOptions().requires_grad(what == "recorded" || what == "backward");
  torch::Tensor a = torch::rand({64}, grad), b = torch::rand({64}), out = torch::empty({64});
  const c10::InferenceMode inference(what == "out" || what == "returned");
  std::function<void()> call;
  if (what == "out") {
    a = torch::rand({64}), b = torch::rand({64}), out = torch::empty({64});
    call = [&] { at::add_out(out, a, b); };
  } else if (what == "returned") {
    a = torch::rand({64}), b = torch::rand({64});
    call = [&] { at::add(a, b); };
  } else if (what == "recorded") {
    call = [&] { at::add(a, b); };
  } else if (what == "backward") {
    call = [&] {
      (a * b).sum().backward();
      a.mutable_grad() = torch::Tensor();
    };
  } else {
    std::fprintf(stderr, "usage: eager_torch out|returned|recorded|backward\n");
    return 2;
  }
  constexpr int kCalls = 20000;
  double best = 1;
  for (int round = 0; round < 6; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (round > 0) best = std::min(best, taken.count() / kCalls);
  }
  std::printf("{\"seconds\": %.9g, \"version\": \"%s\"}\n", best, TORCH_VERSION);
}
