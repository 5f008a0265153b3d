# SPDX-License-Identifier: Apache-2.0
# cmake/InstallForTests.cmake: what tests of an installed Tenon run is what the tree says now.
#
#   cmake -DBUILD=<build folder> -DPREFIX=<folder> -P InstallForTests.cmake
#
# CTest builds nothing by itself, so a build that an edit has left behind would be installed and
# judged. What is installed is built first; with nothing to do that takes a blink. Nothing of an
# earlier version stays behind.

function(hash_headers out_hash)
  file(GLOB_RECURSE headers LIST_DIRECTORIES OFF ${PREFIX}/include/*)
  set(all "")
  foreach(header IN LISTS headers)
    file(SHA256 ${header} hash)
    string(APPEND all "${header} ${hash}\n")
  endforeach()
  string(SHA256 all "${all}")
  set(${out_hash} ${all} PARENT_SCOPE)
endfunction()

execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --target programs
  COMMAND_ERROR_IS_FATAL ANY)
hash_headers(before)
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
  COMMAND_ERROR_IS_FATAL ANY)
hash_headers(after)
# A header keeps the time of its edit, which may lie before what was compiled from the one before.
if(NOT before STREQUAL after)
  file(GLOB_RECURSE headers LIST_DIRECTORIES OFF ${PREFIX}/include/*)
  file(TOUCH ${headers})
endif()
