"""The check of what a text says about a picture of attention: which word a row attends to most.

Such a paragraph names picture, layer and head at its end,

  after 他们 it looks at *Sunday* and writes 上周日 <!-- brightest: docs/pictures/attention.svg 1 0 -->

Each word in italics, or `<eos>`, must then be the column of the brightest cell in the row of the
word that "after" names, 写完“…” in Chinese; and what is written next, the word of the row below.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Iterator

MARK = re.compile(r"<!-- brightest: (\S+) (\d+) (\d+) -->")
COLUMN_SAID = r"(?:(?<!\*)\*(\w+)\*(?!\*)|`(<\w+>)`)"
SAID = re.compile(rf"(?:after |写完“)(\w+)[^*`]*?{COLUMN_SAID}(?:(?: and writes |，写出“)(\w+))?")
RECT = re.compile(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="[\d.]+"'
                  r' fill="#..(..)..')
LABEL = r'<tspan[^>]*>\d+</tspan> ([^<]*)</text>'
ROW = re.compile(rf'<text x="[\d.]+" y="([\d.]+)"[^>]*text-anchor="end">{LABEL}')
COLUMN = re.compile(rf'<text x="([\d.]+)" [^>]*transform="rotate[^>]*>{LABEL}')
TITLE = re.compile(r'<text [^>]*font-weight="bold">\D*(\d+)\D+(\d+)</text>')
MAP = re.compile(r'<g shape-rendering="crispEdges">.*?</g>', re.DOTALL)


def brightest(svg: str, layer: int, head: int) -> list[tuple[str, str]]:
    """(word of the row, word with the largest weight in it) for each row of a map, from the top."""
    titles = [(int(a), int(b)) for a, b in TITLE.findall(svg)]
    cells = [(float(x), float(y), float(width), int(green, 16)) for x, y, width, green
             in RECT.findall(MAP.findall(svg)[titles.index((layer, head))])]
    rows = sorted({y for _, y, _, _ in cells})
    names = [html.unescape(name) for y, name in ROW.findall(svg)
             if rows[0] < float(y) < rows[-1] + (rows[1] - rows[0])]
    looked_at = []
    for row in rows:  # in viridis, brighter means more green
        x, _, width, _ = max((cell for cell in cells if cell[1] == row), key=lambda cell: cell[3])
        looked_at.append(next(html.unescape(name) for at, name in COLUMN.findall(svg)
                              if x < float(at) < x + width))
    return list(zip(names, looked_at))


def wrong(paragraph: str, root: Path) -> Iterator[str]:
    """What a marked paragraph says but its picture does not show."""
    for file, layer, head in MARK.findall(paragraph):
        shown = brightest((root / file).read_text(encoding="utf-8"), int(layer), int(head))
        words, looks = [word for word, _ in shown], dict(shown)
        after = dict(zip(words, words[1:]))
        said = SAID.findall(paragraph)
        if not said or len(said) != len(re.findall(COLUMN_SAID, paragraph)):
            yield f"brightest: of {len(said)} words it is said after which they are looked at"
        for row, word, symbol, written in said:
            if looks.get(row) != word + symbol:
                yield f"{file}: after {row} it looks at {looks.get(row)}, not at {word + symbol}"
            if written and after.get(row) != written:
                yield f"{file}: after {row} it writes {after.get(row)}, not {written}"
