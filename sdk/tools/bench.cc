// SPDX-License-Identifier: Apache-2.0
// sdk/tools/bench.cc: `tenon bench`: one call, computed by every provider that can, in turn.
//
// Each provider is pinned, so the arithmetic policy only says who would be chosen without a pin.
// Which kernel ran is read from a trace and not taken on trust: a kernel may decline operands when
// it sees them. All providers start from the same operands and the same random counter.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <tenon/sdk/plugin/draw.hpp>
#include <tenon/sdk/plugin/sample_value.hpp>

#include "command.h"
#include "operands.h"
#include "session.h"

namespace tenon::tools {
namespace {

constexpr double kBatchSeconds = 1e-3;  // long against the clock's own cost
constexpr size_t kLeastBatches = 5;
// Pinned, it has an op run in terms of others.
constexpr const char* kComposition = "composition";

using Numbers = std::vector<double>;

struct Times {
  double median = 0;
  double best = 0;
  uint64_t calls = 0;
};

// How far results are from the baseline's.
struct Difference {
  double largest = 0;       // of two finite numbers
  double scale = 0;         // the largest finite number of the baseline
  uint64_t not_finite = 0;  // elements that are NaN or infinite on one side only
  uint64_t differ = 0;      // elements in which there is any difference
};

// What one call runs.
struct Traced {
  std::string plugin;                 // whose kernel of the op itself
  uint64_t staged = 0;                // operands copied to suit a kernel
  std::vector<std::string> launched;  // ops whose kernels run
};

struct Measured {
  std::string plugin;
  Json kernel;
  Traced ran;
  Times times;
  std::vector<Numbers> results;  // outputs, then operands: an op may write those
};

struct Skipped {
  std::string plugin;
  std::string reason;
};

// What one call amounts to. Only of products of float matrices is it known how many operations they
// take; for others it is the memory of operands and results, each counted once.
struct Work {
  const char* unit = "bytes";
  double amount = 0;
};

Numbers numbers_of(const Session& session, const tenon_tensor* tensor) {
  tenon_view view{};
  session.check(tenon_tensor_get_view(session.context(), tensor, &view));
  Numbers numbers(static_cast<size_t>(sdk::count_of({view.shape, size_t(view.rank)})));
  std::string bytes(numbers.size() * sdk::size_of(view.dtype), '\0');
  session.check(tenon_tensor_get_data(session.context(), tensor, bytes.data(), bytes.size()));
  sdk::dispatch_dtype(view.dtype, [&]<class T>() {
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = sdk::convert<double>(sdk::load<T>(bytes.data() + i * sizeof(T)));
    }
  });
  return numbers;
}

// The op with its operands, as often as wanted.
class Call {
 public:
  Call(const Session& session, const std::string& name, const std::string& sample)
      : session_(session),
        op_(find(session, name)),
        operands_(session, op_, sample, {nullptr, sdk::kDrawSeed}),
        sample_(sdk::parse_sample(sample)) {
    explained_ = explain();
    for (const Json& output : explained_.at("outputs")) {
      if (!output.at("aux").get<bool>()) outputs_.push_back(nullptr);
    }
  }

  const Json& explained() const { return explained_; }  // without a pin

  Json explain() const {
    tenon_text* text = nullptr;
    session_.check(tenon_op_explain(session_.context(), op_, inputs().data(), n_inputs(),
                                    attrs().data(), n_attrs(), &text));
    return Json::parse(take_text(text));
  }

  void pin(const std::string& plugin) const {
    const std::string op = explained_.at("op");
    session_.check(tenon_runtime_set_pin(session_.context(), op.data(), op.size(), plugin.data(),
                                         plugin.size()));
  }

  // Operands and random numbers as at the start.
  void reset() const {
    operands_.fill();
    session_.check(tenon_context_set_seed(session_.context(), sdk::kDrawSeed, 0));
  }

  void run(uint64_t times) {
    for (uint64_t i = 0; i < times; ++i) {
      session_.check(tenon_op_call(session_.context(), op_, inputs().data(), n_inputs(),
                                   attrs().data(), n_attrs(), outputs_.data(),
                                   static_cast<uint32_t>(outputs_.size())));
      for (tenon_tensor*& output : outputs_) {
        tenon_tensor_release(output);
        output = nullptr;
      }
    }
    session_.check(tenon_device_wait(session_.context(), nullptr));
  }

