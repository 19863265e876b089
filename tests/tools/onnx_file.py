"""Writes small ONNX files byte by byte, after the field numbers of onnx.proto."""
import numpy

TYPES = dict(float32=1, uint8=2, int8=3, int32=6, int64=7, string=8, bool=9, float16=10, float64=11)


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def text(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def tensor(array, name=""):
    array = numpy.asarray(array)
    dims = b"".join(number(1, d) for d in array.shape)
    return dims + number(2, TYPES[str(array.dtype)]) + text(8, name) + text(9, array.tobytes())


def value_info(name, dtype, shape):
    dims = b"".join(text(1, text(2, d) if isinstance(d, str) else number(1, d)) for d in shape)
    return text(1, name) + text(2, text(1, number(1, TYPES[dtype]) + text(2, dims)))


def node(op, inputs, outputs, domain=""):
    return (
        b"".join(text(1, i) for i in inputs)
        + b"".join(text(2, o) for o in outputs)
        + text(3, f"the_{op}")
        + text(4, op)
        + text(7, domain)
    )


def model(nodes, inputs, outputs, initializers=(), opset=17):
    """nodes: (op, inputs, outputs[, domain]); inputs, outputs: (name, element type, extents)."""
    graph = (
        b"".join(text(1, node(*n)) for n in nodes)
        + text(2, "g")
        + b"".join(text(5, tensor(a, name)) for name, a in initializers)
        + b"".join(text(11, value_info(*i)) for i in inputs)
        + b"".join(text(12, value_info(*o)) for o in outputs)
    )
    return number(1, 8) + text(2, "by hand") + text(7, graph) + text(8, number(2, opset))
