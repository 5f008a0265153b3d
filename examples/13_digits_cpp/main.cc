// SPDX-License-Identifier: Apache-2.0
// examples/13_digits_cpp/main.cc: a whole training run in C++: the one that 09_short is in C, with
// the same bits.
//
//   digits FOLDER EPOCHS RUN     FOLDER has the four idx files, RUN is saved at the end
#include <iostream>
#include <tenon/tenon.hpp>

static tenon::Loader open_part(const std::string& stem, bool shuffle) {
  const tenon::Dataset digits = tenon::data::idx(
      {.images = stem + "-images-idx3-ubyte", .labels = stem + "-labels-idx1-ubyte"});
  const std::vector pixels = {tenon::data::normalise({.scale = 16}), tenon::data::flatten()};
  return {digits, 32, {.shuffle = shuffle, .seed = 5, .workers = 4, .transforms = pixels}};
}

int main(int argc, char** argv) try {
  if (argc != 4) return std::cerr << "usage: digits FOLDER EPOCHS RUN\n", 2;
  const std::string folder = argv[1];
  tenon::seed(5);
  auto train = open_part(folder + "/train", true), test = open_part(folder + "/t10k", false);
  auto model = tenon::nn::sequential({tenon::nn::linear({.inputs = 64, .outputs = 128}),
                                      tenon::nn::activation({.op = "tenon.relu"}),
                                      tenon::nn::linear({.inputs = 128, .outputs = 10})});
  tenon::Optimizer adam = tenon::optim::adam(model);
  tenon::Schedule cosine = tenon::schedules::cosine(0.01, {.period = 20});
  tenon::Checkpoint run;
  run.set("model", model).set("optimizer.0", adam).set("schedule", cosine).set("loader", train);
  for (int epoch = 0; epoch < std::stoi(argv[2]); train.start(++epoch)) {
    adam.set("lr", cosine.next());
    for (const auto& [images, labels] : train.batches<2>()) {
      tenon::softmax_cross_entropy(model(images), labels).backward();
      adam.step();
    }
    double right = 0;
    for (const auto& [images, labels] : test.batches<2>())
      right += tenon::sum(tenon::argmax(model(images), {.axis = 1}) == labels).item();
    std::cout << "accuracy " << right / static_cast<double>(test.length()) << "\n";
  }
  run.save(argv[3]);
} catch (const tenon::Error& error) {
  return std::cerr << "error: " << error << "\n", 1;
}
