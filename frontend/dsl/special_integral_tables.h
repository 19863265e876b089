// Coefficients of tc::special, lowest first: written by tools/special/fit_integrals.py.
#pragma once

namespace tc::special::tables {

// I0(x) in x^2 / 4, x <= 1: the series.
inline constexpr double kI0Short[] = {0x1.0000000000000p+0,  0x1.0000000000000p+0,  0x1.0000000000000p-2,
                                      0x1.c71c71c71c71cp-6,  0x1.c71c71c71c71cp-10, 0x1.23456789abcdfp-14,
                                      0x1.02e85c0898b71p-19, 0x1.522a43f65486ap-25, 0x1.522a43f65486ap-31,
                                      0x1.0b313289be0b9p-37, 0x1.5601885e63e5dp-44};
// I1(x) / (x / 2) in x^2 / 4, x <= 1: the series.
inline constexpr double kI1Short[] = {0x1.0000000000000p+0,  0x1.0000000000000p-1,  0x1.5555555555555p-4,
                                      0x1.c71c71c71c71cp-8,  0x1.6c16c16c16c17p-12, 0x1.845c8a0ce5129p-17,
                                      0x1.27e4fb7789f5cp-22, 0x1.522a43f65486ap-28, 0x1.2c9758daf5cd0p-34,
                                      0x1.ab81ea75fcdf4p-41, 0x1.f17697cf1cf13p-48};
// K0(x) + (log(x / 2) + gamma) I0(x) in x^2 / 4, x <= 1: DLMF 10.31.2.
inline constexpr double kK0[] = {0x0.0p+0,
                                 0x1.0000000000000p+0,
                                 0x1.8000000000000p-2,
                                 0x1.a12f684bda12fp-5,
                                 0x1.da12f684bda13p-9,
                                 0x1.4c88d634a424bp-13,
                                 0x1.3d2970bdbb137p-18,
                                 0x1.b6682a64d5cf7p-24,
                                 0x1.cb8acea43b17dp-30,
                                 0x1.79f068734aa1bp-36,
                                 0x1.f4dcc2465f674p-43};
// (K1(x) - 1 / x - log(x / 2) I1(x)) / x in x^2 / 4, x <= 1: DLMF 10.31.1.
inline constexpr double kK1[] = {0x1.3c467e37db0c8p-5,   -0x1.58773039049e7p-3,  -0x1.73ddae5ee6a28p-5,
                                 -0x1.3a47ef81a33cfp-8,  -0x1.2462822a45268p-12, -0x1.5b7a177f5639bp-17,
                                 -0x1.1fa413136952dp-22, -0x1.5f60a13589756p-28, -0x1.4a1428fc835c7p-34,
                                 -0x1.ec021b49cd260p-41, -0x1.2a217002356e7p-47};
// sqrt(x) exp(x) K0(x) in (x - 1) / (x + 1) * 2 - 1, x > 1.
inline constexpr double kK0e[] = {
    0x1.356417a9f2ee9p+0,   0x1.a932e00d70339p-5,  -0x1.287ae72aabd63p-7,  0x1.334777d999167p-9,
    -0x1.2d4432422cf96p-11, 0x1.55615cf60282bp-13, -0x1.6d1e88ce3b329p-15, 0x1.b49009dc3d31cp-17,
    -0x1.e1ff18888a986p-19, 0x1.2dfa95fdc58dcp-20, -0x1.4ced252759cb9p-22, 0x1.bab9e7356cef9p-24,
    -0x1.d3363aa800047p-26, 0x1.5b2933529acfcp-27, -0x1.37a85ea4bd4cep-29, 0x1.03aa84b7541d3p-30,
    -0x1.fae32e38d95a4p-33, 0x1.12e951206e6fbp-32, 0x1.1b99ff1686fa9p-34,  -0x1.ca7f709ae49eep-35,
    -0x1.3d000172a5a25p-35, 0x1.b992b2f481d40p-36, 0x1.c4ef98cfe1a4dp-37};
// sqrt(x) exp(x) K1(x) in (x - 1) / (x + 1) * 2 - 1, x > 1.
inline constexpr double kK1e[] = {
    0x1.65a260862b35ep+0,  -0x1.6b98e74488343p-3,  0x1.6595f9d3a06d1p-5,  -0x1.9e097c3c5f9fdp-7,
    0x1.e4076193ab533p-9,  -0x1.276b51f311d52p-10, 0x1.68d7d916976f3p-12, -0x1.c3cd0ad7829fep-14,
    0x1.197da2e8d154dp-15, -0x1.66221ade6c68dp-17, 0x1.c2c0beb423462p-19, -0x1.2272b2f94add9p-20,
    0x1.6ebc53409226dp-22, -0x1.dfc3c71f3c257p-24, 0x1.2cb14c69d9473p-25, -0x1.8c125e4ce8cb7p-27,
    0x1.f5ff7d2b3c7dfp-29, -0x1.88d1b9a5e51a8p-30, 0x1.51d4bddd8521cp-32, -0x1.0aa2e4e3a2c6ap-35,
    0x1.2584cadc4896bp-34, -0x1.bf59ac058387dp-35, -0x1.ad376b4510adfp-38};
// x^(3/2) exp(x) (K1(x) - K0(x)) in (x - 1) / (x + 1) * 2 - 1, x > 1.
inline constexpr double kKDifference[] = {
    0x1.2175b52951ac2p-1,   0x1.0c307b5eb851ep-4,   -0x1.80bb5c39f10a0p-8,  0x1.ef188e1efb5ffp-10,
    -0x1.2ebeba7a0d555p-12, 0x1.cbab4f7ae2d0fp-14,  -0x1.20023a88cf19ep-16, 0x1.16879b89d5513p-17,
    -0x1.08705ac57513dp-20, 0x1.9c4823a6208edp-21,  -0x1.a97c66d771613p-26, 0x1.7aacf3ba00b0dp-24,
    0x1.2b5d6af75d744p-27,  0x1.b407b9b5bb116p-27,  0x1.1f9cf9222d35ap-28,  0x1.8fb6bb24f2cb9p-29,
    -0x1.70d1f9c6e5ba1p-32, -0x1.d26361d27e51cp-33, 0x1.8acbabc57a29ap-30,  0x1.cea478338d166p-31,
    -0x1.45edf0fcd1741p-31, -0x1.85bde778b09bfp-32, 0x1.b5ffc742d9fa6p-33,  0x1.0072da93d58afp-33};
// J0(x) / ((x^2 - a^2) (x^2 - b^2)), a and b its zeros, in x^2 / 32 - 1, x <= 8.
inline constexpr double kJ0[] = {0x1.2bc29174dd587p-10,  -0x1.15d87e4b8d5b1p-9,  0x1.99e65104a68d3p-10,
                                 -0x1.5059ea69f58a4p-11, 0x1.6409a6fd7b18ap-13,  -0x1.08db6a2de263fp-15,
                                 0x1.250f53798032fp-18,  -0x1.f633ea85ead22p-22, 0x1.577f683baf7b2p-25,
                                 -0x1.801f7f33955dap-29, 0x1.65ec7d3751af5p-33,  -0x1.1a4d977495e44p-37,
                                 0x1.7df1ca017bf02p-42,  -0x1.c0368f8aab19bp-47, 0x1.cca44bc7b0742p-52,
                                 -0x1.a21ce2cb80835p-57, 0x1.525d5b48b52a5p-62,  -0x1.e94542689c4a9p-68};
inline constexpr double kJ0First = 0x1.33d152e971b40p+1, kJ0FirstLow = -0x1.0f539d7da258ep-53;
inline constexpr double kJ0Second = 0x1.6148f5b2c2e45p+2, kJ0SecondLow = 0x1.75054cd60a517p-54;
// The cosine part of J0(x) in 128 / x^2 - 1, x >= 8.
inline constexpr double kP0[] = {0x1.ffb8dd328503dp-1,   -0x1.193600c1deb26p-11, 0x1.9be00160d9ffcp-18,
                                 -0x1.b8d2d6f6d1924p-23, 0x1.b7ef139549b90p-27,  -0x1.4d2f36bc01a81p-30,
                                 0x1.54dc7927ee76fp-33,  -0x1.b5c2a350da351p-36, 0x1.50d7edcf22f5fp-38,
                                 -0x1.2ae31a562ef2fp-40, 0x1.145dcbd329e7dp-42,  -0x1.2797e7ef5db94p-44,
                                 0x1.2c5aa153e987cp-45,  -0x1.98d0ed70244fep-47};
// The sine part of J0(x), times x, in 128 / x^2 - 1, x >= 8.
inline constexpr double kQ0[] = {
    -0x1.fdb5c0b2f3d5bp-4,  0x1.1e9a6138fee37p-11, -0x1.8c8435284bfffp-17, 0x1.3135a89eac43cp-21,
    -0x1.858d1b7cadd6fp-25, 0x1.61a55ba63fdeep-28, -0x1.a0835af0753aap-31, 0x1.2ba595b6cc591p-33,
    -0x1.f9076155db4a3p-36, 0x1.e444704637c15p-38, -0x1.079e2dd2743a5p-39, 0x1.36c36974db323p-41,
    -0x1.28b12201b3229p-43, 0x1.6ff999ac45e36p-45, -0x1.6c7842f8c83a8p-45, 0x1.24f4798680cd2p-46};
// J1(x) / x / ((x^2 - a^2) (x^2 - b^2)), a and b its zeros, in x^2 / 32 - 1, x <= 8.
inline constexpr double kJ1[] = {0x1.98ec1eee7c01ap-13,  -0x1.1adb1329ed86fp-12, 0x1.4c9bd11c0aa3bp-13,
                                 -0x1.c5a7fc38dd1d3p-15, 0x1.9ac7788fbda1dp-17,  -0x1.0af8bb9889ba1p-19,
                                 0x1.06438a6958c30p-22,  -0x1.941a82675761ep-26, 0x1.f62979d670465p-30,
                                 -0x1.0137e01b6d797p-33, 0x1.ba3fb2eea0015p-38,  -0x1.43c20bf85ea9cp-42,
                                 0x1.98ae519e5ac3dp-47,  -0x1.c179ab68a6b1fp-52, 0x1.b2a6a4a68c1e3p-57,
                                 -0x1.7484a74a6b84fp-62, 0x1.1d7c75cae6029p-67,  -0x1.881df66e7f87bp-73};
inline constexpr double kJ1First = 0x1.ea75575af6f09p+1, kJ1FirstLow = -0x1.60155a9d1b256p-53;
inline constexpr double kJ1Second = 0x1.c0ff5f3b47250p+2, kJ1SecondLow = -0x1.b226d9d243827p-54;
// The cosine part of J1(x) in 128 / x^2 - 1, x >= 8.
inline constexpr double kP1[] = {0x1.003b716033732p+0,   0x1.d73b8ea3c123ap-11,  -0x1.0b1541bfbc13fp-17,
                                 0x1.077626416f421p-22,  -0x1.f96172c47413bp-27, 0x1.75eafce017fadp-30,
                                 -0x1.78b76d6581c18p-33, 0x1.de9966a570cb7p-36,  -0x1.6d4884b3bfe27p-38,
                                 0x1.421781e3d6db0p-40,  -0x1.28af91c81f6b0p-42, 0x1.3c1b9e16a3b12p-44,
                                 -0x1.3ee57b0814a06p-45, 0x1.b0cdcd57181bfp-47};
// The sine part of J1(x), times x, in 128 / x^2 - 1, x >= 8.
inline constexpr double kQ1[] = {
    0x1.7f323705062fbp-2,  -0x1.938da0a0a698fp-11, 0x1.e8e009ca92529p-17, -0x1.6423127936b6bp-21,
    0x1.b9302a5483622p-25, -0x1.8922dd989b9cbp-28, 0x1.c92e5da63f5ffp-31, -0x1.45e2ecc3da930p-33,
    0x1.10b6d80edd55dp-35, -0x1.0411351bfc4ddp-37, 0x1.19c832637c619p-39, -0x1.4aeae364097ddp-41,
    0x1.3c11a5323ea94p-43, -0x1.8745d51c238afp-45, 0x1.801439c284428p-45, -0x1.341b3ac36783ap-46};
// (E1(x) + log(x) + gamma) / x, x <= 1: the series (DLMF 6.6.2).
inline constexpr double kEin[] = {0x1.0000000000000p+0,   -0x1.0000000000000p-2,  0x1.c71c71c71c71cp-5,
                                  -0x1.5555555555555p-7,  0x1.b4e81b4e81b4fp-10,  -0x1.e573ac901e574p-13,
                                  0x1.db8b6f9266dd5p-16,  -0x1.a01a01a01a01ap-19, 0x1.48c5892f7cd83p-22,
                                  -0x1.d96e5f25a9894p-26, 0x1.390327a26bdbdp-29,  -0x1.7e9213ff67620p-33,
                                  0x1.b2a2edd1e100cp-37,  -0x1.cd3f30a008e6ap-41, 0x1.cb3264bf2e688p-45,
                                  -0x1.ae7f3e733b81fp-49, 0x1.7d570699739afp-53,  -0x1.402321fc15331p-57};
// (x + 1) exp(x) E1(x) in ((x - 2) / (x + 2) - 1 / 3) * 3 / 2, x > 1.
inline constexpr double kE1[] = {
    0x1.081f57b1fc085p+0,  -0x1.25188981c90ccp-4,  0x1.b2232a6fee8eap-5,   -0x1.462260724295bp-6,
    0x1.326d714426898p-7,  -0x1.fe106e21659f4p-9,  0x1.d94cdd29ffd99p-10,  -0x1.9b95af49509a1p-11,
    0x1.819455930d245p-12, -0x1.57618d1d2fab6p-13, 0x1.457aaf048a90fp-14,  -0x1.25decca86fe03p-15,
    0x1.19e06ec6fdf5ap-16, -0x1.0066b5844c1b6p-17, 0x1.f171e3edaa343p-19,  -0x1.c4006935e81a3p-20,
    0x1.c3fc897bc7a7bp-21, -0x1.a266e106d8e4bp-22, 0x1.69f8f04731500p-23,  -0x1.208d279948b6ap-24,
    0x1.42efaaf91b99ap-24, -0x1.3ae48fd7f0c24p-25, -0x1.86233793078fbp-26, 0x1.da67e61b9d2fep-28,
    0x1.b3034567fe9dfp-26, -0x1.5934e498b84bap-28, -0x1.37ee1b88adb7bp-27, 0x1.8ee53fb273613p-32,
    0x1.259fa82da3e49p-29};
inline constexpr double kEiRoot = 0x1.7d72952b4b5fcp-2, kEiRootLow = 0x1.e4c986021c6f2p-57;
// (Ei(x) - log(x / root)) / (x - root) in x / 2 - 1, 0 <= x <= 4.
inline constexpr double kEi[] = {
    0x1.0176910eaedcap+1,  0x1.743219f7f43d6p+0,  0x1.94cdd3991f2a8p-1,  0x1.590f3b3c0408ep-2,  0x1.e2bd5848a8ff7p-4,
    0x1.1e5c8f7de6278p-5,  0x1.2709027e060c4p-7,  0x1.0cb73863c4f93p-9,  0x1.b6bb3512690f0p-12, 0x1.44929ae5ce4cbp-14,
    0x1.b72193ed49381p-17, 0x1.11abd39e0271ap-19, 0x1.3c3d4e238e725p-22, 0x1.549ecdce54469p-25, 0x1.5794dd972eacep-28,
    0x1.45e06c7b8ecd0p-31, 0x1.2363039ef3364p-34, 0x1.edf005e075772p-38, 0x1.9f8172fdb2a1bp-41, 0x1.3d03ac168c560p-44};
// x exp(-x) Ei(x) in 40 / 3 / x - 7 / 3, 4 <= x <= 10.
inline constexpr double kEi1[] = {
    0x1.4c674b39ea483p+0,   0x1.653732d71e5a8p-3,   -0x1.23928470a9f08p-6,  -0x1.7bad833c43fa5p-6,
    0x1.71df5d0baaf56p-8,   0x1.dbf51f4f67cfap-10,  -0x1.96269afb7a632p-10, 0x1.a8f2ea6f7c257p-12,
    0x1.8da701a37c275p-15,  -0x1.805eacad25e51p-14, 0x1.73fa185f1dfb8p-15,  -0x1.74acbbf355d45p-17,
    -0x1.473abb8248f58p-21, 0x1.30bce844214c4p-19,  -0x1.711518aeb0841p-20, 0x1.1a52e5a109744p-21,
    -0x1.02d28d7f6c5a4p-23, -0x1.2afaf52ea474ap-27, 0x1.e99d570ffd842p-26,  -0x1.2e8b40b95c844p-26,
    0x1.a85d1dfd6b67bp-28,  -0x1.3c30fcce46792p-29, 0x1.89c06fd306410p-30,  -0x1.5136db65a7ce6p-34,
    -0x1.0cfaeb1e3985dp-31, 0x1.83aade5cf69d6p-33};
// x exp(-x) Ei(x) in 40 / x - 3, 10 <= x <= 20.
inline constexpr double kEi2[] = {0x1.171378d1eeb29p+0,   0x1.311e168c71147p-5,   0x1.d58500ae18201p-9,
                                  0x1.247a6836d6b58p-11,  -0x1.124f476dfc97fp-18, -0x1.a9dfe2df466ffp-15,
                                  -0x1.a03fa712547fep-18, 0x1.3dde642f3c25bp-18,  0x1.264f7b794bf26p-22,
                                  -0x1.0f2392507a6abp-21, 0x1.23ff130812785p-24,  0x1.2e7f2cc60e505p-25,
                                  -0x1.196980084a688p-26, 0x1.643f9607e787ep-30,  0x1.5cb5eea8d3fa8p-30,
                                  -0x1.42328ad75c6bbp-31, 0x1.6befaf564c9ddp-34,  0x1.4836b791fb1d9p-35,
                                  -0x1.900a923a9f983p-36, 0x1.187b239de87dcp-39,  0x1.26120bf6bd3e0p-40};
// x exp(-x) Ei(x) in 40 / x - 1, x >= 20.
inline constexpr double kEi3[] = {
    0x1.06bf2b54bb8aep+0,   0x1.c7e67a248a0d5p-6,   0x1.a42690c889673p-10,  0x1.369167995008ep-13,
    0x1.4a418feebcfc4p-16,  0x1.df9f2be8d8d29p-19,  0x1.d1dba7a7a11f0p-21,  0x1.30ec9e3ceccd6p-22,
    0x1.1345250a6e539p-23,  0x1.42dff2db49597p-24,  0x1.6d53fa53de455p-25,  0x1.54089fa8d26fbp-28,
    -0x1.145908f6bf1bfp-25, -0x1.5fecd6383e8acp-25, -0x1.f58c8395e9f37p-28, 0x1.0902416fad53bp-25,
    0x1.740b00a089900p-26,  -0x1.1586d1d831944p-26, -0x1.56510ae1210d1p-26, 0x1.d598717d33fd5p-28,
    0x1.adc1b0ba63d89p-27,  -0x1.371128fe5adc6p-29, -0x1.78d8e985278d2p-28, 0x1.19819e70b97b1p-31,
    0x1.9d7b3e0188129p-30,  -0x1.fa7316e30e018p-35, -0x1.a7987726a19bbp-33};
// Dawson's integral of x, over x, in x^2 * 8 / 9 - 1, x <= 1.5.
inline constexpr double kDawson[] = {0x1.00baaa3590741p-1,   -0x1.425ea92e15792p-2,  0x1.0c947d207358fp-3,
                                     -0x1.4b070be7ed17bp-5,  0x1.426463fea17d6p-7,   -0x1.0310ca50812b6p-9,
                                     0x1.620f4dcf5696fp-12,  -0x1.a4b417650c3f0p-15, 0x1.ba078d7daae8ep-18,
                                     -0x1.a02e1bd0735d3p-21, 0x1.62eb24c2e9e4dp-24,  -0x1.14963bf2d586ap-27,
                                     0x1.8cdb532bfb7dap-31,  -0x1.07c1a77d8a194p-34, 0x1.467e544473749p-38,
                                     -0x1.7a478b8c1e736p-42, 0x1.a3267432f581cp-46,  -0x1.ad90887962686p-50};
// Dawson's integral times x in (x - 2.25) * 4 / 3, 1.5 <= x <= 3.
inline constexpr double kDawson1[] = {
    0x1.278cee468e5a7p-1,   -0x1.17baa60a32990p-4,  0x1.d05a5ed8d0d07p-6,   0x1.abf92b8c1bb6bp-8,
    -0x1.086872c0dc26dp-6,  0x1.28c45d97dbb8fp-7,   -0x1.7f953b41dda64p-10, -0x1.043574640992fp-10,
    0x1.56d87f898feebp-11,  -0x1.bb1138bac04afp-14, -0x1.829ef8c66fc4ap-15, 0x1.b49ffdc1b7460p-16,
    -0x1.5dc0f0098bc0ep-19, -0x1.d955a405788dep-20, 0x1.5d4896292bd7ap-21,  -0x1.423a117480f98p-28,
    -0x1.9aa5be2dc2475p-25, 0x1.51739267b4373p-27,  0x1.6b95bc779ff47p-30,  -0x1.d2f203b345425p-31,
    0x1.1b8822a15f9d4p-34,  0x1.4c60f7395fb52p-35,  -0x1.39a4f9caa5bb5p-37, -0x1.ab1a6f6c85978p-41,
    0x1.db83849d86e8ep-42};
// Dawson's integral times x in (x - 4.5) * 2 / 3, 3 <= x <= 6.
inline constexpr double kDawson2[] = {
    0x1.06dc334feec81p-1,   -0x1.3f7e3c71fd22bp-7,  0x1.69b4bc299726ep-8,   -0x1.7bea7d746ada5p-9,
    0x1.8a3265d85bbcfp-10,  -0x1.a30a8b040b8c8p-11, 0x1.d2939c7ec5985p-12,  -0x1.0f43b8c601f5fp-12,
    0x1.3ba23501a1494p-13,  -0x1.508e3d082e990p-14, 0x1.156eb7f24ca8dp-15,  -0x1.2caf86eefe827p-18,
    -0x1.1cd5f630b0597p-17, 0x1.602d40dd797c7p-17,  -0x1.e2112e050a421p-18, 0x1.9ed69c9ccda32p-19,
    -0x1.e3c48bad789e5p-22, -0x1.11eb420b2c706p-21, 0x1.0b56f8bdd3524p-21,  -0x1.e9f0323ce28fcp-23,
    0x1.5eebf1aee6dc0p-25,  0x1.d05a429eb4a26p-26,  -0x1.f7b40ac4ddbdfp-26, 0x1.6108ebd7727eep-27,
    0x1.230c6ce0feb1ep-29,  -0x1.4ad3ee104a048p-29, 0x1.86f7de53ea2a4p-33,  0x1.3aa43d6cbb360p-33};
// Dawson's integral times x in 72 / x^2 - 1, x >= 6.
inline constexpr double kDawson3[] = {
    0x1.01d0f05baa681p-1,  0x1.db219a1811970p-9,  0x1.52727b3925ce6p-14, 0x1.9ec66096ee7e4p-19, 0x1.6fecd33c45c35p-23,
    0x1.b2b743e4f21e0p-27, 0x1.45e3dac3c2f1fp-30, 0x1.2c8361bc77586p-33, 0x1.4dcbc60c6b396p-36, 0x1.b9d9a63ed9a5bp-39,
    0x1.56f6458a2efd4p-41, 0x1.136c2578df029p-43, 0x1.1facf3d8244d1p-45, 0x1.7b4bf8eb8a75fp-46, 0x1.15878595d5a68p-47};

}  // namespace tc::special::tables
