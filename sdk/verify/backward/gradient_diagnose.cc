// SPDX-License-Identifier: Apache-2.0
// sdk/verify/backward/gradient_diagnose.cc: see gradient_diagnose.h. Causes are tried from the most
// to the least specific; each is a claim that differences confirm.
#include "backward/gradient_diagnose.h"

#include <algorithm>
#include <cmath>

namespace tenon::verify {
namespace {

constexpr uint64_t kDiagnosedDirections = 3;

// Do differences along drawn directions of `operand` confirm `gradient`, and deny it nowhere?
bool confirmed(const Differentiable& differences, size_t operand, const Vector& gradient,
               uint64_t seed) {
  bool any = false;
  for (uint64_t number = 0; number < kDiagnosedDirections; ++number) {
    Point direction = drawn_direction(differences.at, seed, number);
    for (size_t i = 0; i < direction.size(); ++i) {
      if (i != operand) direction[i].clear();
    }
    const Slope slope = judge_slope(differences.f, differences.at, direction, differences.weights,
                                    dot(gradient, direction[operand]), largest(gradient));
    if (slope.verdict == Verdict::Wrong) return false;
    any = any || slope.verdict == Verdict::Right;
  }
  return any;
}

bool all_confirmed(const Differentiable& differences, const Point& gradient, uint64_t seed) {
  for (size_t i = 0; i < gradient.size(); ++i) {
    if (!gradient[i].empty() && !confirmed(differences, i, gradient[i], seed)) return false;
  }
  return true;
}

// Tensors of one list are one operand: those may have any order.
std::optional<size_t> swapped_with(Work& work, const Pass& pass, const Differentiable& differences,
                                   const Point& gradient, size_t operand) {
  const std::vector<uint32_t>& slot = pass.call->slot;
  for (size_t other = 0; other < gradient.size(); ++other) {
    if (slot[other] == slot[operand] || gradient[other].size() != gradient[operand].size()) {
      continue;
    }
    if (confirmed(differences, other, gradient[operand], work.request.seed) &&
        confirmed(differences, operand, gradient[other], work.request.seed)) {
      return other;
    }
  }
  return std::nullopt;
}

// Sizes aligned at the end; 1 stretches.
bool stretches_to(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  const size_t lead = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[lead + i] && from[i] != 1) return false;
  }
  return true;
}

Array stretched(const Array& array, const Shape& shape) {
  Array made = make_array(array.dtype, shape);
  const size_t lead = shape.size() - array.shape.size();
  for (size_t i = 0; i < made.count(); ++i) {
    size_t rest = i;
    size_t from = 0;
    size_t step = 1;
    for (size_t d = shape.size(); d-- > lead;) {
      const size_t at = rest % static_cast<size_t>(shape[d]);
      rest /= static_cast<size_t>(shape[d]);
      const auto size = static_cast<size_t>(array.shape[d - lead]);
      if (size != 1) from += at * step;
      step *= size;
    }
    made.set(i, array.at(from));
  }
  return made;
}

// Operand `input` as a tensor of `shape`: numbers become f64, truth values stay what they are.
std::optional<Array> even_operand(const sdk::SampleInput& input, const Array* given,
                                  const Shape& shape) {
  if (input.kind == sdk::SampleInput::Kind::Scalar) {
    Array array = make_array(TENON_DTYPE_F64, shape);
    const double number =
        std::visit([](auto value) { return static_cast<double>(value); }, input.scalar);
    for (size_t i = 0; i < array.count(); ++i) array.set(i, number);
    return array;
  }
  if (input.kind != sdk::SampleInput::Kind::Tensor || !stretches_to(given->shape, shape)) {
    return std::nullopt;
  }
  const Array wide = given->dtype == TENON_DTYPE_BOOL ? *given : converted(*given, TENON_DTYPE_F64);
  return stretched(wide, shape);
}

// The same call of an elementwise op with every operand, numbers and integers too, as a tensor of
// the output's shape; nothing if that changes nothing.
std::optional<Pass> evened(Work& work, const Pass& pass, SampleCall& call) {
  if (!pass.call->op->has_flag("elementwise") || pass.incoming.size() != 1) return std::nullopt;
  const Shape& shape = pass.incoming[0].shape;
  call = *pass.call;
  call.arrays.clear();
  call.mutated.clear();
  call.slot.clear();
  size_t next = 0;
  for (uint32_t i = 0; i < call.sample.inputs.size(); ++i) {
    sdk::SampleInput& input = call.sample.inputs[i];
    const bool tensor = input.kind == sdk::SampleInput::Kind::Tensor;
    auto array = even_operand(input, tensor ? &pass.arrays[next++] : nullptr, shape);
    if (!array) return std::nullopt;
    input.kind = sdk::SampleInput::Kind::Tensor;
    input.tensor.dtype = dtype_name(array->dtype);
    input.tensor.dims = shape;
    call.arrays.push_back(std::move(*array));
    call.mutated.push_back(false);
    call.slot.push_back(i);
  }
  if (call.arrays == pass.arrays) return std::nullopt;
  auto even = make_pass(work.subject.session(), call, work.device, work.request.seed);
  if (!even || even->incoming.size() != 1 || even->incoming[0].shape != shape) return std::nullopt;
  return even;
}

