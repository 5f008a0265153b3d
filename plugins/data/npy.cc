// SPDX-License-Identifier: Apache-2.0
// plugins/data/npy.cc: the dataset tenon.npy: arrays that NumPy saved, one slice along the first
// index a sample.
//
// Fields: "x", dtype and shape as in the file; "y", the same, where a second file is given.
#include <tenon/sdk/plugin/plugin.hpp>

#include "npy_file.hpp"

namespace {

namespace sdk = tenon::sdk;
using sdk::str;
using tenon::data::NpyFile;
using tenon::data::NpyReader;

enum Option : uint32_t { kX, kY, kOptions };
constexpr const char* kNames[kOptions] = {"x", "y"};

struct Arrays {
  std::vector<NpyFile> files;  // one for each field
  int64_t length() const { return files[0].shape[0]; }
};

tenon_status create(tenon_call* call, const tenon_value* values, void** out_object) {
  return sdk::guarded(call, [&] {
    auto made = std::make_unique<Arrays>();
    for (uint32_t f = 0; f < kOptions && values[f].tag != TENON_VALUE_NONE; ++f) {
      const std::string path = tenon::data::path_of(values[f], kNames[f]);
      made->files.push_back(NpyReader(path).read());
      const std::vector<int64_t>& shape = made->files.back().shape;
      if (shape.empty()) {
        tenon::data::refuse_file("npy", path, "it holds one number and no samples",
                                 "one dimension or more", "none");
      }
      if (shape[0] != made->length()) {
        tenon::data::refuse_file("npy", path, "the numbers of samples of x and y differ",
                                 std::to_string(made->length()), std::to_string(shape[0]));
      }
    }
    *out_object = made.release();
  });
}

void release(void* object) { delete static_cast<Arrays*>(object); }

tenon_status length(tenon_call*, void* object, int64_t* out_length) {
  *out_length = static_cast<const Arrays*>(object)->length();
  return TENON_OK;
}

tenon_status fields(tenon_call*, void* object, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  const Arrays& arrays = *static_cast<const Arrays*>(object);
  *out_count = static_cast<uint32_t>(arrays.files.size());
  for (uint32_t f = 0; f < std::min(capacity, *out_count); ++f) {
    const NpyFile& file = arrays.files[f];
    out[f] = {str(kNames[f]), {}};
    out[f].sample.dtype = file.dtype;
    out[f].sample.rank = static_cast<int32_t>(file.shape.size()) - 1;
    std::copy(file.shape.begin() + 1, file.shape.end(), out[f].sample.shape);
  }
  return TENON_OK;
}

tenon_status get(tenon_call*, void* object, const int64_t* indices, int64_t n,
                 void* const* destinations) {
  const Arrays& arrays = *static_cast<const Arrays*>(object);
  for (size_t f = 0; f < arrays.files.size(); ++f) {
    const std::string& bytes = arrays.files[f].bytes;
    const size_t size = bytes.size() / std::max<size_t>(1, static_cast<size_t>(arrays.length()));
    for (int64_t i = 0; i < n && size != 0; ++i) {
      std::memcpy(static_cast<char*>(destinations[f]) + static_cast<size_t>(i) * size,
                  bytes.data() + static_cast<size_t>(indices[i]) * size, size);
    }
  }
  return TENON_OK;
}

constexpr tenon_dataset_option kOptionList[kOptions] = {
    {str("x"), str("path of the samples' npy file; plain or gzip, with or without '.gz'"),
     TENON_VALUE_STRING, 1},
    {str("y"), str("path of the targets' npy file; without it there is no field 'y'"),
     TENON_VALUE_STRING, 0}};

constexpr tenon_dataset_desc kDatasets[] = {{sizeof(tenon_dataset_desc), 0, str("tenon.npy"),
                                             str("Arrays that NumPy saved. Fields: `x` and `y`, "
                                                 "dtype and values as stored, one slice along "
                                                 "the first index a sample."),
                                             kOptionList, kOptions, 0, create, release, length,
                                             fields, get, nullptr, nullptr}};

}  // namespace

TENON_UNIT(npy) = {.datasets = kDatasets};
