// SPDX-License-Identifier: Apache-2.0
// core/api/loader_api.cc: public functions of a transform and a loader, and the lengths of a
// dataset's samples.
#include <tenon/ext/draft/loaders.h>

#include "core/api/guard.h"
#include "core/api/objects.h"
#include "core/api/own_context.h"

using namespace tenon;
using namespace tenon::api;
using data::Loader;
using data::Transform;

namespace {

[[noreturn]] void refuse_batch(const char* what, std::string expected, std::string found) {
  fail(TENON_E_ARGUMENT, "the batch " + std::string(what), "batch", std::move(expected),
       std::move(found));
}

void check_batch(const tenon_batch& batch, const Tensor& field) {
  if (field.view.rank == 0) {
    fail(TENON_E_SHAPE, "a field of a batch has no dimension of samples", "field", "[n, ...]",
         tensor::describe(field));
  }
  if (batch.n != field.shape_[0]) {
    refuse_batch("has another number of samples than the field", std::to_string(field.shape_[0]),
                 std::to_string(batch.n));
  }
  if (batch.n != 0 && !batch.samples) refuse_batch("names no samples", "n numbers", "NULL");
  if (device_of(field).host_memory()) return;
  fail(TENON_E_DEVICE, "transforms work in host memory", "field", "a tensor on the host",
       tensor::describe(field) + " on " + device_of(field).name(), "transform first, then move");
}

}  // namespace

tenon_status tenon_transform_create(tenon_context* context, const char* name, uint64_t name_length,
                                    const tenon_string* names, const tenon_value* values,
                                    uint32_t n_values, tenon_transform** out_transform) {
  return guard_out(context, out_transform, "out_transform", [&](Context& cx) {
    const std::string_view given = require_name(name, name_length);
    const auto options = read_named(names, values, n_values);
    const auto& kind = cx.runtime->plugins.require_entry<tenon_transform_desc>(given);
    return kTransforms.give(std::make_shared<Transform>(cx, kind, options));
  });
}

void tenon_transform_release(tenon_transform* handle) { kTransforms.release(handle); }

tenon_status tenon_transform_call(tenon_context* context, tenon_transform* transform,
                                  const tenon_batch* batch, tenon_tensor* field,
                                  tenon_tensor** out_field) {
  return guard(context, [&](Context& cx) {
    require_pointer(batch, "batch");
    require_pointer(out_field, "out_field");
    const auto& which = kTransforms.require(cx, transform, "transforming a batch");
    Tensor& from = require_tensor(cx, field, "field");
    check_batch(*batch, from);
    *out_field = tensor::handle(which->call(cx, *batch, from).take());
  });
}

tenon_status tenon_loader_create(tenon_context* context, tenon_dataset* dataset, int64_t batch,
                                 uint64_t seed, uint32_t flags, tenon_loader** out_loader) {
  return guard_out(context, out_loader, "out_loader", [&](Context& cx) {
    const auto& from = kDatasets.require(cx, dataset);
    return kLoaders.give(std::make_shared<Loader>(cx, from, from->length(), batch, seed, flags));
  });
}

tenon_status tenon_loader_create_numbers(tenon_context* context, int64_t length, int64_t batch,
                                         uint64_t seed, uint32_t flags, tenon_loader** out_loader) {
  return guard_out(context, out_loader, "out_loader", [&](Context& cx) {
    return kLoaders.give(std::make_shared<Loader>(cx, nullptr, length, batch, seed, flags));
  });
}

void tenon_loader_release(tenon_loader* handle) { kLoaders.release(handle); }

tenon_status tenon_loader_set_transforms(tenon_context* context, tenon_loader* loader,
                                         tenon_transform* const* transforms, const uint32_t* fields,
                                         uint32_t n) {
  return guard(context, [&](Context& cx) {
    const auto& to = kLoaders.require(cx, loader);
    if (n != 0) require_pointer(transforms, "transforms");
    if (n != 0) require_pointer(fields, "fields");
    std::vector<data::Step> steps;
    // More are refused by the loader.
    for (uint32_t i = 0; i < std::min(n, TENON_LOADER_TRANSFORMS + 1); ++i) {
      steps.push_back({kTransforms.require(cx, transforms[i]), fields[i]});
    }
    const Loader::Use use(*to);
    to->set_transforms(cx, std::move(steps));
  });
}

