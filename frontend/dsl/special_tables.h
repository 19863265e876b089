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
// gamma(x) in 2 x - 3, 1 <= x <= 2.
inline constexpr double kGamma[] = {
    0x1.c5bf891b4ef6bp-1,  0x1.08ea88ee561b1p-6,   0x1.a8c4dba620d56p-4,  -0x1.b77ac1ca2eba4p-7,
    0x1.283bd374eb35ep-7,  -0x1.3d88cfe50615fp-9,  0x1.e022b7433f843p-11, -0x1.374fd5cc87da4p-12,
    0x1.a752c6b4833f3p-14, -0x1.1a2c297f2a6a8p-15, 0x1.7991dc39b9179p-17, -0x1.f7fc54c1e384dp-19,
    0x1.504ed944524fep-20, -0x1.c0a2673e04123p-22, 0x1.2b2b5f19c211ap-23, -0x1.8ef7865b7d7f9p-25,
    0x1.0a3e5d7b5a3a1p-26, -0x1.6303f38555fcfp-28, 0x1.d43262e9a34f3p-30, -0x1.38238e4f9b707p-31,
    0x1.c68cdebefd42ap-33, -0x1.2f0935fdbddc0p-34, 0x1.b972bb298fec6p-37, -0x1.264ce0255f55bp-38,
    0x1.61299793c6990p-38, -0x1.d6e234ed05066p-40};
// log(gamma(x)) / ((x - 1) (x - 2)) in 2 x - 2, 0.5 <= x <= 1.5.
inline constexpr double kGammaln1[] = {
    0x1.2788cfc6fb619p-1,   -0x1.f6465978d46e9p-4,  0x1.3e54520481ec6p-5,  -0x1.d7a3e6a8f2398p-7,
    0x1.79cf9c4c59c6ep-8,   -0x1.3cb1f9d3be493p-9,  0x1.115549e62b60ap-10, -0x1.e18246f2167aap-12,
    0x1.ae8a99dd0f602p-13,  -0x1.85792d1782b33p-14, 0x1.639f3aee94d23p-15, -0x1.47367546ff0b1p-16,
    0x1.2f04855882a55p-17,  -0x1.1a28d00a398e0p-18, 0x1.0801605731103p-19, -0x1.f010faa797d3cp-21,
    0x1.d35097a43fb4ep-22,  -0x1.ba144b0d0f3e0p-23, 0x1.a7f40e36270e8p-24, -0x1.936457b1471a1p-25,
    0x1.5f639d4652c10p-26,  -0x1.4f3e037b4eca4p-27, 0x1.f4a6d35dd3453p-28, -0x1.e27ee2313efa3p-29,
    -0x1.de9ff601f6b39p-31, 0x1.d9b45150763ecp-32,  0x1.ab52084e36cffp-30, -0x1.9f7fdb49a5bcdp-31,
    -0x1.ea5138956f48bp-32, 0x1.dde32f748ae2fp-33,  0x1.048fb8dd3ac0bp-33, -0x1.fafbd0697acc6p-35};
// log(gamma(x)) / ((x - 1) (x - 2)) in 2 x - 4, 1.5 <= x <= 2.5.
inline constexpr double kGammaln2[] = {
    0x1.b0ee6072093cep-2,  -0x1.9ae6509ea109fp-5,  0x1.0e0c9df293531p-7,  -0x1.95ce223a9cbbfp-10,
    0x1.47974853aa213p-12, -0x1.145121f99d76bp-14, 0x1.dfebcf8e73a62p-17, -0x1.a96a401085607p-19,
    0x1.7ed733b27982dp-21, -0x1.5c86b66b049c9p-23, 0x1.402f0e9261f12p-25, -0x1.285050b1644ccp-27,
    0x1.13e47cbb198e8p-29, -0x1.0230e4acc4e14p-31, 0x1.e542e8fed7e72p-34, -0x1.c9d6594c39e14p-36,
    0x1.b35874d2fec76p-38, -0x1.9d57d11b7854ep-40, 0x1.7241ec4833825p-42, -0x1.611c422be0cf7p-44,
    0x1.edf193c4af311p-46, -0x1.d9be2c366d430p-48};
