// SPDX-License-Identifier: Apache-2.0
// sdk/verify/backward/gradients.cc: which calls of an op are differentiated, and their gradients in
// f64 against central differences.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "backward/gradient_checks.h"

namespace tenon::verify {
namespace {

constexpr size_t kEachElement = 64;  // operands with more elements are judged along directions
constexpr uint64_t kDirections = 4;

std::string rounded_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string index_text(size_t element, const Shape& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = static_cast<int64_t>(element) % shape[d];
    element /= static_cast<size_t>(shape[d]);
  }
  return dims_text(index);
}

std::string mismatch(double expected, double found) {
  std::string words =
      "expected " + rounded_text(expected) + " by differences, found " + rounded_text(found);
  for (const double factor : {-1.0, 2.0, 0.5}) {
    if (expected != 0 && std::abs(found / expected - factor) < 1e-6) {
      words += " (" + rounded_text(factor) + " times that)";
    }
  }
  return words;
}

}  // namespace

Case CallChecks::make_case(Form form, const std::vector<Layout>& layouts,
                           const std::string& detail) const {
  Case each;
  each.op = work_.op.name;
  each.sample = call_.number;
  each.from = call_.from;
  each.to = call_.to;
  each.layouts = layouts;
  each.form = form;
  each.backend = work_.backend;
  each.detail = detail;
  return each;
}

const Gradients& CallChecks::reference() {
  if (!reference_) reference_ = run(pass_);
  return *reference_;
}

std::optional<Finding> CallChecks::problem_of(const Gradients& found) {
  auto problem = diagnose_failure(pass_, found, false);
  if (!problem || problem->cause != &causes::kUndeclaredRead) return problem;
  const auto n_wanted = std::count(pass_.wanted.begin(), pass_.wanted.end(), true);
  if (works_with_more(work_, n_wanted)) problem->cause = &causes::kSavesTooLittle;
  return problem;
}

// ---- Central differences ------------------------------------------------------------------------

// A rule may leave a gradient unset if it is zero, and declare that an operand has none.
std::optional<Finding> CallChecks::absent_case(const Differentiable& differences, size_t operand) {
  Slope slope;
  for (uint64_t number = 0; number < kDirections && slope.verdict != Verdict::Wrong; ++number) {
    Point direction = drawn_direction(differences.at, work_.request.seed, number);
    for (size_t i = 0; i < direction.size(); ++i) {
      if (i != operand) direction[i].clear();
    }
    slope = judge_slope(differences.f, differences.at, direction, differences.weights, 0, 0);
  }
  if (slope.verdict != Verdict::Wrong) return std::nullopt;
  Pass alone = pass_;
  std::fill(alone.wanted.begin(), alone.wanted.end(), false);
  alone.wanted[operand] = true;
  const std::string words = operand_name(call_, operand) +
                            " gets no gradient; differences along a drawn direction give " +
                            rounded_text(slope.expected);
  if (run(alone).recorded) return Finding{&causes::kNoGradient, words};
  const Session* other =
      work_.op.rule && work_.host_memory ? work_.subject.without(work_.op) : nullptr;
  if (!other) return std::nullopt;
  const Gradients others = run_pass(*other, alone, host_of(*other));
  if (!others.good() || !others.of[operand]) return std::nullopt;
  return Finding{&causes::kNoGradient, words + "; another plugin's rule gives one"};
}

std::optional<Finding> CallChecks::numeric_case(const Differentiable& differences, size_t operand,
                                                uint64_t& judged) {
  const Gradients& found = reference();
  if (auto problem = problem_of(found)) return problem;
  if (!found.of[operand]) return absent_case(differences, operand);
  const Point gradient = point_of(found, differences.at);
  const size_t count = gradient[operand].size();
  const size_t tries = count <= kEachElement ? count : kDirections;
  for (size_t k = 0; k < tries; ++k) {
    Point direction = count <= kEachElement
                          ? unit_direction(differences.at, operand, k)
                          : drawn_direction(differences.at, work_.request.seed, k);
    for (size_t i = 0; i < direction.size(); ++i) {
      if (i != operand) direction[i].clear();
    }
    const double stated = dot(gradient[operand], direction[operand]);
    const Slope slope = judge_slope(differences.f, differences.at, direction, differences.weights,
                                    stated, largest(gradient[operand]));
    if (slope.verdict == Verdict::Right) ++judged;
    if (slope.verdict != Verdict::Wrong) continue;
    const std::string where = count <= kEachElement
                                  ? "element " + index_text(k, found.of[operand]->shape)
                                  : "along drawn direction " + std::to_string(k);
    const double unit = count <= kEachElement ? direction[operand][k] : 1;
    return diagnose_wrong(work_, pass_, differences, found, operand,
                          where + ": " + mismatch(slope.expected / unit, stated / unit));
  }
  return std::nullopt;
}

