// SPDX-License-Identifier: Apache-2.0
// tests/core/dlpack_test.cc: tensors to and from DLPack: addresses, strides, ownership, refusals.
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "core/exchange/dlpack.h"
#include "tests/core/support.h"

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif

namespace {

namespace tests = tenon::tests;
using tenon::exchange::dlpack::Array;
using tenon::exchange::dlpack::Managed;
using tenon::tests::Shape;
using tenon::tests::Tensor;
using tenon::tests::Toy;
using testing::HasSubstr;

// Six floats somebody else owns, and how often they were given back.
struct Producer {
  explicit Producer(Shape sizes, Shape steps = {})
      : shape(std::move(sizes)), strides(std::move(steps)) {
    managed.version = {1, 0};
    managed.manager = this;
    managed.deleter = [](Managed* self) {
      Producer& owner = *static_cast<Producer*>(self->manager);
      if (owner.at_deletion) owner.at_deletion();
      ++owner.deletions;
    };
    managed.array.data = memory.data();
    managed.array.device = {1, 0};
    managed.array.rank = static_cast<int32_t>(shape.size());
    managed.array.dtype = {2, 32, 1};
    managed.array.shape = shape.data();
    managed.array.strides = strides.empty() ? nullptr : strides.data();
  }

  alignas(64) std::array<float, 6> memory{0, 1, 2, 3, 4, 5};
  Shape shape;
  Shape strides;
  Managed managed{};
  std::atomic<int> deletions{0};
  std::function<void()> at_deletion;
};

class Dlpack : public Toy {
 protected:
  Tensor import(Producer& producer) const {
    tenon_tensor* out = nullptr;
    cx.must(tenon_tensor_create_dlpack(cx.get(), &producer.managed, &out));
    return Tensor(out);
  }
  Managed* exported(const Tensor& tensor) const {
    void* out = nullptr;
    cx.must(tenon_tensor_get_dlpack(cx.get(), tensor.get(), &out));
    return static_cast<Managed*>(out);
  }
  tenon_view view_of(const Tensor& tensor) const {
    tenon_view view{};
    cx.must(tenon_tensor_get_view(cx.get(), tensor.get(), &view));
    return view;
  }
  // The call must fail and leave everything as it was: the struct with the caller.
  tests::Failure refused_import(Producer& producer, tenon_status expected) const {
    const tenon_stats before = cx.stats();
    tenon_tensor* out = nullptr;
    tests::Failure failure =
        cx.refused(expected, tenon_tensor_create_dlpack(cx.get(), &producer.managed, &out));
    EXPECT_EQ(out, nullptr);
    EXPECT_EQ(producer.deletions, 0);
    EXPECT_EQ(cx.stats().tensors, before.tensors);
    EXPECT_EQ(cx.stats().storages, before.storages);
    return failure;
  }
};
using DlpackThreads = Dlpack;

#if __has_include(<dlpack/dlpack.h>)
TEST(DlpackLayout, IsThePackagedHeaders) {
  EXPECT_EQ(sizeof(Array), sizeof(DLTensor));
  EXPECT_EQ(offsetof(Array, data), offsetof(DLTensor, data));
  EXPECT_EQ(offsetof(Array, device), offsetof(DLTensor, device));
  EXPECT_EQ(offsetof(Array, rank), offsetof(DLTensor, ndim));
  EXPECT_EQ(offsetof(Array, dtype), offsetof(DLTensor, dtype));
  EXPECT_EQ(offsetof(Array, shape), offsetof(DLTensor, shape));
  EXPECT_EQ(offsetof(Array, strides), offsetof(DLTensor, strides));
  EXPECT_EQ(offsetof(Array, byte_offset), offsetof(DLTensor, byte_offset));
  using tenon::exchange::dlpack::ElementType;
  EXPECT_EQ(sizeof(ElementType), sizeof(DLDataType));
  EXPECT_EQ(offsetof(ElementType, code), offsetof(DLDataType, code));
  EXPECT_EQ(offsetof(ElementType, bits), offsetof(DLDataType, bits));
  EXPECT_EQ(offsetof(ElementType, lanes), offsetof(DLDataType, lanes));
  using tenon::exchange::dlpack::Place;
  EXPECT_EQ(sizeof(Place), sizeof(DLDevice));
  EXPECT_EQ(offsetof(Place, device_type), offsetof(DLDevice, device_type));
  EXPECT_EQ(offsetof(Place, device_id), offsetof(DLDevice, device_id));
  EXPECT_EQ(tenon::exchange::dlpack::kHostMemory, kDLCPU);
#if defined(DLPACK_MAJOR_VERSION)
  EXPECT_EQ(sizeof(Managed), sizeof(DLManagedTensorVersioned));
  EXPECT_EQ(offsetof(Managed, manager), offsetof(DLManagedTensorVersioned, manager_ctx));
  EXPECT_EQ(offsetof(Managed, deleter), offsetof(DLManagedTensorVersioned, deleter));
  EXPECT_EQ(offsetof(Managed, flags), offsetof(DLManagedTensorVersioned, flags));
  EXPECT_EQ(offsetof(Managed, array), offsetof(DLManagedTensorVersioned, dl_tensor));
#endif
}
#endif

TEST_F(Dlpack, ImportUsesTheMemoryAndGivesItBackOnce) {
  Producer producer({2, 3});
  Tensor tensor = import(producer);
  const tenon_view view = view_of(tensor);
  EXPECT_EQ(view.data, producer.memory.data());
  EXPECT_EQ(view.dtype, TENON_DTYPE_F32);
  EXPECT_EQ(Shape(view.shape, view.shape + view.rank), (Shape{2, 3}));
  EXPECT_EQ(Shape(view.strides, view.strides + view.rank), (Shape{3, 1}));
  EXPECT_EQ(view.flags, 0u);
  const tenon_tensor_info info = cx.info(tensor);
  EXPECT_EQ(info.storage_bytes, sizeof producer.memory);
  EXPECT_EQ(info.flags & (TENON_TENSOR_EXTERNAL | TENON_TENSOR_HOST | TENON_TENSOR_READ_ONLY),
            TENON_TENSOR_EXTERNAL | TENON_TENSOR_HOST);
  const std::array<float, 6> other{6, 7, 8, 9, 10, 11};
  cx.must(tenon_tensor_set_data(cx.get(), tensor.get(), other.data(), sizeof other));
  EXPECT_EQ(producer.memory, other);

  Tensor detached = cx.detached(tensor);
  tensor.reset();
  EXPECT_EQ(producer.deletions, 0) << "an alias still uses the memory";
  detached.reset();
  EXPECT_EQ(producer.deletions, 1);
}

TEST_F(Dlpack, ImportKeepsByteOffsetAndStrides) {
  Producer producer({2, 2}, {2, 2});  // overlaps itself: elements 1, 3, 3, 5
  producer.managed.array.byte_offset = sizeof(float);
  const Tensor tensor = import(producer);
  EXPECT_EQ(view_of(tensor).data, &producer.memory[1]);
  EXPECT_EQ(cx.info(tensor).offset, 0);
  EXPECT_EQ(cx.info(tensor).storage_bytes, 5 * sizeof(float));
  EXPECT_EQ(cx.values(tensor), (std::vector<float>{1, 3, 3, 5}));
}

TEST_F(Dlpack, ImportKeepsNegativeStrides) {
  Producer producer({3, 2}, {-2, 1});
  producer.managed.array.byte_offset = 4 * sizeof(float);
  Tensor tensor = import(producer);
  const tenon_view view = view_of(tensor);
  EXPECT_EQ(view.data, &producer.memory[4]);
  EXPECT_EQ(Shape(view.strides, view.strides + 2), (Shape{-2, 1}));
  EXPECT_EQ(cx.info(tensor).offset, 4);
  EXPECT_EQ(cx.info(tensor).storage_bytes, sizeof producer.memory);
  EXPECT_EQ(cx.values(tensor), (std::vector<float>{4, 5, 2, 3, 0, 1}));

  // The storage begins at the lowest address, so a view of all of it fits.
  const Tensor whole = cx.view(tensor, {6}, {1}, 0);
  EXPECT_EQ(view_of(whole).data, producer.memory.data());
}

TEST_F(Dlpack, ImportIgnoresStridesThatNoElementUses) {
  Producer single({1, 3}, {INT64_MIN, 2});
  const Tensor tensor = import(single);
  EXPECT_EQ(view_of(tensor).strides[0], 3);
  EXPECT_EQ(view_of(tensor).strides[1], 2);
  EXPECT_EQ(cx.info(tensor).storage_bytes, 5 * sizeof(float));
  Producer empty({0, 3}, {INT64_MAX, INT64_MAX});
  EXPECT_EQ(cx.info(import(empty)).storage_bytes, 0u);
}

TEST_F(Dlpack, ImportTakesUnalignedElements) {
  Producer producer({2, 2}, {1, 2});
  char* shifted = reinterpret_cast<char*>(producer.memory.data()) + 1;
  const std::array<float, 4> elements{1, 2, 3, 4};
  std::memcpy(shifted, elements.data(), sizeof elements);
  producer.managed.array.byte_offset = 1;
  const Tensor tensor = import(producer);
  EXPECT_EQ(view_of(tensor).data, shifted);
  EXPECT_EQ(cx.values(tensor), (std::vector<float>{1, 3, 2, 4}));
  tenon_value last{};
  cx.must(tenon_tensor_get_item(cx.get(), cx.view(tensor, {}, {}, 3).get(), &last));
  EXPECT_EQ(last.as.f64, 4);
}

TEST_F(Dlpack, ImportHonoursReadOnly) {
  Producer producer({6});
  producer.managed.flags = 1;
  const Tensor tensor = import(producer);
  EXPECT_EQ(view_of(tensor).flags, TENON_VIEW_READ_ONLY);
  EXPECT_TRUE(cx.info(tensor).flags & TENON_TENSOR_READ_ONLY);
  const std::array<float, 6> zeros{};
  const tenon_status status =
      tenon_tensor_set_data(cx.get(), tensor.get(), zeros.data(), sizeof zeros);
  EXPECT_THAT(cx.refused(TENON_E_ALIAS, status).message, HasSubstr("read-only"));
  EXPECT_EQ(producer.memory[5], 5);
  Managed* again = exported(tensor);
  EXPECT_EQ(again->flags & 1, 1u);
  again->deleter(again);
}

TEST_F(Dlpack, ImportTakesEmptyAndScalarTensors) {
  Producer empty({0, 3});
  empty.managed.array.data = nullptr;
  EXPECT_EQ(cx.info(import(empty)).elements, 0);
  EXPECT_EQ(empty.deletions, 1);
  Producer scalar({});
  scalar.managed.array.shape = nullptr;
  scalar.managed.array.byte_offset = 2 * sizeof(float);
  tenon_value value{};
  cx.must(tenon_tensor_get_item(cx.get(), import(scalar).get(), &value));
  EXPECT_EQ(value.as.f64, 2);
}

TEST_F(Dlpack, ImportTakesAnyMinorVersionUnknownFlagsAndNoDeleter) {
  Producer producer({6});
  producer.managed.version.minor = 99;
  producer.managed.flags = ~uint64_t{1};
  producer.managed.deleter = nullptr;
  EXPECT_EQ(view_of(import(producer)).flags, 0u);
}

TEST_F(Dlpack, RefusedImportsLeaveTheStructWithTheCaller) {
  struct Case {
    tenon_status status;
    const char* words;
    std::function<void(Producer&)> spoil;
  };
  const Case cases[] = {
      {TENON_E_DEVICE, "device type 2", [](auto& p) { p.managed.array.device.device_type = 2; }},
      {TENON_E_DTYPE, "4 lanes", [](auto& p) { p.managed.array.dtype.lanes = 4; }},
      {TENON_E_DTYPE, "0 lanes", [](auto& p) { p.managed.array.dtype.lanes = 0; }},
      {TENON_E_DTYPE, "code 5, 64 bits",
       [](auto& p) {
         p.managed.array.dtype = {5, 64, 1};
       }},
      {TENON_E_DTYPE, "code 6, 1 bits",
       [](auto& p) {
         p.managed.array.dtype = {6, 1, 1};
       }},
      {TENON_E_SHAPE, "rank 9", [](auto& p) { p.managed.array.rank = 9; }},
      {TENON_E_SHAPE, "rank -1", [](auto& p) { p.managed.array.rank = -1; }},
      {TENON_E_SHAPE, "[-2,3]", [](auto& p) { p.shape[0] = -2; }},
      {TENON_E_SHAPE, "63 bits", [](auto& p) { p.shape[0] = INT64_MAX; }},
      {TENON_E_ARGUMENT, "shape is NULL", [](auto& p) { p.managed.array.shape = nullptr; }},
      {TENON_E_ARGUMENT, "address is NULL", [](auto& p) { p.managed.array.data = nullptr; }},
      {TENON_E_LAYOUT, "byte_offset", [](auto& p) { p.managed.array.byte_offset = UINT64_MAX; }},
      {TENON_E_LAYOUT, "strides",
       [](auto& p) {
         p.strides = {INT64_MAX, 1};
         p.managed.array.strides = p.strides.data();
       }},
      {TENON_E_LAYOUT, "address space",
       [](auto& p) {
         p.strides = {INT64_MIN / 8, 1};
         p.managed.array.strides = p.strides.data();
       }},
      // What a struct of before 1.0 has in the version's place: the data's address.
      {TENON_E_ARGUMENT, "not a versioned",
       [](auto& p) {
         p.managed.version = {0x7f60a000, 0x7fff};
       }},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.words);
    Producer producer({2, 3});
    each.spoil(producer);
    const tests::Failure failure = refused_import(producer, each.status);
    EXPECT_THAT(failure.message + "|" + failure.found, HasSubstr(each.words));
  }
}

