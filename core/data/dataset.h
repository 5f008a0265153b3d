// SPDX-License-Identifier: Apache-2.0
// core/data/dataset.h: a plugin's dataset object, as a public handle.
#pragma once

#include <tenon/ext/draft/datasets.h>

#include <vector>

#include "core/data/callback.h"

namespace tenon::data {

class Dataset : public Object<tenon_dataset_desc> {
 public:
  // Opens the data.
  Dataset(Context& context, const registry::Entry& kind, std::span<const NamedValue> values);

  int64_t length() const { return length_; }
  const std::vector<tenon_dataset_field>& fields() const { return fields_; }
  const char* field_name(size_t index) const { return names_[index].c_str(); }
  // One tensor [n, ...] per field, in host memory. Errors of the plugin name the sample.
  std::vector<tensor::Ref> get(Context& context, const tenon_batch& batch) const;
  // How long `count` samples from `first` on are.
  std::vector<int64_t> lengths(Context& context, int64_t first, int64_t count) const;

 private:
  void describe(Context& context);
  void read(Context& context, const tenon_batch& batch, void* const* destinations) const;
  int64_t length_ = 0;
  std::vector<tenon_dataset_field> fields_;
  std::vector<std::string> names_;
};

}  // namespace tenon::data
