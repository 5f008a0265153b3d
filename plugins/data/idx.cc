// SPDX-License-Identifier: Apache-2.0
// plugins/data/idx.cc: the dataset tenon.idx: samples and labels in idx files, as MNIST's.
//
// Fields: "image" (dtype and values as in the file, one slice along its first dimension) and, where
// a labels file is given, "label" (i64 scalar). Files are read whole when the dataset is opened.
#include <tenon/sdk/plugin/plugin.hpp>

#include <cstring>

#include "idx_file.hpp"

namespace {

namespace sdk = tenon::sdk;
using sdk::str;
using tenon::data::IdxFile;
using tenon::data::IdxReader;

enum Option : uint32_t { kImages, kLabels, kOptions };

struct Idx {
  IdxFile images;
  std::vector<int64_t> labels;
  bool has_labels = false;
  size_t sample_bytes = 0;

  int64_t length() const { return images.shape[0]; }
};

template <class T>
void append_labels(const IdxFile& file, std::vector<int64_t>& out) {
  out.reserve(static_cast<size_t>(file.shape[0]));
  for (size_t at = 0; at < file.bytes.size(); at += sizeof(T)) {
    T label;
    std::memcpy(&label, &file.bytes[at], sizeof label);
    out.push_back(label);
  }
}

std::vector<int64_t> read_labels(const std::string& path, int64_t images) {
  const IdxFile file = IdxReader(path).read();
  if (file.shape.size() != 1) {
    tenon::data::refuse_file("idx", path, "labels need one dimension", "1 dimension",
                             sdk::shape_text(file.shape));
  }
  if (file.shape[0] != images) {
    tenon::data::refuse_file("idx", path, "the numbers of labels and images differ",
                             std::to_string(images) + " labels, one for each image",
                             std::to_string(file.shape[0]));
  }
  std::vector<int64_t> labels;
  switch (file.dtype) {
    case TENON_DTYPE_U8:
      append_labels<uint8_t>(file, labels);
      break;
    case TENON_DTYPE_I8:
      append_labels<int8_t>(file, labels);
      break;
    case TENON_DTYPE_I16:
      append_labels<int16_t>(file, labels);
      break;
    case TENON_DTYPE_I32:
      append_labels<int32_t>(file, labels);
      break;
    default:
      tenon::data::refuse_file("idx", path, "labels must be whole numbers",
                               "an integer element type", "floating point");
  }
  return labels;
}

tenon_status create(tenon_call* call, const tenon_value* values, void** out_object) {
  return sdk::guarded(call, [&] {
    auto idx = std::make_unique<Idx>();
    idx->images = IdxReader(tenon::data::path_of(values[kImages], "images")).read();
    const int64_t samples = std::max<int64_t>(1, idx->length());
    idx->sample_bytes = idx->images.bytes.size() / static_cast<size_t>(samples);
    idx->has_labels = values[kLabels].tag != TENON_VALUE_NONE;
    if (idx->has_labels) {
      idx->labels = read_labels(tenon::data::path_of(values[kLabels], "labels"), idx->length());
    }
    *out_object = idx.release();
  });
}

void release(void* object) { delete static_cast<Idx*>(object); }

tenon_status length(tenon_call*, void* object, int64_t* out_length) {
  *out_length = static_cast<const Idx*>(object)->length();
  return TENON_OK;
}

tenon_status fields(tenon_call*, void* object, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  const Idx& idx = *static_cast<const Idx*>(object);
  *out_count = idx.has_labels ? 2 : 1;
  if (capacity > 0) {
    out[0] = {str("image"), {}};
    out[0].sample.dtype = idx.images.dtype;
    out[0].sample.rank = static_cast<int32_t>(idx.images.shape.size()) - 1;
    std::copy(idx.images.shape.begin() + 1, idx.images.shape.end(), out[0].sample.shape);
  }
  if (capacity > 1 && idx.has_labels) {
    out[1] = {str("label"), {}};
    out[1].sample.dtype = TENON_DTYPE_I64;
  }
  return TENON_OK;
}

tenon_status get(tenon_call*, void* object, const int64_t* indices, int64_t n,
                 void* const* destinations) {
  const Idx& idx = *static_cast<const Idx*>(object);
  auto* images = static_cast<unsigned char*>(destinations[0]);
  for (int64_t i = 0; i < n && idx.sample_bytes != 0; ++i) {
    const auto sample = static_cast<size_t>(indices[i]);
    std::memcpy(images + static_cast<size_t>(i) * idx.sample_bytes,
                idx.images.bytes.data() + sample * idx.sample_bytes, idx.sample_bytes);
  }
  if (idx.has_labels) {
    auto* labels = static_cast<int64_t*>(destinations[1]);
    for (int64_t i = 0; i < n; ++i) labels[i] = idx.labels[static_cast<size_t>(indices[i])];
  }
  return TENON_OK;
}

constexpr tenon_dataset_option kOptionList[kOptions] = {
    {str("images"), str("path of the samples' idx file; plain or gzip, with or without '.gz'"),
     TENON_VALUE_STRING, 1},
    {str("labels"), str("path of the labels' idx file; without it there is no field 'label'"),
     TENON_VALUE_STRING, 0}};

constexpr tenon_dataset_desc kDatasets[] = {
    {sizeof(tenon_dataset_desc), 0, str("tenon.idx"),
     str("Samples and labels in idx files, the format of MNIST. Fields: `image`, as stored, one "
         "slice along the file's first dimension; `label`, i64. Every byte of the files is "
         "accounted for when they are opened."),
     kOptionList, kOptions, 0, create, release, length, fields, get, nullptr, nullptr}};

}  // namespace

TENON_UNIT(idx) = {.datasets = kDatasets};
