// SPDX-License-Identifier: Apache-2.0
// core/api/data_parallel_api.cc: public functions of steps that several processes share.
#include <tenon/ext/draft/data_parallel.h>

#include "core/api/guard.h"
#include "core/api/objects.h"
#include "core/base/sized.h"
#include "core/processes/data_parallel.h"

using namespace tenon;
using namespace tenon::api;
using processes::DataParallel;

namespace {

constexpr Handles<tenon_data_parallel, DataParallel, kDataParallelKind> kParallels("data parallel");

DataParallel::Options read_options(Context& context, const tenon_data_parallel_options* given) {
  if (!given) return {};
  const auto options = base::read_sized(*given, "tenon_data_parallel_options", "options");
  refuse_flags(options.flags, 0);
  return {options.shards, options.bucket_bytes,
          hold_tensors(context, options.buffers, options.n_buffers, "buffers")};
}

tenon_data_parallel* make(Context& context, tenon_group* group, std::vector<Ref> params,
                          DataParallel::Options options) {
  refuse_in_capture(context, "making a data parallel");
  auto made =
      std::make_shared<DataParallel>(context, group ? kGroups.require(context, group) : nullptr,
                                     std::move(params), std::move(options));
  return kParallels.give(std::move(made));
}

}  // namespace

tenon_status tenon_data_parallel_create(tenon_context* context, tenon_group* group,
                                        tenon_tensor* const* params, uint32_t n_params,
                                        const tenon_data_parallel_options* options,
                                        tenon_data_parallel** out_parallel) {
  return guard_out(context, out_parallel, "out_parallel", [&](Context& cx) {
    return make(cx, group, hold_tensors(cx, params, n_params, "params"), read_options(cx, options));
  });
}

tenon_status tenon_data_parallel_create_for_layer(tenon_context* context, tenon_group* group,
                                                  tenon_layer* layer,
                                                  const tenon_data_parallel_options* options,
                                                  tenon_data_parallel** out_parallel) {
  return guard_out(context, out_parallel, "out_parallel", [&](Context& cx) {
    DataParallel::Options read = read_options(cx, options);
    if (!read.buffers.empty()) {
      fail(TENON_E_ARGUMENT, "data parallel: the buffers are the layer's", "n_buffers", "0",
           std::to_string(read.buffers.size()));
    }
    const layers::Shared& of = kLayers.require(cx, layer);
    std::vector<Ref> params;
    for (const layers::Named* each : of->parameters()) {
      if (!tape::requires_grad(*each->tensor)) continue;
      params.push_back(Ref::shared(each->tensor));
      read.names.push_back(each->name);
    }
    for (const layers::Named& each : of->tensors()) {
      if (each.buffer && !each.cache) read.buffers.push_back(Ref::shared(each.tensor));
    }
    return make(cx, group, std::move(params), std::move(read));
  });
}

void tenon_data_parallel_release(tenon_data_parallel* handle) { kParallels.release(handle); }

tenon_status tenon_data_parallel_get_info(tenon_context* context, tenon_data_parallel* parallel,
                                          tenon_data_parallel_info* out_info) {
  return guard(context, [&](Context& cx) {
    fill_sized(out_info, kParallels.require(cx, parallel)->info());
  });
}

tenon_status tenon_data_parallel_set_step(tenon_context* context, tenon_data_parallel* parallel,
                                          int64_t step) {
  return guard(context, [&](Context& cx) { kParallels.require(cx, parallel)->set_step(step); });
}

tenon_status tenon_data_parallel_begin(tenon_context* context, tenon_data_parallel* parallel,
                                       int64_t shard) {
  return guard(context, [&](Context& cx) { kParallels.require(cx, parallel)->begin(cx, shard); });
}

tenon_status tenon_data_parallel_end(tenon_context* context, tenon_data_parallel* parallel,
                                     tenon_tensor* loss) {
  return guard(context, [&](Context& cx) {
    kParallels.require(cx, parallel)->end(cx, require_tensor(cx, loss, "loss"));
  });
}

tenon_status tenon_data_parallel_give_up(tenon_context* context, tenon_data_parallel* parallel) {
  return guard(context, [&](Context& cx) {
    const auto& of = kParallels.require(cx, parallel);
    refuse_in_callback(cx, "giving up a step");
    of->give_up(cx);
  });
}

tenon_status tenon_data_parallel_share_states(tenon_context* context, tenon_data_parallel* parallel,
                                              tenon_optimizer* optimizer) {
  return guard(context, [&](Context& cx) {
    const auto& of = kParallels.require(cx, parallel, "sharing states");
    of->share_states(cx, kOptimizers.require(cx, optimizer));
  });
}

tenon_status tenon_data_parallel_gather_states(tenon_context* context,
                                               tenon_data_parallel* parallel, int32_t root) {
  return guard(context, [&](Context& cx) {
    kParallels.require(cx, parallel, "gathering states")->gather_states(cx, root);
  });
}

tenon_status tenon_data_parallel_clip(tenon_context* context, tenon_data_parallel* parallel,
                                      double max_norm, double* out_norm) {
  return guard(context, [&](Context& cx) {
    const auto& of = kParallels.require(cx, parallel, "clipping gradients of several processes");
    const double found = of->clip(cx, max_norm);
    if (out_norm) *out_norm = found;
  });
}
