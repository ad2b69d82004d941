"""`./learn teach slides`: the slides of the ten weeks, made from the pages; a part of the site.

What is seen on a page (a formula, a picture, code, output, a table) is a slide, with the sentence
that leads to it; the text before it is the speaker's notes. A part with nothing to see gives the
first sentence of each paragraph, and its question in bold type; the goals of the week are a slide
of their own. What a page folds, such as the solution of an exercise, is on no slide: there the
paragraph before it stands alone. Sphinx lays them out as it does the site, and reveal.js shows
them."""

from __future__ import annotations

import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tools import setup
from tools.book import site, steps
from tools.exercises.task_text import formula, joined, linked
from tools.language import tell, words
from tools.teaching import lab
from tools.teaching.weeks import WEEKS, title_of
from tools.terminal import OUT, ROOT, Doing, Stop, shown

SLIDES = OUT / "slides"
LEFT_OUT = ("## Exercises", "## Where it comes from")  # which are there to be read

HEADING = re.compile(r"^(#{2,3}) (.*)$")
FENCE = re.compile(r"^(```+)(\w*)$")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]+\)")
KEPT_WHOLE = re.compile(r"\*\*.+?\*\*|\$`[^`]*`\$|`[^`]*`|\b(?:e\.g|i\.e|vs)\.", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z\"*\0])|(?<=[。？！])")
BOLD_START = re.compile(r"\*\*[^*]+[.?!。？！]\*\*")
REFERS_BACK = re.compile(  # to the sentence before
    r"(?:Its?|These|Those|They|Their|That|And|So|Thus|Then|Even so|Each has|Of these|Both)\b"
    r"|This(?! (?:table|function|program|picture))\b|.*\b(?:these alone|they)\b"
    r"|[它这那](?!里|张|个函数|段程序|一层)|其中|于是|因此|所以|而且|也就是", re.DOTALL)
CONJUNCTION = re.compile(r"^(?:And|So|Thus)\s+|^(?:于是|因此|所以)，?")
FOR_NOTES = re.compile(
    r"\$`(?P<formula>[^`]+)`\$|`[^`]*`|"
    r"(?<!!)\[(?P<words>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^()\s]+)\)")
MOST_LINES = 30  # of code or output on one slide
MOST_POINTS = 7
GOALS = tuple(lab.GOALS.values())
LONGEST_LEAD = 280  # characters of what stands above something to see


@dataclass
class Slide:
    heading: str
    level: int  # 2: a part, to the right; 3: within it, downwards
    shown: str
    notes: list[str] = field(default_factory=list)


def sentences(paragraph: str) -> list[str]:
    """Cut at full stops, not within a formula, code or bold type: a bold lead-in stays with the
    sentence after it."""
    kept: list[str] = []
    text = KEPT_WHOLE.sub(lambda m: kept.append(m[0]) or f"\0{len(kept) - 1}\0", paragraph)
    parts = [part.strip() for part in SENTENCE.split(text) if part.strip()]
    return [re.sub("\0(\\d+)\0", lambda m: kept[int(m[1])], part) for part in parts]


def without_links(text: str) -> str:
    return LINK.sub(r"\1", text)


def for_notes(text: str, zh: bool) -> str:
    """A paragraph for the speaker's notes, which know neither formulas nor links."""
    folder = ROOT / "docs" / ("zh" if zh else "en")

    def said(found: re.Match) -> str:
        if found["formula"]:
            return lab.plain("  ".join(formula(found["formula"])))
        if not found["target"]:
            return found[0]
        inside = FOR_NOTES.sub(said, found["words"])
        return inside if found["target"][0] == "#" else linked(inside, found["target"], folder)

    return FOR_NOTES.sub(said, joined(text.splitlines()))


def blocks(lines: list[str]):
    """(kind, text): heading, math, code, picture, table, folded, or prose, a paragraph or a list's
    item."""
    at = 0
    while at < len(lines):
        line, first = lines[at], at
        fence = FENCE.match(line)
        if fence:
            at += 1
            while lines[at].rstrip() != fence[1]:
                at += 1
            at += 1
            kind = "math" if fence[2] == "math" else "code"
        elif HEADING.match(line):
            kind, at = "heading", at + 1
        elif line.startswith("!["):
            kind, at = "picture", at + 1
        elif line.startswith("<details>"):
            kind = "folded"
            while lines[at] != "</details>":
                at += 1
            at += 1
        elif line.startswith("|"):
            kind = "table"
            while at < len(lines) and lines[at].startswith("|"):
                at += 1
        elif not line.strip() or line.startswith(("<", "# ")):
            at += 1
            continue
        else:
            kind, at = "prose", at + 1
            while at < len(lines) and re.match(r"\s*[^\s<|`#!-]|\s*-[^ ]|\s*`[^`]", lines[at]):
                at += 1
        yield kind, "\n".join(lines[first:at])


