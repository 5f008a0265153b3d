// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/blas.cc: as much of cuBLASLt as the backend uses, in plain loops.
//
// Matrices are stored by columns, or read transposed; sums are in float or double, k ascending.
// What the library would refuse is refused: unknown attributes, operands of wrong sizes, addresses
// that are less aligned than was promised. Source: NVIDIA, cuBLAS 13 documentation.
#include <tenon/sdk/plugin/dtypes.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <string_view>

#include "state.h"

namespace tenon::cuda::emulated {

namespace {

constexpr int kGood = 0;              // CUBLAS_STATUS_SUCCESS
constexpr int kNoMemory = 3;          // CUBLAS_STATUS_ALLOC_FAILED
constexpr int kInvalid = 7;           // CUBLAS_STATUS_INVALID_VALUE
constexpr int kExecutionFailed = 13;  // CUBLAS_STATUS_EXECUTION_FAILED
constexpr int kNotSupported = 15;     // CUBLAS_STATUS_NOT_SUPPORTED
constexpr int kComputeTf32 = 77;      // CUBLAS_COMPUTE_32F_FAST_TF32

struct ProductDescription {
  int compute = 0;
  int scale = 0;
  int32_t transpose_a = 0;
  int32_t transpose_b = 0;
  uint32_t epilogue = 1;
  const void* bias = nullptr;
};
struct MatrixLayout {
  int type = 0;
  uint64_t rows = 0;
  uint64_t columns = 0;
  int64_t leading = 0;
  int32_t batches = 1;
  int64_t batch_step = 0;
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t alignment[4] = {256, 256, 256, 256};
};
struct Algorithm {
  uint64_t data[8];  // [0]: the alignment that it needs
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

template <class T>
int take(T& out, const void* from, size_t bytes) {
  if (bytes != sizeof out) return kInvalid;
  std::memcpy(&out, from, bytes);
  return kGood;
}

struct Handle {};

template <class T>
int make(T** out, T object) {
  *out = new T(std::move(object));
  ++state().blas_objects;
  return kGood;
}
template <class T>
int release(T* object) {
  delete object;
  --state().blas_objects;
  return kGood;
}

int create(Handle** out) { return make(out, {}); }
int product_create(ProductDescription** out, int compute, int scale) {
  const bool known =
      ((compute == 68 || compute == kComputeTf32) && scale == 0) || (compute == 70 && scale == 1);
  return known ? make(out, {compute, scale, 0, 0, 1, nullptr}) : kNotSupported;
}
int product_set(ProductDescription* p, int attribute, const void* from, size_t bytes) {
  switch (attribute) {
    case 3:
      return take(p->transpose_a, from, bytes);
    case 4:
      return take(p->transpose_b, from, bytes);
    case 7:
      return take(p->epilogue, from, bytes);
    case 8:
      return take(p->bias, from, bytes);
    default:
      return kInvalid;
  }
}
int layout_create(MatrixLayout** out, int type, uint64_t rows, uint64_t columns, int64_t leading) {
  const bool known = type == 0 || type == 1 || type == 2 || type == 14;
  if (!known || leading < static_cast<int64_t>(rows)) return kInvalid;
  return make(out, {type, rows, columns, leading, 1, 0});
}
int layout_set(MatrixLayout* l, int attribute, const void* from, size_t bytes) {
  if (attribute == 5) return take(l->batches, from, bytes);
  return attribute == 6 ? take(l->batch_step, from, bytes) : kInvalid;
}
int preference_create(Preference** out) { return make(out, {}); }
int preference_set(Preference* p, int attribute, const void* from, size_t bytes) {
  if (attribute == 1) return take(p->workspace, from, bytes);
  return attribute >= 5 && attribute <= 8 ? take(p->alignment[attribute - 5], from, bytes)
                                          : kInvalid;
}

// Sizes as the operands are read: [rows, columns] after a transposition.
bool fit(const ProductDescription& p, const MatrixLayout& a, const MatrixLayout& b,
         const MatrixLayout& d) {
  const uint64_t m = p.transpose_a ? a.columns : a.rows;
  const uint64_t k = p.transpose_a ? a.rows : a.columns;
  const uint64_t n = p.transpose_b ? b.rows : b.columns;
  const uint64_t other_k = p.transpose_b ? b.columns : b.rows;
  return m == d.rows && n == d.columns && k == other_k && a.type == b.type && a.type == d.type &&
         a.batches == d.batches && b.batches == d.batches;
}

int choose(Handle*, ProductDescription* p, MatrixLayout* a, MatrixLayout* b, MatrixLayout* c,
           MatrixLayout* d, Preference* preference, int wanted, Heuristic* out, int* out_count) {
  if (wanted < 1 || !fit(*p, *a, *b, *d) || c->type != d->type) return kInvalid;
  if (p->compute == kComputeTf32 && a->type != 0) return kNotSupported;
  *out = {};
  out->algorithm.data[0] = *std::min_element(preference->alignment, preference->alignment + 4);
  out->workspace_bytes = preference->workspace / 2;
  *out_count = 1;
  return kGood;
}

struct Call {
  ProductDescription product;
  MatrixLayout a, b, d;
  const void* a_data;
  const void* b_data;
  void* d_data;
};

double epilogue(uint32_t what, double x) {
  if (what & 2) return x < 0 ? 0 : x;
  if (what & 32) {
    const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    // As on a card, where the function is one of floats for doubles too.
    return x / 2 * (1 + std::tanh(static_cast<float>(inner)));
  }
  return x;
}

// An operand as the product reads it: TF32 has the exponents of f32 and 10 bits of its fraction;
// the others are cut off, the worst that is allowed.
template <class Sum, class T>
Sum operand(const ProductDescription& p, T stored) {
  const auto value = static_cast<Sum>(stored);
  if constexpr (std::is_same_v<Sum, float>) {
    constexpr uint32_t kept = ~uint32_t{0x1FFF};
    if (p.compute == kComputeTf32 && std::isfinite(value)) {
      return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & kept);
    }
  }
  return value;
}

template <class T>
void multiply(const Call& call) {
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto& [p, a, b, d, a_data, b_data, d_data] = call;
  const uint64_t depth = p.transpose_a ? a.rows : a.columns;
  const auto at = [](const MatrixLayout& m, int32_t transposed, uint64_t row, uint64_t column) {
    return transposed ? column + row * static_cast<uint64_t>(m.leading)
                      : row + column * static_cast<uint64_t>(m.leading);
  };
  for (int32_t batch = 0; batch < d.batches; ++batch) {
    const T* left = static_cast<const T*>(a_data) + batch * a.batch_step;
    const T* right = static_cast<const T*>(b_data) + batch * b.batch_step;
    T* out = static_cast<T*>(d_data) + batch * d.batch_step;
    for (uint64_t row = 0; row < d.rows; ++row) {
      for (uint64_t column = 0; column < d.columns; ++column) {
        Sum sum = 0;
        for (uint64_t k = 0; k < depth; ++k) {
          sum = std::fma(operand<Sum>(p, left[at(a, p.transpose_a, row, k)]),
                         operand<Sum>(p, right[at(b, p.transpose_b, k, column)]), sum);
        }
        if (p.epilogue & 4) sum += static_cast<Sum>(static_cast<const T*>(p.bias)[row]);
        out[at(d, 0, row, column)] =
            sdk::narrow<T>(p.epilogue & 34 ? epilogue(p.epilogue, sum) : sum);
      }
    }
  }
}

Code compute(const Call& call) {
  switch (call.d.type) {
    case 0:
      multiply<float>(call);
      break;
    case 1:
      multiply<double>(call);
      break;
    case 2:
      multiply<sdk::F16>(call);
      break;
    default:
      multiply<sdk::BF16>(call);
  }
  return kSuccess;
}

// Does all of it lie in one block of the device's memory?
bool reaches(State& s, const MatrixLayout& m, const void* data, uint64_t element) {
  const uint64_t last = static_cast<uint64_t>(m.batches - 1) * static_cast<uint64_t>(m.batch_step) +
                        (m.columns - 1) * static_cast<uint64_t>(m.leading) + m.rows - 1;
  const Block* block = s.find_block(data, (last + 1) * element);
  return block && !block->pinned;
}

int run(Handle*, ProductDescription* p, const void*, const void* a, MatrixLayout* a_layout,
        const void* b, MatrixLayout* b_layout, const void*, const void* c, MatrixLayout*, void* d,
        MatrixLayout* d_layout, const Algorithm* algorithm, void* scratch, size_t scratch_bytes,
        void* stream) {
  State& s = state();
  if (const Code code = s.begin(emulated::Call::launch); code != kSuccess) {
    return code == kOutOfMemory ? kNoMemory : kExecutionFailed;
  }
  const bool needs_bias = (p->epilogue & 4) != 0;
  const uint64_t element = d_layout->type == 1 ? 8 : d_layout->type == 0 ? 4 : 2;
  if (!fit(*p, *a_layout, *b_layout, *d_layout) || c != d || (needs_bias && !p->bias)) {
    return kInvalid;
  }
  const auto aligned = [&](const void* data) {
    return reinterpret_cast<uintptr_t>(data) % algorithm->data[0] == 0;
  };
  const bool all = reaches(s, *a_layout, a, element) && reaches(s, *b_layout, b, element) &&
                   reaches(s, *d_layout, d, element) &&
                   (!needs_bias || s.find_block(p->bias, d_layout->rows * element)) &&
                   (scratch_bytes == 0 || s.find_block(scratch, scratch_bytes));
  if (!all || !aligned(a) || !aligned(b) || !aligned(d)) return kInvalid;
  const Call call{*p, *a_layout, *b_layout, *d_layout, a, b, d};
  const Code code = s.enqueue(s.find_stream(stream), [call] { return compute(call); });
  return code == kSuccess ? kGood : kExecutionFailed;
}

// ---- What is found by name ----------------------------------------------------------------------

// Counts the call, which fails if a test asked for it; what releases does so all the same.
template <emulated::Call call, auto function>
struct Called;
template <emulated::Call call, class... A, int (*function)(A...)>
struct Called<call, function> {
  static int run(A... arguments) {
    constexpr bool releases =
        std::string_view(kCalls[static_cast<size_t>(call)]).ends_with("Destroy");
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const int begun = s.begin_elsewhere(call);
    if (begun != kGood && !releases) return begun;
    const int status = function(arguments...);
    return begun != kGood ? begun : status;
  }
};

struct Found {
  std::string_view name;
  void* function;
};
template <emulated::Call call, auto function>
Found found() {
  return {kCalls[static_cast<size_t>(call)], reinterpret_cast<void*>(&Called<call, function>::run)};
}

const char* name_of_status(int status) {
  for (const KnownCode& known : known_blas_statuses()) {
    if (known.code == status) return known.name;
  }
  return "CUBLAS_UNKNOWN";
}

}  // namespace

void* blas_function(const char* name) {
  using enum emulated::Call;
  const Found functions[] = {
      found<cublasLtCreate, create>(),
      found<cublasLtDestroy, release<Handle>>(),
      found<cublasLtMatmulDescCreate, product_create>(),
      found<cublasLtMatmulDescDestroy, release<ProductDescription>>(),
      found<cublasLtMatmulDescSetAttribute, product_set>(),
      found<cublasLtMatrixLayoutCreate, layout_create>(),
      found<cublasLtMatrixLayoutDestroy, release<MatrixLayout>>(),
      found<cublasLtMatrixLayoutSetAttribute, layout_set>(),
      found<cublasLtMatmulPreferenceCreate, preference_create>(),
      found<cublasLtMatmulPreferenceDestroy, release<Preference>>(),
      found<cublasLtMatmulPreferenceSetAttribute, preference_set>(),
      found<cublasLtMatmulAlgoGetHeuristic, choose>(),
      found<cublasLtMatmul, run>(),
      {"cublasLtGetStatusName", reinterpret_cast<void*>(&name_of_status)},
  };
  static_assert(std::size(functions) == std::size(kBlasCalls) + 1,
                "TENON_EMULATED_BLAS_CALLS is not what is found");
  for (const Found& known : functions) {
    if (known.name == name) return known.function;
  }
  return nullptr;
}

}  // namespace tenon::cuda::emulated
