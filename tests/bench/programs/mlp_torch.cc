// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/mlp_torch.cc: the training step of mlp.c by PyTorch's C++. Built by
// tests/bench/compare.py, not by CMake.
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <string>

namespace {

struct Net : torch::nn::Module {
  Net() {
    a = register_module("a", torch::nn::Linear(784, 128));
    b = register_module("b", torch::nn::Linear(128, 32));
    c = register_module("c", torch::nn::Linear(32, 10));
  }
  torch::Tensor forward(torch::Tensor x) {
    return c->forward(torch::relu(b->forward(torch::relu(a->forward(x)))));
  }
  torch::nn::Linear a{nullptr}, b{nullptr}, c{nullptr};
};

std::unique_ptr<torch::optim::Optimizer> optimizer_of(const std::string& name, Net& net) {
  if (name == "adam") {
    return std::make_unique<torch::optim::Adam>(net.parameters(), torch::optim::AdamOptions(1e-3));
  }
  if (name == "adamw") {
    return std::make_unique<torch::optim::AdamW>(net.parameters(),
                                                 torch::optim::AdamWOptions(1e-3));
  }
  return std::make_unique<torch::optim::SGD>(net.parameters(), torch::optim::SGDOptions(1e-3));
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> given = {
      {"--batch", "64"}, {"--optimizer", "sgd"}, {"--threads", "1"}, {"--steps", "1000"}};
  for (int i = 1; i + 1 < argc; i += 2) given[argv[i]] = argv[i + 1];
  const int64_t batch = std::stoll(given["--batch"]);
  const int64_t steps = std::stoll(given["--steps"]);
  at::set_num_threads(std::stoi(given["--threads"]));
  torch::manual_seed(20261121);
  Net net;
  const auto optimizer = optimizer_of(given["--optimizer"], net);
  std::vector<torch::Tensor> images, labels;
  for (int i = 0; i < 8; ++i) {
    images.push_back(torch::rand({batch, 784}) * 2 - 1);
    labels.push_back(torch::randint(0, 10, {batch}, torch::kLong));
  }
  double loss_value = 0;
  const auto run = [&](int64_t count) {
    torch::Tensor loss;
    for (int64_t i = 0; i < count; ++i) {
      loss = torch::nn::functional::cross_entropy(net.forward(images[i % 8]), labels[i % 8]);
      loss.backward();
      optimizer->step();
      optimizer->zero_grad(true);
    }
    loss_value = loss.item<double>();
  };
  run(steps / 10 + 1);
  const auto start = std::chrono::steady_clock::now();
  run(steps);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::printf("{\"seconds\": %.9g, \"loss\": %.9g, \"version\": \"%s\"}\n",
              taken.count() / static_cast<double>(steps), loss_value, TORCH_VERSION);
}
