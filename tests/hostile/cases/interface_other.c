// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/interface_other.c: hands out its ops where its kernels are asked for.
// refused: kernel 0: struct_size is {tenon_op_desc}; at least {tenon_kernel_desc} is needed
#include "../hostile.h"

void spoil(void) { interfaces[1].table = &ops_table; }
