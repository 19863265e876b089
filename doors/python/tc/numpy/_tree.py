"""Arrays in structures: tuples, named tuples, lists, dicts and None, of which a program sees the leaves."""


def flatten(tree):
    """The leaves in order, and what is around them: a hashable value, equal for equal structures."""
    leaves = []
    return leaves, _flatten(tree, leaves)


def _flatten(tree, leaves):
    if isinstance(tree, (tuple, list)):
        return (type(tree), tuple(_flatten(t, leaves) for t in tree))
    if isinstance(tree, dict):
        keys = tuple(sorted(tree)) if all(isinstance(k, str) for k in tree) else tuple(tree)
        return (dict, keys, tuple(_flatten(tree[k], leaves) for k in keys))
    if tree is None:
        return None
    leaves.append(tree)
    return "*"


def unflatten(structure, leaves):
    """The inverse of flatten."""
    return _unflatten(structure, iter(leaves))


def _unflatten(structure, leaves):
    if structure == "*":
        return next(leaves)
    if structure is None:
        return None
    if structure[0] is dict:
        return {k: _unflatten(s, leaves) for k, s in zip(structure[1], structure[2])}
    parts = [_unflatten(s, leaves) for s in structure[1]]
    kind = structure[0]
    return kind(*parts) if hasattr(kind, "_fields") else kind(parts)


def map_leaves(f, tree, *more):
    """f of the leaves of one tree, or of several with the same structure."""
    leaves, structure = flatten(tree)
    columns = [leaves]
    for other in more:
        others, same = flatten(other)
        if same != structure:
            raise ValueError("the trees differ in their structure")
        columns.append(others)
    return unflatten(structure, [f(*row) for row in zip(*columns)])
