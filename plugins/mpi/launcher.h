// SPDX-License-Identifier: Apache-2.0
// plugins/mpi/launcher.h: whether MPI hears what has started this process. A launcher and a library
// that speak different languages (PMIx, PMI) do not find each other: then some libraries end the
// process, and others make a world of one in each process, which trains alone.
#pragma once

#include <tenon/sdk/plugin/plugin.hpp>

namespace tenon::mpi {

// What the environment says of a launcher.
struct Told {
  int size = 0;  // of the processes that it has started; 0: nothing is said
  bool at_least = false;
  const char* variable = "";
  const char* who = "";
  // Where nothing is said clearly: a variable of a launcher's, and the one beside it that is
  // missing or not a number.
  const char* half = nullptr;
  const char* wanted = nullptr;
};
// Read before MPI_Init_thread: Open MPI 4 writes its own values there.
Told told_by_launcher();

// What lasts while MPI_Init_thread is called: refuses what would end the process there.
// Throws TENON_E_STATE.
class Start {
 public:
  Start();
  ~Start();
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

 private:
  [[maybe_unused]] void* session_ = nullptr;  // one that was begun to see whether MPI can start
};

// For a world of one: throws TENON_E_STATE if the launcher has started more, or may have.
void require_alone(const Told& told);

}  // namespace tenon::mpi
