// SPDX-License-Identifier: Apache-2.0
// tests/api/archive_rows_support.cc: wrong calls of archives.
#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

tenon_archive* as_archive(void* handle) { return static_cast<tenon_archive*>(handle); }

tenon_status load(World& w, tenon_context* cx, const char* path, const char* format,
                  uint32_t flags) {
  return tenon_archive_load(cx, path, TENON_NUL, format, format ? TENON_NUL : 0, flags,
                            &w.outs.archive);
}

void add_loading(Rows& rows) {
  add_contexts(rows, "tenon_archive_create", [](World& w, tenon_context* cx) {
    return tenon_archive_create(cx, &w.outs.archive);
  });
  add(rows, "tenon_archive_create", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_archive_create(w.cx, nullptr); });
  add_contexts(rows, "tenon_archive_load", [](World& w, tenon_context* cx) {
    return load(w, cx, "/nowhere/at/all.npy", nullptr, 0);
  });
  const auto wrong = [&](const char* what, tenon_status expected, const char* path,
                         const char* format, uint32_t flags) {
    add(rows, "tenon_archive_load", what, expected,
        [=](World& w) { return load(w, w.cx, path, format, flags); });
  };
  wrong("missing file", TENON_E_IO, "/nowhere/at/all.npy", nullptr, 0);
  wrong("missing file, in memory", TENON_E_IO, "/nowhere/at/all.npy", nullptr, 1);
  wrong("a folder", TENON_E_IO, "/", "tenon.npy", 0);
  wrong("a device", TENON_E_IO, "/dev/zero", "tenon.npy", 0);
  wrong("an empty file", TENON_E_DATA, "/proc/self/status", "tenon.npy", 0);
  wrong("unknown format", TENON_E_NOT_FOUND, "/a.npy", "tenon.nothing", 0);
  wrong("unknown ending", TENON_E_NOT_FOUND, "/a.doc", nullptr, 0);
  wrong("no path", TENON_E_ARGUMENT, "", nullptr, 0);
  wrong("NULL path", TENON_E_ARGUMENT, nullptr, nullptr, 0);
  add_unknown_flags(
      rows, "tenon_archive_load", TENON_ARCHIVE_IN_MEMORY,
      [](World& w, uint32_t flags) { return load(w, w.cx, "/a.npy", nullptr, flags); });
  add(rows, "tenon_archive_load", "zero byte in the path", TENON_E_ARGUMENT, [](World& w) {
    return tenon_archive_load(w.cx, "/a\0b.npy", 8, nullptr, 0, 0, &w.outs.archive);
  });
  add(rows, "tenon_archive_load", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_archive_load(w.cx, "/a.npy", TENON_NUL, nullptr, 0, 0, nullptr);
  });
}

// `call` with every wrong context and every wrong archive.
void add_both(Rows& rows, const char* function,
              std::function<tenon_status(World&, tenon_context*, tenon_archive*)> call) {
  add_contexts(rows, function,
               [call](World& w, tenon_context* cx) { return call(w, cx, w.own.archive); });
  add_handles(rows, function, Kind::Archive,
              [call](World& w, void* handle) { return call(w, w.cx, as_archive(handle)); });
}

void add_reading(Rows& rows) {
  add_both(rows, "tenon_archive_get_count", [](World& w, tenon_context* cx, tenon_archive* from) {
    return tenon_archive_get_count(cx, from, &w.outs.index, nullptr);
  });
  const auto get_entry = [](World& w, tenon_context* cx, tenon_archive* from, uint32_t index) {
    return tenon_archive_get_entry(cx, from, index, &w.outs.name, w.outs.numbers, &w.outs.meta);
  };
  const auto get_foreign = [](World& w, tenon_context* cx, tenon_archive* from, uint32_t index) {
    return tenon_archive_get_foreign(cx, from, index, &w.outs.name, w.outs.numbers);
  };
  const auto get_metadata = [](World& w, tenon_context* cx, tenon_archive* from, uint32_t index) {
    return tenon_archive_get_metadata(cx, from, index, &w.outs.name, w.outs.numbers, nullptr,
                                      nullptr);
  };
  const auto make = [](World& w, tenon_context* cx, tenon_archive* from, uint32_t index) {
    return tenon_tensor_create_loaded(cx, from, index, 0, w.outs.tensors);
  };
  const auto by_index = [&](const char* function, auto call) {
    add_both(rows, function, [call](World& w, tenon_context* cx, tenon_archive* from) {
      return call(w, cx, from, 0u);
    });
    for (const uint32_t index : {1u, UINT32_MAX}) {
      add(rows, function, "index " + std::to_string(index), TENON_E_NOT_FOUND,
          [=](World& w) { return call(w, w.cx, w.own.archive, index); });
    }
  };
  by_index("tenon_archive_get_entry", get_entry);
  by_index("tenon_archive_get_foreign", get_foreign);
  by_index("tenon_archive_get_metadata", get_metadata);
  by_index("tenon_tensor_create_loaded", make);
  add(rows, "tenon_tensor_create_loaded", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_tensor_create_loaded(w.cx, w.own.archive, 0, 0, nullptr); });
  add_unknown_flags(rows, "tenon_tensor_create_loaded", TENON_ARCHIVE_COPY | TENON_ARCHIVE_BYTES,
                    [](World& w, uint32_t flags) {
                      return tenon_tensor_create_loaded(w.cx, w.own.archive, 0, flags,
                                                        w.outs.tensors);
                    });
  add(rows, "tenon_tensor_create_loaded", "bytes of one that was set", TENON_E_ARGUMENT,
      [](World& w) {
        return tenon_tensor_create_loaded(w.cx, w.own.archive, 0, TENON_ARCHIVE_BYTES,
                                          w.outs.tensors);
      });
}

