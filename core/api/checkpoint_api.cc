// SPDX-License-Identifier: Apache-2.0
// core/api/checkpoint_api.cc: public functions of a checkpoint.
#include <sys/stat.h>
#include <tenon/ext/draft/checkpoints.h>

#include <cerrno>

#include "core/api/guard.h"
#include "core/api/objects.h"
#include "core/checkpoint/checkpoint.h"
#include "core/json/writer.h"

using namespace tenon;
using namespace tenon::api;
using checkpoint::Checkpoint;

namespace {

constexpr Handles<tenon_checkpoint, Checkpoint, kCheckpointKind> kCheckpoints("checkpoint");

// Adds the part that `part` resolves.
template <class Part>
tenon_status set_part(tenon_context* context, tenon_checkpoint* handle, const char* name,
                      uint64_t name_length, Part&& part,
                      const char* function = __builtin_FUNCTION()) {
  const auto body = [&](Context& cx) {
    Checkpoint& to = *kCheckpoints.require(cx, handle);
    to.set(require_text(name, name_length, "name"), part(cx));
  };
  return guard(context, body, function);
}

checkpoint::Value read_value(const tenon_value* value) {
  require_pointer(value, "value");
  const uint32_t tag = value->tag;
  const bool known = tag == TENON_VALUE_I64 || tag == TENON_VALUE_F64 || tag == TENON_VALUE_BOOL ||
                     (tag == TENON_VALUE_STRING && (value->as.string || value->count == 0));
  if (tag == TENON_VALUE_STRING && known && !json::is_utf8({value->as.string, value->count})) {
    fail(TENON_E_ARGUMENT, "checkpoint: a text is not UTF-8", "value", "UTF-8", "other bytes");
  }
  if (known) return checkpoint::Value(*value);
  fail(TENON_E_ARGUMENT, "checkpoint: a value has a type that it cannot hold", "value",
       "int, float, bool or str",
       tag == TENON_VALUE_STRING ? "a NULL string" : registry::tag_name(tag));
}

bool is_there(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 || errno != ENOENT;
}

}  // namespace

tenon_status tenon_checkpoint_create(tenon_context* context, tenon_checkpoint** out_checkpoint) {
  return guard_out(context, out_checkpoint, "out_checkpoint", [&](Context& cx) {
    return kCheckpoints.give(std::make_shared<Checkpoint>(*cx.runtime));
  });
}

void tenon_checkpoint_release(tenon_checkpoint* handle) { kCheckpoints.release(handle); }

tenon_status tenon_checkpoint_set_layer(tenon_context* context, tenon_checkpoint* checkpoint,
                                        const char* name, uint64_t name_length,
                                        tenon_layer* layer) {
  return set_part(context, checkpoint, name, name_length,
                  [&](Context& cx) { return kLayers.require(cx, layer); });
}

tenon_status tenon_checkpoint_set_optimizer(tenon_context* context, tenon_checkpoint* checkpoint,
                                            const char* name, uint64_t name_length,
                                            tenon_optimizer* optimizer) {
  return set_part(context, checkpoint, name, name_length,
                  [&](Context& cx) { return kOptimizers.require(cx, optimizer); });
}

tenon_status tenon_checkpoint_set_schedule(tenon_context* context, tenon_checkpoint* checkpoint,
                                           const char* name, uint64_t name_length,
                                           tenon_schedule* schedule) {
  return set_part(context, checkpoint, name, name_length,
                  [&](Context& cx) { return kSchedules.require(cx, schedule); });
}

tenon_status tenon_checkpoint_set_loader(tenon_context* context, tenon_checkpoint* checkpoint,
                                         const char* name, uint64_t name_length,
                                         tenon_loader* loader) {
  return set_part(context, checkpoint, name, name_length,
                  [&](Context& cx) { return kLoaders.require(cx, loader); });
}

tenon_status tenon_checkpoint_set_tensor(tenon_context* context, tenon_checkpoint* checkpoint,
                                         const char* name, uint64_t name_length,
                                         tenon_tensor* tensor) {
  return set_part(context, checkpoint, name, name_length,
                  [&](Context& cx) { return Ref::shared(&require_tensor(cx, tensor, "tensor")); });
}

tenon_status tenon_checkpoint_set_value(tenon_context* context, tenon_checkpoint* checkpoint,
                                        const char* name, uint64_t name_length,
                                        const tenon_value* value) {
  return set_part(context, checkpoint, name, name_length,
                  [&](Context&) { return read_value(value); });
}

tenon_status tenon_checkpoint_get_value(tenon_context* context, tenon_checkpoint* checkpoint,
                                        const char* name, uint64_t name_length,
                                        tenon_value* out_value) {
  return guard_out(context, out_value, "out_value", [&](Context& cx) {
    return kCheckpoints.require(cx, checkpoint)->value(require_text(name, name_length, "name"));
  });
}

tenon_status tenon_checkpoint_save(tenon_context* context, tenon_checkpoint* checkpoint,
                                   const char* path, uint64_t path_length) {
  return guard(context, [&](Context& cx) {
    const Checkpoint& from = *kCheckpoints.require(cx, checkpoint, "saving a checkpoint");
    checkpoint::save(cx, from.parts(), checkpoint::Extent::Run, require_path(path, path_length));
  });
}

tenon_status tenon_checkpoint_load(tenon_context* context, tenon_checkpoint* checkpoint,
                                   const char* path, uint64_t path_length, uint32_t flags,
                                   uint32_t* out_loaded) {
  return guard(context, [&](Context& cx) {
    Checkpoint& to = *kCheckpoints.require(cx, checkpoint, "loading a checkpoint");
    refuse_flags(flags, TENON_CHECKPOINT_IF_THERE);
    const std::string file = require_path(path, path_length);
    const bool load = !(flags & TENON_CHECKPOINT_IF_THERE) || is_there(file);
    if (load) checkpoint::load(cx, to.parts(), checkpoint::Extent::Run, file);
    if (out_loaded) *out_loaded = load ? 1 : 0;
  });
}