TEST_F(Dlpack, OtherMajorVersionsAreDeleted) {
  for (const uint32_t major : {0u, 2u, 99u}) {
    Producer producer({6});
    producer.managed.version = {major, 3};
    tenon_tensor* out = nullptr;
    const tenon_status status = tenon_tensor_create_dlpack(cx.get(), &producer.managed, &out);
    EXPECT_THAT(cx.refused(TENON_E_UNSUPPORTED, status).found,
                HasSubstr("DLPack " + std::to_string(major) + ".3"));
    EXPECT_EQ(producer.deletions, 1);
    EXPECT_EQ(out, nullptr);
    producer.managed.deleter = nullptr;
    cx.refused(TENON_E_UNSUPPORTED, tenon_tensor_create_dlpack(cx.get(), &producer.managed, &out));
  }
}

TEST_F(Dlpack, NullPointersAreRefused) {
  Producer producer({6});
  const Tensor tensor = import(producer);
  tenon_tensor* out = nullptr;
  cx.refused(TENON_E_ARGUMENT, tenon_tensor_create_dlpack(cx.get(), nullptr, &out));
  Producer kept({6});
  cx.refused(TENON_E_ARGUMENT, tenon_tensor_create_dlpack(cx.get(), &kept.managed, nullptr));
  EXPECT_EQ(kept.deletions, 0);
  cx.refused(TENON_E_ARGUMENT, tenon_tensor_get_dlpack(cx.get(), tensor.get(), nullptr));
  void* managed = nullptr;
  cx.refused(TENON_E_HANDLE, tenon_tensor_get_dlpack(cx.get(), nullptr, &managed));
  EXPECT_EQ(managed, nullptr);
}

