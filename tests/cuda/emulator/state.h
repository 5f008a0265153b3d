// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/state.h: what the emulated driver knows, and its rules on it.
//
// One lock is held through each call of the driver, and so while kernels run.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "backends/cuda/driver.h"
#include "control.h"

namespace tenon::cuda::emulated {

inline constexpr int32_t kDevices = 2;
inline constexpr Code kInvalidValue = 1;
inline constexpr Code kInvalidConfiguration = 9;
inline constexpr Code kInvalidDevice = 101;
inline constexpr Code kInvalidHandle = 400;
inline constexpr Code kIllegalState = 401;
inline constexpr Code kIllegalAddress = 700;
inline constexpr Code kLaunchFailure = 719;
inline constexpr Code kCaptureUnsupported = 900;
inline constexpr Code kCaptureInvalidated = 901;
inline constexpr Code kCaptureIsolation = 905;
inline constexpr Code kCapturedEvent = 907;
inline constexpr Code kCaptureWrongThread = 908;

enum class Call : uint32_t {
#define TENON_EMULATED_NUMBER(name) name,
  TENON_EMULATED_CALLS(TENON_EMULATED_NUMBER) TENON_EMULATED_BLAS_CALLS(TENON_EMULATED_NUMBER)
#undef TENON_EMULATED_NUMBER
};

struct Fault {
  Code code = kSuccess;
  int64_t after = 0;
  int64_t count = 0;
  int64_t calls = 0;  // so far
};

struct Block {
  uint64_t bytes;
  int32_t device;   // that it belongs to
  bool pinned;      // memory of the host
  bool given_back;  // and waits in a stream to be freed
  // The stream it was allocated on, until somebody has waited for that: others must not use it yet.
  const struct Stream* made_on;
};

// One thing to do, with all it needs. What concerns the host alone, such as freeing, is also done
// on a device that is lost.
using Work = std::function<Code()>;

struct Stream {
  int32_t device = 0;
  std::deque<Work> waiting;
  bool capturing = false;
  bool invalid = false;  // the capture: something was asked that cannot be recorded
  std::thread::id capturer;
  std::vector<Work> captured;
};

// The place in a stream where an event was recorded.
struct Mark {
  Stream* stream;
  bool done = false;
  bool captured = false;
};

struct Event {
  int32_t device = 0;
  std::shared_ptr<Mark> mark;  // none: never recorded
};

struct Graph {
  int32_t device = 0;
  std::shared_ptr<const std::vector<Work>> works;
};

class State {
 public:
  State();

  std::mutex mutex;
  std::map<std::byte*, Block> blocks;
  std::map<void*, std::unique_ptr<Stream>> streams;
  std::map<void*, std::unique_ptr<Event>> events;
  std::map<void*, std::unique_ptr<Graph>> graphs;
  Fault faults[std::size(kCalls)];
  int64_t blas_objects = 0;  // handles and descriptions of cuBLASLt
  Code lost[kDevices] = {};  // what each call returns once a kernel has failed
  uint64_t limit = 0;
  bool defers = false;
  uint64_t seed = 1;
  uint64_t launches = 0;
  // By code: what was said of it. Words stay: a caller may hold them.
  std::map<Code, const std::string*> said;
  std::list<std::string> all_said;

  // Counts the call. A code where a test asked for one, or where the chosen device is lost; a code
  // that CUDA does not recover from loses it.
  Code begin(Call call);
  // The same for calls that concern no device's work: the device is not lost by them.
  Code begin_elsewhere(Call call);

  Stream* find_stream(void* stream) const;
  Event* find_event(void* event) const;
  Graph* find_graph(void* graph) const;
  // The block in which all of [data, data + bytes) lies, or NULL.
  Block* find_block(const void* data, uint64_t bytes);
  // Whether any byte of it is a device's.
  bool is_on_device(const void* data, uint64_t bytes);

  // Records, keeps for later or runs at once, as the stream is. `stream` may be NULL: at once.
  Code enqueue(Stream* stream, Work work);
  // Runs what waits in the stream: all of it, or the first.
  Code drain(Stream* stream);
  // Drains it for somebody who waits: what was allocated on it is everybody's from now on.
  Code wait_for(Stream* stream);
  Code step(Stream* stream);
  Code drain_device(int32_t device);
  // Breaks a capture of `stream` that is under way, since what was asked cannot be recorded.
  static Code refuse_capture(Stream* stream);
  // Does the calling thread capture anything? Then that is broken.
  bool breaks_own_capture();
  // The device is lost from now on, with these words.
  Code lose(int32_t device, Code code, std::string words);
};

State& state();
// The device that the calling thread has chosen.
int32_t& chosen_device();

uint64_t bytes_on_device(const State& state, int32_t device);

// ---- The driver's functions, by file ------------------------------------------------------------

// memory.cc
Code alloc(void** out_data, uint64_t bytes, void* stream);
Code free(void* data, void* stream);
Code pinned_alloc(void** out_data, uint64_t bytes);
Code pinned_free(void* data);
Code copy(void* destination, const void* source, uint64_t bytes, uint32_t direction, void* stream);

// streams.cc
Code stream_create(void** out_stream);
Code stream_release(void* stream);
Code stream_wait(void* stream);
Code event_create(void** out_event);
Code event_release(void* event);
Code event_record(void* event, void* stream);
Code event_wait(void* event, void* stream);
Code event_query(void* event);
Code capture_begin(void* stream);
Code capture_end(void* stream, void** out_graph);
Code graph_run(void* graph, void* stream);
Code graph_release(void* graph);

// launches.cc
Code launch(const Launching* launching);

// blas.cc
void* blas_function(const char* name);

// codes.cc
const KnownCode* find_code(Code code);  // NULL if CUDA has none
const char* name_of_code(Code code);
const char* text_of_code(Code code);

}  // namespace tenon::cuda::emulated
