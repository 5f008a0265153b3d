// SPDX-License-Identifier: Apache-2.0
// sdk/verify/forward/diagnose.cc: see diagnose.h.
#include "forward/diagnose.h"

#include <algorithm>
#include <set>
#include <tenon/sdk/plugin/dtypes.hpp>

namespace tenon::verify {
namespace {

constexpr int kRepeats = 4;
constexpr size_t kBehind = 64;  // elements
constexpr unsigned char kOtherThanBlank = 0x11;

// An operand or output in the layouts of a case.
struct Place {
  bool output = false;
  size_t index = 0;  // among the operands, or among the outputs
  size_t at = 0;     // in Case::layouts
};

class Diagnoser {
 public:
  Diagnoser(Trials& trials, const Case& each, const Fault& fault)
      : trials_(trials), each_(each), fault_(fault) {}

  Diagnosis run();

 private:
  using Found = std::optional<Diagnosis>;
  Found of_repeats();
  Found of_blanks();
  Found of_surroundings();
  Found of_refusal();
  Found of_form();
  Diagnosis of_layouts();
  Diagnosis of_row_major(const Fault& fault);
  Diagnosis of_output(const Place& place, const Fault& fault, const std::set<Layout>& failing);
  Diagnosis of_input(const Place& place, const Fault& fault, const std::set<Layout>& failing);
  bool only_outside(const Fault& fault);
  const Cause* only_layout(const std::set<Layout>& failing) const;

  Outcome followed_by(unsigned char filler);
  const SampleCall& call() const { return trials_.call(); }
  std::vector<Place> places() const;
  const Shape& shape_of(const Place& place);
  std::vector<Layout> all_layouts(const Place& place);
  // The case with row-major operands and outputs, except for one.
  Case row_major();
  Case with_only(const Place& place, Layout layout);
  std::string claim_of(const Place& place) const;
  Diagnosis because(const Cause& cause, const std::string& words) const { return {&cause, words}; }