TEST_F(Dlpack, ImportedMemoryOutlivesTheRuntimesRelease) {
  Producer producer({6});
  Tensor tensor = import(producer);
  cx.handle.reset();
  runtime.reset();
  EXPECT_EQ(producer.deletions, 0);
  tensor.reset();
  EXPECT_EQ(producer.deletions, 1);
}

TEST_F(Dlpack, DeletersMayReleaseOtherTensors) {
  Producer inner({6});
  Producer outer({6});
  tenon_tensor* held = import(inner).release();
  outer.at_deletion = [&] {
    tenon_tensor_release(held);
    tenon_stats inside{};
    inside.struct_size = sizeof inside;
    EXPECT_EQ(tenon_runtime_get_stats(cx.get(), &inside), TENON_OK) << "called under a lock?";
  };
  import(outer).reset();
  EXPECT_EQ(outer.deletions, 1);
  EXPECT_EQ(inner.deletions, 1);
}

TEST_F(DlpackThreads, TheLastOwnerOnAnyThreadDeletes) {
  for (int round = 0; round < 50; ++round) {
    Producer producer({6});
    Tensor tensor = import(producer);
    Managed* managed = exported(tensor);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(tenon_tensor_retain(tensor.get()), TENON_OK);
      threads.emplace_back([handle = tensor.get()] { tenon_tensor_release(handle); });
    }
    threads.emplace_back([managed] { managed->deleter(managed); });
    tensor.reset();
    for (std::thread& each : threads) each.join();
    ASSERT_EQ(producer.deletions, 1);
  }
}

