// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/oracle.cc: see oracle.h.
#include "case/oracle.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <tenon/sdk/plugin/dtypes.hpp>
#include <tenon/sdk/plugin/sample_value.hpp>

namespace tenon::verify {
namespace {

namespace fs = std::filesystem;

// share/tenon/goldens of the installation or build tree that this program lies in.
std::string installed_folder() {
  return fs::path(tools::program_folder()).parent_path() / "share" / "tenon" / "goldens";
}

std::optional<Json> read_json(const fs::path& path) {
  std::ifstream stream(path);
  if (!stream) return std::nullopt;
  try {
    return Json::parse(stream);
  } catch (const Json::exception& error) {
    throw Failure{"golden file " + path.string() + " cannot be read: " + error.what()};
  }
}

std::optional<double> word_of(const Json& value) {
  if (!value.is_string()) return std::nullopt;
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

void set_element(Array& array, size_t index, const Json& value) {
  const auto expect = [&](bool holds, const char* expected) {
    if (holds) return;
    throw Failure{"states " + value.dump() + " as an element of " + dtype_name(array.dtype) +
                  "; expected " + expected};
  };
  if (array.dtype == TENON_DTYPE_BOOL) {
    expect(value.is_boolean(), "true or false");
    array.set(index, value.get<bool>() ? 1 : 0);
  } else if (sdk::is_float(array.dtype)) {
    const std::optional<double> word = word_of(value);
    expect(word || value.is_number(), "a number, \"nan\", \"inf\" or \"-inf\"");
    array.set(index, word ? *word : value.get<double>());
  } else {
    expect(value.is_number_integer(), "an integer");
    if (array.dtype == TENON_DTYPE_I64) {
      return sdk::store(array.bytes.data() + index * sizeof(int64_t), value.get<int64_t>());
    }
    array.set(index, value.get<double>());
  }
}

// Whether `shape` has `count` elements; told without multiplying beyond what a number can hold.
bool has_elements(const Shape& shape, uint64_t count) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return count == 0;
  uint64_t left = count;
  for (const int64_t extent : shape) {
    if (left == 0 || left % static_cast<uint64_t>(extent) != 0) return false;
    left /= static_cast<uint64_t>(extent);
  }
  return left == 1;
}

}  // namespace

Array stated_array(const Json& stated) {
  const std::string name = stated.at("dtype");
  const tenon_dtype dtype = sdk::sample_dtype(name);
  if (dtype == TENON_DTYPE_NONE) throw Failure{"states the dtype \"" + name + "\", which is none"};
  const Shape shape = stated.at("shape").get<Shape>();
  const bool negative = std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n < 0; });
  const Json& values = stated.at("values");
  if (negative || !has_elements(shape, values.size())) {
    throw Failure{"states " + std::to_string(values.size()) + " values for a result of shape " +
                  dims_text(shape)};
  }
  Array array = make_array(dtype, shape);
  for (size_t i = 0; i < values.size(); ++i) set_element(array, i, values[i]);
  return array;
}

namespace {

std::vector<Array> results_of(const Json& stated, const SampleCall& call) {
  const std::string operands = checksum_of(call);
  if (stated.at("inputs") != operands) {
    throw Failure{"was made for other operands: checksum " +
                  stated.at("inputs").get<std::string>() + ", those drawn here have " + operands};
  }
  std::vector<Array> results;
  for (const Json& result : stated.at("results")) results.push_back(stated_array(result));
  return results;
}

State state_of(const Json& stated) {
  State state;
  for (const Json& parameter : stated.at("params"))
    state.parameters.push_back(stated_array(parameter));
  for (const auto& [name, list] : stated.at("states").items()) {
    for (const Json& each : list) state.states[name].push_back(stated_array(each));
  }
  return state;
}

GoldenRun run_of(const Json& stated, const RunSample& sample) {
  GoldenRun run;
  run.inputs = stated.at("inputs");
  for (const Json& state : stated.at("trace")) run.trace.push_back(state_of(state));
  if (run.trace.size() != sample.steps) {
    throw Failure{"states " + std::to_string(run.trace.size()) + " steps; the sample has " +
                  std::to_string(sample.steps)};
  }
  return run;
}

// Runs `read`; what it finds wrong becomes words that name the file.
template <class Read>
auto reading(const std::string& name, const std::string& what, const Read& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    throw Failure{"golden file " + name + " is not as docs/goldens.md says: " + error.what()};
  } catch (const Failure& failure) {
    throw Failure{"golden file " + name + ", " + what + ": " + failure.text};
  }
}

}  // namespace

