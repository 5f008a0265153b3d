// SPDX-License-Identifier: Apache-2.0
// sdk/verify/forward/values.cc: row-major results against another plugin's kernel, golden files and
// the op's composition.
#include <algorithm>
#include <cmath>
#include <functional>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "case/oracle.h"
#include "forward/checks.h"
#include "forward/diagnose.h"

namespace tenon::verify {
namespace {

// Right results of a call; nothing if the source has none.
struct Expected {
  Outcome outcome;
  bool canonical = false;  // the bits of the op's canonical arithmetic
  double slack = 1;        // how many of the op's tolerances it may be off
};
// Another order of right steps, rather than other steps.
constexpr double kRoundings = 4;  // ulp
using Source = std::function<std::optional<Expected>(const SampleCall&)>;

// What distinguishes found results from right ones.
struct Wrong {
  const Cause* cause;  // NULL if it is not clear from the results alone
  std::string words;
};

class Values {
 public:
  explicit Values(Work& work) : work_(work), goldens_(work.request, work.subject.folder()) {}

  void run(const SampleText& sample);
  // Tells the recorder which calls nothing was compared with.
  void note_unwitnessed() const;

 private:
  void compare_with(const SampleText& sample, const std::string& detail, const SampleCall& call,
                    const Source& source);
  void compare_composition(const SampleCall& call);
  void compare_with_f64(const SampleCall& call);
  void fail(const SampleText& sample, const SampleCall& call, const Wrong& wrong,
            const Expected& expected, const Source& source);
  std::optional<Wrong> wrong_in(const SampleCall& call, const Expected& expected,
                                const Outcome& found);
  bool is_right(const SampleCall& call, const Source& source);
  bool is_right_without_aux(const SampleCall& call, const Expected& expected);
  bool is_canonical(const SampleCall& call);
  std::optional<Expected> of_other_kernel(const SampleCall& call);
  std::optional<Expected> of_golden(const SampleCall& call);
  Case case_of(const SampleCall& call, Form form, const std::string& detail) const {
    return {call.op->name,    call.number, call.from,     call.to,
            call.row_major(), form,        work_.backend, detail};
  }
  Outcome own(const SampleCall& call) {
    return outcome_of(work_.subject.session(), call, work_.device);
  }

