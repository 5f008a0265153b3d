// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/csv_fuzz.cc: libFuzzer target for tables of numbers. Any bytes are read or refused in
// words; what is read is whole rows.
#include "plugins/data/csv_file.hpp"
#include "tests/fuzz/fuzz_support.h"

using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  for (const bool has_header : {false, true}) {
    read_or_refuse([&] {
      using tenon::data::Csv;
      using tenon::data::CsvReader;
      const Csv csv = CsvReader(file.path(), ',', has_header).read([](const Csv& head) {
        return head.columns > 1 ? 0 : CsvReader::kNoColumn;
      });
      require(csv.columns > 0 && csv.numbers.size() % csv.columns == 0);
      require(csv.columns == 1 || csv.labels.size() * csv.columns == csv.numbers.size());
      require(csv.names.size() == (has_header ? csv.columns : 0));
    });
  }
  return 0;
}
