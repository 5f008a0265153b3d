// SPDX-License-Identifier: Apache-2.0
// backends/cuda/blas.cc: matrix products by cuBLASLt.
//
// The library is opened at run time, so its types are declared here. Its matrices are stored by
// columns: a row-major c = a b is its c' = b' a'. Source: NVIDIA, cuBLAS 13 documentation, "Using
// the cuBLASLt API"; the numbers below are the header's, and have not changed since CUDA 11.
#include "blas.h"

#include <array>
#include <cstddef>
#include <utility>

#include "codes.h"

namespace tenon::cuda {
namespace {

using Handle = void*;
using Object = void*;  // a description of a product or a matrix, or preferences
// cublasStatus_t
constexpr int kDone = 0, kNoMemory = 3, kInvalid = 7, kOtherCard = 8, kNotSupported = 15;

struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Heuristic) == 96 && offsetof(Heuristic, state) == 72);

enum ProductAttribute { kTransposeA = 3, kTransposeB = 4, kEpilogue = 7, kBiasPointer = 8 };
enum LayoutAttribute { kBatchCount = 5, kBatchStep = 6 };
enum PreferenceAttribute {
  kMaxWorkspace = 1,
  kAlignmentA = 5,
  kAlignmentB = 6,
  kAlignmentC = 7,
  kAlignmentD = 8
};
constexpr int32_t kCompute32 = 68, kCompute64 = 70, kComputeTf32 = 77;
constexpr int32_t kReal32 = 0, kReal64 = 1, kReal16 = 2, kRealBrain16 = 14;
constexpr uint32_t kEpilogueDefault = 1, kEpilogueRelu = 2, kEpilogueBias = 4, kEpilogueGelu = 32;

// The functions that are used, or none of them.
struct Library {
  int (*create)(Handle*) = nullptr;
  int (*release)(Handle) = nullptr;
  const char* (*name)(int status) = nullptr;
  int (*product_create)(Object*, int compute, int scale) = nullptr;
  int (*product_release)(Object) = nullptr;
  int (*product_set)(Object, int, const void*, size_t) = nullptr;
  int (*layout_create)(Object*, int type, uint64_t rows, uint64_t columns,
                       int64_t leading) = nullptr;
  int (*layout_release)(Object) = nullptr;
  int (*layout_set)(Object, int, const void*, size_t) = nullptr;
  int (*preference_create)(Object*) = nullptr;
  int (*preference_release)(Object) = nullptr;
  int (*preference_set)(Object, int, const void*, size_t) = nullptr;
  int (*choose)(Handle, Object, Object, Object, Object, Object, Object, int, Heuristic*,
                int*) = nullptr;
  int (*run)(Handle, Object, const void*, const void*, Object, const void*, Object, const void*,
             const void*, Object, void*, Object, const Algorithm*, void*, size_t, void*) = nullptr;
  bool complete = false;

  Library() {
    complete = get(create, "cublasLtCreate") && get(release, "cublasLtDestroy") &&
               get(name, "cublasLtGetStatusName") &&
               get(product_create, "cublasLtMatmulDescCreate") &&
               get(product_release, "cublasLtMatmulDescDestroy") &&
               get(product_set, "cublasLtMatmulDescSetAttribute") &&
               get(layout_create, "cublasLtMatrixLayoutCreate") &&
               get(layout_release, "cublasLtMatrixLayoutDestroy") &&
               get(layout_set, "cublasLtMatrixLayoutSetAttribute") &&
               get(preference_create, "cublasLtMatmulPreferenceCreate") &&
               get(preference_release, "cublasLtMatmulPreferenceDestroy") &&
               get(preference_set, "cublasLtMatmulPreferenceSetAttribute") &&
               get(choose, "cublasLtMatmulAlgoGetHeuristic") && get(run, "cublasLtMatmul");
  }

 private:
  template <class Function>
  static bool get(Function& function, const char* name) {
    function = reinterpret_cast<Function>(driver().blas_function(name));
    return function != nullptr;
  }
};

const Library& library() {
  static const Library opened;
  return opened;
}

