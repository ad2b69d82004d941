"""The pictures of docs/pictures that no lesson draws, with Chinese labels. Those of the whole model
are drawn by tools/book/whole.py, those of docs/*/heads.md by tools/book/head_pictures.py.

If a Chinese page shows NAME.zh.svg outside a block, this file is NAME.svg with its labels replaced
by those of docs/pictures/zh.po. `./learn docs` writes these files, `./learn docs --check` compares
them, and both report labels without an entry, and entries that no picture uses.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from tools.book import head_pictures, whole
from tools.catalogue import entries
from tools.terminal import write_changed

SHOWN = re.compile(r"!\[[^\]]*\]\(\S*pictures/(\w+)\.zh\.svg\)")
TEXT = re.compile(r"(<text\b[^>]*>)([^<]*)(</text>)")
WORDS = re.compile(r"\b(?!sin\b|cos\b)[A-Za-z]{3}")


def refresh(root: Path, pages: list[str], check: bool) -> list[str]:
    """Updates the drawings that the texts of these pages show; returns a list of problems."""
    folder = root / "docs/pictures"
    po = folder / "zh.po"
    known = entries(po)
    used: set[str] = set()
    complaints = draw(root, check)
    for name in sorted({name for page in pages for name in SHOWN.findall(page)}):
        source, twin = folder / f"{name}.svg", folder / f"{name}.zh.svg"
        if not source.is_file():
            complaints.append(f"docs/pictures/{name}.zh.svg: there is no {source.name}")
            continue
        drawing = source.read_text(encoding="utf-8")
        used |= {html.unescape(found[2]) for found in TEXT.finditer(drawing)}
        complaints += brought_up_to_date(twin, in_chinese(drawing, known), check)
    complaints += [f"docs/pictures/zh.po lacks {words!r}"
                   for words in sorted(used - set(known)) if WORDS.search(words)]
    complaints += [f"docs/pictures/zh.po: no picture says {words!r} any more"
                   for words in sorted(set(known) - used)]
    return complaints


def draw(root: Path, check: bool) -> list[str]:
    """Updates the drawings of the whole model and of the real heads, if their data exist."""
    files = whole.files(root) if (root / whole.RECORD).is_file() else {}
    files |= head_pictures.files(root) if (root / head_pictures.HEADS).is_file() else {}
    return [complaint for name, fresh in files.items()
            for complaint in brought_up_to_date(root / f"docs/pictures/{name}.svg", fresh, check)]


def brought_up_to_date(path: Path, fresh: str, check: bool) -> list[str]:
    """Writes the drawing if it differs; with `check`, only reports that it does."""
    if not check:
        write_changed(path, fresh)
    elif not path.is_file() or path.read_text(encoding="utf-8") != fresh:
        return [f"docs/pictures/{path.name} has drifted; ./learn docs rewrites it"]
    return []


def in_chinese(drawing: str, known: dict[str, str]) -> str:
    """If the translation is empty, the English text stays."""
    def translated(text: re.Match) -> str:
        words = known.get(html.unescape(text[2]))
        return text[1] + (html.escape(words, quote=False) if words else text[2]) + text[3]
    return TEXT.sub(translated, drawing)
