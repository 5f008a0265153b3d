# SPDX-License-Identifier: Apache-2.0
# cmake/offline/FindCLI11.cmake: CLI11 by its headers alone.

include(${CMAKE_CURRENT_LIST_DIR}/HeaderLibrary.cmake)
tenon_find_header_library(CLI11 CLI/CLI.hpp libcli11-dev)
