# SPDX-License-Identifier: Apache-2.0
# sdk/cmake/TenonPlugin.cmake: tenon_add_plugin(), the same in this tree and after
# find_package(Tenon).
#
#   tenon_add_plugin(<id> SOURCES <file>... [LINK <library>...]
#                    [VERSION <version>] [LICENSE <SPDX expression>]
#                    [OUTPUT_ROOT <folder>] [NO_INSTALL] [COMPONENT <name>]
#                    [DESTINATION <folder>] [NEEDS_CPU <feature>...]
#                    [NEEDS_LIBRARIES <soname>...] [NEEDS_PACKAGES <text>...] [NEEDS_OPS <op>...]
#                    [OBJECTS <object library>] [QUERY <header> <function template>]
#                    [GOLDENS <folder>])
#
# Makes the target <id>, a folder <OUTPUT_ROOT>/<id> that holds <id>.so and, written after linking
# by `tenon manifest`, plugin.json. Both are installed to <prefix>/<DESTINATION>/<id>, DESTINATION
# being plugins unless given, as part of the install component COMPONENT (else CMake's default one).
# OUTPUT_ROOT is plugins/ in the build folder unless given: put it into TENON_PLUGIN_PATH and the
# plugin is found without installing it.
# NEEDS_... go into plugin.json: where the machine lacks one of these CPU features or libraries, the
# plugin is not opened and the report says why, with NEEDS_PACKAGES as what to install.
# A plugin whose sources are all C is linked as C, without the C++ runtime.
# OBJECTS is for plugins that have most of their files in common: the object library's files belong
# to the plugin as its own SOURCES do, and are compiled once for all plugins.
# GOLDENS is a folder of golden files, with which `tenon verify` compares the plugin: it becomes the
# folder `goldens` of the plugin's folder, if there is one.
#
# Files that say TENON_UNIT(<their own name without suffix>), see tenon/sdk/plugin/plugin.hpp, or
# TN_UNIT(<...>), see tenon/sdk/plugin.h for C, are put together by a generated file with the
# exported function; VERSION (else the project's) and LICENSE (else the SPDX line of the first such
# file) go into it. A plugin without such files defines tenon_plugin_query_v0 itself and states both
# there. QUERY names what that function calls in place of tenon::sdk::query, and the header that
# declares it: for backends in C++, whose tables have a state of their own.

set(TENON_PLUGIN_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/TenonPlugin.map)
set(TENON_PLUGIN_MAIN ${CMAKE_CURRENT_LIST_DIR}/TenonPluginMain)

# What the file `path` says to begin its unit, TENON_UNIT or TN_UNIT, with its own name without
# suffix, once; empty if it has none. An error if it says another name, or another file of that name
# does too. `declared` holds those there are.
function(tenon_find_unit id path declared out_macro)
  get_filename_component(unit ${path} NAME_WE)
  file(STRINGS ${path} marks REGEX "^(TENON|TN)_UNIT\\(" LIMIT_COUNT 2)
  set(${out_macro} "" PARENT_SCOPE)
  if(NOT marks)
    return()
  endif()
  if(NOT marks MATCHES "^(TENON_UNIT|TN_UNIT)\\(${unit}\\)")
    string(REGEX MATCH "^[A-Z_]+" macro "${marks}")
    message(FATAL_ERROR "tenon_add_plugin(${id}): ${path} must say ${macro}(${unit}), once; "
      "it says ${marks}")
  endif()
  set(${out_macro} ${CMAKE_MATCH_1} PARENT_SCOPE)
  if(unit IN_LIST declared)
    message(FATAL_ERROR "tenon_add_plugin(${id}): two files are named ${unit}; rename ${path}")
  endif()
endfunction()

