"""tc-run: inputs, outputs, comparison, timings, suites, and what it says of bad input."""
import io
import json
import os
import subprocess
import unittest

import numpy

import onnx_file
import tool

RELU = """graph @main(%x: f32[N,2]) {
  %0 = relu %x : f32[N,2]
  return %0 : "out/y:0"
}
"""
SUM = """graph @main(%a: f32[N], %b: f32[N]) {
  %0 = add %a, %b : f32[N]
  return %0 : "sum"
}
"""
FOREVER = """graph @main(%n: i64[], %x: f32[]) {
  %0 = loop %n, _, %x (@body (%i: i64[], %go: bool[], %acc: f32[]) {
    %1 = add %acc, %acc : f32[]
    return %go, %1
  }) : f32[]
  return %0 : "y"
}
"""


GROWING_TEXT = """graph @main(%n: i64[], %x: str[]) {
  %0 = loop %n, _, %x (@body (%i: i64[], %go: bool[], %acc: str[]) {
    %1 = string_concat %acc, %acc : str[]
    return %go, %1
  }) : str[]
  return %0 : "y"
}
"""
DRAW = """graph @main() {
  %0 = random_normal {shape = [20]} : f32[20]
  return %0 : "y"
}
"""


def identity(element, extents):
    return f'graph @main(%x: {element}{extents}) {{\n  %0 = identity %x : {element}{extents}\n  return %0 : "y"\n}}\n'


def npy(array):
    out = io.BytesIO()
    numpy.save(out, array)
    return out.getvalue()


def matmul_model(op="MatMul", domain=""):
    w = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    return onnx_file.model(
        [(op, ["x", "w"], ["y"], domain)],
        [("x", "float32", ["batch", 2])],
        [("y", "float32", ["batch", 3])],
        [("w", w)],
    )


class RunTest(tool.ToolTest):
    def outputs(self, *args):
        self.run_tool(*args, "--save", "out.npz")
        with numpy.load(self.folder / "out.npz") as archive:
            return {name: archive[name] for name in archive.files}


class Inputs(RunTest):
    def test_literal(self):
        self.write("m.tc", RELU)
        out = self.outputs("m.tc", "--input", "x=2x2xf32=-1,2.5,3e2,-inf")
        self.assertEqual(list(out), ["out/y:0"])
        numpy.testing.assert_array_equal(out["out/y:0"], numpy.float32([[0, 2.5], [300, 0]]))

    def test_literals_of_every_kind(self):
        for element, literal, expected in [
            ("i64", "3xi64=1,-2,9223372036854775807", numpy.int64([1, -2, 2**63 - 1])),
            ("u8", "3xu8=0,7,255", numpy.uint8([0, 7, 255])),
            ("bool", "3xbool=true,0,1", numpy.array([True, False, True])),
            ("f16", "3xf16=0.5,-2,65504", numpy.float16([0.5, -2, 65504])),
            ("f64", "3xf64=0.1,1e300,-0", numpy.float64([0.1, 1e300, -0.0])),
            ("str", "3xstr=a,b=c,", numpy.array(["a", "b=c", ""])),
            ("f32", "3xf32@ones", numpy.ones(3, numpy.float32)),
            ("f32", "3xf32@zeros", numpy.zeros(3, numpy.float32)),
        ]:
            with self.subTest(literal):
                self.write("m.tc", identity(element, "[3]"))
                y = self.outputs("m.tc", "--input", f"x={literal}")["y"]
                numpy.testing.assert_array_equal(y, expected)
                self.assertEqual(y.dtype.kind, expected.dtype.kind)

    def test_scalar_and_empty(self):
        self.write("m.tc", identity("i32", "[]"))
        self.assertEqual(self.outputs("m.tc", "-i", "x=i32=7")["y"].tolist(), 7)
        self.write("e.tc", identity("f32", "[0,3]"))
        self.assertEqual(self.outputs("e.tc", "-i", "x=0x3xf32=")["y"].shape, (0, 3))

    def test_files(self):
        x = numpy.random.default_rng(1).standard_normal((4, 2)).astype(numpy.float32)
        self.write("m.tc", RELU)
        self.write("x.npy", npy(x))
        self.write("fortran.npy", npy(numpy.asfortranarray(x)))
        self.write("x.pb", onnx_file.tensor(x, "x"))
        numpy.savez(self.folder / "x.npz", x=x)
        numpy.savez_compressed(self.folder / "other.npz", z=x)
        for args in [
            ("--input", "x=x.npy"),
            ("--input", "x=fortran.npy"),
            ("--input", "x=x.pb"),
            ("--input", "x=x.npz"),
            ("--input", "x=other.npz:z"),
            ("--inputs", "x.npz"),
        ]:
            with self.subTest(args):
                numpy.testing.assert_array_equal(self.outputs("m.tc", *args)["out/y:0"], numpy.maximum(x, 0))

    def test_random(self):
        self.write("m.tc", identity("f32", "[N,3]"))
        a, b = (self.outputs("m.tc", "--random", 7, "--dim", "N=5")["y"] for _ in range(2))
        self.assertEqual(a.shape, (5, 3))
        numpy.testing.assert_array_equal(a, b)
        self.assertFalse((a == self.outputs("m.tc", "--random", 8, "--dim", "N=5")["y"]).any())

    def test_random_fills_the_rest_with_fitting_extents(self):
        self.write("m.tc", SUM)
        self.assertEqual(self.outputs("m.tc", "--input", "a=3xf32=1,2,3", "--random")["sum"].shape, (3,))

    def test_onnx(self):
        self.write("m.onnx", matmul_model())
        out = self.outputs("m.onnx", "--input", "x=1x2xf32=10,1")
        numpy.testing.assert_array_equal(out["y"], numpy.float32([[3, 14, 25]]))


