# SPDX-License-Identifier: Apache-2.0
# tests/labels.cmake: read by CTest with the tests of one binary in `names`; the end of a suite's
# name says its label.
#
#   ...Full     full      too slow for every save; ./dev test and CI run it
#   ...Soak     soak      minutes to hours; ./dev soak
#   ...Outside  outside   needs something Tenon itself never needs, such as NumPy
#   ...Threads  quick and threads: runs under ThreadSanitizer in CI
#   ...Hostile  quick and hostile: plugins that do what they must not
#   any other   quick

foreach(name IN LISTS names)
  # <folder>.[<instance>/]<Suite>[/<type>].<test>[/<parameter>]
  string(REGEX REPLACE "^[a-z_]+\\." "" suite "${name}")
  string(REGEX REPLACE "\\..*$" "" suite "${suite}")
  string(REGEX REPLACE "/[0-9]+$|<.*$" "" suite "${suite}")
  # oneDNN's threads are those of libgomp, which never ends them: the leak check of AddressSanitizer
  # crashes now and then when it stops them ("Tracer caught signal 11"). A forked process leaves
  # what belongs to threads that it does not have.
  if(name MATCHES "/onednn$|[.]ProviderOneDnn|[.]AForkedProcessDoesNotLeave$")
    set_tests_properties("${name}" PROPERTIES ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
  endif()
  if(suite MATCHES "Full$")
    set_tests_properties("${name}" PROPERTIES LABELS full TIMEOUT 600)
  elseif(suite MATCHES "Soak$")
    set_tests_properties("${name}" PROPERTIES LABELS soak TIMEOUT 7200)
  elseif(suite MATCHES "Outside$")
    set_tests_properties("${name}" PROPERTIES LABELS outside TIMEOUT 300)
  elseif(suite MATCHES "Threads$")
    set_tests_properties("${name}" PROPERTIES LABELS "quick;threads" TIMEOUT 30)
  elseif(suite MATCHES "Hostile$")
    set_tests_properties("${name}" PROPERTIES LABELS "quick;hostile" TIMEOUT 30)
  else()
    set_tests_properties("${name}" PROPERTIES LABELS quick TIMEOUT 30)
  endif()
endforeach()
