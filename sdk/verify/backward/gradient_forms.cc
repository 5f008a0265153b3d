// SPDX-License-Identifier: Apache-2.0
// sdk/verify/backward/gradient_forms.cc: backward with other layouts, subsets of operands, dtypes,
// rules, devices and held gradients against the row-major one, and after values have been
// overwritten.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "backward/gradient_checks.h"

namespace tenon::verify {
namespace {

constexpr int kGradientRepeats = 4;
// Roundings on the way of a gradient, in units of the last place of what flows through it.
constexpr double kGradientRoundings = 16;

// Outputs that are not floats have no incoming gradient, and nothing to overflow.
double largest_of(const Array& array) {
  double most = 0;
  for (size_t i = 0; sdk::is_float(array.dtype) && i < array.count(); ++i) {
    if (std::isfinite(array.at(i))) most = std::max(most, std::abs(array.at(i)));
  }
  return most;
}

// The largest magnitude that flows in.
double flow_of(const Pass& pass) {
  double most = 0;
  for (const Array& incoming : pass.incoming) most = std::max(most, largest_of(incoming));
  return most;
}

bool all_finite(const Array& array) {
  for (size_t i = 0; sdk::is_float(array.dtype) && i < array.count(); ++i) {
    if (!std::isfinite(array.at(i))) return false;
  }
  return true;
}

double largest_finite(tenon_dtype dtype) {
  if (dtype == TENON_DTYPE_F16) return 65504;
  return dtype == TENON_DTYPE_F64 ? std::numeric_limits<double>::max()
                                  : static_cast<double>(std::numeric_limits<float>::max());
}

// `wide` is the f64 gradient, `found` the same in a narrower dtype; `flow` is the largest magnitude
// that flowed in. An element beyond the dtype's range may be anything large.
std::optional<std::string> differ_by_rounding(const Array& wide, const Array& found, double flow,
                                              const Tolerance& tolerance) {
  const double most = std::max(largest_of(wide), flow);
  const double bound =
      kGradientRoundings * ulp_of(1.0, found.dtype) * most +
      std::max(tolerance.ulp * ulp_of(most, found.dtype), tolerance.relative * most);
  for (size_t i = 0; i < wide.count(); ++i) {
    const double expected = wide.at(i);
    const double value = found.at(i);
    if (!(std::abs(expected) <= largest_finite(found.dtype) / 4)) continue;
    if (std::abs(value - expected) <= bound) continue;
    return "element " + std::to_string(i) + " (row-major): expected " + std::to_string(expected) +
           " as in f64, found " + std::to_string(value) + ", more than " + std::to_string(bound) +
           " apart";
  }
  return std::nullopt;
}

// The layouts that any tensor of the pass can have, in the order of the enumeration.
std::vector<Layout> layouts_of(const Pass& pass, bool host_memory, bool operands) {
  std::vector<Layout> all;
  for (uint8_t number = 0; number < kLayoutCount; ++number) {
    const auto layout = static_cast<Layout>(number);
    // Memory that overlaps itself holds other values, and these may decide how large outputs are.
    if (overlaps_itself(layout) && pass.call->op->has_flag("dynamic-out")) continue;
    bool fits = false;
    for (size_t i = 0; operands && i < pass.arrays.size(); ++i) {
      fits = fits || applies(layout, pass.arrays[i].shape, !pass.call->mutated[i], host_memory);
    }
    for (size_t i = 0; i < pass.incoming.size(); ++i) {
      fits = fits ||
             (pass.has_incoming[i] && applies(layout, pass.incoming[i].shape, true, host_memory));
    }
    if (fits) all.push_back(layout);
  }
  return all;
}

const Shape& shape_at(const Pass& pass, size_t index) {
  return index < pass.arrays.size() ? pass.arrays[index].shape
                                    : pass.incoming[index - pass.arrays.size()].shape;
}

void set_layout(Pass& pass, size_t index, Layout layout, bool host_memory) {
  if (applies(layout, shape_at(pass, index), true, host_memory)) pass.layouts[index] = layout;
}

}  // namespace

// The layouts of `changed` against row-major tensors with the same contents: those that overlap
// themselves hold fewer values.
void CallChecks::layout_case(const Pass& changed, const std::string& detail) {
  each_case(Form::Backward, changed.case_layouts(), detail, [&]() -> std::optional<Finding> {
    const Gradients found = run(changed);
    const bool merged =
        std::any_of(changed.layouts.begin(), changed.layouts.end(), overlaps_itself);
    Pass plain = pass_;
    plain.arrays = found.arrays;
    plain.incoming = found.incoming;
    const Gradients expected = merged ? run(plain) : reference();
    // What is not a call_ of the op even with row-major operands says nothing of layouts.
    if (expected.stage == Gradients::Stage::Forward && merged) return std::nullopt;
    if (auto problem = problem_of(expected)) return problem;
    if (auto problem = problem_of(found)) {
      if (found.stage != Gradients::Stage::Done) problem->cause = &causes::kGradientLayout;
      return problem;
    }
    return steady(merged ? plain : pass_,
                  differ(call_, expected, found, causes::kGradientLayout,
                         [&](tenon_dtype dtype) { return gradient_tolerance(work_, dtype); }));
  });
}

void CallChecks::check_layouts() {
  const size_t n_operands = pass_.arrays.size();
  for (const bool operands : {true, false}) {
    for (const Layout layout : layouts_of(pass_, work_.host_memory, operands)) {
      Pass changed = pass_;
      for (size_t i = operands ? 0 : n_operands; i < changed.layouts.size(); ++i) {
        if (i < n_operands || pass_.has_incoming[i - n_operands]) {
          set_layout(changed, i, layout, work_.host_memory);
        }
      }
      if (changed.layouts == pass_.layouts) continue;
      layout_case(changed, operands ? "all" : "incoming");
    }
  }
}

// Each operand and incoming gradient in another layout.
void CallChecks::check_mixed() {
  const std::vector<Layout> all = layouts_of(pass_, work_.host_memory, true);
  std::set<std::vector<Layout>> tried = {pass_.layouts};
  for (size_t turn = 0; turn < all.size() && pass_.layouts.size() > 1; ++turn) {
    Pass changed = pass_;
    for (size_t i = 0; i < changed.layouts.size(); ++i) {
      set_layout(changed, i, all[(turn + 3 * i) % all.size()], work_.host_memory);
    }
    if (tried.insert(changed.layouts).second) layout_case(changed, "mixed");
  }
}

std::optional<Finding> CallChecks::subset_case(const std::vector<bool>& wanted) {
  Pass changed = pass_;
  changed.wanted = wanted;
  const Gradients& together = reference();
  const Gradients found = run(changed);
  if (auto problem = diagnose_failure(pass_, found, together.good())) return problem;
  if (auto problem = problem_of(together)) return problem;
  Gradients expected = together;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) expected.of[i].reset();
  }
  return steady(pass_, differ(call_, expected, found, causes::kSavesTooLittle,
                              [&](tenon_dtype dtype) { return gradient_tolerance(work_, dtype); }));
}

