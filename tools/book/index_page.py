"""out/index.html: the way in. Every lesson in order: its question, what to notice, its pictures
with a sentence each, the explorer of the model that was trained, the page and the exercises."""

from __future__ import annotations

import html
import os
import re
from pathlib import Path
from urllib.parse import quote

from tools.book import legible
from tools.book.cells import in_cells
from tools.book.index_words import PAGE, PICTURES
from tools.exercises import manifest
from tools.language import words
from tools.terminal import OUT, ROOT, write_file

PICTURES_OPEN = 8  # more than these are folded away behind a click
COLUMN = 570  # pixels: a picture that needs more than this has the whole width of the page
LANGUAGES = ("en", "zh")
WAY_TO_LIVE = re.compile("<!-- live -->.*<!-- /live -->")

STYLE = """
:root { color-scheme: light dark; --paper: #fdfcf9; --ink: #22262b; --soft: #646a73;
  --line: #e2ded5; --code: #f4f1ea; --mark: #7a2ff0; --find: #efe7fd; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181c; --ink: #e4e6e9; --soft: #9aa1aa;
  --line: #2f343b; --code: #1e2126; --mark: #b88cff; --find: #2a2240; } }
* { box-sizing: border-box; }
[data-lang="en"] :lang(zh), [data-lang="zh"] :lang(en) { display: none; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei",
  "WenQuanYi Zen Hei", sans-serif; }
main { max-width: 78rem; margin: 0 auto; padding: 2rem 1.25rem 5rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.45rem; margin: 0; display: inline; }
.chapter { margin: 1rem 0; padding-top: .6rem; border-top: 1px solid var(--line); }
.chapter > summary { color: inherit; }
h3 { font-size: 1rem; margin: 1.6rem 0 .3rem; }
h2 small, .soft { color: var(--soft); font-weight: normal; font-size: .9rem; }
header { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--line);
  border-radius: 999px; padding: .25rem .9rem; cursor: pointer; align-self: start; }
nav { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1.4rem 0; }
a { color: var(--mark); }
nav a { padding: .25rem .7rem; border: 1px solid var(--line); border-radius: 999px;
  text-decoration: none; }
.question { display: block; font-size: 1.15rem; margin: .2rem 0 .2rem 1.1rem; max-width: 48rem; }
ul.findings { list-style: none; margin: .4rem 0; padding: 0; }
ul.findings li { background: var(--find); border-left: 3px solid var(--mark);
  padding: .35rem .8rem; margin: .3rem 0; border-radius: 0 .35rem .35rem 0;
  overflow-wrap: anywhere; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem;
  padding: 1rem; overflow-x: auto; font: .82rem/1.45 ui-monospace, "DejaVu Sans Mono",
  "Noto Sans Mono CJK SC", Menlo, Consolas, monospace; }
pre b { color: var(--mark); }
pre .wide { display: inline-block; width: 2ch; text-align: center; }
summary { cursor: pointer; color: var(--soft); margin: .8rem 0; }
.pictures { display: grid; gap: 1rem; align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 34rem), 1fr)); }
figure { margin: 0; background: #fff; border: 1px solid var(--line); border-radius: .5rem;
  overflow: hidden; }
figure.wide { grid-column: 1 / -1; }
figure .frame { display: block; overflow-x: auto; padding: .5rem; }
figure img { display: block; margin: auto; max-width: 100%; height: auto; }
figcaption { padding: .6rem .8rem; background: var(--code); color: var(--ink);
  border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.explorer { display: block; margin: 1rem 0; padding: .9rem 1.1rem; border-radius: .6rem;
  background: var(--mark); color: var(--paper); text-decoration: none; font-weight: 600; }
.next { columns: 22rem; padding-left: 1.2rem; }
.failed { color: #d1242f; }
"""

