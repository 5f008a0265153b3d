// SPDX-License-Identifier: Apache-2.0
// backends/cuda/device.cc: which devices there are, and what a code of CUDA's means.
#include "device.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace tenon::cuda {

namespace {

// The kernels are compiled for this and later ones.
constexpr int32_t kOldestMajor = 7;
constexpr int32_t kOldestMinor = 5;

std::string version_text(int32_t version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string capability_text(int32_t major, int32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

// Why nothing can be asked of CUDA; `failed` where something is there that could be put right.
std::string why_nothing(Code code, bool& failed) {
  int32_t has = 0;
  int32_t needs = 0;
  const bool known = driver().versions(&has, &needs) == kSuccess;
  if (known && has == 0) return "no CUDA driver is installed";
  if (code == kNoDevice) return "the CUDA driver sees no GPU";
  failed = true;
  if (code != kDriverTooOld || !known) return words_of(code);
  return "the CUDA driver is for CUDA " + version_text(has) + ", the plugin needs " +
         version_text(needs) + ": install a newer driver";
}

}  // namespace

tenon_status say(tenon_diag* diag, tenon_status status, const std::string& words) {
  const size_t length = std::min(words.size(), sizeof diag->message - 1);
  diag->status = status;
  std::memcpy(diag->message, words.data(), length);
  diag->message[length] = 0;
  diag->length = static_cast<decltype(diag->length)>(length);
  return status;
}

Device::Device(int32_t number) : index(number), process(getpid()) {
  const std::string name = "GPU " + std::to_string(index);
  const auto failed = [&](Code code, const char* what) {
    if (code == kSuccess) return false;
    unusable = name + " cannot " + what + ": " + words_of(code);
    return true;
  };
  if (failed(driver().facts(index, &facts), "be asked for its properties")) return;
  if (facts.major < kOldestMajor || (facts.major == kOldestMajor && facts.minor < kOldestMinor)) {
    unusable = name + " (" + facts.name + ") has compute capability " +
               capability_text(facts.major, facts.minor) +
               ", too old: " + capability_text(kOldestMajor, kOldestMinor) + " is the oldest";
    return;
  }
  if (failed(driver().use(index), "be used")) return;
  void* memory = nullptr;
  if (failed(driver().pinned_alloc(&memory, sizeof(Report)), "give host memory")) return;
  report = new (memory) Report{};
  if (facts.has_pools) failed(driver().stream_create(&memory_stream), "create a stream");
}

Device::~Device() {
  if (process != getpid()) return;
  driver().use(index);  // what the driver keeps on the host goes even if the device is lost
  blas.release();
  for (const auto& [stream, words] : turns) driver().free(words, memory_stream);
  if (memory_stream) driver().stream_release(memory_stream);
  if (report) driver().pinned_free(report);
}

namespace {

tenon_status launch_on_its_device(tenon_call* call, const tenon_launch* args) {
  const auto& own = *static_cast<const OwnKernel*>(args->user);
  const tenon_status chosen =
      sdk::guarded(call, [&] { own.state->require(device_index_of(*args)); });
  return chosen != TENON_OK ? chosen : own.launch(call, args);
}

}  // namespace

State::State(const sdk::About& about) : sdk::State(about) {
  descs_.reserve(kernels.descs.size());
  own_.reserve(kernels.descs.size());
  for (const tenon_kernel_desc*& desc : kernels.descs) {
    if (std::string_view(desc->device.data, desc->device.length) != kDeviceKind) continue;
    own_.push_back({this, desc->launch});
    tenon_kernel_desc& own = descs_.emplace_back(*desc);
    own.user = &own_.back();
    own.launch = launch_on_its_device;
    desc = &own;
  }
}

void State::look() {
  std::call_once(looked_, [&] {
    int32_t count = 0;
    const Code code = driver().device_count(&count);
    if (code != kSuccess || count == 0) {
      why_none = why_nothing(code == kSuccess ? kNoDevice : code, failed);
      return;
    }
    for (int32_t i = 0; i < count; ++i) devices.push_back(std::make_unique<Device>(i));
    // Indices are CUDA's: the usable devices are those before the first one that is not.
    const auto unusable = std::find_if(devices.begin(), devices.end(),
                                       [](const auto& d) { return !d->unusable.empty(); });
    if (unusable == devices.begin()) {
      why_none = devices.front()->unusable;
      failed = true;
    }
    devices.erase(unusable, devices.end());
  });
}

tenon_status State::choose(int32_t index) {
  const Device& chosen = device(index);
  if (chosen.process != getpid() || chosen.lost.load()) return TENON_E_DEVICE_LOST;
  return judge(index, driver().use(index));
}

void State::require(int32_t index) {
  if (static_cast<size_t>(index) >= devices.size()) {
    throw sdk::Failure{TENON_E_DEVICE, "the device is another plugin's", "",
                       "a device of tenon.cuda; leave out one of the plugins that offer \"cuda\"",
                       "cuda:" + std::to_string(index)};
  }
  const Device& chosen = device(index);
  if (chosen.process == getpid() && !chosen.lost.load()) {
    const Code code = driver().use(index);
    const tenon_status status = judge(index, code);
    if (status == TENON_OK) return;
    throw sdk::Failure{status, "the device cannot be chosen: " + words_of(code), "",
                       "a device that works", driver().name(code)};
  }
  throw sdk::Failure{TENON_E_DEVICE_LOST, why_lost(index), "", "a device that works", "a lost one"};
}

std::string State::why_lost(int32_t index) {
  const Code code = device(index).lost_code.load();
  return code == kSuccess ? "the process was forked; its GPUs stay with the parent"
                          : words_of(code);
}

bool State::choose_to_release(int32_t index) {
  if (device(index).process != getpid()) return false;
  judge(index, driver().use(index));
  return true;
}

tenon_status State::judge(int32_t index, Code code) {
  if (code == kSuccess) return TENON_OK;
  if (code == kOutOfMemory) return TENON_E_MEMORY;
  if (!loses_device(code)) return TENON_E_DEVICE;
  device(index).lost_code.store(code);
  device(index).lost.store(true);
  return TENON_E_DEVICE_LOST;
}

}  // namespace tenon::cuda
