// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_archive_support.cc: right calls of archives, on each format.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/api/fault_sweep_support.h"

namespace tenon::tests {
namespace {

// Made before any call, in which allocations fail.
const std::string kFolder =
    (std::filesystem::temp_directory_path() / ("tenon-fault-" + std::to_string(getpid()))).string();
const std::string kFiles[] = {kFolder + ".safetensors", kFolder + ".npy", kFolder + ".npz"};

const std::string& file_of(std::string_view ending) {
  return *std::find_if(std::begin(kFiles), std::end(kFiles),
                       [ending](const std::string& file) { return file.ends_with(ending); });
}

tenon_status write(FaultWorld& w, const char* ending) {
  return tenon_file_set(w.cx, file_of(ending).c_str(), TENON_NUL, nullptr, 0, w.own.archive);
}

tenon_status load(FaultWorld& w, const char* ending, uint32_t flags) {
  return tenon_archive_load(w.cx, file_of(ending).c_str(), TENON_NUL, nullptr, 0, flags,
                            &w.outs.archive);
}

// npy and npz hold no metadata.
tenon_status write_bare(FaultWorld& w, const char* ending) {
  tenon_archive* bare = nullptr;
  tenon_status status = tenon_archive_create(w.cx, &bare);
  if (status == TENON_OK) status = tenon_archive_set_tensor(w.cx, bare, "w", 1, w.own.tensor);
  if (status == TENON_OK) {
    status = tenon_file_set(w.cx, file_of(ending).c_str(), TENON_NUL, nullptr, 0, bare);
  }
  tenon_archive_release(bare);
  return status;
}

void add_files(FaultRows& rows) {
  const auto remove = [](const char* ending) {
    return [ending](FaultWorld&) { std::filesystem::remove(file_of(ending)); };
  };
  sweep(
      rows, "tenon_file_set", "safetensors", [](FaultWorld& w) { return write(w, ".safetensors"); },
      remove(".safetensors"));
  for (const char* ending : {".npy", ".npz"}) {
    sweep(
        rows, "tenon_file_set", ending, [ending](FaultWorld& w) { return write_bare(w, ending); },
        remove(ending));
    sweep(
        rows, "tenon_archive_load", ending, [ending](FaultWorld& w) { return load(w, ending, 0); },
        {}, [ending](FaultWorld& w) { EXPECT_EQ(write_bare(w, ending), TENON_OK); });
  }
  for (const uint32_t flags : {0u, TENON_ARCHIVE_IN_MEMORY}) {
    sweep(
        rows, "tenon_archive_load", "safetensors, flags " + std::to_string(flags),
        [flags](FaultWorld& w) { return load(w, ".safetensors", flags); }, {},
        [](FaultWorld& w) { EXPECT_EQ(write(w, ".safetensors"), TENON_OK); });
  }
}

}  // namespace

// long: a table of calls
FaultRows archive_faults() {
  FaultRows rows;
  sweep(rows, "tenon_archive_create", "",
        [](FaultWorld& w) { return tenon_archive_create(w.cx, &w.outs.archive); });
  sweep(
      rows, "tenon_archive_release", "",
      [](FaultWorld& w) {
        tenon_archive_release(w.outs.archive);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); },
      [](FaultWorld& w) { EXPECT_EQ(tenon_archive_create(w.cx, &w.outs.archive), TENON_OK); });
  add_files(rows);
  sweep(rows, "tenon_archive_get_count", "", [](FaultWorld& w) {
    return tenon_archive_get_count(w.cx, w.own.archive, &w.outs.index, nullptr);
  });
  sweep(rows, "tenon_archive_get_entry", "the first", [](FaultWorld& w) {
    return tenon_archive_get_entry(w.cx, w.own.archive, 0, &w.outs.name, nullptr, &w.outs.meta);
  });
  sweep(rows, "tenon_archive_get_foreign", "the first", [](FaultWorld& w) {
    return tenon_archive_get_foreign(w.cx, w.own.archive, 0, &w.outs.name, nullptr);
  });
  sweep(rows, "tenon_archive_find", "by name", [](FaultWorld& w) {
    return tenon_archive_find(w.cx, w.own.archive, "w", 1, &w.outs.index);
  });
  for (const uint32_t flags : {0u, TENON_ARCHIVE_COPY}) {
    sweep(rows, "tenon_tensor_create_loaded", "flags " + std::to_string(flags),
          [flags](FaultWorld& w) {
            return tenon_tensor_create_loaded(w.cx, w.own.archive, 0, flags, w.outs.tensors);
          });
  }
  sweep(rows, "tenon_archive_get_metadata", "the first", [](FaultWorld& w) {
    return tenon_archive_get_metadata(w.cx, w.own.archive, 0, &w.outs.name, nullptr, nullptr,
                                      nullptr);
  });
  sweep(rows, "tenon_archive_find_metadata", "by key", [](FaultWorld& w) {
    return tenon_archive_find_metadata(w.cx, w.own.archive, "k", 1, &w.outs.name, nullptr);
  });
  sweep(rows, "tenon_archive_set_tensor", "the same again",
        [](FaultWorld& w) { return tenon_archive_set_tensor(w.cx, w.own.archive, "w", 1, w.t); });
  sweep(rows, "tenon_archive_set_metadata", "the same again", [](FaultWorld& w) {
    return tenon_archive_set_metadata(w.cx, w.own.archive, "k", 1, "v", 1);
  });
  return rows;
}

}  // namespace tenon::tests
