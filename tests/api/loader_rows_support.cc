// SPDX-License-Identifier: Apache-2.0
// tests/api/loader_rows_support.cc: wrong calls of transforms, loaders and checkpoints.
#include <tenon/ext/draft/checkpoints.h>

#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

constexpr int64_t kSamples[] = {0, 1};
constexpr tenon_batch kBatch = {2, kSamples, 0, 0};
const std::string kBytes = "\xff";

tenon_status create_transform(World& w, tenon_context* cx, const char* name,
                              const tenon_string* names, const tenon_value* values, uint32_t n) {
  return tenon_transform_create(cx, name, TENON_NUL, names, values, n, &w.outs.transform);
}

void add_transforms(Rows& rows) {
  add_contexts(rows, "tenon_transform_create", [](World& w, tenon_context* cx) {
    return create_transform(w, cx, "tenon.flip", nullptr, nullptr, 0);
  });
  const auto wrong = [&](const char* what, tenon_status expected, const char* name,
                         const char* option, const tenon_value& value) {
    add(rows, "tenon_transform_create", what, expected, [=](World& w) {
      const tenon_string names[] = {{option, TENON_NUL}};
      return create_transform(w, w.cx, name, names, &value, 1);
    });
  };
  wrong("unknown", TENON_E_NOT_FOUND, "tenon.flap", "p", value_of(1.0));
  wrong("NULL name", TENON_E_ARGUMENT, nullptr, "p", value_of(1.0));
  wrong("unknown option", TENON_E_ATTRIBUTE, "tenon.flip", "p", value_of(1.0));
  wrong("missing option", TENON_E_ATTRIBUTE, "tenon.crop", "padding", value_of(1.0));
  wrong("wrong type", TENON_E_ATTRIBUTE, "tenon.normalise", "mean", value_of(1.0));
  wrong("wrong value", TENON_E_ATTRIBUTE, "tenon.normalise", "scale", value_of(0.0));
  wrong("NULL list", TENON_E_ATTRIBUTE, "tenon.normalise", "mean",
        tenon_value{TENON_VALUE_FLOAT_LIST, 3, {}});
  add(rows, "tenon_transform_create", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_transform_create(w.cx, "tenon.flip", TENON_NUL, nullptr, nullptr, 0, nullptr);
  });
  rows.push_back({"tenon_transform_release", "NULL", TENON_OK, [](World&) {
                    tenon_transform_release(nullptr);
                    return TENON_OK;
                  }});
  rows.push_back({"tenon_transform_release", "another kind", TENON_OK, [](World& w) {
                    tenon_transform_release(reinterpret_cast<tenon_transform*>(w.t));
                    return TENON_OK;
                  }});
  const char* const call = "tenon_transform_call";
  add_both<tenon_transform>(rows, call, Kind::Transform, &World::Side::transform,
                            [](World& w, tenon_context* cx, tenon_transform* transform) {
                              return tenon_transform_call(cx, transform, &kBatch, w.t,
                                                          w.outs.tensors);
                            });
  add_handles(rows, call, Kind::Tensor, [](World& w, void* handle) {
    return tenon_transform_call(w.cx, w.own.transform, &kBatch, static_cast<tenon_tensor*>(handle),
                                w.outs.tensors);
  });
  const auto wrong_call = [&](const char* what, tenon_status expected, const tenon_batch& batch,
                              const std::function<tenon_tensor*(World&)>& field) {
    add(rows, call, what, expected, [=](World& w) {
      return tenon_transform_call(w.cx, w.own.transform, &batch, field(w), w.outs.tensors);
    });
  };
  const auto plain = [](World& w) { return w.t; };
  wrong_call("another number of samples", TENON_E_ARGUMENT, {3, kSamples, 0, 0}, plain);
  wrong_call("NULL samples", TENON_E_ARGUMENT, {2, nullptr, 0, 0}, plain);
  wrong_call("a dtype that does not fit", TENON_E_DTYPE, kBatch,
             [](World& w) { return w.integers; });
  wrong_call("a field elsewhere", TENON_E_DEVICE, kBatch, [](World& w) { return w.away; });
  add(rows, call, "NULL batch", TENON_E_ARGUMENT, [](World& w) {
    return tenon_transform_call(w.cx, w.own.transform, nullptr, w.t, w.outs.tensors);
  });
  add(rows, call, "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_transform_call(w.cx, w.own.transform, &kBatch, w.t, nullptr); });
}

