"""Writes each source file that the pages link to as a page: python sources.py ROOT TARGET, with
{"files": names relative to ROOT, "changed": those whose page is missing or outdated} as JSON on
standard input. A folder's page lists its contents."""

import html
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

SHOWN = 400_000  # characters shown of a file; logs may be longer

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title><link rel="stylesheet" href="{up}sources.css">
<script>
document.documentElement.dataset.theme = localStorage.getItem("theme") || "auto";
</script>
</head><body><h1>{path}</h1>{body}</body></html>
"""
STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 sans-serif; }
body { max-width: 70rem; margin: 1rem auto; padding: 0 1rem; }
h1 { font-size: 1.1rem; font-weight: normal; }
h1 a, li a { color: #1f6f6b; text-decoration: none; }
.highlight { overflow-x: auto; border: 1px solid #8884; border-radius: 4px; padding: 0 0.8rem; }
.highlight pre { font-size: 0.85rem; line-height: 1.45; }
.highlight .linenos { opacity: 0.45; padding-right: 1em; user-select: none; color: inherit; }
"""


def parents(name: str) -> str:
    """The path, with each folder as a link, for getting from a file to its neighbours."""
    parts = name.split("/")
    up = "../" * (len(parts) - 1)
    links = []
    for depth, part in enumerate(parts[:-1], 1):
        folder = up + "/".join(parts[:depth])
        links.append(f'<a href="{html.escape(folder)}/index.html">{html.escape(part)}</a>')
    return " / ".join(links + [html.escape(parts[-1])])


def main() -> None:
    root, target = Path(sys.argv[1]), Path(sys.argv[2])
    asked = json.load(sys.stdin)
    files = {root / name for name in asked["files"]}
    folders = {parent for path in files for parent in path.parents if root in parent.parents}
    formatter = formatter_of_all()
    dark = HtmlFormatter(style="github-dark")
    target.mkdir(parents=True, exist_ok=True)
    (target / "sources.css").write_text(
        STYLE + formatter.get_style_defs(".highlight")
        + "\nhtml[data-theme=light] { color-scheme: light }\n"
        + "html[data-theme=dark] { color-scheme: dark }\n"
        + dark.get_style_defs("html[data-theme=dark] .highlight")
        + "\n@media (prefers-color-scheme: dark) {\n"
        + dark.get_style_defs("html[data-theme=auto] .highlight") + "\n}\n")
    with ProcessPoolExecutor() as pool:
        list(pool.map(write_source, repeat(root), repeat(target), asked["changed"], chunksize=16))
    for folder in sorted(folders):
        name = folder.relative_to(root).as_posix()
        inside = [child for child in sorted(folder.iterdir()) if child in files | folders]
        items = "".join('<li><a href="{0}">{1}</a></li>'.format(
            html.escape(child.name + ("/index.html" if child in folders else ".html")),
            html.escape(child.name + ("/" if child in folders else ""))) for child in inside)
        write(target, f"{name}/index.html", name, f"<ul>{items}</ul>")


def formatter_of_all() -> HtmlFormatter:
    return HtmlFormatter(linenos="inline", lineanchors="L", wrapcode=True)


def write_source(root: Path, target: Path, name: str) -> None:
    text = (root / name).read_text(encoding="utf-8", errors="replace")
    cut = text[:SHOWN] + ("\n…\n" if len(text) > SHOWN else "")
    write(target, f"{name}.html", name, highlight(cut, lexer_of(root / name), formatter_of_all()))


def lexer_of(path: Path):
    try:
        return get_lexer_for_filename("x.cpp" if path.suffix == ".cu" else path.name)
    except ClassNotFound:
        return TextLexer()


def write(target: Path, page: str, name: str, body: str) -> None:
    path = target / page
    path.parent.mkdir(parents=True, exist_ok=True)
    depth = page.count("/")
    links = parents(name + "/index" if page.endswith("/index.html") else name)
    path.write_text(PAGE.format(name=html.escape(name), up="../" * depth, body=body,
                                path=links.removesuffix(" / index")), encoding="utf-8")


if __name__ == "__main__":
    main()
