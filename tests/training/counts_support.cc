// SPDX-License-Identifier: Apache-2.0
// tests/training/counts_support.cc: acme.counts.
#include "tests/training/counts_support.h"

#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/transform.hpp>

#include <chrono>
#include <cstring>
#include <thread>

#include "tests/support/program_query.h"

namespace tenon::tests {
namespace {

using sdk::str;

struct Counts {
  int64_t length;
  int64_t bad;
  bool slow;
};

tenon_status create(tenon_call* call, const tenon_value* values, void** out_object) {
  return sdk::guarded(call, [&] {
    const bool has_bad = values[1].tag == TENON_VALUE_I64;
    *out_object = new Counts{values[0].as.i64, has_bad ? values[1].as.i64 : -1,
                             values[2].tag == TENON_VALUE_BOOL && values[2].as.i64 != 0};
  });
}

void release(void* object) { delete static_cast<Counts*>(object); }

tenon_status length(tenon_call*, void* object, int64_t* out_length) {
  *out_length = static_cast<const Counts*>(object)->length;
  return TENON_OK;
}

tenon_status fields(tenon_call*, void*, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  *out_count = 1;
  if (capacity > 0) {
    out[0] = {str("count"), {}};
    out[0].sample.dtype = TENON_DTYPE_I64;
  }
  return TENON_OK;
}

tenon_status get(tenon_call* call, void* object, const int64_t* indices, int64_t n,
                 void* const* destinations) {
  const Counts& counts = *static_cast<const Counts*>(object);
  return sdk::guarded(call, [&] {
    for (int64_t i = 0; i < n; ++i) {
      if (indices[i] == counts.bad) {
        throw sdk::Failure{.status = TENON_E_DATA, .what = "it cannot be counted"};
      }
      static_cast<int64_t*>(destinations[0])[i] = indices[i];
    }
    if (counts.slow && n > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(indices[0] * 7 % 4 * 100));
    }
  });
}

constexpr tenon_dataset_option kOptions[] = {
    {str("length"), str("number of samples"), TENON_VALUE_I64, 1},
    {str("bad"), str("the sample that fails"), TENON_VALUE_I64, 0},
    {str("slow"), str("samples take a while"), TENON_VALUE_BOOL, 0}};
constexpr tenon_dataset_desc kDatasets[] = {{sizeof(tenon_dataset_desc), 0, str("acme.counts"),
                                             str("Numbers."), kOptions, 3, 0, create, release,
                                             length, fields, get, nullptr, nullptr}};
struct Until {
  explicit Until(const sdk::Attrs& options) : bad(options.integer(0)) {}
  tenon_meta infer(const tenon_meta& sample) const { return sample; }
  void run(const tenon_batch& batch, const tenon_view& from, const tenon_view& to) const {
    const auto bytes = static_cast<size_t>(sdk::count_of({from.shape, size_t(from.rank)}));
    std::memcpy(to.data, from.data, bytes * sdk::size_of(from.dtype));
    for (int64_t i = 0; i < batch.n; ++i) {
      if (batch.samples[i] != bad) continue;
      throw sdk::Failure{.status = TENON_E_DATA,
                         .what = "sample " + std::to_string(bad) + " is the bad one"};
    }
  }
  int64_t bad;
};
constexpr tenon_transform_option kUntilOptions[] = {
    sdk::required_transform_option("bad", TENON_VALUE_I64, "the sample that fails")};
constexpr tenon_transform_desc kTransforms[] = {
    sdk::transform<Until>({.name = "acme.until", .doc = "A copy.", .options = kUntilOptions})};

constexpr sdk::Unit kUnit = {.datasets = kDatasets, .transforms = kTransforms};
constexpr const sdk::Unit* kUnits[] = {&kUnit};

struct Data {
  static sdk::About about() { return {"acme.counts", "1.0.0", "Apache-2.0", kUnits}; }
};

}  // namespace

tenon_status counts_query(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  return query_in_program<Data>(host, out, diag);
}

}  // namespace tenon::tests