void add_creation(Rows& rows) {
  add_both<tenon_dataset>(rows, "tenon_loader_create", Kind::Dataset, &World::Side::dataset,
                          [](World& w, tenon_context* cx, tenon_dataset* dataset) {
                            return tenon_loader_create(cx, dataset, 4, 0, 0, &w.outs.loader);
                          });
  add(rows, "tenon_loader_create", "no batch", TENON_E_ARGUMENT,
      [](World& w) { return tenon_loader_create(w.cx, w.own.dataset, 0, 0, 0, &w.outs.loader); });
  add(rows, "tenon_loader_create", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_loader_create(w.cx, w.own.dataset, 1, 0, 0, nullptr); });
  const uint32_t known = TENON_LOADER_SHUFFLE | TENON_LOADER_DROP_LAST;
  add_unknown_flags(rows, "tenon_loader_create", known, [](World& w, uint32_t flags) {
    return tenon_loader_create(w.cx, w.own.dataset, 4, 0, flags, &w.outs.loader);
  });
  const char* const numbers = "tenon_loader_create_numbers";
  add_contexts(rows, numbers, [](World& w, tenon_context* cx) {
    return tenon_loader_create_numbers(cx, 4, 2, 0, 0, &w.outs.loader);
  });
  add(rows, numbers, "negative length", TENON_E_ARGUMENT,
      [](World& w) { return tenon_loader_create_numbers(w.cx, -1, 2, 0, 0, &w.outs.loader); });
  add(rows, numbers, "a length of which no order can be written", TENON_E_ARGUMENT, [](World& w) {
    return tenon_loader_create_numbers(w.cx, INT64_MAX, 2, 0, 0, &w.outs.loader);
  });
  add(rows, numbers, "no batch", TENON_E_ARGUMENT,
      [](World& w) { return tenon_loader_create_numbers(w.cx, 4, 0, 0, 0, &w.outs.loader); });
  add(rows, numbers, "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_loader_create_numbers(w.cx, 4, 2, 0, 0, nullptr); });
  add_unknown_flags(rows, numbers, known, [](World& w, uint32_t flags) {
    return tenon_loader_create_numbers(w.cx, 4, 2, 0, flags, &w.outs.loader);
  });
  rows.push_back({"tenon_loader_release", "NULL", TENON_OK, [](World&) {
                    tenon_loader_release(nullptr);
                    return TENON_OK;
                  }});
}

void add_loader(Rows& rows, const char* function,
                std::function<tenon_status(World&, tenon_context*, tenon_loader*)> call) {
  add_both<tenon_loader>(rows, function, Kind::Loader, &World::Side::loader, std::move(call));
}

void add_loaders(Rows& rows) {
  const char* const set = "tenon_loader_set_transforms";
  const auto set_one = [](World&, tenon_context* cx, tenon_loader* loader,
                          tenon_transform* transform, uint32_t field) {
    return tenon_loader_set_transforms(cx, loader, &transform, &field, 1);
  };
  add_loader(rows, set, [=](World& w, tenon_context* cx, tenon_loader* loader) {
    return set_one(w, cx, loader, w.own.transform, 0);
  });
  add_handles(rows, set, Kind::Transform, [=](World& w, void* handle) {
    return set_one(w, w.cx, w.own.loader, static_cast<tenon_transform*>(handle), 0);
  });
  add(rows, set, "no such field", TENON_E_ARGUMENT,
      [=](World& w) { return set_one(w, w.cx, w.own.loader, w.own.transform, 1); });
  add(rows, set, "NULL transforms", TENON_E_ARGUMENT, [](World& w) {
    const uint32_t field = 0;
    return tenon_loader_set_transforms(w.cx, w.own.loader, nullptr, &field, 1);
  });
  add(rows, set, "NULL fields", TENON_E_ARGUMENT, [](World& w) {
    return tenon_loader_set_transforms(w.cx, w.own.loader, &w.own.transform, nullptr, 1);
  });
  add(rows, set, "too many", TENON_E_ARGUMENT, [](World& w) {
    const std::vector<tenon_transform*> many(17, w.own.transform);
    const std::vector<uint32_t> fields(17, 0);
    return tenon_loader_set_transforms(w.cx, w.own.loader, many.data(), fields.data(), 17);
  });
}

