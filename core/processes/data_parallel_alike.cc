// SPDX-License-Identifier: Apache-2.0
// core/processes/data_parallel_alike.cc: what all processes have to do alike, and what the others
// are told if it fails in one.
#include "core/base/fnv.h"
#include "core/launch/moves.h"
#include "core/processes/data_parallel.h"
#include "core/runtime/deciders.h"

namespace tenon::processes {

namespace {

// All bytes, for comparing.
uint64_t hash_of(Context& context, const std::vector<Ref>& tensors) {
  uint64_t hash = base::kFnvBegin;
  for (const Ref& each : tensors) {
    const Ref whole = launch::on_host(context, each);
    const size_t bytes = static_cast<size_t>(whole->elements()) * whole->element_size();
    hash = base::fnv(whole->view.data, bytes, hash);
  }
  return hash;
}

}  // namespace

void DataParallel::do_together(Context& context, const std::string& alike,
                               const std::function<void()>& body) {
  if (alone()) return body();
  group_step_ = group_->begin_step(alike);
  try {
    body();
  } catch (...) {
    group_->give_up(context, group_step_);
    throw;
  }
  group_->end_step(group_step_);
}

std::string DataParallel::name_of(uint32_t param) const {
  const std::string place = "params[" + std::to_string(param) + "]";
  return names_.empty() ? place : names_[param];
}

std::string DataParallel::options_text() const {
  std::string lines = "shards: " + std::to_string(shards_) +
                      "\nbucket_bytes: " + std::to_string(bucket_bytes_) +
                      "\nparameters that require gradients: " + std::to_string(params_.size()) +
                      "\nbuffers: " + std::to_string(buffers_.size()) + "\n";
  for (uint32_t i = 0; i < params_.size(); ++i) {
    lines += "params[" + std::to_string(i) + "]: " + tensor::describe(*params_[i]) +
             (names_.empty() ? "" : " " + names_[i]) + "\n";
  }
  for (size_t i = 0; i < buffers_.size(); ++i) {
    lines += "buffers[" + std::to_string(i) + "]: " + tensor::describe(*buffers_[i]) + "\n";
  }
  return lines;
}

std::string DataParallel::facts(const Context& context, const std::string& step) const {
  std::string frozen;
  for (uint32_t i = 0; i < params_.size(); ++i) {
    if (!tape::requires_grad(*params_[i])) frozen += (frozen.empty() ? "" : " ") + name_of(i);
  }
  std::string lines =
      step + "seed: " + std::to_string(context.seed) +
      "\nparameters that require no gradient: " + (frozen.empty() ? "none" : frozen) + "\n" +
      clipped_;
  tell_deciders(context, {index_, shards_, first_shard_}, lines);
  return lines;
}

// Rank 0's, and a proof that they have arrived.
void DataParallel::share_values(Context& context) {
  const bool ours = group_->members().rank == 0;
  for (const std::vector<Ref>* list : {&params_, &buffers_}) {
    for (const Ref& each : *list) {
      all(context, TENON_COLLECTIVE_BROADCAST, ours ? each : Ref(), each);
    }
  }
  const auto hash =
      static_cast<int64_t>(hash_of(context, params_) ^ hash_of(context, buffers_) * 3);
  const std::vector<int64_t> theirs = numbers_of_all<int64_t>(context, {hash});
  for (int64_t rank = 0; rank < processes(); ++rank) {
    if (theirs[static_cast<size_t>(rank)] == hash) continue;
    fail(TENON_E_PEER,
         "data parallel: rank " + std::to_string(rank) +
             " has other parameters than this process, though rank 0 has sent them",
         "rank " + std::to_string(rank), "equal parameters", "another hash",
         "the engine does not move what it is given; `tenon verify` judges it");
  }
}

}  // namespace tenon::processes
