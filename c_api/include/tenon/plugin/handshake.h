// SPDX-License-Identifier: Apache-2.0
// tenon/plugin/handshake.h: how host and plugin find out that they fit each other: versions,
// fingerprint, and the one function a plugin exports. The conventions are those of tenon/plugin.h.
#ifndef TENON_PLUGIN_HANDSHAKE_H
#define TENON_PLUGIN_HANDSHAKE_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Compared member by member; a difference refuses the plugin.
#define TENON_SANITIZER_NONE 0u
#define TENON_SANITIZER_ADDRESS 1u
#define TENON_SANITIZER_THREAD 2u
// What this translation unit is instrumented with.
#if defined(__SANITIZE_ADDRESS__)
#define TENON_SANITIZER_BUILT TENON_SANITIZER_ADDRESS
#elif defined(__SANITIZE_THREAD__)
#define TENON_SANITIZER_BUILT TENON_SANITIZER_THREAD
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_SANITIZER_BUILT TENON_SANITIZER_ADDRESS
#elif __has_feature(thread_sanitizer)
#define TENON_SANITIZER_BUILT TENON_SANITIZER_THREAD
#endif
#endif
#ifndef TENON_SANITIZER_BUILT
#define TENON_SANITIZER_BUILT TENON_SANITIZER_NONE
#endif
// The bytes 1, 2, 3, 4 read as one number of this machine.
#define TENON_BYTE_ORDER_BUILT \
  (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0x04030201u : 0x01020304u)
typedef struct tenon_fingerprint {
  uint32_t pointer_bits;  // 64
  uint32_t byte_order;    // TENON_BYTE_ORDER_BUILT
  uint32_t sanitizer;     // TENON_SANITIZER_*
  uint32_t draft;         // TENON_ABI_DRAFT
} tenon_fingerprint;
// Initialises a tenon_fingerprint as this translation unit is built. since 0.1
#define TENON_FINGERPRINT_BUILT \
  { 8u * sizeof(void*), TENON_BYTE_ORDER_BUILT, TENON_SANITIZER_BUILT, TENON_ABI_DRAFT }

// What the host offers. Received by the plugin; borrowed, and valid as long as the runtime.
typedef struct tenon_host tenon_host;
struct tenon_host {
  uint32_t struct_size;
  uint32_t flags;  // 0
  uint32_t abi_major;
  uint32_t abi_minor;
  tenon_fingerprint fingerprint;
  // Returns a host table by its id, for example "tenon.host.call/1", or NULL when this host has
  // none. The table lives as long as the process.
  const void* (*get_interface)(const tenon_host* host, const char* id, uint64_t id_length);
  void* reserved;
};

// What the plugin states. Zeroed by the host; struct_size is set to what the host can read.
typedef struct tenon_plugin {
  uint32_t struct_size;
  uint32_t flags;  // 0
  uint32_t built_major;
  uint32_t built_minor;
  uint32_t required_minor;  // the host refuses only if this is above its own
  uint32_t reserved;
  tenon_fingerprint fingerprint;
  tenon_string id;       // "vendor.name", equal to the manifest's
  tenon_string version;  // the plugin's own
  tenon_string license;  // SPDX expression
  // Once per runtime, first of all (and again after TENON_E_MEMORY); `*out_self` comes back in
  // tenon_call.self. Keep no static host pointer: a process may hold two runtimes.
  tenon_status (*init)(const tenon_host* host, void** out_self, tenon_diag* diag);
  // Once per runtime, after its last object is gone. Never fails.
  void (*release)(void* self);
  // Returns a table by its id ("tenon.ops/1"), or NULL. Never NULL itself.
  const void* (*get_interface)(void* self, const char* id, uint64_t id_length);
} tenon_plugin;

// The one exported function. Returns TENON_OK, or a status with words in `diag`.
#define TENON_PLUGIN_QUERY_NAME "tenon_plugin_query_v0"
typedef tenon_status (*tenon_plugin_query_fn)(const tenon_host* host, tenon_plugin* out,
                                              tenon_diag* diag);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PLUGIN_HANDSHAKE_H
