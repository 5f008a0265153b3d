# SPDX-License-Identifier: Apache-2.0
# tests/hostile/tests.cmake: read by CTest, with what the build knows in `runner`, `libraries` and
# `environment`: a test for each case, so that a new one needs no run of CMake.

set(cases ${CMAKE_CURRENT_LIST_DIR}/cases)
file(GLOB families ${cases}/*.c ${cases}/*.cc ${cases}/*.cases ${cases}/alone/*.c)
foreach(family IN LISTS families)
  if(family MATCHES "/alone/([a-z_]+)\\.c$")
    set(library ${CMAKE_MATCH_1})
  elseif(family MATCHES "\\.cc$")
    set(library cc)
  else()
    set(library c)
  endif()
  file(READ ${family} text)
  string(REGEX MATCHALL "\n(CASE\\(|case: )[a-z0-9_]+" names "${text}")
  list(TRANSFORM names REPLACE "\n(CASE\\(|case: )" "")
  foreach(name IN LISTS names)
    add_test(hostile.${name} ${runner} ${family} ${name}
      ${libraries}/${library}.so ${libraries}/good.json)
    set_tests_properties(hostile.${name} PROPERTIES LABELS "quick;hostile" TIMEOUT 30
      ENVIRONMENT_MODIFICATION "${environment}")
  endforeach()
endforeach()