def chosen(page: str, zh: bool, first: str, last: str) -> list[str]:
    """The lines of a page from one heading to another, without the parts that are left out."""
    english = (ROOT / "docs" / "en" / f"{page}.md").read_text(encoding="utf-8").splitlines()
    lines = english
    if zh:
        lines = (ROOT / "docs" / "zh" / f"{page}.md").read_text(encoding="utf-8").splitlines()
    names = headings(english)
    starts = [at for at, _ in names]
    places = [at for at, _ in headings(lines)]
    if len(places) != len(starts):
        raise Stop(f"docs/*/{page}.md: the two languages have other parts")
    titles = [title for _, title in names]
    begin = titles.index(first) if first else 0
    end = titles.index(last) if last else len(titles)
    kept = [] if first else [line for line in lines[:places[0]]
                             if not (site.LANGUAGES.match(line) or site.ARROWS.match(line))]
    for part in range(begin, end):
        if titles[part] not in LEFT_OUT:
            stop = places[part + 1] if part + 1 < len(places) else len(lines)
            kept += lines[places[part]:stop]
    return kept


def lines_of(week: int, zh: bool) -> list[str]:
    """What the slides of a week are made of. Where weeks share a page, each has its own goals, and
    one that begins in the middle of the page begins with them."""
    lines = chosen(WEEKS[week - 1][0], zh, *WEEKS[week - 1][1:])
    goals = [lab.GOALS[zh], "", *(f"- {goal}" for goal in lab.goals(week, zh)), ""]
    if lab.GOALS[zh] not in lines:
        return [f"## {title_of(week, zh)}", "", *goals, *lines]
    at = lines.index(lab.GOALS[zh])
    return lines[:at] + goals + lines[lines.index("", at + 2) + 1:]


def headings(lines: list[str]) -> list[tuple[int, str]]:
    found, fence = [], ""
    for at, line in enumerate(lines):
        if line.startswith("```"):
            fence = "" if fence else "```"
        elif not fence and HEADING.match(line):
            found.append((at, line))
    return found


