// SPDX-License-Identifier: Apache-2.0
// sdk/verify/forward/declared.cc: documentation, samples, error samples; every declared dtype row
// is reached by a sample, and then the judged plugin's kernel runs.
#include <algorithm>
#include <map>

#include "case/sample_call.h"
#include "forward/checks.h"

namespace tenon::verify {
namespace {

Case case_of(const Work& work, const std::string& detail) {
  return {work.op.name, 0, "", "", {}, Form::Declared, work.backend, detail};
}

void check_that(Work& work, const std::string& detail, bool holds, const Cause& cause,
                const std::string& words) {
  if (!work.recorder.begin(case_of(work, detail))) return;
  holds ? work.recorder.pass() : work.recorder.fail(cause, words);
}

void check_texts(Work& work) {
  const Entry& op = work.op;
  const auto refused = std::count_if(op.samples.begin(), op.samples.end(),
                                     [](const auto& sample) { return sample.expect != TENON_OK; });
  const auto good = static_cast<ptrdiff_t>(op.samples.size()) - refused;
  check_that(work, "documentation", op.doc.find_first_not_of(" \n") != std::string::npos,
             causes::kNoDocumentation, op.name + " has no documentation");
  check_that(work, "samples", good > 0, causes::kNoSamples,
             op.name + " states no sample: what nobody calls cannot be judged");
  check_that(work, "error-samples", refused > 0, causes::kNoSamples,
             op.name + " states no error sample: say what must be refused");
}

// "f32 i64" of an explained call: one dtype for each type variable.
std::string row_of(const Json& answer) {
  std::string row;
  for (const auto& [variable, dtype] : answer.at("dtypes").items()) {
    row += (row.empty() ? "" : " ") + dtype.get<std::string>();
  }
  return row;
}

// What the calls of all samples say about one dtype row.
struct Reached {
  bool own = false;  // the judged plugin's kernel is chosen, by each of `calls`
  std::vector<std::pair<SampleCall, std::vector<Layout>>> calls;
  std::string sample;      // of a call that reaches the row
  std::string chosen;      // what else is chosen
  std::string own_reason;  // why its kernel is not
};

std::string chosen_text(const Json& chosen) {
  if (chosen.is_null()) return "nothing";
  return chosen.is_object() ? "the kernel of " + chosen.at("plugin").get<std::string>()
                            : "the " + chosen.get<std::string>();
}

void note_call(const Work& work, const SampleCall& call, std::map<std::string, Reached>& rows) {
  const Session& session = work.subject.session();
  Json answer = explained(session, call, work.device);
  if (!answer.is_object()) return;
  std::vector<Layout> layouts = call.row_major();
  if (answer.at("chosen") == "view") {
    // The kernel runs if no view exists: for operands of another layout, if at all.
    for (size_t i = 0; i < layouts.size(); ++i) {
      const bool possible = applies(Layout::Transposed, call.arrays[i].shape, true, true);
      if (possible) layouts[i] = Layout::Transposed;
    }
    answer = explained(session, call, Bound(session, call, call.arrays, layouts, work.device));
  }
  Reached& reached = rows[row_of(answer)];
  const Json& chosen = answer.at("chosen");
  if (chosen.is_object() && chosen.at("plugin") == work.subject.id()) {
    reached.own = true;
    reached.calls.emplace_back(call, layouts);
    return;
  }
  reached.sample = work.op.samples.at(call.number).text;
  reached.chosen = chosen_text(chosen);
  for (const Json& candidate : answer.at("candidates")) {
    if (candidate.at("plugin") == work.subject.id()) reached.own_reason = candidate.at("reason");
  }
}

std::set<std::string> declared_rows(const Work& work) {
  std::set<std::string> rows;
  for (const Kernel& kernel : work.op.kernels) {
    if (kernel.plugin != work.subject.id() || kernel.device != work.backend) continue;
    rows.insert(kernel.rows.begin(), kernel.rows.end());
    if (kernel.rows.empty()) rows.insert("");  // the op has no type variable
  }
  return rows;
}

std::string detail_of(const std::string& row) {
  std::string detail = "row-" + (row.empty() ? std::string("any") : row);
  std::replace(detail.begin(), detail.end(), ' ', '+');
  return detail;
}

// Is the judged plugin's kernel the one that is launched? Only a recording says so: a kernel may
// decline what was chosen for it.
bool launches_own(Work& work, const SampleCall& from, const std::vector<Layout>& layouts,
                  std::string& why_not) {
  const Session& session = work.subject.session();
  const Bound bound(session, from, from.arrays, layouts, work.device);
  std::vector<Tensor> made;
  session.check(tenon_trace_begin(session.context()));
  const tenon_status status = call(session, from, bound, from.n_outputs, made);
  tenon_text* text = nullptr;
  session.check(tenon_trace_end(session.context(), &text));
  const Json recorded = Json::parse(tools::take_text(text));
  if (status != TENON_OK) {
    why_not = failure_of(session, status);
    return false;
  }
  for (const Json& event : recorded.at("traceEvents")) {
    if (event.value("name", "") != work.op.name || event.value("cat", "") == "op") continue;
    if (event.value("cat", "") == work.subject.id()) return true;
    why_not = "the kernel of " + event.value("cat", "") + " was launched";
  }
  return false;
}

void check_row(Work& work, const std::string& row, const std::map<std::string, Reached>& rows) {
  if (!work.recorder.begin(case_of(work, detail_of(row)))) return;
  const auto found = rows.find(row);
  std::string why_not = "nothing was launched";
  const std::string name = "row (" + row + ") of the kernel for " + work.backend;
  if (found == rows.end()) {
    return work.recorder.fail(causes::kNotReached, name + " is run by no sample of " +
                                                       work.op.name +
                                                       ", whatever dtypes its tensors are given");
  }
  const Reached& reached = found->second;
  for (const auto& [from, layouts] : reached.calls) {
    if (launches_own(work, from, layouts, why_not)) return work.recorder.pass();
  }
  if (reached.own) {
    return work.recorder.fail(causes::kNotUsed,
                              name + " is chosen for sample \"" +
                                  work.op.samples.at(reached.calls.front().first.number).text +
                                  "\", and yet not run: " + why_not);
  }
  work.recorder.fail(causes::kNotUsed,
                     name + ": sample \"" + reached.sample + "\" is given to " + reached.chosen +
                         (reached.own_reason.empty() ? "" : ", because " + reached.own_reason));
}

void check_rows(Work& work) {
  const bool sampled = std::any_of(work.op.samples.begin(), work.op.samples.end(),
                                   [](const auto& sample) { return sample.expect == TENON_OK; });
  if (!sampled && work.op.defined) return;  // said once is enough
  std::map<std::string, Reached> rows;
  for (const SampleText& sample : work.op.samples) {
    if (sample.expect != TENON_OK) continue;
    for (const SampleCall& call : replacements_of(work.op, sample, work.request.seed)) {
      note_call(work, call, rows);
    }
  }
  const std::set<std::string> declared = declared_rows(work);
  for (const std::string& row : declared) check_row(work, row, rows);
  for (const auto& [row, reached] : rows) {
    if (declared.contains(row) || reached.own) continue;
    work.recorder.uncovered(work.op.name, "dtypes (" + row + ") on " + work.backend,
                            "the kernel does not declare them; they go to " + reached.chosen);
  }
}

}  // namespace

void check_declared(Work& work) {
  const bool first = work.subject.backends_for(work.op).front() == work.backend;
  if (work.op.defined && first) check_texts(work);
  if (work.own_kernel) check_rows(work);
}

}  // namespace tenon::verify