void CallChecks::check_subsets() {
  const auto n_wanted = std::count(pass_.wanted.begin(), pass_.wanted.end(), true);
  if (n_wanted < 2) return;
  for (size_t i = 0; i < pass_.wanted.size(); ++i) {
    if (!pass_.wanted[i]) continue;
    std::vector<bool> alone(pass_.wanted.size(), false);
    alone[i] = true;
    each_case(Form::Backward, pass_.case_layouts(), "only" + std::to_string(i),
              [&] { return subset_case(alone); });
    if (n_wanted < 3) continue;
    std::vector<bool> others = pass_.wanted;
    others[i] = false;
    each_case(Form::Backward, pass_.case_layouts(), "without" + std::to_string(i),
              [&] { return subset_case(others); });
  }
}

void CallChecks::check_dtype() {
  const bool narrow = std::any_of(pass_.arrays.begin(), pass_.arrays.end(), [](const Array& array) {
    return sdk::is_float(array.dtype) && array.dtype != TENON_DTYPE_F64;
  });
  if (!narrow || call_.has_non_finite()) return;
  SampleCall wide_call;
  const auto wide = widened(session(), pass_, wide_call, work_.device);
  if (!wide) return;
  each_case(Form::Backward, pass_.case_layouts(), "as-f64", [&]() -> std::optional<Finding> {
    const Gradients& found = reference();
    if (auto problem = problem_of(found)) return problem;
    const Gradients expected = run(*wide);
    if (auto problem = problem_of(expected)) return problem;
    const double flow = flow_of(pass_);
    // Where the forward itself leaves the dtype's range, so may all that follows.
    const Outcome forward = outcome_of(session(), call_, work_.device);
    if (!std::all_of(forward.results.begin(), forward.results.end(), all_finite)) {
      return std::nullopt;
    }
    for (size_t i = 0; i < found.of.size(); ++i) {
      if (!found.of[i] || !expected.of[i]) continue;
      const Tolerance tolerance = work_.op.tolerance(found.of[i]->dtype);
      const auto words = differ_by_rounding(*expected.of[i], *found.of[i], flow, tolerance);
      if (!words) continue;
      return Finding{&causes::kGradientDtype, "the gradient of " + operand_name(call_, i) + " in " +
                                                  dtype_name(found.of[i]->dtype) + ": " + *words};
    }
    return std::nullopt;
  });
}

