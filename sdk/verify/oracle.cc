// SPDX-License-Identifier: Apache-2.0
// sdk/verify/oracle.cc: see oracle.h.
#include "oracle.h"

#include <filesystem>
#include <fstream>
#include <tenon/sdk/dtypes.hpp>
#include <tenon/sdk/sample_value.hpp>

namespace tenon::verify {
namespace {

namespace fs = std::filesystem;

// share/tenon/goldens of the installation or build tree that this program lies in.
std::string installed_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Failure{"this program cannot find its own file: " + error.message()};
  return program.parent_path().parent_path() / "share" / "tenon" / "goldens";
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

void set_element(Array& array, size_t index, const Json& value) {
  if (value.is_number_integer() && array.dtype == TENON_DTYPE_I64) {
    return sdk::store(array.bytes.data() + index * sizeof(int64_t), value.get<int64_t>());
  }
  if (value.is_boolean()) return array.set(index, value.get<bool>() ? 1 : 0);
  if (value.is_string()) {
    const std::string word = value;
    const double infinity = std::numeric_limits<double>::infinity();
    return array.set(index, word == "inf"    ? infinity
                            : word == "-inf" ? -infinity
                                             : std::numeric_limits<double>::quiet_NaN());
  }
  array.set(index, value.get<double>());
}

}  // namespace

Array golden_array(const Json& stated) {
  Array array = make_array(sdk::sample_dtype(stated.at("dtype").get<std::string>()),
                           stated.at("shape").get<Shape>());
  const Json& values = stated.at("values");
  if (values.size() != array.count()) {
    throw Failure{"states " + std::to_string(values.size()) + " values for a result of shape " +
                  dims_text(array.shape)};
  }
  for (size_t i = 0; i < array.count(); ++i) set_element(array, i, values[i]);
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
  for (const Json& result : stated.at("results")) results.push_back(golden_array(result));
  return results;
}

}  // namespace

Goldens::Goldens(const Request& request, const std::string& plugin_folder)
    : folders_(request.goldens) {
  folders_.push_back(fs::path(plugin_folder) / "goldens");
  folders_.push_back(installed_folder());
}

const std::optional<Json>& Goldens::file(const std::string& name) {
  const auto known = files_.find(name);
  if (known != files_.end()) return known->second;
  std::optional<Json> found;
  for (const std::string& folder : folders_) {
    found = read_json(fs::path(folder) / name);
    if (found) break;
  }
  return files_.emplace(name, std::move(found)).first->second;
}

std::optional<std::vector<Array>> Goldens::find(const SampleCall& call) {
  const std::string name = call.op->name + ".json";
  const std::optional<Json>& golden = file(name);
  if (!golden) return std::nullopt;
  const std::string& text = call.op->samples.at(call.number).text;
  try {
    for (const Json& stated : golden->at("cases")) {
      if (stated.at("sample") == text && stated.at("from") == call.from &&
          stated.at("to") == call.to) {
        return results_of(stated, call);
      }
    }
  } catch (const Json::exception& error) {
    throw Failure{"golden file " + name +
                  " is not as tests/goldens/README.md says: " + error.what()};
  } catch (const Failure& failure) {
    throw Failure{"golden file " + name + ", sample \"" + text + "\" " + call.from + ">" + call.to +
                  ": " + failure.text};
  }
  return std::nullopt;
}

std::optional<Json> Goldens::find_optimizer(const std::string& optimizer) {
  return file("optimizers/" + optimizer + ".json");
}

}  // namespace tenon::verify
