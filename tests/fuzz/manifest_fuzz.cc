// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/manifest_fuzz.cc: libFuzzer target for plugin.json and for lock files. Any bytes are
// read or refused in words; what is read survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/plugin/allowlist.h"
#include "core/plugin/manifest.h"

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void fuzz_manifest(std::string_view text) {
  tenon::registry::Manifest manifest;
  try {
    manifest = tenon::plugin::parse_manifest(text, "plugin.json");
  } catch (const tenon::Error& error) {
    require(error.status == TENON_E_PLUGIN && error.message.starts_with("plugin.json: "));
    return;
  }
  require(!manifest.id.empty() && !manifest.version.empty() && !manifest.library.empty());
}

void fuzz_lock(const std::string& text) {
  try {
    static_cast<void>(tenon::plugin::Allowlist("lock.json", text));
  } catch (const tenon::Error& error) {
    require(error.status == TENON_E_DATA && error.message.starts_with("allow-list lock.json "));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz_manifest(text);
  fuzz_lock(text);
  return 0;
}
