"""The slides of each week: from its part of the page, and from the sections of the lesson that the
plan of the lecture shows but the page does not."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from tools.book import pages as book
from tools.book import recorded, steps
from tools.book.page_sources import sections
from tools.exercises import manifest
from tools.language import words
from tools.teaching import slides
from tools.teaching.weeks import (CODE_IS_SHOWN, GOALS, NO_MINUTES, TO_READ, WEEKS, goals,
                                  on_no_page, page, planned, quoted, title, title_of)
from tools.terminal import BIN, ROOT, Stop, write_changed

EXERCISE = re.compile(r"\b\d\d-\d\d\b")
DECLARED = re.compile(r"(//.*\n)*\w[^{}()]*\([^{}]*\);")  # a function declaration with its comment
LAST_WORDS = ("Once 08-06 and 09-03 to 09-07 are written, a published model runs on your own "
              "positions, norms, heads and sampling.")
LAST_COMMANDS = ("./learn data get smollm2\n"
                 "./learn mine generate --prompt \"The capital of France is\" --greedy")
LEFT_OUT = ("## Exercises", "## Where it comes from")  # meant for reading only


def chosen(name: str, zh: bool, first: str, last: str) -> list[str]:
    """The lines of a page from one heading to another, without the parts that are left out."""
    english, lines = (page(name, language).splitlines() for language in (False, zh))
    names = headings(english)
    starts = [at for at, _ in names]
    places = [at for at, _ in headings(lines)]
    if len(places) != len(starts):
        raise Stop(f"docs/*/{name}.md: the two languages have other parts")
    titles = [title for _, title in names]
    begin = titles.index(first) if first else 0
    end = titles.index(last) if last else len(titles)
    kept = [] if first else [line for line in lines[:places[0]] if not book.is_way(line)]
    for part in range(begin, end):
        if titles[part] not in LEFT_OUT:
            stop = places[part + 1] if part + 1 < len(places) else len(lines)
            kept += lines[places[part]:stop]
    return kept


def lines_of(week: int, zh: bool) -> list[str]:
    """The source of a week's slides. If weeks share a page, each has its own goals, and a week that
    starts in the middle of the page starts with them."""
    lines = chosen(WEEKS[week - 1][0], zh, *WEEKS[week - 1][1:])
    listed = [GOALS[zh], "", *(f"- {goal}" for goal in goals(week, zh)), ""]
    if GOALS[zh] not in lines:
        return [f"## {title_of(week, zh)}", "", *listed, *lines]
    at = lines.index(GOALS[zh])
    return lines[:at] + listed + lines[lines.index("", at + 2) + 1:]


def headings(lines: list[str]) -> list[tuple[int, str]]:
    """The index and the text of each heading, except for the title of the page."""
    found = ((line - 1, lines[line - 1]) for _, line, _ in sections("\n".join(lines)))
    return [(at, line) for at, line in found if slides.HEADING.match(line)]


@lru_cache(maxsize=None)
def of_week(week: int, zh: bool) -> list[slides.Slide]:
    """The slides of the page; after the output of a section come the sections that follow it in the
    plan but are not on the page."""
    found = slides.slides_of(lines_of(week, zh), title_of(week, zh))
    before = 0
    for section in planned(week):
        if section in on_no_page(week):
            at = place(found, before)
            found[at:at] = printed(week, section, found[at - 1].heading, zh)
        if any(slide.section == section for slide in found):
            before = section
    for slide in found:
        if slide.pause:
            slide.shown += "".join(asked_for(name, zh) for name in EXERCISE.findall(slide.shown))
    return found


def asked_for(name: str, zh: bool) -> str:
    """The exercise for which a lecture pauses: its title, and the functions to write."""
    exercise = manifest.find(name, manifest.everything())
    header = (exercise.path / "exercise.hpp").read_text(encoding="utf-8")
    written = "\n\n".join(part for part in header.split("\n\n") if DECLARED.fullmatch(part))
    return (f"\n\n**{name}** {exercise.title_zh if zh else exercise.title}"
            f"\n\n```cpp\n{written}\n```")


def place(found: list[slides.Slide], section: int) -> int:
    """The position after the section's output and the text about it; for 0, before the first
    output."""
    numbers = [slide.section for slide in found]
    if not section:
        return next(at for at, number in enumerate(numbers) if number)
    at = len(numbers) - numbers[::-1].index(section)
    while at < len(found) and found[at].heading == found[at - 1].heading and not numbers[at]:
        at += 1
    return at


def printed(week: int, section: int, heading: str, zh: bool) -> list[slides.Slide]:
    """A section of the lesson as slides; none if it has timings, which differ in each run."""
    if section in timed(week):
        return []
    text = output(week, section, zh).rstrip("\n")
    return [slides.Slide(heading, 3, part, section=section) for part in slides.code_slides(text)]


@lru_cache(maxsize=None)
def output(week: int, section: int, zh: bool) -> str:
    name, language = quoted(week)[0], "zh" if zh else "en"
    if name in recorded.names(ROOT):
        return book.output(book.Wanted(name, section, "", ""), language)
    program = Path(os.environ.get("XF_BIN") or BIN) / name
    if not program.is_file():
        raise book.NotBuilt(f"{name} is not built: ./learn builds it")
    # Run once per program, as some sections train for seconds. Incomplete output has no stamp.
    kept = steps.BUILD / "sections" / f"{name}-{section}.{language}.txt"
    stamp = steps.digest([program]) + "\n"
    text = kept.read_text(encoding="utf-8") if kept.is_file() else ""
    if not text.endswith(stamp):
        wanted = book.Wanted(f"{name} --section {section}", section, "", "")
        text = book.output(wanted, language) + stamp
        with contextlib.suppress(OSError):  # printing works in a read-only checkout, too
            write_changed(kept, text)
    return text.removesuffix(stamp)


def timed(week: int) -> list[int]:
    """The sections not on the page that have timings; their English text shows it."""
    return [section for section in on_no_page(week) if "(ms)" in output(week, section, False)]


@dataclass
class Part:
    """The slides under one heading, by number; slide 1 is the title."""
    heading: str
    slides: list[int] = field(default_factory=list)
    sections: dict[int, list[int]] = field(default_factory=dict)  # lesson section: its slides
    without_minutes: list[int] = field(default_factory=list)


def parts_of(week: int, zh: bool) -> list[Part]:
    skipped = {heading.lstrip("# ") for heading in NO_MINUTES.get(week, [])}
    to_read = {heading.lstrip("# ") for heading in TO_READ}
    if week in CODE_IS_SHOWN:
        to_read.remove("The code")
    found: list[Part] = []
    typed, stopped = False, ""  # the previous slide; the part already paused in
    for number, (english, slide) in enumerate(zip(of_week(week, False), of_week(week, zh)), 2):
        if slide.level == 2 or slide.heading != found[-1].heading:
            found.append(Part(slide.heading))
        part = found[-1]
        part.slides.append(number)
        if slide.section:
            part.sections.setdefault(slide.section, []).append(number)
        is_planned = slide.section in planned(week)
        typed = is_typed(english) or typed and not slide.section and "{code-block} text" in \
            english.shown
        if (english.heading in skipped or slide.section and not is_planned or typed
                or english.heading in to_read and not is_planned
                or slide.pause and english.heading in (stopped, "The code")):
            part.without_minutes.append(number)
        if slide.pause:
            stopped = english.heading
    return found


def is_typed(slide: slides.Slide) -> bool:
    """Does it show nothing but commands?"""
    code = re.findall(r"^```\{code-block\} sh\n(.*?)^```", slide.shown, re.M | re.S)
    return bool(code) and "![" not in slide.shown and "\n|" not in slide.shown


def deck(week: int, zh: bool) -> str:
    parts = [f"# {title(week, zh)}\n"]
    for slide in of_week(week, zh):
        parts.append(f"{'#' * slide.level} {slide.heading}\n\n{slide.shown}\n")
        if slide.notes:
            parts.append("````{revealjs-notes}\n" + "\n\n".join(slide.notes) + "\n````\n")
    if week == len(WEEKS):
        parts.append(f"## {words('A published model speaks through your code', zh)}\n\n"
                     + words(LAST_WORDS, zh)
                     + f"\n\n```{{code-block}} sh\n{LAST_COMMANDS}\n```\n")
    return "\n".join(parts)
