# SPDX-License-Identifier: Apache-2.0
# cmake/Bundle.cmake: -DTENON_BUNDLE_OPENBLAS=ON installs OpenBLAS, and what of Fortran it needs,
# beside libtenon: a wheel for machines that have neither.
#
# libtenon opens what a manifest says the plugin needs, in that order, and looks beside itself
# first. So a library comes after those that it needs: `openblas_sonames` is such a list, which a
# plugin states as NEEDS_LIBRARIES. Run as a script, it prints those of LIBRARY.

if(CMAKE_SCRIPT_MODE_FILE)
  file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${LIBRARY} RESOLVED_DEPENDENCIES_VAR needed
    PRE_INCLUDE_REGEXES "^lib(gfortran|quadmath)\\." PRE_EXCLUDE_REGEXES ".")
  foreach(file IN LISTS needed)
    message(NOTICE "${file}")
  endforeach()
  return()
endif()

set(openblas_sonames ${openblas_soname})
if(TENON_BUNDLE_OPENBLAS)
  execute_process(COMMAND ${CMAKE_COMMAND} -DLIBRARY=${openblas_file}
    -P ${CMAKE_CURRENT_LIST_DIR}/Bundle.cmake
    OUTPUT_QUIET ERROR_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" needed "${needed}")
  list(SORT needed ORDER DESCENDING)  # libquadmath is what libgfortran needs
  set(openblas_sonames "")
  foreach(file IN LISTS needed openblas_file)
    tenon_soname(soname ${file})
    file(REAL_PATH ${file} real)
    list(APPEND openblas_sonames ${soname})
    get_property(bundled GLOBAL PROPERTY TENON_BUNDLED)
    if(NOT soname IN_LIST bundled)
      set_property(GLOBAL APPEND PROPERTY TENON_BUNDLED ${soname})
      install(FILES ${real} DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME ${soname})
    endif()
  endforeach()
endif()
