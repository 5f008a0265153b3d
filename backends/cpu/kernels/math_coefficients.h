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
// Error at most 2^-55.9.
inline constexpr double kLogGammaF64[] = {
    0x1.b0ee6072093cep-2,  -0x1.9ae6509ea109fp-4,  0x1.0e0c9df293525p-5,   -0x1.95ce223a9cb28p-7,
    0x1.47974853abf58p-8,  -0x1.145121f9a4625p-9,  0x1.dfebcf8cd235p-11,   -0x1.a96a400bd027ap-12,
    0x1.7ed734117fb78p-13, -0x1.5c86b750de927p-14, 0x1.402f02319bd13p-15,  -0x1.285035cceb67bp-16,
    0x1.13e56e693cd5cp-17, -0x1.0232e2afb6bc1p-18, 0x1.e52f91f512358p-20,  -0x1.c9a7e329f3a01p-21,
    0x1.b37975c60dcafp-22, -0x1.9e751577a1368p-23, 0x1.779b9138fadb2p-24,  -0x1.5fd35226db4bap-25,
    0x1.c310af6817e8dp-26, -0x1.ce2399af6f985p-27, -0x1.a5bcdaca6a294p-31, 0x1.2321e40a18e16p-30,
    0x1.52e57f0d809f7p-28, -0x1.781804f8e6002p-29, -0x1.7e646f2222bb5p-30, 0x1.ae5c2029b4362p-31,
    0x1.d2f86c8effc33p-32, -0x1.e5dc351561a64p-33,
};
// Error at most 2^-53.9.
inline constexpr double kDigammaF64[] = {
    0x1.9213d46736ba4p-1,  -0x1.0aff270ca07a7p-2,  0x1.be76b26db7fc2p-4,   -0x1.95ec0c3ba93cdp-5,
    0x1.802924f9b144cp-6,  -0x1.7389aa80a819ap-7,  0x1.6bdf5e15909b3p-8,   -0x1.6714cfd9c08d8p-9,
    0x1.64076134dfca9p-10, -0x1.620f07d90e00bp-11, 0x1.60c65f786ff19p-12,  -0x1.5feef7dce2db8p-13,
    0x1.5f65d7b5b1b8cp-14, -0x1.5f0a671f4234bp-15, 0x1.5e7fa012d2935p-16,  -0x1.5e3a5c5169228p-17,
    0x1.61a379b6e427cp-18, -0x1.629036eb46c5cp-19, 0x1.44eae0a6a44dep-20,  -0x1.3e74f5f61afacp-21,
    0x1.f1d5c75f7eda8p-22, -0x1.079b88c9c1f47p-22, -0x1.f254fc84b079fp-25, 0x1.5620ab79f44f8p-25,
    0x1.f362ee010d684p-24, -0x1.11dd1f004aae6p-24, -0x1.3518ccc630d76p-25, 0x1.52d93fc725d44p-26,
    0x1.5fe45ac2f9c0ep-27, -0x1.704edcf1f12cep-28,
};
// Error at most 2^-63.0.
inline constexpr double kLogGammaFarF64[] = {
    0x1.5555555555516p-4,   -0x1.6c16c169f2b65p-9, 0x1.a019f4bd2297p-11,
    -0x1.380a5813dec59p-11, 0x1.b5f2af28f444dp-11, -0x1.a5ca7e661492p-10,
};
// Error at most 2^-64.1.
inline constexpr double kDigammaFarF64[] = {
    0x1.5555555555544p-4, -0x1.11111110deda2p-7, 0x1.04104034f476bp-8, -0x1.111042824e50cp-8,
    0x1.f00bfbefa2a42p-8, -0x1.51071a1ac407ap-6, 0x1.f5648185fd60dp-5,
};
// Error at most 2^-60.4.
inline constexpr double kTrigammaFarF64[] = {
    0x1.55555555554f6p-3, -0x1.1111111076981p-5, 0x1.86185edda53a7p-6, -0x1.110faca6b2bd3p-5,
    0x1.35e8f6f4d9a8bp-4, -0x1.f67fd08750bebp-3, 0x1.a79db3ae39ef5p-1,
};
// Error at most 2^-57.5.
inline constexpr double kErfInverseF64[] = {
    0x1.db29fb2fee57dp-3,   0x1.053c2c0ac2796p-3, 0x1.62847c3e4312ap-4,  0x1.0a131b2195b2ep-4,
    0x1.a7c7901d5fd4cp-5,   0x1.5f009a2b2c346p-5, 0x1.29231241ddb87p-5,  0x1.19c56c20fbf96p-5,
    -0x1.18a580851d16bp-11, 0x1.072e1a70022d6p-2, -0x1.74e9450f7d18bp+0, 0x1.df3e6ae720f63p+2,
    -0x1.dff8274616ac7p+4,  0x1.811b7f6107179p+6, -0x1.eb7394d2e80d2p+7, 0x1.f0157f6adf693p+8,
    -0x1.86f0287da5778p+9,  0x1.d72aed6d4c86fp+9, -0x1.a39e780e13d9fp+9, 0x1.049b8c40171bep+9,
    -0x1.93eb0d3a0b49ep+7,  0x1.276f910ab8edp+5,
};
// Error at most 2^-55.8.
inline constexpr double kErfInverseTailF64[] = {
    -0x1.53c6712bd679p-2,  0x1.95f038be00a4dp-3,  0x1.b33e45697bad5p-3,  -0x1.d959385d7ec31p-3,
    0x1.7d56d386e4a77p-3,  -0x1.cf7bea8057613p-5, -0x1.315bab3758981p-5, 0x1.7ccb54042849dp-4,
    -0x1.464444d75728bp-4, 0x1.2211cf77abbaap-5,  0x1.65a5232f013dbp-6,  -0x1.ab416a7d0f0aap-5,
    0x1.adefe91a89f17p-5,  -0x1.69ce59837e4bcp-6, -0x1.ac805d968c6b1p-7, 0x1.3864e6be5e032p-5,
    -0x1.2a1b85aaab7d6p-5, 0x1.ce1956cc18024p-7,  0x1.b99b420687b2p-7,   -0x1.3403291881834p-6,
    0x1.752b2d8a0efd5p-8,  0x1.a3d4f64ff9f0ep-9,
};

}  // namespace tenon::cpu