// cuBLASLt's status says nothing of the code that CUDA met. One after which the device is lost
// stays and is answered by any call.
[[noreturn]] void fail(int status) {
  const std::string name = library().name(status);
  const std::string words = "cuBLASLt could not start a product: " + name;
  void* event = nullptr;
  const Code code = driver().event_create(&event);
  if (code == kSuccess) driver().event_release(event);
  if (loses_device(code)) {
    throw sdk::Failure{TENON_E_DEVICE_LOST, words + ", " + words_of(code), "",
                       "a device that works", driver().name(code)};
  }
  throw sdk::Failure{status == kNoMemory ? TENON_E_MEMORY : TENON_E_DEVICE, words, "",
                     "CUBLAS_STATUS_SUCCESS", name};
}

// False if cuBLASLt cannot compute what it was asked to.
bool is_able(int status) {
  if (status == kDone) return true;
  if (status != kInvalid && status != kOtherCard && status != kNotSupported) fail(status);
  return false;
}

class Held {
 public:
  explicit Held(int (*release)(Object)) : release_(release) {}
  ~Held() {
    if (object) release_(object);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Object object = nullptr;

 private:
  int (*release_)(Object);
};

struct Types {
  int32_t stored;
  int32_t compute;
  int32_t scale;
};
Types types_of(const Product& p) {
  switch (p.dtype) {
    case TENON_DTYPE_F16:
      return {kReal16, kCompute32, kReal32};
    case TENON_DTYPE_BF16:
      return {kRealBrain16, kCompute32, kReal32};
    case TENON_DTYPE_F64:
      return {kReal64, kCompute64, kReal64};
    default:
      return {kReal32, p.precision == Precision::kTf32 ? kComputeTf32 : kCompute32, kReal32};
  }
}

uint32_t epilogue_of(const Product& p) {
  const uint32_t function = p.epilogue == Epilogue::kRelu   ? kEpilogueRelu
                            : p.epilogue == Epilogue::kGelu ? kEpilogueGelu
                                                            : 0;
  const uint32_t all = function | (p.bias ? kEpilogueBias : 0);
  return all == 0 ? kEpilogueDefault : all;
}

bool is_aligned(const void* data, uint32_t bytes) {
  return reinterpret_cast<uintptr_t>(data) % bytes == 0;
}

class Plan final : public BlasPlan {
 public:
  bool make(const Product& p, BlasHandle& handle) {
    const Library& lt = library();
    handle_ = handle.get();
    if (!handle_) return false;
    const Types types = types_of(p);
    double_scale_ = types.scale == kReal64;
    workspace_ = blas_workspace(p);
    const uint32_t epilogue = epilogue_of(p);
    epilogue_ = epilogue;
    compute_ = types;
    a_transposed_ = p.a.transposed;
    b_transposed_ = p.b.transposed;
    Held product(lt.product_release);
    if (!is_able(describe(product.object, nullptr))) return false;
    // Sizes as the library sees them: rows of its matrices are our columns.
    if (!layout(left_, types, p.b, p.k, p.n, p.batches)) return false;
    if (!layout(right_, types, p.a, p.m, p.k, p.batches)) return false;
    if (!layout(result_, types, p.c, p.m, p.n, p.batches)) return false;
    const uint32_t element = sdk::size_of(p.dtype);
    return choose(product.object, kWide, algorithms_[0]) &&
           choose(product.object, element, algorithms_[1]);
  }

  bool run(const void* a, const void* b, const void* bias, void* c, void* scratch,
           void* stream) const override {
    const Library& lt = library();
    Held product(lt.product_release);
    if (const int status = describe(product.object, bias); status != kDone) fail(status);
    const bool wide = is_aligned(a, kWide) && is_aligned(b, kWide) && is_aligned(c, kWide) &&
                      is_aligned(bias, kWide);
    const float one = 1, zero = 0;
    const double one_wide = 1, zero_wide = 0;
    const void* alpha = double_scale_ ? static_cast<const void*>(&one_wide) : &one;
    const void* beta = double_scale_ ? static_cast<const void*>(&zero_wide) : &zero;
    return is_able(lt.run(handle_, product.object, alpha, b, left_.object, a, right_.object, beta,
                          c, result_.object, c, result_.object, &algorithms_[wide ? 0 : 1], scratch,
                          workspace_, stream));
  }

