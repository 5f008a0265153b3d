# SPDX-License-Identifier: Apache-2.0
# tests/rust.cmake: finds the Rust that tests are built with: TENON_RUSTC, TENON_RUSTDOC,
# TENON_CARGO, has_rust.

# The distribution's own first, the oldest one that has to work; a version manager's may be a shim
# that answers only with an error.
find_program(TENON_RUSTC rustc PATHS /usr/bin NO_DEFAULT_PATH)
find_program(TENON_RUSTC rustc)
find_program(TENON_CARGO cargo PATHS /usr/bin NO_DEFAULT_PATH)
find_program(TENON_CARGO cargo)
find_program(TENON_RUSTDOC rustdoc PATHS /usr/bin NO_DEFAULT_PATH)
find_program(TENON_RUSTDOC rustdoc)
mark_as_advanced(TENON_RUSTC TENON_RUSTDOC TENON_CARGO)
set(has_rust FALSE)
if(TENON_RUSTC AND TENON_CARGO)
  execute_process(COMMAND ${TENON_RUSTC} --version RESULT_VARIABLE status OUTPUT_VARIABLE version
    ERROR_QUIET)
  if(status EQUAL 0)
    set(has_rust TRUE)
    string(STRIP "${version}" version)
    set(told "tests: what is in Rust is built with ${version}")
  endif()
endif()
if(NOT has_rust)
  set(told "tests: no rustc and cargo, what is in Rust is not tested (Debian: rustc cargo)")
endif()
# Once, however many folders ask.
get_property(known GLOBAL PROPERTY TENON_RUST_TOLD)
if(NOT known)
  message(STATUS "${told}")
  set_property(GLOBAL PROPERTY TENON_RUST_TOLD ON)
endif()
