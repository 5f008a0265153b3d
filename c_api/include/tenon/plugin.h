// SPDX-License-Identifier: Apache-2.0
// tenon/plugin.h: what a plugin and the host say to each other: everything of tenon/plugin/.
//
// A plugin is a folder: a shared library and the `plugin.json` beside it. The library exports ONE
// function, tenon_plugin_query_v0, and links nothing of Tenon. In it the plugin states its versions
// and hands out tables (`tenon.ops/1`, `tenon.kernels/1`, ...) that are plain data. The host reads
// them in one transaction: all of a plugin's entries or none.
//
// Who owns what: all tables, descriptors and strings of a plugin are static data that live as long
// as the library, which is never unmapped. The host copies nothing it can borrow.
//
// Threads: unless a comment says otherwise a callback runs on the thread that entered Tenon, and is
// never called under a lock. Callbacks of one plugin may run on several threads at once (one per
// context), so descriptors are immutable and `self` must be thread-safe.
//
// Call states. Every callback receives a tenon_call; it is valid until the callback returns.
//
//   state     callbacks                        may call ops   may launch parallel work
//   infer     infer, view, random_words        no             no
//   prepare   prepare, workspace, predicate    no             no
//   launch    launch                           no             yes
//   vjp       vjp                              yes            no
//   compose   compose                          yes            no
//   data      dataset callbacks                no             yes
//
// Errors: report with host call->fail(call, status, message), and return the same status. Nothing
// may be thrown across the boundary, and no callback may end the process or print.
#ifndef TENON_PLUGIN_H
#define TENON_PLUGIN_H

#include <tenon/plugin/backend.h>
#include <tenon/plugin/call.h>
#include <tenon/plugin/handshake.h>
#include <tenon/plugin/host.h>
#include <tenon/plugin/kernels.h>
#include <tenon/plugin/ops.h>
#include <tenon/plugin/optimizers.h>
#include <tenon/plugin/selftest.h>
#include <tenon/plugin/vjps.h>
#include <tenon/types.h>

#endif  // TENON_PLUGIN_H
