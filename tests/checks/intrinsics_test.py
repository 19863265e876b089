"""The check of intrinsics itself: what it finds and what it does not; then the tree."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/checks"))
import intrinsics


class Intrinsics(unittest.TestCase):
    def test_found(self):
        for text in [
            "x = _mm_add_ps(a, b);",
            "__m512 x;",
            "__mmask16 inside = 0;",
            "_tile_release();",
            "__builtin_ia32_pause();",
            "float32x4_t x = vfmaq_f32(a, b, c);",
            "v = vld1q_u8(p);",
            "v128_t x = wasm_f32x4_add(a, b);",
            "xsimd::max(a, b);",
            'asm("" : "+x"(v));',
        ]:
            self.assertTrue(intrinsics.findings(text), text)

    def test_not_found(self):
        for text in [
            "// _mm_add_ps would round",
            "/* __m128\n*/ VecF x;",
            "fma(a, b, c); vmax(a, b); load_f16(p); store_i32(p); __builtin_prefetch(p); vexp(x);",
            "__builtin_shufflevector(a, b, 0, 1)",
        ]:
            self.assertEqual(intrinsics.findings(text), [], text)

    def test_line(self):
        self.assertEqual(intrinsics.findings("// a\n/* b\n*/\nx = _mm_setzero_ps();"), [(4, "_mm_setzero_ps")])

    def test_targets(self):
        self.assertTrue(intrinsics.is_target("kernels/simd/x86/vec.h"))
        self.assertTrue(intrinsics.is_target("kernels/gemm/split_amx.h"))
        self.assertFalse(intrinsics.is_target("kernels/gemm/micro_tier.h"))

    def test_tree(self):
        self.assertEqual(intrinsics.main(), 0)


if __name__ == "__main__":
    unittest.main()
