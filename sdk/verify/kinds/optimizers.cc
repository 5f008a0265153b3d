// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/optimizers.cc: whole runs of an optimizer: against its reference trace, with
// strided parameters and gradients, saved and resumed, captured, and what it must refuse.
#include <algorithm>
#include <cmath>
#include <tenon/sdk/plugin/sample_value.hpp>

#include "backward/backward_call.h"
#include "case/finding.h"
#include "case/oracle.h"
#include "case/training.h"
#include "kinds/checks.h"
#include "process/recorder.h"

namespace tenon::verify {
namespace {

// ---- Comparing ----------------------------------------------------------------------------------

std::optional<std::string> differ(const State& expected, const State& found,
                                  const std::function<Tolerance(tenon_dtype)>& tolerance) {
  const auto compared = [&](const std::vector<Array>& right, const std::vector<Array>& given,
                            const std::string& name) -> std::optional<std::string> {
    if (right.size() != given.size()) {
      return "expected " + std::to_string(right.size()) + " of " + name + ", found " +
             std::to_string(given.size());
    }
    for (size_t i = 0; i < right.size(); ++i) {
      if (right[i].shape != given[i].shape || right[i].dtype != given[i].dtype) {
        return name + " " + std::to_string(i) + ": expected " + text_of(right[i]) + ", found " +
               text_of(given[i]);
      }
      const auto difference = compare(right[i], given[i], tolerance(right[i].dtype));
      if (difference) return name + " " + std::to_string(i) + ": " + difference->words;
    }
    return std::nullopt;
  };
  if (auto words = compared(expected.parameters, found.parameters, "parameter")) return words;
  for (const auto& [name, arrays] : expected.states) {
    const auto given = found.states.find(name);
    if (given == found.states.end()) return "there is no state " + name;
    auto words = compared(arrays, given->second, "state " + name + " of parameter");
    if (words) return words;
  }
  return std::nullopt;
}

constexpr uint32_t kMoreSteps = 2;  // after those of the sample, when a run is resumed

Tolerance exactly(tenon_dtype) { return {}; }

// ---- One optimizer ------------------------------------------------------------------------------

class OptimizerChecks {
 public:
  OptimizerChecks(Subject& subject, Recorder& recorder, const Request& request,
                  const Json& optimizer)
      : session_(subject.session()),
        recorder_(recorder),
        request_(request),
        optimizer_(optimizer),
        name_(optimizer.at("name")),
        host_(host_of(session_)) {
    for (const Json& device : session_.query("devices")) {
      if (device.at("host_memory")) backend_ = device.at("kind");
    }
    for (const Json& state : optimizer.at("states")) states_.push_back(state.at("name"));
  }

  void check_refused(const RunSample& sample);
  void check_ranges(const RunSample& sample);
  // `sample` is drawn with sdk::kDrawSeed, the seed of all golden files.
  void check_golden(const RunSample& sample, Goldens& goldens);
  void check_layouts(const RunSample& sample);
  void check_resumed(const RunSample& sample);
  void check_parts(const RunSample& sample);
  void check_counters(const RunSample& sample);

