# SPDX-License-Identifier: Apache-2.0
# cmake/CompilerFlags.cmake: what every file of this project is compiled with. Out-of-tree
# plugins get none of this; what they need is set by tenon_add_plugin(). nvcc, with options of its
# own, is told by backends/cuda.

set(c_and_cxx $<COMPILE_LANGUAGE:C,CXX>)
add_compile_options("$<${c_and_cxx}:-Wall;-Wextra;-Wpedantic;-Wshadow;-Werror>"
  # A result must not depend on whether the compiler fused a multiply with an add.
  $<${c_and_cxx}:-ffp-contract=off>
  # No path of the machine that built it ends up in a binary.
  $<${c_and_cxx}:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>
  # GNU-unique symbols would tie plugins to each other and keep them from being independent.
  $<$<CXX_COMPILER_ID:GNU>:$<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>>
  # GCC 12 sees overlaps where std::string appends to a literal (bug 105651 of GCC).
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # Clang forgets the pragmas by which libstdc++ 12 excuses its own use of what is deprecated, once
  # they are in a precompiled header.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>)

if(TENON_SANITIZE STREQUAL "address")
  set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(TENON_SANITIZE STREQUAL "thread")
  set(sanitize -fsanitize=thread)
elseif(TENON_SANITIZE STREQUAL "none")
  set(sanitize)
else()
  message(FATAL_ERROR "TENON_SANITIZE is '${TENON_SANITIZE}'; it must be none, address or thread")
endif()
if(TENON_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "TENON_FUZZ needs clang (libFuzzer), the compiler is "
      "${CMAKE_CXX_COMPILER_ID}: configure with 'cmake --preset fuzz'")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
set(TENON_SANITIZE_OPTIONS)
if(sanitize)
  set(TENON_SANITIZE_OPTIONS ${sanitize} -fno-omit-frame-pointer)
  add_compile_options(${TENON_SANITIZE_OPTIONS})
  add_link_options(${sanitize})
endif()