  std::vector<Numbers> results() {
    session_.check(tenon_op_call(session_.context(), op_, inputs().data(), n_inputs(),
                                 attrs().data(), n_attrs(), outputs_.data(),
                                 static_cast<uint32_t>(outputs_.size())));
    std::vector<Numbers> all;
    for (tenon_tensor*& output : outputs_) {
      const std::unique_ptr<tenon_tensor, decltype(&tenon_tensor_release)> owned(
          std::exchange(output, nullptr), tenon_tensor_release);
      all.push_back(numbers_of(session_, owned.get()));
    }
    for_each_tensor([&](tenon_tensor* tensor, const sdk::SampleTensor&) {
      all.push_back(numbers_of(session_, tensor));
    });
    return all;
  }

  Work work() const {
    double bytes = 0;
    const sdk::SampleTensor* first = nullptr;
    for_each_tensor([&](tenon_tensor*, const sdk::SampleTensor& tensor) {
      if (first == nullptr) first = &tensor;
      bytes += static_cast<double>(tensor.element_count()) *
               sdk::size_of(sdk::sample_dtype(tensor.dtype));
    });
    double elements = 0;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const Json& output = explained_.at("outputs")[i];
      double count = 1;
      for (const Json& extent : output.at("shape")) count *= extent.get<double>();
      elements += count;
      bytes += count * size_of_name(output.at("dtype"));
    }
    const bool floats = sdk::is_float(sdk::sample_dtype(explained_.at("dtypes").value("T", "")));
    if (explained_.at("op") == "tenon.matmul" && floats && first != nullptr) {
      return {"flop", 2 * elements * static_cast<double>(first->dims.back())};
    }
    return {"bytes", bytes};
  }

 private:
  static const tenon_op* find(const Session& session, const std::string& name) {
    const tenon_op* op = nullptr;
    session.check(tenon_op_find(session.context(), name.data(), name.size(), 0, &op));
    return op;
  }
  static uint32_t size_of_name(const std::string& dtype) {
    return sdk::size_of(sdk::sample_dtype(dtype));
  }
  const std::vector<tenon_value>& inputs() const { return operands_.inputs(); }
  const std::vector<tenon_value>& attrs() const { return operands_.attrs(); }
  uint32_t n_inputs() const { return static_cast<uint32_t>(inputs().size()); }
  uint32_t n_attrs() const { return static_cast<uint32_t>(attrs().size()); }

  template <class Body>
  void for_each_tensor(Body body) const {
    for (size_t i = 0; i < sample_.inputs.size(); ++i) {
      const sdk::SampleInput& from = sample_.inputs[i];
      const tenon_value& value = inputs()[i];
      if (from.kind == sdk::SampleInput::Kind::Tensor) body(value.as.tensor, from.tensor);
      for (size_t j = 0; j < from.list.size(); ++j) body(value.as.tensors[j], from.list[j]);
    }
  }

  const Session& session_;
  const tenon_op* op_;
  Operands operands_;
  sdk::Sample sample_;
  Json explained_;
  std::vector<tenon_tensor*> outputs_;
};

// ---- Measuring ----------------------------------------------------------------------------------

double seconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Times measure(Call& call, double min_time) {
  double spent = 0;
  uint64_t warm_up = 0;
  while (warm_up == 0 || spent < min_time / 10) {
    spent += seconds_of([&] { call.run(1); });
    ++warm_up;
  }
  const double one = std::max(spent / static_cast<double>(warm_up), 1e-9);
  const uint64_t batch = std::max<uint64_t>(1, static_cast<uint64_t>(kBatchSeconds / one));
  std::vector<double> each;
  for (spent = 0; spent < min_time || each.size() < kLeastBatches;) {
    const double seconds = seconds_of([&] { call.run(batch); });
    each.push_back(seconds / static_cast<double>(batch));
    spent += seconds;
  }
  std::sort(each.begin(), each.end());
  return {each[each.size() / 2], each.front(), batch * each.size()};
}

Traced traced(const Session& session, Call& call) {
  session.check(tenon_trace_begin(session.context()));
  std::optional<Failure> failure;
  try {
    call.run(1);
  } catch (Failure& failed) {
    failure = std::move(failed);
  }
  tenon_text* text = nullptr;
  session.check(tenon_trace_end(session.context(), &text));
  if (failure) throw *failure;
  const Json trace = Json::parse(take_text(text));
  Traced found;
  for (const Json& event : trace.at("traceEvents")) {
    const std::string category = event.value("cat", "");
    if (category == "staging") ++found.staged;
    if (category == "op" || category == "staging" || event.at("ph") != "X") continue;
    found.launched.push_back(event.at("name"));
    if (event.at("name") == call.explained().at("op")) found.plugin = category;
  }
  return found;
}

