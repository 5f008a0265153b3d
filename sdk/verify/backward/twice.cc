// SPDX-License-Identifier: Apache-2.0
// sdk/verify/backward/twice.cc: the gradient of the gradient against differences of the gradient.
//
// With g(x, w) the gradient of sum(w * f) with respect to the operands x, and fixed drawn u, the
// gradient of S = <g, u> with respect to x and to w is what create_graph and a second backward
// give. A rule that cannot be differentiated must refuse create_graph and name its op.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "backward/backward_call.h"
#include "backward/checks.h"
#include "backward/gradient_diagnose.h"

namespace tenon::verify {
namespace {

constexpr uint64_t kSecondDirections = 3;

// The operands of g: those of the pass, then the incoming gradients.
struct Second {
  Work& work;
  const SampleCall& call;
  const Pass& pass;
  Point at;
  Point u;  // one vector for each operand that requires a gradient

  const Session& session() const { return work.subject.session(); }
};

Array f64_array(const Shape& shape, const Vector& values) {
  Array array = make_array(TENON_DTYPE_F64, shape);
  if (!values.empty()) std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

// The pass at another point.
Pass moved(const Second& second, const Point& point) {
  Pass pass = second.pass;
  for (size_t i = 0; i < pass.arrays.size(); ++i) {
    if (pass.wanted[i]) pass.arrays[i] = f64_array(pass.arrays[i].shape, point[i]);
  }
  for (size_t i = 0; i < pass.incoming.size(); ++i) {
    const Vector& values = point[pass.arrays.size() + i];
    if (pass.has_incoming[i]) pass.incoming[i] = f64_array(pass.incoming[i].shape, values);
  }
  return pass;
}

// All of g, one operand after another.
Vector first_order(const Second& second, const Point& point) {
  const Gradients found = run_pass(second.session(), moved(second, point), second.work.device);
  Vector all;
  for (size_t i = 0; i < second.pass.wanted.size(); ++i) {
    if (!second.pass.wanted[i]) continue;
    const bool given = found.good() && found.of[i];
    const Vector values = given ? values_of(*found.of[i]) : Vector(second.at[i].size(), 0.0);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

struct SecondGradients {
  tenon_status status = TENON_OK;
  std::string words;
  std::string op;  // that the failure names
  bool first_done = false;
  Point of;  // like Second::at; zeros if there is none
};

SecondGradients failed(const Session& session, tenon_status status, bool first_done) {
  return {status, failure_of(session, status), error_of(session).op, first_done, {}};
}

// long: one pass forward, one backward with create_graph, one more backward
SecondGradients second_order(const Second& second) {
  const Session& session = second.session();
  const Pass& pass = second.pass;
  tenon_context* context = session.context();
  const Bound bound(session, second.call, pass.arrays, pass.operand_layouts(), second.work.device);
  std::vector<tenon_tensor*> leaves;  // of the second backward
  std::vector<size_t> place;          // of each leaf, in Second::at
  std::vector<tenon_tensor*> wanted;
  const auto add_leaf = [&](tenon_tensor* tensor, size_t index) {
    session.check(tenon_tensor_set_requires_grad(context, tensor, 1));
    leaves.push_back(tensor);
    place.push_back(index);
  };
  for (size_t i = 0; i < pass.wanted.size(); ++i) {
    if (!pass.wanted[i]) continue;
    add_leaf(bound.handle(i), i);
    wanted.push_back(bound.handle(i));
  }
  std::vector<Tensor> outputs;
  tenon_status status = verify::call(session, second.call, bound, pass.n_outputs(), outputs);
  if (status != TENON_OK) return failed(session, status, false);
  std::vector<std::unique_ptr<Placed>> incoming;
  std::vector<tenon_tensor*> roots, seeds;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!pass.has_incoming[i] ||
        !(tensor_flags(session, outputs[i].get()) & TENON_TENSOR_REQUIRES_GRAD)) {
      continue;
    }
    incoming.push_back(std::make_unique<Placed>(session, pass.incoming[i], Layout::Contiguous,
                                                second.work.device));
    add_leaf(incoming.back()->get(), pass.arrays.size() + i);
    roots.push_back(outputs[i].get());
    seeds.push_back(incoming.back()->get());
  }
  SecondGradients result;
  result.of = second.at;
  for (Vector& values : result.of) std::fill(values.begin(), values.end(), 0.0);
  if (roots.empty()) return result;
  std::vector<tenon_tensor*> first(wanted.size(), nullptr);
  status = tenon_gradient_call(
      context, roots.data(), seeds.data(), static_cast<uint32_t>(roots.size()), wanted.data(),
      static_cast<uint32_t>(wanted.size()), TENON_BACKWARD_CREATE_GRAPH, first.data());
  if (status != TENON_OK) return failed(session, status, false);
  const std::vector<Tensor> owned(first.begin(), first.end());
  std::vector<std::unique_ptr<Placed>> weights;
  roots.clear();
  seeds.clear();
  for (size_t k = 0; k < first.size(); ++k) {
    // A gradient without history depends on nothing: differences must agree.
    if (!first[k] || !(tensor_flags(session, first[k]) & TENON_TENSOR_REQUIRES_GRAD)) continue;
    const size_t operand = place[k];
    const Array u = f64_array(pass.arrays[operand].shape, second.u[operand]);
    weights.push_back(std::make_unique<Placed>(session, u, Layout::Contiguous, second.work.device));
    roots.push_back(first[k]);
    seeds.push_back(weights.back()->get());
  }
  if (roots.empty()) return result;
  std::vector<tenon_tensor*> grads(leaves.size(), nullptr);
  status =
      tenon_gradient_call(context, roots.data(), seeds.data(), static_cast<uint32_t>(roots.size()),
                          leaves.data(), static_cast<uint32_t>(leaves.size()), 0, grads.data());
  if (status != TENON_OK) return failed(session, status, true);
  for (size_t k = 0; k < grads.size(); ++k) {
    const Tensor grad(grads[k]);
    if (grad) result.of[place[k]] = values_of(contents_of(session, grad.get()));
  }
  return result;
}

std::string place_name(const Second& second, size_t index) {
  const size_t n_operands = second.pass.arrays.size();
  if (index < n_operands) return operand_name(second.call, index);
  return "the incoming gradient of output " + std::to_string(index - n_operands);
}

std::optional<Finding> judge(const Second& second) {
  const SecondGradients found = second_order(second);
  if (found.status == TENON_E_GRAD && !found.first_done &&
      found.words.find("cannot itself be differentiated") != std::string::npos) {
    if (!found.op.empty() && found.words.find(found.op) != std::string::npos) return std::nullopt;
    return Finding{&causes::kSecondOrder,
                   "create_graph is refused without an op's name: " + found.words};
  }
  if (found.status != TENON_OK) {
    return Finding{
        &causes::kSecondOrder,
        (found.first_done ? "the second backward fails: " : "create_graph fails: ") + found.words};
  }
  const Function g = [&](const Point& point) { return first_order(second, point); };
  Vector weights;
  for (size_t i = 0; i < second.u.size(); ++i) {
    weights.insert(weights.end(), second.u[i].begin(), second.u[i].end());
  }
  for (size_t i = 0; i < second.at.size(); ++i) {
    for (uint64_t number = 0; !second.at[i].empty() && number < kSecondDirections; ++number) {
      Point direction = drawn_direction(second.at, second.work.request.seed, 100 + number);
      for (size_t k = 0; k < direction.size(); ++k) {
        if (k != i) direction[k].clear();
      }
      const double stated = dot(found.of[i], direction[i]);
      const Slope slope =
          judge_slope(g, second.at, direction, weights, stated, largest(found.of[i]));
      if (slope.verdict != Verdict::Wrong) continue;
      char words[200];
      std::snprintf(words, sizeof words,
                    " along drawn direction %d: expected %.9g by differences of the gradient, "
                    "found %.9g",
                    static_cast<int>(number), slope.expected, stated);
      return Finding{&causes::kSecondOrder, "the gradient of <gradient, u> with respect to " +
                                                place_name(second, i) + words};
    }
  }
  return std::nullopt;
}

void check_call(Work& work, const SampleCall& call, const Pass& pass) {
  Second second{work, call, pass, {}, {}};
  const auto differences = differentiable(work.subject.session(), pass, work.device);
  if (!differences) return;
  second.at = differences->at;
  second.u = drawn_direction(second.at, work.request.seed, 200);
  for (size_t i = 0; i < pass.incoming.size(); ++i) {
    second.at.push_back(pass.has_incoming[i] ? values_of(pass.incoming[i]) : Vector{});
  }
  Case each;
  each.op = work.op.name;
  each.sample = call.number;
  each.from = call.from;
  each.to = call.to;
  each.layouts = pass.case_layouts();
  each.form = Form::Twice;
  each.backend = work.backend;
  run_case(work.recorder, each, causes::kSecondOrder, [&] { return judge(second); });
}

// Curvature is felt over distances of about 1; among extreme values no step of differences is one.
bool is_moderate(const SampleCall& call) {
  constexpr double kLargest = 1e6;
  return std::all_of(call.arrays.begin(), call.arrays.end(), [](const Array& array) {
    for (size_t i = 0; sdk::is_float(array.dtype) && i < array.count(); ++i) {
      if (!(std::abs(array.at(i)) <= kLargest)) return false;  // NaN too
    }
    return true;
  });
}

}  // namespace

void check_twice(Work& work) {
  if (work.request.level < kValues || !(work.op.has_vjp || work.op.composes)) return;
  for (const SampleText& sample : work.op.samples) {
    if (sample.expect != TENON_OK || !work.recorder.wants(work.op.name, sample.number)) continue;
    const auto call = f64_call(work.op, sample, work.request.seed);
    if (!call || call->mutates() || call->has_size_zero() || !is_moderate(*call)) continue;
    const Session& session = work.subject.session();
    const auto pass = make_pass(session, *call, work.device, work.request.seed);
    if (!pass) continue;
    check_call(work, *call, *pass);
    if (work.request.level < kSoak) return;
  }
}

}  // namespace tenon::verify
