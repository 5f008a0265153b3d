# SPDX-License-Identifier: Apache-2.0
# cmake/Package.cmake: what an installed Tenon offers other builds: find_package(Tenon), tenon.pc.

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TenonConfig.cmake.in
  ${PROJECT_BINARY_DIR}/TenonConfig.cmake INSTALL_DESTINATION ${TENON_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TenonConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/tenon.pc.in ${PROJECT_BINARY_DIR}/tenon.pc @ONLY)

install(FILES
  ${PROJECT_BINARY_DIR}/TenonConfig.cmake ${PROJECT_BINARY_DIR}/TenonConfigVersion.cmake
  DESTINATION ${TENON_PACKAGE_DIR})
install(EXPORT TenonTargets NAMESPACE Tenon:: DESTINATION ${TENON_PACKAGE_DIR})
install(FILES ${PROJECT_BINARY_DIR}/tenon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The pages, and the sources of the examples, which they lead to, as they lie here, so that links
# hold. A wheel has its licence and its page elsewhere.
if(NOT SKBUILD)
  set(TENON_DOC_DIR ${CMAKE_INSTALL_DATADIR}/doc/tenon)
  install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${TENON_DOC_DIR})
  install(DIRECTORY docs examples DESTINATION ${TENON_DOC_DIR}
    PATTERN "*-ubyte" EXCLUDE
    PATTERN "__pycache__" EXCLUDE)
endif()
