// SPDX-License-Identifier: Apache-2.0
// sdk/verify/checks.h: all that is looked at, one function a question. Each enumerates its cases
// and tells the recorder of every one.
#pragma once

#include <optional>
#include <string>

#include "recorder.h"
#include "request.h"
#include "sample_call.h"
#include "subject.h"

namespace tenon::verify {

// One op of the subject on one device kind: what a child process works on.
struct Work {
  Subject& subject;
  Recorder& recorder;
  const Request& request;
  const Entry& op;
  const std::string& backend;
  tenon_device device{};
  bool host_memory = false;
  bool own_kernel = false;  // the subject has a kernel here; else it defines the op or its rule
};

// declared.cc: documentation, samples, error samples; every declared dtype row is reached.
void check_declared(Work& work);
// errors.cc: what must be refused is, with the status and the words.
void check_errors(Work& work);
// values.cc: row-major results against the other kernel, golden files, the composition.
void check_values(Work& work);
// forms.cc: layouts of inputs and outputs in every form against the row-major results.
void check_forms(Work& work);
// gradients.cc: central differences, the inner-product identity, layouts, subsets, poisoned values.
void check_gradients(Work& work);
// emptied.cc: sizes of 0 in place of those of the samples, forward and backward.
void check_emptied(Work& work);
// twice.cc: the backward graph's own gradients.
void check_twice(Work& work);
// repeats.cc: same bits again and with other numbers of threads, nothing left over.
void check_repeats(Work& work);
// states.cc: callbacks keep to their call states.
void check_states(Work& work);
// memory.cc: every allocation fails once.
void check_memory(Work& work);
// huge.cc: more than 2^31 elements.
void check_huge(Work& work);

// One entry of one of the kinds in tenon/kinds.h, by the rules of its kind. kinds.cc
void check_entry(Subject& subject, Recorder& recorder, const Request& request,
                 const std::string& topic, const std::string& name);
// The form without which a kind's entries were not looked at; none: any will do.
std::optional<Form> form_due(const std::string& topic);

// optimizers.cc: traces, strides, save and resume; `sample` counts among the optimizer's samples.
void check_optimizer(Subject& subject, Recorder& recorder, const Request& request,
                     const Json& optimizer);
// layers.cc: layouts, gradients and state of a layer; `sample` counts among the layer's samples.
void check_layer(Subject& subject, Recorder& recorder, const Request& request, const Json& layer);
// By the cases of golden files; `sample` counts among these.
void check_dataset(Subject& subject, Recorder& recorder, const Request& request,
                   const Json& dataset);
void check_schedule(Subject& subject, Recorder& recorder, const Request& request,
                    const Json& schedule);
// formats.cc: files of its own; `sample` counts what they hold.
void check_format(Subject& subject, Recorder& recorder, const Request& request, const Json& format);

}  // namespace tenon::verify
