"""Functions of functions: compiled, differentiated, mapped over axes; and control flow inside of them."""
import functools

from .. import _tc
from . import _tree


def _name_of(f):
    return getattr(f, "__name__", type(f).__name__)


def _is_leaf(x):
    """What can be an input of a program."""
    return isinstance(x, (_tc.Array, _tc.Param, bool, int, float)) or hasattr(x, "__array__") or hasattr(x, "__dlpack__")


class Jit:
    """A function that compiles itself for the types of its arguments: see jit."""

    def __init__(self, f, static_argnums=(), static_argnames=(), shapes="exact", max_versions=64, **options):
        if shapes not in ("exact", "ranks"):
            raise ValueError(f"shapes are 'exact' or 'ranks', not {shapes!r}")
        functools.update_wrapper(self, f)
        self._f = f
        self._static = frozenset([static_argnums] if isinstance(static_argnums, int) else static_argnums)
        self._static_names = frozenset([static_argnames] if isinstance(static_argnames, str) else static_argnames)
        self._jit = _tc._Jit(_name_of(f), shapes == "ranks", max_versions, options)
        self._numbers = {}  # of structures and static values: parameters of the versions
        self._results = {}  # the structures of the results, by number and, where they differ, by key

    def _given(self, args, kwargs):
        """The leaves of a call, and the structure with static values in it."""
        leaves, static = [], []
        for i, a in enumerate(args):
            static.append(self._part(a, i in self._static, leaves))
        names = tuple(sorted(kwargs)) if kwargs else ()
        for name in names:
            static.append(self._part(kwargs[name], name in self._static_names, leaves))
        return leaves, (len(args), names, tuple(static))

    def _part(self, value, static, leaves):
        if static:
            return (_Static, value)
        own = []
        structure = _tree._flatten(value, own)
        if all(map(_is_leaf, own)):
            leaves.extend(own)
            return structure
        # Words and other values without elements are as they are.
        for leaf in own:
            if not _is_leaf(leaf):
                hash(leaf)
                return self._mixed(value, leaves)
        return structure

    def _mixed(self, value, leaves):
        own = []
        structure = _tree._flatten(value, own)
        kept = tuple((_Static, leaf) if not _is_leaf(leaf) else None for leaf in own)
        leaves.extend(leaf for leaf in own if _is_leaf(leaf))
        return (_Mixed, structure, kept)

    def _arguments(self, given, leaves):
        count, names, parts = given
        leaves = iter(leaves)
        values = []
        for part in parts:
            if isinstance(part, tuple) and part and part[0] is _Static:
                values.append(part[1])
            elif isinstance(part, tuple) and part and part[0] is _Mixed:
                values.append(_tree._unflatten(part[1], iter([next(leaves) if k is None else k[1] for k in part[2]])))
            else:
                values.append(_tree._unflatten(part, leaves))
        return values[:count], dict(zip(names, values[count:]))

    def __call__(self, *args, **kwargs):
        leaves, given = self._given(args, kwargs)
        try:
            number = self._numbers.setdefault(given, len(self._numbers))
        except TypeError as e:
            raise TypeError(f"{_name_of(self)}: static arguments must be hashable: {e}") from None
        made = []

        def flat(inputs):
            positional, named = self._arguments(given, inputs)
            results, structure = _tree.flatten(self._f(*positional, **named))
            made.append(structure)
            return results

        parameters = str(number) if number else ""
        results = self._jit.call(leaves, parameters, flat)
        if made:
            structure = made[-1]
            if self._results.setdefault(number, structure) != structure or (number, None) in self._results:
                # Of one structure of arguments come several of results: it hangs on their shapes.
                self._results[number, None] = True
                self._results[number, self._jit.key(leaves, parameters)] = structure
        elif (number, None) in self._results:
            structure = self._results.get((number, self._jit.key(leaves, parameters)), self._results[number])
        else:
            structure = self._results[number]
        if structure == "*":
            return results[0]
        return _tree.unflatten(structure, results)

    def versions(self):
        """The signatures that have been compiled."""
        return self._jit.versions()

    def graph(self, key=None):
        """The Function of a version; without a key that of the first one."""
        return self._jit.graph(self.versions()[0] if key is None else key)


class _Static:
    """Marks a value that is not traced."""


class _Mixed:
    """Marks a structure with static leaves."""


def jit(f=None, *, static_argnums=(), static_argnames=(), shapes="exact", max_versions=64, **options):
    """f, compiled: it is traced once for each combination of types of its arguments, and what comes of it is kept.

    Arrays, NumPy's arrays, numbers and Params are inputs, also inside of tuples, lists and dicts. Words and other values
    are static, as are arguments that static_argnums or static_argnames name: each value makes a version of its own.
    With shapes="ranks" extents are symbols, so that one version serves all extents. Further options are those of
    Function.compile. Called while another function is traced, f becomes part of that program.
    """
    if f is None:
        return functools.partial(
            jit, static_argnums=static_argnums, static_argnames=static_argnames, shapes=shapes, max_versions=max_versions, **options
        )
    return Jit(f, static_argnums, static_argnames, shapes, max_versions, **options)


