// SPDX-License-Identifier: Apache-2.0
// plugins/data/csv.cc: the dataset tenon.csv: rows of numbers in a text file.
//
// Fields: "features", f32[columns], every column that is neither label nor target, in the file's
// order; "label", i64, where a label column is named; "target", f32, where a target column is.
#include "csv_file.hpp"

#include <tenon/sdk/plugin/plugin.hpp>

namespace {

namespace sdk = tenon::sdk;
using sdk::str;
using tenon::data::Csv;
using tenon::data::CsvReader;

enum Option : uint32_t { kPath, kLabel, kTarget, kDelimiter, kHeader, kOptions };
constexpr size_t kNone = CsvReader::kNoColumn;

struct Table {
  std::vector<float> features;  // [length, width]
  std::vector<int64_t> labels;  // [length]; empty without the field
  std::vector<float> targets;   // the same
  int64_t length = 0;
  size_t width = 0;
  bool has_label = false;
  bool has_target = false;
};

std::string_view text_of(const tenon_value& value) { return {value.as.string, value.count}; }

char delimiter_of(const tenon_value& value) {
  if (value.tag == TENON_VALUE_NONE) return ',';
  const std::string_view text = text_of(value);
  constexpr std::string_view kTaken("\"\r\n\0+-.eE0123456789", 19);
  if (text.size() != 1 || kTaken.find(text[0]) != std::string_view::npos) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       "delimiter is not a single byte that can stand between "
                       "numbers",
                       "delimiter", "one byte such as , ; |, a tab or a space",
                       tenon::data::shown(text)};
  }
  return text[0];
}

// A column by its name or, if none has that name, by its number: from 0, or from the end as -1.
size_t column_of(const Csv& csv, const tenon_value& value, const char* option) {
  if (value.tag == TENON_VALUE_NONE) return kNone;
  const std::string_view wanted = text_of(value);
  const auto count = std::count(csv.names.begin(), csv.names.end(), wanted);
  if (count == 1) {
    return static_cast<size_t>(std::find(csv.names.begin(), csv.names.end(), wanted) -
                               csv.names.begin());
  }
  const auto columns = static_cast<int64_t>(csv.columns);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool is_number = error == std::errc() && end == wanted.data() + wanted.size();
  if (count > 1 || !is_number || number < -columns || number >= columns) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       std::string(option) + (count > 1 ? ": several columns have this name"
                                                        : ": there is no such column"),
                       option,
                       "the name of one column, or a number from " + std::to_string(-columns) +
                           " to " + std::to_string(columns - 1),
                       tenon::data::shown(wanted)};
  }
  return static_cast<size_t>(number < 0 ? number + columns : number);
}

std::unique_ptr<Table> read_table(const tenon_value* values) {
  const std::string path = tenon::data::path_of(values[kPath], "path");
  const bool has_header = values[kHeader].tag == TENON_VALUE_NONE || values[kHeader].as.i64 != 0;
  size_t label = kNone;
  Csv csv =
      CsvReader(path, delimiter_of(values[kDelimiter]), has_header).read([&](const Csv& head) {
        return label = column_of(head, values[kLabel], "label");
      });
  const size_t target = column_of(csv, values[kTarget], "target");
  auto table = std::make_unique<Table>();
  table->length = csv.rows();
  table->has_label = label != kNone;
  table->has_target = target != kNone;
  for (size_t c = 0; c < csv.columns; ++c) table->width += c != label && c != target ? 1 : 0;
  if (table->width == 0) {
    tenon::data::refuse_file("csv", path, "no column is left for features",
                             "a column that is neither label nor target",
                             std::to_string(csv.columns) + " in all");
  }
  for (int64_t row = 0; row < table->length; ++row) {
    const float* cells = csv.numbers.data() + static_cast<size_t>(row) * csv.columns;
    for (size_t c = 0; c < csv.columns; ++c) {
      if (c != label && c != target) table->features.push_back(cells[c]);
    }
    if (table->has_target) table->targets.push_back(cells[target]);
  }
  table->labels = std::move(csv.labels);
  return table;
}

tenon_status create(tenon_call* call, const tenon_value* values, void** out_object) {
  return sdk::guarded(call, [&] { *out_object = read_table(values).release(); });
}

void release(void* object) { delete static_cast<Table*>(object); }

tenon_status length(tenon_call*, void* object, int64_t* out_length) {
  *out_length = static_cast<const Table*>(object)->length;
  return TENON_OK;
}

tenon_status fields(tenon_call*, void* object, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  const Table& table = *static_cast<const Table*>(object);
  uint32_t count = 0;
  const auto add = [&](const char* name, tenon_dtype dtype) {
    if (count < capacity) {
      out[count] = {str(name), {}};
      out[count].sample.dtype = dtype;
    }
    count += 1;
  };
  add("features", TENON_DTYPE_F32);
  if (capacity > 0) {
    out[0].sample.rank = 1;
    out[0].sample.shape[0] = static_cast<int64_t>(table.width);
  }
  if (table.has_label) add("label", TENON_DTYPE_I64);
  if (table.has_target) add("target", TENON_DTYPE_F32);
  *out_count = count;
  return TENON_OK;
}

tenon_status get(tenon_call*, void* object, const int64_t* indices, int64_t n,
                 void* const* destinations) {
  const Table& table = *static_cast<const Table*>(object);
  auto* features = static_cast<float*>(destinations[0]);
  for (int64_t i = 0; i < n; ++i) {
    const auto row = static_cast<size_t>(indices[i]);
    std::copy_n(&table.features[row * table.width], table.width,
                features + static_cast<size_t>(i) * table.width);
    if (table.has_label) static_cast<int64_t*>(destinations[1])[i] = table.labels[row];
    if (table.has_target) {
      static_cast<float*>(destinations[table.has_label ? 2 : 1])[i] = table.targets[row];
    }
  }
  return TENON_OK;
}

constexpr tenon_dataset_option kOptionList[kOptions] = {
    {str("path"), str("path of the file; plain or gzip, with or without '.gz'"), TENON_VALUE_STRING,
     1},
    {str("label"),
     str("column of the class, whole numbers of 64 bits: its name, or its number from 0, or from "
         "the end as "
         "-1; without it there is no field 'label'"),
     TENON_VALUE_STRING, 0},
    {str("target"),
     str("column of the number to predict, as for `label`; without it there is no field 'target'"),
     TENON_VALUE_STRING, 0},
    {str("delimiter"), str("the byte between columns, which may be a space; a comma unless given"),
     TENON_VALUE_STRING, 0},
    {str("header"), str("whether the first line names the columns; true unless given"),
     TENON_VALUE_BOOL, 0}};

constexpr tenon_dataset_desc kDatasets[] = {
    {sizeof(tenon_dataset_desc), 0, str("tenon.csv"),
     str("Rows of numbers in a text file. Fields: `features`, f32, all columns but those named; "
         "`label`, i64; `target`, f32. A cell that is not a number, or a row of another length, is "
         "refused with its line and column when the file is opened."),
     kOptionList, kOptions, 0, create, release, length, fields, get, nullptr, nullptr}};

}  // namespace

TENON_UNIT(csv) = {.datasets = kDatasets};
