// SPDX-License-Identifier: Apache-2.0
// tests/cuda/optim_test.cc: steps of optimizers over long lists, odd sizes and odd addresses, on
// the emulated CUDA device; and rows that are wrong.
#include <cstring>

#include "tests/cuda/cuda_support.h"

namespace tenon::tests {
namespace {

// One list of operands: the tensors live as long as it does.
class List {
 public:
  void push(Tensor tensor) {
    handles_.push_back(tensor.get());
    tensors_.push_back(std::move(tensor));
  }
  tenon_value value() {
    tenon_value value{TENON_VALUE_TENSOR_LIST, static_cast<uint32_t>(handles_.size()), {}};
    value.as.tensors = handles_.data();
    return value;
  }
  const std::vector<tenon_tensor*>& handles() const { return handles_; }

 private:
  std::vector<Tensor> tensors_;
  std::vector<tenon_tensor*> handles_;
};

class CudaOptim : public ::testing::Test {
 protected:
  CudaOptim() : session_(CudaSession::folders(), 1, nullptr, CudaSession::kExcluded) {
    session_.must(tenon_device_find(session_, "cpu", TENON_NUL, 0, &cpu_));
    session_.must(tenon_device_find(session_, "cuda", TENON_NUL, 0, &cuda_));
  }

  template <class T>
  Tensor make(const tenon_device& device, tenon_dtype dtype, const Shape& shape,
              const std::vector<T>& data) {
    tenon_tensor* out = nullptr;
    session_.must(tenon_tensor_create_from(session_, dtype, &device,
                                           static_cast<int32_t>(shape.size()), shape.data(),
                                           data.data(), data.size() * sizeof(T), &out));
    return Tensor(out);
  }
  // `count` numbers that depend on `seed` alone; one element into their storage where `odd`.
  Tensor numbers(const tenon_device& device, int64_t count, uint32_t seed, bool odd) {
    std::vector<float> data(static_cast<size_t>(count + (odd ? 1 : 0)));
    for (float& each : data) {
      seed = seed * 1664525U + 1013904223U;
      each = static_cast<float>(seed >> 8) * 0x1p-24F + 0.001F;
    }
    Tensor whole = make(device, TENON_DTYPE_F32, {static_cast<int64_t>(data.size())}, data);
    if (!odd) return whole;
    tenon_tensor* out = nullptr;
    session_.must(
        call("tenon.slice", {tensor_value(whole.get())}, {{"axis", 0}, {"start", 1}}, &out));
    return Tensor(out);
  }

  tenon_status call(const char* op, const std::vector<tenon_value>& inputs,
                    const std::vector<std::pair<const char*, int64_t>>& named, tenon_tensor** out) {
    const tenon_op* found = session_.find(op);
    std::vector<tenon_value> attrs;
    for (const auto& [name, number] : named) {
      uint32_t index = 0;
      session_.must(tenon_op_find_attribute(session_, found, name, TENON_NUL, &index));
      if (index >= attrs.size()) attrs.resize(index + 1);
      attrs[index] = {TENON_VALUE_I64, 0, {}};
      attrs[index].as.i64 = number;
    }
    return tenon_op_call(session_, found, inputs.data(), static_cast<uint32_t>(inputs.size()),
                         attrs.data(), static_cast<uint32_t>(attrs.size()), out, out ? 1 : 0);
  }

  // Parameters, gradients, both means and step counts after one step of AdamW on `device`.
  std::vector<Array> adamw(const tenon_device& device, const std::vector<int64_t>& counts) {
    List params, grads, means, squares, steps;
    uint32_t seed = 1;
    for (const int64_t count : counts) {
      const bool odd = seed % 5 == 0;
      params.push(numbers(device, count, seed++, odd));
      grads.push(numbers(device, count, seed++, odd));
      means.push(numbers(device, count, seed++, false));
      squares.push(numbers(device, count, seed++, false));
      steps.push(make<int64_t>(device, TENON_DTYPE_I64, {}, {int64_t{seed % 7}}));
    }
    const Tensor lr = make<double>(device, TENON_DTYPE_F64, {}, {0.01});
    session_.must(call("tenon.adamw_step",
                       {params.value(), grads.value(), means.value(), squares.value(),
                        steps.value(), tensor_value(lr.get())},
                       {}, nullptr));
    std::vector<Array> all;
    for (const List* list : {&params, &means, &squares, &steps}) {
      for (tenon_tensor* each : list->handles()) all.push_back(contents_of(session_, each));
    }
    return all;
  }

