// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_draft.c: built for another draft of the ABI.
// refused: built for ABI draft 7; this Tenon loads draft {draft}
#include "../hostile.h"

void spoil(void) { answer.fingerprint.draft = 7; }
