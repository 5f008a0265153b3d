// SPDX-License-Identifier: Apache-2.0
// core/history/event_file.h: event files of TensorBoard.
//
// Format: TFRecord, that is {u64 length, u32 masked CRC-32C of it, the bytes, u32 masked CRC-32C of
// them}, little-endian, of protocol buffers `Event` (TensorFlow, core/util/event.proto). The mask
// is that of core/lib/hash/crc32c.h; CRC-32C is RFC 3720, appendix B.4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/files/descriptor.h"

namespace tenon::history {

uint32_t crc32c(std::string_view bytes);

// Records are appended whole: one that could not be is taken back.
class EventFile {
 public:
  // A new file in `folder`. Throws Error{TENON_E_IO} in the system's words, as `write` does.
  explicit EventFile(const std::string& folder);

  // A scalar, which TensorBoard keeps as f32. It is the system's when this returns.
  void write(std::string_view name, int64_t step, double value);

 private:
  void create(const std::string& folder);
  void append(std::string_view record);

  std::string path_;
  files::Descriptor file_;
  int64_t length_ = 0;  // bytes of whole records
};

}  // namespace tenon::history
