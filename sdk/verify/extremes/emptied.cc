// SPDX-License-Identifier: Apache-2.0
// sdk/verify/extremes/emptied.cc: every good sample with sizes of 0 in place of others, forward and
// backward.
//
// An op may refuse such a call. One that it accepts gives what the other kernel gives, and
// gradients of the operands' shapes: zeros if nothing came out. Which sizes belong together is
// not known here, so that many sets of them are tried.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "backward/gradient_diagnose.h"
#include "case/both_ways.h"
#include "case/finding.h"
#include "extremes/checks.h"
#include "process/recorder.h"

namespace tenon::verify {
namespace {

// Dimensions of a sample's tensors: number of the tensor, of the dimension.
using Places = std::set<std::pair<size_t, size_t>>;

std::vector<sdk::SampleTensor*> tensors_of(sdk::Sample& sample) {
  std::vector<sdk::SampleTensor*> all;
  for (sdk::SampleInput& input : sample.inputs) {
    if (input.kind == sdk::SampleInput::Kind::Tensor) all.push_back(&input.tensor);
    for (sdk::SampleTensor& item : input.list) all.push_back(&item);
  }
  return all;
}

// Each dimension alone, all of one size, all at one place from the front or from the end, and all.
std::set<Places> sets_of(sdk::Sample& sample) {
  std::set<Places> sets;
  std::map<std::pair<char, int64_t>, Places> groups;
  const auto tensors = tensors_of(sample);
  for (size_t t = 0; t < tensors.size(); ++t) {
    const std::vector<int64_t>& dims = tensors[t]->dims;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] == 0) continue;
      sets.insert(Places{std::pair{t, d}});
      const auto end = static_cast<int64_t>(dims.size() - d);
      const std::pair<char, int64_t> keys[] = {
          {'s', dims[d]}, {'f', static_cast<int64_t>(d)}, {'e', end}, {'a', 0}};
      for (const auto& key : keys) groups[key].emplace(t, d);
    }
  }
  for (auto& [key, places] : groups) sets.insert(std::move(places));
  return sets;
}

// Integers that were one of the sizes become 0, as if an attribute repeats a shape.
void empty_attributes(sdk::Sample& sample, const std::set<int64_t>& sizes) {
  const auto empty = [&sizes](int64_t& number) {
    if (sizes.count(number) != 0) number = 0;
  };
  for (auto& [name, value] : sample.attrs) {
    if (auto* number = std::get_if<int64_t>(&value)) empty(*number);
    auto* list = std::get_if<std::vector<int64_t>>(&value);
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) empty((*list)[i]);
  }
}

sdk::Sample emptied(sdk::Sample sample, const Places& places, bool attributes) {
  const auto tensors = tensors_of(sample);
  std::set<int64_t> sizes;
  for (const auto& [t, d] : places) {
    sizes.insert(std::exchange(tensors[t]->dims[d], 0));
    tensors[t]->values.clear();
  }
  if (attributes) empty_attributes(sample, sizes);
  return sample;
}

// What tells calls of one op apart, except for numbers.
std::string call_text(const SampleCall& call) {
  std::string text;
  for (const Array& array : call.arrays) text += dtype_name(array.dtype) + dims_text(array.shape);
  for (const auto& [name, value] : call.sample.attrs) {
    text += " " + name + "=";
    if (const auto* flag = std::get_if<bool>(&value)) text += *flag ? "true" : "false";
    if (const auto* number = std::get_if<int64_t>(&value)) text += std::to_string(*number);
    if (const auto* number = std::get_if<double>(&value)) text += std::to_string(*number);
    if (const auto* word = std::get_if<std::string>(&value)) text += *word;
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) text += dims_text(*list);
    if (const auto* dtype = std::get_if<sdk::SampleDtype>(&value)) text += dtype->name;
  }
  return text;
}

class Emptied {
 public:
  explicit Emptied(Work& work) : work_(work), rule_(work.op.has_vjp || work.op.composes) {}

  void run(const SampleText& sample);

 private:
  void run(const SampleCall& call, const std::string& detail);
  std::optional<Finding> forward(const SampleCall& call) const;
  std::optional<Finding> backward(const Pass& pass) const;
  std::optional<Outcome> of_other_kernel(const SampleCall& call) const;
  const Session& session() const { return work_.subject.session(); }

  Work& work_;
  const bool rule_;
  std::set<std::string> seen_;
};

