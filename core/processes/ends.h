// SPDX-License-Identifier: Apache-2.0
// core/processes/ends.h: the end of a process that is one of a group.
#pragma once

#include <tenon/ext/draft/collectives.h>

#include <memory>
#include <string_view>

#include "core/base/no_copy.h"

namespace tenon::processes {

// A group as the end of the process sees it.
class Leavable : NoCopy {
 public:
  virtual const tenon_members& members() const = 0;
  // Not in a process that was forked, nor in the engine's own thread.
  virtual bool is_here() const = 0;
  // As if it were released, and then its engine: it is of no more use.
  virtual void finish() noexcept = 0;
  virtual void end_engine() noexcept = 0;
  // Ends all processes of the program, if the engine can; else returns.
  virtual void end_others(int32_t status, std::string_view words) noexcept = 0;

 protected:
  ~Leavable() = default;
};

// From now on exit(), and so the return of main(), leaves the group, if it is there still; with an
// exit status that is not 0 it ends the others.
void finish_at_exit(const std::shared_ptr<Leavable>& group);

// "tenon: rank 2 of 4: WORDS", to the standard error, at once. Needs no memory.
void say_end(const tenon_members& members, std::string_view words) noexcept;

// Nothing is destroyed, and no output is flushed.
[[noreturn]] void end_process(int32_t status) noexcept;

}  // namespace tenon::processes