void add_buckets(Rows& rows) {
  static constexpr int64_t kNone[4096] = {};
  const char* const set = "tenon_loader_set_buckets";
  add_loader(rows, set, [](World&, tenon_context* cx, tenon_loader* loader) {
    return tenon_loader_set_buckets(cx, loader, 2, kNone);
  });
  for (const int64_t pool : {int64_t{1}, int64_t{-1}, INT64_MIN}) {
    add(rows, set, "no pool", TENON_E_ARGUMENT,
        [=](World& w) { return tenon_loader_set_buckets(w.cx, w.own.loader, pool, kNone); });
  }
  add(rows, set, "a dataset that says no lengths", TENON_E_UNSUPPORTED,
      [](World& w) { return tenon_loader_set_buckets(w.cx, w.own.loader, 2, nullptr); });
  const char* const get = "tenon_dataset_get_lengths";
  add_both<tenon_dataset>(rows, get, Kind::Dataset, &World::Side::dataset,
                          [](World& w, tenon_context* cx, tenon_dataset* dataset) {
                            return tenon_dataset_get_lengths(cx, dataset, 0, 1, &w.outs.length);
                          });
  add(rows, get, "a dataset that says none", TENON_E_UNSUPPORTED, [](World& w) {
    return tenon_dataset_get_lengths(w.cx, w.own.dataset, 0, 1, &w.outs.length);
  });
  add(rows, get, "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_dataset_get_lengths(w.cx, w.own.dataset, 0, 1, nullptr); });
}

void add_runs(Rows& rows) {
  add_loader(rows, "tenon_loader_set_workers", [](World&, tenon_context* cx, tenon_loader* loader) {
    return tenon_loader_set_workers(cx, loader, 65);
  });
  add(rows, "tenon_loader_set_workers", "too many", TENON_E_ARGUMENT,
      [](World& w) { return tenon_loader_set_workers(w.cx, w.own.loader, 65); });
  const auto begin = [](int64_t epoch, int64_t position) {
    return [=](World&, tenon_context* cx, tenon_loader* loader) {
      return tenon_loader_begin(cx, loader, epoch, position);
    };
  };
  add_loader(rows, "tenon_loader_begin", begin(0, 0));
  for (const auto& [epoch, position] : {std::pair<int64_t, int64_t>{-1, 0}, {0, -1}, {0, 1000}}) {
    add(rows, "tenon_loader_begin", "out of range", TENON_E_ARGUMENT,
        [call = begin(epoch, position)](World& w) { return call(w, w.cx, w.own.loader); });
  }
  add_loader(rows, "tenon_loader_set_share", [](World&, tenon_context* cx, tenon_loader* loader) {
    return tenon_loader_set_share(cx, loader, 0, 1, 1);
  });
  struct Share {
    int64_t first, count, of;
  };
  for (const Share& each : {Share{0, 1, 0},
                            {0, 1, -1},
                            {0, 1, INT64_MAX},
                            {-1, 1, 1},
                            {0, 0, 1},
                            {1, 1, 1},
                            {0, 2, 1},
                            {0, INT64_MAX, 1},
                            {INT64_MAX, 1, 1}}) {
    add(rows, "tenon_loader_set_share", "not a share", TENON_E_ARGUMENT, [=](World& w) {
      return tenon_loader_set_share(w.cx, w.own.loader, each.first, each.count, each.of);
    });
  }
  add_loader(rows, "tenon_loader_run", [](World& w, tenon_context* cx, tenon_loader* loader) {
    return tenon_loader_run(cx, loader, w.outs.tensors, 1, &w.outs.length);
  });
  add(rows, "tenon_loader_run", "too many fields", TENON_E_ARGUMENT, [](World& w) {
    return tenon_loader_run(w.cx, w.own.loader, w.outs.tensors, 2, &w.outs.length);
  });
  add(rows, "tenon_loader_run", "NULL fields", TENON_E_ARGUMENT,
      [](World& w) { return tenon_loader_run(w.cx, w.own.loader, nullptr, 1, &w.outs.length); });
  add(rows, "tenon_loader_run", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_loader_run(w.cx, w.own.loader, w.outs.tensors, 1, nullptr); });
  add_loader(rows, "tenon_loader_get_info", [](World& w, tenon_context* cx, tenon_loader* loader) {
    return tenon_loader_get_info(cx, loader, &w.outs.loader_info);
  });
  add(rows, "tenon_loader_get_info", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_loader_get_info(w.cx, w.own.loader, nullptr); });
  add_loader(rows, "tenon_loader_get_field", [](World& w, tenon_context* cx, tenon_loader* loader) {
    return tenon_loader_get_field(cx, loader, 0, &w.outs.name, &w.outs.meta);
  });
  add(rows, "tenon_loader_get_field", "past the last", TENON_E_NOT_FOUND, [](World& w) {
    return tenon_loader_get_field(w.cx, w.own.loader, 1, &w.outs.name, &w.outs.meta);
  });
}

