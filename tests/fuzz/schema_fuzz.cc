// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/schema_fuzz.cc: libFuzzer target for schema texts and sample texts. Any bytes are
// parsed or refused with the documented exception; what parses survives its own canonical text.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tenon/sdk/plugin/sample.hpp>

#include "core/base/error.h"
#include "core/json/writer.h"
#include "core/registry/schema.h"

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

// All that a schema says.
std::string data_of(const tenon::registry::Schema& schema) {
  tenon::json::Writer out;
  out.begin_object();
  write_schema(out, schema);
  out.end_object();
  return schema.name + out.take();
}

void fuzz_schema(std::string_view text) {
  tenon::registry::Schema schema;
  try {
    schema = tenon::registry::parse_schema(text);
  } catch (const tenon::Error& error) {
    require(error.status == TENON_E_SCHEMA && !error.message.empty());
    return;
  }
  require(data_of(tenon::registry::parse_schema(schema.text)) == data_of(schema));
  require(tenon::registry::format_schema(schema) == schema.text);
  for (const auto& variable : schema.variables) require(!variable.allowed.empty());
}

void fuzz_sample(std::string_view text) {
  try {
    const tenon::sdk::Sample sample = tenon::sdk::parse_sample(text);
    for (const auto& input : sample.inputs) {
      require(input.tensor.element_count() <= tenon::sdk::max_sample_elements);
    }
  } catch (const std::runtime_error& error) {
    require(error.what()[0] != '\0');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz_schema(text);
  fuzz_sample(text);
  return 0;
}
