// SPDX-License-Identifier: Apache-2.0
// tests/witness/plugins/test.witness/points.cc: datasets that should all be the same: sample i is
// the point (i, i * i), of f32, and the label i % 3, an i64. Each is wrong in a way of its own.
#include <fcntl.h>

#include "faults.h"

namespace {

using namespace witness;

enum Fault : uint32_t {
  kLong,
  kShort,
  kGrowing,
  kDtype,
  kShape,
  kName,
  kValue,
  kUnrepeatable,
  kUnwritten,
  kBatch,
  kFailing,
  kLenient,
  kLeaking,
  kLengths,
  kFaults
};
constexpr std::string_view kNames[kFaults] = {
    "test.witness.long",    "test.witness.short",        "test.witness.growing",
    "test.witness.dtype",   "test.witness.shape",        "test.witness.name",
    "test.witness.value",   "test.witness.unrepeatable", "test.witness.unwritten",
    "test.witness.batch",   "test.witness.failing",      "test.witness.lenient",
    "test.witness.leaking", "test.witness.lengths"};

struct Points {
  int64_t count = 5;
  int64_t opened = 0;  // how many there were before it
  int64_t reads = 0;
};

template <uint32_t F>
bool is(Fault fault) {
  return is_wrong() && F == fault;
}

template <uint32_t F>
tenon_status create(tenon_call* call, const tenon_value* values, void** out_object) {
  return sdk::guarded(call, [&] {
    static int64_t opened = 0;
    auto points = std::make_unique<Points>();
    points->opened = opened++;
    if (values[0].tag != TENON_VALUE_NONE) points->count = values[0].as.i64;
    if (points->count < 0 && is<F>(kLenient)) points->count = 0;
    if (points->count < 0) throw sdk::Failure{TENON_E_ATTRIBUTE, "count must be at least 0"};
    if (is<F>(kLeaking)) static_cast<void>(open("/dev/null", O_RDONLY | O_CLOEXEC));
    *out_object = points.release();
  });
}

void release(void* object) { delete static_cast<Points*>(object); }

template <uint32_t F>
tenon_status length(tenon_call*, void* object, int64_t* out_length) {
  const Points& points = *static_cast<const Points*>(object);
  *out_length = points.count + (is<F>(kLong) ? 1 : 0) - (is<F>(kShort) ? 1 : 0) +
                (is<F>(kGrowing) ? points.opened : 0);
  return TENON_OK;
}

template <uint32_t F>
tenon_status fields(tenon_call*, void*, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  *out_count = 2;
  if (capacity < 2) return TENON_OK;
  out[0] = {sdk::str("point"), {}};
  out[0].sample.dtype = TENON_DTYPE_F32;
  out[0].sample.rank = is<F>(kShape) ? 2 : 1;
  out[0].sample.shape[0] = is<F>(kShape) ? 1 : 2;
  out[0].sample.shape[1] = 2;
  out[1] = {sdk::str(is<F>(kName) ? "class" : "label"), {}};
  out[1].sample.dtype = is<F>(kDtype) ? TENON_DTYPE_F64 : TENON_DTYPE_I64;
  return TENON_OK;
}

template <uint32_t F>
tenon_status get(tenon_call* call, void* object, const int64_t* indices, int64_t n,
                 void* const* destinations) {
  Points& points = *static_cast<Points*>(object);
  auto* const point = static_cast<float*>(destinations[0]);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t index = is<F>(kBatch) ? i : indices[i];
    if (is<F>(kFailing) && index == 3) {
      return sdk::guarded(call, [] { throw sdk::Failure{TENON_E_DATA, "it is damaged"}; });
    }
    point[2 * i] = static_cast<float>(index);
    point[2 * i + 1] = static_cast<float>(index * index);
    if (is<F>(kValue) && index == 4) point[2 * i] = 3;
    if (is<F>(kUnrepeatable)) point[2 * i] += static_cast<float>(points.reads++);
    if (is<F>(kUnwritten) && index == 2) continue;
    if (is<F>(kDtype)) {
      static_cast<double*>(destinations[1])[i] = static_cast<double>(index % 3);
    } else {
      static_cast<int64_t*>(destinations[1])[i] = index % 3;
    }
  }
  return TENON_OK;
}

// No field says how long a sample is, so it is the point's two numbers long.
template <uint32_t F>
tenon_status lengths(tenon_call*, void*, int64_t first, int64_t count, int64_t* out) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = (is<F>(kLengths) && first + i == 4) || is<F>(kShape) ? 1 : 2;
  }
  return TENON_OK;
}

constexpr tenon_dataset_option options[] = {
    {sdk::str("count"), sdk::str("number of samples; 5 unless given"), TENON_VALUE_I64, 0}};

template <uint32_t... F>
constexpr auto datasets_of(std::integer_sequence<uint32_t, F...>) {
  return std::array{tenon_dataset_desc{sizeof(tenon_dataset_desc), 0, sdk::str(kNames[F]),
                                       sdk::str("Points of a parabola."), options,
                                       std::size(options), 0, create<F>, release, length<F>,
                                       fields<F>, get<F>, lengths<F>, nullptr}...};
}
constexpr auto datasets = datasets_of(std::make_integer_sequence<uint32_t, kFaults>());

}  // namespace

TENON_UNIT(points) = {.datasets = datasets};
