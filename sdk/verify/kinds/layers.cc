// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/layers.cc: layers by their own samples: inputs of any layout, gradients against
// differences, state out of one and into another, and what must be refused.
#include <algorithm>

#include "backward/backward_call.h"
#include "case/oracle.h"
#include "kinds/checks.h"
#include "kinds/layer_runs.h"

namespace tenon::verify {
namespace {

// ---- One layer ----------------------------------------------------------------------------------

class LayerChecks {
 public:
  LayerChecks(Subject& subject, Recorder& recorder, const Request& request, const Json& layer)
      : session_(subject.session()),
        recorder_(recorder),
        runs_(session_, layer, request.seed),
        name_(layer.at("name")) {
    for (const Json& device : session_.query("devices")) {
      if (device.at("host_memory")) backend_ = device.at("kind");
    }
  }

  void check_declared(const Json& layer);
  void check_refused(const LayerSample& sample);
  void check_made(const LayerSample& sample);
  // One case of a golden file.
  void check_golden(const LayerSample& sample, const Json& stated, uint32_t number,
                    const std::map<std::string, Tolerance>& tolerances);
  void check_layouts(const LayerSample& sample);
  void check_gradients(const LayerSample& sample);
  void check_state(const LayerSample& sample);
  void check_counters(const LayerSample& sample);

 private:
  template <class Body>
  void each_case(const LayerSample& sample, Form form, const std::vector<Layout>& layouts,
                 const std::string& detail, Body&& body) {
    Case each;
    each.op = name_;
    each.sample = sample.number;
    each.layouts = layouts;
    each.form = form;
    each.backend = backend_;
    each.detail = detail;
    run_case(recorder_, each, causes::kRefused, std::forward<Body>(body));
  }

  std::optional<Finding> refused_case(const LayerSample& sample) const;
  std::optional<Finding> made_case(const LayerSample& sample, bool training) const;
  std::optional<Finding> golden_case(const LayerSample& sample, const Json& stated,
                                     const std::map<std::string, Tolerance>& tolerances) const;
  std::optional<Finding> layout_case(const LayerSample& sample, bool training,
                                     const std::vector<Layout>& layouts) const;
  std::optional<Finding> state_case(const LayerSample& sample) const;

  const Session& session_;
  Recorder& recorder_;
  LayerRuns runs_;
  std::string name_, backend_;
};

const char* mode_text(bool training) { return training ? "training" : "evaluation"; }

std::optional<std::string> differ(const std::vector<Array>& expected,
                                  const std::vector<Array>& found) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].shape != found[i].shape || expected[i].dtype != found[i].dtype) {
      return "output " + std::to_string(i) + ": expected " + text_of(expected[i]) + ", found " +
             text_of(found[i]);
    }
    const auto difference = compare(expected[i], found[i]);
    if (difference) return "output " + std::to_string(i) + ", " + difference->words;
  }
  return std::nullopt;
}

// ---- What it says of itself, and what it must refuse --------------------------------------------

void LayerChecks::check_declared(const Json& layer) {
  each_case({}, Form::Declared, {}, "", [&]() -> std::optional<Finding> {
    if (layer.at("doc").get<std::string>().empty()) {
      return Finding{&causes::kNoDocumentation, "its `doc` is empty"};
    }
    const Json& samples = layer.at("samples");
    const auto good = std::count_if(samples.begin(), samples.end(), [](const Json& sample) {
      return sample.at("expect") == TENON_OK;
    });
    if (good == 0) return Finding{&causes::kNoSamples, "it has no sample that succeeds"};
    if (good < static_cast<ptrdiff_t>(samples.size())) return std::nullopt;
    return Finding{&causes::kNoSamples, "it has no sample that is refused"};
  });
}

std::optional<Finding> LayerChecks::refused_case(const LayerSample& sample) const {
  Layer layer;
  tenon_status status = runs_.create(sample, layer);
  if (status == TENON_OK) {
    std::vector<Tensor> outputs;
    status = runs_.call(layer, runs_.placed(sample, plain_layouts(sample)), outputs);
  }
  const std::string expected = std::string("expected ") + tenon_status_get_name(sample.expect) +
                               " with words that contain \"" + sample.fragment + "\", found ";
  if (status == TENON_OK) return Finding{&causes::kNotRefused, expected + "success"};
  const std::string words = failure_of(session_, status);
  const bool says = words.find(sample.fragment) != std::string::npos;
  if (status == sample.expect && says) return std::nullopt;
  return Finding{&causes::kErrorStatus, expected + words};
}

void LayerChecks::check_refused(const LayerSample& sample) {
  each_case(sample, Form::Error, plain_layouts(sample), "", [&] { return refused_case(sample); });
}