tenon_status tenon_loader_set_workers(tenon_context* context, tenon_loader* loader,
                                      uint32_t n_workers) {
  return guard(context, [&](Context& cx) {
    const auto& to = kLoaders.require(cx, loader);
    const Loader::Use use(*to);
    to->set_workers(n_workers, own_contexts(*cx.runtime));
  });
}

tenon_status tenon_loader_set_share(tenon_context* context, tenon_loader* loader, int64_t first,
                                    int64_t count, int64_t of) {
  return guard(context, [&](Context& cx) {
    Loader& to = *kLoaders.require(cx, loader);
    const Loader::Use use(to);
    to.set_share({first, count, of});
  });
}

tenon_status tenon_loader_set_buckets(tenon_context* context, tenon_loader* loader, int64_t pool,
                                      const int64_t* lengths) {
  return guard(context, [&](Context& cx) {
    Loader& to = *kLoaders.require(cx, loader);
    const Loader::Use use(to);
    to.set_buckets(cx, pool, lengths);
  });
}

tenon_status tenon_dataset_get_lengths(tenon_context* context, tenon_dataset* dataset,
                                       int64_t first, int64_t count, int64_t* out_lengths) {
  return guard(context, [&](Context& cx) {
    const data::Dataset& from = *kDatasets.require(cx, dataset);
    if (count > 0) require_pointer(out_lengths, "out_lengths");
    const std::vector<int64_t> lengths = from.lengths(cx, first, count);
    std::copy(lengths.begin(), lengths.end(), out_lengths);
  });
}

tenon_status tenon_loader_begin(tenon_context* context, tenon_loader* loader, int64_t epoch,
                                int64_t position) {
  return guard(context, [&](Context& cx) {
    const auto& which = kLoaders.require(cx, loader);
    const Loader::Use use(*which);
    which->begin(epoch, position);
  });
}

tenon_status tenon_loader_run(tenon_context* context, tenon_loader* loader,
                              tenon_tensor** out_fields, uint32_t n_fields, int64_t* out_n) {
  return guard(context, [&](Context& cx) {
    const auto& from = kLoaders.require(cx, loader, "reading a batch");
    require_pointer(out_n, "out_n");
    const Loader::Use use(*from);
    if (n_fields != from->fields().size()) {
      fail(TENON_E_ARGUMENT, "loader: the number of fields does not fit", "n_fields",
           std::to_string(from->fields().size()), std::to_string(n_fields));
    }
    require_pointer(out_fields, "out_fields");
    std::vector<Ref> fields = from->run(cx);
    *out_n = fields.empty() ? 0 : fields[0]->shape_[0];
    for (size_t i = 0; i < fields.size(); ++i) out_fields[i] = tensor::handle(fields[i].take());
  });
}

tenon_status tenon_loader_get_info(tenon_context* context, tenon_loader* loader,
                                   tenon_loader_info* out_info) {
  return guard(context, [&](Context& cx) {
    const auto& from = kLoaders.require(cx, loader);
    const Loader::Use use(*from);
    fill_sized(out_info, from->info());
  });
}

tenon_status tenon_loader_get_field(tenon_context* context, tenon_loader* loader, uint32_t index,
                                    const char** out_name, tenon_meta* out_sample) {
  return guard(context, [&](Context& cx) {
    const auto& from = kLoaders.require(cx, loader);
    const Loader::Use use(*from);
    check_index("loader: there is no field", index, from->fields().size());
    if (out_name) *out_name = from->fields()[index].name.data;
    if (out_sample) *out_sample = from->fields()[index].sample;
  });
}