TEST_F(Dlpack, ExportDescribesTheTensor) {
  const Shape shape{2, 2};
  const Shape strides{3, -2};
  const Tensor strided = cx.view(cx.counting({2, 3}), shape, strides, 2);
  Managed* managed = exported(strided);
  const Array& array = managed->array;
  EXPECT_EQ(managed->version.major, 1u);
  EXPECT_EQ(managed->version.minor, 0u);
  EXPECT_EQ(managed->flags, 0u);
  EXPECT_EQ(static_cast<char*>(array.data) + array.byte_offset, view_of(strided).data);
  EXPECT_EQ(array.device.device_type, 1);
  EXPECT_EQ(array.device.device_id, 0);
  ASSERT_EQ(array.rank, 2);
  EXPECT_EQ(Shape(array.shape, array.shape + 2), shape);
  EXPECT_EQ(Shape(array.strides, array.strides + 2), strides);
  managed->deleter(managed);
}

TEST_F(Dlpack, ExportSetsStridesAlwaysAndNoAddressWhereEmpty) {
  const Tensor empty = cx.floats({0, 3}, {});
  Managed* managed = exported(empty);
  EXPECT_EQ(managed->array.data, nullptr);
  EXPECT_NE(managed->array.strides, nullptr);
  managed->deleter(managed);
}

