#!/usr/bin/env python3
"""Writes a model whose weights are external data of some gigabytes.

    make_big_model.py FOLDER [GIGABYTES]      default 3; makes FOLDER/big.onnx and FOLDER/big.bin

The weights are a sparse file of zeros, which takes no space. The model is a chain of MatMul and Relu over f32[N,4096], a
weight of 64 MiB each. Nothing but Python is needed: the protobuf bytes are written by hand, after onnx.proto.
"""
import os
import sys

WIDTH = 4096
WEIGHT_BYTES = WIDTH * WIDTH * 4
FLOAT = 1  # TensorProto.DataType


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def message(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def node(op, inputs, output):
    names = b"".join(message(1, i) for i in inputs) + message(2, output)
    return message(1, names + message(3, f"{op}_{output}") + message(4, op))


def weight(name, index):
    entries = {"location": "big.bin", "offset": str(index * WEIGHT_BYTES), "length": str(WEIGHT_BYTES)}
    external = b"".join(message(13, message(1, k) + message(2, v)) for k, v in entries.items())
    return message(5, number(1, WIDTH) * 2 + number(2, FLOAT) + message(8, name) + external + number(14, 1))


def value_info(field, name):
    shape = message(1, message(2, "N")) + message(1, number(1, WIDTH))
    return message(field, message(1, name) + message(2, message(1, number(1, FLOAT) + message(2, shape))))


def make(folder, gigabytes):
    count = max(1, int(gigabytes * 2**30) // WEIGHT_BYTES)
    graph = b""
    for i in range(count):
        last = "y" if i + 1 == count else f"h{i}"
        graph += node("MatMul", ["x" if i == 0 else f"h{i - 1}", f"w{i}"], f"m{i}") + node("Relu", [f"m{i}"], last)
    graph += message(2, "big") + b"".join(weight(f"w{i}", i) for i in range(count))
    graph += value_info(11, "x") + value_info(12, "y")
    with open(os.path.join(folder, "big.onnx"), "wb") as f:
        f.write(number(1, 8) + message(7, graph) + message(8, number(2, 17)))
    with open(os.path.join(folder, "big.bin"), "wb") as f:
        f.truncate(count * WEIGHT_BYTES)
    return count


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    size = float(sys.argv[2]) if len(sys.argv) == 3 else 3
    print(f"{make(sys.argv[1], size)} weights of {WEIGHT_BYTES >> 20} MiB")