// Everything that adds a part.
void add_parts(Rows& rows) {
  const auto part = [&]<class T>(const char* function, Kind kind, T* World::Side::*own, auto set) {
    add_both<tenon_checkpoint>(rows, function, Kind::Checkpoint, &World::Side::checkpoint,
                               [set, own](World& w, tenon_context* cx, tenon_checkpoint* to) {
                                 return set(cx, to, "part", TENON_NUL, w.own.*own);
                               });
    add_handles(rows, function, kind, [set](World& w, void* handle) {
      return set(w.cx, w.own.checkpoint, "part", TENON_NUL, static_cast<T*>(handle));
    });
    for (const char* name : {"", "\xff", "rng", "rng.x"}) {
      add(rows, function, "a name that no part has", TENON_E_ARGUMENT,
          [=](World& w) { return set(w.cx, w.own.checkpoint, name, TENON_NUL, w.own.*own); });
    }
    add(rows, function, "NULL name", TENON_E_ARGUMENT,
        [=](World& w) { return set(w.cx, w.own.checkpoint, nullptr, 3, w.own.*own); });
  };
  part("tenon_checkpoint_set_layer", Kind::Layer, &World::Side::layer, tenon_checkpoint_set_layer);
  part("tenon_checkpoint_set_optimizer", Kind::Optimizer, &World::Side::optimizer,
       tenon_checkpoint_set_optimizer);
  part("tenon_checkpoint_set_schedule", Kind::Schedule, &World::Side::schedule,
       tenon_checkpoint_set_schedule);
  part("tenon_checkpoint_set_loader", Kind::Loader, &World::Side::loader,
       tenon_checkpoint_set_loader);
  part("tenon_checkpoint_set_tensor", Kind::Tensor, &World::Side::tensor,
       tenon_checkpoint_set_tensor);
  const char* const set = "tenon_checkpoint_set_value";
  add_both<tenon_checkpoint>(rows, set, Kind::Checkpoint, &World::Side::checkpoint,
                             [](World&, tenon_context* cx, tenon_checkpoint* to) {
                               const tenon_value value = value_of(1.0);
                               return tenon_checkpoint_set_value(cx, to, "x", 1, &value);
                             });
  const auto wrong = [&](const char* what, const tenon_value& value, const char* name = "x") {
    add(rows, set, what, TENON_E_ARGUMENT, [=](World& w) {
      return tenon_checkpoint_set_value(w.cx, w.own.checkpoint, name, TENON_NUL, &value);
    });
  };
  wrong("no value", tenon_value{});
  wrong("a list", value_of(std::span<const int64_t>(kSamples)));
  wrong("NULL text", tenon_value{TENON_VALUE_STRING, 2, {}});
  wrong("unknown tag", tenon_value{99, 0, {}});
  wrong("not UTF-8", value_of(kBytes));
  wrong("no name", value_of(1.0), "");
  add(rows, set, "NULL value", TENON_E_ARGUMENT,
      [](World& w) { return tenon_checkpoint_set_value(w.cx, w.own.checkpoint, "x", 1, nullptr); });
}