TEST_F(Dlpack, ExportKeepsMemoryAliveAfterTensorAndRuntime) {
  Tensor source = cx.tensor<double>({3}, {1.5, 2.5, 3.5});
  Managed* managed = exported(source);
  source.reset();
  EXPECT_EQ(cx.stats().tensors, 0);
  EXPECT_EQ(cx.stats().storages, 1);
  cx.handle.reset();
  runtime.reset();
  const double* values = static_cast<const double*>(managed->array.data);
  EXPECT_EQ(values[0] + values[1] + values[2], 7.5);
  std::thread([managed] { managed->deleter(managed); }).join();
}

TEST_F(Dlpack, ExportsAreCountedUntilDeleted) {
  const tenon_stats before = cx.stats();
  {
    const Tensor source = cx.tensor<double>({3}, {1, 2, 3});
    Managed* first = exported(source);
    Managed* second = exported(source);
    EXPECT_EQ(cx.info(source).storage_users, 3);
    first->deleter(first);
    second->deleter(second);
    EXPECT_EQ(cx.info(source).storage_users, 1);
  }
  EXPECT_EQ(cx.stats().tensors, before.tensors);
  EXPECT_EQ(cx.stats().storages, before.storages);
  EXPECT_EQ(cx.stats().bytes_live, before.bytes_live);
}

TEST_F(Dlpack, ExportRefusesTensorsThatRequireGrad) {
  const Tensor leaf = cx.leaf(cx.floats({1}, {1}));
  void* managed = nullptr;
  const tests::Failure failure =
      cx.refused(TENON_E_GRAD, tenon_tensor_get_dlpack(cx.get(), leaf.get(), &managed));
  EXPECT_THAT(failure.hint, HasSubstr("tenon_tensor_create_detached"));
  EXPECT_EQ(managed, nullptr);
  EXPECT_EQ(cx.info(leaf).storage_users, 1);
  Managed* good = exported(cx.detached(leaf));
  EXPECT_EQ(good->array.data, view_of(leaf).data);
  good->deleter(good);
}

TEST_F(Dlpack, ExportRefusesMemoryTheHostCannotReach) {
  const Tensor far = cx.on(cx.device("far"), cx.floats({2}, {1, 2}));
  void* managed = nullptr;
  const tests::Failure failure =
      cx.refused(TENON_E_DEVICE, tenon_tensor_get_dlpack(cx.get(), far.get(), &managed));
  EXPECT_EQ(failure.found, "f32[2] on far:0");
  EXPECT_THAT(failure.hint, HasSubstr("tenon_tensor_create_copy"));
}

TEST_F(Dlpack, EveryDtypeTravelsBetweenRuntimes) {
  const tests::RuntimeHandle second = tests::make_runtime();
  const tests::Session other(second);
  for (const tenon_dtype dtype :
       {TENON_DTYPE_BOOL, TENON_DTYPE_U8, TENON_DTYPE_I8, TENON_DTYPE_I16, TENON_DTYPE_I32,
        TENON_DTYPE_I64, TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_F64}) {
    const Shape shape{2, 3};
    tenon_tensor* made = nullptr;
    cx.must(tenon_tensor_create(cx.get(), dtype, nullptr, 2, shape.data(), &made));
    const Tensor source(made);
    tenon_tensor* out = nullptr;
    other.must(tenon_tensor_create_dlpack(other.get(), exported(source), &out));
    Tensor arrived(out);
    EXPECT_EQ(other.dtype(arrived), dtype);
    EXPECT_EQ(other.shape(arrived), shape);
    tenon_view view{};
    other.must(tenon_tensor_get_view(other.get(), arrived.get(), &view));
    EXPECT_EQ(view.data, view_of(source).data);
    EXPECT_EQ(cx.info(source).storage_users, 2);
    arrived.reset();
    EXPECT_EQ(cx.info(source).storage_users, 1);
  }
}

}  // namespace
