// SPDX-License-Identifier: Apache-2.0
// backends/sim/plugin.c: the tables of the simulated device, and the one exported function.
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static tenon_status device_count(void* self, int32_t* out_count, tenon_diag* diag) {
  const sim* devices = self;
  *out_count = devices->why_none[0] ? 0 : SIM_DEVICES;
  if (devices->why_none[0]) sim_say(diag, TENON_OK, devices->why_none);
  return TENON_OK;
}

static const tenon_backend_table backend = {
    .struct_size = sizeof(tenon_backend_table),
    .kind = SIM_TEXT("sim"),
    .doc = SIM_TEXT("Two simulated devices of 64 MiB each: memory out of the host's reach, work on "
                    "threads of their own, failures on demand (`sim.inject`)."),
    .device_count = device_count,
    .alloc = sim_alloc,
    .free = sim_free,
    .copy = sim_copy,
    .stream_create = sim_stream_create,
    .stream_release = sim_stream_release,
    .stream_wait = sim_stream_wait,
    .event_create = sim_event_create,
    .event_release = sim_event_release,
    .event_record = sim_event_record,
    .event_wait = sim_event_wait,
    .event_query = sim_event_query,
};

static const tenon_backend_pinned_table pinned = {
    .struct_size = sizeof(tenon_backend_pinned_table),
    .alloc = sim_pinned_alloc,
    .free = sim_pinned_free,
};

// The elements are pointers.  NOLINTNEXTLINE(bugprone-sizeof-expression)
static const tenon_ops_table ops = {sizeof ops, sizeof sim_ops / sizeof *sim_ops, sim_ops};

// Once for each runtime, so that two runtimes have devices of their own. A machine without the
// means for a device is no error: the backend then has 0 of them, and says why.
static tenon_status init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  sim* self = calloc(1, sizeof *self);
  if (!self) return sim_say(diag, TENON_E_MEMORY, "out of memory");
  for (int32_t i = 0; i < SIM_DEVICES; ++i) {
    sim_device* device = &self->devices[i];
    device->index = i;
    device->pid = getpid();
    pthread_mutex_init(&device->mutex, NULL);
    if (sim_memory_create(device, self->why_none) != 0) self->why_none[SIM_WORDS - 1] = 0;
  }
  *out_self = self;
  return TENON_OK;
}

static void release(void* given) {
  sim* self = given;
  for (int32_t i = 0; i < SIM_DEVICES; ++i) {
    sim_memory_release(&self->devices[i]);
    pthread_mutex_destroy(&self->devices[i].mutex);
  }
  free(self);
}

static const void* get_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  const struct {
    const char* id;
    const void* table;
  } tables[] = {{"tenon.backend/1", &backend},
                {"tenon.backend.pinned/1", &pinned},
                {"tenon.ops/1", &ops},
                {"tenon.selftest/1", &sim_selftest},
                {"tenon.kernels/1", sim_kernels()}};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
    if (strlen(tables[i].id) == id_length && memcmp(tables[i].id, id, id_length) == 0) {
      return tables[i].table;
    }
  }
  return NULL;
}

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag);

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag) {
  (void)host;
  if (out->struct_size < sizeof *out) {
    return sim_say(diag, TENON_E_PLUGIN, "this host is older than the plugin tenon.sim");
  }
  *out = (tenon_plugin){
      .struct_size = sizeof *out,
      .built_major = TENON_ABI_MAJOR,
      .built_minor = TENON_ABI_MINOR,
      .required_minor = TENON_ABI_MINOR,
      .fingerprint = TENON_FINGERPRINT_BUILT,
      .id = SIM_TEXT("tenon.sim"),
      .version = SIM_TEXT("0.1.0"),
      .license = SIM_TEXT("Apache-2.0"),
      .init = init,
      .release = release,
      .get_interface = get_interface,
  };
  return TENON_OK;
}
