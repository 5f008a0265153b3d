// SPDX-License-Identifier: Apache-2.0
// sdk/verify/forward/forms.cc: layouts of operands and outputs in every form, against the row-major
// results of the same kernel.
#include <algorithm>
#include <random>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "forward/checks.h"
#include "forward/diagnose.h"

namespace tenon::verify {
namespace {

using Tuple = std::vector<Layout>;
using Choices = std::vector<std::vector<Layout>>;  // for each operand or output

Tuple first_of(const Choices& choices) {
  Tuple tuple;
  for (const auto& layouts : choices) tuple.push_back(layouts.front());
  return tuple;
}

void add_once(std::vector<Tuple>& tuples, Tuple tuple) {
  if (std::find(tuples.begin(), tuples.end(), tuple) == tuples.end()) {
    tuples.push_back(std::move(tuple));
  }
}

// Every operand of the layout that it can have; row-major first.
std::vector<Tuple> uniform(const Choices& choices) {
  std::vector<Tuple> tuples;
  add_once(tuples, first_of(choices));
  for (size_t i = 0; i < kLayoutCount; ++i) {
    Tuple tuple = first_of(choices);
    for (size_t k = 0; k < tuple.size(); ++k) {
      const auto layout = static_cast<Layout>(i);
      const auto& possible = choices[k];
      if (std::find(possible.begin(), possible.end(), layout) != possible.end()) tuple[k] = layout;
    }
    add_once(tuples, std::move(tuple));
  }
  return tuples;
}

void add_single(std::vector<Tuple>& tuples, const Choices& choices) {
  for (size_t k = 0; choices.size() > 1 && k < choices.size(); ++k) {
    for (const Layout layout : choices[k]) {
      Tuple tuple = first_of(choices);
      tuple[k] = layout;
      add_once(tuples, std::move(tuple));
    }
  }
}

void add_mixed(std::vector<Tuple>& tuples, const Choices& choices, std::mt19937_64& random,
               size_t count) {
  for (size_t i = 0; !choices.empty() && i < count; ++i) {
    Tuple tuple;
    for (const auto& layouts : choices) tuple.push_back(layouts[random() % layouts.size()]);
    add_once(tuples, std::move(tuple));
  }
}

// The forms of one call.
class Forms {
 public:
  Forms(Work& work, const SampleCall& call) : work_(work), call_(call), trials_(work, call) {
    uint64_t seed = work.request.seed;
    const std::string name = call.op->name + std::to_string(call.number) + call.from + call.to;
    for (const char letter : name) {
      seed = (seed ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    }
    random_.seed(seed);
    for (size_t i = 0; i < call.arrays.size(); ++i) {
      inputs_.push_back(layouts_for(call.arrays[i].shape, !call.mutated[i], work.host_memory));
    }
  }

  void run();

 private:
  void prepare();
  std::vector<Tuple> input_tuples(size_t mixed);
  void run_inputs(Form form, const std::vector<Tuple>& tuples);
  void run_outputs(Form form);
  void run_in_place();
  void run_recorded();
  void run_replayed();
  void run_aliased();
  void run_aliased_pair(size_t first, size_t second);
  void run_onto_inputs();
  void run_case(const Case& each);
  bool thorough() const { return work_.request.level >= kMatrix; }

  Work& work_;
  const SampleCall& call_;
  Trials trials_;
  std::mt19937_64 random_;
  Choices inputs_, outputs_;
};

void Forms::run_case(const Case& each) {
  if (!work_.recorder.begin(each)) return;
  try {
    const std::optional<Fault> fault = trials_.run(each);
    if (!fault) return work_.recorder.pass();
    const Diagnosis diagnosis = diagnose(trials_, each, *fault);
    work_.recorder.fail(*diagnosis.cause, diagnosis.words);
  } catch (const Failure& failure) {
    work_.recorder.fail(causes::kRefused, failure.text);
  }
}

std::vector<Tuple> Forms::input_tuples(size_t mixed) {
  std::vector<Tuple> tuples = uniform(inputs_);
  if (thorough()) add_single(tuples, inputs_);
  add_mixed(tuples, inputs_, random_, mixed);
  return tuples;
}

void Forms::run_inputs(Form form, const std::vector<Tuple>& tuples) {
  for (const Tuple& tuple : tuples) run_case(trials_.make(form, tuple));
}

// Outputs in each layout, alone and together with operands.
void Forms::run_outputs(Form form) {
  if (outputs_.empty()) return run_inputs(form, input_tuples(1));
  Choices all = inputs_;
  all.insert(all.end(), outputs_.begin(), outputs_.end());
  std::vector<Tuple> tuples = uniform(all);
  std::vector<Tuple> of_outputs = uniform(outputs_);
  add_single(of_outputs, outputs_);
  for (const Tuple& outputs : of_outputs) {
    Tuple tuple = first_of(inputs_);
    tuple.insert(tuple.end(), outputs.begin(), outputs.end());
    add_once(tuples, std::move(tuple));
  }
  if (thorough()) add_single(tuples, all);
  add_mixed(tuples, all, random_, thorough() ? 4 : 1);
  for (const Tuple& tuple : tuples) run_case(trials_.make(form, tuple));
}

void Forms::run_in_place() {
  if (call_.n_plain_outputs != 1 || call_.op->has_flag("transfer")) return;
  const Array& result = trials_.base().results.at(0);
  for (size_t i = 0; i < call_.arrays.size(); ++i) {
    const Array& input = call_.arrays[i];
    if (input.shape != result.shape || input.dtype != result.dtype || call_.mutated[i]) continue;
    Choices choices = inputs_;  // what is written does not overlap itself
    choices[i] = layouts_for(input.shape, false, work_.host_memory);
    for (const Tuple& tuple : uniform(choices)) {
      if (std::any_of(tuple.begin(), tuple.end(), overlaps_itself)) continue;
      run_case(trials_.make(Form::InPlace, tuple, {}, "in-" + std::to_string(i)));
    }
  }
}

void Forms::run_recorded() {
  const bool floats = std::any_of(call_.arrays.begin(), call_.arrays.end(),
                                  [](const Array& array) { return sdk::is_float(array.dtype); });
  if (!floats || call_.mutates()) return;
  std::vector<Tuple> tuples = uniform(inputs_);
  add_mixed(tuples, inputs_, random_, 1);
  run_inputs(Form::Recorded, tuples);
}

void Forms::run_replayed() {
  if (!trials_.capture_safe()) {
    return work_.recorder.uncovered(work_.op.name, "replayed on " + work_.backend,
                                    "the kernel is not declared safe to capture");
  }
  std::vector<Tuple> tuples = uniform(inputs_);
  // A plan knows its operands by their storage: what overlaps itself is covered by other forms.
  std::erase_if(tuples, [](const Tuple& tuple) {
    return std::any_of(tuple.begin(), tuple.end(), overlaps_itself);
  });
  run_inputs(Form::Replayed, tuples);
}

void Forms::run_aliased() {
  if (call_.mutates()) return;
  for (size_t first = 0; first < call_.arrays.size(); ++first) {
    for (size_t second = first + 1; second < call_.arrays.size(); ++second) {
      if (!thorough() && second > 1) break;
      run_aliased_pair(first, second);
    }
  }
}

void Forms::run_aliased_pair(size_t first, size_t second) {
  const Array& one = call_.arrays[first];
  const Array& two = call_.arrays[second];
  if (one.dtype != two.dtype) return;
  Tuple tuple = first_of(inputs_);
  tuple[first] = tuple[second] = Layout::Aliased;
  const std::string numbers = "-" + std::to_string(first) + "-" + std::to_string(second);
  if (one.shape == two.shape) {
    run_case(trials_.make(Form::Returned, tuple, {}, "same" + numbers));
  }
  if (one.count() > 0 && two.count() > 0) {
    run_case(trials_.make(Form::Returned, tuple, {}, "part" + numbers));
  }
}

// Outputs that overlap an operand in part.
void Forms::run_onto_inputs() {
  if (call_.n_plain_outputs != 1 || call_.mutates() || call_.op->has_flag("transfer")) return;
  const Array& result = trials_.base().results.at(0);
  for (size_t i = 0; i < call_.arrays.size(); ++i) {
    const Array& input = call_.arrays[i];
    if (input.dtype != result.dtype || input.count() == 0 || result.count() == 0) continue;
    Tuple tuple = first_of(inputs_);
    tuple[i] = Layout::Aliased;
    for (const char* at : {"-0", "-1"}) {
      run_case(trials_.make(Form::Out, tuple, {Layout::Aliased}, "out-" + std::to_string(i) + at));
    }
  }
}

// The row-major results are computed while the first case runs, so that a crash is that case's. A
// refusal of them is found by check_values.
void Forms::run() {
  const size_t mixed = thorough() ? 4 : 1;
  const std::vector<Tuple> tuples = input_tuples(mixed);
  run_case(trials_.make(Form::Returned, tuples[0]));
  if (trials_.base().status != TENON_OK) return;
  for (size_t i = 0; i < trials_.n_outputs(); ++i) {
    const bool host = work_.host_memory && !call_.op->has_flag("transfer");
    outputs_.push_back(layouts_for(trials_.base().results[i].shape, false, host));
  }
  run_inputs(Form::Returned, {tuples.begin() + 1, tuples.end()});
  run_outputs(Form::Out);
  if (work_.request.level < kValues) return;
  run_in_place();
  run_recorded();
  run_replayed();
  run_outputs(Form::Guarded);
  run_aliased();
  run_onto_inputs();
}

}  // namespace

void check_forms(Work& work) {
  for (const SampleText& sample : work.op.samples) {
    if (sample.expect != TENON_OK || !work.recorder.wants(work.op.name, sample.number)) continue;
    std::vector<SampleCall> calls =
        calls_of(work.subject.session(), work.op, sample, work.device, work.request.seed);
    if (work.request.level < kValues) calls.resize(1);
    for (const SampleCall& call : calls) Forms(work, call).run();
  }
}

}  // namespace tenon::verify