std::optional<Outcome> Emptied::of_other_kernel(const SampleCall& call) const {
  const Session* other = work_.subject.without(work_.op);
  if (other == nullptr && !work_.host_memory) other = &session();
  if (other == nullptr) return std::nullopt;
  const tenon_device host = host_of(*other);
  const Json answer = explained(*other, call, host);
  if (!answer.is_object() || answer.at("chosen").is_null()) return std::nullopt;
  return outcome_of(*other, call, host);
}

// Data may still be refused: an index into nothing.
std::optional<Finding> Emptied::forward(const SampleCall& call) const {
  const Outcome found = outcome_of(session(), call, work_.device);
  const std::string what = call_text(call) + ": ";
  if (found.status != TENON_OK && found.status != TENON_E_DATA) {
    return Finding{&causes::kRefused, what + found.words};
  }
  const std::optional<Outcome> right = of_other_kernel(call);
  if (!right) return std::nullopt;
  if (right->status != found.status) {
    return Finding{&causes::kWrongAtSizeZero,
                   what + "one kernel accepts it, another does not: " + found.words + right->words};
  }
  for (size_t i = 0; i < std::min(found.results.size(), right->results.size()); ++i) {
    const Array& expected = right->results[i];
    if (const auto off = compare(expected, found.results[i], work_.op.tolerance(expected.dtype))) {
      return Finding{&causes::kWrongAtSizeZero,
                     what + "result " + std::to_string(i) + ", " + off->words};
    }
  }
  return std::nullopt;
}

std::optional<Finding> Emptied::backward(const Pass& pass) const {
  // A device may refuse data while backward waits for it.
  const bool late = !work_.host_memory;
  if (late && outcome_of(session(), *pass.call, work_.device).status == TENON_E_DATA) {
    return std::nullopt;
  }
  const Gradients found = run_pass(session(), pass, work_.device);
  const std::string what = call_text(*pass.call) + ": ";
  if (found.status == TENON_E_DATA && found.stage == Gradients::Stage::Forward) return std::nullopt;
  if (auto problem = diagnose_failure(pass, found, false)) {
    problem->words = what + problem->words;
    return problem;
  }
  const bool nothing = std::all_of(pass.incoming.begin(), pass.incoming.end(),
                                   [](const Array& each) { return each.count() == 0; });
  for (size_t i = 0; i < found.of.size(); ++i) {
    if (!found.of[i]) continue;
    const Array& grad = *found.of[i];
    if (grad.shape != pass.arrays[i].shape || grad.dtype != pass.arrays[i].dtype) {
      return Finding{&causes::kWrongGradient, what + "the gradient of " +
                                                  operand_name(*pass.call, i) + " is " +
                                                  dtype_name(grad.dtype) + dims_text(grad.shape)};
    }
    for (size_t k = 0; nothing && k < grad.count(); ++k) {
      if (grad.at(k) == 0) continue;
      return Finding{&causes::kWrongGradient, what + "nothing came out, and the gradient of " +
                                                  operand_name(*pass.call, i) + " is " +
                                                  std::to_string(grad.at(k)) + " at element " +
                                                  std::to_string(k) + ", where it is 0"};
    }
  }
  return std::nullopt;
}

void Emptied::run(const SampleCall& call, const std::string& detail) {
  const Json answer = explained(session(), call, work_.device);
  if (!answer.is_object() || answer.at("chosen").is_null()) return;
  if (!seen_.insert(call_text(call)).second) return;
  run_case(work_.recorder, plain_case(call, Form::Returned, work_.backend, detail),
           causes::kRefused, [&] { return forward(call); });
  if (!rule_ || call.mutates()) return;
  const auto pass = make_pass(session(), call, work_.device, work_.request.seed);
  if (!pass) return;
  run_case(work_.recorder, plain_case(call, Form::Backward, work_.backend, detail),
           causes::kGradientRefused, [&] { return backward(*pass); });
}

void Emptied::run(const SampleText& text) {
  SampleCall written = *make_call(work_.op, text, "", "", work_.request.seed);
  size_t number = 0;
  for (const Places& places : sets_of(written.sample)) {
    for (const bool attributes : {false, true}) {
      SampleCall call;
      call.number = text.number;
      call.sample = emptied(written.sample, places, attributes);
      draw_operands(call, work_.op, work_.request.seed);
      run(call, "emptied-" + std::to_string(number++));
    }
  }
}

}  // namespace

void check_emptied(Work& work) {
  Emptied checks(work);
  for (const SampleText* sample : good_samples(work.op)) {
    if (work.recorder.wants(work.op.name, sample->number)) checks.run(*sample);
  }
}

}  // namespace tenon::verify
