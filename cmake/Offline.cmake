# SPDX-License-Identifier: Apache-2.0
# cmake/Offline.cmake: -DTENON_OFFLINE=ON, a build for a machine that has a compiler and CMake and
# nothing else to build with: docs/gpu.md.
#
# Headers of other projects come from TENON_VENDOR_HEADERS, a folder that `./dev vendor-headers`
# filled, or else from where they are installed. Of libraries only zlib's is linked; the one that
# Debian and Ubuntu cannot be without, libz.so.1, serves where its development package is missing.
# GoogleTest, Google Benchmark, ccache, Python's headers and a network are not asked for.

set(TENON_VENDOR_HEADERS "" CACHE PATH "Folder written by ./dev vendor-headers; empty: none")

# In place of the options of these names.
set(TENON_BUILD_TESTS OFF)
set(TENON_BUILD_EXAMPLES OFF)
set(TENON_BUILD_PYTHON OFF)
set(TENON_CCACHE off)
set(TENON_FUZZ OFF)
message(STATUS "offline: not built: tests with GoogleTest, benchmarks with Google Benchmark, "
  "examples, the Python package")

# What is made of libraries that such a machine does not have, in backends/ and plugins/.
set(TENON_OFFLINE_LEAVES_OUT lapack onednn openblas mpi)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
  set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")  # as in the preset of this name
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()

if(TENON_VENDOR_HEADERS)
  if(NOT IS_DIRECTORY "${TENON_VENDOR_HEADERS}/include")
    message(FATAL_ERROR "TENON_VENDOR_HEADERS is '${TENON_VENDOR_HEADERS}', which has no folder "
      "'include': make it with './dev vendor-headers <folder>' where the headers are installed")
  endif()
  get_filename_component(folder "${TENON_VENDOR_HEADERS}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  list(INSERT CMAKE_INCLUDE_PATH 0 ${folder}/include)
endif()
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/offline)

find_path(ZLIB_INCLUDE_DIR zlib.h)
find_library(ZLIB_LIBRARY NAMES z libz.so.1)
foreach(part IN ITEMS INCLUDE_DIR LIBRARY)
  if(NOT ZLIB_${part})
    message(FATAL_ERROR "zlib: neither -DZLIB_${part}=... was given nor one found: its header "
      "comes with TENON_VENDOR_HEADERS, libz.so.1 with the package zlib1g")
  endif()
endforeach()
