// SPDX-License-Identifier: Apache-2.0
// backends/onednn/job.cc: see job.h.
#include "job.h"

#include <numeric>

#include "one_thread.h"

namespace tenon::onednn {
namespace {

using dnnl::memory;

constexpr int64_t kMaxParts = 16;
constexpr uint64_t kScratchUnit = 128;           // parts share no cache line
constexpr int64_t kGrainSum = int64_t{1} << 15;  // elements worth handing to another thread

uint64_t rounded(uint64_t bytes) {
  return (bytes + kScratchUnit - 1) / kScratchUnit * kScratchUnit;
}

}  // namespace

memory::desc row_major(const memory::dims& sizes) {
  memory::dims strides(sizes.size(), 1);
  for (size_t d = sizes.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * sizes[d + 1];
  return {sizes, memory::data_type::f32, strides};
}

int64_t parts_of(int64_t images) { return std::gcd(images, kMaxParts); }

void in_onednn(const std::function<void()>& body) {
  try {
    const OneThread guard;
    body();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
    throw sdk::Failure{TENON_E_PLUGIN, std::string("oneDNN: ") + error.what()};
  }
}

Job::Job(dnnl::engine engine, const dnnl::primitive& primitive, const memory::desc& scratch,
         int64_t parts, const std::vector<Operand>& operands)
    : engine_(std::move(engine)), primitive_(primitive), scratch_(scratch), parts_(parts) {
  for (const Operand& operand : operands) {
    Place place{operand};
    const Operand& o = place.operand;
    place.part_bytes = o.is_shared ? 0 : o.packed.get_size();
    if (o.chosen != o.packed || (place.is_summed() && parts > 1)) {
      const memory::desc& from = o.is_output ? o.chosen : o.packed;
      const memory::desc& to = o.is_output ? o.packed : o.chosen;
      place.reorder = dnnl::reorder({engine_, from, engine_, to});
      uint64_t& bytes = o.is_shared && !o.is_output ? shared_bytes_ : part_bytes_;
      place.copy = bytes;
      bytes += rounded(o.chosen.get_size());
    }
    places_.push_back(std::move(place));
  }
  primitive_scratch_ = part_bytes_;
  part_bytes_ += rounded(scratch.get_size());
}

uint64_t Job::scratch_bytes() const {
  return shared_bytes_ + static_cast<uint64_t>(parts_) * part_bytes_;
}

std::byte* Job::scratch_of(int64_t part, std::byte* scratch) const {
  return scratch + shared_bytes_ + static_cast<uint64_t>(part) * part_bytes_;
}

void Job::reorder(const Place& place, void* packed, void* chosen) const {
  const Operand& o = place.operand;
  memory outside(o.packed, engine_, packed);
  memory inside(o.chosen, engine_, chosen);
  dnnl::stream stream(engine_);
  place.reorder.execute(stream, o.is_output ? inside : outside, o.is_output ? outside : inside);
}

void Job::run_part(int64_t part, const Data& data, std::byte* scratch) const {
  std::byte* own = scratch_of(part, scratch);
  std::unordered_map<int, memory> args;
  const auto packed = [&](size_t i) {
    return static_cast<std::byte*>(data[i]) + static_cast<uint64_t>(part) * places_[i].part_bytes;
  };
  for (size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const Operand& o = place.operand;
    const bool is_input = !o.is_output;
    void* used = packed(i);
    if (place.is_copied()) used = (o.is_shared && is_input ? scratch : own) + place.copy;
    if (place.is_copied() && is_input && !o.is_shared) reorder(place, packed(i), used);
    args.emplace(o.argument, memory(o.chosen, engine_, used));
  }
  args.emplace(DNNL_ARG_SCRATCHPAD, memory(scratch_, engine_, own + primitive_scratch_));
  dnnl::stream stream(engine_);
  primitive_.execute(stream, args);
  for (size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (!place.operand.is_output || place.is_summed() || !place.is_copied()) continue;
    reorder(place, packed(i), own + place.copy);
  }
}

// Into the first part's. A layout may have more places than elements; all of them are f32.
void Job::add_parts(const sdk::Launch& launch, const Place& place, std::byte* scratch) const {
  const auto count = static_cast<int64_t>(place.operand.chosen.get_size() / sizeof(float));
  const auto sums = [&](int64_t part) {
    return reinterpret_cast<float*>(scratch_of(part, scratch) + place.copy);
  };
  launch.parallel_for(count, kGrainSum, [&](int64_t begin, int64_t end) {
    float* to = sums(0);
    for (int64_t part = 1; part < parts_; ++part) {
      const float* from = sums(part);
      for (int64_t i = begin; i < end; ++i) to[i] += from[i];
    }
  });
}

void Job::run(const sdk::Launch& launch, const Data& data) const {
  std::byte* scratch = launch.scratch().data();
  in_onednn([&] {
    for (size_t i = 0; i < places_.size(); ++i) {
      const Place& place = places_[i];
      if (!place.is_copied() || place.operand.is_output || !place.operand.is_shared) continue;
      reorder(place, data[i], scratch + place.copy);
    }
  });
  launch.parallel_for(parts_, 1, [&](int64_t begin, int64_t end) {
    in_onednn([&] {
      for (int64_t part = begin; part < end; ++part) run_part(part, data, scratch);
    });
  });
  for (size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (!place.is_copied() || !place.is_summed()) continue;
    add_parts(launch, place, scratch);
    in_onednn([&] { reorder(place, data[i], scratch_of(0, scratch) + place.copy); });
  }
}

void release_job(void*, void* job) { delete static_cast<Job*>(job); }

uint64_t job_workspace(const sdk::Args& args) {
  return static_cast<const Job*>(args.launch().prepared)->scratch_bytes();
}

}  // namespace tenon::onednn
