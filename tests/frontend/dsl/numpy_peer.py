"""NumPy's side of the comparison of the DSL's vocabulary.

numpy_peer.py DIR   reads DIR/cases.json and DIR/tensors.npz, evaluates each case's expression on its inputs, and compares
                    what tc computed; prints one line per difference and how many cases agree
"""
import functools
import json
import pathlib
import sys
import warnings

import numpy as np

np.seterr(all="ignore")
warnings.simplefilter("ignore")

RTOL = {"f2": 2e-3, "f4": 5e-6, "f8": 1e-12}
inf, nan, pi, newaxis = np.inf, np.nan, np.pi, np.newaxis

# The Array API's names where NumPy 1 has others.
acos, acosh, asin, asinh, atan, atanh = np.arccos, np.arccosh, np.arcsin, np.arcsinh, np.arctan, np.arctanh
atan2, bitwise_invert, bitwise_left_shift, bitwise_right_shift = np.arctan2, np.invert, np.left_shift, np.right_shift
concat, permute_dims, pow, matrix_transpose = np.concatenate, np.transpose, np.power, lambda x: np.swapaxes(x, -1, -2)


def cumulative(f, initial):
    def run(x, axis=0, dtype=None, include_initial=False):
        y = f(x, axis=axis, dtype=dtype)
        if include_initial:
            shape = list(y.shape)
            shape[axis] = 1
            y = np.concatenate([np.full(shape, initial, y.dtype), y], axis)
        return y

    return run


cumulative_sum, cumulative_prod = cumulative(np.cumsum, 0), cumulative(np.cumprod, 1)


def reduction(f):
    def run(x, axis=None, keepdims=False, **more):
        if axis is not None and not isinstance(axis, int):
            axis = tuple(axis)
        return f(x, axis=axis, keepdims=keepdims, **more)

    return run


amax, amin, mean, prod, sum_, all_, any_ = map(reduction, (np.max, np.min, np.mean, np.prod, np.sum, np.all, np.any))


def vecdot(a, b, axis=-1):
    return np.sum(a * b, axis=axis, dtype=np.result_type(a, b))


def argsort_(x, axis=-1, descending=False):
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    # Stable: of equal elements the first comes first.
    return np.flip(x.shape[axis] - 1 - np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)


def sort_(x, axis=-1, descending=False):
    y = np.sort(x, axis=axis)
    return np.flip(y, axis) if descending else y


def unique_all(x):
    return np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)


def sigmoid(x):
    x = x.astype("f8")
    return np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))


def softplus(x):
    return np.logaddexp(0, x.astype("f8"))


def erf(x):
    import math

    return np.vectorize(math.erf, otypes="d")(x)