Goldens::Goldens(const Request& request, const std::string& plugin_folder)
    : folders_(request.goldens) {
  folders_.push_back(fs::path(plugin_folder) / "goldens");
  folders_.push_back(installed_folder());
}

const Goldens::File& Goldens::file(const std::string& name) {
  const auto known = files_.find(name);
  if (known != files_.end()) return known->second;
  File found;
  for (const std::string& folder : folders_) {
    const fs::path path = fs::path(folder) / name;
    found = {read_json(path), path.parent_path()};
    if (found.content) break;
  }
  return files_.emplace(name, std::move(found)).first->second;
}

Json Goldens::cases_of(const std::string& kind, const std::string& name, std::string& folder) {
  const std::string path = kind + "/" + name + ".json";
  const File& golden = file(path);
  folder = golden.folder;
  if (!golden.content) return Json::array();
  return reading(path, name, [&] { return golden.content->at("cases").get<Json>(); });
}

std::map<std::string, Tolerance> Goldens::tolerances_of(const std::string& kind,
                                                        const std::string& name) {
  const std::string path = kind + "/" + name + ".json";
  const File& golden = file(path);
  if (!golden.content) return {};
  return reading(path, name, [&] {
    std::map<std::string, Tolerance> tolerances;
    for (const Json& entry : golden.content->at("tolerances")) {
      tolerances[entry.at("dtype")] = {entry.at("ulp"), entry.at("relative")};
    }
    return tolerances;
  });
}

std::optional<std::vector<Array>> Goldens::find(const SampleCall& call) {
  const std::string name = call.op->name + ".json";
  const std::optional<Json>& golden = file(name).content;
  if (!golden) return std::nullopt;
  const std::string& text = call.op->samples.at(call.number).text;
  using Results = std::optional<std::vector<Array>>;
  return reading(name, "sample \"" + text + "\" " + call.from + ">" + call.to, [&]() -> Results {
    for (const Json& stated : golden->at("cases")) {
      if (stated.at("sample") != text || stated.at("from") != call.from ||
          stated.at("to") != call.to) {
        continue;
      }
      // Empty lists have no results either.
      const bool gives = call.n_outputs > 0 || call.mutates();
      if (!gives || !stated.at("results").empty()) return results_of(stated, call);
      met_skeleton_ = true;
    }
    return std::nullopt;
  });
}

std::optional<GoldenRun> Goldens::find_run(const std::string& optimizer, const RunSample& sample) {
  const std::string name = "optimizers/" + optimizer + ".json";
  const std::optional<Json>& golden = file(name).content;
  if (!golden) return std::nullopt;
  return reading(name, "sample \"" + sample.text + "\"", [&]() -> std::optional<GoldenRun> {
    for (const Json& stated : golden->at("cases")) {
      if (stated.at("sample") != sample.text) continue;
      if (stated.at("trace").empty()) {
        met_skeleton_ = true;
        continue;
      }
      GoldenRun run = run_of(stated, sample);
      for (const Json& entry : golden->at("tolerances")) {
        run.tolerances[entry.at("dtype")] = {entry.at("ulp"), entry.at("relative")};
      }
      return run;
    }
    return std::nullopt;
  });
}

}  // namespace tenon::verify
