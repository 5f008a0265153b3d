// SPDX-License-Identifier: Apache-2.0
// core/exchange/dlpack.cc: tensors to and from DLPack 1.x, without copying.
#include "core/exchange/dlpack.h"

#include <algorithm>
#include <memory>

#include "core/base/error.h"
#include "core/runtime/runtime.h"
#include "core/tape/graph.h"
#include "core/tensor/external.h"

namespace tenon::exchange {

using tensor::Dims;
using tensor::DimSpan;
using tensor::Storage;

namespace {

using dlpack::Managed;

// No version is that high: what stands there is the start of an address, so the struct is another.
constexpr uint32_t kImplausibleMajor = 1u << 16;

std::string version_text(const dlpack::Version& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

// Refuses what cannot be read at all; calls the deleter if the contract asks for it.
void check_version(Managed& managed) {
  if (managed.version.major == dlpack::kMajor) return;
  if (managed.version.major >= kImplausibleMajor) {
    fail(TENON_E_ARGUMENT, "this is not a versioned DLPack tensor", "managed",
         "a DLManagedTensorVersioned of version 1.x",
         "another struct, perhaps a DLManagedTensor of before 1.0",
         "ask the producer with max_version=(1, 0); the capsule it returns is named "
         "dltensor_versioned");
  }
  const std::string found = "DLPack " + version_text(managed.version);
  Error error{.status = TENON_E_UNSUPPORTED,
              .message = found + " is not understood; its deleter was called",
              .operand = "managed",
              .expected = "DLPack 1.x",
              .found = found,
              .hint = "ask the producer with max_version=(1, 0)"};
  // Last: who gets another status still owns the tensor.
  if (managed.deleter) managed.deleter(&managed);
  throw Error(std::move(error));
}

void check_array(const dlpack::Array& array) {
  if (array.device.device_type != dlpack::kHostMemory) {
    fail(TENON_E_DEVICE, "only host memory can be taken over through DLPack", "managed",
         "device type 1 (host memory)", "device type " + std::to_string(array.device.device_type),
         "let the producer copy it into host memory first");
  }
  if (array.dtype.lanes != 1) {
    fail(TENON_E_DTYPE, "vector elements are not supported", "managed", "1 lane",
         std::to_string(array.dtype.lanes) + " lanes",
         "let the producer add a dimension for the lanes");
  }
  if (array.rank < 0 || array.rank > TENON_MAX_RANK) {
    fail(TENON_E_SHAPE, "a tensor has 0 to 8 dimensions", "managed", "rank 0 to 8",
         "rank " + std::to_string(array.rank));
  }
  if (array.rank > 0 && !array.shape) {
    fail(TENON_E_ARGUMENT, "the DLPack tensor's shape is NULL", "managed",
         std::to_string(array.rank) + " sizes", "NULL");
  }
}

void* first_element(const dlpack::Array& array) {
  if (!array.data) return nullptr;
  uintptr_t address = 0;
  if (__builtin_add_overflow(reinterpret_cast<uintptr_t>(array.data), array.byte_offset,
                             &address)) {
    fail(TENON_E_LAYOUT, "the byte offset leads beyond the address space", "managed", {},
         "byte_offset " + std::to_string(array.byte_offset));
  }
  return reinterpret_cast<void*>(address);
}

void delete_managed(void* user) {
  Managed* managed = static_cast<Managed*>(user);
  if (managed->deleter) managed->deleter(managed);
}

// What to_dlpack hands out, in one block; `managed` comes first, so its address is the block's.
struct Exported {
  Managed managed{};
  Storage* storage = nullptr;  // counted
  Dims shape{};
  Dims strides{};
};

void delete_exported(Managed* managed) {
  Exported* exported = static_cast<Exported*>(managed->manager);
  Storage* storage = exported->storage;
  delete exported;
  storage->release();
}

}  // namespace

Tensor* from_dlpack(Context& context, void* managed) {
  Managed& given = *static_cast<Managed*>(managed);
  check_version(given);
  const dlpack::Array& array = given.array;
  check_array(array);
  return tensor::wrap_external(context.runtime->host_device(),
                               {.first = first_element(array),
                                .dtype = TENON_DTYPE_MAKE(array.dtype.code, array.dtype.bits),
                                .shape = DimSpan(array.shape, static_cast<size_t>(array.rank)),
                                .strides = array.strides,
                                .read_only = (given.flags & dlpack::kReadOnly) != 0,
                                .deleter = delete_managed,
                                .user = managed});
}

void* to_dlpack(Context&, Tensor& tensor) {
  if (tape::requires_grad(tensor)) {
    fail(TENON_E_GRAD,
         "a tensor that requires grad cannot be handed out: writes to its memory "
         "would pass its graph by",
         "tensor", "a tensor that requires no grad",
         tensor::describe(tensor) + " that requires grad",
         "detach it first: tenon_tensor_create_detached");
  }
  if (!device_of(tensor).host_memory()) {
    fail(TENON_E_DEVICE, "only host memory can be handed out through DLPack", "tensor",
         "host memory", tensor::describe(tensor) + " on " + device_of(tensor).name(),
         "copy it into host memory first: tenon_tensor_create_copy");
  }
  auto exported = std::make_unique<Exported>();
  const size_t rank = tensor.shape().size();
  std::copy_n(tensor.shape_, rank, exported->shape.begin());
  std::copy_n(tensor.strides_, rank, exported->strides.begin());
  Managed& managed = exported->managed;
  managed.version = {dlpack::kMajor, 0};
  managed.manager = exported.get();
  managed.deleter = delete_exported;
  // Strides of zero say by themselves that elements repeat; those of a part do not.
  const bool shows = tensor::has_zero_stride(tensor.shape(), tensor.strides());
  const bool read_only = tensor.storage->read_only || (tensor.read_only() && !shows);
  managed.flags = read_only ? dlpack::kReadOnly : 0;
  dlpack::Array& array = managed.array;
  // DLPack asks for NULL if there is no element.
  array.data = tensor.elements() == 0 ? nullptr : tensor.view.data;
  array.device = {dlpack::kHostMemory, 0};
  array.rank = tensor.view.rank;
  array.dtype = {static_cast<uint8_t>(tensor.dtype()), static_cast<uint8_t>(tensor.dtype() >> 8),
                 1};
  array.shape = exported->shape.data();
  array.strides = exported->strides.data();
  tensor.storage->retain();
  exported->storage = tensor.storage;
  return exported.release();
}

}  // namespace tenon::exchange