  Trials& trials_;
  Case each_;
  Fault fault_;
};

// ---- Variants of the case -----------------------------------------------------------------------

std::vector<Place> Diagnoser::places() const {
  std::vector<Place> all;
  const size_t n_inputs = call().arrays.size();
  for (size_t at = 0; at < each_.layouts.size(); ++at) {
    all.push_back({at >= n_inputs, at >= n_inputs ? at - n_inputs : at, at});
  }
  return all;
}

const Shape& Diagnoser::shape_of(const Place& place) {
  return place.output ? trials_.base().results.at(place.index).shape
                      : call().arrays[place.index].shape;
}

std::vector<Layout> Diagnoser::all_layouts(const Place& place) {
  const bool input = !place.output && !call().mutated[place.index];
  return layouts_for(shape_of(place), input, trials_.work().host_memory);
}

Case Diagnoser::row_major() {
  Case plain = each_;
  for (const Place& place : places()) plain.layouts[place.at] = all_layouts(place).front();
  return plain;
}

Case Diagnoser::with_only(const Place& place, Layout layout) {
  Case plain = row_major();
  plain.layouts[place.at] = layout;
  return plain;
}

// "; its slot says \"in strided\"" if the judged plugin has a kernel.
std::string Diagnoser::claim_of(const Place& place) const {
  const Work& work = trials_.work();
  const Kernel* kernel = work.op.own_kernel(work.subject.id(), work.backend);
  if (kernel == nullptr) return "";
  const size_t n_inputs = work.op.signature.inputs.size();
  const size_t slot = place.output ? n_inputs + place.index : call().slot[place.index];
  return slot < kernel->slots.size() ? "; the kernel's slot says \"" + kernel->slots[slot] + "\""
                                     : "";
}

// ---- Elements that were not written -------------------------------------------------------------

bool is_blank(const Array& array, size_t index) {
  const size_t size = sdk::size_of(array.dtype);
  const auto begin = array.bytes.begin() + static_cast<ptrdiff_t>(index * size);
  return std::all_of(begin, begin + static_cast<ptrdiff_t>(size),
                     [](unsigned char byte) { return byte == kUnwritten; });
}

// Of the elements that differ: as they were before the call.
struct Unwritten {
  size_t count = 0;
  bool all_differing = false;
  bool whole_output = false;
  bool tail = false;
};

Unwritten unwritten_in(const Fault& fault) {
  Unwritten unwritten;
  if (fault.kind != Fault::Kind::Values || !fault.output) return unwritten;
  const std::vector<size_t>& differing = fault.difference->all;
  const size_t total = fault.found.count();
  for (const size_t index : differing) unwritten.count += is_blank(fault.found, index) ? 1 : 0;
  unwritten.all_differing = unwritten.count == differing.size();
  size_t blank = 0;  // even if right results look like that
  for (size_t i = 0; i < total; ++i) blank += is_blank(fault.found, i) ? 1 : 0;
  unwritten.whole_output = blank == total;
  unwritten.tail = unwritten.all_differing && !unwritten.whole_output &&
                   differing.front() == total - differing.size();
  return unwritten;
}

std::optional<Diagnosis> unwritten_cause(const Fault& fault) {
  const Unwritten unwritten = unwritten_in(fault);
  if (unwritten.count == 0 || !unwritten.all_differing) return std::nullopt;
  if (unwritten.tail) {
    return Diagnosis{&causes::kSkippedTail, "the last " + std::to_string(unwritten.count) + " of " +
                                                std::to_string(fault.found.count()) +
                                                " elements were not written: " + fault.words};
  }
  return Diagnosis{&causes::kUnwritten, std::to_string(unwritten.count) + " of " +
                                            std::to_string(fault.found.count()) +
                                            " elements were not written: " + fault.words};
}

// ---- What it can be -----------------------------------------------------------------------------

Diagnosis Diagnoser::run() {
  if (fault_.kind == Fault::Kind::InputChanged) return because(causes::kInputChanged, fault_.words);
  if (Found found = of_blanks()) return *found;
  if (Found found = of_repeats()) return *found;
  if (Found found = of_refusal()) return *found;
  if (Found found = of_surroundings()) return *found;
  if (fault_.kind == Fault::Kind::Meta) return because(causes::kWrongShape, fault_.words);
  if (Found found = of_form()) return *found;
  return of_layouts();
}

// Row-major results that still hold what their memory held before: other layouts then look wrong.
Diagnoser::Found Diagnoser::of_blanks() {
  if (call().has_size_zero()) return std::nullopt;
  Outcome written = trials_.base();
  bool any = false;
  for (Array& array : written.results) {
    const size_t size = sdk::size_of(array.dtype);
    for (size_t i = 0; i < array.count(); ++i) {
      if (!is_blank(array, i)) continue;
      any = true;
      std::fill_n(array.bytes.begin() + static_cast<ptrdiff_t>(i * size), size, kOtherThanBlank);
    }
  }
  return any ? diagnose_unwritten(trials_, written) : std::nullopt;
}

// Row-major results that change from call to call say nothing about layouts.
Diagnoser::Found Diagnoser::of_repeats() {
  for (int time = 0; time < kRepeats; ++time) {
    const Outcome again =
        outcome_of(trials_.work().subject.session(), call(), trials_.work().device);
    for (size_t i = 0; i < std::min(again.results.size(), trials_.base().results.size()); ++i) {
      const auto difference = compare(trials_.base().results[i], again.results[i]);
      if (!difference) continue;
      if (Found unwritten = diagnose_unwritten(trials_, again)) return unwritten;
      return because(causes::kNondeterministic,
                     "the same row-major call gave other bits another time: " + difference->words);
    }
  }
  return std::nullopt;
}

// Row-major operands, each at the beginning of a storage that goes on behind it with `filler`.
Outcome Diagnoser::followed_by(unsigned char filler) {
  const Session& session = trials_.work().subject.session();
  const tenon_device& device = trials_.work().device;
  Bound bound(session, call(), device);
  std::vector<Tensor> owned;
  for (size_t i = 0; i < call().arrays.size(); ++i) {
    const Array& array = call().arrays[i];
    const auto wide = static_cast<int64_t>(array.count() + kBehind);
    Array storage = make_array(array.dtype, {wide});
    std::fill(storage.bytes.begin(), storage.bytes.end(), filler);
    std::copy(array.bytes.begin(), array.bytes.end(), storage.bytes.begin());
    tenon_tensor *base = nullptr, *view = nullptr;
    session.check(tenon_tensor_create_from(session.context(), array.dtype, &device, 1, &wide,
                                           storage.bytes.data(), storage.bytes.size(), &base));
    owned.emplace_back(base);
    const Shape strides = placement_of(array.shape, Layout::Contiguous).strides;
    session.check(tenon_tensor_create_view(session.context(), base,
                                           static_cast<int32_t>(array.shape.size()),
                                           array.shape.data(), strides.data(), 0, &view));
    owned.emplace_back(view);
    bound.replace(i, view);
  }
  std::vector<Tensor> made;
  Outcome outcome;
  outcome.status = verify::call(session, call(), bound, call().n_outputs, made);
  for (const Tensor& tensor : made) {
    if (tensor) outcome.results.push_back(contents_of(session, tensor.get()));
  }
  return outcome;
}

// Results that change with what lies after an operand look wrong in every layout.
Diagnoser::Found Diagnoser::of_surroundings() {
  if (call().mutates() || call().op->has_flag("transfer")) return std::nullopt;
  const Outcome one = followed_by(0x11);
  const Outcome other = followed_by(0x66);
  if (one.status != TENON_OK || other.status != TENON_OK) return std::nullopt;
  for (size_t i = 0; i < std::min(one.results.size(), other.results.size()); ++i) {
    const auto difference = compare(one.results[i], other.results[i]);
    if (!difference) continue;
    return because(causes::kReadsOutside,
                   "the result depends on bytes after the operands: " + difference->words);
  }
  return std::nullopt;
}

Diagnoser::Found Diagnoser::of_refusal() {
  if (fault_.kind != Fault::Kind::Refused) return std::nullopt;
  if (fault_.status != TENON_E_CHECK) {
    const bool empty = call().has_size_zero();
    return because(empty ? causes::kWrongAtSizeZero : causes::kRefused, fault_.words);
  }
  const auto says = [&](const char* part) {
    return fault_.message.find(part) != std::string::npos;
  };
  if (says("wrote to input")) return because(causes::kInputChanged, fault_.words);
  if (says("scratch")) return because(causes::kScratchOverrun, fault_.words);
  return std::nullopt;
}

// Recorded, replayed, in-place and aliased calls whose plain counterpart is right. If that is
// wrong too, it takes the place of the case.
Diagnoser::Found Diagnoser::of_form() {
  Case plain = each_;
  plain.detail.clear();
  plain.form = Form::Returned;
  const Cause* cause = nullptr;
  if (each_.form == Form::Guarded) {  // what is wrong without guards shows more there
    plain.form = Form::Out;
    if (const std::optional<Fault> fault = trials_.run(plain)) {
      each_ = plain;
      fault_ = *fault;
    }
    return std::nullopt;
  }
  if (!each_.detail.empty()) cause = &causes::kAliasing;
  if (each_.form == Form::Recorded) cause = &causes::kRecorded;
  if (each_.form == Form::Replayed) cause = &causes::kReplay;
  if (each_.form == Form::InPlace) {
    cause = &causes::kInPlace;
    plain.form = Form::Out;
    plain.layouts.push_back(plain.layouts.front());
  }
  if (cause == nullptr) return std::nullopt;
  if (each_.form == Form::Out) plain.form = Form::Out;
  for (Layout& layout : plain.layouts) {
    if (layout == Layout::Aliased) layout = Layout::Offset;  // as what is shared may lie
  }
  plain.detail.clear();
  const std::optional<Fault> fault = trials_.run(plain);
  if (!fault) return because(*cause, fault_.words);
  each_ = plain;
  fault_ = *fault;
  return std::nullopt;
}

Diagnosis Diagnoser::of_layouts() {
  if (call().has_size_zero()) return because(causes::kWrongAtSizeZero, fault_.words);
  if (const std::optional<Fault> fault = trials_.run(row_major())) return of_row_major(*fault);
  if (call().op->has_flag("random")) return because(causes::kRandomLayout, fault_.words);
  for (const Place& place : places()) {
    const Layout layout = each_.layouts[place.at];
    const std::vector<Layout> layouts = all_layouts(place);
    if (layout == layouts.front()) continue;
    const std::optional<Fault> fault = trials_.run(with_only(place, layout));
    if (!fault) continue;
    std::set<Layout> failing;
    for (const Layout other : layouts) {
      if (trials_.run(with_only(place, other))) failing.insert(other);
    }
    return place.output || call().mutated[place.index] ? of_output(place, *fault, failing)
                                                       : of_input(place, *fault, failing);
  }
  const bool output = fault_.output && fault_.kind != Fault::Kind::Refused;
  return because(output ? causes::kOutputStrides : causes::kInputStrides,
                 "for these layouts together, though for none of them alone: " + fault_.words);
}

// Wrong in memory that is watched, or into outputs that are given, and right otherwise.
Diagnosis Diagnoser::of_row_major(const Fault& fault) {
  if (fault.kind == Fault::Kind::Beyond || fault.kind == Fault::Kind::Holes) {
    return because(causes::kOverrun, fault.words + ", row-major");
  }
  if (fault.kind == Fault::Kind::Refused) {
    const auto says = [&](const char* part) {
      return fault.message.find(part) != std::string::npos;
    };
    if (says("wrote outside")) return because(causes::kOverrun, fault.words);
    if (says("did not write")) {
      Case given = row_major();
      given.form = Form::Out;
      const std::optional<Fault> seen = trials_.run(given);
      if (seen) {
        if (const Found found = unwritten_cause(*seen)) return *found;
      }
      return because(causes::kUnwritten, fault.words);
    }
    if (says("read bytes")) return because(causes::kReadsOutside, fault.words);
    if (!says("takes other layouts")) return because(causes::kRefused, fault.words);
    // Broadcast operands reach the kernel with zero strides.
    const bool broadcast = call().broadcasts();
    return because(broadcast ? causes::kWrongBroadcast : causes::kInputStrides, fault.words);
  }
  if (const Found found = unwritten_cause(fault)) return *found;
  Case returned = row_major();
  returned.form = Form::Returned;
  returned.layouts.resize(call().arrays.size());
  if (trials_.run(returned)) {
    return because(causes::kOffset,
                   "row-major operands, not at the beginning of their storage: " + fault.words);
  }
  return because(causes::kReadsOutside,
                 "the result depends on what the output held before the call: " + fault.words);
}

const Cause* Diagnoser::only_layout(const std::set<Layout>& failing) const {
  // Of these alone element (0, ..., 0) does not lie where a storage could begin.
  static const std::set begins_inside = {Layout::Offset, Layout::Negative, Layout::Unaligned};
  if (failing.contains(Layout::Offset) &&
      std::includes(begins_inside.begin(), begins_inside.end(), failing.begin(), failing.end())) {
    return &causes::kOffset;
  }
  if (failing == std::set{Layout::Negative}) return &causes::kNegativeStride;
  if (failing == std::set{Layout::Unaligned}) return &causes::kUnaligned;
  const std::set overlapping = {Layout::ZeroStride, Layout::Window};
  if (failing == std::set{Layout::ZeroStride} || failing == overlapping) {
    return &causes::kZeroStride;
  }
  return nullptr;
}

// All elements are right, and more than those was written.
bool Diagnoser::only_outside(const Fault& fault) {
  if (fault.kind == Fault::Kind::Holes || fault.kind == Fault::Kind::Beyond) {
    return fault.output && !fault.difference;
  }
  if (fault.message.find("wrote outside") == std::string::npos) return false;
  Case given = each_;
  given.form = Form::Out;
  const std::optional<Fault> seen = trials_.run(given);
  return !seen || (seen->output && !seen->difference);
}

Diagnosis Diagnoser::of_output(const Place& place, const Fault& fault,
                               const std::set<Layout>& failing) {
  const std::string words = std::string(name_of(each_.layouts[place.at])) + " " +
                            trials_.name_of_operand(place.output, place.index) + ": " +
                            fault.words + claim_of(place);
  if (only_outside(fault)) return because(causes::kOverrun, words);
  if (const Cause* cause = only_layout(failing)) return because(*cause, words);
  if (fault.kind != Fault::Kind::Values) return because(causes::kOutputStrides, words);
  if (!place.output) {  // written in place
    const bool lost = !compare(call().arrays[place.index], fault.found);
    return because(lost ? causes::kLostOutput : causes::kOutputStrides, words);
  }
  if (unwritten_in(fault).whole_output) return because(causes::kLostOutput, words);
  if (const Found found = unwritten_cause(fault)) return because(*found->cause, words);
  return because(causes::kOutputStrides, words);
}

Diagnosis Diagnoser::of_input(const Place& place, const Fault& fault,
                              const std::set<Layout>& failing) {
  const std::string words = std::string(name_of(each_.layouts[place.at])) + " " +
                            trials_.name_of_operand(false, place.index) + ": " + fault.words +
                            claim_of(place);
  const Cause* cause = only_layout(failing);
  return because(cause != nullptr ? *cause : causes::kInputStrides, words);
}

}  // namespace

Diagnosis diagnose(Trials& trials, const Case& each, const Fault& fault) {
  return Diagnoser(trials, each, fault).run();
}

std::optional<Diagnosis> diagnose_unwritten(Trials& trials, const Outcome& expected) {
  const auto mutated = static_cast<size_t>(
      std::count(trials.call().mutated.begin(), trials.call().mutated.end(), true));
  std::vector<Layout> outputs;
  for (size_t i = 0; i + mutated < expected.results.size(); ++i) {
    outputs.push_back(row_major_for(expected.results[i].shape));
  }
  const Case given = trials.make(Form::Out, trials.call().row_major(), outputs);
  const std::optional<Fault> fault = trials.run_against(given, expected);
  if (!fault) return std::nullopt;
  if (fault->kind == Fault::Kind::Beyond) return Diagnosis{&causes::kOverrun, fault->words};
  return unwritten_cause(*fault);
}

}  // namespace tenon::verify
