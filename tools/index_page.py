"""out/index.html: every lesson's text and pictures on one page."""

from __future__ import annotations

import html
from pathlib import Path
from urllib.parse import quote

from tools.terminal import OUT

PICTURES_OPEN = 8  # more than these are folded away behind a click

STYLE = """
:root { color-scheme: light dark; --paper: #fdfcf9; --ink: #22262b; --soft: #6a7078;
  --line: #e2ded5; --code: #f4f1ea; --mark: #8a3ffc; --find: #efe7fd; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181c; --ink: #e4e6e9; --soft: #9aa1aa;
  --line: #2f343b; --code: #1e2126; --mark: #b88cff; --find: #2a2240; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.35rem; margin: 3.2rem 0 .6rem; padding-top: 1.2rem;
  border-top: 1px solid var(--line); }
h2 small, .soft { color: var(--soft); font-weight: normal; font-size: .9rem; }
nav { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1.4rem 0; }
a { color: var(--mark); }
nav a { padding: .25rem .7rem; border: 1px solid var(--line); border-radius: 999px;
  text-decoration: none; }
ul.findings { list-style: none; margin: .8rem 0; padding: 0; }
ul.findings li { background: var(--find); border-left: 3px solid var(--mark);
  padding: .35rem .8rem; margin: .3rem 0; border-radius: 0 .35rem .35rem 0;
  overflow-wrap: anywhere; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem;
  padding: 1rem; overflow-x: auto; font: .82rem/1.45 ui-monospace, "DejaVu Sans Mono",
  "Noto Sans Mono CJK SC", Menlo, Consolas, monospace; }
pre b { color: var(--mark); }
summary { cursor: pointer; color: var(--soft); margin: .8rem 0; }
.pictures { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
figure { margin: 0; background: #fff; border: 1px solid var(--line); border-radius: .5rem;
  overflow: hidden; }
figure img { display: block; width: 100%; height: auto; }
figcaption { padding: .4rem .7rem; font-size: .8rem; background: var(--code);
  color: var(--soft); overflow-wrap: anywhere; }
.failed { color: #d1242f; }
"""


def write(lessons) -> Path:
    """Writes the page for the lessons that ran and returns its path."""
    OUT.mkdir(exist_ok=True)
    page = OUT / "index.html"
    page.write_text(document(lessons), encoding="utf-8")
    return page


def document(lessons) -> str:
    links = "".join(f'<a href="#{lesson.name}">{title(lesson.name)}</a>' for lesson in lessons)
    seconds = sum(lesson.seconds for lesson in lessons)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Transformer by Hand</title>\n<style>{STYLE}</style></head>\n<body><main>\n"
        "<h1>Transformer by Hand</h1>\n"
        f'<p class="soft">{number_of(lessons)}, run in {seconds:.0f} s on this machine. '
        "Marked lines are what each lesson showed.</p>\n"
        f"<nav>{links}</nav>\n" + "\n".join(section(lesson) for lesson in lessons) +
        "\n</main></body></html>\n")


def number_of(lessons) -> str:
    return f"{len(lessons)} lesson" + ("" if len(lessons) == 1 else "s")


def title(name: str) -> str:
    number, words = name.split("_", 1)
    return f"{int(number)} {html.escape(words.replace('_', ' '))}"


def section(lesson) -> str:
    folder = OUT / lesson.name
    state = f'{lesson.seconds:.1f} s' if lesson.status == 0 else (
        '<span class="failed">failed</span>')
    parts = [f'<section><h2 id="{lesson.name}">{title(lesson.name)} <small>{state}</small></h2>']
    if lesson.findings:
        rows = "".join(f"<li>{html.escape(text)}</li>" for text in lesson.findings)
        parts.append(f'<ul class="findings">{rows}</ul>')
    parts += [gallery(lesson.pictures), pages(folder), output(lesson.text), "</section>"]
    return "\n".join(part for part in parts if part)


def gallery(found: list[Path]) -> str:
    """The pictures, each with its file name; a long row is folded."""
    first, rest = found[:PICTURES_OPEN], found[PICTURES_OPEN:]
    text = figures(first)
    if rest:
        text += f"<details><summary>{len(rest)} more pictures</summary>{figures(rest)}</details>"
    return text


def figures(found: list[Path]) -> str:
    cards = "".join(
        f'<figure><a href="{link(path)}"><img loading="lazy" src="{link(path)}" '
        f'alt="{caption(path)}"></a><figcaption>{caption(path)}</figcaption></figure>'
        for path in found)
    return f'<div class="pictures">{cards}</div>' if cards else ""


def pages(folder: Path) -> str:
    links = ", ".join(f'<a href="{link(path)}">{caption(path)}</a>'
                      for path in sorted(folder.rglob("*.html")))
    return f"<p>Interactive: {links}</p>" if links else ""


def output(text: str) -> str:
    lines = [html.escape(line) for line in text.splitlines()]
    marked = [f"<b>{line}</b>" if line.startswith("=&gt; ") else line for line in lines]
    return "<details open><summary>the lesson's output</summary><pre>{}</pre></details>".format(
        "\n".join(marked))


def link(path: Path) -> str:
    return quote(path.relative_to(OUT).as_posix())


def caption(path: Path) -> str:
    return html.escape(path.relative_to(OUT).as_posix().split("/", 1)[1])
