#!/usr/bin/env python3
"""Which lines of the GPU's kernels do the tests run?  python3 tools/checks/kernel_coverage.py

Takes the release build, recompiles the kernels for gcov, links test_cuda with them, runs it, and
prints the share of lines that were run, file by file, with the lines that were not.
Exits with 1 below 95 %.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
LEAST = 0.95


def compiled(folder: Path) -> list[Path]:
    """The object files of the kernels, instrumented to count their lines."""
    entries = [entry for entry in json.loads((BUILD / "compile_commands.json").read_text())
               if entry["file"].endswith(".cu")]
    objects = []
    for number, entry in enumerate(entries):
        words = [word for word in shlex.split(entry["command"])
                 if word not in ("-O3", "-Winvalid-pch")]
        if "-include" in words:  # the header precompiled for -O3
            at = words.index("-include")
            del words[at:at + 2]
        words[0:1] = [] if Path(words[0]).name == "ccache" else [words[0]]
        objects.append(folder / f"{number}.o")
        words[words.index("-o") + 1] = str(objects[-1])
        subprocess.run([*words, "-O0", "--coverage"], cwd=entry["directory"], check=True)
    return objects


def linked(objects: list[Path], program: Path) -> None:
    """Links test_cuda with these objects; they come before the library, which supplies the rest."""
    commands = subprocess.run(["ninja", "-C", str(BUILD), "-t", "commands", "test_cuda"],
                              stdout=subprocess.PIPE, text=True, check=True).stdout
    last = [line for line in commands.splitlines() if " -o bin/test_cuda " in line][-1]
    words = shlex.split(last.split("&&")[1])
    words[words.index("-o") + 1] = str(program)
    at = next(i for i, word in enumerate(words) if word.endswith("libxf.a"))
    words[at:at] = [*map(str, objects), "--coverage"]
    subprocess.run(words, cwd=BUILD, check=True)


def counts(folder: Path) -> dict[str, dict[int, int]]:
    """How often each line ran, for every file in common/ that is used by kernels only."""
    result: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for data in sorted(folder.glob("*.gcda")):
        text = subprocess.run(["gcov", "--json-format", "--stdout", str(data)], cwd=folder,
                              stdout=subprocess.PIPE, text=True, check=True).stdout
        for one in json.loads(text)["files"]:
            name = Path(BUILD, one["file"]).resolve()
            if not name.is_relative_to(ROOT / "common") or not is_kernel(name):
                continue
            for line in one["lines"]:
                result[str(name.relative_to(ROOT))][line["line_number"]] += line["count"]
    return result


def is_kernel(path: Path) -> bool:
    return path.suffix == ".cu" or path.name in ("cuda_row.hpp", "cuda_stacks.hpp", "launch.hpp",
                                                "narrow.hpp")


def main() -> int:
    if not shutil.which("gcov"):
        print("there is no gcov (it comes with g++)")
        return 2
    with tempfile.TemporaryDirectory(prefix="xf-coverage-") as name:
        folder = Path(name)
        linked(compiled(folder), folder / "test_cuda")
        subprocess.run([str(folder / "test_cuda")], cwd=BUILD, check=True)
        found = counts(folder)
    total = run = 0
    for file, lines in sorted(found.items()):
        missed = [str(line) for line, count in sorted(lines.items()) if count == 0]
        total, run = total + len(lines), run + len(lines) - len(missed)
        print(f"{file:<44} {len(lines) - len(missed):4} of {len(lines):4} lines"
              + (f"  not {', '.join(missed)}" if missed else ""))
    print(f"{'all':<44} {run:4} of {total:4} lines, {100 * run / total:.1f} %")
    return 0 if run >= LEAST * total else 1


if __name__ == "__main__":
    sys.exit(main())