class Outputs(RunTest):
    def test_summary(self):
        self.write("m.tc", RELU)
        text = self.run_tool("m.tc", "--input", "x=1x2xf32=-1,3")
        for words in ["out/y:0", "f32[1,2]", "max 3", "mean 1.5"]:
            self.assertIn(words, text)

    def test_save_then_expect(self):
        self.write("m.tc", SUM)
        given = ("m.tc", "--input", "a=2xf32=1,2", "--input", "b=2xf32=10,20")
        self.run_tool(*given, "--save", "y.npz")
        self.run_tool(*given, "--expect", "y.npz", "--rtol", 0, "--atol", 0)
        numpy.savez(self.folder / "off.npz", **{"sum": numpy.float32([11, 22.1])})
        text = self.run_tool(*given, "--expect", "off.npz", status=1)
        self.assertIn("MISMATCH sum", text)
        self.run_tool(*given, "--expect", "off.npz", "--atol", 0.2)
        self.run_tool(*given, "--expect", "off.npz", "--rtol", 0.01)
        numpy.savez(self.folder / "shape.npz", **{"sum": numpy.float32([[11, 22]])})
        self.run_tool(*given, "--expect", "shape.npz", status=1)
        numpy.savez(self.folder / "type.npz", **{"sum": numpy.float64([11, 22])})
        self.run_tool(*given, "--expect", "type.npz", status=1)
        numpy.savez(self.folder / "name.npz", total=numpy.float32([11, 22]))
        self.fails(*given, "--expect", "name.npz", code="bad-input", says="no output 'total'")

    def test_every_way_of_running_agrees(self):
        self.write("m.onnx", matmul_model())
        given = ("m.onnx", "--random", "--dim", "batch=5")
        self.run_tool(*given, "--save", "y.npz")
        for args in [("--interpreter",), ("-O0",), ("-O1",), ("--isa", "sse42"), ("--threads", 1)]:
            with self.subTest(args):
                self.run_tool(*given, "--expect", "y.npz", *args)
                self.run_tool(*given[:-1], "batch=4", "--expect", "y.npz", *args, status=1)
        self.assertEqual(self.outputs(*given, "--widened")["y"].dtype, numpy.float64)

    def test_saved_inputs_give_the_same_outputs(self):
        self.write("m.tc", SUM)
        self.run_tool("m.tc", "--random", 5, "--save-inputs", "x.npz", "--save", "y.npz")
        with numpy.load(self.folder / "x.npz") as given:
            self.assertEqual(sorted(given.files), ["a", "b"])
        exact = ("--expect", "y.npz", "--rtol", 0, "--atol", 0)
        self.run_tool("m.tc", "--inputs", "x.npz", *exact)
        self.run_tool("m.tc", "--random", 6, *exact, status=1)

    def test_seed_repeats_random_numbers(self):
        self.write("m.tc", DRAW)
        self.run_tool("m.tc", "--seed", 7, "--save", "y.npz")
        for args in [(), ("--interpreter",), ("-O0",), ("--isa", "sse42"), ("--threads", 1)]:
            with self.subTest(args):
                self.run_tool("m.tc", "--seed", 7, "--expect", "y.npz", "--rtol", 0, "--atol", 0, *args)
                self.run_tool("m.tc", "--seed", 8, "--expect", "y.npz", *args, status=1)
                self.run_tool("m.tc", "--expect", "y.npz", *args, status=1)

    def test_json(self):
        self.write("m.tc", RELU)
        report = self.run_json("m.tc", "--random", "--repeat", 3, "--json")
        for key in ["median_ms", "p10_ms", "p90_ms", "load_ms", "first_run_ms", "peak_rss_mb"]:
            self.assertGreater(report[key], 0, msg=key)
        self.assertLessEqual(report["p10_ms"], report["median_ms"])
        self.assertLessEqual(report["median_ms"], report["p90_ms"])
        self.assertEqual(report["outputs"][0]["name"], "out/y:0")

    def test_profile_memory_and_trace(self):
        self.write("m.onnx", matmul_model())
        text = self.run_tool("m.onnx", "--random", "--profile", "--mem", "--trace", "t.json")
        self.assertIn("the_MatMul", text)
        self.assertIn("planned peak", text)
        events = json.loads((self.folder / "t.json").read_text())
        events = events["traceEvents"] if isinstance(events, dict) else events
        self.assertTrue(any("dur" in e for e in events))

    def test_candidates_and_forced_ones(self):
        self.write("m.onnx", matmul_model())
        text = self.run_tool("m.onnx", "--random", "--candidates")
        self.assertRegex(text, r"the_MatMul[^\n]* \(gemm_f32[^\n]*\)\n  small[^\n]*; tiles")
        self.assertIn("(chosen)", text)
        self.assertIn("tiles (forced)", self.run_tool("m.onnx", "--random", "--candidates", "--force", "matmul=tiles"))
        refused = self.start("m.onnx", "--random", "--force", "matmul=strassen")
        self.assertEqual(refused.returncode, 0)
        self.assertRegex(refused.stderr.decode(), r"^note: [^\n]*the_MatMul[^\n]*: strassen cannot be used: [^\n]+\n$")

    def test_help_teaches_by_examples(self):
        text = self.run_tool("--help")
        self.assertIn("Examples:", text)
        self.assertIn("Exit status", text)