// ---- Values -------------------------------------------------------------------------------------

// The seed decides the initial values and the results; parameters are leaves that want gradients.
std::optional<Finding> LayerChecks::made_case(const LayerSample& sample, bool training) const {
  const Layer first = runs_.made(sample, training), second = runs_.made(sample, training);
  const std::vector<LayerTensor> a = runs_.tensors_of(first), b = runs_.tensors_of(second);
  if (a.size() != b.size()) {
    return Finding{&causes::kNondeterministic, "another time it has other tensors"};
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (contents_of(session_, a[i].tensor) != contents_of(session_, b[i].tensor)) {
      return Finding{&causes::kNondeterministic,
                     "the same seed gives " + a[i].name + " other initial values another time"};
    }
    const bool wants = (tensor_flags(session_, a[i].tensor) & TENON_TENSOR_REQUIRES_GRAD) != 0;
    if (wants != a[i].is_buffer) continue;
    return Finding{&causes::kLayerState, a[i].name + (wants ? " is a buffer and requires a gradient"
                                                            : " is a parameter and wants none")};
  }
  const LayerRuns::Placements inputs = runs_.placed(sample, plain_layouts(sample));
  if (const auto words =
          differ(runs_.results_of(first, inputs), runs_.results_of(second, inputs))) {
    return Finding{&causes::kNondeterministic, "called another time, " + *words};
  }
  return std::nullopt;
}

void LayerChecks::check_made(const LayerSample& sample) {
  for (const bool training : {true, false}) {
    each_case(sample, Form::Repeated, plain_layouts(sample), mode_text(training),
              [&] { return made_case(sample, training); });
  }
}

// Inputs and tensors are as the golden file states them.
std::optional<Finding> LayerChecks::golden_case(
    const LayerSample& sample, const Json& stated,
    const std::map<std::string, Tolerance>& tolerances) const {
  LayerSample given = sample;
  given.inputs.clear();
  for (const Json& operand : stated.at("operands")) given.inputs.push_back(stated_array(operand));
  const Layer layer = runs_.made(given, stated.value("training", false));
  for (const auto& [name, tensor] : stated.at("tensors").items()) {
    const Placed placed(session_, stated_array(tensor), Layout::Contiguous, runs_.host(),
                        Guards::None);
    session_.check(tenon_layer_set_tensor(session_.context(), layer.get(), name.data(), name.size(),
                                          placed.get()));
  }
  const std::vector<Array> found =
      runs_.results_of(layer, runs_.placed(given, plain_layouts(given)));
  const Json& results = stated.at("results");
  for (size_t i = 0; i < results.size() && i < found.size(); ++i) {
    const Array expected = stated_array(results[i]);
    const auto tolerance = tolerances.find(dtype_name(expected.dtype));
    const auto off = compare(expected, found[i],
                             tolerance == tolerances.end() ? Tolerance() : tolerance->second);
    if (!off) continue;
    return Finding{off->all.empty() ? &causes::kWrongShape : &causes::kWrongValue,
                   "output " + std::to_string(i) + ", " + off->words};
  }
  if (results.size() == found.size()) return std::nullopt;
  return Finding{&causes::kWrongShape, "expected " + std::to_string(results.size()) +
                                           " outputs, found " + std::to_string(found.size())};
}

void LayerChecks::check_golden(const LayerSample& sample, const Json& stated, uint32_t number,
                               const std::map<std::string, Tolerance>& tolerances) {
  each_case(sample, Form::Returned, plain_layouts(sample), "golden" + std::to_string(number),
            [&] { return golden_case(sample, stated, tolerances); });
}

std::optional<Finding> LayerChecks::layout_case(const LayerSample& sample, bool training,
                                                const std::vector<Layout>& layouts) const {
  const LayerRuns::Placements inputs = runs_.placed(sample, layouts);
  std::vector<Array> before;
  for (const auto& input : inputs) before.push_back(input->read());
  const std::vector<Array> found = runs_.results_of(runs_.made(sample, training), inputs);
  if (const auto words = differ(runs_.results_of(sample, training, before), found)) {
    return Finding{&causes::kInputStrides, "with row-major inputs and with these, " + *words};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]->outside_untouched() && inputs[i]->read() == before[i]) continue;
    return Finding{&causes::kInputChanged, "a call wrote to input " + std::to_string(i)};
  }
  return std::nullopt;
}

