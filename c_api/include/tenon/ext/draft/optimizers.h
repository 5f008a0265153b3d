// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/optimizers.h: draft: states of optimizers that hold less than their parameters,
// updates of parts of parameters, and ops that write gradients.
//
// A draft: outside the ABI's promise until it is moved to plugin.h (values will not change).
#ifndef TENON_EXT_DRAFT_OPTIMIZERS_H
#define TENON_EXT_DRAFT_OPTIMIZERS_H

#include <tenon/plugin.h>

// Further values of tenon_state_desc.shape, beside a parameter of shape [...,M,N]. A vector counts
// as one column, so that it has a number for each element, and one for all. A host from before this
// draft refuses an optimizer that has them: "unknown shape policy".
#define TENON_STATE_PER_ROW 2u     // [...,M,1]; below rank 2 the parameter's shape
#define TENON_STATE_PER_COLUMN 3u  // [...,1,N]; below rank 2 rank 0

// A flag of tenon_optimizer_desc: the step op changes each element of a parameter by that element's
// gradient, its states and the hyper-parameters alone, so that parts of a parameter may be updated
// apart, with the same bits. Its states have the parameter's shape, or are scalars that all
// parts would give the same value. Several processes can share the states of such an optimizer
// (tenon/ext/draft/data_parallel.h). A host from before this flag refuses the optimizer: "unknown
// flags".
#define TENON_OPTIMIZER_BY_ELEMENT 1u

// A flag of tenon_op_desc, of an op with inputs that it writes ("grads!"): what it writes are
// gradients. A leaf that requires one is a parameter, given by mistake: it is refused in every
// gradient mode, TENON_E_GRAD, and nothing is written. A host from before this draft refuses the
// op: "unknown flags".
#define TENON_OP_WRITES_GRADIENTS 64u

#endif  // TENON_EXT_DRAFT_OPTIMIZERS_H