  // All gradients after they were clipped to a norm of 0.5, then the norm they had.
  std::vector<float> clipped(const tenon_device& device, const std::vector<int64_t>& counts,
                             bool each) {
    List grads;
    uint32_t seed = 1;
    for (const int64_t count : counts) {
      grads.push(numbers(device, count, seed, seed % 5 == 0));
      ++seed;
    }
    const tenon_value list = grads.value();
    tenon_value attrs[3] = {
        {TENON_VALUE_F64, 0, {}}, {TENON_VALUE_F64, 0, {}}, {TENON_VALUE_BOOL, 0, {}}};
    attrs[0].as.f64 = 0.5;
    attrs[1].as.f64 = 2;
    attrs[2].as.i64 = each ? 1 : 0;
    tenon_tensor* out = nullptr;
    session_.must(tenon_op_call(session_, session_.find("tenon.clip_grad_norm"), &list, 1, attrs, 3,
                                &out, 1));
    const Tensor norm(out);
    std::vector<tenon_tensor*> handles = grads.handles();
    handles.push_back(out);
    std::vector<float> all;
    for (const tenon_tensor* tensor : handles) {
      const Array array = contents_of(session_, tensor);
      const size_t before = all.size();
      all.resize(before + array.count());
      if (array.count() > 0) std::memcpy(&all[before], array.bytes.data(), array.bytes.size());
    }
    return all;
  }

  Session session_;
  tenon_device cpu_{};
  tenon_device cuda_{};
};

// More parameters than one launch takes, of sizes around a block's share, some at odd addresses.
TEST_F(CudaOptim, LongListsAreUpdatedInGroups) {
  std::vector<int64_t> counts;
  for (int64_t i = 0; i < 230; ++i) counts.push_back(i % 9);
  for (const int64_t count : {2047, 2048, 2049, 4096, 5003}) counts.push_back(count);
  const std::vector<Array> expected = adamw(cpu_, counts), found = adamw(cuda_, counts);
  ASSERT_EQ(expected.size(), found.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(expected[i], found[i]) << "operand " << i << " of " << counts.size() << " each\n"
                                     << text_of(expected[i]) << "\n"
                                     << text_of(found[i]);
  }
}

// More gradients than one launch takes, of sizes around a block's share; one has nothing.
TEST_F(CudaOptim, ManyGradientsAreClippedByOneNormOrEachByItsOwn) {
  std::vector<int64_t> counts{16383, 16384, 16385, 40001, 0};
  for (int64_t i = 0; i < 330; ++i) counts.push_back(1 + i % 9);
  for (const bool each : {false, true}) {
    const std::vector<float> expected = clipped(cpu_, counts, each);
    const std::vector<float> found = clipped(cuda_, counts, each);
    ASSERT_EQ(expected.size(), found.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], 2e-6F * expected[i]) << "element " << i;
    }
  }
}

// The failure comes with the next wait, and no list has changed by then, not even a right one.
TEST_F(CudaOptim, WrongRowsChangeNothing) {
  List params, indices, values, buffers, steps;
  const std::vector<std::vector<int64_t>> rows{{0, 2}, {1, 1}};
  for (const auto& each : rows) {
    params.push(numbers(cuda_, 3, 1, false));
    indices.push(make<int64_t>(cuda_, TENON_DTYPE_I64, {2}, each));
    values.push(numbers(cuda_, 2, 2, false));
    buffers.push(numbers(cuda_, 3, 3, false));
    steps.push(make<int64_t>(cuda_, TENON_DTYPE_I64, {}, {4}));
  }
  const Tensor lr = make<double>(cuda_, TENON_DTYPE_F64, {}, {0.5});
  const auto contents = [&] {
    std::vector<Array> all;
    for (const List* list : {&params, &buffers, &steps}) {
      for (tenon_tensor* each : list->handles()) all.push_back(contents_of(session_, each));
    }
    return all;
  };
  const std::vector<Array> before = contents();
  session_.must(call("tenon.sgd_rows",
                     {params.value(), indices.value(), values.value(), buffers.value(),
                      steps.value(), tensor_value(lr.get())},
                     {}, nullptr));
  EXPECT_EQ(tenon_device_wait(session_, &cuda_), TENON_E_DATA);
  EXPECT_NE(session_.failure().find("row 1 at place 1, of a parameter of 3 rows: rows must exist "
                                    "and ascend without duplicates"),
            std::string::npos)
      << session_.failure();
  EXPECT_EQ(contents(), before);
}

TEST_F(CudaOptim, ProbabilitiesOutsideTheRangeAreTold) {
  const Tensor p = make<float>(cuda_, TENON_DTYPE_F32, {2, 2}, {0.5F, 1.0F, 1.5F, -1.0F});
  tenon_tensor* out = nullptr;
  session_.must(call("tenon.bernoulli", {tensor_value(p.get())}, {}, &out));
  const Tensor drawn(out);
  EXPECT_EQ(tenon_device_wait(session_, &cuda_), TENON_E_DATA);
  EXPECT_NE(session_.failure().find("p[1,0] is 1.5, which is not a probability"), std::string::npos)
      << session_.failure();
}

}  // namespace
}  // namespace tenon::tests
