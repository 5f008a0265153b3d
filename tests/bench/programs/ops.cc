// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/ops.cc: seconds of calls of ops and of their gradients, with nothing but the
// C API between the clock and the op. Asked by tests/bench/ops.py, one line at a time, so that it
// can ask others in between.
//
// usage    bench_ops SECONDS    measures each for so long, with TENON_THREADS threads
// asked    OP[+OP] SAMPLE       "tenon.sum f32[10,100] | axes=[1]"; "tenon.slice+tenon.copy ...":
//                               the second op takes what the first, which has the sample's
//                               attributes, gives
// answers  {"forward": s, "backward": s or null} or {"missing": "tenon.nosuch"}
// forward  a call that makes its outputs, nothing recorded
// backward the gradients of all float operands, the graph kept; null: there are none
#include <tenon/tenon.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <string>
#include <tenon/sdk/plugin/draw.hpp>
#include <tenon/sdk/plugin/sample_value.hpp>

#include "tests/bench/programs/session.h"

namespace {

namespace sdk = tenon::sdk;
using namespace tenon::bench;

// One op, or two of which the second takes the first's result, with operands.
class Call {
 public:
  Call(const Runtime& runtime, const std::vector<const tenon_op*>& ops, const std::string& text)
      : runtime_(runtime), ops_(ops), sample_(sdk::parse_sample(text)) {
    for (const sdk::SampleInput& input : sample_.inputs) inputs_.push_back(make(input));
    for (const auto& [name, value] : sample_.attrs) {
      uint32_t index = 0;
      runtime_.require(
          tenon_op_find_attribute(runtime_.context, ops_[0], name.data(), name.size(), &index));
      if (index >= attrs_.size()) attrs_.resize(index + 1);
      attrs_[index] = sdk::sample_attribute(value);
    }
    // As many outputs as the op has, its aux outputs left out.
    tenon_tensor* all[kMaxOutputs] = {};
    while (n_outputs_ < kMaxOutputs && try_call(all, n_outputs_) == TENON_E_ARGUMENT) ++n_outputs_;
    for (tenon_tensor* each : all) tenon_tensor_release(each);
  }
  ~Call() {
    for (tenon_tensor* tensor : tensors_) tenon_tensor_release(tensor);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  tenon_tensor* run() const {
    tenon_tensor* all[kMaxOutputs] = {};
    runtime_.require(try_call(all, n_outputs_));
    for (uint32_t i = 1; i < n_outputs_; ++i) tenon_tensor_release(all[i]);
    tenon_tensor* made = all[0];
    for (size_t i = 1; i < ops_.size(); ++i) {
      tenon_value value{};
      value.tag = TENON_VALUE_TENSOR;
      value.as.tensor = made;
      tenon_tensor* next = nullptr;
      runtime_.require(tenon_op_call(runtime_.context, ops_[i], &value, 1, nullptr, 0, &next, 1));
      tenon_tensor_release(made);
      made = next;
    }
    return made;
  }

  // The first of the results is what is used.
  tenon_status try_call(tenon_tensor** out, uint32_t n_outputs) const {
    return tenon_op_call(runtime_.context, ops_[0], inputs_.data(),
                         static_cast<uint32_t>(inputs_.size()), attrs_.data(),
                         static_cast<uint32_t>(attrs_.size()), out, n_outputs);
  }

  // Float operands, from now on recorded.
  std::vector<tenon_tensor*> leaves() const {
    std::vector<tenon_tensor*> leaves;
    for (tenon_tensor* tensor : tensors_) {
      if (tenon_tensor_set_requires_grad(runtime_.context, tensor, 1) == TENON_OK) {
        leaves.push_back(tensor);
      }
    }
    return leaves;
  }

 private:
  static constexpr uint32_t kMaxOutputs = 8;

  tenon_tensor* make(const sdk::SampleTensor& tensor) {
    const tenon_dtype dtype = sdk::sample_dtype(tensor.dtype);
    const auto count = static_cast<size_t>(tensor.element_count());
    std::vector<unsigned char> bytes(count * sdk::size_of(dtype));
    sdk::dispatch_dtype(dtype, [&]<class T>() {
      for (size_t i = 0; i < count; ++i) {
        sdk::store(bytes.data() + i * sizeof(T),
                   sdk::sample_element<T>(tensor, sdk::kDrawSeed, tensors_.size(), i));
      }
    });
    tenon_tensor* made = nullptr;
    runtime_.require(tenon_tensor_create_from(
        runtime_.context, dtype, nullptr, static_cast<int32_t>(tensor.dims.size()),
        tensor.dims.data(), bytes.data(), bytes.size(), &made));
    tensors_.push_back(made);
    return made;
  }

  tenon_value make(const sdk::SampleInput& input) {
    tenon_value value{};
    if (input.kind == sdk::SampleInput::Kind::Scalar) return sdk::sample_value(input.scalar);
    if (input.kind == sdk::SampleInput::Kind::Tensor) {
      value.tag = TENON_VALUE_TENSOR;
      value.as.tensor = make(input.tensor);
    } else if (input.kind == sdk::SampleInput::Kind::List) {
      auto& list = lists_.emplace_back();
      for (const sdk::SampleTensor& item : input.list) list.push_back(make(item));
      value.tag = TENON_VALUE_TENSOR_LIST;
      value.count = static_cast<uint32_t>(list.size());
      value.as.tensors = list.data();
    }
    return value;
  }

  const Runtime& runtime_;
  std::vector<const tenon_op*> ops_;
  sdk::Sample sample_;  // attributes point into it
  std::vector<tenon_tensor*> tensors_;
  std::deque<std::vector<tenon_tensor*>> lists_;
  std::vector<tenon_value> inputs_, attrs_;
  uint32_t n_outputs_ = 1;
};

// Negative: no operand has a gradient.
double backward_seconds(const Runtime& runtime, const Call& call, double seconds) {
  const std::vector<tenon_tensor*> leaves = call.leaves();
  tenon_tensor* root = call.run();
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  runtime.require(tenon_tensor_get_info(runtime.context, root, &info));
  double result = -1;
  if ((info.flags & TENON_TENSOR_REQUIRES_GRAD) != 0) {
    tenon_tensor* seed = nullptr;  // the result's own values serve
    runtime.require(tenon_tensor_create_copy(runtime.context, root, nullptr, &seed));
    runtime.require(tenon_tensor_set_requires_grad(runtime.context, seed, 0));
    std::vector<tenon_tensor*> grads(leaves.size());
    result = seconds_of(seconds, [&] {
      runtime.require(tenon_gradient_call(runtime.context, &root, &seed, 1, leaves.data(),
                                          static_cast<uint32_t>(leaves.size()),
                                          TENON_BACKWARD_RETAIN, grads.data()));
      for (tenon_tensor*& grad : grads) {
        tenon_tensor_release(grad);
        grad = nullptr;
      }
    });
    tenon_tensor_release(seed);
  }
  tenon_tensor_release(root);
  return result;
}

void answer(const Runtime& runtime, const std::string& line, double seconds) {
  const size_t space = std::min(line.find(' '), line.size());
  std::vector<const tenon_op*> ops;
  for (size_t begin = 0; begin < space;) {
    const size_t end = std::min(line.find('+', begin), space);
    const std::string name = line.substr(begin, end - begin);
    const tenon_op* op = nullptr;
    if (tenon_op_find(runtime.context, name.data(), name.size(), 0, &op) != TENON_OK) {
      std::printf("{\"missing\": \"%s\"}\n", name.c_str());
      return;
    }
    ops.push_back(op);
    begin = end + 1;
  }
  const Call call(runtime, ops, line.substr(space));
  const double forward = seconds_of(seconds, [&] { tenon_tensor_release(call.run()); });
  const double backward = backward_seconds(runtime, call, seconds);
  std::printf("{\"forward\": %.9g, \"backward\": ", forward);
  backward < 0 ? std::printf("null}\n") : std::printf("%.9g}\n", backward);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.02;
  const Runtime runtime;
  for (std::string line; std::getline(std::cin, line);) {
    answer(runtime, line, seconds);
    std::fflush(stdout);
  }
}
