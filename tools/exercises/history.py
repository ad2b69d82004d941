"""`./learn mine history`: the stations from counting letters to a published model, in historical
order. Each has a command of `./learn mine` that shows it, with the learner's parts if there are
any, and the exercises that lead to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

from tools.exercises import manifest as course
from tools.exercises.boxes import BOXES, MARKS, boxes, exercises_of, light_of
from tools.exercises.explain import next_step
from tools.exercises.manifest import Exercise
from tools.language import in_language, listed, tell
from tools.terminal import column, painted, say

TITLE = 44  # columns of a title


@dataclass(frozen=True)
class Station:
    year: int
    command: str  # of ./learn mine
    title: str
    exercises: tuple[str, ...]


ENCODER = [BOXES[name] for name in ("embedding", "positions", "self-attention", "add & norm",
                                    "feed-forward", "encoder layer")]
TRANSLATOR = [box for box in boxes(False) if box.name != "relative scores"]
STATIONS = (
    Station(1948, "letters", "letters, counted by a gradient", BOXES["embedding"].exercises),
    Station(2014, "alignment", "a sentence in one vector, then attention", ("02-01", "02-05")),
    Station(2017, "games", "an encoder that tells which Games", exercises_of(ENCODER)),
    Station(2017, "train", "the translator", exercises_of(TRANSLATOR)),
    Station(2019, "recall", "Transformer-XL recalls an earlier segment",
            BOXES["relative scores"].exercises),
    Station(2024, "generate", "a published model", exercises_of(boxes(True))),
)
# The stations that the program of exercises/mine runs like their lessons.
LESSONS = ("letters", "alignment", "games", "recall")


def passing(exercises: Iterable[Exercise]) -> set[str]:
    kept = course.progress()
    return {one.id for one in exercises
            if not one.variant and one.answer.is_file() and course.passes(one, kept)}


def line(own: set[str]) -> str:
    """The stations as a path: [x]-[~]-[ ]-[ ]-[ ]-[ ]."""
    return "-".join(MARKS[light_of(station, own)][0] for station in STATIONS)


def show(zh: bool) -> int:
    own = passing(course.manifest())
    for station in STATIONS:
        mark, style = MARKS[light_of(station, own)]
        title = column(in_language(station.title, zh), TITLE)
        say(f"  {painted(mark, style)} {station.year}  {title}./learn mine {station.command}")
    tell("  marks     [x] you have written what it takes   [~] a part of it   [ ] nothing yet", zh)
    tell("  run       any of them now, with the book's code for what is not yours", zh)
    following = next((one for one in STATIONS if light_of(one, own) < 2), None)
    if following:
        missing = [exercise for exercise in following.exercises if exercise not in own]
        tell(f"  write     {listed(missing, zh)} for the station "
             f"'{in_language(following.title, zh)}'", zh)
        next_step(f"task {missing[0]}", zh)
    return 0
