// SPDX-License-Identifier: Apache-2.0
// backends/sim/memory.c: memory that the host cannot touch.
//
// A device's memory is one anonymous file, mapped for reading and writing where only this plugin
// looks (`bytes`). What Tenon is given are addresses of a range that is reserved without any right
// (`address`), so a host that reads or writes them faults at once. The same offset in both is the
// same byte.
//
// Blocks are taken first-fit from a list in order of address. Both fresh and freed memory is filled
// with a pattern (NaN as a float), so that reading either gives nonsense instead of the old values.
#define _GNU_SOURCE
#include "sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FRESH = 0xFD, FREED = 0xFE };

sim_counts sim_live;

// The arena is the blocks one after another, used or not.
struct sim_block {
  struct sim_block* next;
  uint64_t offset;
  uint64_t bytes;
  int used;
};

int sim_memory_create(sim_device* device, char words[SIM_WORDS]) {
  const char* step = "reserve addresses";
  int file = -1;
  device->bytes = MAP_FAILED;
  device->blocks = calloc(1, sizeof *device->blocks);
  device->address =
      mmap(NULL, SIM_ARENA_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (device->blocks && device->address != MAP_FAILED) {
    step = "make a memory file";
    file = memfd_create("tenon.sim", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, SIM_ARENA_BYTES) == 0) {
      step = "map it";
      device->bytes =
          mmap(NULL, SIM_ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    }
  }
  if (device->bytes == MAP_FAILED) {
    snprintf(words, SIM_WORDS, "cannot %s of %d MiB: %s", step, SIM_ARENA_BYTES >> 20,
             strerror(errno));
  } else {
    device->blocks->bytes = SIM_ARENA_BYTES;
  }
  if (file >= 0) close(file);
  return device->bytes == MAP_FAILED ? -1 : 0;
}

void sim_memory_release(sim_device* device) {
  for (struct sim_block* block = device->blocks; block;) {
    struct sim_block* next = block->next;
    free(block);
    block = next;
  }
  if (device->address != MAP_FAILED) munmap(device->address, SIM_ARENA_BYTES);
  if (device->bytes != MAP_FAILED) munmap(device->bytes, SIM_ARENA_BYTES);
}

char* sim_memory_at(const sim_device* device, const void* address) {
  return device->bytes + ((const char*)address - device->address);
}

int sim_memory_owns(const sim_device* device, const void* address, uint64_t bytes) {
  const uintptr_t first = (uintptr_t)device->address;
  const uintptr_t at = (uintptr_t)address;
  return at >= first && at - first <= SIM_ARENA_BYTES && bytes <= SIM_ARENA_BYTES - (at - first);
}

// Cuts `block` so that it has `bytes`; the rest becomes a block of its own. 0 if host memory ran
// out.
static int split(struct sim_block* block, uint64_t bytes) {
  if (block->bytes == bytes) return 1;
  struct sim_block* rest = malloc(sizeof *rest);
  if (!rest) return 0;
  *rest = (struct sim_block){block->next, block->offset + bytes, block->bytes - bytes, 0};
  block->next = rest;
  block->bytes = bytes;
  return 1;
}

tenon_status sim_alloc(void* self, int32_t index, uint64_t bytes, void** out_data) {
  sim_device* device = &((sim*)self)->devices[index];
  const tenon_status status = sim_device_check(device);
  if (status != TENON_OK) return status;
  if (bytes > SIM_ARENA_BYTES || sim_fault_hits(device, SIM_FAULT_ALLOC, NULL)) {
    return TENON_E_MEMORY;
  }
  const uint64_t size =
      bytes ? (bytes + SIM_ALIGNMENT - 1) / SIM_ALIGNMENT * SIM_ALIGNMENT : SIM_ALIGNMENT;
  pthread_mutex_lock(&device->mutex);
  struct sim_block* block = device->blocks;
  while (block && (block->used || block->bytes < size)) block = block->next;
  if (block && split(block, size)) {
    block->used = 1;
  } else {
    block = NULL;
  }
  pthread_mutex_unlock(&device->mutex);
  if (!block) return TENON_E_MEMORY;
  memset(device->bytes + block->offset, FRESH, size);
  atomic_fetch_add(&sim_live.blocks, 1);
  atomic_fetch_add(&sim_live.bytes, (long long)size);
  *out_data = device->address + block->offset;
  return TENON_OK;
}

// Tenon has waited for all work that uses the memory.
void sim_free(void* self, int32_t index, void* data, uint64_t bytes) {
  (void)bytes;
  sim_device* device = &((sim*)self)->devices[index];
  if (device->pid != getpid()) return;  // a child would write into the memory of its parent
  const uint64_t offset = (uint64_t)((char*)data - device->address);
  pthread_mutex_lock(&device->mutex);
  struct sim_block* before = NULL;
  struct sim_block* block = device->blocks;
  while (block->offset != offset) {
    before = block;
    block = block->next;
  }
  memset(device->bytes + offset, FREED, block->bytes);
  atomic_fetch_sub(&sim_live.blocks, 1);
  atomic_fetch_sub(&sim_live.bytes, (long long)block->bytes);
  block->used = 0;
  struct sim_block* after = block->next;
  if (after && !after->used) {
    block->bytes += after->bytes;
    block->next = after->next;
    free(after);
  }
  if (before && !before->used) {
    before->bytes += block->bytes;
    before->next = block->next;
    free(block);
  }
  pthread_mutex_unlock(&device->mutex);
}

// Pinned memory is the host's: a driver would lock its pages. A simulated one only counts it.
tenon_status sim_pinned_alloc(void* self, uint64_t bytes, void** out_data) {
  if (sim_fault_hits(&((sim*)self)->devices[0], SIM_FAULT_PINNED, NULL)) return TENON_E_MEMORY;
  const uint64_t size = (bytes + SIM_ALIGNMENT - 1) / SIM_ALIGNMENT * SIM_ALIGNMENT;
  if (size > SIM_PINNED || atomic_load(&sim_live.pinned) > (long long)(SIM_PINNED - size)) {
    return TENON_E_MEMORY;
  }
  *out_data = aligned_alloc(SIM_ALIGNMENT, size ? size : SIM_ALIGNMENT);
  if (!*out_data) return TENON_E_MEMORY;
  atomic_fetch_add(&sim_live.pinned, (long long)size);
  return TENON_OK;
}

void sim_pinned_free(void* self, void* data, uint64_t bytes) {
  (void)self;
  const uint64_t size = (bytes + SIM_ALIGNMENT - 1) / SIM_ALIGNMENT * SIM_ALIGNMENT;
  memset(data, FREED, size);
  free(data);
  atomic_fetch_sub(&sim_live.pinned, (long long)size);
}
