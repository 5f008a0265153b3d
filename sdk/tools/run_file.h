// SPDX-License-Identifier: Apache-2.0
// sdk/tools/run_file.h: what a checkpoint holds: docs/files.md, core/checkpoint.
#pragma once

#include <tenon/ext/draft/archives.h>

#include "known_files.h"

namespace tenon::tools {

// Does a file with this metadata hold a run?
bool is_run_file(const Json& metadata);

// Of a file of tensors that does: takes tensors and metadata apart into the parts of the run, and
// names what no checkpoint would hold. A file says of its parts what is in them, not of which kind
// they are; that follows from the names that entries of the registry have.
void take_apart(const Session& session, tenon_archive* archive, Inspection& found);

// "f32[2,3]"; of one that Tenon cannot hold what it is, and its shape if it has one.
std::string tensor_text(const Json& tensor);

// The parts, in words.
void print_run(const Json& content);

}  // namespace tenon::tools
