// SPDX-License-Identifier: Apache-2.0
// backends/cuda/codes.cc: what a code of CUDA's means.
#include "codes.h"

#include <algorithm>

namespace tenon::cuda {

std::string words_of(Code code) {
  return std::string(driver().name(code)) + " (" + std::to_string(code) +
         "): " + driver().text(code);
}

// Source: the CUDA Runtime API's list of cudaError_t, "the process must be terminated and
// relaunched", and the codes of a device that went away.
bool loses_device(Code code) {
  constexpr Code sticky[] = {
      46,   // cudaErrorDevicesUnavailable
      214,  // cudaErrorECCUncorrectable
      220,  // cudaErrorNvlinkUncorrectable
      226,  // cudaErrorContained
      700,  // cudaErrorIllegalAddress
      702,  // cudaErrorLaunchTimeout
      709,  // cudaErrorContextIsDestroyed
      710,  // cudaErrorAssert
      714,  // cudaErrorHardwareStackError
      715,  // cudaErrorIllegalInstruction
      716,  // cudaErrorMisalignedAddress
      717,  // cudaErrorInvalidAddressSpace
      718,  // cudaErrorInvalidPc
      719,  // cudaErrorLaunchFailure
      721,  // cudaErrorTensorMemoryLeak
      810,  // cudaErrorMpsClientTerminated
      911,  // cudaErrorExternalDevice
  };
  return std::find(std::begin(sticky), std::end(sticky), code) != std::end(sticky);
}

}  // namespace tenon::cuda
