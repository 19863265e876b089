"""Losses of the exported train step when tc-run runs it: native_losses.py TC_RUN MODELS DIGITS STEPS prints them as JSON.

Batches are those of examples/browser/training.mjs: 64 digits of the training set after the other, of its first 4096.
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

BATCH, SIDE = 64, 28
DTYPES = {"F32": np.float32, "I64": np.int64}


def read_safetensors(path):
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    state = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            state[name] = np.frombuffer(data[begin:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return state


def main(tc_run, models, digits, steps):
    models, digits = pathlib.Path(models), pathlib.Path(digits)
    images = np.fromfile(digits / "train-images-idx3-ubyte", np.uint8, 4096 * SIDE * SIDE, offset=16)
    labels = np.fromfile(digits / "train-labels-idx1-ubyte", np.uint8, 4096, offset=8)
    images = images.reshape(-1, 1, SIDE, SIDE)
    state = read_safetensors(models / "mnist_initial_state.safetensors")
    losses = []
    with tempfile.TemporaryDirectory() as folder:
        given, made = pathlib.Path(folder) / "in.npz", pathlib.Path(folder) / "out.npz"
        for step in range(int(steps)):
            batch = slice(step * BATCH, (step + 1) * BATCH)
            pictures = (images[batch].astype(np.float64) / 255).astype(np.float32)
            np.savez(given, images=pictures, labels=labels[batch].astype(np.int64), **state)
            subprocess.run(
                # Whole factors, as in the browser: 20 steps make much of small differences.
                [tc_run, models / "mnist_train_step.onnx", "--isa", "avx512", "--inputs", given, "--save", made],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            outputs = dict(np.load(made))
            losses.append(float(outputs["loss"]))
            state = {name: outputs["new_" + name] for name in state}
    print(json.dumps(losses))


main(*sys.argv[1:])
