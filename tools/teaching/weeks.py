"""The ten weeks of the course: which part of which page each reads, its goals, and, from the table
of docs/*/teaching.md, the plan of its lecture."""

from __future__ import annotations

import re

from tools.language import words
from tools.terminal import ROOT

SPLIT = "### An answer beyond the segment"
# For each week: the page, the heading of its first section, and the heading of the first section
# that no longer belongs to it ("": from the start, to the end). The headings are the English ones;
# the Chinese page must have as many sections.
WEEKS = [("00_foundations", "", ""), ("01_embedding", "", ""), ("02_attention", "", ""),
         ("03_layer_norm", "", ""), ("04_feed_forward", "", ""), ("05_encoder", "", ""),
         ("06_decoder", "", ""), ("07_transformer", "", ""), ("08_transformer_xl", "", SPLIT),
         ("08_transformer_xl", SPLIT, "")]
# Sections of the page for which the lecture has no time: in every week, except for output that the
# plan names, and in particular weeks.
TO_READ = ["## The code", "## Mistakes to expect", "## Mistakes often seen", "## In short"]
NO_MINUTES = {
    1: ["## Formulas in xtensor"],
    3: ["### What came before", "### One matrix or three"],
    4: ["### What a layer reads while the layers below it learn"],
    6: ["### A word with three meanings"],
    8: ["### Two halves, three kinds of model", "### The mean of several checkpoints",
        "### Fine-tuning: begin with weights that know something", "### Backward"],
    9: ["### All layers in one piece"],
    10: ["### Beside an LSTM", "### What the paper reports", "### Limits and outlook"],
}
CODE_IS_SHOWN = [7]  # has time for "The code" after all: the cache
# For chapter 8, which takes two weeks: the letters of its pen-and-paper questions.
QUESTIONS = {9: "bc", 10: "adefghi"}
PARTS = {False: (" I", " II"), True: ("（上）", "（下）")}
SHARED = {9: slice(3), 10: slice(3, None)}  # of the goals of a page that two weeks share
GOALS = {False: "**Afterwards you can**", True: "**学完之后，你能够**"}


def page(name: str, zh: bool) -> str:
    return (ROOT / "docs" / ("zh" if zh else "en") / f"{name}.md").read_text(encoding="utf-8")


def title_of(week: int, zh: bool) -> str:
    """The title of the page, with the part if several weeks share it."""
    name = WEEKS[week - 1][0]
    title = page(name, zh).splitlines()[0][2:]
    weeks = [number for number, (page_name, *_) in enumerate(WEEKS, 1) if page_name == name]
    return title + PARTS[zh][weeks.index(week)] if len(weeks) > 1 else title


def title(week: int, zh: bool) -> str:
    return words("Week {week}", zh, week=week) + words(": ", zh) + title_of(week, zh)


def goals(week: int, zh: bool) -> list[str]:
    listed = page(WEEKS[week - 1][0], zh).partition(GOALS[zh])[2].split("\n\n")[1]
    found = [" ".join(item.split()) for item in re.split(r"^- ", listed, flags=re.M)[1:]]
    return found[SHARED.get(week, slice(None))]


# ---- the lecture ---------------------------------------------------------------------------------


def shown(week: int, zh: bool) -> list[str]:
    found = re.findall(r"^\| \d+ \| [^|]* \| ([^|]*) \| [^|]* \| [\d½]+ \|$", page("teaching", zh),
                       re.M)
    return re.split(r"[;；] ?", found[week - 1])


def quoted(week: int) -> tuple[str, list[int]]:
    """The lesson of the week, and the sections quoted by the page, in its order."""
    name, first, last = WEEKS[week - 1]
    text = page(name, False)
    text = (text.partition(first)[2] if first else text).partition(last or "## Exercises")[0]
    printed = re.findall(r"^<!-- output: (\d+_\w+)(?: --\S+)* (\d+)", text, re.M)
    return printed[0][0], list(dict.fromkeys(int(section) for _, section in printed))


def planned(week: int) -> list[int]:
    """The sections named in the plan of the lecture."""
    return [section for item in shown(week, False) for section in sections_in(item)]


def sections_in(item: str) -> list[int]:
    """The sections named in one item of the English plan."""
    numbers = (re.match(r"(?:question, idea, equation, )?(?:sections? )?"
                        r"(\d+(?:(?:, | and | to )\d+)*)(?:: | by hand| and B)", item)
               or re.search(r"--section (\d+)", item))
    return [section for first, last in re.findall(r"(\d+)(?: to (\d+))?",
                                                  numbers[1] if numbers else "")
            for section in range(int(first), int(last or first) + 1)]


def on_no_page(week: int) -> list[int]:
    """The planned sections that the page does not quote."""
    return [section for section in planned(week) if section not in quoted(week)[1]]