std::string reason_of(const Json& explained, const std::string& plugin) {
  for (const Json& candidate : explained.at("candidates")) {
    std::string reason = candidate.at("reason");
    if (candidate.at("plugin") == plugin && !reason.empty()) return reason;
  }
  return "another plugin's kernel is chosen even where this one is pinned";
}

Measured measure_provider(const Session& session, Call& call, const std::string& plugin,
                          double min_time) {
  const bool composed = plugin == kComposition;
  call.pin(plugin);
  const Json explained = call.explain();
  Json chosen = explained.at("chosen");
  if (composed && chosen != kComposition) throw Failure{"it is not a composition of other ops"};
  if (composed) chosen = {{"priority", nullptr}, {"flags", Json::array()}};
  if (!composed && (!chosen.is_object() || chosen.at("plugin") != plugin)) {
    throw Failure{reason_of(explained, plugin)};
  }
  call.reset();
  Measured measured{plugin, chosen, {}, {}, call.results()};
  measured.ran = traced(session, call);
  if (!composed && measured.ran.plugin != plugin) {
    throw Failure{"its kernels declined these operands; " + measured.ran.plugin + " ran"};
  }
  measured.times = measure(call, min_time);
  return measured;
}

Difference compare(const std::vector<Numbers>& baseline, const std::vector<Numbers>& found) {
  Difference difference;
  for (size_t t = 0; t < baseline.size(); ++t) {
    for (size_t i = 0; i < baseline[t].size(); ++i) {
      const double a = baseline[t][i];
      const double b = found[t][i];
      if (std::isfinite(a)) difference.scale = std::max(difference.scale, std::fabs(a));
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      ++difference.differ;
      if (std::isfinite(a) && std::isfinite(b)) {
        difference.largest = std::max(difference.largest, std::fabs(a - b));
      } else {
        ++difference.not_finite;
      }
    }
  }
  return difference;
}

// ---- Who ----------------------------------------------------------------------------------------

std::vector<std::string> providers_of(const Json& explained) {
  std::vector<std::string> plugins;
  if (explained.at("chosen") == kComposition) plugins.emplace_back(kComposition);
  for (const Json& candidate : explained.at("candidates")) {
    const std::string plugin = candidate.at("plugin");
    if (std::find(plugins.begin(), plugins.end(), plugin) == plugins.end()) {
      plugins.push_back(plugin);
    }
  }
  return plugins;
}

std::vector<std::string> wanted_providers(const Json& explained,
                                          const std::vector<std::string>& asked) {
  const std::string op = explained.at("op");
  const Json& chosen = explained.at("chosen");
  if (chosen == "view") {
    throw Failure{op + " answers this call with a view: no kernel runs, nothing to measure"};
  }
  const std::vector<std::string> all = providers_of(explained);
  for (const std::string& plugin : asked) {
    if (plugin == kComposition || std::find(all.begin(), all.end(), plugin) != all.end()) continue;
    std::string words = "--plugins: no plugin \"";
    words.append(plugin).append("\" has kernels for ").append(op).append("; these have: ");
    throw Failure{words.append(all.empty() ? "none" : joined(all)), kUsage};
  }
  return asked.empty() ? all : asked;
}

// ---- Printing -----------------------------------------------------------------------------------

