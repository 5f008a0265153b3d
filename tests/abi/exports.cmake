# SPDX-License-Identifier: Apache-2.0
# tests/abi/exports.cmake: fails unless LIBRARY exports at least one symbol, and only symbols that
# match PATTERN.
#
#   cmake -DNM=nm -DLIBRARY=libtenon.so -DPATTERN=^tenon_ -P exports.cmake

execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${LIBRARY}
  OUTPUT_VARIABLE table RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${NM} could not read ${LIBRARY}")
endif()

string(REGEX MATCHALL "[^\n]+" lines "${table}")
set(stray)
set(count 0)
foreach(line IN LISTS lines)
  string(REGEX REPLACE " .*" "" symbol "${line}")
  if(symbol MATCHES "${PATTERN}")
    math(EXPR count "${count} + 1")
  else()
    string(APPEND stray "\n  ${line}")
  endif()
endforeach()

if(stray)
  message(FATAL_ERROR "${LIBRARY} exports symbols that do not match ${PATTERN}:${stray}")
endif()
if(count EQUAL 0)
  message(FATAL_ERROR "${LIBRARY} exports nothing that matches ${PATTERN}")
endif()
message(STATUS "${LIBRARY}: ${count} exported symbols, all match ${PATTERN}")
