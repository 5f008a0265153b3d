// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/client/events.h: event files of TensorBoard, for C and C++ programs.
//
//   tenon_sdk_events* events;
//   check(tenon_sdk_events_create("runs/first", &events));
//   ... check(tenon_sdk_events_set(events, "loss", step, loss));
//   tenon_sdk_events_release(events);
//
//   tensorboard --logdir runs
//
// The folder must be there; each run writes one new file into it. A record is the system's when
// tenon_sdk_events_set returns, so that a run that is killed loses none; one that could not be
// written whole (a full disk) is taken back.
//
// Format: TFRecord, that is {u64 length, u32 masked CRC-32C of it, the bytes, u32 masked CRC-32C of
// them}, little-endian, of protocol buffers `Event` (TensorFlow, core/util/event.proto). The mask
// is that of core/lib/hash/crc32c.h; CRC-32C is RFC 3720, appendix B.4.
//
// Header-only, nothing to link; strict C11 is enough.
//
// threads  one at a time for each object
// errors   TENON_E_ARGUMENT, TENON_E_MEMORY, TENON_E_IO (errno says why)
#ifndef TENON_SDK_EVENTS_H
#define TENON_SDK_EVENTS_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/types.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(__cplusplus) && !defined(_POSIX_C_SOURCE)
int ftruncate(int file, off_t length);  // of POSIX, which strict C hides
#endif

typedef struct tenon_sdk_events {
  int32_t file;       // descriptor
  uint32_t reserved;  // 0
  int64_t length;     // bytes of whole records
  char* path;         // of that file, lives as long as this
} tenon_sdk_events;

#define TENON_SDK_EVENTS_TAG 255  // bytes of a tag, at most

static inline uint32_t tenon_sdk_crc32c(const unsigned char* bytes, size_t count) {
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = 0; i < count; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1u)));
  }
  return ~crc;
}

// Little-endian, whatever the machine.
static inline size_t tenon_sdk_put(unsigned char* to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] = (unsigned char)(value >> (8 * i));
  return bytes;
}
static inline size_t tenon_sdk_put_checksum(unsigned char* to, const unsigned char* of,
                                            size_t count) {
  const uint32_t crc = tenon_sdk_crc32c(of, count);
  return tenon_sdk_put(to, (uint32_t)(((crc >> 15) | (crc << 17)) + 0xA282EAD8u), 4);
}
static inline size_t tenon_sdk_put_varint(unsigned char* to, uint64_t value) {
  size_t n = 0;
  for (; value > 127; value >>= 7) to[n++] = (unsigned char)(value | 128);
  to[n++] = (unsigned char)value;
  return n;
}
// A field of bytes: its number and type 2, the length, the bytes.
static inline size_t tenon_sdk_put_field(unsigned char* to, uint32_t number, const void* bytes,
                                         size_t count) {
  size_t n = tenon_sdk_put_varint(to, number << 3 | 2);
  n += tenon_sdk_put_varint(to + n, count);
  memcpy(to + n, bytes, count);
  return n + count;
}

static inline tenon_status tenon_sdk_events_append(tenon_sdk_events* events,
                                                   const unsigned char* bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    const ssize_t n = write(events->file, bytes + done, count - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int reason = n < 0 ? errno : ENOSPC;
      // If this fails too, readers stop at the torn record.
      (void)!ftruncate(events->file, events->length);
      errno = reason;
      return TENON_E_IO;
    }
    done += (size_t)n;
  }
  events->length += (int64_t)count;
  return TENON_OK;
}

// An Event: 1 wall_time, 2 step, then one more field of bytes.
static inline tenon_status tenon_sdk_events_write(tenon_sdk_events* events, int64_t step,
                                                  uint32_t number, const void* bytes,
                                                  size_t count) {
  unsigned char record[TENON_SDK_EVENTS_TAG + 128];
  unsigned char* const event = record + 12;
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  const double wall = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
  uint64_t wall_bits;
  memcpy(&wall_bits, &wall, sizeof wall_bits);
  event[0] = 1 << 3 | 1;
  size_t n = 1 + tenon_sdk_put(event + 1, wall_bits, 8);
  event[n++] = 2 << 3;
  n += tenon_sdk_put_varint(event + n, (uint64_t)step);
  n += tenon_sdk_put_field(event + n, number, bytes, count);
  tenon_sdk_put(record, n, 8);
  tenon_sdk_put_checksum(record + 8, record, 8);
  tenon_sdk_put_checksum(event + n, event, n);
  return tenon_sdk_events_append(events, record, n + 16);
}

static inline void tenon_sdk_events_release(tenon_sdk_events* events) {
  if (!events) return;
  close(events->file);
  free(events);
}

// -1 if it cannot be made, or is there already.
static inline int tenon_sdk_events_open(const char* path) {
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND;
#ifdef O_CLOEXEC
  return open(path, flags | O_CLOEXEC, 0666);
#else
  const int file = open(path, flags, 0666);
  if (file >= 0) (void)!fcntl(file, F_SETFD, FD_CLOEXEC);
  return file;
#endif
}

// Starts a new file in `folder`.
static inline tenon_status tenon_sdk_events_create(const char* folder,
                                                   tenon_sdk_events** out_events) {
  const size_t room = strlen(folder) + 96;
  tenon_sdk_events* made = (tenon_sdk_events*)malloc(sizeof *made + room);
  if (!made) return TENON_E_MEMORY;
  memset(made, 0, sizeof *made);
  made->path = (char*)(made + 1);
  // Never one that is there: two runs may start in the same second.
  for (int number = 0;; ++number) {
    snprintf(made->path, room, "%s/events.out.tfevents.%lld.tenon.%ld.%d", folder,
             (long long)time(NULL), (long)getpid(), number);
    made->file = tenon_sdk_events_open(made->path);
    if (made->file >= 0 || errno != EEXIST) break;
  }
  if (made->file < 0) {
    free(made);
    return TENON_E_IO;
  }
  static const char version[] = "brain.Event:2";
  const tenon_status status = tenon_sdk_events_write(made, 0, 3, version, sizeof version - 1);
  if (status != TENON_OK) {
    const int reason = errno;
    remove(made->path);
    tenon_sdk_events_release(made);
    errno = reason;
    return status;
  }
  *out_events = made;
  return TENON_OK;
}

// A scalar of the series `tag`, at most 255 bytes of UTF-8; TensorBoard keeps it as f32.
static inline tenon_status tenon_sdk_events_set(tenon_sdk_events* events, const char* tag,
                                                int64_t step, double value) {
  const size_t length = strlen(tag);
  if (length == 0 || length > TENON_SDK_EVENTS_TAG) return TENON_E_ARGUMENT;
  // Summary.Value: 1 tag, 2 simple_value; Summary: 1 value; Event: 5 summary.
  unsigned char one[TENON_SDK_EVENTS_TAG + 16];
  unsigned char summary[TENON_SDK_EVENTS_TAG + 32];
  const float number = (float)value;
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  size_t n = tenon_sdk_put_field(one, 1, tag, length);
  one[n++] = 2 << 3 | 5;
  n += tenon_sdk_put(one + n, bits, 4);
  n = tenon_sdk_put_field(summary, 1, one, n);
  return tenon_sdk_events_write(events, step, 5, summary, n);
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_EVENTS_H