 private:
  template <class Body>
  void each_case(const RunSample& sample, Form form, const std::vector<Layout>& layouts,
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

  std::vector<Named> hypers_of(const RunSample& sample) const {
    std::vector<Named> hypers;
    for (const auto& [name, value] : sample.parsed.attrs) {
      hypers.push_back({name, sdk::sample_attribute(value)});
    }
    return hypers;
  }

  static Training::Gradients drawn(const RunSample& sample, uint64_t seed) {
    return [&sample, seed](uint32_t step, size_t index) {
      return gradient_of(sample, step, index, seed);
    };
  }

  std::unique_ptr<Training> started(const RunSample& sample, std::span<const Layout> layouts,
                                    uint64_t seed) const {
    auto training =
        std::make_unique<Training>(session_, sample, layouts, host_, drawn(sample, seed));
    session_.check(training->create(name_, hypers_of(sample)));
    return training;
  }

  // The eager run with row-major tensors, one entry a step.
  std::vector<State> new_trace(const RunSample& sample, uint32_t steps, uint64_t seed) const {
    const auto training = started(sample, plain_layouts(sample), seed);
    std::vector<State> trace;
    for (uint32_t step = 0; step < steps; ++step) {
      training->step(step);
      trace.push_back(training->state(states_));
    }
    return trace;
  }

  // The first such run of a sample, as long as any check needs.
  const std::vector<State>& trace_of(const RunSample& sample) {
    std::vector<State>& trace = traces_[sample.number];
    if (trace.empty()) trace = new_trace(sample, sample.steps + kMoreSteps, request_.seed);
    return trace;
  }
  // Another run has to begin like the first.
  std::optional<Finding> remembered(const RunSample& sample);

  std::optional<Finding> refused_case(const RunSample& sample, const std::vector<Named>& hypers,
                                      tenon_status expect, const std::string& fragment) const;
  std::optional<Finding> golden_case(const RunSample& sample, GoldenRun& golden);
  std::optional<Finding> layout_case(const RunSample& sample, const std::vector<Layout>& layouts);
  std::optional<Finding> resumed_case(const RunSample& sample, bool captured);
  std::optional<Finding> parts_case(const RunSample& sample);

  const Session& session_;
  Recorder& recorder_;
  const Request& request_;
  const Json& optimizer_;
  std::string name_, backend_;
  std::vector<std::string> states_;
  std::map<uint32_t, std::vector<State>> traces_;
  tenon_device host_;
};

std::optional<Finding> OptimizerChecks::remembered(const RunSample& sample) {
  const std::vector<State> again = new_trace(sample, sample.steps, request_.seed);
  for (size_t step = 0; step < again.size(); ++step) {
    const auto words = differ(trace_of(sample)[step], again[step], exactly);
    if (!words) continue;
    return Finding{&causes::kOptimizerResume,
                   "a new optimizer over new parameters does not begin like the first one did: "
                   "something is kept beside the states; after step " +
                       std::to_string(step) + " " + *words};
  }
  return std::nullopt;
}

std::optional<Finding> OptimizerChecks::refused_case(const RunSample& sample,
                                                     const std::vector<Named>& hypers,
                                                     tenon_status expect,
                                                     const std::string& fragment) const {
  Training training(session_, sample, plain_layouts(sample), host_, drawn(sample, request_.seed));
  const tenon_status status = training.create(name_, hypers);
  const std::string expected = std::string("expected ") + tenon_status_get_name(expect) +
                               " with words that contain \"" + fragment + "\", found ";
  if (status == TENON_OK) return Finding{&causes::kNotRefused, expected + "success"};
  const std::string words = failure_of(session_, status);
  if (status == expect && words.find(fragment) != std::string::npos) return std::nullopt;
  return Finding{&causes::kErrorStatus, expected + words};
}

void OptimizerChecks::check_refused(const RunSample& sample) {
  each_case(sample, Form::Error, plain_layouts(sample), "", [&] {
    return refused_case(sample, hypers_of(sample), sample.expect, sample.fragment);
  });
}

// Every hyper-parameter beyond its range, and one that is not there.
void OptimizerChecks::check_ranges(const RunSample& sample) {
  const auto with = [&](const std::string& name, double number, const std::string& type) {
    std::vector<Named> hypers = hypers_of(sample);
    std::erase_if(hypers, [&](const Named& hyper) { return hyper.name == name; });
    tenon_value value{TENON_VALUE_F64, 0, {}};
    value.as.f64 = number;
    if (type == "int") {
      value.tag = TENON_VALUE_I64;
      value.as.i64 = static_cast<int64_t>(number);
    }
    hypers.push_back({name, value});
    return hypers;
  };
  const std::string unknown = "no_such_hyper_parameter";
  each_case(sample, Form::Error, plain_layouts(sample), "unknown", [&] {
    return refused_case(sample, with(unknown, 1, "float"), TENON_E_ATTRIBUTE, unknown);
  });
  uint32_t number = 0;
  for (const Json& hyper : optimizer_.at("hypers")) {
    const std::string name = hyper.at("name");
    const std::string type = hyper.at("type");
    const std::string place = std::to_string(number++);
    if (type == "bool") continue;
    const auto beyond = [&](const std::string& side, double end, double value) {
      if (!std::isfinite(end) || value == end || !std::isfinite(value)) return;
      each_case(sample, Form::Error, plain_layouts(sample), side + place, [&] {
        return refused_case(sample, with(name, value, type), TENON_E_ATTRIBUTE, name);
      });
    };
    const double minimum =
        hyper.at("minimum").is_null() ? -HUGE_VAL : hyper.at("minimum").get<double>();
    const double maximum =
        hyper.at("maximum").is_null() ? HUGE_VAL : hyper.at("maximum").get<double>();
    beyond("below", minimum, minimum - 1);
    beyond("above", maximum, maximum + 1);
    if (type == "int") continue;
    each_case(sample, Form::Error, plain_layouts(sample), "nan" + place, [&] {
      return refused_case(sample, with(name, std::nan(""), type), TENON_E_ATTRIBUTE, name);
    });
  }
}

// ---- The reference trace ------------------------------------------------------------------------

std::optional<Finding> OptimizerChecks::golden_case(const RunSample& sample, GoldenRun& golden) {
  if (golden.inputs != checksum_of_run(sample, sdk::kDrawSeed)) {
    return Finding{&causes::kOptimizerTrace,
                   "the reference trace is that of other parameters or gradients; make the golden "
                   "files anew"};
  }
  const bool known = request_.seed == sdk::kDrawSeed;
  const std::vector<State> found =
      known ? trace_of(sample) : new_trace(sample, sample.steps, sdk::kDrawSeed);
  for (size_t step = 0; step < sample.steps; ++step) {
    const auto words = differ(golden.trace[step], found[step], [&](tenon_dtype dtype) {
      return golden.tolerances[dtype_name(dtype)];
    });
    if (words) {
      return Finding{&causes::kOptimizerTrace,
                     "after step " + std::to_string(step) + ", " + *words};
    }
  }
  return std::nullopt;
}

void OptimizerChecks::check_golden(const RunSample& sample, Goldens& goldens) {
  std::optional<GoldenRun> golden = goldens.find_run(name_, sample);
  if (golden) {
    return each_case(sample, Form::Trace, plain_layouts(sample), "",
                     [&] { return golden_case(sample, *golden); });
  }
  recorder_.unwitnessed(name_, "trace",
                        "no golden file has a trace of sample " + std::to_string(sample.number) +
                            " \"" + sample.text + "\"" +
                            (goldens.met_skeleton() ? "; the one there is states none yet" : ""));
}

// ---- Layouts ------------------------------------------------------------------------------------

std::optional<Finding> OptimizerChecks::layout_case(const RunSample& sample,
                                                    const std::vector<Layout>& layouts) {
  const std::vector<State>& expected = trace_of(sample);
  const auto training = started(sample, layouts, request_.seed);
  for (uint32_t step = 0; step < sample.steps; ++step) {
    training->step(step);
    if (const auto words = differ(expected[step], training->state(states_), exactly)) {
      if (auto finding = remembered(sample)) return finding;
      return Finding{&causes::kOptimizerStrides, "after step " + std::to_string(step) +
                                                     " with row-major tensors and with "
                                                     "these layouts, " +
                                                     *words};
    }
    if (auto problem = training->memory_problem(states_, step)) return problem;
  }
  return std::nullopt;
}

// All parameters, all gradients and both in each layout, then each parameter alone.
void OptimizerChecks::check_layouts(const RunSample& sample) {
  const size_t n = sample.parameters.size();
  std::set<std::vector<Layout>> tried;
  const auto try_layouts = [&](Layout layout, size_t begin, size_t end, const char* detail) {
    std::vector<Layout> layouts = plain_layouts(sample);
    for (size_t i = begin; i < end; ++i) {
      if (applies(layout, sample.parameters[i % n].shape, false, true)) layouts[i] = layout;
    }
    if (!tried.insert(layouts).second) return;
    each_case(sample, Form::Trace, layouts, detail, [&] { return layout_case(sample, layouts); });
  };
  for (uint8_t number = 0; number < kLayoutCount; ++number) {
    const auto layout = static_cast<Layout>(number);
    try_layouts(layout, 0, n, "parameters");
    try_layouts(layout, n, 2 * n, "gradients");
    try_layouts(layout, 0, 2 * n, "both");
    for (size_t i = 0; n > 1 && i < n; ++i) try_layouts(layout, i, i + 1, "one");
  }
}

// ---- Saved and resumed --------------------------------------------------------------------------

// States appear with a parameter's first step: that one is run, then all is overwritten.
std::optional<Finding> OptimizerChecks::resumed_case(const RunSample& sample, bool captured) {
  const uint32_t total = sample.steps + kMoreSteps;
  const uint32_t saved_at = total / 2;
  const std::vector<State>& expected = trace_of(sample);
  const auto training = started(sample, plain_layouts(sample), request_.seed);
  training->step(total);
  training->restore(expected[saved_at - 1]);
  for (uint32_t step = saved_at; step < total; ++step) {
    if (!captured) {
      training->step(step);
    } else if (step == saved_at) {
      training->capture_step(step);
    } else {
      training->replay_step(step);
    }
    if (const auto words = differ(expected[step], training->state(states_), exactly)) {
      return Finding{captured ? &causes::kReplay : &causes::kOptimizerResume,
                     "saved after step " + std::to_string(saved_at - 1) +
                         " and resumed, after "
                         "step " +
                         std::to_string(step) + " " + *words};
    }
  }
  return std::nullopt;
}

void OptimizerChecks::check_resumed(const RunSample& sample) {
  for (const bool captured : {false, true}) {
    each_case(sample, Form::Resume, plain_layouts(sample), captured ? "captured" : "",
              [&] { return resumed_case(sample, captured); });
  }
}

// ---- Parts --------------------------------------------------------------------------------------

// Elements [0, n/2) or [n/2, n), as one dimension.
Array half_of(const Array& whole, size_t which) {
  const auto n = static_cast<int64_t>(whole.count());
  const int64_t first = n / 2;
  Array half = make_array(whole.dtype, {which == 0 ? first : n - first});
  const size_t bytes = n == 0 ? 0 : whole.bytes.size() / static_cast<size_t>(n);
  const size_t begin = which == 0 ? 0 : static_cast<size_t>(first) * bytes;
  std::copy_n(whole.bytes.begin() + static_cast<std::ptrdiff_t>(begin), half.bytes.size(),
              half.bytes.begin());
  return half;
}

// Halves in pairs, cut from arrays like `like`. A scalar stands for itself, in each.
std::vector<Array> halves_of(const std::vector<Array>& like, bool scalars) {
  std::vector<Array> halves;
  for (const Array& whole : like) {
    for (const size_t which : {0u, 1u}) halves.push_back(scalars ? whole : half_of(whole, which));
  }
  return halves;
}

// Each parameter as two, which the step updates apart.
std::optional<Finding> OptimizerChecks::parts_case(const RunSample& sample) {
  const std::vector<State>& expected = trace_of(sample);
  RunSample parts = sample;
  parts.parameters = halves_of(sample.parameters, false);
  Training training(session_, parts, plain_layouts(parts), host_, [&](uint32_t step, size_t index) {
    return half_of(gradient_of(sample, step, index / 2, request_.seed), index % 2);
  });
  session_.check(training.create(name_, hypers_of(sample)));
  for (uint32_t step = 0; step < sample.steps; ++step) {
    training.step(step);
    State halves;
    halves.parameters = halves_of(expected[step].parameters, false);
    for (const Json& state : optimizer_.at("states")) {
      const std::string name = state.at("name");
      halves.states[name] =
          halves_of(expected[step].states.at(name), state.at("shape") == "scalar");
    }
    if (const auto words = differ(halves, training.state(states_), exactly)) {
      return Finding{&causes::kOptimizerParts, "with each parameter cut into two, after step " +
                                                   std::to_string(step) + " " + *words};
    }
  }
  return std::nullopt;
}

void OptimizerChecks::check_parts(const RunSample& sample) {
  if (!optimizer_.at("by_element")) return;
  each_case(sample, Form::Trace, plain_layouts(sample), "parts",
            [&] { return parts_case(sample); });
}

void OptimizerChecks::check_counters(const RunSample& sample) {
  each_case(
      sample, Form::Trace, plain_layouts(sample), "counters", [&]() -> std::optional<Finding> {
        const auto stats = [&] {
          tenon_stats now{};
          now.struct_size = sizeof now;
          session_.check(tenon_runtime_get_stats(session_.context(), &now));
          return now;
        };
        new_trace(sample, 1, request_.seed);  // what is made once is there now
        const tenon_stats before = stats();
        new_trace(sample, sample.steps, request_.seed);
        const tenon_stats after = stats();
        const auto text = [](const tenon_stats& now) {
          return std::to_string(now.tensors) + " tensors, " + std::to_string(now.storages) +
                 " storages, " + std::to_string(now.nodes) + " nodes, " +
                 std::to_string(now.plans) + " plans, " + std::to_string(now.bytes_live) + " bytes";
        };
        if (text(before) == text(after)) return std::nullopt;
        return Finding{&causes::kLeak, "expected after a run " + text(before) +
                                           " as before it, found " + text(after)};
      });
}

}  // namespace

void check_optimizer(Subject& subject, Recorder& recorder, const Request& request,
                     const Json& entry) {
  const std::string optimizer = entry.at("name");
  OptimizerChecks checks(subject, recorder, request, entry);
  Goldens goldens(request, subject.folder());
  bool good = false;
  const Json& texts = subject.optimizer_samples();
  const std::vector<RunSample> golden_samples = samples_of(texts, optimizer, sdk::kDrawSeed);
  for (const RunSample& sample : samples_of(texts, optimizer, request.seed)) {
    if (!recorder.wants(optimizer, sample.number)) continue;
    if (sample.expect != TENON_OK) {
      checks.check_refused(sample);
      continue;
    }
    if (request.level == kSmoke && good) continue;
    checks.check_golden(golden_samples[sample.number], goldens);
    checks.check_resumed(sample);
    if (request.level >= kValues) {
      if (!good) checks.check_ranges(sample);
      checks.check_layouts(sample);
      checks.check_parts(sample);
      checks.check_counters(sample);
    }
    good = true;
  }
}

}  // namespace tenon::verify
