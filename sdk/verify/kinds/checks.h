// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/checks.h: what is asked of an entry of a kind. Each function enumerates its
// cases and tells the recorder of every one.
#pragma once

#include <optional>
#include <string>

#include "case/request.h"
#include "case/subject.h"
#include "process/recorder.h"

namespace tenon::verify {

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
// transforms.cc: each sample for itself; `sample` counts among the transform's samples.
void check_transform(Subject& subject, Recorder& recorder, const Request& request,
                     const Json& transform);
// tokenizers.cc, tokenizer_special.cc, tokenizer_files.cc: each sample's text and file; `sample`
// counts among the tokenizer's samples.
void check_tokenizer(Subject& subject, Recorder& recorder, const Request& request,
                     const Json& tokenizer);
// collectives.cc: every process of the engine runs the same cases.
void check_collective(Subject& subject, Recorder& recorder, const Request& request,
                      const Json& collective);

}  // namespace tenon::verify
