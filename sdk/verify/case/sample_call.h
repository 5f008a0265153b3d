// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/sample_call.h: calls made from a sample text, with chosen dtypes and contents.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <tenon/sdk/plugin/sample.hpp>
#include <vector>

#include "case/array.h"
#include "case/layout.h"
#include "case/subject.h"

namespace tenon::verify {

// A sample with every tensor of one dtype replaced by another, and contents for its tensors. "=f32"
// as a dtype is one that an attribute states; "f32+=f16" two dtypes that are replaced together.
struct SampleCall {
  const Entry* op = nullptr;
  uint32_t number = 0;   // the sample's
  std::string from, to;  // as in a Case
  sdk::Sample sample;
  std::vector<Array> arrays;   // all tensor operands, lists one by one
  std::vector<bool> mutated;   // marked "!", for each of `arrays`
  std::vector<uint32_t> slot;  // which schema input each of `arrays` belongs to
  uint32_t n_outputs = 0;
  uint32_t n_plain_outputs = 0;  // without aux

  std::vector<Layout> row_major() const;  // of `arrays`
  bool mutates() const;
  bool has_size_zero() const;
  bool has_non_finite() const;  // NaN or infinity among the operands
  bool broadcasts() const;      // operands of unequal shapes in an elementwise op
};

// Contents are drawn as tenon/sdk/plugin/draw.hpp says. Nothing if the values given in the text do
// not fit the new dtype.
std::optional<SampleCall> make_call(const Entry& op, const SampleText& sample,
                                    const std::string& from, const std::string& to, uint64_t seed);

// Fills what follows from `call.sample`: operands, with drawn contents, and what the schema says.
void draw_operands(SampleCall& call, const Entry& op, uint64_t seed);

// What a sample says of one tensor; `number` counts the sample's tensors.
Array drawn(const sdk::SampleTensor& tensor, uint64_t seed, uint64_t number);

// The sample as written first, then one call for each replacement of one of its dtypes.
std::vector<SampleCall> replacements_of(const Entry& op, const SampleText& sample, uint64_t seed);

// Those that the op's schema takes and something can run, and always the sample as written.
// `session` is asked with dry calls (tenon_op_explain), on `device`.
std::vector<SampleCall> calls_of(const Session& session, const Entry& op, const SampleText& sample,
                                 const tenon_device& device, uint64_t seed);

// The answer of tenon_op_explain; null if it refuses the call.
Json explained(const Session& session, const SampleCall& from, const tenon_device& device);

// FNV-1a, 64 bits, over the bytes of all operands in order: as golden files state it.
std::string checksum_of(const SampleCall& call);

// Values of one call with operands placed in memory.
class Bound {
 public:
  // `layouts` has one entry for each of the call's arrays; `arrays` may differ from the call's.
  Bound(const Session& session, const SampleCall& call, std::span<const Array> arrays,
        std::span<const Layout> layouts, const tenon_device& device);
  // Row-major, each tensor in a storage of its own, without guards.
  Bound(const Session& session, const SampleCall& call, const tenon_device& device);
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  const std::vector<tenon_value>& inputs() const { return inputs_; }
  const std::vector<tenon_value>& attrs() const { return attrs_; }
  const std::vector<std::unique_ptr<Placed>>& tensors() const { return tensors_; }
  tenon_tensor* handle(size_t index) const { return handles_[index]; }
  void replace(size_t index, tenon_tensor* tensor);  // borrowed
  // Not TENON_OK if the op has no attribute of a name in the sample; the session has the words.
  tenon_status status() const { return status_; }

 private:
  void begin(const Session& session, const tenon_device& device);
  void build();

  const SampleCall& call_;
  std::vector<std::unique_ptr<Placed>> tensors_;
  std::vector<tenon_tensor*> handles_;
  std::vector<tenon_value> inputs_, attrs_;
  tenon_status status_ = TENON_OK;
};

Json explained(const Session& session, const SampleCall& from, const Bound& bound);

const tenon_op* find_op(const Session& session, const std::string& name);

// tenon_op_call and tenon_op_call_into of a bound call. The random counter is set to 0 first, so
// that equal calls draw equal numbers.
tenon_status call(const Session& session, const SampleCall& from, const Bound& bound,
                  uint32_t n_outputs, std::vector<Tensor>& out);
// Leaves the counter as it is, which is all that a capture allows.
tenon_status call_again(const Session& session, const SampleCall& from, const Bound& bound,
                        uint32_t n_outputs, std::vector<Tensor>& out);
tenon_status apply(const Session& session, const SampleCall& from, const Bound& bound,
                   std::span<tenon_tensor* const> outputs);

// The words of the session's last failure: "TENON_E_SHAPE: ...".
std::string failure_of(const Session& session, tenon_status status);
tenon_error error_of(const Session& session);

// Outputs that are given hold this byte everywhere before the call, and the memory of those that
// are returned held it, as far as the host gives memory back that was freed last.
inline constexpr unsigned char kUnwritten = 0x7C;

// What a call gives: its outputs, then its operands marked "!" afterwards.
struct Outcome {
  tenon_status status = TENON_OK;
  std::string words;  // of a failure
  std::vector<Array> results;
};
// With row-major operands, returned form, no gradients, all outputs (aux too).
Outcome outcome_of(const Session& session, const SampleCall& from, const tenon_device& device);

}  // namespace tenon::verify