  Work& work_;
  Goldens goldens_;
  bool had_source_ = false;
  size_t calls_ = 0, unwitnessed_ = 0;
  std::string first_;  // of the unwitnessed
};

bool chose_canonical(const Json& answer) {
  if (!answer.is_object() || !answer.at("chosen").is_object()) return false;
  const Json& flags = answer.at("chosen").at("flags");
  return std::find(flags.begin(), flags.end(), "canonical") != flags.end();
}

bool Values::is_canonical(const SampleCall& call) {
  return chose_canonical(explained(work_.subject.session(), call, work_.device));
}

// ---- Where right results come from --------------------------------------------------------------

// Host memory only, if the plain kernels are. Of a device's kernel the counterpart may be the
// same plugin's, if nobody else has one.
std::optional<Expected> Values::of_other_kernel(const SampleCall& call) {
  const Session* session = work_.subject.without(work_.op);
  if (session == nullptr && !work_.host_memory) session = &work_.subject.session();
  if (session == nullptr) return std::nullopt;
  tenon_device host{};
  if (tenon_device_find(session->context(), "", 0, 0, &host) != TENON_OK) return std::nullopt;
  const Json answer = explained(*session, call, host);
  if (!answer.is_object() || answer.at("chosen").is_null()) return std::nullopt;
  return Expected{outcome_of(*session, call, host), chose_canonical(answer)};
}

std::optional<Expected> Values::of_golden(const SampleCall& call) {
  std::optional<std::vector<Array>> results = goldens_.find(call);
  if (!results) return std::nullopt;
  return Expected{{TENON_OK, "", std::move(*results)}, false};
}

// A formula that is wrong for all floats says nothing about rows, though integers may be right.
bool same_category(const SampleCall& a, const SampleCall& b) {
  if ((a.from == b.from && a.to == b.to) || a.arrays.empty()) return false;
  return sdk::is_float(a.arrays[0].dtype) == sdk::is_float(b.arrays[0].dtype);
}

// ---- Comparing ----------------------------------------------------------------------------------

bool all_not_finite(const Array& expected, const Array& found, const Difference& difference) {
  return std::all_of(difference.all.begin(), difference.all.end(), [&](size_t i) {
    return !std::isfinite(expected.at(i)) || !std::isfinite(found.at(i));
  });
}

std::optional<Wrong> Values::wrong_in(const SampleCall& call, const Expected& expected,
                                      const Outcome& found) {
  if (found.status != expected.outcome.status) {
    const bool accepted = found.status == TENON_OK;
    return Wrong{
        accepted ? nullptr : &causes::kRefused,
        accepted ? "accepted, but others refuse it: " + expected.outcome.words : found.words};
  }
  if (found.status != TENON_OK) return std::nullopt;
  const std::vector<Array>& right = expected.outcome.results;
  if (right.size() != found.results.size()) {
    return Wrong{&causes::kWrongShape, "expected " + std::to_string(right.size()) +
                                           " results, found " +
                                           std::to_string(found.results.size())};
  }
  for (size_t i = 0; i < right.size(); ++i) {
    const Array& result = found.results[i];
    const std::string words = "result " + std::to_string(i) + ", ";
    Tolerance tolerance = call.op->tolerance(right[i].dtype);
    tolerance.ulp *= expected.slack;
    tolerance.relative *= expected.slack;
    const auto off = compare(right[i], result, tolerance);
    const bool canonical = expected.canonical && is_canonical(call);
    if (off) {
      if (canonical && off->ulps <= kRoundings) {
        return Wrong{&causes::kNotCanonical, words + off->words};
      }
      if (off->all.empty()) return Wrong{&causes::kWrongShape, words + off->words};
      const bool nan = off->not_finite && all_not_finite(right[i], result, *off);
      return Wrong{nan ? &causes::kSwallowsNan : nullptr, words + off->words};
    }
    if (!canonical) continue;
    if (const auto bits = compare(right[i], result)) {
      return Wrong{&causes::kNotCanonical, words + bits->words};
    }
  }
  return std::nullopt;
}

bool Values::is_right(const SampleCall& call, const Source& source) {
  const std::optional<Expected> expected = source(call);
  return expected && !wrong_in(call, *expected, own(call));
}

bool Values::is_right_without_aux(const SampleCall& call, const Expected& expected) {
  if (call.n_plain_outputs == call.n_outputs || call.mutates()) return false;
  SampleCall plain = call;
  plain.n_outputs = call.n_plain_outputs;
  Expected first = expected;
  first.outcome.results.resize(std::min<size_t>(first.outcome.results.size(), plain.n_outputs));
  return expected.outcome.status == TENON_OK && !wrong_in(plain, first, own(plain));
}

// Which of the causes it is that results alone do not tell apart.
void Values::fail(const SampleText& sample, const SampleCall& call, const Wrong& wrong,
                  const Expected& expected, const Source& source) {
  Recorder& recorder = work_.recorder;
  if (wrong.cause != &causes::kRefused && expected.outcome.status == TENON_OK) {
    Trials trials(work_, call);
    if (const auto unwritten = diagnose_unwritten(trials, expected.outcome)) {
      return recorder.fail(*unwritten->cause, unwritten->words);
    }
  }
  if (is_right_without_aux(call, expected)) {
    return recorder.fail(
        causes::kRecorded,
        "right without the aux outputs that a backward wants, and with them: " + wrong.words);
  }
  if (call.has_size_zero()) return recorder.fail(causes::kWrongAtSizeZero, wrong.words);
  if (wrong.cause != nullptr) return recorder.fail(*wrong.cause, wrong.words);
  if (call.broadcasts()) {
    for (const SampleText& other : work_.op.samples) {
      if (other.expect != TENON_OK) continue;
      const auto plain = make_call(work_.op, other, call.from, call.to, work_.request.seed);
      if (plain && !plain->broadcasts() && !plain->has_size_zero() && is_right(*plain, source)) {
        return recorder.fail(causes::kWrongBroadcast, wrong.words);
      }
    }
  }
  for (const SampleCall& other :
       calls_of(work_.subject.session(), work_.op, sample, work_.device, work_.request.seed)) {
    if (!same_category(other, call)) continue;
    if (is_right(other, source)) {
      return recorder.fail(
          causes::kWrongDtypeRow,
          wrong.words + "; right for " + (other.to.empty() ? "the dtypes as written" : other.to));
    }
  }
  recorder.fail(causes::kWrongValue, wrong.words);
}

void Values::compare_with(const SampleText& sample, const std::string& detail,
                          const SampleCall& call, const Source& source) {
  const std::optional<Expected> expected = source(call);
  if (!expected) return;
  had_source_ = true;
  if (!work_.recorder.begin(case_of(call, Form::Returned, detail))) return;
  if (const auto wrong = wrong_in(call, *expected, own(call))) {
    return fail(sample, call, *wrong, *expected, source);
  }
  work_.recorder.pass();
}

// The op's composition in place of all kernels.
void Values::compare_composition(const SampleCall& call) {
  const Session& session = work_.subject.session();
  const std::string& name = call.op->name;
  const Json answer = explained(session, call, work_.device);
  if (!call.op->composes || !answer.is_object() || !answer.at("chosen").is_object()) return;
  had_source_ = true;
  if (!work_.recorder.begin(case_of(call, Form::Composed, ""))) return;
  const Outcome kernel = own(call);
  const auto pin = [&](const std::string& plugin) {
    session.check(tenon_runtime_set_pin(session.context(), name.data(), name.size(), plugin.data(),
                                        plugin.size()));
  };
  pin("composition");
  const Outcome composed = own(call);
  pin("");
  // The two may lie on either side of the exact result.
  if (const auto wrong = wrong_in(call, {composed, false, 2}, kernel)) {
    return work_.recorder.fail(causes::kComposition, "kernel and composition: " + wrong->words);
  }
  work_.recorder.pass();
}

// Without anything to compare with: a float result is at least near that of f64.
void Values::compare_with_f64(const SampleCall& call) {
  const bool replaced = !call.arrays.empty() && sdk::is_float(call.arrays[0].dtype);
  if (!replaced || call.arrays[0].dtype == TENON_DTYPE_F64 || call.op->has_flag("random")) return;
  SampleCall wide = call;
  for (Array& array : wide.arrays) {
    if (sdk::is_float(array.dtype)) array = converted(array, TENON_DTYPE_F64);
  }
  const Outcome right = own(wide);
  if (right.status != TENON_OK) return;
  if (!work_.recorder.begin(case_of(call, Form::Returned, "f64"))) return;
  const Outcome found = own(call);
  for (size_t i = 0; i < std::min(found.results.size(), right.results.size()); ++i) {
    const Array expected = converted(right.results[i], found.results[i].dtype);
    const double epsilon = ulp_of(1, expected.dtype);
    const Tolerance near{4, sdk::is_float(expected.dtype) ? 4 * epsilon : 0};
    if (const auto off = compare(expected, found.results[i], near)) {
      return work_.recorder.fail(causes::kWrongDtypeRow,
                                 "result " + std::to_string(i) + " against f64, " + off->words);
    }
  }
  work_.recorder.pass();
}

void Values::run(const SampleText& sample) {
  const Session& session = work_.subject.session();
  const Source golden = [this](const SampleCall& call) { return of_golden(call); };
  const Source kernel = [this](const SampleCall& call) { return of_other_kernel(call); };
  std::vector<SampleCall> calls =
      calls_of(session, work_.op, sample, work_.device, work_.request.seed);
  if (work_.request.level < kValues) calls.resize(1);
  for (const SampleCall& call : calls) {
    had_source_ = false;
    const auto drawn = make_call(work_.op, sample, call.from, call.to, sdk::kDrawSeed);
    if (drawn) compare_with(sample, "golden", *drawn, golden);
    compare_with(sample, "kernel", call, kernel);
    compare_composition(call);
    ++calls_;
    if (had_source_) continue;
    if (unwitnessed_++ == 0) {
      first_ = "sample \"" + sample.text + "\"" +
               (call.from.empty() ? "" : ", " + call.from + " replaced by " + call.to);
    }
    compare_with_f64(call);
  }
}

void Values::note_unwitnessed() const {
  if (unwitnessed_ == 0) return;
  work_.recorder.unwitnessed(
      work_.op.name, "values",
      "no other kernel, no golden file and no composition to compare with for " +
          std::to_string(unwitnessed_) + " of " + std::to_string(calls_) +
          " calls, the first of them " + first_ +
          (goldens_.met_skeleton() ? "; its golden file states no results yet" : ""));
}

}  // namespace

void check_values(Work& work) {
  Values values(work);
  for (const SampleText& sample : work.op.samples) {
    if (sample.expect != TENON_OK || !work.recorder.wants(work.op.name, sample.number)) continue;
    values.run(sample);
  }
  values.note_unwitnessed();
}

}  // namespace tenon::verify