class WrongCommandLine(RunTest):
    def test_refused(self):
        self.write("m.tc", RELU)
        for args in [
            (),
            ("m.tc", "--no-such-flag"),
            ("m.tc", "another.tc"),
            ("m.tc", "--suite", "."),
            ("m.tc", "--random", "-O3"),
            ("m.tc", "--random", "--isa", "avx1024"),
            ("m.tc", "--random", "--repeat", 0),
            ("m.tc", "--random", "--repeat", "x"),
            ("m.tc", "--random", "--threads", -1),
            ("m.tc", "--input"),
            ("m.tc", "--input", "x"),
            ("m.tc", "--input", "x=nonsense"),
            ("m.tc", "--input", "x=2x2xf32=1,2,3"),
            ("m.tc", "--input", "x=2x2xf32=1,2,3,four"),
            ("m.tc", "--input", "x=2xX2xf32@ones"),
            ("m.tc", "--input", "x=-1x2xf32@ones"),
            ("m.tc", "--input", "x=1x2xf32@twos"),
            ("m.tc", "--random", "--dim", "N"),
            ("m.tc", "--random", "--dim", "N=many"),
            ("m.tc", "--random", "--forbid-ref=no_family"),
            ("m.tc", "--random", "--force", "conv"),
            ("--suite", ".", "--filter", "("),
        ]:
            with self.subTest(args):
                self.refuses(*args)
        for force, says in [
            ("conv=drect", "unknown algorithm 'drect' of conv; one of direct_plain"),
            ("con=direct", "unknown kind of kernels 'con'; one of conv matmul"),
        ]:
            self.refuses("m.tc", "--random", "--force", force, says=says)


