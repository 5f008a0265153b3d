# SPDX-License-Identifier: Apache-2.0
# backends/openblas/requires.cmake: adds LIBRARY to what the plugin of MANIFEST requires, and the op
# without which it has nothing to do.

cmake_minimum_required(VERSION 3.25)
file(READ ${MANIFEST} json)
string(JSON json SET "${json}" requires libraries "[\"${LIBRARY}\"]")
string(JSON json SET "${json}" requires ops "[\"tenon.matmul\"]")
file(WRITE ${MANIFEST} "${json}\n")
