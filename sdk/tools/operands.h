// SPDX-License-Identifier: Apache-2.0
// sdk/tools/operands.h: the operands and attributes a sample text describes, as values of a call.
#pragma once

#include <deque>
#include <optional>
#include <tenon/sdk/plugin/sample.hpp>

#include "session.h"

namespace tenon::tools {

// Where the tensors lie, and what is in them. Without `seed` their contents are not set: that is
// enough if nothing runs.
struct OperandOptions {
  const tenon_device* device = nullptr;  // NULL: the context's
  std::optional<uint64_t> seed;
};

class Operands {
 public:
  // Throws Failure: text that cannot be read, attributes the op does not have.
  Operands(const Session& session, const tenon_op* op, const std::string& sample,
           const OperandOptions& options = {});
  ~Operands();
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  // Gives the tensors their contents again; only with a seed.
  void fill() const;

  const std::vector<tenon_value>& inputs() const { return inputs_; }
  const std::vector<tenon_value>& attrs() const { return attrs_; }

 private:
  tenon_tensor* make(const sdk::SampleTensor& tensor);
  tenon_value input(const sdk::SampleInput& input);
  void set_attr(const tenon_op* op, const std::string& name, const sdk::SampleValue& value);

  const Session& session_;
  const OperandOptions options_;
  sdk::Sample sample_;  // values point into it
  std::vector<tenon_tensor*> tensors_;
  std::vector<const sdk::SampleTensor*> texts_;  // of tensors_
  std::deque<std::vector<tenon_tensor*>> lists_;
  std::vector<tenon_value> inputs_;
  std::vector<tenon_value> attrs_;
};

}  // namespace tenon::tools