// erfinv(x) / x in x^2 / 0.28125 - 1, x^2 < 0.5625.
inline constexpr double kErfinv[] = {
    0x1.ed943e7c761e6p-1,  0x1.7ed81a6bcf2d3p-4,  0x1.429eb204f8835p-6,   0x1.5304c36fbe400p-8,
    0x1.8bc3c9b26366bp-10, 0x1.eb4f2f93f30cbp-12, 0x1.3d7fff5b6b111p-13,  0x1.a631019a1896ap-15,
    0x1.1eb191c851d30p-16, 0x1.8bc3de6d2b92bp-18, 0x1.14baf300e2a7cp-19,  0x1.8719a8700bae9p-21,
    0x1.16cc886a10c56p-22, 0x1.906e8d909fde0p-24, 0x1.2161ed1652da3p-25,  0x1.a48b85e99bf88p-27,
    0x1.330d907dd5898p-28, 0x1.c23b2b23f42fdp-30, 0x1.4aff9a028b927p-31,  0x1.e8c05f1e5d41dp-33,
    0x1.6dbdfc115fc3fp-34, 0x1.0f9e466f3b031p-35, 0x1.7354a7ce99db4p-37,  0x1.14aee7dc994edp-38,
    0x1.325445d987ac6p-39, 0x1.cc2b535acdcc9p-41, -0x1.9c577da9fd876p-45, -0x1.431e7c5414135p-46,
    0x1.b7cabf4889bb0p-44, 0x1.4c524e7e6a03ap-45};
// erfcinv(exp(-s^2)) / s in (s - 1.85) / 0.65, 1.2 <= s <= 2.5.
inline constexpr double kErfcinv1[] = {
    0x1.a21ff255d0992p-1,   0x1.4dfc931fe50f4p-4,   -0x1.c2ffbb8e8d1e8p-6,  0x1.0790a68430ed2p-7,
    -0x1.108b1a74f086fp-9,  0x1.e7da98117ef80p-12,  -0x1.57a02043937eep-14, 0x1.bbc1836767cfep-18,
    0x1.8896dca471a9cp-19,  -0x1.10641f0b0e37fp-19, 0x1.b815a1609b901p-21,  -0x1.1a4c0e291c5c1p-22,
    0x1.2dc27a8ea12a8p-24,  -0x1.01b831ebed01cp-26, 0x1.0da8da3c058abp-29,  0x1.1b954f351c427p-32,
    -0x1.59c532a495e07p-32, 0x1.46f8de6f75c94p-33,  -0x1.d4bc0204c85d5p-35, 0x1.14d1687ef62f3p-36,
    -0x1.00e2245bda2fdp-38, 0x1.6182018043eddp-41,  -0x1.d64384262caa4p-44, -0x1.3066d94688a45p-45,
    0x1.135deaa9e8b4ap-44,  -0x1.5a8e13ced06c8p-46};
// erfcinv(exp(-s^2)) / s in (s - 4.25) / 1.75, 2.5 <= s <= 6.
inline constexpr double kErfcinv2[] = {
    0x1.e2f95f5d425afp-1,   0x1.23c0ed41bf772p-5,   -0x1.1eaa24b62bdcfp-6,  0x1.fdcdf74593d5ep-8,
    -0x1.abf1c2c7f85b0p-9,  0x1.5903357c1026bp-10,  -0x1.0d4c4d1a8625bp-11, 0x1.9881a03469d34p-13,
    -0x1.2d617a120ccb0p-14, 0x1.b01add98040c3p-16,  -0x1.2c067a8fe6e6ep-17, 0x1.9106ce9e8bc52p-19,
    -0x1.fe1e177e99ac7p-21, 0x1.2e196b35f5e5ep-22,  -0x1.3d7fd31dc68d4p-24, 0x1.fdc1a98fe5fecp-27,
    -0x1.b265a8afa8701p-32, -0x1.ee313c05f46b7p-30, 0x1.627fd630b53e2p-30,  -0x1.9d86f2e6cb64cp-31,
    0x1.05ec89aa5ac44p-31,  -0x1.bdc7cff6455acp-33, 0x1.8cb211d6bf469p-36,  -0x1.f4451c48508e4p-37,
    0x1.f194d9f3c5f2dp-36,  -0x1.58f44163a6828p-37};
