"""What the tests of the lessons keep of their runs, for tests that look at what lessons print:
$XF_LESSONS/NAME holds the files that the lesson writes, and lesson.txt what it prints."""

from __future__ import annotations

import os
from pathlib import Path

from tools.terminal import BIN

PRINTED = "lesson.txt"  # not written by the lesson itself


def by_its_test(name: str) -> tuple[str, Path] | None:
    """What the lesson printed in English without flags, with its default for --out, and the folder
    with its files; None where no test of the program as it is now has kept them."""
    folder = Path(os.environ.get("XF_LESSONS") or os.devnull) / name
    program, printed = Path(os.environ.get("XF_BIN") or BIN) / name, folder / PRINTED
    if not printed.is_file() or printed.stat().st_mtime <= program.stat().st_mtime:
        return None
    return printed.read_text(encoding="utf-8").replace(str(folder), f"out/{name}"), folder
