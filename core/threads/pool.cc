// SPDX-License-Identifier: Apache-2.0
// core/threads/pool.cc: the compute pool.
//
// How a call meets its workers. The caller takes busy_, writes the job while the gate is shut and
// nobody is inside, opens the gate, advances the signal of the workers it wants, and works. A
// worker that sees its signal change tries to enter; one that comes late finds the gate shut and
// goes back to sleep, so it can never touch a finished job. When the caller finds no chunk left to
// claim it shuts the gate and waits until everyone inside has left: then all chunks are done.
//
// A nested call needs no thread identity: while any body of a parallel call runs, busy_ is taken.
#include "core/threads/pool.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <charconv>
#include <chrono>

#include "core/base/words.h"

namespace tenon::threads {
namespace {

constexpr uint32_t kOpen = 1;
constexpr uint32_t kOneInside = 2;
constexpr int32_t kMaxThreads = 1024;

// Waking through the kernel costs several hundred nanoseconds: worth spinning for a little.
constexpr auto kSpin = std::chrono::microseconds(2);

// A wait that work cannot explain, and for how long it keeps the caller alone. A time slice of a
// neighbour is 3 ms and more; one such wait in each second is a loss of less than one percent.
constexpr int64_t kLateNs = 500'000;
constexpr int64_t kAloneNs = 50'000'000;
constexpr int64_t kAloneMostNs = 1'000'000'000;

int64_t now_ns() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// Processes made by fork have none of the workers; asking the system each time costs more than
// waking one.
std::atomic<uint32_t> forks{0};

uint32_t count_forks() {
  static const int installed =
      ::pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  (void)installed;
  return forks.load(std::memory_order_relaxed);
}

// Spins until `done()` or the time is over; the clock read paces the loop.
template <class Done>
bool spin_until(Done done) noexcept {
  const auto deadline = std::chrono::steady_clock::now() + kSpin;
  do {
    if (done()) return true;
  } while (std::chrono::steady_clock::now() < deadline);
  return done();
}

void run_chunk(int64_t n, int64_t grain, int64_t chunk, Pool::Body body, void* user) noexcept {
  const int64_t begin = chunk * grain;
  body(user, begin, n - begin < grain ? n : begin + grain, chunk);
}

int32_t resolve_size(int32_t requested) {
  return std::min(requested > 0 ? requested : Pool::available(), kMaxThreads);
}

// The first `limit` bytes of a file; empty when it cannot be read.
std::string read_file(const std::string& path, size_t limit) {
  FILE* file = ::fopen(path.c_str(), "re");
  if (file == nullptr) return {};
  std::string text(limit, '\0');
  text.resize(::fread(text.data(), 1, limit, file));
  ::fclose(file);
  return text;
}

// A positive integer that the text begins with, or 0 for anything else ("max", -1, no text).
int64_t positive(std::string_view word) {
  int64_t value = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return result.ec == std::errc{} && value > 0 ? value : 0;
}

int32_t whole_cpus(int64_t quota, int64_t period) {
  if (quota == 0 || period == 0) return 0;
  const int64_t cpus = quota / period + (quota % period != 0 ? 1 : 0);
  return static_cast<int32_t>(std::min<int64_t>(cpus, kMaxThreads));
}

// The quota one cgroup folder states, in whole CPUs; 0 for none.
using QuotaOfFolder = int32_t (*)(const std::string& folder);

int32_t quota_version_2(const std::string& folder) {
  const std::string text = read_file(folder + "/cpu.max", 128);
  const std::vector<std::string_view> words = base::words_of(text);
  return words.size() < 2 ? 0 : whole_cpus(positive(words[0]), positive(words[1]));
}

int32_t quota_version_1(const std::string& folder) {
  return whole_cpus(positive(read_file(folder + "/cpu.cfs_quota_us", 64)),
                    positive(read_file(folder + "/cpu.cfs_period_us", 64)));
}

// The tightest quota from `path` below `mount` up to `mount` itself. Inside a container `path` may
// name folders that are not visible; the mount's own files then state the container's quota.
int32_t quota_up_to_mount(QuotaOfFolder quota_of_folder, const std::string& mount,
                          std::string path) {
  int32_t tightest = 0;
  for (;;) {
    while (!path.empty() && path.back() == '/') path.pop_back();
    const int32_t quota = quota_of_folder(mount + path);
    if (quota > 0 && (tightest == 0 || quota < tightest)) tightest = quota;
    if (path.empty()) return tightest;
    path.resize(std::min(path.rfind('/'), path.size() - 1));
  }
}

int32_t affinity_cpus() {
  // The kernel refuses a mask smaller than its own and does not say how large that is.
  for (size_t cpus = 1024; cpus <= (size_t{1} << 20); cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (set == nullptr) break;
    const size_t bytes = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(bytes, set);
    const int count = ::sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<int32_t>(std::min<long>(online, kMaxThreads)) : 1;
}

}  // namespace

int32_t cgroup_cpu_quota(std::string_view proc_self_cgroup, const std::string& root) {
  int32_t tightest = 0;
  const auto consider = [&](QuotaOfFolder read, const std::string& mount, std::string_view path) {
    const int32_t quota = quota_up_to_mount(read, mount, std::string(path));
    if (quota > 0 && (tightest == 0 || quota < tightest)) tightest = quota;
  };
  for (const std::string_view line : base::words_of(proc_self_cgroup, '\n')) {
    const size_t first = line.find(':');
    const size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    const std::vector<std::string_view> names = base::words_of(controllers, ',');
    if (controllers.empty()) {
      consider(quota_version_2, root, path);
      consider(quota_version_2, root + "/unified", path);
    } else if (std::ranges::find(names, "cpu") != names.end()) {
      consider(quota_version_1, root + "/cpu", path);
      if (controllers != "cpu") {
        consider(quota_version_1, root + "/" + std::string(controllers), path);
      }
    }
  }
  return tightest;
}

int32_t Pool::available() {
  const int32_t affinity = affinity_cpus();
  const int32_t quota = cgroup_cpu_quota(read_file("/proc/self/cgroup", 16384), "/sys/fs/cgroup");
  return std::clamp(quota > 0 ? std::min(quota, affinity) : affinity, 1, kMaxThreads);
}

Pool::Pool(int32_t requested)
    : size_(resolve_size(requested)),
      forks_(count_forks()),
      startable_(size_ - 1),
      shares_(std::make_unique<Share[]>(static_cast<size_t>(size_))),
      workers_(std::make_unique<Worker[]>(static_cast<size_t>(size_))) {}

Pool::~Pool() {
  if (count_forks() != forks_) return;
  stop_.store(true, std::memory_order_relaxed);
  for (int32_t i = 0; i < started_; ++i) {
    workers_[static_cast<size_t>(i)].signal.fetch_add(1, std::memory_order_release);
    workers_[static_cast<size_t>(i)].signal.notify_one();
  }
  for (int32_t i = 0; i < started_; ++i) {
    ::pthread_join(workers_[static_cast<size_t>(i)].thread, nullptr);
  }
}

bool Pool::run(int64_t n, int64_t grain, Body body, void* user, bool serial) noexcept {
  if (n < 0 || grain < 1 || body == nullptr) return false;
  const int64_t chunks = n / grain + (n % grain != 0 ? 1 : 0);
  if (chunks > 1 && !serial && run_parallel(n, grain, chunks, body, user)) return true;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) run_chunk(n, grain, chunk, body, user);
  return true;
}

// False, having run nothing, when the call has to run serially.
bool Pool::run_parallel(int64_t n, int64_t grain, int64_t chunks, Body body, void* user) noexcept {
  int32_t participants = static_cast<int32_t>(std::min<int64_t>(threads(), chunks));
  if (participants < 2 || busy_.load(std::memory_order_relaxed)) return false;
  if (count_forks() != forks_ || is_alone()) return false;
  if (busy_.exchange(true, std::memory_order_acquire)) return false;

  participants = 1 + start_workers(participants - 1);
  if (participants > 1) {
    job_ = Job{body, user, n, grain, participants};
    deal_shares(chunks, participants);
    gate_.fetch_or(kOpen, std::memory_order_release);
    for (int32_t i = 0; i < participants - 1; ++i) {
      workers_[static_cast<size_t>(i)].signal.fetch_add(1, std::memory_order_release);
      workers_[static_cast<size_t>(i)].signal.notify_one();
    }
    const int64_t start = now_ns();
    work(0);
    const int64_t worked = now_ns();
    close_and_wait();
    judge_wait(worked - start, now_ns() - worked);
  }
  busy_.store(false, std::memory_order_release);
  return participants > 1;
}

// Makes up to `wanted` workers exist and returns how many of them do. A refusal by the system is
// remembered, so that it is not asked again on every call.
int32_t Pool::start_workers(int32_t wanted) noexcept {
  wanted = std::min(wanted, startable_);
  if (started_ >= wanted) return wanted;
  // Signal handlers of the program belong on the program's threads.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  while (started_ < wanted) {
    Worker& worker = workers_[static_cast<size_t>(started_)];
    worker.pool = this;
    worker.participant = started_ + 1;
    if (::pthread_create(&worker.thread, nullptr, &Pool::worker_main, &worker) != 0) {
      startable_ = started_;
      break;
    }
    ++started_;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return std::min(wanted, started_);
}

void Pool::deal_shares(int64_t chunks, int32_t participants) noexcept {
  const int64_t each = chunks / participants;
  const int64_t longer = chunks % participants;
  int64_t next = 0;
  for (int32_t i = 0; i < participants; ++i) {
    Share& share = shares_[static_cast<size_t>(i)];
    share.next.store(next, std::memory_order_relaxed);
    next += each + (i < longer ? 1 : 0);
    share.end = next;
  }
}

// Runs the participant's own share, then whatever the others have not claimed.
void Pool::work(int32_t participant) noexcept {
  const Job job = job_;
  for (int32_t i = 0; i < job.participants; ++i) {
    Share& share = shares_[static_cast<size_t>((participant + i) % job.participants)];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      const int64_t chunk = share.next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= share.end) break;
      run_chunk(job.n, job.grain, chunk, job.body, job.user);
    }
  }
}

