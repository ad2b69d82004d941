"""A picture of docs/pictures as inlined in a page of the site: its greys and its text colours are
variables of the style sheet, so that it follows the light or dark theme; its data colours stay."""

from __future__ import annotations

import base64
import html
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from tools.book import film, legible

SVG = "http://www.w3.org/2000/svg"
GREYS = {
    "#ffffff": "paper", "white": "paper",
    "#222222": "ink", "#000000": "ink", "#444444": "ink",
    "#555555": "soft", "#666666": "soft", "#767676": "soft", "#646a73": "soft",
    "#888888": "axis", "#8899aa": "axis",
    "#e4e4e4": "grid", "#dfe3e7": "grid", "#d0d0d0": "grid", "#c5ccd3": "grid",
    "#dcd7cc": "grid",
    "#eef2f7": "blue", "#f6f8fa": "blue", "#f6e8f5": "pink", "#fdf3dc": "sand",
}
INKS = {  # text colours, on the paper background
    "#2f63ad": "blue-ink", "#c25403": "orange-ink", "#c00000": "red-ink", "#17706c": "teal-ink",
    "#21918c": "teal-ink", "#94740f": "gold-ink",
}

ElementTree.register_namespace("", SVG)


def figure(path: Path, words: str, chapters: dict[str, str] | None = None) -> str:
    """The picture with `words` below it, as HTML; text on a coloured cell keeps its colour.
    Elements with a `data-chapter` become links; `chapters` has the address of each."""
    if path.suffix == ".png":
        return film_figure(path, words)
    source = path.read_text(encoding="utf-8")
    root = ElementTree.fromstring(source)
    cells = [box(element) for element in root.iter(f"{{{SVG}}}rect")
             if element.get("fill", "none").lower() not in {*GREYS, "none"}
             and float(element.get("fill-opacity", 1)) > 0.5
             and "%" not in element.get("width", "")]
    for element in root.iter():
        is_text = element.tag == f"{{{SVG}}}text"
        if is_text and inside(element, cells):
            continue
        roles = {**GREYS, **INKS} if is_text else GREYS
        for name in ("fill", "stroke"):
            role = roles.get(element.get(name, "").lower())
            if role:
                element.set(name, f"var(--picture-{role}, {element.get(name)})")
        if is_text and element.get("fill") is None:
            element.set("fill", "var(--picture-ink, #000000)")
    boxes = [element for element in root.iter() if element.get("data-chapter") in (chapters or {})]
    for element in boxes:
        element.tag = f"{{{SVG}}}a"
        element.set("href", chapters[element.get("data-chapter")])
    root.set("role", "group" if boxes else "img")
    root.set("aria-label", words)
    on_page = legible.least_width(source, legible.LEAST_ON_A_PAGE)
    root.set("style", f"min-width: {legible.least_width(source)}px; --on-page: {on_page}px")
    drawn = re.sub(r"\s*\n\s*", " ", ElementTree.tostring(root, encoding="unicode"))
    return (f'<figure class="picture"><div class="frame">{drawn}</div>'
            f"<figcaption>{html.escape(words)}</figcaption></figure>")


def film_figure(path: Path, words: str) -> str:
    """A moving picture; for readers who prefer reduced motion, its first moment alone."""
    moving = path.read_bytes()
    data = [f"data:image/png;base64,{base64.b64encode(each).decode()}"
            for each in (moving, film.still(moving))]
    said = html.escape(words)
    return ('<figure class="picture"><picture><source media="(prefers-reduced-motion: reduce)" '
            f'srcset="{data[1]}"><img src="{data[0]}" alt="{said}" style="max-width: 100%">'
            f"</picture><figcaption>{said}</figcaption></figure>")


def box(element) -> tuple[float, float, float, float]:
    x, y = (float(element.get(name, 0)) for name in ("x", "y"))
    return x, y, x + float(element.get("width", 0)), y + float(element.get("height", 0))


def inside(text, cells) -> bool:
    x, y = (float(text.get(name, 0).split()[0]) if text.get(name) else 0.0 for name in ("x", "y"))
    return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in cells)