// The rule that serves if the subject's is not there.
void CallChecks::check_other_rule() {
  const Session* other =
      work_.op.rule && work_.host_memory ? work_.subject.without(work_.op) : nullptr;
  if (!other) return;
  each_case(Form::Backward, pass_.case_layouts(), "other-rule", [&]() -> std::optional<Finding> {
    const Gradients& found = reference();
    if (auto problem = problem_of(found)) return problem;
    const Gradients expected = run_pass(*other, pass_, host_of(*other));
    if (!expected.good() || !expected.recorded) return std::nullopt;
    const auto tolerance = [&](tenon_dtype dtype) {
      Tolerance wider = work_.op.tolerance(dtype);
      wider.relative += kGradientRoundings * ulp_of(1.0, dtype);
      return wider;
    };
    const auto finding = differ(call_, expected, found, causes::kWrongGradient, tolerance);
    return judged_by_differences(finding, "another plugin's rule gives something else: ", *other,
                                 host_of(*other));
  });
}

// Do two gradients that need not have the same bits differ by what rounding makes of what flows in?
// A rule's 1 - y makes a thousandfold of the last digit of a y near 1.
bool CallChecks::is_rounding(const Gradients& expected, const Gradients& found) const {
  const double flow = flow_of(pass_);
  for (size_t i = 0; i < found.of.size(); ++i) {
    if (found.of[i].has_value() != expected.of[i].has_value()) return false;
    if (!found.of[i]) continue;
    const Tolerance tolerance = gradient_tolerance(work_, found.of[i]->dtype);
    const bool exact = tolerance.ulp == 0 && tolerance.relative == 0;
    if (exact || !all_finite(*expected.of[i]) || !all_finite(*found.of[i]) ||
        differ_by_rounding(*expected.of[i], *found.of[i], flow, tolerance)) {
      return false;
    }
  }
  return true;
}

void CallChecks::check_host() {
  if (work_.host_memory) return;
  const tenon_device host = host_of(session());
  if (!make_pass(session(), call_, host, work_.request.seed)) return;
  each_case(Form::Backward, pass_.case_layouts(), "as-host", [&]() -> std::optional<Finding> {
    const Gradients& found = reference();
    if (auto problem = problem_of(found)) return problem;
    const Gradients expected = run_pass(session(), pass_, host);
    if (!expected.good()) return std::nullopt;
    const auto finding =
        differ(call_, expected, found, causes::kWrongGradient,
               [&](tenon_dtype dtype) { return gradient_tolerance(work_, dtype); });
    if (finding && is_rounding(expected, found)) return std::nullopt;
    return judged_by_differences(finding, "host memory gives something else: ", session(), host);
  });
}

// The same bits each time?
std::optional<Finding> CallChecks::unsteady(const Pass& each) {
  const Gradients first = run(each);
  if (auto problem = problem_of(first)) return problem;
  for (int turn = 1; turn < kGradientRepeats; ++turn) {
    const Gradients again = run(each);
    if (auto problem = problem_of(again)) return problem;
    if (auto finding = differ(call_, first, again, causes::kNondeterministic,
                              [](tenon_dtype) { return Tolerance{}; })) {
      finding->cause = &causes::kNondeterministic;
      return finding;
    }
  }
  return std::nullopt;
}

// What differs from run to run differs from everything.
std::optional<Finding> CallChecks::steady(const Pass& each, const std::optional<Finding>& finding) {
  if (!finding) return std::nullopt;
  const auto changing = unsteady(each);
  return changing ? changing : finding;
}

