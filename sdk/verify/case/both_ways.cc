// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/both_ways.cc: see both_ways.h.
#include "case/both_ways.h"

#include <algorithm>

namespace tenon::verify {
namespace {

void run(const std::function<void()>& hook) {
  if (hook) hook();
}

std::vector<tenon_tensor*> leaves_of(const Session& session, const Bound& bound) {
  std::vector<tenon_tensor*> leaves;
  for (const auto& placed : bound.tensors()) {
    const tenon_status status = tenon_tensor_set_requires_grad(session.context(), placed->get(), 1);
    if (status == TENON_OK) leaves.push_back(placed->get());
  }
  return leaves;
}

std::vector<tenon_tensor*> roots_of(const Session& session, const std::vector<Tensor>& made) {
  std::vector<tenon_tensor*> roots;
  for (const Tensor& tensor : made) {
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    session.check(tenon_tensor_get_info(session.context(), tensor.get(), &info));
    if ((info.flags & TENON_TENSOR_REQUIRES_GRAD) != 0) roots.push_back(tensor.get());
  }
  return roots;
}

}  // namespace

BothWays both_ways(const Session& session, const SampleCall& from, const tenon_device& device,
                   bool backward, const Around& forward_around, const Around& backward_around) {
  const Bound bound(session, from, device);
  BothWays result;
  Outcome& outcome = result.outcome;
  std::vector<tenon_tensor*> leaves;
  if (backward && !from.mutates()) leaves = leaves_of(session, bound);
  session.check(tenon_context_set_counter(session.context(), 0));
  const tenon_op* op = find_op(session, from.op->name);
  std::vector<tenon_tensor*> raw(from.n_outputs, nullptr);
  std::vector<Tensor> made;
  made.reserve(raw.size());
  run(forward_around.before);
  outcome.status =
      tenon_op_call(session.context(), op, bound.inputs().data(),
                    static_cast<uint32_t>(bound.inputs().size()), bound.attrs().data(),
                    static_cast<uint32_t>(bound.attrs().size()), raw.data(), from.n_outputs);
  run(forward_around.after);
  for (tenon_tensor* tensor : raw) {
    if (tensor != nullptr) made.emplace_back(tensor);
  }
  if (outcome.status == TENON_OK) {
    for (const Tensor& each : made) outcome.results.push_back(contents_of(session, each.get()));
    for (size_t i = 0; i < from.arrays.size(); ++i) {
      if (from.mutated[i]) outcome.results.push_back(bound.tensors()[i]->read());
    }
    const std::vector<tenon_tensor*> roots = roots_of(session, made);
    if (!roots.empty() && !leaves.empty()) {
      std::vector<tenon_tensor*> grads(leaves.size(), nullptr);
      run(backward_around.before);
      outcome.status = tenon_gradient_call(session.context(), roots.data(), roots.data(),
                                           static_cast<uint32_t>(roots.size()), leaves.data(),
                                           static_cast<uint32_t>(leaves.size()), 0, grads.data());
      run(backward_around.after);
      result.backward_failed = outcome.status != TENON_OK;
      for (tenon_tensor* grad : grads) {
        const Tensor owned(grad);
        if (grad != nullptr) outcome.results.push_back(contents_of(session, grad));
      }
    }
  }
  if (outcome.status != TENON_OK) outcome.words = failure_of(session, outcome.status);
  return result;
}

tenon_device device_in(const Session& session, const std::string& kind) {
  tenon_device device{};
  session.check(tenon_device_find(session.context(), kind.data(), kind.size(), 0, &device));
  return device;
}

std::vector<const SampleText*> good_samples(const Entry& op) {
  std::vector<const SampleText*> samples;
  for (const SampleText& sample : op.samples) {
    if (sample.expect == TENON_OK) samples.push_back(&sample);
  }
  return samples;
}

std::string difference_of(const Outcome& expected, const Outcome& found) {
  if (expected.status != found.status) {
    return "expected " + std::string(tenon_status_get_name(expected.status)) + ", found " +
           (found.words.empty() ? tenon_status_get_name(found.status) : found.words);
  }
  if (expected.results.size() != found.results.size()) {
    return "expected " + std::to_string(expected.results.size()) + " results, found " +
           std::to_string(found.results.size());
  }
  for (size_t i = 0; i < expected.results.size(); ++i) {
    if (expected.results[i] == found.results[i]) continue;
    const std::optional<Difference> difference = compare(expected.results[i], found.results[i]);
    return "result " + std::to_string(i) + ": " +
           (difference ? difference->words
                       : "expected " + text_of(expected.results[i]) + ", found " +
                             text_of(found.results[i]));
  }
  return {};
}

Case plain_case(const SampleCall& call, Form form, const std::string& backend,
                const std::string& detail) {
  Case each{call.op->name, call.number, call.from, call.to, {}, form, backend, detail};
  const auto layout_of = [](const Shape& shape) {
    if (shape.empty()) return Layout::RankZero;
    return std::find(shape.begin(), shape.end(), 0) != shape.end() ? Layout::SizeZero
                                                                   : Layout::Contiguous;
  };
  for (const Array& array : call.arrays) each.layouts.push_back(layout_of(array.shape));
  return each;
}

}  // namespace tenon::verify
