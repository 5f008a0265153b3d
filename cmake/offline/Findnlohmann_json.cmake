# SPDX-License-Identifier: Apache-2.0
# cmake/offline/Findnlohmann_json.cmake: nlohmann-json by its headers alone.

include(${CMAKE_CURRENT_LIST_DIR}/HeaderLibrary.cmake)
tenon_find_header_library(nlohmann_json nlohmann/json.hpp nlohmann-json3-dev)
