// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/optimizers.h: draft: states of optimizers that hold less than their parameters.
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

#endif  // TENON_EXT_DRAFT_OPTIMIZERS_H
