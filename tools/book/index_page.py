"""out/index.html: the start page. A card for each chapter, with its question, its best picture,
what its lesson found, how many exercises pass, and links: to the page, to the interactive pages,
and to out/NN_name/index.html, which has everything that the lesson showed."""

from __future__ import annotations

import functools
import html
import os
import re
from pathlib import Path
from urllib.parse import quote

from tools import catalogue
from tools.book import legible, plain_pages
from tools.book.cells import in_cells
from tools.exercises import manifest
from tools.language import words
from tools.terminal import OUT, ROOT, write_file

COLUMN = 570  # pixels: a picture that needs more gets the full page width
LANGUAGES = ("en", "zh")
CAPTIONS = Path(__file__).with_name("captions.po")
WAY_TO_LIVE = re.compile("<!-- live -->.*<!-- /live -->")
WAY_TO_MINE = re.compile("<!-- mine -->.*<!-- /mine -->")
WAY_TO_PAGE = re.compile(r"\b(?:pages|site)/(en|zh)/(\w+)\.html")
# The picture on a chapter's card, from its lesson or its page, and how the finding below it begins.
BEST = {
    "00_foundations": ("rates.svg", "The rate decides"),
    "01_embedding": ("clock_hands.svg", "PE(pos + k) = R_k PE(pos)"),
    "02_attention": ("alignment.svg", "A recurrent translator"),
    "03_layer_norm": ("gradient_by_depth.svg", "Top layer's gradient"),
    "04_feed_forward": ("hidden_unit.svg", "Error on products"),
    "05_encoder": ("attention.svg", "Trained to mirror sentences"),
    "06_decoder": ("influence.svg", "Change the future"),
    "07_transformer": ("attention_cross.svg", "In training, one head's weight"),
    "08_transformer_xl": ("memory.svg", "Beyond the segment"),
    "09_since_2017": ("ablation.svg", "Rotary positions"),
    "10_speed": ("roofline.svg", ""),
    "11_gpu": ("tile.svg", ""),
    "12_many_machines": ("ring.svg", "Few numbers are added fastest"),
}
LEAD = ("{number}, run in {seconds} s on this machine. Go through the chapters in order. Read the "
        "page, look at what the lesson showed, then do the exercises.")
LIVE = ("Try it: a translator and training runs, right in this page, powered by the chapters' own "
        "C++")
EXPLORER = "Explore it: the attention of the model that was just trained, every layer and head"
TRACE = ("Step through it: every operation, forward and backward, with its numbers and its line of "
         "code")

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
h2 { font-size: 1.3rem; margin: 0; }
.page { max-width: 52rem; }
.page img { max-width: 100%; background: #fff; }
.page table { border-collapse: collapse; }
.page td, .page th { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; }
.page .frame { overflow-x: auto; }
.cards { display: grid; gap: 1.2rem; margin-top: 1.2rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); }
.card { display: flex; flex-direction: column; gap: .6rem; padding: 1rem;
  border: 1px solid var(--line); border-radius: .7rem; }
.card .picture { display: block; background: #fff; border-radius: .4rem; padding: .4rem; }
.card img { display: block; width: 100%; max-height: 13rem; object-fit: contain; }
.card p { margin: 0; }
h2 small { white-space: nowrap; }
.card .found { border-left: 3px solid var(--mark); padding-left: .6rem; overflow-wrap: anywhere; }
.ways { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin-top: auto; }
.done { display: flex; align-items: center; gap: .6rem; color: var(--soft); font-size: .9rem; }
progress { accent-color: var(--mark); width: 7rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .3rem; }
.own { display: flex; flex-wrap: wrap; gap: 2rem; }
.own svg { max-width: 100%; height: auto; }
.own code, .own .ids > * { white-space: nowrap; }
h2 small, .soft { color: var(--soft); font-weight: normal; font-size: .9rem; }
header { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--line);
  border-radius: 999px; padding: .25rem .9rem; cursor: pointer; align-self: start; }
