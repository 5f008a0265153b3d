# SPDX-License-Identifier: Apache-2.0
# cmake/Soname.cmake: the name by which the system's loader will ask for a library, which `tenon
# manifest` cannot know: tenon_soname(<variable> <library file>). A file that says none is asked for
# by its own.

function(tenon_soname out_name file)
  execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE dynamic ERROR_QUIET)
  if(dynamic MATCHES "SONAME[^\n]*\\[([^]\n]+)\\]")
    set(${out_name} ${CMAKE_MATCH_1} PARENT_SCOPE)
  else()
    get_filename_component(name ${file} NAME)
    set(${out_name} ${name} PARENT_SCOPE)
  endif()
endfunction()
