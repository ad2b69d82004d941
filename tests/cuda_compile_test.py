#!/usr/bin/env python3
"""nvcc compiles every kernel for sm_80, sm_90 and as PTX, and links them.

Where there is no GPU, the program that comes out must say so in one line. Exits with 77, for ctest
a skip, where there is no nvcc.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ["-gencode", "arch=compute_80,code=sm_80",
           "-gencode", "arch=compute_90,code=[sm_90,compute_90]"]
FLAGS = ["-std=c++20", "-O2", "--expt-relaxed-constexpr", "-Werror", "all-warnings", "-DXF_CUDA",
         "-I", str(ROOT / "common")]
PROGRAM = """
#include <cstdio>
#include "cuda/device_memory.hpp"
#include "tensor/device.hpp"
#include "tensor/kernels.hpp"
int main() {
  try {
    xf::kernel::prepare(xf::Cuda{});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\\n", error.what());
    return 2;
  }
}
"""


def answer(words) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


class Compiled(unittest.TestCase):
    def test_all_kernels_compile_and_link(self):
        launcher = ["ccache"] if shutil.which("ccache") else []
        sources = [*sorted((ROOT / "common").rglob("*.cu")), ROOT / "common/cuda/mirror.cpp",
                   ROOT / "common/ops/matmul/precision.cpp"]
        self.assertGreater(len(sources), 15)
        with tempfile.TemporaryDirectory(prefix="xf-nvcc-") as name:
            folder = Path(name)
            (folder / "main.cu").write_text(PROGRAM)
            sources.append(folder / "main.cu")

            def compiled(number: int) -> str:
                return answer([*launcher, "nvcc", *TARGETS, *FLAGS, "-c", sources[number], "-o",
                               folder / f"{number}.o"]).stdout

            with ThreadPoolExecutor(os.cpu_count()) as pool:
                self.assertEqual("".join(pool.map(compiled, range(len(sources)))), "")
            objects = sorted(folder.glob("*.o"))
            linked = answer(["nvcc", *TARGETS, *objects, "-o", folder / "program"])
            self.assertEqual(linked.stdout, "")
            self.check_program(folder / "program")

    def check_program(self, program: Path):
        """With a GPU it ends well; without one it says why not."""
        ended = answer([program])
        if ended.returncode == 0:
            self.assertEqual(ended.stdout, "")
        else:
            self.assertEqual(ended.returncode, 2)
            self.assertRegex(ended.stdout, r"^error: cuda: there is no GPU to use here: [^\n]+\n$")


if __name__ == "__main__":
    if not shutil.which("nvcc"):
        print("skipped: there is no nvcc (NVIDIA's CUDA toolkit)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
