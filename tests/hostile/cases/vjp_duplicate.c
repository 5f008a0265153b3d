// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/vjp_duplicate.c: a backward rule that is there twice.
// refused: backward rule of hostile.twice is registered twice
#include "../hostile.h"

void spoil(void) { rules[rules_table.count++] = &twice_rule.desc; }
