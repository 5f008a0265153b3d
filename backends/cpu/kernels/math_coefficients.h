// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/math_coefficients.h: the polynomials of math*-inl.h, lowest power first.
// Written by tools/minimax.py, which says what each stands for.
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
// Error at most 2^-56.4.
inline constexpr double kSinF64[] = {
    -0x1.5555555555548p-3, 0x1.111111110f7cap-7, -0x1.a01a019bfd187p-13,
    0x1.71de356712a92p-19, -0x1.ae5e59f5cd7p-26, 0x1.5d8fa32e7d29fp-33,
};
// Error at most 2^-59.6.
inline constexpr double kCosF64[] = {
    0x1.555555555554bp-5,   -0x1.6c16c16c14f8ap-10, 0x1.a01a019c83911p-16,
    -0x1.27e4f7ea37b73p-22, 0x1.1ee9d752b1b69p-29,  -0x1.8fa4660328394p-37,
};
// Error at most 2^-65.7.
inline constexpr double kPowLogF64[] = {
    0x1.9999999999b33p-2, 0x1.24924924577fcp-2, 0x1.c71c722de3eacp-3, 0x1.745ce9b6a53p-3,
    0x1.3b1ef464dac94p-3, 0x1.0f7f2075dad82p-3, 0x1.0e4a3182174fap-3,
};
// Error at most 2^-34.0.
inline constexpr double kAtanWide[] = {
    0x1.ffffffff7ec4dp-1, -0x1.5555542698816p-2, 0x1.9999238e6ce9cp-3, -0x1.2489326f9b6fep-3,
    0x1.c66110bcbd13ap-4, -0x1.6fd4a1f2fc617p-4, 0x1.28c8ddfc2ae97p-4, -0x1.bca78eb6695f6p-5,
    0x1.183ec5f8067b3p-5, -0x1.07f952f1c841cp-6, 0x1.3de939430fa6fp-8, -0x1.67075f62caff2p-11,
};
// Error at most 2^-57.4.
inline constexpr double kAtanF64[] = {
    -0x1.555555555553dp-2, 0x1.99999999957bep-3, -0x1.24924922a9e84p-3, 0x1.c71c70e4e48a4p-4,
    -0x1.745cf8be949ffp-4, 0x1.3b11173b9656cp-4, -0x1.10eba4b15c46dp-4, 0x1.df0e4328369f2p-5,
    -0x1.9cce65e2723p-5,   0x1.37cb476bf5465p-5, -0x1.2554e5aa2740dp-6,
};
// Error at most 2^-56.8.
inline constexpr double kSinhF64[] = {
    0x1.5555555555555p-3,  0x1.1111111111111p-7,  0x1.a01a01a019fc1p-13, 0x1.71de3a5573f79p-19,
    0x1.ae6456741b943p-26, 0x1.61246afa2ac46p-33, 0x1.ae756e9ae8babp-41, 0x1.9a794080175p-49,
};
// Error at most 2^-56.3.
inline constexpr double kErfF64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379e6p-2,  0x1.ce2f21a042b2p-4,   -0x1.b82ce3128499cp-6,
    0x1.565bcd0db02dep-8,  -0x1.c02db3d8ed15ap-11, 0x1.f9a321a11c54ep-14, -0x1.f4d1df3931e28p-17,
    0x1.b9def19cd0492p-20, -0x1.5f1d36b9b9a01p-23, 0x1.f7a411dd4bb1p-27,  -0x1.386abfea0d5fbp-30,
    0x1.0579a8b51cc21p-34,
};
// Error at most 2^-58.0.
inline constexpr double kLogErfcF64[] = {
    -0x1.51c9b0006c23cp+1,  -0x1.afabc11a2900bp-1,  -0x1.5477f09c924f4p-5,  0x1.48c9d4070d0afp-7,
    -0x1.033f68f2217a2p-9,  0x1.f1b48652753e7p-13,  0x1.b8c44ca7fe19ap-16,  -0x1.c76902d8463ebp-16,
    0x1.4192b0d61a906p-17,  -0x1.1011e165058d8p-19, 0x1.dd06bc10e644ap-24,  0x1.03b1ede6cf149p-23,
    -0x1.172dc7c6d84fap-24, 0x1.5c7c62c04133fp-26,  -0x1.352ef06ff2b0ep-28, 0x1.8cf9eebbdf048p-31,
    -0x1.60f55ed75994cp-34, 0x1.856fcf4e4f5dep-38,  -0x1.9138d71bfac8p-43,
};
// Error at most 2^-28.2.
inline constexpr double kNormalTailWide[] = {
    0x1.5845dcb038b4fp-1,   -0x1.535bb1afd79f6p-2, 0x1.d7d0c9c1c0117p-6,   0x1.2cce1033c0eb7p-5,
    -0x1.ec0d8d083443ep-12, -0x1.b9544ac6c36a2p-8, -0x1.001f1cba19226p-9,  0x1.aef1b95a287aep-11,
    0x1.b94b39e7d92d3p-11,  0x1.1e7d75871a915p-13, -0x1.40a96deb08391p-13, -0x1.1f31f820ffc7fp-14,
};
// Error at most 2^-53.8.
inline constexpr double kNormalTailF64[] = {
    0x1.89d3abe1f95aep-1,   -0x1.54ad03f27ca18p-1, 0x1.fb31653876f89p-2,   -0x1.410ed5f87594dp-2,
    0x1.51f6329f01b93p-3,   -0x1.1b1c254ca3ecfp-4, 0x1.54b4d4f48ba7ep-6,   -0x1.88590e987538ep-9,
    -0x1.a2503779f704ep-11, 0x1.1daf1ae44a3f2p-11, -0x1.f21492159627fp-15, -0x1.a17014bb554b2p-15,
    0x1.17df0b502bc19p-16,  0x1.0b15068ba2663p-18, -0x1.73dfc6ea59011p-19, -0x1.674ddb2fb784bp-22,
    0x1.d45db7fb5c51fp-22,  0x1.5998f637d334cp-25, -0x1.2cb932995e67cp-24, -0x1.268ebfa124d52p-27,
    0x1.6fc644aab0dd2p-27,  0x1.2ef875eb01d28p-29, -0x1.36ce78026164ap-30, -0x1.966a0785b136ap-32,
};

}  // namespace tenon::cpu
