#!/usr/bin/env python3
"""clang reads the engine without an error or a warning: the cheap part of its rows of the matrix.

Nothing is compiled, so only what clang's front end says is found. Each source is read once, as it
is for `fast` arithmetic where it is compiled twice; the kernels of GPUs, which g++ and nvcc
compile, clang reads in the matrix. Exits with 77, for ctest a skip, where clang is not installed.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.checkout import BUILD, ROOT

ROOMS = ("language", "tensor", "autograd", "ops", "nn")
# Later versions know more warnings; the earliest lacks most of the language.
COMPILERS = ["clang++-14", *(f"clang++-{version}" for version in range(15, 23)), "clang++"]
GNU = ("-Wno-restrict", "-Wno-stringop-overflow", "-Winvalid-pch", "--param=")  # only g++ has them


def clang() -> str | None:
    return next((name for name in COMPILERS if shutil.which(name)), None)


def flags(command: str) -> list[str]:
    """The flags of a command of compile_commands.json, without g++'s own and without files: what
    g++ has precompiled is left out, so that a source must include what it uses."""
    words = shlex.split(command)
    first = next(i for i, word in enumerate(words) if word.startswith("-"))
    kept = words[first:words.index("-o")]
    for at in [i for i, word in enumerate(kept) if word == "-include"][::-1]:
        del kept[at:at + 2]
    return [word for word in kept if not word.startswith(GNU)]


def complaints(compiler: str, entry: dict) -> str:
    command = [compiler, *flags(entry["command"]), "-fsyntax-only", entry["file"]]
    return subprocess.run(command, cwd=entry["directory"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True).stdout


class Clang(unittest.TestCase):
    def test_it_reads_the_engine_without_a_warning(self):
        entries = [entry for entry in json.loads((BUILD / "compile_commands.json").read_text())
                   for path in [Path(entry["file"])]
                   if any(ROOT / "common" / room in path.parents for room in ROOMS)
                   and "-fsanitize-coverage=" not in entry["command"]]  # the same once more
        entries = {entry["file"]: entry for entry in sorted(  # the later one counts
            entries, key=lambda entry: "-DXF_FAST" in entry["command"])
            if not entry["file"].endswith(".cu")}.values()
        self.assertGreater(len(entries), 20)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = "".join(pool.map(lambda entry: complaints(clang(), entry), entries))
        self.assertEqual(found, "")


if __name__ == "__main__":
    if not clang():
        print("skipped: clang is not installed (Debian's package clang)")
        sys.exit(77)
    unittest.main(verbosity=2)
