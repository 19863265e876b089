// Coefficients of tc::special, lowest first: written by tools/special/fit.py.
#pragma once

namespace tc::special::tables {

// (x + 1/2) erfcx(x) in t = (x - 3.75) / (x + 3.75).
inline constexpr double kErfcx[] = {
    0x1.3ccda0b5d5dc2p-1,  -0x1.1f367683f89a7p-4,  0x1.d5f2948159d60p-10,  0x1.510169d096804p-5,
    -0x1.bda9309a288f9p-5, 0x1.7a14188a99af8p-5,   -0x1.e0d0fa6dffe40p-6,  0x1.d0b0037dcdcb2p-7,
    -0x1.3f603c33d654bp-8, 0x1.cc3a0e212dc04p-11,  0x1.33fb248e15457p-13,  -0x1.303f9d742c06dp-13,
    0x1.b14441ded1232p-16, 0x1.778a2093df0abp-17,  -0x1.8008353f400a6p-18, -0x1.0523e1bd5b50bp-21,
    0x1.d6af780beaa2ep-21, -0x1.f4e60b0aa555cp-26, -0x1.186633836c572p-23, 0x1.a263a444a2514p-27,
    0x1.5fe6b7e4ea045p-26, -0x1.3177c06574078p-29, -0x1.c19f3ab4554a4p-29, 0x1.3d808102464efp-32,
    0x1.ef7b91653c5cdp-32, -0x1.a77c768510576p-36, -0x1.422965c96923fp-35, 0x1.badc4e3f25e33p-41};
// erf(x) / x in 8 x^2 - 1, |x| < 1/2.
inline constexpr double kErf[] = {0x1.15446b34ed348p+0,   -0x1.658407f4c04c0p-5,  0x1.a6db683de1276p-10,
                                  -0x1.8f7e682c96cdcp-15, 0x1.35219bf04bdf5p-20,  -0x1.93403af727ad0p-26,
                                  0x1.c5c5703cfa04cp-32,  -0x1.c08f4dafec21bp-38, 0x1.8b2b738cf7d5ep-44,
                                  -0x1.39e3c9bc61218p-50, 0x1.c60dc8e86f1f3p-57,  -0x1.2d3aacffc2004p-63};
// I0(x) in x^2 / 4: the series.
inline constexpr double kI0[] = {
    0x1.0000000000000p+0,   0x1.0000000000000p+0,   0x1.0000000000000p-2,   0x1.c71c71c71c71cp-6,
    0x1.c71c71c71c71cp-10,  0x1.23456789abcdfp-14,  0x1.02e85c0898b71p-19,  0x1.522a43f65486ap-25,
    0x1.522a43f65486ap-31,  0x1.0b313289be0b9p-37,  0x1.5601885e63e5dp-44,  0x1.69ca9cf3b7f54p-51,
    0x1.4197a7f5154bcp-58,  0x1.e725594ee52e9p-66,  0x1.3e22d70ef3b5fp-73,  0x1.69f7da8510bcdp-81,
    0x1.69f7da8510bcdp-89,  0x1.40a2dc2460523p-97,  0x1.faaf2fa1c79e5p-106, 0x1.674f8e46c208cp-114,
    0x1.cbeaf38dc529fp-123, 0x1.0afb53e9cec0bp-131, 0x1.1a6d4e307528fp-140, 0x1.1159d2b18fe1fp-149,
    0x1.e5f504c9e358cp-159};
// I1(x) / (x / 2) in x^2 / 4: the series.
inline constexpr double kI1[] = {
    0x1.0000000000000p+0,   0x1.0000000000000p-1,   0x1.5555555555555p-4,   0x1.c71c71c71c71cp-8,
    0x1.6c16c16c16c17p-12,  0x1.845c8a0ce5129p-17,  0x1.27e4fb7789f5cp-22,  0x1.522a43f65486ap-28,
    0x1.2c9758daf5cd0p-34,  0x1.ab81ea75fcdf4p-41,  0x1.f17697cf1cf13p-48,  0x1.e2637bef9ff1ap-55,
    0x1.8bce58901a35ep-62,  0x1.165e7c2d153f3p-69,  0x1.53585cdcbfb10p-77,  0x1.69f7da8510bcdp-85,
    0x1.54ad09e6a6575p-93,  0x1.1d028acb00491p-101, 0x1.aaae78f4066a6p-110, 0x1.1f72d8389b3a3p-118,
    0x1.5e69de22df5cep-127, 0x1.84564b82a1184p-136, 0x1.88f11edf3ed4cp-145, 0x1.6c77c3976a829p-154,
    0x1.37033643c4b3bp-163};
// sqrt(x) exp(-x) I0(x) in 15.5 / x - 1, x > 7.75.
inline constexpr double kI0e[] = {
    0x1.9bf09d24c9fb6p-2,   0x1.c7e07b9f9979dp-9,  0x1.32d2e3d91a8bep-13,  0x1.a271ce45d22bdp-17,
    0x1.d34ef3cecc4a7p-20,  0x1.8cf61f290b233p-22, 0x1.fe87600d7eb73p-24,  0x1.e431a737f325bp-25,
    0x1.029027d3c66dfp-25,  0x1.a4c906c61c27ap-28, -0x1.1664b56abf982p-26, -0x1.6bcea9b0cc032p-26,
    -0x1.43368b878ca71p-29, 0x1.1a7b32b0c7062p-26, 0x1.1064a3ef99722p-27,  -0x1.98bcfcf46f131p-27,
    -0x1.0ce6c798a4944p-27, 0x1.3ad7f313f51d5p-27, 0x1.8af3dd04341eep-28,  -0x1.d1b56630b2cb6p-28,
    -0x1.c04f78d0faad7p-29, 0x1.1caa37f51e40cp-28, 0x1.6f4169b98bea9p-30,  -0x1.f8c8c596567c7p-30,
    -0x1.7cb25c4272d4bp-32, 0x1.17f1780b5de97p-31, 0x1.72ba3412c2cf8p-35,  -0x1.1fe24065b4b34p-34};
// sqrt(x) exp(-x) I1(x) in 15.5 / x - 1, x > 7.75.
inline constexpr double kI1e[] = {
    0x1.8e6bf6fae06bdp-2,   -0x1.4a4281867f56ep-7,  -0x1.ed3096ec56c23p-13, -0x1.19f47a6e409d4p-16,
    -0x1.206f67b5900f0p-19, -0x1.d008e1a406119p-22, -0x1.1ef9951ac0e29p-23, -0x1.0932ead3ec4b7p-24,
    -0x1.198c478acda88p-25, -0x1.f160c8ae70cd0p-28, 0x1.1c2b22b9ecb41p-26,  0x1.801d8af81e6c1p-26,
    0x1.a6d93bc82cdc0p-29,  -0x1.22575099da693p-26, -0x1.2a14c891c13d0p-27, 0x1.9d6eda3c24554p-27,
    0x1.20b343db33c50p-27,  -0x1.3c966381dca2ap-27, -0x1.a5bfe71d31074p-28, 0x1.d457ff9620844p-28,
    0x1.de48092e3968cp-29,  -0x1.1ecde44d577fbp-28, -0x1.88131cc74ab23p-30, 0x1.fd834fce2bb26p-30,
    0x1.96e72088681d3p-32,  -0x1.1afab532a1425p-31, -0x1.8cbd0f2977950p-35, 0x1.23543a2c616bbp-34};
// digamma(x) / (x - root) in 2 x - 3, 1 <= x <= 2.
inline constexpr double kDigamma[] = {
    0x1.e6f0cbb873616p-1,  -0x1.b1cb63005ee96p-3,  0x1.eca189b8e6f7bp-5,  -0x1.2feeeb98a7e14p-6,
    0x1.8512e59037f3fp-8,  -0x1.fb4420299c39ep-10, 0x1.4de9aa17fed5cp-11, -0x1.b9f8b14eb372ep-13,
    0x1.256471573c163p-14, -0x1.8635595c28480p-16, 0x1.03c0b29031197p-17, -0x1.5a07ffdcf1525p-19,
    0x1.cd1f2dbc0dbedp-21, -0x1.335166d938f39p-22, 0x1.99e14548a2d9bp-24, -0x1.1138fd323dc0cp-25,
    0x1.69be71d89ad40p-27, -0x1.e24e3f4fdc1dcp-29, 0x1.56ae8897d5d3dp-30, -0x1.c8e71b670fd14p-32,
    0x1.80c273fb322c5p-34, -0x1.0081238b97022p-35, 0x1.0080971c5617fp-35, -0x1.5600aebc07538p-37};
inline constexpr double kDigammaRoot = 0x1.762d86356be3fp+0, kDigammaRootLow = 0x1.b86a722197829p-54;

}  // namespace tc::special::tables