// What is wrong shows best if nothing is broadcast; if all is right then, that is the cause.
std::optional<Finding> diagnose_evened(Work& work, const Pass& pass, const std::string& name,
                                       const std::string& words) {
  SampleCall call;
  const auto even = evened(work, pass, call);
  if (!even) return std::nullopt;
  const Session& session = work.subject.session();
  const Gradients found = run_pass(session, *even, work.device);
  const auto differences = differentiable(session, *even, work.device);
  if (!found.good() || !differences) return std::nullopt;
  const Point gradient = point_of(found, differences->at);
  for (size_t i = 0; i < gradient.size(); ++i) {
    if (gradient[i].empty() || confirmed(*differences, i, gradient[i], work.request.seed)) continue;
    return diagnose_wrong(work, *even, *differences, found, i, words);
  }
  if (!pass.call->broadcasts()) return std::nullopt;
  return Finding{&causes::kGradientBroadcast,
                 "the gradient of " + name +
                     " is wrong, and right with all operands in the output's shape: " + words};
}

// If an elementwise op without a memory of its own gives `results`, by halving [low, high];
// nothing if it does not rise or fall through all of them.
std::optional<Vector> inverse_of(const Function& f, Point at, size_t operand, const Vector& results,
                                 double low, double high) {
  at[operand].assign(results.size(), low);
  const Vector bottom = f(at);
  at[operand].assign(results.size(), high);
  const Vector top = f(at);
  if (bottom.size() != results.size()) return std::nullopt;
  Vector lows(results.size(), low), highs(results.size(), high);
  for (int step = 0; step < 200; ++step) {
    for (size_t k = 0; k < results.size(); ++k) at[operand][k] = (lows[k] + highs[k]) / 2;
    const Vector middle = f(at);
    for (size_t k = 0; k < results.size(); ++k) {
      const bool below = (middle[k] < results[k]) == (bottom[k] < top[k]);
      (below ? lows : highs)[k] = at[operand][k];
    }
  }
  const Vector reached = f(at);
  for (size_t k = 0; k < results.size(); ++k) {
    const double apart = std::abs(reached[k] - results[k]);
    if (!(apart <= 1e-12 * std::max(1.0, std::abs(results[k])))) return std::nullopt;
  }
  return at[operand];
}

// A rule that reads the output computes the gradient of its own op if that has this output.
bool is_gradient_by_output(Work& work, const Differentiable& own, Differentiable other,
                           const Vector& gradient, size_t operand) {
  const Vector results = own.f(own.at);
  if (results.size() != own.at[operand].size()) return false;
  for (const double low : {-30.0, 1e-9}) {
    const auto inverse = inverse_of(other.f, other.at, operand, results, low, 30);
    if (!inverse) continue;
    other.at[operand] = *inverse;
    if (confirmed(other, operand, gradient, work.request.seed)) return true;
  }
  return false;
}

bool looks_alike(const Entry& a, const Entry& b) {
  const auto same = [](const tools::Operand& first, const tools::Operand& second) {
    return first.list == second.list && first.mutated == second.mutated;
  };
  return std::ranges::equal(a.signature.inputs, b.signature.inputs, same) &&
         a.signature.plain_outputs() == b.signature.plain_outputs() &&
         a.has_flag("elementwise") == b.has_flag("elementwise");
}

std::string look_alike(Work& work, const Pass& pass, const Differentiable& own,
                       const Point& gradient) {
  const auto wanted = std::count(pass.wanted.begin(), pass.wanted.end(), true);
  const auto first = static_cast<size_t>(std::find(pass.wanted.begin(), pass.wanted.end(), true) -
                                         pass.wanted.begin());
  for (const Entry& entry : work.subject.all_ops()) {
    if (entry.name == pass.call->op->name || !looks_alike(entry, *pass.call->op)) continue;
    SampleCall call = *pass.call;
    call.op = &entry;
    auto other = make_pass(work.subject.session(), call, work.device, work.request.seed);
    if (!other || other->incoming.size() != pass.incoming.size()) continue;
    bool same = true;
    for (size_t i = 0; i < pass.incoming.size(); ++i) {
      same = same && other->incoming[i].shape == pass.incoming[i].shape &&
             other->has_incoming[i] == pass.has_incoming[i];
    }
    if (!same) continue;
    other->incoming = pass.incoming;
    other->wanted = pass.wanted;
    const auto differences = differentiable(work.subject.session(), *other, work.device);
    if (!differences) continue;
    if (all_confirmed(*differences, gradient, work.request.seed) ||
        (wanted == 1 && is_gradient_by_output(work, own, *differences, gradient[first], first))) {
      return entry.name;
    }
  }
  return {};
}

}  // namespace

