"""clang-tidy over the engine and the chapters: a row of `./learn test --long matrix`."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools import setup
from tools.terminal import ROOT, Doing

PROGRAM = "clang-tidy-19"  # other versions have other checks
ROOMS = ("common", "chapters")


def sources(build: Path) -> list[str]:
    """The files of the engine and the chapters in the build, without the exercises."""
    files = {entry["file"] for entry in json.loads((build / "compile_commands.json").read_text())}
    return sorted(name for name in files if "/exercises/" not in name
                  and any(ROOT / room in Path(name).parents for room in ROOMS))


def complaints(build: Path, files: list[str]) -> dict[str, str]:
    """What clang-tidy finds in each file; a header's findings come with a file that includes it."""
    def one(file: str) -> str:
        answer = subprocess.run([PROGRAM, "--quiet", "-p", str(build), file], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        doing.tick()
        return answer.stdout.replace(f"{ROOT}/", "")

    with Doing("clang-tidy reads", len(files)) as doing:
        with ThreadPoolExecutor(setup.parallel_jobs()) as pool:
            return dict(zip(files, pool.map(one, files)))