// erfcinv(exp(-s^2)) / s in (s - 9.5) / 3.5, 6 <= s <= 13.
inline constexpr double kErfcinv3[] = {
    0x1.f7f4ccd99b2e6p-1,   0x1.3962ee1a96fe5p-7,  -0x1.2a1f4d1b1c7edp-8,  0x1.018e26c2b5ee9p-9,
    -0x1.a6a6a69304a93p-11, 0x1.4fbcdcac1a443p-12, -0x1.04c48133fb4d5p-13, 0x1.8e580538385c3p-15,
    -0x1.2c4409d47a145p-16, 0x1.bfcb9b10f4606p-18, -0x1.4ad74f487a457p-19, 0x1.e4ecb2b8abf42p-21,
    -0x1.60ca18e2fd6fcp-22, 0x1.fde63f5e6241ep-24, -0x1.6e6b887bdfb24p-25, 0x1.05844a1c6c28bp-26,
    -0x1.6fcd6a3f467e6p-28, 0x1.0396255749994p-29, -0x1.87af67ee0f0a3p-31, 0x1.0fe82622a8c5cp-32,
    -0x1.cb011e8a4b523p-35, 0x1.43d40ed09ebf7p-36, -0x1.4f5a68676dc5cp-36, 0x1.bfb96159bdeffp-38};
// erfcinv(exp(-s^2)) / s in (s - 20.5) / 7.5, 13 <= s <= 28.
inline constexpr double kErfcinv4[] = {
    0x1.fdcf00d019cdbp-1,   0x1.61c85132b7f71p-9,  -0x1.5af5efb55de07p-10, 0x1.345cc2749e009p-11,
    -0x1.0410da05d572dp-12, 0x1.a8a711d1b6615p-14, -0x1.53219e4dd0274p-15, 0x1.0a89d9a70f6c2p-16,
    -0x1.9debb4a92970cp-18, 0x1.3e5a26fbb67a8p-19, -0x1.e5f1be7a8a29ep-21, 0x1.70869b1dc2384p-22,
    -0x1.15f4f76dba869p-23, 0x1.a1677aee69ce7p-25, -0x1.38a08818efb62p-26, 0x1.d1ec6faff6cffp-28,
    -0x1.54144d7eb2162p-29, 0x1.f7fb4c4d84a4ap-31, -0x1.a6df1729432efp-32, 0x1.374276966ca0fp-33,
    -0x1.7bb5544f78a16p-36, 0x1.19a249343f073p-37, -0x1.ffa4d8f36f3a3p-37, 0x1.751a2c2514fbdp-38};
// ((1 + d) log(1 + d) - d) / d^2 in 2 d, |d| <= 1 / 2.
inline constexpr double kDivergence[] = {
    0x1.0000000000000p-1,   -0x1.5555555555555p-4,  0x1.5555555555555p-6,  -0x1.999999999999ap-8,
    0x1.11111111110ccp-9,   -0x1.8618618618595p-11, 0x1.2492492496cd3p-12, -0x1.c71c71c72503ap-14,
    0x1.6c16c1699d380p-15,  -0x1.29e4129be80c2p-16, 0x1.f07c1fd9304b0p-18, -0x1.a41a426acfd64p-19,
    0x1.68166abfe07ccp-20,  -0x1.38136bb8f7140p-21, 0x1.1112c11bfe6a7p-22, -0x1.e1e515ad3e0c2p-24,
    0x1.ac2944739198ep-25,  -0x1.7f14fb4eb7215p-26, 0x1.5aada4490cb43p-27, -0x1.39bcf96084d12p-28,
    0x1.0f304adc58845p-29,  -0x1.ee532724b384ep-31, 0x1.2e533a2aff5dep-31, -0x1.17fc5bb6dcf80p-32,
    -0x1.2f36d64333001p-36, 0x1.43af716428ea0p-37,  0x1.8597baa1f8bfdp-34, -0x1.6fe6ea4461ff2p-35,
    -0x1.9855f02f30af0p-36, 0x1.83f35190d0c25p-37,  0x1.d18a0f413b466p-38, -0x1.b86b71e26184dp-39};
// sin(pi x) / (pi x) in x^2: Taylor's series.
inline constexpr double kSinc[] = {
    0x1.0000000000000p+0,  -0x1.a51a6625307d3p+0,  0x1.9f9cb402bc46cp-1,  -0x1.86a8e4720db67p-3,
    0x1.ac6805cf350a6p-6,  -0x1.33816aa4607abp-9,  0x1.374719fab3915p-13, -0x1.d42498d1ce099p-18,
    0x1.0fc992ff39e13p-22, -0x1.f5f9d970ca6dfp-28, 0x1.79788684225eap-33, -0x1.d7353939082fep-39,
    0x1.f0115b37351ebp-45, -0x1.be5bbb762c2f9p-51, 0x1.5b38da2f2e943p-57, -0x1.d7aa5d6c0d77fp-64};

}  // namespace tc::special::tables
