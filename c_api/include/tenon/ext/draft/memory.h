// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/memory.h: draft: memory that is kept for reuse. The conventions are those of
// tenon/tenon.h.
//
// What tensors give up is kept for the next ones of about their size. tenon_stats.bytes_reserved
// counts both; on no device is more kept than makes it a quarter above the most that was ever live
// there, and 64 MiB.
//
// A draft: outside the ABI's promise until it is moved to tenon.h (names will not change).
#ifndef TENON_EXT_DRAFT_MEMORY_H
#define TENON_EXT_DRAFT_MEMORY_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Gives the memory that is kept for reuse back to the device's backend, as before another program
// needs it: what is live stays. Tensors that are made later get theirs from the backend again.
// device     NULL: all devices that the runtime has used
// out_bytes  how much it was, without what other threads gave back or took meanwhile; may be NULL
// threads    [one thread per context]          state  [any]
// errors     TENON_E_DEVICE, TENON_E_PLUGIN (the device's plugin was deactivated), TENON_E_HANDLE;
//            work that failed on the device is told by its next wait, as always
// since      draft 1
TENON_EXPORT tenon_status tenon_runtime_release_cache(tenon_context* context,
                                                      const tenon_device* device,
                                                      uint64_t* out_bytes);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_MEMORY_H
