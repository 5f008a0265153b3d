// SPDX-License-Identifier: Apache-2.0
// tests/cuda/moving_test.cc: what the samples of ops that move data are too small for: squares that
// are transposed, sorts of many indices, and the words for the first of several wrong ones.
#include <numeric>

#include "tests/cuda/cuda_support.h"

namespace tenon::tests {
namespace {

Array counted(tenon_dtype dtype, const Shape& shape) {
  Array array{dtype, shape, {}};
  array.bytes.resize(array.count() * size_of(dtype));
  for (size_t i = 0; i < array.bytes.size(); ++i) {
    array.bytes[i] = static_cast<unsigned char>(i % 251 + i / 251);
  }
  return array;
}

tenon_value ints_value(const std::vector<int64_t>& numbers) {
  tenon_value value{TENON_VALUE_INT_LIST, static_cast<uint32_t>(numbers.size()), {}};
  value.as.ints = numbers.data();
  return value;
}

// Copies of permuted tensors are those of the host.
TEST(CudaMoving, TransposedInAllSizes) {
  const CudaSession session;
  const std::vector<int64_t> orders[] = {{1, 0, 2}, {2, 1, 0}, {0, 2, 1}, {1, 2, 0}};
  for (const tenon_dtype dtype :
       {TENON_DTYPE_U8, TENON_DTYPE_F16, TENON_DTYPE_F32, TENON_DTYPE_F64}) {
    for (const Shape& shape : {Shape{3, 70, 65}, Shape{65, 3, 64}, Shape{33, 40, 4}}) {
      const Tensor host = session.on(session.cpu, counted(dtype, shape));
      const Tensor there = session.to(session.cuda, host);
      for (const std::vector<int64_t>& order : orders) {
        const auto moved = [&](const Tensor& x) {
          const Tensor permuted =
              session.call("tenon.permute", {tensor_value(x.get())}, {{"axes", ints_value(order)}});
          return contents_of(session,
                             session.call("tenon.copy", {tensor_value(permuted.get())}).get());
        };
        EXPECT_EQ(moved(there), moved(host)) << dtype << " " << testing::PrintToString(shape);
      }
    }
  }
}

std::vector<int64_t> drawn_indices(int64_t count, int64_t size) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  uint64_t state = 88172645463325252;
  for (int64_t& index : indices) {
    state = state * 6364136223846793005 + 1442695040888963407;
    index = static_cast<int64_t>(state >> 33) % size;
  }
  return indices;
}

Tensor indices_on(const CudaSession& session, const tenon_device& device,
                  const std::vector<int64_t>& indices) {
  Array array{TENON_DTYPE_I64, {static_cast<int64_t>(indices.size())}, {}};
  array.bytes.resize(indices.size() * sizeof(int64_t));
  std::memcpy(array.bytes.data(), indices.data(), array.bytes.size());
  return session.on(device, array);
}

std::vector<float> drawn_floats(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = 1.0F / static_cast<float>(i % 977 + 1);
  return values;
}

// More indices than one kernel sorts; sums depend on their order.
TEST(CudaMoving, ManyElementsAreAddedInOrder) {
  const CudaSession session;
  for (const int64_t places : {int64_t{7}, int64_t{100000}}) {
    constexpr int64_t kCount = 5003;
    const std::vector<int64_t> indices = drawn_indices(kCount, places);
    const auto added = [&](const tenon_device& device, const char* op) {
      const Tensor x = session.f32(device, {places}, drawn_floats(static_cast<size_t>(places)));
      const Tensor src = session.f32(device, {kCount}, drawn_floats(kCount));
      const Tensor where = indices_on(session, device, indices);
      return contents_of(
          session,
          session
              .call(op, {tensor_value(x.get()), tensor_value(where.get()), tensor_value(src.get())},
                    {{"axis", int_value(0)}})
              .get());
    };
    for (const char* op : {"tenon.scatter_add", "tenon.scatter"}) {
      EXPECT_EQ(added(session.cuda, op), added(session.cpu, op)) << op << " " << places;
    }
  }
}

TEST(CudaMoving, LongPermutationsAreTheHosts) {
  const CudaSession session;
  const auto drawn = [&](const tenon_device& device) {
    session.must(tenon_context_set_device(session, &device));
    session.must(tenon_context_set_seed(session, 5, 0));
    const Tensor order = session.call("tenon.permutation", {}, {{"n", int_value(4099)}});
    session.must(tenon_context_set_device(session, nullptr));
    return contents_of(session, order.get());
  };
  EXPECT_EQ(drawn(session.cuda), drawn(session.cpu));
}

TEST(CudaMoving, TheFirstWrongIndexIsTold) {
  const CudaSession session;
  const Tensor x = session.f32(session.cuda, {4, 2}, std::vector<float>(8, 1.0F));
  std::vector<int64_t> indices(600, 3);
  indices[431] = 9;
  indices[57] = -2;
  indices[599] = 4;
  const Tensor wrong = indices_on(session, session.cuda, indices);
  const Tensor y =
      session.call("tenon.embedding", {tensor_value(x.get()), tensor_value(wrong.get())});
  EXPECT_EQ(session.wait(session.cuda), TENON_E_DATA);
  EXPECT_NE(session.message().find("indices[57] is -2, outside the 4 it may name"),
            std::string::npos)
      << session.message();
  EXPECT_NE(session.message().find("tenon.embedding"), std::string::npos) << session.message();
  // It is told once, and nothing is lost.
  EXPECT_EQ(session.wait(session.cuda), TENON_OK);
  EXPECT_EQ(session.floats(x), std::vector<float>(8, 1.0F));
}

// Wrong indices change nothing of what is written in place, neither where elements are sorted nor
// where a thread goes through a line.
TEST(CudaMoving, AWrongIndexLeavesAllRowsAsTheyWere) {
  const CudaSession session;
  const std::vector<float> before = drawn_floats(12);
  const Tensor x = session.f32(session.cuda, {4, 3}, before);
  const Tensor values = session.f32(session.cuda, {3, 3}, drawn_floats(9));
  const Tensor rows = indices_on(session, session.cuda, {1, 4, 2});
  const tenon_value inputs[] = {tensor_value(x.get()), tensor_value(rows.get()),
                                tensor_value(values.get())};
  for (const char* op : {"tenon.rows_add", "tenon.rows_put"}) {
    session.must(tenon_op_call(session, session.find(op), inputs, 3, nullptr, 0, nullptr, 0));
    EXPECT_EQ(session.wait(session.cuda), TENON_E_DATA) << op;
    EXPECT_EQ(session.floats(x), before) << op;
  }
  for (const size_t length : {3, 70}) {  // by lines, by sorting
    std::vector<int64_t> wrong(length, 1);
    wrong[1] = -1;
    const Tensor y = session.f32(session.cuda, {12}, before);
    const Tensor indices = indices_on(session, session.cuda, wrong);
    const Tensor src =
        session.f32(session.cuda, {static_cast<int64_t>(length)}, drawn_floats(length));
    const tenon_value scattered[] = {tensor_value(y.get()), tensor_value(indices.get()),
                                     tensor_value(src.get())};
    tenon_tensor* out = y.get();
    for (const char* op : {"tenon.scatter_add", "tenon.scatter"}) {
      const tenon_value axis = int_value(0);
      session.must(tenon_op_call_into(session, session.find(op), scattered, 3, &axis, 1, &out, 1));
      EXPECT_EQ(session.wait(session.cuda), TENON_E_DATA) << op << " " << length;
      EXPECT_EQ(session.floats(y), before) << op << " " << length;
    }
  }
}

}  // namespace
}  // namespace tenon::tests