SCRIPT = """
const page = document.documentElement, button = document.querySelector('button');
function speak(language) {
  page.dataset.lang = language;
  page.lang = language === 'zh' ? 'zh-CN' : 'en';
  button.textContent = language === 'zh' ? 'English' : '中文';
}
button.addEventListener('click', () => speak(page.dataset.lang === 'zh' ? 'en' : 'zh'));
speak((navigator.language || '').startsWith('zh') ? 'zh' : 'en');
const chapters = document.querySelectorAll('details.chapter');
function open_one() {
  const one = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (one) { one.closest('details').open = true; one.scrollIntoView(); }
}
addEventListener('hashchange', open_one);
addEventListener('beforeprint', () => chapters.forEach((one) => { one.open = true; }));
open_one();
"""


def write(lessons) -> Path:
    """Writes the page for the lessons that ran and returns its path."""
    OUT.mkdir(exist_ok=True)
    page = OUT / "index.html"
    write_file(page, document(lessons))
    link_live()
    return page


def link_live() -> None:
    """Links this page to the live page, if there is one: whichever is made later does it."""
    page, live = OUT / "index.html", OUT / "site" / "live" / "index.html"
    if page.exists():
        way = f'<a class="explorer" href="{link(live)}">{said(PAGE["live"])} →</a>'
        way = f"<!-- live -->{way if live.exists() else ''}<!-- /live -->"
        text = page.read_text(encoding="utf-8")
        write_file(page, WAY_TO_LIVE.sub(lambda _: way, text))


def document(lessons) -> str:
    links = "".join(f'<a href="#{lesson.name}">{title(lesson.name)}</a>' for lesson in lessons)
    seconds = f"{sum(lesson.seconds for lesson in lessons):.0f}"
    lead = both((words(PAGE["lead"], False, number=number_of(lessons), seconds=seconds),
                 words(PAGE["lead"], True, number=len(lessons), seconds=seconds)))
    return (
        '<!doctype html>\n<html lang="en" data-lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Transformer by Hand</title>\n<style>{STYLE}</style></head>\n<body><main>\n"
        '<header><h1>Transformer by Hand</h1><button type="button">中文</button></header>\n'
        f'<p class="soft">{lead}</p>\n'
        f"<!-- live --><!-- /live --><nav>{links}</nav>\n" + "\n".join(
            section(lesson, len(lessons) == 1) for lesson in lessons) +
        f"\n</main><script>{SCRIPT}</script></body></html>\n")


def number_of(lessons) -> str:
    return f"{len(lessons)} lesson" + ("" if len(lessons) == 1 else "s")


def both(texts: tuple[str, str]) -> str:
    """The text in both languages, of which the page shows one."""
    english, chinese = map(html.escape, texts)
    return f'<span lang="en">{english}</span><span lang="zh-CN">{chinese}</span>'


def said(english: str, **facts) -> str:
    return both((words(english, False, **facts), words(english, True, **facts)))


def title(name: str) -> str:
    """The heading of the chapter's page; the name of the program where there is no page."""
    number, rest = name.split("_", 1)
    plain = f"{int(number)} {rest.replace('_', ' ')}"
    found = [re.match(r"# (.+)", page_text(name, language)) for language in LANGUAGES]
    return both((found[0][1], found[1][1])) if all(found) else html.escape(plain)


def page_text(name: str, language: str) -> str:
    page = ROOT / "docs" / language / f"{name}.md"
    return page.read_text(encoding="utf-8") if page.is_file() else ""


def section(lesson, is_open: bool) -> str:
    """A chapter, folded below its heading and its question unless it is the only one."""
    folder = OUT / lesson.name
    state = f'{lesson.seconds:.1f} s' if lesson.status == 0 else (
        f'<span class="failed">{said(PAGE["failed"])}</span>')
    parts = [f'<details class="chapter"{" open" if is_open else ""}><summary>'
             f'<h2 id="{lesson.name}">{title(lesson.name)} <small>{state}</small></h2>',
             question(lesson.name), "</summary>", way_on(lesson.name), explorer(folder)]
    if lesson.findings:
        rows = "".join(f"<li>{html.escape(text)}</li>" for text in lesson.findings)
        parts.append(f'<h3>{said(PAGE["findings"])}</h3><ul class="findings">{rows}</ul>')
    parts += [gallery(lesson.pictures), output(lesson.text), "</details>"]
    return "\n".join(part for part in parts if part)