# Sets `out_file` to the generated file that lists the units of `sources`; empty if there are
# none.
function(tenon_write_plugin_main id version license sources query out_file)
  set(units "")
  set(macros "")
  set(language c)
  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(unit ${source} NAME_WE)
    if(NOT path MATCHES "\\.(c|cc|cpp|cxx|cu)$" OR NOT EXISTS ${path})
      continue()
    endif()
    tenon_find_unit(${id} ${path} "${units}" macro)
    if(NOT macro)
      # Were it to become a unit, nothing else would notice.
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
      continue()
    endif()
    list(APPEND units ${unit})
    list(APPEND macros ${macro})
    if(NOT path MATCHES "\\.c$")
      set(language cc)
    endif()
    if(NOT license)
      file(STRINGS ${path} spdx REGEX "SPDX-License-Identifier: " LIMIT_COUNT 1)
      string(REGEX REPLACE "^.*SPDX-License-Identifier: *([^*]*[^* ]).*$" "\\1" license "${spdx}")
    endif()
  endforeach()
  if(NOT units)
    set(${out_file} "" PARENT_SCOPE)
    return()
  endif()
  if(NOT license)
    message(FATAL_ERROR "tenon_add_plugin(${id}): give LICENSE <SPDX expression>, or begin "
      "the sources with an SPDX-License-Identifier line")
  endif()
  list(REMOVE_DUPLICATES macros)
  list(LENGTH macros kinds)
  if(kinds GREATER 1)
    message(FATAL_ERROR "tenon_add_plugin(${id}): some files say TENON_UNIT and some TN_UNIT; the "
      "units of one plugin are all of tenon/sdk/plugin/plugin.hpp or all of tenon/sdk/plugin.h")
  endif()
  set(declared "const tenon::sdk::Unit tenon_unit_")
  set(address tenon_unit_)
  set(template ${TENON_PLUGIN_MAIN}.cc.in)
  if(macros STREQUAL "TN_UNIT")
    if(query)
      message(FATAL_ERROR "tenon_add_plugin(${id}): QUERY is for units of C++, TENON_UNIT")
    endif()
    set(declared "const tn_unit tn_unit_of_")
    set(address tn_unit_of_)
    set(template ${TENON_PLUGIN_MAIN}.c.in)
  endif()
  set(TENON_UNIT_DECLARATIONS "")
  set(TENON_UNIT_ADDRESSES "")
  foreach(unit IN LISTS units)
    string(APPEND TENON_UNIT_DECLARATIONS "extern ${declared}${unit};\n")
    string(APPEND TENON_UNIT_ADDRESSES "    &${address}${unit},\n")
  endforeach()
  list(LENGTH units TENON_UNIT_COUNT)
  set(TENON_PLUGIN_HEADER tenon/sdk/plugin/plugin.hpp)
  set(TENON_PLUGIN_QUERY tenon::sdk::query)
  if(query)
    list(GET query 0 TENON_PLUGIN_HEADER)
    list(GET query 1 TENON_PLUGIN_QUERY)
  endif()
  set(TENON_PLUGIN_ID ${id})
  set(TENON_PLUGIN_VERSION ${version})
  set(TENON_PLUGIN_LICENSE ${license})
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${id}_main.${language})
  configure_file(${template} ${file} @ONLY)
  set(${out_file} ${file} PARENT_SCOPE)
endfunction()

