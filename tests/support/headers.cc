// SPDX-License-Identifier: Apache-2.0
// tests/support/headers.cc: nothing; the target that holds the tests' precompiled headers has to
// have a source.
