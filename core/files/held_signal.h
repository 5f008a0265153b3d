// SPDX-License-Identifier: Apache-2.0
// core/files/held_signal.h: a signal that a write may raise, kept from ending the process.
#pragma once

#include <csignal>
#include <ctime>

#include "core/base/no_copy.h"

namespace tenon::files {

// A write past the limit of the process (RLIMIT_FSIZE) also raises SIGXFSZ, one to a pipe that
// nobody reads SIGPIPE. Held back in this thread, the signal is taken off again if it came, and the
// write's error tells the rest.
class HeldSignal : NoCopy {
 public:
  explicit HeldSignal(int number) : number_(number) {
    sigemptyset(&signal_);
    sigaddset(&signal_, number);
    sigset_t pending{};
    sigpending(&pending);
    was_pending_ = sigismember(&pending, number_) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~HeldSignal() {
    const timespec now{};
    if (!was_pending_) sigtimedwait(&signal_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  int number_;
  sigset_t signal_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace tenon::files
