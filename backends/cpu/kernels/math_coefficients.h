// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_coefficients.h: the polynomials of math-inl.h and math_wide-inl.h,
// lowest power first. Written by tools/minimax.py, which says what each stands for.
#pragma once

namespace tenon::cpu {

// Error at most 2^-25.8.
inline constexpr float kExpF32[] = {
    0x1.fffffep-2f, 0x1.5554bp-3f, 0x1.555674p-5f, 0x1.1227f6p-7f, 0x1.6bebecp-10f,
};
// Error at most 2^-28.7.
inline constexpr float kExpLongF32[] = {
    0x1.0p-1f, 0x1.555554p-3f, 0x1.5554bp-5f, 0x1.11118ap-7f, 0x1.6d7296p-10f, 0x1.a032aap-13f,
};
// Error at most 2^-59.7.
inline constexpr double kExpF64[] = {
    0x1.0p-1,
    0x1.5555555555559p-3,
    0x1.555555555553ep-5,
    0x1.111111110f6aap-7,
    0x1.6c16c16c1f17ap-10,
    0x1.a01a01afe9ac5p-13,
    0x1.a01a017b90019p-16,
    0x1.71ddf841f1392p-19,
    0x1.27e5366baa4abp-22,
    0x1.af5ee86be0de6p-26,
    0x1.1ee876872ad0cp-29,
};
// Error at most 2^-29.0.
inline constexpr double kExpWide[] = {
    0x1.0000000265d8p+0,  0x1.0000009cf4813p+0, 0x1.fffffaa71cd61p-2,  0x1.55540927a17bbp-3,
    0x1.55589daa2c347p-5, 0x1.126dbf879cce2p-7, 0x1.6ab8c6495028fp-10,
};
// Error at most 2^-27.4.
inline constexpr float kLogF32[] = {
    -0x1.fffff8p-2f, 0x1.55555p-2f,   -0x1.000428p-2f, 0x1.99a4p-3f,    -0x1.5426fep-3f,
    0x1.227054p-3f,  -0x1.0f39ecp-3f, 0x1.085246p-3f,  -0x1.383c34p-4f,
};
// Error at most 2^-58.1.
inline constexpr double kLogF64[] = {
    0x1.5555555555593p-1, 0x1.999999997fb33p-2, 0x1.2492494217936p-2, 0x1.c71c51e8009cep-3,
    0x1.7466462b06a81p-3, 0x1.39a0f521e2ec7p-3, 0x1.2f0d8d990836fp-3,
};
// Error at most 2^-35.8.
inline constexpr double kLog2Wide[] = {
    0x1.71547652a1d16p+0, -0x1.715476565f536p-1, 0x1.ec709ebc7c7bdp-2, -0x1.715470956e32p-2,
    0x1.277651a450e06p-2, -0x1.ec72b5b9bdf63p-3, 0x1.a63f5b7fa9821p-3, -0x1.7141883bd4fd9p-3,
    0x1.4527e3d72bd13p-3, -0x1.252ceee094463p-3, 0x1.2876cf794f7bp-3,  -0x1.2497afdc82c77p-3,
    0x1.3cf9798fdd01ap-4,
};
// Error at most 2^-27.5.
inline constexpr float kTanhF32[] = {
    -0x1.55553cp-2f, 0x1.110be2p-3f, -0x1.b96222p-5f,  0x1.600994p-6f,
    -0x1.0460c8p-7f, 0x1.2da502p-9f, -0x1.77dd46p-12f,
};
// Error at most 2^-28.6.
inline constexpr float kErfF32[] = {
    0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2cf8p-4f,  -0x1.b7f90ep-6f,
    0x1.5405b2p-8f, -0x1.a3f7p-11f,  0x1.496a2ap-14f,
};
// Error at most 2^-27.8.
inline constexpr float kErfLargeF32[] = {
    0x1.ff9d68p-1f,   0x1.f9f9a8p-9f,   -0x1.2d698cp-7f, 0x1.b4a4bp-7f,
    -0x1.a3bc46p-7f,  0x1.0d0e0ap-7f,   -0x1.974d5ep-9f, 0x1.533cf4p-13f,
    0x1.2c384p-11f,   -0x1.60f3e8p-12f, 0x1.d0641ap-15f, 0x1.148d28p-15f,
    -0x1.489ba6p-16f, 0x1.8f0398p-20f,  0x1.930d72p-20f, -0x1.76eadp-22f,
};
// Error at most 2^-37.7.
inline constexpr double kSinWide[] = {
    0x1.fffffffff5fc3p-1,   -0x1.55555548e0c59p-3, 0x1.11110716e92d5p-7,
    -0x1.a00ec5f51605ep-13, 0x1.6cb065192b2bdp-19,
};
// Error at most 2^-34.1.
inline constexpr double kCosWide[] = {
    0x1.ffffffff8496ap-1,   -0x1.ffffffb655738p-2, 0x1.555538a10e517p-5,
    -0x1.6c06e9c740275p-10, 0x1.98e77d5af36a8p-16,
};
// Error at most 2^-28.2.
inline constexpr double kNormalTailWide[] = {
    0x1.5845dcb038b4fp-1,   -0x1.535bb1afd79f6p-2, 0x1.d7d0c9c1c0117p-6,   0x1.2cce1033c0eb7p-5,
    -0x1.ec0d8d083443ep-12, -0x1.b9544ac6c36a2p-8, -0x1.001f1cba19226p-9,  0x1.aef1b95a287aep-11,
    0x1.b94b39e7d92d3p-11,  0x1.1e7d75871a915p-13, -0x1.40a96deb08391p-13, -0x1.1f31f820ffc7fp-14,
};

}  // namespace tenon::cpu
