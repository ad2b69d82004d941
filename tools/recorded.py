"""What a lesson that trains a model has printed: docs/recorded/NAME.txt.

Its training takes longer than a check of the pages may, and its numbers are a machine's own. So the
pages quote the record instead of a fresh run. The first line holds a hash of the lesson's sources:
when they change, `./learn docs --check` asks for `./learn docs --record NAME`.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

FIRST_LINE = re.compile(r"# .* sha256:([0-9a-f]{64})\n")
INCLUDES = re.compile(rb'^#include .*\n', re.M)


def file_of(name: str, root: Path) -> Path:
    return root / "docs/recorded" / f"{name}.txt"


def names(root: Path) -> list[str]:
    return sorted(path.stem for path in (root / "docs/recorded").glob("*.txt"))


def sources_hash(name: str, root: Path) -> str:
    """Of the lesson* files of chapters/NAME, which say what is printed: all but their includes."""
    total = hashlib.sha256()
    for path in sorted((root / "chapters" / name).rglob("lesson*")):
        total.update(path.name.encode() + b"\0" + INCLUDES.sub(b"", path.read_bytes()))
    return total.hexdigest()


def text_of(name: str, root: Path) -> str | None:
    """What the lesson printed, or None when no record is kept of it."""
    path = file_of(name, root)
    if not path.is_file():
        return None
    return FIRST_LINE.sub("", path.read_text(encoding="utf-8"), count=1)


def stale(name: str, root: Path) -> bool:
    found = FIRST_LINE.match(file_of(name, root).read_text(encoding="utf-8"))
    return not found or found[1] != sources_hash(name, root)


def keep(name: str, printed: str, root: Path) -> None:
    path = file_of(name, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# printed by {name}; its lesson* files: sha256:{sources_hash(name, root)}\n"
                    + printed, encoding="utf-8")