def code_slides(code: str) -> list[str]:
    """Of a long block several, cut at an empty line where there is one in the lower half."""
    fence, *body, _end = code.splitlines()
    parts: list[str] = []
    while body:
        at = len(body)
        if at > MOST_LINES:
            empty = [i for i in range(MOST_LINES // 2, MOST_LINES) if not body[i].strip()]
            at = empty[-1] + 1 if empty else MOST_LINES
        parts.append("\n".join([f"```{{code-block}} {fence.lstrip('`') or 'text'}", "",
                                *body[:at], "```"]))
        body = body[at:]
    return parts


def lead_to(prose: list[str]) -> str:
    """The sentence that ends in a colon, else the first of the paragraph, with those before it to
    which it refers; of output, what prints it as well."""
    if prose and prose[-1].startswith("`./learn chapter "):
        return f"{lead_to(prose[:-1])}{prose[-1]}\n\n"
    if not prose or prose[-1].startswith("-"):
        return ""
    earlier = sentences(prose[-2]) if len(prose) > 1 and prose[-2][0] not in "-`" else []
    said = earlier + sentences(prose[-1])
    start = len(said) - 1 if said[-1].endswith((":", "：")) else len(earlier)
    end = start + 1
    while start > 0 and REFERS_BACK.match(said[start]):
        start -= 1
    bold = BOLD_START.match(said[len(earlier)])
    shown_bold = [bold[0]] if bold and start > len(earlier) else []
    if start == 0 and CONJUNCTION.match(said[0]):  # it follows from what was on the last slide
        rest = CONJUNCTION.sub("", said[0])
        said[0] = rest[0].upper() + rest[1:]
    lead = in_a_row(shown_bold + said[start:end])
    if REFERS_BACK.match(said[start]) or len(lead) > LONGEST_LEAD:
        lead = bold[0] if bold else ""
    return f"{lead}\n\n" if lead else ""


def caption(picture: str, lead: str) -> str:
    """The sentence that announces a picture; else what the picture says of itself, up to the
    first stop, if that is more than "Left": the paragraph before it may speak of another thing."""
    if lead.rstrip().endswith((":", "：")):
        return lead
    said = re.split(r"[:：;；。]|\.\s", picture.partition("![")[2].partition("](")[0])[0].strip()
    return f"{said}\n\n" if len(said) > 4 else ""


def in_a_row(said: list[str]) -> str:
    text = said[0]
    for each in said[1:]:
        text += each if text.endswith(("。", "？", "！")) else f" {each}"
    return text


def points(prose: list[str]) -> str:
    return "\n".join(f"- {point(paragraph)}" for paragraph in prose[:MOST_POINTS])


def point(paragraph: str) -> str:
    """Its first sentence, and the question that it asks in bold type."""
    said = sentences(re.sub(r"^- ", "", without_links(paragraph)))
    asked = [found[0] for found in re.finditer(r"\*\*[^*]+[?？]\*\*", without_links(paragraph))
             if found[0] not in said[0]]
    return joined(in_a_row([said[0], *asked]).splitlines())


def before_fold(prose: list[str]) -> str:
    """The paragraph that stands before something folded, as "Stop here" does."""
    return prose[-1] if len(prose[-1]) <= LONGEST_LEAD else sentences(prose[-1])[-1]


def slides_of(lines: list[str], title: str, zh: bool = False) -> list[Slide]:
    """What stands before the first heading has the title of the page."""
    slides: list[Slide] = []
    heading, level, prose = title, 2, []
    fresh = True  # nothing of this part was shown yet

    def show(text: str) -> None:
        nonlocal fresh
        slides.append(Slide(heading, level if fresh else 3, text, noted()))
        fresh = False

    def noted() -> list[str]:
        notes = [for_notes(paragraph, zh) for paragraph in prose]
        prose.clear()
        return notes

    def lead() -> str:
        return lead_to([without_links(paragraph) for paragraph in prose])

    def finish() -> None:
        if prose and fresh:
            if prose[0] in GOALS:
                goals = [without_links(paragraph) for paragraph in prose]
                prose.clear()  # there is nothing to add to them
                show(f"{goals[0]}\n\n" + "\n".join(goals[1:]))
            else:
                show(points(prose))
        elif prose and slides:
            slides[-1].notes += noted()
        prose.clear()

    for kind, text in blocks(lines):
        if prose and prose[0] in GOALS and not (kind == "prose" and text.startswith("- ")):
            finish()
        if kind == "heading":
            finish()
            found = HEADING.match(text)
            heading, level, fresh = found[2], len(found[1]), True
        elif kind == "prose":
            if text in GOALS:  # a slide of its own
                finish()
                level, fresh = 3 if slides else level, True
            prose.append(text)
        elif kind == "folded":
            if any(paragraph.startswith("- ") for paragraph in prose[:-1]):  # a list of its own
                last = prose.pop()
                show(points(prose))
                prose.append(last)
            if prose:
                show(before_fold([without_links(paragraph) for paragraph in prose]))
            slides[-1].notes += folded(text, zh)
        elif kind == "picture":
            show(caption(text, lead()) + without_links(text))
        else:
            for part in code_slides(text) if kind == "code" else [without_links(text)]:
                show(lead() + part)
    finish()
    return slides


def folded(text: str, zh: bool) -> list[str]:
    """The notes on it: its words and its formulas."""
    notes = []
    for kind, part in blocks(text.splitlines()[1:-1]):
        if kind == "prose":
            notes.append(for_notes(part, zh))
        elif kind == "math":
            notes.append(lab.plain("; ".join(formula(" ".join(part.splitlines()[1:-1])))))
    return notes


def deck(week: int, zh: bool) -> str:
    parts = [f"# {lab.title(week, zh)}\n"]
    for slide in slides_of(lines_of(week, zh), title_of(week, zh), zh):
        parts.append(f"{'#' * slide.level} {slide.heading}\n\n{slide.shown}\n")
        if slide.notes:
            parts.append("````{revealjs-notes}\n" + "\n\n".join(slide.notes) + "\n````\n")
    return "\n".join(parts)


class Decks(site.Book):
    """The slides of one language, laid out for Sphinx as the pages of the site are."""

    def __init__(self, language: str):
        super().__init__(language)
        self.folder = site.BUILD / "slides" / language

    def chapters(self, name: str) -> dict[str, str]:
        return {}  # a slide stays where it is, with the site or without it

    def lay_out(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        names = [f"week-{week:02}" for week in range(1, len(WEEKS) + 1)]
        for week, name in enumerate(names, 1):
            page = ROOT / "docs" / self.language / f"{WEEKS[week - 1][0]}.md"
            self.write(name, self.laid_out(deck(week, self.zh), page, name))
        self.write("index", f"# {words('Transformer by Hand', self.zh)}\n\n"
                   + "\n".join(f"- [{lab.title(week, self.zh)}]({name}.md)"
                               for week, name in enumerate(names, 1))
                   + "\n\n```{toctree}\n:hidden:\n" + "\n".join(names) + "\n```\n")


def render(python: Path, katex: Path) -> None:
    """The slides that are a part of the site, where a week has changed."""
    books = [Decks("en"), Decks("zh")]
    for book in books:
        book.lay_out()
    target = steps.HTML / "slides"

    def render_one(book: Decks) -> list[str]:
        return site.sphinx(book, python, katex, "revealjs", target / book.language,
                           XF_SITE_SLIDES="1")

    def rendered(changed: set[str]) -> None:
        asked = [book for book in books if {"theme", book.language} & changed]
        with Doing("the slides"), ThreadPoolExecutor() as pool:
            for book, complaints in zip(asked, pool.map(render_one, asked)):
                if complaints:
                    raise Stop(f"the slides in {book.language}:\n" + "\n".join(complaints))

    steps.step("the slides", target / "zh" / "index.html",
               {"theme": site.theme(katex), **{book.language: [book.folder] for book in books}},
               rendered)


def make(zh: bool) -> int:
    start = time.monotonic()
    setup.install(setup.SITE_PACKAGES)
    render(site.environment(), site.katex_files())
    shutil.rmtree(SLIDES, ignore_errors=True)
    shutil.copytree(steps.HTML / "slides", SLIDES)
    tell(f"20 sets of slides in {time.monotonic() - start:.0f} s: "
         f"{shown(SLIDES / ('zh' if zh else 'en') / 'index.html')}", zh)
    return 0
