# SPDX-License-Identifier: Apache-2.0
# cmake/Parts.cmake: what is installed, in parts that are built and installed one by one.
#
#   tenon      what a program needs that trains on the processor, and the examples; the default
#   cuda       the CUDA backend
#   providers  kernels and tokenizers from other libraries, and kernels for few processors
#   verify     the conformance kit
#   python     the Python package, which is used from the build tree
#   debug      symbols; installed by name alone, built with what they are of
#
# A part is a component of CMake's install. The target part.<name> builds one, `programs` all.

set(TENON_PARTS tenon cuda providers verify python)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tenon)
add_custom_target(programs)
add_custom_target(part.debug)  # made when the others are linked
foreach(part IN LISTS TENON_PARTS)
  add_custom_target(part.${part})
  add_dependencies(programs part.${part})
endforeach()

# tenon_part(<part> <target>...): "" is `tenon`. TENON_PROGRAMS holds the targets of all parts.
function(tenon_part part)
  if(NOT part)
    set(part tenon)
  endif()
  if(NOT part IN_LIST TENON_PARTS)
    message(FATAL_ERROR "tenon_part(${part}): one of ${TENON_PARTS} is wanted")
  endif()
  add_dependencies(part.${part} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY TENON_PROGRAMS ${ARGN})
endfunction()
