#!/usr/bin/env python3
"""Makes safetensors_python.safetensors with the Python library, for tests/io/safetensors_test.cpp:

    python3 tests/golden/safetensors_reference.py          # writes it
    python3 tests/golden/safetensors_reference.py FILE     # prints a file as Python sees it

Needs torch and safetensors.
"""
import pathlib
import sys

import torch
from safetensors import safe_open
from safetensors.torch import save_file

path = pathlib.Path(__file__).with_name("safetensors_python.safetensors")
numbers = [1.0, -2.5, 0.0, 65504.0, 2.0**-24, float("inf")]  # all exact in half precision, F16

if len(sys.argv) > 1:
    with safe_open(sys.argv[1], "pt") as file:
        print("metadata", file.metadata())
        for name in file.keys():
            tensor = file.get_tensor(name)
            print(name, tensor.dtype, tuple(tensor.shape), tensor.flatten().tolist())
else:
    wide = torch.tensor(numbers, dtype=torch.float64).reshape(2, 3)
    save_file(
        {
            "f32": wide.to(torch.float32),
            "f16": wide.to(torch.float16),
            "f64": wide,
            "bf16": torch.tensor([1.0, -2.5, 3.140625], dtype=torch.bfloat16),
            "scalar": torch.tensor(7.0),
            "empty": torch.zeros(0, 4),
        },
        path,
        metadata={"language": "中文", "format": "pt"},
    )
