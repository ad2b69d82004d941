#!/usr/bin/env python3
"""The op of CONTRIBUTING.md, compiled and tested as it stands there; both languages show it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("XF_BUILD") or ROOT / "build" / "release")
NAMES = ("ops/cube/cube.hpp", "ops/cube/kernels.hpp", "ops/cube/cpu.cpp", "ops/cube/cuda.cu",
         "ops/cube/cube.cpp", "cube_test.cpp", "reference.cpp")


def blocks(name: str) -> list[str]:
    return re.findall(r"```cpp\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.S)


def link_command() -> list[str]:
    answer = subprocess.run(["ninja", "-C", str(BUILD), "-t", "commands", "bin/test_ops"],
                            stdout=subprocess.PIPE, text=True)
    last = answer.stdout.splitlines()[-1:] or [""]
    return shlex.split(last[0].replace(": && ", "").replace(" && :", ""))


class Contributing(unittest.TestCase):
    def test_both_languages_show_the_same_code(self):
        self.assertEqual(blocks("CONTRIBUTING.md"), blocks("CONTRIBUTING.zh.md"))
        self.assertEqual(len(blocks("CONTRIBUTING.md")), len(NAMES))

    def test_its_op_compiles_and_passes_its_tests(self):
        if not (BUILD / "bin" / "test_ops").exists():
            self.skipTest(f"{BUILD / 'bin/test_ops'} is not built")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self.write(folder)
            commands = [self.compiling(folder, folder / source) for source in NAMES
                        if not source.endswith(".hpp")]
            for command in [*commands, self.linking(folder), [str(folder / "test_cube")]]:
                answer = subprocess.run(command, cwd=BUILD, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
                self.assertEqual(answer.returncode, 0, answer.stdout)
        self.assertIn("4 passed", answer.stdout)

    def write(self, folder: Path) -> None:
        (folder / "ops" / "cube").mkdir(parents=True)
        for name, text in zip(NAMES, blocks("CONTRIBUTING.md")):
            (folder / name).write_text(text)
        reference = folder / "reference.cpp"
        body = reference.read_text()
        declaration = "namespace xf::xt_reference { Tensor cube(const Tensor& x); }\n"
        test = folder / "cube_test.cpp"
        test.write_text('#include "support/xt_reference.hpp"\n' + declaration + test.read_text())
        reference.write_text('#include "tensor/xt.hpp"\nnamespace xf::xt_reference {\n'
                             "using Matrix = xt::xtensor<float, 2>;\n"
                             "Tensor cube(const Tensor& x);\n" + body + "}\n")

    def compiling(self, folder: Path, source: Path) -> list[str]:
        compiler = next(word for word in link_command() if not word.endswith("ccache"))
        return [compiler, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Wconversion",
                "-Wno-sign-conversion", "-Werror", "-fopenmp-simd", f"-I{folder}",
                f"-I{ROOT / 'common'}", f"-I{ROOT / 'tests'}", "-DXF_EMULATOR", "-x", "c++",
                "-c", str(source),
                "-o", str(source.with_suffix(".o"))]

    def linking(self, folder: Path) -> list[str]:
        """As test_ops is linked, with the op's objects in place of the tests'."""
        words = [word for word in link_command() if "test_ops.dir" not in word]
        words[words.index("-o") + 1] = str(folder / "test_cube")
        at = words.index("-o")
        objects = [str(folder / Path(name).with_suffix(".o")) for name in NAMES
                   if not name.endswith(".hpp")]
        return words[:at] + objects + words[at:]


if __name__ == "__main__":
    if not shutil.which("ninja"):
        print("skipped: ninja is not installed")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
