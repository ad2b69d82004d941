"""The text of `./learn --help`, and of `--help` after each command, from usage.txt; Chinese is in
tools/zh.po.

usage.txt has a title, a line for each command, with what can be typed and what it does, and notes.
The details of a command follow below `== COMMAND`; `bench`, `docs` and `test` have flags of their
own and describe them themselves."""

from __future__ import annotations

from pathlib import Path

from tools.language import words
from tools.terminal import say, width, wrapped

TEXT = Path(__file__).with_suffix(".txt")
HEAD, *PARTS = TEXT.read_text(encoding="utf-8").rstrip("\n").split("\n\n== ")
TITLE, LINES, NOTES = HEAD.split("\n\n")
COMMANDS = [tuple(map(str.strip, line.split("|", 1))) for line in LINES.split("\n")]
MORE = dict(part.split("\n", 1) for part in PARTS)

MEANING_COLUMN = 32  # the column of a command's description


def show(command: str = "", zh: bool = False) -> None:
    """All commands, or the details of one of them."""
    lines = [f"  ./learn {typed}".ljust(MEANING_COLUMN) + words(meaning, zh)
             for typed, meaning in COMMANDS if not command or typed.split()[:1] == [command]]
    if command:
        lines += ["", *words(MORE[command], zh).split("\n")]
    else:
        lines = [words(TITLE, zh), "", *lines, "", *words(NOTES, zh).split("\n")]
    for line in lines:
        indent = MEANING_COLUMN if line.startswith("  ./learn") else 0
        say("\n".join(wrapped(line, width(), indent)))