a { color: var(--mark); }
.question { font-size: 1.05rem; }
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
"""


def write(lessons, names: list[str]) -> Path:
    """Writes the page for these chapters, some of which have a lesson that ran, and the pages that
    it links to. Returns its path."""
    OUT.mkdir(exist_ok=True)
    page = OUT / "index.html"
    plain_pages.write_all(OUT / "pages", STYLE)
    for lesson in lessons:
        (OUT / lesson.name).mkdir(exist_ok=True)
        write_file(OUT / lesson.name / "index.html", whole_page(lesson))
    write_file(page, document(lessons, names))
    link_site()
    return page


def link_site() -> None:
    """Links these pages to the site and to the live page if those exist, whichever was made
    last."""
    live = OUT / "site" / "live" / "index.html"
    for page in (OUT / "index.html", *OUT.glob("[0-9][0-9]_*/index.html")):
        if page.exists():
            way = f'<a class="explorer" href="{link(live)}">{said(LIVE)} →</a>'
            way = f"<!-- live -->{way if live.exists() else ''}<!-- /live -->"
            text = page.read_text(encoding="utf-8")
            text = WAY_TO_PAGE.sub(lambda found: better_way(*found.groups()), text)
            write_file(page, WAY_TO_LIVE.sub(lambda _: way, text))


def link_mine(state: str) -> None:
    """Adds to out/index.html, if it exists, a link to out/mine/index.html with `state`."""
    page = OUT / "index.html"
    if page.exists():
        way = (f'<!-- mine --><p><a href="mine/index.html">{said("Your own Transformer")}</a>: '
               f"{state}</p><!-- /mine -->")
        text = page.read_text(encoding="utf-8")
        write_file(page, WAY_TO_MINE.sub(lambda _: way, text))


def better_way(language: str, name: str) -> str:
    there = (OUT / "site" / language / f"{name}.html").is_file()
    return f"{'site' if there else 'pages'}/{language}/{name}.html"


def document(lessons, names: list[str]) -> str:
    ran = {lesson.name: lesson for lesson in lessons}
    seconds = f"{sum(lesson.seconds for lesson in lessons):.0f}"
    lead = both((words(LEAD, False, number=number_of(lessons), seconds=seconds),
                 words(LEAD, True, number=len(lessons), seconds=seconds)))
    cards = "\n".join(card(name, ran.get(name)) for name in names)
    return framed("Transformer by Hand", "<h1>Transformer by Hand</h1>",
                  f'<p class="soft">{lead}</p>\n<!-- live --><!-- /live -->\n'
                  "<!-- mine --><!-- /mine -->\n"
                  f'<div class="cards">{cards}</div>')


def framed(name: str, heading: str, content: str) -> str:
    return (
        '<!doctype html>\n<html lang="en" data-lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(name)}</title>\n<style>{STYLE}</style></head>\n<body><main>\n"
        f'<header>{heading}<button type="button">中文</button></header>\n'
        f"{content}\n</main><script>{SCRIPT}</script></body></html>\n")


def number_of(lessons) -> str:
    return f"{len(lessons)} lesson" + ("" if len(lessons) == 1 else "s")


def both(texts: tuple[str, str]) -> str:
    """The text in both languages; the page shows one of them."""
    english, chinese = map(html.escape, texts)
    return f'<span lang="en">{english}</span><span lang="zh-CN">{chinese}</span>'


def said(english: str, **facts) -> str:
    return both((words(english, False, **facts), words(english, True, **facts)))


def title(name: str) -> str:
    """The heading of the chapter's page, or the name of the program if there is no page."""
    number, rest = name.split("_", 1)
    plain = f"{int(number)} {rest.replace('_', ' ')}"
    found = [re.match(r"# (.+)", page_text(name, language)) for language in LANGUAGES]
    return both((found[0][1], found[1][1])) if all(found) else html.escape(plain)


def page_text(name: str, language: str) -> str:
    page = ROOT / "docs" / language / f"{name}.md"
    return page.read_text(encoding="utf-8") if page.is_file() else ""


def card(name: str, lesson) -> str:
    """The card of a chapter, with the results of its lesson if there are any."""
    state, found = "", []
    if lesson:
        seconds = f"{lesson.seconds:.1f} s"
        state = f" <small>{seconds}</small>" if lesson.status == 0 else (
            f' <small class="failed">{said("failed")}</small>')
        words = html.escape(BEST.get(name, ("", ""))[1])
        found = ([text for text in lesson.findings if words in finding(name, text)]
                 or lesson.findings)[-1:]
    return "\n".join(filter(None, [
        f'<article class="card" id="{name}"><h2>{title(name)}{state}</h2>', question(name),
        best_picture(name, lesson),
        *(f'<p class="found">{finding(name, text)}</p>' for text in found),
        done(name), ways(name, lesson), "</article>"]))