function(tenon_add_plugin id)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_INSTALL"
    "VERSION;LICENSE;OUTPUT_ROOT;COMPONENT;DESTINATION;OBJECTS;GOLDENS"
    "SOURCES;LINK;NEEDS_CPU;NEEDS_LIBRARIES;NEEDS_PACKAGES;NEEDS_OPS;QUERY")
  if(NOT id MATCHES "^[a-z0-9_]+(\\.[a-z0-9_]+)+$")
    message(FATAL_ERROR
      "tenon_add_plugin: the id '${id}' must be vendor.name, in small letters, digits and _")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "tenon_add_plugin(${id}): SOURCES names no file")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_plugin(${id}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_OUTPUT_ROOT)
    set(arg_OUTPUT_ROOT ${PROJECT_BINARY_DIR}/plugins)
  endif()
  if(NOT arg_DESTINATION)
    set(arg_DESTINATION plugins)
  endif()
  set(folder ${arg_OUTPUT_ROOT}/${id})

  if(NOT arg_VERSION)
    set(arg_VERSION ${PROJECT_VERSION})
  endif()
  if(NOT arg_VERSION)
    set(arg_VERSION 0.1.0)
  endif()
  set(sources ${arg_SOURCES})
  if(arg_OBJECTS)
    get_target_property(object_sources ${arg_OBJECTS} SOURCES)
    get_target_property(base ${arg_OBJECTS} SOURCE_DIR)
    foreach(source IN LISTS object_sources)
      get_filename_component(source ${source} ABSOLUTE BASE_DIR ${base})
      list(APPEND sources ${source})
    endforeach()
  endif()
  tenon_write_plugin_main(${id} "${arg_VERSION}" "${arg_LICENSE}" "${sources}" "${arg_QUERY}"
    main_file)
  add_library(${id} MODULE ${arg_SOURCES} ${main_file})
  target_link_libraries(${id} PRIVATE Tenon::plugin ${arg_OBJECTS} ${arg_LINK})
  # $<1:...> keeps multi-configuration generators from adding a folder per configuration. The
  # library is linked with its installed run path, so that installing changes no byte of it: the
  # manifest holds its hash.
  set_target_properties(${id} PROPERTIES
    OUTPUT_NAME ${id}
    PREFIX ""
    SUFFIX .so
    LIBRARY_OUTPUT_DIRECTORY $<1:${folder}>
    POSITION_INDEPENDENT_CODE ON
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    INSTALL_RPATH "$ORIGIN"
    INSTALL_RPATH_USE_LINK_PATH ON
    BUILD_WITH_INSTALL_RPATH ON
    LINK_DEPENDS ${TENON_PLUGIN_EXPORTS})
  # Which the C++ compiler links by itself.
  target_link_libraries(${id} PRIVATE $<$<LINK_LANGUAGE:C>:m>)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(CXX IN_LIST languages)
    target_compile_features(${id} PRIVATE cxx_std_20)
  endif()
  if(C IN_LIST languages)
    target_compile_features(${id} PRIVATE c_std_11)
  endif()
  target_compile_options(${id} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  # Nothing is left for another library to supply by accident; sanitizer runtimes are the exception.
  target_link_options(${id} PRIVATE -Wl,--version-script=${TENON_PLUGIN_EXPORTS}
    $<$<NOT:$<IN_LIST:${TENON_SANITIZE},address;thread>>:-Wl,-z,defs>)

  # Before the manifest, which holds the library's hash.
  if(COMMAND tenon_split_debug AND NOT arg_NO_INSTALL)
    tenon_split_debug(${id} ${arg_DESTINATION}/${id})
  endif()
  if(TARGET Tenon::command)
    list(TRANSFORM arg_NEEDS_CPU PREPEND --needs-cpu=)
    list(TRANSFORM arg_NEEDS_LIBRARIES PREPEND --needs-library=)
    list(TRANSFORM arg_NEEDS_PACKAGES PREPEND --needs-package=)
    list(TRANSFORM arg_NEEDS_OPS PREPEND --needs-op=)
    set(needs ${arg_NEEDS_CPU} ${arg_NEEDS_LIBRARIES} ${arg_NEEDS_PACKAGES} ${arg_NEEDS_OPS})
    # Linked again when the command changes, so that no manifest of an older command stays.
    set_property(TARGET ${id} APPEND PROPERTY LINK_DEPENDS $<TARGET_FILE:Tenon::command>)
    add_dependencies(${id} Tenon::command)
    add_custom_command(TARGET ${id} POST_BUILD
      COMMAND Tenon::command manifest $<TARGET_FILE:${id}> ${needs}
      BYPRODUCTS ${folder}/plugin.json
      COMMENT "Writing ${id}/plugin.json" VERBATIM)
  endif()
  set_property(GLOBAL APPEND PROPERTY TENON_PLUGINS ${id})
  set(goldens "")
  if(arg_GOLDENS)
    get_filename_component(goldens ${arg_GOLDENS} ABSOLUTE)
  endif()
  if(IS_DIRECTORY "${goldens}")
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${goldens} ${folder}/goldens SYMBOLIC)
  endif()

  if(NOT arg_NO_INSTALL)
    set(component)
    if(arg_COMPONENT)
      set(component COMPONENT ${arg_COMPONENT})
    endif()
    install(TARGETS ${id} LIBRARY DESTINATION ${arg_DESTINATION}/${id} ${component})
    install(FILES ${folder}/plugin.json DESTINATION ${arg_DESTINATION}/${id} ${component})
    if(IS_DIRECTORY "${goldens}")
      install(DIRECTORY ${goldens}/ DESTINATION ${arg_DESTINATION}/${id}/goldens ${component}
        FILES_MATCHING PATTERN "*.json")
    endif()
    if(COMMAND tenon_part)
      tenon_part("${arg_COMPONENT}" ${id})
    endif()
  endif()
endfunction()
