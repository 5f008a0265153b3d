# SPDX-License-Identifier: Apache-2.0
# cmake/offline/HeaderLibrary.cmake: for the Find<name>.cmake beside it: find_package() of a library
# of headers whose own CMake files need not be there.

# Makes the target <name>::<name> of the folder in which `header` lies. A macro, since it speaks to
# find_package().
macro(tenon_find_header_library name header package)
  find_path(${name}_INCLUDE_DIR ${header})
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(${name} REQUIRED_VARS ${name}_INCLUDE_DIR
    REASON_FAILURE_MESSAGE
    "${header} is neither in TENON_VENDOR_HEADERS nor installed (Debian: ${package})")
  if(${name}_FOUND AND NOT TARGET ${name}::${name})
    add_library(${name}::${name} INTERFACE IMPORTED)
    target_include_directories(${name}::${name} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
  endif()
endmacro()