bool Pool::enter() noexcept {
  uint32_t gate = gate_.load(std::memory_order_relaxed);
  while ((gate & kOpen) != 0) {
    if (gate_.compare_exchange_weak(gate, gate + kOneInside, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void Pool::leave() noexcept {
  if (gate_.fetch_sub(kOneInside, std::memory_order_acq_rel) == kOneInside) {
    finished_.fetch_add(1, std::memory_order_release);
    finished_.notify_one();
  }
}

void Pool::close_and_wait() noexcept {
  const auto empty = [this] { return gate_.load(std::memory_order_acquire) == 0; };
  if (gate_.fetch_and(~kOpen, std::memory_order_acq_rel) == kOpen) return;
  if (spin_until(empty)) return;
  // finished_ is read before the gate: a worker that leaves in between has changed it, and the wait
  // returns at once. Its value also moves for earlier calls, which costs one more turn.
  uint32_t seen = finished_.load(std::memory_order_acquire);
  while (!empty()) {
    finished_.wait(seen, std::memory_order_acquire);
    seen = finished_.load(std::memory_order_acquire);
  }
}

// Is the caller to work alone, because a partner was late?
bool Pool::is_alone() noexcept {
  const int64_t until = alone_until_ns_.load(std::memory_order_relaxed);
  return until != 0 && now_ns() < until;
}

// A partner that is at work takes no longer for its last chunk than the caller for all of its own.
void Pool::judge_wait(int64_t work_ns, int64_t wait_ns) noexcept {
  const int64_t before = alone_until_ns_.load(std::memory_order_relaxed);
  if (wait_ns > kLateNs && wait_ns > work_ns) {
    const int64_t now = now_ns();
    const bool again = before != 0 && now - before < alone_ns_;
    alone_ns_ = again ? std::min(2 * alone_ns_, kAloneMostNs) : kAloneNs;
    alone_until_ns_.store(now + alone_ns_, std::memory_order_relaxed);
  } else if (before != 0 && now_ns() - before > alone_ns_) {
    alone_until_ns_.store(0, std::memory_order_relaxed);
  }
}

void* Pool::worker_main(void* self) {
  // Subnormals and rounding must not depend on the state of the thread that happened to start us.
  std::fesetenv(FE_DFL_ENV);
  Worker& worker = *static_cast<Worker*>(self);
  worker.pool->serve(worker);
  return nullptr;
}

void Pool::serve(Worker& worker) noexcept {
  for (;;) {
    // Read before the gate is tried: a call that opens it afterwards changes the signal again.
    const uint32_t seen = worker.signal.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    if (enter()) {
      // Woken for an earlier, wider call, a worker may not be wanted by this one.
      if (worker.participant < job_.participants) work(worker.participant);
      leave();
    }
    const auto signalled = [&] { return worker.signal.load(std::memory_order_acquire) != seen; };
    if (!spin_until(signalled)) worker.signal.wait(seen, std::memory_order_acquire);
  }
}

}  // namespace tenon::threads
