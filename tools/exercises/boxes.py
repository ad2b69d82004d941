"""The boxes of `./learn mine`: which exercises each is made of, and drawings of both models in
which the learner's own boxes are lit; own_page.py shows them as a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

from tools.language import in_language
from tools.terminal import column, columns_of, painted, say


@dataclass(frozen=True)
class Box:
    """A box of the drawing: its name, the corresponding boxes of tools/book/whole.py, and the
    exercises that it is made of."""

    name: str
    parts: tuple[str, ...]
    exercises: tuple[str, ...]


# 05-02 has no box: it does by hand what the tape does, and the models' backward pass uses the tape.
BOXES = {box.name: box for box in (
    Box("embedding", ("source_embedding", "target_embedding"), ("01-01", "01-03")),
    Box("positions", ("source_positions", "target_positions"), ("01-02",)),
    Box("self-attention", ("encoder_attention",), ("02-01", "02-04", "02-05", "05-03")),
    Box("masked attention", ("decoder_attention",), ("06-01", "02-02", "02-03")),
    Box("cross attention", ("cross_attention",), ("02-01", "02-04", "02-05")),
    Box("add & norm", ("encoder_norm_1", "encoder_norm_2", "decoder_norm_1", "decoder_norm_2",
                       "decoder_norm_3"), ("03-01", "03-02")),
    Box("feed-forward", ("encoder_feed_forward", "decoder_feed_forward"), ("04-01", "04-02")),
    Box("dropout", (), ("04-04",)),
    Box("encoder layer", ("encoder",), ("05-01",)),
    Box("decoder layer", ("decoder",), ("06-02",)),
    Box("logits", ("linear",), ("07-02",)),
    Box("loss", ("softmax",), ("07-01", "07-04")),
    Box("clipping", (), ("00-04",)),
    Box("Adam", (), ("07-05",)),
    Box("learning rate", (), ("07-06",)),
    Box("cache", (), ("06-03",)),
    Box("greedy search", (), ("06-04",)),
    Box("beam search", (), ("07-07",)),
    Box("byte pairs", (), ("07-08",)),
    Box("BLEU", (), ("07-09",)),
    Box("relative scores", (), ("08-02",)),
    # only in a published model
    Box("byte-level pieces", (), ("09-06",)),
    Box("rotary positions", ("decoder_attention",), ("09-03",)),
    Box("shared heads", ("decoder_attention",), ("09-05",)),
    Box("RMSNorm", ("decoder_norm_1", "decoder_norm_3"), ("09-04",)),
    Box("SwiGLU", ("decoder_feed_forward",), ("09-07",)),
    Box("sampling", ("softmax",), ("08-06",)),
)}
PUBLISHED = list(BOXES).index("byte-level pieces")  # the first box of it


def boxes(published: bool) -> list[Box]:
    """The boxes of a published model, or those of the translator."""
    return list(BOXES.values())[PUBLISHED:] if published else list(BOXES.values())[:PUBLISHED]


def exercises_of(some: Iterable[Box]) -> tuple[str, ...]:
    """The exercises of these boxes, without duplicates."""
    return tuple(dict.fromkeys(one for box in some for one in box.exercises))


PARTS = {*exercises_of(BOXES.values())}


COLUMN = 34  # width of a box in the terminal, with its frame
MARKS = {2: ("[x]", "green"), 1: ("[~]", "yellow"), 0: ("[ ]", "dim")}
# From the top: the decoder's side, with the encoder's next to it; "-" is a frame.
ROWS = (("", "loss"), ("", "logits"), ("", "-"), ("", "decoder layer"), ("-", "-"),
        ("encoder layer", "add & norm"), ("add & norm", "feed-forward"),
        ("feed-forward", "add & norm"), ("add & norm", "cross attention"),
        ("self-attention", "add & norm"), (" ", "masked attention"), ("-", "-"),
        ("positions", "positions"), ("embedding", "embedding"), ("-", "-"))
PUBLISHED_ROWS = ("-", "sampling", "RMSNorm", "-", "SwiGLU", "RMSNorm", "shared heads",
                  "rotary positions", "RMSNorm", "-", "byte-level pieces", "-")
BESIDE = {"in training": ("dropout", "clipping", "Adam", "learning rate"),
          "in translating": ("cache", "greedy search", "beam search"),
          "for the text": ("byte pairs", "BLEU"), "with a memory": ("relative scores",)}


def light_of(box, own: set[str]) -> int:
    """For a box or a station: 2 if all of it is the learner's, 1 if some, 0 if nothing."""
    count = sum(exercise in own for exercise in box.exercises)
    return 2 if count == len(box.exercises) else 1 if count else 0


def cell(name: str, own: set[str], zh: bool, columns: int) -> str:
    if name == " ":
        return " " * columns
    mark, style = MARKS[light_of(BOXES[name], own)]
    return painted(column(f"{mark} {in_language(name, zh)}", columns), style)


def draw(own: set[str], zh: bool) -> None:
    """The translator, and below it a published model."""
    say(" " * (COLUMN + 4) + in_language("the next words", zh))
    for left, right in ROWS:
        say("  " + framed(left, own, zh) + framed(right, own, zh))
    say("    " + column(in_language("the source", zh), COLUMN)
        + in_language("the words so far", zh))
    most = max(columns_of(in_language(title, zh)) for title in BESIDE)
    for title, names in BESIDE.items():
        say(f"  {column(in_language(title, zh), most)}  "
            + "   ".join(cell(name, own, zh, 0) for name in names))
    say("    " + in_language("a published model's next token", zh))
    for name in PUBLISHED_ROWS:
        say("  " + framed(name, own, zh))
    say("    " + in_language("the text so far", zh))


def framed(name: str, own: set[str], zh: bool) -> str:
    if name == "-":
        return "+" + "-" * (COLUMN - 2) + "+"
    return f"| {cell(name, own, zh, COLUMN - 4)} |" if name else " " * COLUMN


def next_box(own: set[str], last: str = "") -> tuple[Box, list[str]] | None:
    """The box with the fewest missing exercises, and these; first among those of the translator, or
    of the published model if the `last` exercise belongs to that only. Ties go to a box that is
    begun."""
    if not own:  # nothing is done yet
        return BOXES["embedding"], list(BOXES["embedding"].exercises)
    is_published = last in exercises_of(boxes(True)) and last not in exercises_of(boxes(False))
    missing = [(box, [e for e in box.exercises if e not in own]) for box in BOXES.values()]
    return min((one for one in missing if one[1]), default=None, key=lambda one: (
        (one[0] in boxes(True)) != is_published, len(one[1]),
        len(one[1]) == len(one[0].exercises)))


def lit_parts(own: set[str], published: bool) -> tuple[str, ...]:
    """The boxes of tools/book/whole.py that are entirely the learner's."""
    dark = {part for box in boxes(published) if light_of(box, own) < 2 for part in box.parts}
    return tuple(part for box in boxes(published) for part in box.parts if part not in dark)