// All inputs in each layout, then each alone.
void LayerChecks::check_layouts(const LayerSample& sample) {
  const size_t n = sample.inputs.size();
  std::set<std::vector<Layout>> tried;
  const auto try_layouts = [&](Layout layout, size_t begin, size_t end) {
    std::vector<Layout> layouts = plain_layouts(sample);
    for (size_t i = begin; i < end; ++i) {
      if (applies(layout, sample.inputs[i].shape, true, true)) layouts[i] = layout;
    }
    if (!tried.insert(layouts).second) return;
    for (const bool training : {true, false}) {
      each_case(sample, Form::Returned, layouts, mode_text(training),
                [&] { return layout_case(sample, training, layouts); });
    }
  };
  for (uint8_t number = 0; number < kLayoutCount; ++number) {
    try_layouts(static_cast<Layout>(number), 0, n);
    for (size_t i = 0; n > 1 && i < n; ++i) try_layouts(static_cast<Layout>(number), i, i + 1);
  }
}

// ---- Gradients ----------------------------------------------------------------------------------

void LayerChecks::check_gradients(const LayerSample& sample) {
  for (const bool training : {true, false}) {
    each_case(sample, Form::Gradient, plain_layouts(sample), mode_text(training),
              [&] { return wrong_gradient(runs_, sample, training); });
  }
}

// ---- State --------------------------------------------------------------------------------------

std::optional<Finding> LayerChecks::state_case(const LayerSample& sample) const {
  const LayerRuns::Placements inputs = runs_.placed(sample, plain_layouts(sample));
  const Layer first = runs_.made(sample, true);
  runs_.results_of(first, inputs);  // moves what training moves
  runs_.restart(runs_.seed() + 1);
  Layer second;
  session_.check(runs_.create(sample, second));
  for (const LayerTensor& each : runs_.tensors_of(first)) {
    session_.check(tenon_layer_set_tensor(session_.context(), second.get(), each.name.data(),
                                          each.name.size(), each.tensor));
  }
  runs_.set_training(first, false);
  runs_.set_training(second, false);
  if (const auto words =
          differ(runs_.results_of(first, inputs), runs_.results_of(second, inputs))) {
    return Finding{&causes::kLayerState, "something is kept beside its tensors: " + *words};
  }
  return std::nullopt;
}

void LayerChecks::check_state(const LayerSample& sample) {
  each_case(sample, Form::Resume, plain_layouts(sample), "", [&] { return state_case(sample); });
}

void LayerChecks::check_counters(const LayerSample& sample) {
  const auto live = [&] {
    tenon_stats now{};
    now.struct_size = sizeof now;
    session_.check(tenon_runtime_get_stats(session_.context(), &now));
    return std::to_string(now.tensors) + " tensors, " + std::to_string(now.storages) +
           " storages, " + std::to_string(now.nodes) + " nodes, " + std::to_string(now.bytes_live) +
           " bytes";
  };
  each_case(
      sample, Form::Repeated, plain_layouts(sample), "counters", [&]() -> std::optional<Finding> {
        runs_.results_of(sample, true, sample.inputs);  // what is made once is there now
        const std::string before = live();
        runs_.results_of(sample, true, sample.inputs);
        const std::string after = live();
        if (before == after) return std::nullopt;
        return Finding{&causes::kLeak,
                       "expected after a layer's life " + before + " as before it, found " + after};
      });
}

}  // namespace

void check_layer(Subject& subject, Recorder& recorder, const Request& request, const Json& entry) {
  const std::string layer = entry.at("name");
  LayerChecks checks(subject, recorder, request, entry);
  checks.check_declared(entry);
  Goldens goldens(request, subject.folder());
  std::string folder;
  const Json stated = goldens.cases_of("layers", layer, folder);
  const auto tolerances = goldens.tolerances_of("layers", layer);
  // Of one sample; whether there are any.
  const auto compare_golden = [&](const LayerSample& sample, const std::string& text) {
    uint32_t found = 0;
    for (const Json& each : stated) {
      if (each.at("sample") != text || each.at("results").empty()) continue;
      checks.check_golden(sample, each, found++, tolerances);
    }
    return found != 0;
  };
  bool good = false;
  uint32_t number = 0;
  for (const Json& text : entry.at("samples")) {
    const LayerSample sample = sample_of(text, number++, request.seed);
    if (!recorder.wants(layer, sample.number)) continue;
    if (sample.expect != TENON_OK) {
      checks.check_refused(sample);
      continue;
    }
    if (!compare_golden(sample, text.at("text"))) {
      recorder.unwitnessed(layer, "values",
                           "no golden file states results of sample " +
                               std::to_string(sample.number) + " \"" +
                               text.at("text").get<std::string>() + "\"" +
                               (stated.empty() ? "" : ", or they are not filled in yet"));
    }
    checks.check_made(sample);
    checks.check_gradients(sample);
    checks.check_state(sample);
    if (request.level == kSmoke && good) continue;
    checks.check_layouts(sample);
    checks.check_counters(sample);
    good = true;
  }
}

}  // namespace tenon::verify