def _traced(g, f):
    """g where a program is traced; else compiled."""
    compiled = Jit(g)

    @functools.wraps(f)
    def call(*args, **kwargs):
        return g(*args, **kwargs) if _tc.tracing() else compiled(*args, **kwargs)

    return call


def value_and_grad(f, argnums=0, has_aux=False):
    """A function that returns f's value, a single number, and its gradients with respect to the arguments that argnums
    names, in their structure. With has_aux f returns a pair, of which the second part is handed on."""
    several = not isinstance(argnums, int)
    places = tuple(argnums) if several else (argnums,)

    def g(*args, **kwargs):
        args = list(args)
        wrt, structures = [], []
        for i in places:
            leaves, structure = _tree.flatten(args[i])
            fresh = [_tc._fresh(leaf) for leaf in leaves]
            args[i] = _tree.unflatten(structure, fresh)
            structures.append((structure, len(fresh)))
            wrt += fresh
        value = f(*args, **kwargs)
        y = value[0] if has_aux else value
        if not isinstance(y, _tc.Array):
            y = _tc.asarray(y)
        gradients = iter(_tc._grad(y, wrt))
        parts = tuple(_tree.unflatten(s, [next(gradients) for _ in range(n)]) for s, n in structures)
        return value, (parts if several else parts[0])

    return _traced(g, f)


def grad(f, argnums=0, has_aux=False):
    """A function that returns the gradients of f: see value_and_grad. With has_aux it returns (gradients, aux)."""
    both = value_and_grad(f, argnums, has_aux)

    @functools.wraps(f)
    def g(*args, **kwargs):
        value, gradients = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return g


def vjp(f, *primals):
    """(f(*primals), a function from seeds in the structure of that to the gradients of the primals). Inside of jit only:
    arrays keep no history."""
    if not _tc.tracing():
        raise RuntimeError("vjp is called in a function that jit compiles: arrays keep no history")
    leaves, structure = _tree.flatten(primals)
    fresh = [_tc._fresh(leaf) for leaf in leaves]
    value = f(*_tree.unflatten(structure, fresh))
    outputs, shape = _tree.flatten(value)

    def back(seeds):
        given, same = _tree.flatten(seeds)
        if same != shape:
            raise ValueError("the seeds differ from the results in their structure")
        return _tree.unflatten(structure, _tc._vjp(outputs, given, fresh))

    return value, back


def vmap(f, in_axes=0, out_axes=0):
    """f for every slice of its arguments along an axis, the results stacked. in_axes is one number or one per argument;
    None: the argument is the same for all. Slices are computed one after the other, in one loop of the program."""

    def g(*args):
        axes = in_axes if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
        if len(axes) != len(args):
            raise ValueError(f"vmap: {len(axes)} axes for {len(args)} arguments")
        mapped, places = [], []
        for i, (arg, axis) in enumerate(zip(args, axes)):
            if axis is not None:
                mapped.append(_tree.map_leaves(lambda x, a=axis: _tc.moveaxis(x, a, 0), arg))
                places.append(i)
        if not mapped:
            raise ValueError("vmap: no argument is mapped")

        def body(carry, slices):
            values = list(args)
            for i, s in zip(places, slices):
                values[i] = s
            return carry, f(*values)

        _, results = scan(body, (), tuple(mapped))
        outs = out_axes if isinstance(out_axes, (tuple, list)) else None
        if outs is None:
            return _tree.map_leaves(lambda x: _tc.moveaxis(x, 0, out_axes), results) if out_axes else results
        return type(results)(_tc.moveaxis(r, 0, a) for r, a in zip(results, outs))

    return _traced(g, f)


def _checked(leaves):
    return list(leaves)


def cond(predicate, true_fun, false_fun, *operands):
    """true_fun(*operands) or false_fun(*operands), of which only the chosen one runs."""
    structures = []

    def branch(f):
        def flat(_):
            leaves, structure = _tree.flatten(f(*operands))
            structures.append(structure)
            return _checked(leaves)

        return flat

    results = _tc._cond(predicate, branch(true_fun), branch(false_fun))
    if any(s != structures[0] for s in structures):
        raise TypeError("cond: the branches return different structures")
    return _tree.unflatten(structures[0], results)


def while_loop(cond_fun, body_fun, init_val):
    """The value when cond_fun of it no longer holds: value = body_fun(value)."""
    initial, structure = _tree.flatten(init_val)

    def condition(values):
        return [cond_fun(_tree.unflatten(structure, values))]

    def body(values):
        leaves, same = _tree.flatten(body_fun(_tree.unflatten(structure, values)))
        if same != structure:
            raise TypeError("while_loop: the body returns another structure than it is given")
        return leaves

    return _tree.unflatten(structure, _tc._while_loop(condition, body, initial))


