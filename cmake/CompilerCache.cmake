# SPDX-License-Identifier: Apache-2.0
# cmake/CompilerCache.cmake: compile through ccache, so that a second clone compiles nothing.
#
# CCACHE_BASEDIR makes paths below the source folder relative before they are hashed, and
# CCACHE_NOHASHDIR leaves the current folder out of the hash; together with -ffile-prefix-map the
# object files do not depend on where a clone lies. Precompiled headers: ccache takes them if it is
# told that macros and times do not count (CCACHE_SLOPPINESS), and GCC names them to it with
# -fpch-preprocess. CCACHE_DEPEND: a result is known by the bytes of every file it was made from.
# Preprocessed output, the other way, has no comments and no macros of a precompiled header; but
# GCC knows the `#pragma once` files in such a header by their bytes, and includes one a second time
# if the precompiled header was made from other bytes.

string(TOLOWER "${TENON_CCACHE}" wanted)
if(wanted STREQUAL "off" OR CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()

find_program(TENON_CCACHE_PROGRAM ccache)
mark_as_advanced(TENON_CCACHE_PROGRAM)
if(TENON_CCACHE_PROGRAM)
  set(launcher ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 ${TENON_CCACHE_PROGRAM})
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
elseif(wanted STREQUAL "on")
  message(FATAL_ERROR
    "TENON_CCACHE is on, but no ccache was found: install it, or set TENON_CCACHE to auto or off")
endif()
