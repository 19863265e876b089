"""The include check itself: what it refuses and what it lets pass; then the tree."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/checks"))
import includes


class Reading(unittest.TestCase):
    def test_includes_resolve_in_the_tree_as_it_stands(self):
        """Editors and readers follow "tc/ir/graph.h" without a build: include/tc is a link to the root."""
        self.assertTrue((includes.ROOT / "include/tc/ir/graph.h").is_file())


class Refusals(unittest.TestCase):
    def refused(self, path, include):
        return includes.refusal(path, include[0], include[1:-1], exists=lambda p: p == "tests/kernels/guard.h")

    def test_refused(self):
        for path, include in [
            ("ir/graph.h", '"tc/kernels/table.h"'),
            ("ir/graph.h", '"tc/ir/eval/eval.h"'),
            ("ir/graph.h", "<unistd.h>"),
            ("ir/graph.h", "<Eigen/Dense>"),
            ("ir/graph.h", '"graph.h"'),
            ("ir/graph.h", '"ir/graph.h"'),
            ("ir/graph.h", '"tc/nowhere/x.h"'),
            ("ir/eval/text.cc", "<regex>"),
            ("kernels/gemm/gemm.cc", '"tc/ir/tensor.h"'),
            ("kernels/gemm/gemm.cc", "<immintrin.h>"),
            ("kernels/gemm/gemm.cc", "<xsimd/xsimd.hpp>"),
            ("kernels/gemm/gemm.cc", "<omp.h>"),
            ("frontend/onnx/wire.cc", '"tc/passes/driver.h"'),
            ("frontend/onnx/wire.cc", "<onnx/onnx_pb.h>"),
            ("passes/driver.cc", '"tc/backend/cpu/plan/plan.h"'),
            ("passes/driver.cc", '"tc/frontend/onnx/import.h"'),
            ("backend/cpu/plan/plan.cc", '"tc/backend/onnx/export.h"'),
            ("backend/cpu/plan/plan.cc", "<google/protobuf/message.h>"),
            ("examples/mlp/main.cc", '"tc/ir/graph.h"'),
            ("frontend/api/tc.cc", '"tc/tools/common/compare.h"'),
            ("tests/kernels/x.cc", '"absent.h"'),
            ("misc/x.cc", "<vector>"),
        ]:
            self.assertIsNotNone(self.refused(path, include), f"{path} {include}")

    def test_allowed(self):
        for path, include in [
            ("ir/graph.h", "<vector>"),
            ("ir/ops/core.h", '"tc/ir/op.h"'),
            ("ir/eval/eval.cc", '"tc/ir/tensor.h"'),
            ("ir/eval/linalg.cc", "<Eigen/Dense>"),
            ("kernels/simd/vec.h", "<immintrin.h>"),
            ("kernels/gemm/gemm_s8_vnni.cc", "<immintrin.h>"),
            ("kernels/parallel.cc", "<omp.h>"),
            ("passes/fold.cc", '"tc/ir/eval/eval.h"'),
            ("backend/cpu/plan/plan.cc", '"tc/kernels/table.h"'),
            ("backend/onnx/export.cc", "<onnx/onnx_pb.h>"),
            ("frontend/api/tc.h", '"tc/backend/cpu/plan/plan.h"'),
            ("tools/tc-run/main.cc", '"tc/tc.h"'),
            ("tests/kernels/x.cc", '"guard.h"'),
            ("tests/ir/x.cc", '"tests/kernels/guard.h"'),
        ]:
            self.assertIsNone(self.refused(path, include), f"{path} {include}")

    def test_tree(self):
        self.assertEqual([*includes.check_sources(includes.sources()), *includes.check_layers()], [])


if __name__ == "__main__":
    unittest.main()