def softmax(x, axis=-1):
    e = np.exp(x.astype("f8") - np.max(x, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def windows(x, kernel, strides, dilations, pads, value):
    """[batch, channels, out..., kernel...] of x padded with value; pads are starts, then ends."""
    n = len(kernel)
    x = np.pad(x, [(0, 0), (0, 0)] + [(pads[i], pads[n + i]) for i in range(n)], constant_values=value)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    w = np.lib.stride_tricks.sliding_window_view(x, reach, axis=tuple(range(2, 2 + n)))
    outs = tuple(slice(None, None, s) for s in strides)
    taps = tuple(slice(None, None, d) for d in dilations)
    return w[(slice(None), slice(None)) + outs + taps]


def padding(rule, extents, kernel, strides, dilations):
    n = len(kernel)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    if not isinstance(rule, str):
        return list(rule) if len(rule) == 2 * n else list(rule) * 2
    if rule == "valid":
        return [0] * 2 * n
    if rule == "full":
        return [r - 1 for r in reach] * 2
    if rule == "half":
        return [r // 2 for r in reach] * 2
    total = [max((-(-e // s) - 1) * s + r - e, 0) for e, s, r in zip(extents, strides, reach)]
    small, large = [t // 2 for t in total], [t - t // 2 for t in total]
    return small + large if rule == "same_upper" else large + small


def conv(x, w, b=None, strides=None, dilations=None, pad="valid", groups=1, flip=False):
    n = x.ndim - 2
    strides, dilations = strides or [1] * n, dilations or [1] * n
    if flip:
        w = np.flip(w, tuple(range(2, 2 + n)))
    v = windows(x.astype("f8"), w.shape[2:], strides, dilations, padding(pad, x.shape[2:], w.shape[2:], strides, dilations), 0)
    cin, cout = w.shape[1], w.shape[0] // groups
    parts = []
    for g in range(groups):
        # batch, channels, out..., kernel... with out channels, channels, kernel...
        axes = [1, *range(2 + n, 2 + 2 * n)]
        part = np.tensordot(v[:, g * cin : (g + 1) * cin], w[g * cout : (g + 1) * cout].astype("f8"), (axes, range(1, 2 + n)))
        parts.append(np.moveaxis(part, -1, 1))
    y = np.concatenate(parts, 1)
    return y if b is None else y + b.reshape(-1, *[1] * n)


def conv_transpose(x, w, b=None, strides=None, dilations=None, pads=None, output_padding=None, groups=1, flip=False):
    """Every element of x adds its multiple of the kernel to the result."""
    n = x.ndim - 2
    strides, dilations = strides or [1] * n, dilations or [1] * n
    pads, output_padding = pads or [0] * 2 * n, output_padding or [0] * n
    if flip:
        w = np.flip(w, tuple(range(2, 2 + n)))
    cin, cout = w.shape[0] // groups, w.shape[1]
    full = [(e - 1) * s + (k - 1) * d + 1 + o for e, s, k, d, o in zip(x.shape[2:], strides, w.shape[2:], dilations, output_padding)]
    y = np.zeros([x.shape[0], cout * groups, *full])
    for place in np.ndindex(*x.shape[2:]):
        for tap in np.ndindex(*w.shape[2:]):
            at = tuple(p * s + t * d for p, s, t, d in zip(place, strides, tap, dilations))
            for g in range(groups):
                xs = x[(slice(None), slice(g * cin, (g + 1) * cin)) + place].astype("f8")
                ws = w[(slice(g * cin, (g + 1) * cin), slice(None)) + tap].astype("f8")
                y[(slice(None), slice(g * cout, (g + 1) * cout)) + at] += xs @ ws
    y = y[(slice(None), slice(None)) + tuple(slice(pads[i], y.shape[2 + i] - pads[n + i]) for i in range(n))]
    return y if b is None else y + b.reshape(-1, *[1] * n)


def pool(f, x, kernel, strides=None, dilations=None, pad="valid", value=0.0):
    n = len(kernel)
    strides, dilations = strides or [1] * n, dilations or [1] * n
    pads = padding(pad, x.shape[2:], kernel, strides, dilations)
    return f(windows(x.astype("f8"), kernel, strides, dilations, pads, value), axis=tuple(range(-n, 0)))


def normalized(x, axes, epsilon=1e-5):
    x = x.astype("f8")
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def channels(v, x):
    return v.reshape(-1, *[1] * (x.ndim - 2))


def attention(q, k, v, bias=None, causal=False, scale=None, softcap=0):
    k, v = (np.repeat(t, q.shape[1] // t.shape[1], 1) for t in (k, v))
    scores = q.astype("f8") @ matrix_transpose(k) * (scale or q.shape[-1] ** -0.5)
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    if bias is not None:
        scores = np.where(bias, scores, -inf) if bias.dtype == bool else scores + bias
    if causal:
        scores = np.where(np.tri(q.shape[2], k.shape[2], k.shape[2] - k.shape[2], dtype=bool), scores, -inf)
    return softmax(scores) @ v


def heads(x, n):
    return x.reshape(x.shape[0], x.shape[1], n, -1).transpose(0, 2, 1, 3)


def merged(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def recurrent(cell, x, w, r, b, states, hidden):
    ys = []
    for t in range(x.shape[0]):
        states = cell(x[t].astype("f8"), w[0].astype("f8"), r[0].astype("f8"), b[0].astype("f8"), states, hidden)
        ys.append(states[0])
    return (np.stack(ys)[:, None], *[s[None] for s in states])


def rnn_cell(x, w, r, b, states, n):
    return [np.tanh(x @ w.T + states[0] @ r.T + b[:n] + b[n:])]


def lstm_cell(x, w, r, b, states, n):
    i, o, f, c = np.split(x @ w.T + states[0] @ r.T + b[: 4 * n] + b[4 * n :], 4, -1)
    cell = sigmoid(f) * states[1] + sigmoid(i) * np.tanh(c)
    return [sigmoid(o) * np.tanh(cell), cell]


def gru_cell(x, w, r, b, states, n):
    xs = np.split(x @ w.T + b[: 3 * n], 3, -1)
    hs = np.split(states[0] @ r.T, 3, -1)
    rb = np.split(b[3 * n :], 3)
    z = sigmoid(xs[0] + hs[0] + rb[0])
    reset = sigmoid(xs[1] + hs[1] + rb[1])
    new = np.tanh(xs[2] + (reset * states[0]) @ r[2 * n :].T + rb[2])
    return [(1 - z) * new + z * states[0]]


def updated(x, index, value, f=None):
    y = x.copy()
    if f is None:
        y[index] = value
    else:
        f.at(y, index, value)
    return y


def single(x):
    """Of formulas that compute in f64."""
    return [np.float32(v) for v in x] if isinstance(x, (tuple, list)) else np.float32(x)


def bits(x):
    return np.array([bin(abs(int(v))).count("1") for v in x.ravel()], "u1").reshape(x.shape)


def filled_diagonal(x, value, wrap=False):
    y = x.copy()
    np.fill_diagonal(y, value, wrap)
    return y


def put_along(x, index, value, axis):
    y = x.copy()
    np.put_along_axis(y, index, value, axis)
    return y


def segments(x, at, count, f, start):
    y = np.full((count, *x.shape[1:]), start, x.dtype)
    f.at(y, at, x)
    return y


def with_nans(x):
    y = np.where(x > 0.5, np.float32(nan), x)
    y[0] = nan
    return y


def modes(x):
    columns = [np.unique(c, return_counts=True) for c in x.T]
    return np.array([v[n.argmax()] for v, n in columns], x.dtype), np.array([n.max() for _, n in columns])


def until(x, limit):
    """Running sums and products with what is next, up to the first sum above the limit."""
    total, products = np.float32(0), []
    for v in x:
        products.append(total * v)
        total += v
        if total > limit:
            break
    return total, np.array(products)


def collatz(n):
    steps = []
    while n != 1:
        n = n // 2 if n % 2 == 0 else n * 3 + 1
        steps.append(n)
    return np.int64(1), np.array(steps)


def recurrence(x, y):
    s, all_s = 0, []
    for a, b in zip(x, y):
        s = a * s + b
        all_s.append(s)
    return np.cumprod(x), np.array(all_s)


def doubled_to(x, limit):
    y = x.copy()
    for row in y:
        while row.max() < limit:
            row *= 2
    return y


def cplx(x):
    """Pairs along the last axis as complex numbers."""
    return x[..., 0].astype("f8") + 1j * x[..., 1].astype("f8")


def pairs(z):
    return np.stack([z.real, z.imag], -1)


def log_softmax(x, axis=-1):
    return np.log(softmax(x, axis))


def pick(p, labels, axis=1):
    return np.take_along_axis(p, np.expand_dims(labels, axis), axis).squeeze(axis)


def adaptive(f, x, extents):
    for axis, m in enumerate(extents, 2):
        n = x.shape[axis]
        parts = [f(np.take(x, range(i * n // m, -(-(i + 1) * n // m)), axis), axis=axis, keepdims=True) for i in range(m)]
        x = np.concatenate(parts, axis)
    return x


def columns(x, kernel, strides):
    w = windows(x, kernel, strides, (1, 1), (0, 0, 0, 0), 0)  # batch, channels, out..., kernel...
    return w.transpose(0, 1, 4, 5, 2, 3).reshape(x.shape[0], x.shape[1] * kernel[0] * kernel[1], -1)


def summed_columns(x, extents, kernel):
    outs = [e - k + 1 for e, k in zip(extents, kernel)]
    v = x.reshape(x.shape[0], -1, *kernel, *outs)
    y = np.zeros((x.shape[0], v.shape[1], *extents), x.dtype)
    for i, j in np.ndindex(*kernel):
        y[:, :, i : i + outs[0], j : j + outs[1]] += v[:, :, i, j]
    return y


def distance(d, p):
    return (np.abs(d.astype("f8") + 1e-6) ** p).sum(-1) ** (1 / p)


def ctc(log_p, targets, input_lengths, target_lengths, blank=0):
    """Over all paths, one by one."""
    import itertools

    losses = []
    for n in range(targets.shape[0]):
        want = [int(t) for t in targets[n, : target_lengths[n]]]
        total = -inf
        for path in itertools.product(range(log_p.shape[2]), repeat=int(input_lengths[n])):
            if [k for k, _ in itertools.groupby(path) if k != blank] == want:
                total = np.logaddexp(total, sum(log_p[t, n, k] for t, k in enumerate(path)))
        losses.append(-total)
    return np.array(losses)


def smoothed(logits, labels, weights, part, ignored):
    p = log_softmax(logits)
    w = np.where(labels == ignored, 0, weights[labels]) if ignored is not None else weights[labels]
    counted = labels != ignored if ignored is not None else np.ones(len(labels), bool)
    hard = -p[np.arange(len(labels)), labels] * w
    soft = -(p * weights).sum(1) / p.shape[1] * counted
    return ((1 - part) * hard + part * soft).sum() / w.sum()


def difference(case, got, want):
    """What is wrong with the outputs, or None."""
    want = [np.asarray(w) for w in (want if isinstance(want, (tuple, list)) else [want])]
    if len(got) != len(want):
        return f"{len(got)} outputs, expected {len(want)}"
    for i, (g, w) in enumerate(zip(got, want)):
        if g.shape != w.shape:
            return f"output {i} has shape {g.shape}, expected {w.shape}"
        # Formulas written out above compute in f64.
        if g.dtype != w.dtype and not (case["loose"] and g.dtype.kind == w.dtype.kind):
            return f"output {i} is {g.dtype}, expected {w.dtype}"
        if g.dtype.kind != "f":
            if not np.array_equal(g, w):
                return f"output {i} is\n{g}\nexpected\n{w}"
            continue
        tolerance = case["tolerance"] or RTOL[g.dtype.str[1:]]
        a, b = g.astype("f8"), w.astype("f8")
        # What the narrower type cannot hold is infinite in it.
        b = np.where(np.abs(b) > np.finfo(g.dtype).max, np.copysign(inf, b), b)
        if not np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True):
            bad = ~np.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
            return f"output {i} differs in {bad.sum()} of {bad.size}: {a[bad][:5]} expected {b[bad][:5]}"
    return None


def main(folder):
    cases = json.loads((folder / "cases.json").read_text())
    tensors = np.load(folder / "tensors.npz")
    failed = 0
    for case in cases:
        names = {chr(ord("a") + i): tensors[key] for i, key in enumerate(case["inputs"])}
        label = f"{case['name']} {case['types']} {case['how']}"
        try:
            want = eval(case["numpy"], globals() | names)  # as globals: nested scopes see them
        except Exception as e:
            problem = f"NumPy: {e!r}"
        else:
            problem = difference(case, [tensors[key] for key in case["outputs"]], want)
        if problem:
            failed += 1
            print(f"{label}: {case['numpy']}: {problem}")
    print(f"{len(cases) - failed} of {len(cases)} cases agree with NumPy {np.__version__}")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
