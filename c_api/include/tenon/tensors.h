// SPDX-License-Identifier: Apache-2.0
// tenon/tensors.h: making, describing, reading and writing tensors, and exchanging them with
// others. The conventions are those of tenon/tenon.h.
//
// A tensor is a window (shape, strides, offset) on a storage that it may share with others.
#ifndef TENON_TENSORS_H
#define TENON_TENSORS_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// What numbers a dtype has.
#define TENON_DTYPE_IS_BOOL 1u
#define TENON_DTYPE_IS_INTEGER 2u
#define TENON_DTYPE_IS_SIGNED 4u
#define TENON_DTYPE_IS_FLOAT 8u
typedef struct tenon_dtype_info {
  uint32_t struct_size;
  uint32_t flags;    // TENON_DTYPE_IS_*
  const char* name;  // "bf16"; static
  uint32_t bits;     // of an element in memory
  uint32_t digits;   // decimal digits that are always kept; 0 for integers and bool
  int64_t int_min;   // of integers and bool; 0 for floats
  int64_t int_max;
  double min;             // lowest finite number; of integers the same as a double
  double max;             // highest finite number
  double eps;             // from 1 to the next number; 0 for integers and bool, like the two below
  double tiny;            // least positive normal number
  double tiny_subnormal;  // least positive number
} tenon_dtype_info;
// errors   TENON_E_DTYPE (none that Tenon knows)
TENON_EXPORT tenon_status tenon_dtype_get_info(tenon_context* context, tenon_dtype dtype,
                                               tenon_dtype_info* out_info);

// Creates a tensor with undefined contents, row-major.
// device   NULL: the context's
// shape    [rank], each >= 0; NULL only for rank 0
// errors   TENON_E_SHAPE (rank, negative or overflowing sizes), TENON_E_DTYPE, TENON_E_DEVICE
TENON_EXPORT tenon_status tenon_tensor_create(tenon_context* context, tenon_dtype dtype,
                                              const tenon_device* device, int32_t rank,
                                              const int64_t* shape, tenon_tensor** out_tensor);

// The same with contents copied from host memory: row-major, `bytes` of it, which must be exactly
// what shape and dtype need.
TENON_EXPORT tenon_status tenon_tensor_create_from(tenon_context* context, tenon_dtype dtype,
                                                   const tenon_device* device, int32_t rank,
                                                   const int64_t* shape, const void* data,
                                                   uint64_t bytes, tenon_tensor** out_tensor);

// Wraps host memory of the caller without copying; strides in elements, NULL: row-major.
// `deleter(user)` (may be NULL) runs once when the last user is gone, on any thread.
// flags    TENON_VIEW_READ_ONLY: Tenon refuses to write it
TENON_EXPORT tenon_status tenon_tensor_create_external(tenon_context* context, tenon_dtype dtype,
                                                       int32_t rank, const int64_t* shape,
                                                       const int64_t* strides, void* data,
                                                       uint32_t flags, void (*deleter)(void* user),
                                                       void* user, tenon_tensor** out_tensor);

// Another window on `base`'s storage: strides in elements, offset from the storage's start. It may
// overlap itself (it can then be read, not written). Not differentiable: under grad, detach first.
// errors   TENON_E_LAYOUT (leaves the storage), TENON_E_GRAD
TENON_EXPORT tenon_status tenon_tensor_create_view(tenon_context* context, tenon_tensor* base,
                                                   int32_t rank, const int64_t* shape,
                                                   const int64_t* strides, int64_t offset,
                                                   tenon_tensor** out_view);

// The same data without history; shares storage.
TENON_EXPORT tenon_status tenon_tensor_create_detached(tenon_context* context, tenon_tensor* tensor,
                                                       tenon_tensor** out_tensor);

// A copy on another device (NULL: the context's), without history: a new leaf.
TENON_EXPORT tenon_status tenon_tensor_create_copy(tenon_context* context, tenon_tensor* tensor,
                                                   const tenon_device* device,
                                                   tenon_tensor** out_tensor);

