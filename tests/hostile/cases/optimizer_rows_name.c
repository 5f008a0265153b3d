// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_rows_name.c: an optimizer whose op for rows is no name.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: rows_op 'Rows Op' is no op name
#include "../hostile.h"

void spoil(void) { sgd.desc.rows_op = text_of("Rows Op"); }
