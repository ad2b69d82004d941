"""`./learn bench`: builds and runs the benchmark program, where this version has one."""

from __future__ import annotations

import os
import sys

from tools import setup
from tools.terminal import BIN, ROOT, Stop, quiet_environment

SOURCES = ("tests/benchmarks/bench.cpp", "tests/benchmarks/main.cpp", "chapters/bench/main.cpp")


def main(arguments: list[str]) -> int:
    if not any((ROOT / source).exists() for source in SOURCES):
        raise Stop("bench: this version has no benchmark program (tests/benchmarks/ has none)")
    setup.set_up(setup.PACKAGES, ["bench"])
    sys.stdout.flush()
    os.execve(BIN / "bench", [str(BIN / "bench"), *arguments], quiet_environment())