// A copy on the same device, recorded for backward as the op of role COPY.
// layout   TENON_CLONE_ROW_MAJOR, or TENON_CLONE_PRESERVE: with the strides of `tensor`, whatever
//          they are: dimensions in another order, gaps between rows, negative strides. Elements
//          that share memory (stride 0, overlapping windows) are copied once and share it in the
//          clone, which can be read and not be written, as the original. What lies in gaps is
//          undefined.
// errors   TENON_E_ARGUMENT (unknown layout), TENON_E_GRAD (PRESERVE under grad of a tensor that
//          overlaps itself), TENON_E_NO_ROLE
#define TENON_CLONE_ROW_MAJOR 0u
#define TENON_CLONE_PRESERVE 1u
TENON_EXPORT tenon_status tenon_tensor_create_clone(tenon_context* context, tenon_tensor* tensor,
                                                    uint32_t layout, tenon_tensor** out_tensor);

// One more owner of the same handle. Any thread.
TENON_EXPORT tenon_status tenon_tensor_retain(tenon_tensor* tensor);
TENON_EXPORT void tenon_tensor_release(tenon_tensor* tensor);

// Address, shape, strides, dtype, device; pointers borrowed from the tensor. `data` may be read or
// written by the host only if tenon_tensor_info.flags has HOST; Tenon does not see such writes.
TENON_EXPORT tenon_status tenon_tensor_get_view(tenon_context* context, const tenon_tensor* tensor,
                                                tenon_view* out_view);

#define TENON_TENSOR_CONTIGUOUS 1u
#define TENON_TENSOR_HOST 2u      // memory of the host
#define TENON_TENSOR_EXTERNAL 4u  // memory Tenon does not own
#define TENON_TENSOR_READ_ONLY 8u
#define TENON_TENSOR_REQUIRES_GRAD 16u  // a gradient flows through it
#define TENON_TENSOR_LEAF 32u           // not made by a recorded op
#define TENON_TENSOR_HAS_GRAD 64u
#define TENON_TENSOR_GRAD_ROWS 128u  // the gradient is held as rows
typedef struct tenon_tensor_info {
  uint32_t struct_size;
  uint32_t flags;  // TENON_TENSOR_*
  int64_t elements;
  int64_t offset;    // elements from the storage's start
  uint64_t storage;  // equal for tensors that share memory
  uint64_t storage_bytes;
  uint64_t version;       // advanced by every write through Tenon
  int64_t storage_users;  // tensors and saved values that hold the storage
  const char* plugin;     // whose memory it is
  const char* node;       // op of this context that made it, "" for leaves
} tenon_tensor_info;
TENON_EXPORT tenon_status tenon_tensor_get_info(tenon_context* context, const tenon_tensor* tensor,
                                                tenon_tensor_info* out_info);

// Copies host memory in, or out, row-major whatever the tensor's strides; `bytes` must be exact.
// Waits for the device. set_data counts as an in-place write (errors as for it).
// errors   TENON_E_SHAPE (bytes), TENON_E_CAPTURE, TENON_E_GRAD, TENON_E_ALIAS
TENON_EXPORT tenon_status tenon_tensor_set_data(tenon_context* context, tenon_tensor* tensor,
                                                const void* data, uint64_t bytes);
TENON_EXPORT tenon_status tenon_tensor_get_data(tenon_context* context, const tenon_tensor* tensor,
                                                void* out_data, uint64_t bytes);

// The only element, as F64, I64 or BOOL.
// errors   TENON_E_SHAPE (not one element), TENON_E_CAPTURE
TENON_EXPORT tenon_status tenon_tensor_get_item(tenon_context* context, const tenon_tensor* tensor,
                                                tenon_value* out_value);

// For people: values in NumPy's shortened form with shape, dtype, device, requires_grad. With
// TENON_TEXT_INFO also strides, offset, storage, version, min, max, mean, NaN count.
#define TENON_TEXT_INFO 1u
TENON_EXPORT tenon_status tenon_tensor_get_text(tenon_context* context, const tenon_tensor* tensor,
                                                uint32_t flags, tenon_text** out_text);

// DLPack. `managed` is a DLManagedTensorVersioned* of version 1.x; on success the tensor owns it
// and calls its deleter when the last user is gone. If the major version is another, the deleter
// is called and TENON_E_UNSUPPORTED returned.
TENON_EXPORT tenon_status tenon_tensor_create_dlpack(tenon_context* context, void* managed,
                                                     tenon_tensor** out_tensor);
// Returns a DLManagedTensorVersioned* that keeps the storage alive until its deleter is called.
// errors   TENON_E_GRAD for a tensor that requires grad: detach it first
TENON_EXPORT tenon_status tenon_tensor_get_dlpack(tenon_context* context, tenon_tensor* tensor,
                                                  void** out_managed);

#ifdef __cplusplus
}
#endif

#endif  // TENON_TENSORS_H
