"""The cases of peers.py: for each a function of tc, and what NumPy, SciPy and PyTorch have for it."""

import tempfile

import numpy
import tc.numpy as np
import tc.onnxruntime as tc_runtime

try:
    import torch
except ImportError:
    torch = None
try:
    import scipy
    import scipy.special
except ImportError:
    scipy = None

rng = numpy.random.default_rng(1)


def versions():
    found = {"NumPy": numpy.__version__}
    if scipy:
        found["SciPy"] = scipy.__version__
    if torch:
        found["PyTorch"] = torch.__version__
    return found


def uniform(shape, low=-1.0, high=1.0, dtype="float32"):
    return rng.uniform(low, high, shape).astype(dtype)


class Case:
    """`program` is a function of tc arrays. `numpy_call(*arrays, out=)` fills an array, so does `scipy_call`;
    `torch_call(*tensors)` returns tensors. Results are compared within `tolerance` of the largest number of each. A
    case `in_ort` also runs as an ONNX file."""

    def __init__(self, group, name, inputs, program, numpy_call=None, torch_call=None, tolerance=1e-4, scipy_call=None,
                 in_ort=False):  # fmt: skip
        self.group, self.name, self.inputs, self.program = group, name, inputs, program
        self.numpy_call, self.torch_call, self.tolerance = numpy_call, torch_call, tolerance
        self.scipy_call, self.in_ort = scipy_call, in_ort

    def engines(self, threads):
        arrays = [x() if callable(x) else x for x in self.inputs]
        calls = {}
        calls["tc"], expected = self._tc(arrays, threads)
        for engine, peer, call in (("numpy", "NumPy", self.numpy_call), ("scipy", "SciPy", scipy and self.scipy_call)):
            if not call:
                continue
            out = numpy.empty_like(expected[0])
            call(*arrays, out=out)
            self._compare(peer, expected, [out])
            calls[engine] = lambda call=call, out=out: call(*arrays, out=out)
        if torch and self.torch_call:
            torch.set_num_threads(threads)
            tensors = [torch.from_numpy(x) for x in arrays]
            results = self.torch_call(*tensors)
            results = results if isinstance(results, (tuple, list)) else [results]
            self._compare("PyTorch", expected, [r.detach().numpy() for r in results])
            calls["torch"] = lambda: self.torch_call(*tensors)
        return calls

    def text(self, arrays):
        """The program as text: what tc compiles when it is called, not what a file makes of it."""
        def program(*args):
            results = self.program(*args)
            results = results if isinstance(results, (tuple, list)) else [results]
            return {f"y{i}": r for i, r in enumerate(results)}

        specs = [np.ShapeDtype(x.shape, str(x.dtype), name=f"x{i}") for i, x in enumerate(arrays)]
        return str(np.trace(program, *specs))

    def _tc(self, arrays, threads):
        options = tc_runtime.SessionOptions()
        options.intra_op_num_threads = threads
        with tempfile.NamedTemporaryFile("w", suffix=".tc") as file:
            file.write(self.text(arrays))
            file.flush()
            session = tc_runtime.InferenceSession(file.name, options)
        feed = {f"x{i}": x for i, x in enumerate(arrays)}
        results = session.run(None, feed)
        return (lambda: session.run(None, feed)), results

    def _compare(self, peer, expected, got):
        for i, (x, y) in enumerate(zip(expected, got)):
            largest = max(1e-30, float(numpy.abs(y.astype("float64")).max()))
            distance = float(numpy.abs(x.astype("float64") - y.astype("float64")).max()) / largest
            if x.shape != y.shape or not distance <= self.tolerance:
                raise ValueError(f"result {i} is {distance:.1e} of its largest number away from {peer}'s")


def elementwise():
    """One function of 10^6 numbers: name in tc, NumPy and PyTorch, range of arguments."""
    functions = [
        ("exp", "exp", "exp", -9, 9), ("log", "log", "log", 0.01, 99), ("sin", "sin", "sin", -9, 9),
        ("cos", "cos", "cos", -9, 9), ("tan", "tan", "tan", -9, 9), ("asin", "arcsin", "asin", -1, 1),
        ("acos", "arccos", "acos", -1, 1), ("atan", "arctan", "atan", -9, 9), ("sinh", "sinh", "sinh", -9, 9),
        ("cosh", "cosh", "cosh", -9, 9), ("tanh", "tanh", "tanh", -3, 3), ("asinh", "arcsinh", "asinh", -9, 9),
        ("acosh", "arccosh", "acosh", 1, 9), ("atanh", "arctanh", "atanh", -0.99, 0.99), ("expm1", "expm1", "expm1", -9, 9),
        ("log1p", "log1p", "log1p", -0.9, 9), ("erf", None, "erf", -3, 3),
    ]  # fmt: skip
    n = 10**6
    for dtype in ("float64", "float32"):
        group = f"elementwise {dtype}"
        for name, in_numpy, in_torch, low, high in functions:
            yield Case(
                group, name, [uniform(n, low, high, dtype)], getattr(np, name),
                in_numpy and getattr(numpy, in_numpy),
                torch and (lambda x, f=in_torch, o=[]: getattr(torch, f)(x, out=place(o, x))),
            )  # fmt: skip
        base, exponent = uniform(n, 0.1, 9, dtype), uniform(n, -3, 3, dtype)
        yield Case(group, "pow", [base, exponent], np.pow, numpy.power, lambda x, y, o=[]: torch.pow(x, y, out=place(o, x)))
        yield Case(group, "mod", [uniform(n, -99, 99, dtype), base], np.remainder, numpy.remainder,
                   lambda x, y, o=[]: torch.remainder(x, y, out=place(o, x)))  # fmt: skip


