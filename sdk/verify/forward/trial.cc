// SPDX-License-Identifier: Apache-2.0
// sdk/verify/forward/trial.cc: see trial.h.
#include "forward/trial.h"

#include <algorithm>
#include <charconv>
#include <tenon/sdk/plugin/dtypes.hpp>

namespace tenon::verify {
namespace {

using Placeds = std::vector<std::unique_ptr<Placed>>;

Array blank_like(const Array& array) {
  Array blank = array;
  std::fill(blank.bytes.begin(), blank.bytes.end(), kUnwritten);
  return blank;
}

// The numbers in "same-0-1".
std::vector<size_t> numbers_in(const std::string& detail) {
  std::vector<size_t> numbers;
  for (size_t at = detail.find('-'); at != std::string::npos; at = detail.find('-', at + 1)) {
    size_t number = 0;
    std::from_chars(detail.data() + at + 1, detail.data() + detail.size(), number);
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<Array> contents_of_all(const Session& session, const std::vector<Tensor>& tensors) {
  std::vector<Array> all;
  for (const Tensor& tensor : tensors) all.push_back(contents_of(session, tensor.get()));
  return all;
}

Tensor view_of(const Session& session, tenon_tensor* base, const Shape& shape, int64_t offset) {
  const Shape strides = placement_of(shape, Layout::Contiguous).strides;
  tenon_tensor* view = nullptr;
  session.check(tenon_tensor_create_view(session.context(), base,
                                         static_cast<int32_t>(shape.size()), shape.data(),
                                         strides.data(), offset, &view));
  return Tensor(view);
}

// Ends a capture that is still running when it goes.
class Capture {
 public:
  Capture(const Session& session, const Bound& bound) : session_(session) {
    std::vector<tenon_tensor*> inputs;
    for (const auto& placed : bound.tensors()) inputs.push_back(placed->get());
    session.check(tenon_capture_begin(session.context(), inputs.data(),
                                      static_cast<uint32_t>(inputs.size())));
  }
  ~Capture() {
    if (!ended_) end();
    tenon_plan_release(plan_);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  tenon_status end() {
    ended_ = true;
    return tenon_capture_end(session_.context(), &plan_);
  }
  tenon_plan* plan() const { return plan_; }

 private:
  const Session& session_;
  tenon_plan* plan_ = nullptr;
  bool ended_ = false;
};

}  // namespace

// One run of one case.
struct Trials::Run {
  const Case& each;
  const Session& session;
  tenon_device device;
  std::vector<Layout> inputs, outputs;
  const Outcome* given = nullptr;  // expected whatever the operands hold
  Outcome tied{};                  // expected for operands that overlap themselves
  bool by_tolerance = false;       // even if the kernel is canonical
};

Trials::Trials(Work& work, const SampleCall& call) : work_(work), call_(call) {}

size_t Trials::n_outputs() {
  if (base().status != TENON_OK) return 0;
  const auto mutated =
      static_cast<size_t>(std::count(call_.mutated.begin(), call_.mutated.end(), true));
  return base().results.size() - mutated;
}

const Outcome& Trials::base() {
  if (!base_) base_ = outcome_of(work_.subject.session(), call_, work_.device);
  return *base_;
}

const Json& Trials::explanation() {
  if (!explanation_) explanation_ = explained(work_.subject.session(), call_, work_.device);
  return *explanation_;
}

bool Trials::composes() {
  const Json& answer = explanation();
  return answer.is_object() && answer.at("chosen") == "composition";
}

namespace {

bool chosen_has(const Json& answer, const std::string& flag) {
  if (!answer.is_object() || !answer.at("chosen").is_object()) return false;
  const Json& flags = answer.at("chosen").at("flags");
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

}  // namespace

bool Trials::exact() {
  const Json& answer = explanation();
  if (answer.is_object() && answer.at("chosen").is_object()) return chosen_has(answer, "canonical");
  return !composes();
}

bool Trials::capture_safe() {
  const Json& answer = explanation();
  if (!answer.is_object() || answer.at("chosen") == "transfer") return false;
  if (call_.op->has_flag("dynamic-out")) return false;
  return !answer.at("chosen").is_object() || chosen_has(answer, "capture-safe");
}

Case Trials::make(Form form, std::vector<Layout> inputs, const std::vector<Layout>& outputs,
                  const std::string& detail) const {
  Case each{call_.op->name,    call_.number, call_.from,    call_.to,
            std::move(inputs), form,         work_.backend, detail};
  each.layouts.insert(each.layouts.end(), outputs.begin(), outputs.end());
  return each;
}

std::string Trials::name_of_operand(bool output, size_t index) const {
  const Signature& signature = call_.op->signature;
  if (output) {
    const std::string& name =
        index < signature.outputs.size() ? signature.outputs[index].name : std::string();
    return name.empty() ? "output " + std::to_string(index) : "output \"" + name + "\"";
  }
  const uint32_t slot = call_.slot[index];
  const tools::Operand& operand = signature.inputs.at(slot);
  const auto first = std::find(call_.slot.begin(), call_.slot.end(), slot) - call_.slot.begin();
  return "operand \"" + operand.name + "\"" +
         (operand.list ? "[" + std::to_string(static_cast<ptrdiff_t>(index) - first) + "]" : "");
}

// Of an op that moves its operand elsewhere: where it is then.
std::vector<tenon_device> Trials::output_devices(const Run& run, size_t count) {
  std::vector<tenon_device> devices(count, run.device);
  if (!call_.op->has_flag("transfer")) return devices;
  const Bound bound(run.session, call_, run.device);
  std::vector<Tensor> made;
  run.session.check(verify::call(run.session, call_, bound, call_.n_outputs, made));
  for (size_t i = 0; i < std::min(count, made.size()); ++i) {
    tenon_view view{};
    run.session.check(tenon_tensor_get_view(run.session.context(), made[i].get(), &view));
    devices[i] = view.device;
  }
  return devices;
}

// ---- Comparing ----------------------------------------------------------------------------------

const Outcome& Trials::expected_for(Run& run, const Bound& bound) {
  if (run.given != nullptr) return *run.given;
  if (std::none_of(run.inputs.begin(), run.inputs.end(), overlaps_itself)) return base();
  SampleCall tied = call_;
  for (size_t i = 0; i < tied.arrays.size(); ++i) tied.arrays[i] = bound.tensors()[i]->read();
  run.tied = outcome_of(work_.subject.session(), tied, work_.device);
  return run.tied;
}

std::optional<Fault> Trials::refused(Run& run, tenon_status status, const Outcome& expected) {
  // Devices may find bad data only while they run.
  if (status == TENON_OK) status = tenon_device_wait(run.session.context(), &run.device);
  if (status == expected.status) return std::nullopt;
  Fault fault;
  fault.kind = Fault::Kind::Refused;
  fault.status = status;
  if (status == TENON_OK) {
    fault.words =
        "accepted, but row-major operands of the same contents are refused: " + expected.words;
    return fault;
  }
  fault.words = failure_of(run.session, status);
  const tenon_error error = error_of(run.session);
  fault.message = error.message;
  fault.operand = error.operand;
  return fault;
}

std::optional<Fault> Trials::differs(const Run& run, bool output, size_t index,
                                     const Array& expected, const Array& found) {
  const bool bits = exact() && !run.by_tolerance;
  const Tolerance tolerance = bits ? Tolerance{} : call_.op->tolerance(expected.dtype);
  std::optional<Difference> difference = compare(expected, found, tolerance);
  if (!difference) return std::nullopt;
  Fault fault;
  fault.kind = expected.dtype == found.dtype && expected.shape == found.shape ? Fault::Kind::Values
                                                                              : Fault::Kind::Meta;
  fault.output = output;
  fault.index = index;
  fault.words = name_of_operand(output, index) + ", " + difference->words;
  fault.difference = std::move(difference);
  fault.found = found;
  return fault;
}

Fault Trials::outside_of(bool output, size_t index, Touched touched) const {
  Fault fault;
  fault.kind = touched == Touched::Holes ? Fault::Kind::Holes : Fault::Kind::Beyond;
  fault.output = output;
  fault.index = index;
  fault.words = "bytes outside of " + name_of_operand(output, index) + " were written";
  return fault;
}

// `outputs` may be fewer than those expected.
std::optional<Fault> Trials::check_results(const Run& run, const Outcome& expected,
                                           const std::vector<Array>& outputs, const Bound& bound) {
  size_t next = expected.results.size() -
                static_cast<size_t>(std::count(call_.mutated.begin(), call_.mutated.end(), true));
  for (size_t i = 0; i < bound.tensors().size(); ++i) {
    Touched touched = Touched::None;
    const Array now = bound.tensors()[i]->read(&touched);
    if (touched != Touched::None) return outside_of(false, i, touched);
    if (call_.mutated[i]) {
      if (auto wrong = differs(run, false, i, expected.results[next++], now)) return wrong;
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (auto wrong = differs(run, true, i, expected.results[i], outputs[i])) return wrong;
  }
  return std::nullopt;
}

namespace {

// The first input that is not marked "!" and holds something else than before.
std::optional<Fault> changed_input(const SampleCall& call, const Bound& bound,
                                   const std::vector<Array>& before, const Trials& trials,
                                   size_t target = SIZE_MAX) {
  for (size_t i = 0; i < before.size(); ++i) {
    if (call.mutated[i] || i == target) continue;
    const Array now = bound.tensors()[i]->read();
    if (now == before[i]) continue;
    Fault fault;
    fault.kind = Fault::Kind::InputChanged;
    fault.index = i;
    const std::optional<Difference> difference = compare(before[i], now);
    fault.words = trials.name_of_operand(false, i) +
                  " was written: " + (difference ? difference->words : "another NaN");
    return fault;
  }
  return std::nullopt;
}

std::vector<Array> held_by(const Bound& bound) {
  std::vector<Array> all;
  for (const auto& placed : bound.tensors()) all.push_back(placed->read());
  return all;
}

}  // namespace

// ---- Forms --------------------------------------------------------------------------------------

std::optional<Fault> Trials::run_returned(Run& run) {
  const Bound bound(run.session, call_, call_.arrays, run.inputs, run.device);
  const std::vector<Array> before = held_by(bound);
  const Outcome& expected = expected_for(run, bound);
  std::vector<Tensor> made;
  const tenon_status status = verify::call(run.session, call_, bound, call_.n_outputs, made);
  if (status != TENON_OK || expected.status != TENON_OK) return refused(run, status, expected);
  if (auto fault = changed_input(call_, bound, before, *this)) return fault;
  return check_results(run, expected, contents_of_all(run.session, made), bound);
}

std::optional<Fault> Trials::run_out(Run& run) {
  const Bound bound(run.session, call_, call_.arrays, run.inputs, run.device);
  const std::vector<Array> before = held_by(bound);
  const Outcome& expected = expected_for(run, bound);
  Placeds outputs;
  std::vector<tenon_tensor*> handles;
  const std::vector<tenon_device> devices = output_devices(run, run.outputs.size());
  for (size_t i = 0; i < run.outputs.size() && i < expected.results.size(); ++i) {
    outputs.push_back(std::make_unique<Placed>(run.session, blank_like(expected.results[i]),
                                               run.outputs[i], devices[i]));
    handles.push_back(outputs.back()->get());
  }
  if (handles.empty()) {
    // No outputs, or none of which is known how it looks, as the call is one that is refused.
    std::vector<Tensor> none;
    const bool right = expected.status == TENON_OK;
    const tenon_status status =
        verify::call(run.session, call_, bound, right ? 0 : call_.n_outputs, none);
    if (status != TENON_OK || expected.status != TENON_OK) return refused(run, status, expected);
  } else {
    const tenon_status status = apply(run.session, call_, bound, handles);
    if (status != TENON_OK || expected.status != TENON_OK) return refused(run, status, expected);
  }
  if (auto fault = changed_input(call_, bound, before, *this)) return fault;
  std::vector<Array> found;
  std::optional<Fault> outside;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Touched touched = Touched::None;
    found.push_back(outputs[i]->read(&touched));
    if (touched == Touched::None || outside) continue;
    outside = outside_of(true, i, touched);
    if (auto wrong = differs(run, true, i, expected.results[i], found[i])) {
      outside->words += "; " + wrong->words;
      outside->difference = std::move(wrong->difference);
    }
  }
  if (outside) return outside;
  return check_results(run, expected, found, bound);
}

std::optional<Fault> Trials::run_in_place(Run& run) {
  const size_t target = numbers_in(run.each.detail).at(0);
  Bound bound(run.session, call_, call_.arrays, run.inputs, run.device);
  const std::vector<Array> before = held_by(bound);
  tenon_tensor* handle = bound.handle(target);
  const Outcome& expected = base();
  const tenon_status status = apply(run.session, call_, bound, {&handle, 1});
  if (status != TENON_OK || expected.status != TENON_OK) return refused(run, status, expected);
  Touched touched = Touched::None;
  const Array found = bound.tensors()[target]->read(&touched);
  if (touched != Touched::None) return outside_of(false, target, touched);
  if (auto fault = changed_input(call_, bound, before, *this, target)) return fault;
  return differs(run, true, 0, expected.results[0], found);
}

std::optional<Fault> Trials::run_recorded(Run& run) {
  const Bound bound(run.session, call_, call_.arrays, run.inputs, run.device);
  const std::vector<Array> before = held_by(bound);
  const Outcome& expected = expected_for(run, bound);
  for (size_t i = 0; i < before.size(); ++i) {
    if (!sdk::is_float(before[i].dtype)) continue;
    run.session.check(tenon_tensor_set_requires_grad(run.session.context(), bound.handle(i), 1));
  }
  run.by_tolerance = !call_.op->has_vjp && call_.op->composes;  // it is recorded instead
  std::vector<Tensor> made;
  const tenon_status status = verify::call(run.session, call_, bound, call_.n_plain_outputs, made);
  if (status != TENON_OK || expected.status != TENON_OK) return refused(run, status, expected);
  if (auto fault = changed_input(call_, bound, before, *this)) return fault;
  return check_results(run, expected, contents_of_all(run.session, made), bound);
}

std::optional<Fault> Trials::run_replayed(Run& run) {
  SampleText text = call_.op->samples.at(call_.number);
  SampleCall other = *make_call(*call_.op, text, call_.from, call_.to, work_.request.seed + 1);
  const Bound bound(run.session, call_, call_.arrays, run.inputs, run.device);
  std::vector<Tensor> made;
  run.session.check(tenon_context_set_counter(run.session.context(), 0));
  Capture capture(run.session, bound);
  tenon_status status = call_again(run.session, call_, bound, call_.n_outputs, made);
  const tenon_status ended = capture.end();
  if (status == TENON_OK) status = ended;
  if (status != TENON_OK || base().status != TENON_OK) return refused(run, status, base());
  // Outputs first: those of view ops are part of the operands.
  for (const Tensor& tensor : made) {
    const Array blank = blank_like(contents_of(run.session, tensor.get()));
    const tenon_status written = tenon_tensor_set_data(run.session.context(), tensor.get(),
                                                       blank.bytes.data(), blank.bytes.size());
    if (written != TENON_E_ALIAS) run.session.check(written);  // a view that overlaps itself
  }
  for (size_t i = 0; i < other.arrays.size(); ++i) {
    bound.tensors()[i]->write(other.arrays[i]);
    other.arrays[i] = bound.tensors()[i]->read();
  }
  const Outcome expected = outcome_of(work_.subject.session(), other, work_.device);
  run.session.check(tenon_context_set_counter(run.session.context(), 0));
  status = tenon_plan_run(run.session.context(), capture.plan());
  if (status != TENON_OK || expected.status != TENON_OK) return refused(run, status, expected);
  if (auto fault = changed_input(call_, bound, other.arrays, *this)) return fault;
  return check_results(run, expected, contents_of_all(run.session, made), bound);
}

std::optional<Fault> Trials::run_aliased(Run& run) {
  const std::vector<size_t> numbers = numbers_in(run.each.detail);
  if (run.each.detail.starts_with("same")) return run_same(run, numbers.at(0), numbers.at(1));
  if (run.each.detail.starts_with("part")) {
    return run_overlapping(run, numbers.at(0), numbers.at(1));
  }
  return run_onto_input(run, numbers.at(0), static_cast<int64_t>(numbers.at(1)));
}

std::optional<Fault> Trials::run_same(Run& run, size_t first, size_t second) {
  SampleCall tied = call_;
  tied.arrays[second] = tied.arrays[first];
  run.tied = outcome_of(work_.subject.session(), tied, work_.device);
  Bound bound(run.session, call_, tied.arrays, run.inputs, run.device);
  bound.replace(second, bound.handle(first));
  std::vector<Tensor> made;
  const tenon_status status = verify::call(run.session, call_, bound, call_.n_outputs, made);
  if (status != TENON_OK || run.tied.status != TENON_OK) return refused(run, status, run.tied);
  if (auto fault = changed_input(call_, bound, tied.arrays, *this)) return fault;
  return check_results(run, run.tied, contents_of_all(run.session, made), bound);
}

// The second operand begins one element after the first.
std::optional<Fault> Trials::run_overlapping(Run& run, size_t first, size_t second) {
  const size_t size = sdk::size_of(call_.arrays[first].dtype);
  Array all = call_.arrays[first];
  all.bytes.insert(all.bytes.end(), call_.arrays[second].bytes.begin(),
                   call_.arrays[second].bytes.end());
  all.shape = {static_cast<int64_t>(all.bytes.size() / size)};
  const size_t shift = call_.arrays[first].count() > 1 ? 1 : 0;
  SampleCall tied = call_;
  std::copy_n(all.bytes.begin() + static_cast<ptrdiff_t>(shift * size),
              tied.arrays[second].bytes.size(), tied.arrays[second].bytes.begin());
  run.tied = outcome_of(work_.subject.session(), tied, work_.device);
  const Placed memory(run.session, all, Layout::Contiguous, run.device);
  Bound bound(run.session, call_, tied.arrays, run.inputs, run.device);
  const Tensor one = view_of(run.session, memory.get(), tied.arrays[first].shape, memory.offset());
  const Tensor two = view_of(run.session, memory.get(), tied.arrays[second].shape,
                             memory.offset() + static_cast<int64_t>(shift));
  bound.replace(first, one.get());
  bound.replace(second, two.get());
  std::vector<Tensor> made;
  const tenon_status status = verify::call(run.session, call_, bound, call_.n_outputs, made);
  if (status != TENON_OK || run.tied.status != TENON_OK) return refused(run, status, run.tied);
  if (memory.read() != all || !memory.outside_untouched()) {
    Fault fault;
    fault.kind = Fault::Kind::InputChanged;
    fault.index = first;
    fault.words = name_of_operand(false, first) + " was written";
    return fault;
  }
  return check_results(run, run.tied, contents_of_all(run.session, made), bound);
}

// The output lies one element beside an input: as if all inputs had been read first.
std::optional<Fault> Trials::run_onto_input(Run& run, size_t input, int64_t output_at) {
  const Outcome& expected = base();
  if (expected.status != TENON_OK) return std::nullopt;
  const Array& given = call_.arrays[input];
  const Array& result = expected.results[0];
  Array all =
      make_array(given.dtype, {static_cast<int64_t>(std::max(given.count(), result.count()) + 1)});
  const size_t size = sdk::size_of(given.dtype);
  const auto begin = static_cast<ptrdiff_t>(static_cast<size_t>(1 - output_at) * size);
  std::copy(given.bytes.begin(), given.bytes.end(), all.bytes.begin() + begin);
  const Placed memory(run.session, all, Layout::Contiguous, run.device);
  const Tensor in =
      view_of(run.session, memory.get(), given.shape, memory.offset() + 1 - output_at);
  const Tensor out = view_of(run.session, memory.get(), result.shape, memory.offset() + output_at);
  Bound bound(run.session, call_, call_.arrays, run.inputs, run.device);
  bound.replace(input, in.get());
  tenon_tensor* target = out.get();
  const tenon_status status = apply(run.session, call_, bound, {&target, 1});
  if (status != TENON_OK) return refused(run, status, expected);
  if (!memory.outside_untouched()) return outside_of(true, 0, Touched::Beyond);
  return differs(run, true, 0, result, contents_of(run.session, target));
}

Trials::Run Trials::run_of(const Case& each) {
  Subject& subject = work_.subject;
  const bool guarded = each.form == Form::Guarded;
  const Session& session = guarded ? subject.guarded() : subject.session();
  const auto first_output = each.layouts.begin() + static_cast<ptrdiff_t>(call_.arrays.size());
  return {.each = each,
          .session = session,
          .device = subject.device_in(session, work_.backend),
          .inputs = {each.layouts.begin(), first_output},
          .outputs = {first_output, each.layouts.end()}};
}

std::optional<Fault> Trials::run_against(const Case& each, const Outcome& expected) {
  Run run = run_of(each);
  run.given = &expected;
  return run_out(run);
}

std::optional<Fault> Trials::run(const Case& each) {
  Run run = run_of(each);
  switch (each.form) {
    case Form::Guarded:
      return run_out(run);
    case Form::InPlace:
      return run_in_place(run);
    case Form::Recorded:
      return run_recorded(run);
    case Form::Replayed:
      return run_replayed(run);
    default:
      if (!each.detail.empty()) return run_aliased(run);
      return each.form == Form::Out ? run_out(run) : run_returned(run);
  }
}

}  // namespace tenon::verify