Finding diagnose_wrong(Work& work, const Pass& pass, const Differentiable& differences,
                       const Gradients& found, size_t operand, const std::string& words) {
  const Point gradient = point_of(found, differences.at);
  const std::string name = operand_name(*pass.call, operand);
  if (const auto other = swapped_with(work, pass, differences, gradient, operand)) {
    return {&causes::kSwappedGradients, name + " gets the gradient of " +
                                            operand_name(*pass.call, *other) +
                                            " and that one gets its: " + words};
  }
  if (auto finding = diagnose_evened(work, pass, name, words)) return *finding;
  if (const std::string other = look_alike(work, pass, differences, gradient); !other.empty()) {
    return {&causes::kOtherOpsGradient,
            "the gradient is that of " + other + " for the same operands: " + words};
  }
  return {&causes::kWrongGradient,
          "the gradient of " + name + " is not that of the forward: " + words};
}

std::optional<Finding> diagnose_failure(const Pass& pass, const Gradients& found, bool together) {
  if (found.broken) return Finding{found.broken, found.broken_words};
  if (found.stage == Gradients::Stage::Done) return std::nullopt;
  if (found.stage == Gradients::Stage::Forward) {
    return Finding{&causes::kRefused,
                   "the call is refused while its operands want gradients: " + found.words};
  }
  const bool undeclared = found.words.find("its needs do not declare") != std::string::npos;
  if (together) {
    return Finding{
        &causes::kSavesTooLittle,
        "backward works when all operands want gradients, and fails here: " + found.words};
  }
  if (undeclared) return Finding{&causes::kUndeclaredRead, found.words};
  if (found.status == TENON_E_VJP && pass.call->broadcasts()) {
    return Finding{&causes::kGradientBroadcast, found.words};
  }
  return Finding{&causes::kGradientRefused, found.words};
}

bool works_with_more(Work& work, ptrdiff_t n_wanted) {
  const Session& session = work.subject.session();
  for (const SampleText& sample : work.op.samples) {
    if (sample.expect != TENON_OK) continue;
    const auto call = make_call(work.op, sample, "", "", work.request.seed);
    const auto pass = make_pass(session, *call, work.device, work.request.seed);
    if (!pass || std::count(pass->wanted.begin(), pass->wanted.end(), true) <= n_wanted) continue;
    if (run_pass(session, *pass, work.device).good()) return true;
  }
  return false;
}

Tolerance gradient_tolerance(Work& work, const tenon_dtype& dtype) {
  Tolerance loosest;
  bool canonical = true;
  for (const Entry& entry : work.subject.entries()) {
    const Kernel* kernel = entry.own_kernel(work.subject.id(), work.backend);
    if (!kernel) continue;
    canonical = canonical && kernel->canonical;
    loosest.ulp = std::max(loosest.ulp, entry.tolerance(dtype).ulp);
    loosest.relative = std::max(loosest.relative, entry.tolerance(dtype).relative);
  }
  return canonical ? Tolerance{} : loosest;
}

std::optional<Finding> differ(const SampleCall& call, const Gradients& expected,
                              const Gradients& found, const Cause& cause,
                              const std::function<Tolerance(tenon_dtype)>& tolerance) {
  for (size_t i = 0; i < expected.of.size(); ++i) {
    const std::string name = operand_name(call, i);
    if (expected.of[i].has_value() != found.of[i].has_value()) {
      const bool lost = expected.of[i].has_value();
      return Finding{&causes::kNoGradient,
                     name + (lost ? " gets no gradient here, and gets one otherwise"
                                  : " gets a gradient here, and none otherwise")};
    }
    if (!expected.of[i]) continue;
    const auto difference =
        compare(*expected.of[i], *found.of[i], tolerance(expected.of[i]->dtype));
    if (!difference) continue;
    return Finding{difference->not_finite ? &causes::kGradientNan : &cause,
                   "the gradient of " + name + " differs: " + difference->words};
  }
  return std::nullopt;
}

}  // namespace tenon::verify
