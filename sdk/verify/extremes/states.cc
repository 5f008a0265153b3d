// SPDX-License-Identifier: Apache-2.0
// sdk/verify/extremes/states.cc: every sample once if the host watches what callbacks call (check
// mode threads): a call that the state of a callback does not allow is TENON_E_CHECK.
#include "case/both_ways.h"
#include "extremes/checks.h"

namespace tenon::verify {

void check_states(Work& work) {
  const Session* session = nullptr;
  for (const SampleText* sample : good_samples(work.op)) {
    if (!work.recorder.wants(work.op.name, sample->number)) continue;
    const std::optional<SampleCall> call = make_call(work.op, *sample, "", "", work.request.seed);
    if (!call || !work.recorder.begin(plain_case(*call, Form::Strict, work.backend, ""))) continue;
    if (session == nullptr) session = &work.subject.strict();
    const BothWays both =
        both_ways(*session, *call, device_in(*session, work.backend), work.op.rule);
    if (both.outcome.status == TENON_OK) {
      work.recorder.pass();
    } else if (both.outcome.status == TENON_E_CHECK || both.outcome.status == TENON_E_STATE) {
      work.recorder.fail(causes::kCallState, both.outcome.words);
    } else {
      const Cause& cause = both.backward_failed ? causes::kGradientRefused : causes::kRefused;
      work.recorder.fail(cause, "with check mode threads: " + both.outcome.words);
    }
  }
}

}  // namespace tenon::verify
