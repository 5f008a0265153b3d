// SPDX-License-Identifier: Apache-2.0
// sdk/verify/golden_new.cc: see golden_new.h. Samples are read and operands drawn; of the plugin
// nothing is run but layers created.
#include "golden_new.h"

#include <cmath>
#include <filesystem>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "backward/backward_call.h"
#include "case/sample_call.h"
#include "case/subject.h"
#include "case/training.h"
#include "kinds/layer_runs.h"

namespace tenon::verify {
namespace {

namespace fs = std::filesystem;

// ---- Numbers as golden files state them ---------------------------------------------------------

Json json_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

Json element_of(const Array& array, size_t index) {
  if (array.dtype == TENON_DTYPE_BOOL) return array.at(index) != 0;
  if (sdk::is_float(array.dtype)) return json_of(array.at(index));
  if (array.dtype != TENON_DTYPE_I64) return static_cast<int64_t>(array.at(index));
  return sdk::load<int64_t>(array.bytes.data() + index * sizeof(int64_t));
}

Json json_of(const Array& array) {
  Json values = Json::array();
  for (size_t i = 0; i < array.count(); ++i) values.push_back(element_of(array, i));
  return {{"dtype", dtype_name(array.dtype)}, {"shape", array.shape}, {"values", values}};
}

Json json_of(const std::vector<Array>& arrays) {
  Json list = Json::array();
  for (const Array& array : arrays) list.push_back(json_of(array));
  return list;
}

struct ValueWriter {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(bool value) const { return value; }
  Json operator()(int64_t value) const { return value; }
  Json operator()(double value) const { return json_of(value); }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(const std::vector<int64_t>& value) const { return value; }
  Json operator()(const std::vector<double>& value) const {
    Json list = Json::array();
    for (const double each : value) list.push_back(json_of(each));
    return list;
  }
  Json operator()(const sdk::SampleDtype& value) const { return value.name; }
};

Json attributes_of(const sdk::Sample& sample) {
  Json attributes = Json::object();
  for (const auto& [name, value] : sample.attrs)
    attributes[name] = std::visit(ValueWriter(), value);
  return attributes;
}

// Tensors as drawn; numbers and absent operands as the sample gives them.
Json operands_of(const SampleCall& call) {
  Json operands = Json::array();
  size_t next = 0;
  for (const sdk::SampleInput& input : call.sample.inputs) {
    switch (input.kind) {
      case sdk::SampleInput::Kind::Tensor:
        operands.push_back(json_of(call.arrays[next++]));
        break;
      case sdk::SampleInput::Kind::Scalar:
        operands.push_back(std::visit(ValueWriter(), input.scalar));
        break;
      case sdk::SampleInput::Kind::List: {
        const auto first = call.arrays.begin() + static_cast<ptrdiff_t>(next);
        next += input.list.size();
        operands.push_back(
            json_of(std::vector<Array>(first, first + static_cast<ptrdiff_t>(input.list.size()))));
        break;
      }
      case sdk::SampleInput::Kind::None:
        operands.push_back(nullptr);
    }
  }
  return operands;
}

// ---- What each kind of thing begins with --------------------------------------------------------

struct Begun {
  std::string file;  // in the folder of golden files
  Json content;
};

const Json* newest_of(const Json& list, const std::string& name) {
  const Json* found = nullptr;  // of several revisions the newest comes last
  for (const Json& entry : list) {
    if (entry.at("name") == name) found = &entry;
  }
  return found;
}

Begun begun_op(Subject& subject, const Json& stated) {
  const std::string name = stated.at("name");
  const Entry& op = subject.entry(name);
  Json cases = Json::array();
  for (const SampleText& sample : op.samples) {
    if (sample.expect != TENON_OK) continue;
    for (const SampleCall& call :
         calls_of(subject.session(), op, sample, host_of(subject.session()), sdk::kDrawSeed)) {
      cases.push_back({{"sample", sample.text},
                       {"from", call.from},
                       {"to", call.to},
                       {"attributes", attributes_of(call.sample)},
                       {"operands", operands_of(call)},
                       {"inputs", checksum_of(call)},
                       {"results", Json::array()}});
    }
  }
  return {name + ".json",
          {{"op", name},
           {"revision", stated.at("revision")},
           {"seed", sdk::kDrawSeed},
           {"cases", cases}}};
}

Begun begun_optimizer(const Session& session, const Json& stated) {
  const std::string name = stated.at("name");
  Json cases = Json::array();
  for (const RunSample& sample :
       samples_of(session.query("optimizer_samples"), name, sdk::kDrawSeed)) {
    if (sample.expect != TENON_OK) continue;
    Json gradients = Json::array();
    for (uint32_t step = 0; step < sample.steps; ++step) {
      std::vector<Array> of_step;
      for (size_t i = 0; i < sample.parameters.size(); ++i) {
        of_step.push_back(gradient_of(sample, step, i, sdk::kDrawSeed));
      }
      gradients.push_back(json_of(of_step));
    }
    cases.push_back({{"sample", sample.text},
                     {"steps", sample.steps},
                     {"attributes", attributes_of(sample.parsed)},
                     {"params", json_of(sample.parameters)},
                     {"gradients", gradients},
                     {"inputs", checksum_of_run(sample, sdk::kDrawSeed)},
                     {"trace", Json::array()}});
  }
  return {"optimizers/" + name + ".json",
          {{"optimizer", name},
           {"seed", sdk::kDrawSeed},
           {"tolerances", Json::array()},
           {"cases", cases}}};
}

// With the initial values of the seed, which the other program takes as they are.
Begun begun_layer(const Session& session, const Json& stated) {
  const std::string name = stated.at("name");
  const LayerRuns runs(session, stated, sdk::kDrawSeed);
  Json cases = Json::array();
  uint32_t number = 0;
  for (const Json& text : stated.at("samples")) {
    const LayerSample sample = sample_of(text, number++, sdk::kDrawSeed);
    if (sample.expect != TENON_OK) continue;
    const Layer layer = runs.made(sample, false);
    Json tensors = Json::object();
    for (const LayerTensor& each : runs.tensors_of(layer)) {
      tensors[each.name] = json_of(contents_of(session, each.tensor));
    }
    cases.push_back({{"sample", text.at("text")},
                     {"training", false},
                     {"attributes", attributes_of(sample.parsed)},
                     {"operands", json_of(sample.inputs)},
                     {"tensors", tensors},
                     {"results", Json::array()}});
  }
  return {"layers/" + name + ".json",
          {{"layer", name}, {"tolerances", Json::array()}, {"cases", cases}}};
}

// Options and hyper-parameters that must be given, to be filled in too.
Json required_of(const Json& list) {
  Json required = Json::object();
  for (const Json& each : list) {
    if (each.value("required", false)) required[each.at("name").get<std::string>()] = nullptr;
  }
  return required;
}

Begun begun_dataset(const Json& stated) {
  const std::string name = stated.at("name");
  const Json one = {{"options", required_of(stated.at("options"))},
                    {"length", nullptr},
                    {"fields", Json::array()},
                    {"samples", Json::array()}};
  return {"datasets/" + name + ".json", {{"dataset", name}, {"cases", {one}}}};
}

Begun begun_schedule(const Json& stated) {
  const std::string name = stated.at("name");
  const Json one = {
      {"base", 1.0}, {"hypers", required_of(stated.at("hypers"))}, {"values", Json::array()}};
  return {"schedules/" + name + ".json", {{"schedule", name}, {"cases", {one}}}};
}

class Beginnings {
 public:
  explicit Beginnings(const Options& options) : options_(options), session_(options) {
    for (const char* topic : {"ops", "optimizers", "layers", "datasets", "schedules"}) {
      lists_[topic] = session_.query(topic);
    }
  }

