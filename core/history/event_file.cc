// SPDX-License-Identifier: Apache-2.0
// core/history/event_file.cc: records of an event file, byte by byte.
#include "core/history/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "core/base/error.h"
#include "core/files/held_signal.h"

namespace tenon::history {
namespace {

// Numbers of fields in event.proto and summary.proto, and protobuf's types of fields.
enum Field : uint32_t { kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5 };
enum SummaryField : uint32_t { kValue = 1, kTag = 1, kSimpleValue = 2 };
enum Type : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Little-endian, whatever the machine.
void put(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

void put_checksum(std::string& out, std::string_view of) {
  const uint32_t crc = crc32c(of);
  put(out, static_cast<uint32_t>(std::rotr(crc, 15) + 0xA282EAD8u), 4);
}

void put_varint(std::string& out, uint64_t value) {
  for (; value > 127; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

void put_key(std::string& out, uint32_t field, Type type) { put_varint(out, field << 3 | type); }

void put_bytes(std::string& out, uint32_t field, std::string_view bytes) {
  put_key(out, field, kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

double wall_time() {
  timespec now{};
  std::timespec_get(&now, TIME_UTC);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// An Event with one more field.
std::string record_of(int64_t step, Field field, std::string_view bytes) {
  std::string event;
  put_key(event, kWallTime, kFixed64);
  put(event, std::bit_cast<uint64_t>(wall_time()), 8);
  put_key(event, kStep, kVarint);
  put_varint(event, static_cast<uint64_t>(step));
  put_bytes(event, field, bytes);
  std::string record;
  put(record, event.size(), 8);
  put_checksum(record, std::string(record));
  record += event;
  put_checksum(record, event);
  return record;
}

[[noreturn]] void fail_begin(const std::string& folder, int why) {
  if (why == ENOMEM) throw OutOfMemory{};
  const std::string words = std::generic_category().message(why);
  fail(TENON_E_IO, "history: cannot begin an event file in '" + folder + "': " + words, "folder",
       "a folder in which files can be written", words,
       "name another folder; points go where they went before");
}

[[noreturn]] void fail_write(const std::string& path, int why) {
  const std::string words = std::generic_category().message(why);
  fail(TENON_E_IO, "history: cannot write '" + path + "': " + words, "events", "room for a record",
       words, "nothing was added; the same call works once the cause is gone");
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFFu;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1u)));
  }
  return ~crc;
}

EventFile::EventFile(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_begin(folder, error.value());
  create(folder);
  try {
    append(record_of(0, kFileVersion, "brain.Event:2"));
  } catch (...) {
    unlink(path_.c_str());
    throw;
  }
}

// Never one that is there: two runs may begin in the same second.
void EventFile::create(const std::string& folder) {
  const std::string stem = folder + "/events.out.tfevents." + std::to_string(std::time(nullptr)) +
                           ".tenon." + std::to_string(getpid()) + ".";
  for (int number = 0; !file_.is_open(); ++number) {
    path_ = stem + std::to_string(number);
    file_.reset(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
    const int why = errno;
    if (!file_.is_open() && why != EEXIST) fail_begin(folder, why);
  }
}

void EventFile::write(std::string_view name, int64_t step, double value) {
  std::string scalar;
  put_bytes(scalar, kTag, name);
  put_key(scalar, kSimpleValue, kFixed32);
  put(scalar, std::bit_cast<uint32_t>(static_cast<float>(value)), 4);
  std::string summary;
  put_bytes(summary, kValue, scalar);
  append(record_of(step, kSummary, summary));
}

void EventFile::append(std::string_view record) {
  const files::HeldSignal held(SIGXFSZ);
  if (const int why = files::write_all(file_.get(), record)) {
    // If this fails too, readers stop at the torn record.
    (void)!ftruncate(file_.get(), length_);
    fail_write(path_, why);
  }
  length_ += static_cast<int64_t>(record.size());
}

}  // namespace tenon::history
