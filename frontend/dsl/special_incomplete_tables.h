// Coefficients of tc::special, lowest first: written by tools/special/fit_incomplete.py.
#pragma once

namespace tc::special::tables {

// (atanh(s) / s - 1) / s^2 in s^2: the series.
inline constexpr double kAtanhRest[] = {
    0x1.5555555555555p-2, 0x1.999999999999ap-3, 0x1.2492492492492p-3, 0x1.c71c71c71c71cp-4, 0x1.745d1745d1746p-4,
    0x1.3b13b13b13b14p-4, 0x1.1111111111111p-4, 0x1.e1e1e1e1e1e1ep-5, 0x1.af286bca1af28p-5, 0x1.8618618618618p-5,
    0x1.642c8590b2164p-5, 0x1.47ae147ae147bp-5, 0x1.2f684bda12f68p-5, 0x1.1a7b9611a7b96p-5, 0x1.0842108421084p-5,
    0x1.f07c1f07c1f08p-6, 0x1.d41d41d41d41dp-6, 0x1.bacf914c1bad0p-6, 0x1.a41a41a41a41ap-6, 0x1.8f9c18f9c18fap-6,
    0x1.7d05f417d05f4p-6, 0x1.6c16c16c16c17p-6};
// (gamma(1 + a) - 1) / a in 2 a - 1, 0 <= a <= 1.
inline constexpr double kGammaRise[] = {
    -0x1.d203b725884abp-3,  0x1.0a1f2cb08ee8cp-2,  -0x1.ade5f6ebf3f01p-5,  0x1.a4512c0db925fp-6,
    -0x1.f055626338042p-8,  0x1.659924fc63dc5p-9,  -0x1.d61f256ae1a8ep-11, 0x1.3d9e9f3cb39d3p-12,
    -0x1.a7d4ef9a7a3eep-14, 0x1.1b518c369fa8bp-15, -0x1.7a2274dac3785p-17, 0x1.f89129e746d79p-19,
    -0x1.50851d2151249p-20, 0x1.c0cfa6093c6dfp-22, -0x1.2b3d3d8572cabp-23, 0x1.8f05e95ed02b9p-25,
    -0x1.0a441d5f0ac35p-26, 0x1.63088e717f136p-28, -0x1.d436123150e0fp-30, 0x1.382507c36ae0fp-31,
    -0x1.c68e0d8f3db3dp-33, 0x1.2f09af22ffafap-34, -0x1.b973757cb3f77p-37, 0x1.264d2aaea9438p-38,
    -0x1.6129abb94f521p-38, 0x1.d6e2450b333b7p-40};
// The factor of a^-0 in eta.
inline constexpr double kTemme0[] = {-0x1.5555555555555p-2,  0x1.5555555555555p-4,   -0x1.e573ac901e574p-7,
                                     0x1.2f684bda12f68p-10,  0x1.71de3a556c734p-12,  -0x1.76e06fec7273bp-13,
                                     0x1.48c5892f7cd83p-15,  -0x1.255370652afc1p-19, -0x1.f1b22f594c6b5p-20,
                                     0x1.bd6d21e4b4109p-21,  -0x1.7b5f9a2d0465cp-23, 0x1.ccf5ceb7f0d9fp-28,
                                     0x1.6097d55c37c1cp-27,  -0x1.2d2197c7a2faap-28, 0x1.f6e66d24d5c8ap-31,
                                     -0x1.c0d9b6edf2b0bp-36, -0x1.0070a87340428p-34, 0x1.ac9475c463659p-36,
                                     -0x1.61ca701fd754ap-38, 0x1.ef98008f5eec2p-44,  0x1.7ba0759769d7cp-42};
// The factor of a^-1 in eta.
inline constexpr double kTemme1[] = {
    -0x1.e573ac901e574p-10, -0x1.c71c71c71c71cp-9,  0x1.5ac056b015ac0p-9,   -0x1.0394f6f09e723p-10,
    0x1.af83440e53dbcp-13,  -0x1.af83440e53dbcp-22, -0x1.2fa4ae89e5af0p-16, 0x1.00a9cabd6b83ep-17,
    -0x1.b0bdfcc629cbap-20, 0x1.3f59230a8357cp-28,  0x1.280f2cde3f847p-23,  -0x1.ee23d0cba8aeep-25,
    0x1.9aa7a30de114cp-27,  -0x1.349fbca3a377bp-36, -0x1.1564ecff73d58p-30, 0x1.c9b434bf3c34ep-32,
    -0x1.78a5056f8ce45p-34, 0x1.113e3a466db9ep-44,  0x1.f8041c5540ea2p-38,  -0x1.9ccf2fab4608bp-39};
// The factor of a^-2 in eta.
inline constexpr double kTemme2[] = {0x1.0ee643b990ee6p-8,   -0x1.5f7268edab4c8p-9,  0x1.948b0fcd6e9e0p-11,
                                     0x1.0db20a88f4696p-19,  -0x1.c253efaa1a932p-14, 0x1.bbf43daf4fe53p-15,
                                     -0x1.ac2d05890f2c3p-17, 0x1.26154ae39151dp-25,  0x1.7058929663937p-20,
                                     -0x1.522cb05171911p-21, 0x1.32ac81c15d3d7p-23,  -0x1.c24bd0e740a6cp-33,
                                     -0x1.e437343a46f5dp-27, 0x1.ac0d455e25360p-28,  -0x1.77c5829460139p-30,
                                     0x1.0962774f638bbp-40,  0x1.1b1056c188672p-33,  -0x1.e9778dbc61371p-35};
// The factor of a^-3 in eta.
inline constexpr double kTemme3[] = {0x1.547d93b34e2b6p-11,  0x1.e13ce465fa859p-13,  -0x1.ebfb188b7ca00p-12,
                                     0x1.18b9b5bf2d984p-12,  -0x1.3d2a3a29b5d9dp-14, -0x1.0152a1871f27ap-22,
                                     0x1.73df462204ef4p-17,  -0x1.7cd6f27b3f020p-18, 0x1.7e0201539310ep-20,
                                     -0x1.ea23269c140a7p-36, -0x1.6c2dcffbefeefp-23, 0x1.5bde8ef4c4dc7p-24,
                                     -0x1.4853ced169327p-26, 0x1.50c3f0dd501ebp-39,  0x1.1b66a39794ba9p-29,
                                     -0x1.040c53b2491f0p-30, 0x1.d9b15465daec1p-33};
// The factor of a^-4 in eta.
inline constexpr double kTemme4[] = {-0x1.c3e0b02da7bf9p-11, 0x1.9b0ff6874f2c4p-11,  -0x1.3999a85a4237ap-12,
                                     -0x1.88f2ae1def9d0p-20, 0x1.16908b48ce058p-14,  -0x1.4ce3fd902bcadp-15,
                                     0x1.7db4c02846e81p-17,  0x1.13b3c5b7cb45ep-32,  -0x1.c71c074985d3fp-20,
                                     0x1.de37d9f09164cp-21,  -0x1.ec676cf33153cp-23, 0x1.041515bab6adap-35,
                                     0x1.efe94304ac16bp-26,  -0x1.e78e449f4e3bep-27, 0x1.d9a9f1a8b7696p-29};
// The factor of a^-5 in eta.
inline constexpr double kTemme5[] = {-0x1.6128ac5a4fa71p-12, -0x1.247604839c038p-14, 0x1.22be87360ef1fp-12,
                                     -0x1.a2042c5148e27p-13, 0x1.1d1e9cb24760bp-14,  0x1.30bdcf208080ep-23,
                                     -0x1.c823fc1b3cc36p-17, 0x1.0d0e229150428p-17,  -0x1.338eb19652fd9p-19,
                                     -0x1.659cfde0bb2ebp-32, 0x1.741504e5c87c2p-22,  -0x1.8c267becd0c0fp-23,
                                     0x1.9e630225a095bp-25};
// The factor of a^-6 in eta.
inline constexpr double kTemme6[] = {0x1.168ef1b0931c8p-11,  -0x1.36773bdb97b48p-11, 0x1.1c0950d3ecb9dp-12,
                                     0x1.a8411da6cab49p-21,  -0x1.5600945495b37p-14, 0x1.d6bdf83130dc1p-15,
                                     -0x1.3382f4cf48618p-16, -0x1.a74243fa27729p-29, 0x1.d115d4f5dcc68p-19,
                                     -0x1.10587854fcb37p-19, 0x1.36c8903447d35p-21};
// The factor of a^-7 in eta.
inline constexpr double kTemme7[] = {0x1.691879c01efb4p-12, 0x1.b1d75d3346711p-15,  -0x1.5f3385098cebfp-12,
                                     0x1.26eeb5ece1d9fp-12, -0x1.cc642787368cep-14, -0x1.119c70312e0a2p-23,
                                     0x1.d179830b113abp-16, -0x1.3269164e3e304p-16, 0x1.8467d794bd7f2p-18,
                                     0x1.0f82da50cdaeep-31, -0x1.1c6acec59f442p-20};
// The factor of a^-8 in eta.
inline constexpr double kTemme8[] = {-0x1.5629b3187b744p-11, 0x1.b8239c670e690p-11, -0x1.cb967b4446107p-12,
                                     -0x1.762676b30cfd6p-21, 0x1.5d1157082916dp-13, -0x1.0c16fcea7ddb2p-13,
                                     0x1.84637d3f583cdp-15,  0x1.3937992ec9b02p-28, -0x1.6384af9ac219dp-17};
// The factor of a^-9 in eta.
inline constexpr double kTemme9[] = {-0x1.38dff1cc96982p-11, -0x1.2e31f9b7913eap-14, 0x1.63969bb825829p-11,
                                     -0x1.4f9f2582dd0a5p-11, 0x1.22fb20c28e8a0p-12,  0x1.86c71c8cebf16p-23,
                                     -0x1.63a803aebc9b7p-14, 0x1.00120036172b0p-14};
// The factor of a^-10 in eta.
inline constexpr double kTemme10[] = {0x1.5d4ae684527bfp-10, -0x1.f5dbcaf756cdep-10, 0x1.22b37f1b46951p-10,
                                      0x1.0a9ef61e90004p-20, -0x1.0aba998a532bfp-11, 0x1.c01c0b52c3345p-12};
// The factor of a^-11 in eta.
inline constexpr double kTemme11[] = {0x1.9e1dba8ec5904p-10, 0x1.54d241144693fp-13, -0x1.0e7245b5e0240p-9};
// (exp(z) - 1 - z) / z^2 in z: the series.
inline constexpr double kExpRest[] = {
    0x1.0000000000000p-1,  0x1.5555555555555p-3,  0x1.5555555555555p-5,  0x1.1111111111111p-7,  0x1.6c16c16c16c17p-10,
    0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-16, 0x1.71de3a556c734p-19, 0x1.27e4fb7789f5cp-22, 0x1.ae64567f544e4p-26,
    0x1.1eed8eff8d898p-29, 0x1.6124613a86d09p-33, 0x1.93974a8c07c9dp-37, 0x1.ae7f3e733b81fp-41, 0x1.ae7f3e733b81fp-45,
    0x1.952c77030ad4ap-49, 0x1.6827863b97d97p-53};
// (sinh(t) - t) / t^3 in t^2, |t| < 1: the series.
inline constexpr double kSinhRest[] = {0x1.5555555555555p-3,  0x1.1111111111111p-7,  0x1.a01a01a01a01ap-13,
                                       0x1.71de3a556c734p-19, 0x1.ae64567f544e4p-26, 0x1.6124613a86d09p-33,
                                       0x1.ae7f3e733b81fp-41, 0x1.952c77030ad4ap-49, 0x1.2f49b46814157p-57};
// (t - sin(t)) / t^3 in t^2, |t| <= pi: the series.
inline constexpr double kSinRest[] = {0x1.5555555555555p-3,    -0x1.1111111111111p-7,   0x1.a01a01a01a01ap-13,
                                      -0x1.71de3a556c734p-19,  0x1.ae64567f544e4p-26,   -0x1.6124613a86d09p-33,
                                      0x1.ae7f3e733b81fp-41,   -0x1.952c77030ad4ap-49,  0x1.2f49b46814157p-57,
                                      -0x1.71b8ef6dcf572p-66,  0x1.761b41316381ap-75,   -0x1.3f3ccdd165fa9p-84,
                                      0x1.d1ab1c2dccea3p-94,   -0x1.259f98b4358adp-103, 0x1.434d2e783f5bcp-113,
                                      -0x1.3981254dd0d52p-123, 0x1.0dc59c716d91fp-133};
// The nodes of Gauss and Legendre on [0, 1].
inline constexpr double kNodes[] = {
    0x1.66a18fbf64a0fp-10, 0x1.d77b63ad0c91bp-8, 0x1.20aae7fac455ap-6, 0x1.0a9fed30405eep-5, 0x1.a8ab25d459a36p-5,
    0x1.347ec0a5e57b4p-4,  0x1.a4e5adf8ed0ebp-4, 0x1.123ed9c52d88dp-3, 0x1.590aec76f00edp-3, 0x1.a62dd72d3a6b8p-3,
    0x1.f8ef3af329ac5p-3,  0x1.2844a541c8387p-2, 0x1.5615518d42105p-2, 0x1.857c20798fdadp-2, 0x1.b607c563a0372p-2,
    0x1.e74437b7733b6p-2,  0x1.0c5de42446625p-1, 0x1.24fc1d4e2fe47p-1, 0x1.3d41efc338129p-1, 0x1.54f557395ef7dp-1,
    0x1.6bddad5f1be3cp-1,  0x1.81c431433594fp-1, 0x1.96748a34b1652p-1, 0x1.a9bd44e243fc5p-1, 0x1.bb70498eb49ddp-1,
    0x1.cb634a40e25e3p-1,  0x1.d97027eb43509p-1, 0x1.e5754da2ba65dp-1, 0x1.ef56012cfbfa1p-1, 0x1.f6faa8c029dd5p-1,
    0x1.fc510938a5e6ep-1,  0x1.ff4caf38204dbp-1};
// Their weights.
inline constexpr double kWeights[] = {
    0x1.cbf8bc743cc5cp-9, 0x1.0aa3c248696c9p-7, 0x1.a0060a8531ffap-7, 0x1.18c5800a355d9p-6, 0x1.5ee963a335495p-6,
    0x1.a1c6ae961fbfap-6, 0x1.e0bd76c924981p-6, 0x1.0d9b9a62cac10p-5, 0x1.2854103b35e0cp-5, 0x1.40483e126fd14p-5,
    0x1.553ee25ebebc6p-5, 0x1.6705e18e13ed1p-5, 0x1.7572bdb3f6e51p-5, 0x1.8062fc0f6fef9p-5, 0x1.87bc776f8c6d7p-5,
    0x1.8b6d9eaec77adp-5, 0x1.8b6d9eaec77adp-5, 0x1.87bc776f8c6d7p-5, 0x1.8062fc0f6fef9p-5, 0x1.7572bdb3f6e51p-5,
    0x1.6705e18e13ed1p-5, 0x1.553ee25ebebc6p-5, 0x1.40483e126fd14p-5, 0x1.2854103b35e0cp-5, 0x1.0d9b9a62cac10p-5,
    0x1.e0bd76c924981p-6, 0x1.a1c6ae961fbfap-6, 0x1.5ee963a335495p-6, 0x1.18c5800a355d9p-6, 0x1.a0060a8531ffap-7,
    0x1.0aa3c248696c9p-7, 0x1.cbf8bc743cc5cp-9};

}  // namespace tc::special::tables
