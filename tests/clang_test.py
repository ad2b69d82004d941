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

from support import kept
from support.checkout import BUILD, ROOT, WithFolder

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
    return kept.said(command, Path(entry["directory"]))


class Clang(WithFolder):
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

    def test_what_it_said_is_kept_until_a_file_that_it_read_is_another(self):
        self.patch(kept, "PLACE", self.folder / "kept")
        ran = self.patch(subprocess, "run", wraps=subprocess.run)
        source, header = self.folder / "a b.cpp", self.folder / "c.hpp"
        source.write_text('#include "c.hpp"\n')
        command = [clang(), "-fsyntax-only", "-Wall", source]
        for text, says in (("", ""), ("int one() {}\n", "return-type"), ("error", "error:")):
            header.write_text(text)
            for again in range(2):
                ran.reset_mock()
                kept.digest.cache_clear()
                self.assertIn(says, kept.said(command, self.folder))
                is_kept = again and text != "error"
                self.assertEqual(not is_kept, any("-MD" in call.args[0]
                                                  for call in ran.call_args_list))


if __name__ == "__main__":
    if not clang():
        print("skipped: clang is not installed (Debian's package clang)")
        sys.exit(77)
    unittest.main(verbosity=2)
