#!/usr/bin/env python3
"""nvcc makes PTX of every kernel, for the first processor that the code is written for;
with --whole it compiles them for sm_80, sm_90 and as PTX, and links them. What calls NCCL is
compiled and linked where $XF_NCCL_ROOT or the system has it.

Where there is no GPU, the programs that come out must say so in one line. Exits with 77, for ctest
a skip, where there is no nvcc.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import kept
from support.checkout import ROOT, WithFolder, read

whole = "--whole" in sys.argv
TARGETS = [word for number in ((80, 90) if whole else (90,))
           for word in ("-gencode", f"arch=compute_{number},code=[sm_{number},compute_{number}]")]
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

SUMS = """
#include <cstdio>
#include "cuda/device_memory.hpp"
#include "distributed/nccl.hpp"
int main() {
  try {
    xf::cuda::require_device();
    xf::Alone self;
    xf::cuda::Buffer<float> x(4);
    const xf::DeviceSums::Numbers all[] = {{x.data(), 4}};
    xf::join_devices(self)->add_up(all);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\\n", error.what());
    return 2;
  }
}
"""
NCCL = Path(os.environ.get("XF_NCCL_ROOT") or "/usr")


def answer(words) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


class Compiled(WithFolder):
    def made(self, name) -> Path:
        """A file with the same name in each run, which nothing needs afterwards."""
        path = kept.PLACE / f"{name}.made"
        self.addCleanup(path.unlink, missing_ok=True)
        return path

    def test_all_kernels_compile(self):
        sources = [*sorted((ROOT / "common").rglob("*.cu")), *(
            [ROOT / "common/cuda/mirror.cpp", ROOT / "common/language/language.cpp",
             ROOT / "common/ops/matmul/precision.cpp"] if whole else [])]
        sources.remove(ROOT / "common/distributed/nccl.cu")
        self.assertGreater(len(sources), 15)
        if whole:
            return self.compile_and_link(sources, PROGRAM)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            said = pool.map(lambda source: kept.said(
                ["nvcc", "-arch=compute_80", "-ptx", *FLAGS, source, "-o",
                 self.made(sources.index(source))]), sources)
            self.assertEqual("".join(said), "")

    def test_the_page_has_the_occupancy_that_follows_from_what_the_compiler_says(self):
        if "release 13.0," not in answer(["nvcc", "--version"]).stdout:
            self.skipTest("another nvcc has other numbers of registers")
        said = "".join(kept.said(["nvcc", "-arch=sm_90", "-Xptxas", "-v", *FLAGS, "-cubin",
                                  ROOT / f"common/cuda/steps/{source}.cu", "-o",
                                  self.made(source)]) for source in ("matmul", "attention"))
        pages = [read(f"docs/{language}/11_gpu.md") for language in ("en", "zh")]
        for kernel, threads in (("tiles", 256), ("registers", 256), ("two_buffers", 256),
                                ("shared_keys", 256)):
            found = re.search(rf"entry function '\w*\d{kernel}E\w+' for 'sm_90'(?:.*\n)+?"
                              r".*Used (\d+) registers.*, (\d+) bytes smem", said)
            registers, shared = map(int, found.groups())
            # Registers are given out in eights, and a block has 1 KB of shared memory more.
            blocks = min(2048 // threads, 65536 // (-(-registers // 8) * 8 * threads),
                         (228 << 10) // (shared + 1024))
            row = (f"| `{kernel}` | {threads} | {registers} | {shared:,} | {blocks} | "
                   f"{100 * blocks * threads / 2048:.0f} % |\n")
            for page in pages:
                self.assertIn(row, page)

    @unittest.skipUnless((NCCL / "include/nccl.h").exists(), "there is no NCCL")
    def test_sums_over_gpus_compile_and_link(self):
        found = [*NCCL.glob("lib/libnccl.so.2"), *NCCL.glob("lib/*/libnccl.so.2")]
        self.compile_and_link([ROOT / "common/distributed/nccl.cu", ROOT / "common/cuda/runtime.cu",
                               ROOT / "common/distributed/collectives.cpp"], SUMS,
                              ["-isystem", NCCL / "include"],
                              ["-Xlinker", found[0], "-Xlinker", f"-rpath={found[0].parent}"])

    def compile_and_link(self, sources: list, program: str, flags: list = [], library: list = []):
        (self.folder / "main.cu").write_text(program)
        sources = [*sources, self.folder / "main.cu"]
        launcher = ["ccache"] if shutil.which("ccache") else []

        def compiled(number: int) -> str:
            return answer([*launcher, "nvcc", *TARGETS, *FLAGS, *flags, "-c", sources[number],
                           "-o", self.folder / f"{number}.o"]).stdout

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            self.assertEqual("".join(pool.map(compiled, range(len(sources)))), "")
        linked = answer(["nvcc", *TARGETS, *sorted(self.folder.glob("*.o")), *library, "-o",
                         self.folder / "program"])
        self.assertEqual(linked.stdout, "")
        self.check_program(self.folder / "program")

    def check_program(self, program: Path):
        """With a GPU it ends well; without one it says why not."""
        ended = answer([program])
        if ended.returncode == 0:
            self.assertEqual(ended.stdout, "")
        else:
            self.assertEqual(ended.returncode, 2)
            self.assertRegex(ended.stdout, r"^error: cuda: there is no GPU to use here: [^\n]+\n$")


def makes_programs() -> bool:
    """nvcc may be here without the runtime that its programs are linked with."""
    if not shutil.which("nvcc"):
        return False
    with tempfile.TemporaryDirectory(prefix="xf-nvcc-") as name:
        empty = Path(name) / "empty.cu"
        empty.write_text("int main() {}\n")
        return answer(["nvcc", empty, "-o", Path(name) / "empty"]).returncode == 0


if __name__ == "__main__":
    if not makes_programs():
        print("skipped: there is no nvcc that makes programs (NVIDIA's CUDA toolkit)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v", *(word for word in sys.argv[1:] if word != "--whole")])