// <weights, J v> = <J^T weights, v>, all operands moving at once.
std::optional<Finding> CallChecks::product_case(const Differentiable& differences,
                                                uint64_t& judged) {
  const Gradients& found = reference();
  if (auto problem = problem_of(found)) return problem;
  const Point gradient = point_of(found, differences.at);
  Point direction = drawn_direction(differences.at, work_.request.seed, kDirections);
  size_t first = 0;
  double scale = 0;
  for (size_t i = direction.size(); i-- > 0;) {
    if (!found.of[i]) direction[i].clear();
    if (direction[i].empty()) continue;
    first = i;
    scale = std::max(scale, largest(gradient[i]));
  }
  const double stated = dot(gradient, direction);
  const Slope slope =
      judge_slope(differences.f, differences.at, direction, differences.weights, stated, scale);
  if (slope.verdict == Verdict::Right) ++judged;
  if (slope.verdict != Verdict::Wrong) return std::nullopt;
  return diagnose_wrong(work_, pass_, differences, found, first,
                        "<incoming, J v> and <gradient, v> differ for a drawn v: " +
                            mismatch(slope.expected, stated));
}

// A NaN that comes in must come out of every element that the output depends on.
std::optional<Finding> CallChecks::nan_case(const Differentiable& differences) {
  if (auto problem = problem_of(reference())) return problem;
  const Point all = drawn_direction(differences.at, work_.request.seed, kDirections + 1);
  const Vector reached = derivative(differences.f, differences.at, all);
  size_t at = 0;  // among the elements of all outputs
  for (size_t k = 0; k < reached.size(); ++k) {
    if (std::isfinite(reached[k]) && std::abs(reached[k]) > std::abs(reached[at])) at = k;
  }
  Vector only(reached.size(), 0.0);
  const auto depends = [&](const Point& direction) {
    return judge_slope(differences.f, differences.at, direction, only, 0, 1).verdict ==
           Verdict::Wrong;
  };
  if (reached.empty()) return std::nullopt;
  only[at] = 1;
  if (!depends(all)) return std::nullopt;
  Pass changed = pass_;
  size_t begin = 0;
  std::string name;
  for (size_t i = 0; i < pass_.incoming.size(); ++i) {
    const size_t count = pass_.has_incoming[i] ? pass_.incoming[i].count() : 0;
    if (at >= begin && at < begin + count) {
      changed.incoming[i].set(at - begin, std::nan(""));
      name = "element " + index_text(at - begin, pass_.incoming[i].shape) +
             " of the gradient of output " + std::to_string(i);
    }
    begin += count;
  }
  const Gradients found = run(changed);
  if (auto problem = problem_of(found)) return problem;
  const Point gradient = point_of(found, differences.at);
  bool spread = false;
  for (size_t i = 0; i < gradient.size(); ++i) {
    for (size_t k = 0; k < gradient[i].size(); ++k) {
      spread = spread || !std::isfinite(gradient[i][k]);
      if (!std::isfinite(gradient[i][k]) || gradient[i].size() > kEachElement) continue;
      if (!found.of[i]) continue;
      if (!depends(unit_direction(differences.at, i, k))) continue;
      return Finding{&causes::kGradientNan,
                     "with NaN as " + name + ", element " + index_text(k, found.of[i]->shape) +
                         " of the gradient of " + operand_name(call_, i) + " is " +
                         rounded_text(gradient[i][k]) + ", although that output depends on it"};
    }
  }
  const bool none = std::none_of(found.of.begin(), found.of.end(),
                                 [](const auto& each) { return each.has_value(); });
  if (spread || none) return std::nullopt;
  return Finding{&causes::kGradientNan, "with NaN as " + name + ", all gradients are finite"};
}

void CallChecks::check_numeric(const Differentiable& differences, uint64_t& judged) {
  for (size_t i = 0; i < pass_.wanted.size(); ++i) {
    if (!pass_.wanted[i]) continue;
    each_case(Form::Gradient, pass_.case_layouts(), "in" + std::to_string(i),
              [&] { return numeric_case(differences, i, judged); });
  }
  each_case(Form::Gradient, pass_.case_layouts(), "product",
            [&] { return product_case(differences, judged); });
  if (call_.has_non_finite()) return;
  each_case(Form::Gradient, pass_.case_layouts(), "nan", [&] { return nan_case(differences); });
}

// ---- What has no gradient -----------------------------------------------------------------------

