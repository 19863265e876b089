"""tc-bench: engines in processes of their own, the report, and what it says when an engine cannot run."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest
import unittest.mock

import numpy

import onnx_file
import tool

PACKAGES = pathlib.Path(os.environ.get("TC_NODE_MODULES", tool.ROOT / "node_modules"))
MODEL = """graph @main(%x: f32[N,16]) {
  %w = constant dense<0.5> : f32[16,8]
  %0 = matmul %x, %w : f32[N,8]
  %1 = relu %0 : f32[N,8]
  return %1 : "y"
}
"""
TOOL_OPT = tool.TOOL.with_name("tc-opt")
QUICK = ["--min-time", "0.02", "--blocks", "2"]


class OneEngine(tool.ToolTest):
    def test_report(self):
        self.write("m.tc", MODEL)
        files = ["--json", "out/r.json", "--md", "r.md"]
        text = self.run_tool("m.tc", "--engines", "tc", "--threads", "1", "--dim", "N=4", *QUICK, *files)
        self.assertIn("GFLOP/s", text)
        [row] = json.loads((self.folder / "out/r.json").read_text())["results"]
        self.assertEqual((row["model"], row["threads"], row["flops"]), ("m", 1, 2 * 4 * 16 * 8))
        self.assertEqual(row["steps"], 1)
        self.assertGreater(row["step_ns"], 0)
        self.assertIn("ns each", text)
        engine = row["engines"]["tc"]
        self.assertLessEqual(engine["p10_ms"], engine["median_ms"])
        self.assertLessEqual(engine["median_ms"], engine["p90_ms"])
        self.assertGreaterEqual(engine["runs"], 6)
        page = (self.folder / "r.md").read_text()
        self.assertTrue(page.startswith("| model"))
        self.assertIn("-|----:|", page)
        self.assertIn("`tc-bench m.tc --engines tc ", page)

    def test_errors(self):
        # Of a share of the largest output: half a step of f16, what f32 rounds, nothing for integers.
        rounded = MODEL.replace("f32", "f16")
        whole = 'graph @main(%x: i32[N,4]) {\n  %0 = neg %x : i32[N,4]\n  return %0 : "y"\n}\n'
        for text, least, most in [(rounded, 1e-5, 2**-11), (MODEL, 0, 1e-6), (whole, None, None)]:
            self.write("m.tc", text)
            options = ["--engines", "tc", "--threads", "1", "--dim", "N=4", "--json", "r.json", *QUICK]
            printed = self.run_tool("m.tc", "--errors", *options)
            [row] = json.loads((self.folder / "r.json").read_text())["results"]
            self.assertEqual("error / largest output" in printed, most is not None)
            if most is None:
                self.assertNotIn("error_of_max", row["engines"]["tc"])
            else:
                self.assertLessEqual(least, row["engines"]["tc"]["error_of_max"])
                self.assertLessEqual(row["engines"]["tc"]["error_of_max"], most)

    def test_streams(self):
        self.write("m.tc", MODEL)
        options = ["--threads", "1,2", "--dim", "N=4", "--json", "r.json"]
        text = self.run_tool("m.tc", "--engines", "tc,streams", *options, *QUICK)
        self.assertIn("x streams", text)
        self.assertNotIn("WRONG", text)
        for row in json.loads((self.folder / "r.json").read_text())["results"]:
            self.assertGreater(row["engines"]["streams"]["ratio"], 0)
        self.refuses("m.tc", "--engines", "streams,tc", says="no engine")

    def test_isa(self):
        self.write("m.tc", MODEL)
        options = ["m.tc", "--engines", "tc", "--threads", "1", "--dim", "N=4", "--md", "r.md", *QUICK]
        self.refuses(*options, "--isa", "avx3", says="--isa")
        run = self.start(*options, "--isa", "sse42")
        if b"does not let CPUID be trapped" in run.stderr:
            self.skipTest("CPUID cannot be trapped here")
        self.assertEqual(run.returncode, 0, msg=run.stderr)
        self.assertIn("tc is tc sse42", (self.folder / "r.md").read_text())

    def test_zoo(self):
        self.assertIn("zoo:resnet50", self.run_tool("--list"))
        self.run_tool("zoo:mlp", "--save-models", "models")
        self.assertTrue((self.folder / "models/mlp.onnx").exists())
        text = self.run_tool("zoo:mlp", "zoo:mlp_64", "--engines", "tc", "--threads", "1", *QUICK)
        self.assertIn("mlp_64", text)
        self.refuses("zoo:mpl", says="did you mean 'mlp'")

    def test_operators(self):
        options = ["--engines", "tc", "--threads", "1", *QUICK]
        line = "Conv 1x8x9x9xf32@-1..1 =4x8x3x3xf32 _ ; pads=1,1,1,1 auto_pad=NOTSET"
        text = self.run_tool(f"op:{line}", "op:Split:2 6x4xf32 ; axis=0", *options, "--json", "r.json")
        self.assertIn(line[:45] + "...", text)
        [conv, split] = json.loads((self.folder / "r.json").read_text())["results"]
        self.assertEqual((conv["model"], conv["flops"]), (line, 2 * 4 * 81 * 8 * 9))
        self.assertGreater(split["engines"]["tc"]["runs"], 0)
        self.run_tool("op:Conv", "op:Split", "op:LSTM", "op:Cast", "--save-models", "models")
        files = sorted((self.folder / "models").iterdir())
        self.assertGreater(len(files), 40)
        for file in files:
            result = subprocess.run([TOOL_OPT, file, "-O0"], capture_output=True, timeout=60)
            self.assertEqual(result.returncode, 0, msg=result.stderr)
        self.refuses("op:Cnov", says="did you mean 'Conv'")
        self.refuses("op:Add 3xf32 3xf33", says="3xf33")
        self.refuses("op:Add 3xf32@2..1 3xf32", says="no number from 2 to 1")
        self.refuses("op:Split:x 3xf32", says="number of outputs")
        self.refuses("op:Softmax 3xf32 ; axis", says="expected NAME=VALUE")
        self.refuses("op:Softmax 3xf32 ; axis=", says="has no value")

    def test_errors(self):
        self.refuses()
        self.refuses("m.tc", "--engines", "other")
        self.fails("missing.onnx", "--engines", "tc", says="missing.onnx", code="bad-file")
        self.write("m.tc", MODEL)
        self.refuses("m.tc", "--packages", "nowhere", says="no ONNX Runtime")
        self.write("bad.so", "no library")
        text = self.run_tool("m.tc", "--threads", "1", "--ort-library", "./bad.so", *QUICK)
        self.assertIn("fails", text)
        self.assertIn("cannot load ONNX Runtime", text)


@unittest.skipUnless(PACKAGES.joinpath("onnxruntime-node").exists(), "needs the npm packages")
class OnnxRuntime(tool.ToolTest):
    def test_same_outputs(self):
        weights = numpy.linspace(-1, 1, 32, dtype=numpy.float32).reshape(8, 4)
        nodes = [("MatMul", ["x", "w"], ["h"]), ("Relu", ["h"], ["y"])]
        model = onnx_file.model(nodes, [("x", "float32", [3, 8])], [("y", "float32", [3, 4])], [("w", weights)])
        self.write("m.onnx", model)
        text = self.run_tool("m.onnx", "--packages", PACKAGES, "--threads", "1,2", "--json", "r.json", *QUICK)
        self.assertNotIn("WRONG", text)
        rows = json.loads((self.folder / "r.json").read_text())["results"]
        self.assertEqual([row["threads"] for row in rows], [1, 2])
        for row in rows:
            self.assertTrue(row["engines"]["ort"]["version"].startswith("ONNX Runtime"))
            self.assertGreater(row["engines"]["ort"]["ratio"], 0)

    def test_exact_products_of_bytes(self):
        weights = numpy.full((64, 32), 127, dtype=numpy.int8)  # two products leave 16 bits
        model = onnx_file.model([("MatMulInteger", ["x", "w"], ["y"])], [("x", "uint8", [3, 64])],
                                [("y", "int32", [3, 32])], [("w", weights)])
        self.write("m.onnx", model)
        options = ["-i", "x=3x64xu8@250..255", "--packages", PACKAGES, "--engines", "tc,ort-exact", "--threads", "1"]
        text = self.run_tool("m.onnx", *options, "--json", "r.json", *QUICK)
        self.assertNotIn("WRONG", text)
        [row] = json.loads((self.folder / "r.json").read_text())["results"]
        self.assertGreater(row["engines"]["ort-exact"]["ratio"], 0)


@unittest.skipUnless(shutil.which("node"), "needs node")
class OnnxRuntimeWeb(tool.ToolTest):
    def with_path(self, *programs):
        for name in programs:
            (self.folder / "bin").mkdir(exist_ok=True)
            (self.folder / "bin" / name).symlink_to(shutil.which(name))
        return unittest.mock.patch.dict(os.environ, PATH=str(self.folder / "bin"))

    def test_what_is_missing(self):
        self.write("m.tc", MODEL)
        self.refuses("m.tc", "--engines", "tc,ort-wasm", "--packages", ".", says="onnxruntime-web is missing; ./dev")
        with self.with_path("node"):
            text = self.refuses("m.tc", "--engines", "tc", "--browser", says="Chromium is not installed; ./dev")
        self.assertEqual(len(text.splitlines()), 1)

    def test_same_outputs(self):
        for name in ["onnxruntime-web", "playwright-core"]:
            if not PACKAGES.joinpath(name).exists():
                self.skipTest(f"needs the npm package {name}")
        if not any(map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])):
            self.skipTest("Chromium is not installed")
        nodes = [("Relu", ["x"], ["y"]), ("Identity", ["s"], ["t"]), ("Neg", ["k"], ["n"]), ("Transpose", ["h"], ["i"])]
        tensors = [("float32", [3, 8]), ("string", [2]), ("int64", [5]), ("float16", [4])]
        inputs = [(name, *t) for name, t in zip("xskh", tensors)]
        outputs = [(name, *t) for name, t in zip("ytni", tensors)]
        self.write("m.onnx", onnx_file.model(nodes, inputs, outputs))
        options = ["--packages", PACKAGES, "--engines", "tc,ort-wasm", "--browser", "--threads", "2", "--json", "r.json"]
        text = self.run_tool("m.onnx", *options, *QUICK)
        self.assertNotIn("WRONG", text)
        [row] = json.loads((self.folder / "r.json").read_text())["results"]
        self.assertIn("Chromium", row["engines"]["ort-browser"]["version"])
        for name in ["ort-wasm", "ort-browser"]:
            self.assertGreater(row["engines"][name]["ratio"], 0, msg=row)
            self.assertGreater(row["engines"][name]["peak_mb"], 20)


if __name__ == "__main__":
    tool.main()
