// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/batch.hpp: random numbers of the samples of a batch, for datasets with
// `get_batch` and for transforms.
#pragma once

#include <tenon/ext/draft/datasets.h>
#include <tenon/sdk/philox.h>

namespace tenon::sdk {

// Random numbers of sample `i` of the batch in this epoch, whatever batch it is in. `purpose` keeps
// datasets and transforms apart.
inline tenon_sdk_random sample_random(const tenon_batch& batch, int64_t i, uint64_t purpose) {
  return {batch.seed ^ purpose, static_cast<uint64_t>(batch.epoch),
          static_cast<uint64_t>(batch.samples[i]) << 16};
}

}  // namespace tenon::sdk