def special():
    """One special function of 10^6 numbers: name in tc and SciPy, in PyTorch, range of arguments."""
    functions = [
        ("gammaln", "lgamma", 0.1, 20), ("digamma", "digamma", 0.1, 20), ("erfinv", "erfinv", -0.99, 0.99),
        ("erfc", "erfc", -3, 5), ("erfcx", None, -2, 20), ("erfcinv", None, 0.01, 1.99), ("ndtr", None, -5, 5),
        ("log_ndtr", None, -20, 5), ("ndtri", None, 0.01, 0.99), ("gamma", None, 0.1, 20), ("i0", "i0", -20, 20),
        ("i0e", None, -20, 20), ("i1", None, -20, 20), ("i1e", None, -20, 20), ("j0", None, -20, 20),
        ("j1", None, -20, 20), ("expit", "sigmoid", -9, 9), ("logit", "logit", 0.01, 0.99), ("entr", None, 0, 5),
        ("exp2", "exp2", -9, 9), ("exp10", None, -9, 9), ("cbrt", None, -9, 9), ("log_expit", None, -9, 9),
    ]  # fmt: skip
    for dtype in ("float64", "float32"):
        for name, in_torch, low, high in functions:
            yield Case(
                f"special {dtype}", name, [uniform(10**6, low, high, dtype)], getattr(np.special, name), None,
                in_torch and (lambda x, f=in_torch, o=[]: getattr(torch, f)(x, out=place(o, x))),
                scipy_call=scipy and getattr(scipy.special, name), in_ort=True,
            )  # fmt: skip


def place(held, like):
    """A tensor for results that stays from call to call."""
    if not held:
        held.append(torch.empty_like(like))
    return held[0]


def products():
    shapes = {
        "float64": [(1000, 10, 1000), (16, 10000, 16), (2000, 2000, 8), (10000, 32, 16), (16, 16, 16), (32, 32, 32),
                    (64, 64, 64), (100, 100, 100), (1, 1024, 1024), (4, 1024, 1024)],
        "float32": [(16, 16, 16), (32, 32, 32), (64, 64, 64), (100, 100, 100), (1024, 1024, 1), (4, 1024, 1024)],
    }  # fmt: skip
    for dtype, list_of in shapes.items():
        for m, k, n in list_of:
            yield Case(
                f"products {dtype}", f"{m}x{k}x{n}", [uniform((m, k), dtype=dtype), uniform((k, n), dtype=dtype)],
                np.matmul, numpy.matmul, lambda a, b: torch.matmul(a, b),
            )  # fmt: skip


def batched():
    shapes = [(20000, 2, 2, 2), (20000, 3, 3, 3), (20000, 4, 4, 4), (20000, 4, 4, 1), (5000, 8, 8, 8), (1000, 16, 16, 16),
              (500, 32, 32, 32), (100, 64, 64, 64)]  # fmt: skip
    for dtype in ("float64", "float32"):
        for b, m, k, n in shapes:
            yield Case(
                f"batched products {dtype}", f"{b} of {m}x{k}x{n}",
                [uniform((b, m, k), dtype=dtype), uniform((b, k, n), dtype=dtype)], np.matmul, numpy.matmul,
                lambda a, b: torch.matmul(a, b),
            )  # fmt: skip


def slopes(loss, count):
    """Value and gradients of a function of tc arrays, with respect to all of them."""

    def program(*args):
        value, grads = np.value_and_grad(loss, argnums=tuple(range(count)))(*args)
        return [value, *grads]

    return program


def torch_slopes(loss):
    def call(*tensors):
        leaves = [t.detach().requires_grad_() for t in tensors]
        value = loss(*leaves)
        return [value, *torch.autograd.grad(value, leaves)]

    return call


def trained(name, inputs, loss, torch_loss, dtype="float32"):
    inputs = [x.astype(dtype) for x in inputs]
    return Case("value and gradient", name, inputs, slopes(loss, len(inputs)), None, torch and torch_slopes(torch_loss), 1e-3)


