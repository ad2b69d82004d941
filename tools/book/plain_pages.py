"""The chapters' pages next to out/index.html, for a browser, if the site was not made: without
Sphinx, with formulas in one line each, as `./learn task` shows them."""

from __future__ import annotations

import html
import os
import re
from pathlib import Path
from urllib.parse import quote

from tools.book.cells import in_cells
from tools.book.page_sources import anchor_of
from tools.exercises.task_text import blocks, formula, joined
from tools.terminal import OUT, ROOT, write_file

LANGUAGES = ("en", "zh")
KEPT = re.compile(r"</?(?:details|summary|sub|sup|br|b|i|em|strong|kbd)>")
CELL = re.compile(r"(?<!\\)\|")


def write_all(place: Path, style: str) -> None:
    """All pages in both languages, in subfolders of this folder."""
    for language in LANGUAGES:
        folder = place / language
        folder.mkdir(parents=True, exist_ok=True)
        for page in sorted((ROOT / "docs" / language).glob("*.md")):
            write_file(folder / f"{page.stem}.html", document(page, language, style))


def document(page: Path, language: str, style: str) -> str:
    text = page.read_text(encoding="utf-8")
    name = html.escape(re.match(r"# (.+)", text)[1])
    return (f'<!doctype html>\n<html lang="{"zh-CN" if language == "zh" else "en"}"><head>'
            '<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{name}</title>\n<style>{style}</style></head>\n"
            f'<body><main class="page">{body(text, page)}</main></body></html>\n')


def body(text: str, page: Path) -> str:
    """The page's Markdown as HTML. Comments are dropped: only scripts use them."""
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
    text = re.sub(r"^ +(?=```)", "", text, flags=re.M)
    parts, in_list = [], False
    for kind, lines in blocks(text):
        if (kind == "item") != in_list:
            in_list = kind == "item"
            parts.append("<ul>" if in_list else "</ul>")
        parts.append(block(kind, lines, page))
    return "\n".join([*parts, "</ul>" if in_list else ""])


def block(kind: str, lines: list[str], page: Path) -> str:
    if kind == "code":
        return f"<pre>{in_cells(html.escape(chr(10).join(lines)))}</pre>"
    if kind == "math":
        return f'<pre class="math">{html.escape(chr(10).join(formula(" ".join(lines))))}</pre>'
    if kind == "table":
        rows = [[inline(cell.strip(), page) for cell in CELL.split(line.strip()[1:-1])]
                for line in lines if not re.fullmatch(r"[|:\- ]+", line)]
        return '<div class="frame"><table>' + "".join(
            "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in row) + "</tr>"
            for row, tag in zip(rows, ["th"] + ["td"] * len(rows))) + "</table></div>"
    if kind == "heading":
        level = len(lines[0]) - len(lines[0].lstrip("#"))
        words = lines[0].lstrip("# ")
        rest = joined(lines[1:]) if lines[1:] else ""
        return (f'<h{level} id="{anchor_of(words)}">{inline(words, page)}</h{level}>'
                + (f"<p>{inline(rest, page)}</p>" if rest else ""))
    if kind == "item":
        return f"<li>{inline(re.sub(r'^(- |[0-9][.] )', '', joined(lines)), page)}</li>"
    return f"<p>{inline(joined(lines), page)}</p>"


def inline(text: str, page: Path) -> str:
    """Code and formulas are set aside first, as nothing in them is Markdown syntax."""
    aside: list[str] = []

    def put(what: str) -> str:
        aside.append(what)
        return f"\ue000{len(aside) - 1}\ue001"

    text = re.sub(r"\$`(.+?)`\$", lambda m: put(
        f"<i>{html.escape('  '.join(formula(m[1])))}</i>"), text)
    text = re.sub(r"`([^`]+)`", lambda m: put(f"<code>{html.escape(m[1])}</code>"), text)
    text = KEPT.sub(lambda m: put(m[0]), text)
    text = html.escape(re.sub(r"\\([\\`*_{}\[\]<>#|~$])", r"\1", text))
    text = re.sub(r"!\[([^\]]*)\]\(([^)]+)\)", lambda m: put(
        f'<img src="{address(m[2], page)}" alt="{m[1]}">'), text)
    text = re.sub(r"\[([^\]]+)\]\(([^)]+)\)", lambda m: put(
        f'<a href="{address(m[2], page)}">') + m[1] + put("</a>"), text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?!\w)", r"<em>\1</em>", text)
    while "\ue000" in text:
        text = re.sub("\ue000(\\d+)\ue001", lambda m: aside[int(m[1])], text)
    return text


def address(link: str, page: Path) -> str:
    """The HTML of a page that exists here, or else the file in the checkout."""
    if re.match(r"\w+:", link) or link.startswith("#"):
        return link
    path, hash_sign, anchor = html.unescape(link).partition("#")
    target = (page.parent / path).resolve()
    docs = ROOT / "docs"
    if target.suffix == ".md" and target.parent.parent == docs and target.parent.name in LANGUAGES:
        path = f"../{target.parent.name}/{target.stem}.html"
    else:
        path = os.path.relpath(target, OUT / "pages" / page.parent.name)
    return quote(path) + hash_sign + quote(anchor)
