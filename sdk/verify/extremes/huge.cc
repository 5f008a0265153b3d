// SPDX-License-Identifier: Apache-2.0
// sdk/verify/extremes/huge.cc: operands of more than 2^31 elements. Their first dimension repeats
// the contents of a small call, so that what is right follows from small calls: with 1, 2 and 3
// repetitions the result repeats as well, stays the same, or grows by the same amount.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <tenon/sdk/plugin/dtypes.hpp>
#include <thread>

#include "case/both_ways.h"
#include "extremes/checks.h"
#include "extremes/enlarged.h"

namespace tenon::verify {
namespace {

constexpr int64_t kElements = (int64_t{1} << 31) + 4096;  // of the largest operand, at least
constexpr double kMaxBytes = 12e9;
constexpr int64_t kLooks = 100000;  // places of a result that are compared

// Which first dimensions are repeated: those of all operands like the first's, or the first's own.
SampleCall repeated(const SampleCall& call, int64_t times, bool all) {
  SampleCall larger = call;
  const int64_t extent = call.arrays[0].shape[0];
  const size_t rank = call.arrays[0].shape.size();
  for (size_t i = 0; i < (all ? larger.arrays.size() : 1); ++i) {
    Shape shape = larger.arrays[i].shape;
    if (shape.size() != rank || shape[0] != extent) continue;
    shape[0] *= times;
    larger.arrays[i] = tiled(larger.arrays[i], shape);
  }
  return larger;
}

enum class Law : uint8_t { None, Repeats, Constant, Grows };

// How a result depends on the number of repetitions.
Law law_of(const Array& one, const Array& two, const Array& three) {
  if (one == two && two == three) return Law::Constant;
  Shape twice = one.shape;
  Shape thrice = one.shape;
  if (!one.shape.empty()) {
    twice[0] *= 2;
    thrice[0] *= 3;
    if (two == tiled(one, twice) && three == tiled(one, thrice)) return Law::Repeats;
  }
  if (two.shape != one.shape || three.shape != one.shape) return Law::None;
  for (size_t i = 0; i < one.count(); ++i) {
    if (two.at(i) != 2 * one.at(i) || three.at(i) != 3 * one.at(i)) return Law::None;
  }
  return Law::Grows;
}

struct Plan {
  SampleCall call;
  bool all = false;
  int64_t times = 0;
  std::vector<Law> laws;
  std::vector<Array> small;  // the results of `call`
  double bytes = 0;
};

double bytes_of(const std::vector<Array>& arrays, double times) {
  double bytes = 0;
  for (const Array& array : arrays) bytes += static_cast<double>(array.bytes.size()) * times;
  return bytes;
}

std::optional<Plan> plan_of(Work& work, const SampleCall& call, bool all) {
  const Session& session = work.subject.session();
  const Outcome one = outcome_of(session, call, work.device);
  const Outcome two = outcome_of(session, repeated(call, 2, all), work.device);
  const Outcome three = outcome_of(session, repeated(call, 3, all), work.device);
  if (one.status != TENON_OK || two.status != TENON_OK || three.status != TENON_OK) return {};
  if (two.results.size() != one.results.size() || three.results.size() != one.results.size()) {
    return {};
  }
  Plan plan{call, all, 0, {}, one.results, 0};
  for (size_t i = 0; i < one.results.size(); ++i) {
    plan.laws.push_back(law_of(one.results[i], two.results[i], three.results[i]));
    if (plan.laws.back() == Law::None) return {};
  }
  plan.times = kElements / static_cast<int64_t>(call.arrays[0].count()) + 1;
  const auto times = static_cast<double>(plan.times);
  plan.bytes = bytes_of(call.arrays, times);
  for (size_t i = 0; i < plan.laws.size(); ++i) {
    if (plan.laws[i] == Law::Repeats) plan.bytes += bytes_of({one.results[i]}, times);
  }
  return plan;
}

bool of_one_byte(const SampleCall& call) {
  return std::all_of(call.arrays.begin(), call.arrays.end(),
                     [](const Array& array) { return sdk::size_of(array.dtype) == 1; });
}

// The plan that needs the least memory.
std::optional<Plan> best_plan(Work& work) {
  std::optional<Plan> best;
  for (const SampleText* sample : good_samples(work.op)) {
    if (!work.recorder.wants(work.op.name, sample->number)) continue;
    for (const SampleCall& call :
         calls_of(work.subject.session(), work.op, *sample, work.device, work.request.seed)) {
      if (call.arrays.empty() || call.arrays[0].shape.empty() || call.mutates()) continue;
      if (call.has_size_zero() || !of_one_byte(call)) continue;
      for (const bool all : {true, false}) {
        std::optional<Plan> plan = plan_of(work, call, all);
        if (plan && (!best || plan->bytes < best->bytes)) best = std::move(plan);
      }
    }
  }
  return best;
}

double number_in(const char* path, double otherwise) {
  std::ifstream file(path);
  double number = 0;
  return file >> number ? number : otherwise;
}

// Left of what the machine, and a container around this process, may use.
double memory_available() {
  const double most = number_in("/sys/fs/cgroup/memory.max", 1e18);
  const double container = most - number_in("/sys/fs/cgroup/memory.current", 0);
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("MemAvailable:", 0) == 0) {
      return std::min(std::stod(line.substr(13)) * 1024, container);
    }
  }
  return 0;
}