  Begun of(const std::string& name) {
    if (const Json* op = newest_of(lists_["ops"], name)) {
      auto& subject = subjects_[op->at("plugin")];
      if (!subject) subject = std::make_unique<Subject>(options_, op->at("plugin"));
      return begun_op(*subject, *op);
    }
    if (const Json* optimizer = newest_of(lists_["optimizers"], name)) {
      return begun_optimizer(session_, *optimizer);
    }
    if (const Json* layer = newest_of(lists_["layers"], name)) return begun_layer(session_, *layer);
    if (const Json* dataset = newest_of(lists_["datasets"], name)) return begun_dataset(*dataset);
    if (const Json* schedule = newest_of(lists_["schedules"], name)) {
      return begun_schedule(*schedule);
    }
    throw Failure{"golden new: no op, optimizer, layer, dataset or schedule is named \"" + name +
                      "\"; `tenon list` shows what plugins offer, and --plugin-path adds folders",
                  tools::kUsage};
  }

 private:
  const Options& options_;
  const Session session_;
  std::map<std::string, Json> lists_;
  std::map<std::string, std::unique_ptr<Subject>> subjects_;
};

// A case a line, as people compare such files.
std::string text_of(const Json& content) {
  std::string text = "{";
  for (const auto& [name, value] : content.items()) {
    if (name == "cases") break;
    text += Json(name).dump() + ": " + value.dump() + ", ";
  }
  text += "\"cases\": [";
  const char* between = "\n  ";
  for (const Json& each : content.at("cases")) {
    text += between + each.dump();
    between = ",\n  ";
  }
  return text + "]}\n";
}

// Where it is to be written; throws Failure where that cannot be.
std::string file_for(const Begun& made, const std::string& name, const GoldenRequest& request) {
  if (made.content.at("cases").empty()) {
    throw Failure{"golden new: " + name +
                  " states no sample that succeeds, so there is nothing to state results for"};
  }
  const fs::path file = fs::path(request.into) / made.file;
  if (!request.force && fs::exists(file)) {
    throw Failure{"golden new: " + file.string() + " exists; --force writes over it"};
  }
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (!error) return file;
  throw Failure{"golden new: " + file.parent_path().string() +
                " cannot be made: " + error.message()};
}

}  // namespace

int golden_new(const Options& options, const GoldenRequest& request) {
  Beginnings beginnings(options);
  std::vector<std::pair<std::string, Json>> files;
  for (const std::string& name : request.names) {
    Begun made = beginnings.of(name);
    files.emplace_back(file_for(made, name, request), std::move(made.content));
  }
  Json written = Json::array();
  for (const auto& [file, content] : files) {
    tools::write_file(file, text_of(content));
    const size_t cases = content.at("cases").size();
    written.push_back({{"file", file}, {"cases", cases}});
    if (request.json) continue;
    tools::print("wrote " + file + ": " + tools::count_text(cases, "case") + " without results\n");
  }
  if (request.json) {
    tools::print_json(Json{{"files", written}});
  } else {
    tools::print(
        "another program has to fill them in: until then `tenon verify` takes none of these cases "
        "for a witness\n");
  }
  return tools::kGood;
}

}  // namespace tenon::verify
