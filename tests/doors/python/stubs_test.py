"""The type stubs say what the package has: the same names, and the same parameters."""
import ast
import inspect
import pathlib
import types
import unittest

import tc
import tc.numpy as xp

FOLDER = pathlib.Path(tc._tc.__file__).parent / "numpy"


class Stubs(unittest.TestCase):
    def test_names_and_parameters(self):
        spaces = sorted(f.stem for f in FOLDER.glob("*.pyi") if f.stem != "__init__")
        self.assertLessEqual({"linalg", "fft", "random", "special", "schedule"}, set(spaces))
        for stub, module in [("__init__", xp), *((s, getattr(xp, s)) for s in spaces)]:
            tree = ast.parse((FOLDER / f"{stub}.pyi").read_text(encoding="utf-8"))
            functions = {}
            for node in tree.body:
                if isinstance(node, ast.FunctionDef):
                    functions.setdefault(node.name, []).append([a.arg for a in node.args.posonlyargs + node.args.args])
            named = set(functions) | {n.name for n in tree.body if isinstance(n, ast.ClassDef)}
            named |= {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
            public = {
                n for n, v in vars(module).items() if not n.startswith("_") and not isinstance(v, types.ModuleType)
            }
            aliases = {"ndarray"}
            self.assertEqual(public - named - aliases, set(), stub)
            for name, overloads in functions.items():
                f = getattr(module, name)
                if isinstance(f, types.BuiltinFunctionType) and not f.__module__.startswith("tc.numpy"):
                    self.assertIn(f"{name}(", f.__doc__)  # pybind11's functions have no signature but in their text
                elif len(overloads) > 1:
                    for parameters in overloads:
                        self.assertIn(f"{name}({parameters[0]}", f.__doc__)
                else:
                    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                    own = [p.name for p in inspect.signature(f).parameters.values() if p.kind in kinds]
                    self.assertEqual(own, overloads[0], f"{stub}.{name}")


if __name__ == "__main__":
    unittest.main()
