// SPDX-License-Identifier: Apache-2.0
// tests/conformance/conformance_support.h: the registry as it is found at run time, and its sample
// calls with operands in any memory layout.
//
// Nothing here names an op: what is tested is what the registry lists.
#pragma once

#include <gtest/gtest.h>
#include <tenon/tenon.h>
#include <tenon/sdk/plugin/sample.hpp>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::tests {

using Json = nlohmann::json;
using Shape = std::vector<int64_t>;

inline constexpr uint64_t kSeed = 20261121;

// A runtime on the tree's own plugins, and one context.
class Session {
 public:
  // As shipped; check mode layout; with plugin test.strict; with the simulated device, beside the
  // plain kernels alone.
  enum Kind { Plain, Checked, Strict, Simulated };

  // `check` are check modes, beside those of `kind`.
  explicit Session(Kind kind = Plain, const char* check = nullptr);
  // On the plugins in these folders.
  Session(const std::vector<std::string>& folders, int32_t threads, const char* check = nullptr,
          const char* exclude = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  operator tenon_context*() const { return context_; }
  tenon_runtime* runtime() const { return runtime_; }
  Json query(std::string_view topic) const;
  const tenon_op* find(std::string_view op) const;
  tenon_op_info info(const tenon_op* op) const;
  tenon_stats stats() const;
  // "STATUS: message" of the context's last failure.
  std::string failure() const;
  tenon_error error() const;
  void must(tenon_status status) const;  // a test failure with the error record's words

 private:
  tenon_runtime* runtime_ = nullptr;
  tenon_context* context_ = nullptr;
};

// Turns gradients off for a scope.
class NoGrad {
 public:
  explicit NoGrad(const Session& session) : session_(session) {
    session.must(tenon_grad_begin(session, TENON_GRAD_DISABLED));
  }
  ~NoGrad() { session_.must(tenon_grad_end(session_)); }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  const Session& session_;
};

struct ReleaseTensor {
  void operator()(tenon_tensor* tensor) const { tenon_tensor_release(tensor); }
};
using Tensor = std::unique_ptr<tenon_tensor, ReleaseTensor>;

// Row-major contents of a tensor.
struct Array {
  tenon_dtype dtype = TENON_DTYPE_F32;
  Shape shape;
  std::vector<unsigned char> bytes;

  size_t count() const;
  bool operator==(const Array&) const = default;
};

size_t size_of(tenon_dtype dtype);
bool is_float(tenon_dtype dtype);
tenon_dtype dtype_named(std::string_view name);
std::string text_of(const Array& array);  // for messages: dtype, shape, the first bytes
Array contents_of(const Session& session, const tenon_tensor* tensor);
std::vector<double> values_of(const Array& f64);

enum class Layout {
  RowMajor,
  Transposed,  // dimensions in reverse order in memory
  Gapped,      // a slice: rows with a gap after each
  Offset,      // one element into its storage
  Stepped,     // every second element
  Negative,    // every stride below zero
  Unaligned,   // at an odd address of the caller's memory
  Spread,      // zero stride in every dimension: overlaps itself
  Window,      // all strides 1: rows overlap in part
};
inline constexpr Layout kLayouts[] = {Layout::RowMajor, Layout::Transposed, Layout::Gapped,
                                      Layout::Offset,   Layout::Stepped,    Layout::Negative,
                                      Layout::Unaligned};
inline constexpr Layout kOverlapping[] = {Layout::Spread, Layout::Window};
const char* name_of(Layout layout);
// Strides in elements, and how many elements the memory has.
std::pair<Shape, int64_t> strides_of(const Shape& shape, Layout layout);

// A tensor of a given layout in memory that is watched: every byte outside its elements holds a
// pattern.
class Placed {
 public:
  Placed(const Session& session, const Array& array, Layout layout);
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

  tenon_tensor* get() const { return tensor_.get(); }
  Array read() const;
  bool outside_untouched() const;

 private:
  void make_inside(const Session& session, const Shape& strides, int64_t offset, int64_t total);
  void make_unaligned(const Session& session, const Shape& strides, int64_t total);
  unsigned char* element(size_t index) const { return first_ + offsets_[index]; }

  static constexpr unsigned char kHole = 0xA5;
  tenon_dtype dtype_;
  Shape shape_;
  std::vector<int64_t> offsets_;  // bytes from first_, in logical order
  std::unique_ptr<unsigned char[]> own_;
  Tensor base_;
  Tensor tensor_;
  unsigned char* memory_ = nullptr;
  size_t memory_bytes_ = 0;
  unsigned char* first_ = nullptr;
};

// One sample with contents drawn for its operands.
struct Case {
  std::string op;
  std::string label;  // for SCOPED_TRACE: op, sample, variant, seed
  sdk::Sample sample;
  std::vector<Array> arrays;  // of all tensor operands, lists flattened
  std::vector<bool> mutated;  // marked "!" in the schema; for each of `arrays`
  uint32_t n_outputs = 0;
  uint32_t n_plain_outputs = 0;  // without aux
  bool mutates() const;
};

// Values for one call. Layouts are given for each of the case's arrays.
class Bound {
 public:
  Bound(const Session& session, const Case& from, std::span<const Array> arrays,
        std::span<const Layout> layouts);
  Bound(const Session& session, const Case& from);  // all row-major
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  std::span<const tenon_value> inputs() const { return inputs_; }
  const std::vector<std::unique_ptr<Placed>>& tensors() const { return tensors_; }
  // Puts `tensor` in place of tensor `index`.
  void replace(size_t index, tenon_tensor* tensor);

 private:
  void build(const Case& from);
  std::vector<std::unique_ptr<Placed>> tensors_;
  std::vector<tenon_tensor*> handles_;
  const Case* from_;
  std::vector<tenon_value> inputs_;
};

// The attributes of a case by position; on failure the status of tenon_op_find_attribute.
tenon_status attributes(const Session& session, const tenon_op* op, const sdk::Sample& sample,
                        std::vector<tenon_value>& out);

tenon_status call(const Session& session, const Case& from, std::span<const tenon_value> inputs,
                  uint32_t n_outputs, std::vector<Tensor>& out);
tenon_status apply(const Session& session, const Case& from, std::span<const tenon_value> inputs,
                   std::span<tenon_tensor* const> outputs);

// What a call gives: its outputs, and its operands afterwards.
struct Outcome {
  std::vector<Array> outputs;
  std::vector<Array> operands;
  bool operator==(const Outcome&) const = default;
};
// Fails the test where the call fails.
Outcome run(const Session& session, const Case& from, const Bound& bound);
void expect_same(const std::vector<Array>& expected, const std::vector<Array>& found,
                 const std::string& what);

struct SampleEntry {
  std::string op;
  std::string text;
  std::string fragment;
  tenon_status expect = TENON_OK;
};

// Read from the registry once per process.
const Json& ops();
const std::vector<SampleEntry>& samples();

// The case of one sample, its floats replaced by `floats` and its integers by `integers` where
// these are not NONE.
Case make_case(const SampleEntry& sample, tenon_dtype floats = TENON_DTYPE_NONE,
               tenon_dtype integers = TENON_DTYPE_NONE);

// All cases: every good sample as it is, then with each float dtype and with i64, leaving out what
// the op's schema refuses.
const std::vector<Case>& good_cases();

}  // namespace tenon::tests
