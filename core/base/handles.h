// SPDX-License-Identifier: Apache-2.0
// core/base/handles.h: the kind tag of each handle type.
#pragma once

#include <cstdint>

namespace tenon {

inline constexpr uint8_t kRuntimeKind = 1;
inline constexpr uint8_t kContextKind = 2;
inline constexpr uint8_t kTensorKind = 3;
inline constexpr uint8_t kOpKind = 4;
inline constexpr uint8_t kPlanKind = 5;
inline constexpr uint8_t kOptimizerKind = 6;
inline constexpr uint8_t kDatasetKind = 7;
inline constexpr uint8_t kTextKind = 8;
inline constexpr uint8_t kScheduleKind = 9;
inline constexpr uint8_t kArchiveKind = 10;
inline constexpr uint8_t kLayerKind = 11;
inline constexpr uint8_t kTransformKind = 12;
inline constexpr uint8_t kLoaderKind = 13;
inline constexpr uint8_t kCheckpointKind = 14;
inline constexpr uint8_t kHistoryKind = 15;
inline constexpr uint8_t kProgressKind = 16;
inline constexpr uint8_t kTokenizerKind = 17;
inline constexpr uint8_t kGroupKind = 18;
inline constexpr uint8_t kTransferKind = 19;
inline constexpr uint8_t kDataParallelKind = 20;

}  // namespace tenon