// A difference from another rule or device: which of the two is right, and why the other is not.
std::optional<Finding> CallChecks::judged_by_differences(const std::optional<Finding>& finding,
                                                         const std::string& words,
                                                         const Session& other,
                                                         const tenon_device& device) {
  if (!finding) return std::nullopt;
  if (auto changing = unsteady(pass_)) return changing;
  const Finding stated{finding->cause, words + finding->words};
  if (stated.cause != &causes::kWrongGradient) return stated;
  SampleCall wide_call;
  auto wide = widened(session(), pass_, wide_call, work_.device);
  if (!wide) return stated;
  const auto differences = differentiable(session(), *wide, work_.device);
  if (!differences) return stated;
  CallChecks in_f64(work_, wide_call, std::move(*wide));
  uint64_t judged = 0;
  for (size_t i = 0; i < pass_.wanted.size(); ++i) {
    if (!pass_.wanted[i]) continue;
    if (auto wrong = in_f64.numeric_case(*differences, i, judged)) return wrong;
  }
  if (wide_call.arrays == call_.arrays) return stated;
  const Gradients expected = run_pass(other, in_f64.pass_, device);
  const auto tolerance = [](tenon_dtype dtype) {
    return Tolerance{0, kGradientRoundings * ulp_of(1.0, dtype)};
  };
  const bool right_in_f64 =
      expected.good() && in_f64.reference().good() &&
      !differ(wide_call, expected, in_f64.reference(), causes::kWrongGradient, tolerance);
  return Finding{right_in_f64 ? &causes::kGradientDtype : stated.cause, stated.words};
}

// ---- Gradients that leaves hold -----------------------------------------------------------------

namespace {

Array sum_of(const Array& a, const Array& b) {
  Array sum = make_array(a.dtype, a.shape);
  for (size_t i = 0; i < sum.count(); ++i) sum.set(i, a.at(i) + b.at(i));
  return sum;
}

Array drawn_like(const Array& like, uint64_t seed) {
  Array array = make_array(like.dtype, like.shape);
  for (size_t i = 0; i < array.count(); ++i) array.set(i, 2 * sdk::drawn_unit(seed, 2000, i) - 1);
  return array;
}

}  // namespace

// Runs backward while leaf `operand` holds `held`, and gives what it holds then.
std::optional<Array> CallChecks::added_to(const Placed& held, size_t operand) const {
  tenon_context* context = session().context();
  const Bound bound(session(), call_, pass_.arrays, pass_.operand_layouts(), work_.device);
  for (size_t i = 0; i < pass_.wanted.size(); ++i) {
    if (!pass_.wanted[i]) continue;
    session().check(tenon_tensor_set_requires_grad(context, bound.handle(i), 1));
  }
  session().check(tenon_tensor_set_grad(context, bound.handle(operand), held.get()));
  std::vector<Tensor> outputs;
  session().check(verify::call(session(), call_, bound, pass_.n_outputs(), outputs));
  std::vector<std::unique_ptr<Placed>> seeds;
  std::vector<tenon_tensor*> roots, incoming;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!pass_.has_incoming[i]) continue;
    seeds.push_back(
        std::make_unique<Placed>(session(), pass_.incoming[i], Layout::Contiguous, work_.device));
    roots.push_back(outputs[i].get());
    incoming.push_back(seeds.back()->get());
  }
  session().check(tenon_backward_run(context, roots.data(), incoming.data(),
                                     static_cast<uint32_t>(roots.size()), 0));
  return held_gradient(session(), bound.handle(operand), pass_.arrays[operand]);
}

// Backward adds to a gradient of any layout that a leaf holds already, in its place or not. Rows
// are added one by one, so that the sum may be rounded more than once.
std::optional<Finding> CallChecks::held_case(size_t operand, Layout layout) {
  const Gradients& alone = reference();
  if (auto problem = problem_of(alone)) return problem;
  if (!alone.of[operand]) return std::nullopt;
  const std::string name = operand_name(call_, operand);
  const Array before = drawn_like(*alone.of[operand], work_.request.seed);
  const Placed held(session(), before, layout, work_.device);
  const auto found = added_to(held, operand);
  if (!found) return Finding{&causes::kNoGradient, name + " holds no gradient after backward"};
  std::optional<Array> expected = sum_of(before, *alone.of[operand]);
  Tolerance tolerance{0, kGradientRoundings * ulp_of(1.0, before.dtype)};
  if (layout != layouts_for(before.shape, false, work_.host_memory).front()) {
    const Placed plain(session(), before, Layout::Contiguous, work_.device);
    expected = added_to(plain, operand);
    tolerance = gradient_tolerance(work_, before.dtype);
  }
  if (const auto wrong = compare(*expected, *found, tolerance)) {
    return steady(pass_, Finding{&causes::kGradientLayout,
                                 "added to the gradient that " + name + " held: " + wrong->words});
  }
  if (!held.outside_untouched()) {
    return Finding{&causes::kOverrun,
                   "adding to the gradient that " + name + " held wrote outside of it"};
  }
  const Array after = held.read();
  if (after == before || !compare(*found, after)) return std::nullopt;
  return Finding{&causes::kGradientLayout,
                 "the tensor that was the gradient of " + name +
                     " holds neither what it held nor the sum: " + text_of(after)};
}

