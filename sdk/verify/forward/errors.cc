// SPDX-License-Identifier: Apache-2.0
// sdk/verify/forward/errors.cc: what must be refused is, with the status and the words, and nothing
// stays behind.
#include "case/sample_call.h"
#include "forward/checks.h"

namespace tenon::verify {
namespace {

struct LiveObjects {
  int64_t tensors = 0, storages = 0, nodes = 0;
  bool operator==(const LiveObjects&) const = default;
};

LiveObjects live_objects(const Session& session) {
  tenon_stats stats{};
  stats.struct_size = sizeof stats;
  session.check(tenon_runtime_get_stats(session.context(), &stats));
  return {stats.tensors, stats.storages, stats.nodes};
}

std::string name_of_status(tenon_status status) { return tenon_status_get_name(status); }

void run_error_sample(Work& work, const SampleText& sample, const SampleCall& from) {
  const Session& session = work.subject.session();
  const Bound bound(session, from, from.arrays, from.row_major(), work.device);
  const LiveObjects before = live_objects(session);
  std::vector<Tensor> made;
  tenon_status status = call(session, from, bound, from.n_outputs, made);
  // Devices may find bad data only while they run.
  const bool late = status == TENON_OK;
  if (late) status = tenon_device_wait(session.context(), &work.device);
  const std::string expected = "expected " + name_of_status(sample.expect) + " with \"" +
                               sample.fragment + "\" in its message, found ";
  if (status == TENON_OK) return work.recorder.fail(causes::kNotRefused, expected + "TENON_OK");
  const std::string message = error_of(session).message;
  // What a composition's last launch finds while it runs is told in that op's words.
  const bool said = message.find(sample.fragment) != std::string::npos;
  if (status != sample.expect || !(said || (late && work.op.composes))) {
    return work.recorder.fail(causes::kErrorStatus,
                              expected + name_of_status(status) + ": " + message);
  }
  if (late) made.clear();
  if (!made.empty()) {
    return work.recorder.fail(causes::kErrorStatus, "a refused call returned an output");
  }
  for (size_t i = 0; i < from.arrays.size(); ++i) {
    if (late && from.mutated[i]) continue;  // the device was under way
    Touched touched = Touched::None;
    if (bound.tensors()[i]->read(&touched) == from.arrays[i] && touched == Touched::None) continue;
    return work.recorder.fail(causes::kInputChanged,
                              "tensor " + std::to_string(i) + " of a refused call was written");
  }
  if (live_objects(session) != before) {
    return work.recorder.fail(causes::kLeak,
                              "tensors, storages or graph nodes stay after a refused call");
  }
  work.recorder.pass();
}

}  // namespace

void check_errors(Work& work) {
  for (const SampleText& sample : work.op.samples) {
    if (sample.expect == TENON_OK || !work.recorder.wants(work.op.name, sample.number)) continue;
    const SampleCall from = *make_call(work.op, sample, "", "", work.request.seed);
    if (!work.recorder.begin({work.op.name, sample.number, "", "", from.row_major(), Form::Error,
                              work.backend, ""})) {
      continue;
    }
    try {
      run_error_sample(work, sample, from);
    } catch (const Failure& failure) {
      work.recorder.fail(causes::kErrorStatus, failure.text);
    }
  }
}

}  // namespace tenon::verify