void add_checkpoints(Rows& rows) {
  add_contexts(rows, "tenon_checkpoint_create", [](World& w, tenon_context* cx) {
    return tenon_checkpoint_create(cx, &w.outs.checkpoint);
  });
  add(rows, "tenon_checkpoint_create", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_checkpoint_create(w.cx, nullptr); });
  rows.push_back({"tenon_checkpoint_release", "NULL", TENON_OK, [](World&) {
                    tenon_checkpoint_release(nullptr);
                    return TENON_OK;
                  }});
  add_parts(rows);
  const auto checkpoint =
      [&](const char* function,
          std::function<tenon_status(World&, tenon_context*, tenon_checkpoint*)> call) {
        add_both<tenon_checkpoint>(rows, function, Kind::Checkpoint, &World::Side::checkpoint,
                                   std::move(call));
      };
  checkpoint("tenon_checkpoint_get_value", [](World& w, tenon_context* cx, tenon_checkpoint* from) {
    return tenon_checkpoint_get_value(cx, from, "step", TENON_NUL, &w.outs.value);
  });
  add(rows, "tenon_checkpoint_get_value", "no such value", TENON_E_NOT_FOUND, [](World& w) {
    return tenon_checkpoint_get_value(w.cx, w.own.checkpoint, "steps", TENON_NUL, &w.outs.value);
  });
  add(rows, "tenon_checkpoint_get_value", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_checkpoint_get_value(w.cx, w.own.checkpoint, "step", TENON_NUL, nullptr);
  });
  checkpoint("tenon_checkpoint_save", [](World&, tenon_context* cx, tenon_checkpoint* from) {
    return tenon_checkpoint_save(cx, from, "/nowhere/at/all.safetensors", TENON_NUL);
  });
  checkpoint("tenon_checkpoint_load", [](World& w, tenon_context* cx, tenon_checkpoint* to) {
    return tenon_checkpoint_load(cx, to, "/nowhere/at/all.safetensors", TENON_NUL, 0,
                                 &w.outs.index);
  });
  for (const auto& each :
       {std::pair<const char*, tenon_status>{"/nowhere/at/all.safetensors", TENON_E_IO},
        {"", TENON_E_ARGUMENT},
        {nullptr, TENON_E_ARGUMENT}}) {
    const char* const path = each.first;
    const tenon_status expected = each.second;
    add(rows, "tenon_checkpoint_save", "a path that cannot be", expected,
        [=](World& w) { return tenon_checkpoint_save(w.cx, w.own.checkpoint, path, TENON_NUL); });
    add(rows, "tenon_checkpoint_load", "a path that cannot be", expected, [=](World& w) {
      return tenon_checkpoint_load(w.cx, w.own.checkpoint, path, TENON_NUL, 0, &w.outs.index);
    });
    add(rows, "tenon_layer_save", "a path that cannot be", expected,
        [=](World& w) { return tenon_layer_save(w.cx, w.own.layer, path, TENON_NUL); });
    add(rows, "tenon_layer_load", "a path that cannot be", expected,
        [=](World& w) { return tenon_layer_load(w.cx, w.own.layer, path, TENON_NUL); });
  }
  add(rows, "tenon_layer_save", "unknown ending", TENON_E_NOT_FOUND,
      [](World& w) { return tenon_layer_save(w.cx, w.own.layer, "/a.tar", TENON_NUL); });
  add(rows, "tenon_layer_load", "unknown ending", TENON_E_NOT_FOUND,
      [](World& w) { return tenon_layer_load(w.cx, w.own.layer, "/a.tar", TENON_NUL); });
  add_unknown_flags(rows, "tenon_checkpoint_load", TENON_CHECKPOINT_IF_THERE,
                    [](World& w, uint32_t flags) {
                      return tenon_checkpoint_load(w.cx, w.own.checkpoint, "/a.safetensors",
                                                   TENON_NUL, flags, &w.outs.index);
                    });
}

void add_layer_files(Rows& rows) {
  const auto layer = [&](const char* function,
                         std::function<tenon_status(World&, tenon_context*, tenon_layer*)> call) {
    add_both<tenon_layer>(rows, function, Kind::Layer, &World::Side::layer, std::move(call));
  };
  layer("tenon_layer_save", [](World&, tenon_context* cx, tenon_layer* from) {
    return tenon_layer_save(cx, from, "/nowhere/at/all.npz", TENON_NUL);
  });
  layer("tenon_layer_load", [](World&, tenon_context* cx, tenon_layer* to) {
    return tenon_layer_load(cx, to, "/nowhere/at/all.npz", TENON_NUL);
  });
  const char* const create = "tenon_optimizer_create_for_layer";
  layer(create, [](World& w, tenon_context* cx, tenon_layer* of) {
    return tenon_optimizer_create_for_layer(cx, "tenon.sgd", TENON_NUL, of, nullptr, nullptr, 0,
                                            &w.outs.optimizer);
  });
  add(rows, create, "unknown optimizer", TENON_E_NOT_FOUND, [](World& w) {
    return tenon_optimizer_create_for_layer(w.cx, "tenon.gradient_ascent", TENON_NUL, w.own.layer,
                                            nullptr, nullptr, 0, &w.outs.optimizer);
  });
  add(rows, create, "NULL name", TENON_E_ARGUMENT, [](World& w) {
    return tenon_optimizer_create_for_layer(w.cx, nullptr, 3, w.own.layer, nullptr, nullptr, 0,
                                            &w.outs.optimizer);
  });
  add(rows, create, "unknown hyper-parameter", TENON_E_ATTRIBUTE, [](World& w) {
    const tenon_string name = {"speed", TENON_NUL};
    const tenon_value value = value_of(0.1);
    return tenon_optimizer_create_for_layer(w.cx, "tenon.sgd", TENON_NUL, w.own.layer, &name,
                                            &value, 1, &w.outs.optimizer);
  });
  add(rows, create, "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_optimizer_create_for_layer(w.cx, "tenon.sgd", TENON_NUL, w.own.layer, nullptr,
                                            nullptr, 0, nullptr);
  });
}

}  // namespace

void add_loader_rows(Rows& rows) {
  add_transforms(rows);
  add_creation(rows);
  add_loaders(rows);
  add_buckets(rows);
  add_runs(rows);
  add_checkpoints(rows);
  add_layer_files(rows);
}

}  // namespace tenon::tests
