// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/handshake.c: a query, init and get_interface that are not in order, and what
// they answer.
#include "../hostile.h"

#include <string.h>

// Built for a machine with another byte order.
// refused: built for another byte order (0x05040302; this Tenon has 0x04030201):
//   TENON_FINGERPRINT_BUILT of tenon/plugin.h states what was built
CASE(answer_byte_order) { answer.fingerprint.byte_order = 0x04030201 + 0x01010101; }

// Built for another draft of the ABI.
// refused: built for ABI draft 7; this Tenon loads draft {draft}: it needs a newer Tenon
CASE(answer_draft) { answer.fingerprint.draft = 7; }

// Its query succeeds and fills in nothing.
// refused: tenon_plugin_query_v0 returned TENON_OK and filled in nothing
CASE(answer_empty) { answer = *query_out; }

// Sets flags that no version has.
// refused: needs a newer Tenon: unknown flags 4, reserved 0 in tenon_plugin
CASE(answer_flags) { answer.flags = 4; }

// Has no get_interface.
// refused: `get_interface` of tenon_plugin is NULL; no slot may be
CASE(answer_get_interface_null) { answer.get_interface = NULL; }

// Is another plugin than its manifest says.
// refused: plugin.json and the library disagree in field "id": plugin.json says "hostile.plugin",
//   the library "hostile.other"; write plugin.json again with `tenon manifest`
CASE(answer_id) { answer.id = text_of("hostile.other"); }

// Its id holds bytes that no terminal should see.
// refused: plugin.json and the library disagree in field "id": plugin.json says "hostile.plugin",
//   the library "hostile.\x1b[2J\xff"; write plugin.json again with `tenon manifest`
CASE(answer_id_bytes) { answer.id = text_of("hostile.\x1b[2J\xff"); }

// Its id is longer than any text.
// refused: id: a string is longer than 1048576 bytes
CASE(answer_id_long) { answer.id.length = UINT64_MAX - 1; }

// Its id is NULL but has a length.
// refused: id: a string is NULL but has length 14
CASE(answer_id_null) { answer.id.data = NULL; }

// Has no init.
// refused: `init` of tenon_plugin is NULL; no slot may be
CASE(answer_init_null) { answer.init = NULL; }

// Its license is not the one of its manifest.
// refused: plugin.json and the library disagree in field "license": plugin.json says "Apache-2.0",
//   the library "Proprietary"; write plugin.json again with `tenon manifest`
CASE(answer_license) { answer.license = text_of("Proprietary"); }

// Built for another major version of the ABI.
// refused: built for ABI major 3; this Tenon loads major {major}
CASE(answer_major) { answer.built_major = 3; }

// Built for a machine with other pointers.
// refused: built for pointers of 32 bits; this Tenon has 64
CASE(answer_pointer_bits) { answer.fingerprint.pointer_bits = 32; }

// Has no release.
// refused: `release` of tenon_plugin is NULL; no slot may be
CASE(answer_release_null) { answer.release = NULL; }

// Requires more than it was built for.
// refused: requires ABI minor {minor} but was built for 0
CASE(answer_required_above_built) { answer.built_minor = 0; }

// Needs a minor version that this Tenon does not have.
// refused: needs a newer Tenon: it requires ABI {major}.98; this one offers {major}.{minor}
CASE(answer_required_minor) {
  answer.built_minor = 99;
  answer.required_minor = 98;
}

// Fills in a reserved member.
// refused: needs a newer Tenon: unknown flags 0, reserved 5 in tenon_plugin
CASE(answer_reserved) { answer.reserved = 5; }

// Instrumented in another way than this Tenon.
// refused: built with an unknown sanitizer; this Tenon with {sanitizer}
CASE(answer_sanitizer) { answer.fingerprint.sanitizer = 9; }

// Says that it filled in more than it was given.
// refused: says that it filled in 100000 bytes of tenon_plugin; it was given {tenon_plugin}
CASE(answer_size_large) { answer.struct_size = 100000; }

// Says that it filled in less than it had to.
// refused: filled in 32 bytes of tenon_plugin; {tenon_plugin} are needed
CASE(answer_size_small) { answer.struct_size = 32; }

// Says that it filled in no byte.
// refused: filled in 0 bytes of tenon_plugin; {tenon_plugin} are needed
CASE(answer_size_zero) { answer.struct_size = 0; }