void add_finding(Rows& rows) {
  const auto find = [](World& w, tenon_context* cx, tenon_archive* from, const char* name) {
    return tenon_archive_find(cx, from, name, name ? TENON_NUL : 3, &w.outs.index);
  };
  const auto find_text = [](World& w, tenon_context* cx, tenon_archive* from, const char* name) {
    return tenon_archive_find_metadata(cx, from, name, name ? TENON_NUL : 3, &w.outs.name, nullptr);
  };
  const auto by_name = [&](const char* function, auto call) {
    add_both(rows, function, [call](World& w, tenon_context* cx, tenon_archive* from) {
      return call(w, cx, from, "w");
    });
    add(rows, function, "unknown name", TENON_E_NOT_FOUND,
        [=](World& w) { return call(w, w.cx, w.own.archive, "nothing"); });
    add(rows, function, "NULL name", TENON_E_ARGUMENT,
        [=](World& w) { return call(w, w.cx, w.own.archive, nullptr); });
  };
  by_name("tenon_archive_find", find);
  by_name("tenon_archive_find_metadata", find_text);
  add(rows, "tenon_archive_find", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_archive_find(w.cx, w.own.archive, "w", 1, nullptr); });
  add(rows, "tenon_archive_find_metadata", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_archive_find_metadata(w.cx, w.own.archive, "k", 1, nullptr, nullptr);
  });
}

void add_setting(Rows& rows) {
  add_both(rows, "tenon_archive_set_tensor", [](World& w, tenon_context* cx, tenon_archive* to) {
    return tenon_archive_set_tensor(cx, to, "n", 1, w.t);
  });
  add_handles(rows, "tenon_archive_set_tensor", Kind::Tensor, [](World& w, void* handle) {
    return tenon_archive_set_tensor(w.cx, w.own.archive, "n", 1,
                                    static_cast<tenon_tensor*>(handle));
  });
  add_both(rows, "tenon_archive_set_metadata", [](World&, tenon_context* cx, tenon_archive* to) {
    return tenon_archive_set_metadata(cx, to, "n", 1, "v", 1);
  });
  static constexpr char kNoUtf8[] = "\xff";
  for (const auto& [what, name, length] : {std::tuple{"NULL", (const char*)nullptr, uint64_t{3}},
                                           {"empty", "", uint64_t{0}},
                                           {"no UTF-8", kNoUtf8, uint64_t{1}}}) {
    add(rows, "tenon_archive_set_tensor", std::string(what) + " name", TENON_E_ARGUMENT,
        [given = name, n = length](World& w) {
          return tenon_archive_set_tensor(w.cx, w.own.archive, given, n, w.t);
        });
    add(rows, "tenon_archive_set_metadata", std::string(what) + " key", TENON_E_ARGUMENT,
        [given = name, n = length](World& w) {
          return tenon_archive_set_metadata(w.cx, w.own.archive, given, n, "v", 1);
        });
  }
  add(rows, "tenon_archive_set_metadata", "a value that is not UTF-8", TENON_E_ARGUMENT,
      [](World& w) { return tenon_archive_set_metadata(w.cx, w.own.archive, "n", 1, kNoUtf8, 1); });
}

void add_writing(Rows& rows) {
  add_both(rows, "tenon_file_set", [](World&, tenon_context* cx, tenon_archive* from) {
    return tenon_file_set(cx, "/nowhere/at/all.npz", TENON_NUL, nullptr, 0, from);
  });
  const auto wrong = [&](const char* what, tenon_status expected, const char* path,
                         const char* format) {
    add(rows, "tenon_file_set", what, expected, [=](World& w) {
      return tenon_file_set(w.cx, path, TENON_NUL, format, format ? TENON_NUL : 0, w.own.archive);
    });
  };
  wrong("missing folder", TENON_E_IO, "/nowhere/at/all.safetensors", nullptr);
  wrong("a folder", TENON_E_IO, "/", "tenon.safetensors");
  wrong("a device", TENON_E_IO, "/dev/full", "tenon.safetensors");
  wrong("unknown format", TENON_E_NOT_FOUND, "/a.npy", "tenon.nothing");
  wrong("unknown ending", TENON_E_NOT_FOUND, "/a.doc", nullptr);
  wrong("no path", TENON_E_ARGUMENT, "", nullptr);
  wrong("NULL path", TENON_E_ARGUMENT, nullptr, nullptr);
  wrong("metadata in npz", TENON_E_UNSUPPORTED, "/nowhere/a.npz", nullptr);
}

}  // namespace

void add_archive_rows(Rows& rows) {
  add_loading(rows);
  add_reading(rows);
  add_finding(rows);
  add_setting(rows);
  add_writing(rows);
}

}  // namespace tenon::tests
