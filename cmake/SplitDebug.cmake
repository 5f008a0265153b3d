# SPDX-License-Identifier: Apache-2.0
# cmake/SplitDebug.cmake: symbols and line numbers lie beside what is run, not in it.
#
# tenon_split_debug(<target> <folder>): after linking, they go to <file>.debug, which debuggers and
# profilers find there by themselves; component `debug` installs that to <folder>, and nothing else
# does. It is done here and not when installing, since a plugin's manifest holds its library's hash.

option(TENON_SPLIT_DEBUG "Put symbols and line numbers into files of their own" ON)

function(tenon_split_debug target folder)
  if(NOT TENON_SPLIT_DEBUG OR NOT TENON_SANITIZE STREQUAL "none"
      OR CMAKE_BUILD_TYPE STREQUAL "Debug"
      OR NOT CMAKE_OBJCOPY OR NOT CMAKE_STRIP OR NOT CMAKE_READELF)
    return()
  endif()
  set(file $<TARGET_FILE:${target}>)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/split_debug.sh
      ${CMAKE_OBJCOPY} ${CMAKE_STRIP} ${CMAKE_READELF} ${file} VERBATIM)
  # What was not built, since its part was not wanted, has none.
  install(FILES ${file}.debug DESTINATION ${folder} COMPONENT debug EXCLUDE_FROM_ALL OPTIONAL)
endfunction()
