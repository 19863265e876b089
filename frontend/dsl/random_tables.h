// Coefficients of tc::random, lowest first: written by tools/random/fit.py.
#pragma once

namespace tc::random::tables {

// (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2, |s| < 0.1716.
inline constexpr double kLog32[] = {0x1.55555b7f8de11p-1, 0x1.997c305d84f6dp-2, 0x1.2ee610023bfcfp-2};
// (exp(r) - 1 - r) / r^2 in r, |r| < log(2) / 2.
inline constexpr double kExp32[] = {0x1.0000000000000p-1, 0x1.5554dd04e58bep-3, 0x1.55551933893e6p-5,
                                    0x1.120b616c43f75p-7, 0x1.6d10fc65baf1cp-10};
// Normal numbers: by 2 u - 1, in (w - 2.5) / 2.5, w < 5.
inline constexpr double kNormalNear32[] = {0x1.0fc8bc55fe004p+1,   0x1.be77ac98ae5f3p-1,  -0x1.2e78e1e8a12d7p-5,
                                           -0x1.c5e8c1703044ep-6,  0x1.8b304f1148ba6p-7,  -0x1.3d2bc570584c1p-11,
                                           -0x1.38b0e1e4127a0p-10, 0x1.35bf173596208p-12, 0x1.99363f9a3d05dp-15};
// In sqrt(w) - 3.2, w from 5 to 17.
inline constexpr double kNormalFar32[] = {0x1.1292cc809033ep+2,  0x1.6bbccde2c01dep+0,   0x1.14f63b06b2b55p-7,
                                          -0x1.8dfb4810b14f4p-8, 0x1.0ee0190c1a1b7p-8,   -0x1.71872953f41b3p-9,
                                          0x1.ae8cd0fb97684p-10, -0x1.09bec2a7fc874p-11, -0x1.5ad0a986d2298p-13,
                                          0x1.2803e31a5968bp-13};
// sin(pi y) / y in y^2, |y| <= 1/4.
inline constexpr double kSine32[] = {0x1.921fb5443b587p+1, -0x1.4abbce56ae6e6p+2, 0x1.466bbac8a54e8p+1,
                                     -0x1.32ca9d79fc665p-1, 0x1.4bc85ccb213adp-4};
// cos(pi y) in y^2, |y| <= 1/4.
inline constexpr double kCosine32[] = {0x1.ffffffff9785fp-1, -0x1.3bd3cc7313b31p+2, 0x1.03c1dc16cde6ep+2,
                                       -0x1.55c57912f05fdp+0, 0x1.d9c2e7f15bcf2p-3};
// (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2, |s| < 0.1716.
inline constexpr double kLog64[] = {0x1.5555555555555p-1, 0x1.9999999999998p-2, 0x1.2492492492959p-2,
                                    0x1.c71c71c64c8ccp-3, 0x1.745d17d35328cp-3, 0x1.3b137b347f3c2p-3,
                                    0x1.111d273ca8a70p-3, 0x1.debedbffa1d9ep-4, 0x1.e6afc55fa9490p-4};
// (exp(r) - 1 - r) / r^2 in r, |r| < log(2) / 2.
inline constexpr double kExp64[] = {0x1.0000000000000p-1,  0x1.5555555555555p-3,  0x1.5555555555557p-5,
                                    0x1.1111111111111p-7,  0x1.6c16c16c15a6cp-10, 0x1.a01a01a0196aep-13,
                                    0x1.a01a01a9e80fep-16, 0x1.71de3a5aa6edbp-19, 0x1.27e4d41d6f553p-22,
                                    0x1.ae642c8730352p-26, 0x1.1f7f2000f4cf3p-29, 0x1.61bfa22dd3437p-33};
// Normal numbers: by 2 u - 1, in (w - 3) / 3, w < 6.
inline constexpr double kNormalNear64[] = {
    0x1.25e47a9d5da59p+1,   0x1.06704b7d927e5p+0,   -0x1.2b26437a1da75p-4,  -0x1.058f10340d44cp-5,
    0x1.6e17be42b3477p-6,   -0x1.1e653dfa3cb2bp-8,  -0x1.d86a70a06a037p-10, 0x1.6cd6f86670234p-10,
    -0x1.ccf3fad4c531cp-13, -0x1.3f26f57f9db46p-13, 0x1.8510c358e17c3p-14,  -0x1.083fab98cf641p-17,
    -0x1.b5022b4660121p-17, 0x1.98cd00df449f8p-18,  0x1.6b8501b2449fbp-25,  -0x1.232c85e1d0477p-20,
    0x1.9dc9fd631f842p-22,  0x1.09f31a083f4a3p-24,  -0x1.7cd113d3c6698p-24, 0x1.b948ed0f464ffp-27,
    0x1.542a044b28bcdp-27,  -0x1.537322b3d6d2dp-29, -0x1.d14daf3b1f30ap-32};
// In sqrt(w) - 3.2, w from 6 to 16.
inline constexpr double kNormalMiddle64[] = {
    0x1.1292cce89cfcfp+2,   0x1.6bbccdf08e706p+0,   0x1.14cd66cdbc8d5p-7,   -0x1.8dfdcab06bb43p-8,
    0x1.117cd55e93d47p-8,   -0x1.716eaf442548bp-9,  0x1.8fd009d51b4f8p-10,  -0x1.094535b370877p-11,
    -0x1.2314fea124d3cp-16, 0x1.157cfbb9daf23p-13,  -0x1.3d90a830e0fd6p-14, 0x1.d3ee2203d0528p-17,
    0x1.15759120946e3p-17,  -0x1.db88fb9d41e55p-18, 0x1.11e877e10702dp-19,  0x1.45edef808fb1ap-22,
    -0x1.2dbf691f51f94p-21, 0x1.b390310dfc375p-23,  0x1.0d3d1a2a56136p-25,  -0x1.1ab59cbe5947dp-25};
// In sqrt(w) - 5, w from 16 to 37.
inline constexpr double kNormalFar64[] = {0x1.b6f6a292f51bdp+2,   0x1.6dc49111d6dd9p+0,   -0x1.9b6aa8e40aabap-13,
                                          -0x1.3eded29b27968p-12, 0x1.c2c6d8476c303p-14,  -0x1.d2fb17f10f187p-16,
                                          0x1.ad8d86a27e9c4p-18,  -0x1.78facdd05a734p-20, 0x1.5bacb5cdb071dp-22,
                                          -0x1.9a47180b7818dp-24, 0x1.633a54726ee4ap-25,  -0x1.73276487e97bep-26,
                                          0x1.6ce652119a764p-27,  -0x1.4ee6e969b971ap-28, 0x1.31304db11b4bcp-29,
                                          -0x1.6029977a066d7p-31, -0x1.05487db8b8adep-34, 0x1.221a6e2b8e5a9p-34};
// sin(pi y) / y in y^2, |y| <= 1/4.
inline constexpr double kSine64[] = {0x1.921fb54442d18p+1,  -0x1.4abbce625be53p+2,  0x1.466bc6775aae2p+1,
                                     -0x1.32d2cce62bd82p-1, 0x1.50783487edcdbp-4,   -0x1.e3074fdc9bf34p-8,
                                     0x1.e8f4318c0c907p-12, -0x1.6faa7e91b299fp-16, 0x1.a7788b76b30d1p-21};
// cos(pi y) in y^2, |y| <= 1/4.
inline constexpr double kCosine64[] = {0x1.0000000000000p+0,  -0x1.3bd3cc9be45dep+2,  0x1.03c1f081b5ac4p+2,
                                       -0x1.55d3c7e3cbfedp+0, 0x1.e1f5068919a8ap-3,   -0x1.a6d1f29f1c7fap-6,
                                       0x1.f9d3854812ae6p-10, -0x1.b6dd6cfa280afp-14, 0x1.1e2a69fa47a81p-18};
// The Gauss-Legendre rule of 32 points on [0, 1].
inline constexpr double kGaussNodes[] = {
    0x1.66a18fbf64a0fp-10, 0x1.d77b63ad0c91bp-8, 0x1.20aae7fac455ap-6, 0x1.0a9fed30405eep-5, 0x1.a8ab25d459a36p-5,
    0x1.347ec0a5e57b4p-4,  0x1.a4e5adf8ed0ebp-4, 0x1.123ed9c52d88dp-3, 0x1.590aec76f00edp-3, 0x1.a62dd72d3a6b8p-3,
    0x1.f8ef3af329ac5p-3,  0x1.2844a541c8387p-2, 0x1.5615518d42105p-2, 0x1.857c20798fdadp-2, 0x1.b607c563a0372p-2,
    0x1.e74437b7733b6p-2,  0x1.0c5de42446625p-1, 0x1.24fc1d4e2fe47p-1, 0x1.3d41efc338129p-1, 0x1.54f557395ef7dp-1,
    0x1.6bddad5f1be3cp-1,  0x1.81c431433594fp-1, 0x1.96748a34b1652p-1, 0x1.a9bd44e243fc5p-1, 0x1.bb70498eb49ddp-1,
    0x1.cb634a40e25e3p-1,  0x1.d97027eb43509p-1, 0x1.e5754da2ba65dp-1, 0x1.ef56012cfbfa1p-1, 0x1.f6faa8c029dd5p-1,
    0x1.fc510938a5e6ep-1,  0x1.ff4caf38204dbp-1};
// Its weights.
inline constexpr double kGaussWeights[] = {
    0x1.cbf8bc743cc5cp-9, 0x1.0aa3c248696c9p-7, 0x1.a0060a8531ffap-7, 0x1.18c5800a355d9p-6, 0x1.5ee963a335495p-6,
    0x1.a1c6ae961fbfap-6, 0x1.e0bd76c924981p-6, 0x1.0d9b9a62cac10p-5, 0x1.2854103b35e0cp-5, 0x1.40483e126fd14p-5,
    0x1.553ee25ebebc6p-5, 0x1.6705e18e13ed1p-5, 0x1.7572bdb3f6e51p-5, 0x1.8062fc0f6fef9p-5, 0x1.87bc776f8c6d7p-5,
    0x1.8b6d9eaec77adp-5, 0x1.8b6d9eaec77adp-5, 0x1.87bc776f8c6d7p-5, 0x1.8062fc0f6fef9p-5, 0x1.7572bdb3f6e51p-5,
    0x1.6705e18e13ed1p-5, 0x1.553ee25ebebc6p-5, 0x1.40483e126fd14p-5, 0x1.2854103b35e0cp-5, 0x1.0d9b9a62cac10p-5,
    0x1.e0bd76c924981p-6, 0x1.a1c6ae961fbfap-6, 0x1.5ee963a335495p-6, 0x1.18c5800a355d9p-6, 0x1.a0060a8531ffap-7,
    0x1.0aa3c248696c9p-7, 0x1.cbf8bc743cc5cp-9};

}  // namespace tc::random::tables
