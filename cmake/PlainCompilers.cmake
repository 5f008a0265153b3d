# SPDX-License-Identifier: Apache-2.0
# cmake/PlainCompilers.cmake: before project(): `pip install .` compiles by the names of a plain
# build, so that ccache, which hashes a compiler's name, knows what that has compiled.
#
# scikit-build-core sets CC and CXX to what Python was built with, say g++; without them CMake takes
# c++. Where both names lead to one file, the plain one is taken.

if(NOT SKBUILD)
  return()
endif()
foreach(pair IN ITEMS "CC;cc" "CXX;c++")
  list(GET pair 0 variable)
  list(GET pair 1 name)
  unset(given)
  unset(plain)
  if(DEFINED ENV{${variable}})
    find_program(given "$ENV{${variable}}" NO_CACHE)
    find_program(plain ${name} NO_CACHE)
  endif()
  if(given AND plain)
    file(REAL_PATH "${given}" given)
    file(REAL_PATH "${plain}" plain)
    if(given STREQUAL plain)
      set(ENV{${variable}} ${name})
    endif()
  endif()
endforeach()