// Writes after what it was told to fill in.
// refused: needs a newer Tenon: unknown data at offset {tenon_plugin+5} of tenon_plugin
CASE(answer_tail) { ((unsigned char*)query_out)[sizeof(tenon_plugin) + 5] = 1; }

// Its version is not the one of its manifest.
// refused: plugin.json and the library disagree in field "version": plugin.json says "1.2.3", the
//   library "9.9.9"; write plugin.json again with `tenon manifest`
CASE(answer_version) { answer.version = text_of("9.9.9"); }

// Its query returns a status that no version has.
// failed: tenon_plugin_query_v0 reported: status -77
CASE(query_fails_odd_status) { query_status = -77; }

// Its query fails without a word.
// failed: tenon_plugin_query_v0 reported: status 29
CASE(query_fails_silent) { query_status = TENON_E_UNSUPPORTED; }

// Its query fails with words that do not end.
// failed: tenon_plugin_query_v0 reported: words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   words words words words words words words words words words words words words words words words
//   wo
CASE(query_fails_unended) {
  for (size_t i = 0; i < sizeof query_diag->message; ++i) query_diag->message[i] = "words "[i % 6];
  query_status = TENON_E_PLUGIN;
}

// Its query fails and says why.
// failed: tenon_plugin_query_v0 reported: not on a Sunday
CASE(query_fails_words) { query_status = say(query_diag, TENON_E_PLUGIN, "not on a Sunday"); }

static tenon_status silent_init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  (void)out_self;
  (void)diag;
  return TENON_E_DEVICE;
}

// Its init fails without a word.
// failed: its init reported: status 7
CASE(init_fails_silent) { answer.init = silent_init; }

static tenon_status init_with_self(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  *out_self = &hostile_inits;
  return say(diag, TENON_E_MEMORY, "half of it was made");
}

// Its init stores an object and fails all the same: it is not released.
// failed: its init reported: half of it was made
CASE(init_fails_with_self) { answer.init = init_with_self; }

static tenon_status init_with_words(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  (void)out_self;
  return say(diag, TENON_E_DEVICE, "the device is on fire");
}

// Its init fails and says why.
// failed: its init reported: the device is on fire
CASE(init_fails_words) { answer.init = init_with_words; }

static tenon_status garbage_init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  (void)diag;
  *out_self = (void*)(uintptr_t)0xdeadbeef;
  return TENON_OK;
}

// Its init stores garbage, which only comes back to it.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it
CASE(init_garbage_self) { answer.init = garbage_init; }

static tenon_status ok_init_with_words(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  *out_self = NULL;
  say(diag, TENON_E_INTERNAL, "all is lost");
  return TENON_OK;
}

// Its init succeeds and leaves words of a failure.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it
CASE(init_ok_with_words) { answer.init = ok_init_with_words; }

static const void* always_ops(void* self, const char* id, uint64_t id_length) {
  (void)self;
  (void)id;
  (void)id_length;
  return &ops_table;
}

// Answers every id with its ops.
// refused: table tenon.backend/1: struct_size is {tenon_ops_table}; {tenon_backend_table} is needed
CASE(interface_always_ops) { answer.get_interface = always_ops; }

static const void* no_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  (void)id;
  (void)id_length;
  return NULL;
}

// Hands out nothing of what its manifest lists.
// refused: plugin.json and the library disagree in field "ops": plugin.json lists "hostile.finite"
//   revision 1 with role "isfinite", which the library does not register; write plugin.json again
//   with `tenon manifest`
CASE(interface_none) { answer.get_interface = no_interface; }

static unsigned asked;
static const void* (*good_interface)(void*, const char*, uint64_t);

static const void* each_once(void* self, const char* id, uint64_t id_length) {
  for (unsigned i = 0; i < N_INTERFACES; ++i) {
    const char* known = interfaces[i].id;
    if (strlen(known) != id_length || memcmp(known, id, id_length) != 0) continue;
    if ((asked & 1u << i) != 0) return NULL;
    asked |= 1u << i;
  }
  return good_interface(self, id, id_length);
}

// Hands out each table once and then never again: each is asked for once.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it
CASE(interface_once) {
  asked = 0;
  good_interface = answer.get_interface;
  answer.get_interface = each_once;
}

// Hands out its ops where its kernels are asked for.
// refused: kernel 0: struct_size is {tenon_op_desc}; at least {tenon_kernel_desc} is needed
CASE(interface_other) { interfaces[1].table = &ops_table; }