def best_picture(name: str, lesson) -> str:
    """The most informative picture, from this run if it was drawn."""
    chosen = BEST.get(name, ("", ""))[0]
    drawn = OUT / name / chosen if chosen else None
    if lesson and drawn not in lesson.pictures:
        drawn = lesson.pictures[0] if lesson.pictures else None
    if drawn and drawn.is_file():
        texts, shown_in = sentence(drawn), f"{name}/index.html"
        return picture_of((link(drawn), link(drawn)), texts, shown_in if lesson else link(drawn))
    pages = [ROOT / "docs" / "pictures" / f"{name}_{chosen[:-4]}{kind}.svg"
             for kind in ("", ".zh")]
    if not pages[0].is_file():
        return ""
    pages[1] = pages[1] if pages[1].is_file() else pages[0]
    return picture_of((away(pages[0]), away(pages[1])), (name, name), "")


def picture_of(links: tuple[str, str], texts: tuple[str, str], leads_to: str) -> str:
    images = "".join(f'<img lang="{language}" src="{source}" alt="{html.escape(text)}">'
                     for language, source, text in zip(("en", "zh-CN"), links, texts))
    return f'<a class="picture" href="{leads_to}">{images}</a>' if leads_to else (
        f'<span class="picture">{images}</span>')


def done(name: str) -> str:
    """How many of the chapter's exercises pass in their current state."""
    its = exercises_of(name)
    if not its:
        return ""
    kept = manifest.progress()
    passed = sum(manifest.passes(one, kept) for one in its)
    return (f'<div class="done"><progress value="{passed}" max="{len(its)}"></progress>'
            f'{said("{passed} of {count} exercises pass", passed=passed, count=len(its))}</div>')


def ways(name: str, lesson) -> str:
    """Links to the page, to the interactive pages, and to everything that the lesson showed."""
    parts = []
    if all(page_text(name, language) for language in LANGUAGES):
        parts.append("".join(
            f'<a lang="{language}" href="pages/{language}/{name}.html">'
            f'{words("Read", language == "zh")}</a>' for language in LANGUAGES))
    for file, does in (("trace.html", "Step through"),
                       ("attention.html", "Explore its attention")):
        if (OUT / name / file).is_file():
            parts.append(f'<a href="{name}/{file}">{said(does)}</a>')
    if lesson:
        count = len(lesson.pictures)
        parts.append(f'<a href="{name}/index.html">'
                     f'{said("All it showed ({count} pictures)", count=count)}</a>')
    return f'<div class="ways">{"".join(parts)}</div>' if parts else ""


# ---- all that a lesson showed --------------------------------------------------------------------


def whole_page(lesson) -> str:
    """The page in the lesson's folder of out/, with out/ as the base of its links, as in
    out/index.html."""
    rows = "".join(f"<li>{finding(lesson.name, text)}</li>" for text in lesson.findings)
    parts = [f'<p><a href="index.html#{lesson.name}">← Transformer by Hand</a></p>',
             question(lesson.name), ways(lesson.name, None), explorer(OUT / lesson.name)]
    if rows:
        parts.append(f'<h3>{said("What to notice")}</h3><ul class="findings">{rows}</ul>')
    if lesson.pictures:
        parts.append(f'<h3>{said("Pictures")}</h3>{figures(lesson.pictures)}')
    parts += [exercises(lesson.name), output(lesson.text)]
    text = framed(lesson.name, f"<h1>{title(lesson.name)}</h1>", "\n".join(filter(None, parts)))
    return text.replace("<head>", '<head><base href="../">', 1)


def question(name: str) -> str:
    """The question that the chapter's page asks in bold."""
    asked = []
    for language in LANGUAGES:
        found = re.search(r"\*\*([^*]+[?？])\*\*", page_text(name, language))
        joint = " " if language == "en" else ""
        asked.append(joint.join(found[1].split("\n")) if found else "")
    return f'<p class="question">{both((asked[0], asked[1]))}</p>' if all(asked) else ""


def exercises(name: str) -> str:
    its = exercises_of(name)
    rows = "".join(f"<li>{one.id} {both((one.title, one.title_zh))} "
                   f"<code>./learn task {one.id}</code></li>" for one in its)
    heading = said("Exercises: {count}", count=len(its))
    return f'<h3>{heading}</h3><ul class="next">{rows}</ul>' if its else ""


def exercises_of(name: str) -> list[manifest.Exercise]:
    return [one for one in manifest.manifest() if one.id.startswith(name[:2] + "-")]


# ---- what was found, in both languages -----------------------------------------------------------


