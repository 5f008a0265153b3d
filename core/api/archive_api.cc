// SPDX-License-Identifier: Apache-2.0
// core/api/archive_api.cc: public functions of archives and their files.
#include "core/api/guard.h"
#include "core/api/objects.h"
#include "core/exchange/archive.h"

using namespace tenon;
using namespace tenon::api;
using exchange::Archive;

namespace {

constexpr Handles<tenon_archive, Archive, kArchiveKind> kArchives("archive");

Archive& require_archive(const Context& context, tenon_archive* handle) {
  Archive& archive = *kArchives.require_any(handle);
  if (archive.runtime() != context.runtime) {
    fail(TENON_E_RUNTIME, "the archive belongs to another runtime");
  }
  return archive;
}

void give(const std::string& text, const char** out_data, uint64_t* out_length) {
  if (out_data) *out_data = text.c_str();
  if (out_length) *out_length = text.size();
}

}  // namespace

tenon_status tenon_archive_create(tenon_context* context, tenon_archive** out_archive) {
  return guard_out(context, out_archive, "out_archive", [&](Context& cx) {
    return kArchives.give(std::make_shared<Archive>(*cx.runtime));
  });
}

tenon_status tenon_archive_load(tenon_context* context, const char* path, uint64_t path_length,
                                const char* format, uint64_t format_length, uint32_t flags,
                                tenon_archive** out_archive) {
  return guard_out(context, out_archive, "out_archive", [&](Context& cx) {
    refuse_flags(flags, TENON_ARCHIVE_IN_MEMORY);
    const std::string file = require_path(path, path_length);
    const registry::Entry& kind =
        exchange::choose_format(cx, require_text(format, format_length, "format"), file);
    auto made = std::make_shared<Archive>(*cx.runtime);
    made->load(cx, kind, file, (flags & TENON_ARCHIVE_IN_MEMORY) != 0);
    return kArchives.give(std::move(made));
  });
}

void tenon_archive_release(tenon_archive* handle) { kArchives.release(handle); }

tenon_status tenon_archive_get_count(tenon_context* context, tenon_archive* archive,
                                     uint32_t* out_tensors, uint32_t* out_metadata) {
  return guard(context, [&](Context& cx) {
    const Archive& from = require_archive(cx, archive);
    if (out_tensors) *out_tensors = from.entries();
    if (out_metadata) *out_metadata = from.texts();
  });
}

tenon_status tenon_archive_get_entry(tenon_context* context, tenon_archive* archive, uint32_t index,
                                     const char** out_name, uint64_t* out_name_length,
                                     tenon_meta* out_meta) {
  return guard(context, [&](Context& cx) {
    const exchange::Entry& entry = require_archive(cx, archive).entry(index);
    give(entry.name, out_name, out_name_length);
    if (out_meta) *out_meta = entry.meta;
  });
}

tenon_status tenon_archive_get_foreign(tenon_context* context, tenon_archive* archive,
                                       uint32_t index, const char** out_text,
                                       uint64_t* out_text_length) {
  return guard(context, [&](Context& cx) {
    give(require_archive(cx, archive).entry(index).foreign, out_text, out_text_length);
  });
}

tenon_status tenon_archive_find(tenon_context* context, tenon_archive* archive, const char* name,
                                uint64_t name_length, uint32_t* out_index) {
  return guard_out(context, out_index, "out_index", [&](Context& cx) {
    const std::string_view given = require_name(name, name_length);
    return require_archive(cx, archive).find(given);
  });
}

tenon_status tenon_tensor_create_loaded(tenon_context* context, tenon_archive* archive,
                                        uint32_t index, uint32_t flags, tenon_tensor** out_tensor) {
  return guard_out(context, out_tensor, "out_tensor", [&](Context& cx) {
    refuse_flags(flags, TENON_ARCHIVE_COPY | TENON_ARCHIVE_BYTES);
    const Archive& from = require_archive(cx, archive);
    const bool copy = (flags & TENON_ARCHIVE_COPY) != 0;
    const bool bytes = (flags & TENON_ARCHIVE_BYTES) != 0;
    Ref made = bytes ? from.bytes(cx, index, copy) : from.tensor(cx, index, copy);
    return tensor::handle(made.take());
  });
}

tenon_status tenon_archive_get_metadata(tenon_context* context, tenon_archive* archive,
                                        uint32_t index, const char** out_key,
                                        uint64_t* out_key_length, const char** out_value,
                                        uint64_t* out_value_length) {
  return guard(context, [&](Context& cx) {
    const auto& [key, value] = require_archive(cx, archive).metadata(index);
    give(key, out_key, out_key_length);
    give(value, out_value, out_value_length);
  });
}

tenon_status tenon_archive_find_metadata(tenon_context* context, tenon_archive* archive,
                                         const char* key, uint64_t key_length,
                                         const char** out_value, uint64_t* out_value_length) {
  return guard(context, [&](Context& cx) {
    require_pointer(out_value, "out_value");
    const std::string_view given = require_name(key, key_length, "key");
    const Archive& from = require_archive(cx, archive);
    give(from.find_metadata(given), out_value, out_value_length);
  });
}

tenon_status tenon_archive_set_tensor(tenon_context* context, tenon_archive* archive,
                                      const char* name, uint64_t name_length,
                                      tenon_tensor* tensor) {
  return guard(context, [&](Context& cx) {
    Archive& to = require_archive(cx, archive);
    to.set(require_text(name, name_length, "name"), require_tensor(cx, tensor, "tensor"));
  });
}

tenon_status tenon_archive_set_metadata(tenon_context* context, tenon_archive* archive,
                                        const char* key, uint64_t key_length, const char* value,
                                        uint64_t value_length) {
  return guard(context, [&](Context& cx) {
    require_archive(cx, archive)
        .set_metadata(require_text(key, key_length, "key"),
                      require_text(value, value_length, "value"));
  });
}

tenon_status tenon_file_set(tenon_context* context, const char* path, uint64_t path_length,
                            const char* format, uint64_t format_length, tenon_archive* archive) {
  return guard(context, [&](Context& cx) {
    const Archive& from = require_archive(cx, archive);
    refuse_in_capture(cx, "writing a file");
    const std::string file = require_path(path, path_length);
    from.write(cx, exchange::choose_format(cx, require_text(format, format_length, "format"), file),
               file);
  });
}
