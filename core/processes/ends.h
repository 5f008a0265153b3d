// SPDX-License-Identifier: Apache-2.0
// core/processes/ends.h: the end of a process that is one of a group.
#pragma once

#include <tenon/ext/draft/collectives.h>

#include <memory>
#include <string_view>

namespace tenon::processes {

class Group;

// From now on exit(), and so the return of main(), leaves the group, if it is there still; with an
// exit status that is not 0 it ends the others.
void finish_at_exit(const std::shared_ptr<Group>& group);

// "tenon: rank 2 of 4: WORDS", to the standard error, at once. Needs no memory.
void say_end(const tenon_members& members, std::string_view words) noexcept;

}  // namespace tenon::processes
