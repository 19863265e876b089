"""body.py INPUTS.npz BODY: a request with binary tensors; prints how many bytes of it are JSON."""
import json
import sys

import numpy

NAMES = {"float32": "FP32", "float64": "FP64", "int64": "INT64", "int32": "INT32", "uint8": "UINT8", "bool": "BOOL"}

tensors = numpy.load(sys.argv[1])
head = json.dumps({
    "inputs": [{"name": name, "shape": list(tensors[name].shape), "datatype": NAMES[str(tensors[name].dtype)],
                "parameters": {"binary_data_size": tensors[name].nbytes}} for name in tensors.files],
    "parameters": {"binary_data_output": True}}).encode()
with open(sys.argv[2], "wb") as file:
    file.write(head + b"".join(tensors[name].tobytes() for name in tensors.files))
print(len(head))