def fori_loop(lower, upper, body_fun, init_val):
    """value = body_fun(i, value) for i from lower to upper - 1."""
    initial, structure = _tree.flatten(init_val)

    def body(values):
        leaves, same = _tree.flatten(body_fun(values[0], _tree.unflatten(structure, values[1:])))
        if same != structure:
            raise TypeError("fori_loop: the body returns another structure than it is given")
        return leaves

    return _tree.unflatten(structure, _tc._fori_loop(lower, upper, body, initial))


def scan(f, init, xs=None, length=None, reverse=False, axis=0, checkpoint=0):
    """(carry, y) = f(carry, x) over the slices of xs along an axis: the last carry, and the ys stacked. Without xs f is
    called `length` times with None. `checkpoint` n keeps the carry of every n-th step for gradients, and computes the
    others again."""
    initial, structure = _tree.flatten(init)
    slices, around = _tree.flatten(xs)
    counted = not slices
    if counted:
        if length is None:
            raise ValueError("scan: xs or length must be given")
        slices = [_tc.arange(length)]
    results = []

    def body(values):
        carry = _tree.unflatten(structure, values[: len(initial)])
        x = None if counted else _tree.unflatten(around, values[len(initial) :])
        carry, y = f(carry, x)
        leaves, same = _tree.flatten(carry)
        if same != structure:
            raise TypeError("scan: the function returns a carry of another structure than it is given")
        ys, shape = _tree.flatten(y)
        results.append(shape)
        return leaves + ys

    out = _tc._scan(body, initial, slices, reverse, axis, checkpoint)
    return _tree.unflatten(structure, out[: len(initial)]), _tree.unflatten(results[-1], out[len(initial) :])


class _Custom:
    """A function with a derivative of one's own."""

    def __init__(self, f, call):
        functools.update_wrapper(self, f)
        self._f, self._call, self._rule = f, call, None

    def _flat(self, f):
        def flat(values):
            results, self._structure = _tree.flatten(f(*values))
            return results

        return flat

    def __call__(self, *args):
        if self._rule is None:
            raise RuntimeError(f"{_name_of(self._f)} has no rule yet: give it one")
        results = self._call(self._flat(self._f), lambda values: _tree.flatten(self._rule(*values))[0], list(args))
        return _tree.unflatten(self._structure, results)


class custom_vjp(_Custom):
    """f with a rule of reverse mode:

        @custom_vjp
        def limited(x):
            return x * x

        @limited.rule
        def rule(x, y, g):          # arguments, results, gradients of the results
            return clip(2 * x * g, -1, 1)
    """

    def __init__(self, f):
        super().__init__(f, _tc._custom_vjp)

    def rule(self, f):
        """Sets the rule: it returns the gradients of the floating-point arguments."""
        self._rule = f
        return f


class custom_jvp(_Custom):
    """f with a rule of forward mode: rule(arguments..., tangents...) returns the tangents of the results, and is linear
    in tangents."""

    def __init__(self, f):
        super().__init__(f, _tc._custom_jvp)

    def rule(self, f):
        """Sets the rule."""
        self._rule = f
        return f


class ShapeDtype:
    """An input without elements: extents, of which names are symbols, and an element type."""

    def __init__(self, shape, dtype="float32", name=None):
        self.shape, self.dtype, self.name = tuple(shape), _tc.dtype(dtype), name

    def __repr__(self):
        return f"ShapeDtype({self.shape}, {self.dtype})"


def _input_of(spec, name):
    if isinstance(spec, ShapeDtype):
        return (spec.name or name, spec.dtype, list(spec.shape))
    if isinstance(spec, str):
        return (name, spec)
    array = spec if isinstance(spec, _tc.Array) else _tc.asarray(spec)
    return (name, array.dtype, list(array.shape))


def trace(f, *specs, name=None):
    """The Function that f is for inputs like `specs`: ShapeDtypes, arrays that stand for their own type, or types as text
    ("f32[n,3]"). Inputs are named as f's parameters are. A dict of results names the outputs."""
    import inspect

    try:
        names = [p.name for p in inspect.signature(f).parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        names = []
    leaves, structure = _tree.flatten(specs)
    single = len(leaves) == len(specs)
    inputs = [
        _input_of(leaf, names[i] if single and i < len(names) else f"x{i}") for i, leaf in enumerate(leaves)
    ]

    def flat(values):
        results = f(*_tree.unflatten(structure, values))
        if isinstance(results, dict) and all(isinstance(k, str) for k in results):
            return [(k, v) for k, v in results.items()]
        return _tree.flatten(results)[0]

    return _tc._trace(name or _name_of(f), inputs, flat)


def export_onnx(f, path, *specs, **options):
    """Writes f, a Function or a function of arrays for inputs like `specs` (see trace), into an ONNX file. Options are
    those of Function.export_onnx: opset, target, functions, dims, ... Returns what had to be rewritten, as text."""
    program = f if isinstance(f, _tc.Function) else trace(f, *specs)
    return program.export_onnx(path, **options)