// One process of this machine at a time; waits for its turn.
class Turn {
 public:
  explicit Turn(Recorder& recorder) : file_(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)) {
    while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      recorder.flush();  // a sign of life
    }
  }
  ~Turn() { close(file_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  int file_;
};

// Row-major, made in place: the contents of an operand again and again.
Tensor huge_tensor(const Session& session, const Array& small, const Shape& shape,
                   const tenon_device& device) {
  tenon_tensor* made = nullptr;
  session.check(tenon_tensor_create(session.context(), small.dtype, &device,
                                    static_cast<int32_t>(shape.size()), shape.data(), &made));
  Tensor tensor(made);
  const Array content = tiled(small, shape);
  session.check(
      tenon_tensor_set_data(session.context(), made, content.bytes.data(), content.bytes.size()));
  return tensor;
}

// If the result of a plan is not what follows from the small call; empty if it is.
std::string wrong_in(const Array& found, const Array& small, Law law, int64_t times) {
  const auto count = static_cast<int64_t>(found.count());
  const auto period = static_cast<int64_t>(small.count());
  const int64_t expected_count = law == Law::Repeats ? period * times : period;
  if (count != expected_count) {
    return "expected " + std::to_string(expected_count) + " elements, found " +
           std::to_string(count);
  }
  Array expected = small;
  for (size_t i = 0; law == Law::Grows && i < small.count(); ++i) {
    expected.set(i, small.at(i) * static_cast<double>(times));
  }
  const auto size = static_cast<int64_t>(sdk::size_of(found.dtype));
  const auto look = [&](int64_t at) {
    return std::memcmp(found.bytes.data() + at * size, expected.bytes.data() + at % period * size,
                       static_cast<size_t>(size)) == 0;
  };
  const int64_t step = std::max<int64_t>(1, count / kLooks) | 1;
  const int64_t edges[] = {0, (int64_t{1} << 31) - period, count - 2 * period};
  const auto words = [&](int64_t at) {
    return "element " + std::to_string(at) + " of " + std::to_string(count) + ": expected " +
           std::to_string(expected.at(static_cast<size_t>(at % period))) + ", found " +
           std::to_string(found.at(static_cast<size_t>(at)));
  };
  for (int64_t at = 0; at < count; at += step) {
    if (!look(at)) return words(at);
  }
  for (const int64_t edge : edges) {
    for (int64_t at = std::max<int64_t>(edge, 0); at < std::min(edge + 2 * period, count); ++at) {
      if (!look(at)) return words(at);
    }
  }
  return {};
}

// Can the device hold all tensors of the plan at once? Nothing is written to them.
bool fits_device(Work& work, const Plan& plan) {
  const Session& session = work.subject.session();
  std::vector<Tensor> held;
  const auto hold = [&](const Array& small, int64_t times) {
    const auto count = static_cast<int64_t>(small.count()) * times;
    tenon_tensor* made = nullptr;
    const tenon_status status =
        tenon_tensor_create(session.context(), small.dtype, &work.device, 1, &count, &made);
    if (status == TENON_OK) held.emplace_back(made);
    if (status != TENON_E_MEMORY) session.check(status);
    return status == TENON_OK;
  };
  for (const Array& array : plan.call.arrays) {
    if (!hold(array, plan.times)) return false;
  }
  for (size_t i = 0; i < plan.small.size(); ++i) {
    if (!hold(plan.small[i], plan.laws[i] == Law::Repeats ? plan.times : 1)) return false;
  }
  return true;
}

void run_plan(Work& work, const Plan& plan) {
  const Session& session = work.subject.session();
  const SampleCall shape_of = repeated(plan.call, 2, plan.all);
  Bound bound(session, plan.call, work.device);
  std::vector<Tensor> operands;
  for (size_t i = 0; i < plan.call.arrays.size(); ++i) {
    Shape shape = plan.call.arrays[i].shape;
    if (shape_of.arrays[i].shape != shape) shape[0] *= plan.times;
    operands.push_back(huge_tensor(session, plan.call.arrays[i], shape, work.device));
    bound.replace(i, operands.back().get());
  }
  std::vector<Tensor> made;
  const tenon_status status = call(session, plan.call, bound, plan.call.n_outputs, made);
  if (status != TENON_OK) {
    return work.recorder.fail(causes::kHuge, failure_of(session, status));
  }
  operands.clear();
  for (size_t i = 0; i < made.size(); ++i) {
    const Array found = contents_of(session, made[i].get());
    made[i].reset();
    const std::string words = wrong_in(found, plan.small[i], plan.laws[i], plan.times);
    if (!words.empty()) return work.recorder.fail(causes::kHuge, words);
  }
  work.recorder.pass();
}

}  // namespace

void check_huge(Work& work) {
  if (work.request.level < kSoak || !work.own_kernel) return;
  const auto uncovered = [&](const std::string& why) {
    work.recorder.uncovered(work.op.name, "more than 2^31 elements on " + work.backend, why);
  };
  if (!work.op.own_kernel(work.subject.id(), work.backend)->index_64) {
    return uncovered("the kernel does not claim 64-bit indices");
  }
  const std::optional<Plan> plan = best_plan(work);
  if (!plan) return uncovered("no sample with operands of one byte an element can be repeated");
  Case each = plain_case(plan->call, Form::Huge, work.backend, "");
  std::fill(each.layouts.begin(), each.layouts.end(), Layout::Huge);
  const double most = std::min(kMaxBytes, memory_available() - 1e9);
  // Beside the tensors there is the content of one of them.
  const double needed = plan->bytes + 1.1 * static_cast<double>(kElements);
  if (needed > most) {
    return uncovered("it takes " + std::to_string(static_cast<int64_t>(needed / 1e9)) +
                     " GB of memory, of which " + std::to_string(static_cast<int64_t>(most / 1e9)) +
                     " GB can be used");
  }
  const Turn turn(work.recorder);
  if (!fits_device(work, *plan)) return uncovered("the device has too little memory for it");
  if (work.recorder.begin(each)) run_plan(work, *plan);
}

}  // namespace tenon::verify
