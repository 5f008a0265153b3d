// SPDX-License-Identifier: Apache-2.0
// sdk/verify/process/board.cc: see board.h.
#include "process/board.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "program.h"

namespace tenon::verify {

void Board::enter(uint32_t new_group) {
  group.store(new_group);
  number.store(0);
  length.store(0);
  stop();
}

void Board::start(uint64_t case_number, std::string_view case_text) {
  const size_t bytes = std::min(case_text.size(), kTextBytes);
  std::memcpy(text, case_text.data(), bytes);
  length.store(static_cast<uint32_t>(bytes));
  number.store(case_number);
  running.store(1);
  beats.fetch_add(1);
}

void Board::stop() {
  running.store(0);
  beats.fetch_add(1);
}

std::string Board::case_text() const {
  return std::string(text, std::min<size_t>(length.load(), kTextBytes));
}

BoardPage::BoardPage() : descriptor_(memfd_create("board", MFD_CLOEXEC)) {
  if (descriptor_ < 0 || ftruncate(descriptor_, sizeof(Board)) != 0) {
    throw tools::Failure{std::string("no memory can be shared with a child process: ") +
                         std::strerror(errno)};
  }
  map();
}

BoardPage::BoardPage(int descriptor) : descriptor_(descriptor) {
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  map();
}

void BoardPage::map() {
  void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) {
    throw tools::Failure{std::string("memory shared with another process cannot be mapped: ") +
                         std::strerror(errno)};
  }
  board_ = static_cast<Board*>(memory);  // zeros are its valid first state
}

BoardPage::~BoardPage() {
  if (board_ != nullptr) munmap(board_, sizeof(Board));
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace tenon::verify