class BadInput(RunTest):
    def test_names_types_and_shapes(self):
        self.write("m.tc", RELU)
        self.fails("m.tc", says=["no value for 'x'", "--random"], code="bad-input")
        self.fails("m.tc", "-i", "y=1x2xf32@ones", says=["no input 'y'", "x"], code="bad-input")
        self.fails("m.tc", "-i", "x=1x2xf32@ones", "-i", "x=1x2xf32@ones", says="twice", code="bad-input")
        self.fails("m.tc", "-i", "x=1x2xi64@ones", says=["f32", "i64"], code="bad-input")
        self.fails("m.tc", "-i", "x=1x3xf32@ones", says=["x", "3"], code="bad-input")
        self.fails("m.tc", "-i", "x=2xf32@ones", says="x", code="bad-input")
        self.write("s.tc", SUM)
        self.fails("s.tc", "-i", "a=2xf32@ones", "-i", "b=3xf32@ones", says=["2", "3"], code="bad-input")

    def test_files(self):
        self.write("m.tc", RELU)
        self.fails("none.onnx", "--random", says=["none.onnx", "No such file"], code="bad-file")
        self.fails("none.tc", "--random", says="none.tc", code="bad-file")
        self.fails(".", "--random", says="", code="bad-file")
        self.fails("m.tc", "-i", "x=none.npy", says="none.npy", code="bad-file")
        self.fails("m.tc", "--inputs", "none.npz", says="none.npz", code="bad-file")
        self.write("bad.npy", b"not an array")
        self.fails("m.tc", "-i", "x=bad.npy", says="bad.npy", code="bad-file")
        self.write("bad.npz", b"PK\x03\x04 not an archive")
        self.fails("m.tc", "--inputs", "bad.npz", says="bad.npz", code="bad-file")
        self.write("bad.pb", b"\xff\xff\xff")
        self.fails("m.tc", "-i", "x=bad.pb", says="bad.pb", code="bad-file")
        numpy.savez(self.folder / "x.npz", x=numpy.ones((1, 2), numpy.float32), q=numpy.ones(1))
        self.fails("m.tc", "-i", "x=x.npz:z", says=["no member 'z'", "x, q"], code="bad-file")
        self.fails("m.tc", "--inputs", "x.npz", says="no input 'q'", code="bad-input")
        self.fails("m.tc", "--random", "--save", "no/such/folder.npz", says="folder.npz", code="bad-file")

    def test_text(self):
        self.write("bad.tc", "graph @main(%x: f32[2]) {\n  %0 = rleu %x\n  return %0\n}\n")
        self.fails("bad.tc", "--random", says=["bad.tc:2", "relu"])

    def test_models(self):
        self.write("op.onnx", matmul_model("MatMull"))
        self.fails("op.onnx", "--random", says=["MatMull", "the_MatMull"], code="unknown-op")
        self.write("domain.onnx", matmul_model("MatMul", "com.example"))
        self.fails("domain.onnx", "--random", says="com.example", code="unknown-op")
        self.write("empty.onnx", b"")
        self.fails("empty.onnx", "--random", says="empty.onnx")
        self.write("text.onnx", "this is not a model, but a text\n")
        self.fails("text.onnx", "--random", says="text.onnx")

    def test_truncated(self):
        whole = matmul_model()
        for size in range(1, len(whole), 7):
            self.write("cut.onnx", whole[:size])
            result = self.start("cut.onnx", "--random")
            self.assertIn(result.returncode, (0, 1), msg=size)
            self.assertEqual(result.returncode == 1, result.stderr.startswith(b"tc-run: "), msg=(size, result.stderr))
        self.write("cut.onnx", whole[:-20])
        self.fails("cut.onnx", "--random", says="cut.onnx")

    def test_budgets(self):
        self.write("m.tc", FOREVER)
        self.fails("m.tc", "-i", "n=i64=1000000", "-i", "x=f32=1", "--max-steps", 1000, says="1000", code="limit-steps")
        self.write("big.tc", identity("f32", "[N]").replace("identity", "exp"))
        self.fails("big.tc", "--random", "--dim", "N=1000000", "--max-memory", "1mb", says="", code="limit-memory")
        self.run_tool("big.tc", "--random", "--dim", "N=1000000", "--max-memory", "100mb")
        self.write("grow.tc", GROWING_TEXT)
        for engine in [(), ("--interpreter",)]:
            given = ("grow.tc", "-i", "n=i64=1000000", "-i", "x=str=a", *engine)
            self.fails(*given, "--max-memory", "1mb", says="memory budget", code="limit-memory")

    def test_timeout(self):
        self.write("m.tc", FOREVER)
        for engine in [(), ("--interpreter",)]:
            given = ("m.tc", "-i", "n=i64=100000000000", "-i", "x=f32=1", "--timeout", 1, *engine)
            self.fails(*given, says="deadline", code="limit-steps")
        self.run_tool("m.tc", "-i", "n=i64=3", "-i", "x=f32=1", "--timeout", 100)