std::string text_of(const char* format, double number) {
  char text[64];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::string time_text(double seconds) {
  if (seconds < 1e-6) return text_of("%.4g ns", seconds * 1e9);
  if (seconds < 1e-3) return text_of("%.4g us", seconds * 1e6);
  if (seconds < 1) return text_of("%.4g ms", seconds * 1e3);
  return text_of("%.4g s", seconds);
}

std::string difference_text(const Difference& d) {
  if (d.differ == 0) return "none";
  std::string text = text_of("%.3g", d.largest);
  if (d.scale > 0) text += text_of(" (%.2g of the largest value)", d.largest / d.scale);
  if (d.not_finite) text += ", NaN or infinite on one side: " + std::to_string(d.not_finite);
  return text;
}

Json difference_json(const Difference& d) {
  return {{"largest", d.largest},
          {"largest_value", d.scale},
          {"differing_elements", d.differ},
          {"not_finite_on_one_side", d.not_finite}};
}

struct Report {
  Json head;
  Work work;
  std::string baseline;
  std::vector<Measured> measured;
  std::vector<Skipped> skipped;

  const Measured& base() const {
    return *std::find_if(measured.begin(), measured.end(),
                         [&](const Measured& each) { return each.plugin == baseline; });
  }
  double rate(const Measured& each) const { return work.amount / each.times.median; }
};

Json report_json(const Report& report) {
  Json json = report.head;
  json["work"] = {{"unit", report.work.unit}, {"per_call", report.work.amount}};
  json["baseline"] = report.baseline;
  json["providers"] = Json::array();
  for (const Measured& each : report.measured) {
    json["providers"].push_back(
        {{"plugin", each.plugin},
         {"priority", each.kernel.at("priority")},
         {"flags", each.kernel.at("flags")},
         {"median_s", each.times.median},
         {"best_s", each.times.best},
         {"calls", each.times.calls},
         {"staged_operands", each.ran.staged},
         {"launched", each.ran.launched},
         {"rate", report.rate(each)},
         {"speed_ratio", report.base().times.median / each.times.median},
         {"difference", difference_json(compare(report.base().results, each.results))}});
  }
  json["skipped"] = Json::array();
  for (const Skipped& each : report.skipped) {
    json["skipped"].push_back({{"plugin", each.plugin}, {"reason", each.reason}});
  }
  return json;
}

void print_report(const Report& report) {
  const Json& head = report.head;
  print(head.at("op").get<std::string>() + " of " + head.at("sample").get<std::string>() + ", " +
        head.at("arithmetic").get<std::string>() + " arithmetic, " +
        count_text(head.at("threads").get<size_t>(), "thread") + "\n" +
        "chosen without a pin: " + head.at("default").get<std::string>() + "\n");
  const bool flops = std::string(report.work.unit) == "flop";
  for (const Measured& each : report.measured) {
    print("  " + each.plugin + "\n    median " + time_text(each.times.median) + ", best " +
          time_text(each.times.best) + " of " + std::to_string(each.times.calls) + " calls, " +
          text_of("%.4g", report.rate(each) * 1e-9) + (flops ? " GFLOP/s" : " GB/s") + "\n");
    if (each.ran.staged) {
      print("    copies " + count_text(each.ran.staged, "operand") + " to suit its kernel\n");
    }
    if (each.plugin == kComposition) print("    runs " + joined(each.ran.launched) + "\n");
    if (each.plugin == report.baseline) continue;
    print("    " + text_of("%.3g", report.base().times.median / each.times.median) +
          " times the speed of " + report.baseline + "; largest difference of results: " +
          difference_text(compare(report.base().results, each.results)) + "\n");
  }
  for (const Skipped& each : report.skipped) {
    print("  " + each.plugin + " cannot run it: " + each.reason + "\n");
  }
}

}  // namespace

int bench(const Options& options, const BenchRequest& request) {
  const Session session(options);
  const uint32_t arithmetic =
      request.arithmetic == "fast" ? TENON_ARITHMETIC_FAST : TENON_ARITHMETIC_CANONICAL;
  session.check(tenon_context_set_arithmetic(session.context(), arithmetic));
  Call call(session, request.op, request.sample);
  const Json& explained = call.explained();
  const std::vector<std::string> plugins = wanted_providers(explained, request.plugins);

  Report report;
  for (const std::string& plugin : plugins) {
    try {
      report.measured.push_back(measure_provider(session, call, plugin, request.min_time));
    } catch (const Failure& failure) {
      report.skipped.push_back({plugin, failure.text});
    }
  }
  if (report.measured.empty()) {
    std::string text = "no provider can run this call of " + request.op;
    for (const Skipped& each : report.skipped) text += "\n  " + each.plugin + ": " + each.reason;
    throw Failure{text};
  }
  const Json& best = explained.at("chosen");
  const std::string chosen = best.is_object()   ? best.at("plugin").get<std::string>()
                             : best.is_string() ? best.get<std::string>()
                                                : report.measured.front().plugin;
  report.baseline = report.measured.front().plugin;
  for (const Measured& each : report.measured) {
    if (each.plugin == chosen) report.baseline = chosen;
  }
  report.work = call.work();
  report.head = {{"op", request.op},
                 {"sample", request.sample},
                 {"seed", sdk::kDrawSeed},
                 {"arithmetic", request.arithmetic},
                 {"threads", session.query("environment").at("threads")},
                 {"min_time_s", request.min_time},
                 {"default", chosen}};
  if (request.json) {
    print_json(report_json(report));
  } else {
    print_report(report);
  }
  return kGood;
}

}  // namespace tenon::tools
