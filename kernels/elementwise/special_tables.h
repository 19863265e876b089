// Coefficients of the special functions, lowest first; those called Brief are for results of floats. Written by
// tools/special/fit_kernels.py.
#pragma once

namespace tc::kernels::special {

// (x + 1/2) erfcx(x) in t = (x - 3.75) / (x + 3.75).
inline constexpr double kErfcx[] = {
    0x1.3ccda0b5d5dc2p-1,  -0x1.1f367683f89a7p-4,  0x1.d5f2948159d60p-10,  0x1.510169d096804p-5,
    -0x1.bda9309a288f9p-5, 0x1.7a14188a99af8p-5,   -0x1.e0d0fa6dffe40p-6,  0x1.d0b0037dcdcb2p-7,
    -0x1.3f603c33d654bp-8, 0x1.cc3a0e212dc04p-11,  0x1.33fb248e15457p-13,  -0x1.303f9d742c06dp-13,
    0x1.b14441ded1232p-16, 0x1.778a2093df0abp-17,  -0x1.8008353f400a6p-18, -0x1.0523e1bd5b50bp-21,
    0x1.d6af780beaa2ep-21, -0x1.f4e60b0aa555cp-26, -0x1.186633836c572p-23, 0x1.a263a444a2514p-27,
    0x1.5fe6b7e4ea045p-26, -0x1.3177c06574078p-29, -0x1.c19f3ab4554a4p-29, 0x1.3d808102464efp-32,
    0x1.ef7b91653c5cdp-32, -0x1.a77c768510576p-36, -0x1.422965c96923fp-35, 0x1.badc4e3f25e33p-41};
inline constexpr double kErfcxBrief[] = {
    0x1.3ccda0b23ff84p-1,  -0x1.1f36768857423p-4,  0x1.d5f5546503120p-10, 0x1.51016d290f6a2p-5,  -0x1.bdaa93723f5a3p-5,
    0x1.7a13e302fdd44p-5,  -0x1.e0c0122c8b093p-6,  0x1.d0b508152b289p-7,  -0x1.40271af4af6a9p-8, 0x1.cb54c9f8705a2p-11,
    0x1.5a641935b9b4ep-13, -0x1.2b0188f54934ap-13, 0x1.70e59845397c3p-17, 0x1.3b16a5ec7bceap-17};
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
inline constexpr double kErfinvBrief[] = {
    0x1.ed943e7c761e6p-1,  0x1.7ed81a4bdb774p-4,  0x1.429eb1d69364ap-6,  0x1.5304fb1689abfp-8,  0x1.8bc41a80225efp-10,
    0x1.eb33b03c0fa25p-12, 0x1.3d6c0982297b6p-13, 0x1.a912bb6d29acdp-15, 0x1.20c8f90ad1464p-16, 0x1.66e03ca8af75fp-18,
    0x1.f3efbdc8b2d4ep-20, 0x1.2fd872126fb78p-20, 0x1.b3ccc878ddd2cp-22};
// erfcinv(exp(-s^2)) / s in (s - 1.85) / 0.65, 1.2 <= s <= 2.5.
inline constexpr double kErfcinv1[] = {
    0x1.a21ff255d0992p-1,   0x1.4dfc931fe50f4p-4,   -0x1.c2ffbb8e8d1e8p-6,  0x1.0790a68430ed2p-7,
    -0x1.108b1a74f086fp-9,  0x1.e7da98117ef80p-12,  -0x1.57a02043937eep-14, 0x1.bbc1836767cfep-18,
    0x1.8896dca471a9cp-19,  -0x1.10641f0b0e37fp-19, 0x1.b815a1609b901p-21,  -0x1.1a4c0e291c5c1p-22,
    0x1.2dc27a8ea12a8p-24,  -0x1.01b831ebed01cp-26, 0x1.0da8da3c058abp-29,  0x1.1b954f351c427p-32,
    -0x1.59c532a495e07p-32, 0x1.46f8de6f75c94p-33,  -0x1.d4bc0204c85d5p-35, 0x1.14d1687ef62f3p-36,
    -0x1.00e2245bda2fdp-38, 0x1.6182018043eddp-41,  -0x1.d64384262caa4p-44, -0x1.3066d94688a45p-45,
    0x1.135deaa9e8b4ap-44,  -0x1.5a8e13ced06c8p-46};
inline constexpr double kErfcinv1Brief[] = {0x1.a21ff2558144dp-1,   0x1.4dfc932056e29p-4,  -0x1.c2ffb8c4adf5fp-6,
                                            0x1.0790a583deae2p-7,   -0x1.108c1e8be59dcp-9, 0x1.e7dc0f7a35bcfp-12,
                                            -0x1.57159f024fd2bp-14, 0x1.ba2da07cdfee5p-18, 0x1.674f883a83125p-19,
                                            -0x1.0a3653708124fp-19, 0x1.16b0dd4f2805cp-20, -0x1.47811bd996c7bp-22};
// erfcinv(exp(-s^2)) / s in (s - 4.25) / 1.75, 2.5 <= s <= 6.
inline constexpr double kErfcinv2[] = {
    0x1.e2f95f5d425afp-1,   0x1.23c0ed41bf772p-5,   -0x1.1eaa24b62bdcfp-6,  0x1.fdcdf74593d5ep-8,
    -0x1.abf1c2c7f85b0p-9,  0x1.5903357c1026bp-10,  -0x1.0d4c4d1a8625bp-11, 0x1.9881a03469d34p-13,
    -0x1.2d617a120ccb0p-14, 0x1.b01add98040c3p-16,  -0x1.2c067a8fe6e6ep-17, 0x1.9106ce9e8bc52p-19,
    -0x1.fe1e177e99ac7p-21, 0x1.2e196b35f5e5ep-22,  -0x1.3d7fd31dc68d4p-24, 0x1.fdc1a98fe5fecp-27,
    -0x1.b265a8afa8701p-32, -0x1.ee313c05f46b7p-30, 0x1.627fd630b53e2p-30,  -0x1.9d86f2e6cb64cp-31,
    0x1.05ec89aa5ac44p-31,  -0x1.bdc7cff6455acp-33, 0x1.8cb211d6bf469p-36,  -0x1.f4451c48508e4p-37,
    0x1.f194d9f3c5f2dp-36,  -0x1.58f44163a6828p-37};
inline constexpr double kErfcinv2Brief[] = {0x1.e2f95f621caedp-1,   0x1.23c0ed2d2a90dp-5,   -0x1.1eaa505aa4b17p-6,
                                            0x1.fdce2592e3b92p-8,   -0x1.abe1e97e363b4p-9,  0x1.58fac6625867dp-10,
                                            -0x1.0e588d7454e1fp-11, 0x1.99a0f6e8532d8p-13,  -0x1.1d7a1b53b4696p-14,
                                            0x1.9ede8828cc9e4p-16,  -0x1.98fdf20a990ddp-17, 0x1.04f096e3b365ap-18};
// erfcinv(exp(-s^2)) / s in (s - 9.5) / 3.5, 6 <= s <= 13.
inline constexpr double kErfcinv3[] = {
    0x1.f7f4ccd99b2e6p-1,   0x1.3962ee1a96fe5p-7,  -0x1.2a1f4d1b1c7edp-8,  0x1.018e26c2b5ee9p-9,
    -0x1.a6a6a69304a93p-11, 0x1.4fbcdcac1a443p-12, -0x1.04c48133fb4d5p-13, 0x1.8e580538385c3p-15,
    -0x1.2c4409d47a145p-16, 0x1.bfcb9b10f4606p-18, -0x1.4ad74f487a457p-19, 0x1.e4ecb2b8abf42p-21,
    -0x1.60ca18e2fd6fcp-22, 0x1.fde63f5e6241ep-24, -0x1.6e6b887bdfb24p-25, 0x1.05844a1c6c28bp-26,
    -0x1.6fcd6a3f467e6p-28, 0x1.0396255749994p-29, -0x1.87af67ee0f0a3p-31, 0x1.0fe82622a8c5cp-32,
    -0x1.cb011e8a4b523p-35, 0x1.43d40ed09ebf7p-36, -0x1.4f5a68676dc5cp-36, 0x1.bfb96159bdeffp-38};
inline constexpr double kErfcinv3Brief[] = {0x1.f7f4ccd99b2e6p-1,   0x1.39630c8481261p-7,   -0x1.2a1f631f25f75p-8,
                                            0x1.0184b57f1946ap-9,   -0x1.a698fab02436bp-11, 0x1.515cd21608660p-12,
                                            -0x1.05f1b2210f867p-13, 0x1.719f793c25ed9p-15,  -0x1.1775dcb747c05p-16,
                                            0x1.4a942086ad84ap-17,  -0x1.e58ba80d3a466p-19};
// erfcinv(exp(-s^2)) / s in (s - 20.5) / 7.5, 13 <= s <= 28.
inline constexpr double kErfcinv4[] = {
    0x1.fdcf00d019cdbp-1,   0x1.61c85132b7f71p-9,  -0x1.5af5efb55de07p-10, 0x1.345cc2749e009p-11,
    -0x1.0410da05d572dp-12, 0x1.a8a711d1b6615p-14, -0x1.53219e4dd0274p-15, 0x1.0a89d9a70f6c2p-16,
    -0x1.9debb4a92970cp-18, 0x1.3e5a26fbb67a8p-19, -0x1.e5f1be7a8a29ep-21, 0x1.70869b1dc2384p-22,
    -0x1.15f4f76dba869p-23, 0x1.a1677aee69ce7p-25, -0x1.38a08818efb62p-26, 0x1.d1ec6faff6cffp-28,
    -0x1.54144d7eb2162p-29, 0x1.f7fb4c4d84a4ap-31, -0x1.a6df1729432efp-32, 0x1.374276966ca0fp-33,
    -0x1.7bb5544f78a16p-36, 0x1.19a249343f073p-37, -0x1.ffa4d8f36f3a3p-37, 0x1.751a2c2514fbdp-38};
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
// log(gamma(x)) / ((x - 1) (x - 2)) in 2 x - 3, 1 <= x <= 2.
inline constexpr double kGammalnBrief[] = {0x1.eeb95b088b4afp-2,   -0x1.2aed059ae557cp-4,  0x1.01af6605047e8p-6,
                                           -0x1.007aac768e839p-8,  0x1.1331affa01495p-10,  -0x1.34d8cafa1ad61p-12,
                                           0x1.6595450d000e0p-14,  -0x1.a5d119fc28a5dp-16, 0x1.e4c0e6a79bcd0p-18,
                                           -0x1.252f70a296e05p-19, 0x1.f688e9ad7bd6ap-21,  -0x1.36641a708a57ap-22};
// gamma(x) in 2 x - 3, 1 <= x <= 2.
inline constexpr double kGamma[] = {
    0x1.c5bf891b4ef6bp-1,  0x1.08ea88ee561b1p-6,   0x1.a8c4dba620d56p-4,  -0x1.b77ac1ca2eba4p-7,
    0x1.283bd374eb35ep-7,  -0x1.3d88cfe50615fp-9,  0x1.e022b7433f843p-11, -0x1.374fd5cc87da4p-12,
    0x1.a752c6b4833f3p-14, -0x1.1a2c297f2a6a8p-15, 0x1.7991dc39b9179p-17, -0x1.f7fc54c1e384dp-19,
    0x1.504ed944524fep-20, -0x1.c0a2673e04123p-22, 0x1.2b2b5f19c211ap-23, -0x1.8ef7865b7d7f9p-25,
    0x1.0a3e5d7b5a3a1p-26, -0x1.6303f38555fcfp-28, 0x1.d43262e9a34f3p-30, -0x1.38238e4f9b707p-31,
    0x1.c68cdebefd42ap-33, -0x1.2f0935fdbddc0p-34, 0x1.b972bb298fec6p-37, -0x1.264ce0255f55bp-38,
    0x1.61299793c6990p-38, -0x1.d6e234ed05066p-40};
inline constexpr double kGammaBrief[] = {0x1.c5bf891b4ef6bp-1,   0x1.08ea8b01f08f3p-6,   0x1.a8c4db79d1290p-4,
                                         -0x1.b77b359dc9eafp-7,  0x1.283bfa133c608p-7,   -0x1.3d7a7a2b888fap-9,
                                         0x1.e00f9913b0ef1p-11,  -0x1.38d1ca5e420e6p-12, 0x1.a95583594cd62p-14,
                                         -0x1.06bf567aacfc1p-15, 0x1.5fa9b8e87165dp-17,  -0x1.6f9eae290f62ep-18,
                                         0x1.ea84b4ec28812p-20};
// x times Stirling's series in 1 / x^2, x >= 8.
inline constexpr double kStirling[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c0fp-9, 0x1.a01a01a00d0c8p-11,
                                       -0x1.381381168d370p-11, 0x1.b951b7066a805p-11, -0x1.f69af4cedb3c1p-10,
                                       0x1.a2565f7c03969p-8,   -0x1.c6897db52d634p-6, 0x1.c29fa984fd96ep-4};
// x times Stirling's series in 1 / x^2, x >= 3.
inline constexpr double kStirlingBrief[] = {0x1.555555553351bp-4,   -0x1.6c16b69a41ba7p-9, 0x1.a007c3befa889p-11,
                                            -0x1.352dded32d44cp-11, 0x1.811379302e6cap-11, -0x1.af650a075aa9cp-11};
// digamma(x) / (x - root) in 2 x - 3, 1 <= x <= 2.
inline constexpr double kDigamma[] = {
    0x1.e6f0cbb873616p-1,  -0x1.b1cb63005ee96p-3,  0x1.eca189b8e6f7bp-5,  -0x1.2feeeb98a7e14p-6,
    0x1.8512e59037f3fp-8,  -0x1.fb4420299c39ep-10, 0x1.4de9aa17fed5cp-11, -0x1.b9f8b14eb372ep-13,
    0x1.256471573c163p-14, -0x1.8635595c28480p-16, 0x1.03c0b29031197p-17, -0x1.5a07ffdcf1525p-19,
    0x1.cd1f2dbc0dbedp-21, -0x1.335166d938f39p-22, 0x1.99e14548a2d9bp-24, -0x1.1138fd323dc0cp-25,
    0x1.69be71d89ad40p-27, -0x1.e24e3f4fdc1dcp-29, 0x1.56ae8897d5d3dp-30, -0x1.c8e71b670fd14p-32,
    0x1.80c273fb322c5p-34, -0x1.0081238b97022p-35, 0x1.0080971c5617fp-35, -0x1.5600aebc07538p-37};
inline constexpr double kDigammaBrief[] = {0x1.e6f0cbb359415p-1,   -0x1.b1cb62f991d8ep-3,  0x1.eca1a0a5664dep-5,
                                           -0x1.2feefae001d2ep-6,  0x1.850a9b11ed80ep-8,   -0x1.fb3912e2595f9p-10,
                                           0x1.4f00033578b98p-11,  -0x1.bb6bba9c1d8b7p-13, 0x1.1523973099fbep-14,
                                           -0x1.708afcc34f540p-16, 0x1.6fc2a8cc1ee58p-17,  -0x1.ea009c96737f3p-19};
inline constexpr double kDigammaRoot = 0x1.762d86356be3fp+0, kDigammaRootLow = 0x1.b86a722197829p-54;
// x^2 (log(x) - 1 / (2 x) - digamma(x)) in 1 / x^2, x >= 10.
inline constexpr double kDigammaTail[] = {0x1.5555555555555p-4,  -0x1.1111111111110p-7, 0x1.041041040eaa9p-8,
                                          -0x1.1111110aa9604p-8, 0x1.f07c120a33491p-8,  -0x1.5991e0f9ff368p-6,
                                          0x1.54b3a200e8e4ep-4,  -0x1.b59a48f6f7fa8p-2, 0x1.105c65c377d57p+1};
// x^2 (log(x) - 1 / (2 x) - digamma(x)) in 1 / x^2, x >= 3.
inline constexpr double kDigammaTailBrief[] = {0x1.5555555533b18p-4,  -0x1.11110d6ccc854p-7, 0x1.040c0ac21d189p-8,
                                               -0x1.1020927a2e466p-8, 0x1.d5c20a30e2946p-8,  -0x1.ddde1bc424446p-7,
                                               0x1.4438741b16735p-6};
// x^3 (trigamma(x) - 1 / x - 1 / (2 x^2)) in 1 / x^2, x >= 10.
inline constexpr double kTrigammaTail[] = {0x1.5555555555555p-3,  -0x1.111111111110bp-5, 0x1.8618618610c2ep-6,
                                           -0x1.11111101b05d5p-5, 0x1.364d83c907b8bp-4,  -0x1.032bb904b8c4cp-2,
                                           0x1.29e7a112b8e29p+0,  -0x1.b2292343e16d7p+2, 0x1.26f341964d450p+5};
// x^3 (trigamma(x) - 1 / x - 1 / (2 x^2)) in 1 / x^2, x >= 4.
inline constexpr double kTrigammaTailBrief[] = {0x1.555555554d57bp-3,  -0x1.1111104c89caep-5, 0x1.8616d0b8f3690p-6,
                                                -0x1.10c2ea35f0240p-5, 0x1.2ed103f896589p-4,  -0x1.a23ffe444ebb8p-3,
                                                0x1.ab3340e1b2ac8p-2};
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
// exp(-x) I0(x) in x / 3.875 - 1, x < 7.75.
inline constexpr double kI0Brief[] = {
    0x1.af5df2a7b2742p-3,  -0x1.d8eb8ec9ffc93p-4,  0x1.8d7a87934fdd1p-4,  -0x1.7785cabb45185p-4,
    0x1.6f73ffe42db4bp-4,  -0x1.62372b244d0fdp-4,  0x1.459030aaeafacp-4,  -0x1.17faac3861d95p-4,
    0x1.be7335748e0c7p-5,  -0x1.499e08da7f9fdp-5,  0x1.c48154bbb5a38p-6,  -0x1.1e5e8cfb887f5p-6,
    0x1.48b9ff033a8b2p-7,  -0x1.6e248f9a154f4p-8,  0x1.af65d3f106d1dp-9,  -0x1.95b350169490ap-10,
    0x1.7e38a74896c84p-12, -0x1.82d434b96beaep-13, 0x1.f4d74aa252568p-13, -0x1.701bbfc4be29fp-14};
// exp(-x) I1(x) / x in x / 3.875 - 1, x < 7.75.
inline constexpr double kI1Brief[] = {
    0x1.7e4aa921ea849p-5,  -0x1.043f6b82e69a7p-4,  0x1.1fcbe6b51bd3ep-4,  -0x1.1ed1d062da4f7p-4,
    0x1.07b27fee0d462p-4,  -0x1.c20d768bbd3ebp-5,  0x1.650b51e18b540p-5,  -0x1.078b6f712f7e6p-5,
    0x1.6a591adc03577p-6,  -0x1.d0f9e05d2680ap-7,  0x1.176daaf8d0698p-7,  -0x1.3a0336ef2eb2bp-8,
    0x1.47568c48a4b7ap-9,  -0x1.4757cd8bb2410p-10, 0x1.4d2f807f16fbfp-11, -0x1.230d56cd88e1bp-12,
    0x1.3e63fef8d70b1p-14, -0x1.16c32ed4c949bp-15, 0x1.0e87feaa6ea12p-15, -0x1.77e1f98f4acc3p-17};
// sqrt(x) exp(-x) I0(x) in 15.5 / x - 1, x > 7.75.
inline constexpr double kI0e[] = {
    0x1.9bf09d24c9fb6p-2,   0x1.c7e07b9f9979dp-9,  0x1.32d2e3d91a8bep-13,  0x1.a271ce45d22bdp-17,
    0x1.d34ef3cecc4a7p-20,  0x1.8cf61f290b233p-22, 0x1.fe87600d7eb73p-24,  0x1.e431a737f325bp-25,
    0x1.029027d3c66dfp-25,  0x1.a4c906c61c27ap-28, -0x1.1664b56abf982p-26, -0x1.6bcea9b0cc032p-26,
    -0x1.43368b878ca71p-29, 0x1.1a7b32b0c7062p-26, 0x1.1064a3ef99722p-27,  -0x1.98bcfcf46f131p-27,
    -0x1.0ce6c798a4944p-27, 0x1.3ad7f313f51d5p-27, 0x1.8af3dd04341eep-28,  -0x1.d1b56630b2cb6p-28,
    -0x1.c04f78d0faad7p-29, 0x1.1caa37f51e40cp-28, 0x1.6f4169b98bea9p-30,  -0x1.f8c8c596567c7p-30,
    -0x1.7cb25c4272d4bp-32, 0x1.17f1780b5de97p-31, 0x1.72ba3412c2cf8p-35,  -0x1.1fe24065b4b34p-34};
inline constexpr double kI0eBrief[] = {0x1.9bf09d24c36bbp-2,   0x1.c7e07b9c3e0bbp-9,   0x1.32d2f29b66865p-13,
                                       0x1.a272c23e86896p-17,  0x1.d2f90266fdcbep-20,  0x1.8b811f8dd5fd0p-22,
                                       0x1.0a9fc8168dcc0p-23,  0x1.0d82f5b36a1aep-24,  0x1.5cd4d09b4a0acp-26,
                                       -0x1.2b76ecbe7b855p-27, -0x1.3f1ec327c7291p-27, -0x1.ec5a9a648d6b2p-30};
// sqrt(x) exp(-x) I1(x) in 15.5 / x - 1, x > 7.75.
inline constexpr double kI1e[] = {
    0x1.8e6bf6fae06bdp-2,   -0x1.4a4281867f56ep-7,  -0x1.ed3096ec56c23p-13, -0x1.19f47a6e409d4p-16,
    -0x1.206f67b5900f0p-19, -0x1.d008e1a406119p-22, -0x1.1ef9951ac0e29p-23, -0x1.0932ead3ec4b7p-24,
    -0x1.198c478acda88p-25, -0x1.f160c8ae70cd0p-28, 0x1.1c2b22b9ecb41p-26,  0x1.801d8af81e6c1p-26,
    0x1.a6d93bc82cdc0p-29,  -0x1.22575099da693p-26, -0x1.2a14c891c13d0p-27, 0x1.9d6eda3c24554p-27,
    0x1.20b343db33c50p-27,  -0x1.3c966381dca2ap-27, -0x1.a5bfe71d31074p-28, 0x1.d457ff9620844p-28,
    0x1.de48092e3968cp-29,  -0x1.1ecde44d577fbp-28, -0x1.88131cc74ab23p-30, 0x1.fd834fce2bb26p-30,
    0x1.96e72088681d3p-32,  -0x1.1afab532a1425p-31, -0x1.8cbd0f2977950p-35, 0x1.23543a2c616bbp-34};
inline constexpr double kI1eBrief[] = {0x1.8e6bf6fae7142p-2,   -0x1.4a4281859b0aep-7,  -0x1.ed30a5e44512ap-13,
                                       -0x1.19f4fc02f6107p-16, -0x1.2043ec7aae1fep-19, -0x1.ce7d31315b4dbp-22,
                                       -0x1.2a68ab0edaa85p-23, -0x1.2633d6dd89545p-24, -0x1.8be101a7dd332p-26,
                                       0x1.200ff469a3410p-27,  0x1.584902ac64ebcp-27,  0x1.2524d0dd893b4p-29};
// J0(x) / ((x^2 - a^2) (x^2 - b^2)) in x^2 / 32 - 1, x < 8.
inline constexpr double kJ0[] = {
    0x1.2bc29174dd587p-10, -0x1.15d87e4b8d5b1p-9,  0x1.99e65104a68d3p-10, -0x1.5059ea69f58a4p-11,
    0x1.6409a6fd7b18ap-13, -0x1.08db6a2de263fp-15, 0x1.250f53798032fp-18, -0x1.f633ea85ead22p-22,
    0x1.577f683baf78fp-25, -0x1.801f7f33955cfp-29, 0x1.65ec7d3757f15p-33, -0x1.1a4d977497bcdp-37,
    0x1.7df1c9ec3f495p-42, -0x1.c0368f7e23f04p-47, 0x1.cca49fc88415dp-52, -0x1.a21d1459cc9bbp-57,
    0x1.51aa3294fbcb2p-62, -0x1.e871de3c65516p-68, 0x1.3e3f031728059p-73, -0x1.778d8cd744350p-79,
    0x1.93b96957a4ed6p-85, -0x1.8c102a1c033c2p-91};
inline constexpr double kJ0Brief[] = {0x1.2bc29174dd587p-10,  -0x1.15d87e4b8d556p-9,  0x1.99e65104a68cep-10,
                                      -0x1.5059ea69f8096p-11, 0x1.6409a6fd7b6abp-13,  -0x1.08db6a2ca2d4bp-15,
                                      0x1.250f53792e24cp-18,  -0x1.f633eca9a698cp-22, 0x1.577f68c855c9ap-25,
                                      -0x1.801db6e28e45cp-29, 0x1.65eb92da0d8b9p-33,  -0x1.1bba6dcc8bc4fp-37,
                                      0x1.7f6898f4fb451p-42};
// The factor of the cosine in J0, in 128 / x^2 - 1, x > 8.
inline constexpr double kP0[] = {0x1.ffb8dd328503dp-1,   -0x1.193600c1deb26p-11, 0x1.9be00160d9ffcp-18,
                                 -0x1.b8d2d6f6d1924p-23, 0x1.b7ef139549b90p-27,  -0x1.4d2f36bc01a81p-30,
                                 0x1.54dc7927ee76fp-33,  -0x1.b5c2a350da351p-36, 0x1.50d7edcf22f5fp-38,
                                 -0x1.2ae31a562ef2fp-40, 0x1.145dcbd329e7dp-42,  -0x1.2797e7ef5db94p-44,
                                 0x1.2c5aa153e987cp-45,  -0x1.98d0ed70244fep-47};
// The factor of the sine in J0, times x, in 128 / x^2 - 1, x > 8.
inline constexpr double kQ0[] = {-0x1.fdb5c0b2f3d5cp-4,  0x1.1e9a6138fee49p-11,  -0x1.8c843528088fbp-17,
                                 0x1.3135a89cfc056p-21,  -0x1.858d1fbd6f898p-25, 0x1.61a5694a5fffcp-28,
                                 -0x1.a07cee2f84454p-31, 0x1.2b9b4634733b0p-33,  -0x1.fb562b19f0284p-36,
                                 0x1.e7f90f6d6505cp-38,  -0x1.d8d2d71045733p-40, 0x1.0b0f12563492ap-41,
                                 -0x1.3343c46009016p-42, 0x1.b76054a4a9600p-44};
inline constexpr double kJ0First = 0x1.33d152e971b40p+1, kJ0FirstLow = -0x1.0f539d7da258ep-53;
inline constexpr double kJ0Second = 0x1.6148f5b2c2e45p+2, kJ0SecondLow = 0x1.75054cd60a517p-54;
// J1(x) / x / ((x^2 - a^2) (x^2 - b^2)) in x^2 / 32 - 1, x < 8.
inline constexpr double kJ1[] = {
    0x1.98ec1eee7c01ap-13, -0x1.1adb1329ed86fp-12, 0x1.4c9bd11c0aa3bp-13, -0x1.c5a7fc38dd1d3p-15,
    0x1.9ac7788fbda1dp-17, -0x1.0af8bb9889ba1p-19, 0x1.06438a6958c31p-22, -0x1.941a82675761ep-26,
    0x1.f62979d67044bp-30, -0x1.0137e01b6d793p-33, 0x1.ba3fb2eea4c7fp-38, -0x1.43c20bf86001fp-42,
    0x1.98ae518e25941p-47, -0x1.c179ab5f868e0p-52, 0x1.b2a6e4c2f4c30p-57, -0x1.7484cb63600d6p-62,
    0x1.1cf3b93226443p-67, -0x1.8783fa62d8a00p-73, 0x1.e5d0805be616cp-79, -0x1.1194b407ad747p-84,
    0x1.194143f728a79p-90, -0x1.0865b26041a2bp-96};
inline constexpr double kJ1Brief[] = {0x1.98ec1eee7c01ap-13,  -0x1.1adb1329ed859p-12, 0x1.4c9bd11c0aa39p-13,
                                      -0x1.c5a7fc38de5d9p-15, 0x1.9ac7788fbdc88p-17,  -0x1.0af8bb97e98c4p-19,
                                      0x1.06438a69320eep-22,  -0x1.941a8379e5936p-26, 0x1.f6297a5b1f618p-30,
                                      -0x1.0136fb5e33e6bp-33, 0x1.ba3ed5d5f4e59p-38,  -0x1.452fd64943d44p-42,
                                      0x1.9a0fecfeb1f01p-47};
// The factor of the cosine in J1, in 128 / x^2 - 1, x > 8.
inline constexpr double kP1[] = {0x1.003b716033732p+0,   0x1.d73b8ea3c123ap-11,  -0x1.0b1541bfbc13fp-17,
                                 0x1.077626416f421p-22,  -0x1.f96172c47413bp-27, 0x1.75eafce017fadp-30,
                                 -0x1.78b76d6581c18p-33, 0x1.de9966a570cb7p-36,  -0x1.6d4884b3bfe27p-38,
                                 0x1.421781e3d6db0p-40,  -0x1.28af91c81f6b0p-42, 0x1.3c1b9e16a3b12p-44,
                                 -0x1.3ee57b0814a06p-45, 0x1.b0cdcd57181bfp-47};
// The factor of the sine in J1, times x, in 128 / x^2 - 1, x > 8.
inline constexpr double kQ1[] = {0x1.7f323705062fbp-2,   -0x1.938da0a0a69a1p-11, 0x1.e8e009ca4b3f0p-17,
                                 -0x1.64231277700dfp-21, 0x1.b9302ecff655cp-25,  -0x1.8922ebf1b41e9p-28,
                                 0x1.c9279847a2b37p-31,  -0x1.45d8148c07f84p-33, 0x1.11ee2566ac854p-35,
                                 -0x1.060412bc3216ap-37, 0x1.fa39003a26b44p-40,  -0x1.1cf38d60b0b64p-41,
                                 0x1.458174013aedcp-42,  -0x1.d03cbf5a70a98p-44};
inline constexpr double kJ1First = 0x1.ea75575af6f09p+1, kJ1FirstLow = -0x1.60155a9d1b256p-53;
inline constexpr double kJ1Second = 0x1.c0ff5f3b47250p+2, kJ1SecondLow = -0x1.b226d9d243827p-54;
// (sin(pi r) / r - pi) / r^2 in r^2, |r| <= 1/2.
inline constexpr double kSine[] = {-0x1.4abbce625be53p+2,  0x1.466bc6775aae2p+1,  -0x1.32d2cce62bd86p-1,
                                   0x1.50783487ee77ap-4,   -0x1.e3074fde87b40p-8, 0x1.e8f434cf676fap-12,
                                   -0x1.6fadb98c7767ep-16, 0x1.aaebebaab44a5p-21, -0x1.8a220459180f9p-26,
                                   0x1.21524a4bc5851p-31};
// (2 atanh(s) / s - 2) / s^2 in s^2 of 1 + f = (1 + s) / (1 - s), sqrt(1/2) < 1 + f < sqrt(2).
inline constexpr double kLogBrief[] = {0x1.555555556514ap-1, 0x1.999998c93029ap-2, 0x1.2493255328889p-2,
                                       0x1.c67a24806c68ep-3, 0x1.8c99d4b7f356bp-3};
// (exp(r) - 1 - r) / r^2, |r| <= log(2) / 2.
inline constexpr double kExpBrief[] = {0x1.0000000000000p-1, 0x1.5555556772829p-3,  0x1.5555555c939cap-5,
                                       0x1.1110c5dbc2ef9p-7, 0x1.6c168546029dbp-10, 0x1.a1522e6f83916p-13,
                                       0x1.a113b07e10667p-16};

}  // namespace tc::kernels::special
