// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/vectors.h: CUDA's vector types, with CUDA's alignment.
//
// Source: "CUDA C++ Programming Guide", built-in vector types.
#pragma once

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's.
#define TENON_EMULATED_VECTOR_1(name, number) \
  struct name##1 {                            \
    number x;                                 \
  };                                          \
  constexpr name##1 make_##name##1(number x) { return {x}; }
#define TENON_EMULATED_VECTOR_2(name, number, alignment) \
  struct alignas(alignment) name##2 {                    \
    number x, y;                                         \
  };                                                     \
  constexpr name##2 make_##name##2(number x, number y) { return {x, y}; }
#define TENON_EMULATED_VECTOR_3(name, number) \
  struct name##3 {                            \
    number x, y, z;                           \
  };                                          \
  constexpr name##3 make_##name##3(number x, number y, number z) { return {x, y, z}; }
#define TENON_EMULATED_VECTOR_4(name, number, alignment) \
  struct alignas(alignment) name##4 {                    \
    number x, y, z, w;                                   \
  };                                                     \
  constexpr name##4 make_##name##4(number x, number y, number z, number w) { return {x, y, z, w}; }
#define TENON_EMULATED_VECTORS(name, number, alignment_of_2, alignment_of_4) \
  TENON_EMULATED_VECTOR_1(name, number)                                      \
  TENON_EMULATED_VECTOR_2(name, number, alignment_of_2)                      \
  TENON_EMULATED_VECTOR_3(name, number)                                      \
  TENON_EMULATED_VECTOR_4(name, number, alignment_of_4)

TENON_EMULATED_VECTORS(char, signed char, 2, 4)
TENON_EMULATED_VECTORS(uchar, unsigned char, 2, 4)
TENON_EMULATED_VECTORS(short, short, 4, 8)
TENON_EMULATED_VECTORS(ushort, unsigned short, 4, 8)
TENON_EMULATED_VECTORS(int, int, 8, 16)
TENON_EMULATED_VECTORS(uint, unsigned int, 8, 16)
TENON_EMULATED_VECTORS(long, long, 16, 16)
TENON_EMULATED_VECTORS(ulong, unsigned long, 16, 16)
TENON_EMULATED_VECTORS(longlong, long long, 16, 16)
TENON_EMULATED_VECTORS(ulonglong, unsigned long long, 16, 16)
TENON_EMULATED_VECTORS(float, float, 8, 16)
TENON_EMULATED_VECTORS(double, double, 16, 16)

#undef TENON_EMULATED_VECTORS
#undef TENON_EMULATED_VECTOR_4
#undef TENON_EMULATED_VECTOR_3
#undef TENON_EMULATED_VECTOR_2
#undef TENON_EMULATED_VECTOR_1

struct dim3 {
  unsigned int x = 1;
  unsigned int y = 1;
  unsigned int z = 1;
};
// NOLINTEND(readability-identifier-naming)