def training():
    x = uniform((16, 64, 56, 56))
    scale, bias, weight = uniform(64, 0.5, 2), uniform(64), uniform((16, 64, 56, 56))

    def norm(x, s, b):
        return np.batch_normalization_training(x, s, b, np.zeros(64), np.ones(64))[0]

    def torch_norm(x, s, b):
        return torch.nn.functional.batch_norm(x, None, None, s, b, training=True)

    yield Case("value and gradient", "batch norm 16x64x56x56, value", [x, scale, bias], norm, None, torch_norm)
    yield trained("batch norm 16x64x56x56", [x, scale, bias], lambda x, s, b: np.sum(norm(x, s, b) * weight),
                  lambda x, s, b: torch.sum(torch_norm(x, s, b) * torch.from_numpy(weight)))  # fmt: skip
    convolutions = [
        ("conv 3x3, 8 groups, 64 at 56x56", (8, 64, 56, 56), (64, 8, 3, 3), 8),
        ("conv 3x3 depthwise, 144 at 56x56", (4, 144, 56, 56), (144, 1, 3, 3), 144),
        ("conv 3x3, 64 at 56x56", (4, 64, 56, 56), (64, 64, 3, 3), 1),
    ]
    for dtype in ("float32", "float64"):
        for name, of_x, of_w, groups in convolutions if dtype == "float32" else convolutions[-1:]:
            pads = (1, 1, 1, 1)
            yield trained(
                name if dtype == "float32" else f"{name}, {dtype}", [uniform(of_x), uniform(of_w)],
                lambda x, w, g=groups: np.sum(np.square(np.conv(x, w, padding=pads, groups=g))),
                lambda x, w, g=groups: torch.sum(torch.square(torch.conv2d(x, w, padding=1, groups=g))), dtype,
            )  # fmt: skip
    rows, width = 2048, 768
    mask = uniform((rows, width))
    for dtype in ("float32",):
        yield trained("layer norm 2048x768", [mask, uniform(width), uniform(width)],
                      lambda x, s, b: np.sum(np.layer_normalization(x, s, b) * mask),
                      lambda x, s, b: torch.sum(torch.layer_norm(x, [width], s, b) * torch.from_numpy(mask)), dtype)  # fmt: skip
    yield trained("group norm 16x64x56x56, 8 groups", [x, scale, bias],
                  lambda x, s, b: np.sum(np.group_normalization(x, s, b, 8) * weight),
                  lambda x, s, b: torch.sum(torch.group_norm(x, 8, s, b) * torch.from_numpy(weight)))  # fmt: skip
    for dtype in ("float32", "float64"):
        yield trained(f"gelu 10^6 {dtype}", [uniform(10**6)], lambda x: np.sum(np.gelu(x)),
                      lambda x: torch.sum(torch.nn.functional.gelu(x)), dtype)  # fmt: skip
    yield recurrent(50, 32, 256)


def recurrent(steps, batch, width):
    """An LSTM; gates come in PyTorch's order, and ONNX has that of the output second."""
    weights = [uniform((4 * width, width), -0.06, 0.06) for _ in range(2)]
    start = numpy.zeros((1, batch, width), "float32")

    def in_order(w):
        parts = [w[k * width : (k + 1) * width] for k in (0, 3, 1, 2)]
        return np.expand_dims(np.concat(parts, axis=0), axis=0)

    def loss(x, w, r):
        return np.sum(np.square(np.lstm(x, in_order(w), in_order(r)).y))

    def torch_loss(x, w, r):
        state = torch.from_numpy(start)
        y = torch._VF.lstm(x, (state, state), [w, r], False, 1, 0.0, False, False, False)[0]
        return torch.sum(torch.square(y))

    return trained(f"LSTM {steps}x{batch}x{width}", [uniform((steps, batch, width)), *weights], loss, torch_loss)


def searches():
    values = uniform(10**6)
    yield Case("searches", "sort 10^6 float32, values", [values], np.sort,
               lambda x, out: numpy.copyto(out, numpy.sort(x)), lambda x: torch.sort(x)[0])  # fmt: skip
    for dtype in ("float32", "float64"):
        square = uniform((1000, 1000), dtype=dtype)
        yield Case("searches", f"argmax {dtype}, axis 0", [square], lambda x: np.argmax(x, axis=0),
                   lambda x, out: numpy.argmax(x, axis=0, out=out), lambda x: torch.argmax(x, 0))  # fmt: skip
    many, few = uniform(10**6), rng.integers(0, 1000, 10**6).astype("float64")
    for name, x in (("float32, distinct", many), ("float64 of 1000 values", few)):
        yield Case("searches", f"unique of 10^6 {name}", [x], np.unique_values,
                   lambda x, out: numpy.copyto(out, numpy.unique(x)), lambda x: torch.unique(x))  # fmt: skip
    yield Case("searches", "sum of 10^7 float32", [uniform(10**7)], np.sum, numpy.sum, torch and torch.sum, 1e-1)


# Operators that tc-bench times beside ONNX Runtime, as in bench/zoo/operators.txt.
OPERATORS = [
    "TopK", "EyeLike", "CenterCropPad", "MaxUnpool", "QuantizeLinear", "QLinearConv", "GatherElements", "Unique",
    "ArgMax", "Add",
]  # fmt: skip


def all_cases():
    for cases in (elementwise, special, products, batched, training, searches):
        yield from cases()
