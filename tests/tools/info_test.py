"""tc-info: the table of ops and its copy in the documentation, the machine, models."""
import os
import unittest

import tool

MODEL = """metadata "opset.ai.onnx" = "17"
metadata "producer_name" = "by hand"
metadata "a key that is longer than others" = "two\\nlines"
graph @main(%x: f32[N,2], %image: f32[1,3,8,8]) {
  %w = constant dense<[[1, 2, 3], [4, 5, 6]]> : f32[2,3]
  %0 = matmul %x, %w : f32[N,3]
  %1 = relu %0 : f32[N,3]
  %2 = relu %1 : f32[N,3]
  %k = constant dense<1> : f32[4,3,3,3]
  %3 = conv %image, %k : f32[1,4,6,6]
  return %2, %3 : "y", "z"
}
"""


class Ops(tool.ToolTest):
    def test_documentation_is_fresh(self):
        """TC_BLESS=1 writes it anew."""
        text = self.run_tool("ops", "--md")
        path = tool.ROOT / "docs/ops.md"
        if os.environ.get("TC_BLESS"):
            path.write_text(text)
        self.assertTrue(path.read_text() == text, "docs/ops.md is stale: run `tc-info ops --md > docs/ops.md`")

    def test_table(self):
        ops = {row["name"]: row for row in self.run_json("ops", "--json")}
        self.assertEqual(ops["relu"]["onnx"], {"name": "Relu", "domain": "", "since": 6})
        self.assertIn("strip", ops["relu"]["kernels"])
        self.assertIn(6, ops["relu"]["imported_since"])
        self.assertEqual(ops["relu"]["signature"], "x:T -> y:T")
        self.assertNotIn("onnx", ops["cluster"])
        self.assertTrue(ops["fused_conv"]["decomposes"])
        text = self.run_tool("ops")
        for name in ops:
            self.assertIn(f"  {name} ", text)

    def test_details(self):
        text = self.run_tool("ops", "conv", "softmax")
        for words in ["group: an integer", "Conv 1", "log_softmax", "x:T, w:T, b:T? -> y:T"]:
            self.assertIn(words, text)
        self.assertNotIn("matmul ", text)


class Cpu(tool.ToolTest):
    def test_facts(self):
        facts = self.run_json("cpu", "--no-measure", "--json")
        self.assertGreaterEqual(facts["cores"], 1)
        self.assertEqual(facts["tiers"][0], "sse42")
        self.assertIn(facts["active_tier"], facts["tiers"])
        self.assertNotIn("gemm_gflops", facts)
        self.assertIn("cores", self.run_tool("cpu", "--no-measure"))

    def test_rates(self):
        rates = self.run_json("cpu", "--json")
        self.assertEqual(sorted(rates["gemm_gflops"]), sorted(rates["tiers"]))
        for table in (rates["gemm_gflops"], rates["copy_gbs"]):
            for rate in table.values():
                self.assertGreater(rate["one_thread"], 0)
                self.assertGreater(rate["all_threads"], 0)


class Model(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.write("m.tc", MODEL)

    def test_facts(self):
        info = self.run_json("model", "m.tc", "--json")
        self.assertEqual(info["inputs"], [{"name": "x", "type": "f32[N,2]"}, {"name": "image", "type": "f32[1,3,8,8]"}])
        self.assertEqual(info["outputs"], [{"name": "y", "type": "f32[N,3]"}, {"name": "z", "type": "f32[1,4,6,6]"}])
        self.assertEqual(info["opsets"], {"ai.onnx": "17"})
        self.assertEqual(info["metadata"], {"producer_name": "by hand", "a key that is longer than others": "two\nlines"})
        self.assertEqual(info["ops"], {"constant": 2, "matmul": 1, "relu": 2, "conv": 1})
        self.assertEqual((info["weights"], info["parameters"], info["weight_bytes"]), (2, 6 + 108, 4 * (6 + 108)))
        self.assertEqual(info["symbols"], ["N"])

    def test_flops(self):
        conv = 2 * (4 * 6 * 6) * (3 * 3 * 3)
        symbolic = self.run_json("model", "m.tc", "--json")["flops"]
        self.assertEqual(eval(symbolic, {"N": 5}), conv + 2 * 5 * 2 * 3)
        numbers = self.run_json("model", "m.tc", "--dim", "N=5", "--json")
        self.assertEqual(numbers["flops"], conv + 2 * 5 * 2 * 3)
        self.assertEqual(numbers["outputs"][0]["type"], "f32[5,3]")

    def test_text(self):
        text = self.run_tool("model", "m.tc", "--dim", "N=5")
        for words in ["f32[5,2]", "2 tensors, 114 parameters, 456B", "ai.onnx 17", "2  relu", "flops", "than others two\n"]:
            self.assertIn(words, text)


class Cpp(tool.ToolTest):
    def test_source(self):
        self.write("m.tc", MODEL)
        text = self.run_tool("--cpp", "m.tc", "--function", "rebuilt", "--weights", "w.safetensors")
        for words in [
            "Written by tc-info from m.tc",
            "tc::Function rebuilt(",
            '{"x", tc::DType::f32, {"N", 2}}',
            'tc::asarray(tc::Tensor::of<float>({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f})).named("w")',
            "tc::matmul(x, w)",
            'weight("k").named("k")',
            "tc::conv(image, k)",
            'return tc::Outputs{{"y", relu_2}, {"z", conv}};',
        ]:
            self.assertIn(words, text)
        self.assertIn(b'"k"', (self.folder / "w.safetensors").read_bytes())
        self.run_tool("--cpp", "m.tc")
        self.assertTrue((self.folder / "m.safetensors").exists())


class Refused(tool.ToolTest):
    def test_wrong_command_line(self):
        self.write("m.tc", MODEL)
        for args in [
            (),
            ("everything",),
            ("ops", "--no-such-flag"),
            ("ops", "no_such_op"),
            ("ops", "relu", "--md"),
            ("ops", "--md", "--json"),
            ("cpu", "more"),
            ("model",),
            ("model", "m.tc", "--dim", "N"),
            ("model", "m.tc", "--dim", "N=-1"),
            ("model", "m.tc", "--dim", "M=1"),
            ("--cpp",),
            ("--cpp", "m.tc", "ops"),
            ("--weights", "w.safetensors"),
            ("--cpp", "m.tc", "--function", "two words"),
            ("--cpp", "m.tc", "--weights", "w.bin"),
        ]:
            with self.subTest(args):
                self.refuses(*args)
        self.refuses("ops", "reluu", says="did you mean 'relu'")

    def test_bad_files(self):
        self.fails("model", "none.onnx", says="none.onnx", code="bad-file")
        self.write("bad.onnx", b"\x00\x01\x02")
        self.fails("model", "bad.onnx", says="bad.onnx", code="bad-file")

    def test_help_teaches_by_examples(self):
        self.assertIn("Examples:", self.run_tool("--help"))
        self.assertIn("--dim", self.run_tool("model", "--help"))


if __name__ == "__main__":
    tool.main()
