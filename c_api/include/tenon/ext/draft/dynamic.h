// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/dynamic.h: draft: ops whose outputs are as large as their operands' values say.
//
// A draft: outside the ABI's promise until it is moved to plugin.h (values and ids will not
// change).
#ifndef TENON_EXT_DRAFT_DYNAMIC_H
#define TENON_EXT_DRAFT_DYNAMIC_H

#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

// A flag of tenon_op_desc. `infer` gives ranks, dtypes and the largest sizes that can be, and the
// composition, which such an op must have, makes the outputs: it counts with one op, reads the
// number (below), and calls others with that size. No kernel of the op is ever chosen. A call waits
// for the device and is refused while capturing, TENON_E_CAPTURE; given outputs must have the sizes
// that come out.
#define TENON_OP_DYNAMIC_OUT 32u

// What a host of this draft answers to get_interface(host, TENON_HOST_NUMBERS, ...); an older one
// answers NULL, and knows no such op.
#define TENON_HOST_NUMBERS "tenon.host.numbers/1"
typedef struct tenon_host_numbers {
  uint32_t struct_size;
  uint32_t flags;  // 0
  // The one element of a tensor of integers or bools. Waits for the device.
  // state [compose], of an op flagged DYNAMIC_OUT
  tenon_status (*read)(tenon_call* call, const tenon_tensor* tensor, int64_t* out_number);
} tenon_host_numbers;

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_DYNAMIC_H