def question(name: str) -> str:
    """The question that the chapter's page asks in bold."""
    asked = []
    for language in LANGUAGES:
        found = re.search(r"\*\*([^*]+[?？])\*\*", page_text(name, language))
        joint = " " if language == "en" else ""
        asked.append(joint.join(found[1].split("\n")) if found else "")
    return f'<span class="question">{both((asked[0], asked[1]))}</span>' if all(asked) else ""


def way_on(name: str) -> str:
    """Links to the chapter's page and to its exercises."""
    parts = []
    pages = [ROOT / "docs" / language / f"{name}.md" for language in LANGUAGES]
    if all(page.is_file() for page in pages):
        parts.append("".join(
            f'<a lang="{language}" href="{away(page)}">{words(PAGE["page"], language == "zh")}</a>'
            for language, page in zip(LANGUAGES, pages)))
    mine = [one for one in manifest.manifest() if one.id.startswith(name[:2] + "-")]
    if mine:
        rows = "".join(f"<li>{exercise(one)}</li>" for one in mine)
        count = said(PAGE["exercises"], count=len(mine))
        parts.append(f'<details><summary>{count}</summary>'
                     f'<ul class="next">{rows}</ul></details>')
    return f'<div>{"".join(parts)}</div>' if parts else ""


def exercise(one) -> str:
    names = zip(LANGUAGES, (False, True), (one.title, one.title_zh))
    links = "".join(f'<a lang="{language}" href="{away(one.task(zh))}">{html.escape(text)}</a>'
                    for language, zh, text in names)
    return f"{one.id} {links} <code>./learn try {one.id}</code>"


def explorer(folder: Path) -> str:
    """The interactive pages that the lesson wrote."""
    found = [(folder / "attention.html", "explorer"), (folder / "trace.html", "trace")]
    return "".join(f'<a class="explorer" href="{link(page)}">{said(PAGE[key])} →</a>'
                   for page, key in found if page.is_file())


def gallery(found: list[Path]) -> str:
    """The pictures, each with a sentence; a long row is folded."""
    first, rest = found[:PICTURES_OPEN], found[PICTURES_OPEN:]
    text = f'<h3>{said(PAGE["pictures"])}</h3>{figures(first)}' if first else ""
    if rest:
        count = said(PAGE["more"], count=len(rest))
        text += f"<details><summary>{count}</summary>{figures(rest)}</details>"
    return text


def figures(found: list[Path]) -> str:
    cards = "".join(figure(path) for path in found)
    return f'<div class="pictures">{cards}</div>' if cards else ""


def figure(path: Path) -> str:
    """The picture, scrolled in its frame where its words would become too small to read."""
    drawn = path.read_text(encoding="utf-8", errors="replace") if path.suffix == ".svg" else ""
    (width, height), least = legible.size(drawn), legible.least_width(drawn)
    size = f'width="{width}" height="{height}" style="min-width: {least}px" ' if width else ""
    wide = ' class="wide"' if least > COLUMN else ""
    return (f'<figure{wide}><a class="frame" href="{link(path)}"><img {size}'
            f'src="{link(path)}" alt="{html.escape(sentence(path)[0])}"></a>'
            f"<figcaption>{both(sentence(path))}{as_png(path)}</figcaption></figure>")


def as_png(path: Path) -> str:
    """A link to the PNG that stands beside the picture of a large matrix."""
    png = path.with_suffix(".png")
    return f' <a href="{link(png)}">PNG</a>' if png != path and png.is_file() else ""


def sentence(path: Path) -> tuple[str, str]:
    """What the picture shows; its name where nothing is known of it."""
    name = path.relative_to(OUT).as_posix()
    text = PICTURES.get(name, name)
    return text, words(text, True)


def output(text: str) -> str:
    lines = [html.escape(line) for line in text.splitlines()]
    marked = [f"<b>{line}</b>" if line.startswith("=&gt; ") else line for line in lines]
    return "<details><summary>{}</summary><pre>{}</pre></details>".format(
        said(PAGE["output"]), in_cells("\n".join(marked)))


def link(path: Path) -> str:
    return quote(path.relative_to(OUT).as_posix())


def away(path: Path) -> str:
    """From the page to a file of the repository."""
    return quote(Path(os.path.relpath(path, OUT)).as_posix())