 private:
  static constexpr uint32_t kWide = 16;  // bytes that all operands are aligned to, as a rule

  // A description of its own for each launch: the bias' address is part of it.
  int describe(Object& product, const void* bias) const {
    const Library& lt = library();
    const int32_t left = b_transposed_ ? 1 : 0;
    const int32_t right = a_transposed_ ? 1 : 0;
    int status = lt.product_create(&product, compute_.compute, compute_.scale);
    const auto set = [&](int attribute, const auto& value) {
      if (status == kDone) status = lt.product_set(product, attribute, &value, sizeof value);
    };
    set(kTransposeA, left);
    set(kTransposeB, right);
    set(kEpilogue, epilogue_);
    if (bias) set(kBiasPointer, bias);
    return status;
  }
  static bool layout(Held& out, const Types& types, const Storage& storage, int64_t rows,
                     int64_t columns, int64_t batches) {
    const Library& lt = library();
    const auto first = static_cast<uint64_t>(storage.transposed ? rows : columns);
    const auto second = static_cast<uint64_t>(storage.transposed ? columns : rows);
    if (!is_able(lt.layout_create(&out.object, types.stored, first, second, storage.leading))) {
      return false;
    }
    const auto count = static_cast<int32_t>(batches);
    return batches == 1 || (is_able(lt.layout_set(out.object, kBatchCount, &count, sizeof count)) &&
                            is_able(lt.layout_set(out.object, kBatchStep, &storage.batch_step,
                                                  sizeof storage.batch_step)));
  }
  bool choose(Object product, uint32_t alignment, Algorithm& out) const {
    const Library& lt = library();
    Held preference(lt.preference_release);
    if (!is_able(lt.preference_create(&preference.object))) return false;
    const auto prefer = [&](int attribute, const auto& value) {
      return is_able(lt.preference_set(preference.object, attribute, &value, sizeof value));
    };
    bool set = prefer(kMaxWorkspace, workspace_);
    for (int which : {kAlignmentA, kAlignmentB, kAlignmentC, kAlignmentD}) {
      set = set && prefer(which, alignment);
    }
    Heuristic found{};
    int count = 0;
    const bool chosen =
        set &&
        is_able(lt.choose(handle_, product, left_.object, right_.object, result_.object,
                          result_.object, preference.object, 1, &found, &count)) &&
        count == 1 && is_able(found.state);
    out = found.algorithm;
    return chosen;
  }

  Handle handle_ = nullptr;
  Types compute_{};
  uint32_t epilogue_ = kEpilogueDefault;
  bool a_transposed_ = false;
  bool b_transposed_ = false;
  bool double_scale_ = false;
  uint64_t workspace_ = 0;
  Held left_{library().layout_release};
  Held right_{library().layout_release};
  Held result_{library().layout_release};
  std::array<Algorithm, 2> algorithms_{};  // for aligned operands, and for any
};

}  // namespace

// Source: cuBLAS documentation, "Workspace configuration": 32 MiB on Hopper.
uint64_t blas_workspace(const Product& p) {
  const double products = static_cast<double>(p.m) * static_cast<double>(p.n) *
                          static_cast<double>(p.k) * static_cast<double>(p.batches);
  return products < 16e6 ? uint64_t{1} << 20 : uint64_t{32} << 20;
}

void* BlasHandle::get() {
  std::lock_guard lock(mutex_);
  if (!handle_ && !is_able(library().create(&handle_))) handle_ = nullptr;
  return handle_;
}

void BlasHandle::release() {
  if (handle_) library().release(std::exchange(handle_, nullptr));
}

std::unique_ptr<BlasPlan> prepare_product(const Product& product, BlasHandle& handle) {
  if (!has_blas()) return nullptr;
  auto plan = std::make_unique<Plan>();
  return plan->make(product, handle) ? std::move(plan) : nullptr;
}

bool has_blas() { return library().complete; }

}  // namespace tenon::cuda
