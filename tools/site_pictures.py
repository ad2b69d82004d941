"""A picture of docs/pictures as it stands in a page of the site: its greys are variables of the
style sheet, so that it follows light and dark; the colours of its data stay."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SVG = "http://www.w3.org/2000/svg"
GREYS = {
    "#ffffff": "paper", "white": "paper",
    "#222222": "ink", "#000000": "ink", "#444444": "ink",
    "#555555": "soft", "#666666": "soft", "#767676": "soft",
    "#888888": "axis", "#8899aa": "axis",
    "#e4e4e4": "grid", "#dfe3e7": "grid", "#d0d0d0": "grid", "#c5ccd3": "grid",
    "#eef2f7": "blue", "#f6f8fa": "blue", "#f6e8f5": "pink", "#fdf3dc": "sand",
}
WIDE = 700  # a picture wider than this is scrolled on a phone rather than shrunk

ElementTree.register_namespace("", SVG)


def figure(path: Path, words: str) -> str:
    """The picture with `words` below it, as HTML; what lies on a coloured cell keeps its colour."""
    root = ElementTree.parse(path).getroot()
    cells = [box(element) for element in root.iter(f"{{{SVG}}}rect")
             if element.get("fill", "none").lower() not in {*GREYS, "none"}
             and "%" not in element.get("width", "")]
    for element in root.iter():
        if element.tag == f"{{{SVG}}}text" and inside(element, cells):
            continue
        for name in ("fill", "stroke"):
            role = GREYS.get(element.get(name, "").lower())
            if role:
                element.set(name, f"var(--picture-{role}, {element.get(name)})")
        if element.tag == f"{{{SVG}}}text" and element.get("fill") is None:
            element.set("fill", "var(--picture-ink, #000000)")
    root.set("role", "img")
    root.set("aria-label", words)
    drawn = re.sub(r"\s*\n\s*", " ", ElementTree.tostring(root, encoding="unicode"))
    return (f'<figure class="picture">{drawn}'
            f"<figcaption>{html.escape(words)}</figcaption></figure>")


def box(element) -> tuple[float, float, float, float]:
    x, y = (float(element.get(name, 0)) for name in ("x", "y"))
    return x, y, x + float(element.get("width", 0)), y + float(element.get("height", 0))


def inside(text, cells) -> bool:
    x, y = (float(text.get(name, 0).split()[0]) if text.get(name) else 0.0 for name in ("x", "y"))
    return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in cells)