class Files(RunTest):
    def test_what_cannot_be_written(self):
        self.write("m.tc", RELU)
        (self.folder / "folder").mkdir()
        for to in ["/dev/full", "folder", "no/such/file.npz"]:
            for option in ["--save", "--save-inputs", "--trace"]:
                with self.subTest((option, to)):
                    self.fails("m.tc", "--random", option, to, says=to, code="bad-file")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["folder", "m.tc"])

    def test_links_are_followed(self):
        self.write("m.tc", RELU)
        (self.folder / "link.npz").symlink_to("there.npz")
        (self.folder / "there.npz").write_bytes(b"old")
        self.run_tool("m.tc", "--random", "--save", "link.npz")
        self.assertTrue((self.folder / "link.npz").is_symlink())
        self.run_tool("m.tc", "--random", "--expect", "there.npz")

    def test_standard_output(self):
        self.write("m.tc", RELU)
        with open("/dev/full", "w") as full:
            result = subprocess.run([tool.TOOL, "m.tc", "--random"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual((result.returncode, result.stderr.count(b"\n")), (1, 1), msg=result.stderr)
        self.assertIn(b"standard output", result.stderr)
        here, there = os.pipe()
        os.close(here)
        result = subprocess.run([tool.TOOL, "m.tc", "--random"], cwd=self.folder, stdout=there, stderr=subprocess.PIPE)
        os.close(there)
        self.assertEqual((result.returncode, result.stderr.count(b"\n")), (1, 1), msg=result.stderr)


class Suite(RunTest):
    def case(self, name, x, y, model=None):
        self.write(f"{name}/model.onnx", model or matmul_model())
        self.write(f"{name}/test_data_set_0/input_0.pb", onnx_file.tensor(numpy.float32(x), "x"))
        self.write(f"{name}/test_data_set_0/output_0.pb", onnx_file.tensor(numpy.float32(y), "y"))

    def test_counts_and_reasons(self):
        self.case("suite/good", [[10, 1]], [[3, 14, 25]])
        self.case("suite/deep/er/good", [[0, 1]], [[3, 4, 5]])
        self.assertEqual(self.run_tool("--suite", "suite").splitlines(), ["2 passed, 0 failed, 0 skipped"])
        self.case("suite/wrong", [[10, 1]], [[3, 14, 26]])
        self.case("suite/unknown", [[1, 1]], [[3, 5, 7]], matmul_model("MatMull"))
        self.case("suite/broken", [[1, 1]], [[3, 5, 7]], b"\x00\x01\x02")
        for jobs in (1, 3):
            *failures, last = self.run_tool("--suite", "suite", "--jobs", jobs, status=1).splitlines()
            self.assertEqual(last, "2 passed, 3 failed, 0 skipped")
            self.assertEqual(sorted(f.split(":")[0] for f in failures), ["FAIL broken", "FAIL unknown", "FAIL wrong"])
            self.assertTrue(any("MatMull" in f for f in failures))
        self.assertEqual(
            self.run_tool("--suite", "suite", "--filter", "good$").splitlines(), ["2 passed, 0 failed, 0 skipped"]
        )

    def test_known_failures_are_a_ratchet(self):
        self.case("suite/good", [[10, 1]], [[3, 14, 25]])
        self.case("suite/wrong", [[10, 1]], [[3, 14, 26]])
        self.write("known", "wrong\n")
        text = self.run_tool("--suite", "suite", "--known-failures", "known")
        self.assertEqual(text.splitlines(), ["1 passed, 0 failed, 1 skipped"])
        self.write("known", "wrong\ngood\n")
        text = self.run_tool("--suite", "suite", "--known-failures", "known", status=1)
        self.assertIn("FAIL good", text)

    def test_missing_folder(self):
        self.fails("--suite", "nowhere", says="nowhere", code="bad-file")


if __name__ == "__main__":
    tool.main()
