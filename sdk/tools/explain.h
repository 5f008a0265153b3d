// SPDX-License-Identifier: Apache-2.0
// sdk/tools/explain.h: what `tenon explain` is made of, and what its pages share.
#pragma once

#include <string>
#include <vector>

#include "entry_facts.h"

namespace tenon::tools {

// A tensor of a layer and of all that are in it.
struct LayerTensor {
  std::string name;   // "0.weight"
  std::string dtype;  // "f32"
  std::vector<int64_t> shape;
  bool buffer = false;
};
// What a layer holds.
struct LayerParts {
  std::vector<LayerTensor> tensors;
  std::vector<std::pair<std::string, std::string>> children;  // "0.1", "tenon.linear"
};
// Of a layer that is made as the sample's options say. Throws Failure.
LayerParts parts_of_layer(const Session& session, const std::string& layer,
                          const std::string& sample);
// The entry's first sample that must work, or empty.
std::string first_sample(const EntryFacts& entry);
// "f32[3,4], parameter"
std::string text_of_tensor(const LayerTensor& tensor);

// Kernels, backward rule, flags of an op, an entry of the topic "ops".
void print_how_it_runs(const Json& op);
// What a call of an op would do. Returns an exit status.
int explain_call(const Session& session, const std::string& name, const std::string& sample,
                 bool as_json);

// Writes a page for each kind, and README.md, which lists them, into a folder; returns how many.
size_t write_kind_pages(const Session& session, const std::string& folder);

}  // namespace tenon::tools