void CallChecks::check_held() {
  for (size_t i = 0; i < pass_.wanted.size(); ++i) {
    if (!pass_.wanted[i]) continue;
    for (const Layout layout : layouts_for(pass_.arrays[i].shape, false, work_.host_memory)) {
      std::vector<Layout> layouts(pass_.operand_layouts().begin(), pass_.operand_layouts().end());
      layouts.push_back(layout);
      each_case(Form::Backward, layouts, "held" + std::to_string(i),
                [&] { return held_case(i, layout); });
    }
  }
}

// Only one of several outputs has a gradient; aux outputs too may be the only one.
void CallChecks::check_outputs() {
  for (size_t i = 0; i < pass_.incoming.size() && pass_.incoming.size() > 1; ++i) {
    if (pass_.incoming[i].dtype == TENON_DTYPE_NONE) continue;
    Pass changed = pass_;
    std::fill(changed.has_incoming.begin(), changed.has_incoming.end(), false);
    changed.has_incoming[i] = true;
    each_case(Form::Backward, changed.case_layouts(), "from" + std::to_string(i),
              [&] { return problem_of(run(changed)); });
  }
}

void CallChecks::check_backward() {
  each_case(Form::Backward, pass_.case_layouts(), "again", [&] { return unsteady(pass_); });
  check_layouts();
  if (work_.request.level >= kMatrix) check_mixed();
  check_subsets();
  check_outputs();
  check_dtype();
  check_other_rule();
  check_host();
  check_held();
}

// ---- Overwritten values -------------------------------------------------------------------------

namespace {

// Other contents, from outside autograd.
void poison(const Session& session, tenon_tensor* tensor) {
  tenon_tensor* alias = nullptr;
  session.check(tenon_tensor_create_detached(session.context(), tensor, &alias));
  const Tensor owned(alias);
  Array array = contents_of(session, alias);
  for (size_t i = 0; i < array.count(); ++i) {
    array.set(i, sdk::is_float(array.dtype) ? std::nan("") : array.at(i) == 0 ? 1 : 0);
  }
  session.check(
      tenon_tensor_set_data(session.context(), alias, array.bytes.data(), array.bytes.size()));
}

}  // namespace

// A rule that needs the value has it saved, and then the overwriting is noticed; another does not
// look at it.
std::optional<Finding> CallChecks::poisoned_case(bool output, size_t index) {
  const Gradients& expected = reference();
  if (auto problem = problem_of(expected)) return problem;
  Pass changed = pass_;
  changed.between = [&](const Bound& bound, std::span<const Tensor> outputs) {
    poison(session(), output ? outputs[index].get() : bound.handle(index));
  };
  const Gradients found = run(changed);
  if (found.stage == Gradients::Stage::Backward && found.status == TENON_E_VERSION) {
    return std::nullopt;
  }
  if (auto problem = problem_of(found)) return problem;
  const std::string name = output ? "output " + std::to_string(index) : operand_name(call_, index);
  auto finding = steady(pass_, differ(call_, expected, found, causes::kUndeclaredRead,
                                      [](tenon_dtype) { return Tolerance{}; }));
  if (!finding || finding->cause == &causes::kNondeterministic) return finding;
  return Finding{&causes::kUndeclaredRead,
                 name +
                     " was overwritten between forward and backward; expected TENON_E_VERSION "
                     "or the same gradients, but " +
                     finding->words};
}

void CallChecks::check_poisoned() {
  for (const bool output : {false, true}) {
    // The output of a view is its operand.
    if (output && work_.op.has_flag("view")) continue;
    const std::vector<Array>& tensors = output ? pass_.incoming : pass_.arrays;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (output && !pass_.has_incoming[i]) continue;
      if (tensors[i].count() == 0) continue;
      each_case(Form::Poisoned, pass_.case_layouts(), (output ? "out" : "in") + std::to_string(i),
                [&] { return poisoned_case(output, i); });
    }
  }
}

}  // namespace tenon::verify
