# SPDX-License-Identifier: Apache-2.0
# cmake/Unity.cmake: half of the time a file takes is spent on headers, which most files share.
#
# tenon_unity(<target>): the target's files are compiled together, folder by folder, unless
# TENON_UNITY is off, as it is for tools that look at one file at a time. So two files of one folder
# may not give one name to two things, also in unnamed namespaces.

function(tenon_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TENON_UNITY}
    UNITY_BUILD_MODE GROUP UNITY_BUILD_RELOCATABLE ON)
  get_target_property(sources ${target} SOURCES)
  get_target_property(base ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${base})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER ${folder} group)
    set_source_files_properties(${source} TARGET_DIRECTORY ${target}
      PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
