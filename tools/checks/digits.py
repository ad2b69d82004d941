"""The same digits on every machine: `./learn test --long digits`, and the test `digits`.

Each row builds the lessons for another processor or with another compiler, runs them in `same`
arithmetic, and compares every file that they write, and every line that they print, byte for byte
with docs/recorded/digits.json. Measurements such as times are left out, with the lines and files
that have them. `./learn docs --record digits` rewrites the record from the programs in
build/release.
"""

from __future__ import annotations

import datetime
import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from tools import setup
from tools.book import recorded
from tools.book.recorded import LESSONS, TRAINING
from tools.checks import arm64
from tools.checks.matrix import version_of
from tools.speed import bench_report
from tools.terminal import ROOT, Stop, say, shown, timed, write_file

FOLDER = ROOT / "build" / "digits"
LOG = ROOT / "docs" / "results" / "logs" / "digits.txt"
MINUTES_EMULATED = {"03_layer_norm", "08_transformer_xl"}  # ten minutes each: one thread is enough


@dataclass(frozen=True)
class Row:
    name: str
    compiler: str
    processor: str  # the compiler's name for it, or aarch64
    feature: str = ""  # in /proc/cpuinfo: without it the row is skipped

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def is_foreign(self) -> bool:
        return self.processor == "aarch64"

    def obstacle(self) -> str:
        """Why the row cannot run here, or an empty string."""
        if not shutil.which(self.compiler):
            return f"there is no {self.compiler}"
        if self.is_foreign:
            return "" if shutil.which(arm64.EMULATOR) else f"there is no {arm64.EMULATOR}"
        if os.uname().machine != "x86_64":
            return "this is no x86-64"
        flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
        if self.feature and self.feature not in (flags[1].split() if flags else []):
            return f"this processor has no {self.feature}, and no emulator has it"
        return ""

    def configuring(self) -> list[str]:
        command = ["cmake", "-S", str(ROOT), "-B", str(self.folder), "-G", "Ninja",
                   "-DCMAKE_BUILD_TYPE=Release", "-DXF_EMULATOR=OFF", "-DXF_ONLY_SAME=ON",
                   f"-DCMAKE_CXX_COMPILER={shutil.which(self.compiler)}"]
        if self.is_foreign:
            target = [f"-DCMAKE_CXX_COMPILER_TARGET={arm64.TRIPLE}"] if "clang" in self.name else []
            return command + target + arm64.cmake_arguments(ROOT / "build" / "matrix" /
                                                            "arm64-packages")
        return command + ["-DXF_HAS_NATIVE=OFF", "-DXF_HAS_VECTOR_WIDTH=OFF",
                          f"-DCMAKE_CXX_FLAGS=-march={self.processor}"]

    def prefix(self) -> list[str]:
        """The emulator's command for programs of another processor; empty for this one."""
        if not self.is_foreign:
            return []
        cache = (self.folder / "CMakeCache.txt").read_text(encoding="utf-8")
        return re.search(r"^CMAKE_CROSSCOMPILING_EMULATOR[^=]*=(.*)$", cache, re.M)[1].split(";")


ROWS = [Row("g++-v2", "g++", "x86-64-v2"), Row("g++-v3", "g++", "x86-64-v3", "avx2"),
        Row("g++-v4", "g++", "x86-64-v4", "avx512f"), Row("clang-v2", "clang++", "x86-64-v2"),
        Row("clang-v3", "clang++", "x86-64-v3", "avx2"),
        Row("clang-v4", "clang++", "x86-64-v4", "avx512f"),
        Row("g++-aarch64", "aarch64-linux-gnu-g++", "aarch64"),
        Row("clang-aarch64", "clang++", "aarch64")]


def main(names: list[str]) -> int:
    """Runs the named rows, or all that can run here; returns 1 if a digit differs."""
    failed = False
    for row in ROWS:
        if names and row.name not in names:
            continue
        if row.obstacle():
            keep(row, f"missing: {row.obstacle()}")
            continue
        start = time.monotonic()
        build(row, LESSONS)
        found = compared(row)
        failed |= bool(found)
        keep(row, f"{version_of(row.compiler)}, {time.monotonic() - start:.0f} s: "
                  + ("; ".join(found) or f"the same in every byte, {extent(row)}"))
    return 1 if failed else 0


def compared(row: Row) -> list[str]:
    found = []
    for threads in (1, 2) if row.is_foreign else (1, 2, 3):
        for name in LESSONS:
            if name == TRAINING and (row.is_foreign or threads != 2):
                continue  # it takes a minute
            if name in MINUTES_EMULATED and row.is_foreign and threads != 1:
                continue
            found += recorded.differences(name, recorded.digests(name, row.folder / "bin", threads,
                                                                 row.prefix()))
    return found


def extent(row: Row) -> str:
    return ("lessons 0 to 6, 8, 9 and 12 with 1 thread, all but 3 and 8 with 2, in qemu"
            if row.is_foreign
            else "lessons 0 to 6, 8, 9 and 12 with 1, 2 and 3 threads, 7 with 2")


def keep(row: Row, text: str) -> None:
    """Reports the result of the row, and replaces its line in the log."""
    today = datetime.date.today().isoformat()
    line = f"{row.name}: {text} ({bench_report.machine()}, {today})"
    say(line)
    old = LOG.read_text(encoding="utf-8").splitlines() if LOG.exists() else []
    lines = {one.split(":")[0]: one for one in [*old[1:], line]}
    write_file(LOG, "\n".join(["./learn test --long digits, against docs/recorded/digits.json",
                               *(lines[row.name] for row in ROWS if row.name in lines)]) + "\n")


def build(row: Row, lessons: list[str], more: tuple[str, ...] = ()) -> None:
    row.folder.mkdir(parents=True, exist_ok=True)
    setup.forget_a_moved_build(row.folder)
    steps = (("configuring", [*row.configuring(), *more]),
             ("building", ["cmake", "--build", str(row.folder), "--parallel",
                           str(setup.parallel_jobs()), "--target", *lessons]))
    for title, command in steps:
        log = row.folder / f"{title}.log"
        status, _ = timed(f"{row.name}: {title}", command, log)
        if status != 0:
            raise Stop(f"{row.name}: {title} failed. From {shown(log)}:\n{setup.first_error(log)}")
