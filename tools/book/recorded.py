"""What a lesson that trains a model has printed: docs/recorded/NAME.txt; in Chinese, NAME.zh.txt.

Its training takes longer than a check of the pages may, and its numbers are a machine's own. So the
pages quote the record instead of a fresh run. The first line holds a hash of the lesson's sources
and, in Chinese, of its catalogue: when they change, `./learn docs --check` asks for
`./learn docs --record NAME`.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

LANGUAGES = ("en", "zh")
FIRST_LINE = re.compile(r"# .* sha256:([0-9a-f]{64})\n")
INCLUDES = re.compile(rb'^#include .*\n', re.M)


def file_of(name: str, root: Path, language: str = "en") -> Path:
    return root / "docs/recorded" / f"{name}{'.zh' if language == 'zh' else ''}.txt"


def names(root: Path) -> list[str]:
    return sorted(path.stem for path in (root / "docs/recorded").glob("*.txt")
                  if not path.name.endswith(".zh.txt"))


def sources_hash(name: str, root: Path, language: str = "en") -> str:
    """Of the files of chapters/NAME that say what is printed, but for their includes."""
    total = hashlib.sha256()
    folder = root / "chapters" / name
    catalogue = folder.glob("zh.po") if language == "zh" else ()
    for path in sorted([*folder.rglob("lesson*"), *catalogue]):
        total.update(path.name.encode() + b"\0" + INCLUDES.sub(b"", path.read_bytes()))
    return total.hexdigest()


def text_of(name: str, root: Path, language: str = "en") -> str | None:
    """What the lesson printed, or None when no record is kept of it."""
    path = file_of(name, root, language)
    if not path.is_file():
        return None
    return FIRST_LINE.sub("", path.read_text(encoding="utf-8"), count=1)


def stale(name: str, root: Path) -> list[str]:
    """The languages whose record is missing, or of other sources."""
    def fresh(language: str) -> bool:
        path = file_of(name, root, language)
        found = FIRST_LINE.match(path.read_text(encoding="utf-8")) if path.is_file() else None
        return bool(found) and found[1] == sources_hash(name, root, language)
    return [language for language in LANGUAGES if not fresh(language)]


def keep(name: str, printed: str, root: Path, language: str = "en") -> None:
    path = file_of(name, root, language)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# printed by {name}; its lesson* files: "
                    f"sha256:{sources_hash(name, root, language)}\n{printed}", encoding="utf-8")
