// SPDX-License-Identifier: Apache-2.0
// tests/api/plugins/test.small/small.cc: one of everything a plugin can add, as small as it can be:
// host memory, the kernels a backend must have, a rule, an optimizer, a dataset and a sample. For
// tests that open it thousands of times.
#include <cstdlib>
#include <cstring>

#include <tenon/sdk/plugin/op.hpp>

#include "../../../core/plugins/acme.toy/kernels.hpp"

namespace {

namespace sdk = tenon::sdk;
using sdk::str;

struct Small {
  static constexpr std::string_view device = "small";
  template <void (*Run)(const sdk::Launch&)>
  static constexpr auto launch = sdk::launch_fn<Run>;
};

void infer_full(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], args.attrs.ints(0));
}
void infer_nothing(const sdk::Args&, std::span<tenon_meta>) {}
void same_vjp(sdk::Vjp& v) { v.grad(0, v.dy()); }

constexpr const char* kDoc = "For tests of what opening costs.";
constexpr tenon_op_desc ops[] = {
    sdk::op({.name = "small.copy",
             .schema = "copy(x: T[...]) -> T[...]",
             .doc = kDoc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE,
             .role = TENON_ROLE_COPY}),
    sdk::op({.name = "small.full",
             .schema = "full(*, shape: int[], value: number=0, dtype: D=f32) -> D[...]",
             .doc = kDoc,
             .role = TENON_ROLE_FILL,
             .infer = sdk::infer_fn<infer_full>}),
    sdk::op({.name = "small.step",
             .schema = "step(params!: T[...]*, grads: T[...]*, lr: f64[]) -> () where T: float",
             .doc = kDoc,
             .infer = sdk::infer_fn<infer_nothing>})};

constexpr tenon_kernel_desc kernels[] = {
    acme::entry<Small, acme::copy>("small.copy", acme::kMap, sdk::kAllDtypes),
    acme::entry<Small, acme::full>("small.full", acme::kStridedOut, sdk::kAllDtypes, 3)};

constexpr tenon_vjp_need nothing[1] = {};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = "small.copy", .needs = nothing, .vjp = sdk::vjp_fn<same_vjp>})};

constexpr tenon_hyper_desc hypers[] = {
    {str("lr"), str("learning rate"), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 0.5, 0, 1e6}};
constexpr tenon_optimizer_desc optimizers[] = {{sizeof(tenon_optimizer_desc), 0, str("small.sgd"),
                                                str(kDoc), str("small.step"), str(""), hypers,
                                                nullptr, std::size(hypers), 0}};

// Samples 0, 1, 2 that hold their own number.
tenon_status open_counts(tenon_call*, const tenon_value*, void** out_object) {
  *out_object = const_cast<char*>(kDoc);
  return TENON_OK;
}
void close_counts(void*) {}
tenon_status count(tenon_call*, void*, int64_t* out_length) {
  *out_length = 3;
  return TENON_OK;
}
tenon_status fields(tenon_call*, void*, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  *out_count = 1;
  if (capacity > 0) out[0] = {str("number"), {{}, 0, TENON_DTYPE_I64, {}}};
  return TENON_OK;
}
tenon_status get(tenon_call*, void*, const int64_t* indices, int64_t n, void* const* destinations) {
  std::memcpy(destinations[0], indices, static_cast<size_t>(n) * sizeof *indices);
  return TENON_OK;
}
constexpr tenon_dataset_desc datasets[] = {{sizeof(tenon_dataset_desc), 0, str("small.counts"),
                                            str(kDoc), nullptr, 0, 0, open_counts, close_counts,
                                            count, fields, get, nullptr, nullptr}};

constexpr tenon_sample samples[] = {{str("small.copy"), str("f32[2]"), str(""), TENON_OK, 1}};

tenon_status device_count(void*, int32_t* out_count, tenon_diag*) {
  *out_count = 1;
  return TENON_OK;
}
tenon_status alloc(void*, int32_t, uint64_t bytes, void** out_data) {
  *out_data = std::aligned_alloc(64, (bytes / 64 + 1) * 64);
  return *out_data ? TENON_OK : TENON_E_MEMORY;
}
void free_memory(void*, int32_t, void* data, uint64_t) { std::free(data); }
tenon_status copy(void*, int32_t, void*, uint32_t, void* destination, const void* source,
                  uint64_t bytes) {
  std::memcpy(destination, source, bytes);
  return TENON_OK;
}
tenon_status create_one(void* self, int32_t, void** out_object) {
  *out_object = self;
  return TENON_OK;
}
void release_one(void*, int32_t, void*) {}
tenon_status stream_wait(void*, int32_t, void*, tenon_diag*) { return TENON_OK; }
tenon_status event_record(void*, int32_t, void*, void*) { return TENON_OK; }
tenon_status event_query(void*, int32_t, void*, uint32_t* out_done, tenon_diag*) {
  *out_done = 1;
  return TENON_OK;
}
constexpr tenon_backend_table table = {sizeof(tenon_backend_table),
                                       TENON_BACKEND_HOST_MEMORY,
                                       str("small"),
                                       str(kDoc),
                                       device_count,
                                       alloc,
                                       free_memory,
                                       copy,
                                       create_one,
                                       release_one,
                                       stream_wait,
                                       create_one,
                                       release_one,
                                       event_record,
                                       event_record,
                                       event_query};

}  // namespace

TENON_UNIT(small) = {.ops = ops,
                     .vjps = vjps,
                     .kernels = kernels,
                     .samples = samples,
                     .optimizers = optimizers,
                     .datasets = datasets,
                     .backend = &table};
