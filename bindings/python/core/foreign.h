// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/foreign.h: calls that come from another library's threads, without the GIL.
#ifndef TENON_BINDINGS_PYTHON_FOREIGN_H
#define TENON_BINDINGS_PYTHON_FOREIGN_H

#include <string>

#include "bindings/python/core/core.h"

namespace tenon::python {

// The context of this thread for such calls, apart from the one that Python code in it uses: what
// that is in the middle of (a capture, a gradient mode, random numbers) does not concern them. Made
// at its first use, for which the GIL is taken. NULL with `problem` set.
tenon_context* foreign_context(std::string& problem);

// What a function that was written in Python has raised in this thread while such a call ran, taken
// away: "ValueError: ..."; "" if nothing.
std::string take_raised();

// An exception is set, in a thread that is about to forget it: take_raised will say what it was.
void note_raised();

// The runtime is about to go: drops this thread's. False if other threads have one.
bool release_foreign_contexts();

}  // namespace tenon::python

#endif  // TENON_BINDINGS_PYTHON_FOREIGN_H