namespace {

// An op without a rule says so when it is differentiated, by name; one that writes its operands
// refuses those that want gradients, and leaves them as they were.
std::optional<Finding> refusal_of(Work& work, const SampleCall& call) {
  const Session& session = work.subject.session();
  const Bound bound(session, call, work.device);
  for (size_t i = 0; i < call.arrays.size(); ++i) {
    if (!sdk::is_float(call.arrays[i].dtype)) continue;
    session.check(tenon_tensor_set_requires_grad(session.context(), bound.handle(i), 1));
  }
  std::vector<Tensor> outputs;
  tenon_status status = verify::call(session, call, bound, call.n_plain_outputs, outputs);
  if (call.mutates()) {
    if (status != TENON_E_GRAD || error_of(session).op != work.op.name) {
      return Finding{&causes::kNotRefused,
                     "an operand that requires a gradient was to be written: expected TENON_E_GRAD "
                     "that names " +
                         work.op.name + ", found " +
                         (status == TENON_OK ? "success" : failure_of(session, status))};
    }
    for (size_t i = 0; i < call.arrays.size(); ++i) {
      if (bound.tensors()[i]->read() == call.arrays[i]) continue;
      return Finding{&causes::kInputChanged, "the refused call changed " + operand_name(call, i)};
    }
    return std::nullopt;
  }
  if (status != TENON_OK) return Finding{&causes::kRefused, failure_of(session, status)};
  for (const Tensor& output : outputs) {
    if (!(tensor_flags(session, output.get()) & TENON_TENSOR_REQUIRES_GRAD)) continue;
    const Placed seed(session, contents_of(session, output.get()), Layout::Contiguous, work.device);
    tenon_tensor* root = output.get();
    tenon_tensor* with = seed.get();
    status = tenon_backward_run(session.context(), &root, &with, 1, 0);
    if (status == TENON_E_GRAD &&
        std::string(error_of(session).message).find(work.op.name) != std::string::npos) {
      continue;
    }
    return Finding{&causes::kNotRefused,
                   "it has no backward rule: expected TENON_E_GRAD that names it, found " +
                       (status == TENON_OK ? std::string("success") : failure_of(session, status))};
  }
  return std::nullopt;
}

bool wants_any(const SampleCall& call, bool mutated) {
  for (size_t i = 0; i < call.arrays.size(); ++i) {
    if (sdk::is_float(call.arrays[i].dtype) && call.mutated[i] == mutated) return true;
  }
  return false;
}

void check_refusal(Work& work, const SampleCall& call, const std::string& detail) {
  Case each;
  each.op = work.op.name;
  each.sample = call.number;
  each.layouts.assign(call.arrays.size(), Layout::Contiguous);
  each.form = Form::Gradient;
  each.backend = work.backend;
  each.detail = detail;
  run_case(work.recorder, each, causes::kRefused, [&] { return refusal_of(work, call); });
}

// The op's good samples that anybody asked for.
std::vector<const SampleText*> wanted_samples(Work& work) {
  std::vector<const SampleText*> list;
  for (const SampleText& sample : work.op.samples) {
    if (sample.expect == TENON_OK && work.recorder.wants(work.op.name, sample.number)) {
      list.push_back(&sample);
    }
  }
  return list;
}

struct Judged {
  uint64_t derivatives = 0;  // that differences could judge
  bool differentiable = false;
};

void check_sample_numeric(Work& work, const SampleText& sample, Judged& judged) {
  const Session& session = work.subject.session();
  const std::optional<SampleCall> call = f64_call(work.op, sample, work.request.seed);
  if (!call) return;
  std::optional<Pass> pass = make_pass(session, *call, work.device, work.request.seed);
  if (!pass) return;
  judged.differentiable = true;
  const auto differences = differentiable(session, *pass, work.device);
  if (!differences) return;
  CallChecks(work, *call, std::move(*pass)).check_numeric(*differences, judged.derivatives);
}

void check_sample_forms(Work& work, const SampleText& sample) {
  const Session& session = work.subject.session();
  std::vector<SampleCall> calls;
  if (work.request.level >= kMatrix) {
    calls = calls_of(session, work.op, sample, work.device, work.request.seed);
  } else {
    calls.push_back(*make_call(work.op, sample, "", "", work.request.seed));
  }
  for (const SampleCall& call : calls) {
    std::optional<Pass> pass = make_pass(session, call, work.device, work.request.seed);
    if (!pass) continue;
    CallChecks checks(work, call, std::move(*pass));
    checks.check_backward();
    if (&call == &calls.front()) checks.check_poisoned();
  }
}

}  // namespace

void check_gradients(Work& work) {
  Judged judged;
  const bool rule = work.op.has_vjp || work.op.composes;
  bool first = true;
  for (const SampleText* sample : wanted_samples(work)) {
    if (work.request.level == kSmoke && !first) break;
    const auto written = make_call(work.op, *sample, "", "", work.request.seed);
    if (written->mutates()) {
      if (work.op.defined && wants_any(*written, true)) check_refusal(work, *written, "in-place");
      first = false;
      continue;
    }
    if (!rule) {
      if (work.op.defined && wants_any(*written, false)) check_refusal(work, *written, "no-rule");
      first = false;
      continue;
    }
    check_sample_numeric(work, *sample, judged);
    first = first && judged.derivatives == 0;
    if (work.request.level >= kValues) check_sample_forms(work, *sample);
  }
  if (judged.differentiable && judged.derivatives == 0 && work.request.only_case.empty()) {
    work.recorder.uncovered(work.op.name, "gradient",
                            "no sample has a call of f64 operands at a point where differences "
                            "can judge a gradient");
  }
}

}  // namespace tenon::verify