@functools.cache
def sayings(name: str) -> list[tuple[re.Pattern, re.Pattern, str, str]]:
    """The sentences that a lesson can print, as patterns in both languages with their templates;
    those with the most text first."""
    known = {}
    for po in (ROOT / "chapters" / name / "zh.po", ROOT / "common" / "zh.po"):
        known.update(catalogue.entries(po))
    pairs = sorted(((one, other) for one, other in known.items() if other),
                   key=lambda pair: -len(re.sub(r"\{\d?\}", "", pair[0])))
    return [(pattern(one), pattern(other), one, other) for one, other in pairs]


def places(text: str) -> list[str]:
    """The argument placeholders, {}, or {0} and {1}, as numbers."""
    found = re.findall(r"(?<!\{)\{(\d?)\}(?!\})", text)
    return [number or str(at) for at, number in enumerate(found)]


def pattern(text: str) -> re.Pattern:
    parts = re.split(r"(?<!\{)\{\d?\}(?!\})", text)
    return re.compile("(.+?)".join(re.escape(part.replace("{{", "{").replace("}}", "}"))
                                   for part in parts), re.S)


def finding(name: str, text: str) -> str:
    """The finding in both languages, whichever one the lesson printed it in."""
    for english, chinese, one, other in sayings(name):
        for found, mine, theirs in ((english.fullmatch(text), one, other),
                                    (chinese.fullmatch(text), other, one)):
            if found:
                values = dict(zip(places(mine), map(functools.partial(word, name), found.groups())))
                numbers = iter(places(theirs))
                turned = re.sub(r"(?<!\{)\{\d?\}(?!\})", lambda _: values[next(numbers)], theirs)
                turned = turned.replace("{{", "{").replace("}}", "}")
                return both((text, turned) if mine is one else (turned, text))
    return both((text, text))


def word(name: str, text: str) -> str:
    """Translates an argument that is itself a word of the lesson."""
    return next((other if text == one else one for _, _, one, other in sayings(name)
                 if text in (one, other)), text)


# ---- parts ---------------------------------------------------------------------------------------


def explorer(folder: Path) -> str:
    """The interactive pages that the lesson wrote."""
    found = [(folder / "attention.html", EXPLORER), (folder / "trace.html", TRACE)]
    return "".join(f'<a class="explorer" href="{link(page)}">{said(does)} →</a>'
                   for page, does in found if page.is_file())


def figures(found: list[Path]) -> str:
    cards = "".join(figure(path) for path in found)
    return f'<div class="pictures">{cards}</div>' if cards else ""


def figure(path: Path) -> str:
    """The picture; its frame scrolls where its text would otherwise become too small to read."""
    drawn = path.read_text(encoding="utf-8", errors="replace") if path.suffix == ".svg" else ""
    (width, height), least = legible.size(drawn), legible.least_width(drawn)
    size = f'width="{width}" height="{height}" style="min-width: {least}px" ' if width else ""
    wide = ' class="wide"' if least > COLUMN else ""
    return (f'<figure{wide}><a class="frame" href="{link(path)}"><img {size}'
            f'src="{link(path)}" alt="{html.escape(sentence(path)[0])}"></a>'
            f"<figcaption>{both(sentence(path))}{as_png(path)}</figcaption></figure>")


def as_png(path: Path) -> str:
    """A link to the PNG next to the picture of a large matrix."""
    png = path.with_suffix(".png")
    return f' <a href="{link(png)}">PNG</a>' if png != path and png.is_file() else ""


def sentence(path: Path) -> tuple[str, str]:
    """The caption of the picture, or its name if there is none."""
    name = path.relative_to(OUT).as_posix()
    return captions().get(name, (name, name))


@functools.cache
def captions() -> dict[str, tuple[str, str]]:
    """In both languages, by the picture's path."""
    return catalogue.named(CAPTIONS)


def output(text: str) -> str:
    lines = [html.escape(line) for line in text.splitlines()]
    marked = [f"<b>{line}</b>" if line.startswith("=&gt; ") else line for line in lines]
    return "<details><summary>{}</summary><pre>{}</pre></details>".format(
        said("everything the lesson printed"), in_cells("\n".join(marked)))


def link(path: Path) -> str:
    return quote(path.relative_to(OUT).as_posix())


def away(path: Path) -> str:
    """The link from the page to a file of the repository."""
    return quote(Path(os.path.relpath(path, OUT)).as_posix())
