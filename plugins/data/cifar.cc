// SPDX-License-Identifier: Apache-2.0
// plugins/data/cifar.cc: the dataset tenon.cifar: small colour pictures, in the binary files of
// CIFAR-10 and CIFAR-100 (A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images",
// 2009).
//
// A file is records, one after the other: 1 byte of label (CIFAR-10), or 1 of the coarse and 1 of
// the fine label (CIFAR-100), then 3 x 32 x 32 bytes: red, green, blue, each row by row.
// Fields: "image", u8[3,32,32]; "label", i64; of CIFAR-100 also "coarse_label", i64.
#include <tenon/sdk/plugin/plugin.hpp>

#include "data_file.hpp"

namespace {

namespace sdk = tenon::sdk;
using sdk::str;
using tenon::data::DataFile;

enum Option : uint32_t { kPaths, kClasses, kOptions };
constexpr size_t kPixels = 3 * 32 * 32;

struct Cifar {
  std::string records;
  size_t labels = 1;  // bytes of them in a record; the last one is the finest
  size_t record() const { return labels + kPixels; }
  int64_t length() const { return static_cast<int64_t>(records.size() / record()); }
};

int64_t classes_of(const tenon_value& value) {
  const int64_t classes = value.tag == TENON_VALUE_NONE ? 10 : value.as.i64;
  if (classes != 10 && classes != 100) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "classes is neither 10 nor 100", "classes", "10 or 100",
                       std::to_string(classes)};
  }
  return classes;
}

// Every label within its classes: else the file is of the other kind, or none.
void check_labels(const DataFile& file, const std::string& bytes, size_t labels) {
  const int bounds[2] = {labels == 1 ? 10 : 20, 100};
  for (size_t at = 0; at < bytes.size(); at += labels + kPixels) {
    for (size_t l = 0; l < labels; ++l) {
      const int label = static_cast<unsigned char>(bytes[at + l]);
      if (label < bounds[l]) continue;
      file.refuse("picture " + std::to_string(at / (labels + kPixels)) +
                      ": its label is out of "
                      "range",
                  "0 to " + std::to_string(bounds[l] - 1), std::to_string(label));
    }
  }
}

tenon_status create(tenon_call* call, const tenon_value* values, void** out_object) {
  return sdk::guarded(call, [&] {
    auto made = std::make_unique<Cifar>();
    made->labels = classes_of(values[kClasses]) == 10 ? 1 : 2;
    for (const std::string& path : tenon::data::paths_of(values[kPaths], "paths")) {
      DataFile file("cifar", path);
      const std::string bytes = file.read_rest();
      if (bytes.empty() || bytes.size() % made->record() != 0) {
        file.refuse("its length is not a whole number of records",
                    "a multiple of " + std::to_string(made->record()) + " bytes",
                    std::to_string(bytes.size()));
      }
      check_labels(file, bytes, made->labels);
      made->records += bytes;
    }
    *out_object = made.release();
  });
}

void release(void* object) { delete static_cast<Cifar*>(object); }

tenon_status length(tenon_call*, void* object, int64_t* out_length) {
  *out_length = static_cast<const Cifar*>(object)->length();
  return TENON_OK;
}

tenon_status fields(tenon_call*, void* object, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  constexpr const char* names[] = {"image", "label", "coarse_label"};
  *out_count = static_cast<const Cifar*>(object)->labels == 1 ? 2 : 3;
  for (uint32_t f = 0; f < std::min(capacity, *out_count); ++f) {
    out[f] = {str(names[f]), {}};
    out[f].sample.dtype = f == 0 ? TENON_DTYPE_U8 : TENON_DTYPE_I64;
  }
  if (capacity > 0) {
    constexpr int64_t shape[] = {3, 32, 32};
    sdk::set_shape(out[0].sample, shape);
  }
  return TENON_OK;
}

tenon_status get(tenon_call*, void* object, const int64_t* indices, int64_t n,
                 void* const* destinations) {
  const Cifar& cifar = *static_cast<const Cifar*>(object);
  for (int64_t i = 0; i < n; ++i) {
    const char* const record =
        cifar.records.data() + static_cast<size_t>(indices[i]) * cifar.record();
    std::copy_n(record + cifar.labels, kPixels,
                static_cast<char*>(destinations[0]) + static_cast<size_t>(i) * kPixels);
    for (size_t l = 0; l < cifar.labels; ++l) {  // "label" is the last byte
      static_cast<int64_t*>(destinations[cifar.labels - l])[i] =
          static_cast<unsigned char>(record[l]);
    }
  }
  return TENON_OK;
}

constexpr tenon_dataset_option kOptionList[kOptions] = {
    {str("paths"),
     str("paths of the files, a line feed between two; plain or gzip, with or without '.gz'"),
     TENON_VALUE_STRING, 1},
    {str("classes"), str("10 or 100: the files of CIFAR-10 or of CIFAR-100; 10 unless given"),
     TENON_VALUE_I64, 0}};

constexpr tenon_dataset_desc kDatasets[] = {
    {sizeof(tenon_dataset_desc), 0, str("tenon.cifar"),
     str("Colour pictures in the binary files of CIFAR-10 and CIFAR-100. Fields: `image`, "
         "u8[3,32,32]; `label`, i64; of CIFAR-100 also `coarse_label`, i64."),
     kOptionList, kOptions, 0, create, release, length, fields, get, nullptr, nullptr}};

}  // namespace

TENON_UNIT(cifar) = {.datasets = kDatasets};
